"""What a task names and what must go in: references resolved against the workspace's paths."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain

from satchel.errors import PointerError
from satchel.items import Reference, Task
from satchel.parts import NO_LINES, Part
from satchel.patterns import lazily
from satchel.references.boilerplate import without_boilerplate
from satchel.references.mentions import (
    CODE_LIKE,
    IDENTIFIER,
    SUFFIX,
    dotted,
    find_references,
    is_glob,
    lines_in,
    written_paths,
)
from satchel.references.paths import Paths
from satchel.references.tracebacks import find_frames
from satchel.workspace.git.repository import Commit

__all__ = [
    "Paths",
    "find_pin",
    "find_pins",
    "find_references",
    "make_task",
    "numbered",
    "settle_symbol",
    "written_paths",
]

_PIN = lazily(rf"@?(?P<quote>[\"'`]?)(?P<path>.+?)(?P=quote){SUFFIX}", re.DOTALL)
_NUMBER = lazily(r"(?:#|[Gg][Hh]-)(\d{1,7})")
_CLASS = lazily(r"[A-Z]\w*[a-z]\w*")
_SEPARATOR = lazily(r"\s*[,\n]\s*|\s+")
_LONGEST_PIN = 10_000


def make_task(
    text: str, paths: Paths | Iterable[str], *, pins: Sequence[str] = (), open_files: Sequence[str] = ()
) -> Task:
    """Make a task of its text, resolving what it names against the workspace's paths."""
    known = paths if isinstance(paths, Paths) else Paths(paths)
    return Task(
        text=text,
        references=_asked_for(text, known),
        pins=tuple(chain.from_iterable(find_pins(pin, known) for pin in pins)),
        open_files=tuple(find_pin(name, known) for name in open_files),
    )


def _asked_for(text: str, known: Paths) -> tuple[Reference, ...]:
    """Return what a task names; of lists of versions and the like only paths and the frames of tracebacks."""
    found = find_references(text, known)
    if not found or "\n" not in text:
        return found

    asked = without_boilerplate(text)
    named = set(found if asked == text else find_references(asked, known))
    return tuple(ref for ref in found if ref in named or "/" in ref.text or ref.lines != NO_LINES)


def numbered(commits: Sequence[Commit], number: str) -> list[Commit]:
    """Return the commits whose message mentions an issue or a change by its number: `#123`, `GH-123`."""
    mention = re.compile(rf"(?<!\w)(?:#|gh-|issues?[ /]|pull/)0*{int(number)}(?!\d)", re.IGNORECASE)
    return [commit for commit in commits if mention.search(f"{commit.subject}\n{commit.body}")]


def find_pin(written: str, paths: Paths) -> Reference:
    """Resolve what means one file or one symbol.

    Raises:
        PointerError: nothing in the workspace is meant, or several things are.
    """
    first, *more = find_pins(written, paths)
    if more:
        raise PointerError(written, f"means {1 + len(more)} things where one must be named")
    return first


def find_pins(written: str, paths: Paths) -> tuple[Reference, ...]:
    """Resolve a pin of any form: a path with or without lines, a glob, a list, a symbol, a traceback.

    A symbol comes back with the kind `symbol` and, where nothing tells it, no path: `settle_symbol`
    finds its lines. `#123` comes back with the kind `number`.

    Raises:
        PointerError: no file of the workspace is meant, or one name fits several files.
    """
    pin = written.strip()[:_LONGEST_PIN]
    found = _one(written, pin, paths) or _several(written, pin, paths)
    if not found:
        near = paths.nearest(pin)
        hint = f"; did you mean {near}?" if near else ""
        raise PointerError(written, "no such file in the workspace" + hint)
    return found


def settle_symbol(pin: Reference, parts: Mapping[str, Sequence[Part]]) -> tuple[Reference, ...]:
    """Turn a symbol pin into pins of the lines that define it; `parts` are those of each path.

    Definitions of the whole name count before those that only end in it.

    Raises:
        PointerError: none of the parts defines it.
    """
    defined = [
        (symbol.name == pin.name, path, symbol.lines)
        for path, own in parts.items()
        for symbol in chain.from_iterable(part.symbols for part in own)
        if pin.path in ("", path) and f".{symbol.name}".endswith(f".{pin.name}")
    ]
    whole = any(is_whole for is_whole, _, _ in defined)
    settled = {
        Reference(pin.text, "path", path, lines, pin.name): None
        for is_whole, path, lines in defined
        if is_whole or not whole
    }
    if not settled:
        raise PointerError(pin.text, "no file in the workspace defines a symbol of that name")
    return tuple(settled)


def _one(written: str, pin: str, paths: Paths) -> tuple[Reference, ...]:
    """Resolve one path, glob, number or symbol; () where the pin is none of them."""
    if paths.find(pin):
        return (Reference(written, "path", _only(written, pin, paths)),)
    match = _PIN.fullmatch(pin)
    path = match["path"] if match else pin
    if match is not None and paths.find(path) and ".." not in path.split("/"):
        return (_of_path(written, match, paths),)
    if is_glob(path):
        return tuple(Reference(written, "glob", found) for found in paths.glob(path))
    if number := _NUMBER.fullmatch(pin):
        return (Reference(written, "number", name=str(int(number[1]))),)
    return _symbol(written, pin.strip("`@"), paths)


def _only(written: str, path: str, paths: Paths) -> str:
    """Return the one file that a path means: that of exactly this path, else the only one that ends in it."""
    found = paths.find(path)
    exact = [one for one in found if one == path.removeprefix("./")]
    if len(found) > 1 and not exact:
        raise PointerError(written, f"several files are called that: {', '.join(found[:5])}")
    return (exact or found)[0]


def _of_path(written: str, match: re.Match[str], paths: Paths) -> Reference:
    path = _only(written, match["path"], paths)
    if symbol := match["symbol"]:
        return Reference(written, "symbol", path, name=dotted(symbol))
    return Reference(written, "path", path, lines_in(match))


def _symbol(written: str, name: str, paths: Paths) -> tuple[Reference, ...]:
    """Resolve a name that can only be a symbol's: `login()`, `Session.close`, `read_all`, `Cart`."""
    if IDENTIFIER.fullmatch(name) is None:
        return ()
    plain = dotted(name.removesuffix("()"))
    names = plain.split(".")
    path, count = paths.find_module(names) if len(names) > 1 else ("", 0)
    if path and count == len(names):
        return (Reference(written, "path", path),)
    if not path and not _is_symbol(name, plain, paths):
        return ()
    return (Reference(written, "symbol", path, name=".".join(names[count:])),)


def _is_symbol(name: str, plain: str, paths: Paths) -> bool:
    if name.endswith("()") or "::" in name or "#" in name:
        return True
    names = plain.split(".")
    if len(names) > 1:
        return any(_CLASS.fullmatch(one) for one in names[:-1])
    near = paths.nearest(plain).rpartition("/")[2].partition(".")[0]
    if paths.is_folder(plain) or (near and near.lower() != plain.lower()):
        return False
    return bool(_CLASS.fullmatch(plain) or CODE_LIKE.search(plain))


def _several(written: str, pin: str, paths: Paths) -> tuple[Reference, ...]:
    """Resolve a list of pins, or a text such as a traceback by the files that it names."""
    if find_frames(pin) or pin.startswith(("http://", "https://")):
        return tuple(ref for ref in find_references(pin, paths) if ref.path and ref.kind == "path")
    pieces = [piece for piece in _SEPARATOR.split(pin) if piece]
    if len(pieces) < 2:
        return _foreign(written, pin, paths)
    found = [_one(piece, piece, paths) for piece in pieces]
    missing = next((piece for piece, own in zip(pieces, found, strict=True) if not own), None)
    if missing is not None and any(found):
        raise PointerError(missing, "no such file in the workspace")
    return () if missing is not None else tuple(dict.fromkeys(chain.from_iterable(found)))


def _foreign(written: str, pin: str, paths: Paths) -> tuple[Reference, ...]:
    """Resolve an absolute path of another machine by its longest suffix of two components or more."""
    match = _PIN.fullmatch(pin)
    if match is None or not re.match(r"[/\\]|[A-Za-z]:[/\\]", match["path"]):
        return ()
    found = paths.find_loosely(match["path"])
    components = re.split(r"[/\\]", match["path"])
    shared = [path for path in found if path.split("/")[-2:] == components[-2:] and "/" in path]
    return (Reference(written, "path", shared[0], lines_in(match)),) if len(shared) == 1 else ()
