"""Find the parts that help a reader of a change, beside its diffs.

These are the rest of the definitions that it touches, the code and tests that use them, and the functions
that its new lines call. A task that says more than "review this" is about its own words as well.
"""

from __future__ import annotations

import math
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from itertools import chain
from typing import NamedTuple

from satchel.items import ContextItem
from satchel.packing.weighing.answering import read_nothing
from satchel.packing.weighing.chances import Chances, WeighedItems
from satchel.parts import NO_LINES, Part
from satchel.pointers import CHANGED_FILES, is_conflict, is_past_diff, path_of_diff
from satchel.questions import FilePlace, place_of
from satchel.questions.words import stem_all
from satchel.stems import stem
from satchel.workspace.files.kinds import PROSE, language_of
from satchel.workspace.index.terms import find_compound_names

_DIFFS, _CONNECTED, _OWN = 0.8, 0.2, 0.1
"""Shares of diffs with the list of changed files, of connected parts, and of parts with words of the task;
an empty one leaves its share to the others."""
_SUMMARIES = {"diff": 1.0, "status": 2.0, "commit": 2.0}
"""Kinds of items that show changes, and the worth of one of their tokens."""
_SHORT = 150
"""Extra tokens that a message or a list of files counts for: it says what all the diffs are for."""
_ASIDE = 0.2
"""The same of a diff of anything but code, and of recordings of tests, if not all fit."""
_OF_TEST = 0.8
"""The same of a hunk in a test: the tested code comes before it."""
_OF_COMMENTS = 0.4
"""The same of a hunk of code that changes nothing but comments and imports: a version in a file's head."""
_LATER, _GOES_ON = 0.98, 0.9
"""The same of a part of a diff relative to the one before it, and where it goes on with the same hunk: it is
read from its beginning, and the first hunks of each file before the rest of a long diff."""
_IN_CONFLICT = 4.0
"""The same of a place in conflict: nothing can be done without it."""
_GONE = 0.3
"""The same of the diff of a deleted file, whose lines need no review one by one."""
_TOUCHED, _SAME, _USES, _CALLED, _WRITES = 1.0, 0.4, 0.6, 0.3, 0.4
"""Connection of the rest of a part with changed lines, of the other parts of that definition, of parts that
use it (over the root of their number), of the definitions that new lines call, and of parts, pages too, that
write another name of the changed lines (over the root of their number)."""
_HIDDEN = 3
"""A touched part is shown if the diff hides at least this many of its lines."""
_COMMON = 30
"""A name that more parts use says nothing about a change."""
_NAMESAKES = 3
"""A called name that more parts define may be any of them, and so may a name that more files define."""
_HOLDERS = frozenset({"class", "interface", "module", "namespace", "impl", "trait"})
"""Definitions whose other parts say little about the touched one."""
_CODE = frozenset({FilePlace.CODE, FilePlace.TEST, FilePlace.EXAMPLE})
"""Files of code; of all others, the diffs say enough."""
_WRITERS = _CODE | {FilePlace.DOCUMENT, FilePlace.MANIFEST}
"""Places of files that may repeat a changed line, such as the default of a setting."""
_MOST_BESIDE = 0.7
"""The most that a token beside the diffs is worth relative to one of them: long ones come before it."""
_LISTED = 3.0
"""How much more the list of changed files counts than its share: it alone names the diffs not shown."""
_NO_NAMES = frozenset({"main", "init", "new", "run", "test", "setup", "self", "this", "super"})
_SAYS_NOTHING = frozenset(
    stem_all(
        "review check look change diff edit work branch commit message msg write describe summarize summary"
        " explain generate draft title description uncommitted unstaged staged local pending current pull"
        " request pr mr patch code git find bug problem mistake issue error wrong right good ready merge"
        " please careful quick short last made today ok okay fine else must update anything something missing"
        " miss forget forgotten complete break broken safe need still well correct sense work finish"
        " test tested covered coverage"
    )
)
"""Words of a task about changes that are not about their subject."""
_OF_ENTRIES = frozenset(stem_all("changelog release note news changeset"))
"""Words that ask for an entry of a changelog."""
_NEWEST_ENTRIES = 40
"""First lines of a changelog, where its newest entries begin."""
_OF_CONFLICTS = frozenset(
    stem_all(
        "resolve solve conflict rebase rebasing merging cherry pick revert both side theirs ours continue"
        " abort finish"
    )
)
"""The same if there are conflicts."""
_HUNK = re.compile(r"@@ -\d{1,9}(?:,(\d{1,9}))? \+(\d{1,9})(?:,(\d{1,9}))? @@")
_BEFORE_HUNK = re.compile(r"^(?=@@ -\d)", re.MULTILINE)
_NO_CODE = PROSE | {"html", "json", "svg", "xml", "yaml"}
_RECORDED = re.compile(r"(?i)(?:^|/)_*snapshots?_*/|\.snap$")
"""Recordings of tests."""
_COMMENT = re.compile(
    r"[+-]\s*(?:#(?!\s*(?:define|undef|if|el|end|pragma|error|!|\[))|//|/\*|\*(?:\s|/|$)|--(?:\s|$)|;|<!--"
    r"|import\b|from\s+\S+\s+import\b|using\s+[\w.=\s]+;|use\s+[\w:\\]|require\b|package\b|$)"
)
"""A changed line that is blank, a comment or an import."""
_OPENS_IMPORTS = re.compile(r"\s*(?:import\b|from\s+\S+\s+import\b|use\b)[^;)}]*[({]\s*$")
"""The first of several lines that import."""
_DELETED = re.compile(r"--- [^\n]*\n\+\+\+ /dev/null\n")
_TEST = re.compile(r"(?i)(?:^|\.)tests?(?:[._]|$)")
_CALL = re.compile(r"([^\W\d]\w{2,79})\(")
_NAME = re.compile(r"[^\W\d]\w{2,79}")


class FileChange(NamedTuple):
    """A file's changes in diffs, with its present line numbers."""

    touched: frozenset[int]
    """Numbers of new lines, and of the lines on either side of removed ones."""
    shown: frozenset[int]
    """Numbers of all lines that the diffs show."""
    words: frozenset[str]
    """Names that new lines call."""
    written: frozenset[str] = frozenset()
    """Names in changed lines with the form of code, such as `max_connections`, in lower case."""


def read_diffs(text: str) -> dict[str, FileChange]:
    """Return the changes in a unified diff to each file that still exists, by path."""
    touched: defaultdict[str, set[int]] = defaultdict(set)
    shown: defaultdict[str, set[int]] = defaultdict(set)
    words: defaultdict[str, set[str]] = defaultdict(set)
    written: defaultdict[str, set[str]] = defaultdict(set)
    path, number, old, new, is_gone = "", 0, 0, 0, False
    for line in text.split("\n"):
        mark, is_after = line[:1], old <= 0 and new <= 0
        if is_gone and (is_after or mark not in ("-", "+")):
            touched[path].update((number - 1, number))
            is_gone = False
        if is_after:
            hunk = _HUNK.match(line)
            if hunk:
                number, old, new = int(hunk[2]), int(hunk[1] or 1), int(hunk[3] or 1)
            elif line.startswith("+++ "):
                path = line[6:] if line.startswith("+++ b/") else ""
            continue
        if mark == "+":
            touched[path].add(number)
            words[path].update(_CALL.findall(line))
        if mark in ("+", "-"):
            written[path].update(map(str.lower, find_compound_names(line)))
        is_gone = mark == "-"
        old -= mark in ("-", " ", "")
        if mark in ("+", " ", ""):
            shown[path].add(number)
            number, new = number + 1, new - 1
    return {
        name: FileChange(
            frozenset(lines), frozenset(shown[name]), frozenset(words[name]), frozenset(written[name])
        )
        for name, lines in touched.items()
        if name
    }


def relocate_hunks(text: str, lines: Sequence[str]) -> str:
    """Return a file's past diff with the numbers of its new lines in the present file.

    Hunks whose lines are no longer there are left out.
    """
    places: defaultdict[str, list[int]] = defaultdict(list)
    for number, line in enumerate(lines, 1):
        places[line].append(number)
    header, *hunks = _BEFORE_HUNK.split(text)
    return header + "".join(_relocate(hunk, lines, places) for hunk in hunks)


def _relocate(hunk: str, lines: Sequence[str], places: Mapping[str, Sequence[int]]) -> str:
    head, *rows = hunk.split("\n")
    found = _HUNK.match(head)
    if found is None:
        return ""
    new = [row[1:] for row in rows if row[:1] in ("+", " ")]
    starts = [at for at in places.get(new[0], ()) if lines[at - 1 : at - 1 + len(new)] == new] if new else []
    if not starts:
        return ""
    nearest = min(starts, key=lambda at: abs(at - int(found[2])))
    moved = f"{head[: found.start(2)]}{nearest}{head[found.end(2) :]}"
    return "\n".join([moved, *rows])


def review_shares(
    items: WeighedItems,
    chances: Chances,
    query: Mapping[str, float],
    read: Callable[[ContextItem], str] = read_nothing,
) -> Chances | None:
    """Return the share of each part in the needs of a review.

    None if no item is a diff with a text and the task has words of its own. Without such words it gets the
    newest commits, as nothing else is changed. `chances` are for a change still to be made, `query` holds
    the weights of the task's terms, `read` returns the text of an item.
    """
    diffs = [place for place, (one, _) in enumerate(items) if one.item.kind == "diff" and one.item.text]
    files = {one.item.path: one.item for one, _ in items if one.item.kind == "file"}
    changes: dict[str, FileChange] = {}
    for place in diffs:
        item = items[place][0].item
        text, now = item.text or "", files.get(path_of_diff(item.id))
        if is_past_diff(item.id):
            text = relocate_hunks(text, read(now).split("\n") if now is not None else [])
        changes.update(read_diffs(text))
    connected = _connect(items, changes, diffs)
    in_conflict = any(is_conflict(items[place][0].item.id) for place in diffs)
    says_nothing = _SAYS_NOTHING | _OF_CONFLICTS if in_conflict else _SAYS_NOTHING
    own = [term for term in query if stem(term) not in says_nothing]
    if own and not diffs:
        return None
    rest = _keep_own(items, chances, own) if own else [[0.0] * len(mine) for mine in chances]
    if not _OF_ENTRIES.isdisjoint(map(stem, own)):
        rest = _keep_newest_entries(items) or rest
    shown = [_weigh_parts(one.item, split.parts) for one, split in items]
    weighed = [(_DIFFS, shown), (_CONNECTED, connected), (_OWN, rest)]
    if not any(any(map(any, chances)) for _, chances in weighed):
        return None
    return _put_list_before_diffs(items, _mix(weighed), shown)


def _put_list_before_diffs(
    items: WeighedItems, mixed: list[list[float]], shown: Chances
) -> list[list[float]]:
    """Raise the list of changed files above the diffs, whose own shares are `shown`; keep all else below."""
    pairs = zip(chain.from_iterable(mixed), chain.from_iterable(shown), strict=True)
    of_diffs = next((share / own for share, own in pairs if own), math.inf)  # of one of their tokens
    for (one, split), mine in zip(items, mixed, strict=True):
        if one.item.id == CHANGED_FILES:
            mine[:1] = [_LISTED * share for share in mine[:1]]
        elif one.item.kind not in _SUMMARIES:
            most = (_MOST_BESIDE * of_diffs * part.tokens for part in split.parts)
            mine[:] = map(min, mine, most)
    return mixed


def _weigh_parts(item: ContextItem, parts: Sequence[Part]) -> list[float]:
    """Return the worths of the parts of an item that shows changes."""
    is_diff = item.kind == "diff" and not is_conflict(item.id)
    more = 0 if is_diff else _SHORT
    weight = _weigh_change(item)
    place = place_of(path_of_diff(item.id)) if is_diff else None
    is_code, is_test = place in _CODE, place is FilePlace.TEST
    lines = (item.text or "").split("\n") if is_code else []
    shares = []
    for at, part in enumerate(parts):
        own = _OF_TEST if is_test or _TEST.search(part.name) else 1.0
        if lines and _changes_comments(lines[part.lines[0] - 1 : part.lines[1]]):
            own *= _OF_COMMENTS
        shares.append(weight * own * (part.tokens + (0 if at else more)))
        if is_diff:
            goes_on = at + 1 < len(parts) and parts[at + 1].head == NO_LINES
            weight *= _LATER * (_GOES_ON if goes_on else 1.0)
    return shares


def _changes_comments(lines: Sequence[str]) -> bool:
    """Return whether a hunk changes only lines that are blank, comments or imports."""
    start = next((at for at, line in enumerate(lines) if _HUNK.match(line)), -1) + 1
    has_changes = in_imports = False
    for line in lines[start:]:
        in_imports = in_imports and not line[1:].lstrip().startswith((")", "}"))
        if line[:1] in ("+", "-"):
            if not in_imports and not _COMMENT.match(line):
                return False
            has_changes = True
        in_imports = in_imports or _OPENS_IMPORTS.match(line[1:]) is not None
    return has_changes


def is_deletion(item: ContextItem) -> bool:
    """Return whether an item is the diff of a deleted file."""
    return item.kind == "diff" and _DELETED.match(item.text or "") is not None


def _weigh_change(item: ContextItem) -> float:
    """Return the worth of a token in an item that shows changes; diffs of code come first."""
    weight = _SUMMARIES.get(item.kind, 0.0)
    if item.kind != "diff":
        return weight
    path = path_of_diff(item.id)
    is_aside = place_of(path) not in _CODE or language_of(path) in _NO_CODE or _RECORDED.search(path)
    if is_conflict(item.id):
        return _IN_CONFLICT / 2 if is_aside else _IN_CONFLICT
    if is_deletion(item):
        return _GONE * weight
    return _ASIDE * weight if is_aside else weight


def _mix(weighed: Sequence[tuple[float, Chances]]) -> list[list[float]]:
    """Return the weighted sum of shares; empty ones leave their weight to the others."""
    sums = [sum(map(sum, chances)) for _, chances in weighed]
    filled = [
        (weight / total, chances) for (weight, chances), total in zip(weighed, sums, strict=True) if total
    ]
    whole = sum(weight for (weight, _), total in zip(weighed, sums, strict=True) if total)
    return [
        [
            sum(factor * one for (factor, _), one in zip(filled, ones, strict=True)) / whole
            for ones in zip(*rows, strict=True)
        ]
        for rows in zip(*(chances for _, chances in filled), strict=True)
    ]


def _keep_own(items: WeighedItems, chances: Chances, own: Sequence[str]) -> list[list[float]]:
    """Return the chances, 0 for parts without words of the task's own."""
    kept = []
    for (one, split), mine in zip(items, chances, strict=True):
        holding = {part for term in own for part in split.terms.get(term, ())[::2]}
        is_shown = one.item.kind in _SUMMARIES
        kept.append([0.0 if is_shown or at not in holding else chance for at, chance in enumerate(mine)])
    return kept


def _keep_newest_entries(items: WeighedItems) -> list[list[float]]:
    """Return shares of the first entries of changelogs, which show their form; [] without any."""
    found = [
        [
            float(part.tokens if is_changelog and part.lines[0] <= _NEWEST_ENTRIES else 0)
            for part in split.parts
        ]
        for one, split in items
        for is_changelog in [one.item.kind == "file" and place_of(one.item.path) is FilePlace.CHANGES]
    ]
    return found if any(map(any, found)) else []


def _connect(
    items: WeighedItems, changes: Mapping[str, FileChange], diffs: Sequence[int]
) -> list[list[float]]:
    """Return how closely each part of a file is connected with the changes."""
    files = [
        place
        for place, (one, _) in enumerate(items)
        if one.item.kind == "file" and place_of(one.item.path) in _CODE
    ]
    touched = {
        place: [at for at, part in enumerate(items[place][1].parts) if _holds(changes[path].touched, part)]
        for place in files
        if (path := items[place][0].item.path) in changes
    }
    hunks = [part for place in diffs for part in items[place][1].parts]
    written = {symbol.name for part in hunks for symbol in part.symbols if _is_name(symbol.name)}
    changed = written | _names_of(items[place][1].parts[at] for place, mine in touched.items() for at in mine)
    of_code = {change.words for path, change in changes.items() if place_of(path) is FilePlace.CODE}
    called = frozenset().union(*(of_code or {change.words for change in changes.values()})) - changed
    defining = Counter[str]()
    homes: defaultdict[str, set[str]] = defaultdict(set)
    for place in files:
        defined = set().union(*(_names_of([part], own=True) for part in items[place][1].parts))
        defining.update(called & defined)
        for name in changed & defined:
            homes[name].add(items[place][0].item.path)
    used = {place: _find_meant(items[place][0].item.path, changed, homes, changes) for place in files}
    using = Counter[str]()
    for place in files:
        for part in items[place][1].parts:
            using.update(used[place].intersection(part.refs))
    holders = {name for place in touched for name in _find_holders(items[place][1].parts)}
    connections = _connect_writers(items, changes, changed, changed - {_last(name) for name in holders})
    for place in files:
        one, split = items[place]
        mine = touched.get(place, [])
        same = {split.parts[at].name for at in mine} - _find_holders(split.parts) - {""}
        for at, part in enumerate(split.parts):
            if part.kind == "imports":
                own = 0.0
            elif at in mine:
                own = _TOUCHED * _hidden(part, changes[one.item.path].shown)
            else:
                own = _SAME if part.name in same else 0.0
                users = [using[name] for name in used[place].intersection(part.refs)]
                own += _USES * sum([1 / math.sqrt(count) for count in users if count <= _COMMON])
                names = [defining[name] for name in called.intersection(_names_of([part], own=True))]
                own += _CALLED * sum([1 / count for count in names if count <= _NAMESAKES])
            connections[place][at] += own * math.sqrt(part.tokens)
    return connections


def _find_meant(
    path: str, changed: Collection[str], homes: Mapping[str, Collection[str]], changes: Collection[str]
) -> set[str]:
    """Return the names that mean a file's changed definitions; a name of many files only near its change."""
    folder = path.rpartition("/")[0]
    return {
        name
        for name in changed
        if len(homes.get(name, ())) <= _NAMESAKES
        or any(folder == home.rpartition("/")[0] for home in homes[name] if home in changes)
    }


def _find_holders(parts: Sequence[Part]) -> set[str]:
    """Return the names of the classes and modules that parts define."""
    return {symbol.name for part in parts for symbol in part.symbols if symbol.kind in _HOLDERS}


def _last(name: str) -> str:
    return name.rpartition(".")[2]


def _connect_writers(
    items: WeighedItems, changes: Mapping[str, FileChange], changed: set[str], functions: set[str]
) -> list[list[float]]:
    """Return how closely parts of code and pages are connected with the changes by writing the same names.

    Users of the `changed` definitions are connected already; in a language without known references, parts
    that write the names of the `functions` among them count.
    """
    of_code = [change.written for path, change in changes.items() if place_of(path) is FilePlace.CODE]
    written = sorted(frozenset[str]().union(*of_code))
    defined = {name.lower() for name in find_compound_names(" ".join(sorted(functions)))}
    names = sorted(defined.union(written))
    writers = dict.fromkeys(names, 0)
    files = [
        place
        for place, (one, _) in enumerate(items)
        if one.item.kind == "file" and place_of(one.item.path) in _WRITERS
    ]
    held = {
        place: {
            name: split.terms.get(name, ())[::2]
            for name in (written if any(part.refs for part in split.parts) else names)
            if name in split.terms
        }
        for place in files
        for split in (items[place][1],)
    }
    for found in held.values():
        for name, parts in found.items():
            writers[name] += len(parts)
    connections = [[0.0] * len(split.parts) for _, split in items]
    for place, found in held.items():
        for name, parts in found.items():
            for at in parts if writers[name] <= _COMMON else ():
                part = items[place][1].parts[at]
                if part.kind != "imports" and changed.isdisjoint(part.refs):
                    worth = _WRITES / math.sqrt(writers[name]) * math.sqrt(part.tokens)
                    connections[place][at] = max(connections[place][at], worth)
    return connections


def _holds(lines: Collection[int], part: Part) -> bool:
    return any(line in lines for line in range(part.lines[0], part.lines[1] + 1))


def _hidden(part: Part, shown: Collection[int]) -> float:
    """Return the share of a part's lines that its diff does not show, 0 if hardly any."""
    lines = range(part.lines[0], part.lines[1] + 1)
    hidden = sum(line not in shown for line in lines)
    return hidden / len(lines) if hidden >= _HIDDEN else 0.0


def _names_of(parts: Iterable[Part], *, own: bool = False) -> set[str]:
    """Return the names that parts define or continue to define, and for a constructor the name of its class.

    With `own`, only the name of each part whose definition starts there.
    """
    found = set()
    for part in parts:
        names = [symbol.name for symbol in part.symbols]
        for name in names[:1] if own else names or [part.name]:
            *_, last = pieces = name.split(".")
            if own and last.startswith("__") and last != "__init__":
                continue  # a class is made by one of its own methods only
            pieces = [piece for piece in pieces if not piece.startswith("__")]
            if pieces and _is_name(pieces[-1]):
                found.add(pieces[-1])
    return found


def _is_name(name: str) -> bool:
    return _NAME.fullmatch(name) is not None and name.lower() not in _NO_NAMES
