"""Fold a stream of lines in one pass: count families, keep first and last lines and those that matter."""

from __future__ import annotations

import itertools
import operator
import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from satchel.output.asking import Question, Shared
from satchel.output.cleaning import clean_lines, is_binary, shorten_all_rules, shorten_rules
from satchel.output.judging import (
    Judgement,
    Rank,
    find_stems,
    judge,
    judge_if_bad,
    matters,
    read_call,
    strip_runner,
    tells_nothing,
)
from satchel.output.templates import (
    choose_status_pattern,
    coarse_key,
    file_names,
    is_request,
    keys,
    strip_digits,
    template,
)
from satchel.patterns import lazily

_NUMBER = lazily(
    r"(?<![\w.:/#@+-])(\d{1,15}+(?:\.\d{1,9}+)?)(?!\w*[.:/-]\d)([kKMGTP]i?[bB]?|[numµ]?s|%)?(?!\w)"
)
"""A measured number and its unit, except parts of times, dates, addresses, versions and identifiers."""
_LABEL = lazily(r"([A-Za-z][\w.-]{0,40})[\"']?\s?[=:]\s?[\"']?$")
_MARKS, _LONGEST_LABEL = 4, 48
_DIGITS = str.maketrans("", "", "0123456789")
_LONGEST = 400
_ENOUGH = 16
"""Numbers in one column from which one of them can be an outlier."""
_FAR, _LEAST = 8.0, 5.0
"""How many times nearly all others an outlier is; and its least size."""
_LOW_LEAST = 50.0
"""Least size of nearly all others for a small outlier."""
_NARROW = 4.0
"""Most times of the smallest usual number that the middle one may be, for a small outlier.

Of numbers of all sizes, as identifiers are, some are always small.
"""
_ALIKE = 2
"""Most outliers in a column; more are a kind of their own."""
_NEARLY_ALL = 0.94

Column = tuple[int, str]
"""The text before a number in its line, hashed, and its unit."""


def find_outlying_lines(texts: Iterable[str]) -> list[tuple[int, float]]:
    """Return the lines with a number far from others in its column, the farthest first.

    Each comes with the ratio between its number and nearly all others.
    """
    columns: defaultdict[Column, list[tuple[float, int]]] = defaultdict(list)
    for at, text in enumerate(texts):
        for column, number in _find_numbers(text[:_LONGEST]):
            columns[column].append((number, at))
    ratios: dict[int, float] = {}
    for numbers in columns.values():
        for at, ratio in _outliers(numbers) if len(numbers) >= _ENOUGH else ():
            ratios[at] = max(ratio, ratios.get(at, 0.0))
    return sorted(ratios.items(), key=lambda one: (-one[1], one[0]))


def _find_numbers(text: str) -> Iterator[tuple[Column, float]]:
    """Yield the numbers of a line with their columns."""
    key, end = 0, 0
    for found in _NUMBER.finditer(text):
        before = text[end : found.start()]
        marked = before[-_MARKS:]
        label = _LABEL.search(before[-_LONGEST_LABEL:]) if "=" in marked or ":" in marked else None
        end = found.end()
        words = before.translate(_DIGITS).split()
        key = hash((key, " ".join(word if word.isalpha() else "-" for word in words)))
        yield (hash(label[1]) if label else key, found[2] or ""), float(found[1])


def _outliers(numbers: Sequence[tuple[float, int]]) -> Iterator[tuple[int, float]]:
    """Yield the places of the one or two numbers far above or below all others."""
    ranked = sorted(numbers)
    usual = ranked[min(int(len(ranked) * _NEARLY_ALL), len(ranked) - _ALIKE - 1)][0]
    for number, at in ranked[-_ALIKE:]:
        if number >= max(_LEAST, _FAR * usual):
            yield at, number / max(usual, 1.0)
    least = ranked[max(int(len(ranked) * (1 - _NEARLY_ALL)), _ALIKE)][0]
    first = {at for _, at in numbers[:_ALIKE]}
    is_narrow = ranked[len(ranked) // 2][0] <= _NARROW * least
    for number, at in ranked[:_ALIKE] if is_narrow else ():
        # A counter begins low.
        if least >= max(_LOW_LEAST, _FAR * number) and at not in first:
            yield at, least / max(number, 1.0)


_QUOTAS = {Rank.FAILURE: 600, Rank.ERROR: 60, Rank.VERDICT: 30, Rank.WARNING: 12}
_BLAMING = (Rank.WARNING, Rank.ERROR, Rank.FAILURE)
_QUOTA, _QUOTA_WHERE_CROWDED = 4, 2
"""Lines kept of a family from its first on; and if very many are kept already."""
_VARIANTS = 24
"""Lines of a family that differ in more than digits, until hashes are assumed."""
_STATUSES = 40
_HEAD, _TAIL = 30, 80
_BEFORE, _AFTER = 6, 8
"""Lines kept before and after one that matters."""
_FAMILIES = 2_000
"""Families after which new ones are distinguished by their bare structure only."""
_MANY_FAMILIES = 6_000
"""Families after which even those that matter are distinguished by structure and bad words only."""
_STRUCTURED = 20_000
"""Most lines whose structure is read for that."""
_QUICK_KEYS = 200_000
_FILES, _FEW_FILES = 400, 120
_COLUMNS, _CHOICES = 40, 12
_COMMON = 60
_MEASURED, _SOME_APART = 5_000, 8
"""Repeated lines whose numbers are compared; and most lines shown as outliers."""
_LONG, _LONG_RECORD, _RECORD_BEGINS = 1_200, 300, 120
"""Characters of a very long line, of one with a record in it, and those before which that begins."""
_MOST_LONG = 200_000
"""Very long lines whose lengths are remembered."""
_SILENT = lazily(
    r"(?:\[(?:INFO|WARNING|ERROR|DEBUG)\]|#\d{1,4} \d{1,6}\.\d{1,4}|\d\d:\d\d:\d\d(?:\.\d{1,6})?"
    r"|npm (?:ERR!|error|WARN|warn))?"
    r"[\s=\-_*~^#.+|:>│┃─━═┄┈╌⎯·•╵╷╰╭╮╯┌┐└┘├┤┬┴┼]*"
)
"""Lines of such marks, after a tool's prefix, show no more than blank ones: a gap has no mark."""
_STEP_ENDS = ("...", "…")
"""Ends of lines that announce a step."""
LOCATION = lazily(r"\s*--> \S+:\d+")
"""The place of the diagnostic in the line above."""
POSITION = r"\s+\d+(?::\d+\s| \| +(?:ERROR|WARNING)\b)"
"""The place of a diagnostic in the file that a line above names."""
_FILE_ALONE = lazily(r"(?:FILE: )?(?:[A-Za-z]:)?[\w@.~+-]*(?:[/\\][\w@.~+ -]+)*\.\w{1,8}")
_LOCATIONS = 100
"""Lines of such a family that are kept, with the lines around them."""
_ANSWERS = 400
"""Lines that are kept for the same words of a question."""
_OPENS = ("{", "[{", "<", "(")
_FIELD = lazily(r"[\s{\[,]*\"[\w.-]+\": ?-?\d")
"""A piece of a very long line that is a number with its name."""
FIELDS = 12
"""Pieces before one of a record of a very long line that are searched for the record's beginning."""
_WORDS = lazily(r"\w+")
_PIECE = lazily(r"[^\n]{1,200}?[,;}>)\]](?=[^\w,;}>)\]])|[^\n]{1,160}\w{0,80}", re.DOTALL)
"""A piece of a very long line: up to a closing mark, else up to a word's end."""

Place = tuple[int, int]
"""A line's number from 1 and where in it a piece starts."""
_CROWDED, _FULL, _KEPT_CHARS = 5_000, 120_000, 12_000_000
"""Kept lines from which each family gets less room; and lines and characters from which only errors and
failures are kept.
"""
_MOST_KEPT = 200_000
_BATCH = 100_000


class LineFamily:
    """Lines that differ in their digits and hashes only."""

    __slots__ = (
        "columns",
        "context",
        "count",
        "files",
        "is_mixed",
        "judgement",
        "last",
        "longest",
        "quota",
        "statuses",
        "variants",
        "watch",
    )

    def __init__(self, judgement: Judgement, watch: re.Pattern[bytes] | None) -> None:
        self.count = 0
        self.judgement = judgement
        self.quota = _QUOTAS.get(judgement.rank, _QUOTA)
        self.context = 0 if judgement.weight < 1 else _QUOTA if judgement.rank < Rank.ERROR else self.quota
        """Lines from the first on around which others are kept."""
        self.watch = watch
        self.statuses: dict[bytes, LineFamily] = {}
        self.variants: set[bytes] | None = set()
        self.files: dict[str, None] | None = None
        self.columns: list[set[str] | None] | None = None
        self.is_mixed = False
        """Whether lines of other words share it, because there were too many families."""
        self.last: tuple[Place, str] | None = None
        self.longest = 0
        """Characters of the longest line so far: a longer one has a number with more digits."""

    def give_way(self) -> None:
        """Need less room from now on: very many lines are kept already."""
        self.variants = None
        if self.judgement.rank in (Rank.ERROR, Rank.FAILURE):
            self.context = min(self.quota, _QUOTA)
            return
        self.context = 0
        if self.quota < _LOCATIONS:
            self.quota = min(self.quota, _QUOTA_WHERE_CROWDED)

    def is_common(self) -> bool:
        """Return whether lines like this are everywhere, so that one beside an error does not explain it."""
        return self.count > _COMMON and self.judgement.rank <= Rank.PLAIN


class KeptLine(NamedTuple):
    """A line that folding left, or a piece of a very long one."""

    number: int
    """From 1."""
    start: int
    """Where the piece starts in its line."""
    text: str
    family: LineFamily


class Folded(NamedTuple):
    """The rest of a stream after folding."""

    lines: Sequence[KeptLine]
    total: int
    """Lines of the whole stream."""
    blank: bytes | bytearray
    """1 for each line that shows nothing, else 0."""
    files: Sequence[str]
    """Files that lines name, in order, unless there are very many."""
    apart: Mapping[Place, float] = {}
    """Lines with an outlying number, and its ratio to the others."""
    long: Mapping[int, int] = {}
    """Characters of the lines that were cut into pieces, by number."""
    altered: Collection[int] = ()
    """Numbers of those that lost characters in cleaning."""
    blamed: int = 0
    """How many of the files, the first ones, diagnostics name."""
    shared: Shared | None = None
    """How many lines, or pieces, have each word of the question."""

    def templates(self) -> list[str]:
        """Return the template of each line; call once, it is slow."""
        return [template(line.text) for line in self.lines]


class LineFolding:
    """Takes a stream in pieces of whole lines; `finish` returns the rest after folding."""

    def __init__(self, question: Question | None = None) -> None:
        """Take a question: lines that share words with it are kept."""
        self._question = question or Question("")
        self._answers: Counter[frozenset[str]] = Counter()
        self._looked_at = 0
        self._families: dict[bytes, LineFamily] = {}
        self._coarse: dict[bytes, LineFamily] = {}
        self._all: list[LineFamily] = []
        self._structured = 0
        self._kept: list[KeptLine] = []
        self._is_crowded = False
        self._again: list[KeptLine] = []
        """Similar lines that are not kept: the first ones, then those that are longer than others."""
        self._tail: list[KeptLine] = []
        self._number = 0
        self._begun: int | None = None
        """Characters so far of an unfinished line."""
        self._chars = 0
        self._blank = bytearray()
        self._long: dict[int, int] = {}
        self._altered: set[int] = set()
        self._files: dict[str, None] = {}
        self._blamed: dict[str, None] = {}

    def feed(self, lines: Sequence[str], *, is_open: bool = False) -> None:
        """Take the next lines; an open last line continues with the next call's first."""
        binary = is_binary("\n".join(lines[:40]))
        cleaned = clean_lines(lines, matters)
        begun, is_new = self._begun, self._begun is None
        self._blank += bytes(map(operator.not_, cleaned if is_new else cleaned[1:]))
        numbers = range(self._number + is_new, self._number + is_new + len(cleaned))
        long = [at for at, line in enumerate(cleaned) if len(line) > _LONG_RECORD and _is_long(line)]
        for texts, places in _iter_line_pieces(cleaned, numbers, long, self._long, begun or 0):
            marks = bytearray(len(texts))
            families = self._families_of(texts, places, marks, binary=binary)
            self._mark_answers(texts, marks)
            self._keep(texts, places, families, marks)
        self._altered.update(numbers[at] for at in long if not lines[at].startswith(cleaned[at]))
        self._number = numbers[-1]
        self._begun = None
        if is_open:
            self._begun = len(cleaned[-1]) + (0 if len(lines) > 1 else begun or 0)
            self._altered.update([self._number] if lines[-1] != cleaned[-1] else ())

    def _mark_answers(self, texts: Sequence[str], marks: bytearray) -> None:
        """Mark the first lines with each word, or words, of the question, to be kept."""
        self._looked_at += len(texts)
        for at, text in enumerate(texts) if self._question else ():
            if found := self._question.find(text):
                if self._answers[found] < _ANSWERS:
                    marks[at] = max(marks[at], 1)
                self._answers[found] += 1

    def finish(self) -> Folded:
        """Return the rest of all lines after folding."""
        ended = [(*family.last, family) for family in self._all if family.last is not None]
        short = shorten_all_rules([line for _, line, _ in ended])
        last = [KeptLine(*place, text, family) for (place, _, family), text in zip(ended, short, strict=True)]
        lines = {kept[:2]: kept for kept in (*self._kept, *self._tail, *last)}
        files, blamed = self._list_files_named()
        odd = _find_number_outliers([*itertools.islice(lines.values(), _MEASURED), *self._again])
        lines.update((kept[:2], kept) for kept, _ in odd)
        return Folded(
            [lines[place] for place in sorted(lines)],
            self._number,
            self._blank,
            files,
            {kept[:2]: ratio for kept, ratio in odd},
            self._long,
            self._altered,
            blamed,
            Shared(self._looked_at, self._count_common()),
        )

    def _count_common(self) -> Counter[str]:
        counts: Counter[str] = Counter()
        for found, times in self._answers.items():
            counts.update(dict.fromkeys(found, times))
        return counts

    def _list_files_named(self) -> tuple[Sequence[str], int]:
        """Return the files that diagnostics name, then those that other lines name, if they are few.

        The number is how many of them diagnostics name.
        """
        blamed = self._blamed if len(self._blamed) <= _FILES else {}
        others = self._files if len(self._files) <= (_FEW_FILES if blamed else _FILES) else {}
        files = [*blamed, *(name for name in others if name not in blamed)]
        return (files, len(blamed)) if len(files) > 1 else ((), 0)

    def _families_of(
        self, lines: Sequence[str], places: Sequence[Place], marks: bytearray, *, binary: bool
    ) -> list[LineFamily]:
        """Return the family of each line, and mark lines to keep with 1, lines that matter with 2."""
        known, found = self._families, []
        if len(known) > _QUICK_KEYS:
            known.clear()
        content = "\n".join(lines).encode("utf-8", "replace")
        keyed, again = keys(content), self._again
        stems: Mapping[int, Sequence[str]] | None = None
        for at, key in enumerate(keyed):
            family = known.get(key)
            line = lines[at]
            if family is None:
                if stems is None and len(self._all) > _FAMILIES:
                    stems = self._find_stems_of_new(lines, keyed, at)
                told = None if stems is None else stems.get(at, ())
                family = known[key] = self._new(line, told, binary=binary)
            if family.watch is not None:
                family = self._of_status(family, line)
            family.count = count = family.count + 1
            if (
                family.files is not None
                and len(family.files) <= _FILES
                and not _begins_with_file(line, family.files)
            ):
                family.files.update(dict.fromkeys(file_names(line)))
            if count <= family.quota or (family.variants is not None and _is_new(family, line)):
                marks[at] = 1 + (count <= family.context)
            else:
                family.last = (places[at], line)
                if len(again) < _MEASURED or len(line) > family.longest:
                    family.longest = max(family.longest, len(line))
                    again.append(KeptLine(*places[at], line, family))
            found.append(family)
        return found

    def _find_stems_of_new(
        self, lines: Sequence[str], keyed: Sequence[bytes], start: int
    ) -> Mapping[int, Sequence[str]]:
        """Return the beginnings of bad words in the lines, from `start` on, that are unlike all so far."""
        new = [at for at in range(start, len(lines)) if keyed[at] not in self._families]
        return {new[at]: stems for at, stems in find_stems([lines[at] for at in new]).items()}

    def _new(self, line: str, stems: Sequence[str] | None, *, binary: bool) -> LineFamily:
        """Return a new family; if there are many, lines that don't matter share one by structure.

        If there are very many, so do lines with the same bad words. `stems` are the beginnings of these, None
        while families are few.
        """
        key = f"{stems}".encode() + coarse_key(line) if stems and len(self._all) > _MANY_FAMILIES else b""
        if key and key in self._coarse:
            return self._coarse[key]
        judgement = self._judge_new(line, stems, binary=binary)
        family = (
            self._make_family(line, judgement, choose_status_pattern(_encode(line)))
            if judgement
            else self._by_structure(line)
        )
        if key:
            self._coarse[key] = family
            family.is_mixed = True
        return family

    def _judge_new(self, line: str, stems: Sequence[str] | None, *, binary: bool) -> Judgement | None:
        if stems is not None:
            return judge_if_bad(line) if stems else None
        return judge(line) if not binary or matters(line) else Judgement(Rank.NOISE, 0.0)

    def _by_structure(self, line: str) -> LineFamily:
        """Return the family of the lines of this structure; a line with an odd word gets its own.

        If there are very many, all lines that don't matter are one family.
        """
        self._structured += 1
        key = coarse_key(line) if self._structured <= _STRUCTURED else b""
        family = self._coarse.get(key)
        if family is None:
            family = self._coarse[key] = self._make_family(line, Judgement(Rank.PLAIN, 0.0), None)
            family.variants = None
            family.columns = []
            family.is_mixed = True
        if key and family.columns is not None and _has_news(family, line):
            return self._make_family(line, Judgement(Rank.PLAIN, 0.6), None)
        return family

    def _make_family(self, line: str, judgement: Judgement, watch: re.Pattern[bytes] | None) -> LineFamily:
        family = LineFamily(judgement, watch)
        if LOCATION.match(line) or names_file(line):
            family.quota = family.context = _LOCATIONS
        elif is_silent(line):
            family.quota = _LOCATIONS
        if file_names(line) and _tells_of_files(line):
            family.files = self._blamed if judgement.rank in _BLAMING else self._files
        if self._is_crowded:
            family.give_way()
        self._all.append(family)
        return family

    def _of_status(self, family: LineFamily, line: str) -> LineFamily:
        """Return the family of the lines that have this line's status."""
        found = family.watch.findall(_encode(line)) if family.watch else None
        if not found or len(family.statuses) > _STATUSES:
            return family
        status = b",".join(found)
        known = family.statuses.get(status)
        if known is None:
            judgement = judge(line)
            if len(status) == 3 and status[:1] in b"45" and judgement.weight < 1:
                judgement = Judgement(Rank.WARNING, 1.5 + 0.5 * (status[:1] == b"5"))
            known = family.statuses[status] = self._make_family(line, judgement, None)
        return known

    def _keep(
        self, lines: Sequence[str], places: Sequence[Place], families: Sequence[LineFamily], marks: bytearray
    ) -> None:
        if self._number < _HEAD and places[:1] == [(self._number + 1, 0)]:
            head = slice(0, _HEAD - self._number)
            marks[head] = bytes(max(mark, 1) for mark in marks[head])
        chosen = list(self._choose_kept(lines, places, families, marks))
        short = shorten_all_rules([lines[at] for at in chosen])
        new = [KeptLine(*places[at], text, families[at]) for at, text in zip(chosen, short, strict=True)]
        self._kept += new
        self._chars += sum(len(kept.text) for kept in new)
        if not self._is_crowded and len(self._kept) > _CROWDED:
            self._is_crowded = True
            for family in self._all:
                family.give_way()
        tail = range(max(0, len(lines) - _TAIL), len(lines))
        ending = (_keep_line(places[at], lines[at], families[at]) for at in tail if lines[at])
        self._tail = [*self._tail, *ending][-_TAIL:]

    def _choose_kept(
        self, lines: Sequence[str], places: Sequence[Place], families: Sequence[LineFamily], marks: bytearray
    ) -> Iterable[int]:
        """Return the places of the lines to keep."""
        if self._chars >= _KEPT_CHARS or len(self._kept) >= _FULL:
            room = max(0, _MOST_KEPT - len(self._kept))
            marked = (found.start() for found in re.finditer(rb"[^\0]", bytes(marks)))
            return itertools.islice((at for at in marked if families[at].judgement.rank >= Rank.ERROR), room)
        _mark_records(lines, places, marks)
        _mark_heads(places, marks)
        return _iter_context_places(sorted(set(_iter_places_around(marks))), lines, families, marks)


def _find_number_outliers(lines: Iterable[KeptLine]) -> list[tuple[KeptLine, float]]:
    """Return the lines with an outlying number, unless similar lines are errors anyway."""
    ordered = [line for _, line in sorted({line[:2]: line for line in lines}.items())]
    told = (Rank.ERROR, Rank.FAILURE)
    measured = [
        line
        for line in ordered
        if line.family.judgement.rank not in told and (not line.start or _FIELD.match(line.text))
    ]
    found = find_outlying_lines(line.text for line in measured)
    return [(measured[at], ratio) for at, ratio in found[:_SOME_APART]]


def _iter_context_places(
    wanted: Iterable[int], lines: Sequence[str], families: Sequence[LineFamily], marks: bytearray
) -> Iterator[int]:
    for at in wanted:
        if lines[at] and (
            marks[at]
            or not families[at].is_common()
            or (families[at].is_mixed and lines[at][0].isspace())
            or _is_announced(lines, families, at)
        ):
            yield at


def _is_announced(lines: Sequence[str], families: Sequence[LineFamily], at: int) -> bool:
    """Return whether the line above announces this one, which is rare."""
    return at > 0 and lines[at - 1].endswith(":") and not families[at - 1].is_common()


def _iter_line_pieces(
    lines: Sequence[str],
    numbers: Sequence[int],
    long: Sequence[int],
    lengths: dict[int, int],
    begun: int,
) -> Iterator[tuple[Sequence[str], list[Place]]]:
    """Yield lines and their places; very long lines in pieces, as many at a time as memory can hold.

    Lines at `long` are cut; the first line has `begun` characters before. The lengths of cut lines are put
    into `lengths`.
    """
    if not begun and not long:
        yield lines, [(number, 0) for number in numbers]
        return
    starts = [begun, *itertools.repeat(0, len(lines) - 1)]
    if len(lengths) < _MOST_LONG:
        cut = sorted({*long, 0}) if begun else long
        lengths.update((numbers[at], starts[at] + len(lines[at].rstrip())) for at in cut)
    pieces = _pieces(lines, numbers, starts)
    while some := list(itertools.islice(pieces, _BATCH)):
        yield [piece for piece, _ in some], [place for _, place in some]


def _is_long(line: str) -> bool:
    """Return whether a line is cut into pieces: a very long one, or a message before a long record."""
    return len(line) > _LONG or (
        len(line) > _LONG_RECORD and line[:1] != "{" and ' {"' in line[:_RECORD_BEGINS]
    )


def _pieces(
    lines: Sequence[str], numbers: Sequence[int], starts: Sequence[int]
) -> Iterator[tuple[str, Place]]:
    for number, line, start in zip(numbers, lines, starts, strict=True):
        if not _is_long(line):
            yield line, (number, start)
        else:
            yield from ((found[0], (number, start + found.start())) for found in _PIECE.finditer(line))


def _mark_heads(places: Sequence[Place], marks: bytearray) -> None:
    """Mark the beginnings of very long lines of which a later piece is kept."""
    head = -1
    for at, (_, start) in enumerate(places):
        if not start:
            head = at
        elif marks[at] and head >= 0:
            marks[head] = max(marks[head], 1)


def _mark_records(lines: Sequence[str], places: Sequence[Place], marks: bytearray) -> None:
    """Mark the pieces of a record of a very long line before a piece that is kept."""
    for found in re.finditer(rb"[^\0]", bytes(marks)):
        first = at = found.start()
        while first and places[first][1] and at - first < FIELDS and not opens_record(lines[first]):
            first -= 1
        if first < at and places[first][0] == places[at][0] and opens_record(lines[first]):
            marks[first:at] = bytes(max(mark, 1) for mark in marks[first:at])


def opens_record(piece: str) -> bool:
    """Return whether a record begins with this piece of a very long line."""
    return piece.lstrip().startswith(_OPENS)


def _keep_line(place: Place, line: str, family: LineFamily) -> KeptLine:
    return KeptLine(*place, shorten_rules(line), family)


def is_silent(line: str) -> bool:
    """Return whether a line shows no more than a blank one."""
    return _SILENT.fullmatch(strip_runner(line)) is not None


def _tells_of_files(line: str) -> bool:
    """Return whether the files in a line are worth mention: not if they went well or are only next.

    The target of a request to a server is an address, not a file.
    """
    begins = line.rstrip().endswith(_STEP_ENDS)
    return not (begins or read_call(line) or tells_nothing(line) or is_request(_encode(line)))


def names_file(text: str) -> bool:
    """Return whether a line names a file and nothing else."""
    return len(text) <= _LONGEST and _FILE_ALONE.fullmatch(text) is not None


def _has_news(family: LineFamily, line: str) -> bool:
    """Return whether a line has a new word in a place where the lines of its family have few words."""
    words = _WORDS.findall(line[:_LONG])
    columns = family.columns or []
    if not columns:
        columns += [set() for _ in words[:_COLUMNS]]
        family.columns = columns
    found = False
    for at, (word, known) in enumerate(zip(words, columns, strict=False)):
        if known is not None and word not in known and word.isalpha():
            known.add(word)
            found = found or family.count >= 4 * _CHOICES
            if len(known) > _CHOICES:
                columns[at] = None
    return found


def _begins_with_file(line: str, files: Mapping[str, None]) -> bool:
    """Return whether a line begins with a known file, and names no other."""
    end = line.find(":")
    return (line in files) if end < 0 else line[:end] in files and line.find("/", end) < 0


def _encode(line: str) -> bytes:
    return line.encode("utf-8", "replace")


def _is_new(family: LineFamily, line: str) -> bool:
    """Return whether a line differs from all of its family in more than digits; hashes end the comparison."""
    variant = strip_digits(_encode(line))
    if family.variants is None or variant in family.variants:
        return False
    family.variants.add(variant)
    if len(family.variants) > _VARIANTS:
        family.variants = None
    return True


def _iter_places_around(marks: bytearray) -> Iterable[int]:
    """Yield the marked places, and the places around lines that matter."""
    at = -1
    while (at := marks.find(1, at + 1)) >= 0:
        yield at
    at = -1
    while (at := marks.find(2, at + 1)) >= 0:
        yield from range(max(0, at - _BEFORE), min(len(marks), at + _AFTER + 1))
