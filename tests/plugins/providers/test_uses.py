"""Tasks about all uses of a name: a list of all places, and every use with its head."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.core.repositories import make_repository

from satchel import pack
from satchel.questions import (
    ChangePlace,
    compile_use,
    find_change_place,
    find_names_to_change,
    find_replaced_names,
    term_of,
)
from satchel.workspace.index.terms import count_terms
from satchel_plugins.providers import NameUses

from .shop import by_id, gathered

LONG = "".join(f"    step_{n} = {n}\n" for n in range(60))
FILES = {
    "shop/config.py": 'class Config:\n    """Settings."""\n\n    taxRate = 19\n    other = 1\n',
    "shop/cart.py": f"def total(config):\n{LONG}    rate = config.taxRate\n{LONG}    return rate\n",
    "shop/mail.py": "def send(config):\n    return 'tax rates'\n",
    "shop/receipt.py": "def show(config):\n    return resolveTaxRate(config)\n",
    "tests/test_cart.py": "def test_it():\n    assert Config.taxRate == 19\n",
    "docs/config.md": "# Config\n\n## taxRate\n\nThe `taxRate` of a shop.\n",
    "shop/cli.py": "parser.add('--tax-rate', default=19)\n",
}


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    """Return a repository with a setting that is used in five files."""
    return make_repository(tmp_path / "shop", FILES)


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("rename envPrefix to publicPrefix", ("envPrefix",)),
        ("rename total to sum", ("total",)),
        ("Rename option `minify` to compress", ("minify",)),
        ("remove the minify option", ("minify",)),
        ("deprecate build.minify", ("build.minify",)),
        ("delete the --no-color flag", ("--no-color",)),
        ("where is resolveEnvPrefix used?", ("resolveEnvPrefix",)),
        ("who calls load_env", ("load_env",)),
        ("find all usages of loadEnv()", ("loadEnv",)),
        ("replace get_env() with load_env()", ("get_env",)),
        ("rename a_one -> b_two, c_three → d", ("a_one", "c_three")),
        ("entferne die Option", ()),
        ("rename internal macro for unused variables", ()),
        ("refactor: rename function and remove unused param", ()),
        ("remove options from the output of --list", ()),
        ("do not import the prelude when renaming to original name", ()),
        ("remove the unused option", ()),
        ("drop support for Python 3.8", ()),
        ("remove dead code", ()),
        ("fix the remove button of the CartView", ()),
        ("where is the config loaded", ()),
        ("rename fooBar to x\n\n" + "It happens that words follow. " * 40, ()),
    ],
)
def test_names_whose_every_use_a_task_is_about_are_found(text: str, names: tuple[str, ...]) -> None:
    assert find_names_to_change(text) == names


def test_all_places_are_listed_those_of_code_first(shop: Path) -> None:
    items = by_id(gathered(NameUses(), shop, "rename taxRate to vatRate"))

    assert (items["uses:taxRate"].text or "").splitlines() == [
        "taxRate is on 5 lines of 4 files:",
        "shop/cart.py:62",
        "shop/config.py:4",
        "docs/config.md:3,5",
        "tests/test_cart.py:2",
        "in other spellings, or within other names:",
        "shop/cli.py:1",
        "shop/mail.py:2",
        "shop/receipt.py:2",
    ]
    assert {item.path for item in items.values()} >= {"shop/cart.py", "docs/config.md", "tests/test_cart.py"}


def test_copies_of_other_projects_come_after_the_own_files(tmp_path: Path) -> None:
    shop = make_repository(tmp_path / "shop", {**FILES, "bundled/tax.py": "taxRate = 7\n"})

    items = by_id(gathered(NameUses(), shop, "rename taxRate to vatRate"))

    listed = (items["uses:taxRate"].text or "").splitlines()
    assert listed[4:6] == ["tests/test_cart.py:2", "bundled/tax.py:1"]


@pytest.mark.costly
@pytest.mark.parametrize(
    "task", ["rename taxRate to vatRate", "remove the option taxRate", "deprecate `taxRate`"]
)
def test_every_use_is_shown_below_its_head(shop: Path, task: str) -> None:
    bundle = pack(task, root=shop, budget=1_000)

    for line in (
        "    taxRate = 19\n",
        "    rate = config.taxRate\n",
        "Config.taxRate == 19\n",
        "The `taxRate` of",
    ):
        assert line in bundle.text
    assert "def total(config):\n" in bundle.text
    assert bundle.items[0].title == "uses of taxRate"


def test_where_not_every_use_fits_its_place_is_listed(tmp_path: Path) -> None:
    uses = {f"shop/part_{n}.py": f"def run_{n}():\n{LONG}    return taxRate\n" for n in range(12)}
    root = make_repository(tmp_path / "shop", uses)

    bundle = pack("rename taxRate to vatRate", root=root, budget=500)

    assert bundle.tokens <= 500
    for n in range(12):
        assert f"shop/part_{n}.py:62\n" in bundle.text


def test_other_tasks_list_no_uses(shop: Path) -> None:
    assert gathered(NameUses(), shop, "fix the taxRate of a cart") == []
    assert gathered(NameUses(), shop, "rename nothingLikeIt to vatRate") == []


def test_a_plain_word_that_only_data_have_is_no_name(tmp_path: Path) -> None:
    words = {f"lang/l{n}.json": '{"a": "Transfer"}\n' for n in range(6)}
    shop = make_repository(tmp_path / "loom", {**FILES, **words})

    assert gathered(NameUses(), shop, "Remove unused Transfer option from the cart") == []
    assert "uses:Transfer" in by_id(gathered(NameUses(), shop, "Remove the option `Transfer` from the cart"))
    assert "stands in" not in pack("Remove unused Transfer option from the cart", root=shop, budget=400).text


def test_a_plain_word_that_many_files_have_is_no_name(tmp_path: Path) -> None:
    parts = {f"shop/part_{n}.py": f"def run_{n}(record):\n    return record.item\n" for n in range(45)}
    parts["shop/tea.py"] = "def escape(item):\n    return item\n"
    shop = make_repository(tmp_path / "loom", parts)
    few = make_repository(tmp_path / "few", dict(list(parts.items())[:5]))

    assert gathered(NameUses(), shop, "rename record type to hide no other") == []
    assert "uses:record" in by_id(gathered(NameUses(), few, "rename record type to hide no other"))


NAMES = st.from_regex(r"[A-Za-z_][A-Za-z0-9_]{2,12}(\.[A-Za-z_][A-Za-z0-9_]{2,12})?", fullmatch=True)


@given(NAMES)
def test_every_text_with_a_name_holds_its_term(name: str) -> None:
    text = f"x = {name}()"

    assert compile_use(name).search(text)
    assert not term_of(name) or term_of(name) in count_terms(text)


MERGES = {
    "loom/clause.py": "class FromClause:\n    def merge(self, other):\n        return self\n",
    "loom/query.py": "def build(clause, other):\n    return FromClause().merge(other)\n",
    **{
        f"loom/part{n}.py": f"class Part{n}:\n    def merge(self, rows):\n{LONG}        rows.merge(self)\n"
        "        rows.merge(rows)\n        return rows.merge(self)\n"
        for n in range(6)
    },
}


@pytest.mark.parametrize("name", ["FromClause.merge", "FromClause#merge", "FromClause::merge"])
def test_uses_of_a_method_are_those_of_its_class(tmp_path: Path, name: str) -> None:
    root = make_repository(tmp_path / "loom", MERGES)

    bundle = pack(f"Remove unused `{name}`", root=root, budget=300)

    assert [item.path for item in bundle.items if item.kind == "file"][:2] == [
        "loom/clause.py",
        "loom/query.py",
    ]
    assert "    def merge(self, other):\n        return self\n" in bundle.text


STEPS = {
    "loom/weave.py": f"class Weaver:\n    def weave(self, yarn, raw):\n{LONG}        return raw or yarn\n",
    **{
        f"loom/step{n}.py": f"def step_{n}(raw):\n{LONG}    raw = raw + {n}\n    return raw * raw\n"
        for n in range(30)
    },
}


@pytest.mark.parametrize("place", ["`Weaver.weave`", "Weaver#weave", "`weave()`"])
def test_a_name_is_changed_in_the_definition_that_the_task_tells(tmp_path: Path, place: str) -> None:
    root = make_repository(tmp_path / "loom", STEPS)

    bundle = pack(f"Remove the unused `raw` parameter from {place}", root=root, budget=400)

    assert bundle.items[0].title == "uses of raw"
    assert "loom/weave.py:2,63\n" in bundle.text
    assert "and in 21 more files\n" in bundle.text
    files = [item.path for item in bundle.items if item.kind == "file"]
    assert files[0] == "loom/weave.py"
    assert "    def weave(self, yarn, raw):\n" in bundle.text


@pytest.mark.parametrize(
    ("text", "name", "is_definition"),
    [
        ("remove the `raw` option from `render`", "render", True),
        ("rename raw_text in Page#render to text", "Page#render", True),
        ("drop the raw argument of render()", "render", True),
        ("remove the raw option from the docs", "docs", False),
        ("remove raw_text from page cache, nobody needs it", "page cache", False),
        ("remove `raw` from @loom/page as it is unused", "page", False),
    ],
)
def test_the_place_in_which_a_name_changes_is_found(text: str, name: str, *, is_definition: bool) -> None:
    assert find_change_place(text) == ChangePlace(name, is_definition)


@pytest.mark.parametrize("text", ["remove `raw`", "remove `raw` from it", "remove `raw` from the code"])
def test_a_task_without_a_place_tells_none(text: str) -> None:
    assert find_change_place(text) is None


@pytest.mark.parametrize("place", ["the weaving step", "weaving step", "loom/weaving_step"])
def test_a_name_is_changed_in_the_files_that_the_task_tells(tmp_path: Path, place: str) -> None:
    spin = STEPS["loom/weave.py"].replace("weave", "spin")
    root = make_repository(tmp_path / "loom", {**STEPS, "loom/weaving_step.py": spin})

    bundle = pack(f"Remove the unused `raw` parameter from {place}", root=root, budget=400)

    assert bundle.items[0].title == "uses of raw"
    assert "and in 22 more files\n" in bundle.text
    assert next(item.path for item in bundle.items if item.kind == "file") == "loom/weaving_step.py"


STEP = "".join(f"    step_{n} = yarn + {n}\n" for n in range(12))


@pytest.mark.parametrize("task", ["remove the parameter rawYarn", "replace `rawYarn` with `yarn`"])
def test_code_around_the_use_of_a_changed_name_is_shown(tmp_path: Path, task: str) -> None:
    spin = f"def spin(yarn, options):\n{STEP}    rawYarn = options['raw']\n{STEP}    return rawYarn\n"
    others = {
        f"loom/step{n}.py": f"def step_{n}(yarn):\n{STEP}{STEP}    return yarn.rawYarn\n" for n in range(9)
    }
    root = make_repository(tmp_path / "loom", {"loom/spin.py": spin, **others})

    bundle = pack(task, root=root, budget=1_000)

    assert "uses of rawYarn" in [item.title for item in bundle.items]
    assert spin in bundle.text


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("use str_contains() instead of strpos() for clarity", ("strpos",)),
        ("fix(cart): use `total` rather than `sum`", ("sum",)),
        ("use the default buffer instead of current_buffer", ("current_buffer",)),
        ("use a Vec instead of a map", ()),
        ("show the cart\n\nuse total instead of sum_all", ()),
    ],
)
def test_names_that_a_task_wants_replaced_are_found(text: str, names: tuple[str, ...]) -> None:
    assert find_replaced_names(text) == names


def test_the_use_of_a_name_that_a_task_wants_replaced_is_shown(tmp_path: Path) -> None:
    spin = f"def spin(yarn):\n{STEP}    return weave_all(yarn)\n"
    others = {
        f"loom/weave{n}.py": f"def weave_each_{n}(yarn):\n    # weave each\n{STEP}    return yarn.weave()\n"
        for n in range(9)
    }
    root = make_repository(tmp_path / "loom", {"loom/spin.py": spin, **others})

    bundle = pack("use weave_each on each yarn instead of weave_all", root=root, budget=300)

    assert spin in bundle.text
