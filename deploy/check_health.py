"""Health check of a component that answers HTTP: exit 0 for a 200, else 1. The slim image has no curl."""

from __future__ import annotations

import sys
import urllib.request

_TIMEOUT_SECONDS = 8


def main(url: str) -> int:
    """Return 0 when `url` answers 200."""
    # An empty ProxyHandler: a proxy of the environment must not be asked about a local port.
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    try:
        with opener.open(url, timeout=_TIMEOUT_SECONDS) as answer:
            return 0 if answer.status == 200 else 1
    except OSError as error:
        sys.stderr.write(f"{url}: {error}\n")
        return 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
