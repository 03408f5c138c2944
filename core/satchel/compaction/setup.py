"""The setup of one compaction: plugins, the counts of a vocabulary, the texts that were read."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import attrs

from satchel.compaction.dialogue import KIND, Dialogue
from satchel.compaction.pieces import Library
from satchel.compaction.shares import Division, division_of
from satchel.conversation import Counts, Formats
from satchel.errors import Problem
from satchel.host import Host, Loaded, PluginKind
from satchel.host.answers import check_scores
from satchel.host.calling import Call
from satchel.installed import find_formats, make_plugin, make_plugins, make_tokenizer
from satchel.items import Task

if TYPE_CHECKING:
    from satchel.config import Config
    from satchel.interfaces import Compressor, MessageFormat, Packer, Scorer, Tokenizer
    from satchel.tokens.models import Model


@attrs.frozen
class Setup:
    """The plugins of a run, made once."""

    host: Host
    packer: Packer
    packing: Loaded
    compressor: Compressor
    compressing: Loaded
    fallback: tuple[Loaded, Compressor] | None
    """The compressor to ask if the chosen one fails: the built-in that needs no model."""
    scorers: Sequence[tuple[Loaded, Scorer]]
    tokenizer: Tokenizer
    counts: Counts
    library: Library
    division: Division
    formats: Formats
    named: tuple[str, ...]
    """Strategy, compressor, model and format: if one changes, another setup is made."""


def set_up(
    strategy: str,
    compressor: str,
    *,
    form: MessageFormat,
    model: Model | None = None,
    host: Host,
    config: Config | None = None,
) -> Setup:
    """Find and make the plugins.

    Raises:
        UnknownNameError: no strategy or compressor of that name is installed.
        ConfigError: the settings of one are wrong.
    """
    from satchel.config import Config as Plain

    settings = config or Plain()

    def make(kind: PluginKind, name: str) -> tuple[Loaded, Any]:
        loaded = host.find(kind, name)
        return loaded, make_plugin(settings, host, loaded)

    packing, packer = make(PluginKind.PACKER, strategy)
    compressing, instance = make(PluginKind.COMPRESSOR, compressor)
    _, tokenizer = make_tokenizer(settings, host, model)
    judges = [
        (loaded, scorer)
        for loaded, scorer in make_plugins(settings, host, PluginKind.SCORER, {KIND})
        if KIND in scorer.kinds
    ]
    named = model.name if model is not None else ""
    counts = Counts(tokenizer, form=form, model=named)
    names = (strategy, compressor, named, form.name)
    spare = settings.fallback_compressor
    fallback = make(PluginKind.COMPRESSOR, spare) if _may_fail(host, instance, compressing, spare) else None
    return Setup(
        host,
        packer,
        packing,
        instance,
        compressing,
        fallback,
        judges,
        tokenizer,
        counts,
        Library(counts),
        division_of(config),
        find_formats(host, config),
        names,
    )


def _may_fail(host: Host, compressor: Compressor, loaded: Loaded, spare: str) -> bool:
    """Return whether a compressor makes messages of its own, and a substitute is installed."""
    makes = compressor.share != 0
    return makes and loaded.name != spare and spare in host.names(PluginKind.COMPRESSOR)


def saliences(setup: Setup, dialogue: Dialogue, task: str) -> tuple[list[float], list[dict[str, float]]]:
    """Return the salience of each exchange, 0..1, and its scores by scorer."""
    factors = setup.packer.weights
    rest = factors.get("*", 1.0)
    parts = dialogue.parts
    judges = [
        (loaded, scorer, weight)
        for loaded, scorer in setup.scorers
        if (weight := scorer.weight * factors.get(loaded.name, rest)) > 0
    ]
    check = partial(check_scores, count=len(parts))
    args = (parts, Task(task), dialogue)
    calls = [
        Call(
            loaded,
            scorer.score,
            args,
            "score",
            cap=len(parts) + 1,
            check=check,
            lend=not loaded.trusted,
            here=loaded.trusted,  # a thread costs more than most of them take
        )
        for loaded, scorer, _ in judges
    ]
    answers = setup.host.calls.call_all(calls) if parts else []
    scores: list[dict[str, float]] = [{} for _ in parts]
    sums, total = [0.0] * len(parts), 0.0
    for (loaded, _, weight), answer in zip(judges, answers, strict=False):
        if isinstance(answer, Problem):
            continue
        total += weight
        for at, value in enumerate(answer):
            scores[at][loaded.name] = value
            sums[at] += weight * value
    return [value / total if total else 0.0 for value in sums], scores
