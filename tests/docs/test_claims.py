"""Sentences of the reference about plugins hold: each test tries one of them."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any, ClassVar

import attrs
import pytest
from tests.core.repositories import commit, make_repository

import satchel_plugins
from satchel import (
    BudgetError,
    ConfigError,
    Event,
    Host,
    Later,
    NoDevicesError,
    PackOptions,
    PluginError,
    compact,
    hookimpl,
    hookspecs,
    pack,
    squeeze,
)
from satchel.addresses import find_opener
from satchel.config import Config
from satchel.conversation import find_transcript
from satchel.host import PluginKind, check_items
from satchel.installed import find_formats
from satchel.output import Plugins
from satchel.plugin_api import (
    Chances,
    ContextItem,
    CorrectedChances,
    Dialogue,
    Exchange,
    FormatSign,
    Message,
    MessageFormat,
    Part,
    Task,
    Tokenizer,
    TranscriptDraft,
    WeighedItems,
    Workspace,
)
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


def provider_of(gather: Callable[..., Any], *, called: str = "made", own_wave: int = 1) -> type:
    """Return a provider that gathers as a function does."""

    @attrs.frozen
    class Made(Answer):
        name: ClassVar[str] = called
        wave: ClassVar[int] = own_wave

        def gather(self, task: Task, workspace: Workspace, best: Sequence[ContextItem]) -> Any:
            return gather(task, workspace, best)

    return Made


def test_the_page_counts_the_hooks() -> None:
    told = {15: "fifteen"}[len(PluginKind)]

    assert f"one or more of these {told} hooks" in (ROOT / "docs/reference/hooks.md").read_text("utf-8")


def test_one_instance_is_made_for_each_run(tmp_path: Path) -> None:
    made = []

    @attrs.frozen
    class Counted(Everything):
        def __attrs_post_init__(self) -> None:
            made.append(self)

    pack_with("count the cart", Counted, tmp_path)

    assert len(made) == 1


def test_a_scorer_without_weight_is_not_asked(tmp_path: Path) -> None:
    pack_with("count the cart", Everything, tmp_path, settings={"weight": 0.0})
    silent = list(Everything.asked)
    pack_with("count the cart", Everything, tmp_path)

    assert silent == []
    assert Everything.asked != []


def test_a_class_variable_is_no_setting(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="asked: unknown key"):
        pack_with("count the cart", Everything, tmp_path, settings={"asked": []})


def test_what_is_chosen_by_name_is_imported_where_it_is_chosen(tmp_path: Path) -> None:
    gone = Later("gone", "no_such_module:Gone")
    host = host_with(packer=gone, worth_model=gone, tokenizer=gone, compressor=gone)
    root = make_repository_of(FILES, tmp_path)

    compact(TALK, budget=900, host=host)
    assert pack("count the cart", root, host=host, options=PackOptions(config=Config())).problems == ()
    for chosen in (Config(strategy="gone"), Config(worth_model="gone"), Config(tokenizer="gone")):
        with pytest.raises(PluginError, match="no_such_module"):
            pack("count the cart anew", root, host=host, options=PackOptions(config=chosen))
    with pytest.raises(PluginError, match="no_such_module"):
        compact(TALK, budget=900, compressor="gone", host=host)


def test_a_store_is_imported_where_an_address_has_its_scheme() -> None:
    host = host_with(blob_store=Later("gone", "no_such_module:Gone", frozenset({"odd"})))

    assert find_opener(PluginKind.BLOB_STORE, "even", host) is None
    assert host.problems == []
    assert find_opener(PluginKind.BLOB_STORE, "odd", host) is None
    assert "no_such_module" in str(host.problems)


def test_built_ins_are_named_and_not_imported() -> None:
    hooks = [
        getattr(satchel_plugins, name, list)() for name in vars(hookspecs) if name.startswith("satchel_")
    ]

    assert {type(one) for found in hooks for one in found} == {Later}


def test_what_a_plugin_returns_is_copied_by_its_exact_type() -> None:
    class Mine(ContextItem):
        pass

    given = Mine("mine:1", "made", "mine", "mine", text="the cart counts")
    (copied,) = check_items([given], copied=True)
    object.__setattr__(given, "text", "changed")

    assert type(copied) is ContextItem
    assert copied.text == "the cart counts"


def test_one_wrong_field_refuses_the_whole_answer_and_is_told_with_its_place(tmp_path: Path) -> None:
    def gather(task: Task, workspace: Workspace, best: Sequence[ContextItem]) -> list[ContextItem]:
        items = [ContextItem(f"note:{at}", "churn", "note", "note", text="a count") for at in range(4)]
        object.__setattr__(items[3], "note", 7)
        return items

    bundle = pack_with("count", provider_of(gather, called="churn"), tmp_path, settings={"max_items": 9})

    assert [str(one) for one in bundle.problems] == [
        "churn (from SimpleNamespace): gather: item 3: note is an int, not a text"
    ]
    assert "churn" not in {item.provider for item in bundle.items}


def test_the_second_wave_gets_the_first_files_that_the_first_leads_to(tmp_path: Path) -> None:
    asked: dict[int, list[str]] = {}

    def note(wave: int) -> Callable[..., list[ContextItem]]:
        return lambda task, workspace, best: asked.setdefault(wave, [one.path for one in best]) and []

    for wave in (1, 2):
        pack_with("count the cart", provider_of(note(wave), own_wave=wave), tmp_path)

    assert asked[1] == []
    assert asked[2][0] == "shop/cart.py"


def test_a_scorer_of_exchanges_gets_a_dialogue() -> None:
    given: list[object] = []

    @attrs.frozen
    class Asking(Exchanges):
        def score(self, parts: Sequence[Part], task: Task, workspace: Workspace) -> Sequence[float]:
            given.append(workspace)
            return [0.5] * len(parts)

    compact(TALK, budget=900, host=host_with(scorer=Asking))

    assert {type(one) for one in given} == {Dialogue}


def test_a_worth_model_is_asked_once_and_not_for_questions_and_uses(tmp_path: Path) -> None:
    asked: list[set[str]] = []

    @attrs.frozen
    class Noting:
        name: ClassVar[str] = "noting"

        def correct(
            self, items: WeighedItems, chances: Chances, query: Mapping[str, float]
        ) -> CorrectedChances:
            assert [len(one) for one in chances] == [len(split.parts) for _, split in items]
            asked.append(set(query))
            return CorrectedChances(chances, chances)

    root, host = make_repository_of(FILES, tmp_path), host_with(worth_model=Noting)
    options = PackOptions(config=Config(worth_model="noting"))
    for task in ("how does the cart count?", "find all uses of `Cart`", "count the cart anew"):
        pack(task, root, budget=2_000, host=host, options=options)

    assert [{"cart", "count"} <= query for query in asked] == [True]


def test_a_file_on_which_split_fails_is_split_by_another(tmp_path: Path) -> None:
    @attrs.frozen
    class Failing(Splitter):
        def claims(self, item: ContextItem) -> float:
            return float(item.path.endswith(".py"))

        def split(self, item: ContextItem) -> Sequence[Part]:
            raise ValueError("no idea")

    bundle = pack_with("count the cart", Failing, tmp_path)

    assert "splitter" in {one.plugin for one in bundle.problems}
    assert bundle.text == pack_with("count the cart", None, tmp_path).text


def test_a_compressor_gets_the_task_and_is_not_asked_without_a_share() -> None:
    asked: list[str] = []

    @attrs.frozen
    class Asked(Note):
        name: ClassVar[str] = "asked"

        def compress(  # type: ignore[override]
            self,
            exchanges: Sequence[Exchange],
            target: int,
            tokenizer: Tokenizer,
            task: Task,
            *,
            own: int = 1,
        ) -> Message | None:
            assert target >= 24
            asked.append(task.text)
            return None

    host = host_with(compressor=Asked)
    compact(TALK, budget=900, compressor="asked", task="mend the cart", host=host)
    compact(TALK, budget=900, compressor="asked", host=host)
    config = Config(plugins={"compressor": {"asked": {"share": 0.0}}})
    compact(TALK, budget=900, compressor="asked", host=host_with(compressor=Asked), config=config)

    assert set(asked) == {"mend the cart", TALK[8]["content"].strip()}


def test_a_squeeze_counts_with_the_tokenizer_of_a_configuration_that_names_none() -> None:
    host = host_with(tokenizer=Later("gone", "no_such_module:Gone"))
    log = "one line\n" * 900

    plain = squeeze(log, budget=60, plugins=Plugins(host, config=Config()))
    assert squeeze(log, budget=60, plugins=Plugins(host, config=Config(tokenizer="gone"))) == plain


@pytest.mark.parametrize(
    ("counted", "told"),
    [
        (lambda text: 0, "the count of a text of"),
        (lambda text: 100 + 5 * len(text.encode()), "the count of a text of"),
        (lambda text: -(-len(text) // 30), "are likely"),
    ],
    ids=["none for letters", "more than 4 a byte", "less than a quarter of a guess"],
)
def test_a_count_that_no_vocabulary_has_ends_the_run(
    counted: Callable[[str], int], told: str, tmp_path: Path
) -> None:
    @attrs.frozen
    class Odd:
        name: ClassVar[str] = "odd"
        key: ClassVar[str] = "odd"
        exact: ClassVar[bool] = True
        error: ClassVar[float] = 0.0

        def count(self, texts: Sequence[str]) -> Sequence[int]:
            return [counted(text) if text else 0 for text in texts]

    root = make_repository_of({"a.py": "total = price * count  # of the cart\n" * 400}, tmp_path)
    options = PackOptions(config=Config(tokenizer="odd"))

    with pytest.raises(PluginError, match=told):
        pack("count the cart", root, host=host_with(tokenizer=Odd), options=options)


def test_observers_are_told_of_a_pack_that_was_refused(tmp_path: Path) -> None:
    root = make_repository_of(FILES, tmp_path)
    with pytest.raises(BudgetError):
        pack("count", root, budget=1, pins=["shop/cart.py"], host=host_with(observer=Listener))

    assert Listener.told == ["BudgetExceeded"]


@attrs.frozen
class Letters(MessageFormat):
    """A format that lists its messages under a key that no other has."""

    name: ClassVar[str] = "letters"
    list_key: ClassVar[str] = "letters"

    def find_signs(self, items: Sequence[Any], request: Mapping[str, Any]) -> Sequence[FormatSign]:
        raise ValueError("no sign")

    def read_messages(self, items: Any, place: str) -> Sequence[Message]:
        return [Message("user", one["text"], at, raw=one) for at, one in enumerate(items)]

    def write_messages(self, messages: Sequence[Message], *, joined: bool) -> Any:
        return [message.raw for message in messages]


def test_a_format_is_known_by_its_list_key_and_left_out_where_its_signs_fail() -> None:
    host = host_with(message_format=Letters)
    formats = find_formats(host)

    assert formats.read({"letters": [{"text": "dear all"}]}).format.name == "letters"
    assert host.problems == []
    assert formats.read(TALK).format.name == "openai"
    assert [(one.plugin, one.stage) for one in host.problems] == [("letters", "find_signs")]


def test_the_first_that_recognizes_200_records_reads_all_of_them() -> None:
    looked: list[int] = []

    @attrs.frozen
    class Ledger:
        name: ClassVar[str] = "a-ledger"
        agent: ClassVar[str] = "Ledger"
        message_format: ClassVar[str] = "openai"

        def recognizes(self, records: Sequence[Mapping[str, Any]]) -> bool:
            looked.append(len(records))
            return "entry" in records[0]

        def read(self, records: Sequence[Mapping[str, Any]]) -> TranscriptDraft:
            found = TranscriptDraft()
            for record in records:
                found.add({"role": "user", "content": record["entry"]})
            return found

        def write(self, transcript: Any, document: Any) -> str:
            return ""

    @attrs.frozen
    class Broken(Ledger):
        name: ClassVar[str] = "a-broken"

        def recognizes(self, records: Sequence[Mapping[str, Any]]) -> bool:
            raise ValueError("no idea")

    both = SimpleNamespace(satchel_session_files=hookimpl(lambda: [Broken, Ledger]))
    host = Host.of(satchel_plugins, both, deadline_seconds=None)
    text = "".join(json.dumps({"entry": f"line {at}"}) + "\n" for at in range(300))
    found = find_transcript(text, "stdin", find_formats(host))

    assert found is not None
    assert (found.source, found.records, set(looked)) == ("a-ledger", 300, {200})
    assert {(one.plugin, one.stage) for one in host.problems} == {("a-broken", "recognizes")}


SPLITS = {
    "c": "a.c",
    "cpp": "a.cpp a.hpp a.h",
    "csharp": "a.cs",
    "go": "a.go",
    "java": "A.java",
    "javascript": "a.js a.jsx",
    "php": "a.php",
    "python": "a.py",
    "ruby": "a.rb",
    "rust": "a.rs",
    "shell": "a.sh a.bash a.zsh",
    "typescript": "a.ts a.tsx",
    "notebooks": "a.ipynb",
    "configuration": "a.toml a.yaml a.json a.ini .env Dockerfile Makefile",
    "markdown": "a.md a.rst a.adoc a.org a.mediawiki a.tex a.html a.1",
    "packages": "poetry.lock Cargo.lock package-lock.json",
    "generic": "a.kt a.txt",
}
"""What the page says that representers split, as names of files."""
SPLIT_KINDS = {"checklists": "tasks", "diffs": "diff", "failures": "error", "packages": "dependency"}


def test_each_representer_splits_what_the_page_says() -> None:
    made = host_with().make_all(PluginKind.REPRESENTER, {})
    files = [
        (name, ContextItem("", "", "file", "", path=path)) for name in SPLITS for path in SPLITS[name].split()
    ]
    others = [(name, ContextItem("", "", kind, "")) for name, kind in SPLIT_KINDS.items()]
    wrong = [
        (name, item.path or item.kind)
        for name, item in (*files, *others)
        if max(made, key=lambda one, item=item: one[1].claims(item))[0].name != name  # type: ignore[misc]
    ]

    assert wrong == []
    assert {loaded.name for loaded, _ in made} == {*SPLITS, *SPLIT_KINDS, "output-apt"}


def test_relevance_packs_without_recency_and_recent_by_it_alone(tmp_path: Path) -> None:
    root = make_repository(tmp_path / "carts", {f"cart{at}.py": f"count = {at}\n" for at in range(4)})
    (root / "cart2.py").write_text("count = 7\n")
    commit(root, "tidy", day=90)
    asked: dict[str, set[str]] = {}
    for strategy in ("hybrid", "relevance", "recent"):
        bundle = pack("count", root, options=PackOptions(strategy=strategy, config=Config()))
        asked[strategy] = {name for one in bundle.items for name, score in one.scores.items() if score}

    assert asked["recent"] == {"recency"}
    assert asked["relevance"] == asked["hybrid"] - {"recency"} > {"lexical"}


def exchanges_with_tools() -> list[dict[str, Any]]:
    """Return a conversation of twelve calls of three tools, each with sixty lines."""
    talk: list[dict[str, Any]] = [{"role": "user", "content": "mend the cart"}]
    for at in range(12):
        tool = ("read", "list", "write")[at % 3]
        called = {"name": tool, "arguments": json.dumps({"path": f"f{at}.py"})}
        result = "".join(f"{tool} line {line} of f{at}: value {line * 7}\n" for line in range(60))
        talk.append(
            {
                "role": "assistant",
                "content": f"Step {at}.",
                "tool_calls": [{"id": str(at), "type": "function", "function": called}],
            }
        )
        talk.append({"role": "tool", "tool_call_id": str(at), "content": result})
    return [*talk, {"role": "user", "content": "and now?"}]


@pytest.mark.parametrize(
    ("budget", "rule", "tool"),
    [(2_500, "never_prune", "read"), (2_500, "clear_first", "read"), (900, "side_effects", "read")],
)
def test_rules_for_tools_are_kept(budget: int, rule: str, tool: str) -> None:
    talk = exchanges_with_tools()

    def shown(**settings: object) -> tuple[int, int, int]:
        """Return how many calls of the tool stand there, results of them whole, and in part."""
        config = Config(plugins={"compressor": {"hybrid": settings}})
        window = compact(talk, budget=budget, host=host_with(), config=config).messages
        ids = {
            call["id"]
            for one in window
            for call in one.get("tool_calls", ())
            if call["function"]["name"] == tool
        }
        results = [one["content"] for one in window if one.get("tool_call_id") in ids]
        return (
            len(ids),
            len([one for one in results if "satchel" not in one]),
            len([one for one in results if "satchel" in one and f"{tool} line" in one]),
        )

    without, with_rule = shown(), shown(**{rule: (tool,)})

    if rule == "never_prune":
        assert with_rule[1] > without[1] == 0
    elif rule == "clear_first":
        assert with_rule[2] == 0 < without[2]
    else:
        assert with_rule[0] == 4 > without[0]


def test_messages_without_a_sign_are_openais_unless_the_configuration_says_otherwise() -> None:
    plain = [{"role": "user", "content": "hello"}]
    other = find_formats(host_with(), Config(message_format="anthropic"))

    assert find_formats(host_with()).read(plain).format.name == "openai"
    assert other.read(plain).format.name == "anthropic"


def test_a_model_of_openais_sets_the_vocabulary(tmp_path: Path) -> None:
    root = make_repository_of(FILES, tmp_path)

    for model, encoding in (("gpt-4-turbo", "cl100k_base"), ("gpt-4o", "o200k_base")):
        bundle = pack("count", root, model=model, options=PackOptions(config=Config()))
        assert bundle.tokenizer.endswith(encoding)
