"""Writes .env beside .env.example: the same lines, with a fresh random value for every empty secret.

    python3 deploy/make_env.py

Refuses to replace a .env that exists: the database keeps the passwords it was created with.
"""

from __future__ import annotations

import base64
import os
import re
import secrets
import sys
from pathlib import Path

_EMPTY = re.compile(r"^([A-Z0-9_]+(?:_PASSWORD|_SECRET|_KEY))=$")


def filled(example: str) -> str:
    """Return the text of .env.example with its empty secrets filled and `<NAME>` replaced by that secret."""
    values: dict[str, str] = {}
    lines = []
    for line in example.splitlines():
        found = _EMPTY.match(line)
        if found:
            # A Fernet key is 32 bytes in base64; the rest is hexadecimal, which needs no quoting in a URL.
            fernet = found[1] == "AIRFLOW_FERNET_KEY"
            key = base64.urlsafe_b64encode(secrets.token_bytes(32)).decode()
            values[found[1]] = key if fernet else secrets.token_hex(32)
            line += values[found[1]]
        lines.append(line)
    text = "\n".join(lines) + "\n"
    for name, value in values.items():
        text = text.replace(f"<{name}>", value)
    return text


def main() -> None:
    """Write the file, readable by its owner only."""
    root = Path(__file__).resolve().parent.parent
    text = filled((root / ".env.example").read_text())
    try:
        descriptor = os.open(root / ".env", os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        sys.exit(".env exists and stays as it is. Edit it, or move it away first.")
    with os.fdopen(descriptor, "w") as file:
        file.write(text)
    sys.stdout.write("Wrote .env with fresh secrets.\n")


if __name__ == "__main__":
    main()
