"""Isolated calls: exceptions, hangs, prints, endless answers, changed arguments."""

from __future__ import annotations

import itertools
import json
import sys
import threading
import time
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from satchel import BudgetError, ContextItem, PluginError, Problem, Task
from satchel.host import (
    BrokenContractError,
    Call,
    Named,
    PluginCalls,
    check_items,
    check_scores,
    describe_error,
    extend_deadline,
    load_average,
)
from satchel.host import answers as checks
from satchel.plugin_api import Device, Part

CHURN = Named("churn", "satchel-churn", "1.0", builtin=False)


@pytest.fixture
def calls() -> PluginCalls:
    return PluginCalls(deadline_seconds=5.0)


@pytest.fixture
def hasty() -> PluginCalls:
    return PluginCalls(deadline_seconds=0.1)


def failing(error: BaseException) -> Callable[[], None]:
    def fail() -> None:
        raise error

    return fail


class StopEverythingError(BaseException):
    pass


def test_an_answer_comes_back_as_it_is(calls: PluginCalls) -> None:
    assert calls.call(CHURN, max, 1, 2, stage="score") == 2
    assert calls.problems == []


def test_a_call_of_our_own_that_only_computes_is_made_in_the_callers_thread(calls: PluginCalls) -> None:
    here, elsewhere = calls.call_all(
        [Call(CHURN, threading.get_ident, (), "score", here=here) for here in (True, False)]
    )

    assert here == threading.get_ident() != elsewhere


@pytest.mark.parametrize("here", [True, False])
def test_a_failure_is_a_problem_in_any_thread(calls: PluginCalls, here: bool) -> None:
    answers = calls.call_all([Call(CHURN, failing(ValueError("bad")), (), "score", here=here)])

    assert answers == calls.problems
    assert "bad" in calls.problems[0].error


@pytest.mark.parametrize(
    "error", [ValueError("bad"), SystemExit(3), KeyboardInterrupt(), StopEverythingError(), GeneratorExit()]
)
def test_whatever_is_raised_becomes_a_problem(calls: PluginCalls, error: BaseException) -> None:
    problem = calls.call(CHURN, failing(error), stage="score")

    assert isinstance(problem, Problem)
    assert (problem.plugin, problem.distribution, problem.stage) == ("churn", "satchel-churn", "score")
    assert type(error).__name__ in problem.error
    assert calls.problems == [problem]


def test_a_bare_name_is_a_part_of_satchel(calls: PluginCalls) -> None:
    problem = calls.call("gather", failing(ValueError("bad")), stage="gather")

    assert str(problem).startswith("gather: gather: ValueError: bad")


def test_a_hang_is_given_up_and_the_plugin_is_off(hasty: PluginCalls) -> None:
    begun = time.monotonic()
    problem = hasty.call(CHURN, time.sleep, 60, stage="score")
    again = hasty.call(CHURN, max, 1, 2, stage="score")

    assert time.monotonic() - begun < 30
    assert "no answer after 0.1 s" in str(problem)
    assert isinstance(again, Problem)
    assert hasty.problems == [problem]


def test_a_busy_loop_is_stopped(hasty: PluginCalls) -> None:
    def spin() -> None:
        while True:
            pass

    hasty.call("spinner", spin, stage="score")
    threads = [thread for thread in threading.enumerate() if thread.name == "satchel score spinner"]
    for thread in threads:
        thread.join(timeout=20)

    assert not [thread for thread in threads if thread.is_alive()]


def test_threads_of_calls_end_with_them(calls: PluginCalls) -> None:
    used = calls.call_all([Call(CHURN, threading.get_ident, (), "score") for _ in range(50)])

    assert not {thread.ident for thread in threading.enumerate() if _has_ended(thread)} & set(used)


def _has_ended(thread: threading.Thread) -> bool:
    if thread is not threading.main_thread():
        thread.join(timeout=10 if thread.name.startswith("satchel") else 0)
    return thread.is_alive() and thread.name.startswith("satchel score")


def test_after_three_failures_a_plugin_is_off(calls: PluginCalls) -> None:
    for _ in range(3):
        calls.call(CHURN, failing(ValueError("bad")), stage="score")

    assert isinstance(calls.call(CHURN, max, 1, 2, stage="score"), Problem)
    assert calls.problems[-1].error.endswith("off for the rest of the run after 3 failures")
    assert len(calls.problems) == 3
    assert calls.call(Named("other"), max, 1, 2, stage="score") == 2


def test_an_endless_answer_is_cut_and_reported(calls: PluginCalls) -> None:
    assert calls.call_all([Call(CHURN, itertools.count, (), "gather", 3)])[0] == [0, 1, 2]
    assert calls.problems[0].error == "more answers than 3; the rest was left out"


def test_an_answer_of_just_the_cap_is_whole(calls: PluginCalls) -> None:
    assert calls.call_all([Call(CHURN, iter, ((1, 2, 3),), "gather", 3)])[0] == [1, 2, 3]
    assert calls.problems == []


def test_what_is_raised_while_an_answer_is_read_is_a_problem(calls: PluginCalls) -> None:
    def answers() -> Iterator[int]:
        yield 1
        raise OSError("gone")

    assert isinstance(calls.call_all([Call(CHURN, answers, (), "gather", 10)])[0], Problem)


@pytest.mark.parametrize("trusted", [True, False])
def test_who_asks_for_tracebacks_gets_them_of_trusted_plugins_too(
    calls: PluginCalls, trusted: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    shown: list[BaseException] = []
    monkeypatch.setattr(PluginCalls, "error_listeners", [shown.append])
    mistake = ValueError("bad")

    calls.call(CHURN._replace(trusted=trusted), failing(mistake), stage="score")
    with pytest.raises(PluginError):
        calls.call_or_raise(CHURN._replace(trusted=trusted), failing(mistake), stage="pack")

    assert shown == [mistake, mistake]


def test_no_iterable_is_a_problem(calls: PluginCalls) -> None:
    def nothing() -> Any:
        return None

    assert isinstance(calls.call_all([Call(CHURN, nothing, (), "gather", 10)])[0], Problem)


def test_a_check_runs_where_the_plugin_runs(calls: PluginCalls) -> None:
    check = partial(check_scores, count=2)
    answers = calls.call_all([Call(CHURN, list, ((0.5,),), "score", check=check)])

    assert str(answers[0]).endswith("score: returned scores for 1 of 2 parts")


@given(st.lists(st.floats(0, 0.01), max_size=8))
def test_answers_are_in_the_order_of_the_calls(delays: list[float]) -> None:
    def late(delay: float, place: int) -> int:
        time.sleep(delay / 10)
        return place

    batch = [Call(CHURN, late, (delay, place), "score") for place, delay in enumerate(delays)]

    assert PluginCalls().call_all(batch) == list(range(len(delays)))


def test_calls_run_side_by_side(calls: PluginCalls) -> None:
    barrier = threading.Barrier(3, timeout=4)
    assert not [
        answer
        for answer in calls.call_all([Call(CHURN, barrier.wait, (), "score")] * 3)
        if isinstance(answer, Problem)
    ]


def test_one_hang_does_not_hold_up_the_others(hasty: PluginCalls) -> None:
    hanging = Call(Named("slow"), time.sleep, (60,), "score")
    answers = hasty.call_all([hanging, *[Call(CHURN, max, (1, 2), "score")] * 5])

    assert isinstance(answers[0], Problem)
    assert answers[1:] == [2] * 5


def test_what_a_plugin_prints_goes_to_stderr(calls: PluginCalls, capsys: pytest.CaptureFixture[str]) -> None:
    calls.call(CHURN, print, "from the plugin", stage="score")
    print("from outside")

    out, err = capsys.readouterr()
    assert (out, err) == ("from outside\n", "from the plugin\n")


def test_other_threads_keep_their_stdout(calls: PluginCalls, capsys: pytest.CaptureFixture[str]) -> None:
    def outside() -> None:
        thread = threading.Thread(target=print, args=("an application's line",))
        thread.start()
        thread.join()

    calls.call(CHURN, outside, stage="score")

    assert capsys.readouterr().out == "an application's line\n"


def test_stdout_is_put_back_also_where_the_plugin_replaced_it(calls: PluginCalls) -> None:
    before = sys.stdout

    def replace() -> None:
        sys.stdout = sys.stderr

    calls.call(CHURN, replace, stage="score")

    assert sys.stdout is before


def test_changed_arguments_are_thrown_away_and_reported(calls: PluginCalls) -> None:
    task, item = Task("the task"), ContextItem("file:a", "files", "file", "a")

    def change(task: Task, items: tuple[ContextItem, ...]) -> int:
        object.__setattr__(task, "text", "other")
        object.__setattr__(items[0], "id", "other")
        return 1

    assert calls.call(CHURN, change, task, [item], stage="score") == 1
    assert (task.text, item.id) == ("the task", "file:a")
    assert "changed its arguments" in calls.problems[0].error


def test_a_list_is_handed_out_as_a_tuple(calls: PluginCalls) -> None:
    values = [1, 2]

    assert calls.call(CHURN, type, values, stage="score") is tuple
    assert calls.problems == []


def test_a_chosen_plugin_that_fails_is_an_error(calls: PluginCalls) -> None:
    with pytest.raises(PluginError, match=r"churn \(from satchel-churn\): pack: ValueError: bad"):
        calls.call_or_raise(CHURN, failing(ValueError("bad")), stage="pack")


def test_a_chosen_plugin_that_hangs_is_an_error_then_and_later(hasty: PluginCalls) -> None:
    for _ in range(2):
        with pytest.raises(PluginError, match="no answer after"):
            hasty.call_or_raise(CHURN, time.sleep, 60, stage="pack")


def test_an_error_that_a_chosen_plugin_raises_on_purpose_passes_through(calls: PluginCalls) -> None:
    with pytest.raises(BudgetError):
        calls.call_or_raise(CHURN, failing(BudgetError(1, [("a", 2)])), stage="pack")


def test_without_a_deadline_the_callers_own_thread_is_used() -> None:
    calls = PluginCalls(deadline_seconds=None)

    assert calls.call(CHURN, threading.get_ident, stage="score") == threading.get_ident()
    assert isinstance(calls.call(CHURN, failing(SystemExit(1)), stage="score"), Problem)


def test_without_a_deadline_ctrl_c_gets_through() -> None:
    with pytest.raises(KeyboardInterrupt):
        PluginCalls(deadline_seconds=None).call(CHURN, failing(KeyboardInterrupt()), stage="score")


def test_each_call_is_witnessed() -> None:
    seen: list[tuple[str, str, str]] = []
    calls = PluginCalls(
        started=lambda plugin, stage: seen.append(("start", plugin.name, stage)),
        finished=lambda plugin, stage: seen.append(("end", plugin.name, stage)),
    )
    calls.call(CHURN, max, 1, 2, stage="score")
    calls.call_or_raise(CHURN, max, 1, 2, stage="pack")

    stages = [(event, stage) for event, _, stage in seen]
    assert stages == [("start", "score"), ("end", "score"), ("start", "pack"), ("end", "pack")]


@given(st.text(max_size=2_000))
def test_an_error_is_described_in_one_short_printable_line(text: str) -> None:
    line = describe_error(ValueError(text))

    assert line.isprintable()
    assert len(line) < 400


@pytest.mark.parametrize(("bad", "told"), [(None, "None"), (3, "an int")])
def test_what_is_no_list_is_told_with_what_is_expected(bad: Any, told: str) -> None:
    with pytest.raises(BrokenContractError, match=f"returned {told}, expected a list of scores"):
        check_scores(bad, 1)


def test_an_error_whose_text_cant_be_made_is_described_by_its_class() -> None:
    class MuteError(Exception):
        def __str__(self) -> str:
            raise ValueError

    assert describe_error(MuteError()) == "MuteError: its text can't be shown"


@given(st.lists(st.floats(0, 1)))
def test_good_scores_pass_unchanged(scores: list[float]) -> None:
    assert check_scores(scores, len(scores)) == scores


@pytest.mark.parametrize("bad", [float("nan"), float("inf"), -0.1, 1.1, "1", None, True])
def test_a_score_that_is_no_number_from_0_to_1_is_refused(bad: object) -> None:
    with pytest.raises(BrokenContractError, match="score 1 is"):
        check_scores([0.5, bad], 2)


@pytest.mark.parametrize(
    "item",
    [
        "text",
        ContextItem("", "files", "file", "t", text="t"),
        ContextItem("a", "files", "file", "t"),
        ContextItem("a", "files", "file", "t", text="t", relevance=float("nan")),
        ContextItem("a", "files", "file", "t", text="t", relevance=2),
        ContextItem("a", "files", "file", b"t", text="t"),  # type: ignore[arg-type]
    ],
)
def test_an_item_that_is_not_well_formed_is_refused(item: object) -> None:
    with pytest.raises(BrokenContractError, match="item"):
        check_items([item])


@pytest.mark.parametrize(("load", "seconds"), [(0.0, 10.0), (1.0, 10.0), (2.5, 25.0), (100.0, 60.0)])
def test_a_deadline_is_longer_on_a_busy_machine(load: float, seconds: float) -> None:
    assert extend_deadline(10.0, lambda: load) == seconds


@pytest.mark.parametrize("seconds", [None, 0.1, 4.9])
def test_a_short_deadline_is_meant(seconds: float | None) -> None:
    assert extend_deadline(seconds, lambda: 5.0) == seconds


def test_the_load_of_a_machine_is_no_negative_number() -> None:
    assert load_average() >= 0


@pytest.mark.parametrize(
    ("check", "told"),
    [
        (
            partial(checks.check_parts, [Part("key", "a", (1, 9))], "one\ntwo"),
            "has lines 1 to 9, but the text ends at line 2",
        ),
        (
            partial(checks.check_parts, [Part("key", "a", (1, 2)), Part("key", "b", (2, 3))], "1\n2\n3"),
            "part 'b' has lines 2 to 3, but the part before it ends at line 2",
        ),
        (partial(checks.check_parts, [Part("key", "a", (0, 1))], "1\n2"), "but lines count from 1 and rise"),
        (partial(checks.plain_int, -1, "max_items"), "max_items is -1, not 0 or more$"),
        (partial(checks.plain_float, -1.0, "max_tokens", least=0.0), "max_tokens is -1, not 0 or more$"),
        (partial(checks.plain_float, 2e6, "weight", least=0.0, most=1e6), "not between 0 and 1000000$"),
        (partial(checks.check_rules, None), "the rules: None, not a list$"),
        (partial(checks.check_messages, None), "the messages: None, not a list$"),
        (partial(checks.check_signs, None), "returned None, expected a list of signs$"),
        (partial(checks.check_json, [object()], list), "returned a list with an object, not JSON$"),
        (partial(checks.check_devices, [Device("", 2, 1, source="here")]), "device '' has no name$"),
        (partial(checks.check_devices, [Device("T4", 2, 1, source="")]), "device 'T4' has no source$"),
    ],
)
def test_a_wrong_answer_is_told_with_what_was_expected(check: Callable[[], object], told: str) -> None:
    with pytest.raises(BrokenContractError, match=told):
        check()


def test_an_error_in_a_library_is_told_with_the_line_of_the_plugin(calls: PluginCalls) -> None:
    def read() -> Any:
        return json.loads("{")

    answer = calls.call(CHURN, read, stage="gather")

    line = read.__code__.co_firstlineno + 1
    assert str(answer).endswith(f"(test_host_calling.py:{line})")
