"""Kimi Code: the changes of the context, in which an answer is steps of parts and calls.

Before it, Kimi CLI kept the context alone, in `context.jsonl`: messages like OpenAI's, and marks between.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import attrs

from satchel.plugin_api import Transcript, TranscriptDraft, blocks_of
from satchel_plugins.session_files.records import (
    SPEAKERS,
    Messages,
    Record,
    RecordFile,
    describe_compaction,
    dict_of,
    join_texts,
    list_of,
    load_arguments,
    name_record,
    number_of,
    pick,
    read_data_url,
    read_usage,
    text_block,
    text_of,
    text_of_result,
    time_of,
    tool_result,
    tool_use,
    url_of,
)

_MESSAGE, _EVENT, _COMPACTION, _CLEARING, _UNDOING = (
    "context.append_message",
    "context.append_loop_event",
    "context.apply_compaction",
    "context.clear",
    "context.undo",
)
_PROMPT, _MARKS = "_system_prompt", ("_checkpoint", "_usage")
"""Roles of records that are not messages in a file of Kimi CLI."""
_USAGE = ("output", "inputCacheRead", "inputCacheRead", "inputOther", "inputCacheCreation")
_FAILED = "<system>ERROR"
"""The beginning of a failed call's result there."""


class Kimi(RecordFile):
    """The sessions of Kimi Code, and of Kimi CLI before it."""

    name = "kimi"
    agent = "Kimi Code"

    def _is_own(self, record: Record) -> bool:
        return record.get("type") in (_MESSAGE, _EVENT) or record.get("role") in (_PROMPT, *_MARKS)

    def _read_into(self, records: Sequence[Record], found: TranscriptDraft) -> None:
        if any("role" in record for record in records):
            _read_context(records, found)
            return
        loop = _Loop(found)
        for record in _drop_undone(records):
            kind, at = record.get("type"), time_of({"timestamp": record.get("time")})
            if kind == "metadata":
                found.first = found.first or record
            found.model = text_of(record.get("modelAlias")) or found.model
            found.instructions = text_of(record.get("systemPrompt")) or found.instructions
            if kind == _COMPACTION:
                said = text_of(record.get("contextSummary")) or text_of(record.get("summary"))
                told = describe_compaction(record.get("source"), record.get("tokensBefore"))
                found.compact([{"role": "user", "content": [text_block(said or "(nothing)")]}], told, at)
            elif kind == _CLEARING:
                found.compact((), "cleared", at)
            elif kind == _MESSAGE:
                message = dict_of(record.get("message"))
                content = [block for part in list_of(message.get("content")) if (block := _read_part(part))]
                if content and message.get("role") in SPEAKERS:
                    found.add({"role": message["role"], "content": content}, at)
            elif kind == _EVENT:
                loop.add(dict_of(record.get("event")), at)

    def _list_records(self, transcript: Transcript, document: Messages, time: str) -> Iterator[Record]:
        if "role" in transcript.first:
            yield from _write_context(transcript, document)
            return
        at = {"time": int(max(transcript.at, default=0.0) * 1000)}
        yield dict(transcript.first) or {"type": "metadata", "protocol_version": "1.4"}
        if transcript.model or transcript.instructions:
            told = {"systemPrompt": transcript.instructions, "modelAlias": transcript.model}
            yield {"type": "config.update", **told, **at}
        for number, message in enumerate(document):
            blocks = blocks_of(message["content"])
            step = name_record(transcript, number)
            for block in blocks:
                if event := _to_event(block, step, is_answer=message["role"] == "assistant"):
                    yield {"type": _EVENT, "event": event, **at}
            said = pick(blocks, "text")
            if message["role"] == "user" and said:
                yield {"type": _MESSAGE, "message": {"role": "user", "content": said, "toolCalls": []}, **at}


@attrs.define
class _Loop:
    """An agent's steps, as they come into a draft."""

    found: TranscriptDraft
    step: str = ""
    answer: dict[str, Any] = attrs.field(factory=dict)
    """The message of the step, {} before it says anything."""

    def add(self, event: Record, at: float) -> None:
        """Add an event: a step that begins or ends, a part of its answer, a call, or a call's result."""
        kind = event.get("type")
        if kind == "tool.result":
            result = dict_of(event.get("result"))
            said, failed = _describe(result.get("output")), result.get("isError") is True
            block = tool_result(event.get("toolCallId"), said, failed=failed)
            self.found.add({"role": "user", "content": [block]}, at)
        elif kind == "step.begin":
            self.step, self.answer = text_of(event.get("uuid")), {}
        elif kind == "step.end" and event.get("uuid") == self.step:
            if self.answer and self.found.document[-1] is self.answer:
                self.found.use(read_usage(event.get("usage"), *_USAGE))
        elif block := _read_event(event):
            step = text_of(event.get("stepUuid")) or self.step
            if step != self.step or not self.answer:
                self.step, self.answer = step, {"role": "assistant", "content": []}
                self.found.add(self.answer, at)
            self.answer["content"].append(block)


def _drop_undone(records: Sequence[Record]) -> list[Record]:
    """Return records without the turns that a person took back."""
    left: list[Record] = []
    for record in records:
        if record.get("type") != _UNDOING:
            left.append(record)
            continue
        turns = number_of(record.get("count"))
        prompts = [at for at, one in enumerate(left) if _is_prompt(one)]
        begins = max((at for at, one in enumerate(left) if one.get("type") == _COMPACTION), default=-1)
        if turns and len(prompts) >= turns and prompts[-turns] > begins:
            del left[prompts[-turns] :]
    return left


def _is_prompt(record: Record) -> bool:
    """Return whether a record is a person's request, and not a program's."""
    message = dict_of(record.get("message"))
    is_user = record.get("type") == _MESSAGE and message.get("role") == "user"
    return is_user and dict_of(message.get("origin")).get("kind", "user") == "user"


def _read_context(records: Sequence[Record], found: TranscriptDraft) -> None:
    """Add the messages of `context.jsonl` to a draft."""
    found.first = records[0]
    for record in records:
        role = record.get("role")
        content = _read_content(record.get("content"))
        if role == _PROMPT:
            found.instructions = text_of(record.get("content"))
        elif role == "tool":
            said = join_texts(content)
            block = tool_result(record.get("tool_call_id"), content, failed=said.startswith(_FAILED))
            found.add({"role": "user", "content": [block]})
        elif role in SPEAKERS:
            calls = [dict_of(call) for call in list_of(record.get("tool_calls"))]
            functions = [dict_of(call.get("function")) for call in calls]
            content += [
                tool_use(call.get("id"), one.get("name"), load_arguments(one.get("arguments")))
                for call, one in zip(calls, functions, strict=True)
            ]
            if content:
                found.add({"role": role, "content": content})


def _read_content(content: object) -> list[dict[str, Any]]:
    """Return a message's content as blocks; thoughts are left out."""
    if isinstance(content, str):
        return [text_block(content)] if content else []
    blocks = []
    for part in map(dict_of, list_of(content)):
        url = text_of(dict_of(part.get("image_url")).get("url"))
        if url.startswith("data:"):
            blocks.append(read_data_url(url))
        elif url:
            blocks.append({"type": "image", "source": {"type": "url", "url": url}})
        else:
            blocks.append(_read_part(part))
    return [block for block in blocks if block]


def _write_context(transcript: Transcript, document: Messages) -> Iterator[dict[str, Any]]:
    """Yield the records of `context.jsonl`."""
    if transcript.instructions:
        yield {"role": _PROMPT, "content": transcript.instructions}
    yield {"role": "_checkpoint", "id": 0}
    for message in document:
        blocks = blocks_of(message["content"])
        for block in pick(blocks, "tool_result"):
            said = _write_content(blocks_of(block.get("content") or ""))
            yield {"role": "tool", "content": said, "tool_call_id": block.get("tool_use_id")}
        calls = [
            {
                "type": "function",
                "id": block["id"],
                "function": {"name": block["name"], "arguments": json.dumps(block["input"])},
            }
            for block in pick(blocks, "tool_use")
        ]
        said = _write_content(blocks)
        if said or calls:
            yield {"role": message["role"], "content": said, **({"tool_calls": calls} if calls else {})}


def _write_content(blocks: Sequence[Mapping[str, Any]]) -> str | list[dict[str, Any]]:
    """Return texts and images in Kimi CLI's form: a single text as it is."""
    parts: list[dict[str, Any]] = []
    for block in blocks:
        if block.get("type") == "text":
            parts.append(text_block(block["text"]))
        elif dict_of(block.get("source")):
            parts.append({"type": "image_url", "image_url": {"url": url_of(block)}})
    return parts[0]["text"] if len(parts) == 1 and parts[0]["type"] == "text" else parts


def _read_part(part: object) -> dict[str, Any]:
    """Return a text as a block; thoughts are left out."""
    said = text_of(dict_of(part).get("text"))
    return text_block(said) if dict_of(part).get("type") == "text" and said else {}


def _read_event(event: Record) -> dict[str, Any]:
    if event.get("type") == "tool.call":
        return tool_use(event.get("toolCallId"), event.get("name"), dict_of(event.get("args")))
    return _read_part(event.get("part")) if event.get("type") == "content.part" else {}


def _describe(output: object) -> str:
    return output if isinstance(output, str) else join_texts(list(map(dict_of, list_of(output))))


def _to_event(block: Mapping[str, Any], step: str, *, is_answer: bool) -> dict[str, Any]:
    """Return a block as an event of the loop, {} for a person's words."""
    kind = block.get("type")
    if kind == "tool_result":
        said = {"output": text_of_result(block)}
        failed = {"isError": True} if block.get("is_error") is True else {}
        return {"type": "tool.result", "toolCallId": block.get("tool_use_id"), "result": {**said, **failed}}
    if kind == "tool_use":
        call = {"toolCallId": block["id"], "name": block["name"], "args": block["input"]}
        return {"type": "tool.call", "stepUuid": step, **call}
    if kind == "text" and is_answer:
        return {"type": "content.part", "stepUuid": step, "part": {"type": "text", "text": block["text"]}}
    return {}
