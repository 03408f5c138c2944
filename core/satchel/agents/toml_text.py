"""Add a table to a TOML file, and remove it again, without touching the rest of its text."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Mapping, Sequence
from typing import Any

from satchel.agents.json_text import Insertion, find

_HEADER = re.compile(r"^[ \t]*\[[^\r\n]*\][ \t]*(?:#[^\r\n]*)?\r?$", re.MULTILINE)


_TOKEN = re.compile(
    r'(?P<long>"""(?:\\.|[^\\])*?"""|\'\'\'.*?\'\'\')|"(?:\\.|[^"\\\n])*"|\'[^\'\n]*\'|#[^\n]*', re.DOTALL
)


class TomlTextError(ValueError):
    """A text is not TOML, or a table can't be added to it."""


def parse(text: str) -> dict[str, Any]:
    """Return the tables of a TOML text; raise TomlTextError if it is not TOML."""
    try:
        return tomllib.loads(text.removeprefix("\ufeff"))
    except tomllib.TOMLDecodeError as error:
        raise TomlTextError(str(error)) from error


def insert(text: str, path: Sequence[str], table: Mapping[str, Any]) -> list[Insertion]:
    """Return the insertion that adds a table of strings, numbers and lists of strings at the end.

    Raises:
        TomlTextError: it is not TOML, or the place is taken or can't hold a table.
    """
    before = parse(text)
    newline = "\r\n" if "\r\n" in text else "\n"
    # JSON is the same as TOML for strings, numbers and lists of them.
    rows = [
        f"[{'.'.join(path)}]",
        *(f"{key} = {json.dumps(value, ensure_ascii=False)}" for key, value in table.items()),
    ]
    gap = "" if not text.strip("\ufeff") else newline if text.endswith("\n") else newline * 2
    made = Insertion(len(text), gap + newline.join(rows) + newline)
    named = ".".join(path[:-1])
    try:
        after = parse(text + made.text)
    except TomlTextError as error:
        raise TomlTextError(f"no table can be added to {named}; write it as [{named}.NAME]") from error
    if _without(after, path) != before and _without(after, path) != {**before, path[0]: {}}:
        raise TomlTextError(f"no table can be added to {named}")
    return [made]


def _without(tables: Mapping[str, Any], path: Sequence[str]) -> dict[str, Any]:
    """Return tables without the one at a path."""
    if len(path) == 1:
        return {key: value for key, value in tables.items() if key != path[0]}
    inner = tables.get(path[0])
    return {**tables, path[0]: _without(inner, path[1:])} if isinstance(inner, dict) else dict(tables)


def remove(text: str, path: Sequence[str]) -> str:
    """Return a text without a table and its subtables, at all their places.

    Raises:
        TomlTextError: it is not TOML, or the table is written in a way that can't be cut out.
    """
    wanted = parse(text)
    if find(wanted, path) is None:
        return text
    wanted = _without(wanted, path)
    name = r"\s*\.\s*".join(rf"[\"']?{re.escape(key)}[\"']?" for key in path)
    own = re.compile(rf"^[ \t]*\[\s*{name}\s*(?:\.[^\r\n]*)?\][ \t]*(?:#[^\r\n]*)?\r?$", re.MULTILINE)
    while match := own.search(masked := _mask_strings(text)):
        following = _HEADER.search(masked, match.end())
        end = following.start() if following else len(text)
        rows = text[match.start() : end].splitlines(keepends=True)
        while following and len(rows) > 1 and rows[-1].strip()[:1] in ("", "#"):
            end -= len(rows.pop())  # they belong to the next table
        start = match.start()
        above = text[:start].splitlines(keepends=True)
        if len(above) > 1 and not above[-1].strip():
            start -= len(above[-1])
        text = text[:start] + text[end:]
    left = parse(text)
    if left != wanted and left != _drop_empty(wanted, path[:-1]):
        raise TomlTextError(f"{'.'.join(path)} can't be removed automatically; remove it by hand")
    return text


def _mask_strings(text: str) -> str:
    """Return a text of the same length in which no line of a string looks like a header."""

    def mask(match: re.Match[str]) -> str:
        return re.sub(r"[^\r\n]", "x", match[0]) if match["long"] else match[0]

    return _TOKEN.sub(mask, text)


def _drop_empty(tables: dict[str, Any], path: Sequence[str]) -> dict[str, Any]:
    """Return tables without the one at a path, if that is empty."""
    return _without(tables, path) if find(tables, path) == {} else tables
