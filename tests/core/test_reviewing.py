"""Reviewing: what a diff touches, and what has to do with it."""

from __future__ import annotations

import difflib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.core.repositories import commit, git, make_repository, write_files
from tests.plugins.providers.shop import make_shop

from satchel import PackOptions, pack
from satchel.packing.weighing.reviewing import read_diffs

LINES = st.lists(st.sampled_from(["a\n", "b\n", "-- c\n", "++ d\n", "\n", "@@ -1 +1 @@\n"]), max_size=25)

CART = (
    "from shop.tax import add_tax\n\n\nclass Cart:\n"
    '    """Holds prices."""\n\n'
    "    def __init__(self):\n        self.prices = []\n\n"
    "    def grand_total(self):\n        first = 1\n        second = 2\n        third = 3\n        last = 4\n"
    "        fifth = 5\n        sixth = 6\n        return sum(self.prices)\n\n"
    "    def empty(self):\n        self.prices.clear()\n"
)
FILES = {
    "shop/cart.py": CART,
    "shop/tax.py": "def add_tax(price):\n    rate = 22\n    rest = 0\n    return price\n",
    "shop/receipt.py": "import shop\n\n\ndef print_receipt():\n    print(shop.Cart().grand_total())\n",
    "shop/review.py": "def review_changes(changes):\n    return [change for change in changes]\n",
    "shop/mail.py": "def send_letter(address):\n    print('postman', address)\n",
    "tests/test_cart.py": "import shop\n\n\ndef test_total():\n    assert shop.Cart().grand_total() == 0\n",
    "docs/changes.md": "# Changes\n\nReview these changes.\n",
    "README.md": "# Shop\n\nReview the changes of the shop here.\n",
}


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    """Return a repository with a changed function, a new file and a lock file that changed."""
    root = make_repository(tmp_path / "shop", {**FILES, "poetry.lock": "one = 1\n"})
    changed = CART.replace("sum(self.prices)", "add_tax(sum(self.prices))")
    write_files(
        root,
        {"shop/cart.py": changed, "shop/coupon.py": "RATE = 5\n", "poetry.lock": "one = 2\n"},
        age_seconds=500,
    )
    return root


@given(LINES, LINES)
def test_touched_lines_are_those_that_are_new_or_stand_beside_removed_ones(
    before: list[str], after: list[str]
) -> None:
    text = "".join(difflib.unified_diff(before, after, "a/f.py", "b/f.py"))

    change = read_diffs(text).get("f.py")

    touched, shown = (change.touched, change.shown) if change is not None else (frozenset(), frozenset())
    matcher = difflib.SequenceMatcher(None, before, after)
    expected: set[int] = set()
    for tag, _, _, first, last in matcher.get_opcodes():
        expected.update(range(first + 1, last + 1) if tag in ("insert", "replace") else ())
        expected.update((first, first + 1) if tag == "delete" else ())
    assert touched == expected
    assert {number for number in touched if 1 <= number <= len(after)} - shown <= {len(after)}


def test_diffs_of_several_files_are_told_apart() -> None:
    text = (
        "--- a/one.py\n+++ b/one.py\n@@ -1,2 +1,2 @@\n-x\n+y = call(1)\n z\n"
        "--- a/two.py\n+++ /dev/null\n@@ -1 +0,0 @@\n-gone\n"
        "--- /dev/null\n+++ b/three.py\n@@ -0,0 +1 @@\n+new\n\\ No newline at end of file\n"
    )

    found = read_diffs(text)

    assert {path: sorted(change.touched) for path, change in found.items()} == {
        "one.py": [1],
        "three.py": [1],
    }
    assert found["one.py"].words == {"call"}


@pytest.mark.costly
@pytest.mark.parametrize("task", ["review my changes", "look at my changes please", "revisa mis cambios"])
def test_a_review_shows_what_has_to_do_with_the_changes_and_nothing_else(shop: Path, task: str) -> None:
    bundle = pack(task, root=shop, budget=4_000)

    paths = [item.path for item in bundle.items if item.path]
    assert set(paths) == {"shop/cart.py", "shop/tax.py", "shop/receipt.py", "tests/test_cart.py"}
    assert [item.kind for item in bundle.items][:1] == ["status"]
    assert "+RATE = 5\n" in bundle.text
    assert "+        return add_tax(sum(self.prices))\n" in bundle.text
    assert "        first = 1\n" in bundle.text


def test_every_changed_file_is_named(shop: Path) -> None:
    text = pack("review my changes", root=shop, budget=4_000).text

    assert "3 changed files not committed on branch main: 3 lines added, 2 removed\n" in text
    assert "poetry.lock +1 -1\nshop/cart.py +1 -1\nshop/coupon.py +1 -0, new\n" in text


def test_one_line_is_told_as_one(tmp_path: Path) -> None:
    root = make_repository(tmp_path / "r", {"a.py": "x = 1\ny = 2\n"})
    write_files(root, {"a.py": "x = 1\ny = 30\n"})

    text = pack("review my changes", root=root, budget=4_000).text

    assert ": 1 line added, 1 removed\n" in text
    assert "1 lines" not in text


def test_what_was_committed_since_is_reviewed_with_its_messages(shop: Path) -> None:
    base = git(shop, "rev-parse", "HEAD").strip()
    git(shop, "add", "-A")
    commit(shop, "tax the total", day=9)

    bundle = pack("is this right?", root=shop, budget=4_000, options=PackOptions(since=base))

    assert "3 changed files since" in bundle.text
    assert "tax the total\n" in bundle.text
    assert "shop/receipt.py" in [item.path for item in bundle.items]
    assert "shop/mail.py" not in [item.path for item in bundle.items]


@pytest.mark.weekly
def test_a_review_by_a_word_that_no_file_has_shows_nothing_but_what_was_changed(tmp_path: Path) -> None:
    pages = {
        f"docs/page{n}.md": f"# About {n}\n\nWhat the project {n} is for.\n\n## Words\n\n"
        + "".join(f"Word {at} of page {n} is long.\n" for at in range(120))
        for n in range(9)
    }
    root = make_repository(tmp_path / "r", {"a.py": "x = 1\ny = 2\n", **pages})
    write_files(root, {"a.py": "x = 1\ny = 30\n"})
    git(root, "add", "-A")
    commit(root, "turn it on", day=9)

    bundle = pack("review", root=root, budget=4_000, options=PackOptions(since="HEAD~1"))

    assert {item.kind for item in bundle.items} == {"status", "diff"}


def test_a_review_with_a_subject_of_its_own_looks_at_that_too(shop: Path) -> None:
    bundle = pack("review my changes: does the postman still get the address?", root=shop, budget=4_000)

    assert {"shop/mail.py", "shop/cart.py"} <= {item.path for item in bundle.items}


@pytest.mark.costly
@pytest.mark.parametrize("task", ["write a commit message for my changes", "generate a commit message"])
def test_the_message_of_a_commit_takes_the_changes_and_how_messages_are_written(
    shop: Path, task: str
) -> None:
    bundle = pack(task, root=shop, budget=4_000)

    assert {item.kind for item in bundle.items} == {"status", "diff"}
    assert "newest commit messages" in bundle.text
    assert "+RATE = 5\n" in bundle.text


def test_where_nothing_is_changed_the_newest_commits_are_shown_and_a_hint(tmp_path: Path) -> None:
    root = make_repository(tmp_path / "clean", FILES)

    bundle = pack("review my changes", root=root, budget=4_000)

    kinds = [item.kind for item in bundle.items]
    assert kinds[0] == "status"
    assert set(kinds[1:]) == {"commit"}
    assert "--since" in bundle.hints[0]


@pytest.mark.costly
@pytest.mark.parametrize(
    "question",
    ["which commits changed cart.py lately", "what changed recently in the cart", "who added the cart?"],
)
def test_a_question_about_history_is_answered_by_commits(tmp_path: Path, question: str) -> None:
    root = make_shop(tmp_path / "shop")

    bundle = pack(question, root=root, budget=1_000)

    assert bundle.items[0].kind in ("commit", "blame")
    assert "price of the cart with a discount" in bundle.text


@pytest.mark.weekly
def test_a_commit_is_found_by_its_id(tmp_path: Path) -> None:
    root = make_shop(tmp_path / "shop")
    sha = git(root, "log", "-1", "--format=%h", "--abbrev=10", "--grep=second price").strip()

    bundle = pack(f"why was {sha} made", root=root, budget=1_000)

    assert bundle.items[0].title == f"commit {sha}"
    assert bundle.hints == ()


@pytest.mark.weekly
def test_of_very_many_changed_files_the_most_changed_are_named_and_the_others_counted(tmp_path: Path) -> None:
    files = {f"area_{n % 7}/part_{n}.txt": "one\n" for n in range(600)}
    root = make_repository(tmp_path / "many", {"a.py": "x = 1\n", **files})
    write_files(root, dict.fromkeys(files, "two\n") | {"a.py": "y = 1\n" * 50}, age_seconds=500)

    text = pack("review my changes", root=root, budget=8_000).text

    assert "601 changed files not committed" in text
    assert "a.py +50 -1\n" in text
    assert "+y = 1\n" in text
    counts = [int(line.split()[1]) for line in text.splitlines() if line.endswith(" more")]
    assert sum(counts) == 601 - 24 - 60 - 400


def test_all_of_forty_changed_files_are_named_and_code_has_its_numbers(tmp_path: Path) -> None:
    files = {f"data/list_{n}.json": "[\n" + "0,\n" * 40 + "1]\n" for n in range(30)}
    code = {f"src/part_{n}.py": f"x = {n}\n" for n in range(10)}
    root = make_repository(tmp_path / "many", {**files, **code})
    write_files(root, dict.fromkeys(files, "[2]\n") | {path: f"{text}y = 1\n" for path, text in code.items()})

    text = pack("review my changes", root=root, budget=4_000).text

    assert all(f"{path} +1 -0\n" in text for path in code)
    others = next(line for line in text.splitlines() if line.startswith("data/ "))
    assert {f"data/{name}" for name in others.removeprefix("data/ ").split(", ")} | {
        path for path in files if f"{path} +" in text
    } == {*files}


@pytest.mark.weekly
def test_what_writes_the_name_of_a_changed_function_is_shown_where_no_grammar_reads_its_calls(
    tmp_path: Path,
) -> None:
    checks = "".join(
        f'  test "other {n}" do\n    assert Lamp.colour({n}) == {n}\n    refute Lamp.width({n})\n  end\n\n'
        for n in range(60)
    )
    texts = {
        "lib/lamp.ex": "defmodule Lamp do\n  def switch_on(lamp) do\n    first = 1\n    {:ok, lamp, first}\n"
        "  end\nend\n",
        "lib/room.ex": "defmodule Room do\n  def enter(room) do\n    Lamp.switch_on(room.lamp)\n  end\nend\n",
        "test/lamp_test.exs": f'defmodule LampTest do\n  use ExUnit.Case\n\n{checks}  test "on" do\n'
        "    assert Lamp.switch_on(1)\n  end\nend\n",
    }
    root = make_repository(tmp_path / "house", texts)
    changed = {path: text.replace("{:ok, lamp, first}", "{:ok, first}") for path, text in texts.items()}
    changed["test/lamp_test.exs"] = texts["test/lamp_test.exs"].replace("switch_on(1)", "switch_on(22)")
    write_files(root, changed, age_seconds=500)

    text = pack("review my changes", root=root, budget=4_000).text

    assert "Lamp.switch_on(room.lamp)" in text
    assert "Lamp.colour(2)" not in text


def test_a_changed_name_that_many_files_define_is_used_near_its_own(tmp_path: Path) -> None:
    names = ("lamp", "door", "roof", "wall", "oven")
    texts = {
        f"{name}/options.go": f"package {name}\n\ntype Options struct {{\n\tWidth int `Width of {name}`\n}}\n"
        for name in names
    } | {
        f"{name}/command.go": f"package {name}\n\nfunc Run(o Options) int {{\n\treturn o.Width\n}}\n"
        for name in names
    }
    root = make_repository(tmp_path / "house", texts)
    changed = texts["lamp/options.go"].replace("Width of", "The width of")
    write_files(root, {"lamp/options.go": changed}, age_seconds=500)

    bundle = pack("review my changes", root=root, budget=4_000)

    assert {item.path for item in bundle.items if item.kind == "file"} <= {
        "lamp/options.go",
        "lamp/command.go",
    }
    assert "func Run(o Options)" in bundle.text


@pytest.mark.weekly
def test_imports_round_a_changed_one_are_not_shown_beside_its_diff(tmp_path: Path) -> None:
    imports = "".join(f'\t"example.com/lamp/part{n}"\n' for n in range(30))
    texts = {"lamp.go": f"package lamp\n\nimport (\n{imports})\n\nfunc On() int {{\n\treturn part9.One\n}}\n"}
    root = make_repository(tmp_path / "lamp", texts)
    write_files(root, {"lamp.go": texts["lamp.go"].replace('lamp/part3"', 'lamp/v2/part3"')}, age_seconds=500)

    text = pack("review my changes", root=root, budget=4_000).text

    assert "lamp/v2/part3" in text
    assert "lamp/part25" not in text


@pytest.mark.weekly
def test_of_a_large_review_code_comes_first_and_no_hunk_is_only_begun(tmp_path: Path) -> None:
    texts = {
        "README.md": "\n".join(f"old sentence number {n} of a long page" for n in range(400)),
        "src/parse.py": "\n".join(f"def parse_{n}(text):\n    return text[{n}]\n" for n in range(60)),
        "tests/data/long.txt": "\n".join(f"row {n} of the sample data" for n in range(400)),
    }
    root = write_files(tmp_path / "w", texts)
    git(root, "init", "-q", "-b", "main")
    commit(root, "Begin", day=1)
    write_files(
        root, {path: text.replace("old", "new").replace("row", "line") for path, text in texts.items()}
    )
    write_files(root, {"src/parse.py": texts["src/parse.py"].replace("return text[3", "return text[-3")})
    commit(root, "Go on", day=2)

    shown = pack("review", root=root, budget=1_000, options=PackOptions(since="HEAD~1")).text

    assert "+    return text[-3]\n" in shown
    assert "+    return text[-39]\n" in shown
    blocks = shown.split("```diff ")[1:]
    assert blocks
    assert all("\n+" in block for block in blocks)


@pytest.mark.weekly
def test_long_diffs_are_shown_from_where_they_begin_and_leave_room_for_others(tmp_path: Path) -> None:
    lines = [f"    total += weigh_{n}(basket, {n})\n" for n in range(900)]
    texts = {"src/long.py": "".join(lines), "src/other.py": "".join(lines[:30])}
    texts["tests/__snapshots__/page.svg"] = "".join(f"<path d='{n}'/>\n" for n in range(400))
    root = write_files(tmp_path / "w", texts)
    git(root, "init", "-q", "-b", "main")
    commit(root, "Begin", day=1)
    write_files(
        root,
        {
            "src/long.py": "".join(line.replace("total", "the_sum") for line in lines),
            "src/other.py": "".join(line.replace("basket", "cart") for line in lines[:30]),
            "src/new.py": "".join(f"def make_{n}():\n    return {n}\n\n\n" for n in range(80)),
            "tests/__snapshots__/page.svg": texts["tests/__snapshots__/page.svg"].replace("path", "line"),
        },
    )
    commit(root, "Go on", day=2)

    shown = pack("review", root=root, budget=8_000, options=PackOptions(since="HEAD~1")).text

    blocks = {block.partition("\n")[0].split()[2]: block for block in shown.split("```diff ")[1:]}
    assert {"src/long.py", "src/new.py", "src/other.py"} <= blocks.keys()
    assert all("\n--- " in block[:200] for block in blocks.values())
    assert "+    total += weigh_29(cart, 29)" in blocks["src/other.py"]
    assert blocks["src/long.py"].count("\n") > blocks.get("tests/__snapshots__/page.svg", "").count("\n")


@pytest.mark.weekly
def test_of_many_commits_of_a_review_the_newest_are_listed(tmp_path: Path) -> None:
    root = write_files(tmp_path / "w", {"a.py": "x = 0\n"})
    git(root, "init", "-q", "-b", "main")
    commit(root, "Begin", day=1)
    for n in range(20):
        write_files(root, {"a.py": "x = 1\n" * (n + 2)})
        commit(root, f"Step number {n}", day=2)

    shown = pack("review", root=root, budget=2_000, options=PackOptions(since="HEAD~20")).text

    assert "Step number 19\n" in shown
    assert "Step number 3\n" not in shown
    assert "\n4 older commits\n" in shown


@pytest.mark.weekly
def test_bumps_of_dependencies_and_merges_are_counted_in_a_long_list_of_commits(tmp_path: Path) -> None:
    root = write_files(tmp_path / "w", {"a.py": "x = 0\n", "b.py": "y = 0\n"})
    git(root, "init", "-q", "-b", "main")
    commit(root, "Begin", day=1)
    subjects = ["Count twice", "build(deps): bump left-pad from 1.0 to 1.1", "Bump serde from 1.0.1 to 1.0.2"]
    subjects += [f"Merge pull request #{n} from me/fix" for n in range(6)]
    for n, subject in enumerate(subjects):
        write_files(root, {"a.py": "x = 1\n" * (n + 2), "b.py": "y = 1\n" * (n + 2)})
        commit(root, subject, day=2 + n)

    shown = pack("review", root=root, budget=2_000, options=PackOptions(since=f"HEAD~{len(subjects)}")).text

    assert " Count twice\n" in shown
    assert "2 commits bump dependencies: serde, left-pad\n6 merges\n" in shown
    assert "Merge pull request" not in shown


@pytest.mark.weekly
def test_a_changed_default_concerns_pages_that_state_it_and_who_uses_it(tmp_path: Path) -> None:
    texts = {
        "net/config.py": "class Limits:\n    def __init__(self, *, max_idle_connections):\n"
        "        self.idle = max_idle_connections\n\n\nDEFAULT_LIMITS = Limits(max_idle_connections=20)\n",
        "net/client.py": "from net.config import DEFAULT_LIMITS\n\n\nclass Client:\n"
        "    def __init__(self, limits=DEFAULT_LIMITS):\n        self.limits = limits\n",
        "net/update.py": "def update_must(ok):\n    return ok or update_must(not ok)\n",
        "docs/limits.md": "# Limits\n\n- `max_idle_connections`: how many stay open (default 20).\n",
        "docs/update.md": "# Update\n\nWhat else you must update is told here, ok.\n",
    }
    root = make_repository(tmp_path / "net", texts)
    changed = texts["net/config.py"].replace("=20)", "=40)")
    write_files(root, {"net/config.py": changed + "\n"}, age_seconds=500)

    made = pack("are my changes ok? what else must I update", root=root, budget=2_000)

    shown = {item.path for item in made.items if item.kind == "file"}
    assert {"net/client.py", "docs/limits.md"} <= shown
    assert not shown & {"net/update.py", "docs/update.md"}


def test_a_class_whose_methods_have_names_of_the_language_is_shown_where_it_is_called(tmp_path: Path) -> None:
    methods = "".join(
        f"    def __{name}__(self, other):\n        return {name!r}\n\n" for name in ("eq", "lt", "gt")
    )
    texts = {
        "money.py": "class Money:\n    def __init__(self, amount):\n        self.amount = amount\n\n"
        + methods,
        "shop.py": "from money import Money\n\n\ndef price():\n    return 5\n",
    }
    root = make_repository(tmp_path / "shop", texts)
    write_files(root, {"shop.py": texts["shop.py"].replace("return 5", "return Money(5)")}, age_seconds=500)

    made = pack("review my changes", root=root, budget=2_000)

    assert "class Money" in made.text


def test_every_file_of_a_large_change_is_named_before_diffs_are_shown(tmp_path: Path) -> None:
    texts = {
        f"{folder}/part{n}.c": f"/* part{n}.c 1.1 */\n\nint\nget_part{n}(void)\n{{\n"
        + "".join(f"\tcall_step({step});\n" for step in range(30))
        + "}\n"
        for folder in ("net", "gui", "cmd")
        for n in range(40)
    }
    root = make_repository(tmp_path / "loom", texts)
    changed = {
        path: text.replace(".c 1.1", ".c 1.2").replace("step(25)", "step(55)") for path, text in texts.items()
    }
    write_files(root, changed, age_seconds=500)

    made = pack("review", root=root, budget=2_000, options=PackOptions(since="HEAD"))

    lines = made.text.split("\n")
    unnamed = [path for path in texts if not any(path.rpartition("/")[2] in line for line in lines[:70])]
    assert not unnamed
    assert made.text.count("step(55)") > made.text.count("+/* part")


def test_a_file_that_has_become_executable_is_listed_as_such(shop: Path) -> None:
    (shop / "shop/mail.py").chmod(0o755)

    made = pack("review my changes", root=shop, budget=2_000)

    assert "shop/mail.py +0 -0, mode 100644 -> 100755\n" in made.text


def test_a_review_of_nothing_says_so(tmp_path: Path) -> None:
    root = make_repository(tmp_path / "loom", FILES)

    asked = pack("review", root=root, budget=2_000, options=PackOptions(since="main"))
    mine = pack("review my changes", root=root, budget=2_000)

    assert asked.hints[0].startswith("nothing has changed since main; to review commits, name one")
    assert mine.hints[0].startswith("nothing has changed since the newest commit; ")


def test_for_an_entry_of_the_changelog_its_newest_ones_stand_below_the_diffs(tmp_path: Path) -> None:
    entries = "".join(
        f"\n## {n}.0\n\n- Reviews of the change {n} are added by staff.\n" for n in range(90, 0, -1)
    )
    root = make_repository(tmp_path / "loom", {**FILES, "CHANGES.md": f"# Changes\n{entries}"})
    write_files(root, {"shop/tax.py": "def add_tax(price):\n    return price * 2\n"}, age_seconds=500)

    made = pack("write a changelog entry for my changes", root=root, budget=1_200)
    reviewed = pack("review my changes", root=root, budget=1_200)

    assert made.text.index("+    return price * 2") < made.text.index("Reviews of the change 90 are")
    assert "change 20 are" not in made.text
    assert "CHANGES.md" not in {item.path for item in reviewed.items}


def test_whether_a_change_is_tested_is_asked_of_tests_and_not_of_pages(tmp_path: Path) -> None:
    root = make_repository(tmp_path / "loom", {**FILES, "docs/why.md": "# Why\n\nIt is well tested.\n"})
    write_files(root, {"shop/cart.py": CART.replace("first = 1", "first = 2")}, age_seconds=500)

    shown = {item.path for item in pack("is my change tested?", root=root, budget=1_200).items}

    assert "tests/test_cart.py" in shown
    assert "docs/why.md" not in shown


def test_the_map_of_a_review_names_lines_of_the_files_as_they_are_now(tmp_path: Path) -> None:
    steps = "".join(f"def step_{n}():\n    return {n}\n\n\n" for n in range(30))
    root = make_repository(tmp_path / "loom", {"loom/steps.py": steps, "loom/old.py": steps * 3})
    (root / "loom/old.py").unlink()
    write_files(root, {"loom/steps.py": steps.replace("return 20", "return 20 + 1")}, age_seconds=500)

    lines = pack("review my changes", root=root, budget=4_000).text.split("\n")

    first, second = (line for line in lines if line.startswith("- diff of loom/"))
    assert first.startswith("- diff of loom/steps.py: step_20 7")
    assert second == "- diff of loom/old.py: step_0"
    start = int(first.rpartition(" ")[2])
    assert "def step_20():" in steps.replace("return 20", "return 20 + 1").split("\n")[start - 1 : start + 6]


def test_small_hunks_of_code_come_before_a_long_new_test_and_before_imports(tmp_path: Path) -> None:
    code = (
        'package loom\n\nimport (\n\t"fmt"\n)\n\nfunc Weave{0}() int {{\n'
        + "\tfmt.Println()\n" * 12
        + "\treturn {0}\n}}\n"
    )
    texts = {f"part{n}.go": code.format(n) for n in range(8)}
    root = make_repository(tmp_path / "loom", {**texts, "loom.go": "package loom\n"})
    test = "package loom\n\n" + "".join(
        f"func TestCase{n}(t *testing.T) {{\n\tif Knit{n}() != {n} {{\n\t\tt.Fatal({n})\n\t}}\n}}\n\n"
        for n in range(60)
    )
    changed = {
        path: text.replace('\t"fmt"\n', '\t"fmt"\n\t"slices"\n').replace("\treturn ", "\treturn 100 + ")
        for path, text in texts.items()
    }
    write_files(root, {**changed, "loom_test.go": test}, age_seconds=500)

    made = pack("review my changes", root=root, budget=1_200)

    assert made.text.count("+\treturn 100 + ") == len(texts)
    assert made.text.count('+\t"slices"') < len(texts)
