"""Session files of other agents: the branch, the window after a compaction, the cache, and what is broken."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.core.conversation.test_transcripts import FILES as SAMPLES
from tests.core.conversation.test_transcripts import written
from tests.core.report.foreign_sessions import SOURCE, as_lines, claude, codex, pi
from tests.core.repositories import plain_host

import satchel_plugins
from satchel import ConversationError, Host
from satchel.config import Config
from satchel.redaction import NO_SCANNERS
from satchel.report import Page, ReportRequest, open_page, render_page

AGENTS: dict[str, Callable[[], bytes]] = {"Claude Code": claude, "Codex": codex, "pi": pi}


def page_of(given: bytes) -> Page:
    return open_page(given, ReportRequest(source="x.jsonl"), host=plain_host(), config=Config())


@pytest.mark.parametrize("agent", AGENTS)
def test_a_session_file_is_a_page_that_adds_up(agent: str) -> None:
    page = page_of(AGENTS[agent]())

    assert page.title == f"A session of {agent}"
    assert page.used == sum(page.sections.values()) < page.window
    assert page.turns[-1].tokens == page.used, "the timeline ends with the window that there is now"
    assert [moment.kind for moment in page.moments] == ["compaction"]
    assert page.comparison is not None
    assert page.comparison.before.tokens > page.comparison.after.tokens
    assert render_page(page, NO_SCANNERS).startswith("<!doctype html>")


@pytest.mark.parametrize("agent", AGENTS)
def test_the_window_is_what_came_after_the_compaction(agent: str) -> None:
    texts = [entry.text for entry in page_of(AGENTS[agent]()).entries]

    assert SOURCE not in texts
    assert any("and now the logout" in text for text in texts)
    assert any("fixed" in text or "summary" in text for text in texts)


def test_claude_s_branches_that_were_left_and_helpers_stand_beside() -> None:
    page = page_of(claude())

    assert ("beside it", "2 messages of helpers or of branches that were left") in page.facts
    before = page.comparison.before if page.comparison else None
    assert before is not None
    assert before.items == 6, "a request, an answer with two calls, both results, an answer"


def test_the_share_of_the_cache_is_told_by_turn() -> None:
    assert [turn.cached for turn in page_of(claude()).turns if turn.cached is not None][-1] == 0.75
    assert 0.8 in [turn.cached for turn in page_of(codex()).turns]
    assert 0.75 in [turn.cached for turn in page_of(pi()).turns]


def test_the_window_is_that_of_the_model_in_the_file() -> None:
    assert page_of(claude()).window == 200_000
    assert page_of(codex()).window == 272_000


def test_a_compaction_of_a_session_file_is_measured(tmp_path: Path) -> None:
    given = codex().splitlines(keepends=True)[:8]
    asked = ReportRequest(source="x.jsonl", compact=300, store=str(tmp_path))

    page = open_page(
        b"".join(given), asked, host=Host.of(satchel_plugins, deadline_seconds=None), config=Config()
    )

    assert page.comparison is not None
    assert page.comparison.after.tokens <= 300
    (made,) = page.advice
    assert made.command == "satchel compact --budget 300 < x.jsonl"
    assert made.saves == page.comparison.before.tokens - page.comparison.after.tokens


def test_a_line_that_is_still_written_is_left_out_and_a_broken_one_is_told() -> None:
    lines = codex().splitlines(keepends=True)

    growing = page_of(b"".join(lines) + b'{"type": "response_it')
    broken = page_of(b"".join([*lines[:3], b"oh no\n", *lines[3:]]))

    assert growing.problems == ()
    assert [problem.split(":")[0] for problem in broken.problems] == ["line 4 is left out"]
    assert broken.used == page_of(codex()).used


@pytest.mark.parametrize("agent", SAMPLES)
def test_sessions_of_all_agents_become_pages(agent: str) -> None:
    page = page_of(written(SAMPLES[agent]).encode())

    assert page.kind == "transcript"
    assert page.used == sum(page.sections.values()) == page.turns[-1].tokens
    assert page.turns[0].number == 1


def test_lines_of_progress_between_do_not_end_the_branch() -> None:
    lines = [json.loads(line) for line in claude().splitlines()]
    at = next(at for at, line in enumerate(lines) if line.get("uuid") == "u11")
    step = {"type": "progress", "uuid": "p", "parentUuid": "u10", "sessionId": "s", "data": {}}
    after = {**lines[at], "parentUuid": "p"}

    page = page_of(as_lines(*lines[:at], step, after, *lines[at + 1 :]))

    assert page.used == page_of(claude()).used
    assert len(page.turns) == len(page_of(claude()).turns)


def test_a_parent_that_is_not_in_the_file_does_not_end_the_branch() -> None:
    lines = [json.loads(line) for line in claude().splitlines()]
    lost = [{**line, "parentUuid": "gone"} if line.get("uuid") == "u11" else line for line in lines]

    assert page_of(as_lines(*lost)).used == page_of(claude()).used


def test_a_file_without_a_message_is_an_error() -> None:
    with pytest.raises(ConversationError, match=r"x\.jsonl: 2 records, none is a message of a session of"):
        page_of(
            as_lines(
                {"type": "session_meta", "payload": {"id": "s"}}, {"type": "turn_context", "payload": {}}
            )
        )


def test_messages_on_one_line_are_no_session_file() -> None:
    page = page_of(json.dumps([{"role": "user", "content": "hello"}]).encode())

    assert page.kind == "conversation"
