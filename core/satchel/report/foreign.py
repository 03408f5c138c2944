"""What stands in the window of another agent's session: the branch it ended on, and what a compaction kept.

Claude Code, Codex and pi tell both in their files, so their lines are walked here. The sessions of others
are those that `satchel.conversation.transcripts` reads, in the order of their files.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any, NamedTuple

import attrs

from satchel.conversation import transcripts as conversation
from satchel.errors import ConversationError
from satchel.messages import Format

_MOST_PROBLEMS = 10
CLAUDE, CODEX, PI = "Claude Code", "Codex", "pi"
OTHERS = {"openhands": "OpenHands", "opencode": "opencode", "gemini": "Gemini CLI"}
_CODEX_TYPES = frozenset({"session_meta", "response_item", "event_msg", "turn_context", "compacted"})
_SAID = ("user", "assistant")
Line = Mapping[str, Any]


class Compaction(NamedTuple):
    """A compaction that an agent made of its window."""

    place: int
    """How many messages there were before it."""
    before: tuple[Any, ...]
    after: tuple[Any, ...]
    text: str
    at: float


@attrs.define
class BranchedTranscript:
    """A session of another agent: all that was said, and what of it stands in the window."""

    agent: str
    messages: list[Any] = attrs.field(factory=list)
    """Every message of the branch that the session ended on, as `satchel.conversation` reads them."""
    window: list[Any] = attrs.field(factory=list)
    """What is sent next: after a compaction its summary, and what came since."""
    at: list[float] = attrs.field(factory=list)
    """When each message came, in seconds since the epoch, 0 where that is not told."""
    usage: list[Any] = attrs.field(factory=list)
    """What the provider reported for each message, with the keys of Anthropic or of OpenAI."""
    compactions: list[Compaction] = attrs.field(factory=list)
    model: str = ""
    context_tokens: int = 0
    """The window that the agent names, 0 where it names none."""
    beside: int = 0
    """Messages in the file that are not of this conversation: of helpers, of branches that were left."""
    problems: list[str] = attrs.field(factory=list)

    @property
    def form(self) -> str:
        """Return the format of its messages."""
        return str(Format.RESPONSES if self.agent == CODEX else Format.ANTHROPIC)

    def add(self, message: Any, at: float, usage: Any = None) -> None:
        """Put a message at the end."""
        self.messages.append(message)
        self.window.append(message)
        self.at.append(at)
        self.usage.append(usage)

    def compact(self, after: Sequence[Any], text: str, at: float) -> None:
        """Put what a compaction left in the place of the window."""
        self.compactions.append(Compaction(len(self.messages), tuple(self.window), tuple(after), text, at))
        self.window = list(after)


def is_transcript(given: bytes) -> bool:
    """Tell whether a file has an object on each of its first lines, as agents write them."""
    lines = [line for line in given[: 1 << 22].split(b"\n", 4)[:4] if line.strip()]
    if not lines or not lines[0].lstrip().startswith(b"{"):
        return False
    first = _parse(lines[0])
    return (
        first is not None
        and isinstance(first.get("type"), str)
        and _agent_of([first, *_objects(lines)]) != ""
    )


def read_session_file(given: bytes, *, source: str) -> BranchedTranscript:
    """Return the conversation of a session file.

    Args:
        given: the file.
        source: its name, for errors.

    Raises:
        ConversationError: none of the three agents wrote it, or it holds no message.
    """
    problems: list[str] = []
    lines = list(_number_lines(given, problems))
    agent = _agent_of([line for _, line in lines])
    readers: dict[str, Callable[[Sequence[Line]], BranchedTranscript]] = {
        CLAUDE: _read_claude,
        CODEX: _read_codex,
        PI: _read_pi,
    }
    if agent not in readers:
        raise ConversationError(source, "JSON Lines, but none that Claude Code, Codex or pi write")
    found = readers[agent]([line for _, line in lines])
    found.problems = problems
    if not found.messages:
        raise ConversationError(source, f"a session file of {agent} without a message")
    return found


def follow(read: conversation.Transcript) -> BranchedTranscript:
    """Return a session of another agent as it is in its file: after a compaction, what came since."""
    found = BranchedTranscript(OTHERS.get(read.source, read.source), model=read.model)
    for place, message in enumerate(read.document):
        at = _time_of({"timestamp": read.times[place]}) if place < len(read.times) else 0.0
        if place in read.compactions:
            found.compact([], _describe_compaction("", 0), at)
        used = read.usages.get(place)
        details = {"cached_tokens": used.cached} if used else {}
        found.add(
            message, at, {"input_tokens": used.input, "input_tokens_details": details} if used else None
        )
    return _close_compactions(found)


def _number_lines(given: bytes, problems: list[str]) -> Iterator[tuple[int, Line]]:
    rows = given.split(b"\n")
    for number, row in enumerate(rows, start=1):
        if not row.strip():
            continue
        line = _parse(row)
        if line is not None:
            yield number, line
        elif number < len(rows) and len(problems) < _MOST_PROBLEMS:  # the last one may still be written
            problems.append(f"line {number} is not an object of JSON; it is left out")


def _parse(row: bytes) -> Line | None:
    try:
        held = json.loads(row)
    except (ValueError, RecursionError):
        return None
    return held if isinstance(held, dict) else None


def _objects(rows: Sequence[bytes]) -> list[Line]:
    return [line for row in rows if (line := _parse(row)) is not None]


def _agent_of(lines: Sequence[Line]) -> str:
    """Return which agent wrote lines, "" for none that is known."""
    for line in lines:
        kind = line.get("type")
        if kind in _CODEX_TYPES and isinstance(line.get("payload"), dict):
            return CODEX
        if kind == "session" and "cwd" in line:
            return PI
        if "uuid" in line or "parentUuid" in line or ("sessionId" in line and "payload" not in line):
            return CLAUDE
        if kind == "message" and isinstance(line.get("message"), dict) and "parentId" in line:
            return PI
        if kind == "summary" and "leafUuid" in line:
            return CLAUDE
    return ""


def _time_of(line: Line) -> float:
    value = line.get("timestamp")
    if isinstance(value, int | float) and not isinstance(value, bool):
        return value / 1000 if value > 1e11 else float(value)
    if not isinstance(value, str):
        return 0.0
    try:
        return datetime.fromisoformat(value).timestamp()
    except (ValueError, OverflowError, OSError):
        return 0.0


def _describe_compaction(trigger: Any, tokens: Any) -> str:
    """Return how a compaction came about and how large the window was, as far as that is told."""
    how = {"auto": "by the agent itself", "manual": "asked for"}.get(str(trigger), "by the agent")
    known = isinstance(tokens, int) and not isinstance(tokens, bool) and tokens > 0
    return f"{how}, {tokens:,} tokens before" if known else how


def _table(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}


def _walk_back(lines: Sequence[Line], own: str, parents: Sequence[str]) -> list[Line]:
    """Return the lines from the first to the last along their parents, oldest first.

    Where a parent is not in the file, and before a compaction that names none, the line above it is taken;
    in a file without parents, that is every line.
    """
    places = {line[own]: at for at, line in enumerate(lines) if isinstance(line.get(own), str)}
    flat = not any(isinstance(line.get(key), str) for line in lines for key in parents)
    at = max(places.values(), default=-1)
    chain: list[Line] = []
    seen: set[int] = set()
    while at >= 0 and at not in seen:
        seen.add(at)
        line = lines[at]
        chain.append(line)
        above = next((line[key] for key in parents if isinstance(line.get(key), str)), "")
        goes_on = above or flat or line.get("subtype") == "compact_boundary"
        at = places.get(above, at - 1) if goes_on else -1
    return chain[::-1]


def _read_claude(lines: Sequence[Line]) -> BranchedTranscript:
    """Read a session of Claude Code: a tree of lines, each with one block of an answer."""
    found = BranchedTranscript(CLAUDE)
    said = [line for line in lines if line.get("type") in _SAID]
    mine = [line for line in lines if line.get("isSidechain") is not True]
    chain = _walk_back(mine, "uuid", ("parentUuid", "logicalParentUuid")) or mine
    called = {id_ for line in chain for id_ in _ids_of(line, "tool_use", "id")}
    held = {id(line) for line in chain}
    # of calls made side by side, each result hangs on its own call: only one of them is on the chain
    kept = [
        line for line in mine if id(line) in held or called & set(_ids_of(line, "tool_result", "tool_use_id"))
    ]
    found.beside = len(said) - sum(line.get("type") in _SAID for line in kept)
    answer = ""
    boundary: Line | None = None
    for line in kept:
        if line.get("subtype") == "compact_boundary":
            boundary, answer = line, ""
            continue
        message = _table(line.get("message"))
        if line.get("type") not in _SAID or message.get("role") not in ("user", "assistant"):
            continue
        plain = {"role": message["role"], "content": _content(message.get("content"))}
        if line.get("isCompactSummary") is True or boundary is not None:
            facts = _table((boundary or {}).get("compactMetadata"))
            found.compact(
                [], _describe_compaction(facts.get("trigger"), facts.get("preTokens")), _time_of(line)
            )
            boundary = None
        usage = message.get("usage") if message["role"] == "assistant" else None
        name = message.get("id")
        if plain["role"] == "assistant" and name and name == answer:
            found.messages[-1]["content"] += plain["content"]
            found.usage[-1] = usage or found.usage[-1]
            continue
        answer = str(name) if plain["role"] == "assistant" and name else ""
        found.add(plain, _time_of(line), usage)
        if (
            plain["role"] == "assistant"
            and isinstance(message.get("model"), str)
            and "<" not in message["model"]
        ):
            found.model = message["model"]
    return _close_compactions(found)


def _close_compactions(found: BranchedTranscript) -> BranchedTranscript:
    """Take the summary, the first message after a compaction, as what the compaction left."""
    for at, one in enumerate(found.compactions):
        found.compactions[at] = one._replace(
            after=tuple(found.messages[one.place : one.place + 1]), place=one.place + 1
        )
    return found


def _ids_of(line: Line, kind: str, key: str) -> list[str]:
    content = _table(line.get("message")).get("content")
    blocks = content if isinstance(content, list) else []
    return [
        str(block[key])
        for block in blocks
        if isinstance(block, dict) and block.get("type") == kind and key in block
    ]


def _content(content: Any) -> list[Any]:
    """Return a message's content as blocks."""
    if isinstance(content, str):
        return [{"type": "text", "text": content}]
    return [block for block in content if isinstance(block, dict)] if isinstance(content, list) else []


def _read_codex(lines: Sequence[Line]) -> BranchedTranscript:
    """Read a session of Codex: items of Responses, with what happened between them."""
    found = BranchedTranscript(CODEX)
    for line in lines:
        payload, at = _table(line.get("payload")), _time_of(line)
        kind = line.get("type")
        if kind == "session_meta":
            text = payload.get("instructions") or _table(payload.get("base_instructions")).get("text")
            if isinstance(text, str) and text and not found.messages:
                found.add(_codex_message("developer", text), at)
        elif kind == "response_item" and payload.get("type") not in (None, "ghost_snapshot"):
            found.add(dict(payload), at)
        elif kind == "turn_context" and isinstance(payload.get("model"), str):
            found.model = payload["model"]
        elif kind == "compacted":
            found.compact(_codex_replacement(found, payload), _describe_compaction("", 0), at)
        elif kind == "event_msg" and payload.get("type") == "token_count":
            _take_codex_counts(found, _table(payload.get("info")))
    return found


def _codex_message(role: str, text: str) -> dict[str, Any]:
    return {"type": "message", "role": role, "content": [{"type": "input_text", "text": text}]}


def _codex_replacement(found: BranchedTranscript, payload: Line) -> list[Any]:
    """Return what stands in the window after a compaction: what is named, or all requests and the summary."""
    named = payload.get("replacement_history")
    if isinstance(named, list):
        return [one for one in named if isinstance(one, dict) and isinstance(one.get("type"), str)]
    asked = [
        one
        for one in found.window
        if isinstance(one, dict) and one.get("role") in ("user", "developer", "system")
    ]
    return [*asked, _codex_message("user", str(payload.get("message", "")))]


def _take_codex_counts(found: BranchedTranscript, info: Line) -> None:
    size = info.get("model_context_window")
    if isinstance(size, int) and not isinstance(size, bool) and size > 0:
        found.context_tokens = size
    last = _table(info.get("last_token_usage"))
    if found.usage and "cached_input_tokens" in last:
        details = {"cached_tokens": last["cached_input_tokens"]}
        found.usage[-1] = {"input_tokens": last.get("input_tokens"), "input_tokens_details": details}


def _read_pi(lines: Sequence[Line]) -> BranchedTranscript:
    """Read a session of pi: a tree of entries, where a compaction names the first entry that it kept."""
    found = BranchedTranscript(PI)
    entries = [line for line in lines if line.get("type") != "session"]
    chain = _walk_back(entries, "id", ("parentId",)) or entries
    found.beside = sum(line.get("type") == "message" for line in lines) - sum(
        line.get("type") == "message" for line in chain
    )
    places: dict[str, int] = {}
    for line in chain:
        places[str(line.get("id"))] = len(found.messages)
        kind, at = line.get("type"), _time_of(line)
        if kind == "message":
            message = _table(line.get("message"))
            made = _pi_message(message)
            if made is not None:
                found.add(made, at, _pi_usage(message.get("usage")))
            if isinstance(message.get("model"), str):
                found.model = message["model"]
        elif kind in ("branch_summary", "custom_message"):
            found.add(_pi_text("user", line.get("summary") or line.get("content")), at)
        elif kind == "model_change" and isinstance(line.get("modelId"), str):
            found.model = line["modelId"]
        elif kind == "compaction":
            first = places.get(str(line.get("firstKeptEntryId")), len(found.messages))
            kept = found.messages[first:]
            text = _describe_compaction("", line.get("tokensBefore"))
            found.compact([_pi_text("user", line.get("summary")), *kept], text, at)
    return found


def _pi_text(role: str, content: Any) -> dict[str, Any]:
    if isinstance(content, list):
        return {"role": role, "content": [_pi_block(block) for block in content if isinstance(block, dict)]}
    return {"role": role, "content": [{"type": "text", "text": str(content or "")}]}


def _pi_message(message: Line) -> dict[str, Any] | None:
    role = message.get("role")
    if role == "toolResult":
        blocks = _pi_text("user", message.get("content"))["content"]
        result = {"type": "tool_result", "tool_use_id": str(message.get("toolCallId", "")), "content": blocks}
        return {"role": "user", "content": [result]}
    if role == "bashExecution":
        return _pi_text("user", f"$ {message.get('command', '')}\n{message.get('output', '')}")
    if role not in ("user", "assistant"):
        return None
    return _pi_text(str(role), message.get("content"))


def _pi_block(block: Line) -> Mapping[str, Any]:
    """Return a block of pi as Anthropic has it."""
    kind = block.get("type")
    if kind == "toolCall":
        name, given = str(block.get("name", "")), block.get("arguments")
        return {"type": "tool_use", "id": str(block.get("id", "")), "name": name, "input": _table(given)}
    if kind == "thinking":
        return {"type": "thinking", "thinking": str(block.get("thinking", "")), "signature": ""}
    if kind == "image":
        source = {
            "type": "base64",
            "media_type": str(block.get("mimeType", "image/png")),
            "data": block.get("data", ""),
        }
        return {"type": "image", "source": source}
    return {"type": "text", "text": str(block.get("text", ""))}


def _pi_usage(usage: Any) -> Any:
    held = _table(usage)
    if "cacheRead" not in held:
        return None
    return {
        "input_tokens": held.get("input"),
        "cache_read_input_tokens": held["cacheRead"],
        "cache_creation_input_tokens": held.get("cacheWrite"),
    }
