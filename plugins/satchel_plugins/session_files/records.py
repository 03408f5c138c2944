"""Common parts of agents' session files: records, blocks of Anthropic's format, branches of a tree."""

from __future__ import annotations

import json
import uuid
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from itertools import accumulate
from typing import Any, ClassVar

import attrs

from satchel.plugin_api import Transcript, TranscriptDraft, TranscriptUsage, blocks_of

Record = Mapping[str, Any]
Messages = Sequence[Record]
SPEAKERS = ("user", "assistant")


def dict_of(value: object) -> dict[str, Any]:
    """Return an object of JSON, an empty one for anything else."""
    return value if isinstance(value, dict) else {}


def list_of(value: object) -> list[Any]:
    """Return a list of JSON, an empty one for anything else."""
    return value if isinstance(value, list) else []


def text_of(value: object) -> str:
    """Return a text, "" for anything else."""
    return value if isinstance(value, str) else ""


def number_of(value: object) -> int:
    """Return a whole number above 0, 0 for anything else."""
    return value if isinstance(value, int) and not isinstance(value, bool) and value > 0 else 0


def time_of(record: Record) -> float:
    """Return the time of a record, in seconds since the epoch, 0 if it has none."""
    value = record.get("timestamp")
    if isinstance(value, int | float) and not isinstance(value, bool):
        return value / 1000 if value > 1e11 else float(value)
    try:
        return datetime.fromisoformat(text_of(value)).timestamp()
    except (ValueError, OverflowError, OSError):
        return 0.0


def read_usage(value: object, made: str, cached: str, *given: str) -> TranscriptUsage | None:
    """Return the tokens in a record under these keys, None if it has none."""
    told = dict_of(value)
    tokens = sum(number_of(told.get(key)) for key in given)
    return TranscriptUsage(tokens, number_of(told.get(cached)), number_of(told.get(made))) if told else None


def remind(said: str) -> str:
    """Return a program's text in a conversation, in a frame."""
    return f"<system-reminder>\n{said}\n</system-reminder>"


def text_block(text: str) -> dict[str, Any]:
    """Return a text as a block."""
    return {"type": "text", "text": text}


def media_block(kind: object, data: str) -> dict[str, Any]:
    """Return an image or a PDF in base64 as a block, {} for anything else."""
    name = "image" if text_of(kind).startswith("image/") else "document" if kind == "application/pdf" else ""
    source = {"type": "base64", "media_type": kind, "data": data}
    return {"type": name, "source": source} if name and data else {}


def read_data_url(url: str, kind: object = "") -> dict[str, Any]:
    """Return the image or the PDF of a data URL as a block, {} for anything else."""
    head, _, data = url.partition(";base64,")
    return media_block(kind or head.removeprefix("data:"), data) if head.startswith("data:") else {}


def url_of(block: Record) -> str:
    """Return the URL of an image, a data URL if the block holds it."""
    source = dict_of(block.get("source"))
    return source.get("url") or f"data:{source.get('media_type')};base64,{source.get('data', '')}"


def tool_use(id_: object, name: object, given: object) -> dict[str, Any]:
    """Return a call as a block."""
    table = given if isinstance(given, dict) else {"input": given}
    return {"type": "tool_use", "id": text_of(id_), "name": text_of(name) or "tool", "input": table}


def tool_result(id_: object, said: str | list[dict[str, Any]], *, failed: bool = False) -> dict[str, Any]:
    """Return a call's result as a block."""
    content = [text_block(said or "(nothing)")] if isinstance(said, str) else said
    made = {"type": "tool_result", "tool_use_id": text_of(id_), "content": content}
    return {**made, "is_error": True} if failed else made


def load_arguments(written: object) -> dict[str, Any]:
    """Return a call's arguments, which are JSON in a text."""
    try:
        return dict_of(json.loads(text_of(written) or "{}"))
    except (ValueError, RecursionError):
        return {"input": written}


def describe_compaction(trigger: object, tokens: object) -> str:
    """Return the cause of a compaction and the size of the window, as far as known."""
    how = {"auto": "by the agent itself", "manual": "asked for"}.get(str(trigger), "by the agent")
    return f"{how}, {tokens:,} tokens before" if isinstance(tokens, int) and number_of(tokens) else how


def walk_back(records: Sequence[Record], own: str, parents: Sequence[str]) -> list[Record]:
    """Return the records from the first to the last along their parents, oldest first.

    If a parent is not in the file, and before a compaction that names none, the next one above is taken;
    in a file without parents, that is every one. A record that was written twice counts once.
    """
    places = {record[own]: at for at, record in enumerate(records) if isinstance(record.get(own), str)}
    flat = not any(isinstance(record.get(key), str) for record in records for key in parents)
    if flat:
        return list(records)
    named = (at if isinstance(record.get(own), str) else -1 for at, record in enumerate(records))
    nearest = list(accumulate(named, max, initial=-1))  # before each record, the newest that has a name
    at = nearest[-1]
    chain: list[Record] = []
    seen: set[int] = set()
    names: set[str] = set()
    while at >= 0 and at not in seen:
        seen.add(at)
        record = records[at]
        if record[own] not in names:
            names.add(record[own])
            chain.append(record)
        above = next((record[key] for key in parents if isinstance(record.get(key), str)), "")
        goes_on = above or record.get("subtype") == "compact_boundary"
        at = places.get(above, nearest[at]) if goes_on else -1
    return chain[::-1] or list(records)


def unfold_messages(records: Sequence[Record], found: TranscriptDraft) -> Iterable[Record]:
    """Yield messages: the records, or the messages in a record."""
    for record in records:
        held = record.get("messages")
        if isinstance(held, list):
            found.first = found.first or {key: value for key, value in record.items() if key != "messages"}
            yield from map(dict_of, held)
        else:
            yield record


def name_record(transcript: Transcript, number: int) -> str:
    """Return an id for a record, the same each time."""
    return str(uuid.uuid5(uuid.NAMESPACE_URL, f"{transcript.source}:{len(transcript.document)}:{number}"))


def join_texts(blocks: Iterable[Record]) -> str:
    """Return the texts among blocks."""
    return "\n".join(str(block.get("text", "")) for block in pick(blocks, "text"))


def text_of_result(block: Record) -> str:
    """Return the text of a call's result."""
    return join_texts(blocks_of(block.get("content") or ""))


def pick(blocks: Iterable[Record], kind: str) -> list[Record]:
    """Return the blocks of a type."""
    return [block for block in blocks if block.get("type") == kind]


def pick_all(document: Messages, kind: str) -> list[Record]:
    """Return the blocks of a type in all messages."""
    return [block for message in document for block in pick(blocks_of(message["content"]), kind)]


def results_of(document: Messages) -> dict[str, tuple[str, bool]]:
    """Return the text of each call's result, and whether it failed."""
    return {
        block.get("tool_use_id", ""): (text_of_result(block), block.get("is_error") is True)
        for block in pick_all(document, "tool_result")
    }


def names_of_calls(document: Messages) -> dict[str, str]:
    """Return the tool of each call, by the call's id."""
    return {block["id"]: block["name"] for block in pick_all(document, "tool_use")}


@attrs.frozen
class RecordFile:
    """The session files of an agent, record by record."""

    name: ClassVar[str]
    agent: ClassVar[str]
    message_format: ClassVar[str] = "anthropic"

    def _is_own(self, record: Record) -> bool:
        """Return whether a record is this agent's."""
        raise NotImplementedError

    def _read_into(self, records: Sequence[Record], found: TranscriptDraft) -> None:
        """Add the content of records to a draft."""
        raise NotImplementedError

    def _list_records(self, transcript: Transcript, document: Messages, time: str) -> Iterable[Record]:
        """Yield the records of a file with other messages, written at a time in JSON's form."""
        raise NotImplementedError

    def recognizes(self, records: Sequence[Record]) -> bool:
        """Return whether one of a file's first records is this agent's."""
        return any(map(self._is_own, records))

    def read(self, records: Sequence[Record]) -> TranscriptDraft:
        """Return the draft of the records."""
        found = TranscriptDraft()
        self._read_into(records, found)
        return found

    def write(self, transcript: Transcript, document: Messages) -> str:
        """Return a file with other messages."""
        newest = datetime.fromtimestamp(max(transcript.at, default=0.0), UTC)
        time = newest.isoformat(timespec="milliseconds").replace("+00:00", "Z")
        return self._join_records(self._list_records(transcript, document, time))

    def _join_records(self, records: Iterable[Record]) -> str:
        """Return records as JSON Lines."""
        return "".join(f"{json.dumps(record, ensure_ascii=False)}\n" for record in records)
