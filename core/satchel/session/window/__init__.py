"""The window of a session: the workspace, the dialogue and the events, under one budget."""

from __future__ import annotations

from satchel.session.window.assembling import window
from satchel.session.window.context import SessionWindow, WindowOptions

__all__ = ["SessionWindow", "WindowOptions", "window"]
