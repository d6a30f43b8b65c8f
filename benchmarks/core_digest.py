"""Fingerprints and digests of all that the metric core says about a fixed corpus, as JSON.

    python -m benchmarks.core_digest [--logs]

It imports the core and the standard library alone, so that it runs in any environment that has the core's
packages. `--logs` adds the digest of every log, which tells where two outputs part.
"""

import argparse
import hashlib
import json
import platform
from typing import Any

from benchmarks.core_corpus import corpus
from trace_core import get_scorer, scorer_names
from trace_core.scorers import Evaluation


def digest_of(value: Any) -> str:
    """16 hex digits of a JSON value. Lone surrogates and NUL are escaped, so that any text has one."""
    text = json.dumps(value, sort_keys=True, ensure_ascii=True, allow_nan=False)
    return hashlib.sha256(text.encode("ascii")).hexdigest()[:16]


def _without_fingerprint(evaluation: Evaluation) -> dict[str, Any]:
    return {name: value for name, value in evaluation.to_json().items() if name != "fingerprint"}


def core_digests(with_logs: bool = False) -> dict[str, dict[str, Any]]:
    """scorer -> fingerprint, number of logs and digest of their evaluations; annotations and reasons too."""
    result: dict[str, dict[str, Any]] = {}
    for name in scorer_names():
        scorer = get_scorer(name)
        logs = {e.log_id: digest_of(_without_fingerprint(e)) for e in scorer.score_many(corpus())}
        entry = {"fingerprint": scorer.fingerprint, "logs": len(logs), "evaluations": digest_of(logs)}
        result[name] = {**entry, "by_log": logs} if with_logs else entry
    return result


def main() -> None:
    """Score and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--logs", action="store_true", help="add a digest for each log")
    options = parser.parse_args()
    print(json.dumps({"python": platform.python_version(), "scorers": core_digests(options.logs)}, indent=1))


if __name__ == "__main__":
    main()
