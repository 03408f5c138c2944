"""The page of another agent's session: its window now, its turns, its compactions, its cache."""

from __future__ import annotations

from typing import TYPE_CHECKING

import attrs

from satchel.conversation.transcripts import Transcript, TranscriptCompaction
from satchel.report.conversations import (
    Meter,
    Talk,
    Times,
    advise_talk,
    compare,
    compare_with,
    end_with,
    list_turns,
    make_meter,
    read_talk,
)
from satchel.report.page import Comparison, Moment, Page, sum_sections
from satchel.spelling import format_count

if TYPE_CHECKING:
    from satchel.report.opening import ReportRequest

_MOST_COMPACTIONS = 40


def page_of_transcript(given: Transcript, asked: ReportRequest, meter: Meter) -> Page:
    """Return the page of an agent's session file.

    The model that the file names is meant where no other one is asked for, as far as it is known.
    """
    found = given.begin_with_instructions()
    meter = make_meter(meter.host, meter.config, named=found.model)
    form = found.format.name
    times = Times(found.at, [_write_usage(found, at) for at in range(len(found.document))])
    past = read_talk(found.document, meter, form=form, times=times)
    now = read_talk(found.window, meter, form=form) if found.compactions else past
    asked = attrs.evolve(asked, form=form)
    made = compare_with(found.window, now, asked, meter)
    compared = made or _compare_newest(found, meter)
    window = asked.window or found.context_tokens or meter.window
    return Page(
        kind="transcript",
        title=f"A session of {found.file.agent}",
        entries=now.entries,
        facts=(*meter.describe(), *_describe(found, past)),
        unit=past.unit,
        turns=end_with(list_turns(past, resets=_list_resets(found, meter), times=times), now),
        moments=tuple(_list_moments(found, past)),
        comparison=compared,
        advice=advise_talk(now, asked, window, meter, compared),
        problems=found.problems,
    ).within(window)


def _write_usage(found: Transcript, at: int) -> dict[str, object] | None:
    usage = found.usages.get(at)
    if usage is None:
        return None
    return {"input_tokens": usage.input, "input_tokens_details": {"cached_tokens": usage.cached}}


def _describe(found: Transcript, past: Talk) -> list[tuple[str, str]]:
    facts = [
        ("written by", found.file.agent),
        ("model", found.model or "not named"),
        ("messages", f"{len(found.document):,} of this conversation, {len(found.window):,} in the window"),
        past.count_turns(),
        ("compactions", f"{len(found.compactions):,}"),
    ]
    if found.beside:
        facts.append(
            ("beside it", f"{format_count(found.beside, 'message')} of helpers or of branches that were left")
        )
    last = found.usages[max(found.usages)].input if found.usages else 0
    if last:
        told = f"{last:,} tokens; what the file does not hold (the system prompt, tools) is in it too"
        facts.append(("the provider's last count", told))
    return facts


def _list_resets(found: Transcript, meter: Meter) -> dict[int, dict[str, int]]:
    return {
        one.place: sum_sections(
            [said.entry for said in read_talk(list(one.after), meter, form=found.format.name).said]
        )
        for one in found.compactions[-_MOST_COMPACTIONS:]
    }


def _list_moments(found: Transcript, past: Talk) -> list[Moment]:
    turns = {one.place: max(1, one.turn) for one in past.said}
    places = sorted(turns)
    moments = []
    for one in found.compactions:
        before = [place for place in places if place < one.place]
        moments.append(Moment(turns[before[-1]] if before else 0, "compaction", one.text, one.at))
    return moments


def _compare_newest(found: Transcript, meter: Meter) -> Comparison | None:
    newest: TranscriptCompaction | None = next(reversed(found.compactions), None)
    if newest is None or not newest.before or not newest.after:
        return None
    before = read_talk(list(newest.before), meter, form=found.format.name)
    return compare(before, read_talk(list(newest.after), meter, form=found.format.name))
