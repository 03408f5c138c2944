"""Tell the shape of what is left out: folders, files of matches or of a diff, authors, with counts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple

from satchel.output.families import BLAME, CHANGED_FILE, DIFF, LISTING, MATCHES, STATUS, OutputFamily
from satchel.output.sections import find_files
from satchel.output.states import iter_states
from satchel.output.structure import find_matched_file, weigh_file
from satchel.patterns import lazily


class Group(NamedTuple):
    """What stands in lines that are not shown."""

    text: str
    lines: int = 0
    """How many lines it stands for; 0 where it is a file of a diff."""


_MOST_GROUPS, _PART_OF_ALL = 40, 100
"""Folders from which on small ones are told with those above them; and the part of all entries that one below
the top ones holds at least.
"""
_FEWEST = 2
_PATH = lazily(r"(?:\d[\d.,]*[KMGTB]?\s+)?((?:[A-Za-z]:)?[^\s:]*[/\\][^:]*)(?::\d+)?")
"""A path, with what `du` and `wc` write before it or `grep -c` behind it."""
_LISTED = lazily(r"[bcdlps-](?:[r-][w-][xsStT-]){3}\S*\s.*?\d\d:?\d\d\s+(.+)")
"""A line of `ls -l`; its name."""
_FOLDER = lazily(r"(\S.*):")
_BLAMED = lazily(r"\^?[0-9a-f]{7,40} [^(]{0,200}\((.{1,80}?) +\d{4}-\d\d-\d\d ")
"""A line of `git blame`; its author."""
_KINDS: Mapping[OutputFamily, str] = MappingProxyType({BLAME: "author", LISTING: "folder", STATUS: "folder"})
"""What the groups of a family are, where these are not files."""


def describe_groups(groups: Sequence[Group], told: int, family: OutputFamily) -> str:
    """Return the mark that names the first groups and says how many there are more, "" for none."""
    texts = [f"{group.text} {group.lines}" if group.lines else group.text for group in groups[:told]]
    if rest := groups[told:]:
        kind = _KINDS.get(family, "file")
        many = sum(group.lines for group in rest)
        more = f"{len(rest)} more {kind}{'s' * (len(rest) > 1)}{f' with {many}' if many else ''}"
        texts.append(f"and {more}" if texts else more.replace(" more", "", 1))
    return f"[also: {', '.join(texts)}]\n" if texts else ""


def find_groups(family: OutputFamily, lines: Sequence[str], shown: Container[int]) -> list[Group]:
    """Return what stands in lines that are not shown: paths of a diff's files, folders and files with counts.

    It is empty where the family has no groups, or too few to tell.
    """
    find = _FINDERS.get(family)
    return list(find(lines, shown)) if find else []


def has_groups(family: OutputFamily) -> bool:
    """Whether `find_groups` finds so many in outputs of a family that room is kept for them."""
    return family in _FINDERS and family is not BLAME


def _of_diff(lines: Sequence[str], shown: Container[int]) -> Iterator[Group]:
    """Yield the files of which no header is shown, each once."""
    files = find_files(DIFF, lines)
    named = {file for at, file in enumerate(files) if at in shown}
    yield from map(
        Group, _put_code_first(file for file in dict.fromkeys(files) if file and file not in named)
    )


def _of_blame(lines: Sequence[str], shown: Container[int]) -> Iterator[Group]:
    """Yield the people whose lines are not shown, with how many."""
    missing = (_BLAMED.match(line) for at, line in enumerate(lines) if at not in shown)
    yield from (Group(*group) for group in Counter(line[1] for line in missing if line).most_common())


def _of_matches(lines: Sequence[str], shown: Container[int]) -> Iterator[Group]:
    """Yield the files of which nothing is shown, with how many of their lines; code before tests.

    Of a list of files alone, folders.
    """
    if not any(map(find_matched_file, lines)):
        yield from _of_listing(lines, shown)
        return
    missing: Counter[str] = Counter()
    told: set[str] = set()
    for at, line in enumerate(lines):
        file = find_matched_file(line)
        if file and at in shown:
            told.add(file)
        elif file:
            missing[file] += 1
    yield from (Group(name, missing[name]) for name in _put_code_first(missing) if name not in told)


def _put_code_first(paths: Iterable[str]) -> list[str]:
    """Return paths with those of tests, and of what others have written, last."""
    return sorted(paths, key=weigh_file, reverse=True)


def _of_listing(lines: Sequence[str], shown: Container[int]) -> Iterator[Group]:
    """Yield the folders with how many entries below them are not shown, if these are several in most."""
    paths = list(_iter_missing_paths(lines, shown))
    if len(paths) < _FEWEST:
        return
    groups = _count_folders(paths)
    if len(groups) * _FEWEST <= len(paths):
        yield from (Group(*group) for group in groups.most_common())


def _of_status(lines: Sequence[str], shown: Container[int]) -> Iterator[Group]:
    """Yield the folders of files that are not shown, with how many of a state: what is untracked last."""
    missing: dict[str, list[str]] = {}
    for at, state, path in iter_states(lines):
        if at not in shown:
            missing.setdefault(state, []).append(path)
    for state in sorted(missing, key=lambda state: state == "untracked"):
        for folder, many in _count_folders(missing[state]).most_common():
            yield Group(f"{state} {folder}", many)


def _count_folders(paths: Sequence[str]) -> Counter[str]:
    """Return the folders of paths with how many they hold, large ones where there are many."""
    groups = Counter(tuple(path.replace("\\", "/").split("/")[:-1]) for path in paths)
    if len(groups) > _MOST_GROUPS or len(groups) * _FEWEST > len(paths):
        groups = _group_by_size(groups)
    return Counter({f"{'/'.join(group) or '.'}/": many for group, many in groups.items()})


def _group_by_size(counts: Mapping[tuple[str, ...], int]) -> Counter[tuple[str, ...]]:
    """Return the top folders and those that hold a good part of all, each without what these hold."""
    totals: Counter[tuple[str, ...]] = Counter()
    top = _count_common(list(counts)) + 1
    for folder, many in counts.items():
        for depth in range(top, len(folder) + 1):
            totals[folder[:depth]] += many
    least = totals.total() / _PART_OF_ALL
    groups: Counter[tuple[str, ...]] = Counter()
    for folder, many in counts.items():
        depth = len(folder)
        while depth > top and totals[folder[:depth]] < least:
            depth -= 1
        groups[folder[:depth]] += many
    return groups


def _iter_missing_paths(lines: Sequence[str], shown: Container[int]) -> Iterator[str]:
    folder = ""
    for at, line in enumerate(lines):
        header = _FOLDER.fullmatch(line) if at == 0 or not lines[at - 1].strip() else None
        if header:
            folder = f"{header[1].rstrip('/')}/"
            continue
        listed = _LISTED.match(line) or CHANGED_FILE.fullmatch(line)
        name = listed[1] if listed else line.strip()
        path = _PATH.fullmatch(name)
        if at not in shown and name and (folder or path):
            yield folder + (path[1] if path else name).rstrip("/")


def _count_common(folders: Sequence[tuple[str, ...]]) -> int:
    """Return how many first folders all have."""
    first, last = min(folders), max(folders)
    same = 0
    while same < len(first) and same < len(last) and first[same] == last[same]:
        same += 1
    return same


_FINDERS: Mapping[OutputFamily, Callable[[Sequence[str], Container[int]], Iterator[Group]]] = (
    MappingProxyType(
        {BLAME: _of_blame, DIFF: _of_diff, LISTING: _of_listing, MATCHES: _of_matches, STATUS: _of_status}
    )
)
