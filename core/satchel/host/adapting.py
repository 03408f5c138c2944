"""Wrap third-party plugins: settings are read once, answers are checked and copied, arguments are copies.

A built-in plugin is called directly; its answers get the same checks of `answers` where they arrive.
`Host.make` creates these wrappers, so every call of a third-party plugin goes through them.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from itertools import islice
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import attrs

from satchel.errors import BudgetError, ConversationError, NoDevicesError, Problem, SatchelError
from satchel.host.answers import (
    BrokenContractError,
    a,
    at_most,
    check_chances,
    check_claim,
    check_devices,
    check_draft,
    check_format_rules,
    check_items,
    check_json,
    check_mended,
    check_message,
    check_messages,
    check_parts,
    check_plausible_counts,
    check_rules,
    check_scores,
    check_selection,
    check_setting,
    check_signs,
    check_spans,
    is_a,
    iterate,
    plain_flag,
    plain_int,
    plain_numbers,
    plain_text,
    plain_texts,
)
from satchel.host.calling import choose_arguments, describe_error
from satchel.host.kinds import Loaded, PluginKind
from satchel.interfaces import SUMMARY_SHARE
from satchel.items import Level

if TYPE_CHECKING:
    from satchel.conversation.transcripts import Transcript, TranscriptDraft
    from satchel.devices import Device
    from satchel.host.calling import PluginCalls
    from satchel.interfaces import FormatSign
    from satchel.items import Candidate, ContextItem, Selection, Task
    from satchel.messages import Exchange, Message
    from satchel.packing.weighing.chances import Chances, WeighedItems
    from satchel.parts import Part
    from satchel.redaction.rules import RedactionRule
    from satchel.workspace import Workspace

MOST_ITEMS = 100_000
"""Most items that a third-party provider may return, whatever its setting."""
_MOST_PARTS = 200_000
_MOST_DEVICES = 256
_MOST_SECRETS = 100_000
_MOST_IMAGE_TOKENS = 1_000_000
_LONGEST_NAME = 200
_GRAINS = ("item", "part")
_RULES = ("never_prune", "clear_first", "side_effects")


def adapt(plugin: Loaded, instance: Any, calls: PluginCalls) -> Any:
    """Wrap a third party's instance in its checks; raise if one of its settings is invalid.

    An observer returns nothing, and is not wrapped.
    """
    adapter = _ADAPTERS.get(plugin.kind)
    return instance if adapter is None else adapter(plugin, instance, calls)


class _CheckedPlugin:
    """Base of all wrappers of third-party plugins."""

    def __init__(self, plugin: Loaded, instance: Any, calls: PluginCalls) -> None:
        self.name, self.distribution = plugin.name, plugin.distribution
        self._plugin, self._instance, self._calls = plugin, instance, calls

    def __repr__(self) -> str:
        """Name the plugin."""
        return f"<{self._plugin.kind} {self._plugin.full_name}>"

    def __eq__(self, other: object) -> bool:
        """Return whether both wrap a plugin with the same settings."""
        return self is other or bool(self._instance == other)

    __hash__ = object.__hash__

    @property
    def _full_name(self) -> str:
        return self._plugin.full_name

    def _ask_plugin(self, method: str, *args: Any, **named: Any) -> Any:
        """Return the answer of a method; even satchel's own errors count as its failure."""
        try:
            return getattr(self._instance, method)(*args, **named)
        except SatchelError as error:
            raise _contract_error(error) from error

    def _call(self, method: str, check: Callable[[Any], Any], *args: Any, **named: Any) -> Any:
        """Return the checked answer of a method, asked with a deadline; raise PluginError if it fails."""

        def ask() -> Any:
            return check(self._ask_plugin(method, *args, **named))

        return self._calls.call_or_raise(self._plugin, ask, stage=method)

    def _has(self, name: str) -> bool:
        return hasattr(self._instance, name)


class _CheckedProvider(_CheckedPlugin):
    def __init__(self, plugin: Loaded, instance: Any, calls: PluginCalls) -> None:
        super().__init__(plugin, instance, calls)
        self.wave = plain_int(instance.wave, "wave", least=1, most=2)
        self.max_items = min(MOST_ITEMS, check_setting(plugin.kind, "max_items", instance.max_items))
        self.max_tokens = check_setting(plugin.kind, "max_tokens", instance.max_tokens)

    def gather(self, task: Task, workspace: Workspace, best: Sequence[ContextItem]) -> Sequence[ContextItem]:
        from satchel.ranked_files import RankedFiles

        answer = self._instance.gather(task, _lend(workspace, self._full_name), best)
        if type(answer) is RankedFiles:
            return answer.copy_plain(self.name, workspace.index.documents)
        return check_items(islice(iterate(answer, "items"), self.max_items + 1), copied=True)


class _CheckedScorer(_CheckedPlugin):
    def __init__(self, plugin: Loaded, instance: Any, calls: PluginCalls) -> None:
        super().__init__(plugin, instance, calls)
        self.kinds = frozenset(plain_texts(instance.kinds, "kinds"))
        self.grain = _check_choice(instance.grain, "grain", _GRAINS)
        self.weight = check_setting(plugin.kind, "weight", instance.weight)
        has_flag = self._has("reads_meaning")
        self.reads_meaning = plain_flag(instance.reads_meaning, "reads_meaning") if has_flag else False

    def score(self, parts: Sequence[Part], task: Task, workspace: Workspace) -> list[float]:
        count = len(parts)
        answer = self._instance.score(tuple(parts), task, _lend(workspace, self._full_name))
        return check_scores(answer, count)

    def reason(self, part: Part, parts: Sequence[Part], task: Task, workspace: Workspace) -> str:
        """Return the checked words for a score, "" for a scorer that gives none."""
        if not self._has("reason"):
            return ""
        lent = _lend(workspace, self._full_name)
        return plain_text(self._instance.reason(part, tuple(parts), task, lent), "reason")


class _CheckedRepresenter(_CheckedPlugin):
    def __init__(self, plugin: Loaded, instance: Any, calls: PluginCalls) -> None:
        super().__init__(plugin, instance, calls)
        self.version = plain_text(instance.version, "version")

    def claims(self, item: ContextItem) -> float:
        return check_claim(self._instance.claims(copy.copy(item)))

    def split(self, item: ContextItem) -> list[Part]:
        text = item.text or ""
        answer = self._instance.split(copy.copy(item))
        return check_parts(islice(iterate(answer, "parts"), _MOST_PARTS + 1), text, copied=True)


class _CheckedPacker(_CheckedPlugin):
    def __init__(self, plugin: Loaded, instance: Any, calls: PluginCalls) -> None:
        super().__init__(plugin, instance, calls)
        weights = plain_numbers(instance.weights, "weights") if self._has("weights") else {}
        self.weights: Mapping[str, float] = weights
        self.whole = plain_flag(instance.whole, "whole") if self._has("whole") else False

    def pack(self, candidates: Sequence[Candidate], budget: int) -> Selection:
        """Let it choose among copies; verify the choice against the real candidates."""
        mine = {candidate.id: candidate for candidate in candidates}
        lent = tuple(
            attrs.evolve(one, options=tuple(one.options), scores=dict(one.scores)) for one in candidates
        )
        try:
            answer = self._instance.pack(lent, budget)
        except BudgetError as error:
            raise _verify_overrun(error, mine, budget) from error
        except SatchelError as error:
            raise _contract_error(error) from error
        return check_selection(answer, mine)


class _CheckedWorthModel(_CheckedPlugin):
    def correct(
        self, items: WeighedItems, chances: Chances, query: Mapping[str, float]
    ) -> tuple[list[list[float]], list[list[float]]]:
        """Return checked copies of the chances; the plugin gets views of the scores and the terms."""
        lent = tuple(
            (
                scored._replace(
                    scores=MappingProxyType(dict(scored.scores)),
                    answers=MappingProxyType(dict(scored.answers)),
                ),
                attrs.evolve(split, terms=MappingProxyType(dict(split.terms))),
            )
            for scored, split in items
        )
        counts = [len(mine) for mine in chances]
        answer = self._ask_plugin("correct", lent, tuple(map(tuple, chances)), MappingProxyType(dict(query)))
        lines, definitions = at_most(answer, 2, "the chances")
        return check_chances(lines, counts), check_chances(definitions, counts)


class _CheckedCompressor(_CheckedPlugin):
    def __init__(self, plugin: Loaded, instance: Any, calls: PluginCalls) -> None:
        super().__init__(plugin, instance, calls)
        share = instance.share if self._has("share") else SUMMARY_SHARE
        self.share = check_setting(plugin.kind, "share", share)
        self.levels = _check_levels(instance.levels if self._has("levels") else (Level.FULL,))
        for rule in _RULES:
            if self._has(rule):
                setattr(self, rule, frozenset(plain_texts(getattr(instance, rule), rule)))

    def compress(
        self, exchanges: Sequence[Exchange], target: int, tokenizer: Any, task: Task
    ) -> Message | None:
        """Return the checked message; the plugin gets copies."""
        args = (copy.deepcopy(tuple(exchanges)), target, copy.copy(tokenizer), task)
        compress = self._instance.compress
        return check_message(compress(*choose_arguments(compress, args)))


class _CheckedGpuBackend(_CheckedPlugin):
    def devices(self) -> Sequence[Device]:
        try:
            return check_devices(islice(iterate(self._instance.devices(), "devices"), _MOST_DEVICES))
        except NoDevicesError as nothing:
            raise NoDevicesError(plain_text(str(nothing), "the reason")) from None


class _CheckedTokenizer(_CheckedPlugin):
    """A tokenizer that is called with a deadline everywhere; its key includes its distribution's name."""

    def __init__(self, plugin: Loaded, instance: Any, calls: PluginCalls) -> None:
        super().__init__(plugin, instance, calls)
        own = plain_text(instance.key, "key")
        if not own or len(own) > _LONGEST_NAME or not own.isprintable():
            raise BrokenContractError("key is not a printable text of 1 to 200 characters")
        self.key = f"{' '.join(filter(None, (plugin.full_name, plugin.version)))}: {own}"
        self.exact = plain_flag(instance.exact, "exact")
        self.error = check_setting(plugin.kind, "error", instance.error)

    def count(self, texts: Sequence[str]) -> list[int]:
        asked = tuple(texts)
        counts: list[int] = (
            self._call("count", lambda one: check_plausible_counts(one, asked), asked) if asked else []
        )
        return counts


class _CheckedScanner(_CheckedPlugin):
    def __init__(self, plugin: Loaded, instance: Any, calls: PluginCalls) -> None:
        super().__init__(plugin, instance, calls)
        version = plain_text(instance.version, "version") if self._has("version") else ""
        self.version = version
        self._repr = plain_text(repr(instance), "its text")

    def __repr__(self) -> str:
        """Show its settings: cached clean texts depend on them."""
        return self._repr

    def scan(self, text: str, path: str) -> list[tuple[int, int, str]]:
        return check_spans(self._ask_plugin("scan", text, path), len(text), most=_MOST_SECRETS)


class _CheckedRedactionRules(_CheckedPlugin):
    def rules(self) -> tuple[RedactionRule, ...]:
        return check_rules(self._ask_plugin("rules"))


class _CheckedMessageFormat(_CheckedPlugin):
    """A format of messages; the messages it reads are its own objects, checked and not copied."""

    def __init__(self, plugin: Loaded, instance: Any, calls: PluginCalls) -> None:
        super().__init__(plugin, instance, calls)
        self.list_key = plain_text(instance.list_key, "list_key")
        self.system_key = plain_text(instance.system_key, "system_key")
        self.takes_text = plain_flag(instance.takes_text, "takes_text")
        self.rules = check_format_rules(instance.rules)
        self.paths = plain_texts(instance.paths, "paths")
        self.sized_as = plain_text(instance.sized_as, "sized_as")
        self.cache_mark = plain_text(instance.cache_mark, "cache_mark")

    def _ask_plugin(self, method: str, *args: Any, **named: Any) -> Any:
        """Let the error for unreadable messages through, with plain texts; it is no fault of the plugin."""
        try:
            return super()._ask_plugin(method, *args, **named)
        except BrokenContractError as broken:
            if not isinstance(error := broken.__cause__, ConversationError):
                raise
            place, reason = plain_text(error.place, "place"), plain_text(error.reason, "reason")
            raise ConversationError(place, reason) from error

    def find_signs(self, items: Sequence[Any], request: Mapping[str, Any]) -> list[FormatSign]:
        """Return the first signs, [] for a format that fails: other messages are read all the same."""
        ask = self._instance.find_signs
        answer = self._calls.call(self._plugin, lambda: check_signs(ask(items, request)), stage="find_signs")
        return [] if isinstance(answer, Problem) else answer

    def __getattr__(self, name: str) -> Callable[..., Any]:
        """Return the method of that name, with its check."""
        if name not in _CHECKS_OF_FORMATS:
            raise AttributeError(name)
        return partial(self._call, name, _CHECKS_OF_FORMATS[name])


_CHECKS_OF_FORMATS: Mapping[str, Callable[[Any], Any]] = {
    "read_messages": check_messages,
    "write_messages": lambda written: check_json(written, list, str),
    "read_system": lambda read: None if read is None else check_messages([read])[0],
    "write_system": check_json,
    "mend": check_mended,
    "image_tokens": partial(plain_int, what="image_tokens", most=_MOST_IMAGE_TOKENS),
    "describe_error": check_json,
    "with_window": lambda written: check_json(written, dict),
}
"""Method of a message format -> the check of its answer."""


class _CheckedSessionFile(_CheckedPlugin):
    def __init__(self, plugin: Loaded, instance: Any, calls: PluginCalls) -> None:
        super().__init__(plugin, instance, calls)
        self.agent = plain_text(instance.agent, "agent")
        self.message_format = plain_text(instance.message_format, "message_format")

    def recognizes(self, records: Sequence[Mapping[str, Any]]) -> bool:
        """Return the checked answer, False if it fails: other files are read all the same."""
        ask = self._instance.recognizes
        answer = self._calls.call(
            self._plugin, lambda: plain_flag(ask(records), "recognizes"), stage="recognizes"
        )
        return answer is True

    def read(self, records: Sequence[Mapping[str, Any]]) -> TranscriptDraft:
        draft: TranscriptDraft = self._call("read", check_draft, records)
        return draft

    def write(self, transcript: Transcript, document: Sequence[Mapping[str, Any]]) -> str:
        return str(self._call("write", partial(plain_text, what="what was written"), transcript, document))


class _CheckedOpener(_CheckedPlugin):
    """A plugin that opens stores; stores and errors with advice are used as they are."""

    def __init__(self, plugin: Loaded, instance: Any, calls: PluginCalls) -> None:
        super().__init__(plugin, instance, calls)
        self.schemes = frozenset(plain_texts(instance.schemes, "schemes"))

    def open(self, address: str, **options: bool) -> Any:
        return self._calls.call_or_raise(self._plugin, self._open, address, options, stage="open")

    def _open(self, address: str, options: Mapping[str, bool]) -> Any:
        """Return the open store, if it is one."""
        try:
            answer = self._instance.open(address, **options)
        except SatchelError as error:
            if getattr(error, "place", None) and getattr(error, "reason", None):
                raise
            raise _contract_error(error) from error
        missing = [name for name in self._plugin.kind.answers if not callable(getattr(answer, name, None))]
        if missing:
            raise BrokenContractError(f"returned {a(answer)} without {', '.join(missing)}")
        return answer


_ADAPTERS: Mapping[PluginKind, Callable[[Loaded, Any, PluginCalls], Any]] = {
    PluginKind.PROVIDER: _CheckedProvider,
    PluginKind.SCORER: _CheckedScorer,
    PluginKind.REPRESENTER: _CheckedRepresenter,
    PluginKind.WORTH_MODEL: _CheckedWorthModel,
    PluginKind.PACKER: _CheckedPacker,
    PluginKind.COMPRESSOR: _CheckedCompressor,
    PluginKind.GPU_BACKEND: _CheckedGpuBackend,
    PluginKind.TOKENIZER: _CheckedTokenizer,
    PluginKind.SCANNER: _CheckedScanner,
    PluginKind.REDACTION_RULE: _CheckedRedactionRules,
    PluginKind.MESSAGE_FORMAT: _CheckedMessageFormat,
    PluginKind.SESSION_FILE: _CheckedSessionFile,
    PluginKind.SESSION_STORE: _CheckedOpener,
    PluginKind.BLOB_STORE: _CheckedOpener,
}


def _lend(workspace: Any, owner: str) -> Any:
    """Return a read-only view of a workspace or a dialogue for a plugin."""
    return workspace.lent(owner) if hasattr(workspace, "lent") else workspace


def _contract_error(error: SatchelError) -> BrokenContractError:
    """Turn an error of satchel's that a plugin raised into a broken contract: the run itself is fine."""
    return BrokenContractError(f"raised {describe_error(error)}")


def _check_choice(value: object, what: str, allowed: Iterable[str]) -> str:
    text = plain_text(value, what)
    if text not in allowed:
        raise BrokenContractError(f"{what} is {text!r:.60}, not one of {', '.join(allowed)}")
    return text


def _check_levels(value: Any) -> frozenset[Level]:
    names = plain_texts(value, "levels")
    return frozenset(Level(_check_choice(name, "one of levels", list(Level))) for name in names)


def _verify_overrun(error: BudgetError, mine: Mapping[str, Candidate], budget: int) -> Exception:
    """Rebuild a packer's BudgetError if the pins really cost more than the budget."""
    pinned = [one for one in mine.values() if one.pinned and one.floor < len(one.options)]
    costs = [(one.id, one.options[one.floor].tokens) for one in pinned]
    if sum(tokens for _, tokens in costs) > budget or not is_a(error, BudgetError):
        return BudgetError(budget, costs)
    return BrokenContractError("said that the pins cost more than the budget, which they do not")
