"""The host: finds plugins, loads each kind when it is asked for, and calls them in isolation."""

from __future__ import annotations

from satchel.host.kinds import Kind, Loaded
from satchel.host.registry import Host

__all__ = ["Host", "Kind", "Loaded"]
