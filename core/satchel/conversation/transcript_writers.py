"""Write messages as the session file of an agent, in the form in which its own files are read."""

from __future__ import annotations

import json
import uuid
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from satchel.conversation.transcript_drafts import blocks_of
from satchel.conversation.transcripts import Transcript

Record = dict[str, Any]
_NOT_COUNTED = {"input": 0, "output": 0, "cacheRead": 0, "cacheWrite": 0}


def write_transcript(transcript: Transcript, document: Sequence[Mapping[str, Any]]) -> str:
    """Return a session file of the agent that a transcript is from, with other messages.

    Args:
        transcript: tells the agent, and where the session ran.
        document: the messages, in the transcript's format.
    """
    now = max(transcript.at, default=0.0)
    time = datetime.fromtimestamp(now, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
    records, is_lines = _WRITERS[transcript.source]
    made = records(transcript, document, time)
    if is_lines or _is_log(transcript):
        return "".join(f"{json.dumps(record, ensure_ascii=False)}\n" for record in made)
    return (
        json.dumps(list(made) if transcript.source == "openhands" else next(made), ensure_ascii=False) + "\n"
    )


def _name(transcript: Transcript, number: int) -> str:
    return str(uuid.uuid5(uuid.NAMESPACE_URL, f"{transcript.source}:{len(transcript.document)}:{number}"))


def _write_claude(
    transcript: Transcript, document: Sequence[Mapping[str, Any]], time: str
) -> Iterator[Record]:
    kept = ("cwd", "sessionId", "version", "gitBranch", "userType")
    frame = {key: transcript.first[key] for key in kept if key in transcript.first}
    above = None
    for number, message in enumerate(document):
        name = _name(transcript, number)
        said: Record = {"role": message["role"], "content": message["content"]}
        if message["role"] == "assistant":
            said = {"id": f"msg_{name}", "type": "message", "model": transcript.model, **said}
        yield {
            "parentUuid": above,
            "isSidechain": False,
            **frame,
            "type": message["role"],
            "message": said,
            "uuid": name,
            "timestamp": time,
        }
        above = name


def _write_codex(
    transcript: Transcript, document: Sequence[Mapping[str, Any]], time: str
) -> Iterator[Record]:
    yield dict(transcript.first) or {"timestamp": time, "type": "session_meta", "payload": {}}
    if transcript.model:
        yield {"timestamp": time, "type": "turn_context", "payload": {"model": transcript.model}}
    for item in document:
        payload = dict(item)
        if "type" not in payload:  # the short form of a message, which Codex does not write
            kind = "output_text" if payload.get("role") == "assistant" else "input_text"
            said = [{"type": kind, "text": one["text"]} for one in blocks_of(payload.get("content") or "")]
            payload = {"type": "message", **payload, "content": said}
        yield {"timestamp": time, "type": "response_item", "payload": payload}


def _write_pi(transcript: Transcript, document: Sequence[Mapping[str, Any]], time: str) -> Iterator[Record]:
    yield dict(transcript.first) or {"type": "session", "id": _name(transcript, -1), "timestamp": time}
    above = None
    for number, message in enumerate(_iter_pi_messages(transcript, document)):
        name = _name(transcript, number)[:8]
        yield {"type": "message", "id": name, "parentId": above, "timestamp": time, "message": message}
        above = name


def _iter_pi_messages(transcript: Transcript, document: Sequence[Mapping[str, Any]]) -> Iterator[Record]:
    names = _names_of_calls(document)
    for message in document:
        said = []
        for block in blocks_of(message["content"]):
            if block.get("type") == "tool_result":
                id_ = block.get("tool_use_id")
                yield {
                    "role": "toolResult",
                    "toolCallId": id_,
                    "toolName": names.get(id_, "tool"),
                    "content": [_to_pi(inner) for inner in blocks_of(block.get("content") or "")],
                    "isError": block.get("is_error") is True,
                }
            elif block.get("type") in ("text", "image", "tool_use"):
                said.append(_to_pi(block))
        if said and message["role"] == "user":
            yield {"role": "user", "content": said}
        elif said:
            calls = any(block["type"] == "toolCall" for block in said)
            more = {"model": transcript.model, "stopReason": "toolUse" if calls else "stop"}
            yield {"role": "assistant", "content": said, **more, "usage": _NOT_COUNTED}


def _to_pi(block: Mapping[str, Any]) -> Record:
    if block.get("type") == "tool_use":
        return {"type": "toolCall", "id": block["id"], "name": block["name"], "arguments": block["input"]}
    if block.get("type") == "image":
        source = block.get("source") or {}
        return {"type": "image", "mimeType": source.get("media_type"), "data": source.get("data")}
    return {"type": "text", "text": block.get("text", "")}


def _write_openhands(
    transcript: Transcript, document: Sequence[Mapping[str, Any]], time: str
) -> Iterator[Record]:
    if "kind" in transcript.first:
        yield from _write_openhands_kinds(transcript, document, time)
        return
    causes: dict[str, int] = {}
    number = 0
    for message in document:
        is_agent = message["role"] == "assistant"
        blocks = blocks_of(message["content"])
        text = _join_texts(blocks)
        calls = [block for block in blocks if block.get("type") == "tool_use"]
        for block in blocks:
            frame = {"id": number, "timestamp": time, "source": "agent"}
            if block.get("type") == "tool_use":
                causes[block["id"]] = number
                meta = {"tool_call_id": block["id"], "function_name": block["name"]}
                given = {**block["input"], **({"thought": text} if block is calls[0] and text else {})}
                yield {**frame, "action": block["name"], "args": given, "tool_call_metadata": meta}
            elif block.get("type") == "tool_result":
                observed = "error" if block.get("is_error") is True else "run"
                content = _join_texts(blocks_of(block.get("content") or ""))
                cause = causes.get(block.get("tool_use_id", ""), -1)
                yield {**frame, "observation": observed, "cause": cause, "content": content}
            else:
                continue
            number += 1
        if text and not calls:
            source = "agent" if is_agent else "user"
            yield {
                "id": number,
                "timestamp": time,
                "source": source,
                "action": "message",
                "args": {"content": text},
            }
            number += 1


def _write_openhands_kinds(
    transcript: Transcript, document: Sequence[Mapping[str, Any]], time: str
) -> Iterator[Record]:
    """Yield events of OpenHands 1; what an agent says at the end of a task is a message as any other."""
    if transcript.first["kind"] == "SystemPromptEvent":
        yield dict(transcript.first)
    actions: dict[str, tuple[str, str]] = {}
    for number, message in enumerate(document):
        is_agent, name = message["role"] == "assistant", _name(transcript, number)
        blocks = blocks_of(message["content"])
        said = [_to_openhands(block) for block in blocks if block.get("type") in ("text", "image")]
        calls = [block for block in blocks if block.get("type") == "tool_use"]
        for at, block in enumerate(calls):
            id_, tool = block["id"], block["name"]
            actions[id_] = f"{name}-{at}", tool
            call = {"id": id_, "name": tool, "arguments": json.dumps(block["input"]), "origin": "completion"}
            yield {
                "id": actions[id_][0],
                "timestamp": time,
                "source": "agent",
                "thought": [] if at else said,
                "action": None,
                "tool_name": tool,
                "tool_call_id": id_,
                "tool_call": call,
                "llm_response_id": name,
                "kind": "ActionEvent",
            }
        for block in blocks:
            if block.get("type") == "tool_result":
                id_ = block.get("tool_use_id", "")
                action, tool = actions.get(id_, ("", "tool"))
                content = [_to_openhands(inner) for inner in blocks_of(block.get("content") or "")]
                seen = {"content": content, "is_error": block.get("is_error") is True, "tool_name": tool}
                yield {
                    "id": f"{name}-{id_}",
                    "timestamp": time,
                    "source": "environment",
                    "tool_name": tool,
                    "tool_call_id": id_,
                    "observation": {**seen, "kind": "MCPToolObservation"},
                    "action_id": action,
                    "kind": "ObservationEvent",
                }
        if said and not calls:
            source = "agent" if is_agent else "user"
            told = {"role": message["role"], "content": said}
            yield {
                "id": name,
                "timestamp": time,
                "source": source,
                "llm_message": told,
                "kind": "MessageEvent",
            }


def _to_openhands(block: Mapping[str, Any]) -> Record:
    if block.get("type") != "image":
        return {"type": "text", "text": block.get("text", "")}
    source = block.get("source") or {}
    url = source.get("url") or f"data:{source.get('media_type')};base64,{source.get('data')}"
    return {"type": "image", "image_urls": [url]}


def _write_opencode(
    transcript: Transcript, document: Sequence[Mapping[str, Any]], time: str
) -> Iterator[Record]:
    results = _results_of(document)
    messages = []
    for message in document:
        parts: list[Record] = []
        for block in blocks_of(message["content"]):
            if block.get("type") == "tool_use":
                content, failed = results.get(block["id"], ("", False))
                state = {"status": "error" if failed else "completed", "input": block["input"]}
                shown = {**state, "error" if failed else "output": content}
                parts.append({"type": "tool", "callID": block["id"], "tool": block["name"], "state": shown})
            elif block.get("type") == "text":
                parts.append({"type": "text", "text": block["text"]})
        if parts:
            created = int(max(transcript.at, default=0.0) * 1000)
            info: Record = {"role": message["role"], "time": {"created": created}}
            if message["role"] == "assistant":
                info["modelID"] = transcript.model
            messages.append({"info": info, "parts": parts})
    yield {**transcript.first, "messages": messages}


def _write_gemini(
    transcript: Transcript, document: Sequence[Mapping[str, Any]], time: str
) -> Iterator[Record]:
    results = _results_of(document)
    messages = []
    for message in document:
        blocks = blocks_of(message["content"])
        text = _join_texts(blocks)
        calls = []
        for block in blocks:
            if block.get("type") == "tool_use":
                content, failed = results.get(block["id"], ("", False))
                response = {"functionResponse": {"response": {"output": content}}}
                status = "error" if failed else "success"
                call = {"id": block["id"], "name": block["name"], "args": block["input"]}
                calls.append({**call, "status": status, "result": [response]})
        if text or calls:
            kind = "gemini" if message["role"] == "assistant" else "user"
            made: Record = {"type": kind, "content": text, "timestamp": time}
            if kind == "gemini":
                made |= {"model": transcript.model, "toolCalls": calls}
            messages.append(made)
    if not _is_log(transcript):
        yield {**transcript.first, "messages": messages}
        return
    yield dict(transcript.first)
    yield from ({"id": _name(transcript, number), **one} for number, one in enumerate(messages))


def _is_log(transcript: Transcript) -> bool:
    """Tell whether Gemini CLI wrote a line for each message, as it does since 2026."""
    return transcript.source == "gemini" and transcript.records > 1 and "projectHash" in transcript.first


def _join_texts(blocks: Sequence[Mapping[str, Any]]) -> str:
    return "\n".join(str(block.get("text", "")) for block in blocks if block.get("type") == "text")


def _results_of(document: Sequence[Mapping[str, Any]]) -> dict[str, tuple[str, bool]]:
    """Return the text of each call's result, and whether it failed."""
    blocks = [block for message in document for block in blocks_of(message["content"])]
    return {
        block.get("tool_use_id", ""): (
            _join_texts(blocks_of(block.get("content") or "")),
            block.get("is_error") is True,
        )
        for block in blocks
        if block.get("type") == "tool_result"
    }


def _names_of_calls(document: Sequence[Mapping[str, Any]]) -> dict[str, str]:
    blocks = [block for message in document for block in blocks_of(message["content"])]
    return {block["id"]: block["name"] for block in blocks if block.get("type") == "tool_use"}


_Writer = Callable[[Transcript, Sequence[Mapping[str, Any]], str], Iterator[Record]]
_WRITERS: Mapping[str, tuple[_Writer, bool]] = {
    "claude-code": (_write_claude, True),
    "codex": (_write_codex, True),
    "pi": (_write_pi, True),
    "openhands": (_write_openhands, False),
    "opencode": (_write_opencode, False),
    "gemini": (_write_gemini, False),
}
"""By agent: its records, and whether they stand one a line."""
