"""opencode: messages with parts; a tool's part has its call and its result."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, ClassVar

import attrs

from satchel.plugin_api import Transcript, TranscriptDraft, TranscriptUsage, blocks_of
from satchel_plugins.session_files.records import (
    SPEAKERS,
    Record,
    RecordFile,
    dict_of,
    list_of,
    number_of,
    results_of,
    text_block,
    text_of,
    time_of,
    tool_result,
    tool_use,
    unfold_messages,
)


@attrs.frozen
class OpenCode(RecordFile):
    """The sessions of opencode."""

    name: ClassVar[str] = "opencode"
    agent: ClassVar[str] = "opencode"
    message_format: ClassVar[str] = "anthropic"

    def is_own(self, record: Record) -> bool:
        """Tell whether a record is this agent's."""
        if isinstance(record.get("messages"), list):
            return any(self.is_own(dict_of(message)) for message in record["messages"][:20])
        return "role" in dict_of(record.get("info")) and isinstance(record.get("parts"), list)

    def read_into(self, records: Sequence[Record], found: TranscriptDraft) -> None:
        """Add what records hold to a draft."""
        for message in unfold_messages(records, found):
            info = dict_of(message.get("info"))
            at = time_of({"timestamp": dict_of(info.get("time")).get("created")})
            content: list[dict[str, Any]] = []
            results: list[dict[str, Any]] = []
            for part in map(dict_of, list_of(message.get("parts"))):
                state = dict_of(part.get("state"))
                if part.get("type") == "text" and text_of(part.get("text")):
                    content.append(text_block(part["text"]))
                elif part.get("type") == "tool":
                    id_ = text_of(part.get("callID")) or text_of(part.get("id"))
                    content.append(tool_use(id_, part.get("tool"), dict_of(state.get("input"))))
                    said = text_of(state.get("output")) or text_of(state.get("error"))
                    results.append(tool_result(id_, said, failed=state.get("status") == "error"))
            if info.get("role") not in SPEAKERS or not content:
                continue
            if info.get("summary") is True:
                found.compact((), "by the agent", at)
            found.add({"role": info["role"], "content": content}, at, _usage_of_opencode(info.get("tokens")))
            if info.get("summary") is True:
                found.summarize()
            found.model = text_of(info.get("modelID")) or found.model
            if results:
                found.add({"role": "user", "content": results}, at)

    def list_records(
        self, transcript: Transcript, document: Sequence[Mapping[str, Any]], time: str
    ) -> Iterator[dict[str, Any]]:
        """Yield the session, which is one record."""
        results = results_of(document)
        messages = []
        for message in document:
            parts: list[Record] = []
            for block in blocks_of(message["content"]):
                if block.get("type") == "tool_use":
                    content, failed = results.get(block["id"], ("", False))
                    state = {"status": "error" if failed else "completed", "input": block["input"]}
                    shown = {**state, "error" if failed else "output": content}
                    parts.append(
                        {"type": "tool", "callID": block["id"], "tool": block["name"], "state": shown}
                    )
                elif block.get("type") == "text":
                    parts.append({"type": "text", "text": block["text"]})
            if parts:
                created = int(max(transcript.at, default=0.0) * 1000)
                info: dict[str, Any] = {"role": message["role"], "time": {"created": created}}
                if message["role"] == "assistant":
                    info["modelID"] = transcript.model
                messages.append({"info": info, "parts": parts})
        yield {**transcript.first, "messages": messages}


def _usage_of_opencode(value: object) -> TranscriptUsage | None:
    tokens = dict_of(value)
    cache = dict_of(tokens.get("cache"))
    read_, written = number_of(cache.get("read")), number_of(cache.get("write"))
    given = number_of(tokens.get("input")) + read_ + written
    return TranscriptUsage(given, read_, number_of(tokens.get("output"))) if given else None
