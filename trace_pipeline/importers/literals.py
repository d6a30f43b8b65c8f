"""Lists and objects written as text: JSON, Python's repr, and what pandas makes of arrays. Nothing is run."""

from __future__ import annotations

import ast
import io
import json
import tokenize
import warnings
from typing import Any, Final

MAX_CHARACTERS: Final = 8_000_000
MAX_DEPTH: Final = 40
# Constructors whose repr holds plain values: `Document(page_content='...')`, `array(['...'], dtype=object)`.
_RECORDS: Final = frozenset({"Document", "TextNode", "NodeWithScore", "Chunk", "ScoredPoint"})
_WRAPPERS: Final = frozenset({"array", "list", "tuple", "set", "OrderedDict", "dict", "UUID", "ObjectId"})


def looks_written(text: str) -> bool:
    """Does this text look like a written list or object rather than like prose?"""
    stripped = text.strip()
    pairs = (("[", "]"), ("{", "}"), ("(", ")"))
    return stripped.startswith("array(") or any(
        stripped.startswith(a) and stripped.endswith(b) for a, b in pairs
    )


def read_literal(text: str) -> Any:
    """Return the value that a text of JSON or Python literals writes; ValueError when it is neither.

    Size and depth are bounded. Strings that stand side by side without a comma are separate items, as numpy
    writes them, not one string, as Python would read them.
    """
    if len(text) > MAX_CHARACTERS:
        raise ValueError("the text is too long")
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        pass
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # a stray backslash in a log is not our source's fault
            tree = ast.parse(_with_commas(text.strip()), mode="eval")
        return _value(tree.body, 0)
    except (SyntaxError, ValueError, TypeError, RecursionError, MemoryError, tokenize.TokenError) as error:
        raise ValueError(type(error).__name__) from None


def _with_commas(text: str) -> str:
    """Put a comma between neighbouring strings and numbers, where numpy leaves it out."""
    cuts: list[tuple[int, int]] = []
    before = None
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type in (tokenize.NL, tokenize.NEWLINE, tokenize.COMMENT):
            continue
        if before == tokenize.STRING and token.type == tokenize.STRING:
            cuts.append(token.start)
        before = token.type
    if not cuts:
        return text
    lines = text.splitlines(keepends=True)
    for row, column in reversed(cuts):
        lines[row - 1] = lines[row - 1][:column] + "," + lines[row - 1][column:]
    return "".join(lines)


def _value(node: ast.expr, depth: int) -> Any:
    if depth > MAX_DEPTH:
        raise ValueError("nested too deep")
    if isinstance(node, ast.Constant):
        return node.value
    if isinstance(node, ast.List | ast.Tuple | ast.Set):
        return [_value(item, depth + 1) for item in node.elts]
    if isinstance(node, ast.Dict):
        keys = [key if key is not None else _refuse() for key in node.keys]
        return {
            str(_value(k, depth + 1)): _value(v, depth + 1) for k, v in zip(keys, node.values, strict=True)
        }
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        number = _value(node.operand, depth + 1)
        return -number if isinstance(number, int | float) else _refuse()
    if isinstance(node, ast.Name) and node.id in ("nan", "null", "inf"):
        return None
    if isinstance(node, ast.Call):
        return _call(node, depth)
    return _refuse()


def _call(node: ast.Call, depth: int) -> Any:
    """Read the repr of a record as an object of its arguments; nothing is called."""
    name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
    if name in _RECORDS and not node.args:
        return {word.arg or _refuse(): _value(word.value, depth + 1) for word in node.keywords}
    if name in _WRAPPERS and len(node.args) == 1:
        return _value(node.args[0], depth + 1)
    return _refuse()


def _refuse() -> Any:
    raise ValueError("not a plain value")
