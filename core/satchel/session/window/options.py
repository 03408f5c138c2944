"""What a window of a session is asked for, and what comes back."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import attrs

from satchel.compaction.states import Water
from satchel.compaction.windows import Cut
from satchel.errors import Problem
from satchel.workspace.paths import absolute

if TYPE_CHECKING:
    from satchel.config import Config

FORMS = ("auto", "openai", "anthropic", "responses", "ollama", "markdown", "json")
"""What `--format` may be: messages as a provider takes them, a text to read, or all there is to know."""


def _settled(path: str | Path | None) -> Path | None:
    return None if path is None else absolute(path)


@attrs.frozen
class WindowOptions:
    """How a window is made, beside its task and its budget."""

    root: Path | None = attrs.field(default=None, converter=_settled)
    """The workspace's folder; the session's root by default."""
    form: str = "auto"
    """One of `FORMS`; `auto` is the format that the messages came in."""
    compressor: str = ""
    """Name of a compressor; the configured one by default."""
    water: Water | None = None
    """Where the dialogue is compacted, and to what; as configured by default."""
    pool: str = ""
    """The pool whose notes are shown."""
    store: Path | None = attrs.field(default=None, converter=_settled)
    """Folder of the archive; the user's state folder by default."""
    promised_only: bool = False
    """Whether nothing but what must stay goes in: what a guard asks for in an emergency."""
    subagent: bool = False
    """Whether it is a brief for a helper: no dialogue, nothing is recorded."""
    config: Config | None = None
    """Read from the root, the environment and the user's folder by default."""


@attrs.frozen
class SessionWindow:
    """What a model is sent; `parts` add up to `window`, and `tokens` never exceed `budget`."""

    task: str
    window: int
    """Tokens of the whole window: the budget, and the reply's reserve where the model's window is asked."""
    budget: int
    tokens: int
    parts: Mapping[str, int]
    """Tokens of reply, system, context, dialog, results, and what is free."""
    document: Any = attrs.field(repr=False)
    """The messages as the provider takes them: a list, or an object with `system` or `instructions`."""
    text: str = attrs.field(repr=False)
    """The same as a text to read."""
    form: str
    context: Mapping[str, Any] = attrs.field(factory=dict, repr=False)
    """What of the workspace stands in it: whether it is the block of the window before, and its items."""
    shown: Mapping[str, int] = attrs.field(factory=dict, repr=False)
    """The level of each entry, edit and note: 0 is most."""
    messages: int = 0
    """Of the session, that the dialogue was made of."""
    compacted: bool = False
    cut: Sequence[Cut] = ()
    first_divergence: int | None = None
    """The first message that is not what it was before; None where the window before begins this one."""
    cached_share: float = 0.0
    """Of the text, that stands before it: what a provider's cache can keep."""
    pressure: str = "calm"
    problems: tuple[Problem, ...] = ()
