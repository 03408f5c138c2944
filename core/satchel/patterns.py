"""Compile regular expressions on first use, once for all processes: one run uses few of the many."""

from __future__ import annotations

import contextlib
import marshal
import re
import struct
import sys
import zlib
from array import array
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any, AnyStr, Generic, cast

_FILE = Path(__file__).parent / "__pycache__" / f"expressions.{sys.hexversion:08x}"
_MOST_BYTES = 4 << 20
"""A file that grew beyond it, with the expressions of many versions, begins anew."""
_HEAD = struct.Struct("<III")
"""Before each row: its bytes, their checksum, since many processes add rows, and that of its expression."""
_Row = tuple[int, bytes, int, dict[str, int], tuple[str | None, ...]]
"""Flags, codes, number of groups, groups by name, names of groups."""


class _Waiting(Generic[AnyStr]):
    """Acts as a compiled expression; each attribute is cached on first access."""

    def __init__(self, source: AnyStr, flags: int) -> None:
        self._source: AnyStr = source
        self._flags = flags

    def __getattr__(self, name: str) -> Any:
        found = getattr(compile_stored(self._source, self._flags), name)
        if not name.startswith("__"):
            setattr(self, name, found)
        return found


def lazily(source: AnyStr, flags: int = 0) -> re.Pattern[AnyStr]:
    """Return what `re.compile` returns, compiled on first use; a bad expression raises there.

    It differs from the `re` attribute of its matches: compile directly if you compare those.
    """
    return cast("re.Pattern[AnyStr]", _Waiting(source, flags))


@cache
def compile_stored(source: AnyStr, flags: int = 0) -> re.Pattern[AnyStr]:
    """Return what `re.compile` returns, for a constant expression: only the first process compiles it.

    Compiling takes 0.1 to 4 ms, and a pack uses two hundred: a tenth of its time. So what `re` makes is
    stored where Python stores compiled modules; nothing is stored where Python stores none.

    Raises:
        re.error: the expression is bad.
    """
    key = (source, int(flags))
    with contextlib.suppress(AttributeError, EOFError, ImportError, RuntimeError, TypeError, ValueError):
        row = _find_row(key)
        if row is None and not sys.dont_write_bytecode:
            _store(key, row := _translate(*key))
        if row is not None:
            final, codes, *groups = row
            make: Any = import_module("_sre").compile  # refuses codes that `re` would not make
            return cast(
                "re.Pattern[AnyStr]", make(source, final, memoryview(codes).cast("I").tolist(), *groups)
            )
    return re.compile(source, flags)


def _translate(source: str | bytes, flags: int) -> _Row:
    """Return the codes of an expression, as the first half of `re.compile` makes them."""
    parsed: Any = import_module("re._parser").parse(source, flags)
    codes = import_module("re._compiler")._code(parsed, flags)
    state = parsed.state
    names: list[str | None] = [None] * state.groups
    for name, group in state.groupdict.items():
        names[group] = name
    return flags | state.flags, array("I", codes).tobytes(), state.groups - 1, state.groupdict, tuple(names)


def _find_row(key: tuple[str | bytes, int]) -> _Row | None:
    rows = _read_file()
    if (found := rows.get(_checksum(key))) is None:
        return None
    row, checksum = found
    if zlib.crc32(row) != checksum:
        rows.clear()
        with contextlib.suppress(OSError):
            _FILE.unlink()  # a damaged file is made anew
        return None
    stored, codes = marshal.loads(row)  # noqa: S302
    return cast("_Row", codes) if stored == key else None


def _checksum(key: tuple[str | bytes, int]) -> int:
    return zlib.crc32(repr(key).encode("utf-8", "surrogatepass"))


@cache
def _read_file() -> dict[int, tuple[memoryview, int]]:
    """Return each stored row and its checksum, by the checksum of its expression."""
    rows: dict[int, tuple[memoryview, int]] = {}
    with contextlib.suppress(OSError):
        stored = memoryview(_FILE.read_bytes())
        if len(stored) > _MOST_BYTES:
            _FILE.unlink()
        at = 0
        while at + _HEAD.size <= len(stored):
            length, checksum, key = _HEAD.unpack_from(stored, at)
            at += _HEAD.size + length
            rows[key] = stored[at - length : at], checksum
    return rows


def _store(key: tuple[str | bytes, int], codes: _Row) -> None:
    """Add a row to the file, if that can be done."""
    row = marshal.dumps((key, codes))
    with contextlib.suppress(OSError):
        _FILE.parent.mkdir(exist_ok=True)
        with _FILE.open("ab", buffering=0) as file:
            file.write(_HEAD.pack(len(row), zlib.crc32(row), _checksum(key)) + row)
