"""Blending: saliences from scores, weights that count, scorers that fail."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import ClassVar

import attrs
import pytest
from hypothesis import given
from hypothesis import strategies as st

from satchel import ContextItem, Part, Task, Workspace
from satchel.config import Config
from satchel.host import Loaded, PluginKind
from satchel.packing import Judge
from satchel.packing.pipeline import BEST
from satchel.packing.scoring import BROUGHT, LEAST, blend

from .fakes import Letters, NotANumber, Notes, Raising, host_with
from .repositories import Asked, packed
from .texts import file_item

scores = st.floats(0, 1)


def judge(name: str, *, grain: str = "part", weight: float = 1.0) -> Judge:
    class Scorer:
        kinds: ClassVar[frozenset[str]] = frozenset({"file"})

    scorer = Scorer()
    scorer.grain = grain  # type: ignore[attr-defined]
    return Judge(Loaded(PluginKind.SCORER, name, Scorer, "test"), scorer, weight)  # type: ignore[arg-type]


def blended(by_path: dict[str, list[float]], *, grain: str = "part", relevance: float = 1.0):  # type: ignore[no-untyped-def]
    items = [
        (
            attrs.evolve(file_item("", path), relevance=relevance),
            tuple(Part("f", f"{path}{at}", (at + 1, at + 1)) for at in range(len(values))),
        )
        for path, values in by_path.items()
    ]
    answers = {item.id: by_path[item.path] for item, _ in items}
    return blend(items, [(judge("one", grain=grain), answers)])


@given(
    values=st.dictionaries(st.sampled_from("abcdef"), st.lists(scores, min_size=1, max_size=4), min_size=1)
)
def test_saliences_are_numbers_from_zero_to_one_best_first(values: dict[str, list[float]]) -> None:
    scored = blended(values)

    assert [one.salience for one in scored] == sorted((one.salience for one in scored), reverse=True)
    for one in scored:
        assert len(one.saliences) == len(one.parts)
        assert all(0 < salience <= 1 and math.isfinite(salience) for salience in (*one.saliences, 1.0))


def test_the_best_item_and_the_best_part_have_all_the_salience() -> None:
    scored = blended({"a": [0.2, 0.1], "b": [0.5, 0.9]})

    assert (scored[0].item.path, scored[0].salience) == ("b", 1.0)
    assert scored[0].saliences[1] == 1.0 > scored[0].saliences[0] > scored[1].saliences[0]


def test_without_any_evidence_everything_is_as_good_as_the_rest() -> None:
    scored = blended({"b": [0.0], "a": [0.0, 0.0]})

    assert [one.item.path for one in scored] == ["a", "b"]
    assert len({salience for one in scored for salience in one.saliences}) == 1


def test_items_carry_each_scorers_best_number() -> None:
    assert {one.item.path: dict(one.scores) for one in blended({"a": [0.2, 0.7], "b": [0.1]})} == {
        "a": {"one": 0.7},
        "b": {"one": 0.1},
    }


def test_the_relevance_that_a_provider_gives_counts() -> None:
    items = [
        (attrs.evolve(file_item("", path), relevance=relevance), (Part("f", path, (1, 1)),))
        for path, relevance in (("a", 0.1), ("b", 1.0))
    ]

    scored = blend(items, [(judge("one", grain="item"), {item.id: [0.5] for item, _ in items})])

    assert [one.item.path for one in scored] == ["b", "a"]


@pytest.mark.weekly
@pytest.mark.costly
@pytest.mark.parametrize("weight", [0.0, 20.0])
def test_weights_from_the_configuration_change_the_order(topics: Path, weight: float) -> None:
    config = Config(plugins={"scorer": {"letters": {"weight": weight, "letter": "video/frame"}}})
    plain = packed("invoice discount", topics, 2_000).items[0].path
    chosen = Config(plugins={"scorer": {"letters": {"weight": weight, "letter": "video/codec_view"}}})

    items = packed(
        "invoice discount", topics, 2_000, Asked(config=chosen, host=host_with(scorers=[Letters]))
    ).items

    assert config.plugins != chosen.plugins
    assert plain.startswith("billing/")
    assert items[0].path == ("video/codec_view.py" if weight else plain)
    assert ("letters" in items[0].scores) == bool(weight)


@pytest.mark.costly
@pytest.mark.parametrize(("scorer", "reason"), [(Raising, "no score today"), (NotANumber, "nan")])
def test_a_scorer_that_fails_is_left_out_and_told(polyglot: Path, scorer: type, reason: str) -> None:
    expected = packed("login", polyglot, 300)

    bundle = packed("login", polyglot, 300, Asked(host=host_with(scorers=[scorer])))

    assert bundle.text == expected.text
    assert [problem.stage for problem in bundle.problems] == ["score"]
    assert reason in bundle.problems[0].error


def test_the_weights_of_a_strategy_count(polyglot: Path) -> None:
    (polyglot / "zzz.py").write_text("newest = 1\n")
    orders = {
        strategy: [item.path for item in packed("login", polyglot, 5_000, Asked(strategy=strategy)).items]
        for strategy in ("recent", "relevance")
    }

    assert orders["recent"] != orders["relevance"]
    assert orders["relevance"][0] == "src/shop/login.py"


@pytest.mark.parametrize(("kind", "brought"), [("diff", True), ("file", False), ("instructions", False)])
def test_what_a_provider_brings_has_a_salience_that_no_word_gives(kind: str, *, brought: bool) -> None:
    silent = attrs.evolve(file_item("a.py", "x\n"), id="other:a", kind=kind)
    loud = file_item("b.py", "y\n")
    parts = (Part("block", "", (1, 1)),)

    scored = blend([(silent, parts), (loud, parts)], [(judge("words"), {loud.id: [1.0]})])

    saliences = {one.item.id: one.saliences[0] for one in scored}
    assert saliences[loud.id] == 1.0
    assert (saliences[silent.id] == BROUGHT) == brought
    assert saliences[silent.id] >= LEAST


@attrs.frozen
class Asking:
    """A scorer that notes what it is asked about."""

    asked: ClassVar[list[tuple[str, ...]]] = []
    name: ClassVar[str] = "asking"
    kinds: ClassVar[frozenset[str]] = frozenset({"file"})
    grain: ClassVar[str] = "part"
    weight: float = 1.0

    def score(self, parts: Sequence[Part], task: Task, workspace: Workspace) -> Sequence[float]:
        Asking.asked.append(tuple(part.item for part in parts))
        return [0.5] * len(parts)


class Anything(Asking):
    """One that judges companions, too."""

    name: ClassVar[str] = "anything"
    kinds: ClassVar[frozenset[str]] = frozenset({"*"})


class Companion(Notes):
    """A provider that adds a note for each of what was found first."""

    wave: ClassVar[int] = 2
    best: ClassVar[list[str]] = []

    def gather(self, task: Task, workspace: Workspace, best: Sequence[ContextItem]) -> Iterable[ContextItem]:
        Companion.best[:] = [item.path for item in best]
        return super().gather(task, workspace, best)


def test_a_scorer_is_asked_once_about_what_was_found_and_its_companions(polyglot: Path) -> None:
    Asking.asked.clear()

    result = packed("login", polyglot, 300, Asked(host=host_with(scorers=[Anything], providers=[Companion])))

    (asked,) = Asking.asked
    assert Companion.best[0] == next(item.path for item in result.items if item.kind == "file")
    assert len(Companion.best) == len(set(Companion.best)) <= BEST
    assert {id_ for id_ in asked if id_.startswith("note:")} == {"note:0", "note:1", "note:2"}
