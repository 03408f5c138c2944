"""opencode: messages with parts; a tool's part has its call and its result."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from satchel.plugin_api import Transcript, TranscriptDraft, TranscriptUsage, blocks_of
from satchel_plugins.session_files.records import (
    SPEAKERS,
    Messages,
    Record,
    RecordFile,
    dict_of,
    list_of,
    read_data_url,
    read_usage,
    remind,
    results_of,
    text_block,
    text_of,
    time_of,
    tool_result,
    tool_use,
    unfold_messages,
    url_of,
)


class OpenCode(RecordFile):
    """The sessions of opencode."""

    name = "opencode"
    agent = "opencode"

    def _is_own(self, record: Record) -> bool:
        if isinstance(record.get("messages"), list):
            return any(self._is_own(dict_of(message)) for message in record["messages"][:20])
        if "role" in dict_of(record.get("info")) and isinstance(record.get("parts"), list):
            return True
        return text_of(record.get("sessionID")).startswith("ses_") and (
            "role" in record or "messageID" in record
        )

    def _read_into(self, records: Sequence[Record], found: TranscriptDraft) -> None:
        for message in unfold_messages(_join_stored(records), found):
            info = dict_of(message.get("info"))
            at = time_of({"timestamp": dict_of(info.get("time")).get("created")})
            content: list[dict[str, Any]] = []
            results: list[dict[str, Any]] = []
            for part in map(dict_of, list_of(message.get("parts"))):
                state = dict_of(part.get("state"))
                if part.get("type") == "text" and text_of(part.get("text")) and not part.get("ignored"):
                    is_made = part.get("synthetic") is True  # a file that a person named, a reminder
                    content.append(text_block(remind(part["text"]) if is_made else part["text"]))
                elif part.get("type") == "file" and (
                    held := read_data_url(text_of(part.get("url")), part.get("mime"))
                ):
                    content.append(held)
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

    def _list_records(self, transcript: Transcript, document: Messages, time: str) -> Iterator[Record]:
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
                elif block.get("type") in ("image", "document"):
                    kind = dict_of(block.get("source")).get("media_type")
                    parts.append({"type": "file", "mime": kind, "url": url_of(block)})
            if parts:
                created = int(max(transcript.at, default=0.0) * 1000)
                info: dict[str, Any] = {"role": message["role"], "time": {"created": created}}
                if message["role"] == "assistant":
                    info["modelID"] = transcript.model
                messages.append({"info": info, "parts": parts})
        yield {**transcript.first, "messages": messages}


def _join_stored(records: Sequence[Record]) -> Sequence[Record]:
    """Return messages with their parts, from records as opencode stores them, each in a file of its own."""
    stored = [record for record in records if "role" in record and "sessionID" in record]
    if not stored:
        return records
    parts: dict[str, list[Record]] = {}
    for record in sorted(records, key=lambda one: text_of(one.get("id"))):
        if "messageID" in record and "role" not in record:
            parts.setdefault(str(record["messageID"]), []).append(record)
    stored.sort(key=lambda one: time_of({"timestamp": dict_of(one.get("time")).get("created")}))
    return [{"info": one, "parts": parts.get(str(one.get("id")), [])} for one in stored]


def _usage_of_opencode(value: object) -> TranscriptUsage | None:
    tokens = dict_of(value)
    usage = read_usage(tokens | dict_of(tokens.get("cache")), "output", "read", "input", "read", "write")
    return usage if usage and usage.input else None
