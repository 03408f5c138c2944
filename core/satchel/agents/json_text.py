"""Add values to a JSON file, and remove them again, by inserting and deleting text.

Comments, order, indentation and line ends of the file stay as they are. Comments and trailing commas are
accepted if the program that reads the file accepts them.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, NoReturn

_SPACE = re.compile(r"[ \t\r\n]*")
_STRING = re.compile(r'"(?:[^"\\\x00-\x1f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"')
_LITERAL = re.compile(r"true|false|null|-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?")
_COMMENT = re.compile(r"//[^\r\n]*|/\*.*?\*/", re.DOTALL)
_DEEPEST = 200


class Insertion(NamedTuple):
    """An inserted piece of text and its offset, in characters of the text before it."""

    at: int
    text: str


class JsonTextError(ValueError):
    """A text is not JSON, or a container in it is of another kind; `line` counts from 1."""

    def __init__(self, reason: str, line: int) -> None:
        self.reason, self.line = reason, line
        super().__init__(f"line {line}: {reason}")


class _JsonValue(NamedTuple):
    """A value with its place; `children` are the members of an object or the elements of an array."""

    start: int
    end: int
    value: Any
    children: list[_Child]
    last_comma: int
    """Offset behind a trailing comma, -1 without one."""
    content_end: int
    """Offset behind the last comment or child of a container."""


class _Child(NamedTuple):
    """A member or an element: `start` is that of its key, or of the value in an array."""

    key: str
    start: int
    value: _JsonValue


class _JsonReader:
    """Reads one JSON text."""

    def __init__(self, text: str, *, comments: bool) -> None:
        self._text, self._comments = text, comments

    def read(self) -> _JsonValue:
        """Return the only value of the text."""
        found = self._value(self._skip(1 if self._text.startswith("\ufeff") else 0)[0], 0)
        end, _ = self._skip(found.end)
        if end != len(self._text):
            self._fail("unexpected text after the end of the value", end)
        return found

    def _fail(self, reason: str, at: int) -> NoReturn:
        raise JsonTextError(reason, self._text.count("\n", 0, at) + 1)

    def _skip(self, at: int) -> tuple[int, int]:
        """Return the offset behind white space and comments, and that behind the last comment, or `at`."""
        solid = at
        while True:
            space = _SPACE.match(self._text, at)
            at = space.end() if space else at
            comment = _COMMENT.match(self._text, at) if self._text.startswith("/", at) else None
            if comment is None:
                return at, solid
            if not self._comments:
                self._fail("comments are not allowed in this file", at)
            at = solid = comment.end()

    def _value(self, at: int, depth: int) -> _JsonValue:
        if depth > _DEEPEST:
            self._fail(f"nested deeper than {_DEEPEST} levels", at)
        first = self._text[at : at + 1]
        if first in ("{", "["):
            return self._container(at, depth, is_object=first == "{")
        pattern = _STRING if first == '"' else _LITERAL
        match = pattern.match(self._text, at)
        if match is None:
            self._fail(f"expected a value, not {self._text[at : at + 12]!r}", at)
        return _JsonValue(at, match.end(), json.loads(match[0]), [], -1, match.end())

    def _container(self, start: int, depth: int, *, is_object: bool) -> _JsonValue:
        closing = "}" if is_object else "]"
        children: list[_Child] = []
        comma, solid = -1, start + 1
        at, behind = self._skip(start + 1)
        solid = max(solid, behind)
        while not self._text.startswith(closing, at):
            if children and comma < 0:
                self._fail(f"expected ',' or {closing!r}", at)
            child = self._child(at, depth, is_object=is_object)
            children.append(child)
            comma, solid = -1, child.value.end
            at, behind = self._skip(solid)
            if self._text.startswith(",", at):
                comma = at = at + 1
                solid = at
                at, behind = self._skip(at)
            solid = max(solid, behind)
        if comma >= 0 and not self._comments:
            self._fail("a comma before the end is not allowed in this file", comma)
        made: Any = {one.key: one.value.value for one in children}
        if not is_object:
            made = [one.value.value for one in children]
        return _JsonValue(start, at + 1, made, children, comma, solid)

    def _child(self, at: int, depth: int, *, is_object: bool) -> _Child:
        if not is_object:
            return _Child("", at, self._value(at, depth + 1))
        match = _STRING.match(self._text, at)
        if match is None:
            self._fail(f"expected a key, not {self._text[at : at + 12]!r}", at)
        colon, _ = self._skip(match.end())
        if not self._text.startswith(":", colon):
            self._fail(f"expected ':' after {match[0]}", colon)
        return _Child(json.loads(match[0]), at, self._value(self._skip(colon + 1)[0], depth + 1))


def parse(text: str, *, comments: bool = True) -> Any:
    """Return the value of a JSON text.

    Args:
        text: the text, perhaps with a byte order mark.
        comments: whether comments and trailing commas are accepted.

    Raises:
        JsonTextError: it is not JSON.
    """
    return _JsonReader(text, comments=comments).read().value


def find(value: Any, path: Sequence[str]) -> Any:
    """Return the value at a path of keys, None if there is none."""
    for key in path:
        value = value.get(key) if isinstance(value, dict) else None
    return value


def insert(
    text: str, path: Sequence[str], value: Any, *, append: bool = False, comments: bool = True
) -> list[Insertion]:
    """Return the insertions that put a value at a path, each an offset in the text with those before it.

    Missing objects on the way are made.

    Args:
        text: a JSON text whose value is an object.
        path: keys from the outermost object on; the last one must still be missing.
        value: the value to insert.
        append: insert it at the end of the array at `path` instead, which is made if missing.
        comments: whether comments and trailing commas are accepted.

    Raises:
        JsonTextError: the text is not JSON, or something on the way is not an object, or not an array.
    """
    here = _JsonReader(text, comments=comments).read()
    depth, missing = 0, list(path)
    while missing:
        _expect(here, dict, path[:depth], text)
        child = _last_of(here, missing[0])
        if child is None:
            break
        here, depth, missing = child, depth + 1, missing[1:]
    if not missing:
        if not append:
            raise JsonTextError(f"{'.'.join(path)} already exists", text.count("\n", 0, here.start) + 1)
        _expect(here, list, path, text)
        return _insert_child(text, here, None, value)
    made = [value] if append else value
    for key in reversed(missing[1:]):
        made = {key: made}
    return _insert_child(text, here, missing[0], made)


def _expect(here: _JsonValue, kind: type, path: Sequence[str], text: str) -> None:
    if not isinstance(here.value, kind):
        named, wanted = ".".join(path) or "the file", "an object" if kind is dict else "an array"
        raise JsonTextError(f"{named} is not {wanted}", text.count("\n", 0, here.start) + 1)


def _last_of(here: _JsonValue, key: str) -> _JsonValue | None:
    """Return a member's value, the last one if a key is repeated: programs use that one."""
    return next((one.value for one in reversed(here.children) if one.key == key), None)


def apply(text: str, insertions: Sequence[Insertion]) -> str:
    """Return a text with insertions, one after another."""
    for at, piece in insertions:
        text = text[:at] + piece + text[at:]
    return text


def undo(text: str, insertions: Sequence[Insertion]) -> str | None:
    """Return a text without the insertions, None if any of them was moved or changed."""
    for at, piece in reversed(insertions):
        if text[at : at + len(piece)] != piece:
            return None
        text = text[:at] + text[at + len(piece) :]
    return text


def _insert_child(text: str, here: _JsonValue, key: str | None, value: Any) -> list[Insertion]:
    newline = "\r\n" if "\r\n" in text else "\n"
    base = _indent_of(text, here.start)
    inside = text[here.start : here.end]
    if here.children:
        first = here.children[0].start
        spread = "\n" in text[here.start : first]
        indent = _indent_of(text, first) if spread else base
    else:
        # An empty `{}` is spread over lines, but for one inside of a line that has more.
        spread = "\n" in inside or _stands_alone(text, here)
        indent = base + _unit(text)
    step = _unit(text)
    if spread:
        made = json.dumps(value, indent=step, ensure_ascii=False).replace("\n", newline + indent)
        lead = newline + indent
    else:
        made = json.dumps(value, ensure_ascii=False)
        lead = " " if here.children else ""
    member = lead + (f"{json.dumps(key, ensure_ascii=False)}: " if key is not None else "") + made
    tail = text[here.content_end : here.end - 1]
    if spread and "\n" not in tail:
        member += newline + base
    elif not spread and _ends_in_line_comment(text, here):
        member = newline + member
    if here.children and here.last_comma < 0:
        comma = here.children[-1].value.end
        if comma == here.content_end:
            return [Insertion(comma, f",{member}")]
        return [Insertion(comma, ","), Insertion(here.content_end + 1, member)]
    if here.last_comma >= 0:
        member = _before_tail(member, newline, base) if spread else f"{member},"
    return [Insertion(here.content_end, member)]


def _before_tail(member: str, newline: str, base: str) -> str:
    """Add a trailing comma to a member, before the line end that may follow it."""
    ending = newline + base
    return f"{member.removesuffix(ending)},{ending}" if member.endswith(ending) else f"{member},"


def _ends_in_line_comment(text: str, here: _JsonValue) -> bool:
    line = text[here.start : here.content_end].rpartition("\n")[2]
    return "//" in line and "\n" in text[here.content_end : here.end]


def _stands_alone(text: str, here: _JsonValue) -> bool:
    """Return whether the text around an empty container is spread over lines too, or is empty."""
    before = text[: here.start].lstrip("\ufeff")
    return not before.strip() or "\n" in text


def _indent_of(text: str, at: int) -> str:
    """Return the white space at the beginning of the line of an offset."""
    begin = text.rfind("\n", 0, at) + 1
    line = text[begin:at].removeprefix("\ufeff")
    return line[: len(line) - len(line.lstrip(" \t"))]


def _unit(text: str) -> str:
    """Return one level of a file's indentation, two spaces if it has none."""
    for line in text.splitlines()[1:]:
        indent = line[: len(line) - len(line.lstrip(" \t"))]
        if indent and line.strip().startswith(('"', "{", "[")):
            return indent
    return "  "


def remove(
    text: str, path: Sequence[str], *, element: Callable[[Any], bool] | None = None, comments: bool = True
) -> str:
    """Return a text without the member at a path, or the elements there that `element` accepts.

    A missing member is not an error.

    Raises:
        JsonTextError: the text is not JSON.
    """
    while True:
        here = _JsonReader(text, comments=comments).read()
        for key in path if element else path[:-1]:
            found = _last_of(here, key) if isinstance(here.value, dict) else None
            if found is None:
                return text
            here = found
        at = _number_of(here, path[-1], element)
        if at is None:
            return text
        text = _remove_child(text, here, at)


def _number_of(here: _JsonValue, key: str, element: Callable[[Any], bool] | None) -> int | None:
    """Return the number of the member with that key, or of the first element that is accepted."""
    if not isinstance(here.value, list if element else dict):
        return None
    accepted = (
        number
        for number, one in enumerate(here.children)
        if (element(one.value.value) if element else one.key == key)
    )
    return next(accepted, None)


def _remove_child(text: str, here: _JsonValue, at: int) -> str:
    child = here.children[at]
    solid = here.children[at - 1].value.end if at else here.start + 1
    start, end = child.start, child.value.end
    while start > solid and text[start - 1] in " \t\r\n":
        start -= 1
    is_last = at == len(here.children) - 1
    if is_last and here.last_comma < 0:
        if at:
            comma = _comma_after(text, here.children[at - 1].value.end)
            start = start if start > comma + 1 else comma + 1
            text = text[:start] + text[end:]
            return text[:comma] + text[comma + 1 :]
        if not text[end : here.end - 1].strip(" \t\r\n") and start == here.start + 1:
            end = here.end - 1  # `{}` again
        return text[:start] + text[end:]
    behind = _comma_after(text, end) + 1
    return text[:start] + text[end : behind - 1] + text[behind:]


def _comma_after(text: str, at: int) -> int:
    """Return the offset of the comma that follows a value."""
    while not text.startswith(",", at):
        comment = _COMMENT.match(text, at) if text.startswith("/", at) else None
        at = comment.end() if comment else at + 1
    return at
