"""Detect the kind of the input, and make its page."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import attrs

from satchel.compaction.cleaning import clean_document
from satchel.config import Config
from satchel.conversation import parse
from satchel.conversation.transcripts import Transcript, TranscriptCompaction, find_transcript
from satchel.errors import SatchelError
from satchel.host import Host
from satchel.report.conversations import (
    NO_TIMES,
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
from satchel.report.printed import (
    LevelCosts,
    is_output,
    is_pack,
    is_window,
    page_of_output,
    page_of_pack,
    page_of_window,
    pointers_of,
)
from satchel.session.nodes import SessionError
from satchel.session.store import NoStoreError
from satchel.showing.advice import name_session
from satchel.spelling import format_count

KNOWN = (
    "the JSON of a pack, a squeezed output, or a session's window or messages (--format json of satchel pack,"
    " squeeze, run, session window, session show), or messages of a provider"
)


@attrs.frozen
class ReportRequest:
    """Options for the page of an input."""

    source: str = "-"
    """Its name in messages and commands: a file, a session's name, or `-`."""
    root: str = "."
    """The workspace that a pack was made of, or whose sessions are used."""
    store: str | None = None
    form: str = "auto"
    """The format of the messages."""
    window: int = 0
    """Tokens of the window, 0 for those of the model."""
    compact: int = 0
    """Tokens to compact to, for a look at before and after; 0 for none."""
    after: bytes | None = attrs.field(default=None, repr=False)
    """The result of a compaction of the messages, as JSON."""
    task: str = ""
    """The task of a compaction."""

    is_session: bool = False
    """Whether `source` is the name of a session."""

    @property
    def source_of_command(self) -> str:
        """Return the window's source for a command, as `satchel.showing.advice` takes it."""
        if self.is_session:
            return name_session(self.source, self.store)
        return "" if self.source == "-" else self.source

    def window_of(self, meter: Meter) -> int:
        """Return the tokens of the window, 0 if unknown."""
        return self.window or meter.window


def open_page(given: bytes | None, asked: ReportRequest, *, host: Host, config: Config) -> Page:
    """Return the page of the input.

    Args:
        given: JSON; None for the session that `asked.source` names.
        asked: the options.
        host: the plugins.
        config: the settings.

    Raises:
        SatchelError: its kind is unknown, a field has a wrong type, or there is no such session.
        BudgetError: the requested compaction can't keep its promises.
    """
    meter = make_meter(host, config)
    if given is None:
        from satchel.report.sessions import page_of_session

        try:
            return page_of_session(attrs.evolve(asked, is_session=True), meter)
        except (NoStoreError, SessionError) as error:
            raise SatchelError(f"{asked.source}: no such file or session: {error}") from error
    place = "stdin" if asked.source == "-" else asked.source
    if given.lstrip(b"\xef\xbb\xbf \t\r\n")[:1] not in (b"{", b"["):
        raise SatchelError(f"{place}: expected {KNOWN}; found {'a text' if given.strip() else 'nothing'}")
    transcript = find_transcript(given, place, meter.formats)
    if transcript is not None and not transcript.is_bare:
        return page_of_transcript(transcript, asked, meter)
    document = parse(given, source=place)
    if is_pack(document):
        document = clean_document(document, meter.scanners)
        return page_of_pack(document, _cost_levels(document, asked, meter))
    if is_output(document):
        return page_of_output(clean_document(document, meter.scanners), meter.tokenizer.count)
    if is_window(document):
        return page_of_window(document, meter)
    if isinstance(document, Mapping) and not any(one.list_key in document for one in meter.formats):
        raise SatchelError(f"{place}: expected {KNOWN}; found an object with {_list_keys(document)}")
    named = document.get("model") if isinstance(document, Mapping) else None
    if isinstance(named, str):
        meter = make_meter(host, config, named=named)
    return _page_of_messages(document, asked, meter)


def _list_keys(document: Mapping[str, Any]) -> str:
    keys = [str(key)[:40] for key in list(document)[:8]]
    return ", ".join(map(repr, keys)) or "no keys"


def _cost_levels(document: Mapping[str, Any], asked: ReportRequest, meter: Meter) -> LevelCosts:
    """Return the costs of higher levels of each item, if its file is in the workspace."""
    pointers = pointers_of(document)
    paths = [str(one.get("path", "")) for one in document["items"] if isinstance(one, Mapping)]
    if not pointers or not any(
        path and "\0" not in path and Path(asked.root, path).is_file() for path in paths
    ):
        return {}
    from satchel.packing.expanding import count_levels

    return count_levels(pointers, asked.root, config=meter.config, host=meter.host)


def _page_of_messages(document: Any, asked: ReportRequest, meter: Meter) -> Page:
    is_shown = isinstance(document, Mapping) and "metadata" in document and "session" in document
    messages = document["messages"] if is_shown else document
    times = _times_of(document.get("metadata")) if is_shown else NO_TIMES
    talk = read_talk(messages, meter, form=asked.form, times=times)
    compared = compare_with(messages, talk, asked, meter)
    window = asked.window_of(meter)
    return Page(
        kind="conversation",
        title=f"Session {document['session']}" if is_shown else "A conversation",
        entries=talk.entries,
        facts=(
            *meter.describe(),
            ("messages", f"{talk.messages:,} in the format {talk.conversation.format.name}"),
            talk.count_turns(),
        ),
        unit=talk.unit,
        turns=list_turns(talk, times=times),
        comparison=compared,
        advice=advise_talk(talk, asked, window, meter, compared),
    ).within(window)


def _times_of(metadata: Any) -> Times:
    rows = [row if isinstance(row, Mapping) else {} for row in metadata] if isinstance(metadata, list) else []
    at = [row.get("at", 0) for row in rows]
    return Times(
        [float(one) if isinstance(one, int | float) else 0.0 for one in at],
        [row.get("usage") for row in rows],
    )


_MOST_COMPACTIONS = 40


def page_of_transcript(given: Transcript, asked: ReportRequest, meter: Meter) -> Page:
    """Return the page of an agent's session file.

    Unless another model is requested, the one that the file names is used, if it is known.
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
