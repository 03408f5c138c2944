"""OpenHands: events, actions of the agent and observations of their results."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from satchel.plugin_api import Transcript, TranscriptDraft, blocks_of
from satchel_plugins.session_files.records import (
    Messages,
    Record,
    RecordFile,
    dict_of,
    join_texts,
    list_of,
    load_arguments,
    name_record,
    number_of,
    pick,
    text_block,
    text_of,
    text_of_result,
    time_of,
    tool_result,
    tool_use,
    url_of,
)


class OpenHands(RecordFile):
    """The sessions of OpenHands."""

    name = "openhands"
    agent = "OpenHands"

    def _is_own(self, record: Record) -> bool:
        known = record.get("source") in ("user", "agent", "environment")
        return known and ("action" in record or "observation" in record or "llm_message" in record)

    def _read_into(self, records: Sequence[Record], found: TranscriptDraft) -> None:
        if any("kind" in record for record in records):
            _read_openhands_kinds(records, found)
            return
        calls: dict[Any, str] = {}
        for record in records:
            at, action, given = time_of(record), record.get("action"), dict_of(record.get("args"))
            is_agent = record.get("source") == "agent"
            if action == "message":
                text = text_of(given.get("content")) or text_of(record.get("message"))
                if text:
                    found.add({"role": "assistant" if is_agent else "user", "content": text}, at)
            elif action == "condensation":
                found.compact((), "by the agent", at)
            elif action == "finish":
                text = text_of(given.get("final_thought")) or text_of(given.get("message"))
                if text:
                    found.add({"role": "assistant", "content": text}, at)
            elif action and is_agent and action not in ("system", "recall", "change_agent_state"):
                meta, key = dict_of(record.get("tool_call_metadata")), str(record.get("id"))
                calls[key] = id_ = text_of(meta.get("tool_call_id")) or f"event-{key}"
                thought = text_of(given.get("thought"))
                said = [text_block(thought)] if thought else []
                shown = {name: value for name, value in given.items() if name != "thought" and value}
                use = tool_use(id_, meta.get("function_name") or action, shown)
                found.add({"role": "assistant", "content": [*said, use]}, at)
            elif str(record.get("cause")) in calls:
                failed = record.get("observation") == "error"
                result = tool_result(
                    calls.pop(str(record["cause"])), text_of(record.get("content")), failed=failed
                )
                found.add({"role": "user", "content": [result]}, at)

    def _list_records(self, transcript: Transcript, document: Messages, time: str) -> Iterator[Record]:
        if "kind" in transcript.first:
            yield from _write_openhands_kinds(transcript, document, time)
            return
        causes: dict[str, int] = {}
        number = 0
        for message in document:
            is_agent = message["role"] == "assistant"
            blocks = blocks_of(message["content"])
            text = join_texts(blocks)
            calls = pick(blocks, "tool_use")
            for block in blocks:
                frame = {"id": number, "timestamp": time, "source": "agent"}
                if block.get("type") == "tool_use":
                    causes[block["id"]] = number
                    meta = {"tool_call_id": block["id"], "function_name": block["name"]}
                    given = {**block["input"], **({"thought": text} if block is calls[0] and text else {})}
                    yield {**frame, "action": block["name"], "args": given, "tool_call_metadata": meta}
                elif block.get("type") == "tool_result":
                    observed = "error" if block.get("is_error") is True else "run"
                    content = text_of_result(block)
                    cause = causes.get(block.get("tool_use_id", ""), -1)
                    yield {**frame, "observation": observed, "cause": cause, "content": content}
                else:
                    continue
                number += 1
            if text and not calls:
                frame = {"id": number, "timestamp": time, "source": "agent" if is_agent else "user"}
                yield {**frame, "action": "message", "args": {"content": text}}
                number += 1

    def _join_records(self, records: Iterable[Record]) -> str:
        """Return a list of events."""
        return f"{json.dumps(list(records), ensure_ascii=False)}\n"


def _read_openhands_kinds(records: Sequence[Record], found: TranscriptDraft) -> None:
    view: list[Record] = []
    found.first = records[0]
    for record in records:
        if record.get("kind") == "SystemPromptEvent":
            found.first = record
            found.instructions = text_of(dict_of(record.get("system_prompt")).get("text"))
        elif record.get("kind") == "Condensation":
            view = _condense_openhands(view, record)
            left = TranscriptDraft()
            for number in range(len(view)):
                _add_openhands(view, number, left)
            found.compact(left.window, "by the agent", time_of(record))
        else:
            view.append(record)
            _add_openhands(view, len(view) - 1, found)


def _condense_openhands(view: Sequence[Record], record: Record) -> list[Record]:
    """Return the events that a condensation left, with its summary at its place."""
    forgotten = set(map(str, list_of(record.get("forgotten_event_ids"))))
    left = [event for event in view if str(event.get("id")) not in forgotten]
    if text_of(record.get("summary")):
        said = {"role": "user", "content": record["summary"]}
        left.insert(number_of(record.get("summary_offset")), {"kind": "MessageEvent", "llm_message": said})
    return left


def _add_openhands(view: Sequence[Record], number: int, found: TranscriptDraft) -> None:
    """Add an event with a kind; actions of one answer are one message, and a task's end becomes text."""
    record = view[number]
    at, kind, id_ = time_of(record), record.get("kind"), record.get("tool_call_id")
    ends = record.get("tool_name") == "finish"
    if kind == "MessageEvent":
        message = dict_of(record.get("llm_message"))
        content = _list_openhands_blocks(message.get("content"), record.get("extended_content"))
        if content:
            role = "assistant" if message.get("role") == "assistant" else "user"
            found.add({"role": role, "content": content}, at)
    elif kind == "ActionEvent":
        call = dict_of(record.get("tool_call"))
        given = load_arguments(call.get("arguments"))
        said = _list_openhands_blocks(record.get("thought"))
        if ends:
            made = text_block(text_of(given.get("message")) or "(done)")
        else:
            made = tool_use(id_, record.get("tool_name") or call.get("name"), given)
        answer = record.get("llm_response_id")
        if number and answer and answer == view[number - 1].get("llm_response_id") and found.document:
            found.document[-1]["content"] += [*said, made]
        else:
            found.add({"role": "assistant", "content": [*said, made]}, at)
    elif id_ and not ends:
        observed = dict_of(record.get("observation"))
        refused = text_of(record.get("rejection_reason"))
        told = text_of(record.get("error")) or (f"Action rejected: {refused}" if refused else "")
        blocks = _list_openhands_blocks(observed.get("content"), record.get("extended_content"))
        failed = bool(told) or observed.get("is_error") is True
        found.add({"role": "user", "content": [tool_result(id_, told or blocks or "", failed=failed)]}, at)


def _list_openhands_blocks(*contents: object) -> list[dict[str, Any]]:
    parts = [
        part for one in contents for part in ([text_block(one)] if isinstance(one, str) else list_of(one))
    ]
    blocks: list[dict[str, Any]] = []
    for part in map(dict_of, parts):
        if text_of(part.get("text")):
            blocks.append(text_block(part["text"]))
        urls = map(str, list_of(part.get("image_urls")))
        blocks += [{"type": "image", "source": {"type": "url", "url": url}} for url in urls]
    return blocks


def _write_openhands_kinds(transcript: Transcript, document: Messages, time: str) -> Iterator[dict[str, Any]]:
    """Yield events of OpenHands 1; an agent's words at the end of a task are an ordinary message."""
    if transcript.first["kind"] == "SystemPromptEvent":
        yield dict(transcript.first)
    actions: dict[str, tuple[str, str]] = {}
    for number, message in enumerate(document):
        is_agent, name = message["role"] == "assistant", name_record(transcript, number)
        blocks = blocks_of(message["content"])
        said = [_to_openhands(block) for block in blocks if block.get("type") in ("text", "image")]
        calls = pick(blocks, "tool_use")
        for at, block in enumerate(calls):
            id_, tool = block["id"], block["name"]
            actions[id_] = f"{name}-{at}", tool
            call = {"id": id_, "name": tool, "arguments": json.dumps(block["input"]), "origin": "completion"}
            frame = {"id": actions[id_][0], "timestamp": time, "source": "agent"}
            made = {"thought": [] if at else said, "action": None, "tool_name": tool, "tool_call_id": id_}
            yield {**frame, **made, "tool_call": call, "llm_response_id": name, "kind": "ActionEvent"}
        for block in pick(blocks, "tool_result"):
            id_ = block.get("tool_use_id", "")
            action, tool = actions.get(id_, ("", "tool"))
            content = [_to_openhands(inner) for inner in blocks_of(block.get("content") or "")]
            seen = {"content": content, "is_error": block.get("is_error") is True, "tool_name": tool}
            frame = {"id": f"{name}-{id_}", "timestamp": time, "source": "environment"}
            named = {"tool_name": tool, "tool_call_id": id_, "action_id": action, "kind": "ObservationEvent"}
            yield {**frame, **named, "observation": {**seen, "kind": "MCPToolObservation"}}
        if said and not calls:
            frame = {"id": name, "timestamp": time, "source": "agent" if is_agent else "user"}
            told = {"role": message["role"], "content": said}
            yield {**frame, "llm_message": told, "kind": "MessageEvent"}


def _to_openhands(block: Mapping[str, Any]) -> Record:
    if block.get("type") != "image":
        return {"type": "text", "text": block.get("text", "")}
    return {"type": "image", "image_urls": [url_of(block)]}
