"""Read the session files that agents write: Claude Code, Codex, pi, OpenHands, opencode, Gemini CLI.

A reader turns an agent's records into messages of the provider's format that is nearest to them, so that
everything that reads messages reads a session file too. What is no message (settings, snapshots, events for a
screen) is counted and left out; so are side chains, which are conversations of their own.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property
from typing import Any, NamedTuple

import attrs

from satchel.conversation.documents import read
from satchel.errors import ConversationError
from satchel.messages import Conversation, Format, Message


class Usage(NamedTuple):
    """What a provider counted for one answer, in tokens."""

    input: int
    """Of the whole prompt, whatever of it was cached."""
    cached: int
    """Of the prompt, read from the cache."""
    output: int


@attrs.frozen
class Transcript:
    """An agent's session: messages in a provider's format, and what else its file tells."""

    source: str
    """`claude-code`, `codex`, `pi`, `openhands`, `opencode` or `gemini`."""
    format: Format
    document: list[Any] = attrs.field(repr=False)
    """The messages as JSON of the format."""
    records: int
    """Records of the file, those that are no messages included."""
    times: tuple[str, ...] = ()
    """By message of the document: when it was written, "" if unknown."""
    usages: Mapping[int, Usage] = attrs.field(factory=dict)
    """By index in the document."""
    compactions: tuple[int, ...] = ()
    """Indexes of the messages before which the agent compacted."""
    model: str = ""

    @cached_property
    def conversation(self) -> Conversation:
        """The messages, read in their format."""
        return read(self.document, self.format.value)

    @property
    def messages(self) -> tuple[Message, ...]:
        """The messages in satchel's form."""
        return self.conversation.messages


class _TranscriptDraft:
    """What a reader has found so far."""

    def __init__(self) -> None:
        self.document: list[Any] = []
        self.times: list[str] = []
        self.usages: dict[int, Usage] = {}
        self.compactions: list[int] = []
        self.model = ""

    def add(self, message: Any, time: object = "") -> None:
        """Add a message; one of the user joins the user's before it, as roles alternate."""
        last = self.document[-1] if self.document else None
        if message.get("role") == "user" and last and last.get("role") == "user" and "type" not in message:
            last["content"] = [*_blocks(last["content"]), *_blocks(message["content"])]
            return
        self.document.append(message)
        self.times.append(time if isinstance(time, str) else "")

    def use(self, usage: Usage | None) -> None:
        """Note what the newest message cost."""
        if usage is not None and self.document:
            self.usages[len(self.document) - 1] = usage

    def compact(self) -> None:
        if not self.compactions or self.compactions[-1] != len(self.document):
            self.compactions.append(len(self.document))


def read_transcript(data: bytes | str, name: str = "the session file") -> Transcript:
    """Read an agent's session file, JSON Lines or JSON.

    A last line that is cut off is left out: the agent may still be writing it.

    Raises:
        ConversationError: it is no JSON, no agent's that is known, or none of its records is a message.
    """
    records = _load(data, name)
    for source, form, is_mine, collect in _READERS:
        if not any(is_mine(record) for record in records[:200]):
            continue
        found = _TranscriptDraft()
        collect(records, found)
        if not found.document:
            break
        return Transcript(
            source,
            form,
            found.document,
            len(records),
            tuple(found.times),
            found.usages,
            tuple(found.compactions),
            found.model,
        )
    count = f"{len(records):,} record{'s' if len(records) != 1 else ''}"
    raise ConversationError(name, f"{count}, none is a message of an agent's session that satchel knows")


def find_transcript(data: bytes | str, name: str) -> Transcript | None:
    """Read an agent's session file; return None for messages or a request, which other readers read.

    Raises:
        ConversationError: it has several records, and none is a message.
    """
    start = data[:1].decode(errors="replace") if isinstance(data, bytes) else data[:1]
    try:
        records = _load(data, name)
    except ConversationError:
        if start in ("[", "{", '"') and b"\n{" not in _head(data):
            return None  # broken JSON: who reads messages says where
        raise
    if any(is_mine(record) for record in records[:200] for _, _, is_mine, _ in _READERS):
        return read_transcript(data, name)
    if len(records) > 1 and all(map(_dict, records)) and not any(map(_may_be_message, records)):
        return read_transcript(data, name)  # which says that none is a message
    return None


def _head(data: bytes | str) -> bytes:
    return data[:1_000_000] if isinstance(data, bytes) else data[:1_000_000].encode(errors="replace")


def _may_be_message(record: Any) -> bool:
    one = _dict(record)
    return any(key in one for key in ("role", "messages", "input")) or one.get("type") in _CODEX_ITEMS


def _load(data: bytes | str, name: str) -> list[Any]:
    try:
        text = data.decode("utf-8-sig") if isinstance(data, bytes) else data.removeprefix("\ufeff")
    except UnicodeDecodeError as error:
        raise ConversationError(name, f"not UTF-8 at byte {error.start}") from None
    if not text.strip():
        raise ConversationError(name, "empty; expected an agent's session")
    try:
        document = json.loads(text)
    except (json.JSONDecodeError, RecursionError):
        return _load_lines(text, name)
    except ValueError as error:
        raise ConversationError(name, f"not JSON that can be read: {error}") from None
    return document if isinstance(document, list) else [document]


def _load_lines(text: str, name: str) -> list[Any]:
    lines = [(number, line) for number, line in enumerate(text.split("\n"), 1) if line.strip()]
    records = []
    for number, line in lines:
        try:
            records.append(json.loads(line))
        except (ValueError, RecursionError) as error:
            if number == lines[-1][0] and records:
                break
            reason = error.msg.lower() if isinstance(error, json.JSONDecodeError) else "can't be read"
            raise ConversationError(name, f"neither JSON nor JSON Lines: line {number}: {reason}") from None
    return records


def _dict(value: object) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _list(value: object) -> list[Any]:
    return value if isinstance(value, list) else []


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


def _number(value: object) -> int:
    return value if isinstance(value, int) and not isinstance(value, bool) and value > 0 else 0


_ROLES = ("user", "assistant")


# Claude Code: one record a block of an answer, all with the answer's id.


def _is_claude(record: Any) -> bool:
    one = _dict(record)
    return (
        one.get("type") in ("user", "assistant")
        and "role" in _dict(one.get("message"))
        and ("uuid" in one or "sessionId" in one)
    )


def _read_claude(records: Sequence[Any], found: _TranscriptDraft) -> None:
    answers: dict[str, dict[str, Any]] = {}
    for record in map(_dict, records):
        if record.get("isSidechain"):
            continue
        if record.get("subtype") == "compact_boundary" or record.get("isCompactSummary"):
            found.compact()
        message = _dict(record.get("message"))
        if record.get("type") not in _ROLES or message.get("role") not in _ROLES:
            continue
        content = message.get("content")
        if not isinstance(content, str | list) or not content:
            continue
        id_ = _text(message.get("id"))
        if message["role"] == "assistant" and id_ in answers:
            known = answers[id_]
            known["content"] = [*_blocks(known["content"]), *_blocks(content)]
            continue
        shown = {"role": message["role"], "content": content}
        found.add(shown, record.get("timestamp"))
        if message["role"] == "assistant":
            if id_:
                answers[id_] = shown
            found.model = _text(message.get("model")) or found.model
            found.use(_usage_of_anthropic(message.get("usage")))


def _blocks(content: Any) -> list[Any]:
    return [{"type": "text", "text": content}] if isinstance(content, str) else list(content)


def _usage_of_anthropic(value: object) -> Usage | None:
    usage = _dict(value)
    if not usage:
        return None
    cached = _number(usage.get("cache_read_input_tokens"))
    given = cached + sum(_number(usage.get(key)) for key in ("input_tokens", "cache_creation_input_tokens"))
    return Usage(given, cached, _number(usage.get("output_tokens")))


# Codex: items of the Responses API, in records since late 2025, bare before.

_CODEX_ITEMS = frozenset(
    {
        *("message", "function_call", "function_call_output", "custom_tool_call", "custom_tool_call_output"),
        *("reasoning", "local_shell_call", "web_search_call"),
    }
)


def _is_codex(record: Any) -> bool:
    one = _dict(record)
    if one.get("type") in ("response_item", "session_meta", "turn_context") and "payload" in one:
        return True
    return (
        one.get("type") in ("function_call", "function_call_output", "reasoning") and "timestamp" not in one
    )


def _read_codex(records: Sequence[Any], found: _TranscriptDraft) -> None:
    for record in map(_dict, records):
        kind, payload = record.get("type"), _dict(record.get("payload"))
        if kind == "turn_context":
            found.model = _text(payload.get("model")) or found.model
        elif kind == "compacted":
            found.compact()
        elif kind == "event_msg":
            found.use(_usage_of_codex(payload))
        item = payload if kind == "response_item" else record
        if item.get("type") in _CODEX_ITEMS:
            found.add(item, record.get("timestamp"))


def _usage_of_codex(payload: Mapping[str, Any]) -> Usage | None:
    last = _dict(_dict(payload.get("info")).get("last_token_usage"))
    if payload.get("type") != "token_count" or not last:
        return None
    return Usage(
        _number(last.get("input_tokens")),
        _number(last.get("cached_input_tokens")),
        _number(last.get("output_tokens")),
    )


# pi: messages with blocks of its own, results as messages.


def _is_pi(record: Any) -> bool:
    one = _dict(record)
    message = _dict(one.get("message"))
    return one.get("type") == "message" and message.get("role") in ("user", "assistant", "toolResult")


def _read_pi(records: Sequence[Any], found: _TranscriptDraft) -> None:
    for record in map(_dict, records):
        if record.get("type") == "compaction":
            found.compact()
            if _text(record.get("summary")):
                found.add({"role": "user", "content": record["summary"]}, record.get("timestamp"))
        message = _dict(record.get("message"))
        if record.get("type") != "message" or not message:
            continue
        if message.get("role") == "toolResult":
            result = {
                "type": "tool_result",
                "tool_use_id": _text(message.get("toolCallId")),
                "content": _plain_parts(message.get("content")),
                **({"is_error": True} if message.get("isError") else {}),
            }
            _add_result(found, result, record.get("timestamp"))
        elif message.get("role") in ("user", "assistant"):
            content = [block for block in map(_pi_block, _parts(message.get("content"))) if block]
            if content:
                found.add({"role": message["role"], "content": content}, record.get("timestamp"))
                found.model = _text(message.get("model")) or found.model
                found.use(_usage_of_pi(message.get("usage")))


def _pi_block(part: Any) -> dict[str, Any] | None:
    one = _dict(part)
    if one.get("type") == "toolCall":
        return _tool_use(one.get("id"), one.get("name"), one.get("arguments"))
    if one.get("type") == "text" and _text(one.get("text")):
        return {"type": "text", "text": one["text"]}
    return None


def _usage_of_pi(value: object) -> Usage | None:
    usage = _dict(value)
    cached = _number(usage.get("cacheRead"))
    given = _number(usage.get("input")) + cached + _number(usage.get("cacheWrite"))
    return Usage(given, cached, _number(usage.get("output"))) if usage else None


def _parts(content: Any) -> list[Any]:
    return [{"type": "text", "text": content}] if isinstance(content, str) else _list(content)


def _plain_parts(content: Any) -> list[dict[str, Any]]:
    return [
        {"type": "text", "text": part["text"]}
        for part in map(_dict, _parts(content))
        if part.get("type") == "text" and _text(part.get("text"))
    ]


def _tool_use(id_: object, name: object, given: object) -> dict[str, Any]:
    return {
        "type": "tool_use",
        "id": _text(id_),
        "name": _text(name) or "tool",
        "input": given if isinstance(given, dict) else {"input": given},
    }


def _add_result(found: _TranscriptDraft, result: dict[str, Any], time: object) -> None:
    """Add a result to those before it: Anthropic has all results of an answer in one message."""
    last = found.document[-1] if found.document else {}
    content = last.get("content")
    if last.get("role") == "user" and isinstance(content, list) and content[-1].get("type") == "tool_result":
        content.append(result)
    else:
        found.add({"role": "user", "content": [result]}, time)


# OpenHands: events, actions of the agent and observations of what they did.


def _is_openhands(record: Any) -> bool:
    one = _dict(record)
    return one.get("source") in ("user", "agent", "environment") and ("action" in one or "observation" in one)


def _read_openhands(records: Sequence[Any], found: _TranscriptDraft) -> None:
    calls: dict[Any, str] = {}
    for record in map(_dict, records):
        time, action = record.get("timestamp"), record.get("action")
        given = _dict(record.get("args"))
        if action in ("message", "system"):
            text = _text(given.get("content")) or _text(record.get("message"))
            role = "assistant" if record.get("source") == "agent" and action == "message" else "user"
            if text and action == "message":
                found.add({"role": role, "content": text}, time)
        elif action == "condensation":
            found.compact()
        elif action == "finish":
            text = _text(given.get("final_thought")) or _text(given.get("message"))
            if text:
                found.add({"role": "assistant", "content": text}, time)
        elif action and record.get("source") == "agent" and action not in ("recall", "change_agent_state"):
            meta = _dict(record.get("tool_call_metadata"))
            calls[record.get("id")] = id_ = _text(meta.get("tool_call_id")) or f"event-{record.get('id')}"
            thought = _text(given.get("thought"))
            said = [{"type": "text", "text": thought}] if thought else []
            shown = {key: value for key, value in given.items() if key != "thought" and value}
            name = meta.get("function_name") or action
            found.add({"role": "assistant", "content": [*said, _tool_use(id_, name, shown)]}, time)
        elif record.get("cause") in calls:
            result = {
                "type": "tool_result",
                "tool_use_id": calls.pop(record["cause"]),
                "content": [{"type": "text", "text": _text(record.get("content")) or "(nothing)"}],
                **({"is_error": True} if record.get("observation") == "error" else {}),
            }
            _add_result(found, result, time)


# opencode: messages with parts; a tool's part has its call and its result.


def _is_opencode(record: Any) -> bool:
    one = _dict(record)
    if isinstance(one.get("messages"), list):
        return any(_is_opencode(message) for message in one["messages"][:20])
    return "role" in _dict(one.get("info")) and isinstance(one.get("parts"), list)


def _read_opencode(records: Sequence[Any], found: _TranscriptDraft) -> None:
    for message in map(_dict, _unfold(records)):
        info, role = _dict(message.get("info")), _dict(message.get("info")).get("role")
        if info.get("summary") is True:
            found.compact()
        content: list[dict[str, Any]] = []
        results: list[dict[str, Any]] = []
        for part in map(_dict, _list(message.get("parts"))):
            state = _dict(part.get("state"))
            if part.get("type") == "text" and _text(part.get("text")):
                content.append({"type": "text", "text": part["text"]})
            elif part.get("type") == "tool":
                id_ = _text(part.get("callID")) or _text(part.get("id"))
                content.append(_tool_use(id_, part.get("tool"), _dict(state.get("input"))))
                said = _text(state.get("output")) or _text(state.get("error")) or "(nothing)"
                failed = {"is_error": True} if state.get("status") == "error" else {}
                text = [{"type": "text", "text": said}]
                results.append({"type": "tool_result", "tool_use_id": id_, "content": text, **failed})
        if role in ("user", "assistant") and content:
            found.add({"role": role, "content": content}, "")
            found.model = _text(info.get("modelID")) or found.model
            found.use(_usage_of_opencode(info.get("tokens")))
            if results:
                found.add({"role": "user", "content": results}, "")


def _unfold(records: Sequence[Any]) -> Iterable[Any]:
    for record in records:
        held = _dict(record).get("messages")
        yield from held if isinstance(held, list) else [record]


def _usage_of_opencode(value: object) -> Usage | None:
    tokens = _dict(value)
    cache = _dict(tokens.get("cache"))
    read_, written = _number(cache.get("read")), _number(cache.get("write"))
    given = _number(tokens.get("input")) + read_ + written
    return Usage(given, read_, _number(tokens.get("output"))) if given else None


# Gemini CLI: sessions with messages of type `user` and `gemini`, or contents as the API has them.


def _is_gemini(record: Any) -> bool:
    one = _dict(record)
    if isinstance(one.get("messages"), list):
        return any(_is_gemini(message) for message in one["messages"][:20])
    if isinstance(one.get("parts"), list) and one.get("role") in ("user", "model"):
        return True
    return one.get("type") == "gemini" and "content" in one


def _read_gemini(records: Sequence[Any], found: _TranscriptDraft) -> None:
    for message in map(_dict, _unfold(records)):
        if isinstance(message.get("parts"), list):
            _read_gemini_parts(message, found)
        elif message.get("type") in ("user", "gemini"):
            _read_gemini_message(message, found)


def _read_gemini_message(message: Mapping[str, Any], found: _TranscriptDraft) -> None:
    role = "assistant" if message["type"] == "gemini" else "user"
    text, calls = _text_of(message.get("content")), _list(message.get("toolCalls"))
    content: list[dict[str, Any]] = [{"type": "text", "text": text}] if text else []
    results = []
    for call in map(_dict, calls):
        content.append(_tool_use(call.get("id"), call.get("name"), _dict(call.get("args"))))
        said = _text(call.get("resultDisplay")) or _describe_result(call.get("result"))
        failed = {"is_error": True} if call.get("status") == "error" else {}
        text_ = [{"type": "text", "text": said or "(nothing)"}]
        results.append(
            {"type": "tool_result", "tool_use_id": _text(call.get("id")), "content": text_, **failed}
        )
    if content:
        found.add({"role": role, "content": content}, message.get("timestamp"))
        found.model = _text(message.get("model")) or found.model
        tokens = _dict(message.get("tokens"))
        if tokens:
            cached = _number(tokens.get("cached"))
            found.use(Usage(_number(tokens.get("input")), cached, _number(tokens.get("output"))))
    if results:
        found.add({"role": "user", "content": results}, message.get("timestamp"))


def _read_gemini_parts(message: Mapping[str, Any], found: _TranscriptDraft) -> None:
    role = "assistant" if message.get("role") == "model" else "user"
    content: list[dict[str, Any]] = []
    for part in map(_dict, message["parts"]):
        call, answer = _dict(part.get("functionCall")), _dict(part.get("functionResponse"))
        if call:
            id_ = _text(call.get("id")) or f"call-{call.get('name')}"
            content.append(_tool_use(id_, call.get("name"), call.get("args")))
        elif answer:
            id_ = _text(answer.get("id")) or f"call-{answer.get('name')}"
            said = _describe_result(answer.get("response"))
            text = [{"type": "text", "text": said}]
            content.append({"type": "tool_result", "tool_use_id": id_, "content": text})
        elif _text(part.get("text")) and not part.get("thought"):
            content.append({"type": "text", "text": part["text"]})
    if content:
        found.add({"role": role, "content": content}, "")


def _text_of(content: Any) -> str:
    if isinstance(content, str):
        return content
    return "\n".join(_text(part.get("text")) for part in map(_dict, _list(content)) if part.get("text"))


def _describe_result(value: Any) -> str:
    if isinstance(value, str):
        return value
    parts = [_dict(_dict(part).get("functionResponse")).get("response") for part in _list(value)]
    shown = [part for part in parts if part] or [value]
    only = shown[0] if len(shown) == 1 else shown
    output = _dict(only).get("output")
    return output if isinstance(output, str) else json.dumps(only, ensure_ascii=False)


_Reader = tuple[str, Format, Callable[[Any], bool], Callable[[Sequence[Any], _TranscriptDraft], None]]
_READERS: tuple[_Reader, ...] = (
    ("claude-code", Format.ANTHROPIC, _is_claude, _read_claude),
    ("codex", Format.RESPONSES, _is_codex, _read_codex),
    ("pi", Format.ANTHROPIC, _is_pi, _read_pi),
    ("opencode", Format.ANTHROPIC, _is_opencode, _read_opencode),
    ("gemini", Format.ANTHROPIC, _is_gemini, _read_gemini),
    ("openhands", Format.ANTHROPIC, _is_openhands, _read_openhands),
)
"""The first whose records are among the first ones reads the file."""
