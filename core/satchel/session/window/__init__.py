"""The window of a session: the workspace, the dialogue and what happened, under one budget."""

from __future__ import annotations

from satchel.session.window.context import SessionWindow, WindowOptions
from satchel.session.window.making import window

__all__ = ["SessionWindow", "WindowOptions", "window"]
