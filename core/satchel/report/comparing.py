"""Compact the messages of a page, or read what a compaction made of them, for a look at before and after."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from satchel.conversation import parse
from satchel.errors import UsageError
from satchel.report.conversations import Talk, compare, read_talk
from satchel.report.counting import Meter
from satchel.report.page import Comparison

if TYPE_CHECKING:
    from satchel.config import Config
    from satchel.host import Host
    from satchel.report.opening import ReportRequest


def compare_with(
    messages: Any, talk: Talk, asked: ReportRequest, meter: Meter, host: Host, config: Config
) -> Comparison | None:
    """Return what a compaction does to the messages, or what the one did whose result came along."""
    if asked.compact and asked.after is not None:
        raise UsageError("--compact makes a compaction and --after shows one; give one of them")
    reasons: dict[int, tuple[str, str]] = {}
    if asked.after is not None:
        document = parse(asked.after, source="--after")
    elif asked.compact:
        from satchel.compaction.compacting import compact

        budget = meter.model.countable(asked.compact) if meter.model else asked.compact
        made = compact(
            messages,
            budget=budget,
            task=asked.task,
            strategy=config.strategy,
            compressor=config.compressor,
            format=asked.form,
            store=asked.store,
            host=host,
            config=config,
        )
        document = made.messages
        reasons = {cut.index: (cut.reason, cut.pointer) for cut in made.cut}
    else:
        return None
    return compare(talk, read_talk(document, meter, form=asked.form), reasons=reasons)
