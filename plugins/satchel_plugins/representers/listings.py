"""Split lists: tasks, failures in reports, packages."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

import attrs

from satchel.plugin_api import ContextItem, Part, lazily, lines_of
from satchel_plugins.representers.markdown import Prose
from satchel_plugins.representers.partition import NO_LINES, tidy

_BOX = lazily(r"([ \t]*)(?:[-*+]|\d{1,4}[.)])[ \t]+\[([ xX])\](?:[ \t]|$)")
_HEADING = lazily(r" {0,3}#{1,6}(?:[ \t]|$)")
_FENCE = lazily(r" {0,3}(?:`{3,}|~{3,})")
_NAMES = lazily(
    r"(?:^|/)(?:to-?dos?|tasks?|checklist|backlog)\.(?:md|markdown)$|(?:^|/)(?:to-?dos?|tasks?)/[^/]+\.(?:md|markdown)$",
    re.IGNORECASE,
)
_COMMENT = lazily(r"\S+:\d+ ")
"""A line of the provider `tasks` for a comment."""
_LEAST_SHARE = 3
"""One line in this many must be a checkbox, else it is prose that has some."""


@attrs.frozen(eq=False, repr=False)
class Checklists:
    """Open items one by one, done ones as blocks, so that open items come first."""

    name, version = "checklists", "1"

    def claims(self, item: ContextItem) -> float:
        """Return 0.95 for task lists and for files with such names."""
        return 0.95 if item.kind == "tasks" or (item.kind == "file" and _NAMES.search(item.path)) else 0.0

    def split(self, item: ContextItem) -> Sequence[Part]:
        """Return the parts; a file with few checkboxes is split as the prose that it is."""
        lines = lines_of(item.text or "")
        boxes = sum(_BOX.match(line) is not None for line in lines)
        if item.kind != "tasks" and boxes * _LEAST_SHARE < sum(bool(line.strip()) for line in lines):
            return Prose().split(item)
        if item.id == "tasks:comments":
            return [Part("task", _comment_name(line), (at, at)) for at, line in enumerate(lines, start=1)]
        return list(_parts(lines))


def _parts(lines: Sequence[str]) -> Iterator[Part]:
    """Yield runs: a heading with the introduction of its list, an open item, neighbouring done items."""
    starts = list(_starts(lines))
    for at, (first, kind) in enumerate(starts):
        last = starts[at + 1][0] - 1 if at + 1 < len(starts) else len(lines)
        name = "" if kind == "block" else tidy(_title(lines[first - 1]))
        head = (first, first) if kind != "block" and last > first else NO_LINES
        yield Part(kind, name, (first, last), head)


def _starts(lines: Sequence[str]) -> Iterator[tuple[int, str]]:
    """Yield number and kind of each line that begins a part; items below an item belong to it."""
    kind, depth, is_code = "", -1, False
    for number, line in enumerate(lines, start=1):
        is_code ^= _FENCE.match(line) is not None
        begun = None if is_code else _begun(line, kind, depth)
        if begun is not None:
            before, (kind, depth) = kind, begun
            if (before, kind) != ("block", "block"):
                yield number, kind
        elif number == 1:
            kind = "block"
            yield number, kind


def _begun(line: str, kind: str, depth: int) -> tuple[str, int] | None:
    """Return kind and depth of the part that a line begins, None if it belongs to the open `kind`."""
    if _HEADING.match(line):
        return "section", -1
    box = _BOX.match(line)
    if box is None:
        return None
    own, indent = "task" if box[2] == " " else "block", len(box[1])
    # An open item below a done one is still open.
    is_apart = indent <= depth or depth < 0 or (kind, own) == ("block", "task")
    return (own, indent) if is_apart else None


def _comment_name(line: str) -> str:
    place = _COMMENT.match(line)
    return tidy(place[0] if place else line)


def _title(line: str) -> str:
    box = _BOX.match(line)
    return line[box.end() :] if box else line.strip().strip("#")


_PLACE = lazily(r"  at (\S.*:\d{1,7}(?:-\d{1,7})?)\Z")
_MOST_PLACES = 40


@attrs.frozen(eq=False, repr=False)
class Failures:
    """Begins a part at every line that is not indented; `  at path:line` below it is its target."""

    name, version = "failures", "1"

    def claims(self, item: ContextItem) -> float:
        """Return 0.9 for the kind `error`, else 0."""
        return 0.9 if item.kind == "error" else 0.0

    def split(self, item: ContextItem) -> Sequence[Part]:
        """Return a part for each failure; `refs` holds its places as `path:first` or `path:first-last`."""
        lines = (item.text or "").split("\n")
        while lines and not lines[-1].strip():
            lines.pop()
        starts = [at for at, line in enumerate(lines) if line[:1].strip()]
        ends = [*starts[1:], len(lines)]
        return [_part(lines, start, end) for start, end in zip(starts, ends, strict=False)]


def _part(lines: Sequence[str], start: int, end: int) -> Part:
    places = (_PLACE.match(line) for line in lines[start + 1 : end])
    refs = tuple(dict.fromkeys(place[1] for place in places if place))[:_MOST_PLACES]
    return Part("failure", "", (start + 1, end), head=(start + 1, start + 1), refs=refs)


LOCKS = frozenset(
    """
    Cargo.lock Gemfile.lock Pipfile.lock buildscript-gradle.lockfile composer.lock gems.locked go.sum
    gradle.lockfile npm-shrinkwrap.json package-lock.json packages.lock.json pdm.lock pnpm-lock.yaml
    poetry.lock pylock.toml uv.lock yarn.lock
    """.split()  # noqa: SIM905
)
"""Names of the lock files of all ecosystems, whose readers are loaded only to split one."""
_LONGEST_NAME = 120


@attrs.frozen(eq=False, repr=False)
class Packages:
    """One part for each package of a lock file, one for each line of a dependency item."""

    name, version = "packages", "1"

    def claims(self, item: ContextItem) -> float:
        """Return 0.9 for an item of dependencies, 0.95 for a lock file that is known by its name."""
        if item.kind == "dependency":
            return 0.9
        return 0.95 if item.path.rpartition("/")[2] in LOCKS else 0.0

    def split(self, item: ContextItem) -> Sequence[Part]:
        """Return one part per package; lines before the first one are left over."""
        text = item.text or ""
        name = item.path.rpartition("/")[2]
        if item.kind == "dependency" or name not in LOCKS:
            listed = lines_of(text)
            return [
                Part("package", line.partition(" ")[0][:_LONGEST_NAME], (number, number))
                for number, line in enumerate(listed, 1)
                if line.strip()
            ]
        patterns = _patterns(name)
        return list(_split_locked(text, next((one for one in patterns if one.search(text)), patterns[0])))


def _patterns(name: str) -> Sequence[re.Pattern[str]]:
    from satchel_plugins.providers.packages.ecosystems import ECOSYSTEMS

    return next(one.locks[name] for one in ECOSYSTEMS if name in one.locks)


def _split_locked(text: str, pattern: re.Pattern[str]) -> Iterator[Part]:
    """Yield each package with the lines up to the next one; its head is the line that names it."""
    from satchel_plugins.providers.packages.ecosystems import Lines

    lines = lines_of(text)
    starts: list[tuple[int, str, int]] = []
    counted = Lines(text)
    for match in pattern.finditer(text):
        named = counted.of(match.start("name"))
        first = named - 1 if named > 1 and lines[named - 2].startswith("[[") else named
        if not starts or first > starts[-1][2]:
            starts.append((first, f"{match['name']} {match['version']}"[:_LONGEST_NAME], named))
    for at, (first, name, named) in enumerate(starts):
        last = starts[at + 1][0] - 1 if at + 1 < len(starts) else len(lines)
        yield Part("package", name, (first, last), (named, named))
