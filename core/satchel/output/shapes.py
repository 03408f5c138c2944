"""Describe the left-out lines: folders, files of matches or of a diff, authors, with counts."""

from __future__ import annotations

import itertools
from collections import Counter, defaultdict
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from operator import itemgetter
from types import MappingProxyType
from typing import NamedTuple

from satchel.output.families import (
    BLAME,
    CHANGED_FILE,
    DIFF,
    LISTING,
    MATCHES,
    STATUS,
    TEST_NAMED,
    OutputFamily,
)
from satchel.output.marks import CUT
from satchel.output.sections import find_files
from satchel.output.states import iter_states
from satchel.output.structure import find_matched_files, weigh_file
from satchel.output.trees import find_branches
from satchel.patterns import lazily


class Group(NamedTuple):
    """The content of lines that are not shown."""

    text: str
    lines: int = 0
    """Number of its lines; 0 for a file of a diff."""


MOST_NAMED = 40
"""Most groups that are named; the others are counted."""
_MOST_WEIGHED = 4_000
"""Files among which code comes first."""
ShapeEntry = tuple[int, str, str]
"""A line from 0, the state of its item, and its file, folder or person."""
_MOST_GROUPS, _PART_OF_ALL = 40, 100
"""Folders above which small ones are merged into their parents; and the least share of entries of a folder
below the top ones.
"""
_MANY_FOLDERS, _LONG_BEGINNING = 3, 16
"""Folders from which on a common beginning of so many characters is shown once."""
_FEWEST = 2
_PATH = lazily(r"(?:\d[\d.,]*[KMGTB]?\s+)?((?:[A-Za-z]:)?[^\s:]*[/\\][^:]*)(?::\d+)?")
"""A path, with the prefix of `du` and `wc` or the suffix of `grep -c`."""
_LISTED = lazily(r"[bcdlps-](?:[r-][w-][xsStT-]){3}\S*\s.*?\d\d:?\d\d\s+(.+)")
"""A line of `ls -l`; its name."""
_FOLDER = lazily(r"(\S.*):")
_BLAMED = lazily(r"\^?[0-9a-f]{7,40} [^(]{0,200}\((.{1,80}?) +\d{4}-\d\d-\d\d ")
"""A line of `git blame`; its author."""
_KINDS: Mapping[OutputFamily, str] = MappingProxyType({BLAME: "author", LISTING: "folder", STATUS: "folder"})
"""Names for the groups of a family, if these are not files."""


def describe_groups(groups: Sequence[Group], told: int, family: OutputFamily) -> str:
    """Return the mark that names the first groups and counts the rest, "" if there are none."""
    names = [group.text for group in groups[:told]]
    names = _cut_common_folder(names) if family is LISTING else names
    texts = [
        f"{group.lines} lines by {name}"
        if family is BLAME
        else f"{name} {group.lines}"
        if group.lines
        else name
        for name, group in zip(names, groups[:told], strict=True)
    ]
    if rest := groups[told:]:
        kind = _KINDS.get(family, "file")
        many = sum(group.lines for group in rest)
        more = f"{len(rest)} more {kind}{'s' * (len(rest) > 1)}{f' with {many}' if many else ''}"
        texts.append(f"and {more}" if texts else more.replace(" more", "", 1))
    return f"[also: {', '.join(texts)}]\n" if texts else ""


def _cut_common_folder(folders: Sequence[str]) -> list[str]:
    """Return folders, with `…/` for a long common beginning in all but the first."""
    if len(folders) < _MANY_FOLDERS:
        return list(folders)
    above = [tuple(folder.split("/")[:-1]) for folder in folders]
    beginning = "".join(f"{name}/" for name in above[0][: _count_common(above)])
    if len(beginning) < _LONG_BEGINNING:
        return list(folders)
    return [folders[0], *(f"{CUT}/{folder[len(beginning) :]}" for folder in folders[1:])]


class OutputShape:
    """The content of each line of an output: the file of a diff or of a match, the folder of an entry."""

    def __init__(self, family: OutputFamily, lines: Sequence[str]) -> None:
        """Read the lines of an output of a family."""
        self._family = LISTING if family is MATCHES and not any(find_matched_files(lines)) else family
        read = _READERS.get(self._family)
        self._entries = list(read(lines)) if read else []

    def find_groups(self, shown: Container[int]) -> list[Group]:
        """Return the groups of lines that are not shown: files of a diff, folders and files with counts.

        It is empty if the family has no groups, or too few to mention.
        """
        find = _FINDERS.get(self._family)
        return list(find(self._entries, shown)) if find else []


def has_groups(family: OutputFamily) -> bool:
    """Return whether `find_groups` finds so many groups in a family that room is reserved for them."""
    return family in _FINDERS and family is not BLAME


def _read_names(names: Iterable[str]) -> Iterator[ShapeEntry]:
    yield from ((at, "", name) for at, name in enumerate(names) if name)


def _of_diff(entries: Sequence[ShapeEntry], shown: Container[int]) -> Iterator[Group]:
    """Yield the files whose header is not shown, each once."""
    named = {file for at, _, file in entries if at in shown}
    files = dict.fromkeys(file for _, _, file in entries)
    yield from map(Group, _put_code_first(file for file in files if file not in named))


def _of_blame(entries: Sequence[ShapeEntry], shown: Container[int]) -> Iterator[Group]:
    """Yield the people whose lines are not shown, with the number of lines."""
    missing = Counter(author for at, _, author in entries if at not in shown)
    yield from (Group(*group) for group in missing.most_common())


def _of_matches(entries: Sequence[ShapeEntry], shown: Container[int]) -> Iterator[Group]:
    """Yield the files without any shown line, with their number of lines; code before tests."""
    told = {file for at, _, file in entries if at in shown}
    counts = Counter(map(itemgetter(2), entries))
    yield from (
        Group(name, counts[name]) for name in _put_code_first(name for name in counts if name not in told)
    )


def _put_code_first(paths: Iterable[str]) -> list[str]:
    """Return paths with code first, before tests and third-party files.

    Only as many are examined as can be named: classifying a path takes long.
    """
    paths = list(paths)
    code: list[str] = []
    others: list[str] = []
    for path in itertools.islice(paths, _MOST_WEIGHED):
        (code if weigh_file(path) == 1 else others).append(path)
        if len(code) == MOST_NAMED:
            break
    return [*code, *others, *paths[len(code) + len(others) :]]


def _of_listing(entries: Sequence[ShapeEntry], shown: Container[int]) -> Iterator[Group]:
    """Yield the folders with the number of hidden entries, if most have several."""
    folders = [folder for at, _, folder in entries if at not in shown]
    if len(folders) < _FEWEST:
        return
    groups = _count_folders(folders)
    if len(groups) * _FEWEST <= len(folders):
        yield from (Group(*group) for group in groups.most_common())


def _read_states(lines: Sequence[str]) -> Iterator[ShapeEntry]:
    yield from ((at, state, _find_folder(path)) for at, state, path in iter_states(lines))


def _of_status(entries: Sequence[ShapeEntry], shown: Container[int]) -> Iterator[Group]:
    """Yield the folders of hidden files, with the number of each state: untracked files last."""
    missing: dict[str, list[str]] = {}
    for at, state, folder in entries:
        if at not in shown:
            missing.setdefault(state, []).append(folder)
    for state in sorted(missing, key=lambda state: state == "untracked"):
        for folder, many in _count_folders(missing[state]).most_common():
            yield Group(f"{state} {folder}", many)


def _find_folder(path: str) -> str:
    """Return the folder of a path with the slash at its end, "" if it has none."""
    path = path.replace("\\", "/")
    return path[: path.rfind("/") + 1]


def _count_folders(folders: Sequence[str]) -> Counter[str]:
    """Return folders with their numbers of entries, larger folders if there are many."""
    groups = Counter({tuple(folder.split("/")[:-1]): many for folder, many in Counter(folders).items()})
    if len(groups) > _MOST_GROUPS or len(groups) * _FEWEST > len(folders):
        groups = _group_by_size(groups)
    return Counter({f"{'/'.join(group) or '.'}/": many for group, many in groups.items()})


def _group_by_size(counts: Mapping[tuple[str, ...], int]) -> Counter[tuple[str, ...]]:
    """Return the top folders and those with a good part of all entries, counted separately."""
    top = _count_common(list(counts)) + 1
    levels: defaultdict[int, Counter[tuple[str, ...]]] = defaultdict(Counter)
    for folder, many in counts.items():
        levels[len(folder)][folder] = many
    depths = range(top, max(levels) + 1)
    for depth in reversed(depths[1:]):
        for folder, many in levels[depth].items():
            levels[depth - 1][folder[:-1]] += many
    least = sum(levels[depth].total() for depth in depths) / _PART_OF_ALL
    large: dict[tuple[str, ...], tuple[str, ...]] = {}
    for depth in depths[1:]:
        for folder, many in levels[depth].items():
            large[folder] = folder if many >= least else large.get(folder[:-1], folder[:-1])
    groups: Counter[tuple[str, ...]] = Counter()
    for folder, many in counts.items():
        groups[large.get(folder, folder)] += many
    return groups


def _read_folders(lines: Sequence[str]) -> Iterator[ShapeEntry]:
    """Yield the folder of each entry of a list."""
    branches = find_branches(lines)
    if branches:
        folders = {branch.parent for branch in branches}
        files = (branch for branch in branches if branch.line not in folders)
        yield from ((file.line, "", file.folder or "./") for file in files)
        return
    above = ""
    for at, line in enumerate(lines):
        header = _FOLDER.fullmatch(line) if at == 0 or not lines[at - 1].strip() else None
        if header:
            above = f"{header[1].rstrip('/')}/"
            continue
        if test := TEST_NAMED.fullmatch(line):
            yield at, "", f"{test[1]}/"
            continue
        if ":" not in line and line.split(None, 1) == [line]:
            name = path = line  # nothing else is in the line
        else:
            listed = _LISTED.match(line) or CHANGED_FILE.fullmatch(line)
            name = listed[1] if listed else line.strip()
            found = _PATH.fullmatch(name)
            path = found[1] if found else ""
        if name and (above or "/" in path or "\\" in path):
            yield at, "", _find_folder(above + (path or name).rstrip("/"))


def _count_common(folders: Sequence[tuple[str, ...]]) -> int:
    """Return how many leading folders all paths share."""
    first, last = min(folders), max(folders)
    same = 0
    while same < len(first) and same < len(last) and first[same] == last[same]:
        same += 1
    return same


_READERS: Mapping[OutputFamily, Callable[[Sequence[str]], Iterator[ShapeEntry]]] = MappingProxyType(
    {
        BLAME: lambda lines: _read_names(found[1] if found else "" for found in map(_BLAMED.match, lines)),
        DIFF: lambda lines: _read_names(find_files(DIFF, lines)),
        LISTING: _read_folders,
        MATCHES: lambda lines: _read_names(find_matched_files(lines)),
        STATUS: _read_states,
    }
)
_FINDERS: Mapping[OutputFamily, Callable[[Sequence[ShapeEntry], Container[int]], Iterator[Group]]] = (
    MappingProxyType(
        {BLAME: _of_blame, DIFF: _of_diff, LISTING: _of_listing, MATCHES: _of_matches, STATUS: _of_status}
    )
)
