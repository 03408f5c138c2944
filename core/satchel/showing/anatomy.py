"""Take a window apart: the section and the content of each token."""

from __future__ import annotations

import json
import shlex
from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import attrs

from satchel.conversation import read_arguments
from satchel.conversation.counting import Counts
from satchel.conversation.transcripts import Transcript
from satchel.errors import ConversationError
from satchel.messages import Block, BlockKind, Conversation, Message
from satchel.patterns import lazily
from satchel.redaction.scanning import redact_secrets

if TYPE_CHECKING:
    from satchel.tokens.models import Model

SECTIONS = ("system", "tools", "files", "results", "calls", "dialog", "frame")
"""Sections of a conversation: instructions, definitions of tools, contents of files, other results, calls,
texts of people and the agent, and the frame around all messages.
"""
_READING = lazily(r"(?i)^(read|view|open|cat|get)_?(file|files|text|range)?$|^str_replace.*$|^fetch_file$")
_READ_COMMAND = lazily(r"^\s*(?:cat|head|tail|less|nl|bat|sed -n)\b[^|;&]*?\s((?:[\w.~-]*/)*[\w.-]+)\s*$")
_PATH_KEYS = ("file_path", "path", "filePath", "absolute_path", "file", "filename", "target_file")
_COMMAND_KEYS = ("command", "cmd")
_OTHER_KEYS = ("script", "input")
"""Arguments that describe a call, as a command does."""
_AGES = (5, 20)
"""Turns up to which a token is new, and not yet old."""
_SHELL = lazily(r"(?:\S*/)?(?:ba|z|da|k)?sh")
_LONGEST, _LONGEST_CALL = 120, 300
"""Characters of a title: of a text, and of a call, which a drawing cuts to its room."""
_LONGEST_COMMAND = 400
"""Characters of a command that is repeated whole: cut, it would be another one."""
_READ = 2_000
"""Characters that are searched for secrets before they are cut to `_LONGEST`."""


class WindowPiece(NamedTuple):
    """Something in a window."""

    section: str
    what: str
    """One line: a tool and its path, the beginning of a text, an item's title."""
    tokens: int
    message: int
    """Index of its message, -1 outside of messages."""
    path: str = ""
    """The file whose content it is, "" if it is not one."""
    level: str = ""
    reason: str = ""
    command: str = ""
    """The shell command whose output it is, whole, "" if unknown."""
    blocks: tuple[Block, ...] = ()
    """The blocks of its message that it consists of, () outside of messages."""


class WindowTurn(NamedTuple):
    """The window at an answer."""

    message: int
    tokens: int
    """Tokens of the window up to the answer: the provider's count if known, else the counted one."""
    cached: int | None
    """Read from the provider's cache; None if unknown."""
    compacted: bool
    """Whether the agent had compacted since the last turn."""
    is_counted: bool
    """Whether `tokens` was counted here, because the file does not have it."""


class Repeat(NamedTuple):
    """A file that was read more than once."""

    path: str
    times: int
    tokens: int
    """Tokens of all its copies together."""


class WindowAge(NamedTuple):
    """Content that came in at about the same time."""

    turns: int
    """It came in the last this many turns, except those of the age before; 0 for everything older."""
    tokens: int


@attrs.frozen
class Anatomy:
    """The parts of a window; their tokens add up to `total`."""

    source: str
    """The kind of the source: `pack`, an agent's name, or a format of messages."""
    total: int
    sections: Mapping[str, int]
    """Tokens by section; sections without tokens are missing."""
    pieces: tuple[WindowPiece, ...]
    """In the order of the window."""
    turns: tuple[WindowTurn, ...] = ()
    answers: tuple[int, ...] = ()
    """Indexes of messages: the answers of the agent in the window."""
    model: str = ""
    unit: str = ""
    """The model that commands must name to count in these tokens, "" for none."""
    is_estimated: bool = False
    """Whether they are estimated for that model."""
    window: int = 0
    """Tokens of the window, 0 if unknown."""
    is_window_guessed: bool = False
    task: str = ""
    """The task of a pack."""
    called: frozenset[str] = frozenset()
    """Names of the tools that were called."""

    @property
    def dearest(self) -> list[WindowPiece]:
        """Return the pieces by tokens, the dearest first."""
        return sorted(self.pieces, key=lambda piece: -piece.tokens)

    @property
    def ages(self) -> list[WindowAge]:
        """Return the ages of the tokens of messages, in turns, the newest first."""
        sums = [0] * (len(_AGES) + 1)
        for piece in self.pieces:
            if piece.message >= 0:
                ago = len(self.answers) - bisect_left(self.answers, piece.message)
                sums[bisect_left(_AGES, ago)] += piece.tokens
        return [WindowAge(*one) for one in zip((*_AGES, 0), sums, strict=True)]

    @property
    def repeats(self) -> list[Repeat]:
        """Return the files that are in the window more than once, the dearest first."""
        found: defaultdict[str, list[int]] = defaultdict(list)
        for piece in self.pieces:
            if piece.path and piece.section == "files":
                found[piece.path].append(piece.tokens)
        many = [Repeat(path, len(each), sum(each)) for path, each in found.items() if len(each) > 1]
        return sorted(many, key=lambda repeat: -repeat.tokens)


def dissect(conversation: Conversation, counts: Counts, transcript: Transcript | None = None) -> Anatomy:
    """Take a conversation apart.

    Args:
        conversation: its messages, and the request around them.
        counts: the counter of tokens.
        transcript: the session file of the window, with its turns and model.
    """
    tally = counts.total(conversation)
    pieces: list[WindowPiece] = []
    calls = (call for message in conversation.messages for call in message.calls)
    known = {call.id: describe_call(call.name, call.text) for call in calls}
    for index, (message, tokens) in enumerate(zip(conversation.messages, tally.messages, strict=True)):
        pieces += _take_apart(index, message, tokens, counts, known)
    pieces[:0] = _list_tools(conversation.request, tally.tools, counts)
    frame = tally.total - sum(piece.tokens for piece in pieces)
    if frame:
        pieces.append(WindowPiece("frame", "form of the messages", frame, -1))
    return Anatomy(
        source=transcript.source if transcript else conversation.format.name,
        total=tally.total,
        sections=sum_sections(pieces),
        pieces=tuple(pieces),
        turns=_list_turns(conversation, tally.messages, counts, transcript),
        answers=_list_answers(conversation),
        model=transcript.model if transcript else conversation.named_model,
        window=transcript.context_tokens if transcript else 0,
        called=frozenset(block.name for message in conversation.messages for block in message.calls),
    )


def to_model(anatomy: Anatomy, model: Model) -> Anatomy:
    """Return a window of messages in tokens of a model, if they were counted here."""
    total = model.to_model_tokens(anatomy.total)
    shares = share_by_section(total, [(piece.section, piece.tokens) for piece in anatomy.pieces])
    pieces = [piece._replace(tokens=tokens) for piece, tokens in zip(anatomy.pieces, shares, strict=True)]
    turns = [
        turn._replace(tokens=model.to_model_tokens(turn.tokens)) if turn.is_counted else turn
        for turn in anatomy.turns
    ]
    sections = sum_sections(pieces)
    return attrs.evolve(
        anatomy,
        total=total,
        sections=sections,
        pieces=tuple(pieces),
        turns=tuple(turns),
        unit=model.unit,
        is_estimated=not model.exact,
    )


def _list_tools(request: Mapping[str, Any] | None, tokens: int, counts: Counts) -> list[WindowPiece]:
    """Return the tools of a request; their tokens add up to the cost of everything beside messages."""
    listed = [one for key in ("tools", "functions") for one in _as_list((request or {}).get(key))]
    written = [json.dumps(one, ensure_ascii=False, indent=1, default=str) for one in listed]
    if not tokens:
        return []
    if not written:
        return [WindowPiece("tools", "form of the answer", tokens, -1)]
    shares = share_out(tokens, counts.texts(written))
    return [
        WindowPiece("tools", f"tool {_name_tool(one)}", share, -1, blocks=(Block(BlockKind.TEXT, text),))
        for one, share, text in zip(listed, shares, written, strict=True)
    ]


def _as_list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value] if value else []


def _name_tool(tool: Any) -> str:
    held = tool if isinstance(tool, Mapping) else {}
    function = held.get("function")
    inner = function if isinstance(function, Mapping) else held
    return str(inner.get("name") or held.get("type") or "without a name")


def share_out(total: int, weights: Sequence[int]) -> list[int]:
    """Return whole numbers in the proportion of `weights` that add up to `total`.

    If the weights already add up to it, they are returned; the remainder goes to the largest fractions.
    """
    whole = sum(weights)
    if whole == total or not weights:
        return list(weights)
    if whole <= 0:
        return [total, *[0] * (len(weights) - 1)]
    parts = [total * weight // whole for weight in weights]
    rests = sorted(range(len(weights)), key=lambda at: (-(total * weights[at] % whole), at))
    for at in rests[: total - sum(parts)]:
        parts[at] += 1
    return parts


def share_by_section(total: int, parts: Sequence[tuple[str, int]]) -> list[int]:
    """Return whole numbers for parts, each a section and its tokens, that add up to `total`.

    A section's sum does not depend on the number of its parts: each view of a window has the same sums.
    """
    places: defaultdict[str, list[int]] = defaultdict(list)
    for at, (section, _) in enumerate(parts):
        places[section].append(at)
    names = sorted(places)
    sums = share_out(total, [sum(parts[at][1] for at in places[name]) for name in names])
    found = [0] * len(parts)
    for name, whole in zip(names, sums, strict=True):
        shares = share_out(whole, [parts[at][1] for at in places[name]])
        for at, share in zip(places[name], shares, strict=True):
            found[at] = share
    return found


def dissect_pack(document: Mapping[str, Any]) -> Anatomy:
    """Take a pack apart, as `satchel pack --format json` printed it.

    Raises:
        ConversationError: it is not such a pack.
    """
    items, total = document.get("items"), document.get("tokens")
    if not isinstance(items, list) or not isinstance(total, int):
        raise ConversationError("", "expected what satchel pack --format json prints: items and tokens")
    pieces = []
    for item in items:
        if not isinstance(item, dict) or not isinstance(item.get("tokens"), int):
            raise ConversationError(
                "", "expected items with tokens, as satchel pack --format json prints them"
            )
        level, kind = str(item.get("level", "")), str(item.get("kind", ""))
        scores = item.get("scores")
        pieces.append(
            WindowPiece(
                _name_section(kind, level),
                str(item.get("title") or item.get("path") or "")[:_LONGEST],
                item["tokens"],
                -1,
                path=str(item.get("path", "")),
                level=level,
                reason=_name_scores(scores if isinstance(scores, dict) else {}),
            )
        )
    frame = total - sum(piece.tokens for piece in pieces)
    if frame:
        pieces.append(WindowPiece("frame", "frame and map of the document", frame, -1))
    budget = document.get("budget")
    window = budget if isinstance(budget, int) else 0
    task = str(document.get("task", ""))
    return Anatomy("pack", total, sum_sections(pieces), tuple(pieces), window=window, task=task)


_PACK_LEVELS = {
    "full": "whole files",
    "excerpt": "parts of files",
    "diff": "diffs",
    "symbols": "outlines",
    "headers": "outlines",
    "pointer": "addresses",
}
_PACK_KINDS = {
    "blame": "blame",
    "commit": "commits",
    "dependency": "dependencies",
    "diff": "diffs",
    "environment": "environment",
    "error": "errors",
    "folder": "folders",
    "instructions": "instructions",
    "output": "outputs",
}


def _name_section(kind: str, level: str) -> str:
    """Return the section of an item of a pack; items of kinds that plugins bring are `other`."""
    return (_PACK_LEVELS if kind == "file" else _PACK_KINDS).get(level if kind == "file" else kind, "other")


def _name_scores(scores: Mapping[str, Any]) -> str:
    """Return the names of the three highest scores."""
    numbers = {name: value for name, value in scores.items() if isinstance(value, int | float) and value > 0}
    return ", ".join(sorted(numbers, key=lambda name: (-numbers[name], name))[:3])


def sum_sections(pieces: Sequence[WindowPiece]) -> dict[str, int]:
    """Return the tokens of each section, the dearest first."""
    sums: Counter[str] = Counter()
    for piece in pieces:
        sums[piece.section] += piece.tokens
    return dict(sorted(sums.items(), key=lambda one: (-one[1], one[0])))


class ToolCall(NamedTuple):
    """The request of a tool call."""

    what: str
    path: str
    """The file that it read, "" for other calls."""
    command: str = ""
    """The shell command that it ran, whole, "" for other calls and for very long ones."""


def describe_call(name: str, given: str) -> ToolCall:
    """Return the request of a call, by its tool's name and its arguments as JSON."""
    values = read_arguments(given)
    path = next((redact_secrets(values[key]) for key in _PATH_KEYS if isinstance(values.get(key), str)), "")
    command = next((_join_command(values[key]) for key in _COMMAND_KEYS if values.get(key)), "").strip()
    other = next((values[key] for key in _OTHER_KEYS if isinstance(values.get(key), str)), "")
    shown = redact_secrets(command[:_READ] or other[:_READ] or given[:_READ])
    edits = name.startswith("str_replace") and values.get("command", "view") != "view"
    if path and _READING.match(name) and not edits:
        return ToolCall(_title_call(name, path), path)
    if path:
        return ToolCall(_title_call(name, path), "")
    read = _READ_COMMAND.match(shown) if command else None
    is_whole = shown == command and len(command) <= _LONGEST_COMMAND
    return ToolCall(_title_call(name, shown), read[1] if read else "", command if is_whole else "")


def _join_command(command: object) -> str:
    """Return a command as it is typed, without a shell around it, "" for other values."""
    words = list(map(str, command)) if isinstance(command, list) else []
    if len(words) == 3 and _SHELL.fullmatch(words[0]) and words[1] in ("-c", "-lc"):
        return words[2]
    return command if isinstance(command, str) else shlex.join(words)


def _title_call(name: str, given: str) -> str:
    return " ".join(f"{name} {given}".split())[:_LONGEST_CALL]


def _take_apart(
    index: int, message: Message, tokens: int, counts: Counts, known: Mapping[str, ToolCall]
) -> list[WindowPiece]:
    """Return the pieces of a message, whose tokens add up to its own."""
    if message.role in ("system", "developer"):
        what = _first_words(message.text) or message.role
        return [WindowPiece("system", what, tokens, index, blocks=message.blocks)]
    kinds = (BlockKind.RESULT, BlockKind.CALL)
    special = [block for block in message.blocks if block.kind in kinds]
    pieces = []
    if special:
        costs = _count_blocks(message, special, counts)
        costs = share_out(tokens, costs) if sum(costs) > tokens else costs
        for block, cost in zip(special, costs, strict=True):
            call = known.get(block.id) or describe_call(block.name, block.text)
            if block.kind is BlockKind.CALL:
                pieces.append(WindowPiece("calls", f"call: {call.what}", cost, index, blocks=(block,)))
            else:
                section = "files" if call.path and not block.error else "results"
                pieces.append(
                    WindowPiece(
                        section,
                        call.what or "result",
                        cost,
                        index,
                        path=call.path,
                        command=call.command,
                        blocks=(block,),
                    )
                )
    rest = tokens - sum(piece.tokens for piece in pieces)
    beside = tuple(block for block in message.blocks if block.kind not in kinds)
    if beside or not pieces:
        said = f"{message.role}: {_first_words(message.text) or _name_kinds(message)}"[:_LONGEST]
        pieces.insert(0, WindowPiece("dialog", said, rest, index, blocks=beside))
    elif rest:
        pieces[-1] = pieces[-1]._replace(tokens=pieces[-1].tokens + rest)
    return pieces


def _count_blocks(message: Message, blocks: Sequence[Block], counts: Counts) -> Sequence[int]:
    """Return the tokens of calls or results; several results cost as much as a message for each."""
    if all(block.kind is BlockKind.RESULT for block in message.blocks):
        return counts.messages([attrs.evolve(message, blocks=(block,)) for block in blocks])
    return counts.texts([f"{block.name}\n{block.text}" for block in blocks])


def _name_kinds(message: Message) -> str:
    """Return the kinds of blocks of a message without a text."""
    kinds = (BlockKind.THINKING, BlockKind.IMAGE, BlockKind.DOCUMENT)
    found = [kind.value for kind in kinds if any(block.kind is kind for block in message.blocks)]
    return f"({', '.join(found)})" if found else ""


def _first_words(text: str) -> str:
    return " ".join(redact_secrets(text[:_READ]).split())[:_LONGEST]


def _list_answers(conversation: Conversation) -> tuple[int, ...]:
    """Return the beginnings of answers; one of several blocks may be several messages."""
    found, last = [], -1
    for at, message in enumerate(conversation.messages):
        if message.role == "assistant" and message.index != last:
            found.append(at)
        last = message.index
    return tuple(found)


def _list_turns(
    window: Conversation, tokens: Sequence[int], counts: Counts, transcript: Transcript | None
) -> tuple[WindowTurn, ...]:
    """Return the turns: the answers of the agent, each with the window before it, counted or as reported."""
    usages = transcript.usages if transcript else {}
    compactions = list(transcript.compactions) if transcript else []
    whole = transcript.conversation if transcript and compactions else window
    costs = counts.messages(whole.messages) if whole is not window else tokens
    turns: list[WindowTurn] = []
    before, last, compacted = 0, -1, False
    for message, cost in zip(whole.messages, costs, strict=True):
        while compactions and compactions[0].place <= message.index:
            left = whole.format.read_messages(list(compactions.pop(0).after), whole.format.list_key)
            before, compacted = sum(counts.messages(list(left))), True
        if message.role == "assistant" and message.index != last:
            usage = usages.get(message.index)
            turns.append(
                WindowTurn(
                    message.index,
                    usage.input if usage and usage.input else before,
                    usage.cached if usage else None,
                    compacted,
                    not (usage and usage.input),
                )
            )
            compacted = False
        last = message.index
        before += cost
    return tuple(turns)
