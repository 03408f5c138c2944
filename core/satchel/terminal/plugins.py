"""The plugins that squeezing asks: representers of output and the tokenizer, loaded when one is needed."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from satchel.config import Config
    from satchel.errors import Problem
    from satchel.host import Host, Loaded
    from satchel.interfaces import Tokenizer

_VARIABLE = "SATCHEL_DISABLE_PLUGINS"


class Plugins:
    """What is installed, without what is disabled; nothing is imported before it is asked for."""

    def __init__(
        self,
        host: Host | None = None,
        *,
        config: Config | None = None,
        disable: Sequence[str] = (),
        env: Mapping[str, str] = os.environ,
    ) -> None:
        """Take a host and the configuration with its plugins' settings.

        Args:
            host: the plugins; by default those that are installed, but for those that are disabled.
            config: their settings; by default the person's own.
            disable: names of plugins that stay off beside those that the configuration names.
            env: variables of the process; those of satchel stand over the person's file.
        """
        self._disable, self._env = tuple(disable), env
        self._host, self._config = host, config
        self._tokenizer: Tokenizer | None = None

    @property
    def config(self) -> Config:
        """The configuration, read when it is first asked for.

        Raises:
            ConfigError: the person's file or a variable is wrong.
        """
        if self._config is None:
            from satchel import config as configuration

            self._config = configuration.load(None, env=self._env)
        return self._config

    @property
    def host(self) -> Host:
        """The host, made at the first call."""
        if self._host is None:
            from satchel.host import Host
            from satchel.workspace.places import cache_folder

            self._host = Host.installed(
                disable=(*self.config.disable, *self._disable),
                cache_dir=cache_folder(),
                deadline_seconds=self.config.deadline_seconds,
            )
        return self._host

    @property
    def problems(self) -> tuple[Problem, ...]:
        """What went wrong in plugins so far."""
        return () if self._host is None else tuple(self._host.problems)

    def settings(self, plugin: Loaded) -> Mapping[str, object]:
        """Return the table of a plugin in the configuration, {} where it has none."""
        tables = self.config.plugins.get(plugin.kind.value, {})
        return tables.get(plugin.name) or tables.get(plugin.full_name) or {}

    def count(self, text: str) -> int:
        """Count with the tokenizer `offline`, in the vocabulary o200k_base."""
        tokenizer = self._tokenizer
        if tokenizer is None:
            from satchel.host import Kind

            found = self.host.find(Kind.TOKENIZER, "offline")
            tokenizer = self._tokenizer = self.host.make(found, self.settings(found))
        return int(tokenizer.count([text])[0])
