"""What the sample traffic holds, in words."""

from trace_pipeline.sample.library import LANGUAGES, pages, questions
from trace_pipeline.sample.settings import SampleSettings
from trace_pipeline.sample.traffic import BAD_RELEASE, HURT_TENANT, TENANTS


def describe(settings: SampleSettings) -> str:
    """A few plain sentences: how much traffic there is and what was planted in it."""
    asked = sum(len(of_language) for of_language in questions().values())
    documents = sum(len(pages(language)) for language in LANGUAGES)
    return "\n".join(
        [
            f"Sample traffic: {_counted(settings.nights, 'night')} from {settings.day(0)} to "
            f"{settings.day(settings.nights - 1)}, about {settings.logs_per_night} logs a night, "
            f"seed {settings.seed}.",
            f"A made-up product-support assistant: {asked} questions about {documents} documents in "
            f"{', '.join(LANGUAGES)}, asked by {len(TENANTS)} tenants.",
            f"{settings.malformed_share:.1%} of the rows are malformed on purpose.",
            _planted(settings),
        ]
    )


def _planted(settings: SampleSettings) -> str:
    release = settings.release_night
    if release is None or release >= settings.nights:
        return "Nothing was planted: quality stays as it is on all nights."
    share = next(tenant.share for tenant in TENANTS if tenant.name == HURT_TENANT)
    points = round(100 * settings.adherence_drop)
    text = (
        f"Planted: release {BAD_RELEASE} goes live for every tenant on {settings.day(release)} "
        f"(night {release + 1}). It hurts only tenant {HURT_TENANT} ({share:.0%} of the traffic): "
        f"of 100 of its answers, {points} that would have been grounded in the documents are half-supported "
        "or invented. The other tenants are as before."
    )
    if settings.rollback_night is not None and settings.rollback_night < settings.nights:
        back = settings.rollback_night
        text += f" It is rolled back on {settings.day(back)} (night {back + 1})."
    return text


def _counted(count: int, noun: str) -> str:
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"
