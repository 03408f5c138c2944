"""What the records of each agent mean: its messages, branches, compactions, and what the provider counted."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any, NamedTuple

from satchel.conversation.transcript_drafts import TranscriptDraft, TranscriptReader, Usage, blocks_of
from satchel.messages import Format

Record = Mapping[str, Any]
_SAID = ("user", "assistant")


def _dict(value: object) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _list(value: object) -> list[Any]:
    return value if isinstance(value, list) else []


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


def _number(value: object) -> int:
    return value if isinstance(value, int) and not isinstance(value, bool) and value > 0 else 0


def _time_of(record: Record) -> float:
    value = record.get("timestamp")
    if isinstance(value, int | float) and not isinstance(value, bool):
        return value / 1000 if value > 1e11 else float(value)
    try:
        return datetime.fromisoformat(_text(value)).timestamp()
    except (ValueError, OverflowError, OSError):
        return 0.0


def _text_block(text: str) -> dict[str, Any]:
    return {"type": "text", "text": text}


def _tool_use(id_: object, name: object, given: object) -> dict[str, Any]:
    table = given if isinstance(given, dict) else {"input": given}
    return {"type": "tool_use", "id": _text(id_), "name": _text(name) or "tool", "input": table}


def _result(id_: object, said: str | list[dict[str, Any]], *, failed: bool = False) -> dict[str, Any]:
    content = [_text_block(said or "(nothing)")] if isinstance(said, str) else said
    made = {"type": "tool_result", "tool_use_id": _text(id_), "content": content}
    return {**made, "is_error": True} if failed else made


def _describe_compaction(trigger: object, tokens: object) -> str:
    """Return how a compaction came about and how large the window was, as far as that is told."""
    how = {"auto": "by the agent itself", "manual": "asked for"}.get(str(trigger), "by the agent")
    return f"{how}, {tokens:,} tokens before" if isinstance(tokens, int) and _number(tokens) else how


def _walk_back(records: Sequence[Record], own: str, parents: Sequence[str]) -> list[Record]:
    """Return the records from the first to the last along their parents, oldest first.

    Where a parent is not in the file, and before a compaction that names none, the record above it is taken;
    in a file without parents, that is every one.
    """
    places = {record[own]: at for at, record in enumerate(records) if isinstance(record.get(own), str)}
    flat = not any(isinstance(record.get(key), str) for record in records for key in parents)
    if flat:
        return list(records)
    at = max(places.values(), default=-1)
    chain: list[Record] = []
    seen: set[int] = set()
    while at >= 0 and at not in seen:
        seen.add(at)
        record = records[at]
        chain.append(record)
        above = next((record[key] for key in parents if isinstance(record.get(key), str)), "")
        goes_on = above or record.get("subtype") == "compact_boundary"
        at = places.get(above, at - 1) if goes_on else -1
    return chain[::-1] or list(records)


# Claude Code: a tree of records, each with one block of an answer, all with the answer's id.


def _is_claude(record: Record) -> bool:
    said = record.get("type") in _SAID and "role" in _dict(record.get("message"))
    return said and ("uuid" in record or "sessionId" in record)


def _read_claude(records: Sequence[Record], found: TranscriptDraft) -> None:
    mine = [record for record in records if record.get("isSidechain") is not True]
    chain = _walk_back(mine, "uuid", ("parentUuid", "logicalParentUuid"))
    called = {id_ for record in chain for id_ in _ids_of(record, "tool_use", "id")}
    held = {id(record) for record in chain}
    # of calls made side by side, each result hangs on its own call: only one of them is on the chain
    kept = [
        record
        for record in mine
        if id(record) in held or called & set(_ids_of(record, "tool_result", "tool_use_id"))
    ]
    found.beside = sum(record.get("type") in _SAID for record in records)
    found.beside -= sum(record.get("type") in _SAID for record in kept)
    answers: dict[str, dict[str, Any]] = {}
    boundary: Record | None = None
    for record in kept:
        if record.get("subtype") == "compact_boundary":
            boundary = record
        message = _dict(record.get("message"))
        if record.get("type") not in _SAID or message.get("role") not in _SAID:
            continue
        message = {**message, "content": _drop_blank_texts(message.get("content"))}
        if not message["content"]:
            continue
        found.first = found.first or record
        is_summary = boundary is not None or record.get("isCompactSummary") is True
        if is_summary:
            facts = _dict((boundary or {}).get("compactMetadata"))
            told = _describe_compaction(facts.get("trigger"), facts.get("preTokens"))
            found.compact((), told, _time_of(record))
            boundary = None
        _add_claude(message, record, answers, found)
        if is_summary:
            found.summarize()
    if boundary is not None:
        found.compact((), _describe_compaction("", 0), _time_of(boundary))


def _drop_blank_texts(content: object) -> str | list[Any]:
    """Return a message's content without the blank texts that answers begin with, which are never sent."""
    if isinstance(content, str):
        return content
    return [
        one for one in _list(content) if _dict(one).get("type") != "text" or _text(one.get("text")).strip()
    ]


def _add_claude(
    message: Record, record: Record, answers: dict[str, dict[str, Any]], found: TranscriptDraft
) -> None:
    """Add a record's blocks: to the answer of their id, where that is known, or as a message."""
    id_ = _text(message.get("id")) if message["role"] == "assistant" else ""
    usage = _usage_of_anthropic(message.get("usage")) if message["role"] == "assistant" else None
    if id_ in answers:
        known = answers[id_]
        known["content"] = [*blocks_of(known["content"]), *blocks_of(message["content"])]
        if found.document[-1] is known:
            found.use(usage)
        return
    shown = {"role": message["role"], "content": message["content"]}
    found.add(shown, _time_of(record), usage)
    if id_:
        answers[id_] = shown
    model = _text(message.get("model"))
    found.model = model if model and "<" not in model else found.model


def _ids_of(record: Record, kind: str, key: str) -> list[str]:
    blocks = map(_dict, _list(_dict(record.get("message")).get("content")))
    return [str(block[key]) for block in blocks if block.get("type") == kind and key in block]


def _usage_of_anthropic(value: object) -> Usage | None:
    usage = _dict(value)
    cached = _number(usage.get("cache_read_input_tokens"))
    given = cached + sum(_number(usage.get(key)) for key in ("input_tokens", "cache_creation_input_tokens"))
    return Usage(given, cached, _number(usage.get("output_tokens"))) if usage else None


# Codex: items of the Responses API, in records since late 2025, bare before.

CODEX_ITEMS = frozenset(
    {
        *("message", "function_call", "function_call_output", "custom_tool_call", "custom_tool_call_output"),
        *("reasoning", "local_shell_call", "web_search_call"),
    }
)
_CODEX_RECORDS = frozenset({"session_meta", "response_item", "event_msg", "turn_context", "compacted"})


def _is_codex(record: Record) -> bool:
    kind = record.get("type")
    if kind in _CODEX_RECORDS:
        return isinstance(record.get("payload"), dict)
    return kind in ("function_call", "function_call_output", "reasoning") and "timestamp" not in record


def _read_codex(records: Sequence[Record], found: TranscriptDraft) -> None:
    for record in records:
        kind, payload, at = record.get("type"), _dict(record.get("payload")), _time_of(record)
        if kind == "session_meta":
            found.first = found.first or record
            told = payload.get("instructions") or _dict(payload.get("base_instructions")).get("text")
            found.instructions = found.instructions or _text(told)
        elif kind == "turn_context":
            found.model = _text(payload.get("model")) or found.model
        elif kind == "compacted":
            found.compact(_replace_codex(found, payload), _describe_compaction("", 0), at)
        elif kind == "event_msg" and payload.get("type") == "token_count":
            _count_codex(found, _dict(payload.get("info")))
        elif kind == "response_item" and payload.get("type") not in (None, "ghost_snapshot"):
            found.add(dict(payload), at)
        elif kind in CODEX_ITEMS:
            found.add(dict(record), at)


def _replace_codex(found: TranscriptDraft, payload: Record) -> list[Any]:
    """Return what stands in the window after a compaction: what is named, or all requests and the summary."""
    named = payload.get("replacement_history")
    if isinstance(named, list):
        return [one for one in map(_dict, named) if isinstance(one.get("type"), str)]
    asked = [one for one in found.window if one.get("role") in ("user", "developer", "system")]
    said = [{"type": "input_text", "text": str(payload.get("message", ""))}]
    return [*asked, {"type": "message", "role": "user", "content": said}]


def _count_codex(found: TranscriptDraft, info: Record) -> None:
    found.context_tokens = _number(info.get("model_context_window")) or found.context_tokens
    last = _dict(info.get("last_token_usage"))
    if last:
        given, cached, made = (
            _number(last.get(key)) for key in ("input_tokens", "cached_input_tokens", "output_tokens")
        )
        found.use(Usage(given, cached, made))


# pi: a tree of entries, where a compaction names the first entry that it kept; results are messages.


def _is_pi(record: Record) -> bool:
    message = _dict(record.get("message"))
    return record.get("type") == "message" and message.get("role") in ("user", "assistant", "toolResult")


def _read_pi(records: Sequence[Record], found: TranscriptDraft) -> None:
    entries = [record for record in records if record.get("type") != "session"]
    found.first = next((record for record in records if record.get("type") == "session"), {})
    chain = _walk_back(entries, "id", ("parentId",))
    found.beside = sum(record.get("type") == "message" for record in entries)
    found.beside -= sum(record.get("type") == "message" for record in chain)
    places: dict[str, int] = {}
    for record in chain:
        kind, at = record.get("type"), _time_of(record)
        if kind == "message":
            message = _dict(record.get("message"))
            content = _content_of_pi(message)
            if content:
                role = "assistant" if message.get("role") == "assistant" else "user"
                found.add({"role": role, "content": content}, at, _usage_of_pi(message.get("usage")))
            found.model = _text(message.get("model")) or found.model
        elif kind in ("branch_summary", "custom_message"):
            content = _list_pi_blocks(record.get("summary") or record.get("content"))
            if content:
                found.add({"role": "user", "content": content}, at)
        elif kind == "model_change":
            found.model = _text(record.get("modelId")) or found.model
        elif kind == "compaction":
            kept = places.get(str(record.get("firstKeptEntryId")), len(found.document))
            summary = {"role": "user", "content": [_text_block(_text(record.get("summary")) or "(nothing)")]}
            told = _describe_compaction("", record.get("tokensBefore"))
            found.compact([summary, *found.document[kept:]], told, at)
        places[str(record.get("id"))] = len(found.document) - (kind == "message" and bool(found.document))


def _content_of_pi(message: Record) -> list[dict[str, Any]]:
    role = message.get("role")
    if role == "toolResult":
        blocks = _list_pi_blocks(message.get("content"))
        return [_result(message.get("toolCallId"), blocks, failed=message.get("isError") is True)]
    if role == "bashExecution":
        return [_text_block(f"$ {message.get('command', '')}\n{message.get('output', '')}")]
    return _list_pi_blocks(message.get("content")) if role in _SAID else []


def _list_pi_blocks(content: object) -> list[dict[str, Any]]:
    parts = [_text_block(content)] if isinstance(content, str) else _list(content)
    return [block for block in map(_read_pi_block, map(_dict, parts)) if block]


def _read_pi_block(block: Record) -> dict[str, Any] | None:
    """Return a block of pi as Anthropic has it; thoughts without a signature are none."""
    kind = block.get("type")
    if kind == "toolCall":
        return _tool_use(block.get("id"), block.get("name"), block.get("arguments"))
    if kind == "image":
        media, data = block.get("mimeType", "image/png"), block.get("data", "")
        return {"type": "image", "source": {"type": "base64", "media_type": media, "data": data}}
    return _text_block(block["text"]) if kind == "text" and _text(block.get("text")) else None


def _usage_of_pi(value: object) -> Usage | None:
    usage = _dict(value)
    cached = _number(usage.get("cacheRead"))
    given = _number(usage.get("input")) + cached + _number(usage.get("cacheWrite"))
    return Usage(given, cached, _number(usage.get("output"))) if usage else None


# OpenHands: events, actions of the agent and observations of what they did; with kinds since version 1.


def _is_openhands(record: Record) -> bool:
    known = record.get("source") in ("user", "agent", "environment")
    return known and ("action" in record or "observation" in record or "llm_message" in record)


def _read_openhands(records: Sequence[Record], found: TranscriptDraft) -> None:
    if any("kind" in record for record in records):
        _read_openhands_kinds(records, found)
        return
    calls: dict[Any, str] = {}
    for record in records:
        at, action, given = _time_of(record), record.get("action"), _dict(record.get("args"))
        is_agent = record.get("source") == "agent"
        if action == "message":
            text = _text(given.get("content")) or _text(record.get("message"))
            if text:
                found.add({"role": "assistant" if is_agent else "user", "content": text}, at)
        elif action == "condensation":
            found.compact((), "by the agent", at)
        elif action == "finish":
            text = _text(given.get("final_thought")) or _text(given.get("message"))
            if text:
                found.add({"role": "assistant", "content": text}, at)
        elif action and is_agent and action not in ("system", "recall", "change_agent_state"):
            meta, key = _dict(record.get("tool_call_metadata")), str(record.get("id"))
            calls[key] = id_ = _text(meta.get("tool_call_id")) or f"event-{key}"
            thought = _text(given.get("thought"))
            said = [_text_block(thought)] if thought else []
            shown = {name: value for name, value in given.items() if name != "thought" and value}
            use = _tool_use(id_, meta.get("function_name") or action, shown)
            found.add({"role": "assistant", "content": [*said, use]}, at)
        elif str(record.get("cause")) in calls:
            failed = record.get("observation") == "error"
            result = _result(calls.pop(str(record["cause"])), _text(record.get("content")), failed=failed)
            found.add({"role": "user", "content": [result]}, at)


def _read_openhands_kinds(records: Sequence[Record], found: TranscriptDraft) -> None:
    view: list[Record] = []
    found.first = records[0]
    for record in records:
        if record.get("kind") == "SystemPromptEvent":
            found.first = record
            found.instructions = _text(_dict(record.get("system_prompt")).get("text"))
        elif record.get("kind") == "Condensation":
            view = _condense_openhands(view, record)
            left = TranscriptDraft()
            for number in range(len(view)):
                _add_openhands(view, number, left)
            found.compact(left.window, "by the agent", _time_of(record))
        else:
            view.append(record)
            _add_openhands(view, len(view) - 1, found)


def _condense_openhands(view: Sequence[Record], record: Record) -> list[Record]:
    """Return the events that a condensation left, with its summary where that stands."""
    forgotten = set(map(str, _list(record.get("forgotten_event_ids"))))
    left = [event for event in view if str(event.get("id")) not in forgotten]
    if _text(record.get("summary")):
        said = {"role": "user", "content": record["summary"]}
        left.insert(_number(record.get("summary_offset")), {"kind": "MessageEvent", "llm_message": said})
    return left


def _add_openhands(view: Sequence[Record], number: int, found: TranscriptDraft) -> None:
    """Add an event with a kind; actions of one answer are one message, and what ends a task is said."""
    record = view[number]
    at, kind, id_ = _time_of(record), record.get("kind"), record.get("tool_call_id")
    ends = record.get("tool_name") == "finish"
    if kind == "MessageEvent":
        message = _dict(record.get("llm_message"))
        content = _list_openhands_blocks(message.get("content"), record.get("extended_content"))
        if content:
            role = "assistant" if message.get("role") == "assistant" else "user"
            found.add({"role": role, "content": content}, at)
    elif kind == "ActionEvent":
        call = _dict(record.get("tool_call"))
        given = _load_table(call.get("arguments"))
        said = _list_openhands_blocks(record.get("thought"))
        if ends:
            made = _text_block(_text(given.get("message")) or "(done)")
        else:
            made = _tool_use(id_, record.get("tool_name") or call.get("name"), given)
        answer = record.get("llm_response_id")
        if number and answer and answer == view[number - 1].get("llm_response_id") and found.document:
            found.document[-1]["content"] += [*said, made]
        else:
            found.add({"role": "assistant", "content": [*said, made]}, at)
    elif id_ and not ends:
        observed = _dict(record.get("observation"))
        refused = _text(record.get("rejection_reason"))
        told = _text(record.get("error")) or (f"Action rejected: {refused}" if refused else "")
        blocks = _list_openhands_blocks(observed.get("content"), record.get("extended_content"))
        failed = bool(told) or observed.get("is_error") is True
        found.add({"role": "user", "content": [_result(id_, told or blocks or "", failed=failed)]}, at)


def _list_openhands_blocks(*contents: object) -> list[dict[str, Any]]:
    parts = [
        part for one in contents for part in ([_text_block(one)] if isinstance(one, str) else _list(one))
    ]
    blocks: list[dict[str, Any]] = []
    for part in map(_dict, parts):
        if _text(part.get("text")):
            blocks.append(_text_block(part["text"]))
        urls = map(str, _list(part.get("image_urls")))
        blocks += [{"type": "image", "source": {"type": "url", "url": url}} for url in urls]
    return blocks


def _load_table(written: object) -> dict[str, Any]:
    """Return a call's arguments, which stand as JSON in a text."""
    try:
        return _dict(json.loads(_text(written) or "{}"))
    except (ValueError, RecursionError):
        return {"input": written}


# opencode: messages with parts; a tool's part has its call and its result.


def _is_opencode(record: Record) -> bool:
    if isinstance(record.get("messages"), list):
        return any(_is_opencode(_dict(message)) for message in record["messages"][:20])
    return "role" in _dict(record.get("info")) and isinstance(record.get("parts"), list)


def _unfold(records: Sequence[Record], found: TranscriptDraft) -> Iterable[Record]:
    """Yield messages: the records, or those that a record holds."""
    for record in records:
        held = record.get("messages")
        if isinstance(held, list):
            found.first = found.first or {key: value for key, value in record.items() if key != "messages"}
            yield from map(_dict, held)
        else:
            yield record


def _read_opencode(records: Sequence[Record], found: TranscriptDraft) -> None:
    for message in _unfold(records, found):
        info = _dict(message.get("info"))
        at = _time_of({"timestamp": _dict(info.get("time")).get("created")})
        content: list[dict[str, Any]] = []
        results: list[dict[str, Any]] = []
        for part in map(_dict, _list(message.get("parts"))):
            state = _dict(part.get("state"))
            if part.get("type") == "text" and _text(part.get("text")):
                content.append(_text_block(part["text"]))
            elif part.get("type") == "tool":
                id_ = _text(part.get("callID")) or _text(part.get("id"))
                content.append(_tool_use(id_, part.get("tool"), _dict(state.get("input"))))
                said = _text(state.get("output")) or _text(state.get("error"))
                results.append(_result(id_, said, failed=state.get("status") == "error"))
        if info.get("role") not in _SAID or not content:
            continue
        if info.get("summary") is True:
            found.compact((), "by the agent", at)
        found.add({"role": info["role"], "content": content}, at, _usage_of_opencode(info.get("tokens")))
        if info.get("summary") is True:
            found.summarize()
        found.model = _text(info.get("modelID")) or found.model
        if results:
            found.add({"role": "user", "content": results}, at)


def _usage_of_opencode(value: object) -> Usage | None:
    tokens = _dict(value)
    cache = _dict(tokens.get("cache"))
    read_, written = _number(cache.get("read")), _number(cache.get("write"))
    given = _number(tokens.get("input")) + read_ + written
    return Usage(given, read_, _number(tokens.get("output"))) if given else None


# Gemini CLI: sessions with messages of type `user` and `gemini`, or contents as the API has them.


def _is_gemini(record: Record) -> bool:
    if isinstance(record.get("messages"), list):
        return any(_is_gemini(_dict(message)) for message in record["messages"][:20])
    if isinstance(record.get("parts"), list) and record.get("role") in ("user", "model"):
        return True
    return record.get("type") == "gemini" and "content" in record


class _Era(NamedTuple):
    """The messages of a session by their ids, from one rewriting of its history to the next."""

    messages: dict[str, Record]
    kept: frozenset[str] = frozenset()
    """Those that the rewriting left or made."""


def _read_gemini(records: Sequence[Record], found: TranscriptDraft) -> None:
    eras = [_Era({})]
    for record in _unfold(records, found):
        _log_gemini(record, eras)
        if "projectHash" in record and "sessionId" in record:
            found.first = found.first or record
    for number, era in enumerate(eras):
        if number:
            left = TranscriptDraft()
            for id_, message in era.messages.items():
                if id_ in era.kept:
                    _add_gemini(message, left)
            found.compact(left.window, "by the agent")
        for id_, message in era.messages.items():
            if id_ not in era.kept:
                _add_gemini(message, found)


def _log_gemini(record: Record, eras: list[_Era]) -> None:
    """Follow a record: a message, a newer form of one, a rewinding, or a history that was rewritten."""
    messages = eras[-1].messages
    rewritten = _dict(record.get("$set")).get("messages")
    if isinstance(record.get("$rewindTo"), str):
        ids = list(messages)
        for id_ in ids[ids.index(record["$rewindTo"]) if record["$rewindTo"] in messages else 0 :]:
            del messages[id_]
    elif isinstance(rewritten, list):
        newer: dict[str, Record] = {
            str(one.get("id", at)): one for at, one in enumerate(map(_dict, rewritten))
        }
        if messages.keys() <= newer.keys():
            messages.update(newer)
        else:
            eras.append(_Era(newer, frozenset(newer)))
    elif "type" in record or "parts" in record:
        messages[str(record.get("id", f"message {len(messages)}"))] = record


def _add_gemini(message: Record, found: TranscriptDraft) -> None:
    at = _time_of(message)
    if isinstance(message.get("parts"), list):
        content = list(_iter_gemini_parts(message["parts"]))
        if content:
            found.add(
                {"role": "assistant" if message.get("role") == "model" else "user", "content": content}, at
            )
        return
    if message.get("type") not in ("user", "gemini"):
        return
    content = [_text_block(text)] if (text := _text_of(message.get("content"))) else []
    calls = [_dict(call) for call in _list(message.get("toolCalls"))]
    content += [_tool_use(call.get("id"), call.get("name"), _dict(call.get("args"))) for call in calls]
    if not content:
        return
    tokens = _dict(message.get("tokens"))
    given, cached, made = (_number(tokens.get(key)) for key in ("input", "cached", "output"))
    role = "assistant" if message["type"] == "gemini" else "user"
    found.add({"role": role, "content": content}, at, Usage(given, cached, made) if tokens else None)
    found.model = _text(message.get("model")) or found.model
    results = [
        _result(
            call.get("id"),
            _text(call.get("resultDisplay")) or _describe_result(call.get("result")),
            failed=call.get("status") == "error",
        )
        for call in calls
    ]
    if results:
        found.add({"role": "user", "content": results}, at)


def _iter_gemini_parts(parts: Iterable[object]) -> Iterator[dict[str, Any]]:
    for part in map(_dict, parts):
        call, answer = _dict(part.get("functionCall")), _dict(part.get("functionResponse"))
        id_ = _text((call or answer).get("id")) or f"call-{(call or answer).get('name')}"
        if call:
            yield _tool_use(id_, call.get("name"), call.get("args"))
        elif answer:
            yield _result(id_, _describe_result(answer.get("response")))
        elif _text(part.get("text")) and not part.get("thought"):
            yield _text_block(part["text"])


def _text_of(content: object) -> str:
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


READERS: tuple[TranscriptReader, ...] = (
    TranscriptReader("claude-code", Format.ANTHROPIC, _is_claude, _read_claude),
    TranscriptReader("codex", Format.RESPONSES, _is_codex, _read_codex),
    TranscriptReader("pi", Format.ANTHROPIC, _is_pi, _read_pi),
    TranscriptReader("opencode", Format.ANTHROPIC, _is_opencode, _read_opencode),
    TranscriptReader("gemini", Format.ANTHROPIC, _is_gemini, _read_gemini),
    TranscriptReader("openhands", Format.ANTHROPIC, _is_openhands, _read_openhands),
)
"""The first whose records are among the first ones reads the file."""
