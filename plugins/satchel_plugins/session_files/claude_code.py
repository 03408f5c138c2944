"""Claude Code: a tree of records, each with one block of an answer, all with the answer's id."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any

from satchel.plugin_api import Transcript, TranscriptDraft, blocks_of
from satchel_plugins.session_files.records import (
    SPEAKERS,
    Messages,
    Record,
    RecordFile,
    describe_compaction,
    dict_of,
    list_of,
    name_record,
    pick,
    read_usage,
    remind,
    text_of,
    time_of,
    walk_back,
)


class ClaudeCode(RecordFile):
    """The sessions of Claude Code."""

    name = "claude-code"
    agent = "Claude Code"

    def _is_own(self, record: Record) -> bool:
        message = dict_of(record.get("message"))
        said = record.get("type") in SPEAKERS and "role" in message and "parts" not in message
        return said and ("uuid" in record or "sessionId" in record)

    def _read_into(self, records: Sequence[Record], found: TranscriptDraft) -> None:
        own = [record for record in records if record.get("isSidechain") is not True]
        mine = own if any(map(_is_message, own)) else list(records)  # the file of a helper is all side chain
        chains = _find_chains(mine)
        chain = [record for one in chains for record in one]
        begun = {id(one[0]) for one in chains[1:]}
        typed = _find_absorbed(mine)
        beside = list(_find_beside_chain(mine, chain))
        held = {id(record) for record in [*chain, *beside]} | typed.keys()
        places = _place_beside_chain(mine, chain, beside)
        order = sorted(range(len(mine)), key=lambda at: places.get(id(mine[at]), at))
        kept = [mine[at] for at in order if id(mine[at]) in held]
        found.beside = sum(map(_is_message, records)) - sum(map(_is_message, kept))
        answers: dict[str, dict[str, Any]] = {}
        boundary: Record | None = None
        for record in kept:
            if id(record) in begun and found.document:
                found.compact((), "cleared", time_of(record))
            if record.get("subtype") == "compact_boundary":
                boundary = record
            message = typed.get(id(record)) or _read_attachment(record) or dict_of(record.get("message"))
            if message.get("role") not in SPEAKERS:
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

    def _list_records(self, transcript: Transcript, document: Messages, time: str) -> Iterator[Record]:
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


def _is_message(record: Record) -> bool:
    return record.get("type") in SPEAKERS


def _find_chains(records: Sequence[Record]) -> list[list[Record]]:
    """Return the conversations of a file, each along its branch: clearing the context begins another one."""
    chains: list[list[Record]] = []
    left, begun = records, set[str]()
    while any(map(_is_message, left)):
        chain = walk_back(left, "uuid", ("parentUuid", "logicalParentUuid"))
        first: Record = next(filter(_is_message, chain), {})
        beginning = text_of(first.get("timestamp")) or json.dumps(first.get("message"))
        if beginning not in begun:  # a copy, as of a session that is resumed, begins when the first one did
            chains.append(chain)
            begun.add(beginning)
        left = left[: next(at for at, record in enumerate(left) if record is chain[0])]
    return chains[::-1]


def _find_beside_chain(records: Sequence[Record], chain: Sequence[Record]) -> Iterator[Record]:
    """Yield the calls of the chain's answers, and the results, that are not on the chain.

    Of calls made side by side, each result hangs on its own call: only one of them is on the chain.
    """
    held = set(map(id, chain))
    answers = set(map(_id_of_answer, chain)) - {""}
    called = {id_ for record in chain for id_ in _ids_of(record, "tool_use", "id")}
    given = {id_ for record in chain for id_ in _ids_of(record, "tool_result", "tool_use_id")}
    others = [record for record in records if id(record) not in held]
    for record in others:
        calls = set(_ids_of(record, "tool_use", "id"))
        if calls and _id_of_answer(record) in answers and not calls & called:
            called |= calls
            yield record
    for record in others:
        results = set(_ids_of(record, "tool_result", "tool_use_id"))
        if results & called and not results & given:
            given |= results
            yield record


def _place_beside_chain(
    records: Sequence[Record], chain: Sequence[Record], beside: Sequence[Record]
) -> dict[int, float]:
    """Return the places of calls and results outside the chain, by the `id()` of their records.

    They belong to their answer. In a copy that a file has of its own conversation they may be missing, and
    are those of the first one, far above it.
    """
    held = set(map(id, chain))
    first, last, answers = dict[str, int](), dict[str, int](), dict[str, str]()
    for at, record in enumerate(records):
        answer, calls = _id_of_answer(record), _ids_of(record, "tool_use", "id")
        if id(record) in held and answer:
            last[answer] = at
            if calls:
                first.setdefault(answer, at)
        answers.update(dict.fromkeys(calls, answer))
    places: dict[int, float] = {}
    wanted = set(map(id, beside))
    for at, record in enumerate(records):
        if id(record) in wanted:
            results = _ids_of(record, "tool_result", "tool_use_id")
            answer = answers.get(results[0], "") if results else _id_of_answer(record)
            places[id(record)] = max(
                at, last.get(answer, -1) + 0.5 if results else first.get(answer, -1) - 0.5
            )
    return places


def _id_of_answer(record: Record) -> str:
    return text_of(dict_of(record.get("message")).get("id")) if record.get("type") == "assistant" else ""


def _find_absorbed(records: Sequence[Record]) -> dict[int, dict[str, Any]]:
    """Return the messages that a person typed while tools ran, by the ids of their records.

    Newer files hold such a message as an attachment, and there a message that only leaves the queue was taken
    back, unless the record says that the turn absorbed it.
    """
    queue: list[str] = []
    absorbed: dict[int, dict[str, Any]] = {}
    attached = {
        json.dumps(prompt)
        for record in records
        if (prompt := _attachment_of(record, "queued_command").get("prompt"))
    }
    for record in records:
        operation = record.get("operation") if record.get("type") == "queue-operation" else None
        text = text_of(record.get("content"))
        if operation == "enqueue":
            queue.append(text)
        elif operation == "popAll":
            queue.clear()
        elif operation in ("dequeue", "remove"):
            left = text if text in queue else next(iter(queue), text)
            if left in queue:
                queue.remove(left)
            is_absorbed = operation == "remove" and (
                not attached if record.get("reason") is None else record["reason"] == "absorbed_mid_turn"
            )
            if left and is_absorbed and json.dumps(left) not in attached:
                absorbed[id(record)] = {"role": "user", "content": left}
    return absorbed


def _attachment_of(record: Record, kind: str) -> dict[str, Any]:
    attachment = dict_of(record.get("attachment")) if record.get("type") == "attachment" else {}
    return attachment if attachment.get("type") == kind else {}


def _read_attachment(record: Record) -> dict[str, Any]:
    """Return the message in an attachment: a person's text while tools ran, or a file."""
    attachment = dict_of(record.get("attachment")) if record.get("type") == "attachment" else {}
    kind = attachment.get("type")
    if kind == "queued_command" and (prompt := attachment.get("prompt")):
        return {"role": "user", "content": prompt}
    key = _ATTACHED.get(text_of(kind))
    held = attachment.get(key) if key else None
    # a file's text lies one or two objects deep
    while isinstance(held, dict):
        held = held.get("file") or held.get("content")
    if isinstance(held, list):
        held = "\n".join(map(text_of, held))
    if not text_of(held).strip():
        return {}
    named = next((text_of(attachment[one]) for one in _NAMES if text_of(attachment.get(one))), "")
    told = f"{text_of(kind).replace('_', ' ')}: {named}" if named else text_of(kind).replace("_", " ")
    return {"role": "user", "content": remind(f"{told}\n{held}")}


_ATTACHED = {
    "file": "content",
    "directory": "content",
    "edited_text_file": "snippet",
    "nested_memory": "content",
    "plan_file_reference": "planContent",
    "hook_additional_context": "content",
}
"""Attachments that are sent to the model, and the place of their text."""
_NAMES = ("filename", "path", "planFilePath", "hookName")
_CACHED = "cache_read_input_tokens"
_USAGE = ("output_tokens", _CACHED, _CACHED, "input_tokens", "cache_creation_input_tokens")


def _drop_blank_texts(content: object) -> str | list[Any]:
    """Return a message's content without the blank texts that begin answers, which are never sent."""
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
    """Add a record's blocks: to the answer of their id, if that is known, or as a message."""
    id_ = text_of(message.get("id")) if message["role"] == "assistant" else ""
    usage = read_usage(message.get("usage"), *_USAGE) if message["role"] == "assistant" else None
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
    return [str(block[key]) for block in pick(blocks, kind) if key in block]
