"""Claude Code: a tree of records, each with one block of an answer, all with the answer's id."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, ClassVar

import attrs

from satchel.plugin_api import Transcript, TranscriptDraft, TranscriptUsage, blocks_of
from satchel_plugins.session_files.records import (
    SPEAKERS,
    Record,
    RecordFile,
    describe_compaction,
    dict_of,
    list_of,
    name_record,
    number_of,
    text_of,
    time_of,
    walk_back,
)


@attrs.frozen
class ClaudeCode(RecordFile):
    """The sessions of Claude Code."""

    name: ClassVar[str] = "claude-code"
    agent: ClassVar[str] = "Claude Code"
    message_format: ClassVar[str] = "anthropic"

    def is_own(self, record: Record) -> bool:
        """Tell whether a record is this agent's."""
        said = record.get("type") in SPEAKERS and "role" in dict_of(record.get("message"))
        return said and ("uuid" in record or "sessionId" in record)

    def read_into(self, records: Sequence[Record], found: TranscriptDraft) -> None:
        """Add what records hold to a draft."""
        mine = [record for record in records if record.get("isSidechain") is not True]
        chain = walk_back(mine, "uuid", ("parentUuid", "logicalParentUuid"))
        called = {id_ for record in chain for id_ in _ids_of(record, "tool_use", "id")}
        held = {id(record) for record in chain}
        # of calls made side by side, each result hangs on its own call: only one of them is on the chain
        kept = [
            record
            for record in mine
            if id(record) in held or called & set(_ids_of(record, "tool_result", "tool_use_id"))
        ]
        found.beside = sum(record.get("type") in SPEAKERS for record in records)
        found.beside -= sum(record.get("type") in SPEAKERS for record in kept)
        answers: dict[str, dict[str, Any]] = {}
        boundary: Record | None = None
        for record in kept:
            if record.get("subtype") == "compact_boundary":
                boundary = record
            message = dict_of(record.get("message"))
            if record.get("type") not in SPEAKERS or message.get("role") not in SPEAKERS:
                continue
            message = {**message, "content": _drop_blank_texts(message.get("content"))}
            if not message["content"]:
                continue
            found.first = found.first or record
            is_summary = boundary is not None or record.get("isCompactSummary") is True
            if is_summary:
                facts = dict_of((boundary or {}).get("compactMetadata"))
                told = describe_compaction(facts.get("trigger"), facts.get("preTokens"))
                found.compact((), told, time_of(record))
                boundary = None
            _add_claude(message, record, answers, found)
            if is_summary:
                found.summarize()
        if boundary is not None:
            found.compact((), describe_compaction("", 0), time_of(boundary))

    def list_records(
        self, transcript: Transcript, document: Sequence[Mapping[str, Any]], time: str
    ) -> Iterator[dict[str, Any]]:
        """Yield the records of a file with other messages."""
        kept = ("cwd", "sessionId", "version", "gitBranch", "userType")
        frame = {key: transcript.first[key] for key in kept if key in transcript.first}
        above = None
        for number, message in enumerate(document):
            name = name_record(transcript, number)
            said: dict[str, Any] = {"role": message["role"], "content": message["content"]}
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


def _drop_blank_texts(content: object) -> str | list[Any]:
    """Return a message's content without the blank texts that answers begin with, which are never sent."""
    if isinstance(content, str):
        return content
    return [
        one
        for one in list_of(content)
        if dict_of(one).get("type") != "text" or text_of(one.get("text")).strip()
    ]


def _add_claude(
    message: Record, record: Record, answers: dict[str, dict[str, Any]], found: TranscriptDraft
) -> None:
    """Add a record's blocks: to the answer of their id, where that is known, or as a message."""
    id_ = text_of(message.get("id")) if message["role"] == "assistant" else ""
    usage = _usage_of_anthropic(message.get("usage")) if message["role"] == "assistant" else None
    if id_ in answers:
        known = answers[id_]
        known["content"] = [*blocks_of(known["content"]), *blocks_of(message["content"])]
        if found.document[-1] is known:
            found.use(usage)
        return
    shown = {"role": message["role"], "content": message["content"]}
    found.add(shown, time_of(record), usage)
    if id_:
        answers[id_] = shown
    model = text_of(message.get("model"))
    found.model = model if model and "<" not in model else found.model


def _ids_of(record: Record, kind: str, key: str) -> list[str]:
    blocks = map(dict_of, list_of(dict_of(record.get("message")).get("content")))
    return [str(block[key]) for block in blocks if block.get("type") == kind and key in block]


def _usage_of_anthropic(value: object) -> TranscriptUsage | None:
    usage = dict_of(value)
    cached = number_of(usage.get("cache_read_input_tokens"))
    given = cached + sum(number_of(usage.get(key)) for key in ("input_tokens", "cache_creation_input_tokens"))
    return TranscriptUsage(given, cached, number_of(usage.get("output_tokens"))) if usage else None
