"""Windows of a session: the budget holds, the beginning stays, and everything can be taken back."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest
from tests.core.formats import read
from tests.core.session.conftest import Clock
from tests.core.session.window.talks import Make, talk

from satchel import BudgetError, Event, Host, Problem, Session, UsageError, Water, WindowOptions
from satchel.config import Config
from satchel.conversation import flaws_of
from satchel.events import BudgetExceeded, Compacted, ItemKept, ItemsGathered, PressureChanged
from satchel.session import add_note, add_pin, add_read_only, carry_over, record_entry

MAT = "".join(f"under mat {number} " for number in range(300))
FORMS = ("openai", "anthropic", "responses", "ollama")


def exported(session: Session) -> str:
    """Return what export writes."""
    stream = io.StringIO()
    session.export(stream)
    return stream.getvalue()


def filled(session: Session, make: Make, budget: int = 4_000) -> None:
    """Talk until a window cut messages; one that only shows less of the workspace did not."""
    session.add({"role": "system", "content": "You are careful."})
    for _ in range(40):
        talk(session, 1, words=12)
        if make(budget=budget).cut:
            return
    raise AssertionError("nothing was compacted")


@pytest.mark.weekly
def test_with_a_window_that_is_nearly_full_a_snapshot_is_taken(session: Session, make: Make) -> None:
    talk(session, 4, words=12)
    make(budget=900)
    assert not session.snapshots()

    window = make(budget=900, config=Config())

    assert window.tokens > 0.8 * 900
    assert [one.reason for one in session.snapshots()] == ["threshold"]


@pytest.mark.costly
@pytest.mark.parametrize("budget", [300, 1_000, 4_000, 20_000])
def test_parts_add_up_to_the_window_and_the_budget_holds(session: Session, make: Make, budget: int) -> None:
    talk(session, 12)

    made = make(budget=budget)

    assert made.tokens <= budget
    assert sum(made.parts.values()) == made.window == budget
    assert min(made.parts.values()) >= 0


@pytest.mark.costly
@pytest.mark.parametrize("form", FORMS)
def test_every_provider_takes_the_window(session: Session, make: Make, form: str) -> None:
    session.add({"role": "system", "content": "You are careful."})
    talk(session, 3)

    made = make(form=form)

    assert flaws_of(read(made.document, form)) == []
    assert "You are careful." in json.dumps(made.document)
    assert "turn 2" in json.dumps(made.document)


def test_the_beginning_stays_byte_for_byte_as_messages_come(session: Session, make: Make) -> None:
    talk(session, 1)
    first = make()
    talk(session, 1)
    second = make()

    assert second.context["kept"]
    assert second.document[:5] == first.document[:5]
    assert second.cached_share > 0.5


def test_the_workspace_stands_after_the_systems_text(session: Session, make: Make) -> None:
    session.add({"role": "system", "content": "You are careful."})
    session.add({"role": "user", "content": "make polling faster"})

    made = make()

    assert [one["role"] for one in made.document] == ["system", "user", "user"]
    assert "src/polling.py" in made.document[1]["content"]
    assert made.parts["context"] + made.parts["map"] > 100


def test_memory_and_map_are_parts_of_their_own(session: Session, make: Make) -> None:
    session.add({"role": "user", "content": "make polling faster"})
    before = make()
    session.record("step", {"text": "measured the polling"})

    made = make()

    assert before.parts["memory"] == 0 < made.parts["memory"]
    assert made.parts["map"] == made.context["contributors"]["map"]["used"] > 0
    assert sum(made.parts.values()) == made.window


def test_a_changed_file_is_shown_as_what_changed(session: Session, make: Make, root: Path) -> None:
    talk(session, 1)
    first = make()
    (root / "src/polling.py").write_text((root / "src/polling.py").read_text().replace("a + 3", "a * 3"))

    second = make()

    assert second.document[0] == first.document[0]
    assert "-    return a + 3\n+    return a * 3\n" in second.text


@pytest.mark.weekly
def test_a_block_that_is_good_enough_is_judged_once_for_each_task(session: Session, make: Make) -> None:
    told: list[Event] = []
    session._observe = told.append
    talk(session, 1)
    first = make("make polling faster", budget=9_000)
    kept = [make("polling should be faster", budget=9_000).context["kept"] for _ in range(3)]

    packs = {event.provider for event in told if isinstance(event, ItemsGathered)}
    assert kept == [True, True, True]
    assert first.context["items"]
    assert sum(isinstance(event, ItemsGathered) for event in told) == 2 * len(packs)


def test_a_compaction_is_undone_field_by_field(session: Session, make: Make) -> None:
    session.add({"role": "system", "content": "You are careful."})
    while True:
        talk(session, 1, words=12)
        before, head = exported(session), session.head
        if make().compacted:
            break

    session.undo()

    assert (session.head, exported(session)) == (head, before)


@pytest.mark.weekly
def test_redo_brings_the_same_window_back(session: Session, make: Make) -> None:
    filled(session, make)
    window = make().document

    session.undo()
    session.redo()

    assert make().document == window


def test_after_a_compaction_there_is_room_and_the_prefix_stays(session: Session, make: Make) -> None:
    filled(session, make)
    made = make()
    talk(session, 1, words=12)

    after = make()

    assert made.parts["free"] > 600
    assert not after.compacted
    assert after.document[: len(made.document) - 1] == made.document[:-1]


def test_what_was_cut_can_be_expanded(session: Session, make: Make, store: Path) -> None:
    from satchel.shared_archive import open_archive

    told: list[Event] = []
    session._observe = told.append
    filled(session, make)
    (compacted,) = [event for event in told if isinstance(event, Compacted)]

    assert "turn 0" in open_archive(store).get(compacted.pointer.removeprefix("blob:"))
    assert compacted.after < compacted.before


def test_nothing_is_cut_where_it_can_not_be_archived(
    session: Session, root: Path, tmp_path: Path, host: Host
) -> None:
    from satchel import SatchelError

    (tmp_path / "file").write_text("no folder")
    talk(session, 30)

    with pytest.raises(SatchelError, match="nothing was cut"):
        session.window(
            "x", budget=2_000, options=WindowOptions(root=root, store=tmp_path / "file"), host=host
        )
    assert session.count("compaction") == 0


def test_what_must_stay_and_does_not_fit_is_an_error(session: Session, make: Make) -> None:
    told: list[Event] = []
    session._observe = told.append
    session.add({"role": "system", "content": "word " * 3_000})
    session.add({"role": "user", "content": "hello"})

    with pytest.raises(BudgetError, match="system"):
        make(budget=1_000)
    assert [event.budget for event in told if isinstance(event, BudgetExceeded)] == [1_000]


@pytest.mark.weekly
def test_context_gives_way_to_what_must_stay(session: Session, make: Make) -> None:
    session.add({"role": "system", "content": "word " * 800})
    talk(session, 20)

    made = make(budget=1_400)

    assert made.tokens <= 1_400
    assert made.parts["system"] > 800


def test_a_session_without_a_request_needs_a_task(session: Session, make: Make) -> None:
    with pytest.raises(UsageError, match="--task"):
        make("")
    assert "src/polling.py" in make("make polling faster").text


def test_a_pinned_message_is_whole_after_every_compaction(session: Session, make: Make) -> None:
    session.add({"role": "user", "content": "begin"})
    session.add({"role": "assistant", "content": "the key is under the mat " * 12})
    add_pin(session, "message:1")
    filled(session, make)

    assert "the key is under the mat " * 12 in make().text


@pytest.mark.weekly
def test_a_message_that_is_pinned_after_it_was_cut_comes_back(session: Session, make: Make) -> None:
    talk(session, 1)
    session.add({"role": "assistant", "content": MAT})
    filled(session, make, budget=2_200)
    was = make(budget=2_200).text

    add_pin(session, "message:4")

    assert MAT not in was
    assert MAT in make(budget=2_200).text


def test_a_pinned_file_that_is_gone_is_a_problem(session: Session, make: Make, root: Path) -> None:
    talk(session, 1)
    add_pin(session, "src/cart.py", root)
    (root / "src/cart.py").unlink()

    made = make()

    assert ["cart.py" in problem.error for problem in made.problems] == [True]


def test_pinned_and_read_only_files_stand_in_the_block(session: Session, make: Make, root: Path) -> None:
    talk(session, 1)
    add_pin(session, "src/login.py", root)
    add_read_only(session, "src/cart.py")

    paths = {item["path"]: item["level"] for item in make(budget=6_000).context["items"]}

    assert paths["src/login.py"] == "full"
    assert "src/cart.py" in paths


@pytest.mark.weekly
def test_a_pinned_file_is_whole_however_little_room_there_is(
    session: Session, make: Make, root: Path
) -> None:
    session.add({"role": "system", "content": "You are careful."})
    talk(session, 12)
    add_pin(session, "src/login.py", root)

    made = make(budget=1_200)

    assert {item["path"]: item["level"] for item in made.context["items"]}["src/login.py"] == "full"
    with pytest.raises(BudgetError):
        make(budget=300)


def test_what_happened_stands_before_the_last_request(session: Session, make: Make, store: Path) -> None:
    talk(session, 1)
    record_entry(session, [b"1 failed\n"], command="pytest", exit_code=1, store=store)
    session.record("step", {"text": "found the loop"})
    session.add({"role": "user", "content": "go on"})

    made = make()

    assert made.document[-1]["content"] == "go on"
    said = made.document[-2]["content"]
    assert all(word in said for word in ("$ pytest", "1 failed", "found the loop", "src/polling.py"))


@pytest.mark.weekly
def test_an_output_stands_lower_as_newer_ones_come(session: Session, make: Make, store: Path) -> None:
    session.add({"role": "user", "content": "hello"})

    def record(name: str) -> str:
        output = "".join(f"{name} {line} {line * 7919 % 9973} went wrong: error\n" for line in range(200))
        return f"entry:{record_entry(session, [output.encode()], command=name, store=store).node}"

    first = record("make")
    levels = []
    for number in range(6):
        made = make(budget=1_400)
        levels.append(made.shown[first])
        record(f"link {number}")

    assert levels == sorted(levels)
    assert levels[-1] > levels[0]


@pytest.mark.weekly
def test_the_ledger_outlives_a_compaction(session: Session, make: Make) -> None:
    filled(session, make)

    assert "Files read: src/polling.py" in make().text


def test_usage_counts_each_message_once_and_decays(session: Session, make: Make) -> None:
    talk(session, 2)
    make()
    make()

    window = session.latest("window")

    assert window is not None
    assert window.body["usage"] == {"file:src/polling.py": [1, 1_000.0]}
    assert window.body["ledger"]["read"] == {"src/polling.py": 2}


def test_a_window_that_changes_nothing_records_nothing(session: Session, make: Make) -> None:
    talk(session, 1)
    make()
    head = session.head

    make()

    assert session.head == head


def test_notes_of_a_pool_are_shown(session: Session, make: Make, store: Path, root: Path) -> None:
    talk(session, 1)
    add_note("team", "leave gauges.py alone", store=store, root=root, author="ann")

    assert "ann: leave gauges.py alone" in make(pool="team").text
    assert "leave gauges.py alone" not in make().text


def test_pressure_is_told_when_it_changes(session: Session, make: Make) -> None:
    told: list[Event] = []
    session._observe = told.append
    filled(session, make)
    levels = [event.after for event in told if isinstance(event, PressureChanged)]

    assert {"first", "second", "last"} & set(levels)
    assert any(isinstance(event, ItemKept) for event in told)


def test_a_brief_has_the_task_and_no_dialogue(session: Session, make: Make) -> None:
    talk(session, 3)
    add_pin(session, "message:3")
    head = session.head

    made = make("write a test of polling", budget=2_000, subagent=True)

    assert made.tokens <= 2_000
    assert sum(made.parts.values()) == 2_000
    assert "# Task\nwrite a test of polling" in made.text
    assert "answer 0" in made.text
    assert "answer 1" not in made.text
    assert session.head == head


def test_a_brief_that_can_not_hold_its_task_is_an_error(session: Session, make: Make) -> None:
    with pytest.raises(BudgetError):
        make("word " * 400, budget=200, subagent=True)


def test_water_marks_decide_when_and_how_far_it_is_cut(session: Session, make: Make) -> None:
    talk(session, 6, words=2)
    water = Water(high_tokens=1_500, low_tokens=700)

    made = make(budget=4_000, water=water)

    assert made.compacted
    assert made.parts["dialog"] + made.parts["results"] <= 760


def test_nothing_but_promised_parts_are_kept_in_an_emergency(session: Session, make: Make) -> None:
    talk(session, 8)

    made = make(promised_only=True)

    assert made.parts["context"] == 0
    assert "turn 0" in made.text
    assert "turn 7" in made.text
    assert made.tokens < 1_000


def test_an_unknown_format_is_an_error(session: Session, make: Make) -> None:
    with pytest.raises(UsageError, match="no format"):
        make(form="smoke signals")


def test_a_session_carries_pins_read_only_files_and_usage_into_a_pack(
    session: Session, make: Make, root: Path, clock: Clock
) -> None:
    talk(session, 1)
    make()
    add_pin(session, "src/login.py", root)
    add_read_only(session, "src/cart.py")

    fresh = carry_over(session)
    clock.now += 1_800

    assert (fresh.pins, fresh.read_only) == (("src/login.py",), ("src/cart.py",))
    assert fresh.usage == {"file:src/polling.py": 0.5}
    assert carry_over(session).usage == {"file:src/polling.py": 0.25}


@pytest.mark.weekly
def test_a_file_that_was_used_stands_before_its_equals(session: Session, make: Make, root: Path) -> None:
    for name in ("aa", "bb"):
        (root / f"src/{name}.py").write_text("def spin(a):\n    return a\n" * 40)
    session.add({"role": "user", "content": "hello"})
    call = {"name": "read_file", "arguments": json.dumps({"path": "src/bb.py"})}
    session.add(
        {
            "role": "assistant",
            "tool_calls": [{"id": "c", "type": "function", "function": call}],
            "content": None,
        }
    )

    saliences = {item["path"]: item["salience"] for item in make("spin", budget=9_000).context["items"]}

    assert saliences["src/bb.py"] > saliences["src/aa.py"]


@pytest.mark.weekly
def test_a_window_grows_and_shrinks_with_its_budget(session: Session, make: Make) -> None:
    filled(session, make, budget=3_000)
    small = make(budget=3_000).tokens
    large = make(budget=48_000)
    again = make(budget=3_000)

    assert large.tokens > small
    assert not large.cut
    assert large.text.count("the guard polls") > make(budget=3_000).text.count("the guard polls")
    assert again.tokens <= 3_000


@pytest.mark.weekly
def test_messages_of_a_window_are_ready_to_send(session: Session, make: Make) -> None:
    talk(session, 3)

    assert make().messages == make().document
    assert make(form="anthropic").messages == make(form="anthropic").document["messages"]
    assert make().of_messages == 12


@pytest.mark.weekly
def test_outputs_of_a_young_session_stand_as_long_as_there_is_room(
    session: Session, make: Make, store: Path
) -> None:
    session.add({"role": "user", "content": "make it faster"})
    for number in range(6):
        output = "".join(f"test_{number}_{line} passed in {line} ms\n" for line in range(60))
        record_entry(session, [output.encode()], command=f"pytest part_{number}", store=store)

    made = make(budget=24_000)

    assert all(f"test_{number}_59 passed" in made.text for number in range(6))


@pytest.mark.weekly
def test_a_shared_host_carries_no_problem_of_before_into_a_window(session: Session, root: Path) -> None:
    host = Host.installed(deadline_seconds=None)
    host.problems += [Problem("old", "score", "failed then"), Problem("broken", "load", "has no such module")]
    session.add({"role": "user", "content": "make polling faster"})

    made = session.window("", budget=2_000, options=WindowOptions(root=root), host=host)

    assert [problem.plugin for problem in made.problems] == ["broken"]
