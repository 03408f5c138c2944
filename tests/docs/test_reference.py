"""The reference pages name what there is, with its defaults, and nothing else."""

from __future__ import annotations

import inspect
import json
import re
from types import ModuleType
from typing import Any, ClassVar

import attrs
import pytest

import satchel
import satchel_plugins
from satchel import Host, errors, hookspecs, interfaces
from satchel.config.describing import meanings
from satchel.host import PluginKind
from satchel.packing import scoring
from satchel.packing.weighing.worth import SETTINGS
from satchel.testing import contracts

from .pages import ROOT, blocks, read, section, table

PLUGINS = [
    (kind, loaded.name, loaded.cls) for kind in PluginKind for loaded in Host.of(satchel_plugins).loaded(kind)
]
HOOKS = [name for name in vars(hookspecs) if name.startswith("satchel_")]
_IMPORTS = blocks(section(read("reference/hooks"), "The fifteen hooks"), "python")[0].code


def members(protocol: type) -> set[str]:
    """Return what a protocol asks for: methods, properties and attributes."""
    own = {name for name in vars(protocol) if not name.startswith("_")}
    return own | set(inspect.get_annotations(protocol))


def example_of(hook: str) -> ModuleType:
    """Return a module made of a hook's example in the reference."""
    module = ModuleType(f"example_{hook}")
    exec(_IMPORTS + blocks(section(read("reference/hooks"), f"`{hook}`"), "python")[0].code, vars(module))
    return module


def test_every_hook_has_a_section_and_no_other() -> None:
    assert re.findall(r"^## `(\w+)`$", read("reference/hooks"), re.MULTILINE) == HOOKS
    assert {kind.hook for kind in PluginKind} == set(HOOKS)


@pytest.mark.parametrize("kind", [kind for kind in PluginKind if kind is not PluginKind.OBSERVER])
def test_every_member_of_an_interface_is_in_its_section(kind: PluginKind) -> None:
    named = {PluginKind.REDACTION_RULE: "RedactionRules"}  # one plugin brings many
    name = named.get(kind, kind.value.replace("_", " ").title().replace(" ", ""))
    protocol = getattr(interfaces, name)
    shown = blocks(section(read("reference/hooks"), f"`{kind.hook}`"), "text")[0].code

    assert members(protocol) == set(re.findall(r"^    (\w+)[:(]", shown, re.MULTILINE))


@pytest.mark.parametrize("kind", PluginKind)
def test_the_example_of_a_hook_is_accepted(kind: PluginKind) -> None:
    host = Host.of(example_of(kind.hook))

    assert len(host.loaded(kind)) == 1
    assert host.problems == []


@pytest.mark.parametrize("kind", PluginKind)
def test_the_contract_of_a_hook_exists(kind: PluginKind) -> None:
    named = re.search(r"Contract:\s+`(\w+)`", section(read("reference/hooks"), f"`{kind.hook}`"))

    assert named
    assert getattr(contracts, named[1]).kind is kind


class TestProvider(contracts.ProviderContract):
    plugin = example_of("satchel_providers").Changelog


class TestScorer(contracts.ScorerContract):
    plugin = example_of("satchel_scorers").Python


class TestRepresenter(contracts.RepresenterContract):
    plugin = example_of("satchel_representers").Verses


class TestScanner(contracts.ScannerContract):
    plugin = example_of("satchel_scanners").Tickets


class TestRedactionRules(contracts.RedactionRulesContract):
    plugin = example_of("satchel_redaction_rules").HouseKeys
    samples: ClassVar[dict[str, str]] = {
        "key: house_4f9a0c1e7b2d6f8a3c5e9b1d7f0a2c4e\n": "4f9a0c1e7b2d6f8a3c5e9b1d7f0a2c4e"
    }


class TestMessageFormat(contracts.MessageFormatContract):
    plugin = example_of("satchel_message_formats").Telegraph


class TestSessionFile(contracts.SessionFileContract):
    plugin = example_of("satchel_session_files").Diary
    samples = ([{"who": "user", "wrote": "hello"}, {"who": "assistant", "wrote": "good day"}],)


class TestCompressor(contracts.CompressorContract):
    plugin = example_of("satchel_compressors").FirstWords


class TestWorthModel(contracts.WorthModelContract):
    plugin = example_of("satchel_worth_models").Flat


class TestGpuBackend(contracts.GpuBackendContract):
    plugin = example_of("satchel_gpu_backends").NoCards


class TestSessionStore(contracts.SessionStoreContract):
    plugin = example_of("satchel_session_stores").Drawers


class TestBlobStore(contracts.BlobStoreContract):
    plugin = example_of("satchel_blob_stores").Shelves

    @pytest.fixture
    def address(self) -> str:
        return f"shelf://{id(self)}"


class TestTokenizer(contracts.TokenizerContract):
    plugin = example_of("satchel_tokenizers").Bytes


def test_every_built_in_plugin_is_in_the_reference_and_no_other() -> None:
    text = read("reference/plugins")
    sections = re.findall(r"^### `([\w-]+)`$", text, re.MULTILINE)
    listed = list(table(section(text, "Representers")))

    told, there = sections + listed, [name for _, name, _ in PLUGINS]
    missing, gone = set(there) - set(told), set(told) - set(there)
    assert not missing, f"docs/reference/plugins.md: no section ### for {', '.join(sorted(missing))}"
    assert not gone, f"docs/reference/plugins.md: there is no plugin {', '.join(sorted(gone))}"
    assert len(told) == len(there)


@pytest.mark.parametrize(
    ("kind", "name", "cls"), PLUGINS, ids=lambda value: value if isinstance(value, str) else ""
)
def test_settings_and_defaults_of_a_plugin_are_those_of_its_class(
    kind: PluginKind, name: str, cls: Any
) -> None:
    text = read("reference/plugins")
    titles = {PluginKind.PACKER: "Packers", PluginKind.COMPRESSOR: "Compressors"}
    if kind in titles:
        text = section(text, titles[kind])
    elif "exchange" in getattr(cls, "kinds", ()) and "*" not in cls.kinds:
        text = section(text, "Message scorers")
    rows = {} if kind is PluginKind.REPRESENTER else table(section(text, f"`{name}`"))
    shown = {setting: cells[0].strip("`") for setting, cells in rows.items()}

    assert shown == {field.alias: json.dumps(field.default) for field in attrs.fields(cls) if field.init}


@pytest.mark.parametrize(
    ("kind", "name", "cls"), PLUGINS, ids=lambda value: value if isinstance(value, str) else ""
)
def test_every_setting_of_a_plugin_says_what_it_means(kind: PluginKind, name: str, cls: Any) -> None:
    assert [setting for setting, meaning in meanings(cls, kind.value).items() if not meaning] == []


def test_no_meaning_only_repeats_its_setting() -> None:
    rows = re.findall(r"^\| `(\w+)` \| `.*` \| (.*) \|$", read("reference/plugins"), re.MULTILINE)

    assert [name for name, meaning in rows if meaning == name.replace("_", " ")] == []


def test_every_public_name_is_in_the_reference_once() -> None:
    text = read("reference/python").split("## Modules that plugins may import")[0]
    rows = [re.match(r"\| `(\w+)` \|", line) for line in text.splitlines()]

    assert sorted(row[1] for row in rows if row) == sorted(satchel.__all__)


def test_the_signature_of_pack_is_that_in_the_reference() -> None:
    shown = re.search(r"`pack\((.*?)\)`;", read("reference/python"), re.DOTALL)
    made: dict[str, Any] = {"PackOptions": satchel.PackOptions}
    exec(f"def pack({shown[1] if shown else ''}): ...", made)
    real = inspect.signature(satchel.pack).parameters

    assert [(one.name, one.default) for one in inspect.signature(made["pack"]).parameters.values()] == [
        (one.name, one.default) for one in real.values()
    ]


def test_every_field_of_the_options_of_pack_is_in_the_reference() -> None:
    text = section(read("reference/python"), "Functions")

    assert [field.name for field in attrs.fields(satchel.PackOptions) if f"`{field.name}`" not in text] == []


def test_modules_that_plugins_may_import_have_the_names() -> None:
    rows = table(section(read("reference/python"), "Modules that plugins may import"))
    missing = [
        (module, name)
        for module, cells in rows.items()
        for name in re.findall(r"`(\w+)`", cells[0])
        if not hasattr(__import__(module, fromlist=[name]), name)
    ]

    assert len(rows) == 6
    assert missing == []


def test_every_contract_is_in_the_reference() -> None:
    text = section(read("reference/python"), "Testing")

    assert [name for name in contracts.__all__ if f"`{name}`" not in text] == []


def raised() -> dict[str, type[errors.SatchelError]]:
    """Return the classes of errors."""
    return {
        n: c for n, c in vars(errors).items() if isinstance(c, type) and issubclass(c, errors.SatchelError)
    }


def test_every_error_is_in_the_tree_and_in_the_table() -> None:
    text = read("reference/errors")
    tree = blocks(text, "text")[0].code

    assert set(re.findall(r"\w+Error", tree)) == set(raised())
    assert set(raised()) <= set(table(text))


RAISED = [
    errors.SatchelError("it can't be done"),
    errors.UsageError("it has no meaning"),
    errors.UnknownNameError("packer", "hybird", ["hybrid"]),
    errors.ConfigError(["satchel.toml: budgt: unknown key"]),
    errors.WorkspaceError("src", "is a file"),
    errors.ConversationError("message 3", "has no role"),
    errors.PointerError("a.py", "no such file"),
    errors.NoDevicesError("no driver is loaded"),
    errors.BudgetError(10, [("a.py", 20)]),
    errors.PluginError("churn", "satchel-churn", "failed"),
]


def test_each_error_has_an_example_here() -> None:
    assert {type(error).__name__ for error in RAISED} == set(raised())


@pytest.mark.parametrize("error", RAISED, ids=lambda error: type(error).__name__)
def test_the_attributes_of_an_error_are_in_the_reference(error: errors.SatchelError) -> None:
    cells = table(read("reference/errors"))[type(error).__name__]

    assert set(vars(error)) == set(re.findall(r"`(\w+)`", cells[1])) - {"exit_code"}


def test_the_fields_of_a_problem_are_in_the_reference() -> None:
    assert set(errors.Problem._fields) <= set(table(read("reference/errors")))


def test_the_tree_is_that_of_the_module() -> None:
    tree = blocks(read("reference/errors"), "text")[0].code
    names = re.findall(r"^[│├└─ ]*\w+Error", tree, re.MULTILINE)

    assert [name for name in names if name not in (errors.__doc__ or "")] == []


def test_the_formulas_of_worth_are_those_of_its_settings() -> None:
    text, one = " ".join(read("explanation/worth").replace(",", "").split()), SETTINGS
    shown = [
        f"salience^{one.sharpness} × (tokens / {one.typical_tokens})^{one.size_power}"
        f" × (1 + branches)^{one.branch_power} × e^(-{one.comment_loss} × comments) × kind",
        f"held between {one.least_tokens} and {one.most_tokens}",
        *(f"{kind} {factor}" for kind, factor in one.kinds.items()),
        f"{one.defined} × chance that its definition is needed / sum of all",
        f"{one.opening} × salience of the item × correction / sum of all",
        f"({one.instructions_share}) of the budget",
    ]

    assert [formula for formula in shown if formula not in text] == []


def test_the_formula_of_salience_is_that_of_the_blend() -> None:
    text = read("explanation/worth")

    formulas = (
        f"a share of {scoring.UPWARD} of the best part",
        f"(evidence of its item + {scoring.FLOOR} × relevance) × ({scoring.BASE} + its own evidence",
        f"(evidence + {scoring.FLOOR} × relevance)^{scoring.ITEM_POWER} × "
        f"(chances of its parts)^{scoring.PARTS_POWER}",
    )

    assert [formula for formula in formulas if formula not in " ".join(text.split())] == []
    assert f"No part falls below {scoring.LEAST}" in text


def test_every_table_of_the_index_is_in_the_explanation() -> None:
    from satchel.workspace import IndexStore

    rows = IndexStore.open(None).rows("SELECT name FROM sqlite_master WHERE type = 'table'")

    assert [name for (name,) in rows if f"`{name}`" not in read("explanation/index")] == []


def test_paths_of_the_isolation_table_exist() -> None:
    paths = re.findall(r"`((?:host/)?\w+\.py)`", read("explanation/isolation"))

    assert len(paths) >= 8
    assert [path for path in paths if not (ROOT / "core/satchel" / path).exists()] == []
