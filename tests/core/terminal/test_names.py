"""What is left out is named: a name costs less than its line."""

from __future__ import annotations

from pathlib import Path

import pytest

from satchel import squeeze
from satchel.output import failure_name
from satchel.tokens import guess


@pytest.mark.parametrize(
    ("line", "name"),
    [
        ("FAILED tests/test_a.py::test_b[1-x] - KeyError: 'k'", ("test_a.py", "test_b[1-x]")),
        ("FAILED test_a.py::test_b - json.decoder.JSONDecodeError: no", ("test_a.py", "test_b")),
        ("test acct::tests::oob ... FAILED", ("", "acct::tests::oob")),
        ("FAIL: test_dict (tests.test_ut.TestCart.test_dict)", ("", "test_dict")),
        ("it failed", ("", "")),
    ],
)
def test_a_failure_has_a_file_and_a_name(line: str, name: tuple[str, str]) -> None:
    assert failure_name(line) == name


def test_a_small_budget_names_failures_under_their_file_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SATCHEL_STATE_DIR", str(tmp_path))
    failures = [
        f"FAILED tests/unit/test_cart.py::test_total_{at} - AssertionError: {at} != 7 in the third column"
        for at in range(12)
    ]
    text = "\n".join([*failures, "=== 12 failed, 3 passed in 0.4s ==="])

    shown = squeeze(text, budget=150, count=guess).text

    assert shown.count("test_cart.py::") < 5
    assert all(f"test_total_{at}" in shown for at in range(12))


@pytest.mark.costly
@pytest.mark.parametrize("name", ["test_total[{at}-of_a_cart]", "test_that_the_total_of_cart_{at}_is_kept"])
@pytest.mark.parametrize("verdict", ["=== 40 failed in 1.90s ===", "=== 40 failed, 2 passed in 1.90s ==="])
def test_names_of_many_failures_leave_room_for_a_message_and_the_verdict(
    name: str, verdict: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SATCHEL_STATE_DIR", str(tmp_path))
    names = [name.format(at=at) for at in range(40)]
    text = "\n".join(
        [
            "=== FAILURES ===",
            *(
                f"___ {name} ___\n\n    def test_total():\n>       assert find_total() == {at * 3}\n"
                f"E       AssertionError: assert {{'cart': {at * 2}}} == {{'cart': {at * 3}}}\n\n"
                f"tests/test_cart.py:{at + 7}: AssertionError"
                for at, name in enumerate(names)
            ),
            "=== short test summary info ===",
            *(f"FAILED tests/test_cart.py::{name} - AssertionError: assert..." for name in names),
            verdict,
        ]
    )

    shown = squeeze(text, command="pytest", budget=300).text
    everything = squeeze(text, command="pytest").text

    assert verdict in shown
    assert "E       AssertionError: assert {'cart': " in shown
    assert shown.count("[also: test_cart.py::test_t") == 1
    assert all(name in everything for name in names)


def test_codes_of_diagnostics_are_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SATCHEL_STATE_DIR", str(tmp_path))
    codes = ["E501", "W291", "F401", "E302", "C901", "N806"]
    text = "\n".join(
        f"app/m{at}.py:{at}:1: {codes[at % 6]} a rule of style is not followed here" for at in range(300)
    )

    shown = squeeze(text, budget=120, count=guess).text

    assert all(code in shown for code in codes)


def test_files_that_went_well_or_are_only_next_are_not_listed_behind_an_error() -> None:
    passed = [f" ✓ src/part{at}/cart.test.ts (8 tests) {at}ms" for at in range(60)]
    next_ = [f"Compiling 'src/part{at}/cart.py'..." for at in range(60)]
    dots = [f"tests/test_cart{at}.py ....s.. [ {at}%]" for at in range(60)]
    failed = "src/total.test.ts:43:26: error: expected 810 to be 900"

    for lines in (passed, next_, dots):
        assert "[also:" not in squeeze("\n".join([*lines, failed]), exit_code=1, budget=300).text
