"""Short digests of lists and rules, the same in every process and Python version."""

import hashlib
import json


def digest(*parts: object) -> str:
    """16 hex digits over JSON values."""
    text = json.dumps(parts, sort_keys=True, ensure_ascii=True, separators=(",", ":"))
    return hashlib.sha256(text.encode("ascii")).hexdigest()[:16]
