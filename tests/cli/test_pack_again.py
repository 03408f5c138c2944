"""`satchel pack` asked the same question again: the same bytes, and never an answer of yesterday."""

from __future__ import annotations

from pathlib import Path

import pytest

from satchel.cli import run

Told = tuple[int, str, str]


def told(capfd: pytest.CaptureFixture[str], *argv: str) -> Told:
    code = run(["pack", *argv])
    out, err = capfd.readouterr()
    return code, out, err


@pytest.mark.costly
@pytest.mark.parametrize("options", [(), ("--format", "json"), ("--explain", "--format", "xml")])
def test_the_same_question_has_the_same_answer(
    shop: Path, capfd: pytest.CaptureFixture[str], options: tuple[str, ...]
) -> None:
    first = told(capfd, "fix the login", "--root", str(shop), *options)

    assert first[0] == 0
    assert told(capfd, "fix the login", "--root", str(shop), *options) == first


@pytest.mark.weekly
def test_other_options_have_another_answer(shop: Path, capfd: pytest.CaptureFixture[str]) -> None:
    first = told(capfd, "fix the login", "--root", str(shop))

    assert told(capfd, "fix the login", "--root", str(shop), "--budget", "60") != first
    as_json = told(capfd, "fix the mail", "--root", str(shop), "--format", "json")
    assert '"task":"fix the mail"' in as_json[1].replace('": ', '":')


def test_an_edit_is_seen_at_once(shop: Path, capfd: pytest.CaptureFixture[str]) -> None:
    for name in ("one", "two", "six"):
        (shop / "src/app.py").write_text(f"def login_{name}(): ...\n")
        for _ in range(2):
            assert f"login_{name}" in told(capfd, "fix the login", "--root", str(shop))[1]


def test_a_broken_configuration_is_told_although_an_answer_was_kept(
    shop: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    told(capfd, "fix the login", "--root", str(shop))
    (shop / "satchel.toml").write_text("budget = []\n")

    code, out, err = told(capfd, "fix the login", "--root", str(shop))

    assert (code, out) == (1, "") or code == 2
    assert "budget" in err


def test_a_report_that_git_ignores_is_seen_when_it_comes_and_when_it_changes(
    shop: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    (shop / ".gitignore").write_text("logs/\n")
    asked = ("fix the failing tests", "--root", str(shop))
    told(capfd, *asked)
    (shop / "logs").mkdir()

    for error in ("KeyError: 'apple'", "ValueError: pear"):
        (shop / "logs/test.log").write_text(f"FAILED tests/test_cart.py::test_total - {error}\n")
        assert error in told(capfd, *asked)[1]
