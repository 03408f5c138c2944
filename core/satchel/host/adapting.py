"""Plugins of others as satchel calls them: settings read once, answers checked and made anew, arguments lent.

A built-in plugin is called as it is; its answers go through the same checks of `answers` where they come in.
What stands here is made by `Host.make`, so whoever asks a plugin asks it through this door.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import islice
from typing import TYPE_CHECKING, Any

import attrs

from satchel.errors import BudgetError, NoDevicesError, SatchelError
from satchel.host.answers import (
    BrokenContractError,
    checked_claim,
    checked_devices,
    checked_items,
    checked_message,
    checked_parts,
    checked_scores,
    checked_selection,
    checked_spans,
    is_a,
    plain_flag,
    plain_float,
    plain_int,
    plain_numbers,
    plain_text,
    plain_texts,
    possible_counts,
)
from satchel.host.calling import described
from satchel.host.kinds import Kind, Loaded

if TYPE_CHECKING:
    from satchel.devices import Device
    from satchel.host.calling import Calls
    from satchel.items import Candidate, ContextItem, Level, Selection, Task
    from satchel.messages import Exchange, Message
    from satchel.parts import Part
    from satchel.workspace import Workspace

MOST_ITEMS = 100_000
"""Items that a provider of others may return, whatever its setting says."""
_MOST_PARTS = 200_000
_MOST_DEVICES = 256
_MOST_SECRETS = 100_000
_LONGEST_NAME = 200
_GRAINS = ("item", "part")
_STEADY = frozenset({"ranking", "rarity"})
_RULES = ("never_prune", "clear_first", "side_effects")
_HEAVIEST = 1e6
"""Most that a scorer's weight may be."""


def adapted(plugin: Loaded, instance: Any, calls: Calls) -> Any:
    """Return a third party's instance behind its checks; raise where one of its settings is junk.

    An observer answers nothing, and comes out as it is.
    """
    adapter = _ADAPTERS.get(plugin.kind)
    return instance if adapter is None else adapter(plugin, instance, calls)


class _Adapted:
    """What is known of every plugin of others."""

    def __init__(self, plugin: Loaded, instance: Any, calls: Calls) -> None:
        self.name, self.distribution = plugin.name, plugin.distribution
        self._plugin, self._instance, self._calls = plugin, instance, calls

    def __repr__(self) -> str:
        """Name the plugin."""
        return f"<{self._plugin.kind} {self._plugin.full_name}>"

    def __eq__(self, other: object) -> bool:
        """Tell whether it stands for a plugin of the same settings."""
        return self is other or bool(self._instance == other)

    __hash__ = object.__hash__

    @property
    def _full_name(self) -> str:
        return self._plugin.full_name

    def _has(self, name: str) -> bool:
        return getattr(self._instance, name, None) is not None


class _Provider(_Adapted):
    def __init__(self, plugin: Loaded, instance: Any, calls: Calls) -> None:
        super().__init__(plugin, instance, calls)
        self.wave = plain_int(instance.wave, "wave", least=1, most=2)
        self.max_items = min(MOST_ITEMS, plain_int(instance.max_items, "max_items"))
        self.max_tokens = plain_float(instance.max_tokens, "max_tokens", least=0.0)

    def gather(self, task: Task, workspace: Workspace, best: Sequence[ContextItem]) -> Sequence[ContextItem]:
        """Return checked copies of the items."""
        from satchel.ranked_files import RankedFiles

        answer = self._instance.gather(task, _lent(workspace, self._full_name), best)
        if type(answer) is RankedFiles:
            return answer.copied(self.name, workspace.index.documents)
        return checked_items(islice(iter(answer), self.max_items + 1), copied=True)


class _Scorer(_Adapted):
    def __init__(self, plugin: Loaded, instance: Any, calls: Calls) -> None:
        super().__init__(plugin, instance, calls)
        self.kinds = frozenset(plain_texts(instance.kinds, "kinds"))
        self.grain = _one_of(instance.grain, "grain", _GRAINS)
        self.weight = plain_float(instance.weight, "weight", least=0.0, most=_HEAVIEST)
        if self._has("steady"):
            self.steady = frozenset(plain_texts(instance.steady, "steady"))
            if not self.steady <= _STEADY:
                raise BrokenContractError(f"steady is more than {', '.join(sorted(_STEADY))}")

    def score(self, parts: Sequence[Part], task: Task, workspace: Workspace) -> list[float]:
        """Return checked copies of the scores."""
        count = len(parts)
        answer = self._instance.score(tuple(parts), task, _lent(workspace, self._full_name))
        return checked_scores(answer, count)


class _Representer(_Adapted):
    def __init__(self, plugin: Loaded, instance: Any, calls: Calls) -> None:
        super().__init__(plugin, instance, calls)
        self.version = plain_text(instance.version, "version")

    def claims(self, item: ContextItem) -> float:
        """Return the checked claim."""
        return checked_claim(self._instance.claims(copy.copy(item)))

    def split(self, item: ContextItem) -> list[Part]:
        """Return checked copies of the parts."""
        text = item.text or ""
        answer = self._instance.split(copy.copy(item))
        return checked_parts(islice(iter(answer), _MOST_PARTS + 1), text, copied=True)


class _Packer(_Adapted):
    def __init__(self, plugin: Loaded, instance: Any, calls: Calls) -> None:
        super().__init__(plugin, instance, calls)
        weights = plain_numbers(instance.weights, "weights") if self._has("weights") else {}
        self.weights: Mapping[str, float] = weights

    def pack(self, candidates: Sequence[Candidate], budget: int) -> Selection:
        """Let it choose among copies; the choice is verified against the candidates themselves."""
        mine = {candidate.id: candidate for candidate in candidates}
        lent = tuple(
            attrs.evolve(one, options=tuple(one.options), scores=dict(one.scores)) for one in candidates
        )
        try:
            answer = self._instance.pack(lent, budget)
        except BudgetError as error:
            raise _over_budget(error, mine, budget) from error
        except SatchelError as error:
            raise _broken(error) from error
        return checked_selection(answer, mine)


class _Compressor(_Adapted):
    def __init__(self, plugin: Loaded, instance: Any, calls: Calls) -> None:
        super().__init__(plugin, instance, calls)
        if self._has("share"):
            self.share = plain_float(instance.share, "share", least=0.0, most=1.0)
        if self._has("levels"):
            self.levels = _levels(instance.levels)
        for rule in _RULES:
            if self._has(rule):
                setattr(self, rule, frozenset(plain_texts(getattr(instance, rule), rule)))

    def compress(self, exchanges: Sequence[Exchange], target: int, tokenizer: Any) -> Message | None:
        """Return the checked message; what it is handed are copies."""
        lent = copy.deepcopy(tuple(exchanges))
        return checked_message(self._instance.compress(lent, target, copy.copy(tokenizer)))


class _GpuBackend(_Adapted):
    def devices(self) -> Sequence[Device]:
        """Return checked copies of the devices."""
        try:
            return checked_devices(islice(iter(self._instance.devices()), _MOST_DEVICES))
        except NoDevicesError as nothing:
            raise NoDevicesError(plain_text(str(nothing), "the reason")) from None


class _Tokenizer(_Adapted):
    """A tokenizer that is called in time wherever it is asked, and counts under its distribution's name."""

    def __init__(self, plugin: Loaded, instance: Any, calls: Calls) -> None:
        super().__init__(plugin, instance, calls)
        own = plain_text(instance.key, "key")
        if not own or len(own) > _LONGEST_NAME or not own.isprintable():
            raise BrokenContractError("key is no printable text of 1 to 200 characters")
        self.key = f"{' '.join(filter(None, (plugin.full_name, plugin.version)))}: {own}"
        self.exact = plain_flag(instance.exact, "exact")
        self.error = plain_float(instance.error, "error", least=0.0, most=1.0)

    def count(self, texts: Sequence[str]) -> list[int]:
        """Return checked counts; raise PluginError where there are none in time."""
        asked = tuple(texts)
        return self._calls.chosen(self._plugin, self._counted, asked, stage="count") if asked else []

    def expect(self, characters: int) -> None:
        """Tell it how much text comes, where it wants to know."""
        if self._has("expect"):
            self._calls.chosen(self._plugin, self._expect, characters, stage="count")

    def _expect(self, characters: int) -> None:
        try:
            self._instance.expect(characters)
        except SatchelError as error:
            raise _broken(error) from error

    def _counted(self, texts: tuple[str, ...]) -> list[int]:
        try:
            answer = self._instance.count(texts)
        except SatchelError as error:
            raise _broken(error) from error
        return possible_counts(answer, texts)


class _Scanner(_Adapted):
    def __init__(self, plugin: Loaded, instance: Any, calls: Calls) -> None:
        super().__init__(plugin, instance, calls)
        version = plain_text(instance.version, "version") if self._has("version") else ""
        self.version = version
        self._shown = plain_text(repr(instance), "its text")

    def __repr__(self) -> str:
        """Show its settings, which what is kept of clean texts depends on."""
        return self._shown

    def scan(self, text: str, path: str) -> list[tuple[int, int, str]]:
        """Return checked copies of the spans."""
        try:
            answer = self._instance.scan(text, path)
        except SatchelError as error:
            raise _broken(error) from error
        return checked_spans(answer, len(text), most=_MOST_SECRETS)


_ADAPTERS: Mapping[Kind, Callable[[Loaded, Any, Calls], Any]] = {
    Kind.PROVIDER: _Provider,
    Kind.SCORER: _Scorer,
    Kind.REPRESENTER: _Representer,
    Kind.PACKER: _Packer,
    Kind.COMPRESSOR: _Compressor,
    Kind.GPU_BACKEND: _GpuBackend,
    Kind.TOKENIZER: _Tokenizer,
    Kind.SCANNER: _Scanner,
}


def _lent(workspace: Any, owner: str) -> Any:
    """Return what a plugin may hold of a workspace or a dialogue: it reads, and changes nothing."""
    return workspace.lent(owner) if hasattr(workspace, "lent") else workspace


def _broken(error: SatchelError) -> BrokenContractError:
    """Return an error of satchel's own that a plugin raised as the plugin's: it tells nothing of the run."""
    return BrokenContractError(f"raised {described(error)}")


def _one_of(value: object, what: str, allowed: Iterable[str]) -> str:
    text = plain_text(value, what)
    if text not in allowed:
        raise BrokenContractError(f"{what} is {text!r:.60}, not one of {', '.join(allowed)}")
    return text


def _levels(value: Any) -> frozenset[Level]:
    from satchel.items import Level

    names = plain_texts(value, "levels")
    return frozenset(Level(_one_of(name, "one of levels", list(Level))) for name in names)


def _over_budget(error: BudgetError, mine: Mapping[str, Candidate], budget: int) -> Exception:
    """Return the error of a packer again, if it is true that what is pinned costs more than the budget."""
    pinned = [one for one in mine.values() if one.pinned and one.floor < len(one.options)]
    costs = [(one.id, one.options[one.floor].tokens) for one in pinned]
    if sum(tokens for _, tokens in costs) > budget or not is_a(error, BudgetError):
        return BudgetError(budget, costs)
    return BrokenContractError("said that the pins cost more than the budget, which they do not")
