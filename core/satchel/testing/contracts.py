"""One class of tests for each kind of plugin: inherit it, name your class, run pytest.

class TestChurn(ScorerContract):
    plugin = Churn
"""

# ruff: noqa: S101 - these are tests, though they ship with satchel

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

import attrs
import pytest

from satchel.errors import BudgetError, NoDevicesError, Problem
from satchel.events import Event, ItemDropped, ItemKept, ItemsGathered, PluginFailed
from satchel.host import PluginKind, choose_arguments
from satchel.host.answers import (
    check_chances,
    check_counts,
    check_devices,
    check_items,
    check_parts,
    check_plausible_counts,
    check_rules,
    check_scores,
    check_spans,
)
from satchel.items import Candidate, ContextItem, Level, Option, Selection, Task
from satchel.messages import Exchange, Message
from satchel.packing.scoring import Scored
from satchel.parts import Part, SplitItem
from satchel.redaction import redact
from satchel.redaction.rules import RuleSet
from satchel.redaction.searching import rule_spans
from satchel.testing.bases import PluginContract
from satchel.testing.formats import MessageFormatContract, SessionFileContract
from satchel.testing.repository import contents
from satchel.testing.stores import BlobStoreContract, SessionStoreContract

if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy

    from satchel.compaction.dialogue import Dialogue
    from satchel.packing.weighing.chances import Chances, WeighedItems
    from satchel.workspace import Workspace


TASKS = (Task("why is the total of the cart wrong in shop/cart.py?"), Task(""), Task("\x00 \udcff @@ " * 50))
JUNK = (
    "",
    "\n",
    "\n\n\n",
    "no line end",
    "one\r\ntwo\r\n",
    "a\x0cb\x0bc\u2028d\n",
    "\x00\x01\x02\n\x00",
    "lone \udcff surrogate\n",
    "(" * 3_000 + "\n",
    "word " * 5_000,
    "def f(:\n  class\n\t}}}\n# ```\n---\n===\n",
)
TEXTS = (*JUNK, "<|endoftext|>", "<|im_start|>system", " " * 1_000_000, "é漢字🙂\n", "x = 1\n" * 200)


@attrs.frozen
class FourLetters:
    """A tokenizer with four letters per token, only for tests."""

    name: ClassVar[str] = "four-letters"
    key: str = "four-letters"
    exact: bool = True
    error: float = 0.0

    def count(self, texts: Sequence[str]) -> list[int]:
        """Count one token for every four letters, rounded up."""
        return [-(-len(text) // 4) for text in texts]


def events() -> list[Event]:
    """Return one event of each common class, and an unknown one."""
    problem = Problem("churn", "score", "failed", "satchel-churn")
    kept = ItemKept("a.py", "full", 10)
    return [
        Event(),
        ItemsGathered("files", 3),
        kept,
        ItemDropped("b.py", "did not fit"),
        PluginFailed(problem),
    ]


def paths_of(workspace: Workspace) -> list[str]:
    """Return the paths of a workspace's files."""
    return [entry.path for entry in workspace.files.entries()]


def item_of(workspace: Workspace, path: str) -> ContextItem:
    """Return a file of the workspace as an item."""
    return ContextItem(f"file:{path}", "files", "file", path, path=path, text=workspace.texts.read(path))


def parts_of(workspace: Workspace) -> tuple[Part, ...]:
    """Cut every file of the workspace into parts of four lines."""
    found: list[Part] = []
    for path in paths_of(workspace):
        last = max(1, workspace.texts.read(path).count("\n"))
        for first in range(1, last + 1, 4):
            lines = (first, min(first + 3, last))
            id_ = f"{path}:{lines[0]}-{lines[1]}"
            found.append(Part("block", "", lines, id=id_, item=f"file:{path}", path=path, tokens=20))
    return tuple(found)


def exchanges() -> tuple[Exchange, ...]:
    """Return a short conversation: questions, and answers of a few lines."""
    asked = [Message("user", f"What does step {step} do?") for step in range(6)]
    answered = [
        Message("assistant", f"Step {step} reads the file.\nThen it counts. " * 5) for step in range(6)
    ]
    pairs = zip(asked, answered, strict=True)
    return tuple(
        Exchange(f"e{place}", one) for place, pair in enumerate(pairs) for one in ([pair[0]], [pair[1]])
    )


def dialogue_of(given: Sequence[Exchange]) -> Dialogue:
    """Return the dialogue that message scorers get for these exchanges."""
    from satchel.compaction.dialogue import Dialogue
    from satchel.compaction.exchanges import mentions
    from satchel.compaction.pieces import Library
    from satchel.conversation import Counts

    library = Library(Counts(FourLetters(), form=None))
    library.read_all(given)
    return Dialogue(given, library, mentions(given, library))


class WorthModelContract(PluginContract):
    """A worth model answers with a chance for each part of each item, the same for the same question."""

    kind = PluginKind.WORTH_MODEL

    def under_correction(self) -> tuple[WeighedItems, Chances, Mapping[str, float]]:
        """Return items of two, one and three parts, their chances, and the words of a task."""
        items = []
        for number in (2, 1, 3):
            parts = tuple(
                Part(
                    "function",
                    f"log_{at}",
                    (10 * at + 1, 10 * at + 10),
                    (10 * at + 1, 10 * at + 1),
                    tokens=90,
                )
                for at in range(number)
            )
            item = ContextItem(f"file:{number}.py", "files", "file", f"{number}.py", path=f"{number}.py")
            scored = Scored(item, parts, (0.5,) * number, 0.5, {"lexical": 0.75}, {})
            items.append((scored, SplitItem(parts, {"log": [0, 1]}, (9,) * number)))
        return items, [[0.5, 0.25], [0.0], [0.125, 0.5, 0.25]], {"log": 1.0}

    def test_each_part_gets_its_chances(self, instance: Any) -> None:
        """Two lists of as many numbers as parts, finite and from 0."""
        items, chances, query = self.under_correction()

        lines, definitions = instance.correct(items, chances, query)

        counts = [len(mine) for mine in chances]
        assert check_chances(lines, counts)
        assert check_chances(definitions, counts)

    def test_the_same_question_has_the_same_answer(self, instance: Any) -> None:
        """A pack can be made again."""
        once, again = (instance.correct(*self.under_correction()) for _ in range(2))

        assert tuple(once) == tuple(again)

    def test_a_pack_of_nothing_can_be_corrected(self, instance: Any) -> None:
        """An empty workspace is packed too."""
        assert tuple(map(list, instance.correct([], [], {}))) == ([], [])


class PackerContract(PluginContract):
    """A packer keeps the budget and the pins, whatever the candidates and their order."""

    kind = PluginKind.PACKER

    def pack(self, candidates: Sequence[Candidate], budget: int) -> Selection | None:
        """Return a new instance's choice, None if the pins alone cost more than the budget."""
        try:
            selection: Selection = self.plugin().pack(tuple(candidates), budget)
        except BudgetError:
            floors = [min(o.tokens for o in c.options[c.floor :]) for c in candidates if c.pinned]
            assert sum(floors) > budget, "the pins do fit"
            return None
        return selection

    def test_nothing_is_chosen_of_nothing(self) -> None:
        """No candidates, no choice."""
        selection = self.pack((), 1_000)

        assert selection is not None
        assert not selection.choices

    def test_everything_is_chosen_where_everything_fits(self) -> None:
        """If the budget suffices for everything, everything is chosen, and whole."""
        candidates = [_candidate(place, (10, 20, 40)) for place in range(20)]
        selection = self.pack(candidates, 20 * 40)

        assert selection is not None
        assert dict(selection.choices) == {candidate.id: 2 for candidate in candidates}

    def test_what_a_question_needs_of_everything_is_chosen_where_it_fits(self) -> None:
        """If all options end before the full text, as those of a question do, the last ones are chosen.

        A packer of whole items that sets `whole = True` gets no such options.
        """
        if getattr(self.plugin(), "whole", False):
            return
        candidates = [_candidate(place, (10, 20, 40), last=Level.EXCERPT) for place in range(20)]
        selection = self.pack(candidates, 20 * 40)

        assert selection is not None
        assert dict(selection.choices) == {candidate.id: 2 for candidate in candidates}, (
            "the options of a question end before the full text; "
            "a packer of whole items needs the class variable `whole = True`"
        )

    def test_budget_and_pins_are_kept_and_order_does_not_matter(self) -> None:
        """Property: for any candidates and any budget."""
        pytest.importorskip("hypothesis")
        from hypothesis import given, settings
        from hypothesis.strategies import integers

        @settings(deadline=None, database=None)
        @given(_candidates(), integers(0, 3_000))
        def check(candidates: list[Candidate], budget: int) -> None:
            selection = self.pack(candidates, budget)
            again = self.pack(candidates[::-1], budget)

            assert (selection and dict(selection.choices)) == (again and dict(again.choices))
            if selection is not None:
                _check_selection(selection, candidates, budget)

        check()


def _check_selection(selection: Selection, candidates: Sequence[Candidate], budget: int) -> None:
    known = {candidate.id: candidate for candidate in candidates}
    assert set(selection.choices) <= set(known)
    tokens = sum(known[id_].options[index].tokens for id_, index in selection.choices.items())
    assert tokens == selection.tokens <= budget
    for candidate in candidates:
        if candidate.pinned:
            assert candidate.floor <= selection.choices[candidate.id] < len(candidate.options)


def _levels(count: int, last: Level = Level.FULL) -> list[Level]:
    """Return the levels of `count` options: the address line, excerpts, and the last level."""
    return [Level.POINTER, *[Level.EXCERPT] * (count - 2), last][:count]


def _candidate(place: int, sizes: Sequence[int], last: Level = Level.FULL) -> Candidate:
    levels = _levels(len(sizes), last)
    options = [Option(levels[step], size, float(step + 1)) for step, size in enumerate(sizes)]
    return Candidate(f"item-{place:03}", place, "file", options)


def _candidates() -> SearchStrategy[list[Candidate]]:
    """Generate lists of candidates with one to five options, some of them pinned."""
    from hypothesis import strategies as st

    steps = st.lists(st.tuples(st.integers(1, 200), st.integers(0, 50)), min_size=1, max_size=5)
    facts = st.tuples(steps, st.integers(0, 5), st.booleans(), st.integers(0, 4))
    return st.lists(facts, max_size=15).map(
        lambda rows: [_build_candidate(place, row) for place, row in enumerate(rows)]
    )


def _build_candidate(place: int, row: tuple[list[tuple[int, int]], int, bool, int]) -> Candidate:
    steps, position, unpinned, floor = row
    tokens, worth, levels = 0, 0.0, _levels(len(steps))
    options: list[Option] = []
    for more, gain in steps:
        tokens, worth = tokens + more, worth + gain / 10
        options.append(Option(levels[len(options)], tokens, worth))
    pinned = not unpinned and place % 5 == 0
    return Candidate(
        f"item-{place:03}", position, "file", options, pinned=pinned, floor=min(floor, len(options) - 1)
    )


__all__ = [
    "BlobStoreContract",
    "CompressorContract",
    "GpuBackendContract",
    "MessageFormatContract",
    "ObserverContract",
    "PackerContract",
    "ProviderContract",
    "RepresenterContract",
    "ScannerContract",
    "ScorerContract",
    "SessionFileContract",
    "SessionStoreContract",
    "TokenizerContract",
]


class ProviderContract(PluginContract):
    """A provider answers any task with well-formed items of this workspace, and writes nothing."""

    kind = PluginKind.PROVIDER

    def gather(self, task: Task, workspace: Workspace) -> list[ContextItem]:
        """Return the items of a new instance; the second wave gets every file as `best`."""
        best = [item_of(workspace, path) for path in paths_of(workspace)] if self.plugin.wave == 2 else []
        return check_items(self.plugin().gather(task, workspace, tuple(best)), copied=True)

    @pytest.mark.parametrize("task", TASKS, ids=("question", "empty", "junk"))
    def test_its_items_are_well_formed(self, task: Task, satchel_contract_workspace: Workspace) -> None:
        """Ids are unique, items name their provider, paths stay inside the root."""
        items = self.gather(task, satchel_contract_workspace)

        assert len({item.id for item in items}) == len(items)
        assert {item.provider for item in items} <= {self.plugin.name}
        assert not [i.path for i in items if i.path.startswith("/") or ".." in i.path.split("/")]

    def test_the_same_task_finds_the_same_items(self, satchel_contract_workspace: Workspace) -> None:
        """Nothing depends on the clock, on chance or on an earlier call."""
        assert self.gather(TASKS[0], satchel_contract_workspace) == self.gather(
            TASKS[0], satchel_contract_workspace
        )

    def test_it_writes_nothing(self, satchel_contract_workspace: Workspace) -> None:
        """The workspace belongs to the user."""
        before = contents(satchel_contract_workspace.root)
        self.gather(TASKS[0], satchel_contract_workspace)

        assert contents(satchel_contract_workspace.root) == before


class ScorerContract(PluginContract):
    """A scorer gives each part one finite number from 0 to 1, always the same, and writes nothing.

    One whose `kinds` are `"exchange"` alone gets a conversation: its parts, and a `Dialogue`.
    """

    kind = PluginKind.SCORER

    def scores(self, parts: Sequence[Part], task: Task, workspace: Workspace | Dialogue) -> list[float]:
        """Return a new instance's scores."""
        return check_scores(self.plugin().score(parts, task, workspace), len(parts))

    def given(self, workspace: Workspace) -> tuple[tuple[Part, ...], Workspace | Dialogue]:
        """Return its parts to judge, and its source: a workspace's files, or a conversation."""
        if set(self.plugin.kinds) == {"exchange"}:
            dialogue = dialogue_of(exchanges())
            return dialogue.parts, dialogue
        return parts_of(workspace), workspace

    @pytest.mark.parametrize("task", TASKS, ids=("question", "empty", "junk"))
    def test_every_part_gets_one_number_from_0_to_1(
        self, task: Task, satchel_contract_workspace: Workspace
    ) -> None:
        """One number for each part, even for parts of no file."""
        parts, where = self.given(satchel_contract_workspace)
        strange = Part("block", "", (1, 1), id="x:1-1", item="diff:gone", path="gone/\udcff")
        self.scores((*parts, strange) if where is satchel_contract_workspace else parts, task, where)

    def test_no_parts_get_no_numbers(self, satchel_contract_workspace: Workspace) -> None:
        """An empty batch is answered with an empty one."""
        assert self.scores((), TASKS[0], self.given(satchel_contract_workspace)[1]) == []

    def test_the_same_parts_get_the_same_numbers(self, satchel_contract_workspace: Workspace) -> None:
        """Nothing depends on the clock, on chance or on an earlier call."""
        parts, where = self.given(satchel_contract_workspace)
        first = self.scores(parts, TASKS[0], where)

        assert self.scores(parts, TASKS[0], where) == first

    def test_all_parts_of_an_item_get_one_number_where_the_grain_is_item(
        self, satchel_contract_workspace: Workspace
    ) -> None:
        """A grain of `item` is a promise: the host asks once for each item."""
        if self.plugin.grain != "item":
            pytest.skip("its grain is `part`")
        parts, where = self.given(satchel_contract_workspace)
        scored = zip(parts, self.scores(parts, TASKS[0], where), strict=True)

        assert len({(part.item, score) for part, score in scored}) == len({part.item for part in parts})

    def test_it_writes_nothing(self, satchel_contract_workspace: Workspace) -> None:
        """The workspace belongs to the user."""
        before = contents(satchel_contract_workspace.root)
        parts, where = self.given(satchel_contract_workspace)
        self.scores(parts, TASKS[0], where)

        assert contents(satchel_contract_workspace.root) == before


class RepresenterContract(PluginContract):
    """A representer splits any text into parts in order of lines; `samples` are texts that it knows."""

    kind = PluginKind.REPRESENTER
    samples: ClassVar[Mapping[str, str]] = {"notes/sample.txt": "One\n\nTwo\nThree\n", "a.py": "x = 1\n"}

    @pytest.fixture
    def items(self) -> list[ContextItem]:
        """Return the samples, and junk under the samples' names."""
        texts = [*self.samples.items(), *((path, junk) for path in self.samples for junk in JUNK)]
        return [ContextItem(f"file:{p}", "files", "file", p, path=p, text=text) for p, text in texts]

    def test_its_claims_are_numbers_from_0_to_1(self, instance: Any, items: list[ContextItem]) -> None:
        """With the text and without it."""
        for item in items:
            claims = [instance.claims(item), instance.claims(attrs.evolve(item, text=None))]
            check_scores(claims, 2)

    def test_parts_are_in_order_inside_the_text_and_apart(
        self, instance: Any, items: list[ContextItem]
    ) -> None:
        """Their heads are within them, also for junk."""
        for item in items:
            check_parts(instance.split(item), item.text or "", copied=True)

    def test_the_same_text_is_split_the_same_way(self, instance: Any, items: list[ContextItem]) -> None:
        """Stored parts stay valid as long as `version` is the same."""
        for item in items:
            assert list(instance.split(item)) == list(self.plugin().split(item))


class CompressorContract(PluginContract):
    """A compressor answers with a message within its target, or with None."""

    kind = PluginKind.COMPRESSOR

    @pytest.mark.parametrize("target", [1, 30, 2_000])
    def test_its_message_is_within_the_target(self, instance: Any, target: int) -> None:
        """If there is too little room, None is an answer; an empty message is not."""
        message = _compress(instance, exchanges(), target)

        if message is not None:
            assert isinstance(message, Message)
            assert message.text.strip()
            assert FourLetters().count([message.text])[0] <= target

    def test_no_exchanges_give_no_message(self, instance: Any) -> None:
        """There is nothing to shorten."""
        assert _compress(instance, (), 100) is None

    def test_the_same_exchanges_give_the_same_message(self, instance: Any) -> None:
        """Nothing depends on the clock or on chance."""
        first = _compress(instance, exchanges(), 200)

        assert _compress(self.plugin(), exchanges(), 200) == first

    @pytest.mark.parametrize("task", ["", "x" * 10_000, "what was decided\nbefore \x00?"])
    def test_any_task_gets_an_answer_within_the_target(self, instance: Any, task: str) -> None:
        """A window may be for nothing in particular, or for a text that somebody pasted."""
        message = _compress(instance, exchanges(), 30, task)

        assert message is None or FourLetters().count([message.text])[0] <= 30


def _compress(instance: Any, found: Sequence[Exchange], target: int, task: str = "the login") -> Any:
    """Ask a compressor as satchel does: without the task if it takes none."""
    args = (found, target, FourLetters(), Task(task))
    return instance.compress(*choose_arguments(instance.compress, args))


class GpuBackendContract(PluginContract):
    """A probe answers on every machine, with devices or with none."""

    kind = PluginKind.GPU_BACKEND

    def test_it_answers_with_devices_or_none(self, instance: Any) -> None:
        """A machine without that vendor's cards or drivers gets (), or NoDevicesError with the reason."""
        check_devices(_devices(instance))

    def test_its_devices_name_their_source(self, instance: Any) -> None:
        """The reader of the sizes learns their origin."""
        assert all(device.source and device.name for device in _devices(instance))


def _devices(backend: Any) -> list[Any]:
    """Return a backend's devices, [] if it gives a reason for finding none."""
    try:
        return list(backend.devices())
    except NoDevicesError as nothing:
        if not str(nothing).strip():
            raise
        return []


class TokenizerContract(PluginContract):
    """A tokenizer counts every text there is, each by itself, and never raises."""

    kind = PluginKind.TOKENIZER

    def test_every_text_has_a_count(self, instance: Any) -> None:
        """Only the empty text has no tokens."""
        counts = check_counts(instance.count(TEXTS), TEXTS)

        assert [text for text, count in zip(TEXTS, counts, strict=True) if bool(text) != bool(count)] == []

    def test_its_counts_are_possible(self, instance: Any) -> None:
        """Neither more tokens than a text's bytes allow, nor fewer than any vocabulary has."""
        check_plausible_counts(instance.count(TEXTS), TEXTS)

    def test_no_texts_have_no_counts(self, instance: Any) -> None:
        """An empty batch is answered with an empty one."""
        assert list(instance.count(())) == []

    def test_a_text_counts_the_same_alone_and_in_a_batch(self, instance: Any) -> None:
        """Stored counts stay valid."""
        assert list(instance.count(JUNK)) == [self.plugin().count([text])[0] for text in JUNK]

    def test_counts_of_whole_lines_add_up(self, instance: Any) -> None:
        """Within one token if exact, else within the stated error."""
        first, second = "def total(names):\n    return sum(names)\n", "class Cart:\n    names = ()\n"
        one, two, both = instance.count([first, second, first + second])

        assert abs(one + two - both) <= 1 + 2 * instance.error * both

    def test_it_says_how_exact_it_is(self, instance: Any) -> None:
        """`key` names the vocabulary; exact counts have no error."""
        assert isinstance(instance.key, str)
        assert instance.key
        assert 0 <= instance.error < 1
        assert instance.exact is (instance.error == 0)


class ObserverContract(PluginContract):
    """An observer takes every event and returns nothing; `plugin` is a callable or a class of such."""

    kind = PluginKind.OBSERVER

    def test_it_takes_every_event(self) -> None:
        """Including an unknown event."""
        observer = self.under_test()
        observer = observer() if isinstance(observer, type) else observer

        for event in events():
            assert observer(event) is None


class ScannerContract(PluginContract):
    """A scanner finds spans within any text, the same each time, but never in a mark.

    `samples` are texts by path, each with a secret that must be removed from it.
    """

    kind = PluginKind.SCANNER
    samples: ClassVar[Mapping[str, tuple[str, str]]] = {}

    def redact(self, text: str, path: str = "") -> str:
        """Return the text as satchel would show it with its own rules and only this scanner."""
        return redact(text, path=path, scanners=(self.plugin().scan,)).text

    def test_it_answers_any_text_with_spans(self, instance: Any) -> None:
        """Start, end and kind, within the text; never an exception."""
        for text in TEXTS:
            check_spans(instance.scan(text, ""), len(text), most=100_000)

    def test_the_same_text_has_the_same_spans(self, instance: Any) -> None:
        """Cached texts stay valid."""
        for path, (text, _) in self.samples.items():
            assert list(instance.scan(text, path)) == list(self.plugin().scan(text, path))

    def test_what_it_finds_is_gone_and_redacting_again_changes_nothing(self) -> None:
        """A mark contains nothing that the scanner finds."""
        for path, (text, secret) in self.samples.items():
            once = self.redact(text, path)
            assert secret not in once
            assert self.redact(once, path) == once


_LONG_TEXT, _MOST_SECONDS = 1_000_000, 5


class RedactionRulesContract(PluginContract):
    """Rules are valid, find their secrets, and nothing in a mark.

    `samples` are texts, each with a secret that must be removed from it; `counterexamples` are texts that no
    rule may change, of these or of satchel's own.
    """

    kind = PluginKind.REDACTION_RULE
    samples: ClassVar[Mapping[str, str]] = {}
    counterexamples: ClassVar[Sequence[str]] = ()

    def redact(self, text: str) -> str:
        """Return the text as satchel would show it with its own rules and these."""
        return redact(text, more=RuleSet(check_rules(self.plugin().rules()))).text

    def test_the_rules_can_be_used_and_are_the_same_each_time(self, instance: Any) -> None:
        """Expressions that compile, ids of their own; cached texts stay valid."""
        assert check_rules(instance.rules()) == check_rules(self.plugin().rules())

    def test_what_they_find_is_gone_and_redacting_again_changes_nothing(self) -> None:
        """A mark contains nothing that a rule finds."""
        for text, secret in self.samples.items():
            once = self.redact(text)
            assert secret not in once
            assert self.redact(once) == once

    def test_a_counterexample_stays_as_it_is(self) -> None:
        """No rule finds a secret in it, whichever rule that would be."""
        changed = {text: once for text in self.counterexamples if (once := self.redact(text)) != text}
        assert changed == {}

    def test_no_text_makes_them_slow(self, instance: Any) -> None:
        """A megabyte of keywords and near misses takes seconds at most."""
        more = RuleSet(check_rules(instance.rules()))
        for text in {*self.samples, *(word for rule in more.rules for word in rule.keywords)}:
            begun = time.process_time()
            list(rule_spans(text * (_LONG_TEXT // len(text) + 1), more))
            assert time.process_time() - begun < _MOST_SECONDS
