"""Ask representers for the parts of an output: the plugin that knows a tool reads its report."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from satchel.output.folding import KeptLine
from satchel.output.judging import Rank
from satchel.output.templates import template

if TYPE_CHECKING:
    from satchel.config import Config
    from satchel.errors import Problem
    from satchel.host import Host, Loaded
    from satchel.interfaces import Tokenizer
    from satchel.items import ContextItem
    from satchel.parts import Part


class Plugins:
    """The installed plugins without the disabled ones; each is imported on first use."""

    def __init__(
        self,
        host: Host | None = None,
        *,
        config: Config | None = None,
        env: Mapping[str, str] = os.environ,
    ) -> None:
        """Take a host and the configuration with its plugins' settings.

        Args:
            host: the plugins; by default the installed ones.
            config: their settings; by default the person's own.
            env: variables of the process; satchel's override the person's file.
        """
        self._env = env
        self._host, self._config = host, config
        self._tokenizer: Tokenizer | None = None

    @property
    def config(self) -> Config:
        """Return the configuration, read on first use.

        Raises:
            ConfigError: the person's file or a variable is wrong.
        """
        if self._config is None:
            from satchel import config as configuration

            self._config = configuration.load(None, env=self._env)
        return self._config

    @property
    def host(self) -> Host:
        """Return the host, made at the first call."""
        if self._host is None:
            from satchel.installed import find_plugins

            self._host = find_plugins(self.config)
        return self._host

    @property
    def problems(self) -> tuple[Problem, ...]:
        """Return the problems of plugins so far."""
        return () if self._host is None else tuple(self._host.problems)

    def make(self, plugin: Loaded) -> Any:
        """Make a plugin with its configured settings."""
        from satchel.installed import make_plugin

        return make_plugin(self.config, self.host, plugin)

    def count(self, text: str) -> int:
        """Count with the default tokenizer, in the vocabulary o200k_base."""
        return self.count_all([text])[0]

    def count_all(self, texts: Sequence[str]) -> list[int]:
        """Count each text as `count` does; one call for many is a hundred times cheaper."""
        tokenizer = self._tokenizer
        if tokenizer is None:
            from satchel.config import Config
            from satchel.host import PluginKind

            found = self.host.find(PluginKind.TOKENIZER, Config().tokenizer)
            tokenizer = self._tokenizer = self.make(found)
        return [int(count) for count in tokenizer.count(texts)]


KINDS = {
    "verdict": (64.0, 3.0),
    "failure": (68.0, 0.4),
    "error": (60.0, 1.0),
    "place": (46.5, 0.5),
    "warning": (47.0, 0.8),
    "heading": (46.0, 0.6),
    "detail": (46.0, 0.8),
}
"""Least value of a part's head by its kind, and the loss of each further one of the kind."""
_NOISE = "noise"
_TOLD = ("error", "warning")
"""Kinds of which one or two lines of a template suffice."""
_ENOUGH = 2
_NOISE_WORTH = 8.0
_FIRST, _EACH = 4.0, 1.5
"""Loss of the first line below a head against it, and of each further line."""
_LEAST_CLAIM = 0.5
_LONGEST = 4_000


def read(plugins: Plugins, lines: Sequence[KeptLine], command: str) -> Sequence[Part]:
    """Return the parts that the representer with the highest claim finds, () if none knows the tool.

    Their line numbers count the lines after folding. A representer that fails leaves a problem in the host
    and changes nothing.
    """
    from satchel.errors import ConfigError, PluginError, Problem
    from satchel.host import PluginKind
    from satchel.items import ContextItem

    text = "\n".join(line.text[:_LONGEST] for line in lines)
    item = ContextItem("output:terminal", "terminal", "output", command, text=text)
    best, representer, loaded = 0.0, None, None
    host = plugins.host
    for candidate in host.loaded(PluginKind.REPRESENTER, {item.kind}):
        try:
            made = plugins.make(candidate)
        except (ConfigError, PluginError) as error:
            host.problems.append(Problem(candidate.name, "make", str(error), candidate.distribution))
            continue
        claim = host.calls.call(candidate, made.claims, item, stage="split")
        if isinstance(claim, int | float) and max(best, _LEAST_CLAIM) < claim <= 1:
            best, representer, loaded = float(claim), made, candidate
    if representer is None or loaded is None:
        return ()
    answer = host.calls.call(loaded, _split, representer.split, item, stage="split")
    return answer if isinstance(answer, list) else ()


def _split(split: Callable[[ContextItem], Sequence[Part]], item: ContextItem) -> list[Part]:
    """Return the parts, checked here, so that a broken contract is the plugin's problem."""
    from satchel.host.answers import check_parts

    return check_parts(split(item), item.text or "")


def lift_values(values: Sequence[float], lines: Sequence[KeptLine], parts: Sequence[Part]) -> list[float]:
    """Return the values of lines adjusted by the parts: raised, or lowered if they are not errors."""
    result = list(values)
    seen: Counter[str] = Counter()
    told: Counter[str] = Counter()
    for part in parts:
        if _is_exhausted(part.kind, seen[part.kind]):
            continue
        head = (part.head[0] or part.lines[0]) - 1
        form = template(lines[head].text) if part.kind in _TOLD else lines[head].text
        told[form] += 1
        if told[form] > (_ENOUGH if part.kind in _TOLD else 1):
            continue
        if part.kind == _NOISE:
            _lower_values(result, lines, part)
        elif part.kind in KINDS:
            least, less = KINDS[part.kind]
            worth = max(result[head], least - less * seen[part.kind])
            seen[part.kind] += 1
            for at, own in _context(part, head, worth):
                result[at] = max(result[at], own)
    return result


def _is_exhausted(kind: str, seen: int) -> bool:
    """Return whether enough parts of a kind were lifted that another gains nothing."""
    return kind in KINDS and KINDS[kind][0] <= KINDS[kind][1] * seen


def _lower_values(values: list[float], lines: Sequence[KeptLine], part: Part) -> None:
    for at in range(part.lines[0] - 1, part.lines[1]):
        if lines[at].family.judgement.rank <= Rank.DETAIL:
            values[at] = min(values[at], _NOISE_WORTH)


def _context(part: Part, head: int, worth: float) -> Iterator[tuple[int, float]]:
    """Yield the places of a part's lines with their worth."""
    yield head, worth
    for at in range(part.lines[0] - 1, part.lines[1]):
        if at != head:
            yield at, worth - _FIRST - _EACH * abs(at - head)
