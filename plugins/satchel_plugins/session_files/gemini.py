"""Gemini CLI: sessions with messages of type `user` and `gemini`, or contents as the API has them."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

from satchel.plugin_api import Transcript, TranscriptDraft, blocks_of
from satchel_plugins.session_files.records import (
    Messages,
    Record,
    RecordFile,
    dict_of,
    list_of,
    media_block,
    name_record,
    pick,
    read_usage,
    results_of,
    text_block,
    text_of,
    time_of,
    tool_result,
    tool_use,
    unfold_messages,
)


class Gemini(RecordFile):
    """The sessions of Gemini CLI."""

    name = "gemini"
    agent = "Gemini CLI"

    def _is_own(self, record: Record) -> bool:
        if "projectHash" in record and "sessionId" in record:
            return True
        for held in (record.get("messages"), record.get("contents")):
            if isinstance(held, list):
                return any(self._is_own(dict_of(message)) for message in held[:20])
        if isinstance(record.get("parts"), list) and record.get("role") in ("user", "model"):
            return True
        return record.get("type") == "gemini" and "content" in record

    def _read_into(self, records: Sequence[Record], found: TranscriptDraft) -> None:
        eras = [_Era({})]
        for record in unfold_messages([*_unfold_requests(records, found)], found):
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

    def _list_records(self, transcript: Transcript, document: Messages, time: str) -> Iterator[Record]:
        results = results_of(document)
        messages = []
        for message in document:
            blocks = blocks_of(message["content"])
            texts = [block["text"] for block in pick(blocks, "text")]
            held = [
                {
                    "inlineData": {
                        "mimeType": block["source"].get("media_type"),
                        "data": block["source"]["data"],
                    }
                }
                for block in blocks
                if block.get("type") in ("image", "document") and "data" in dict_of(block.get("source"))
            ]
            calls = []
            for block in pick(blocks, "tool_use"):
                output, failed = results.get(block["id"], ("", False))
                response = {"functionResponse": {"response": {"output": output}}}
                call = {"id": block["id"], "name": block["name"], "args": block["input"]}
                calls.append({**call, "status": "error" if failed else "success", "result": [response]})
            if texts or held or calls:
                kind = "gemini" if message["role"] == "assistant" else "user"
                parts = [*({"text": text} for text in texts), *held]
                content: Any = "".join(texts) if len(parts) < 2 and not held else parts
                made: dict[str, Any] = {"type": kind, "content": content, "timestamp": time}
                if kind == "gemini":
                    made |= {"model": transcript.model, "toolCalls": calls}
                messages.append(made)
        if not _is_log(transcript):
            yield {**transcript.first, "messages": messages}
            return
        yield dict(transcript.first)
        yield from ({"id": name_record(transcript, number), **one} for number, one in enumerate(messages))


def _unfold_requests(records: Sequence[Record], found: TranscriptDraft) -> Iterator[Record]:
    """Yield the records; for a request to the API its contents, with its instructions noted."""
    for record in records:
        if isinstance(record.get("contents"), list):
            asked = {**record, **dict_of(record.get("config"))}
            told = asked.get("systemInstruction") or asked.get("system_instruction")
            parts = [dict_of(part).get("text") for part in list_of(dict_of(told).get("parts"))]
            found.instructions = text_of(told) or "\n".join(filter(None, map(text_of, parts)))
            found.model = text_of(record.get("model")).removeprefix("models/")
            yield from map(dict_of, record["contents"])
        else:
            yield record


class _Era(NamedTuple):
    """The messages of a session by their ids, from one rewriting of its history to the next."""

    messages: dict[str, Record]
    kept: frozenset[str] = frozenset()
    """Messages that the rewriting left or made."""


def _log_gemini(record: Record, eras: list[_Era]) -> None:
    """Follow a record: a message, a newer form of one, a rewinding, or a rewritten history."""
    messages = eras[-1].messages
    rewritten = dict_of(record.get("$set")).get("messages")
    if isinstance(record.get("$rewindTo"), str):
        ids = list(messages)
        for id_ in ids[ids.index(record["$rewindTo"]) if record["$rewindTo"] in messages else 0 :]:
            del messages[id_]
    elif isinstance(rewritten, list):
        newer: dict[str, Record] = {
            str(one.get("id", at)): one for at, one in enumerate(map(dict_of, rewritten))
        }
        if messages.keys() <= newer.keys():
            messages.update(newer)
        else:
            eras.append(_Era(newer, frozenset(newer)))
    elif "type" in record or "parts" in record:
        messages[str(record.get("id", f"message {len(messages)}"))] = record


def _add_gemini(message: Record, found: TranscriptDraft) -> None:
    at = time_of(message)
    if isinstance(message.get("parts"), list):
        content = list(iter_parts(message["parts"]))
        if content:
            role = "assistant" if message.get("role") == "model" else "user"
            found.add({"role": role, "content": content}, at)
        return
    if message.get("type") not in ("user", "gemini"):
        return
    said = message.get("content")
    texts = [said] if isinstance(said, str) else [dict_of(part).get("text") for part in list_of(said)]
    content = [text_block(text) for text in map(text_of, texts) if text]
    content += [held for part in map(dict_of, list_of(said)) if (held := _read_inline(part))]
    calls = [dict_of(call) for call in list_of(message.get("toolCalls"))]
    content += [tool_use(call.get("id"), call.get("name"), dict_of(call.get("args"))) for call in calls]
    if not content:
        return
    role = "assistant" if message["type"] == "gemini" else "user"
    usage = read_usage(message.get("tokens"), "output", "cached", "input")
    found.add({"role": role, "content": content}, at, usage)
    found.model = text_of(message.get("model")) or found.model
    results = [
        tool_result(
            call.get("id"),
            _describe_result(call["result"]) if call.get("result") else text_of(call.get("resultDisplay")),
            failed=call.get("status") == "error",
        )
        for call in calls
    ]
    if results:
        found.add({"role": "user", "content": results}, at)


def iter_parts(parts: Iterable[object]) -> Iterator[dict[str, Any]]:
    """Yield parts of contents as blocks; thoughts are left out."""
    for part in map(dict_of, parts):
        call, answer = dict_of(part.get("functionCall")), dict_of(part.get("functionResponse"))
        id_ = text_of((call or answer).get("id")) or f"call-{(call or answer).get('name')}"
        if call:
            yield tool_use(id_, call.get("name"), call.get("args"))
        elif answer:
            response = dict_of(answer.get("response"))
            failed = "error" in response and "output" not in response
            said = response["error"] if failed else answer.get("response")
            yield tool_result(id_, _describe_result(said), failed=failed)
        elif text_of(part.get("text")) and not part.get("thought"):
            yield text_block(part["text"])
        elif held := _read_inline(part):
            yield held


def _read_inline(part: Record) -> dict[str, Any]:
    held = dict_of(part.get("inlineData"))
    return media_block(held.get("mimeType"), text_of(held.get("data")))


def _describe_result(value: Any) -> str:
    if isinstance(value, str):
        return value
    given = list_of(value)
    parts = [dict_of(dict_of(part).get("functionResponse")).get("response") for part in given]
    shown = [part for part in parts if part] or [value]
    only = shown[0] if len(shown) == 1 else shown
    output = dict_of(only).get("output")
    said = output if isinstance(output, str) else json.dumps(only, ensure_ascii=False)
    more = [text_of(dict_of(part).get("text")) for part in given] if shown != [value] else []
    return "\n".join([said, *filter(None, more)])


def _is_log(transcript: Transcript) -> bool:
    """Return whether Gemini CLI wrote a line for each message, as it does since 2026."""
    return transcript.records > 1 and "projectHash" in transcript.first
