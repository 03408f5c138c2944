"""Squeeze a command's output: show the lines that matter within a budget, archive the rest."""

from __future__ import annotations

import codecs
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property, partial
from itertools import chain
from pathlib import Path
from typing import Literal, NamedTuple, TypedDict, Unpack

from satchel.archive import Archive, ArchiveError, ArchiveWriter
from satchel.errors import Problem, UsageError
from satchel.output.asking import Question, lift_asked
from satchel.output.choosing import WHOLE_TOKENS, Count, OutputCut, ShownLines, nothing, order, target
from satchel.output.cleaning import Hider, clean_line, is_binary
from satchel.output.families import (
    DIFF,
    HISTORY,
    LISTING,
    REPORT,
    TABLE,
    OutputFamily,
    recognise,
    reports_beside,
    tells_family,
)
from satchel.output.folding import Folded, KeptLine, LineFolding, Place
from satchel.output.judging import Rank, is_loud, matters
from satchel.output.marks import Gap
from satchel.output.passages import NO_OMISSION, Omission, PassageCut, clean_text, find_kept
from satchel.output.reading import Plugins, lift_values, read
from satchel.output.values import find_surroundings, iter_findings, lift_header, lift_parents, value
from satchel.patterns import lazily
from satchel.shared_archive import open_archive
from satchel.spelling import refuse_unknown
from satchel.tokens.guessing import guess

BUDGET = 3_000
LADDER = (3_000, 1_000, 300, 120)
"""Budgets of an output as it grows older; after the last one only its pointer is left."""
_SURE, _MUCH = 2.0, 3.0
"""A guess needs no count if it is this many times smaller than its limit, or this many times larger."""
_MEMORY_CHARS, _LINE_CHARS = 32_000_000, 8_000_000
"""Characters of an output that are held back, until it is clear whether to archive it; and of a line
that may be cut.
"""
_PIECE_BYTES = 4_000_000
_BEGINNING_CHARS, _END_CHARS = 2_000_000, 20_000
"""Characters kept of a history or a diff that is too long to hold: the newest part comes first."""
_LEFT_OUT, _MOST_LEFT_OUT = "…", 400
"""Placeholder for each line in between, and the most of them: more than are read around any line."""
_SMALL_CHARS = 40_000
"""Longer outputs are never shown whole."""
_SAMPLE_LINES = 40
"""Lines that show whether an output is text."""
_SAMPLE_BYTES = 64
"""Bytes at the beginning that show whether it is UTF-16."""
_ENCODING_BYTES = 262_144
"""Bytes at the beginning that show other encodings."""
_ASCII, _CONTROLS_80 = bytes(range(128)), bytes(range(128, 160))
_NOT_IN_TEXT = bytes({*range(32), 127} - {*b"\a\b\t\n\v\f\r\x1b"})
_UNSHOWN = lazily(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")
_MOST_READ = 100_000
"""Longer outputs are logs of some kind, for which no tool's representer is asked."""


class Squeezed(NamedTuple):
    """A shortened output."""

    text: str
    tokens: int
    """Tokens of the text, counted."""
    pointer: str = ""
    """`blob:HASH` of the whole output; "" if nothing was cut, or if it could not be archived."""
    gaps: tuple[Gap, ...] = ()
    """The hidden lines; `POINTER:FIRST-LAST` expands one gap."""
    lines: int = 0
    """Lines that the output has."""
    problems: tuple[Problem, ...] = ()


class TextEnds:
    """The beginning and the end of a history or a diff, and its number of lines."""

    def __init__(self, beginning: Sequence[str]) -> None:
        """Take the first lines."""
        self._beginning = beginning
        self._end = ""
        self._breaks = 0

    def add(self, text: str) -> None:
        """Take the next piece of the text; the first ones have the first lines again."""
        self._breaks += text.count("\n")
        self._end = (self._end + text)[-_END_CHARS:]

    @property
    def total(self) -> int:
        """Return the number of its lines."""
        return self._breaks + (self._end != "" and not self._end.endswith("\n"))

    def lines(self) -> tuple[list[str], Omission]:
        """Return the lines, with marks for some in between, and the number of further ones."""
        room = max(0, self.total - len(self._beginning))
        end = self._end.removesuffix("\n").split("\n")[1:][-room:] if room else []
        between = room - len(end)
        lines = [*self._beginning, *[_LEFT_OUT] * min(between, _MOST_LEFT_OUT)]
        return [*lines, *end], Omission(len(lines), max(0, between - _MOST_LEFT_OUT))


class _Valued(NamedTuple):
    """The lines of an output after folding, with the template and the value of each."""

    folded: Folded
    templates: Sequence[str]
    worths: Sequence[float]

    def by_place(self) -> dict[Place, float]:
        """Return the worth of each line by its place."""
        return {line[:2]: worth for line, worth in zip(self.folded.lines, self.worths, strict=True)}


class _Taken:
    """An output that was read to its end."""

    def __init__(self, keeper: _Keeper, tokens: int) -> None:
        """Take its keeper, and a guess of its tokens."""
        self.tokens = tokens
        self._folding = keeper.folding
        self.ends = keeper.ends
        """Ends of a history or a diff that is too long to hold."""
        self.text, self.hash, self.problems = keeper.end()
        """Its whole text without secrets, None if it is too long to hold; its archived hash; problems."""

    @cached_property
    def valued(self) -> _Valued:
        """Return its folded lines and their worth; text shown in passages does not need them."""
        for piece in _split_by_size(self.text or ""):
            _feed(self._folding, piece)
        return _value_folded(self._folding.finish())

    @property
    def total(self) -> int:
        """Return the number of its lines."""
        text = self.text
        if text is None:
            return self.ends.total if self.ends else self.valued.folded.total
        return text.count("\n") + (text != "" and not text.endswith("\n"))


class SqueezeOptions(TypedDict, total=False):
    """Facts about an output, and the plugins and counter to use."""

    command: str
    """The command line, "" if it is not known."""
    exit_code: int | Callable[[], int | None] | None
    """The command's exit code; a function is called after the last piece of a stream."""
    question: str
    """A question about the output: lines that share words with it come first."""
    count: Count | None
    """Exact counts of a vocabulary; `o200k_base` by default."""
    plugins: Plugins | None
    """The plugins whose representers read the output; by default the installed ones."""


def squeeze(
    text: str | bytes,
    *,
    budget: int | None = None,
    store: str | Path | None = None,
    **options: Unpack[SqueezeOptions],
) -> Squeezed:
    """Return the lines that matter of a command's output, in at most `budget` tokens, never more than it has.

    Args:
        text: the command's output, stdout and stderr as a terminal would show them.
        budget: most tokens of the result; it is spent as far as the output has content. None for 3,000, and
            no more than suffices.
        store: folder of the archive; the user's state folder by default.
        options: `command`, `exit_code`, `question`, `count` and `plugins`: see `SqueezeOptions`.

    Raises:
        UsageError: the budget is not a number from 1 up.
    """
    content = text.encode("utf-8", "replace") if isinstance(text, str) else text
    pieces = (content[start : start + _PIECE_BYTES] for start in range(0, len(content), _PIECE_BYTES))
    return squeeze_stream(pieces, budget=budget, archive=open_archive(store), **options)


def squeeze_stream(
    pieces: Iterable[bytes],
    *,
    archive: Archive,
    budget: int | None = None,
    counts_result: bool = True,
    **options: Unpack[SqueezeOptions],
) -> Squeezed:
    """Squeeze an output that comes in pieces, of any size, as `squeeze` does.

    Without `counts_result` the tokens of a result are an estimate: counting a short one loads a tokenizer.
    """
    return squeeze_for_each(pieces, [budget], archive=archive, counts_result=counts_result, **options)[0]


def squeeze_for_each(
    pieces: Iterable[bytes],
    budgets: Sequence[int | None],
    *,
    archive: Archive,
    counts_result: bool = True,
    **options: Unpack[SqueezeOptions],
) -> list[Squeezed]:
    """Squeeze an output for each of several budgets as `squeeze_stream` does; it is read once."""
    refuse_unknown("squeeze", options, SqueezeOptions)
    command, asked = _check_text(options, "command"), _check_text(options, "question")
    options = {**options, "command": command}
    for budget in budgets:
        if budget is not None and (isinstance(budget, bool) or not isinstance(budget, int) or budget < 1):
            raise UsageError(f"budget must be a whole number of tokens from 1 up, not {budget!r}")
    question = Question(asked)
    taken = _take(pieces, archive, command, question)
    squeezing = _Squeezing(taken, options, question)
    squeeze_within = squeezing.within if counts_result else squeezing.find_shown
    return [squeeze_within(budget, archive) for budget in budgets]


def _check_text(options: SqueezeOptions, name: Literal["command", "question"]) -> str:
    """Return a text of the options, "" for None."""
    text: object = options.get(name)
    if text is not None and not isinstance(text, str):
        raise UsageError(f"{name} must be a text, not {text!r}")
    return text or ""


def _take(pieces: Iterable[bytes], archive: Archive, command: str, question: Question) -> _Taken:
    hider, keeper = Hider(archive.scanners), _Keeper(archive, LineFolding(question), command, question)
    tokens = 0.0
    for text in hider.stream(decode_stream(pieces)):
        for clean in _split_by_size(text):
            keeper.keep(clean)
            tokens += _guess_long(clean)
    return _Taken(keeper, int(tokens))


def _feed(folding: LineFolding, text: str) -> None:
    folding.feed(text.removesuffix("\n").split("\n"), is_open=not text.endswith("\n"))


class _Keeper:
    """Holds an output back while it is short, and folds and archives it when it gets long."""

    def __init__(self, archive: Archive, folding: LineFolding, command: str, question: Question) -> None:
        self._archive, self.folding = archive, folding
        self._command, self._question = command, question
        self.ends: TextEnds | None = None
        self._held: list[str] | None = []
        self._chars = 0
        self._writer: ArchiveWriter | None = None
        self._problems: tuple[Problem, ...] = ()

    def keep(self, text: str) -> None:
        self._chars += len(text)
        if self._held is not None:
            self._held.append(text)
            if self._chars > _MEMORY_CHARS:
                self._spill(self._held)
        else:
            self._write(text)

    def end(self) -> tuple[str | None, str, tuple[Problem, ...]]:
        """Return the text if it was held back, else the hash, and the problems."""
        if self._held is not None:
            return "".join(self._held), "", self._problems
        try:
            return None, self._writer.close() if self._writer is not None else "", self._problems
        except ArchiveError as error:
            return None, "", (_describe_problem(error),)

    def _spill(self, held: Sequence[str]) -> None:
        self._held = None
        try:
            self._writer = self._archive.writer()
        except ArchiveError as error:
            self._problems = (_describe_problem(error),)
        beginning = "".join(held)[:_BEGINNING_CHARS].split("\n")[:-1]
        if not self._question and recognise(self._command, beginning) in (DIFF, HISTORY):
            self.ends = TextEnds(beginning)
        for text in held:
            self._write(text)

    def _write(self, text: str) -> None:
        if self.ends:
            self.ends.add(text)
        else:
            _feed(self.folding, text)
        try:
            if self._writer is not None:
                self._writer.write(text.encode("utf-8", "surrogatepass"))
        except ArchiveError as error:
            self._writer, self._problems = None, (_describe_problem(error),)


class _Squeezing:
    """One output, as it came and as it can be cut."""

    def __init__(self, taken: _Taken, options: SqueezeOptions, question: Question) -> None:
        code = options.get("exit_code")
        self._taken, self._code = taken, code() if callable(code) else code
        self._plugins = options.get("plugins") or Plugins()
        self._count = options.get("count") or self._plugins.count
        self._count_all = self._count_each if options.get("count") else self._plugins.count_all
        command = options.get("command", "")
        self._cut = self._cut_passages(command, question) or self._cut_lines(command, question)

    def _cut_passages(self, command: str, question: Question) -> PassageCut | None:
        """Return the output as passages, None if it is a report or a log, or too long."""
        left_out = NO_OMISSION
        if self._taken.text is not None:
            text = self._taken.text
            lines = text.removesuffix("\n").split("\n")
        elif self._taken.ends:
            lines, left_out = self._taken.ends.lines()
            text = "\n".join(lines)
        else:
            return None
        if is_binary("\n".join(lines[:_SAMPLE_LINES])):
            return None
        family = recognise(command, lines)
        kept = None if family is REPORT else find_kept(family, text, lines, lambda: self._values, question)
        if kept is None:
            return None
        if self._taken.ends:
            kept = [at for at in kept if lines[at] is not _LEFT_OUT]
        return PassageCut(
            clean_text(lines, kept, text, self._taken.tokens)._replace(left_out=left_out),
            family,
            command=command,
            question=question,
            count_all=self._count_all,
            values=partial(self._value_entries, family, lines, kept)
            if family in (LISTING, TABLE) and not reports_beside(command, family)
            else lambda: self._values,
        )

    def _count_each(self, texts: Sequence[str]) -> list[int]:
        return [self._count(text) for text in texts]

    @cached_property
    def _values(self) -> Mapping[Place, float]:
        return self._taken.valued.by_place()

    def _value_entries(
        self, family: OutputFamily, lines: Sequence[str], kept: Sequence[int]
    ) -> Mapping[Place, float]:
        """Return the values without lines that have words of errors: in lists and tables these are names.

        In a table, words in capitals are not names: `ERR!`.

        For a list that is too long, only the lines that may be shown are valued.
        """
        is_whole = len(kept) == len(lines)
        valued = self._taken.valued if is_whole else _value_folded(_fold([lines[at] for at in kept]))
        named = {
            line[:2]
            for line in valued.folded.lines
            if line.family.judgement.rank >= Rank.WARNING and not (family is TABLE and is_loud(line.text))
        }
        return {
            (kept[number - 1] + 1, start): worth
            for (number, start), worth in valued.by_place().items()
            if (number, start) not in named
        }

    def _cut_lines(self, command: str, question: Question) -> OutputCut:
        folded, templates, worths = self._taken.valued
        tokens = self._taken.tokens
        texts = [line.text for line in folded.lines]
        values = lift_asked(list(worths), texts, question, folded.shared)
        values = lift_parents(values, folded.lines, worths)
        values = lift_header(values, folded.lines)
        if tokens > WHOLE_TOKENS and folded.total <= _MOST_READ:
            values = lift_values(values, folded.lines, read(self._plugins, folded.lines, command))
        findings = chain.from_iterable(iter_findings(folded.lines))
        more = list(dict.fromkeys(chain(findings, find_surroundings(folded.lines, values))))
        plain = [at for at, line in enumerate(folded.lines) if line.family.judgement.rank > Rank.NOISE]
        return OutputCut(
            folded,
            templates,
            values,
            tokens=tokens,
            count=self._count,
            more=more,
            plain=() if tells_family(command) or is_binary("\n".join(texts[:_SAMPLE_LINES])) else plain,
        )

    def within(self, budget: int | None, archive: Archive) -> Squeezed:
        """Return the result of `find_shown`, with its tokens counted."""
        squeezed = self.find_shown(budget, archive)
        return squeezed._replace(tokens=self._count(squeezed.text))

    def find_shown(self, budget: int | None, archive: Archive) -> Squeezed:
        """Return the result of `_best`, redacted again: removing terminal codes can join a secret."""
        spends, budget = budget is not None, BUDGET if budget is None else budget
        squeezed = self._best(budget, archive, spends=spends)
        if squeezed.text == self._taken.text:
            return squeezed
        clean = archive.scanners.redact(squeezed.text).text
        if clean == squeezed.text:
            return squeezed
        tokens = self._count(clean)
        if tokens <= budget:
            return squeezed._replace(text=clean, tokens=tokens)
        hash_, problems = self._hash(archive)
        shown = self._shorter(budget, archive, hash_, spends=spends)
        return Squeezed(shown.text, shown.tokens, shown.pointer, shown.gaps, self._taken.total, problems)

    def _shorter(self, budget: int, archive: Archive, hash_: str, *, spends: bool) -> ShownLines:
        """Return a result that fits with the marks for secrets in it."""
        aim = budget * 3 // 4
        while aim:
            shown = self._cut.within(aim, exit_code=self._code, hash_=hash_, spends=spends)
            clean = archive.scanners.redact(shown.text).text
            tokens = self._count(clean)
            if tokens <= budget:
                return shown._replace(text=clean, tokens=tokens)
            aim = aim * 3 // 4
        return nothing(self._taken.total, hash_)

    def _best(self, budget: int, archive: Archive, *, spends: bool) -> Squeezed:
        """Return the best part of the output that fits, or the output itself if that is not longer."""
        if self._is_untouched(budget):
            return Squeezed(self._taken.text or "", self._taken.tokens, lines=self._taken.total)
        hash_, problems = self._hash(archive)
        shown = self._cut.within(budget, exit_code=self._code, hash_=hash_, spends=spends)
        shown = self._shortest(shown, budget, hash_)
        return Squeezed(
            shown.text,
            shown.tokens,
            shown.pointer,
            shown.gaps,
            self._taken.total,
            problems if shown.gaps else (),
        )

    def _is_untouched(self, budget: int) -> bool:
        """Return whether showing all lines gives the output itself, and it surely fits."""
        text = self._taken.text
        if text is None or self._taken.tokens * _SURE > budget or len(text) > 40 * (self._taken.tokens + 10):
            return False
        return not self._cut.has_gaps() and self._cut.everything().rstrip("\n") == text.rstrip("\n")

    def _shortest(self, shown: ShownLines, budget: int, hash_: str) -> ShownLines:
        """Return the shown lines, or the output itself, cleaned, if that fits and is no longer."""
        text = self._taken.text
        if text is None or len(text) > _SMALL_CHARS:
            return shown
        if guess(text) > _MUCH * guess(shown.text):
            return shown
        clean = "\n".join(clean_line(line, matters) for line in text.split("\n"))
        cleaned, tokens, least = map(self._count, (clean, text, shown.text))
        best, cost = (text, tokens) if tokens < cleaned and not _UNSHOWN.search(text) else (clean, cleaned)
        if cost <= min(budget, least):
            return ShownLines(best, cost, (), "")
        if least <= tokens:
            return shown
        shorter = self._cut.within(tokens, exit_code=self._code, hash_=hash_, spends=False)
        return shorter if self._count(shorter.text) <= tokens else nothing(self._taken.total, hash_)

    def _hash(self, archive: Archive) -> tuple[str, tuple[Problem, ...]]:
        """Archive the output if some of it may be cut; return its hash, "" if that fails."""
        taken = self._taken
        if taken.hash or taken.text is None:
            return taken.hash, taken.problems
        try:
            return archive.put_clean(taken.text), (*taken.problems, *self._plugins.problems)
        except ArchiveError as error:
            return "", (*taken.problems, _describe_problem(error))


def _value_folded(folded: Folded) -> _Valued:
    templates = folded.templates()
    return _Valued(folded, templates, value(folded, templates))


def _fold(lines: Sequence[str]) -> Folded:
    folding = LineFolding()
    folding.feed(lines)
    return folding.finish()


def _describe_problem(error: ArchiveError) -> Problem:
    return Problem("archive", "write", str(error))


def _guess_long(text: str) -> float:
    """Guess the tokens of a long text from samples of it."""
    if len(text) <= 60_000:
        return float(guess(text))
    step = len(text) // 10
    samples = [text[start : start + 4_000] for start in range(0, len(text) - 4_000, step)]
    return sum(map(guess, samples)) * len(text) / sum(map(len, samples))


def whole_lines(pieces: Iterable[bytes]) -> Iterator[str]:
    """Yield the text of a stream in pieces that end where a line ends; very long lines are cut.

    It is UTF-8, or UTF-16 where its mark says so.
    """
    rest: list[str] = []
    held = 0
    for text in decode_stream(pieces):
        end = text.rfind("\n") + 1
        if not end and held + len(text) <= _LINE_CHARS:
            rest.append(text)
            held += len(text)
            continue
        end = end or len(text)
        yield from _split_by_size("".join([*rest, text[:end]]))
        rest, held = [text[end:]], len(text) - end
    yield from _split_by_size("".join(rest))


def decode_stream(pieces: Iterable[bytes]) -> Iterator[str]:
    """Return the text of a stream in pieces, read as UTF-8 unless its beginning shows another encoding."""
    pieces, begun = iter(pieces), b""
    for piece in pieces:
        begun += piece
        if len(begun) >= _ENCODING_BYTES:
            break
    name = _find_encoding(begun)
    decoder = codecs.getincrementaldecoder(name)("replace")
    yield from (decoder.decode(piece) for piece in chain((begun,), pieces))
    yield decoder.decode(b"", final=True)


def _find_encoding(begun: bytes) -> str:
    """Return the encoding of a text by its beginning; bytes that are not text count as UTF-8."""
    if _is_utf16(begun[:_SAMPLE_BYTES]):
        return "utf-16"
    is_marked = begun.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
    if begun.isascii() or is_marked or len(begun.translate(None, _NOT_IN_TEXT)) < len(begun):
        return "utf-8"
    decoder = codecs.getincrementaldecoder("utf-8")("ignore")
    readable = decoder.decode(begun, final=len(begun) < _ENCODING_BYTES).encode()
    unread = len(begun) - len(readable) - len(decoder.getstate()[0])
    if unread <= len(readable.translate(None, _ASCII)):
        return "utf-8"
    # 0x80 to 0x9f are control characters in Latin-1, quotes and dashes in Windows-1252.
    return "cp1252" if len(begun.translate(None, _CONTROLS_80)) < len(begun) else "latin-1"


def _is_utf16(begun: bytes) -> bool:
    """Return whether a text begins with the mark of UTF-16, and is half zeros like most such texts."""
    marked = begun.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
    return marked and begun.count(0) * 4 >= len(begun)


def _split_by_size(text: str) -> Iterator[str]:
    """Yield a text in pieces of about 4 million characters that end where a line ends."""
    start = 0
    while start < len(text):
        end = text.find("\n", start + _PIECE_BYTES) + 1 or len(text)
        yield text[start:end]
        start = end


class Told(NamedTuple):
    """A line that matters."""

    number: int
    """From 1."""
    rank: Rank
    worth: float
    """0 to 80 or so; higher values are shown first."""
    spent: int
    """Tokens of the lines shown before this one, and its own."""


def telling(text: str, *, tokens: int) -> list[Told]:
    """Return the lines of an output that matter most, in their order, of about `tokens` in total.

    Nothing is redacted, archived or marked here, and no plugin is asked: the text must be free of secrets.
    """
    folding = LineFolding()
    for piece in whole_lines([text.encode("utf-8", "replace")]):
        _feed(folding, piece)
    folded, _, values = _value_folded(folding.finish())
    costs = [guess(line.text) for line in folded.lines]
    best = order(values, costs, aim=target(max(sum(costs), WHOLE_TOKENS + 1)), frame=0)
    spent = dict(_take_best_lines(best, costs, tokens))
    return list(_skip_repeated_lines((folded.lines[at], values[at], spent[at]) for at in sorted(spent)))


def _take_best_lines(best: Sequence[int], costs: Sequence[int], tokens: int) -> Iterator[tuple[int, int]]:
    """Yield the places of the best lines, each with the total cost up to it."""
    spent = 0
    for place in best:
        spent += costs[place]
        if spent > tokens:
            return
        yield place, spent


def _skip_repeated_lines(lines: Iterator[tuple[KeptLine, float, int]]) -> Iterator[Told]:
    """Yield each line once, even if several pieces of a very long one matter."""
    last = 0
    for line, worth, spent in lines:
        if line.number != last:
            yield Told(line.number, line.family.judgement.rank, worth, spent)
        last = line.number
