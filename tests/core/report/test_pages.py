"""What a page is made of: everything adds up, and what was handed in wrong is named."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.core.formats import read
from tests.core.repositories import packed, plain_host, write_files

import satchel_plugins
from satchel import ConversationError, Host, SatchelError, Session, UsageError, WindowOptions, squeeze
from satchel.cli.output.squeeze import render_result
from satchel.config import Config
from satchel.conversation import Counts
from satchel.redaction import NO_SCANNERS
from satchel.report import Page, ReportRequest, open_page, render_page
from satchel.report.conversations import measure_cache_share
from satchel.showing import share_out

from .payloads import hostile_messages

READ = '{"path": "src/app.py"}'


def call(id_: str, name: str = "read_file", arguments: str = READ) -> dict[str, Any]:
    return {
        "role": "assistant",
        "content": "Let me look.",
        "tool_calls": [{"id": id_, "type": "function", "function": {"name": name, "arguments": arguments}}],
    }


def result(id_: str, text: str) -> dict[str, Any]:
    return {"role": "tool", "tool_call_id": id_, "content": text}


def talk(turns: int = 5) -> list[dict[str, Any]]:
    messages: list[dict[str, Any]] = [{"role": "system", "content": "You help."}]
    for at in range(turns):
        messages += [
            {"role": "user", "content": f"Question {at} about the login"},
            call(f"r{at}"),
            result(f"r{at}", "def login():\n    return True\n" * 40),
            call(f"s{at}", "Bash", '{"command": "pytest -q"}'),
            result(f"s{at}", f"{at} passed\n" * 30),
            {"role": "assistant", "content": f"Answer {at}"},
        ]
    return messages


def page_of(document: Any, **asked: Any) -> Page:
    given_ = None if document is None else json.dumps(document).encode()
    return open_page(
        given_, ReportRequest(**asked), host=Host.of(satchel_plugins, deadline_seconds=None), config=Config()
    )


def counted(document: Any) -> int:
    from satchel.host import PluginKind

    host = plain_host()
    tokenizer = host.make(host.find(PluginKind.TOKENIZER, "offline"), {})
    conversation = read(document)
    return Counts(tokenizer, form=conversation.format).total(conversation).total


def test_a_pack_adds_up_to_its_budget(tmp_path: Path) -> None:
    write_files(tmp_path, {f"src/m{at}.py": f"def login_{at}():\n    return {at}\n" * 9 for at in range(12)})
    document = packed("login", tmp_path, 400).to_dict()

    page = page_of(document, root=str(tmp_path))

    assert (page.used, page.window) == (document["tokens"], 400)
    assert page.used + page.free == 400
    assert sum(page.sections.values()) == page.used


@pytest.mark.weekly
def test_more_of_an_item_costs_what_expanding_it_gives(tmp_path: Path) -> None:
    write_files(
        tmp_path, {f"src/m{at}.py": f"def login_{at}(name):\n    return name\n" * 40 for at in range(6)}
    )
    document = packed("login", tmp_path, 300).to_dict()

    page = page_of(document, root=str(tmp_path))

    shown = [entry for entry in page.entries if entry.next_levels]
    assert shown
    for entry in shown:
        level, tokens = entry.next_levels[-1]
        assert (level, tokens > entry.tokens) == ("full", True)


def test_a_pack_of_a_folder_that_is_not_there_tells_no_other_levels(tmp_path: Path) -> None:
    write_files(tmp_path / "a", {"src/app.py": "def login():\n    return 1\n" * 40})
    (tmp_path / "b").mkdir()
    document = packed("login", tmp_path / "a", 60).to_dict()

    page = page_of(document, root=str(tmp_path / "b"))

    assert [entry.next_levels for entry in page.entries if entry.next_levels] == []


@pytest.mark.weekly
@pytest.mark.parametrize("document", [talk(), {"messages": talk(2), "tools": [{"name": "a"}, {"name": "b"}]}])
def test_a_conversation_adds_up_to_what_it_costs(document: Any) -> None:
    page = page_of(document, window=50_000)

    assert page.used == counted(document)
    assert page.free == 50_000 - page.used
    assert page.turns[-1].tokens == page.used


def test_anthropic_results_are_shown_one_by_one_and_add_up() -> None:
    calls = [
        {"type": "tool_use", "id": f"t{at}", "name": "Read", "input": {"file_path": f"/r/{at}.py"}}
        for at in (1, 2)
    ]
    results = [{"type": "tool_result", "tool_use_id": f"t{at}", "content": "x = 1\n" * 20} for at in (1, 2)]
    document = [
        {"role": "user", "content": "look"},
        {"role": "assistant", "content": calls},
        {"role": "user", "content": [*results, {"type": "text", "text": "and then?"}]},
    ]

    page = page_of(document)

    assert page.used == counted(document)
    assert [entry.title for entry in page.entries if entry.section == "files"] == ["/r/1.py", "/r/2.py"]


def test_a_file_that_was_read_again_and_again_is_told() -> None:
    page = page_of(talk())

    assert any("src/app.py was read 5 times" in one.what and one.saves for one in page.advice)


def edits(*texts: str) -> list[dict[str, Any]]:
    """Return a conversation of edits of one file, which all begin alike."""
    made: list[dict[str, Any]] = [{"role": "user", "content": "mend it"}]
    for at, text in enumerate(texts):
        given = {"file_path": "/a/long/path/to/the/only/file/that/is/edited.py", "new": text}
        asked = {
            "id": f"e{at}",
            "type": "function",
            "function": {"name": "Edit", "arguments": json.dumps(given)},
        }
        made.append({"role": "assistant", "content": None, "tool_calls": [asked]})
        made.append({"role": "tool", "tool_call_id": f"e{at}", "content": "done"})
    return made


def test_what_became_of_a_call_is_found_by_its_id() -> None:
    before = edits("a " * 300, "b " * 300, "c " * 300)
    after = [*before[:1], *before[5:7]]
    after[1] = edits("", "", "c")[5]

    compared = page_of(before, after=json.dumps(after)).comparison

    assert compared is not None
    calls = [change for change in compared.changes if change.title.startswith("call: Edit")]
    assert [change.after > 0 for change in calls] == [False, False, True]
    assert [change.reason for change in calls] == ["left out", "left out", "shortened"]


def test_a_path_of_blanks_is_titled_by_its_tool() -> None:
    blank = [call("r1", arguments=json.dumps({"path": "\n \n"})), result("r1", "x = 1\n" * 40)]

    assert [entry.title for entry in page_of(blank).entries if entry.section == "files"] == ["read_file"]


@pytest.mark.weekly
def test_few_requests_with_many_answers_are_drawn_by_answer() -> None:
    long = edits(*"abcdefgh" * 30)

    page = page_of([*long[:240], {"role": "user", "content": "go on"}, *long[241:]])

    assert (page.unit, len(page.turns) > 200) == ("step", True)
    assert "A column for each 3 steps: " in render_page(page, NO_SCANNERS)
    assert page_of([{"role": "user", "content": "hi"}, {"role": "assistant", "content": "ho"}]).unit == "turn"


def test_a_compaction_is_measured_and_its_differences_add_up(tmp_path: Path) -> None:
    page = page_of(talk(12), compact=900, store=str(tmp_path))

    compared = page.comparison
    assert compared is not None
    assert compared.before.tokens == page.used
    assert compared.after.tokens <= 900
    saved = sum(change.before - change.after for change in compared.changes)
    assert saved == compared.before.tokens - compared.after.tokens


def test_the_result_of_a_compaction_can_be_handed_in() -> None:
    after = [*talk(12)[:1], *talk(12)[-6:]]

    page = page_of(talk(12), after=json.dumps(after).encode())

    assert page.comparison is not None
    assert page.comparison.after.tokens == counted(after)
    assert {change.after for change in page.comparison.changes} == {0}


def test_compacting_and_showing_a_compaction_exclude_each_other() -> None:
    with pytest.raises(UsageError, match="give one of them"):
        page_of(talk(), compact=900, after=b"[]")


def test_tokens_of_a_model_add_up_too() -> None:
    host = plain_host()
    given_ = json.dumps(talk()).encode()

    page = open_page(given_, ReportRequest(), host=host, config=Config(model="claude-sonnet-4"))

    assert page.used == -(-counted(talk()) * 13_300 // 10_000)
    assert page.turns[-1].tokens == page.used
    assert page.window > page.used


def test_a_run_of_one_request_is_shown_step_by_step() -> None:
    document = talk(1)[:2] + [one for at in range(9) for one in (call(f"c{at}"), result(f"c{at}", "ok\n"))]

    page = page_of(document)

    assert (page.unit, len(page.turns)) == ("step", 9)


@pytest.mark.weekly
def test_a_session_shows_branches_snapshots_and_compactions(tmp_path: Path) -> None:
    write_files(tmp_path / "root", {"app.py": "def login():\n    return 1\n"})
    store = tmp_path / "store"
    with Session.open("fix", store=store, root=tmp_path / "root", create=True) as session:
        for message in talk(8):
            session.add(message)
        session.checkpoint("here")
        session.snapshot()
        options = WindowOptions(root=tmp_path / "root", store=store)
        session.window(
            "login", budget=1_600, options=options, host=Host.of(satchel_plugins, deadline_seconds=None)
        )
        session.branch("other")
        session.add({"role": "user", "content": "another way"})
        session.switch("main")

    page = page_of(None, source="fix", store=str(store), root=str(tmp_path / "root"), window=1_600)

    assert {moment.kind for moment in page.moments} == {"checkpoint", "snapshot", "compaction"}
    assert [(lane.name, lane.first, lane.last) for lane in page.lanes] == [("main", 0, 8), ("other", 8, 9)]
    assert page.used <= page.window
    assert page.comparison is not None
    assert page.comparison.before.tokens > page.comparison.after.tokens


@pytest.mark.weekly
def test_a_compaction_of_a_session_is_measured(tmp_path: Path) -> None:
    with Session.open("fix", store=tmp_path, root=tmp_path, create=True) as session:
        for message in talk(12):
            session.add(message)

    page = page_of(None, source="fix", store=str(tmp_path), root=str(tmp_path), compact=900)

    assert page.comparison is not None
    assert page.comparison.before.tokens == page.used
    assert page.comparison.after.tokens <= 900


def test_showing_a_session_changes_nothing_in_it(tmp_path: Path) -> None:
    with Session.open("fix", store=tmp_path, root=tmp_path, create=True) as session:
        for message in talk(2):
            session.add(message)
        before = [node.id for node in session.happenings()]

    page_of(None, source="fix", store=str(tmp_path), root=str(tmp_path))

    with Session.open("fix", store=tmp_path, root=tmp_path) as session:
        assert [node.id for node in session.happenings()] == before


def test_a_window_has_the_parts_that_it_told(tmp_path: Path) -> None:
    document = {
        "schema": 1, "task": "t", "window": 9_000, "budget": 8_000, "tokens": 700, "format": "openai",
        "parts": {"reply": 1_000, "system": 20, "context": 0, "dialog": 300, "results": 380, "free": 7_300},
        "messages": talk(1),
        "cut": [{"index": 3, "role": "tool", "tokens": 90, "kept": 10, "reason": "old", "expand": None}],
        "of_messages": 7, "cached_share": 0.5, "pressure": "calm", "problems": [],
    }  # fmt: skip

    page = page_of(document)

    assert (page.window, page.free) == (9_000, 7_300)
    assert page.sections["dialog"] + page.sections["calls"] == 300
    assert page.sections["files"] + page.sections["results"] == 380
    assert page.left_out[0].tokens == 80


def test_a_squeezed_output_adds_up_to_its_tokens() -> None:
    document = {
        "schema": 1, "exit_code": 1, "tokens": 57, "lines": 11,
        "text": "one\n[… lines 2-8]\nnine\nten\n[… line 11]\n",
        "gaps": [{"lines": [2, 8], "pointer": "blob:0123456789ab:2-8"}],
        "pointer": "blob:0123456789ab", "problems": [],
    }  # fmt: skip

    page = page_of(document)

    assert (page.used, len(page.entries)) == (57, 4)
    assert [entry.text for entry in page.entries if entry.text] == ["one\n", "nine\nten\n"]
    assert page.entries[1].pointer == "blob:0123456789ab:2-8"
    assert page.left_out[0].pointer == "blob:0123456789ab:2-8"


def test_the_gaps_of_what_squeeze_prints_are_items_of_their_own(tmp_path: Path) -> None:
    lines = [f"line {number} of {number * 7919 % 1000} is like no other: {number:x}" for number in range(900)]
    squeezed = squeeze("\n".join(lines), budget=200, store=tmp_path)
    assert squeezed.gaps

    page = page_of(json.loads(render_result(squeezed, form="json", exit_code=None)))

    marks = [entry.pointer for entry in page.entries if entry.level == "gap"]
    assert len([pointer for pointer in marks if pointer]) == len(squeezed.gaps)
    assert page.used == squeezed.tokens


@pytest.mark.parametrize(
    ("document", "said"),
    [
        ({"schema": 1}, "found an object with 'schema'"),
        (
            {"items": 3, "left_out": [], "budget": 1, "tokens": 1},
            "the pack.items: expected a list, not a number",
        ),
        (
            {"items": [], "left_out": [], "budget": 1, "tokens": -1},
            "the pack.tokens: expected a whole number",
        ),
        ({"items": [{"tokens": "9"}], "left_out": [], "budget": 1, "tokens": 1}, r"items\[0\].tokens"),
        (
            {"gaps": {}, "lines": 1, "text": "", "tokens": 0},
            "the output.gaps: expected a list, not an object",
        ),
    ],
)
def test_what_is_wrong_is_named_with_its_place(document: Any, said: str) -> None:
    with pytest.raises(SatchelError, match=said):
        page_of(document)


def test_what_is_not_json_is_named() -> None:
    with pytest.raises(ConversationError, match=r"x\.json: not JSON at line 1"):
        open_page(b"{", ReportRequest(source="x.json"), host=plain_host(), config=Config())


@pytest.mark.parametrize(("given", "found"), [(b"Context for the task.\n", "a text"), (b" \n", "nothing")])
def test_what_was_not_made_with_format_json_is_told(given: bytes, found: str) -> None:
    with pytest.raises(
        SatchelError, match=f"stdin: expected the JSON of a pack.*--format json.*found {found}"
    ):
        open_page(given, ReportRequest(), host=plain_host(), config=Config())


def test_a_session_that_is_not_there_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(SatchelError, match="no sessions here"):
        page_of(None, source="gone", store=str(tmp_path), root=str(tmp_path))


def test_hostile_messages_add_up_too() -> None:
    assert page_of(hostile_messages()).used == counted(json.loads(json.dumps(hostile_messages())))


@pytest.mark.parametrize(
    ("usage", "share"),
    [
        ({"input_tokens": 100, "cache_read_input_tokens": 700, "cache_creation_input_tokens": 200}, 0.7),
        ({"prompt_tokens": 1000, "prompt_tokens_details": {"cached_tokens": 250}}, 0.25),
        ({"input_tokens": 1000, "input_tokens_details": {"cached_tokens": 500}}, 0.5),
        ({"input_tokens": 100}, None),
        ({"prompt_tokens": 0, "prompt_tokens_details": {"cached_tokens": 9}}, None),
        ("many", None),
    ],
)
def test_the_cached_share_is_read_from_each_provider(usage: Any, share: float | None) -> None:
    assert measure_cache_share(usage) == share


@given(st.integers(0, 10**9), st.lists(st.integers(0, 10**6), max_size=40))
def test_shares_add_up(total: int, weights: list[int]) -> None:
    shares = share_out(total, weights)

    assert len(shares) == len(weights)
    assert not weights or sum(shares) == total
    assert all(share >= 0 for share in shares)
