"""Exchanges as the packer sees them: their costs without texts, and the pieces that may be added."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence, Set
from itertools import chain, islice
from typing import TYPE_CHECKING, NamedTuple

from satchel.compaction.files import EDITED, reads_log, touches_of
from satchel.compaction.ladders import STANDS, Unit, View
from satchel.compaction.pieces import (
    ESCAPED,
    SHORT,
    Library,
    Path,
    Piece,
    PiecePlace,
    find_definitions,
    is_replaced,
    is_replacing,
    list_signs,
    runs_of,
)
from satchel.compaction.promises import tells_failure
from satchel.compaction.results import EDITS_LAST, GONE
from satchel.compaction.shortening import Form, shorten
from satchel.compaction.worth import ReferenceMentions, ages, names_of_calls, rules_of, runs_commands, worths
from satchel.conversation import spoken
from satchel.conversation.wrappers import count_client_lines, is_client_note
from satchel.items import Level
from satchel.messages import Block, BlockKind, Exchange, Message
from satchel.patterns import lazily

if TYPE_CHECKING:
    from satchel.compaction.setup import Setup


_OPENING = 11
"""Tokens of a message's frame with its mark, if it has only pieces."""
_ASKED, _SAID = 3.0, 0.4
"""Worth of a user's text, and of the model's, besides the references in it."""
_CHAT_POWER, _CHAT_SIZE = 2.5, 0.9
NEAR = 1.5
"""Factor for the lines of a file that is still being worked on."""
NAMED, _LAST_SAID = 4.0, 2
"""Factor for results of calls that alone used a name from the last messages; number of these messages."""
READ = 1.7
"""Factor for lines of a file, against output of commands and searches: edits repeat them."""
REPLACED = 0.3
"""Share of their worth that lines keep after an edit removed them from a file."""
FAILED, FAILED_MORE = 6.0, 2.0
"""Worth of the first line that reports a failure, and of further ones."""
CHANGED, _CHANGED_MOST = 0.4, 20
"""Worth of a line that the last edit of a file wrote, besides its references, and the most lines of it."""
OUTCOME, OUTCOME_NEW, _NEW = 4.0, 8.0, 3
"""Worth of the line that reports how a command ended, in old and in new outputs; number of new ones."""
_HEAD_CHARS = 2_000
"""Characters of a result in which a client's own fields are."""
_LAST_LINES = 8
"""Lines at the end of an output among which that line is."""
_FAILURES = 12
"""Lines of one result that count as reports of a failure."""
_ENDED = lazily(
    r"^\W*(?:ok|OK|PASS|PASSED|FAIL|FAILED|BUILD \w+)\b|\b\d+ (?:passed|failed|tests?|errors?|warnings?)\b"
    r"|\b(?:[Ff]inished|[Ss]ucceeded|[Cc]ompleted|Done in|Tests:|[Tt]otal)\b"
)
_READS = lazily(r"read|view|cat|open", re.IGNORECASE)


class Sight(NamedTuple):
    """The context in which views are made."""

    setup: Setup
    form: Form
    levels: frozenset[Level]
    """Levels that the compressor shows."""
    near: frozenset[str]
    """Paths in the calls of the window."""
    named: Mapping[str, int]
    """References named last, each with its number of exchanges: they are the subject now."""
    chat: Sequence[float] = ()
    """How much likelier than others each exchange answers the task, if no tool is called."""


class SeenReferences(NamedTuple):
    """Facts about an exchange before it is read."""

    at: int
    tokens: int
    salience: float
    stale: bool = False
    """Whether a later exchange has the same results."""
    age: int = 0
    """Number of later exchanges that ran commands."""


def views(exchanges: Sequence[Exchange], seen: Sequence[SeenReferences], sight: Sight) -> list[View]:
    """Return exchanges as the packer sees them; `seen` names them."""
    if sight.chat or sight.levels <= {Level.FULL}:
        return [_whole_only(exchanges[one.at].id, one, sight) for one in seen]
    old = ages(exchanges)
    seen = [one._replace(age=old[one.at]) for one in seen]
    bare = [shorten(exchanges[one.at], (), sight.form) for one in seen]
    tokens = iter(sight.setup.counts.messages([message for shown in bare for message in shown]))
    bases = [sum(next(tokens) for _ in shown) if shown else _OPENING for shown in bare]
    return [
        _view(exchanges[one.at], one, sight, base=base, bare=bool(shown))
        for one, base, shown in zip(seen, bases, bare, strict=True)
    ]


def _whole_only(id_: str, seen: SeenReferences, sight: Sight) -> View:
    """Return an exchange that is shown whole or not at all."""
    answers = sight.chat[seen.at] if sight.chat else 1.0
    worth = (seen.salience * answers) ** _CHAT_POWER * max(1, seen.tokens) ** _CHAT_SIZE
    return View(id_, seen.at, 0, frozenset(), (), seen.tokens, seen.salience, worth=worth)


def _view(exchange: Exchange, seen: SeenReferences, sight: Sight, *, base: int, bare: bool) -> View:
    library = sight.form.library
    cleared = bool(rules_of(sight.setup.compressor).clear_first & names_of_calls(exchange))
    units = _units(exchange, sight.form, seen) if Level.EXCERPT in sight.levels else []
    refs = frozenset(_base_refs(exchange, library)) if bare else frozenset()
    return View(
        exchange.id,
        seen.at,
        base,
        refs,
        [one for one in units if not _is_result(exchange, one)] if cleared else units,
        seen.tokens,
        seen.salience,
        bare=bare and Level.HEADERS in sight.levels,
        factor=_weigh_calls(refs, sight) * (READ if _is_reading(exchange) else 1.0),
        stale=seen.stale or cleared or seen.at in sight.form.results.gone,
        stands=sight.form.results.edits.get(seen.at, STANDS),
    )


def _weigh_calls(refs: frozenset[str], sight: Sight) -> float:
    """Return the factor for results of calls, by the references in their arguments."""
    named = max((1 + (NAMED - 1) / sight.named[ref] for ref in refs if ref in sight.named), default=1.0)
    return (NEAR if sight.near & refs else 1.0) * named


def count_last_names(
    exchanges: Sequence[Exchange], held: Sequence[ReferenceMentions], library: Library
) -> Mapping[str, int]:
    """Return the references in the newest messages that have text of a person or the model.

    Each has the number of exchanges in which one of them wrote it.
    """
    said = (message for one in reversed(exchanges) for message in reversed(one.messages))
    texts = (
        [block.text for block in message.blocks if block.kind is BlockKind.TEXT and spoken(block.text)]
        for message in said
    )
    last = chain.from_iterable(islice(filter(None, texts), _LAST_SAID))
    named = {ref for text in last for ref in library.of(text).refs}
    return Counter(ref for one in held for ref in named & one.own)


def _is_reading(exchange: Exchange) -> bool:
    """Return whether a tool of an exchange reads files that people write, by the names of tools and files."""
    calls = [call for message in exchange.messages for call in message.calls if _READS.search(call.name)]
    return any(not any(map(reads_log, touches_of(call.name, call.text))) for call in calls)


def _is_result(exchange: Exchange, unit: Unit) -> bool:
    place = unit.place
    return exchange.messages[place.message].blocks[place.block].kind is BlockKind.RESULT


def find_repeats(exchanges: Sequence[Exchange]) -> set[int]:
    """Return the exchanges whose results are all repeated word for word in later exchanges."""
    later: set[str] = set()
    found: set[int] = set()
    for at in range(len(exchanges) - 1, -1, -1):
        texts = {block.text for message in exchanges[at].messages for block in message.results}
        if texts and texts <= later and any(len(text) >= SHORT for text in texts):
            found.add(at)
        later |= texts
    return found


def _units(exchange: Exchange, form: Form, seen: SeenReferences) -> list[Unit]:
    units: list[Unit] = []
    gone = form.results.gone.get(seen.at, {})
    ran = runs_commands(exchange)
    for place, text in form.library.places(exchange):
        pieces = form.library.of(text).pieces
        message = exchange.messages[place.message]
        block = message.blocks[place.block]
        if not pieces or id(block) in form.results.repeated:
            continue
        if place.path is not None:
            runs = [_run(place, pieces, span) for span in runs_of(text, pieces) if span != (0, 1)]
            if _is_short_change(place.path, pieces, form.results.edits.get(seen.at, 0.0)):
                runs = [one._replace(value=CHANGED * one.length) for one in runs]
            least = REPLACED if is_replaced(place.path) else 1.0
            least = min(least, GONE[EDITED]) if seen.at in form.results.overwritten else least
            signs = list_signs(text, pieces)
            units += [
                one._replace(
                    tokens=int(one.tokens * ESCAPED) + 1,
                    factor=min(least, REPLACED) if _takes_out(signs, one) else least,
                )
                for one in runs
                if one.refs or one.value
            ]
        elif block.kind is BlockKind.TEXT:
            role = "" if _is_found(message, block) else message.role
            value = _value(role, len(pieces)) * (0.5 + seen.salience)
            runs = [_run(place, pieces, span) for span in runs_of(text, pieces)]
            units += [one._replace(value=value * one.length) for one in runs]
        else:
            factor = gone.get(block.id, 1.0)
            told = worths(text, pieces, age=seen.age) if ran else {}
            times = form.results.failed.get(id(block), 0.0)
            failing = _find_failing(text, pieces, times) if times else {}
            if ran and (last := _find_outcome(text, pieces)) >= 0:
                told = {**told, last: max(told.get(last, 0.0), OUTCOME_NEW if seen.age < _NEW else OUTCOME)}
            heads = find_definitions(text, form.library)
            for span in _iter_result_runs(text, pieces):
                values = [max(told.get(at, 0.0), failing.get(at, 0.0)) for at in range(*span)]
                one = _run(place, pieces, span)
                cost = one.tokens + sum([pieces[head].tokens for head in heads[span[0]]])
                one = one._replace(tokens=cost, value=max(values), factor=factor, is_result=True)
                units.extend([one] if one.refs or one.value else [])
    return units


def _iter_result_runs(text: str, pieces: Sequence[Piece]) -> Iterator[tuple[int, int]]:
    """Yield the runs of a result without the fields that a client wrote above it, except its notes."""
    lines = text[:_HEAD_CHARS].split("\n")
    head = lines[: count_client_lines(lines)]
    kept = {at for at, line in enumerate(line for line in head if line.strip()) if is_client_note(line)}
    body = sum(bool(line.strip()) for line in head)
    for first, end in runs_of(text, pieces):
        shown = [at for at in range(first, end) if at >= body or at in kept]
        if shown:
            yield shown[0], shown[-1] + 1


def _is_short_change(path: Path, pieces: Sequence[Piece], worth: float) -> bool:
    """Return whether an argument is the short text that the last edit of a file inserted."""
    return worth >= EDITS_LAST and (not path or is_replacing(path)) and len(pieces) <= _CHANGED_MOST


def _takes_out(signs: str, run: Unit) -> bool:
    """Return whether lines of a patch only remove text from a file; `signs` has the sign of each line."""
    shown = signs[run.piece : run.piece + run.length]
    return "-" in shown and "+" not in shown


def _run(place: PiecePlace, pieces: Sequence[Piece], span: tuple[int, int]) -> Unit:
    first, last = span
    run = pieces[first:last]
    refs = tuple(dict.fromkeys([ref for piece in run for ref in piece.refs]))
    cost = sum([piece.tokens for piece in run]) + max(run[0].gap, run[-1].gap)
    return Unit(place, first, cost, refs, length=last - first)


def _find_outcome(text: str, pieces: Sequence[Piece]) -> int:
    """Return the number of the last piece that reports how a command ended, -1 if there is none."""
    newest = range(len(pieces) - 1, max(-1, len(pieces) - 1 - _LAST_LINES), -1)
    return next((at for at in newest if _ENDED.search(text[pieces[at].start : pieces[at].end])), -1)


def _find_failing(text: str, pieces: Sequence[Piece], times: float) -> dict[int, float]:
    """Return the worth of lines that report a failure, besides their references; the first has the most."""
    found = [at for at, piece in enumerate(pieces) if tells_failure(text[piece.start : piece.end])]
    worth = dict.fromkeys(found[:_FAILURES], FAILED_MORE)
    return {**worth, found[0]: FAILED * times} if found else {}


def _value(role: str, count: int) -> float:
    if role == "user":
        return max(_ASKED / count, _ASKED / 30)
    return _SAID / count


def _base_refs(exchange: Exchange, library: Library) -> Iterator[str]:
    for message in exchange.messages:
        for block in message.calls:
            openings = library.openings(block.text)
            for path, value in library.values(block.text) or ():
                facts = library.of(value)
                for piece in (
                    [facts.pieces[at] for at in sorted(openings.get(path, ()))] if facts.pieces else ()
                ):
                    yield from piece.refs
                if path not in openings:
                    yield from facts.refs


def paths_of(exchanges: Sequence[Exchange], library: Library) -> Iterator[str]:
    """Yield the paths in the calls of exchanges."""
    for one in exchanges:
        yield from (ref for ref in _base_refs(one, library) if "/" in ref or "." in ref)


def mentions(exchanges: Sequence[Exchange], library: Library) -> list[ReferenceMentions]:
    """Return the references of each exchange."""
    return [
        ReferenceMentions(_refs(one, library, results=False), _refs(one, library, results=True))
        for one in exchanges
    ]


def _refs(exchange: Exchange, library: Library, *, results: bool) -> Set[str]:
    found: dict[str, None] = {}
    for message in exchange.messages:
        for block in message.blocks:
            if _is_found(message, block) is results:
                for text in library.texts_of(block):
                    found.update(dict.fromkeys(library.of(text).refs))
    return found.keys()


def _is_found(message: Message, block: Block) -> bool:
    """Return whether a tool or the agent's program wrote a text, and neither a person nor the model."""
    if block.kind is BlockKind.TEXT and message.role == "user":
        return not spoken(block.text)
    return block.kind is BlockKind.RESULT


def find_task_refs(task: str, library: Library) -> set[str]:
    """Return the references and words of a task."""
    return set(library.of(task).refs) | set(task.split())
