"""Lists and objects written as text: JSON, Python's repr, and what pandas makes of arrays. Nothing is run."""

from __future__ import annotations

import ast
import io
import json
import re
import tokenize
import warnings
from typing import Any, Final

MAX_CHARACTERS: Final = 8_000_000
MAX_DEPTH: Final = 40
# Constructors whose repr holds plain values: `Document(page_content='...')`, `array(['...'], dtype=object)`.
_MESSAGES: Final = frozenset(
    {"AIMessage", "AIMessageChunk", "HumanMessage", "SystemMessage", "ToolMessage", "ChatMessage"}
)
_RECORDS: Final = _MESSAGES | {"Document", "TextNode", "NodeWithScore", "Chunk", "ScoredPoint"}
_CONSTRUCTED: Final = re.compile(rf"(array|{'|'.join(sorted(_RECORDS))})\(.*\)\Z", re.DOTALL)
_PRINTED: Final = re.compile(
    r"""(?:page_content|content)=('(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*")(?: (?:\w+)=.*)?""", re.DOTALL
)
_WRAPPERS: Final = frozenset({"array", "list", "tuple", "set", "OrderedDict", "dict", "UUID", "ObjectId"})


_NAMES: Final = {"nan": None, "NaN": None, "null": None, "inf": None, "true": True, "false": False}


def looks_written(text: str) -> bool:
    """Does this text look like a written list or object rather than like prose?"""
    stripped = text.strip()
    pairs = (("[", "]"), ("{", "}"), ("(", ")"))
    return _CONSTRUCTED.match(stripped) is not None or any(
        stripped.startswith(a) and stripped.endswith(b) for a, b in pairs
    )


def printed_text(text: str) -> str:
    """Return the text in what LangChain prints of a document or a message, `page_content='...' metadata={}`.

    Any other text is returned as it is.
    """
    found = _PRINTED.fullmatch(text.strip()) if "content=" in text[:30] else None
    if found is None:
        return text
    try:
        value = ast.literal_eval(found[1])
    except (SyntaxError, ValueError):
        return text
    return value if isinstance(value, str) else text


def read_literal(text: str) -> Any:
    """Return the value that a text of JSON or Python literals writes; ValueError when it is neither.

    Depth is bounded, and so is the size of Python's literals. Strings, objects and arrays that stand side by
    side without a comma are separate items, as numpy writes them, not one string, as Python would read them.
    """
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        pass
    if len(text) > MAX_CHARACTERS:
        raise ValueError("too long")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # a stray backslash in a log is not our source's fault
            tree = ast.parse(_with_commas(text.strip()), mode="eval")
        return _value(tree.body, 0)
    except (SyntaxError, ValueError, TypeError, RecursionError, MemoryError, tokenize.TokenError) as error:
        raise ValueError(type(error).__name__) from None


def _with_commas(text: str) -> str:
    """Put a comma between neighbouring strings, objects and arrays, where numpy leaves it out."""
    cuts: list[tuple[int, int]] = []
    ended = False  # does the token before end a value?
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type in (tokenize.NL, tokenize.NEWLINE, tokenize.COMMENT):
            continue
        begins = token.type == tokenize.STRING or token.string in ("{", "[", "array")
        if ended and begins:
            cuts.append(token.start)
        ended = token.type == tokenize.STRING or token.string in ("}", "]", ")")
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
    if isinstance(node, ast.Name) and node.id in _NAMES:
        return _NAMES[node.id]
    if isinstance(node, ast.Call):
        return _call(node, depth)
    return _refuse()


def _call(node: ast.Call, depth: int) -> Any:
    """Read the repr of a record as an object of its arguments; nothing is called."""
    name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
    if name in _RECORDS and not node.args:
        found = {word.arg or _refuse(): _argument(word.value, depth + 1) for word in node.keywords}
        return {"type": name, **found} if name in _MESSAGES else found
    if name in _WRAPPERS and len(node.args) == 1:
        return _value(node.args[0], depth + 1)
    return _refuse()


def _argument(node: ast.expr, depth: int) -> Any:
    """Read an argument of a record; what is no plain value, such as a time in its metadata, is left out."""
    if isinstance(node, ast.Dict):
        return {
            str(_value(key, depth + 1)): _argument(item, depth + 1)
            for key, item in zip(node.keys, node.values, strict=True)
            if key is not None
        }
    try:
        return _value(node, depth)
    except ValueError:
        return None


def _refuse() -> Any:
    raise ValueError("not a plain value")
