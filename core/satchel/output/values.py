"""Give every kept line a value, so that any budget takes the best lines of one fixed order."""

from __future__ import annotations

import math
import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import chain, groupby, pairwise

from satchel.output.folding import FIELDS, LOCATION, POSITION, Folded, KeptLine, LineFamily, opens_record
from satchel.output.judging import (
    HUSHED,
    PANICKED,
    Judgement,
    Rank,
    is_file_title,
    is_frame,
    matters,
    read_call,
    strip_message,
    strip_runner,
    tells_nothing,
)
from satchel.output.tables import find_header
from satchel.output.templates import code, read_status, template
from satchel.patterns import lazily

_RARE = 4
"""Most similar lines that are not yet repeated progress."""
_TABLE_HEADER = 82.0


def lift_header(values: list[float], lines: Sequence[KeptLine]) -> list[float]:
    """Return the values with the header of a table above all others: its rows can't be read without it."""
    at = find_header([line.text for line in lines])
    if at is None:
        return values
    most = max(_TABLE_HEADER, *values)
    return [most if place == at else worth for place, worth in enumerate(values)]


def lift_parents(values: Sequence[float], lines: Sequence[KeptLine], before: Sequence[float]) -> list[float]:
    """Return the values with those of the less indented parents of raised lines."""
    lifted = list(values)
    raised = [at for at, (worth, own) in enumerate(zip(values, before, strict=True)) if worth > own]
    above = _find_parents(lines, _find_indents(lines)) if raised else []
    for at in raised:
        worth, parent = values[at], above[at]
        for _ in range(_MOST_PARENTS):
            worth -= _OF_PARENT
            if parent < 0:
                break
            lifted[parent] = max(lifted[parent], worth)
            parent = above[parent]
    return lifted


_MOST_PARENTS, _OF_PARENT = 3, 2.0
"""Parents that come along with a line that answers a question; and the loss of each."""
_CORE = 36.0
"""Lines of this value and more bring their neighbours along."""
_PLACE = lazily(
    r"^\s*--> |\w\.[A-Za-z]\w{0,9}(?::\d+|\(\d+(?:,\d+){0,3}\)(?=:|\s|$)|[\"']?,? line \d+)|\bline \d+\b"
    r"|^(?=[\w@./\\~-]{0,200}[A-Za-z])[\w@./\\~-]{1,200}:\d{1,6}(?::\d{1,4})?$"
)
_FOREIGN = lazily(
    r"/rustc/|node_modules/|node:internal|\(internal/|site-packages/|dist-packages/|/usr/(?:lib"
    r"|include|local/lib)/|/lib/python\d|<frozen |\bat (?:java|javax|jdk|sun|org\.(?:junit"
    r"|gradle|apache|springframework)|com\.sun|kotlin|scala)\."
    r"|/go/src/(?:runtime|testing)/|/gems/|/vendor/|core::|std::(?:rt|panic|sys)|at (?:async )?(?:Module"
    r"|Object)\._|processTicksAndRejections|\.\.\. \d+ more"
)
"""Frames of runtimes and libraries."""
_FAR = 30
_ANNOUNCED, _NEXT = 8, 3.0
"""Lines below one that announces them; and the loss of the first of them."""
_OF_ADVICE = 7.0
"""Loss of advice against the error it belongs to."""
_LONG_BELOW = 100
"""Characters of such a line for a loss of one: commands are long and say little."""
_PLACE_OF_CALL = lazily(r"\t\S.{0,300}:\d{1,6} \+0x[0-9a-f]")
"""The place of a Go call, below its name."""
_SIGNALLED = lazily(r"\bsignal SIG[A-Z]{2,9}\b")
_NUMBERED_CALL, _OF_CALLS = lazily(r"[\s*]*+(?:frame )?#(\d{1,4})[: ]"), 3.0
"""A call in a debugger's stack; the loss of the program's innermost against the signal."""
_SYSTEM_CALL = lazily(
    r"<signal handler called>|\bin \?\? \(|(?:\bsysdeps|\./(?:nptl|signal|stdlib|assert))/"
    r"| from /(?:usr/)?lib"
)
"""A call in the C library, or in code without names."""
_QUOTED_LINE = lazily(r"\s*+(?:(>)\s*+)?(?:\d{1,6} ?)?[|│](?:\s|$)")
"""Code that a message quotes, or a pointer into it; group 1 marks the line in question."""
_POINTS_AT = lazily(r"\s*+[|│]\s*+[\^~]")
"""A pointer into the line above."""
_OF_POINTED = 0.5
"""Gain of that line over everything quoted with it."""
_MORE_OF_ERROR = lazily(r".{0,200}?(?:^|\s)(?:DETAIL|HINT|CONTEXT|STATEMENT|QUERY|LOCATION): {1,2}\S")
"""PostgreSQL's further records below an error."""
_ANNOTATION = lazily(r"(?:\^|~~|(?<=[\s|])-{3,}|━) +[A-Za-z`‘'\"]")
"""A compiler's annotation below a piece of code."""
_FIELD = lazily(r"[A-Z][\w-]{0,30}(?: [\w-]{1,30}){0,3}: +\S")
_OF_MESSAGE = 4.0
"""Loss of a test's message against the line that names the test."""
_CHANGED = lazily(r"(?:E {3,12})?(\s{0,12})([-+]) {1,40}\S(?!xpected |eceived )")
_COMPARISON, _LONGEST_COMPARISON = "E    ", 2_000
"""The beginning of lines of pytest's comparison, and its greatest length."""
_CHANGES, _COMPARED = 4, 6.0
"""Changed lines of a comparison that an error brings along; and their loss against it."""
_LEAD = 4
_NEAR_FIELDS = 3
"""Lines on each side of a field that may hold others of its block."""
_WIDE = lazily(r"\t|\s{2,}|\s\|\s")
_FIELDS_OF_ROW, _ROW_CHARS = 3, 400
_HEADER = 10
_FILE_NAMED = lazily(r"(?:^|[\s\"'\[(/])[\w@+-][\w./@+-]*\.[a-z]\w{0,4}(?![\w.(/])")
_INDENT = lazily(r"[\s│├└─┬╰╭┌]*")
_TITLE = lazily(r"([=*#])\1\1 .{1,200} \1\1\1$")
"""A title between rules: nothing above it belongs to the lines below."""
_COMMON = 6
"""Lines of a family from which a line beside an error is not its context."""


def lift_neighbours(lines: Sequence[KeptLine], values: list[float]) -> None:
    """Let lines that matter lend their value to the lines they need: parents, places, causes."""
    indents = _find_indents(lines)
    above = _find_parents(lines, indents)
    own = list(values)
    for at, worth in enumerate(own):
        if worth < _CORE:
            continue
        for place, less in _iter_context(lines, indents, above, at):
            values[place] = max(values[place], worth - less)


def _iter_context(
    lines: Sequence[KeptLine], indents: Sequence[int], above: Sequence[int], at: int
) -> Iterable[tuple[int, float]]:
    """Yield the places of the lines that a line needs, and the loss of each against it."""
    parent = above[at]
    if parent >= 0:
        yield parent, 8.0
        if above[parent] >= 0:
            yield above[parent], 14.0
    header = _find_file_header(lines, at)
    if header >= 0:
        yield header, 4.0
    opening = _find_record_start(lines, at)
    if opening >= 0:
        yield opening, 4.0
    yield from _following(lines, indents, at)
    if lines[at].family.judgement.rank is not Rank.VERDICT:
        yield from _preceding(lines, indents, at)


def _following(lines: Sequence[KeptLine], indents: Sequence[int], at: int) -> Iterable[tuple[int, float]]:
    less, placed = 1.0, _PLACE.search(lines[at].text) is not None
    less += 7.0 * (lines[at].family.judgement.rank is Rank.FAILURE)
    yield from _iter_announcements(lines, at)
    yield from _iter_advice(lines, indents, at)
    yield from _iter_details(lines, at)
    yield from _iter_frames(lines, at)
    for place in _skip_pieces(lines, range(at + 1, min(at + 9, len(lines))), at):
        line = lines[place]
        rank = line.family.judgement.rank
        if line.number == lines[at].number:
            less += 3.0
            yield place, less
            continue
        if _is_message(lines, indents, place, at):
            placed = True
            yield place, _OF_MESSAGE
            continue
        if _begins_another(lines, place, at):
            break
        if rank is Rank.NOISE:
            less += 1.0
            placed = placed or lines[at].family.judgement.rank is Rank.VERDICT
        elif _FOREIGN.search(line.text):
            less += 0.5
            yield place, 30.0
        elif not placed and _PLACE.search(line.text):
            placed = True
            yield place, min(less, 6.0)
        elif _ANNOTATION.search(line.text):
            yield place, min(less, 5.0)
        elif _is_inner(rank, indents, place, at) or _is_call(lines, place):
            less += 4.0
            yield place, less + 6.0
        else:
            less += 10.0
            if _is_another(line, lines[at]):
                break
            yield place, less + 6.0
    if not placed:
        yield from _place_below(lines, indents, at)
    yield from _changes_below(lines, at)


def _skip_pieces(lines: Sequence[KeptLine], places: Iterable[int], at: int) -> Iterator[int]:
    """Yield the places without later pieces of other long lines, which explain nothing."""
    number = lines[at].number
    return (place for place in places if not lines[place].start or lines[place].number == number)


def _is_message(lines: Sequence[KeptLine], indents: Sequence[int], place: int, at: int) -> bool:
    """Return whether a line explains the failed test named right above it, as in Go."""
    return (
        place == at + 1
        and lines[at].family.judgement.rank is Rank.FAILURE
        and lines[place].number == lines[at].number + 1
        and indents[place] > indents[at]
        and lines[place].family.judgement.rank is Rank.WARNING
        and _PLACE.search(lines[place].text) is not None
    )


def _changes_below(lines: Sequence[KeptLine], at: int) -> Iterable[tuple[int, float]]:
    """Yield the differences in a comparison below an error: `- two`, `+ too`.

    Indented lines are a comparison if some are removed and some added.
    """
    if lines[at].start:
        return
    found: list[tuple[int, re.Match[str]]] = []
    below = next((one for one in range(at + 1, len(lines)) if not lines[one].start), len(lines))
    for place in range(below, min(below + _LONGEST_COMPARISON, len(lines))):
        is_inside = lines[place].text.startswith(_COMPARISON) or lines[place].text.strip() == "E"
        is_far = lines[place].number > lines[at].number + _FAR
        is_over = is_far or lines[place].family.judgement.rank >= Rank.WARNING
        if (is_over and not is_inside) or len(found) == _CHANGES:
            break
        if changed := _CHANGED.match(lines[place].text):
            found.append((place, changed))
    is_both = len({changed[2] for _, changed in found}) > 1
    told = (place for place, changed in found if is_both or not changed[1])
    yield from ((place, _COMPARED + nth) for nth, place in enumerate(told, start=1))


def _place_below(lines: Sequence[KeptLine], indents: Sequence[int], at: int) -> Iterable[tuple[int, float]]:
    """Yield the first place in the program's own files below an error, unless another error comes between.

    A warning with more indentation is part of the error.
    """
    last = lines[at].number + _FAR
    for place in range(at + 1, min(at + _FAR, len(lines))):
        line = lines[place]
        is_part = line.family.judgement.rank is Rank.WARNING and indents[place] > indents[at]
        if (line.family.judgement.rank >= Rank.WARNING and not is_part) or line.number > last:
            return
        if _PLACE.search(line.text) and not _FOREIGN.search(line.text):
            yield place, 6.0
            return


def _preceding(lines: Sequence[KeptLine], indents: Sequence[int], at: int) -> Iterable[tuple[int, float]]:
    less, placed, is_apart = 3.0, _is_placed(lines[at].text), False
    for place in _skip_pieces(lines, range(at - 1, max(at - 30, -1), -1), at):
        line = lines[place]
        rank = line.family.judgement.rank
        if line.number == lines[at].number:
            less += 5.0
            yield place, less
            continue
        inside = rank is Rank.WARNING and indents[place] > indents[at]
        is_beyond = inside and line.number < lines[place + 1].number - 1
        if is_beyond or (_ends_before(line, lines[place + 1], less) and not inside):
            return
        if _TITLE.match(line.text):
            return
        if rank is Rank.NOISE:
            is_apart = True
            continue
        if is_apart and is_frame(line.text):
            return
        if _FOREIGN.search(line.text):
            continue
        if not placed and _PLACE.search(line.text):
            placed = True
            yield place, 2.0
        elif _is_inner(rank, indents, place, at):
            less += 4.0
            yield place, less + 3.0
        else:
            less += 10.0
            if _is_another(line, lines[at]):
                return
            yield place, less


def _is_placed(text: str) -> bool:
    return _PLACE.search(text) is not None and not _FOREIGN.search(text)


def _is_inner(rank: Rank, indents: Sequence[int], place: int, at: int) -> bool:
    return rank is Rank.DETAIL or indents[place] > indents[at]


def _is_call(lines: Sequence[KeptLine], at: int) -> bool:
    """Return whether a line names a function of a stack with its place below it, as in Go."""
    return at + 1 < len(lines) and _PLACE_OF_CALL.match(lines[at + 1].text) is not None


def _is_another(line: KeptLine, of: KeptLine) -> bool:
    """Return whether a line is common, reports success, or is a record or a row like the other."""
    is_alike = line.family.count > _COMMON or _is_record(line.text, of.text) or _is_row(line.text, of.text)
    return is_alike or tells_nothing(line.text)


def _iter_announcements(lines: Sequence[KeptLine], at: int) -> Iterable[tuple[int, float]]:
    """Yield the lines below a line that announces a problem."""
    if not lines[at].text.endswith(":"):
        return
    less = 2.0
    for place in range(at + 1, min(at + 1 + _ANNOUNCED, len(lines))):
        apart = lines[place].number - lines[place - 1].number > 1 + (less > _NEXT)
        if apart or (less > _NEXT and lines[place].family.judgement.rank >= Rank.ERROR):
            return
        if lines[place].family.judgement.rank is not Rank.NOISE:
            less += 1.0
            yield place, less + len(lines[place].text) // _LONG_BELOW


def _iter_advice(lines: Sequence[KeptLine], indents: Sequence[int], at: int) -> Iterable[tuple[int, float]]:
    """Yield the advice in the paragraph below an error, such as a helpful command, with its head."""
    for place in range(at + 1, min(at + _ANNOUNCED, len(lines) - 1)):
        if lines[place].number != lines[place - 1].number + 1:
            return
        follows = lines[place + 1].number == lines[place].number + 1
        if follows and lines[place].text.endswith(":") and indents[place + 1] > indents[place]:
            yield place, _OF_ADVICE
            yield place + 1, _OF_ADVICE


def _iter_details(lines: Sequence[KeptLine], at: int) -> Iterable[tuple[int, float]]:
    """Yield the records of a database's log with details of the error above, with all their lines."""
    less = _NEXT
    for place in range(at + 1, min(at + 1 + _ANNOUNCED, len(lines))):
        goes_on = less > _NEXT and strip_runner(lines[place].text)[:1].isspace()
        is_next = lines[place].number == lines[place - 1].number + 1
        if not is_next or not (goes_on or _MORE_OF_ERROR.match(lines[place].text)):
            return
        less += 0.5
        yield place, less


def _iter_frames(lines: Sequence[KeptLine], at: int) -> Iterable[tuple[int, float]]:
    """Yield the program's own calls in the stack below a signal, as debuggers print it."""
    if not _SIGNALLED.search(lines[at].text):
        return
    less, last = _OF_CALLS, -1
    for place in range(at + 1, min(at + _FAR, len(lines))):
        call = _NUMBERED_CALL.match(lines[place].text)
        if (call is None and last >= 0) or (call is not None and int(call[1]) <= last):
            return
        if call is not None:
            last = int(call[1])
            if not (_FOREIGN.search(lines[place].text) or _SYSTEM_CALL.search(lines[place].text)):
                yield place, less
                less += 1.0


def _begins_another(lines: Sequence[KeptLine], place: int, at: int) -> bool:
    line = lines[place]
    gap = line.number > lines[place - 1].number + 1 + (place == at + 1)
    return gap or line.family.judgement.rank >= Rank.WARNING


def _is_row(text: str, other: str) -> bool:
    """Return whether two lines have as many fields between wide blanks, at least three."""
    fields = len(_WIDE.split(text.strip()[:_ROW_CHARS]))
    return fields >= _FIELDS_OF_ROW and fields == len(_WIDE.split(other.strip()[:_ROW_CHARS]))


def _is_record(text: str, other: str) -> bool:
    """Return whether two lines are records of one log: both begin with a time or a brace of one form.

    So are two system calls.
    """
    lead = _mask_first_word(text)
    is_one = len(lead) >= _LEAD and lead == _mask_first_word(other)
    return is_one or (read_call(text) is not None and read_call(other) is not None)


def _mask_first_word(text: str) -> str:
    first = text[:80].split(" ", 1)[0]
    return _WORDS.sub("w", first) if first[:1] in "{[" or any(map(str.isdigit, first)) else ""


def _lift_pointed(lines: Sequence[KeptLine], values: list[float]) -> None:
    """Raise the line in question above the others of the code that a message quotes."""
    quoted = [_QUOTED_LINE.match(line.text) for line in lines]
    for is_quoted, group in groupby(range(len(lines)), lambda at: quoted[at] is not None):
        if not is_quoted:
            continue
        places = [*group]
        most = max(values[at] for at in places)
        for at, below in zip(places, [*places[1:], None], strict=True):
            mark = quoted[at]
            points = below is not None and _POINTS_AT.match(lines[below].text)
            if mark and (mark[1] or (points and not _POINTS_AT.match(lines[at].text))):
                values[at] = max(values[at], most + _OF_POINTED)


def _find_file_header(lines: Sequence[KeptLine], at: int) -> int:
    """Return the place of the line above that names the file of a line without one, -1 if there is none."""
    if lines[at].family.judgement.rank not in (Rank.WARNING, Rank.ERROR) or _names_file(lines[at].text):
        return -1
    if at + 1 < len(lines) and LOCATION.match(lines[at + 1].text):
        return -1
    for place in range(at - 1, max(at - _HEADER, -1), -1):
        text = lines[place].text
        if is_frame(text):
            return -1
        if _names_file(text):
            is_beside = _is_record(text, lines[at].text) or (_is_field(text) and _is_field(lines[at].text))
            return -1 if is_beside else place
    return -1


def _is_field(text: str) -> bool:
    return text[:1].isspace() and _ALIGNED.match(text) is not None


def _find_record_start(lines: Sequence[KeptLine], at: int) -> int:
    """Return the place of the first field of the record around a field, -1 if there is none.

    It identifies the record.
    """
    if lines[at].start:
        return opening_piece(lines, at)
    first = at
    while first and at - first < _HEADER and _FIELD.match(lines[first].text):
        if lines[first - 1].number != lines[first].number - 1:
            return first if first < at else -1
        first -= 1
    return -1


def opening_piece(lines: Sequence[KeptLine], at: int) -> int:
    """Return the place of the piece that begins the record of a later piece of a very long line."""
    for place in range(at, max(at - FIELDS, 0) - 1, -1):
        if opens_record(lines[place].text) or not lines[place].start:
            return place if place < at and lines[place].number == lines[at].number else -1
    return -1


def _names_file(text: str) -> bool:
    return "." in text and _FILE_NAMED.search(text[:300]) is not None


def _ends_before(line: KeptLine, following: KeptLine, less: float) -> bool:
    """Return whether a line belongs to no error below: a gap, another error, or too much between."""
    return line.number < following.number - 1 or line.family.judgement.rank >= Rank.WARNING or less > 25.0


def _find_parents(lines: Sequence[KeptLine], indents: Sequence[int]) -> list[int]:
    """Return for each line the nearest line above with less indentation, -1 if there is none."""
    above: list[int] = []
    stack: list[int] = []
    for at, line in enumerate(lines):
        if line.family.judgement.rank is Rank.NOISE:
            above.append(-1)
            continue
        while stack and indents[stack[-1]] >= indents[at]:
            stack.pop()
        above.append(stack[-1] if stack else -1)
        stack.append(at)
    return above


_ALIGNED = lazily(r"\s{0,40}[A-Z][\w -]{0,30}:(?= \S)")
"""A field; in a block, their colons may be aligned."""


def _find_indents(lines: Sequence[KeptLine]) -> list[int]:
    """Return the indentation of lines; fields with aligned colons have the same."""
    given = [indent(line.text) for line in lines]
    indents = list(given)
    ends = [found.end() if (found := _ALIGNED.match(line.text)) else -1 for line in lines]
    for at, end in enumerate(ends):
        near = range(max(0, at - _NEAR_FIELDS), min(len(lines), at + _NEAR_FIELDS + 1))
        if end >= 0 and len({given[one] for one in near if ends[one] == end}) > 1:
            indents[at] = 0
    return indents


def indent(text: str) -> int:
    """Return the indentation of a line, by blanks or by the branches of a tree."""
    found = _INDENT.match(text)
    return found.end() if found else 0


_WORDS = lazily(r"\w+")
_KEY = lazily(r"\s*[\"']?[\w.-]{1,60}[\"']?\s*[:=]")
_ODD, _PER_TENTH, _ODDEST = 38.0, 4.0, 52.0
"""Worth of a line with a word that all others lack; its growth with their number; and the most."""
_STATES, _OTHER_STATE = 4, 5.0
"""Different words in one place that are states of a thing; the gain of the rare one."""
_LONE = 57.0
"""Worth of a line with a unique structure, among very many with a common one."""
_CELLS = 3
"""Fields between bars from which a line is a row."""
_SOME_ODD, _PER_ODD, _PER_KIND = 6, 1.0, 2.0
"""Loss of each further odd line, and of each further one with the same words."""
_MOST_ODD = 60
"""Odd families that are raised: further ones gain nothing."""
_ODDITIES_RARE = 53.0
"""Worth of a line whose template occurs once or twice, if nearly all others occur often."""
_UNTOLD = (Rank.PLAIN, Rank.DETAIL, Rank.VERDICT)
_OFTEN, _TWICE, _MANY_LINES = 12, 2, 120
_ODD_ABOVE = 6
_FEW = 12
"""Different words in one place of a repeated line that make it a choice of a few, not a name."""


def _lift_odd(
    lines: Sequence[KeptLine], templates: Sequence[str], forms: Sequence[str], values: list[float]
) -> set[int]:
    """Raise lines with an odd word, and the beginning of their record; return their places."""
    raised: set[int] = set()
    odd = _rank_odd(_find_odd(lines, forms) | _find_rare_families(lines, templates), lines)
    for at, line in enumerate(lines):
        if line.family not in odd or _FOREIGN.search(line.text):
            continue
        worth = odd.pop(line.family)
        values[at] = max(values[at], worth)
        raised.add(at)
        opening = opening_piece(lines, at) if line.start else -1
        if opening >= 0:
            values[opening] = max(values[opening], worth - 4.0)
        for place in range(at - 1, max(at - _ODD_ABOVE, -1), -1):
            text = lines[place].text
            if (
                place < opening
                or _is_apart(lines[place], line)
                or forms[place] == forms[at]
                or _is_row(text, line.text)
            ):
                break
            if lines[place].family.judgement.rank <= Rank.DETAIL and template(text) != template(line.text):
                values[place] = max(values[place], worth - 3.0 - 2.0 * (at - place))
    return raised


def _is_apart(above: KeptLine, line: KeptLine) -> bool:
    """Return whether a line is not part of the context of a line below it."""
    return above.number < line.number - _ODD_ABOVE or not _WORDS.search(above.text)


def _rank_odd(odd: dict[LineFamily, float], lines: Sequence[KeptLine]) -> dict[LineFamily, float]:
    """Lower lines that are less odd than many others, or odd in the same way as an earlier one."""
    kinds: Counter[frozenset[str]] = Counter()
    worths: dict[LineFamily, float] = {}
    for line in lines:
        if line.family in odd and line.family not in worths:
            kind = frozenset(filter(str.isalpha, _WORDS.findall(line.text[:400])))
            worths[line.family] = odd[line.family] - _PER_KIND * min(kinds[kind], _SOME_ODD)
            kinds[kind] += 1
    ranking = sorted(worths, key=lambda family: -worths[family])
    return {
        family: worths[family] - _PER_ODD * max(0, at - _SOME_ODD)
        for at, family in enumerate(ranking[:_MOST_ODD])
    }


def _find_rare_families(lines: Sequence[KeptLine], templates: Sequence[str]) -> dict[LineFamily, float]:
    """Return the families of a template that occurs once or twice if nearly all lines occur often."""
    families: defaultdict[str, dict[LineFamily, None]] = defaultdict(dict)
    for line, templated in zip(lines, templates, strict=True):
        families[templated][line.family] = None
    counts = {templated: sum(family.count for family in group) for templated, group in families.items()}
    often = sum(count for count in counts.values() if count >= _OFTEN)
    rare = [templated for templated, count in counts.items() if count <= _TWICE]
    if often < _MANY_LINES or len(rare) > _FEW or len(rare) * _OFTEN > often:
        return {}
    called = {line.family for line in lines if read_call(line.text) is not None}
    plain = (family for templated in rare for family in families[templated] if family not in called)
    return {family: _ODDITIES_RARE for family in plain if family.judgement.rank in _UNTOLD}


def structure(text: str) -> str:
    """Return a line's marks, with the name of its field if it is one."""
    key = _KEY.match(text)
    return (key[0] if key else "") + " ".join(_WORDS.sub("w", text[:400]).split())


def _find_odd(lines: Sequence[KeptLine], forms: Sequence[str]) -> dict[LineFamily, float]:
    """Return families with a word that hardly any line of the same structure has, and their worth."""
    groups: defaultdict[str, dict[LineFamily, list[str]]] = defaultdict(dict)
    for line, own in zip(lines, forms, strict=True):
        if line.family.judgement.rank > Rank.WARNING or line.family.is_mixed:
            continue
        if line.family.judgement.rank is Rank.WARNING or read_call(line.text) is None:
            form, words = _split_fields(line.text[:400], own)
            groups[form].setdefault(line.family, words)
    totals = {form: sum(family.count for family in group) for form, group in groups.items()}
    regular = sum(total for total in totals.values() if total >= _FEW)
    odd: dict[LineFamily, float] = {}
    lone: dict[LineFamily, float] = {}
    for form, group in groups.items():
        if totals[form] >= _FEW and len(group) > 1:
            odd.update(_odd_of(group, totals[form]))
        elif totals[form] <= 2 and regular > 60 and regular > 0.8 * sum(totals.values()):
            lone.update(dict.fromkeys(group, _LONE))
    return odd | lone


def _split_fields(text: str, form: str) -> tuple[str, list[str]]:
    """Return the structure of a line and its words; for a row between bars their number and its cells."""
    cells = [cell.strip() for cell in text.strip(" |").split(" | ")]
    if len(cells) < _CELLS:
        return form, _WORDS.findall(text)
    return f"{len(cells)} cells", cells


def _odd_of(group: dict[LineFamily, list[str]], total: int) -> dict[LineFamily, float]:
    found: dict[LineFamily, float] = {}
    for words in zip(*group.values(), strict=True):
        counts: Counter[str] = Counter()
        column = [word if word.replace(" ", "").isalpha() else "0" for word in words]
        for word, family in zip(column, group, strict=True):
            counts[word] += family.count
        if len(counts) > max(_FEW, total // 200) or len(counts) == 1:
            continue
        for word, family in zip(column, group, strict=True):
            count = counts[word]
            if (count <= 2 and total >= 2 * _FEW) or count / total <= min(0.01, 0.25 / len(counts)):
                worth = min(_ODDEST, _ODD - _PER_TENTH * math.log10(count / total))
                worth += _OTHER_STATE * (len(counts) <= _STATES)
                found[family] = max(found.get(family, 0.0), worth)
    return found


_BASE = {
    Rank.VERDICT: 60.0,
    Rank.FAILURE: 68.0,
    Rank.ERROR: 58.0,
    Rank.WARNING: 49.0,
    Rank.DETAIL: 13.0,
    Rank.PLAIN: 10.0,
    Rank.NOISE: 0.0,
}
_PER_WEIGHT = 3.0
_AS_LOUD = 0.75
"""Lines quieter than a line by more than this take no room from it."""
_ENDS = (53.0, 48.0, 40.0, 24.0, 21.0, 19.0)
"""Least values of the last lines, the very last first."""
_BEGINNINGS = (48.0, 31.0, 24.0, 22.0)
"""Least values of the first lines."""
_EXPLAINS = lazily(
    r"\s*(?:E\s{2,}[^\s+?-]|(?:expected|actual|received|got|want(?:ed)?|left|right|differ|at index"
    r"|first differ|attendu|erwartet|but was|instead)\b)",
    re.IGNORECASE,
)
_AGAIN = 40.0
"""Most worth of a line that repeats a failure's name."""
_CODE, _OF_ERROR, _PER_CODE = 58.0, 8.0, 0.2
"""Worth of the first line with a diagnostic's code, gain of an error, and loss of each further code."""
_STRUCTURED = lazily(r"[_.\[/]|[a-z][A-Z]")
_FILE_ONLY = lazily(r"\.[a-z]{1,5}$")
_MANY, _SUMS_NOTHING_UP = 6, 30.0
_MANY_KIN, _MANY_RECORDS, _PER_KIN = 30, 6, 3.0
"""Number of errors and warnings of one structure that are many, and of records of a log; and the loss for
each doubling of their kinds.
"""
_OPENING, _LONGEST_OPENING = 3, 120
"""Words that begin all steps of one tool, and their most characters."""
_RECORDS, _OF_RECORD, _PER_RECORD = 20, 57.0, 0.1
"""Most records whose first fields are shown; worth of the first, and the loss of each further one."""
_CAPITALS = lazily(r"[A-Z][A-Z/&-]+(?: [A-Z/&-]+){0,6}")
_SECTION_LINES, _OF_SECTION, _PER_LINE, _OF_AGAIN = 60, 62.0, 0.1, 5.0
"""Most lines below a title that reports an error; the worth of the title, and the loss of each further
line, and of a repeated one.
"""
_STATEMENT = lazily(
    r"\s{0,8}(?:SELECT|INSERT INTO|UPDATE|DELETE FROM|REPLACE INTO|ALTER TABLE)\s\S", re.IGNORECASE
)
"""A statement of SQL: the work of two transactions that waited for each other."""
_BAD = (Rank.WARNING, Rank.ERROR, Rank.FAILURE)
_HEADED, _OF_HEAD, _BLOCK_LINES = 60.0, 4.0, 60
_DIGITS = str.maketrans("", "", "0123456789")
_APART, _VALUING_PER_DOUBLING, _FARTHEST = 44.0, 1.5, 56.0
"""Worth of a line with an outlying number; the gain of each doubling, and the most."""


def value(folded: Folded, templates: Sequence[str]) -> list[float]:
    """Return a value for each line, 0 to 80 or so; higher ones are shown first.

    `templates` are those of the lines.
    """
    lines = [_strip_line(line) for line in folded.lines]
    folded = folded._replace(lines=lines)
    _judge_fields(lines)
    forms = [structure(line.text) for line in lines]
    templates = _tell_statuses(lines, templates)
    values = _value_alone(lines, templates, forms)
    _value_calls(lines, values)
    _lift_codes(lines, values)
    _lower_name_repeats(lines, values)
    lift_neighbours(lines, values)
    odd = _lift_odd(lines, templates, forms, values)
    _lift_block_heads(folded, values, odd)
    _lift_record_names(folded, values)
    _lift_ruled_sections(lines, values)
    _lift_apart(folded, values)
    _lift_locations(lines, values)
    _lift_edges(lines, values)
    _lift_pointed(lines, values)
    return values


def _tell_statuses(lines: Sequence[KeptLine], templates: Sequence[str]) -> list[str]:
    """Return the templates of lines; those of failed requests with their status."""
    statuses = (
        read_status(line.text.encode("utf-8", "replace")).decode()
        if line.family.judgement.rank >= Rank.WARNING
        else ""
        for line in lines
    )
    return [f"{templated} {status}" for templated, status in zip(templates, statuses, strict=True)]


def _strip_line(line: KeptLine) -> KeptLine:
    bare = strip_runner(line.text)
    return line if bare is line.text else line._replace(text=bare)


_SETTING = lazily(r"\s*([A-Za-z_][\w.()/ -]{0,60}?)\s*(?:=|:\s|:$)\s*(.*)")
"""A field: its name and its value."""
_SAYS_HOW = lazily(
    r"(?:\w+ )?(?:info|debug|notice|warn(?:ing)?s?|err(?:or)?s?|fatal|critical|panic|fail(?:ed|ure)?s?)"
    r"|.*[A-Z]\w*(?:Error|Exception|Warning|Failure|Panic)",
    re.IGNORECASE,
)
"""A prefix of a message that is not the name of a field."""
_FIELDS_MOSTLY, _FEWEST_FIELDS = 0.6, 40


def _judge_fields(lines: Sequence[KeptLine]) -> None:
    """Judge the fields of a list of fields by their values: a name is not an error."""
    fields = [(line, found) for line in lines if (found := _SETTING.fullmatch(line.text)) and not line.start]
    if len(lines) < _FEWEST_FIELDS or len(fields) < _FIELDS_MOSTLY * len(lines):
        return
    for line, found in fields:
        is_raised = line.family.judgement.rank in (Rank.WARNING, Rank.ERROR, Rank.VERDICT)
        told = matters(found[2]) or _SAYS_HOW.fullmatch(found[1]) or _is_tally(found[1], found[2])
        if is_raised and matters(found[1]) and not told:
            line.family.judgement = Judgement(Rank.PLAIN, 0.0)


def _is_tally(name: str, told: str) -> bool:
    """Return whether a field counts failures, in words that are not a name: `failed requests: 12`."""
    return " " in name and _AMOUNT.match(told) is not None


_AMOUNT = lazily(r"[1-9]\d{0,14}(?![\w.]*[A-Za-z])")
_OF_LOCATION, _PER_LOCATION, _OF_MILDER, _MOST_LOCATIONS = 60.5, 0.02, 6.0, 8
"""Worth of the first diagnostic's place; the loss of each further one, and of a warning beside errors; and
the most that are raised.
"""
_FINDING = lazily(
    r"(?:[A-Za-z]:)?[^\s:(]+\.\w+(?::\d+|\(\d+)"  # src/app.py:3: and src/app.ts(3,7):
    rf"|{POSITION}",
)


def _lift_locations(lines: Sequence[KeptLine], values: list[float]) -> None:
    """Raise the place of each diagnostic that has a line of its own, with the diagnostic above it."""
    apart = [places for places in iter_findings(lines) if len(places) > 1]
    ranks = [lines[places[0]].family.judgement.rank for places in apart]
    worst = max(ranks, default=Rank.PLAIN)
    for nth, (places, rank) in enumerate([*zip(apart, ranks, strict=True)][:_MOST_LOCATIONS]):
        less = _PER_LOCATION * nth + _OF_MILDER * (rank < min(worst, Rank.ERROR))
        for place in places:
            values[place] = max(values[place], _OF_LOCATION - less)


def iter_findings(lines: Sequence[KeptLine]) -> Iterator[Sequence[int]]:
    """Yield for each diagnostic the places of the lines with its message and its place."""
    for at, line in enumerate(lines):
        if LOCATION.match(line.text):
            if at and lines[at - 1].number == line.number - 1 and lines[at - 1].text[:1].strip():
                yield (at - 1, at)
        elif is_file_title(line.text):
            yield at, *_find_message(lines, at)
        elif line.family.judgement.rank in _BAD and _FINDING.match(line.text):
            yield (at,)


_NEAR = 2
"""Lines after the title of a finding that may hold its message."""


def _find_message(lines: Sequence[KeptLine], at: int) -> Sequence[int]:
    """Return the place of the first line with text right behind a title, if there is one."""
    below = range(at + 1, min(len(lines), at + 1 + _NEAR))
    near = (one for one in below if lines[one].number <= lines[at].number + _NEAR)
    return [one for one in near if lines[one].text.strip()][:1]


_REACH, _MOST_AROUND = 12, 600
"""Lines on each side of an error or a failure that are shown if there is room; and their most."""


def find_surroundings(lines: Sequence[KeptLine], values: Sequence[float]) -> list[int]:
    """Return the places of the lines around errors and failures, those of the best first."""
    bad = [at for at, line in enumerate(lines) if line.family.judgement.rank in (Rank.ERROR, Rank.FAILURE)]
    found: dict[int, None] = {}
    for at in sorted(bad, key=lambda at: -values[at]):
        if len(found) > _MOST_AROUND:
            break
        near = range(max(0, at - _REACH), min(len(lines), at + _REACH + 1))
        around = (one for one in near if abs(lines[one].number - lines[at].number) <= _REACH)
        said = (one for one in around if strip_runner(lines[one].text).strip())
        told = (one for one in said if not tells_nothing(lines[one].text))
        found.update(dict.fromkeys(told))
    return list(found)


def _value_alone(lines: Sequence[KeptLine], templates: Sequence[str], forms: Sequence[str]) -> list[float]:
    """Return the worth of each line by itself: by rank, less for each line like it."""
    alike = [
        (templated, line.family.judgement.weight) for line, templated in zip(lines, templates, strict=True)
    ]
    again, kin = _Repetition(alike), _rank_kin(lines, templates, forms)
    explained, hushed = 0, _find_hushed(lines)
    seen: Counter[tuple[str, float]] = Counter()
    values: list[float] = []
    for line, key in zip(lines, alike, strict=True):
        rank, weight = line.family.judgement
        worth = _BASE[Rank.ERROR if line.family.judgement == hushed else rank] + _PER_WEIGHT * weight
        seen[key] += 1
        if rank >= Rank.WARNING:
            of_kin = kin.get(key[0], 1)
            worth -= again.loss(key, line.family.judgement, nth=seen[key], is_new=of_kin == 1)
            worth -= _PER_KIN * math.log2(of_kin)
        elif rank is Rank.NOISE:
            worth = min(worth, 5.0)
        else:
            fewer = min(6.0, 2.0 * math.log2(seen[key]) + 0.5 * math.log2(max(1, line.family.count)))
            worth -= fewer
            if rank is Rank.DETAIL and _EXPLAINS.match(line.text):
                explained += seen[key] == 1
                worth = (63.0 if seen[key] == 1 else 40.0) - 2.0 * math.log2(max(1, explained))
        values.append(worth)
    _lower_alike(lines, forms, values)
    return values


def _find_hushed(lines: Sequence[KeptLine]) -> Judgement | None:
    """Return the judgement of errors at a mild level of a log, if no line has a louder one."""
    if any(line.family.judgement.rank in (Rank.ERROR, Rank.FAILURE) and not line.start for line in lines):
        return None
    return HUSHED


class _Repetition:
    """The loss of lines that repeat shown ones."""

    def __init__(self, alike: Sequence[tuple[str, float]]) -> None:
        """Take the template and the weight of each line."""
        self._often = Counter(alike)
        self._of_rank: Counter[Judgement] = Counter()

    def loss(self, key: tuple[str, float], judgement: Judgement, *, nth: int, is_new: bool) -> float:
        """Return the loss of the nth line of a template and a weight; a new one has none."""
        rank, often = judgement.rank, self._often[key]
        self._of_rank[judgement] += nth == 1 and is_new
        if rank is Rank.VERDICT:
            nth = often - nth + 1
        return _loss_as_repeat(rank, nth, kind=_as_loud(self._of_rank, judgement), rare=often <= _RARE)


def _as_loud(of_rank: Counter[Judgement], judgement: Judgement) -> int:
    """Return how many families of the same rank weigh at least about as much."""
    least = judgement.weight - _AS_LOUD
    return sum(n for told, n in of_rank.items() if told.rank is judgement.rank and told.weight >= least)


def _lower_alike(lines: Sequence[KeptLine], forms: Sequence[str], values: list[float]) -> None:
    """Lower verdicts that look like many other lines: rows of a table or a log sum nothing up."""
    alike: defaultdict[str, list[int]] = defaultdict(list)
    for at, (line, form) in enumerate(zip(lines, forms, strict=True)):
        alike[form].append(at)
        if line.family.judgement.rank is Rank.VERDICT:
            alike[_opening_words(line.text)].append(at)
    for at in {
        at for places in alike.values() if len(places) > _MANY for at in _iter_verdict_steps(lines, places)
    }:
        values[at] -= _SUMS_NOTHING_UP


def _rank_kin(lines: Sequence[KeptLine], templates: Sequence[str], forms: Sequence[str]) -> Mapping[str, int]:
    """Return the templates of errors and warnings that are many of one form, and differ only in words.

    The words say who, not what: the rarest of them is the first, 1.
    """
    kin: defaultdict[str, defaultdict[str, set[LineFamily]]] = defaultdict(lambda: defaultdict(set))
    logged: set[str] = set()
    for line, templated, form in zip(lines, templates, forms, strict=True):
        if line.family.judgement.rank in (Rank.WARNING, Rank.ERROR) and not _FINDING.match(line.text):
            kin[form][templated].add(line.family)
            logged.update((form,) if _mask_first_word(line.text) else ())
    ranks: dict[str, int] = {}
    for form, group in kin.items():
        counts = {templated: sum(family.count for family in own) for templated, own in group.items()}
        if sum(counts.values()) >= (_MANY_RECORDS if form in logged else _MANY_KIN):
            ranks.update(
                (one, nth) for nth, one in enumerate(sorted(counts, key=counts.__getitem__), start=1)
            )
    return ranks


_QUOTED = lazily(r"\"([^\"]{1,400})\"")
_MANY_CALLS, _OF_CALL, _PER_ERRNO, _PER_LATER = 8, 64.0, 3.0, 4.0
"""Failed system calls from which they are valued by kind and time; worth of the last call of the rarest
kind of failure; loss for each doubling of rarer kinds, and of later calls of its kind.
"""


def _value_calls(lines: Sequence[KeptLine], values: list[float]) -> None:
    """Value failed system calls: those of a rare kind first, then the last ones of each.

    Every program looks for missing files; the cause of its failure is near the end.
    """
    failed: defaultdict[str, list[int]] = defaultdict(list)
    for at, line in enumerate(lines):
        if line.family.judgement.rank >= Rank.WARNING and (way := read_call(line.text)):
            failed[way].append(at)
    if sum(map(len, failed.values())) < _MANY_CALLS:
        return
    names = {at: _find_file_of_call(lines[at].text) for places in failed.values() for at in places}
    times = Counter(filter(None, names.values()))
    for rarer, places in enumerate(sorted(failed.values(), key=len), start=1):
        told = sorted(places, key=lambda at: (times[names[at]] > 1, -at))
        for later, at in enumerate(told, start=1):
            values[at] = _OF_CALL - _PER_ERRNO * math.log2(rarer) - _PER_LATER * math.log2(later)


def _find_file_of_call(text: str) -> str:
    """Return the name of a call's file, without its folder and its ending, "" if there is none.

    A name that is tried in several places is a search.
    """
    found = _QUOTED.search(text)
    return found[1].rpartition("/")[2].partition(".")[0] if found else ""


_TIMED = lazily(r"\W?(?:\d{4}[-/.]\d\d[-/.]\d\d|\d\d:\d\d:\d\d)")
"""The beginning of a record of a log."""


def _iter_verdict_steps(lines: Sequence[KeptLine], places: Sequence[int]) -> Iterator[int]:
    """Yield the verdicts among similar lines, without the last one and those that weigh more.

    The last field of a name in a very long line with records is like the others, and so is the last record
    of a log if the output has further ones.
    """
    judged = [at for at in places if lines[at].family.judgement.rank is Rank.VERDICT]
    if not judged:
        return
    least = min(lines[at].family.judgement.weight for at in judged)
    goes_on = all(lines[at].start for at in judged) or _is_followed(lines, judged[-1])
    steps = judged if goes_on else judged[:-1]
    yield from (at for at in steps if lines[at].family.judgement.weight < least + _AS_LOUD)


def _is_followed(lines: Sequence[KeptLine], at: int) -> bool:
    """Return whether a line and the next are records of a log, with their time."""
    return at + 1 < len(lines) and all(_TIMED.match(line.text) for line in lines[at : at + 2])


def _opening_words(text: str) -> str:
    """Return the beginning of a line, in a form that is not the structure of a line."""
    return " ".join(text[:_LONGEST_OPENING].translate(_DIGITS).split()[:_OPENING])


def _loss_as_repeat(rank: Rank, nth: int, *, kind: int, rare: bool) -> float:
    """Return the loss of the nth line of its template, beside so many equally loud ones."""
    if rank is Rank.FAILURE:
        return 1.2 * math.log2(nth) + 8.0 * (nth > 2 and not rare)
    again = 0.0 if nth == 1 else 1.5 * nth if rare else 18.0 + 4.0 * math.log2(nth) + 12.0 * (nth > 2)
    if rank is Rank.VERDICT and nth > 1 and not rare:
        again += 12.0
    return again + 2.0 * math.log2(max(1, kind)) * (rank is not Rank.VERDICT)


def _lower_name_repeats(lines: Sequence[KeptLine], values: list[float]) -> None:
    """Lower repeated names of failures: a heading of a failure that the summary lists with its message."""
    failures = [at for at, line in enumerate(lines) if line.family.judgement.rank is Rank.FAILURE]
    names = {at: _find_failure_name(lines[at].text) for at in failures}
    listed = {
        frozenset(word.rpartition("::")[2] for word in name) for name in names.values() if _is_path(name)
    }
    told: dict[frozenset[str], int] = {}
    for at, name in names.items():
        if name in listed and not _is_path(name):
            values[at] = min(values[at], _AGAIN)
        elif name in told:
            says_more = _count_told(lines[at].text) >= _count_told(lines[told[name]].text)
            better, worse = (at, told[name]) if says_more else (told[name], at)
            told[name] = better
            values[worse] = min(values[worse], _AGAIN)
        else:
            told[name] = at


def _count_told(text: str) -> int:
    """Return the characters of a line, counting blanks in a row once."""
    return len(" ".join(text.split()))


def _is_path(name: frozenset[str]) -> bool:
    return any("::" in word for word in name)


def _find_failure_name(text: str) -> frozenset[str]:
    """Return the name in a line that names a failure, with its parameters."""
    panicked = PANICKED.match(text)
    if panicked:
        return frozenset((panicked[1],))
    text = strip_message(_TIME_TAKEN.sub("", text.rpartition(" › ")[2]))
    words = [word if "[" in word else word.strip("()[]:,;.✗✘✕×❌●") for word in text.split()]
    longest = max(words, key=len, default="")
    if not _STRUCTURED.search(longest) or _FILE_ONLY.search(longest):
        return frozenset((" ".join(filter(None, words)),))
    return frozenset((longest, *(word for word in words if "=" in word)))


_TIME_TAKEN = lazily(r" \(\d[\d.]{0,9} m?s\)$")


def _lift_codes(lines: Sequence[KeptLine], values: list[float]) -> None:
    """Raise each code of a diagnostic once."""
    seen: set[str] = set()
    for at, line in enumerate(lines):
        if line.family.judgement.rank in (Rank.WARNING, Rank.ERROR):
            told = code(line.text)
            if told and told not in seen:
                seen.add(told)
                least = _CODE + _OF_ERROR * (line.family.judgement.rank is Rank.ERROR)
                values[at] = max(values[at] + 2.0, least - _PER_CODE * len(seen))


def _lift_block_heads(folded: Folded, values: list[float], odd: Collection[int]) -> None:
    """Raise the first line of the block, between blank lines, around an error: a task, a package.

    So for an odd line, if many blocks begin alike: a host, an object.
    """
    places = {line.number: at for at, line in enumerate(folded.lines)}
    begun = Counter(
        _opening_words(line.text)
        for line in folded.lines
        if line.number > 1 and folded.blank[line.number - 2]
    )
    heads: dict[int, float] = {}
    for at, (line, worth) in enumerate(zip(folded.lines, values, strict=True)):
        is_bad = worth >= _HEADED and line.family.judgement.rank in _BAD
        if line.start or not (is_bad or at in odd):
            continue
        first = folded.blank.rfind(1, 0, line.number - 1) + 2
        head = places.get(first) if first < line.number <= first + _BLOCK_LINES else None
        if (
            head is not None
            and (is_bad or begun[_opening_words(folded.lines[head].text)] >= _MANY)
            and indent(folded.lines[head].text) <= indent(line.text)
            and not _PLACE.search(line.text)
            and _opening_words(folded.lines[head].text) != _opening_words(line.text)
        ):
            heads[head] = max(heads.get(head, 0.0), worth - _OF_HEAD)
    for head, worth in heads.items():
        values[head] = max(values[head], worth)


def _lift_record_names(folded: Folded, values: list[float]) -> None:
    """Raise the first two fields of separate records: `Name: ruff`, `Version: 0.17`."""
    lines = folded.lines
    heads: defaultdict[str, list[int]] = defaultdict(list)
    for at, line in enumerate(lines):
        first = line.number == 1 or folded.blank[line.number - 2]
        after_rule = at > 0 and lines[at - 1].text == "---" and lines[at - 1].number == line.number - 1
        if (first or after_rule) and _FIELD.match(line.text):
            heads[line.text.partition(":")[0]].append(at)
    for places in heads.values():
        for nth, at in enumerate(places if 1 < len(places) <= _RECORDS else ()):
            for place in range(at, min(at + 2, len(lines))):
                if _FIELD.match(lines[place].text):
                    values[place] = max(values[place], _OF_RECORD - _PER_RECORD * nth)


def _lift_ruled_sections(lines: Sequence[KeptLine], values: list[float]) -> None:
    """Raise the lines below a title in capitals, between rules, that reports an error."""
    titles = [at for at in range(len(lines)) if _is_ruled_title(lines, at)]
    for at, end in pairwise([*titles, len(lines)]):
        if lines[at].family.judgement.rank in _BAD:
            for nth, place in enumerate(range(at, min(end, at + _SECTION_LINES))):
                if lines[place].family.judgement.rank is not Rank.NOISE:
                    again = _OF_AGAIN * (lines[place].family.count > 1)
                    worth = _OF_SECTION - _PER_LINE * nth - again
                    is_statement = _STATEMENT.match(lines[place].text) is not None
                    values[place] = max(values[place], _OF_SECTION + 1.0 if is_statement else worth)


def _is_ruled_title(lines: Sequence[KeptLine], at: int) -> bool:
    """Return whether a line is a title in capitals with nothing right beside it but rules."""
    number = lines[at].number
    beside = (lines[one] for one in (at - 1, at + 1) if 0 <= one < len(lines))
    is_apart = all(
        line.family.judgement.rank is Rank.NOISE or abs(line.number - number) > 1 for line in beside
    )
    return is_apart and _CAPITALS.fullmatch(lines[at].text) is not None


def _lift_apart(folded: Folded, values: list[float]) -> None:
    """Raise the lines with an outlying number, the farther the more."""
    for at, line in enumerate(folded.lines):
        ratio = folded.apart.get(line[:2])
        if ratio is not None and read_call(line.text) is None:
            values[at] = max(values[at], min(_FARTHEST, _APART + _VALUING_PER_DOUBLING * math.log2(ratio)))


def _lift_edges(lines: Sequence[KeptLine], values: list[float]) -> None:
    """Raise the beginning and end of an output; of a very long line its first piece."""
    shown = [at for at in range(len(lines)) if _is_edge(lines, at)]
    for least, at in chain(zip(_ENDS, reversed(shown), strict=False), zip(_BEGINNINGS, shown, strict=False)):
        values[at] = max(values[at], least)


def _is_edge(lines: Sequence[KeptLine], at: int) -> bool:
    """Return whether a line can begin or end the shown part: not noise, nor a later piece of a long line."""
    line = lines[at]
    if at == 0:
        return True
    return line.family.judgement.rank > Rank.NOISE and not (
        line.number == lines[at - 1].number and line.start
    )
