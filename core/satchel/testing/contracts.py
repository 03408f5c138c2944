"""One class of tests for each kind of plugin: inherit it, name your class, run pytest.

class TestChurn(ScorerContract):
    plugin = Churn
"""

# ruff: noqa: S101 - these are tests, though they ship with satchel
from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

import attrs
import pytest

from satchel.errors import NoDevicesError
from satchel.host import Kind
from satchel.host.answers import (
    checked_counts,
    checked_devices,
    checked_items,
    checked_parts,
    checked_scores,
    checked_spans,
    possible_counts,
)
from satchel.items import ContextItem, Task
from satchel.messages import Message
from satchel.parts import Part
from satchel.redaction import redact
from satchel.testing.packers import PackerContract
from satchel.testing.plugins import PluginContract
from satchel.testing.repository import contents
from satchel.testing.samples import (
    JUNK,
    TASKS,
    TEXTS,
    FourLetters,
    events,
    exchanges,
    item_of,
    parts_of,
    paths_of,
)

if TYPE_CHECKING:
    from satchel.workspace import Workspace

__all__ = [
    "CompressorContract",
    "GpuBackendContract",
    "ObserverContract",
    "PackerContract",
    "ProviderContract",
    "RepresenterContract",
    "ScannerContract",
    "ScorerContract",
    "TokenizerContract",
]


class ProviderContract(PluginContract):
    """A provider answers any task with well-formed items of this workspace, and writes nothing."""

    kind = Kind.PROVIDER

    def gathered(self, task: Task, workspace: Workspace) -> list[ContextItem]:
        """Return what a new instance finds; a second wave is told of every file."""
        best = [item_of(workspace, path) for path in paths_of(workspace)] if self.plugin.wave == 2 else []
        return checked_items(self.plugin().gather(task, workspace, tuple(best)), copied=True)

    @pytest.mark.parametrize("task", TASKS, ids=("question", "empty", "junk"))
    def test_its_items_are_well_formed(self, task: Task, satchel_workspace: Workspace) -> None:
        """Ids are unique, items say who found them, paths stay inside the root."""
        items = self.gathered(task, satchel_workspace)

        assert len({item.id for item in items}) == len(items)
        assert {item.provider for item in items} <= {self.plugin.name}
        assert not [i.path for i in items if i.path.startswith("/") or ".." in i.path.split("/")]

    def test_the_same_task_finds_the_same_items(self, satchel_workspace: Workspace) -> None:
        """Nothing depends on the clock, on chance or on an earlier call."""
        assert self.gathered(TASKS[0], satchel_workspace) == self.gathered(TASKS[0], satchel_workspace)

    def test_it_writes_nothing(self, satchel_workspace: Workspace) -> None:
        """The workspace is the person's."""
        before = contents(satchel_workspace.root)
        self.gathered(TASKS[0], satchel_workspace)

        assert contents(satchel_workspace.root) == before


class ScorerContract(PluginContract):
    """A scorer gives each part one finite number from 0 to 1, always the same, and writes nothing."""

    kind = Kind.SCORER

    def scores(self, parts: Sequence[Part], task: Task, workspace: Workspace) -> list[float]:
        """Return a new instance's scores."""
        return checked_scores(self.plugin().score(parts, task, workspace), len(parts))

    @pytest.mark.parametrize("task", TASKS, ids=("question", "empty", "junk"))
    def test_every_part_gets_one_number_from_0_to_1(self, task: Task, satchel_workspace: Workspace) -> None:
        """One number for each part, also of parts that no file has."""
        strange = Part("block", "", (1, 1), id="x:1-1", item="diff:gone", path="gone/\udcff")
        self.scores((*parts_of(satchel_workspace), strange), task, satchel_workspace)

    def test_no_parts_get_no_numbers(self, satchel_workspace: Workspace) -> None:
        """An empty batch is answered with an empty one."""
        assert self.scores((), TASKS[0], satchel_workspace) == []

    def test_the_same_parts_get_the_same_numbers(self, satchel_workspace: Workspace) -> None:
        """Nothing depends on the clock, on chance or on an earlier call."""
        parts = parts_of(satchel_workspace)
        first = self.scores(parts, TASKS[0], satchel_workspace)

        assert self.scores(parts, TASKS[0], satchel_workspace) == first

    def test_all_parts_of_an_item_get_one_number_where_the_grain_is_item(
        self, satchel_workspace: Workspace
    ) -> None:
        """A grain of `item` is a promise: the host asks once for each item."""
        if self.plugin.grain != "item":
            pytest.skip("its grain is `part`")
        parts = parts_of(satchel_workspace)
        scored = zip(parts, self.scores(parts, TASKS[0], satchel_workspace), strict=True)

        assert len({(part.item, score) for part, score in scored}) == len({part.item for part in parts})

    def test_it_writes_nothing(self, satchel_workspace: Workspace) -> None:
        """The workspace is the person's."""
        before = contents(satchel_workspace.root)
        self.scores(parts_of(satchel_workspace), TASKS[0], satchel_workspace)

        assert contents(satchel_workspace.root) == before


class RepresenterContract(PluginContract):
    """A representer splits any text into parts in order of lines; `samples` are texts that it knows."""

    kind = Kind.REPRESENTER
    samples: ClassVar[Mapping[str, str]] = {"notes/sample.txt": "One\n\nTwo\nThree\n", "a.py": "x = 1\n"}

    @pytest.fixture
    def items(self) -> list[ContextItem]:
        """Give the samples and junk under the samples' names."""
        texts = [*self.samples.items(), *((path, junk) for path in self.samples for junk in JUNK)]
        return [ContextItem(f"file:{p}", "files", "file", p, path=p, text=text) for p, text in texts]

    def test_its_claims_are_numbers_from_0_to_1(self, instance: Any, items: list[ContextItem]) -> None:
        """With the text and without it."""
        for item in items:
            claims = [instance.claims(item), instance.claims(attrs.evolve(item, text=None))]
            checked_scores(claims, 2)

    def test_parts_are_in_order_inside_the_text_and_apart(
        self, instance: Any, items: list[ContextItem]
    ) -> None:
        """Their heads lie within them, on junk too."""
        for item in items:
            checked_parts(instance.split(item), item.text or "", copied=True)

    def test_the_same_text_is_split_the_same_way(self, instance: Any, items: list[ContextItem]) -> None:
        """Stored parts stay right as long as `version` is the same."""
        for item in items:
            assert list(instance.split(item)) == list(self.plugin().split(item))


class CompressorContract(PluginContract):
    """A compressor answers with a message within its target, or with None."""

    kind = Kind.COMPRESSOR

    @pytest.mark.parametrize("target", [1, 30, 2_000])
    def test_its_message_is_within_the_target(self, instance: Any, target: int) -> None:
        """Short of room, None is an answer; an empty message is not."""
        message = instance.compress(exchanges(), target, FourLetters())

        if message is not None:
            assert isinstance(message, Message)
            assert message.text.strip()
            assert FourLetters().count([message.text])[0] <= target

    def test_noexchanges_give_no_message(self, instance: Any) -> None:
        """There is nothing to shorten."""
        assert instance.compress((), 100, FourLetters()) is None

    def test_the_sameexchanges_give_the_same_message(self, instance: Any) -> None:
        """Nothing depends on the clock or on chance."""
        first = instance.compress(exchanges(), 200, FourLetters())

        assert self.plugin().compress(exchanges(), 200, FourLetters()) == first


class GpuBackendContract(PluginContract):
    """A probe answers on every machine, with devices or with none."""

    kind = Kind.GPU_BACKEND

    def test_it_answers_with_devices_or_none(self, instance: Any) -> None:
        """A machine without that vendor's cards or drivers gets (), or NoDevicesError with the reason."""
        checked_devices(_devices(instance))

    def test_its_devices_name_their_source(self, instance: Any) -> None:
        """Whoever reads the sizes learns who told them."""
        assert all(device.source and device.name for device in _devices(instance))


def _devices(backend: Any) -> list[Any]:
    """Return what a backend finds, [] where it says in words why it finds nothing."""
    try:
        return list(backend.devices())
    except NoDevicesError as nothing:
        if not str(nothing).strip():
            raise
        return []


class TokenizerContract(PluginContract):
    """A tokenizer counts every text there is, each by itself, and never raises."""

    kind = Kind.TOKENIZER

    def test_every_text_has_a_count(self, instance: Any) -> None:
        """Only the empty text counts nothing."""
        counts = checked_counts(instance.count(TEXTS), TEXTS)

        assert [text for text, count in zip(TEXTS, counts, strict=True) if bool(text) != bool(count)] == []

    def test_its_counts_are_possible(self, instance: Any) -> None:
        """Neither more than the bytes of a text can be, nor so few that no vocabulary has them."""
        possible_counts(instance.count(TEXTS), TEXTS)

    def test_no_texts_have_no_counts(self, instance: Any) -> None:
        """An empty batch is answered with an empty one."""
        assert list(instance.count(())) == []

    def test_a_text_counts_the_same_alone_and_in_a_batch(self, instance: Any) -> None:
        """Stored counts stay right."""
        assert list(instance.count(JUNK)) == [self.plugin().count([text])[0] for text in JUNK]

    def test_counts_of_whole_lines_add_up(self, instance: Any) -> None:
        """Within one token where exact, else within the error that it states."""
        first, second = "def total(names):\n    return sum(names)\n", "class Cart:\n    names = ()\n"
        one, two, both = instance.count([first, second, first + second])

        assert abs(one + two - both) <= 1 + 2 * instance.error * both

    def test_it_says_how_exact_it_is(self, instance: Any) -> None:
        """`key` names the vocabulary; what is exact has no error."""
        assert isinstance(instance.key, str)
        assert instance.key
        assert 0 <= instance.error < 1
        assert instance.exact is (instance.error == 0)


class ObserverContract(PluginContract):
    """An observer takes every event and returns nothing; `plugin` is a callable or a class of such."""

    kind = Kind.OBSERVER

    def test_it_takes_every_event(self) -> None:
        """Also one that it has never heard of."""
        observer = self.under_test()
        observer = observer() if isinstance(observer, type) else observer

        for event in events():
            assert observer(event) is None


class ScannerContract(PluginContract):
    """A scanner finds spans within any text, the same each time, and none in a mark.

    `samples` are texts by path, each with what must be gone from it.
    """

    kind = Kind.SCANNER
    samples: ClassVar[Mapping[str, tuple[str, str]]] = {}

    def redacted(self, text: str, path: str = "") -> str:
        """Return the text as satchel would show it with this scanner alone beside its own rules."""
        return redact(text, path=path, scanners=(self.plugin().scan,)).text

    def test_it_answers_any_text_with_spans(self, instance: Any) -> None:
        """Start, end and kind, within the text; never an exception."""
        for text in TEXTS:
            checked_spans(instance.scan(text, ""), len(text), most=100_000)

    def test_the_same_text_has_the_same_spans(self, instance: Any) -> None:
        """What was kept stays right."""
        for path, (text, _) in self.samples.items():
            assert list(instance.scan(text, path)) == list(self.plugin().scan(text, path))

    def test_what_it_finds_is_gone_and_redacting_again_changes_nothing(self) -> None:
        """A mark holds nothing that it finds."""
        for path, (text, secret) in self.samples.items():
            once = self.redacted(text, path)
            assert secret not in once
            assert self.redacted(once, path) == once
