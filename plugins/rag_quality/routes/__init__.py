"""One module a page; each is a thin way from an address to a read model to a template."""

from rag_quality.routes import corpus, incidents, label, labels, log, logs, overview, runs

ROUTERS = (
    overview.router,
    incidents.router,
    runs.router,
    logs.router,
    log.router,
    label.router,
    labels.router,
    corpus.router,
)
