"""Sentences of the reference about plugins hold: each test tries one of them."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any, ClassVar

import attrs
import pytest

import satchel_plugins
from satchel import Event, Host, NoDevicesError, PackOptions, compact, hookimpl, pack, squeeze
from satchel.config import Config
from satchel.host import PluginKind
from satchel.output import Plugins
from satchel.plugin_api import ContextItem, Exchange, Message, Part, Task, Tokenizer, Workspace
from satchel.sizing import probe
from satchel.testing.repository import FILES, make_repository_of, pack_with

from .pages import PAGES, ROOT, blocks

TALK = [
    {"role": ("user", "assistant")[at % 2], "content": f"Of topic {at} there is much to say. " * 30}
    for at in range(10)
]


def host_with(**classes: object) -> Host:
    """Return a host of the built-in plugins and of some more by kind."""
    hooks = {f"satchel_{kind}s": hookimpl(lambda cls=cls: [cls]) for kind, cls in classes.items()}
    return Host.of(satchel_plugins, SimpleNamespace(**hooks), deadline_seconds=None)


@attrs.frozen
class Everything:
    """A scorer of all kinds of items, that notes what it is asked about."""

    name: ClassVar[str] = "everything"
    kinds: ClassVar[frozenset[str]] = frozenset({"*"})
    grain: ClassVar[str] = "part"
    asked: ClassVar[list[Part]] = []
    weight: float = 1.0

    def score(self, parts: Sequence[Part], task: Task, workspace: Workspace) -> Sequence[float]:
        self.asked.extend(parts)
        return [0.5] * len(parts)


@attrs.frozen
class Exchanges(Everything):
    """A scorer of exchanges alone."""

    name: ClassVar[str] = "exchanges"
    kinds: ClassVar[frozenset[str]] = frozenset({"exchange"})
    asked: ClassVar[list[Part]] = []


@attrs.frozen
class Splitter:
    """A representer of everything, that notes what it is asked about."""

    name: ClassVar[str] = "splitter"
    version: ClassVar[str] = "1"
    asked: ClassVar[list[str]] = []

    def claims(self, item: ContextItem) -> float:
        self.asked.append(item.kind)
        return 0.0

    def split(self, item: ContextItem) -> Sequence[Part]:
        return ()


@attrs.frozen
class Note:
    """A compressor that puts one line in the place of what is left out."""

    name: ClassVar[str] = "note"
    answer: str = "Much was said."
    share: float = 0.3

    def compress(self, exchanges: Sequence[Exchange], target: int, tokenizer: Tokenizer) -> Message | None:
        if not self.answer:
            raise ValueError("nothing to say")
        return Message("user", self.answer)


@attrs.frozen
class Elsewhere:
    """A probe that finds nothing, and says why."""

    name: ClassVar[str] = "elsewhere"

    def devices(self) -> Sequence[Any]:
        raise NoDevicesError("all cards are elsewhere")


@attrs.frozen
class Listener:
    """An observer that keeps what it is told."""

    name: ClassVar[str] = "listener"
    told: ClassVar[list[str]] = []

    def __call__(self, event: Event) -> None:
        self.told.append(type(event).__name__)


@attrs.frozen
class Twice:
    """A provider of an item whose id another one has, and of a file that is offered anyway."""

    name: ClassVar[str] = "twice"
    wave: ClassVar[int] = 1
    max_items: int = 10
    max_tokens: int = 100

    def gather(self, task: Task, workspace: Workspace, best: Sequence[ContextItem]) -> Sequence[ContextItem]:
        tree = ContextItem("tree:", self.name, "tree", "mine", text="this is mine\n")
        file = ContextItem(
            "file:shop/cart.py", self.name, "file", "shop/cart.py", path="shop/cart.py", relevance=1
        )
        return [tree, file]


@attrs.frozen
class Answer:
    """A provider of what answers any question, that notes the reference it is given."""

    name: ClassVar[str] = "answer"
    wave: ClassVar[int] = 1
    asked: ClassVar[list[str]] = []
    max_items: int = 1
    max_tokens: int = 100
    since: str = ""

    def gather(self, task: Task, workspace: Workspace, best: Sequence[ContextItem]) -> Sequence[ContextItem]:
        self.asked.append(self.since)
        return [ContextItem("answer:", self.name, "answer", "answer", text="It is Ann.\n", is_answer=True)]


@pytest.fixture(autouse=True)
def nobody_was_asked() -> None:
    for noting in (Everything.asked, Exchanges.asked, Splitter.asked, Listener.told, Answer.asked):
        noting.clear()


def test_a_star_stands_for_all_kinds_but_exchanges() -> None:
    compact(TALK, budget=900, host=host_with(scorer=Everything))
    compact(TALK, budget=900, host=host_with(scorer=Exchanges))

    assert Everything.asked == []
    assert {part.kind for part in Exchanges.asked} == {"user", "assistant"}


def test_a_squeeze_asks_representers_and_no_scorer_and_a_compaction_no_representer() -> None:
    host = host_with(scorer=Everything, representer=Splitter)
    compact(TALK, budget=900, host=host)
    asked = list(Splitter.asked)
    squeeze("one line\n" * 900, budget=60, plugins=Plugins(host))

    assert asked == []
    assert Splitter.asked == ["output"]
    assert Everything.asked == []


def test_a_compressors_message_stands_in_the_window_and_summarize_takes_over() -> None:
    host = host_with(compressor=Note)
    made = compact(TALK, budget=900, compressor="note", host=host)
    config = Config(plugins={"compressor": {"note": {"answer": ""}}})
    failed = compact(TALK, budget=900, compressor="note", host=host_with(compressor=Note), config=config)

    assert "Much was said." in [one["content"] for one in made.messages]
    assert [one.plugin for one in failed.problems][:1] == ["note"]
    assert any("left-out steps were about" in one["content"] for one in failed.messages)


def test_a_probe_is_asked_and_its_reason_told() -> None:
    reasons = [one.reason for one in probe(host_with(gpu_backend=Elsewhere))]

    assert "all cards are elsewhere" in reasons


@pytest.mark.weekly
def test_observers_are_told_of_packs_and_compactions_and_not_of_squeezes(tmp_path: Path) -> None:
    pack_with("count the cart", Listener, tmp_path)
    packed = set(Listener.told)
    host = host_with(observer=Listener)
    compact(TALK, budget=900, host=host)
    told = list(Listener.told)
    squeeze("one line\n" * 900, budget=60, plugins=Plugins(host))

    assert packed >= {"ItemsGathered", "ItemKept"}
    assert told[-1] == "Compacted"
    assert Listener.told == told


def test_an_item_with_a_built_ins_id_is_left_out_and_a_file_is_merged(tmp_path: Path) -> None:
    bundle = pack_with("where is what?", Twice, tmp_path)

    assert "this is mine" not in bundle.text
    assert [item.path for item in bundle.items].count("shop/cart.py") == 1


def test_an_answer_to_a_question_comes_first_and_without_code(tmp_path: Path) -> None:
    asked = pack_with("how does the cart count?", Answer, tmp_path)
    whole = pack_with("explain the architecture", Answer, tmp_path)
    ordered = pack_with("count the cart anew", Answer, tmp_path)

    assert [item.kind for item in asked.items][:1] == ["answer"]
    assert not [item.path for item in asked.items if item.path.endswith(".py")]
    assert [item.kind for item in whole.items][:3] == ["file", "overview", "answer"]
    assert "shop/cart.py" in [item.path for item in ordered.items]


def test_every_provider_with_a_setting_since_gets_the_reference(tmp_path: Path) -> None:
    root = make_repository_of(FILES, tmp_path)
    pack("review", root, budget=2_000, host=host_with(provider=Answer), options=PackOptions(since="HEAD"))

    assert Answer.asked == ["HEAD"]


def test_the_page_on_secrets_counts_the_rules() -> None:
    rules = tomllib.loads((ROOT / "core/satchel/redaction/rules.toml").read_text())["rules"]

    [told] = re.findall(r"More than (\d+) rules, written", (ROOT / "docs/explanation/secrets.md").read_text())
    assert int(told) < len(rules) < int(told) + 50


def test_no_observers_scanners_redaction_rules_and_blob_stores_come_with_satchel() -> None:
    host = Host.of(satchel_plugins, deadline_seconds=None)

    assert [kind for kind in PluginKind if not host.names(kind)] == [
        PluginKind.OBSERVER,
        PluginKind.SCANNER,
        PluginKind.REDACTION_RULE,
        PluginKind.BLOB_STORE,
    ]


def test_every_plugin_that_a_page_disables_exists() -> None:
    host = Host.of(satchel_plugins, deadline_seconds=None)
    known = {name for kind in PluginKind for name in host.names(kind)} | {"churn", "dialogue_vectors"}
    texts = [page.read_text("utf-8") for page in PAGES if page != ROOT / "CHANGELOG.md"]
    tables = [tomllib.loads(block.code) for text in texts for block in blocks(text, "toml")]
    named = {name for table in tables for name in table.get("disable", ())}
    named |= {name for text in texts for name in re.findall(r'disable = \["(\w+)"\]', text)}

    assert named
    assert named <= known
