"""Take a conversation apart for its page: what costs how much, its turns, and what a compaction does."""

from __future__ import annotations

import shlex
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import attrs

from satchel.compaction.cleaning import clean_document
from satchel.conversation import Counts, parse
from satchel.errors import UsageError
from satchel.messages import MADE_UP, Block, BlockKind, Conversation, Message
from satchel.report.counting import Meter
from satchel.report.page import (
    Comparison,
    PageEntry,
    PageTurn,
    Side,
    WindowChange,
    sum_sections,
)
from satchel.showing.advice import Advice, advise, compact_to, make_trials, say_nothing
from satchel.showing.anatomy import Anatomy, WindowPiece, describe_call, list_called, list_tools

if TYPE_CHECKING:
    from satchel.config import Config
    from satchel.host import Host
    from satchel.report.opening import ReportRequest

START = 3
"""Tokens that open every conversation (`satchel.conversation.counting`)."""
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
    """Place of its message in the list that came in, -1 outside of it."""
    key: str
    """The id of a call's result, `call` and the ids of calls, "" for all else."""
    path: str
    """The file that a tool read, "" for all else."""
    command: str = ""
    """The command that a tool ran, "" for all else."""


@attrs.frozen
class Talk:
    """A conversation taken apart: pieces in order, and what stands around them."""

    said: tuple[SpokenWords, ...]
    around: tuple[PageEntry, ...]
    """The opening and the definitions of tools."""
    titles: tuple[str, ...]
    """Of the turns, in order."""
    cached: Mapping[int, float]
    """Turn -> share of its last request that came from the cache."""
    unit: str = "turn"
    """What its turns are called: `turn`, or `step` where hardly any request has an answer of its own."""
    format: str = ""
    """Whose messages they are."""
    messages: int = 0
    called: frozenset[str] = frozenset()
    """Names of the tools that were called."""

    @property
    def entries(self) -> tuple[PageEntry, ...]:
        """Return all entries, in the order in which a model reads them."""
        return (*self.around, *(one.entry for one in self.said))


class Times(NamedTuple):
    """What is known beside the messages, one for each message of the list."""

    at: Sequence[float] = ()
    usage: Sequence[Any] = ()


NO_TIMES = Times()


def read_talk(messages: Any, meter: Meter, *, form: str = "auto", times: Times = NO_TIMES) -> Talk:
    """Return messages, or a request, taken apart, without secrets, in tokens of the meter's model.

    Raises:
        ConversationError: they can't be read.
    """
    conversation = meter.formats.read(clean_document(messages, meter.scanners), form)
    return scale(take_apart(conversation, meter.counts(conversation.format), times), meter)


def take_apart(conversation: Conversation, counts: Counts, times: Times = NO_TIMES) -> Talk:
    """Return the pieces of a conversation; their tokens add up to what `Counts.total` gives."""
    pieces = [piece for message in conversation.messages for piece in _split_results(message)]
    costs = counts.messages(pieces)
    calls = {block.id: block for message in pieces for block in message.calls if block.id}
    begins, unit = _choose_unit(pieces)
    said: list[SpokenWords] = []
    titles: list[str] = []
    cached: dict[int, float] = {}
    for number, (message, cost) in enumerate(zip(pieces, costs, strict=True)):
        if begins(message):
            titles.append(_flatten(text_of(message), _TITLE) or "(no text)")
        where = (f"{unit} {len(titles)}", f"piece {number + 1}")
        for part, tokens in _split_calls(message, cost, counts):
            said.append(_say(part, tokens, calls, where, len(titles)))
        usage = _usage_of(message, times)
        share = cached_share(usage)
        if share is not None:
            cached[max(1, len(titles))] = share
    return Talk(
        tuple(said),
        tuple(_around(conversation, counts)),
        tuple(titles or ["(no request)"]),
        cached,
        unit,
        conversation.format.name,
        len(conversation.messages),
        list_called(conversation),
    )


def scale(talk: Talk, meter: Meter) -> Talk:
    """Return a conversation in tokens of the meter's model; they add up to what all of it costs."""
    entries = iter(meter.to_model(talk.entries))
    around = tuple(next(entries) for _ in talk.around)
    said = tuple(one._replace(entry=next(entries)) for one in talk.said)
    return attrs.evolve(talk, around=around, said=said)


def _split_results(message: Message) -> list[Message]:
    """Return a message of several results as one for each: they cost the same."""
    if len(message.blocks) < 2 or any(block.kind is not BlockKind.RESULT for block in message.blocks):
        return [message]
    return [attrs.evolve(message, blocks=(block,)) for block in message.blocks]


def _split_calls(message: Message, cost: int, counts: Counts) -> list[tuple[Message, int]]:
    """Return what a message says and what it calls, each with its tokens; they add up to the message's."""
    beside = tuple(block for block in message.blocks if block.kind is not BlockKind.CALL)
    if not message.calls or not beside or message.role in ("system", "developer"):
        return [(message, cost)]
    tokens = min(cost, sum(counts.texts([f"{call.name}\n{call.text}" for call in message.calls])))
    return [
        (attrs.evolve(message, blocks=beside), cost - tokens),
        (attrs.evolve(message, blocks=message.calls), tokens),
    ]


def _around(conversation: Conversation, counts: Counts) -> list[PageEntry]:
    tools = list_tools(conversation.request, counts.total(conversation).tools, counts)
    entries = [
        PageEntry(
            tool.title, "tools", tool.tokens, text=tool.text, about=("definition",) if tool.text else ()
        )
        for tool in tools
    ]
    return [*entries, PageEntry("opening of the conversation", "frame", START)]


def _choose_unit(pieces: Sequence[Message]) -> tuple[Callable[[Message], bool], str]:
    """Return what begins a turn: a request, or each answer of the model where requests are few."""
    answers, requests = sum(map(_begins_step, pieces)), sum(map(_begins_turn, pieces))
    if requests < _FEW_TURNS and answers >= _MANY_STEPS * max(1, requests):
        return _begins_step, "step"
    return _begins_turn, "turn"


def _begins_step(message: Message) -> bool:
    return message.role == "assistant"


def _begins_turn(message: Message) -> bool:
    return message.role == "user" and not message.results and not message.text.startswith(_OWN)


def _say(
    message: Message, tokens: int, calls: Mapping[str, Block], where: tuple[str, ...], turn: int
) -> SpokenWords:
    result = message.results[0] if message.results else None
    call = calls.get(result.id) if result is not None else None
    asked = describe_call(call.name, call.text) if call is not None else None
    path = asked.path if asked is not None else ""
    entry = PageEntry(
        title=_title(message, call, path),
        section=_section(message, path),
        tokens=tokens,
        level="cut" if "[satchel" in message.text else "whole",
        text=text_of(message),
        about=(message.role, *where),
    )
    ids = [result.id] if result is not None else [block.id for block in message.calls]
    key = "" if any(id_.startswith(MADE_UP) for id_ in ids) else " ".join(ids)
    key = f"call {key}" if key and result is None else key
    return SpokenWords(entry, turn, message.index, key, path, asked.command if asked is not None else "")


def _section(message: Message, path: str) -> str:
    if message.role in ("system", "developer"):
        return "system"
    if message.results or message.role == "tool":
        return "files" if path and not any(result.error for result in message.results) else "results"
    if message.calls and all(block.kind is BlockKind.CALL for block in message.blocks):
        return "calls"
    return "context" if message.text.startswith("<context") else "dialog"


def _title(message: Message, call: Block | None, path: str) -> str:
    if path.strip():
        return path
    if message.results:
        did = describe_call(call.name, call.text).what if call is not None else message.results[0].name
        return did or "result"
    if message.calls:
        did = ", ".join(describe_call(block.name, block.text).what for block in message.calls[:3])
        return f"call: {did}"
    said = _flatten(message.text, _TITLE)
    thinks = " thinks" if any(block.kind is BlockKind.THINKING for block in message.blocks) else ""
    return f"{message.role}{thinks}: {said}" if said else f"{message.role}{thinks}"


def text_of(message: Message) -> str:
    """Return all that a message says, calls and thoughts included, as a person reads it."""
    shown = []
    for block in message.blocks:
        if block.kind is BlockKind.CALL:
            shown.append(f"→ {block.name} {block.text}")
        elif block.kind in (BlockKind.IMAGE, BlockKind.DOCUMENT) and not block.text:
            shown.append(f"({block.kind.value})")
        elif block.blocks:
            shown += [inner.text or f"({inner.kind.value})" for inner in block.blocks]
        else:
            shown.append(block.text)
    return "\n".join(shown)


def _flatten(text: str, most: int) -> str:
    flat = " ".join(text[: 4 * most].split())
    return flat if len(flat) <= most else f"{flat[: most - 1]}…"


def _usage_of(message: Message, times: Times) -> Any:
    if 0 <= message.index < len(times.usage) and times.usage[message.index]:
        return times.usage[message.index]
    return message.raw.get("usage") if isinstance(message.raw, Mapping) else None


def cached_share(usage: Any) -> float | None:
    """Return the share of a request's input that its provider's cache gave, None where that is not told.

    Anthropic counts what it read and wrote beside the other input; OpenAI tells what of its input was cached.
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
    """Return the turns with what stood in the window at the end of each.

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
    """Return turns of which the last ends with what stands in the window now, to the token."""
    return (*turns[:-1], turns[-1]._replace(sections=sum_sections(now.entries))) if turns else ()


def compare(before: Talk, after: Talk, *, reasons: Mapping[int, tuple[str, str]] | None = None) -> Comparison:
    """Return what became of each message; the differences add up to what was saved.

    Args:
        before: the conversation as it came.
        after: what a compaction made of it.
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
    """Take one piece of that text away; tell whether there was one."""
    if not same.get(text):
        return False
    same[text].pop(0)
    return True


def _find_match(one: SpokenWords, new: Sequence[SpokenWords]) -> SpokenWords | None:
    """Return what became of a piece: the result of the same call, or what begins alike."""
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
    talk: Talk, messages: Any, asked: ReportRequest, *, window: int, meter: Meter, host: Host, config: Config
) -> tuple[Advice, ...]:
    """Return what to do about a window, each recommendation tried.

    Args:
        talk: the window taken apart.
        messages: what it was taken of.
        asked: what it is called in a command, and whose messages they are.
        window: tokens that fit, 0 where nobody says.
        meter: what counted.
        host: the plugins.
        config: the settings.
    """
    pieces = tuple(
        WindowPiece(
            one.entry.section,
            one.entry.title,
            one.entry.tokens,
            one.place,
            path=one.path,
            call=one.key,
            text_id=hash(one.entry.text) if one.entry.section == "results" else 0,
            command=one.command,
        )
        for one in (*(SpokenWords(entry, 0, -1, "", "") for entry in talk.around), *talk.said)
    )
    anatomy = Anatomy(
        source=talk.format,
        total=sum(piece.tokens for piece in pieces),
        sections={},
        pieces=pieces,
        unit=meter.unit,
        window=window,
        called=talk.called,
    )
    conversation = meter.formats.read(clean_document(messages, meter.scanners), asked.form)
    tried = make_trials(conversation, meter.counts(conversation.format), host, config, meter.model)
    found = advise(anatomy, asked.source_of_command, tried)
    return tuple(found or ([] if asked.compact else [say_nothing(anatomy)]))


def suggest_compaction(
    talk: Talk, compared: Comparison | None, asked: ReportRequest, meter: Meter
) -> tuple[Advice, ...]:
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
    return (compact_to(asked.compact, what, asked.source_of_command, saves, unit=meter.unit),)


def compare_with(
    messages: Any, talk: Talk, asked: ReportRequest, meter: Meter, host: Host, config: Config
) -> Comparison | None:
    """Return what a compaction does to the messages, or what the one did whose result came along."""
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
            strategy=config.strategy,
            compressor=config.compressor,
            format=asked.form,
            store=asked.store,
            model=meter.model or "",
            host=host,
            config=config,
        )
        document = made.messages
        reasons = {cut.index: (cut.reason, cut.pointer) for cut in made.cut}
    else:
        return None
    return compare(talk, read_talk(document, meter, form=asked.form), reasons=reasons)
