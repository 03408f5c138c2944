"""Agents' additions to a person's messages: reminders, caveats, commands, environments; and the rest."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from satchel.messages import BlockKind, Message
from satchel.patterns import lazily

_WRAPPED = lazily(
    r"<(?P<tag>system[-_]reminder|local-command-[a-z]+|command-(?:name|message|contents)|(?:bash|shell)-std(?:out|err)"
    r"|task-notification|ide_[a-z_]+|user-prompt-submit-hook|uploaded_files|attached_files|environment_context"
    r"|environment_details|environment_info|user_instructions|INSTRUCTIONS|turn_aborted|user_shell_command"
    r"|subagent_notification|skills_instructions|permissions instructions|session_context|editor_context"
    r"|context_window|open_and_recently_viewed_files|additional_data|RUNTIME_INFORMATION|REPOSITORY_INFO"
    r"|REPOSITORY_INSTRUCTIONS|EXTRA_INFO|qwen:[\w-]+|system|new-diagnostics|background-task-[a-z]+)\b[^>]*>.*?</(?P=tag)>",
    re.DOTALL,
)
"""Text between these tags comes from the agent's program."""
_FRAMES = lazily(
    r"</?(?:command-args|bash-input|issue_description|user_query|user_message|task|feedback|answer)>"
)
"""These tags are around a person's text."""
_NOTES = lazily(
    r"^\[satchel(?:: [\d,]+ of [\d,]+ messages cut|(?: blob:\w+:\d+| \d+| not archived)\])[^\n]*$",
    re.MULTILINE,
)
"""Satchel's own notes, joined with a person's text if a provider takes no two messages in a row."""
_FRAGMENTS = lazily(r"\[satchel(?: blob:\w+:\d+| \d+| not archived)\]\n(?:…|<[\w:-]+>)")
"""The rest of a text without its beginning, which alone shows its author, or of one in tags."""
_INTERRUPTIONS = lazily(r"^\[Request interrupted by user[^\]\n]*\]$", re.MULTILINE)
_MADE = lazily(
    r"\[satchel|<context\b|Caveat: The messages below were generated|\[Request interrupted"
    r"|This session is being continued|Base directory for this skill:|No response requested"
    r"|# AGENTS\.md instructions|<[a-z-]*command-[a-z]+>|Another language model started to solve this problem"
    r"|This is the Gemini CLI\. We are setting up the context|\[Tool use (?:rejected|interrupted)"
    r"|\[The user opened the file"
)
"""Beginnings of messages that a program wrote in a person's place."""
_SUMMARY = lazily(
    r"\s*(?:This session is being continued|Another language model started to solve this problem"
    r"|<(?:conversation_)?summary>"
    r"|The conversation (?:history before this point was|so far has been) compacted)"
)


@lru_cache(maxsize=4096)
def spoken(text: str) -> str:
    """Return the part of a user message that a person typed, "" if an agent wrote all of it.

    Wrappers, reminders, caveats, outputs of commands, environments and notes of satchel's own are left out.
    """
    if text.startswith("[satchel") and _FRAGMENTS.match(text):
        return ""
    left = _NOTES.sub("", text) if text.startswith("[satchel") else text
    if "[Request" in text:
        left = _INTERRUPTIONS.sub("", left)
    if "<" in text:
        left = _FRAMES.sub("\n", _WRAPPED.sub("\n", left))
    left = left.strip()
    return "" if _MADE.match(left) else left


def find_spoken(message: Message) -> str:
    """Return the typed part of a message, text by text: a program may have put them together."""
    said = (spoken(block.text) for block in message.blocks if block.kind is BlockKind.TEXT)
    return "\n".join(text for text in said if text)


def is_summary(text: str) -> bool:
    """Return whether a message is an agent's own summary of a conversation that was too long."""
    return _SUMMARY.match(text) is not None


_LONGEST_NOTE = 400
_REST = lazily(r"\b(?:full|complete|whole|entire) outputs?\b[^/\\]{0,40}(?:[:\s])\S*[/\\]\S", re.IGNORECASE)
_STANDS = lazily(
    r"\W?(?:the )?(?:process|command) (?:is |still )*running\b.*\d.*"
    r"|(?:\W?(?:the )?(?:process|command) (?:exited|completed|finished) with )?exit[ _]code:? -?0*[1-9]\d*\W*"
    r"|process exited with code -?0*[1-9]\d*",
    re.IGNORECASE,
)
"""A command that continues, with its number, or that failed."""


def is_client_note(line: str) -> bool:
    """Return whether a client's note says that a command continues or failed, or where cut output is."""
    if len(line) > _LONGEST_NOTE:
        return False
    return bool(_STANDS.fullmatch(line) or ("output" in line and _REST.search(line)))


_OF_HEAD = lazily(r"[A-Z][\w ]{1,40}: \S|Process (?:exited|running) ")
_BELOW_HEAD = lazily(r"Warning: truncated output |Total output lines: \d|\s*$")
_HEAD_LINES = 8


def count_client_lines(lines: Sequence[str]) -> int:
    """Return the number of a client's lines above an output: fields, `Output:`, its cut."""
    head = next((at for at, line in enumerate(lines[:_HEAD_LINES]) if line == "Output:"), 0)
    if not head or not all(map(_OF_HEAD.match, lines[:head])):
        return 0
    body = (at for at in range(head + 1, len(lines)) if not _BELOW_HEAD.match(lines[at]))
    return next(body, len(lines))
