"""score_anchor: let each scorer that may change under its name judge the frozen logs, once a night."""

from __future__ import annotations

import logging
from collections import Counter, defaultdict
from datetime import date

from trace_pipeline.claims import claimed_anchors
from trace_pipeline.context import Pipeline
from trace_pipeline.scorers import VARYING
from trace_pipeline.window import day_bounds

log = logging.getLogger(__name__)


def score_anchor(pipeline: Pipeline, night: date) -> list[str]:
    """Ask about the anchors that the night has no verdicts on yet; returns a sentence a judge.

    Nothing is taken from kept answers, and none is kept: an answer of an earlier night would never change.
    The calls are the night's, within its budget. A verdict that is stored stays, so that running it again
    asks for what is missing only. Scorers that ask alike share the answers. A judge that does not answer
    leaves its anchors unjudged, with the reason; raises ConfigurationError for a file of anchors that cannot
    be read, and for a judge that is not set up.
    """
    names = [name for name in pipeline.settings.scorers if name in VARYING]
    if not names or not pipeline.settings.judge.anchor:
        return []
    # Not at the top: nights without such a scorer have no use for them.
    from trace_pipeline.anchor import store
    from trace_pipeline.anchor.file import read_anchors
    from trace_pipeline.judges.fresh import ask_each
    from trace_pipeline.judges.scorer import JudgeScorer

    anchors = read_anchors(pipeline.settings.judge.anchor_file)
    at = day_bounds(night, pipeline.settings.day_time_zone)[0]
    groups: dict[str, dict[int, JudgeScorer]] = defaultdict(dict)
    for scorer_id, scorer in pipeline.register(names).items():
        if isinstance(scorer, JudgeScorer):
            groups[scorer.answers][scorer_id] = scorer
    said = []
    for scorers in groups.values():
        # What is there is looked up under the claim: of two runs of a night one asks, the other finds.
        with claimed_anchors(pipeline, list(scorers), night):
            store.enter_set(pipeline.results, anchors, list(scorers), night, pipeline.run_id)
            there = store.judged(pipeline.results, list(scorers), night)
            due = {anchor.anchor_id: anchor for anchor in anchors if anchor.key not in there}
            first = next(iter(scorers.values()))
            outcomes: Counter[str] = Counter()
            desk = first.desk.open(night, fresh=True)
            logs = [anchor.log() for anchor in due.values()]
            for asked, judged in ask_each(desk, logs, at, first.settings.concurrency):
                found = {
                    scorer_id: scorer.evaluation(scorer.cheap.score(asked), judged, 1.0)
                    for scorer_id, scorer in scorers.items()
                }
                store.write_verdicts(pipeline.results, due[asked.log_id], found, night, pipeline.run_id)
                outcomes[judged.reason or "judged"] += 1
        said.append(_sentence([s.name for s in scorers.values()], len(anchors), len(there), outcomes))
        log.info(said[-1])
    return said


def _sentence(names: list[str], every: int, there: int, outcomes: Counter[str]) -> str:
    judged = outcomes.pop("judged", 0)
    missing = "".join(f", {number} not ({reason})" for reason, number in sorted(outcomes.items()))
    before = f", {there} of them before" if there else ""
    return f"{' and '.join(names)}: {there + judged} of {every} anchors judged{before}{missing}."
