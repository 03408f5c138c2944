"""The report counts failures, compares the same tasks, and keeps what was measured before."""

from __future__ import annotations

import itertools
import json
import xml.etree.ElementTree as ET
from collections.abc import Sequence
from pathlib import Path

import pytest
import retrieval
from mined.judging import NOTHING, Score, Shown
from mined.plots import Panel, draw
from mined.sample import FIXES, generate
from mined.systems import Asked

GOOD = Score(1.0, 1.0, 0.5, 1.0, 3, 0.25)


def row(system: str = "satchel", budget: int = 4_000, score: Score = GOOD, error: str = "") -> retrieval.Row:
    return retrieval.Row("shop", "c0ffee", system, budget, score, 0.5, error)


@pytest.fixture(scope="module")
def office(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the sample repository."""
    return generate(tmp_path_factory.mktemp("sample") / "office")


def whole_tree(question: Asked, budget: int) -> Sequence[Shown]:
    return [Shown(path, question.read(path)) for path in question.paths]


def broken(question: Asked, budget: int) -> Sequence[Shown]:
    raise RuntimeError("it fell over")


@pytest.mark.weekly
def test_every_fix_of_the_sample_is_a_task_and_can_be_found(office: Path) -> None:
    rows = list(retrieval.measure(office, {"bm25": whole_tree}, tasks=20, budgets=(100_000,)))

    assert len(rows) == len(FIXES)
    assert {row.score[:3] for row in rows} == {(1.0, 1.0, 1.0)}


@pytest.mark.weekly
def test_the_sample_is_the_same_everywhere(office: Path, tmp_path: Path) -> None:
    heads = [(root / ".git/refs/heads/main").read_text() for root in (office, generate(tmp_path / "again"))]

    assert heads[0] == heads[1]


def test_a_system_that_fails_counts_as_nothing_shown(office: Path) -> None:
    rows = list(retrieval.measure(office, {"aider": broken}, tasks=1, budgets=(500,)))

    assert [(row.score, row.error) for row in rows] == [(NOTHING, "it fell over")]
    assert "1 answers failed" in retrieval.table(rows, "office")


def test_a_repository_without_a_fitting_commit_is_said_to_be_so(polyglot: Path) -> None:
    with pytest.raises(SystemExit, match=r"no commit of .* fits"):
        list(retrieval.measure(polyglot, {}, tasks=1, budgets=(500,)))


def test_a_table_gives_percents_by_system_and_budget() -> None:
    text = retrieval.table([row("bm25", score=NOTHING), row()], "shop")

    assert text.splitlines()[-2:] == [
        "| satchel | 4,000 | 100 | 100 | 50 | **83** | 25 | 1.00 | 3 |",
        "| bm25 | 4,000 | 0 | 0 | 0 | **0** | - | 0.00 | 0 |",
    ]


def test_several_repositories_get_a_table_for_all_first() -> None:
    text = retrieval.report([row(), row()._replace(repository="bank")])

    assert [line for line in text.splitlines() if line[:2] == "**"] == [
        "**all**, 2 tasks",
        "**shop**, 1 tasks",
        "**bank**, 1 tasks",
    ]


def test_what_was_measured_is_read_back_as_it_was() -> None:
    rows = [row(), row("aider", 16_000, NOTHING, "it fell over")]

    assert retrieval.from_json(retrieval.as_json(rows)) == rows


@pytest.mark.weekly
def test_asking_one_system_again_keeps_the_answers_of_the_others(office: Path, tmp_path: Path) -> None:
    common = ["--repo", str(office), "--tasks", "1", "--budgets", "600", "--out", str(tmp_path)]
    retrieval.main([*common, "--systems", "bm25"])
    retrieval.main([*common, "--again", "satchel"])

    answers = json.loads((tmp_path / "retrieval.json").read_text())["answers"]
    assert [answer["system"] for answer in answers] == ["satchel", "bm25"]
    assert "satchel</text>" in (tmp_path / "retrieval.svg").read_text()


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--repo", "gone"], "no git repository"),
        (["--repo", ".", "--systems", "grep"], "no system is called grep"),
    ],
)
def test_a_mistake_is_told_in_one_line(
    options: list[str], said: str, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    with pytest.raises(SystemExit) as ended:
        retrieval.main([*options, "--out", str(tmp_path)])

    assert said in f"{ended.value} {capsys.readouterr().err}"


def test_a_plot_is_svg_with_a_line_for_each_system() -> None:
    lines = {"satchel": {4_000: 0.8, 16_000: 0.9}, "a < b": {4_000: 0.1}}
    drawn = ET.fromstring(draw([Panel("mean", lines), Panel("gold", lines)]))

    assert len(drawn.findall(".//{*}polyline")) == 4
    assert {text.text for text in drawn.findall(".//{*}text")} >= {"mean", "gold", "a < b", "16,000"}


def test_names_in_a_plot_stand_apart() -> None:
    lines = {name: {4_000: 0.5} for name in ("a", "b", "c")}
    drawn = ET.fromstring(draw([Panel("mean", lines)]))
    places = sorted(float(text.get("y", "")) for text in drawn.iter() if text.text in lines)

    assert [round(after - before) for before, after in itertools.pairwise(places)] == [13, 13]
