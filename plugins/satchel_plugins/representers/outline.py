"""A light outline by regular expressions, for languages whose grammar is not installed."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from satchel.patterns import lazily
from satchel_plugins.representers.definitions import Definition, Outline, lines_of

_MODIFIERS = (
    r"(?:(?:public|private|protected|internal|fileprivate|open|final|abstract|sealed|static|override|inline"
    r"|suspend|data|case|implicit|lazy|export|extern|pub|async|mutating|local|default|comptime|virtual"
    r"|factory|external|required|convenience|indirect|annotation|inner|value|expect|actual|tailrec|operator"
    r"|infix|forward|partial|mixin|base)\s+)*"
)
_KINDS = {
    "fun": "function", "func": "function", "function": "function", "def": "function", "defp": "function",
    "sub": "function", "fn": "function", "proc": "function", "defmacro": "macro", "macro": "macro",
    "class": "class", "object": "object", "companion object": "object", "struct": "struct", "actor": "class",
    "interface": "interface", "protocol": "interface", "trait": "trait", "enum": "enum", "enum class": "enum",
    "extension": "extension", "module": "module", "defmodule": "module", "package": "module",
    "message": "message", "service": "service", "rpc": "function", "oneof": "type", "type": "type",
    "typealias": "type", "input": "type", "union": "type", "scalar": "type", "query": "function",
    "mutation": "function", "fragment": "function", "mixin": "class", "library": "class", "contract": "class",
    "event": "event", "modifier": "function", "resource": "resource", "variable": "variable",
    "output": "variable", "provider": "resource", "namespace": "namespace", "given": "function",
    "data class": "class",
}  # fmt: skip
_WORDS = "|".join(sorted((re.escape(word).replace("\\ ", r"\s+") for word in _KINDS), key=len, reverse=True))
_HEAD = lazily(
    rf"[ \t]*{_MODIFIERS}(?P<kind>{_WORDS})\s+(?P<name>[\"`]?[A-Za-z_][\w.:?!$\"` -]*?[\"`]?)"
    r"(?=\s*(?:$|[(<{\[:=;,]|\bdo\b|extends|implements|with|where|returns|->))"
)
_ARROW = lazily(r"(?P<name>[a-zA-Z_][\w.]*)\s*(?:<-|=)\s*function\b(?P<kind>)")
_SQL = lazily(
    r"\s*create\s+(?:or\s+replace\s+)?(?:temp(?:orary)?\s+|unique\s+|materialized\s+|global\s+)*"
    r"(?P<kind>table|view|function|procedure|trigger|index|type|schema|sequence)\s+(?:if\s+not\s+exists\s+)?"
    r"(?P<name>[\w.\"`\[\]]+)",
    re.IGNORECASE,
)
_CSS = lazily(r"(?P<name>[.#@:*a-zA-Z\[][^{};]{0,150}?)\s*\{(?P<kind>)")
_BRACED = frozenset(
    {"kt", "kts", "swift", "scala", "sc", "dart", "groovy", "gradle", "proto", "graphql", "gql", "graphqls",
     "zig", "sol", "tf", "hcl", "prisma", "thrift", "v", "vue", "svelte", "r", "R", "jl", "pl", "pm", "lua",
     "ex", "exs", "nim", "cr", "m", "mm", "fs", "vb", "ml", "d", "cue", "nix", "ps1", "psm1", "tcl", "awk"}
)  # fmt: skip
_LONGEST_LINE = 400


def outlined(text: str, path: str) -> Outline:
    """Return what looks like a definition in `text`; `path` names its language."""
    suffix = path.rpartition(".")[2] if "." in path.rpartition("/")[2] else ""
    patterns = _patterns(suffix)
    if not patterns:
        return Outline()
    lines = lines_of(text)
    return Outline(tuple(_found(lines, patterns)))


def keyword_definitions(lines: Sequence[str]) -> Iterator[Definition]:
    """Yield what a keyword such as `def`, `func` or `class` begins, in any language."""
    return _found(lines, (_HEAD,))


def _patterns(suffix: str) -> tuple[re.Pattern[str], ...]:
    if suffix.lower() in ("sql", "ddl", "psql"):
        return (_SQL,)
    if suffix.lower() in ("css", "scss", "less"):
        return (_CSS,)
    return (_HEAD, _ARROW) if suffix in _BRACED else ()


def _found(lines: Sequence[str], patterns: Sequence[re.Pattern[str]]) -> Iterator[Definition]:
    """Yield a definition for each line that begins one; it ends before the next line as far out."""
    heads = [head for number, line in enumerate(lines, 1) if (head := _head(number, line, patterns))]
    open_names: list[tuple[int, str]] = []
    ends = _ends(lines, {number for number, _, _, _ in heads})
    for number, indent, kind, name in heads:
        while open_names and open_names[-1][0] >= indent:
            open_names.pop()
        full = f"{open_names[-1][1]}.{name}" if open_names else name
        open_names.append((indent, full))
        yield Definition(full[:200], kind, _documented(lines, number), ends[number], (number, number))


def _head(number: int, line: str, patterns: Sequence[re.Pattern[str]]) -> tuple[int, int, str, str] | None:
    if len(line) > _LONGEST_LINE:
        return None
    for pattern in patterns:
        match = pattern.match(line)
        if match is not None:
            word = " ".join((match["kind"] or "").lower().split())
            kind = _KINDS.get(word, word) or ("rule" if pattern is _CSS else "function")
            return number, len(line) - len(line.lstrip()), kind, match["name"].strip(' \t"`[]')
    return None


def _ends(lines: Sequence[str], heads: set[int]) -> dict[int, int]:
    """Map each head to its last line: up to where the text is as far out again, closing lines included."""
    ends: dict[int, int] = {}
    waiting: list[tuple[int, int]] = []
    last_words = 0
    for number, line in enumerate(lines, 1):
        stripped = line.strip()
        if not stripped:
            continue
        indent = len(line) - len(line.lstrip())
        while waiting and indent <= waiting[-1][1] and number > waiting[-1][0]:
            head, level = waiting[-1]
            if indent == level and _belongs_above(stripped):
                last_words = number
                if stripped == "{":
                    break
            ends[head] = last_words
            waiting.pop()
        if number in heads:
            waiting.append((number, indent))
        last_words = number
    return ends | {head: last_words for head, _ in waiting}


def _belongs_above(stripped: str) -> bool:
    """Return whether a line closes the definition above it, or is the brace that opens its body."""
    return stripped[0] in "})]" or stripped in ("end", "end;", "END;", "{")


def _documented(lines: Sequence[str], number: int) -> int:
    """Return the first of the comment and annotation lines directly above line `number`."""
    first = number
    while first > 1 and lines[first - 2].strip().startswith(("//", "/*", "*", "#", "--", "@", "%")):
        first -= 1
    return first
