"""What one compaction works with: plugins, the counts of a vocabulary, the texts that were read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import attrs

from satchel.compaction.dialogue import KIND, Dialogue
from satchel.compaction.pieces import Library
from satchel.compaction.shares import Division, division_of
from satchel.conversation import Counts
from satchel.errors import Problem
from satchel.host import Host, Loaded, PluginKind
from satchel.host.answers import check_scores
from satchel.host.calling import Call
from satchel.items import Task
from satchel.messages import Format
from satchel.private_files import cache_folder
from satchel.runs import has_setting

if TYPE_CHECKING:
    from satchel.config import Config
    from satchel.interfaces import Compressor, Packer, Scorer, Tokenizer


@attrs.frozen
class Setup:
    """The plugins of a run, made once."""

    host: Host
    packer: Packer
    packing: Loaded
    compressor: Compressor
    compressing: Loaded
    fallback: tuple[Loaded, Compressor] | None
    """What is asked where the chosen compressor fails: the built-in that needs no model."""
    scorers: Sequence[tuple[Loaded, Scorer]]
    tokenizer: Tokenizer
    counts: Counts
    library: Library
    division: Division
    named: tuple[str, ...]
    """Strategy, compressor, model and format: another setup is made where one of them changes."""


def set_up(
    strategy: str,
    compressor: str,
    *,
    form: Format,
    model: str = "",
    host: Host | None = None,
    config: Config | None = None,
) -> Setup:
    """Find and make the plugins.

    Raises:
        UnknownNameError: a strategy, a compressor or a model of that name is not installed.
        ConfigError: the settings of one are wrong.
    """
    from satchel.config import Config as Plain

    settings = config or Plain()
    host = host or Host.installed(
        disable=settings.disable,
        cache_dir=cache_folder(),
        deadline_seconds=settings.deadline_seconds,
        trusted=settings.trust,
    )

    def make(kind: PluginKind, name: str, extra: Mapping[str, object] | None = None) -> tuple[Loaded, Any]:
        loaded = host.find(kind, name)
        table = settings.table(str(kind), loaded.full_name) or settings.table(str(kind), loaded.name)
        return loaded, host.make(loaded, {**(extra or {}), **table}, settings.where(str(kind), loaded.name))

    packing, packer = make(PluginKind.PACKER, strategy)
    compressing, instance = make(PluginKind.COMPRESSOR, compressor)
    _, tokenizer = make(
        PluginKind.TOKENIZER,
        settings.tokenizer,
        _encoding(model, host.find(PluginKind.TOKENIZER, settings.tokenizer)),
    )
    tables = settings.plugins.get("scorer", {})
    origins = {name: settings.where("scorer", name) for name in tables}
    judges = [
        (loaded, scorer)
        for loaded, scorer in host.make_all(PluginKind.SCORER, tables, origins, kinds={KIND})
        if KIND in scorer.kinds
    ]
    counts = Counts(tokenizer, form=form, model=model)
    names = (strategy, compressor, model, str(form))
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
        names,
    )


def _may_fail(host: Host, compressor: Compressor, loaded: Loaded, spare: str) -> bool:
    """Whether a compressor makes messages of its own, and another one is there that can stand in for it."""
    makes = compressor.share != 0
    return makes and loaded.name != spare and spare in host.names(PluginKind.COMPRESSOR)


def _encoding(model: str, tokenizer: Loaded) -> dict[str, object]:
    if not model or not has_setting(tokenizer, "encoding"):
        return {}
    from satchel.tokens.models import find_or_estimate

    return {"encoding": find_or_estimate(model).encoding}


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
        Call(loaded, scorer.score, args, "score", cap=len(parts) + 1, check=check, lend=not loaded.trusted)
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
