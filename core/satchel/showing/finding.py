"""Find the input of `show`: the newest session file of an agent, or the window of a satchel session."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import attrs

from satchel.conversation import Formats
from satchel.conversation.counting import Counts
from satchel.errors import SatchelError
from satchel.messages import Conversation
from satchel.session.session import Session
from satchel.session.window.memory import WorkspaceBlock, list_sent, recall
from satchel.showing.anatomy import Anatomy, WindowPiece, dissect, sum_sections

_HEAD = 65_536
"""Bytes of a file that are searched for its folder."""
_MOST = 400
"""Newest files whose beginning is read."""


def find_latest(folder: Path, home: Path | None = None) -> Path | None:
    """Return the session file that was changed last and belongs to a folder; None if there is none.

    A session belongs to the folder that its agent was started in. If there is none, the folders above are
    searched, up to the top of the repository.

    Args:
        folder: the folder that an agent worked in.
        home: the person's home, where agents keep their sessions.
    """
    root = folder.resolve()
    env = os.environ if home is None else {}
    homes = {
        name: Path(env.get(variable) or (home or Path.home()) / place)
        for name, (place, variable) in _HOMES.items()
    }
    return next((found for place in _up_to_repository(root) if (found := _find_newest(homes, place))), None)


_HOMES = {
    "claude": (".claude", "CLAUDE_CONFIG_DIR"),
    "codex": (".codex", "CODEX_HOME"),
    "gemini": (".gemini", ""),
    "pi": (".pi/agent", "PI_CODING_AGENT_DIR"),
}
"""Agents' folders below a person's home, and the variable that moves them."""


def _up_to_repository(root: Path) -> Iterator[Path]:
    above = [root, *root.parents]
    top = next((at for at, place in enumerate(above) if (place / ".git").exists()), 0)
    yield from above[: top + 1]


def _find_newest(homes: Mapping[str, Path], root: Path) -> Path | None:
    files = sorted(_list_files(homes, root), key=lambda one: -one[0])[:_MOST]
    return next((path for _, path, is_known in files if is_known or _belongs(path, root)), None)


def _list_files(homes: Mapping[str, Path], root: Path) -> Iterator[tuple[float, Path, bool]]:
    """Yield time and path of session files, and whether their place alone shows their folder."""
    places = [
        ("*.jsonl", homes["claude"] / "projects" / re.sub(r"[^A-Za-z0-9]", "-", str(root)), True),
        ("*.jsonl", homes["pi"] / "sessions" / f"--{str(root).strip('/').replace('/', '-')}--", True),
        ("**/rollout-*.jsonl", homes["codex"] / "sessions", False),
        *(
            ("session-*.json*", place / "chats", True)
            for place in _list_gemini(homes["gemini"] / "tmp", root)
        ),
    ]
    for pattern, place, is_known in places:
        try:
            found = list(place.glob(pattern))
        except OSError:
            continue
        for path in found:
            if path.name.startswith("agent-"):  # a helper's of Claude Code
                continue
            try:
                yield path.stat().st_mtime, path, is_known
            except OSError:
                continue


def _list_gemini(place: Path, root: Path) -> Iterator[Path]:
    """Yield the folders of Gemini CLI for a folder: one named by its checksum, or one that names it."""
    if not place.is_dir():
        return
    import hashlib  # a prompt has no time for it

    yield place / hashlib.sha256(os.fsencode(root)).hexdigest()
    try:
        named = list(place.glob("*/.project_root"))
    except OSError:
        return
    for mark in named:
        try:
            owner = Path(mark.read_text("utf-8").strip())
        except (OSError, ValueError):
            continue
        if owner == root or root in owner.parents:
            yield mark.parent


def _belongs(path: Path, root: Path) -> bool:
    """Return whether a session file names the folder as the one that it was written in."""
    try:
        with path.open("rb") as file:
            head = file.read(_HEAD).decode("utf-8", "replace")
    except OSError:
        return False
    return json.dumps(str(root))[1:-1] in head


def dissect_session(
    name: str,
    *,
    store: str | None,
    root: str | Path,
    formats: Formats,
    counts_of: Callable[[Conversation], Counts],
) -> tuple[Anatomy, Conversation]:
    """Return the window of a session, and its messages; nothing is recorded in it.

    Args:
        name: the session's.
        store: folder or address of its store, None for the project's.
        root: the workspace that its store belongs to.
        formats: the formats of messages.
        counts_of: makes what counts the tokens of a conversation.

    Raises:
        SessionError: there is no such session.
        SatchelError: it has no messages yet.
    """
    with Session.open(name, store=store, root=root) as session:
        memory, _ = recall(session)
        messages = list_sent(session, memory)
    if not messages:
        raise SatchelError(f"session {name!r} has no messages yet; satchel session add adds one")
    conversation = formats.read(messages)
    anatomy = dissect(conversation, counts_of(conversation))
    pieces = (*(one for block in memory.blocks for one in _list_block(block)), *anatomy.pieces)
    return attrs.evolve(
        anatomy,
        source=f"session {name}",
        total=sum(piece.tokens for piece in pieces),
        sections=sum_sections(pieces),
        pieces=pieces,
    ), conversation


def _list_block(block: WorkspaceBlock) -> list[WindowPiece]:
    """Return the items of the workspace's block and the frame around them; their tokens are the block's."""
    if not block.tokens:
        return []
    pieces = [
        WindowPiece(
            "workspace",
            str(item.get("path") or item.get("pointer") or "item"),
            int(item.get("tokens", 0)),
            -1,
            path=str(item.get("path", "")),
            level=str(item.get("level", "")),
        )
        for item in block.items
    ]
    around = block.tokens - sum(piece.tokens for piece in pieces)
    return [*pieces, WindowPiece("workspace", "around the items of the workspace", around, -1)]
