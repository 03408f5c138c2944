"""What people name in a task: paths, lines, symbols, quoted strings; found in linear time and resolved."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import islice

from satchel.errors import PointerError
from satchel.items import Reference, Task
from satchel.parts import NO_LINES, Lines
from satchel.spelling import nearest

_PATH = re.compile(
    r"(?<![\w/.@-])@?/?((?:[\w.+-]{1,100}/){0,20}[\w.+-]{0,99}[\w+-])(?::(\d{1,7})(?:-(\d{1,7}))?(?::\d{1,5})?)?(?![\w/])"
)
_PYTHON_FRAME = re.compile(r'File "([^"\n]{1,300})", line (\d{1,7})')
_SYMBOL = re.compile(r"(?<![\w/])([A-Za-z_]\w{1,79}(?:(?:\.|::|#)[A-Za-z_]\w{0,79}){0,6})(?![\w/])")
_QUOTED = re.compile(r"`([^`\n]{2,200})`|\"([^\"\n]{4,120})\"|'([^'\n]{4,120})'")
_NUMBER = re.compile(r"(?<!\w)#(\d{1,7})\b")
_CODE_LIKE = re.compile(r"_|[a-z][A-Z]|[A-Z][a-z]+[A-Z]|\.|::|#")
_LONGEST_TASK = 1_000_000
_MOST = 400


class Paths:
    """Paths of a workspace, found by any suffix of whole components."""

    def __init__(self, paths: Iterable[str]) -> None:
        self._by_name: dict[str, list[str]] = {}
        for path in paths:
            self._by_name.setdefault(path.rpartition("/")[2], []).append(path)
        self._found: dict[str, list[str]] = {}

    def find(self, written: str) -> list[str]:
        """Return the paths that end in `written`, the shallowest first."""
        wanted = [part for part in written.replace("\\", "/").split("/") if part not in ("", ".")]
        if not wanted:
            return []
        found = [
            path for path in self._by_name.get(wanted[-1], ()) if path.split("/")[-len(wanted) :] == wanted
        ]
        return sorted(found, key=lambda path: (path.count("/"), path))

    def find_loosely(self, written: str) -> list[str]:
        """Return what `find` does; of an absolute or foreign path the longest known suffix counts."""
        if written not in self._found:
            parts = written.replace("\\", "/").split("/")
            found = (self.find("/".join(parts[start:])) for start in range(len(parts)))
            self._found[written] = next(filter(None, found), [])
        return self._found[written]

    def nearest(self, written: str) -> str:
        """Return the known path that looks most like `written`, "" where none does."""
        name = written.rpartition("/")[2]
        close = nearest(name, islice(self._by_name, 20_000), cutoff=0.6)
        return self._by_name[close][0] if close else ""


def find_references(text: str, paths: Paths) -> tuple[Reference, ...]:
    """Return what a task's text names, in order, each once, at most 400."""
    text = text[:_LONGEST_TASK]
    found: dict[Reference, None] = {}
    for reference in _all(text, paths):
        found[reference] = None
        if len(found) >= _MOST:
            break
    return tuple(found)


def written_paths(text: str) -> list[str]:
    """Return what a text writes as paths with folders, whether they exist or not, at most 400."""
    found = {
        match[1].removeprefix("./"): None for match in _PATH.finditer(text[:_LONGEST_TASK]) if "/" in match[1]
    }
    return list(found)[:_MOST]


def _all(text: str, paths: Paths) -> Iterable[Reference]:
    for match in _PYTHON_FRAME.finditer(text):
        for path in paths.find_loosely(match[1])[:3]:
            yield Reference(match[0], "path", path, (int(match[2]), int(match[2])))
    for match in _PATH.finditer(text):
        for path in paths.find_loosely(match[1])[:5] if _may_be_path(match[0], match[1]) else ():
            yield Reference(match[0], "path", path, _lines(match[2], match[3]))
    for match in _SYMBOL.finditer(text):
        if _CODE_LIKE.search(match[1]) or text[match.end() : match.end() + 2] == "()":
            yield Reference(match[1], "symbol", name=re.sub(r"::|#", ".", match[1]))
    for match in _QUOTED.finditer(text):
        quoted = match[1] or match[2] or match[3]
        is_name = re.fullmatch(r"[A-Za-z_]\w*(\(\))?", quoted) is not None
        yield Reference(
            quoted, "symbol" if is_name else "string", name=quoted.removesuffix("()") if is_name else ""
        )
    for match in _NUMBER.finditer(text):
        yield Reference(match[0], "number", name=match[1])


def _may_be_path(written: str, path: str) -> bool:
    return (
        "/" in path or "." in path.strip(".") or written.startswith("@") or path in ("Makefile", "Dockerfile")
    )


def _lines(first: str | None, last: str | None) -> Lines:
    if not first:
        return NO_LINES
    start = int(first)
    return (start, max(start, int(last or first)))


def find_pin(written: str, paths: Paths) -> Reference:
    """Resolve a pin: `path`, `@path`, `path:10` or `path:10-40`.

    Raises:
        PointerError: no file of the workspace is meant, or several are.
    """
    match = re.fullmatch(r"@?(.+?)(?::(\d+)(?:-(\d+))?)?", written.strip(), re.DOTALL)
    name, first, last = match.groups() if match else (written, None, None)
    found = paths.find(name) or paths.find(written)
    exact = [path for path in found if path == name.removeprefix("./")]
    if not found:
        near = paths.nearest(name)
        raise PointerError(
            written, "no such file in the workspace" + (f"; did you mean {near}?" if near else "")
        )
    if len(found) > 1 and not exact:
        raise PointerError(written, f"several files are called that: {', '.join(found[:5])}")
    return Reference(written, "path", (exact or found)[0], _lines(first, last))


def make_task(
    text: str, paths: Iterable[str], *, pins: Sequence[str] = (), open_files: Sequence[str] = ()
) -> Task:
    """Make a task of its text, resolving what it names against the workspace's paths."""
    known = Paths(paths)
    return Task(
        text=text,
        references=find_references(text, known),
        pins=tuple(find_pin(pin, known) for pin in pins),
        open_files=tuple(find_pin(name, known) for name in open_files),
    )
