"""Cut the texts of a conversation into pieces and find the references in them, once for each content."""

from __future__ import annotations

import bisect
import json
import operator
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from functools import partial
from itertools import accumulate, chain, compress, pairwise
from typing import Any, NamedTuple

from satchel.conversation.counting import Counts
from satchel.messages import Block, BlockKind, Exchange
from satchel.patterns import lazily

LONGEST = 240
"""Characters of a line that stay together; a longer line is cut into pieces of about this length."""
GAP = "…"
GAP_TOKENS = 2
ESCAPED = 1.15
"""How much longer a text is inside of a call's arguments."""
_RUN = lazily(r"[\w@~./+-]{4,}|\d{3}")
_BREAKS = "".join(chr(code) if re.match(r"[\w@~./+\n-]", chr(code)) else " " for code in range(128))
"""For `str.translate`: an ASCII character that is part of no run becomes a blank."""
_NAME = lazily(r"[A-Za-z_]\w{3,}")
_QUOTED = lazily(r"""(["'`])([^"'`\n]{12,100}+)\1""")
_EXTENSION = lazily(r"[\w@~+-][\w.@~+/-]*\.[A-Za-z][A-Za-z0-9]{0,4}")
_DIGITS = lazily(r"\d{3,}(?:\.\d+)?")
_DATE = lazily(r"\d{4}-\d\d-\d\d")
_KEY = lazily(r"(?<=[A-Za-z][_-])\d{5,}+(?![^_-])")
"""A number that is also named without its prefix: `certificate_7504069` as 7504069."""
_NO_DIGITS = dict.fromkeys(map(ord, "0123456789"))
_MANY, _MOSTLY = 4, 0.5
"""Fewest references of a line of data, and least share of digits among its characters."""
_HUMP = lazily(r"[a-z][A-Z]|[A-Za-z]\d")
NUMBER = r"\s{0,8}\d{1,7}(?:→|\t|:\s|-\s|\s?\|)"
"""The number of a line in a listing."""
_NUMBERED = lazily(NUMBER.replace(r"\d{1,7}", r"(\d{1,7})"))
LINE = "#"
"""Prefix of the number of a line, as a reference."""
_WORDLESS = lazily(r"[\W\d_]+\Z")
_ENDS = ".,:-+"
_BORDERS = tuple(map(lazily, (r"[\]}],\s?(?=[\[{])", r",\s?(?=[\"\[{])", r"[.;!?](?=\s)", r"\S(?=\s)")))
"""Where a long line is cut: behind a record of JSON, a field, a sentence, a word."""
_SHORTEST = 40
"""Characters from which a record of JSON is a piece of its own."""
_LINE_END = "\0"
"""Marks the end of a line among runs: no run contains it."""
_ASCII = bytes(range(128))
_SIGNS = 64
"""Different signs beyond ASCII that are removed from a text: each takes a pass over the whole text."""
_INDENT = lazily(rf"(?:{NUMBER})?([ \t]*)")
_DEFINES = lazily(
    r"(?:(?:export|default|public|private|protected|internal|static|async|abstract|final|override|pub(?:\(\w+\))?"
    r"|unsafe|inline|virtual|const|sealed|partial|data|open)\s+)*"
    r"(?:(?:def|class|func|fn|function|interface|struct|enum|impl|trait|module|namespace|type|record|sub)\b\s*[\w(*<&]"
    r"|(?:it|test|describe)\(['\"`]|\w+\s*=\s*(?:async\s*)?\([^()]*\)\s*=>"
    r"|(?!(?:if|for|foreach|while|switch|select|try|catch|return|else|elif|match|with|using|lock|synchronized|when"
    r"|await|new)\b)"
    r"[\w<>\[\]*&.:?, ]{1,80}\([^()]*\)[\w:<>\[\]| ?,.]{0,60}\{\s*$)"
)
_HUNK_HEAD, _FILE_HEADS, _HEADING = (
    "@@ ",
    ("+++ ", "*** Update File: ", "*** Add File: "),
    ("## ", "### ", "#### "),
)
_RULE = lazily(r"[|+├╞┌└]?[-=:─═]{2}[-=+:|┼┬┴╪╤╧┤╡┐┘─═ ]*$")
"""The line below the header of a table, or above it."""
_BARS = "|│"
_CLOSES = (")", "#")
"""Beginnings of lines that end no definition although they are not indented."""


class Piece(NamedTuple):
    """A line of a text, or a stretch of a long one."""

    start: int
    end: int
    refs: tuple[str, ...]
    tokens: int = 0
    """Tokens with a line feed after it."""
    gap: int = GAP_TOKENS
    """Tokens of the mark beside it: 0 if the line begins with its number."""


_PIECE = partial(tuple.__new__, Piece)
"""Makes a piece of a tuple of all its fields, in a third of the time that a call of the class takes."""


class ReferenceReader:
    """Cuts texts into pieces, and remembers the references of lines and words.

    All new lines go through each step together: most steps are one call for all of them.
    """

    def __init__(self) -> None:
        self._of_run: dict[str, tuple[str, ...]] = {_LINE_END: (_LINE_END,)}
        """References by run, for runs that have any."""
        self._runs = {_LINE_END}
        self._of_line: dict[str, tuple[str, ...]] = {}
        self._of_listed: dict[str, tuple[str, ...]] = {}
        self._numbered: set[str] = set()

    def pieces(self, texts: Sequence[str], tokens: Sequence[int]) -> list[tuple[Piece, ...]]:
        """Return the pieces of texts of these tokens, in order; blank lines are not pieces.

        The tokens of a text are divided among its pieces by their characters.
        """
        cuts = [_cut(text) for text in texts]
        self._list(chain.from_iterable([cut.lines for cut in cuts]))
        return [
            _pieces(cut, self._of_listed, self._numbered, rate=many / max(1, len(text)))
            for cut, text, many in zip(cuts, texts, tokens, strict=True)
        ]

    def refs(self, line: str) -> tuple[str, ...]:
        """Return the references in a line, each once: paths, names of code, numbers, quoted words."""
        self._learn([line])
        return self._of_line[line]

    def _list(self, lines: Iterable[str]) -> None:
        """Learn the references in lines of texts; a numbered line also has its number, with `#`, last."""
        new = [line for line in dict.fromkeys(lines) if line not in self._of_listed]
        numbers = list(map(_NUMBERED.match, new))
        rests = [
            line if number is None else line[number.end() :]
            for line, number in zip(new, numbers, strict=True)
        ]
        self._learn(rests)
        self._of_listed.update(zip(new, map(self._of_line.__getitem__, rests), strict=True))
        for line, number in zip(new, numbers, strict=True):
            if number is not None:
                self._numbered.add(line)
                if len(number[1]) > 2:
                    self._of_listed[line] = (*self._of_listed[line], f"{LINE}{number[1]}")

    def _learn(self, lines: Iterable[str]) -> None:
        new = [line for line in dict.fromkeys(lines) if line not in self._of_line]
        if not new:
            return
        runs = _runs_of(new)
        known = self._find_refs_of_runs(runs)
        held = list(chain.from_iterable(map(known.__getitem__, filter(known.__contains__, runs))))
        ends = [at for at, ref in enumerate(held) if ref == _LINE_END]
        starts = chain((0,), [end + 1 for end in ends])
        found = [
            _list_refs(line, held[start:end]) for line, start, end in zip(new, starts, ends, strict=False)
        ]
        self._of_line.update(zip(new, found, strict=True))
        for at, quoted in _find_quotes(new):
            line = new[at]
            self._of_line[line] = _unite([self._of_line[line], (quoted,)])

    def _find_refs_of_runs(self, runs: Iterable[str]) -> Mapping[str, tuple[str, ...]]:
        """Return the references of these and earlier runs, for runs that have any."""
        unknown = set(runs) - self._runs
        self._runs |= unknown
        strange = [run for run in unknown if not (run.islower() and run.isalpha())]
        found = [
            (run, _refs_of(run)) for run in strange if len(run) > 3 or (len(run) > 2 and run.isdecimal())
        ]
        self._of_run.update([(run, refs) for run, refs in found if refs])
        return self._of_run


def _list_refs(line: str, held: Sequence[str]) -> tuple[str, ...]:
    """Return the references of a line, each once; () for a line that is mostly digits.

    Nobody asks again for one of the numbers in the outline of an icon or in a row of data.
    """
    found = tuple(dict.fromkeys(held))
    if len(found) < _MANY or len(line) - len(line.translate(_NO_DIGITS)) < len(line) * _MOSTLY:
        return found
    return ()


def _unite(refs: Sequence[tuple[str, ...]]) -> tuple[str, ...]:
    """Return references in order, each once."""
    if len(refs) < 2:
        return refs[0] if refs else ()
    return tuple(dict.fromkeys(chain.from_iterable(refs)))


def _runs_of(lines: Sequence[str]) -> list[str]:
    """Return the runs of letters, digits and path marks, short ones too, with an end mark for each line."""
    text = blank_signs("\n".join(lines))
    if not text.isascii():
        text = "\n".join(
            [line if line.isascii() else " ".join(_RUN.findall(line)) for line in text.split("\n")]
        )
    return f"{_blank_breaks(text)}\n".replace("\n", f" {_LINE_END} ").split()


def _blank_breaks(text: str) -> str:
    """Return a text with a blank for each ASCII character that is part of no run and ends no line."""
    if text.isascii():
        return text.translate(_BREAKS)
    lines = text.split("\n")
    plain = iter("\n".join(filter(str.isascii, lines)).translate(_BREAKS).split("\n"))
    return "\n".join([next(plain) if line.isascii() else line for line in lines])


def blank_signs(text: str) -> str:
    r"""Return a text with blanks for its signs beyond ASCII, at the same length: words are found sooner.

    Signs are arrows, dashes, frames: all but `\w` and line feeds. If there are very many different signs,
    they stay.
    """
    if text.isascii():
        return text
    beyond = text.encode("utf-8", "surrogatepass").translate(None, _ASCII)
    signs = [one for one in set(beyond.decode("utf-8", "surrogatepass")) if not one.isalnum()]
    for sign in signs if len(signs) <= _SIGNS else ():
        text = text.replace(sign, " ")
    return text


def _find_quotes(lines: Sequence[str]) -> Iterator[tuple[int, str]]:
    """Yield quoted words with the number of their line, in order."""
    starts = list(accumulate(map(len, lines), lambda end, size: end + size + 1, initial=0))
    for found in _QUOTED.finditer("\n".join(lines)):
        if " " in found[2].strip():
            yield bisect.bisect_right(starts, found.start()) - 1, found[2]


class _PieceMark(NamedTuple):
    """A text's lines and stretches of lines, and where they begin."""

    starts: list[int]
    lines: list[str]


def _cut(text: str) -> _PieceMark:
    lines = text.split("\n")
    starts = list(accumulate([len(line) + 1 for line in lines], initial=0))
    said: Sequence[object] = lines
    if any(map(str.isspace, lines)):
        said = [line and not line.isspace() for line in lines]
    if not all(said):
        starts, lines = list(compress(starts, said)), list(compress(lines, said))
    if max(map(len, lines), default=0) > LONGEST:
        spans = list(_spans(text, lines, starts))
        return _PieceMark([start for start, _ in spans], [text[start:end] for start, end in spans])
    return _PieceMark(starts, lines)


def _pieces(
    cut: _PieceMark, refs: Mapping[str, tuple[str, ...]], numbered: set[str], *, rate: float
) -> tuple[Piece, ...]:
    sizes = list(map(len, cut.lines))
    ends = map(operator.add, cut.starts, sizes)
    tokens = [int(size * rate) + 1 for size in sizes]
    gaps = [0 if line in numbered else GAP_TOKENS for line in cut.lines]
    fields = zip(cut.starts, ends, map(refs.__getitem__, cut.lines), tokens, gaps, strict=False)
    return tuple(map(_PIECE, fields))


def _spans(text: str, lines: Sequence[str], starts: Sequence[int]) -> Iterator[tuple[int, int]]:
    for start, line in zip(starts, lines, strict=False):
        if len(line) > LONGEST:
            yield from _stretches(text, start, start + len(line))
        else:
            yield start, start + len(line)


def _stretches(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Yield stretches of a long line, cut after a record, a field or a sentence, else at white space."""
    while end - start > LONGEST + LONGEST // 4:
        cut = _find_cut(text, start, start + LONGEST)
        yield start, cut
        start = cut
    if not text[start:end].isspace():
        yield start, end


def _find_cut(text: str, start: int, end: int) -> int:
    """Return the best place to cut a stretch of a line, the last of its kind.

    After a record the stretch may be short, else it has at least half of its greatest length.
    """
    half = (start + end) // 2
    begins = (start + _SHORTEST, *[half] * (len(_BORDERS) - 1))
    borders = (
        [found.end() for found in one.finditer(text, at, end)]
        for at, one in zip(begins, _BORDERS, strict=True)
    )
    return next((places[-1] for places in borders if places), end)


def _refs_of(run: str) -> tuple[str, ...]:
    """Return the references in a run of letters, digits and path marks."""
    core = run.rstrip(_ENDS)
    if core.isalpha() or (core.isascii() and core.replace("_", "").isalpha()):
        return (core,) if is_code(core) else ()
    found = [core] if _is_path(core) else []
    found += [name for name in _NAME.findall(core) if is_code(name)]
    found += [number for number in _DIGITS.findall(core) if len(core) <= len(number) + 8]
    found += _KEY.findall(core)
    if _is_mixed(core) or _DATE.fullmatch(core):
        found.append(core)
    return tuple(dict.fromkeys(found))


def _is_mixed(word: str) -> bool:
    """Return whether a word is of letters and digits, like the beginning of a hash."""
    return 7 <= len(word) <= 40 and word.isalnum() and not word.isdigit()


def _is_path(run: str) -> bool:
    if len(run) < 5 or ("/" not in run and "." not in run):
        return False
    return ("/" in run or _EXTENSION.fullmatch(run) is not None) and not _WORDLESS.match(run)


def is_code(name: str) -> bool:
    """Return whether a word looks like a name in code: with underscores, humps or digits."""
    core = name.strip("_")
    if len(core) < 4 or (core.islower() and core.isalpha()):
        return False
    return "_" in core or _HUMP.search(core) is not None or core.endswith(("Error", "Exception", "Warning"))


def plain_text(text: str) -> str:
    """Return the text of a result: for JSON as Codex writes it, the output in it with its exit code."""
    if not text.startswith('{"output":'):
        return text
    try:
        table = json.loads(text)
    except (ValueError, RecursionError):
        return text
    output, facts = table["output"], table.get("metadata", {})
    known = isinstance(output, str) and isinstance(facts, dict) and table.keys() <= {"output", "metadata"}
    if not known:
        return text
    return f"Exit code: {facts['exit_code']}\n{output}" if facts.get("exit_code") else output


def join_pieces(text: str, pieces: Sequence[Piece], chosen: Iterable[int]) -> str:
    """Return the chosen pieces of a text in order, with a mark for each gap.

    Lines that begin with their numbers show gaps themselves and get no mark.
    """
    shown = sorted(chosen)
    if not shown:
        return ""
    first, last = pieces[shown[0]], pieces[shown[-1]]
    said = [f"{GAP}\n"] if shown[0] > 0 and first.gap else []
    said.append(text[first.start : first.end])
    for before, at in pairwise(shown):
        said += [_render_gap(text, pieces, before, at), text[pieces[at].start : pieces[at].end]]
    if shown[-1] < len(pieces) - 1 and last.gap:
        said.append(f"\n{GAP}")
    return "".join(said)


def _render_gap(text: str, pieces: Sequence[Piece], before: int, at: int) -> str:
    """Return the text between two pieces: the text itself, or a mark where something is left out."""
    if at == before + 1:
        return text[pieces[before].end : pieces[at].start]
    return f"\n{GAP}\n" if pieces[before].gap or pieces[at].gap else "\n"


SHORT = 200
"""Characters of an argument that stay in a shortened call."""
_REPLACED = (("old", "new"), ("new", "old"), ("search", "replace"), ("replace", "search"))
"""Prefixes of the names of two arguments, where one replaces the other."""
_HUNK = lazily(r"^@@|^\*\*\* (?:Update|Add|Delete) File: ", re.MULTILINE)
_REMOVED, _ADDED = lazily(r"-(?!-- )[^\w\n]*\w"), lazily(r"\+(?!\+\+ )[^\w\n]*\w")
_HEADED = lazily(r"\*\*\* (?:Update|Add|Delete) File: |\+\+\+ ")
_HEADS = 8
"""Lines of a patch: one that any patch has, the lines it removes and adds, the name of a file; and the
most names that are always shown.
"""
Path = tuple[str | int, ...]
_REFS = operator.itemgetter(Piece._fields.index("refs"))


class PiecePlace(NamedTuple):
    """The place of a text in an exchange: message, block, and the path inside a call's arguments."""

    message: int
    block: int
    path: Path | None = None


class Facts(NamedTuple):
    """A text's pieces and all its references, in order."""

    text: str
    pieces: tuple[Piece, ...]
    refs: tuple[str, ...]


class Library:
    """Facts by content: texts that were read before are not read again.

    Args:
        counts: the counter of tokens.
    """

    def __init__(self, counts: Counts) -> None:
        self.counts = counts
        self.terms: dict[str, Mapping[str, int]] = {}
        """Terms of an exchange by its text."""
        self.words: dict[str, Mapping[str, int]] = {}
        """Words of an exchange by its text, where tools are called."""
        self.stems: dict[str, tuple[str, ...]] = {}
        """Stems of the terms in a word, by the word."""
        self.definitions: dict[str, Sequence[tuple[int, ...]]] = {}
        """For each piece of a text, the pieces that head its definition or section, by the text."""
        self._reader = ReferenceReader()
        self._facts: dict[str, Facts] = {}
        self._arguments: dict[str, tuple[tuple[Path, str], ...] | None] = {}
        self._openings: dict[str, Mapping[Path, frozenset[int]]] = {}

    def read(self, texts: Iterable[str]) -> None:
        """Read the texts that are not known yet."""
        new = [text for text in dict.fromkeys(texts) if text not in self._facts]
        for text, pieces in zip(new, self._reader.pieces(new, self.counts.texts(new)), strict=True):
            refs = tuple(dict.fromkeys(chain.from_iterable(map(_REFS, pieces))))
            self._facts[text] = Facts(text, pieces, refs)

    def read_all(self, exchanges: Iterable[Exchange]) -> None:
        """Read the texts of exchanges."""
        blocks = (block for one in exchanges for message in one.messages for block in message.blocks)
        self.read(text for block in blocks for text in self.texts_of(block))

    def of(self, text: str) -> Facts:
        """Return the facts of a text that was read."""
        facts = self._facts.get(text)
        if facts is None:
            self.read([text])
            facts = self._facts[text]
        return facts

    def values(self, arguments: str) -> tuple[tuple[Path, str], ...] | None:
        """Return the texts in a call's arguments by path, None if the arguments are not a JSON object."""
        if arguments not in self._arguments:
            self._arguments[arguments] = _values(arguments)
        return self._arguments[arguments]

    def openings(self, arguments: str) -> Mapping[Path, frozenset[int]]:
        """Return the pieces of each long text in a call's arguments that are always shown.

        That is the first; for a text that replaces another, or is replaced, the first that differs; for a
        patch its files, and the first lines that it removes and adds.
        """
        found = self._openings.get(arguments)
        if found is None:
            values = dict(self.values(arguments) or ())
            found = self._openings[arguments] = {
                path: self._open(text, _find_other(path, values))
                for path, text in values.items()
                if len(text) > SHORT
            }
        return found

    def _open(self, text: str, other: str | None) -> frozenset[int]:
        lines = [text[piece.start : piece.end] for piece in self.of(text).pieces]
        if other is not None:
            known = {line.strip() for line in other.split("\n")}
            first = next((at for at, line in enumerate(lines) if line.strip() not in known), 0)
            return frozenset({first})
        if not _HUNK.search(text):
            return frozenset({0})
        heads = [at for at, line in enumerate(lines) if _HEADED.match(line)][:_HEADS]
        changes = [
            next((at for at, line in enumerate(lines) if sign.match(line)), -1) for sign in (_REMOVED, _ADDED)
        ]
        return frozenset([*heads, *[at for at in changes if at >= 0]] or [0])

    def texts_of(self, block: Block) -> Sequence[str]:
        """Return the texts that hold a block's references: for a call, those in its arguments."""
        if block.kind is BlockKind.CALL:
            values = self.values(block.text)
            return [block.text] if values is None else [text for _, text in values]
        return (
            [plain_text(block.text)]
            if block.kind in (BlockKind.TEXT, BlockKind.RESULT) and block.text
            else ()
        )

    def places(self, exchange: Exchange) -> Iterator[tuple[PiecePlace, str]]:
        """Yield every text of an exchange that may be cut line by line, with its place."""
        for at, message in enumerate(exchange.messages):
            for number, block in enumerate(message.blocks):
                if block.kind is BlockKind.CALL:
                    values = self.values(block.text) or ()
                    yield from (
                        (PiecePlace(at, number, path), text) for path, text in values if len(text) > SHORT
                    )
                elif block.kind in (BlockKind.TEXT, BlockKind.RESULT) and block.text and not block.fixed:
                    yield PiecePlace(at, number), plain_text(block.text)


def is_replaced(path: Path) -> bool:
    """Return whether an argument is a text that another one replaces."""
    return bool(path) and str(path[-1]).startswith("old")


def is_replacing(path: Path) -> bool:
    """Return whether an argument is a text that replaces another one."""
    return bool(path) and str(path[-1]).startswith("new")


def list_signs(text: str, pieces: Sequence[Piece]) -> str:
    """Return the first character of each piece of a patch, such as `-` or `+`; "" for another text."""
    return "".join([text[piece.start] for piece in pieces]) if _HUNK.search(text) else ""


def _find_other(path: Path, values: Mapping[Path, str]) -> str | None:
    """Return the text that replaces this one or that it replaces: `old_string` and `new_string`."""
    name = str(path[-1]) if path else ""
    for old, new in _REPLACED:
        other = (*path[:-1], f"{new}{name.removeprefix(old)}")
        if name.startswith(old) and other in values:
            return values[other]
    return None


def _values(arguments: str) -> tuple[tuple[Path, str], ...] | None:
    try:
        parsed = json.loads(arguments)
    except (ValueError, RecursionError):
        return (((), arguments),) if _HUNK.search(arguments) else None
    return tuple(_strings(parsed)) if isinstance(parsed, dict) else None


def _strings(parsed: Any) -> Iterator[tuple[Path, str]]:
    waiting: list[tuple[Path, Any]] = [((), parsed)]
    while waiting:
        path, value = waiting.pop()
        if isinstance(value, str):
            yield path, value
        elif isinstance(value, dict):
            waiting.extend(((*path, key), inner) for key, inner in reversed(value.items()))
        elif isinstance(value, list):
            waiting.extend(((*path, at), value[at]) for at in range(len(value) - 1, -1, -1))


def with_values(arguments: str, changed: Mapping[Path, str]) -> str:
    """Return a call's arguments with some texts in them replaced."""
    if not changed:
        return arguments
    if () in changed:  # the arguments are one text, as those of a patch
        return changed[()]
    parsed = json.loads(arguments)
    for path, value in changed.items():
        holder = parsed
        for key in path[:-1]:
            holder = holder[key]
        holder[path[-1]] = value
    return json.dumps(parsed, ensure_ascii=False)


LINES = 3
"""Fewest lines of a run."""
_PARAGRAPH = 5
"""Most lines of a run, if its paragraph ends within them."""
_STRETCHES = 12
"""Most pieces of a run: a line of more pieces is shown in parts."""


def runs_of(text: str, pieces: Sequence[Piece]) -> Iterator[tuple[int, int]]:
    """Yield first and last piece (exclusive) of each run of a text's pieces; together they cover it."""
    firsts, ends = _line_starts(text, pieces)
    is_record = len(firsts) == 1 and text.startswith(("{", "["))
    start = 0
    while start < len(firsts):
        end = _end_of_run(start, len(firsts), ends)
        first, last = firsts[start], firsts[end] if end < len(firsts) else len(pieces)
        if last - first > _STRETCHES or is_record:
            step = 1 if is_record else LINES
            yield from ((at, min(at + step, last)) for at in range(first, last, step))
        else:
            yield first, last
        start = end


def _end_of_run(start: int, count: int, ends: Sequence[bool]) -> int:
    """Return the end of a run: that of its paragraph if near, but never one that leaves too few lines."""
    if count - start < 2 * LINES:
        return count
    for end in range(start + LINES, min(start + _PARAGRAPH, count - LINES) + 1):
        if ends[end]:
            return end
    return start + LINES


def _line_starts(text: str, pieces: Sequence[Piece]) -> tuple[list[int], list[bool]]:
    """Return the pieces that begin a line, and whether a blank line comes before each."""
    firsts, ends = [], []
    for at, piece in enumerate(pieces):
        between = text[pieces[at - 1].end : piece.start] if at else "\n"
        if "\n" in between:
            firsts.append(at)
            ends.append(between.count("\n") > 1)
    return firsts, ends


def find_definitions(text: str, library: Library) -> Sequence[tuple[int, ...]]:
    """Return for each piece of a text the pieces that head its definition or section.

    That is the head of a definition, which is less indented, or the heading of a section; in a diff the name
    of the file and the head of the hunk; in a table between bars its header.
    """
    known = library.definitions.get(text)
    if known is None:
        known = library.definitions[text] = _find_heads(text, library.of(text).pieces)
    return known


def _find_heads(text: str, pieces: Sequence[Piece]) -> list[tuple[int, ...]]:
    found: list[tuple[int, ...]] = []
    open_: list[tuple[int, tuple[int, ...]]] = []
    file: tuple[int, ...] = ()
    headers = _find_headers(text, pieces) if _BARS[0] in text or _BARS[1] in text else {}
    for at, piece in enumerate(pieces):
        if at in headers:
            found.append(headers[at])
            continue
        indent = _INDENT.match(text, piece.start, piece.end)
        start, depth = (indent.end(), len(indent[1].expandtabs(4))) if indent else (piece.start, 0)
        if text.startswith(_FILE_HEADS, start):
            file = (at,)
        if not depth and text.startswith((_HUNK_HEAD, *_HEADING), start):
            above = file if text.startswith(_HUNK_HEAD, start) else ()
            found.append(above)
            open_ = [(-1, (*above, at))]
            continue
        if not text.startswith(_CLOSES, start):
            while open_ and open_[-1][0] >= depth:
                open_.pop()
        found.append(open_[-1][1] if open_ else ())
        if _DEFINES.match(text, start, piece.end):
            open_.append((depth, (at,)))
    return found


def _find_headers(text: str, pieces: Sequence[Piece]) -> dict[int, tuple[int, ...]]:
    """Return the header of each row of a table between bars: the names of the columns, and the line below."""
    found: dict[int, tuple[int, ...]] = {}
    header: tuple[int, ...] = ()
    for at, piece in enumerate(pieces):
        if _RULE.match(text, piece.start, piece.end) and at and not header and _has_bar(text, pieces[at - 1]):
            header = (at - 1, at)
        elif not _has_bar(text, piece) and not _RULE.match(text, piece.start, piece.end):
            header = ()
        elif header:
            found[at] = header
    return found


def _has_bar(text: str, piece: Piece) -> bool:
    return any(text.find(bar, piece.start, piece.end) >= 0 for bar in _BARS)


def add_definitions(found: Sequence[tuple[int, ...]], chosen: Set[int]) -> set[int]:
    """Return the chosen pieces, and for each run of them the pieces that head its definition or section."""
    return set(chosen).union(*(found[at] for at in chosen if at - 1 not in chosen))
