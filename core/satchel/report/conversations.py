"""Take a conversation apart for its page: the costs of its pieces, its turns, and its compactions."""

from __future__ import annotations

import shlex
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import attrs

from satchel.compaction.cleaning import clean_document
from satchel.conversation import Counts, Formats, parse
from satchel.errors import UsageError
from satchel.host import Host
from satchel.installed import find_formats, make_scanners, make_tokenizer
from satchel.messages import MADE_UP, Block, BlockKind, Conversation, Message
from satchel.redaction.scanning import Scanners
from satchel.report.page import Comparison, PageEntry, PageTurn, Side, WindowChange, sum_sections
from satchel.runs import find_window, model_of
from satchel.showing.advice import Advice, advise, compact_to, make_trials, say_nothing
from satchel.showing.anatomy import Anatomy, WindowPiece, dissect, to_model
from satchel.view.tables import clip_text

if TYPE_CHECKING:
    from satchel.config import Config
    from satchel.interfaces import MessageFormat, Tokenizer
    from satchel.report.opening import ReportRequest
    from satchel.tokens.models import Model


class Meter(NamedTuple):
    """The counter, its model, and the plugins and settings it was made from."""

    host: Host
    config: Config
    tokenizer: Tokenizer
    model: Model | None
    window: int
    """Tokens of the model's window, 0 if no model is named, or its window is unknown."""
    scanners: Scanners
    """The scanners for texts before they are cut or shown."""
    formats: Formats

    def counts(self, form: MessageFormat) -> Counts:
        """Return counts of messages of a format."""
        return Counts(self.tokenizer, form=form, model=self.model.name if self.model else "")

    def describe(self) -> tuple[tuple[str, str], ...]:
        """Return facts for the page: the counter, and its model."""
        told = [("tokens counted with", self.tokenizer.key)]
        if self.model is not None:
            sure = "exactly" if self.model.exact else f"times {self.model.factor:g}, about"
            told.append(("for", f"{self.model.name}, {sure}"))
        return tuple(told)


def make_meter(host: Host, config: Config, *, named: str = "") -> Meter:
    """Make the configured tokenizer with the vocabulary of the model.

    Args:
        host: the plugins.
        config: the settings.
        named: the model that the messages name.

    Raises:
        UnknownNameError: the tokenizer is not known.
    """
    model = model_of(config, named=named)
    _, tokenizer = make_tokenizer(config, host, model)
    window = find_window(config, host, model) if model is not None else 0
    scanners, formats = make_scanners(host, config), find_formats(host, config)
    return Meter(host, config, tokenizer, model, window, scanners, formats)


_TITLE = 90
_FEW_TURNS, _MANY_STEPS = 10, 4
"""Below this many requests, and from this many answers to each, a chart has a column for each answer."""
_OWN = ("[satchel", "<context")
"""Beginnings of messages that satchel wrote itself."""


class SpokenWords(NamedTuple):
    """One piece of a conversation with its entry."""

    entry: PageEntry
    turn: int
    place: int
    """Index of its message in the list that came in, -1 outside of it."""
    key: str
    """The id of a call's result, `call` and the id of a call, "" for other pieces."""


@attrs.frozen
class Talk:
    """A conversation taken apart: pieces in order, and the frame around them."""

    conversation: Conversation
    counts: Counts
    anatomy: Anatomy
    """The same as in `satchel show`."""
    said: tuple[SpokenWords, ...]
    around: tuple[PageEntry, ...]
    """The definitions of tools, and the form around all messages."""
    titles: tuple[str, ...]
    """Of the turns, in order."""
    cached: Mapping[int, float]
    """Turn -> share of its last request that came from the cache."""
    unit: str
    """The name of its turns: `turn`, or `step` if hardly any request has an answer of its own."""

    @property
    def entries(self) -> tuple[PageEntry, ...]:
        """Return all entries, in the order in which a model reads them."""
        return (*self.around, *(one.entry for one in self.said))

    def count_turns(self) -> tuple[str, str]:
        """Return the number of turns, as a fact of the page."""
        return f"{self.unit}s", f"{max((one.turn for one in self.said), default=0):,}"

    @property
    def messages(self) -> int:
        """Return the number of messages."""
        return len(self.conversation.messages)


class Times(NamedTuple):
    """Facts beside the messages, one for each message of the list."""

    at: Sequence[float] = ()
    usage: Sequence[Any] = ()


NO_TIMES = Times()


def read_talk(messages: Any, meter: Meter, *, form: str = "auto", times: Times = NO_TIMES) -> Talk:
    """Return messages, or a request, taken apart, without secrets, in tokens of the meter's model.

    Raises:
        ConversationError: they can't be read.
    """
    conversation = meter.formats.read(clean_document(messages, meter.scanners), form)
    counts = meter.counts(conversation.format)
    anatomy = dissect(conversation, counts)
    anatomy = to_model(anatomy, meter.model) if meter.model else anatomy
    begins, unit = _choose_unit(conversation.messages)
    titles: list[str] = []
    cached: dict[int, float] = {}
    turns: list[int] = []
    for message in conversation.messages:
        if begins(message):
            titles.append(clip_text(text_of(message.blocks), _TITLE) or "(no text)")
        turns.append(len(titles))
        share = measure_cache_share(_usage_of(message, times))
        if share is not None:
            cached[max(1, len(titles))] = share
    said = [
        _say(piece, conversation.messages[piece.message], turns[piece.message], f"{unit} {{}}, piece {at}")
        for at, piece in enumerate(anatomy.pieces, start=1)
        if piece.message >= 0
    ]
    around = [
        PageEntry(
            piece.what,
            piece.section,
            piece.tokens,
            text=text_of(piece.blocks),
            about=("definition",) if piece.blocks else (),
        )
        for piece in anatomy.pieces
        if piece.message < 0
    ]
    known = tuple(titles or ["(no request)"])
    return Talk(conversation, counts, anatomy, tuple(said), tuple(around), known, cached, unit)


def _choose_unit(messages: Sequence[Message]) -> tuple[Callable[[Message], bool], str]:
    """Return the beginnings of turns: requests, or the model's answers if requests are few."""
    answers, requests = sum(map(_begins_step, messages)), sum(map(_begins_turn, messages))
    if requests < _FEW_TURNS and answers >= _MANY_STEPS * max(1, requests):
        return _begins_step, "step"
    return _begins_turn, "turn"


def _begins_step(message: Message) -> bool:
    return message.role == "assistant"


def _begins_turn(message: Message) -> bool:
    return message.role == "user" and not message.results and not message.text.startswith(_OWN)


def _say(piece: WindowPiece, message: Message, turn: int, where: str) -> SpokenWords:
    text, is_own = text_of(piece.blocks), piece.section == "dialog" and message.text.startswith("<context")
    entry = PageEntry(
        title=piece.path.strip() or piece.what,
        section="context" if is_own else piece.section,
        tokens=piece.tokens,
        level="cut" if "[satchel" in text else "whole",
        text=text,
        about=(message.role, *where.format(turn).split(", ")),
    )
    id_ = piece.blocks[0].id if piece.section in ("results", "files", "calls") else ""
    key = "" if id_.startswith(MADE_UP) else f"call {id_}" if piece.section == "calls" else id_
    return SpokenWords(entry, turn, message.index, key)


def text_of(blocks: Sequence[Block]) -> str:
    """Return the text of blocks, calls and thoughts included, as a person reads it."""
    shown = []
    for block in blocks:
        if block.kind is BlockKind.CALL:
            shown.append(f"→ {block.name} {block.text}")
        elif block.kind in (BlockKind.IMAGE, BlockKind.DOCUMENT) and not block.text:
            shown.append(f"({block.kind.value})")
        elif block.blocks:
            shown += [inner.text or f"({inner.kind.value})" for inner in block.blocks]
        else:
            shown.append(block.text)
    return "\n".join(shown)


def _usage_of(message: Message, times: Times) -> Any:
    if 0 <= message.index < len(times.usage) and times.usage[message.index]:
        return times.usage[message.index]
    return message.raw.get("usage") if isinstance(message.raw, Mapping) else None


def measure_cache_share(usage: Any) -> float | None:
    """Return the share of a request's input that its provider's cache gave, None if unknown.

    Anthropic counts cached input beside the other input; OpenAI reports the cached part of its input.
    """
    if not isinstance(usage, Mapping):
        return None
    plain = _number(usage.get("input_tokens")) or _number(usage.get("prompt_tokens"))
    details = usage.get("prompt_tokens_details") or usage.get("input_tokens_details")
    if isinstance(details, Mapping) and "cached_tokens" in details:
        return min(1.0, _number(details["cached_tokens"]) / plain) if plain else None
    if "cache_read_input_tokens" not in usage:
        return None
    read = _number(usage["cache_read_input_tokens"])
    whole = plain + read + _number(usage.get("cache_creation_input_tokens"))
    return read / whole if whole else None


def _number(value: Any) -> int:
    return value if isinstance(value, int) and not isinstance(value, bool) and value > 0 else 0


def list_turns(
    talk: Talk, *, resets: Mapping[int, Mapping[str, int]] | None = None, times: Times = NO_TIMES
) -> tuple[PageTurn, ...]:
    """Return the turns with the content of the window at the end of each.

    Args:
        talk: the conversation.
        resets: index of a message -> tokens by section of the window that it was put into: after a
            compaction the window begins anew.
        times: when each message came.
    """
    standing: Counter[str] = Counter(sum_sections(talk.around))
    ends: dict[int, dict[str, int]] = {}
    at: dict[int, float] = {}
    waiting = dict(resets or {})
    for one in talk.said:
        for index in [index for index in waiting if 0 <= index <= one.place]:
            standing = Counter(sum_sections(talk.around)) + Counter(waiting.pop(index))
        standing[one.entry.section] += one.entry.tokens
        number = max(1, one.turn)
        ends[number] = dict(standing)
        if 0 <= one.place < len(times.at):
            at[number] = times.at[one.place]
    return tuple(
        PageTurn(number, talk.titles[number - 1], sections, at.get(number, 0.0), talk.cached.get(number))
        for number, sections in sorted(ends.items())
    )


def end_with(turns: tuple[PageTurn, ...], now: Talk) -> tuple[PageTurn, ...]:
    """Return turns of which the last ends with the content of the current window, to the token."""
    return (*turns[:-1], turns[-1]._replace(sections=sum_sections(now.entries))) if turns else ()


def compare(before: Talk, after: Talk, *, reasons: Mapping[int, tuple[str, str]] | None = None) -> Comparison:
    """Return the change of each message; the differences add up to the savings.

    Args:
        before: the conversation as it came.
        after: the result of a compaction.
        reasons: index of a message -> why it was cut, and a pointer to its whole text.
    """
    same: dict[str, list[SpokenWords]] = defaultdict(list)
    for one in after.said:
        same[one.entry.text].append(one)
    left = [one for one in before.said if not _take(same, one.entry.text)]
    new = [one for ones in same.values() for one in ones]
    changes = []
    for one in left:
        match = _find_match(one, new)
        if match is not None:
            new.remove(match)
        reason, pointer = (reasons or {}).get(one.place, ("shortened", ""))
        if match is None and reason.startswith(
            "shortened"
        ):  # what is left of the message is not of this piece
            reason = "left out"
        changes.append(
            WindowChange(
                one.entry.title,
                one.entry.tokens,
                match.entry.tokens if match else 0,
                reason,
                one.entry.text,
                match.entry.text if match else "",
                pointer,
            )
        )
    changes += [
        WindowChange(one.entry.title, 0, one.entry.tokens, "made by the compaction", "", one.entry.text)
        for one in new
    ]
    return Comparison(_side("before", before), _side("after", after), tuple(changes))


def _take(same: dict[str, list[SpokenWords]], text: str) -> bool:
    """Remove one piece with that text; return whether there was one."""
    if not same.get(text):
        return False
    same[text].pop(0)
    return True


def _find_match(one: SpokenWords, new: Sequence[SpokenWords]) -> SpokenWords | None:
    """Return the new form of a piece: the result of the same call, or a piece that begins alike."""
    if one.key:
        return next((other for other in new if other.key == one.key), None)
    begin = one.entry.text.lstrip()[:40]
    if not begin:
        return None
    return next(
        (
            other
            for other in new
            if not other.key
            and other.entry.section == one.entry.section
            and other.entry.text.lstrip().startswith(begin)
        ),
        None,
    )


def _side(title: str, talk: Talk) -> Side:
    return Side(title, sum_sections(talk.entries), len(talk.said))


def advise_talk(
    talk: Talk, asked: ReportRequest, window: int, meter: Meter, compared: Comparison | None
) -> tuple[Advice, ...]:
    """Return advice about a window, each recommendation tried, and about a compaction.

    Args:
        talk: the window taken apart.
        asked: the request, with the window's name in commands.
        window: tokens that fit, 0 if unknown.
        meter: the counter.
        compared: the compaction that the page shows.
    """
    anatomy = attrs.evolve(talk.anatomy, window=window)
    tried = make_trials(talk.conversation, talk.counts, meter.host, meter.config, meter.model)
    found = advise(anatomy, asked.source_of_command, tried)
    found = found or ([] if asked.compact else [say_nothing(anatomy)])
    return (*found, *_suggest_compaction(talk, compared, asked))


def _suggest_compaction(talk: Talk, compared: Comparison | None, asked: ReportRequest) -> tuple[Advice, ...]:
    """Return the command of the compaction that a page shows, or of one that it could show."""
    if compared is None:
        half = max(1, sum(entry.tokens for entry in talk.entries) // 2)
        what = "to see side by side what a compaction to half of it would keep:"
        kept = f" --store {shlex.quote(asked.store)}" if asked.is_session and asked.store else ""
        return (Advice(what, f"satchel report FILE.html {shlex.quote(asked.source)}{kept} --compact {half}"),)
    if not asked.compact:
        return ()
    saves = compared.before.tokens - compared.after.tokens
    what = "what is compared below is made by:"
    return (compact_to(asked.compact, what, asked.source_of_command, saves, unit=talk.anatomy.unit),)


def compare_with(messages: Any, talk: Talk, asked: ReportRequest, meter: Meter) -> Comparison | None:
    """Return the effect of a compaction on the messages, or of the one whose result was given."""
    if asked.compact and asked.after is not None:
        raise UsageError("--compact makes a compaction and --after shows one; give one of them")
    reasons: dict[int, tuple[str, str]] = {}
    if asked.after is not None:
        document = parse(asked.after, source="--after")
    elif asked.compact:
        from satchel.compaction.compacting import compact

        made = compact(
            messages,
            budget=asked.compact,
            task=asked.task,
            strategy=meter.config.strategy,
            compressor=meter.config.compressor,
            format=asked.form,
            store=asked.store,
            model=meter.model or "",
            host=meter.host,
            config=meter.config,
        )
        document = made.messages
        reasons = {cut.index: (cut.reason, cut.pointer) for cut in made.cut}
    else:
        return None
    return compare(talk, read_talk(document, meter, form=asked.form), reasons=reasons)
