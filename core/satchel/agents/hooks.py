"""Answer hooks of Claude Code and Gemini CLI: context for a prompt, large outputs, compaction notes."""

from __future__ import annotations

import contextlib
import hashlib
import os
import time
from collections.abc import Callable, Mapping
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from satchel.errors import ConversationError, SatchelError, UsageError
from satchel.private_files import read_record, state_folder, write_record
from satchel.spelling import format_count

if TYPE_CHECKING:
    from satchel.conversation.transcripts import Transcript


EVENTS = ("user-prompt-submit", "session-start", "post-tool-use", "pre-compact")
_WAIT_SECONDS = {"prompt": 12.0, "changed": 6.0}
_BY_A_PERSON = ("user", "sdk", None)
_LARGE = {"Bash": 10_000}
_LARGE_OTHERWISE = 40_000
"""Characters from which a tool's output is squeezed."""
_BUDGET = 2_000
_MOST_READ = 64 << 20
"""Bytes of a whole output that are read."""
_NOT_TEXT = frozenset({"data", "base64", "image", "source"})
_OWN_TOOLS = ("mcp__satchel__", "mcp__plugin_satchel")
_MOST_PROMPTS, _LONGEST_PROMPT = 40, 160
_OLDEST_SECONDS = 30 * 86_400


def answer(event: str, told: Mapping[str, Any]) -> dict[str, Any]:
    """Return the answer to Claude Code, {} for no answer.

    Args:
        event: one of EVENTS.
        told: the JSON that Claude Code gave the hook.

    Raises:
        UsageError: there is no such event.
        SatchelError: the hook can't do its work.
        OSError: the same.
    """
    check_event(event)
    return _ANSWERS[event](told)


def check_event(event: str) -> None:
    """Raise UsageError for an event that no hook answers."""
    if event not in _ANSWERS:
        raise UsageError(f"no hook is called {event!r}; there are {', '.join(EVENTS)}")


def _add_context(event: str, text: str) -> dict[str, Any]:
    if not text:
        return {}
    output = {"hookEventName": event, "additionalContext": text}
    return {"suppressOutput": True, "hookSpecificOutput": output}


def _event_of(told: Mapping[str, Any], usual: str) -> str:
    """Return the event's name in the answer: Gemini CLI has another one for a prompt."""
    return "BeforeAgent" if told.get("hook_event_name") == "BeforeAgent" else usual


def _find_root(told: Mapping[str, Any]) -> Path | None:
    """Return a session's workspace, None for a home folder or a whole disk, which nobody wants indexed."""
    named = os.environ.get("CLAUDE_PROJECT_DIR") or told.get("cwd") or os.getcwd()
    root = Path(str(named)).resolve()
    too_much = root == Path.home().resolve() or root == Path(root.anchor)
    return None if too_much or not root.is_dir() else root


def _on_prompt(told: Mapping[str, Any]) -> dict[str, Any]:
    prompt, root = str(told.get("prompt") or ""), _find_root(told)
    if root is None or not prompt.strip() or told.get("source") not in _BY_A_PERSON:
        return {}
    text = _ask(root, "prompt", prompt)
    if text and not _is_new(told, text):
        return {}
    return _add_context(_event_of(told, "UserPromptSubmit"), text)


def _is_new(told: Mapping[str, Any], text: str) -> bool:
    """Return whether a session last got another text, and record this one."""
    place = _place_of(told)
    if place is None:
        return True
    record, digest = read_record(place), hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()[:16]
    if record.get("told") == digest:
        return False
    write_record(place, {**record, "told": digest})
    return True


def _ask(root: Path, what: str, text: str) -> str:
    """Return a workspace's answer, from the resident process, or computed here if sockets are missing."""
    from satchel.agents.resident import answer, ask, socket_of

    if socket_of(root) is None:
        from satchel.packing.bundle import pack

        told: dict[str, Any] | None = answer({what: text}, partial(pack, root=root))
    else:
        told = ask(root, {what: text}, wait_seconds=_WAIT_SECONDS[what])
    if told is None:
        raise SatchelError(f"{root}: not ready yet, nothing is added")
    if told.get("error"):
        raise SatchelError(str(told["error"]))
    return str(told.get("context", ""))


def _on_start(told: Mapping[str, Any]) -> dict[str, Any]:
    root = _find_root(told)
    if told.get("source") == "compact":
        return _add_context(_event_of(told, "SessionStart"), _note_of(told))
    if root is None:
        return {}
    changed = _changes(root) if told.get("source") in ("startup", "clear", None) else ""
    if not changed:
        from satchel.agents.resident import socket_of, start

        path = socket_of(root)
        if path is not None and not path.exists():
            start(root)  # so that the first prompt need not wait
        return {}
    return _add_context(_event_of(told, "SessionStart"), _ask(root, "changed", changed))


def _changes(root: Path) -> str:
    """Return the tracked files that differ from the last commit, one a line, "" outside of a repository."""
    from satchel.paths import safe_text
    from satchel.redaction.scanning import redact_secrets
    from satchel.workspace.git.repository import open_git

    git, _ = open_git(root)
    if git is None:
        return ""
    status = git.status()
    rows = [*status.staged, *status.unstaged, *(("conflict", path) for path in status.conflicts)]
    listed = "".join(f"{what:<8} {safe_text(path)}\n" for what, path in dict.fromkeys(rows))
    return redact_secrets(listed) if listed else ""


def _on_output(told: Mapping[str, Any]) -> dict[str, Any]:
    tool, response = str(told.get("tool_name")), told.get("tool_response")
    if tool.startswith(_OWN_TOOLS):
        return {}
    asked = told.get("tool_input")
    command = str(asked.get("command", "")) if isinstance(asked, dict) else ""
    large = _LARGE.get(tool, _LARGE_OTHERWISE)
    question = cache(lambda: _newest_prompt(told))

    def squeeze_large(text: str) -> str:
        return _squeeze(text, command, question()) if len(text) > large else text

    shorter = _shorten(_with_whole_output(response), squeeze_large)
    if shorter == response:
        return {}
    output = {"hookEventName": "PostToolUse", "updatedToolOutput": shorter}
    return {"suppressOutput": True, "hookSpecificOutput": output}


def _with_whole_output(response: Any) -> Any:
    """Return a response with the whole output in it, if Claude Code cut it and named a file."""
    if not isinstance(response, dict):
        return response
    named = response.get("persistedOutputPath") or response.get("rawOutputPath")
    if not isinstance(named, str):
        return response
    try:
        with Path(named).open("rb") as file:
            whole = file.read(_MOST_READ).decode("utf-8", "replace")
    except OSError:
        return response
    return {**response, "stdout": whole} if len(whole) > len(str(response.get("stdout", ""))) else response


def _newest_prompt(told: Mapping[str, Any]) -> str:
    """Return the person's newest request, "" if unknown: an output is squeezed without it too."""
    try:
        return newest_prompt(Path(str(told.get("transcript_path") or "")))
    except (OSError, ConversationError):
        return ""


def _shorten(value: Any, shorten: Callable[[str], str]) -> Any:
    """Return a value with its texts shortened; images stay."""
    if isinstance(value, str):
        return shorten(value)
    if isinstance(value, list):
        return [_shorten(one, shorten) for one in value]
    if isinstance(value, dict):
        if value.get("isImage") or value.get("type") in ("image", "audio"):
            return value
        return {key: one if key in _NOT_TEXT else _shorten(one, shorten) for key, one in value.items()}
    return value


def _squeeze(text: str, command: str, question: str) -> str:
    from satchel.output.squeezing import squeeze

    return squeeze(text, command=command, question=question, budget=_BUDGET).text


def _on_compaction(told: Mapping[str, Any]) -> dict[str, Any]:
    from satchel.redaction.scanning import redact_secrets
    from satchel.shared_archive import open_archive

    place, path = _place_of(told), told.get("transcript_path")
    if place is None or not path:
        return {}
    text, said = read_transcript(Path(str(path)))
    prompts = [[line, redact_secrets(first[:_LONGEST_PROMPT])] for line, first in said[-_MOST_PROMPTS:]]
    record = {"blob": open_archive().put(text), "lines": text.count("\n"), "prompts": prompts}
    if not write_record(place, record):
        raise SatchelError(f"{place}: the note can't be written")
    _prune(place.parent)
    return {}


def _note_of(told: Mapping[str, Any]) -> str:
    """Return the note about text left out by a compaction, "" if nothing was kept."""
    from satchel.agents.prompts import MOST_CHARACTERS, length

    place = _place_of(told)
    record = read_record(place) if place is not None else {}
    if not {"blob", "lines", "prompts"} <= record.keys():
        return ""
    pointer = f"blob:{record['blob'][:12]}"
    heading = (
        f"The whole conversation before this compaction is kept: {pointer}, "
        f"{format_count(record['lines'], 'line')}. "
        f"To read lines of it: `satchel expand {pointer}:A-B`, or the tool expand of the server satchel. "
    )
    rows = [f"  {line}: {text}" for line, text in record["prompts"]]
    while rows:
        note = heading + "What was asked, by the line where it begins:\n" + "\n".join(rows) + "\n"
        if length(note) <= MOST_CHARACTERS:
            return note
        rows = rows[1:]
    return heading


def _place_of(told: Mapping[str, Any]) -> Path | None:
    """Return the file of the data kept about a session, None if it has no id."""
    session = told.get("session_id")
    if not isinstance(session, str) or not session:
        return None
    return (
        state_folder()
        / "claude-code"
        / f"{hashlib.sha256(session.encode('utf-8', 'replace')).hexdigest()[:32]}.json"
    )


def _prune(folder: Path) -> None:
    for path in folder.glob("*.json"):
        with contextlib.suppress(OSError):
            if time.time() - path.stat().st_mtime > _OLDEST_SECONDS:
                path.unlink()


_ANSWERS: dict[str, Callable[[Mapping[str, Any]], dict[str, Any]]] = {
    "user-prompt-submit": _on_prompt,
    "session-start": _on_start,
    "post-tool-use": _on_output,
    "pre-compact": _on_compaction,
}


_MOST_BYTES = 64 << 20
"""Most bytes that are read, from the end of the file."""
_NEAR_END = 2 << 20
"""Bytes at the end of a file that are searched for the newest prompt."""


def read_transcript(path: Path) -> tuple[str, list[tuple[int, str]]]:
    """Return a session as text, without unreadable lines of the file, and the person's messages.

    Each message is given by the line of the text where it begins, and its first line.

    Raises:
        OSError: the file can't be read.
        ConversationError: it is not a session of an agent that satchel knows.
    """
    from satchel.conversation import find_spoken
    from satchel.session.window.rendering import as_text

    pieces: list[str] = []
    prompts: list[tuple[int, str]] = []
    at = 1
    for message in _read_end(path, _MOST_BYTES).messages:
        if message.role == "user" and (said := find_spoken(message).strip()):
            prompts.append((at, said.partition("\n")[0]))
        pieces.append(as_text([message]))
        at += pieces[-1].count("\n")
    return "".join(pieces), prompts


def newest_prompt(path: Path) -> str:
    """Return the person's newest request, "" if it is not near the end of the file.

    Raises:
        OSError: the file can't be read.
        ConversationError: it is not a session of an agent that satchel knows.
    """
    from satchel.conversation import find_spoken

    said = (find_spoken(one) for one in reversed(_read_end(path, _NEAR_END).messages) if one.role == "user")
    return next((text for text in map(str.strip, said) if text), "")


def _read_end(path: Path, most: int) -> Transcript:
    from satchel.conversation.transcripts import parse_transcript
    from satchel.installed import find_user_formats

    with path.open("rb") as file:
        size = file.seek(0, 2)
        file.seek(max(0, size - most))
        data = file.read()
    if size > most:
        data = data.partition(b"\n")[2]
    return parse_transcript(data, find_user_formats(), path.name)
