"""The promises of every plugin, whatever its kind."""

# ruff: noqa: S101 - these are tests, though they ship with satchel

from __future__ import annotations

import inspect
import subprocess
import sys
from types import SimpleNamespace
from typing import Any, ClassVar

import attrs
import pytest

from satchel.hookspecs import hookimpl
from satchel.host import Host, PluginKind

HEAVY = ("asyncio", "cattrs", "git", "pynvml", "tiktoken", "toktok", "tree_sitter", "watchdog")


class PluginContract:
    """The plugin is found, needs no settings, and loads nothing heavy."""

    plugin: ClassVar[Any]
    """The class under test."""
    kind: ClassVar[PluginKind]

    @pytest.fixture
    def instance(self) -> Any:
        """Make the plugin without settings."""
        return self.plugin()

    @classmethod
    def under_test(cls) -> Any:
        """Return `plugin` itself: a function found in a class would be bound to the instance."""
        return inspect.getattr_static(cls, "plugin")

    def test_the_host_accepts_it(self) -> None:
        """A hook that returns it gives a plugin and no problem."""
        plugin = self.under_test()
        hook = hookimpl(lambda: [plugin])
        host = Host.of(SimpleNamespace(**{self.kind.hook: hook}))

        assert [loaded.cls for loaded in host.loaded(self.kind)] == [plugin], host.problems
        assert not host.problems

    def test_every_setting_has_a_default(self) -> None:
        """It works without a table in the configuration."""
        if not isinstance(self.under_test(), type):
            pytest.skip("a callable has no settings")
        assert [f.name for f in attrs.fields(self.plugin) if f.init and f.default is attrs.NOTHING] == []

    def test_loading_it_imports_nothing_heavy(self) -> None:
        """Heavy libraries are imported where they are used, so that every command starts at once."""
        module = self.under_test().__module__
        script = f"import sys, {module}; print(*[name for name in {HEAVY!r} if name in sys.modules])"
        done = subprocess.run(  # noqa: S603 - this Python, on the plugin's own module
            [sys.executable, "-c", script], capture_output=True, text=True, check=False, timeout=60
        )
        if f"No module named {module.partition('.')[0]!r}" in done.stderr:
            pytest.skip(f"{module} can't be imported by itself")

        assert done.returncode == 0, done.stderr
        assert done.stdout.split() == []
