"""The values of Kubernetes Secrets: in YAML and JSON, with any prefix of each line."""

from __future__ import annotations

import bisect
import functools
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from satchel.patterns import lazily
from satchel.redaction.rules import Span
from satchel.redaction.values import MARK

REACH = 1_572_864
"""Characters from the kind of an object to its end: etcd keeps no larger object (1.5 MiB)."""
_SECTIONS = frozenset({"data", "stringData"})
_ANY_KIND = lazily(r"""kind[\\"']*+\s*+:\s*+(?:!!str[ \t]+)?[\\"']*+Secret""")
"""Occurs wherever one of the next two does; it begins with letters, so it is found thirty times as fast."""
_KIND = lazily(r"""(?m)\bkind["']?[ \t]*:[ \t]*(?:!!str[ \t]+)?["']?Secret["']?[ \t]*(?:[ \t]#[^\n]*)?\r*$""")
"""In YAML, at the end of its line."""
_INLINE_KIND = lazily(
    r"""(?P<level>\\*)(?P<quote>["'])kind\\*(?P=quote)\s*:\s*\\*["']Secret\\*["']"""
    r"""|[{,]\s*kind:\s*["']?Secret["']?\s*[,}]"""
)
"""In JSON, which may itself be in a string, and in a flow of YAML."""
_LEAD = 160
"""Characters of an object's prefix in every line: a number, a date, a mark of a diff or a quotation."""
_INDENT = lazily(r"[ \t]*(?:-[ \t]+)*")
_LAST_INDENT = lazily(r"(?:(?<![ \t])[ \t]+)?(?:-[ \t]+)*\Z")
_HEX = "0123456789abcdef"
_PARTS = lazily(r"\b[0-9a-f]{7,40}\b|\d+|[A-Za-z_]+|[ \t]+|\W")
"""Pieces of a line's prefix: those that change in the next line, and those that do not."""
_DIFF = "\n@@ "
_HUNK = 20_000
"""Characters of a diff before a line that are searched for its hunk's head."""
_SECTION = lazily(
    r"""["']?(?:data|stringData)["']?[ \t]*:(?=\s|$)[ \t]*(?:(?:!!|&)\w+[ \t]*)*(?P<flow>\{)?"""
)
_ENTRY = lazily(
    r"""(?:\?[ \t]+)?(?:"[^"\n]{1,300}"|'[^'\n]{1,300}'|[^\s:#"'{][^\n:]{0,300}?)?"""
    r"""[ \t]*:(?=[ \t]|\r?$)[ \t]*(?:(?:!!|&)[\w.-]+[ \t]*)*"""
)
_BLOCK = lazily(r"[|>][+-]?\d?[+-]?[ \t]*(?:#[^\n]*)?\r*$")
_QUOTED = lazily(r""""((?:[^"\\\n]|\\.)*)"|'((?:[^'\n]|'')*)'""")
_COMMENT = lazily(r"[ \t]+#[^\n]*$")
_REFERENCE = lazily(
    r"[$#%]\{|\$\(|\$\[|\$\w+$|\{%|%\(|@@|<[^<>\n]*>$|ENC\[|!\w|ref\+|(?:null|~|\{\}|\[\]|\||>)$"
)
"""Replacements for a value: a variable, a template, a placeholder, SOPS-encrypted data, nothing."""
_AFTER = r"""(?=[ \t]*(?:[:,}\]\\\r\n"'`)#/]|$))"""
"""Text that can follow a JSON string: a quote without it opens and closes nothing."""
_OPENING = lazily(r"""\\*["'][\w./-]{1,253}\\*["']\s*:""")
_MOST_COLUMNS = 40


def kubernetes_spans(text: str) -> Iterator[Span]:
    """Yield every value below `data` and `stringData` of the objects whose `kind` is `Secret`."""
    places = [found.start() for found in _ANY_KIND.finditer(text)]
    yield from _in_yaml(text, places)
    levels: dict[int, list[int]] = {}
    for kind in _find_inline_kinds(text, places):
        levels.setdefault(len(kind["level"] or ""), []).append(kind.start())
    for level, kinds in levels.items():
        for start, stop in _find_stretches(text, kinds):
            for value in _inline_values(text, start, stop, level):
                yield _span(value, counted=True)


def _find_kinds(text: str, places: Iterable[int]) -> Iterator[re.Match[str]]:
    """Yield the kinds at the ends of lines, at these places, one a line."""
    done = 0
    for place in places:
        if place >= done and (found := _KIND.match(text, place)):
            done = found.end()
            yield found


def _find_inline_kinds(text: str, places: Iterable[int]) -> Iterator[re.Match[str]]:
    """Yield the kinds in braces, at these places: from the backslashes or the blanks before them."""
    for place in places:
        quoted = text[place - 1 : place] in {'"', "'"}
        at = place - 1
        while at > 0 and (text[at - 1] == "\\" if quoted else text[at].isspace()):
            at -= 1
        if at >= 0 and (found := _INLINE_KIND.match(text, at)):
            yield found


class _YamlValue(NamedTuple):
    """The span of a value."""

    start: int
    end: int


def _span(value: _YamlValue, *, counted: bool) -> Span:
    return Span(value.start, value.end, "kubernetes-secret", "kubernetes-data", "", counted)


def _is_secret(value: str) -> bool:
    """Return whether a value is not a template, reference or mark, and not encrypted."""
    whole = value.strip()
    return bool(whole) and not (
        "{{" in whole or "${" in whole or _REFERENCE.match(whole) or MARK.search(whole)
    )


# Objects in braces: JSON at any level of strings, flows of YAML.


def _find_stretches(text: str, kinds: Iterable[int]) -> Iterator[tuple[int, int]]:
    """Yield the stretches of text that can hold objects of these kinds, joined if they overlap."""
    begun = done = -1
    for kind in kinds:
        if done >= 0 and kind - REACH > done:
            yield _begin(text, begun), done
            begun = -1
        begun = max(0, kind - REACH) if begun < 0 else begun
        done = min(len(text), kind + REACH)
    yield _begin(text, begun), done


def _begin(text: str, at: int) -> int:
    """Return a place to begin reading that no string crosses: at a line, else at a name."""
    line = text.find("\n", at - 1, at + REACH // 4) if at else 0
    if line >= 0:
        return line
    opening = _OPENING.search(text, at)
    return opening.start() if opening else at


@functools.lru_cache(maxsize=16)
def _tokens(level: int) -> re.Pattern[str]:
    """Return the pattern for the pieces of an object whose quotes are after `level` backslashes."""
    end = rf'(?:\\{{{2 * level + 2}}})*\\{{{level}}}"'
    slashes = chr(92) * 2 * level
    single = r"|(?<![\w\\])'(?P<single>[^'\n]*)'(?=\s*[:,}\]])" if not level else ""
    return re.compile(
        rf"(?P<mark>{MARK.pattern})"
        rf'|(?<!\\){slashes}"(?P<double>(?:[^"\\\n]|\\++(?!")|(?!{end})\\++")*+){end}{_AFTER}{single}'
        r"|\\+[nrt]|(?P<sign>[{}\[\],]|:(?=[\s\"'{\[\\]|$)|(?<=[\"']):)"
        r"|(?P<bare>(?:[^\s,:{}\[\]\"'\\]|:(?![\s\"'{\[\\]|$))++)"
    )


class _Object:
    """An open object or list, and the part of it that has been read."""

    __slots__ = ("data", "is_secret", "is_stray", "key", "name", "pending", "values")

    def __init__(self, name: str) -> None:
        self.name = name
        """Its key in the object around it."""
        self.key = ""
        self.pending: tuple[str, _YamlValue, bool] | None = None
        """A scalar that is a key if a colon follows, else a value; and whether it has quotes."""
        self.is_stray = False
        """Whether the last token is not part of the object: the number of a line."""
        self.values: list[_YamlValue] = []
        self.data: list[_YamlValue] = []
        """Values below `data` and `stringData`."""
        self.is_secret = False

    def read(self, token: re.Match[str], group: str, text: str) -> None:
        """Take a scalar: a key, a value, a further word of one, or the number of a line."""
        pending = self.pending
        if pending is None or group != "bare":
            self.pending = token[group], _YamlValue(*token.span(group)), group != "bare"
            return
        before, first, was_quoted = pending
        if was_quoted or "\n" in text[first.end : token.start()]:
            self.is_stray = True
        else:
            self.pending = f"{before} {token[0]}", _YamlValue(first.start, token.end()), False

    def name_value(self) -> None:
        if not self.is_stray:
            self.key, self.pending = self.pending[0] if self.pending else "", None
        self.is_stray = False

    def end_value(self) -> None:
        if self.pending and self.key:
            scalar, place, _ = self.pending
            self.is_secret = self.is_secret or (self.key == "kind" and scalar == "Secret")
            self.values.append(place)
        self.key, self.pending, self.is_stray = "", None, False

    def open_child(self) -> _Object:
        """Return the object or list that begins as a value of this one."""
        inner = _Object(self.key)
        self.key, self.pending, self.is_stray = "", None, False
        return inner


def _inline_values(
    text: str, start: int, stop: int, level: int, outer: _Object | None = None
) -> Iterator[_YamlValue]:
    """Yield the values of Secrets in braces; of `outer`, if given, up to its next value's end."""
    open_ = [outer] if outer else []
    for token in _tokens(level).finditer(text, start, stop):
        group = token.lastgroup
        if group != "sign":
            if group and open_:
                open_[-1].read(token, group, text)
        elif token[0] in "{[":
            open_.append(open_[-1].open_child() if open_ else _Object(""))
        elif open_:
            yield from _after_sign(token[0], text, open_)
            if outer and len(open_) < 2:
                break
    while open_:
        yield from _close_object(text, open_)


def _after_sign(sign: str, text: str, open_: list[_Object]) -> Iterable[_YamlValue]:
    """Take a colon, a comma or a closing brace; return the values of a Secret that ends with it."""
    if sign in "}]":
        return _close_object(text, open_)
    if sign == ":":
        open_[-1].name_value()
    else:
        open_[-1].end_value()
    return ()


def _close_object(text: str, open_: list[_Object]) -> Iterator[_YamlValue]:
    """End the innermost object: pass its content to the one around it, yield the values of a Secret."""
    closed = open_.pop()
    closed.end_value()
    if open_ and closed.name in _SECTIONS:
        open_[-1].data += closed.values
    if closed.is_secret:
        yield from (value for value in closed.data if _is_secret(text[value.start : value.end]))


# Objects in lines: YAML.


class _YamlLine(NamedTuple):
    """A line of an object: its end, the beginning of its content, and the column of that."""

    end: int
    at: int
    column: int
    is_item: bool
    """Whether a dash precedes it."""


def _in_yaml(text: str, places: Iterable[int]) -> Iterator[Span]:
    done: dict[int, int] = {}
    kinds = list(_find_kinds(text, places))
    starts = [kind.start() for kind in kinds]
    for kind in kinds:
        begun = text.rfind("\n", max(0, kind.start() - _LEAD - 1), kind.start()) + 1
        if kind.start() - begun > _LEAD:
            continue
        prefix, column = _find_lead(text, begun, kind.start())
        if kind.start() < done.get(column, 0) or column > _MOST_COLUMNS:
            continue
        shape = _shape(prefix)
        first = _first(text, begun, column, shape, done.get(column, 0))
        stop, entries = _section_values(text, first, kind.end(), column, shape, starts)
        done[column] = stop
        yield from entries


def _find_lead(text: str, begun: int, kind: int) -> tuple[str, int]:
    """Return the prefix of every line of an object, and the column of its keys after that."""
    lead = text[begun:kind].removesuffix('"').removesuffix("'")
    if lead[:1] in {"+", "-", " "} and _is_of_diff(text, begun):
        return lead[0], len(lead) - 1
    inner = _LAST_INDENT.search(lead)
    start = inner.start() if inner else len(lead)
    return lead[:start], len(lead) - start


def _is_of_diff(text: str, begun: int) -> bool:
    """Return whether a line is one of a diff: below the head of a hunk, or removed like its neighbours."""
    if text.startswith(_DIFF[1:]) or text.rfind(_DIFF, max(0, begun - _HUNK), begun) >= 0:
        return True
    before = text.rfind("\n", 0, max(0, begun - 1)) + 1
    after = text.find("\n", begun) + 1
    neighbours = (before < begun and text[before] == "-", after > 0 and text.startswith("-", after))
    return text[begun] == "-" and any(neighbours)


@functools.lru_cache(maxsize=64)
def _shape(prefix: str) -> re.Pattern[str]:
    """Return a pattern for lines with a similar beginning: with another number, time or hash."""

    def varied(found: re.Match[str]) -> str:
        part = found[0]
        if part.isspace():
            return r"[ \t]{0,40}"
        if part.isalnum():
            number = part.isdecimal() and len(part) < 7
            return r"\d{1,20}" if number else r"[0-9a-f]{1,40}" if part[0] in _HEX and len(part) > 6 else part
        if prefix in {"+", "-"}:
            return "[+ -]"
        return "[:=-]" if part in ":=-" else re.escape(part)

    return re.compile("[+ -]" if prefix == " " else _PARTS.sub(varied, prefix))


def _read(text: str, at: int, shape: re.Pattern[str]) -> _YamlLine | None:
    """Return the line that begins here, None if its prefix is not that of its object's lines."""
    end = text.find("\n", at)
    end = end if end >= 0 else len(text)
    lead = shape.match(text, at, end)
    if not lead:
        return None if text[at:end].strip() else _YamlLine(end, end, 0, is_item=False)
    indent = _INDENT.match(text, lead.end(), end)
    begun = indent.end() if indent else lead.end()
    return _YamlLine(end, begun, begun - lead.end(), "-" in text[lead.end() : begun])


def _says_nothing(text: str, line: _YamlLine) -> bool:
    """Return whether a line is blank, a comment or a template's own statement."""
    return not text[line.at : line.end].strip() or text.startswith(("#", "{{"), line.at)


def _first(text: str, at: int, column: int, shape: re.Pattern[str], least: int) -> int:
    """Return the beginning of the object that has a key in the line at `at`."""
    least = max(least, at - REACH)
    line = _read(text, at, shape)
    while at > least and not (line and line.is_item and line.column == column):
        before = text.rfind("\n", 0, at - 1) + 1
        line = _read(text, before, shape)
        if line is None or (not _says_nothing(text, line) and line.column < column):
            break
        if text.startswith("---", line.at) and line.column == 0:
            break
        at = before
    return at


def _section_values(
    text: str, first: int, kind: int, column: int, shape: re.Pattern[str], kinds: Sequence[int]
) -> tuple[int, list[Span]]:
    """Return the end of the object, and the values of its sections."""
    found: list[Span] = []
    at, begun = first, False
    entry: int | None = None  # the column of a section's entries, -1 before the first, None outside
    while at < min(len(text), kind + REACH) and (line := _read(text, at, shape)):
        at = line.end + 1
        says_nothing = _says_nothing(text, line)
        if entry is not None and _is_within(line, column, entry, says_nothing=says_nothing):
            entry = line.column if entry < 0 else entry
            found += _entry(text, line, deeper=line.column > entry)
        elif says_nothing:
            continue
        elif _ends_object(text, line, column, begun=begun):
            return max(at - 1, kind), found
        else:
            begun = True
            section = _SECTION.match(text, line.at, line.end) if line.column == column else None
            entry = -1 if section and not section["flow"] else None
            if section:
                found += _flow_values(text, section, kind, kinds)
    return max(at, kind), found


def _is_within(line: _YamlLine, column: int, entry: int, *, says_nothing: bool) -> bool:
    """Return whether a line is an entry of a section, or continues one."""
    if entry < 0:
        return line.column > column and not says_nothing
    return line.column >= entry


def _ends_object(text: str, line: _YamlLine, column: int, *, begun: bool) -> bool:
    """Return whether an object ends before a line: outside of it, or at the next item of a list."""
    if line.column < column or text.startswith("---", line.at):
        return True
    return line.column == column and line.is_item and begun


def _flow_values(text: str, section: re.Match[str], kind: int, kinds: Sequence[int]) -> list[Span]:
    """Return the values of a section in braces, [] for another section."""
    if not section["flow"]:
        return []
    outer = _Object("")
    outer.is_secret, outer.key = True, "data"
    flow = section.start("flow")
    following = bisect.bisect_left(kinds, flow)  # braces that are not closed end there, at the latest
    stop = kinds[following] if following < len(kinds) else min(len(text), kind + REACH)
    return [_span(value, counted=True) for value in _inline_values(text, flow, stop, 0, outer)]


def _entry(text: str, line: _YamlLine, *, deeper: bool) -> Iterator[Span]:
    """Yield the value of an entry, or its continuation."""
    if deeper:
        start, end = line.at, line.end
    else:
        name = _ENTRY.match(text, line.at, line.end)
        if not name or text.startswith("#", line.at):
            return
        start, end = name.end(), line.end
        if _BLOCK.match(text, start, line.end):
            return
        quoted = _QUOTED.match(text, start, end)
        if quoted:
            start, end = quoted.span(quoted.lastindex or 0)
        elif text[start : start + 1] in {'"', "'"}:
            start += 1
        elif comment := _COMMENT.search(text, start, end):
            end = comment.start()
    end = start + len(text[start:end].rstrip(" \t\r\"'" if deeper else None))
    if start < end and _is_secret(text[start:end]):
        yield _span(_YamlValue(start, end), counted=not deeper)
