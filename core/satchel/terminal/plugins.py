"""The plugins that squeezing asks: representers of output and the tokenizer, loaded when one is needed."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from satchel.errors import Problem
    from satchel.host import Host
    from satchel.interfaces import Tokenizer

_VARIABLE = "SATCHEL_DISABLE_PLUGINS"


class Plugins:
    """What is installed, without what is disabled; nothing is imported before it is asked for."""

    def __init__(
        self, host: Host | None = None, *, disable: Sequence[str] = (), env: Mapping[str, str] = os.environ
    ) -> None:
        """Take a host, or the names of plugins that stay off beside those that the environment names."""
        named = (name.strip() for name in env.get(_VARIABLE, "").split(","))
        self._disable = (*disable, *filter(None, named))
        self._host = host
        self._tokenizer: Tokenizer | None = None

    @property
    def host(self) -> Host:
        """The host, made at the first call."""
        if self._host is None:
            from satchel.host import Host

            self._host = Host.installed(disable=self._disable)
        return self._host

    @property
    def problems(self) -> tuple[Problem, ...]:
        """What went wrong in plugins so far."""
        return () if self._host is None else tuple(self._host.problems)

    def count(self, text: str) -> int:
        """Count with the tokenizer `offline`, in the vocabulary o200k_base."""
        tokenizer = self._tokenizer
        if tokenizer is None:
            from satchel.host import Kind

            tokenizer = self._tokenizer = self.host.make(self.host.find(Kind.TOKENIZER, "offline"), {})
        return int(tokenizer.count([text])[0])
