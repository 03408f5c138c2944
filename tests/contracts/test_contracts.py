"""The contract classes pass what keeps the contract, and fail what breaks it."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, ClassVar

import attrs
import pytest
from hypothesis import Phase, settings
from tests.core.repositories import Asked, Plain, packed, recount, write_files

from satchel import (
    BudgetError,
    Candidate,
    ContextItem,
    Device,
    Event,
    Host,
    Level,
    Part,
    Selection,
    Task,
    Workspace,
    hookimpl,
)
from satchel.plugin_api import Exchange, Message
from satchel.testing import contracts
from satchel.testing.contracts import FourLetters, exchanges


@attrs.frozen
class Files:
    name: ClassVar[str] = "all-files"
    wave: ClassVar[int] = 1
    max_items: int = 10
    max_tokens: int = 100

    def gather(self, task: Task, workspace: Workspace, best: Sequence[ContextItem]) -> list[ContextItem]:
        paths = [entry.path for entry in workspace.files.entries()]
        return [ContextItem(f"file:{path}", self.name, "file", path, path=path) for path in paths]


@attrs.frozen
class Half:
    name: ClassVar[str] = "half"
    kinds: ClassVar[frozenset[str]] = frozenset({"file"})
    grain: ClassVar[str] = "item"
    weight: float = 1.0

    def score(self, parts: Sequence[Part], task: Task, workspace: Workspace) -> list[float]:
        return [0.5] * len(parts)


@attrs.frozen
class Lines:
    name: ClassVar[str] = "lines"
    version: ClassVar[str] = "1"

    def claims(self, item: ContextItem) -> float:
        return 0.1

    def split(self, item: ContextItem) -> list[Part]:
        lines = (item.text or "").split("\n")
        return [Part("block", "", (place, place)) for place, _ in enumerate(lines, 1)]


@attrs.frozen
class Largest:
    """The largest option that still fits, candidate by candidate."""

    name: ClassVar[str] = "largest"

    def pack(self, candidates: Sequence[Candidate], budget: int) -> Selection:
        choices: dict[str, int] = {}
        pins = {
            c.id: min((o.tokens, c.floor + n) for n, o in enumerate(c.options[c.floor :]))
            for c in candidates
            if c.pinned
        }
        left = budget - sum(tokens for tokens, _ in pins.values())
        if left < 0:
            raise BudgetError(budget, [(id_, tokens) for id_, (tokens, _) in pins.items()])
        for candidate in sorted(candidates, key=lambda one: one.id):
            floor = pins.get(candidate.id, (0, 0))[0]
            fits = [n for n, option in enumerate(candidate.options) if option.tokens <= left + floor]
            if fits and (not candidate.pinned or fits[-1] >= candidate.floor):
                choices[candidate.id] = fits[-1]
                left -= candidate.options[fits[-1]].tokens - floor
        chosen = [c.options[choices[c.id]] for c in candidates if c.id in choices]
        return Selection(choices, sum(o.tokens for o in chosen), sum(o.worth for o in chosen))


@attrs.frozen
class WholeFiles:
    """Takes an item whole or not at all; of a pin that does not fit whole, the least that is allowed."""

    name: ClassVar[str] = "whole-files"
    whole: ClassVar[bool] = True

    def pack(self, candidates: Sequence[Candidate], budget: int) -> Selection:
        choices = {one.id: one.floor for one in candidates if one.pinned}
        costs = [(one.id, one.options[one.floor].tokens) for one in candidates if one.pinned]
        left = budget - sum(tokens for _, tokens in costs)
        if left < 0:
            raise BudgetError(budget, costs)
        for one in sorted(candidates, key=lambda one: (-one.position, one.id)):
            whole, last = one.options[-1], len(one.options) - 1
            more = whole.tokens - (one.options[one.floor].tokens if one.pinned else 0)
            if whole.level is Level.FULL and more <= left:
                choices[one.id], left = last, left - more
        chosen = [one.options[choices[one.id]] for one in candidates if one.id in choices]
        return Selection(choices, budget - left, sum(option.worth for option in chosen))


@attrs.frozen
class Count:
    name: ClassVar[str] = "count"

    def compress(self, found: Sequence[Exchange], target: int, tokenizer: Any) -> Message | None:
        text = f"{len(found)} exchanges left out"
        return Message("user", text) if found and tokenizer.count([text])[0] <= target else None


@attrs.frozen
class NoCards:
    name: ClassVar[str] = "no-cards"

    def devices(self) -> tuple[Device, ...]:
        return ()


def ignore(event: Event) -> None:
    return None


class TestFiles(contracts.ProviderContract):
    plugin = Files


class TestHalf(contracts.ScorerContract):
    plugin = Half
    test_loading_it_imports_nothing_heavy = None  # it stands in the module of Files


class TestLines(contracts.RepresenterContract):
    plugin = Lines
    test_loading_it_imports_nothing_heavy = None  # it stands in the module of Files


class TestLargest(contracts.PackerContract):
    plugin = Largest
    test_loading_it_imports_nothing_heavy = None  # it stands in the module of Files


class TestWholeFiles(contracts.PackerContract):
    plugin = WholeFiles
    test_loading_it_imports_nothing_heavy = None  # it stands in the module of Files


class TestCount(contracts.CompressorContract):
    plugin = Count
    test_loading_it_imports_nothing_heavy = None  # it stands in the module of Files


class TestNoCards(contracts.GpuBackendContract):
    plugin = NoCards
    test_loading_it_imports_nothing_heavy = None  # it stands in the module of Files


class TestFourLetters(contracts.TokenizerContract):
    plugin = FourLetters
    test_loading_it_imports_nothing_heavy = None  # it stands in the module of Files


class TestIgnore(contracts.ObserverContract):
    plugin = ignore
    test_loading_it_imports_nothing_heavy = None  # it stands in the module of Files


ticks = itertools.count()


def broken(base: type[Any], **methods: Any) -> type[Any]:
    return attrs.frozen(type("Broken", (base,), {**methods, "__slots__": ()}))


def score(answer: Callable[[int], Any]) -> type[Any]:
    return broken(Half, score=lambda self, parts, task, workspace: answer(len(parts)))


def scorer_test(plugin: type[Any], test: str) -> Callable[[Workspace], None]:
    contract = type("Contract", (contracts.ScorerContract,), {"plugin": plugin})()
    found: Callable[[Workspace], None] = getattr(contract, test)
    return found


@pytest.mark.parametrize("answer", [lambda n: [0.5], lambda n: [float("nan")] * n, lambda n: [2] * n])
def test_the_scorer_contract_refuses_bad_numbers(answer: Any, satchel_workspace: Workspace) -> None:
    test = scorer_test(score(answer), "test_the_same_parts_get_the_same_numbers")

    with pytest.raises(Exception, match="score"):
        test(satchel_workspace)


def test_the_scorer_contract_refuses_chance(satchel_workspace: Workspace) -> None:
    chance = score(lambda n: [1 / (2 + next(ticks))] * n)

    with pytest.raises(AssertionError):
        scorer_test(chance, "test_the_same_parts_get_the_same_numbers")(satchel_workspace)


def test_the_scorer_contract_refuses_an_item_of_two_numbers(satchel_workspace: Workspace) -> None:
    rising = score(lambda n: [place / n for place in range(n)])

    with pytest.raises(AssertionError):
        scorer_test(rising, "test_all_parts_of_an_item_get_one_number_where_the_grain_is_item")(
            satchel_workspace
        )


def test_the_scorer_contract_refuses_writing(satchel_workspace: Workspace) -> None:
    def write(self: Any, parts: Any, task: Any, workspace: Workspace) -> list[float]:
        (workspace.root / "notes.txt").write_text("mine")
        return [0.5] * len(parts)

    with pytest.raises(AssertionError):
        scorer_test(broken(Half, score=write), "test_it_writes_nothing")(satchel_workspace)


@pytest.mark.parametrize(
    "parts",
    [
        [Part("block", "", (1, 1)), Part("block", "", (1, 2))],
        [Part("block", "", (1, 99))],
        [Part("block", "", (0, 1))],
        [Part("block", "", (2, 2), head=(1, 1))],
        ["text"],
    ],
)
def test_the_representer_contract_refuses_bad_parts(parts: list[Any]) -> None:
    contract = contracts.RepresenterContract()
    item = ContextItem("file:a", "files", "file", "a", text="one\ntwo\n")

    with pytest.raises(Exception, match="part"):
        contract.test_parts_are_in_order_inside_the_text_and_apart(
            broken(Lines, split=lambda self, item: parts)(), [item]
        )


@pytest.mark.parametrize("choice", [{}, {"item-000": 0}, {"stranger": 0}])
def test_the_packer_contract_refuses_what_leaves_room_unused(choice: dict[str, int]) -> None:
    lazy = broken(Largest, pack=lambda self, candidates, budget: Selection(choice, 0, 0.0))
    contract = type("Contract", (contracts.PackerContract,), {"plugin": lazy})()

    with pytest.raises(AssertionError):
        contract.test_everything_is_chosen_where_everything_fits()


def test_the_packer_contract_refuses_whole_items_alone_without_the_word_for_it() -> None:
    unsaid = type("Unsaid", (WholeFiles,), {"whole": False})
    contract = type("Contract", (contracts.PackerContract,), {"plugin": unsaid})()

    with pytest.raises(AssertionError, match="needs the class variable `whole = True`"):
        contract.test_what_a_question_needs_of_everything_is_chosen_where_it_fits()


def test_the_packer_contract_refuses_what_breaks_the_budget() -> None:
    def pack(self: Any, candidates: Sequence[Candidate], budget: int) -> Selection:
        tokens = sum(candidate.options[-1].tokens for candidate in candidates)
        return Selection({c.id: len(c.options) - 1 for c in candidates}, tokens, 0.0)

    contract = type("Contract", (contracts.PackerContract,), {"plugin": broken(Largest, pack=pack)})()
    before = settings.get_current_profile_name()
    settings.register_profile("any example", settings(), max_examples=50, phases=[Phase.generate])
    settings.load_profile("any example")  # a small one takes two seconds to find

    try:
        with pytest.raises(AssertionError):
            contract.test_budget_and_pins_are_kept_and_order_does_not_matter()
    finally:
        settings.load_profile(before)


def test_the_compressor_contract_refuses_too_long_a_message() -> None:
    wordy = broken(Count, compress=lambda self, found, target, tokenizer: Message("user", "word " * 10_000))

    with pytest.raises(AssertionError):
        contracts.CompressorContract().test_its_message_is_within_the_target(wordy(), 30)


def test_the_tokenizer_contract_refuses_a_count_of_nothing() -> None:
    blind = broken(FourLetters, count=lambda self, texts: [0] * len(texts))

    with pytest.raises(AssertionError):
        contracts.TokenizerContract().test_every_text_has_a_count(blind())


def test_a_class_without_a_default_is_refused() -> None:
    @attrs.frozen
    class Needy(Half):
        needed: int = attrs.field(kw_only=True)

    contract = type("Contract", (contracts.ScorerContract,), {"plugin": Needy})()

    with pytest.raises(AssertionError):
        contract.test_every_setting_has_a_default()


def test_the_host_fixture_is_empty(satchel_host: Host) -> None:
    assert satchel_host.entries == ()


def test_the_workspace_fixture_is_a_repository_with_two_commits(satchel_workspace: Workspace) -> None:
    newest, oldest = satchel_workspace.history.commits()

    assert newest.paths == ("shop/cart.py",)
    assert len(oldest.paths) == len(satchel_workspace.files.entries()) == 4


def test_samples_are_whole_exchanges() -> None:
    assert [exchange.messages[0].role for exchange in exchanges()] == ["user", "assistant"] * 6


@pytest.mark.weekly
def test_the_pytest_plugin_loads_nothing_heavy() -> None:
    import subprocess
    import sys

    script = (
        "import pytest, sys; before = set(sys.modules); import satchel.testing.fixtures;"
        "print(*sorted(name for name in set(sys.modules) - before if not name.startswith('satchel')))"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)

    assert done.stdout.split() == []


def test_the_how_to_page_shows_the_example_as_it_is() -> None:
    root = Path(__file__).parents[2]
    page = (root / "docs/how-to/write-a-scorer.md").read_text(encoding="utf-8")

    for name in ("satchel_churn/__init__.py", "tests/test_churn.py"):
        code = (root / "examples/scorer-plugin" / name).read_text(encoding="utf-8")
        assert f"<!-- file: {name} -->\n```python\n{code}```\n" in page


def test_the_example_is_at_most_15_lines() -> None:
    file = Path(__file__).parents[2] / "examples/scorer-plugin/satchel_churn/__init__.py"

    assert len([line for line in file.read_text(encoding="utf-8").splitlines() if line.strip()]) <= 15


class Wholly:
    """Installs the packer of whole items."""

    @staticmethod
    @hookimpl
    def satchel_packers() -> list[type[WholeFiles]]:
        return [WholeFiles]


def test_a_packer_of_whole_items_answers_a_question_with_whole_files(tmp_path: Path) -> None:
    lines = [f"def step_{at}(value):\n    return value + {at}\n\n\n" for at in range(40)]
    answer = 'def log_panic(error):\n    """Log a panic with its stack."""\n    print(error)\n\n\n'
    root = write_files(tmp_path / "w", {"recovery.py": "".join([*lines, answer]), "other.py": "".join(lines)})
    asked = Asked(strategy="whole-files", host=Host.of(Plain(), Wholly(), deadline_seconds=None))

    bundle = packed("how is a panic logged?", root, 4_000, asked)

    assert [(item.path, item.level) for item in bundle.items] == [("recovery.py", "full")]
    assert recount(bundle.text) == bundle.tokens <= 4_000
    assert "return value + 7\n" in bundle.text
