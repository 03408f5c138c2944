"""Find the structure of a text: lines that others need, and lines that represent others."""

from __future__ import annotations

import json
import math
import re
from bisect import bisect_left, bisect_right
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from itertools import islice, pairwise
from types import MappingProxyType
from typing import NamedTuple

from satchel.conversation.wrappers import count_client_lines, is_client_note
from satchel.output.asking import Question
from satchel.output.families import (
    BLAME,
    DATA,
    DIFF,
    ELEMENT,
    FILE,
    HISTORY,
    LISTING,
    MATCHES,
    PLAN,
    PROSE,
    RECORD_HEAD,
    STATUS,
    STEPS,
    TABLE,
    TREE,
    OutputFamily,
    find_body,
    is_document,
)
from satchel.output.judging import matters
from satchel.output.naming import LISTED, NUMBER
from satchel.output.sections import Section, find_changed_file, read_definition, weigh_name
from satchel.output.states import iter_states
from satchel.output.tables import (
    find_first_of_states,
    find_header,
    find_largest_rows,
    find_rare_cells,
    find_rare_rows,
    find_records,
    find_summaries,
    read_columns,
)
from satchel.output.templates import template
from satchel.output.trees import TreeBranch, find_branches
from satchel.patterns import lazily
from satchel.questions.aims import FilePlace, place_of


class OutputPlace(NamedTuple):
    """The structural facts about one line."""

    needed: tuple[int, ...] = ()
    """Lines that must be shown with it: a hunk's file, an entry's commit, a table's header, a heading."""
    worth: float = 0.0
    """Its worth besides its content."""
    dull: tuple[tuple[int, int], ...] = ()
    """Dull parts of it, even if they have names: the layout of a page."""
    share: float = 1.0
    """Factor for the worth of its names: lower in tests and in third-party files."""


_NOWHERE = OutputPlace()
_COMMIT_BEGINS = r"[*|\\/ ]*commit [0-9a-f]{7,40}\b"
_COMMIT = lazily(_COMMIT_BEGINS)
_SHORT_ENTRY = lazily(r"[*|\\/ ]*[0-9a-f]{7,40}\b|stash@\{\d+\}: ")
"""An entry of `git log --oneline`, of a format of one's own or of `git stash list`."""
_AUTHOR = lazily(r"\S.* \(\d+\):$")
"""A person in `git shortlog`."""
_COMMIT_MADE, _OF_COMMIT_MADE = lazily(r"\[\S+ (?:\(root-commit\) )?[0-9a-f]{7,40}\] \S"), 8.0
"""`[main 1f2e3d4] Add the cart`, as `git commit` says."""
_KIND_OF_STEP = lazily(r"\W{0,5}([A-Za-z][a-z-]{2,20}(?: [a-z-]{2,20})?)[\s:\]]")
"""The kind of a line of git's steps: `Auto-merging`, `[new branch]`, `create mode`."""
_CHANGED_WORDS, _OF_CHANGED_WORDS = lazily(r"\[-.{1,400}?-\]|\{\+.{1,400}?\+\}"), 8.0
"""Marks of `git diff --word-diff` around changed words."""
_OF_HUNK, _OF_UNCHANGED = frozenset(" +-"), 0.5
"""Beginnings of lines of a hunk, and the share of names in unchanged ones."""
_SUBJECT_BEGINS = r"[*|\\/ ]*(?: {4}|\t)\S"
_SUBJECT = lazily(_SUBJECT_BEGINS)
_HUNK_BEGINS, _PART_BEGINS, _END_LINES = 8, 2, 200
"""Lines from which a hunk or an odd line is understood; lines of a definition; and lines at each end of a
long text.
"""
_HEAD_LINES = 12
"""Lines of a commit that may hold its subject."""
_FILE_BEGINS = r"diff --git |diff -|Index: \S|--- \S"
_FILE_OF_HUNKS = lazily(_FILE_BEGINS)
_HEADS = rf"(?:{LISTED})?#{{1,6}} \S"
_HEADING = lazily(_HEADS)
_FENCE = lazily(rf"(?:{LISTED})?\s*(?:```|~~~)")
_ROW = lazily(rf"(?:{LISTED})?\s*\|.*\|\s*$")
_DEFINITION = (
    rf"(?:{LISTED})?"
    r"(\s*)(?:(?:export|default|public|private|protected|internal|static|abstract|async|final|pub"
    r"(?:\([a-z]+\))?|unsafe|override|virtual|inline|extern|sealed|partial|data)\s+)*"
    r"(?:def|class|func|function|fn|interface|struct|enum|trait|impl|type|module|namespace|object|record|protocol)\s+[\w(*<]"
)
_DEFINES = lazily(_DEFINITION)
_RECORD_OF_MATCHES = '{"type":"'
_MATCHED = r"\{\"type\":\"match\",\"data\":\{\"path\":\{\"text\":\""
_MATCHING = lazily(rf"(?:(?:[A-Za-z]:)?[^\s:][^:]{{0,300}}:)?\d+:|\s*(?:L|Line )\d+:|{_MATCHED}")
_MATCHED_FILE = lazily(
    rf"((?:[A-Za-z]:)?[^\s:{{](?:[^:-]{{1,300}}+|-(?!\d+[:-])){{0,50}}+)[:-]\d+[:-]|{_MATCHED}([^\"]+)"
)
_OF_MATCHED_FILE = 6.0
"""Worth of the name of a file above its matches."""
_OF_MATCH = 1.0
"""Worth of a matching line among others."""
_ASIDE, _OF_ASIDE = (FilePlace.EXAMPLE, FilePlace.TEST, FilePlace.CHANGES, FilePlace.ELSEWHERE), 0.3
"""Files that are used less often next, and the share that their names have."""
_OF_DEFINITION, _OF_NEW_DEFINITION, _DEEP = 0.3, 4.0, 8
_RELEASE = lazily(
    r"#{1,3} (?:version )?\W{0,2}(?:v?\d+\.\d+(?:\.\d+)*\w*|unreleased)\]?"
    r"(?:\W+(?:\d{4}-\d\d-\d\d|\w+ \d.*))?\W*(?:\(.*)?",
    re.IGNORECASE,
)
_OF_RELEASE = 8.0
"""Worth of the heading of the newest release."""
_FOLDER = lazily(r"\S.*:")
_PACKAGE = lazily(
    r"(?:\[INFO\] )?[\s│├└─┬|`+\\-]*(@?[\w./:-]{1,200}?)"
    r"(?:@(?:npm:)?v?|[: ]v?| \[required: .{0,80}, installed: )(\d[\w.+-]{0,60})"
)
"""An entry of a tree of packages: its name and its version."""
_OF_BRANCH = 1.0
"""Worth of a folder at the top of a drawn `tree`."""
_MESSAGE = lazily(r"[a-z][\w-]{0,20}: \S.* \S")
"""`find: 'x': Permission denied`."""
_NUMBERED_MATCH = lazily(rf"{NUMBER}[:-]")
_BLANK_MATCH = lazily(rf"(?:(?:[A-Za-z]:)?[^\s:{{][^:]{{0,300}}?[:-]\d{{1,9}}|{NUMBER})[:-]\s*$")
"""A blank line of a file in `grep -C` output."""
_REMARK = lazily(rf"(?:{LISTED})?[+ ]?\s*(?:/?\*|//|#(?![a-z!\[])|--|;|<!--)")
_LICENCE = lazily(r"\b(?:licensed|licen[sc]e,? version|copyright|spdx|permission is hereby)\b", re.IGNORECASE)
_CHANGED_FIELD = lazily(r"[-+](\s*[\"']?[\w./-]{1,80}[\"']? ?[:=]) \S")
"""A field in a hunk that was removed or added: its indentation, and its name."""
_SHORT_HUNK = 2
"""Lines of a hunk that comes with the name of its file."""
_LONGEST_LICENCE = 60
"""Lines of a remark that are read."""
_RECORD = lazily(r"\s+\{\s*$")
"""The beginning of a list element."""
_ANSWER, _OF_ANSWER = lazily(r"(?:< )?HTTP/[\d.]+ \d{3}\b"), 20.0
"""A server's answer."""
_EXCHANGE = lazily(r"[{}] \[\d+ bytes data\]|\* TLSv[\d.]+ \((?:IN|OUT)\), (?!.*alert)|[*<>]?\s*$")
"""Lines of `curl -v` for every connection."""
_TITLE = lazily(r"<(?:title|h1)\b", re.IGNORECASE)
_PAGE = lazily(r"\s*<(?:!doctype|html)\b", re.IGNORECASE)
_OF_STYLE = 0.2
"""Factor for names of styles and scripts in a page that is read as a file."""
_STYLE, _STYLE_ENDS = (
    lazily(r"<(?:style|script|svg|picture)\b|<!--", re.IGNORECASE),
    lazily(r"</(?:style|script|svg|picture)>|-->", re.IGNORECASE),
)
_LINK, _FIRST_LINKS = lazily(r"\s*(?:- )?[\"']?https?://[^\s\"']+[\"']?,?"), 2
"""An element of a list of links; the number of first ones that are shown."""
_ENCODED = lazily(r"\s*(?:[A-Z][\w ]{0,20} : )?(?:[0-9a-fA-F]{2}:){8,}|[A-Za-z0-9+/]{60,80}={0,2}")
_ENDS_ENCODED = lazily(r"\s*[0-9a-fA-F]{2}(?::[0-9a-fA-F]{2})*|[A-Za-z0-9+/]{1,76}={0,2}|-+END [A-Z ]+-+")
"""Bytes of a key or of a signature, an encoded certificate, and their ends."""
_SHORTEST_ENCODED = 24
"""Eight bytes in hexadecimal digits, each with its colon."""
_CERTIFIED = lazily(r"\s*(?:Subject: |Not After ?: |Valid (?:from|until): |(?:\w+:\S+, )*DNS:\S)")
"""A certificate's subject and validity."""
_STEP = lazily(r"\(.{0,200}actual time=\d[\d.]*\.\.(\d[\d.]*) rows=\d[\d.e+]* loops=(\d+)\)")
"""A step of `EXPLAIN ANALYZE`: the time of one loop, and the number of loops."""
_PLANNED_IN, _OF_SLOWEST = lazily(r"\s*(?:Planning|Execution) Time:"), 24.0
_CELL = lazily(r"\s*\"cell_type\": ")
_TEXT_OF_CELL = lazily(r"\s*\"(source|text(?:/plain)?|traceback|ename|evalue)\": ")
"""The beginning of texts of a notebook's cell and of its outputs."""
_SAID_IN_CELL = lazily(r"\s*\"(?:(#{1,4} \w)|(?:async )?(?:def|class) \w)")
_OF_RAISED = MappingProxyType({"ename": 6.0, "evalue": 12.0})
_RAISED_AT, _OF_RAISED_AT = lazily(r"-{2,4}> ?(?:\\u001b\[[\d;]{0,20}m|\x1b\[[\d;]{0,20}m| ){0,9}\d"), 9.0
"""The line of code that a traceback of IPython points at: `----> 3 df["price"]`."""
_OF_CELL_HEADING, _OF_CELL_DEFINITION, _OF_LAST_PRINTED, _OF_OUTPUT = 6.0, 3.0, 3.0, 0.5
"""Worth of a heading, of a cell's definition, of the last printed line; and factor for other names."""
_ITEM = lazily(r"\s*- +[\"']?[\w./-]+[\"']?:(?: |$)")
"""An element of a list of YAML with fields."""
_NAMING = lazily(
    r"\s*(?:- +)?[\"']?(?:\w*(?:id|Id|ID|name|Name|key|path|slug)|number|title|user|login|sha|url|email)"
    r"[\"']?: [\"'\w-]"
)
_IS_NAME = lazily(r"\s*(?:- +)?[\"']?(?:name|Name|title)[\"']?: ")
"""A record's readable name, before its hash."""
_FIELD = lazily(r"([\s-]*[\"']?[\w./-]+[\"']?)(?::| {0,40}[=|]) (\S.{0,200}?),?")
"""A field of a record: its indentation and its name, and its value."""
_FIELD_INSIDE = lazily(
    r"\"([\w./-]{1,80})\": ?(\"[^\"\\]{0,200}\"|-?\d[\d.]{0,20}|true|false|null)(?=\s{0,9}[,}])"
)
"""The same inside a long line of JSON."""
_FEW_MARKS = 0.03
"""Greatest share of lines that begin with a rare mark."""
_MANY_RECORDS, _NEARLY_ALL, _FEW_RECORDS, _SOME_RECORDS, OF_ODD = 8, 0.85, 2, 4, 8.0
"""Records of one value, and their share, from which another value is odd if at most so few records have
it; and records from which a value of a single record is odd.
"""
_LONGEST_RECORD, _OF_FIRST = 24, 2.0
"""Lines of the first record that are raised, and by how much."""
_LONGEST_VALUE = 80
"""Characters of a value that are read."""
_DESCRIBED = lazily(r"[A-Z][\w -]{0,40}:(?= {2,}\S)")
"""The first field of an object in `kubectl describe`."""
_WARNED = lazily(r"\s+Warning\s")
"""An event below an object in `kubectl describe`."""
_UNUSUAL = lazily(r"Taints: +(?!<none>)\S|Unschedulable: +true$")
"""A field of a node that takes no pods, or not all."""
TABLE_RULE = lazily(r"\s+-{3,}(?:\s+-{3,})+\s*")
"""The rule below the header of a table in a section."""
_SEVERITY = lazily(r"\s*severity\W{1,12}([a-z]+)", re.IGNORECASE)
_DEPENDS = lazily(r"\s+Depends on vulnerable versions of \S")
_VULNERABILITIES = lazily(r"(?:found )?\d+ (?:[a-z]+ severity )?vulnerabilit(?:y|ies)\b", re.IGNORECASE)
_OF_ADVICE = 0.2
"""Factor for names in an audit's findings besides the package, its severity and its subject."""
_OF_SEVERITY = MappingProxyType({"critical": 8.0, "high": 4.0})
_LIST_ELEMENT = lazily(r"\s*(?:\"(?:[^\"\\]|\\.)*+\"|-?\d[\d.]*+),?|\s*- (?!.*:(?: |$))\S.*")
"""An element of a list with a line of its own, in JSON and YAML: a text or a number, no record."""
_FEW_BESIDE = 5
"""Fields in a row below one head, and rows of its table, from which each is worth less."""
_MOST_PARENTS = 3
_MOST_NAMES = 2
"""Records that are named with a line: its own and one around it."""
_BREAKS = lazily(r"\b(?:security|breaking(?: change)?)[:!]|\bcve-\d|\brevert \"", re.IGNORECASE)
_OF_BREAK, _RECENT = 8.0, 200.0
"""Worth of a line of a history about security, a breaking change, or a revert; and the number of entries
that halve it.
"""
_PARENTS = lazily(r"[*|\\/ ]*Merge: [0-9a-f]{7,40} ")
_WHO = lazily(r"[*|\\/ ]*(?:Author|Date):")
_STAT = lazily(r"[*|\\/ ]* \d+ files? changed,")
_FILE_STAT = lazily(r" (\S.{0,300}?) {1,300}\| {1,9}(?:(\d{1,9}) ?[+-]*|Bin\b.*)$")
"""A file in `git show --stat` below the message."""
_MUCH_CHANGED = 60
"""Changed lines from which a file is a subject of the commit."""
_OF_STAT, _OF_FILE_STAT, _OF_PARENTS, _OF_WHO, _OF_DATE = 6.0, 3.0, -3.0, 2.0, 1.5
"""Worth of an entry's total change; of the hashes of its parents, which are not entries; of the newest
author, and date; and of other dates.
"""
_OF_ENTRY, _ENTRIES = 6.0, 8
"""Worth of the subject of an entry that is not the newest, and the number of entries that halve it."""
_RESOURCE = lazily(r"\s*# \S.* (?:will|must) be |\S+, \S+, \w+ \(\S*\) has (?:been )?\w+:$")
_RESOURCE_BEGINS = lazily(r"[-+~/<=]{1,3} |\s*$")
"""`-/+ resource "a" "b" {`."""
_UNKNOWN_YET = lazily(
    r"\(known after apply\)$|: (?:Refreshing state|Reading|Read complete|Still [a-z]+)\b"
    r"|# \(\d+ unchanged \w+ hidden\)$"
)
_UNCHANGED, _OF_KEPT = lazily(r"\s+[\w\"](?!.* -> ).* = "), 0.3
"""An unchanged attribute in a plan, and the factor for its names."""
_OF_RESOURCE = 8.0
_OF_PLANNED = (
    (lazily(r"^(?:Plan: \d|(?:Apply|Destroy) complete!|[│|]? ?Error: )"), 20.0),
    (lazily(r"^[│|] +(?:with|on) \S.*[,:]$"), 10.0),
    (lazily(r"^\s*# \S.* (?:must be replaced|will be (?:destroyed|replaced))|# forces replacement"), 16.0),
    (lazily(r"\) has been removed:$"), 16.0),
    (lazily(r"^\s*# \S.* will be updated|\) has (?:changed|been added):$"), 12.0),
    (lazily(r"(?<!\}) -> |^[-+] {2,}\S"), 2.0),
)
"""Worth of a plan's total and of errors, with their places; of its deletions, and of its changes."""
_PER_CHANGE = 2
"""Divisor of a resource's worth for its changes: the reason of a replacement matters most."""
_OF_STATE = MappingProxyType({"in conflict": 16.0, "staged": 12.0, "changed": 8.0})
_ADVICE = lazily(r"\s+\(.*git .*\)$")
_LONGEST_CLEAN, _BELOW_STATES = 4, 3
"""Lines in which it may be said that nothing changed; and lines below the last file: the rest is of another
command.
"""
_ACTED_ON = frozenset(
    """
    button link textbox searchbox checkbox radio combobox option menuitem menuitemcheckbox menuitemradio
    tab switch slider spinbutton treeitem
    """.split()  # noqa: SIM905
)
_BOXES, _OF_BOX, _OF_ELEMENT = frozenset(("generic", "img", "list", "listitem", "group", None)), 0.1, 2.0
"""Roles of ARIA; the factor for names of boxes, and the worth of a named element besides its name."""
_NOTE_LINES = 12
"""Lines at each end that may hold notes of a client."""
_SIZED = lazily(r"\s*(\d{1,15}(?:[.,]\d{1,3})?)([KMGTP]?)(?:i?B)?\s+\S+\s*$")
"""An entry of a list with its size and unit."""
_UNITS = {unit: 1024.0**power for power, unit in enumerate(("", "K", "M", "G", "T", "P"))}
_OF_LARGEST, _LARGEST, _MOST_SIZED = 6.0, 12, 1.1
"""Worth of the largest entries of a list, their number, and the ratio of lines to entries with a size up
to which they count.
"""
_OF_FILE, _FILES, _OF_NEWEST, _OF_TOP, _OF_RECORD, _RECORDS = 2.0, 8, 20.0, 1.0, 4.0, 64
_OF_HEADING, _OF_TITLE, _OF_MESSAGE, _OF_COMPLAINT, _SAID_OFTEN = 0.2, 5.0, 3.0, 12.0, 2


def find_places(
    family: OutputFamily, lines: Sequence[str], kept: Sequence[int] | None = None
) -> list[OutputPlace]:
    """Return the structural facts of each line of an output of this family, or of the kept lines."""
    found = _find_by_family(family, lines, kept)
    for at in {*range(len(lines))[:_NOTE_LINES], *range(len(lines))[-_NOTE_LINES:]}:
        if is_client_note(lines[at]):
            found[at] = found[at]._replace(worth=found[at].worth + _OF_NEWEST)
    costs = next(
        (at for at in range(len(lines))[-_NOTE_LINES:] if lines[at].startswith("<usage>")), len(lines)
    )
    for at in (*range(count_client_lines(lines)), *range(costs, len(lines))):
        if not is_client_note(lines[at]):
            found[at] = OutputPlace(dull=((0, len(lines[at])),))
    if family is PROSE:
        _weigh_elements(lines, found)
    return found


def _weigh_elements(lines: Sequence[str], found: list[OutputPlace]) -> None:
    """Raise clickable and fillable elements of a page, as browsers describe it, over its boxes."""
    elements = [(at, element) for at, line in enumerate(lines) if (element := ELEMENT.match(line))]
    if len(elements) < _MANY_RECORDS:
        return
    for at, element in elements:
        if element["name"] and element["role"] in _ACTED_ON:
            found[at] = found[at]._replace(worth=found[at].worth + _OF_ELEMENT)
        elif element["role"] in _BOXES:
            found[at] = found[at]._replace(share=_OF_BOX)


def _find_by_family(
    family: OutputFamily, lines: Sequence[str], kept: Sequence[int] | None
) -> list[OutputPlace]:
    find = _FINDERS.get(family)
    if find is None:
        return [_NOWHERE] * len(lines)
    if kept is None or len(kept) == len(lines):
        return find(lines)
    if family is DATA:
        return _of_data(lines, kept)
    if family is MATCHES:
        return _of_matches(lines, kept)
    if family not in (FILE, PROSE, STEPS):
        return find(lines)
    found = [_NOWHERE] * len(lines)
    last = bisect_left(kept, len(lines) - _END_LINES)
    for part in (kept[:last], kept[last:]):
        for at, place in zip(part, find([lines[at] for at in part]), strict=True):
            found[at] = place._replace(needed=tuple(part[one] for one in place.needed))
    return found


def _of_diff(lines: Sequence[str]) -> list[OutputPlace]:
    """Return the commit, the file and the hunk of each line; headers of files come first.

    Output of an earlier command is read as text; each of its lines is worth less the more there are.
    """
    begin = next((at for at in range(len(lines)) if _COMMIT.match(lines[at]) or _is_file(lines, at)), 0)
    found = [
        place._replace(share=place.share * min(1.0, _HEAD_LINES / at))
        for at, place in enumerate(_of_text(lines[:begin]), start=1)
    ]
    commit = file = header = hunk = -1
    commits, files, share = 0, 0, 1.0
    head: tuple[int, ...] = ()
    inside = False
    within, below = (commit, file, hunk), _NOWHERE
    added, licence = _find_added(lines), range(0)
    for at, line in enumerate(lines[begin:], start=begin):
        if file >= 0 and line[:1] in _OF_HUNK and "commit " not in line and line[:4] not in ("+++ ", "--- "):
            if within != (commit, file, hunk):
                within = (commit, file, hunk)
                below = OutputPlace((*head, *(one for one in (file, hunk) if one >= 0)), share=share)
            if line[:1] == " " or at in licence:
                found.append(below._replace(share=share * _OF_UNCHANGED * (at not in licence)))
            else:
                found.append(below._replace(worth=_OF_NEW_DEFINITION * share) if at in added else below)
            continue
        above = (*head, *(one for one in (file, hunk) if one >= 0))
        if _COMMIT.match(line):
            found.append(OutputPlace(_find_subject(lines, at), _OF_NEWEST / (1 + commits / _ENTRIES)))
            commit, file, hunk, inside, commits = at, -1, -1, False, commits + 1
            head = (commit, *_find_subject(lines, at))
        elif _is_file(lines, at, inside=inside):
            share = weigh_file(find_changed_file(line) or line)
            file, hunk, inside = at, -1, line.startswith("diff --git ")
            header = _find_file_header(lines, at)
            files += 1
            found.append(OutputPlace(head, _weigh_header(files, share) if at == header else 0.0, share=share))
        elif at == header:
            file, inside = at, False
            found.append(OutputPlace(head, _weigh_header(files, share), share=share))
        elif line.startswith("@@ ") and file >= 0:
            found.append(OutputPlace((*head, file), share=share))
            hunk, inside = at, False
            licence = _find_licence(lines, at + 1) if line.startswith("@@ -0,0 ") else range(0)
        else:
            inside = inside and not line.startswith("+++ ")
            dull = ((0, len(line)),) if inside and line.startswith("index ") else ()
            is_newest = file < 0 and commits == 1
            is_subject = is_newest and _SUBJECT.match(line) and not any(map(_SUBJECT.match, lines[commit:at]))
            found.append(
                OutputPlace(above, _OF_NEWEST if is_subject else 0.0, dull, share if file >= 0 else 1.0)
            )
    _pair_fields(lines, found)
    _add_short_hunks(lines, found)
    _raise_changed_words(lines, found)
    return found


def _raise_changed_words(lines: Sequence[str], found: list[OutputPlace]) -> None:
    """Raise the lines of a word diff that have changes."""
    for at, line in enumerate(lines):
        if ("-]" in line or "+}" in line) and _CHANGED_WORDS.search(line):
            found[at] = found[at]._replace(worth=_OF_CHANGED_WORDS * found[at].share)


def _add_short_hunks(lines: Sequence[str], found: list[OutputPlace]) -> None:
    """Show the name of a file with its first hunk, if that is a few lines, as in `git diff -U0`."""
    for at, (line, below) in enumerate(pairwise(lines)):
        if line.startswith("+++ ") and below.startswith("@@ "):
            end = at + 2
            while end < len(lines) and end <= at + _SHORT_HUNK + 2 and lines[end][:1] in _OF_HUNK:
                end += 1
            if end - at - 2 <= _SHORT_HUNK:
                found[at] = found[at]._replace(needed=(*found[at].needed, *range(at + 1, end)))


def _pair_fields(lines: Sequence[str], found: list[OutputPlace]) -> None:
    """Show the old and the new value of a field together, if other lines are between them."""
    old: dict[str, int] = {}
    for at, line in enumerate(lines):
        field = _CHANGED_FIELD.match(line)
        if line[:1] not in ("-", "+"):
            old.clear()
        elif field and line[0] == "-":
            old[field[1]] = at
        elif field and (before := old.pop(field[1], at)) < at - 1:
            found[before] = found[before]._replace(needed=(*found[before].needed, at))
            found[at] = found[at]._replace(needed=(*found[at].needed, before))


def _find_licence(lines: Sequence[str], first: int) -> range:
    """Return the lines of the licence remark that begins here; empty if there is none."""
    end = first
    while end < min(len(lines), first + _LONGEST_LICENCE) and _REMARK.match(lines[end]):
        end += 1
    return range(first, end if any(map(_LICENCE.search, lines[first:end])) else first)


def _find_added(lines: Sequence[str]) -> set[int]:
    """Return the lines of a diff that add functions and classes and do not replace removed ones."""
    defined = {
        at: found
        for at, line in enumerate(lines)
        if line[:1] in ("+", "-") and (found := read_definition(line[1:])) is not None
    }
    gone = {found.name for at, found in defined.items() if lines[at][0] == "-"}
    return {
        at
        for at, found in defined.items()
        if lines[at][0] == "+" and found.name not in gone and found.indent <= _DEEP and not found.is_value
    }


def _find_file_header(lines: Sequence[str], at: int) -> int:
    """Return the line that names the file whose part of a diff begins here.

    Unless the file was deleted that is `+++ b/path`, which is half as long as the line of `diff --git`.
    """
    if at == 0 or not lines[at].startswith("diff --git "):
        return at  # the first line is shown anyway
    below = range(at + 1, min(at + _HUNK_BEGINS, len(lines)))
    new = next((one for one in below if lines[one].startswith("+++ ")), at)
    return at if lines[new] == "+++ /dev/null" else new


def _weigh_header(nth: int, share: float) -> float:
    """Return the worth of the nth file header of a diff: in long ones, hunks matter more."""
    return _OF_FILE * share / (1 + max(0, nth - _FILES) / _FILES)


def _find_subject(lines: Sequence[str], at: int) -> tuple[int, ...]:
    """Return the line with the subject of the commit that begins here, () if there is none."""
    below = range(at + 1, min(at + _HEAD_LINES, len(lines)))
    return next(((one,) for one in below if _SUBJECT.match(lines[one])), ())


def _is_file(lines: Sequence[str], at: int, *, inside: bool = False) -> bool:
    """Return whether a file's part of a diff begins here; `---` does if no line of git's is above it."""
    if not _FILE_OF_HUNKS.match(lines[at]):
        return False
    after = lines[at + 1] if at + 1 < len(lines) else ""
    return not lines[at].startswith("--- ") or (not inside and after.startswith("+++ "))


_BEGINS: Mapping[OutputFamily, tuple[re.Pattern[str], int]] = MappingProxyType(
    {
        DIFF: (lazily(rf"@@ -\d|{_FILE_BEGINS}|{_COMMIT_BEGINS}"), _HUNK_BEGINS),
        HISTORY: (lazily(rf"{_COMMIT_BEGINS}|{_SUBJECT_BEGINS}"), 0),
        PLAN: (_RESOURCE, 0),
        LISTING: (_MESSAGE, 0),
        **dict.fromkeys((STATUS, BLAME), (lazily(r"\S"), 0)),
        **dict.fromkeys((FILE, PROSE, STEPS), (lazily(rf"{_HEADS}|{_DEFINITION}"), _PART_BEGINS)),
    }
)
"""The beginning of an item in a text of a family, and the number of lines that describe it."""


def thin(
    family: OutputFamily, lines: Sequence[str], most: int, odd: Callable[[], Sequence[int]]
) -> list[int] | None:
    """Return the lines that may be shown of a text that is too long, None if the family has no structure.

    In a diff these are the names of files and hunks, and their beginnings; in a history, entries and
    subjects; in a plan its resources; in a list its summary; in matches the first of each file; in a file
    its definitions and headings; in data the surroundings of `odd` lines. The first and the last lines are
    included.
    """
    keys: Iterable[int]
    if family in _BEGINS:
        begins, reach = _BEGINS[family]
        keys = (at for at, line in enumerate(lines) if begins.match(line))
        most = _END_LINES if family is LISTING else most
    elif family in (DATA, TABLE):
        keys, reach = [max(0, at - _HUNK_BEGINS) for at in odd()], 2 * _HUNK_BEGINS
    elif family is MATCHES:
        keys, reach = _find_first_matches(lines, most), 0
    else:
        return None
    kept = {near for at in islice(keys, most) for near in range(at, min(len(lines), at + reach + 1))}
    ends = (*range(min(len(lines), _END_LINES)), *range(max(0, len(lines) - _END_LINES), len(lines)))
    return sorted({*sorted(kept)[:most], *ends})


def _find_first_matches(lines: Sequence[str], most: int) -> list[int]:
    """Return the first lines of each file, equally many of each, with the lines that name a file."""
    counts: dict[str, int] = {}
    nth: list[int] = []
    above = ""
    for line in lines:
        file = find_matched_file(line)
        if file or not _is_numbered(line):
            above = file or line
        counts[above] = count = counts.get(above, 0) + 1
        nth.append(count)
    each = max(1, most // max(1, len(counts)))
    return [at for at, count in enumerate(nth) if count <= each]


def _of_history(lines: Sequence[str]) -> list[OutputPlace]:
    """Return the commit and the subject of each line; the newest entry comes first."""
    starts = [at for at, line in enumerate(lines) if _COMMIT.match(line)]
    form = _AUTHOR if any(map(_AUTHOR.match, lines[:1])) else _SHORT_ENTRY
    starts = starts or [at for at, line in enumerate(lines) if form.match(line)]
    found = [_NOWHERE] * len(lines)
    for nth, (start, end) in enumerate(pairwise([*starts, len(lines)])):
        subject = next((at for at in range(start + 1, end) if _SUBJECT.match(lines[at])), start)
        head = tuple(sorted({start, subject}))
        found[start:end] = [OutputPlace(head, _weigh_entry_line(lines[at], nth)) for at in range(start, end)]
        entry = _OF_ENTRY / (1 + nth / _ENTRIES) if nth else _OF_NEWEST
        found[subject] = OutputPlace(head, found[subject].worth + entry)
    return found


def _weigh_entry_line(line: str, nth: int) -> float:
    """Return the worth of a line of the nth entry of a history besides its names."""
    if _PARENTS.match(line):
        return _OF_PARENTS
    if _WHO.match(line):
        return _OF_DATE / (1 + nth / _ENTRIES) if nth and "Date:" in line else _OF_WHO * (nth == 0)
    if _BREAKS.search(line):
        return _OF_BREAK / (1 + nth / _RECENT)
    if _STAT.match(line):
        return _OF_STAT / (1 + nth)
    changed = _FILE_STAT.match(line)
    if changed is None:
        return 0.0
    much = math.log2(1 + min(_MUCH_CHANGED, int(changed[2] or 1))) / math.log2(1 + _MUCH_CHANGED)
    return _OF_FILE_STAT * much * weigh_file(changed[1]) / (1 + nth)


def _of_matches(lines: Sequence[str], kept: Sequence[int] | None = None) -> list[OutputPlace]:
    """Return the name above each match, if names are on lines of their own; matches come first.

    For a long text, only the kept lines, and the names above them, are covered.
    """
    found = [_NOWHERE] * len(lines)
    head, share, looked_at = -1, 1.0, 0
    for at in range(len(lines)) if kept is None else kept:
        nearest = next((one for one in range(at, looked_at - 1, -1) if not _is_numbered(lines[one])), head)
        looked_at = at + 1
        if nearest != head:
            head, share = nearest, _weigh_match(lines[nearest])
            is_above = lines[head].strip() and head + 1 < len(lines) and _is_numbered(lines[head + 1])
            found[head] = _place_match(lines[head], share, _OF_MATCHED_FILE if is_above else None)
        if at != head:
            needed = (head,) if head >= 0 and lines[head].strip() else ()
            found[at] = _place_match(lines[at], share)._replace(needed=needed)
    return found


def _is_numbered(line: str) -> bool:
    """Return whether a line belongs to a file that is named above it."""
    return _NUMBERED_MATCH.match(line) is not None


def _weigh_match(line: str) -> float:
    """Return the factor for names in a line that names a file, and in those below it."""
    path = find_matched_file(line)
    return _OF_ASIDE if not path and line.startswith(_RECORD_OF_MATCHES) else weigh_file(path or line)


def _place_match(line: str, share: float, worth: float | None = None) -> OutputPlace:
    if worth is None:
        worth = _OF_MATCH if _MATCHING.match(line) else 0.0
    share *= _BLANK_MATCH.match(line) is None
    return OutputPlace((), worth * share, share=share)


def find_matched_files(lines: Sequence[str]) -> Iterator[str]:
    """Yield the file of each match, named in it or above it, "" for other lines."""
    file = ""
    for line, after in pairwise((*lines, "")):
        if own := find_matched_file(line):
            yield own
        elif _is_numbered(line):
            yield file
        else:
            head = line.removeprefix("File: ").strip().removesuffix(":")
            file = head if _is_numbered(after) else ""
            yield ""


def find_matched_file(line: str) -> str:
    """Return the file that a line of `grep` or of `rg --json` names before its match, "" if there is none."""
    found = _MATCHED_FILE.match(line)
    return found[found.lastindex or 0] if found else ""


def weigh_file(path: str) -> float:
    """Return the factor for names in a file, by the purpose that its path shows."""
    return _OF_ASIDE if place_of(path.replace("\\", "/")) in _ASIDE else 1.0


def _of_listing(lines: Sequence[str]) -> list[OutputPlace]:
    """Return the folder above its entries, as in `ls` of several folders; the first folder comes first.

    So do the branch that is checked out and, if sizes precede paths, the largest entries. The rows of a
    table need its header.
    """
    branches = find_branches(lines)
    if branches:
        return _of_tree(lines, branches)
    largest = _find_largest(lines)
    if largest:
        return [OutputPlace((), _OF_LARGEST) if at in largest else _NOWHERE for at in range(len(lines))]
    folder = -1
    table = find_header(lines)
    found: list[OutputPlace] = []
    folders = 0
    said: Counter[str] = Counter()
    for at, line in enumerate(lines):
        if (at == 0 or not lines[at - 1].strip()) and _FOLDER.fullmatch(line):
            folder, folders = at, folders + 1
            found.append(_NOWHERE)
        elif line.startswith("* "):
            found.append(OutputPlace((), _OF_NEWEST))
        elif _MESSAGE.match(line):
            reason = line.rpartition(": ")[2]
            said[reason] += 1
            worth = _OF_COMPLAINT if matters(line) else _OF_MESSAGE
            found.append(OutputPlace((), worth if said[reason] <= _SAID_OFTEN else 0.0))
        else:
            needed: tuple[int, ...] = (folder,) if folder >= 0 and line.strip() else ()
            if table is not None and at > table and line.strip():
                needed += (table,)
            found.append(OutputPlace(needed, _OF_TOP if folders == 1 else 0.0) if needed else _NOWHERE)
    return found


def _find_rare_marks(lines: Sequence[str]) -> Iterator[int]:
    """Yield the lines that begin with a rare mark: `-1f2e3d4 zlib` of submodules."""
    told = [at for at, line in enumerate(lines) if line.strip()]
    marks = Counter(lines[at][0] for at in told if not lines[at][0].isalnum())
    if marks.total() <= _MANY_RECORDS or max(marks.values()) < _NEARLY_ALL * len(told):
        return
    most = max(_FEW_RECORDS, len(told) * _FEW_MARKS)
    yield from (at for at in told if 0 < marks[lines[at][0]] <= most)


def _find_largest(lines: Sequence[str]) -> set[int]:
    """Return the lines with the largest sizes if nearly all have one before a path, as in `du`."""
    sized = [(at, found) for at, line in enumerate(lines) if (found := _SIZED.match(line))]
    if len(sized) <= _LARGEST or len(sized) * _MOST_SIZED < len(lines):
        return set()
    sizes = {at: float(found[1].replace(",", ".")) * _UNITS[found[2]] for at, found in sized}
    return set(sorted(sizes, key=lambda at: -sizes[at])[:_LARGEST])


def _of_tree(lines: Sequence[str], branches: Sequence[TreeBranch]) -> list[OutputPlace]:
    """Return the folders of each entry of a drawn tree; folders come before files."""
    found = [_NOWHERE] * len(lines)
    parents = {branch.parent for branch in branches}
    above: dict[int, tuple[int, ...]] = {}
    for line, parent, folder in branches:
        above[line] = (*above.get(parent, ()), parent)[-_MOST_PARENTS:] if parent >= 0 else ()
        depth = folder.count("/")
        found[line] = OutputPlace(above[line], _OF_BRANCH / (1 + depth) if line in parents else 0.0)
    for at in _find_odd_versions(lines, above):
        found[at] = found[at]._replace(worth=OF_ODD)
    return found


def _find_odd_versions(lines: Sequence[str], entries: Iterable[int]) -> Iterator[int]:
    """Yield the packages of a tree whose version is rare among entries of that name."""
    versions: defaultdict[str, defaultdict[str, list[int]]] = defaultdict(lambda: defaultdict(list))
    for at in entries:
        if package := _PACKAGE.match(lines[at]):
            versions[package[1]][package[2]].append(at)
    for places in versions.values():
        most = _FEW_RECORDS if sum(map(len, places.values())) >= _MANY_RECORDS else 0
        yield from (at for own in places.values() if len(own) <= most for at in own)


_PREFACE, _OF_PREFACE, _OF_STATE_SHOWN = 8, 4.0, 1.5
"""Lines above a header that sum up the rows; their worth, and that of the first row in a state."""


def _of_table(lines: Sequence[str]) -> list[OutputPlace]:
    """Return the header for each row; it comes first, then the rows in a rare state.

    Summaries above and below it and the first row of each state come next.
    """
    header = find_header(lines)
    if header is None:
        return [_NOWHERE] * len(lines)
    below = OutputPlace((header,))
    found = [below if at > header and line.strip() else _NOWHERE for at, line in enumerate(lines)]
    found[header] = OutputPlace((), _OF_NEWEST)
    for at in range(max(0, header - _PREFACE), header):
        found[at] = OutputPlace((), _OF_PREFACE if lines[at].strip() else 0.0)
    for at in find_summaries(lines, header):
        found[at] = OutputPlace((), _OF_PREFACE)
    rows, columns = read_columns(lines, header)
    for at, states in find_first_of_states(rows, columns).items():
        found[at] = found[at]._replace(worth=max(found[at].worth, _OF_STATE_SHOWN * states))
    for nth, at in enumerate(find_rare_rows(rows, columns)):
        found[at] = OutputPlace((header,), OF_ODD - nth / 2)
    for nth, at in enumerate(find_largest_rows(rows, columns)):
        found[at] = OutputPlace((header,), max(found[at].worth, _OF_LARGEST - nth / 4))
    return found


def _of_status(lines: Sequence[str]) -> list[OutputPlace]:
    """Return the head of the section for each file; heads and the branch come first, untracked files last.

    Advice on commands is left out.
    """
    head = -1
    found: list[OutputPlace] = []
    states = {state.line: state.state for state in iter_states(lines)}
    last = max(states, default=_LONGEST_CLEAN) + _BELOW_STATES
    for at, line in enumerate(lines):
        state = states.get(at)
        if state is not None:
            found.append(OutputPlace((head,) if head >= 0 else (), _OF_STATE.get(state, 0.0)))
        elif _ADVICE.match(line):
            found.append(OutputPlace((), dull=((0, len(line)),)))
        else:
            head = at if line.endswith(":") else head
            found.append(OutputPlace((), _OF_NEWEST if line.strip() and at <= last else 0.0))
    return found


def _of_plan(lines: Sequence[str]) -> list[OutputPlace]:
    """Return the resource of each line of a plan; resources come first, unknown values never."""
    resource = -1
    found: list[OutputPlace] = []
    for at, line in enumerate(lines):
        planned = _RESOURCE.match(line)
        if planned:
            resource = at
        elif line and not line[0].isspace() and not _RESOURCE_BEGINS.match(line):
            resource = -1
        dull = _UNKNOWN_YET.search(line)
        worth = next(
            (worth for pattern, worth in _OF_PLANNED if pattern.search(line)),
            _OF_RESOURCE if planned else 0.0,
        )
        if 0 <= resource < at and 0 < worth < _OF_RESOURCE:
            worth += found[resource].worth / _PER_CHANGE
        needed = (resource,) if 0 <= resource < at else ()
        share = _OF_KEPT if _UNCHANGED.match(line) else 1.0
        found.append(OutputPlace(needed, worth, ((0, len(line)),) if dull else (), share))
    return found


def _of_text(lines: Sequence[str]) -> list[OutputPlace]:
    """Return the nearest heading of Markdown above each line, its release, and the head of its table.

    The newest release of a changelog comes first.
    """
    heading = table = -1
    fenced = False
    release: tuple[int, ...] = ()
    releases = 0
    found: list[OutputPlace] = []
    for at, line in enumerate(lines):
        fenced = fenced is not (_FENCE.match(line) is not None)
        worth = 0.0
        if not fenced and _HEADING.match(line):
            level = len(line.lstrip(" \t→:0123456789").split(" ", 1)[0])
            release = release if release and release[1] < level else ()
            heading, above, worth = at, release[:1], _OF_HEADING
            if _RELEASE.fullmatch(line):
                release, above, releases = (at, level), (), releases + 1
                worth += _OF_RELEASE / (releases * releases)
        else:
            nearest = (heading,) if heading >= 0 else ()
            above = tuple(dict.fromkeys((*release[:1], *nearest))) if line.strip() else ()
        defines = _DEFINES.match(line)
        if defines and len(defines[1].expandtabs(4)) <= _DEEP:
            worth = _OF_DEFINITION
        if _ROW.match(line) and not fenced:
            table = at if table < 0 else table
            above += tuple(range(table, min(at, table + 2)))
        else:
            table = -1
        found.append(OutputPlace(above, worth))
    return found


def _of_data(lines: Sequence[str], kept: Sequence[int] | None = None) -> list[OutputPlace]:
    """Return for each line of data the lines that name its records; titles of pages come first, styles last.

    A field with a line of its own needs the head of its record and the first field, which names it.
    """
    if any(map(_CELL.match, lines[:_HEAD_LINES])):
        return _of_notebook(lines)
    found = [_NOWHERE] * len(lines)
    styled = False
    head: tuple[int, ...] = ()
    links = 0
    for at, line in enumerate(lines):
        links = links + 1 if "://" in line and _LINK.fullmatch(line) else 0
        if links > _FIRST_LINKS:
            found[at] = OutputPlace(dull=((0, len(line)),))
            continue
        if not styled and not head and "<" not in line and line.lstrip()[:1] == '"':
            continue  # a field of JSON
        if RECORD_HEAD.fullmatch(line):
            head = (at, min(at + 1, len(lines) - 1))
        if head:
            found[at] = OutputPlace(head if at > head[-1] else head[: at - head[0]])
            continue
        is_marked = "<" in line
        dull, styled = _find_styles(line, inside=styled) if styled or is_marked else ((), False)
        dull = ((0, len(line)),) if _tells_of_exchange(line) else dull
        worth = _OF_TITLE if is_marked and _TITLE.search(line) else _OF_ANSWER if _ANSWER.match(line) else 0.0
        worth = OF_ODD if _CERTIFIED.match(line) else worth
        if dull or worth:
            found[at] = OutputPlace((), worth, dull)
    body = find_body(lines)
    if body:
        found[body] = found[body]._replace(worth=_OF_ANSWER)
    records = list(_iter_records(lines))
    _name_records(lines, records, range(len(lines)) if kept is None else kept, found)
    starts = find_records(lines) or ([0] if lines and _DESCRIBED.match(lines[0]) else [])
    _name_fields(lines, starts, found)
    _name_findings(lines, found)
    _raise_first([*records, *pairwise([*starts, len(lines)])], found)
    _raise_odd(lines, found)
    _weigh_query_plan(lines, found)
    _leave_out_encoded(lines, found)
    _weigh_long_lists(lines, found)
    return found


def _weigh_long_lists(lines: Sequence[str], found: list[OutputPlace]) -> None:
    """Let the elements of a long list say less the more there are, such as the variables of a container."""
    nth = 0
    for at, line in enumerate(lines):
        nth = nth + 1 if _LIST_ELEMENT.fullmatch(line) else 0
        if nth > _FEW_BESIDE:
            found[at] = found[at]._replace(share=found[at].share * _FEW_BESIDE / nth)


def _tells_of_exchange(line: str) -> bool:
    """Return whether `curl -v` prints a line for every connection; fast for fields, which most lines are."""
    return line != "" and (line[0] in "{}*<>" or line.isspace()) and _EXCHANGE.match(line) is not None


def _leave_out_encoded(lines: Sequence[str], found: list[OutputPlace]) -> None:
    """Leave out the names and bytes of keys and signatures, and encoded certificates."""
    inside = False
    for at, line in enumerate(lines):
        begins = len(line) >= _SHORTEST_ENCODED and _ENCODED.fullmatch(line) is not None
        if begins or (inside and _ENDS_ENCODED.fullmatch(line)):
            found[at] = OutputPlace(dull=((0, len(line)),))
        if begins and not inside and at and lines[at - 1].rstrip().endswith(":"):
            found[at - 1] = OutputPlace(dull=((0, len(lines[at - 1])),))
        inside = begins


def _weigh_query_plan(lines: Sequence[str], found: list[OutputPlace]) -> None:
    """Raise the steps of a query's plan by their own time; each line needs its step."""
    steps = {
        at: float(step[1]) * int(step[2])
        for at, line in enumerate(lines)
        if "actual time=" in line and (step := _STEP.search(line))
    }
    if not steps:
        return
    parents = _find_parents(lines)
    above = [_find_step(parents, at, steps) for at in range(len(lines))]
    own = dict(steps)
    for at in steps:
        if above[at] in own:
            own[above[at]] -= steps[at]
    total = max(0.001, *steps.values())
    for at, outer in enumerate(above):
        if at in own:
            found[at] = OutputPlace(worth=_OF_SLOWEST * max(0.0, own[at]) / total)
        elif outer >= 0:
            found[at] = OutputPlace((outer,))
        elif _PLANNED_IN.match(lines[at]):
            found[at] = OutputPlace(worth=OF_ODD)


def _find_step(parents: Sequence[int], at: int, steps: Mapping[int, float]) -> int:
    """Return the step of a plan above a line, -1 if there is none."""
    at = parents[at]
    while at >= 0 and at not in steps:
        at = parents[at]
    return at


def _of_notebook(lines: Sequence[str]) -> list[OutputPlace]:
    """Return the kind of its cell for each line; names count in texts of cells and of outputs alone.

    Headings and errors come first, then definitions; of printed lines the first ones of a form.
    """
    kind = -1
    text = ""
    seen: Counter[str] = Counter()
    found: list[OutputPlace] = []
    for at, line in enumerate(lines):
        kind = at if _CELL.match(line) else kind
        opens = _TEXT_OF_CELL.match(line)
        ends = line.lstrip().startswith("]")
        if ends and text == "text":
            found[-1] = found[-1]._replace(worth=_OF_LAST_PRINTED, share=1.0)
        text = opens[1] if opens else "" if ends else text
        worth, share = _weigh_text_of_cell(line, text, seen)
        is_alone = opens is not None and not line.endswith("[")
        found.append(OutputPlace((kind,) if text and kind >= 0 else (), worth, share=share))
        text = "" if is_alone else text
    return found


def _weigh_text_of_cell(line: str, text: str, seen: Counter[str]) -> tuple[float, float]:
    """Return the worth of a line of a notebook's text, and the factor for its names."""
    if not text:
        return 0.0, 0.0
    if text in _OF_RAISED:
        return _OF_RAISED[text], 1.0
    if text == "traceback" and _RAISED_AT.search(line):
        return _OF_RAISED_AT, 1.0
    if text == "source":
        said = _SAID_IN_CELL.match(line)
        return (_OF_CELL_HEADING if said and said[1] else _OF_CELL_DEFINITION if said else 0.0), 1.0
    form = template(line)
    seen[form] += 1
    return 0.0, _OF_OUTPUT / seen[form]


def _raise_first(records: Sequence[tuple[int, int]], found: list[OutputPlace]) -> None:
    """Raise the first record of many: it shows their common fields."""
    first, end = min(records) if len(records) >= _MANY_RECORDS else (0, 0)
    for at in range(first, min(end, first + _LONGEST_RECORD)):
        if not found[at].dull:
            found[at] = found[at]._replace(worth=found[at].worth + _OF_FIRST)


def _of_file(lines: Sequence[str]) -> list[OutputPlace]:
    """Return the places as for a text; for YAML, odd fields with their parents."""
    found = _of_text(lines)
    for at in _find_licence(lines, 0):
        found[at] = found[at]._replace(share=0.0)
    if is_document(lines):
        _raise_odd(lines, found)
    if any(map(_PAGE.match, lines[:1])):
        _weigh_page(lines, found)
    return found


def _weigh_page(lines: Sequence[str], found: list[OutputPlace]) -> None:
    """Raise the titles of a page that is read as a file, over its styles and scripts."""
    styled = False
    for at, line in enumerate(lines):
        parts, styled = _find_styles(line, inside=styled)
        if parts:
            found[at] = found[at]._replace(share=_OF_STYLE)
        elif _TITLE.search(line):
            found[at] = found[at]._replace(worth=_OF_TITLE)


def _of_steps(lines: Sequence[str]) -> list[OutputPlace]:
    """Return the places as for a text; a new commit comes first.

    So do lines that begin with a rare mark. Of many steps of one kind (`Auto-merging src/app.py`) each is
    worth less.
    """
    found = _of_text(lines)
    told: Counter[str] = Counter()
    for at, line in enumerate(lines):
        if _COMMIT_MADE.match(line):
            found[at] = found[at]._replace(worth=_OF_COMMIT_MADE)
        elif step := _KIND_OF_STEP.match(line):
            told[step[1]] += 1
            share = min(1.0, _FEW_BESIDE / told[step[1]])
            found[at] = found[at]._replace(share=share * found[at].share)
    for at in _find_rare_marks(lines):
        found[at] = found[at]._replace(worth=found[at].worth + OF_ODD)
    return found


def _raise_odd(lines: Sequence[str], found: list[OutputPlace]) -> None:
    """Raise odd fields and records, with their parents if nothing names their record."""
    above: Sequence[int] = ()
    for at in {*_find_odd_fields(lines), *_find_odd_records(lines)}:
        above = above or _find_parents(lines)
        needed = found[at].needed or _climb(above, at)
        found[at] = found[at]._replace(needed=needed, worth=found[at].worth + OF_ODD)


def _find_parents(lines: Sequence[str]) -> list[int]:
    """Return for each line the nearest one above with less indentation, -1 if there is none."""
    above: list[int] = []
    open_lines: list[tuple[int, int]] = []
    for at, line in enumerate(lines):
        bare = line.lstrip()
        if not bare:
            above.append(-1)
            continue
        indent = len(line) - len(bare)
        while open_lines and open_lines[-1][1] >= indent:
            open_lines.pop()
        above.append(open_lines[-1][0] if open_lines else -1)
        open_lines.append((at, indent))
    return above


def _climb(above: Sequence[int], at: int) -> tuple[int, ...]:
    """Return the parents of a line, the outermost first."""
    found: list[int] = []
    while len(found) < _MOST_PARENTS and above[at] >= 0:
        at = above[at]
        found.append(at)
    return tuple(reversed(found))


def _name_fields(lines: Sequence[str], starts: Sequence[int], found: list[OutputPlace]) -> None:
    """Add to each field with a line of its own its record, its parents, its table's header."""
    above = _find_parents(lines)
    of_record = _OF_RECORD * min(1.0, _RECORDS / max(1, len(starts)))
    for start, end in pairwise([*starts, len(lines)]):
        is_name = lines[start].endswith(":") and start + 1 < end  # alone, it tells nothing
        first = (start + 1,) if is_name else ()
        found[start] = found[start]._replace(needed=first, worth=found[start].worth + of_record)
        table = -1
        beside = 0
        for at in range(start + 1, end):
            line = lines[at]
            table = at - 1 if TABLE_RULE.fullmatch(line) else table if line[:1].isspace() else -1
            beside = beside + 1 if line[:1].isspace() and above[at] == above[at - 1] else 0
            if beside > _FEW_BESIDE:
                found[at] = found[at]._replace(share=(_FEW_BESIDE / beside) ** 2)
            if line.strip():
                outer = (one for one in _climb(above, at) if one >= start)
                needed = (start, *outer, *((table,) if 0 <= table < at else ()))
                is_row = 0 <= table < at
                if _UNUSUAL.match(line) or (is_row and (_WARNED.match(line) or matters(line.strip()))):
                    found[at] = found[at]._replace(worth=found[at].worth + OF_ODD)
                found[at] = found[at]._replace(needed=tuple(sorted(set(needed))))


def _find_styles(line: str, *, inside: bool) -> tuple[tuple[tuple[int, int], ...], bool]:
    """Return the unread parts of a line of a page, and whether the last one continues.

    These are styles, scripts, drawings and remarks: in JSON too, where bots put them into their text.

    An unclosed part continues if the line begins with it.
    """
    parts: list[tuple[int, int]] = []
    at = 0
    while True:
        begin = None if inside else _STYLE.search(line, at)
        if begin is None and not inside:
            return tuple(parts), False
        start = begin.start() if begin else at
        end = _STYLE_ENDS.search(line, start)
        if end is None:
            goes_on = inside or not line[:start].strip()
            return (*parts, *(((start, len(line)),) if goes_on else ())), goes_on
        inside, at = False, end.end()
        parts.append((start, at))


def _name_findings(lines: Sequence[str], found: list[OutputPlace]) -> None:
    """Add to each line of an audit the first of its block, the package; severe findings come first.

    A package's dependants are above the line that says so.
    """
    severities = {at: severity for at, line in enumerate(lines) if (severity := _SEVERITY.match(line))}
    if len(severities) < _SOME_RECORDS:
        return
    head, of_block = -1, 0.0
    for at, line in enumerate(lines):
        head = -1 if not line.strip() else at if head < 0 else head
        if _VULNERABILITIES.match(line):
            found[at] = found[at]._replace(worth=_OF_SEVERITY["critical"])
        if head < at and head >= 0:
            of_block = of_block if head < at - 1 else 0.0
            told = severities.get(at) or severities.get(at - 1)  # its subject is below it
            of_block = _OF_SEVERITY.get(told[1].lower(), 0.0) if told else of_block
            depends = _DEPENDS.match(line) is not None
            needed = (head, at - 1) if depends and head < at - 1 else (head,)
            is_about = told is not None or depends
            found[at] = OutputPlace(
                needed, of_block if is_about else 0.0, share=1.0 if is_about else _OF_ADVICE
            )
            if at in severities and at == head + 1:
                found[head] = OutputPlace((at,), of_block + _OF_TOP)


def _find_odd_fields(lines: Sequence[str]) -> Iterator[int]:
    """Yield the lines with fields whose value hardly any other record has."""
    fields = ((found, at) for at, line in enumerate(lines) if (found := _FIELD.fullmatch(line)))
    return _find_odd_values((found[1], found[2], at) for found, at in fields)


def find_odd_places(line: str) -> Iterator[int]:
    """Yield the places of fields in a long line of JSON whose value hardly any other record has."""
    return _find_odd_values((found[1], found[2], found.start()) for found in _FIELD_INSIDE.finditer(line))


_BRACKET = lazily(r"\"(?:[^\"\\]|\\.)*+(?:\"|\\?$)|[{}\[\]]")
"""A text of JSON, possibly cut at the end, or a bracket of an object or a list."""


def find_outer_places(line: str, places: Collection[int]) -> Iterator[tuple[int, tuple[int, ...]]]:
    """Yield each place in a line of JSON with the beginnings of its enclosing objects, or their names."""
    waiting = sorted(places, reverse=True)
    opened: list[int] = []
    before = 0
    for found in _BRACKET.finditer(line):
        while waiting and waiting[-1] <= found.start():
            yield waiting.pop(), tuple(opened[-_MOST_PARENTS:])
        if found[0] in ("{", "["):
            opened.append(before or found.start())
        elif found[0][0] != '"':
            del opened[-1:]
        is_name = found[0][0] == '"' and line[found.end() : found.end() + 1] == ":"
        before = found.start() if is_name else 0


def _find_odd_values(fields: Iterable[tuple[str, str, int]]) -> Iterator[int]:
    """Yield the places of values that hardly any other field of the name has, if nearly all have one."""
    columns: defaultdict[str, list[tuple[str, int]]] = defaultdict(list)
    for name, told, at in fields:
        columns[name].append((told, at))
    for column in columns.values():
        counts = _ValueCounts(())
        for value, at in column:
            counts.add(value, at)
        yield from counts.iter_odd()
        rare = find_rare_cells([value for value, _ in column])
        yield from (column[nth][1] for nth in sorted(rare, key=rare.__getitem__)[:_MANY_RECORDS])


def _find_odd_records(lines: Sequence[str]) -> Iterator[int]:
    """Yield the first record of JSON Lines, and those with a rare field or value."""
    least = max(_MANY_RECORDS, _NEARLY_ALL * len(lines))
    if len(lines) < least:
        return
    records: list[int] = []
    columns: dict[str, _ValueCounts | None] = {}
    for at, line in enumerate(lines):
        record = _read_record(line)
        if record is None:
            if at + 1 - len(records) > len(lines) - least:
                return
            continue
        for name in record.keys() - columns.keys():
            columns[name] = _ValueCounts(records)
        for name, column in columns.items():
            if column is not None:
                column.add(repr(record[name])[:_LONGEST_VALUE] if name in record else "", at)
                if column.different > len(lines) - least + _FEW_RECORDS:
                    columns[name] = None  # the share of one value is already too low
        records.append(at)
    if len(records) >= least:
        yield records[0]
        for column in filter(None, columns.values()):
            yield from column.iter_odd()


class _ValueCounts:
    """How many records have each value of a field, and the places of rare ones."""

    def __init__(self, without: Sequence[int]) -> None:
        """Take the records so far, which do not have the field."""
        self._counts: Counter[str] = Counter()
        self._places: defaultdict[str, list[int]] = defaultdict(list)
        if without:
            self._counts[""] = len(without)
            self._places[""] += without[:_FEW_RECORDS]

    def add(self, value: str, at: int) -> None:
        """Take the value of one more record, "" if it lacks the field."""
        self._counts[value] += 1
        if self._counts[value] <= _FEW_RECORDS:
            self._places[value].append(at)

    @property
    def different(self) -> int:
        """Return the number of different values."""
        return len(self._counts)

    def iter_odd(self) -> Iterator[int]:
        """Yield the records with a rare value, if nearly all have one value."""
        often, records = max(self._counts.values()), self._counts.total()
        is_one_odd = often >= _SOME_RECORDS and often == records - 1
        if is_one_odd or often >= max(_MANY_RECORDS, _NEARLY_ALL * records):
            rare = (value for value, count in self._counts.items() if count <= _FEW_RECORDS)
            yield from (at for value in rare for at in self._places[value])


def _read_record(line: str) -> dict[str, object] | None:
    if not (line.startswith("{") and line.rstrip().endswith("}")):
        return None
    try:
        record: dict[str, object] = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return record


def _name_records(
    lines: Sequence[str], records: Sequence[tuple[int, int]], kept: Sequence[int], found: list[OutputPlace]
) -> None:
    """Add to each kept line the one that names its record, and the one of the record around."""
    # From the last one on: those of a record are taken away, and records come in the order in which they end.
    naming = [-at for at in range(len(lines) - 1, -1, -1) if _NAMING.match(lines[at])]
    counts = Counter(lines[-at] for at in naming)

    def rank(at: int) -> tuple[int, bool, bool, int]:
        """Return a key that is lower for a better name: a shared one does not identify a record."""
        line = lines[at]
        return _depth(line), counts[line] > 1, not _IS_NAME.match(line), at

    for first, end in records:
        inside = slice(bisect_right(naming, -end), bisect_right(naming, -first))
        own = [-at for at in naming[inside]]
        names = (min(own, key=rank),) if own else ()
        for at in kept[bisect_left(kept, first) : bisect_left(kept, end)]:
            needed = found[at].needed
            if len(needed) < _MOST_NAMES and (names or not needed):
                above = tuple(one for one in names or (min(first + 1, end - 1),) if one != at)
                found[at] = found[at]._replace(needed=needed + above)
        naming[inside] = ()


_OPENS_BLOCK = lazily(r"\s*(?:- +)?[\"']?([^\s\"'{}\[\],][^\"'{}]{0,200}?)[\"']?: ?[{\[]?\s*")
"""A field of JSON or YAML whose value is below it; its name."""
_TOLD_NAME = lazily(r".{0,80}?: [\"']?([^\"',]{1,200})")
_MOST_ASKED = 6
"""Most records that a name may identify."""


def find_asked_records(lines: Sequence[str], question: Question) -> list[Section]:
    """Return the records of JSON or YAML that a question names; if possible, by exact names.

    A record is named by the field whose value it is, or by one of its own.
    """
    records = list(_iter_records(lines))
    named: dict[int, Section] = {}
    called: dict[int, Section] = {}
    for at, line in enumerate(lines):
        opens = _OPENS_BLOCK.fullmatch(line)
        told = opens or (_TOLD_NAME.match(line) if _NAMING.match(line) else None)
        if told is None:
            continue
        is_named = any(one.startswith("=") for one in question.find(told[1]))
        found = named if is_named else called
        if len(found) > _MOST_ASKED:
            continue
        if is_named or weigh_name(told[1].rpartition("/")[2], question):
            around = (one for one in records if one[0] <= at < one[1])
            first, end = (at, _find_block_end(lines, at)) if opens else next(around, (at, at))
            if end - first > 1:
                found[first] = Section(first, end, first)
    return next(([*some.values()] for some in (named, called) if 0 < len(some) <= _MOST_ASKED), [])


def _find_block_end(lines: Sequence[str], at: int) -> int:
    """Return the line after the value below a field."""
    own = len(lines[at]) - len(lines[at].lstrip())
    for below in range(at + 1, len(lines)):
        bare = lines[below].lstrip()
        indent = len(lines[below]) - len(bare)
        if bare and indent <= own and not (indent == own and bare.startswith("- ")):
            return below + (indent == own and bare[0] in "]}")
    return len(lines)


def _iter_records(lines: Sequence[str]) -> Iterator[tuple[int, int]]:
    """Yield the elements of lists in JSON and YAML, inner ones first: their first line and the one after."""
    opened: list[tuple[int, int, bool]] = []
    for at, line in enumerate(lines):
        bare = line.lstrip()
        if not bare:
            continue
        indent = len(line) - len(bare)
        closes = bare[0] in "]}"
        while opened and (
            indent < opened[-1][1] or (indent == opened[-1][1] and (closes or not opened[-1][2]))
        ):
            first, depth, is_braced = opened.pop()
            yield first, at + (is_braced and closes and indent == depth)
            if is_braced and closes and indent == depth:
                break
        if bare[0] == "{" and _RECORD.match(line):
            opened.append((at, indent, True))
        elif bare[0] == "-" and _ITEM.match(line):
            opened.append((at, indent, False))
    yield from ((first, len(lines)) for first, _, _ in reversed(opened))


def _depth(line: str) -> int:
    """Return the indentation of a field; after the `- ` of an item that of the fields below it."""
    return len(line) - len(line.lstrip(" \t-"))


_FINDERS: Mapping[OutputFamily, Callable[[Sequence[str]], list[OutputPlace]]] = MappingProxyType(
    {
        DIFF: _of_diff,
        HISTORY: _of_history,
        MATCHES: _of_matches,
        LISTING: _of_listing,
        PLAN: _of_plan,
        PROSE: _of_text,
        STATUS: _of_status,
        STEPS: _of_steps,
        DATA: _of_data,
        TABLE: _of_table,
        TREE: _of_listing,
        FILE: _of_file,
    }
)
