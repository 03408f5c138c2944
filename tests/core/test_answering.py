"""Packs for questions: documents, settings and code that answer, whole and first."""

from __future__ import annotations

import re
import subprocess
import time
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import ClassVar

import attrs
import pytest

import satchel
from satchel import ContextItem, Part, Task, Workspace
from satchel.packing import Scored, answer_shares, find_command_lines
from satchel.packing.weighing.answering import rank_type
from satchel.packing.weighing.declarations import find_commands
from satchel.packing.weighing.matching import AnswerRow, weigh_terms
from satchel.plugin_api import SplitItem
from satchel.questions import Aim, FilePlace, place_of, read_question
from satchel.stems import stem

from .fakes import host_with
from .repositories import write_files

ARCHITECTURE = "# Architecture\n\nThe server has three layers.\n\n## Layers\n\nA router, handlers, a store.\n"
THEMES = "# Themes\n\nSome words on colours.\n\n## Writing a theme\n\nPut a TOML file into `themes/`.\n"
CONTRIBUTING = "# Contributing\n\n## Commits\n\nWrite the subject in the imperative, at most fifty letters.\n"
SETTINGS = """[project]
name = "shop"

[tool.ruff]
line-length = 104

[tool.ruff.lint]
select = ["E", "ICN"]
"""
CODE = "def route_{0}(request):\n    theme = request.theme\n    return architecture(theme, {0})\n\n\n"


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder of code, with documents and settings beside it."""
    root = tmp_path_factory.mktemp("shop")
    files = {
        "docs/architecture.md": ARCHITECTURE,
        "docs/themes.md": THEMES,
        "CONTRIBUTING.md": CONTRIBUTING,
        "pyproject.toml": SETTINGS,
        "LICENSE": "Permission is granted to explain the architecture of themes to any person.\n" * 40,
        **{
            f"src/part{at}.py": "".join(CODE.format(f"{at}_{number}") for number in range(30))
            for at in range(9)
        },
    }
    return write_files(root, files)


@pytest.fixture
def shop_in_git(tmp_path: Path) -> Path:
    """Return a repository with a change that is not committed."""
    for at in range(5):
        (tmp_path / f"part{at}.py").write_text(CODE.format(at), encoding="utf-8")
    for command in ("init -q", "add -A", "-c user.name=a -c user.email=a@b commit -qm Start"):
        subprocess.run(["git", "-C", tmp_path, *command.split()], check=True)
    (tmp_path / "part3.py").write_text(CODE.format("changes"), encoding="utf-8")
    return tmp_path


FORM = "<template>\n  <p>{0} of the brewer</p>\n</template>\n<script setup>\nconst brewer = {0}\n</script>\n"


def answered(root: Path, question: str, budget: int = 1_500) -> satchel.Bundle:
    return satchel.pack(question, root, budget=budget)


@pytest.mark.costly
@pytest.mark.parametrize(
    ("question", "path", "line"),
    [
        ("explain the architecture", "docs/architecture.md", "A router, handlers, a store."),
        ("how do I write a theme", "docs/themes.md", "Put a TOML file into `themes/`."),
        ("what are the rules for commit messages?", "CONTRIBUTING.md", "in the imperative"),
        ("which lint rules are enabled and what is the line length", "pyproject.toml", "line-length = 104"),
        ("Wie schreibe ich Nachrichten für Commits?", "CONTRIBUTING.md", "in the imperative"),
        ("how do I wriet a themme?", "docs/themes.md", "Put a TOML file into `themes/`."),
    ],
)
def test_what_answers_is_there_whole_and_first(shop: Path, question: str, path: str, line: str) -> None:
    bundle = answered(shop, question)

    first = next(item for item in bundle.items if item.kind == "file" or item.path)
    assert first.path == path
    assert line in first.text


@pytest.mark.parametrize("name", ["README.md", "AGENTS.md"])
def test_what_stands_far_down_in_a_readme_or_in_instructions_answers(tmp_path: Path, name: str) -> None:
    chapters = "".join(f"## Chapter {at}\n\n" + "Words about the shop.\n" * 20 for at in range(40))
    (tmp_path / name).write_text(
        f"# Shop\n\n{chapters}## Supported compilers\n\nThe oldest compiler that works is 1.71.\n",
        encoding="utf-8",
    )
    (tmp_path / "shop.py").write_text("def sell(thing):\n    return thing\n", encoding="utf-8")

    text = "".join(item.text for item in answered(tmp_path, "which compilers are supported?").items)

    assert "The oldest compiler that works is 1.71." in text


@pytest.mark.parametrize("question", ["book a journey", "explain the journeys"])
def test_rows_of_data_without_a_word_of_the_task_answer_nothing(tmp_path: Path, question: str) -> None:
    rows = [f"2031-01-{at % 28 + 1:02};ticket {at};{at},00" for at in range(600)]
    rows[300] = "2031-02-01;the journey to Ulm;7,00"
    table = "\n".join(["day;text;amount", *rows])
    code = "def book_journey(day, text, amount):\n    return day, text, amount\n"
    write_files(tmp_path, {"journeys/2031.csv": table, "booking.py": code})

    text = "".join(item.text for item in answered(tmp_path, question, 8_000).items)

    assert "def book_journey" in text
    assert "the journey to Ulm" in text
    assert "ticket 30;" not in text
    assert "ticket 100;" not in text


def test_a_licence_answers_nothing(shop: Path) -> None:
    shown = {
        item.path for item in answered(shop, "explain the architecture").items if item.level != "pointer"
    }

    assert "LICENSE" not in shown


def test_where_something_is_stands_in_the_code(shop: Path) -> None:
    bundle = answered(shop, "where is route_3_7 defined?")

    assert "def route_3_7(request):" in bundle.text
    assert bundle.tokens <= 1_500


RULES = [f'    "X{number:03}",  # rule {number} on the length of a line of text' for number in range(90)]
SETTINGS_OF_RULES = "\n".join(
    ["[tool.check]", "strict = true", "select = [", *RULES, "]", "line-length = 97", "src = ['a']", ""]
)


def test_of_long_settings_the_lines_that_are_asked_for_are_shown(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text(SETTINGS_OF_RULES, encoding="utf-8")
    (tmp_path / "length.md").write_text("# Length\n\nA line has a length.\n\n" * 60, encoding="utf-8")

    text = answered(tmp_path, "what is the line length?", 900).text

    assert "line-length = 97" in text
    assert text.count('    "X') < 60


def test_since_which_version_there_is_something_is_told_by_the_entry_with_its_name(tmp_path: Path) -> None:
    entries = [
        f"## 2.{at}\n\n- Workers restart after a limit, added for {at} users.\n\n" for at in range(30, 0, -1)
    ]
    entries[20] = entries[20].replace("a limit", "`max_runtime`")
    (tmp_path / "CHANGELOG.md").write_text("# Changes\n\n" + "".join(entries), encoding="utf-8")
    (tmp_path / "UPGRADE.md").write_text("# Upgrade\n\nAdded in a version: workers.\n", encoding="utf-8")
    (tmp_path / "config.py").write_text("max_runtime = None\n", encoding="utf-8")

    bundle = answered(tmp_path, "in which version was max_runtime added?", 400)

    assert "## 2.10\n" in bundle.text
    assert "UPGRADE.md" not in {item.path for item in bundle.items}


@pytest.mark.weekly
def test_a_page_on_conduct_answers_only_who_asks_for_it(tmp_path: Path) -> None:
    conduct = "# Code of conduct\n\nWho changes code has to follow it. Harassment is reported to us.\n"
    (tmp_path / "CODE_OF_CONDUCT.md").write_text(conduct, encoding="utf-8")
    rules = "# Contributing\n\nFollow the naming conventions of code.\n"
    (tmp_path / "CONTRIBUTING.md").write_text(rules, encoding="utf-8")

    def paths(question: str) -> set[str]:
        return {item.path for item in answered(tmp_path, question, 900).items}

    assert paths("which conventions do I have to follow in code?") == {"CONTRIBUTING.md"}
    assert "CODE_OF_CONDUCT.md" in paths("where is harassment reported to?")


def test_what_explains_an_option_stands_before_what_uses_it(tmp_path: Path) -> None:
    rows = [
        f"| `--flag-{at}=1` | The time between two checks of shelf {at}, as a duration. |\n"
        for at in range(90)
    ]
    rows[70] = "| `--interval=1m` | The time between two rounds, as a duration, one minute. |\n"
    for path, text in {
        "docs/flags.md": "# Flags\n\n| Flag | Description |\n| --- | --- |\n" + "".join(rows),
        "docs/deploy.md": "# Deploy\n\n```yaml\nargs:\n- --interval=10s # what is the default of it\n"
        "- --source=shop\n```\n\nThe `--interval` by default.\n",
    }.items():
        (tmp_path / path).parent.mkdir(exist_ok=True)
        (tmp_path / path).write_text(text, encoding="utf-8")

    bundle = answered(tmp_path, "what is the default of `--interval`?", 500)

    assert bundle.items[0].path == "docs/flags.md"
    assert "two rounds" in bundle.text
    assert "shelf 5," not in bundle.text


def test_of_a_type_whose_api_is_asked_for_the_heads_of_all_members_come_first(tmp_path: Path) -> None:
    methods = "".join(
        f'    def step_{at}(self, first):\n        """Implement what a subclass of a Store has to."""\n'
        + "        first = first + 1\n" * 20
        + "\n"
        for at in range(20)
    )
    (tmp_path / "store.py").write_text(f"class Store:\n{methods}", encoding="utf-8")
    (tmp_path / "other.py").write_text("def unrelated(store):\n    return store\n" * 9, encoding="utf-8")

    text = answered(tmp_path, "API of Store: which methods does a subclass have to implement?", 1_000).text

    assert all(f"def step_{at}(self, first):" in text for at in range(20))


def test_a_type_whose_members_are_asked_for_comes_before_what_uses_it(tmp_path: Path) -> None:
    calls = "".join(
        f'  @doc """\n  Weaves and ties thread {at} of the warp.\n  """\n  def weave_{at}(warp, thread)\n\n'
        for at in range(30)
    )
    write_files(tmp_path, {"lib/protocols.ex": f"defprotocol Yarn.Loom do\n{calls}end\n"})
    for name in ("Log", "Cell", "Gate"):
        call = "    Yarn.Loom.weave(loom, loom)\n"
        uses = "".join(f"  def use_{at}(loom) do\n{call * 5}  end\n\n" for at in range(9))
        text = f"defmodule Yarn.Loom.{name}.Server do\n{uses}end\n"
        write_files(tmp_path, {f"lib/yarn/loom/{name.lower()}.ex": text})

    bundle = answered(tmp_path, "which methods does Yarn.Loom have", 1_200)

    assert bundle.items[0].path == "lib/protocols.ex"
    assert all(f"def weave_{at}(warp, thread)" in bundle.text for at in range(30))


@pytest.mark.parametrize(
    "question",
    [
        "No warp on the looms of this hall.",
        'why does it say "No warp on the looms of this hall"?',
        'where is the message "No warp" printed',
    ],
)
def test_the_code_that_writes_a_message_comes_first_for_a_question(tmp_path: Path, question: str) -> None:
    told = "def weave_{0}(warp, looms, hall):\n    # No warp, no looms.\n    return warp, looms, hall\n\n\n"
    files = {
        f"{name}/warp_looms.py": "".join(map(told.format, range(at, at + 3)))
        for at, name in enumerate(["hall", "warp", "looms"])
    }
    steps = "    thread = spin(thread)\n" * 20
    message = '    raise Missing("No warp on the looms of this hall") if thread else Missing("No warp")\n'
    write_files(tmp_path, {**files, "shop/till.py": f"def pay(thread):\n{steps}{message}{steps}"})

    assert answered(tmp_path, question, 600).items[0].path == "shop/till.py"


def test_what_only_stands_in_the_space_of_a_name_is_not_called_so(tmp_path: Path) -> None:
    calls = "".join(f"  def weave_{at}(warp, thread)\n\n" for at in range(9))
    write_files(tmp_path, {"lib/yarn/loom.ex": f"defprotocol Yarn.Loom do\n{calls}end\n"})
    uses = "".join(f"  def print_{at}(line), do: put(line)\n\n" for at in range(9))
    text = f"defmodule Yarn.Loom.Log.Server do\n{uses}end\n"
    write_files(tmp_path, {"lib/log.ex": text})

    knots = "    spin(warp)\n" * 10
    use = "  def use_{}(warp) do\n    Yarn.Loom.weave(warp)\n{}  end\n\n"
    uses = "".join(use.format(at, knots) for at in range(9))
    write_files(tmp_path, {"lib/mill.ex": f"defmodule Mill do\n{uses}end\n"})

    paths = [item.path for item in answered(tmp_path, "which methods does Yarn.Loom have", 4_000).items]

    assert paths == ["lib/yarn/loom.ex", "lib/mill.ex", "lib/log.ex"]


@pytest.mark.weekly
def test_a_version_of_node_is_told_by_the_file_that_pins_it(tmp_path: Path) -> None:
    (tmp_path / ".nvmrc").write_text("24.16.0\n", encoding="utf-8")
    package = '{\n  "name": "root",\n  "packageManager": "pnpm@11.9.0",\n  "type": "module"\n}\n'
    (tmp_path / "package.json").write_text(package, encoding="utf-8")
    (tmp_path / "notes.md").write_text("# Nodes\n\nA node of the tree has versions.\n" * 20, encoding="utf-8")

    text = answered(tmp_path, "which node and pnpm versions are used in CI?", 600).text

    assert "24.16.0" in text
    assert "pnpm@11.9.0" in text


def test_words_side_by_side_are_one_thing(tmp_path: Path) -> None:
    apart = "# Lines\n\nEach line is read. The length of a queue, a line of people.\n"
    (tmp_path / "apart.md").write_text(apart, encoding="utf-8")
    (tmp_path / "together.md").write_text(f"# Rules\n\n{'Words of no use. ' * 4}\nLine length is 97.\n")

    first = answered(tmp_path, "what is the line length?", 600).items[0]

    assert first.path == "together.md"


@pytest.mark.weekly
@pytest.mark.parametrize(
    ("question", "rare"),
    [
        ("where does it get a row", "def check(value):\n    expect(value, 1, got=value)\n"),
        ("where does it return a row", "def status(process):\n    return process.status\n"),
    ],
)
def test_neither_a_rare_form_of_a_verb_nor_a_rare_synonym_outweighs_the_words(
    tmp_path: Path, question: str, rare: str
) -> None:
    rows = {
        f"rows{at}.py": f"def move_{at}(table):\n    row = get(table, {at})\n    return row\n"
        for at in range(30)
    }
    root = write_files(tmp_path, {**rows, "rare.py": rare})

    items = answered(root, question, 300).items

    assert items[0].path in rows


def test_a_word_made_of_one_of_the_question_is_no_rarer_than_that() -> None:
    question = read_question("how do I test a command that reads files")
    rows = [AnswerRow(0, 9, dict.fromkeys(map(stem, ("command", "subcommand", "read", "load")), 1))]
    rarity = {"command": 1.0, "subcommand": 4.0, "read": 1.0, "load": 4.0}

    weights = weigh_terms(rows, question.terms, rarity, question.groups)

    assert weights["subcommand"] < weights["command"] < weights["load"]


def test_where_only_words_of_the_same_meaning_occur_little_is_shown(tmp_path: Path) -> None:
    steps = {f"docs/p{at}.md": f"# Setup {at}\n\nInstall part {at} with the tool.\n" for at in range(20)}
    root = write_files(tmp_path / "loom", steps)

    meant, said = (answered(root, f"how do I {word} it", 2_000) for word in ("uninstall", "install"))

    assert 0 < len(meant.items) <= 5
    assert len(said.items) > 10


def test_what_does_not_answer_is_left_out_though_there_is_room(shop: Path) -> None:
    (shop / "logo.svg").write_text("<svg/>\n", encoding="utf-8")

    bundle = answered(shop, "how do I write a theme", 60_000)

    assert bundle.tokens < 20_000
    reasons = {one.path: one.reason for one in bundle.left_out}
    assert reasons["LICENSE"] == "nothing in it answers the question"


@pytest.mark.weekly
def test_what_helps_who_changes_code_stands_in_no_answer(shop_in_git: Path) -> None:
    question = answered(shop_in_git, "how do I write a theme", 60_000)
    failure = answered(shop_in_git, "why does a theme fail?", 60_000)
    change = answered(shop_in_git, "fix the crash when a theme is missing", 60_000)

    aside = {"blame", "commit", "environment", "tree"}
    assert not aside & {item.kind for item in question.items}
    assert aside & {item.kind for item in failure.items}
    assert aside & {item.kind for item in change.items}


def test_beside_an_overview_stand_the_readme_and_pages_whose_heading_fits(tmp_path: Path) -> None:
    body = "def architecture(structure):\n    return structure\n" * 20
    files = {
        **dict.fromkeys(("shop/app.py", "shop/store.py", "tests/test_app.py", "tests/design.json"), body),
        "README.md": "# Shop\n\nIt sells things.\n\n## Licence\n\nFree.\n\n## Thanks\n\nTo all.\n",
        "docs/layers.md": "# Layers\n\n## Architecture\n\nA router, a store.\n",
        "BENCHMARKS.md": "# Benchmarks\n\nMemory of the routing structure, by design.\n",
    }
    write_files(tmp_path, files)

    bundle = answered(tmp_path, "explain the architecture")

    shown = {item.path for item in bundle.items if item.path and item.level != "pointer"}
    assert shown == {"README.md", "docs/layers.md"}
    assert "It sells things." in bundle.text
    assert "To all." not in bundle.text


def test_an_overview_shows_how_the_program_starts_and_where_its_work_begins(tmp_path: Path) -> None:
    work = "".join(f"\tif opts.Mode == {at} {{\n\t\tfmt.Println({at})\n\t}}\n" for at in range(400))
    files = {
        "README.md": "# Shop\n\nIt sells things.\n",
        "main.go": "package main\n\nfunc main() {\n\tfmt.Print(1)\n\tleave(0)\n\tshop.Run(opts)\n}\n",
        "src/core.go": f"package shop\n\n// Run opens the shop\nfunc Run(opts *Options) int {{\n{work}}}\n",
    }
    write_files(tmp_path, files)

    text = answered(tmp_path, "explain the architecture", 1_600).text

    assert "func main()" in text
    assert "// Run opens the shop\nfunc Run(opts *Options) int {" in text


def test_an_overview_needs_no_page_on_the_design_and_takes_no_other_one(tmp_path: Path) -> None:
    files = {
        "shop/app.py": "def run():\n    return 1\n" * 40,
        "README.md": '<p align="center"><img src="logo.png"></p>\n\n# Shop\n\nIt sells things to people.\n',
        "docs/quickstart.md": "# Quickstart\n\nAdd to the cart, then pay.\n" * 9,
        "docs/payments.md": "# Payments\n\nCards and cash.\n" * 9,
    }
    write_files(tmp_path, files)

    bundle = answered(tmp_path, "explain the architecture")

    assert {item.kind for item in bundle.items if item.level != "pointer"} == {"overview", "file"}
    assert not any(item.path.startswith("docs/") for item in bundle.items)
    assert "It sells things" in bundle.text


def test_of_a_readme_stands_what_it_says_of_the_project_and_no_badges_and_sponsors(tmp_path: Path) -> None:
    badge = "[![Build](https://ci.example/badge/1234567890.svg)](https://ci.example/pipelines/1234567890)\n"
    readme = (
        f'<div align="center">\n<img src="logo.svg" width="200px" alt="Shop">\n\n{badge * 4}\n</div>\n\n'
        "# Shop installer\n\nSells things to people who want them.\n\n"
        "## Installation\n\nUse pip.\n\n### From source\n\nClone it, build it with tools of the trade.\n\n"
        "## Sponsors\n\nA big company of the web pays for all of this work.\n\n"
        "### [Buy a terminal](https://terminal.example)\n\n[It is for all systems](https://terminal.example)\n\n"
        "## Why\n\nOther shops have no counter at all, and nobody who knows what the things are good for.\n"
    )
    write_files(tmp_path, {"README.md": readme, "shop/app.py": "def run():\n    return 1\n" * 400})

    text = answered(tmp_path, "explain the architecture", 700).text

    assert "Sells things" in text
    assert "no counter" in text
    assert not any(
        word in text for word in ("badge", "logo.svg", "big company", "terminal.example", "of the trade")
    )


@pytest.mark.parametrize(
    ("path", "title", "heading", "is_shown"),
    [
        ("CONTRIBUTING.md", "How to help", "Project structure", True),
        ("docs/contributing.md", "How to help", "Project structure", True),
        ("docs/inside.md", "Overview of the shop", "Source code layout", True),
        ("docs/fixtures.md", "Fixtures", "Safe fixture structure", False),
        ("docs/phone.md", "Phones", "Architecture", True),
        ("docs/screens.md", "Screens", "Layout", False),
        ("docs/screens.md", "Screens", "The base layout", False),
        ("docs/_layouts/page.md", "Page", "Title of it", False),
        ("docs/how-to/design-a-wall.md", "Design a wall", "Designing your architecture", False),
        ("docs/guide/design.md", "Themes", "Colours of it", False),
        ("docs/guide/design.md", "Tills", "Counters of it", True),
        ("packages/till/README.md", "Till", "Overview", False),
        (".agents/skills/release/SKILL.md", "Release", "Overview", False),
    ],
)
def test_a_section_tells_of_a_project_if_its_heading_is_about_all_of_it(
    tmp_path: Path, path: str, title: str, heading: str, is_shown: bool
) -> None:
    files = {
        "README.md": "# Shop\n\nIt sells things to people.\n\n## Design\n\nA counter and a till.\n",
        path: f"# {title}\n\n## {heading}\n\nThe walls are of brick.\n",
        "shop/app.py": "def run():\n    return 1\n" * 400,
    }
    write_files(tmp_path, files)

    assert ("of brick" in answered(tmp_path, "explain the architecture", 900).text) == is_shown


def test_of_a_page_in_a_folder_on_the_design_stands_what_it_is_about(tmp_path: Path) -> None:
    pages = {
        f"docs/architecture/{name}.md": f"# The {name}\n\nAll about the {name} of the shop.\n\n"
        f"## Parts\n\nThey are round.\n\n## Architecture\n\nMade like this: the {name} is flat.\n"
        for name in ("till", "counter", "door")
    }
    write_files(
        tmp_path,
        {
            "README.md": "# Shop\n\nIt sells things to people.\n",
            **pages,
            "shop/app.py": "def run():\n    return 1\n" * 400,
        },
    )

    text = answered(tmp_path, "explain the architecture", 900).text

    assert "All about the till" in text
    assert "All about the door" in text
    assert "is flat" not in text


def test_modules_of_tests_and_build_scripts_are_no_backbone(tmp_path: Path) -> None:
    library = "#[cfg(test)]\nmod tests {\n    type Result = u8;\n    fn check() -> Result { 1 }\n}\n"
    files = {
        "build.rs": "fn main() {\n    set_version();\n}\n",
        "src/main.rs": "fn main() {\n    open_the_shop();\n}\n",
        **{f"src/part{at}.rs": f"pub fn part_{at}() -> Result {{ 1 }}\n{library}" for at in range(5)},
    }
    write_files(tmp_path, files)

    text = answered(tmp_path, "explain the architecture", 2_000).text

    assert "open_the_shop" in text
    assert not any(name in text for name in ("set_version", "mod tests"))


@pytest.mark.parametrize("budget", [500, 900, 2_000])
def test_what_a_project_is_comes_before_its_packages_and_needs_no_large_budget(
    tmp_path: Path, budget: int
) -> None:
    code = {
        f"part{folder}/module{at}_{folder}.py": f'"""Does thing {at} of part {folder}, and no other."""\n' * 9
        for folder in range(9)
        for at in range(9)
    }
    write_files(tmp_path, {"README.md": "# Shop\n\nSells things to people who want them.\n", **code})

    bundle = answered(tmp_path, "what does this project do?", budget)
    text = bundle.text

    assert "Sells things" in text[: text.index("overview of the code")]
    assert [item.kind for item in bundle.items][:2] == ["file", "overview"]


def test_a_question_on_all_of_a_project_and_something_else_gets_what_the_readme_says_first(
    tmp_path: Path,
) -> None:
    files = {
        "README.md": "# Shop\n\nSells things to people who want them.\n\n## Licence\n\nFree.\n",
        "docs/release.md": "# Deployment\n\nIt is deployed to the cloud by a push.\n",
        "shop/app.py": "def run():\n    return 1\n" * 90,
    }
    write_files(tmp_path, files)

    text = answered(tmp_path, "what does this project do and how is it deployed?", 900).text

    assert "Sells things" in text
    assert "by a push" in text


def test_a_guide_to_the_code_base_tells_how_a_project_is_made(tmp_path: Path) -> None:
    guide = "# Guide to the code\n\n## Packages\n\nThe counter holds the till.\n"
    pages = {f"docs/page{at}.md": f"# Page {at}\n\nAbout the structure of things.\n" for at in range(200)}
    write_files(
        tmp_path,
        {**pages, "docs/dev/Codebase_Guide.md": guide, "shop/app.py": "def run():\n    return 1\n" * 40},
    )

    assert "holds the till" in answered(tmp_path, "explain the architecture", 2_000).text


@pytest.mark.weekly
@pytest.mark.parametrize(
    ("name", "is_shown"),
    [("Catalogue", True), ("Unused", False), ("_Hidden", False), ("helper", True), ("everywhere", False)],
)
def test_beside_an_overview_stand_the_types_that_most_files_use(
    tmp_path: Path, name: str, is_shown: bool
) -> None:
    long = f"    first = {'second + ' * 400}third\n"  # more than the room that is left
    (tmp_path / "catalogue.py").write_text(
        "class Catalogue:\n    '''All that is for sale.'''\n\n\n"
        f"class Unused:\n{long}\n\nclass _Hidden:\n{long}\n\ndef helper(one):\n    return one\n",
        encoding="utf-8",
    )
    for at in range(5):
        (tmp_path / f"shelf{at}.py").write_text(
            "from catalogue import Catalogue, _Hidden, helper\n\n\n"
            f"def shelf_{at}():\n    return helper(Catalogue(_Hidden)), everywhere()\n\n\n"
            "def everywhere():\n    return None\n",
            encoding="utf-8",
        )

    text = answered(tmp_path, "explain the architecture", 600).text

    assert (f"class {name}" in text or f"def {name}" in text) == is_shown


def test_who_imports_neither_a_name_nor_its_module_uses_another(tmp_path: Path) -> None:
    files = {
        "front/filters.py": "def decode(text):\n    return text\n",
        "store/packet.py": "def unpack(text):\n    return text\n",
        **{
            f"back/user{at}.py": f"from store import packet\n\n\ndef use_{at}(raw):\n"
            "    return packet.unpack(raw).decode(raw)\n"
            for at in range(5)
        },
    }
    write_files(tmp_path, files)

    text = answered(tmp_path, "explain the architecture", 3_000).text

    assert "def unpack" in text
    assert "def decode" not in text


def test_what_is_not_imported_is_not_used_where_a_grammar_is_missing(tmp_path: Path) -> None:
    files = {
        "front/Lids.sol": "contract Lid {\n    uint256 decoded;\n}\n",
        "store/Pots.sol": "contract Pot {\n    uint256 filled;\n}\n",
        **{
            f"back/User{at}.sol": 'import "../store/Pots.sol";\n\n'
            f"contract User{at} {{\n    function use{at}() public {{\n        Pot(1); Lid(2);\n    }}\n}}\n"
            for at in range(5)
        },
    }
    write_files(tmp_path, files)

    text = answered(tmp_path, "explain the architecture", 3_000).text

    assert "uint256 filled" in text
    assert "uint256 decoded" not in text


@pytest.mark.parametrize(
    ("path", "text", "shown"),
    [
        ("src/Shop.fs", "module Shop\n\n[<EntryPoint>]\nlet main argv =\n    pourAll argv\n", "pourAll argv"),
        ("Shop/shop.m", '#import "Pot.h"\n\nint main(int n, char *all[]) {\n    pour(n);\n}\n', "pour(n)"),
    ],
)
def test_a_compiled_program_without_a_grammar_starts_with_its_main(
    tmp_path: Path, path: str, text: str, shown: str
) -> None:
    write_files(tmp_path, {path: text, "ui/main.js": "mount(drawn());\n"})

    assert shown in answered(tmp_path, "explain the architecture", 260).text


@pytest.mark.parametrize("own", ["src/Shop/Program.fs", "src/shop.fs", "Shop/src/main.fs"])
def test_a_project_starts_with_the_program_that_has_its_name(tmp_path: Path, own: str) -> None:
    main = "module Program\n\n[<EntryPoint>]\nlet main argv =\n    {0} argv\n"
    files = {"src/Boxes/Program.fs": main.format("foldBoxes"), own: main.format("openShop")}
    write_files(tmp_path / "shop", files)

    text = answered(tmp_path / "shop", "explain the architecture", 260).text

    assert "openShop argv" in text
    assert "foldBoxes argv" not in text


@pytest.mark.weekly
def test_beside_an_overview_stand_the_types_that_a_page_on_the_design_names(tmp_path: Path) -> None:
    files = {
        "docs/internals.md": "# Internals\n\nA `Launcher` makes one `Shop::Manager` for each queue.\n",
        "docs/2.0-Upgrade.md": "# Refactoring internals\n\n`Gone` went.\n",
        "lib/launch.rb": "module Shop\n  # It starts.\n  class Launcher\n    def run\n    end\n  end\nend",
        "lib/manage.rb": "module Shop\n  class Manager\n    def start\n    end\n  end\nend\n",
        "lib/rest.rb": "module Shop\n  class Idle\n    def wait\n    end\n  end\nend\n",
    }
    write_files(tmp_path, files)

    text = answered(tmp_path, "explain the architecture", 3_000).text

    assert "class Launcher" in text
    assert "class Manager" in text
    assert "class Idle" not in text
    assert "`Gone` went." not in text


def test_how_something_works_is_told_by_pages_and_by_its_code(tmp_path: Path) -> None:
    said = "How take_work takes from the queue and serves the queue: take_work serves all of it.\n"
    page = "".join(f"# Serving the queue with take_work, part {at}\n\n{said * 4}\n" for at in range(12))
    code = "def take_work(one):\n" + "    one = one.following\n" * 40 + "    return one.pop()\n"
    (tmp_path / "queue.md").write_text(page, encoding="utf-8")
    (tmp_path / "pool.py").write_text(code, encoding="utf-8")

    text = answered(tmp_path, "how does take_work serve the queue", 900).text

    assert "def take_work" in text
    assert "take_work serves all of it." in text


def test_what_is_called_as_what_is_asked_about_comes_first(tmp_path: Path) -> None:
    page = "# Settings\n\n## User simulator\n\nThe user simulator works with the model of its file.\n"
    code = "class Clock:\n    def tick(self): ...\n\n\nclass UserSimulator:\n    def say(self): ...\n"
    write_files(tmp_path, {"docs/settings.md": page, "src/people.py": code})

    bundle = answered(tmp_path, "explain how the user simulator works")

    assert bundle.items[0].path == "src/people.py"
    assert "class UserSimulator" in bundle.text


def test_a_function_is_explained_by_those_inside_it_and_by_those_it_calls(tmp_path: Path) -> None:
    steps = "".join(f"    row{at} = {at}\n" for at in range(12))
    inner = steps.replace("    row", "        row")
    code = (
        f"def open_shelf(name):\n{steps}    def use(key):\n{inner}        return build(key)\n"
        f"{steps}    return use\n\n\ndef build(key):\n{steps}    return Box(key)\n"
    )
    page = "".join(f"# Use open_shelf, part {at}\n\nCall open_shelf to have a shelf.\n\n" for at in range(12))
    root = write_files(tmp_path, {"src/shelf.py": code, "docs/shelves.md": page})

    text = answered(root, "how does open_shelf work", 600).text

    assert "return build(key)" in text
    assert "return Box(key)" in text


def test_lists_of_links_and_tables_explain_nothing(tmp_path: Path) -> None:
    links = "".join(
        f"- [Life of a request {at}](page{at}.md): tells of a request and its life.\n" for at in range(9)
    )
    life = (
        "# Router\n\nFirst the router takes a request, then its handler answers. That is all of its life.\n"
    )
    root = write_files(tmp_path, {"docs/index.md": f"# Pages\n\n{links}", "docs/router.md": life})

    paths = [item.path for item in answered(root, "explain the life of a request").items]

    assert paths[0] == "docs/router.md"


def test_how_something_works_is_told_by_comments_before_other_code(tmp_path: Path) -> None:
    said, done = "# The queue, its jobs, the set.", "queue_jobs = set_jobs"
    for name, line, often in (("quiet", done, 4), ("told", said, 4)):
        body = f"    {line}\n" * often + "    return jobs\n"
        (tmp_path / f"{name}.py").write_text(f"def move(queue, jobs):\n{body}", encoding="utf-8")

    items = answered(tmp_path, "how do jobs get from the set to the queue", 600).items

    assert [item.path for item in items] == ["told.py", "quiet.py"]


@pytest.mark.weekly
def test_what_is_asked_beside_the_whole_is_answered_with_it(shop: Path) -> None:
    bundle = answered(shop, "explain the architecture of this repo: how do I write a theme?", 3_000)

    assert "overview" in {item.kind for item in bundle.items}
    assert "Put a TOML file" in bundle.text


@pytest.mark.weekly
def test_beside_an_overview_stand_the_methods_of_types_by_their_heads(tmp_path: Path) -> None:
    methods = "".join(
        f"    def {name}(self, first):\n" + "        first = first + 1\n" * 9 + "        return first\n\n"
        for name in ("load", "store", "_hide")
    )
    (tmp_path / "cart.py").write_text(
        f'class Cart:\n    """What is bought."""\n\n{methods}', encoding="utf-8"
    )
    (tmp_path / "use.py").write_text(
        "from cart import Cart\n\n\ndef use():\n    return Cart()\n", encoding="utf-8"
    )

    text = answered(tmp_path, "explain the architecture", 220).text

    assert "def load(self, first):" in text
    assert "def store(self, first):" in text
    assert "def _hide" not in text
    assert "first + 1" not in text
    assert "first + 1" in answered(tmp_path, "explain the architecture", 3_000).text


def test_beside_an_overview_stands_what_a_script_does_first(tmp_path: Path) -> None:
    routes = "".join(
        f'app.get("/cups/{at}", (request, reply) => reply.send(cups[{at}]));\n' for at in range(200)
    )
    files = {
        "server/server.js": f"const app = express();\nconst cups = new Shelf(app);\n{routes}",
        "push-examples/js/index.js": "const pushed = true;\n",
        **{f"server/cup{at}.js": f"exports.cup = {at};\n" * 30 for at in range(9)},
    }
    write_files(tmp_path, files)

    text = answered(tmp_path, "explain the architecture", 1_200).text

    assert "const cups = new Shelf(app);" in text
    assert "/cups/199" not in text
    assert "const pushed" not in text


def test_an_overview_shows_what_defines_a_type_and_not_what_declares_it(tmp_path: Path) -> None:
    declared = "".join(f"export class Cup{at} {{\n  fill(): void;\n}}\n" for at in range(9))
    code = "export default class Cup4 {\n  fill() {\n    return brewed();\n  }\n}\n"
    users = {f"lib/use{at}.js": "import Cup4 from './Cup4.js';\nnew Cup4();\n" for at in range(3)}
    write_files(tmp_path, {"index.d.ts": declared, "index.d.cts": declared, "lib/Cup4.js": code, **users})

    text = answered(tmp_path, "explain the architecture", 1_000).text

    assert "export default class Cup4" in text
    assert "fill(): void" not in text


def test_where_something_is_done_is_shown_by_what_does_it_and_not_what_declares_it(tmp_path: Path) -> None:
    one = "/** Hooks executed: a hook is executed. */\nexport function hookExecuted{0}(hook: Hook): void;\n"
    code = "// Hooks are executed here.\nfunction runHooks (hooks) {\n  hooks.forEach(execute)\n}\n"
    declared = "".join(map(one.format, range(9)))
    write_files(tmp_path, {"types/instance.d.ts": declared, "lib/run.js": code})

    assert answered(tmp_path, "where are hooks executed", 300).items[0].path == "lib/run.js"


def test_a_name_with_two_words_of_a_question_side_by_side_says_where_it_is_done(tmp_path: Path) -> None:
    more = (
        "def getListOfCups(cups):\n    rendered = [list(it) for it in cup(cups)]\n    return list(rendered)\n"
    )
    code = "def getCupListRows(cups, n):\n    rendered = [it[:n] for it in cups]\n    return rendered\n"
    write_files(tmp_path, {"a.py": more, "b.py": code})

    assert answered(tmp_path, "where is the cup list rendered", 130).items[0].path == "b.py"


def test_beside_an_overview_stands_where_the_program_starts_and_what_that_calls(tmp_path: Path) -> None:
    files = {
        "app/main.py": "from app.loop import run_loop\n\n\ndef main():\n    return run_loop(1)\n",
        "app/loop.py": "from app.step import take_step\n\n\ndef run_loop(n):\n    return take_step(n)\n",
        "app/step.py": "def take_step(at):\n    return at + 1\n\n\ndef unrelated(at):\n    return at - 1\n",
        "scripts/release.py": "def main():\n    return 'tagged'\n",
        "app/demo.py": "def main():\n    return 'shown alone'\n",
    }
    write_files(tmp_path, files)

    text = answered(tmp_path, "explain the architecture", 220).text

    assert "return run_loop(1)" in text
    assert "return take_step(n)" in text
    assert "return at + 1" in text
    assert "return at - 1" not in text
    assert "tagged" not in text
    assert "shown alone" not in text


@pytest.mark.parametrize(
    "path",
    [
        "lib/provider/settings_provider.dart",
        "src/SettingsStore.kt",
        "pkg/user_config.go",
        "src/config/ui_config.rs",
        "extra/man/tea.5.scd",
    ],
)
def test_where_settings_are_defined_is_shown_to_who_adds_one(tmp_path: Path, path: str) -> None:
    other = "# how to add a new config option or a setting\nfoo = add(new, option)\n" * 9
    write_files(tmp_path, {path: "class Cup {\n}\n", "src/other.py": other})

    assert answered(tmp_path, "how do I add a new config option", 200).items[0].path == path


def test_beside_an_overview_stands_what_the_manifest_of_a_library_loads(tmp_path: Path) -> None:
    files = {
        "package.json": '{"name": "pot", "main": "./pot.js"}\n',
        "pot.js": "const { fill } = require('./lib/fill')\n\nfunction pot (tea) {\n  return fill(tea)\n}\n\n"
        "module.exports = pot\n",
        "lib/fill.js": "function fill (tea) {\n  return poured(tea)\n}\n\nmodule.exports = { fill }\n",
        "lib/server.js": "const http = require('http')\n\nhttp.createServer(drip)\n",
    }
    write_files(tmp_path, files)

    text = answered(tmp_path, "explain the architecture", 260).text

    assert "return fill(tea)" in text
    assert "return poured(tea)" in text
    assert "createServer(drip)" not in text


def test_each_program_of_a_repository_starts_in_its_folder(tmp_path: Path) -> None:
    files = {
        "apps/client/src/App.tsx": "export function App() {\n  return drawn();\n}\n",
        "apps/client/src/main.tsx": "render(document.body);\n",
        "apps/server/src/main.ts": "async function boot() {\n  await listen(80);\n}\n\nboot();\n",
        "apps/server/src/index.ts": "export * from './cup';\nexport * from './pot';\n",
    }
    write_files(tmp_path, files)

    text = answered(tmp_path, "explain the architecture", 260).text

    assert "render(document.body)" in text
    assert "await listen(80)" in text
    assert "export *" not in text


def test_a_program_in_java_starts_however_deep_its_main_is(tmp_path: Path) -> None:
    code = "package org.pot;\n\npublic class PotApplication {\n    public static void main(String[] args) {\n"
    path = "src/main/java/org/pot/shop/PotApplication.java"
    write_files(
        tmp_path, {path: f"{code}        boil(args);\n    }}\n}}\n", "web/main.js": "mount(drawn());\n"}
    )

    text = answered(tmp_path, "what happens on startup", 260).text

    assert "boil(args)" in text
    assert "mount(drawn())" not in text


def test_a_library_that_is_compiled_starts_where_others_start_it(tmp_path: Path) -> None:
    files = {
        "pot.go": "package pot\n\nfunc (p *Pot) Start() error {\n\treturn p.heatWater()\n}\n",
        "heat/heat.go": "package heat\n\nfunc (p *Pot) heatWater() error {\n\treturn p.hot()\n}\n",
        "ui/main.js": "mount(drawn());\n",
    }
    write_files(tmp_path, files)

    text = answered(tmp_path, "what happens on startup", 260).text

    assert "return p.heatWater()" in text
    assert "return p.hot()" in text
    assert "mount(drawn())" not in text


def test_a_tool_deep_inside_is_no_start_and_a_script_calls_its_own_language(tmp_path: Path) -> None:
    tool = "package main\n\nfunc main() {\n\tgenerateTypes()\n}\n"
    write_files(tmp_path, {"plugins/js/internal/types/types.go": tool, "ui/main.js": "mount(main());\n"})

    text = answered(tmp_path, "explain the architecture", 260).text

    assert "mount(main())" in text
    assert "generateTypes()" not in text


@pytest.mark.weekly
def test_a_commit_message_needs_the_changes_alone(shop_in_git: Path) -> None:
    bundle = answered(shop_in_git, "write a commit message for my changes")

    assert {item.kind for item in bundle.items if item.level != "pointer"} >= {"diff"}
    assert not [item.path for item in bundle.items if item.kind == "file"]


def test_a_release_is_answered_by_its_own_section(tmp_path: Path) -> None:
    sections = [
        f"## {major}.{minor}.0\n\n- Changed part {major}{minor} of it.\n"
        for major in (3, 2, 1)
        for minor in (9, 2)
    ]
    (tmp_path / "CHANGES.md").write_text("# Changes\n\n" + "\n".join(sections * 1), encoding="utf-8")
    (tmp_path / "code.py").write_text("def changed():\n    return 2.2\n" * 200, encoding="utf-8")

    text = answered(tmp_path, "what changed in 2.2", 130).text

    assert "Changed part 22 of it." in text
    assert "Changed part 39 of it." not in text


def test_an_option_is_found_by_how_it_is_written(tmp_path: Path) -> None:
    rows = "".join(
        f"def check_{at}(value):\n    # check what check returns\n    return value\n\n\n" for at in range(60)
    )
    (tmp_path / "checks.py").write_text(rows, encoding="utf-8")
    usage = "# Usage\n\n## `--diff`\n\nPrints a diff.\n\n## `--check`\n\nGives 123 for an internal error.\n"
    (tmp_path / "usage.md").write_text(usage, encoding="utf-8")

    first = answered(tmp_path, "what does --check return").items[0]

    assert (first.path, "Gives 123" in first.text) == ("usage.md", True)


def test_a_page_called_index_is_about_its_folder(tmp_path: Path) -> None:
    for name, text in (
        ("theme/index.md", "# Start\n\nPut files here.\n"),
        ("other/index.md", "# Start\n\nA theme.\n"),
    ):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")

    assert answered(tmp_path, "explain themes").items[0].path == "theme/index.md"


def test_entries_of_a_changelog_are_learned_from_the_newest(tmp_path: Path) -> None:
    old = "".join(
        f"## 1.{at}\n\n- Written by hand: entry {at} of the changelog.\n\n" for at in range(90, 0, -1)
    )
    (tmp_path / "CHANGES.md").write_text(f"## 2.0\n\n- Cut heads. {{issue}}`7`\n\n{old}", encoding="utf-8")
    (tmp_path / "entries.py").write_text("def entry(written):\n    return written\n" * 50, encoding="utf-8")

    bundle = answered(tmp_path, "how are changelog entries written here?", budget=1_000)

    assert "{issue}`7`" in bundle.items[0].text


@pytest.mark.parametrize(
    ("text", "is_spread"), [("which lint rules are on?", True), ("how do I write rules", False)]
)
def test_what_is_configured_is_shown_from_several_files(text: str, is_spread: bool) -> None:
    items = []
    for path, count in (("ci.yml", 3), ("ruff.toml", 1)):
        parts = tuple(Part("key", "lint", (at, at), tokens=400, path=path) for at in range(1, count + 1))
        item = ContextItem(f"file:{path}", "files", "file", path, path=path)
        items.append((Scored(item, parts, (1.0,) * count, 1.0, {}), SplitItem(parts, {}, (1,) * count)))

    long, short = answer_shares(items, [[1.0] * 3, [1.0]], read_question(text), budget=3_200)

    assert long[0] == short[0]
    assert (long[2] < long[1] < long[0]) == is_spread


@pytest.fixture
def shop_without_settings(tmp_path: Path) -> Path:
    """Return a folder of code that speaks of lines and of lengths, but sets no length of lines."""
    body = "def read_{0}(text):\n    line = text.strip()\n    length = len(line)\n    return length\n\n\n"
    for at in range(20):
        text = "".join(body.format(f"{at}_{number}") for number in range(20))
        (tmp_path / f"part{at}.py").write_text(text, encoding="utf-8")
    return tmp_path


@pytest.mark.costly
@pytest.mark.parametrize(
    "question", ["What is the line length", "which payment provider is used?", "what is the zygote?"]
)
def test_where_nothing_matches_well_little_is_shown(shop_without_settings: Path, question: str) -> None:
    bundle = answered(shop_without_settings, question, 4_000)

    assert 0 < bundle.tokens < 1_500
    assert len(bundle.hints) == 1
    assert re.match(r"nothing matches the question well|.* nowhere in the workspace", bundle.hints[0])


@pytest.mark.weekly
def test_what_matches_well_is_no_weak_answer(shop_without_settings: Path) -> None:
    (shop_without_settings / "pyproject.toml").write_text(SETTINGS, encoding="utf-8")

    bundle = answered(shop_without_settings, "What is the line length", 4_000)

    assert bundle.hints == ()
    assert "line-length = 104" in bundle.text


def test_an_empty_folder_answers_nothing(tmp_path: Path) -> None:
    assert not answered(tmp_path, "What is the line length").items


THEMES_ELSEWHERE = {
    "docs/themes.zh.md": "# Themes\n\n颜色。\n\n## 编写 theme\n\n把 TOML 文件放进 `themes/`。\n",
    "docs/themes_ja.md": "# Themes\n\n色。\n\n## theme を書く\n\nTOML を `themes/` に置く。\n",
    "docs/de/themes.md": "# Themes\n\nFarben.\n\n## Ein Theme schreiben\n\nEine Datei in `themes/`.\n",
}


@pytest.mark.parametrize(
    ("question", "path"),
    [
        ("how do I write a theme", "docs/themes.md"),
        ("Wie schreibe ich ein Theme?", "docs/de/themes.md"),
        ("如何编写 theme？", "docs/themes.zh.md"),
        ("¿Cómo escribo un theme?", "docs/themes.md"),
    ],
)
def test_of_a_page_the_one_in_the_language_of_the_question_is_shown(
    tmp_path: Path, question: str, path: str
) -> None:
    pages = {"docs/themes.md": THEMES, **THEMES_ELSEWHERE}
    for name, text in pages.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")

    shown = {item.path for item in answered(tmp_path, question).items if item.level != "pointer"}

    assert shown & pages.keys() == {path}


def test_pages_in_a_language_that_nobody_asked_in_come_last(tmp_path: Path) -> None:
    said = "open_shelf(name): 书架 {0}\n"
    files = {
        "docs/index.md": "# Start\n\nA shelf is a box.\n",
        "docs/zh/index.md": "# 开始\n\nshelf 你好。\n",
        "docs/zh/api.md": "# API\n\n" + said * 3,
        "docs/shelves.md": "# Shelves\n\nCall open_shelf(name) once for each shelf of the room.\n",
    }
    root = write_files(tmp_path, files)

    paths = [item.path for item in answered(root, "what can I pass to open_shelf").items]

    assert paths[0] == "docs/shelves.md"


def test_a_translation_of_what_is_not_there_answers(tmp_path: Path) -> None:
    (tmp_path / "themes.de.md").write_text(THEMES, encoding="utf-8")

    assert answered(tmp_path, "how do I write a theme").items[0].path == "themes.de.md"


@pytest.mark.parametrize(
    "question", ["explain the architecture", "how do I write a theme", "where is the theme"]
)
def test_a_file_with_nothing_but_a_byte_order_mark_does_no_harm(tmp_path: Path, question: str) -> None:
    (tmp_path / "themes").mkdir()
    (tmp_path / "themes" / "architecture.txt").write_bytes(b"\xef\xbb\xbf")
    (tmp_path / "README.md").write_text(ARCHITECTURE + THEMES)

    bundle = answered(tmp_path, question)

    assert "# Themes" in bundle.text


@pytest.mark.costly
@pytest.mark.parametrize(
    "task", ["what does src/shop/env.py do", "fix a typo in src/shop/env.py", "typo in env.py"]
)
def test_a_file_that_the_task_names_stands_first_and_whole(tmp_path: Path, task: str) -> None:
    (tmp_path / "src" / "shop").mkdir(parents=True)
    named = "".join(f"def read_{number}(name):\n    return name.strip()\n\n\n" for number in range(12))
    (tmp_path / "src" / "shop" / "env.py").write_text(named)
    for number in range(30):
        words = f"def fix_typo_{number}(src, shop, env):\n    return src.do(shop, env, py={number})\n\n\n" * 9
        (tmp_path / "src" / "shop" / f"do{number}.py").write_text(words)

    bundle = answered(tmp_path, task, 700)

    assert (bundle.items[0].path, bundle.items[0].level) == ("src/shop/env.py", "full")


def test_pages_do_not_crowd_out_the_code_of_what_is_to_be_explained(tmp_path: Path) -> None:
    page = "".join(
        f"## Batching of requests {n}\n\nRequests are batched by the batching link, request by request. "
        + "Batching can be turned off for each request.\n" * 12
        for n in range(20)
    )
    code = "".join(
        f"def batch_{n}(requests):\n" + "    send_all(requests)  # in one batch\n" * 12 for n in range(8)
    )
    root = write_files(tmp_path / "w", {"docs/batching.md": page, "src/loader.py": code})

    bundle = satchel.pack("how does the batching of requests work", root=root, budget=4_000)

    tokens = {item.path: item.tokens for item in bundle.items}
    assert tokens["src/loader.py"] > 700


def test_of_a_method_that_many_files_define_the_one_is_meant_whose_file_fits(tmp_path: Path) -> None:
    body = "        return self.value\n\n    def other(self):\n        return 1\n"
    files = {f"src/{name}.py": f"class {name.title()}:\n    def handle(self):\n{body}" for name in "abcdefgh"}
    worker = (
        "class Worker:\n    def process(self, job):\n        # A queued job is called here by the worker.\n"
        "        return job.call()\n\n    def handle(self):\n        # The worker of queued jobs.\n"
        "        return self.process(self.queue.job)\n"
    )
    root = write_files(tmp_path, {**files, "src/worker.py": worker})

    bundle = answered(root, "explain how the worker calls handle() of a queued job", 300)

    assert bundle.items[0].path == "src/worker.py"
    assert "def process" in bundle.text
    assert len([item for item in bundle.items if item.kind == "file"]) < 5


def test_a_module_of_tests_in_a_file_counts_as_tests_do(tmp_path: Path) -> None:
    body = "    let syntax = detect(path);\n    check(syntax);\n"
    tests = "".join(f"    #[test]\n    fn detect_syntax_{n}() {{\n{body * 3}    }}\n" for n in range(12))
    code = f"pub fn detect_syntax(path: &str) {{\n{body * 4}}}\n\n#[cfg(test)]\nmod tests {{\n{tests}}}\n"
    root = write_files(tmp_path / "w", {"src/assets.rs": code, "src/other.rs": "pub fn print() {}\n"})

    text = satchel.pack("how does detecting the syntax work", root=root, budget=400).text

    assert "pub fn detect_syntax(path: &str)" in text
    assert text.index("pub fn detect_syntax(path") < text.find("fn detect_syntax_0") or "syntax_0" not in text


@pytest.mark.weekly
@pytest.mark.costly
@pytest.mark.parametrize(
    ("question", "is_shown"),
    [
        ("what do commit messages look like in this project", True),
        ("commit message conventions?", True),
        ("how do people write commits here", True),
        ("how does the commit panel look", False),
        ("what is the format of the commit log file", False),
    ],
)
def test_the_newest_messages_show_how_messages_are_written(
    tmp_path: Path, question: str, is_shown: bool
) -> None:
    stale = "name: stale\n# Marks issues without a commit, message or answer.\njobs: {}\n"
    root = write_files(tmp_path, {".github/workflows/stale.yml": stale, "a.py": CODE.format(1)})
    for command in ("init -q", "add -A", "-c user.name=a -c user.email=a@b commit -qm fix(core):_Start"):
        subprocess.run(["git", "-C", tmp_path, *command.split()], check=True)

    text = answered(root, question).text

    assert ("fix(core):_Start\n" in text.partition("newest commit messages")[2]) == is_shown
    assert not (is_shown and "def route_1" in text)


@attrs.frozen
class ReleaseDays:
    """A provider that knows an answer which no file has."""

    name: ClassVar[str] = "release_days"
    wave: ClassVar[int] = 1
    max_items: int = 1
    max_tokens: int = 100
    is_answer: bool = True

    def gather(self, task: Task, workspace: Workspace, best: Sequence[ContextItem]) -> Iterable[ContextItem]:
        text = "Every second Monday.\n"
        yield ContextItem("days", self.name, "calendar", "days", text=text, is_answer=self.is_answer)


@attrs.frozen
class UnsureReleaseDays(ReleaseDays):
    """The same, where the provider does not say that this is the answer."""

    is_answer: bool = False


@pytest.mark.costly
@pytest.mark.parametrize(("provider", "is_first"), [(ReleaseDays, True), (UnsureReleaseDays, False)])
def test_what_a_plugin_calls_the_answer_comes_first(
    shop: Path, provider: type[ReleaseDays], is_first: bool
) -> None:
    bundle = satchel.pack("how do I write a theme", shop, budget=1_500, host=host_with(providers=[provider]))

    assert (bundle.items[0].provider == "release_days") == is_first


@pytest.mark.weekly
def test_a_file_put_together_from_others_and_copies_are_left_out(tmp_path: Path) -> None:
    parts = {
        f"include/part_{n}.hpp": "".join(
            f"inline int scan_number_{n}_{k}(const char* text) {{ return text[{k}] + {n}; }}\n"
            for k in range(160)
        )
        for n in range(6)
    }
    texts = {
        **parts,
        "single/all.hpp": "".join(parts.values()) * 2,
        "include/before/part_1.hpp": parts["include/part_1.hpp"],
    }
    root = write_files(tmp_path / "w", texts)

    asked = [item.path for item in satchel.pack("how are numbers scanned?", root=root, budget=3_000).items]
    changed = [
        item.path
        for item in satchel.pack("Scan numbers that begin with a plus", root=root, budget=3_000).items
    ]

    assert any(path.startswith("include/") for path in asked)
    assert not {"single/all.hpp", "include/before/part_1.hpp"} & {*asked}
    assert "single/all.hpp" not in changed


@pytest.mark.weekly
def test_a_text_is_shown_once_under_whatever_name_if_the_task_names_none_of_them(tmp_path: Path) -> None:
    manifest = "".join(f'let wheel{at} = Package(name: "wheel {at}", spokes: {at})\n' for at in range(30))
    files = {
        "Package.swift": manifest,
        "Package@swift-6.1.swift": manifest,
    }
    root = write_files(tmp_path / "w", files)

    def shown(task: str) -> set[str]:
        items = satchel.pack(task, root=root, budget=9_000).items
        return {item.path for item in items if item.level in ("full", "excerpt")}

    assert shown("Let every wheel package have more spokes") >= {"Package.swift"}
    assert "Package@swift-6.1.swift" not in shown("Let every wheel package have more spokes")
    assert "Package@swift-6.1.swift" in shown("Give each wheel in Package@swift-6.1.swift more spokes")


@pytest.mark.parametrize("place", ["README.md", "shop/README.md"])
def test_the_project_tells_what_it_is_beside_an_overview(tmp_path: Path, place: str) -> None:
    texts = {
        place: "# Shop\n\nSells fruit to bears.\n\n## Licence\n\nFree.\n",
        "projects/README.md": "# Projects\n\nThe main parts of the projects of the project.\n" * 9,
        "docs/main.md": "# Main parts of the project\n\nMain parts, main project parts.\n" * 9,
        "docs/design.md": "# Design\n\nThe till stands before the store.\n",
        "shop/till.py": "def open_till():\n    return 1\n\n\nclass Till:\n    pass\n",
        "shop/store.py": "class Store:\n    pass\n",
    }
    root = write_files(tmp_path / "shop", texts)

    bundle = answered(root, "what does this project do and what are its main parts", 600)

    paths = [item.path for item in bundle.items]
    assert "Sells fruit to bears." in bundle.text
    assert "docs/design.md" in paths
    assert not {"projects/README.md", "docs/main.md"} & {*paths}


def test_a_heading_with_nothing_below_it_and_closing_marks_answer_nothing(tmp_path: Path) -> None:
    filling = "".join(f"Word {at} about other wheels and their colours.\n" for at in range(400))
    files = {
        "docs/empty.md": f"# Wheel versions\n\n## Supported wheel versions\n\n## Others\n\n{filling}",
        "docs/told.md": "# Wheels\n\n## Supported wheel versions\n\nVersion 3.7 and later ones.\n",
    }
    root = write_files(tmp_path / "w", files)

    bundle = satchel.pack("which wheel versions are supported?", root=root, budget=250)

    assert "Version 3.7 and later ones." in bundle.text
    assert all("## Supported" not in item.text for item in bundle.items if item.path == "docs/empty.md")


@pytest.mark.weekly
@pytest.mark.parametrize(
    ("names", "kept", "gone"),
    [
        (("AsyncClient", "Client"), "    def fetch(self", "await self.fetch_page"),
        (("Client", "AsyncClient"), "    def fetch(self", "await self.fetch_page"),
    ],
)
def test_of_code_that_waits_and_code_that_blocks_one_is_shown(
    names: tuple[str, str], kept: str, gone: str, tmp_path: Path
) -> None:
    methods = "".join(
        f"    WAITdef {name}(self, url):\n"
        + "".join(f"        page_{n} = HOLDself.{name}_page(url, page={n})\n" for n in range(20))
        + "        return page_1\n\n"
        for name in ("fetch", "parse")
    )
    written = {
        "Client": "class Client:\n" + methods.replace("WAIT", "").replace("HOLD", ""),
        "AsyncClient": "class AsyncClient:\n" + methods.replace("WAIT", "async ").replace("HOLD", "await "),
    }
    overloads = "".join(
        f"def parse_page(text, form_{n}):\n    page = read_page(text)\n    told = tell_page(page)\n"
        f"    return split_page(told, form_{n})\n\n\n"
        for n in range(2)
    )
    root = write_files(
        tmp_path / "w", {"client.py": "".join(written[name] for name in names), "pages.py": overloads}
    )

    text = answered(root, "how are pages fetched and parsed?", 2_000).text

    assert kept in text
    assert gone not in text
    assert "form_0):" in text
    assert "form_1):" in text


def test_of_pages_on_deploying_that_for_what_is_named_comes_first(tmp_path: Path) -> None:
    page = "# {0}\n\nDeploy the kettle with docker, or with another.\n\n## Steps of {0}\n\nStart.\n"
    page += "".join(f"Pour {at} cups of water into the kettle, and wait.\n" for at in range(30))
    names = ("fips", "docker", "nginx_https", "box")
    files = {f"docs/deployment/{name}.md": page.format(name.title()) for name in names}
    write_files(tmp_path / "loom", files)

    shown = answered(tmp_path / "loom", "how do I deploy it with docker?", 400)

    assert shown.items[0].path == "docs/deployment/docker.md"


def test_a_package_that_a_project_brings_along_does_not_answer_first(tmp_path: Path) -> None:
    code = "class Timeout:\n    # The default timeout.\n    default = 99\n"
    code += "\n    def default_timeout(self):\n        return 99\n"
    files = {f"src/tea/_vendor/http/part{at}/timeout.py": code for at in range(4)}
    files["src/tea/cli.py"] = "timeout = option(\n    '--timeout',\n    default=15,  # seconds\n)\n"
    write_files(tmp_path, files)

    shown = answered(tmp_path, "what is the default timeout?", 200)

    assert shown.items[0].path == "src/tea/cli.py"


def test_of_functions_that_are_explained_alike_one_comes_before_what_else_answers(tmp_path: Path) -> None:
    """Also where no line of theirs is the same."""
    lines = (
        "Fill the kettle with water now, and give back",
        "Filling it lazily is what is done by default, unlike",
        "what is filled at once. One should not need to do so for",
        "as all that is done with water fills kettles when they are used:",
        "Lazy filling may be slow where many are filled by",
        "To fill it in another thread, ask for the one that waits, which is called by",
        "It gives back a kettle of the same size, with the same handle, as",
        "Raises an error where the lid is closed, the water is cold or nobody is near",
    )
    told = "\n".join(f"        {line} {{0}}." for line in lines)
    method = (
        f'    def fill(self, {{0}}):\n        """\n{told}\n        """\n        return {{0}}.fill(self)\n'
    )
    method += "\n    def carry(self):\n" + "        self.walk()\n" * 90
    files = {
        f"tea/{name}.py": f"class {name.title()}:\n{method.format(name)}"
        for name in ("pot", "cup", "mug", "jug", "pan")
    }
    files["tea/heating.py"] = (
        "class LazyWater:\n    def pour(self, kettle):\n        # lazy filling: it is filled here, later\n"
        + "        kettle.add(self.water)\n" * 12
    )
    write_files(tmp_path, files)

    shown = answered(tmp_path, "how does lazy filling work?", 430)

    assert "kettle.add(self.water)" in shown.text
    assert shown.text.count("def fill(") < 3


def test_a_named_symbol_brings_nothing_along_that_answers_nothing(shop_in_git: Path) -> None:
    bundle = answered(shop_in_git, "what does route_changes do in `route_changes`", 60_000)

    assert not {"blame", "commit", "environment", "tree"} & {item.kind for item in bundle.items}


@pytest.mark.weekly
def test_a_word_of_failure_within_a_name_fails_nothing(shop_in_git: Path) -> None:
    (shop_in_git / "part4.py").write_text(
        "def showHelpAfterError(theme):\n    return theme\n" * 3, encoding="utf-8"
    )

    bundle = answered(shop_in_git, "what does showHelpAfterError do", 60_000)

    assert not {"blame", "commit", "environment", "tree"} & {item.kind for item in bundle.items}


@pytest.mark.parametrize(
    ("question", "is_there"), [("where is a ware weighed", False), ("how do I add a ware", True)]
)
def test_instructions_are_for_who_is_about_to_do_something(
    tmp_path: Path, question: str, is_there: bool
) -> None:
    orders = "".join(f"- Never call helper number {at} twice in a row.\n" for at in range(150))
    code = "def weigh(ware):\n    return ware.weight\n\n\ndef add(ware):\n    return [ware]\n"
    root = write_files(tmp_path, {"AGENTS.md": f"# Orders\n\n{orders}", "shop.py": code})

    paths = {item.path for item in answered(root, question, 8_000).items}

    assert ("AGENTS.md" in paths) is is_there
    assert "shop.py" in paths


@pytest.mark.weekly
def test_a_readme_with_the_tables_of_other_pages_is_shown(tmp_path: Path) -> None:
    tables = {
        f"modules/m{n}/README.md": "# Inputs\n\n"
        + "".join(
            f"| wheel_{n}_{at} | The number of spokes of wheel {at} of cart {n} | 4 |\n" for at in range(220)
        )
        for n in range(4)
    }
    said = "# Carts\n\n## One axle per pair\n\nSet `one_axle_per_pair` to true.\n\n"
    root = write_files(tmp_path, {**tables, "README.md": said + "".join(tables.values())})

    text = "".join(item.text for item in answered(root, "how do I use one axle per pair of wheels").items)

    assert "Set `one_axle_per_pair` to true." in text


MESSAGES = "export const messages = {{\n  too_small: '{0}',\n  too_big: '{0} big',\n}};\n"


@pytest.mark.weekly
@pytest.mark.parametrize(
    ("question", "shown"),
    [
        ("where is the message for too_small defined", {"locales/en.ts"}),
        ("where is the german message for too_small defined", {"locales/de.ts"}),
        ("Crash of the message too_small when a row is missing", {"locales/en.ts"}),
    ],
)
def test_of_tables_of_messages_that_in_the_language_that_is_meant_is_shown(
    tmp_path: Path, question: str, shown: set[str]
) -> None:
    tables = {
        f"locales/{code}.ts": MESSAGES.format(f"too small ({code})") for code in ("de", "en", "fr", "ja")
    }
    root = write_files(tmp_path, tables)

    items = answered(root, question).items

    assert {item.path for item in items if item.level != "pointer" and item.path} == shown


HOOKS_IN_SCRIPT = (
    "types/hooks.d.ts",
    "export interface {0} {{\n    (oven: Oven, bread: Bread, oven_hook: Hook): Hook;\n}}\n",
    "lib/hooks.js",
    "function run{0} (oven) {{\n  const all = oven.list\n  for (const one of all) one(oven)\n}}\n",
)
HOOKS_IN_PYTHON = (
    "types/hooks.pyi",
    "class {0}:\n    def hook(self, oven: Oven, bread: Bread, oven_hook: Hook) -> Hook: ...\n",
    "lib/hooks.py",
    "def run_{0}(oven):\n    for one in oven.list:\n        one(oven)\n\n",
)


@pytest.mark.weekly
@pytest.mark.parametrize("files", [HOOKS_IN_SCRIPT, HOOKS_IN_PYTHON], ids=["d.ts", "pyi"])
@pytest.mark.parametrize("question", ["which files implement hooks?", "how do hooks work?"])
def test_what_is_declared_stands_after_what_defines_it(
    tmp_path: Path, question: str, files: tuple[str, str, str, str]
) -> None:
    declaring, declaration, defining, definition = files
    names = [f"Hook{at}Lookup" for at in range(20)]
    others = {f"lib/other{at}.py": "def weigh(bread):\n    return bread\n" for at in range(9)}
    root = write_files(
        tmp_path,
        {
            declaring: "\n".join(map(declaration.format, names)),
            defining: "\n".join(map(definition.format, names[:9])),
            **others,
        },
    )

    assert answered(root, question, 600).items[0].path == defining


def test_headers_that_tell_of_code_elsewhere_stand_after_code(tmp_path: Path) -> None:
    told = "/// The lid is put on before a kettle boils, and is on then.\n"
    headers = {
        f"include/pot{at}.hpp": "#pragma once\n\n"
        + "".join(f"{told * 2}void boil_{one}(int lid);\n\n" for one in "abc")
        for at in range(4)
    }
    body = f"{told * 1}void Stove::heat()\n{{\n    kettle.boil();\n    steam.rise();\n    lid.close();\n}}\n"
    write_files(tmp_path, {**headers, "src/stove.cpp": f'#include "stove.hpp"\n\n{body}'})

    items = answered(tmp_path, "how does the lid of a kettle boil?", 300).items

    assert items[0].path == "src/stove.cpp"


@pytest.mark.parametrize(
    ("question", "first"),
    [
        ("how is water boiled?", "core/lid.py"),
        ("how does the teapot boil water?", "packages/teapot/README.md"),
    ],
)
def test_readmes_of_packages_side_by_side_come_after_code_unless_they_are_named(
    tmp_path: Path, question: str, first: str
) -> None:
    readme = "# {0} boils\n\nBoils water as a {0} does: the water boils.\n"
    code = "def heat(kettle):\n    kettle.on()\n    while not kettle.boils:  # the water\n        wait(1)\n"
    names = ["urn", "jug", "pan", "teapot", "mug", "vat", "keg"]
    files = {f"packages/{name}/README.md": readme.format(name) for name in names}
    more = "def close(lid, pot):\n    while pot.boils:\n        lid.lift(pot.water)\n    return lid\n"
    write_files(tmp_path, {**files, "core/stove.py": code, "core/lid.py": more})

    items = answered(tmp_path, question, 300).items

    assert items[0].path == first


@pytest.mark.parametrize(
    ("path", "mark", "code"),
    [
        ("{}.rb", "# @deprecated Use {{#pour}}; removed in 7.\n", "def {}(cup)\n  pour(cup)\nend\n"),
        ("{}.rs", "#[deprecated]\n", "pub fn {}(cup: Cup) {{\n    pour(cup);\n}}\n"),
        ("{}.py", '@deprecated("use pour")\n', "def {}(cup):\n    return pour(cup)\n"),
        ("{}.go", "// Deprecated: use Pour.\n", "func {}(cup Cup) {{\n\tpour(cup)\n}}\n"),
    ],
)
def test_what_is_deprecated_comes_after_what_took_its_place(
    tmp_path: Path, path: str, mark: str, code: str
) -> None:
    write_files(
        tmp_path,
        {
            path.format("src/table"): mark + code.format("fill_cup"),
            path.format("src/kettle"): code.format("fill_a_cup_to_the_brim"),
        },
    )

    items = answered(tmp_path, "how is a cup filled?", 300).items

    assert items[0].path == path.format("src/kettle")


def test_what_is_very_short_answers_no_better_for_being_so(tmp_path: Path) -> None:
    work = "    dust = broom.dust()\n    bin.take(dust)\n    # the sweeper goes on\n"
    files = {
        "house/attic.py": "def sweeper():\n    return 1\n",
        "house/cellar.py": f"def sweeper(broom, bin):\n{work * 2}    return dust\n",
        "house/roof.py": "def cover(tiles):\n    return sorted(tiles)\n" * 40,
    }
    write_files(tmp_path, files)

    items = answered(tmp_path, "explain how the sweeper works", 300).items

    assert items[0].path == "house/cellar.py"


def test_the_way_is_told_by_what_is_called_on_it(tmp_path: Path) -> None:
    steps = ["serve", "_admit", "_pick", "_hand_over"]
    code = {
        f"kitchen/room{at}.py": f"def {name}(crate):\n    crate.count = {at}\n    return {after}(crate)\n"
        for at, (name, after) in enumerate(zip(steps, [*steps[1:], "print"], strict=True))
    }
    pages = {
        f"docs/page{at}.md": f"# Orders {at}\n\nAn order travels from serve() to the table.\n"
        for at in range(4)
    }
    others = {
        f"kitchen/other{at}.py": f"def weigh_{at}(crate):\n    return crate.weight\n" for at in range(9)
    }
    root = write_files(tmp_path, {**code, **others, **pages})

    items = answered(root, "how does an order travel from serve() to the table", 400).items

    assert {item.path for item in items if item.path[:7] == "kitchen"} >= {*code}
    assert [item.path in code for item in items if item.path[:7] == "kitchen"][:4] == [True] * 4


def test_the_way_begins_at_the_method_of_the_class_that_a_dotted_name_means(tmp_path: Path) -> None:
    steps = ["get", "_admit", "_pick", "_hand_over"]
    chain = {
        f"kitchen/room{at}.py": f"def {name}(crate):\n    crate.count = {at}\n    return {after}(crate)\n"
        for at, (name, after) in enumerate(zip(steps, [*steps[1:], "print"], strict=True))
        if at
    }
    walk = "".join(f"        crate.walk({at})\n" for at in range(20))
    methods = "".join(
        f"    def {name}(self, crate):\n{walk}        return {{{name}}}(crate)\n\n"
        for name in ("rest", "get", "leave")
    )
    first = methods.format(rest="print", get="_admit", leave="print")
    others = {
        f"kitchen/other{at}.py": f"class Cook{at}:\n"
        + methods.format(rest="print", get="print", leave="print")
        for at in range(9)
    }
    others |= {
        f"kitchen/table{at}.py": f"def order_table_travel_{at}(waiter):\n"
        "    waiter.table = 'order travels to table'\n    return waiter.get().table\n"
        for at in range(8)
    }
    pages = {
        f"docs/page{at}.md": f"# Orders {at}\n\nAn order travels from waiter.get to the table.\n"
        for at in range(4)
    }
    root = write_files(tmp_path, {**chain, **others, **pages, "kitchen/waiter.py": f"class Waiter:\n{first}"})

    items = answered(root, "how does an order travel from waiter.get to the table", 900).items

    shown = {item.path for item in items if item.path[:7] == "kitchen"}
    assert shown >= {*chain, "kitchen/waiter.py"}


def test_the_code_that_writes_a_pasted_message_comes_first(tmp_path: Path) -> None:
    noise = {
        f"src/block{at}.py": "".join(
            f"def write_block_{at}_{n}(block, error):\n    return write(block, error, {n})\n\n\n"
            for n in range(20)
        )
        for at in range(6)
    }
    thrower = (
        "def flush(pool):\n    done = pool.run()\n    if not done:\n"
        '        raise OSError(f"cannot write block: {pool.left} left")\n    return done\n'
    )
    root = write_files(tmp_path, {**noise, "src/pool.py": thrower})

    items = answered(root, "error 70: Write error: cannot write block: 12 left", 600).items

    assert items[0].path == "src/pool.py"
    assert "cannot write block" in items[0].text


def test_an_example_for_two_module_systems_is_shown_once(tmp_path: Path) -> None:
    body = "".join(f"kettle.on('boil', () => console.log('whistle {at}'));\n" for at in range(9))
    write_files(
        tmp_path,
        {
            "examples/cjs/whistle.js": f"const kettle = require('kettle');\n\n{body}",
            "examples/esm/whistle.mjs": f"import kettle from 'kettle';\n\n{body}",
            "README.md": "# Kettle\n\nBoils water.\n",
        },
    )

    text = answered(tmp_path, "how do I let the kettle whistle when it boils?", 4_000).text

    assert text.count("'whistle 3'") == 1


def test_a_section_that_two_pages_have_and_a_cell_of_two_notebooks_are_shown_once(tmp_path: Path) -> None:
    wheels = "## Wheels\n\n" + "".join(
        f"Turn wheel {at} of the cart to the left, then oil it.\n" for at in range(9)
    )
    lines = [f"Turn wheel {at} of the cart, which takes a while without oil.\\n" for at in range(9)]
    cells = ",".join(f'"{line}"' for line in lines)
    cell = '{{"cell_type": "markdown", "metadata": {{}}, "source": [{}]}}'
    notebook = '{{"cells": [{}' + cell + '], "metadata": {{}}, "nbformat": 4}}'
    first = '{"cell_type": "markdown", "metadata": {}, "source": ["# Carts"]},'
    files = {
        "README.md": f"# Carts\n\nA cart carries.\n\n{wheels}\n## Loads\n\nPut loads in.\n",
        "kits/README.md": f"# Carts\n\nA cart carries.\n\n{wheels}\n## Loads\n\nPut loads in.\n",
        "docs/index.md": f"# All on carts\n\nHow to drive one.\n\n{wheels}\n## Roads\n\nTake the road.\n",
        "one.ipynb": notebook.format("", cells),
        "two.ipynb": notebook.format(first, cells),
    }
    root = write_files(tmp_path, files)

    items = answered(root, "how do I turn the wheels of a cart?", 4_000).items
    text = "".join(item.text for item in items)

    assert text.count("Turn wheel 4 of the cart to the left") == 1
    assert text.count("Turn wheel 4 of the cart, which") == 1
    assert "Turn wheel 4 of the cart to the left" in next(
        item.text for item in items if item.path == "README.md"
    )


def test_what_only_declares_what_the_file_defines_below_is_no_answer(tmp_path: Path) -> None:
    names = [f"hash_table_{verb}" for verb in ("salt", "grow", "lookup", "iterate", "clear", "free", "copy")]
    declared = "".join(f"static int {name}(struct hash_table *table, const char *salt);\n" for name in names)
    body = "".join(
        f"\nstatic int {name}(struct hash_table *table, const char *salt)\n{{\n"
        + f"  int step{at} = table->size;\n" * 12
        + "  return 0;\n}\n"
        for at, name in enumerate(names)
    )
    write_files(tmp_path, {"hash.c": f'#include "hash.h"\n\n{declared}{body}'})

    pack = satchel.pack("where does the salt of a hash table come from?", tmp_path, budget=700)

    (shown,) = [item.text for item in pack.items if item.path == "hash.c"]
    assert "static int hash_table_salt(struct hash_table *table, const char *salt)\n{" in shown
    assert "*salt);" not in shown


def test_a_table_of_contents_is_no_answer(tmp_path: Path) -> None:
    topics = ("invoices", "refunds", "orders", "baskets", "coupons", "taxes")
    listed = "".join(f"- [How refunds of {topic} are paid](#{topic})\n" for topic in topics)
    told = "".join(f"## {topic.title()}\n\n" + f"Money for {topic} goes back.\n" * 9 for topic in topics)
    write_files(tmp_path, {"docs/money.md": f"# Money\n\n## Table of Contents\n\n{listed}\n{told}"})

    pack = satchel.pack("how are refunds of taxes paid?", tmp_path, budget=300)

    assert "Money for taxes goes back" in pack.text
    assert "](#taxes)" not in pack.text


def test_how_one_more_is_added_is_shown_by_one_of_them_whole(tmp_path: Path) -> None:
    names = ["brass", "copper", "iron", "lead", "nickel", "silver", "tin", "zinc"]
    body = "".join(f"    measure({at})\n" for at in range(6))
    files = {
        f"gauges/{name}.py": "from gauges.base import measure, register_gauge\n\n\n"
        f"@register_gauge\ndef read_{name}_gauge(bar):\n"
        f"    '''Read the gauge of {name}.'''\n{body * (at + 1)}    return '{name}'\n"
        for at, name in enumerate(reversed(names))
    }
    files["gauges/base.py"] = (
        "GAUGES = []\n\n\ndef register_gauge(gauge):\n    GAUGES.append(gauge)\n    return gauge\n\n\n"
        "def measure(depth):\n    return depth * 2\n"
    )
    listed = "".join(f"    '{name}': read_{name}_gauge,\n" for name in names)
    imports = "".join(f"from gauges.{name} import read_{name}_gauge\n" for name in names)
    files["panel.py"] = f"{imports}\n\nPANEL = {{\n{listed}}}\n"
    write_files(tmp_path, files)

    shown = {item.path: item for item in answered(tmp_path, "how do I add a new gauge?", 700).items}

    assert "return 'zinc'" in shown["gauges/zinc.py"].text  # the shortest
    assert "def register_gauge" in shown["gauges/base.py"].text
    assert "'zinc': read_zinc_gauge" in shown["panel.py"].text
    assert sum(path.startswith("gauges/") and "def read_" in item.text for path, item in shown.items()) <= 3


MADE = """from shop.kinds import register


@register
def run_{0}(cart):
    cart.mark('{0}')
    return cart
"""


@pytest.mark.parametrize(
    ("question", "path"),
    [
        ("how do I add a new command", "cmd-{}.py"),
        ("how do I add a new command", "commands/system/{}.py"),
        ("how do I add a new command", "shop/{}_command.py"),
        ("how do I add a new API endpoint", "app/api/{}/route.py"),
        ("how do I write a custom tea filter", "shop/teafilters/{}.py"),
    ],
)
def test_what_is_asked_for_is_found_by_the_names_of_files(tmp_path: Path, question: str, path: str) -> None:
    names = ["brew", "drain", "fill", "heat", "pour", "rinse"]
    other = (
        "# A new command, API endpoint, custom tea filter.\ndef new_command_endpoint_filter():\n    add({})\n"
    )
    files = {f"shop/other{at}.py": other.format(at) * 20 for at in range(8)}
    write_files(tmp_path, {**files, **{path.format(name): MADE.format(name) for name in names}})

    first = answered(tmp_path, question, 400).items[0]

    assert first.path in {path.format(name) for name in names}
    assert "return cart" in first.text


def test_packages_side_by_side_are_one_of_a_kind_each_and_the_one_shown_is_registered(tmp_path: Path) -> None:
    code = (
        "package {0}\n\ntype Config struct {{\n\tHost string\n}}\n",
        "package {0}\n\nfunc NewFactory() store.Factory {{\n\treturn open{0}()\n}}\n",
    )
    names = ["cloud", "disk", "ftp", "git", "rest", "tape"]
    files = {
        f"store/{name}/{file}.go": text.format(name)
        for name in (*names, "fake")
        for file, text in zip(("config", name), code, strict=True)
    }
    files["store/fake/config.go"] = (
        "package fake\n\ntype Config struct{}\n"  # the shortest, and not registered
    )
    listed = "".join(f"\tstores.Register({name}.NewFactory())\n" for name in names)
    files["store/all/all.go"] = f"package all\n\nfunc Stores() Registry {{\n{listed}\treturn stores\n}}\n"
    files["store/store.go"] = (
        "package store\n\n// Factory makes stores.\ntype Factory interface {\n\tOpen()\n}\n"
    )
    write_files(tmp_path, files)

    shown = {item.path: item.text for item in answered(tmp_path, "how do I add a new store", 300).items}

    assert [path for path in shown if path.endswith("config.go")] == ["store/cloud/config.go"]
    assert "opencloud()" in shown["store/cloud/cloud.go"]
    assert "cloud.NewFactory()" in shown["store/all/all.go"]
    assert "// Factory makes stores." in shown["store/store.go"]


@pytest.mark.parametrize("ending", ["controller", "route"])
def test_files_of_one_ending_are_of_one_kind_wherever_they_are(tmp_path: Path, ending: str) -> None:
    code = "export class {0}Controller {{\n  list() {{\n    return all{0}();\n  }}\n}}\n"
    names = ["Cup", "Jug", "Lid", "Pot", "Tea", "Urn"]
    files = {f"src/{name}/{name.lower()}.{ending}.ts": code.format(name) for name in names}
    handles = "export const row{0} = () => addNew(endpoint);\n"
    files |= {f"src/ui/handle/row{at}.ts": handles.format(at) for at in range(5)}
    write_files(tmp_path, files)

    assert "Controller" in answered(tmp_path, "how do I add a new endpoint", 300).items[0].text


def test_what_something_is_added_to_is_shown_and_no_precedent_of_its_folder(tmp_path: Path) -> None:
    names = ["Cup", "Jug", "Lid", "Pot", "Tea", "Urn"]
    files = {f"shop/owner/{name}.java": f"public class {name} {{\n    int id;\n}}\n" for name in names}
    owner = "public class Owner {\n    String name;\n    String town;\n    String phone;\n}\n"
    write_files(tmp_path, {**files, "shop/owner/Owner.java": owner})

    items = answered(tmp_path, "how do I add a new field to Owner", 200).items

    assert (items[0].path, items[0].level) == ("shop/owner/Owner.java", "full")


def test_of_many_of_a_kind_the_one_to_which_something_is_added_is_shown(tmp_path: Path) -> None:
    code = "def add_flags_of_{0}(flags):\n    flags.add('--{0}')\n    return run_{0}\n"
    names = ["brew", "drain", "fill", "heat", "pour", "rinse"]
    files = {f"cmd/cmd_{name}.py": code.format(name) for name in names}
    long = code.format("heat") + "\n\ndef run_heat(flags):\n    return flags\n"
    write_files(tmp_path, {**files, "cmd/cmd_heat.py": long})

    items = answered(tmp_path, "how do I add a new flag to the heat command", 130).items

    assert (items[0].path, items[0].level) == ("cmd/cmd_heat.py", "full")


def test_translations_answer_no_question_in_their_language(tmp_path: Path) -> None:
    texts = "".join(f'  "page{at}": "ajouter une nouvelle page de réglages {at}",\n' for at in range(9))
    files = {"locales/fr.json": f"{{\n{texts}}}\n", "locales/fr-FR/app.json": f"{{\n{texts}}}\n"}
    write_files(
        tmp_path, {**files, "src/pages/settings.py": "def add_settings_page(page):\n    return page\n"}
    )

    items = answered(tmp_path, "comment ajouter une nouvelle page de réglages", 300).items

    assert [item.path for item in items if item.level != "pointer"] == ["src/pages/settings.py"]


def test_the_example_of_how_one_is_added_is_not_the_emptiest(tmp_path: Path) -> None:
    long = "    cart.fill(1, 2, 3)\n" * 20 + "    return"
    files = {
        f"shop/{name}_command.py": MADE.format(f"{name}_command").replace("    return", long)
        for name in ("tea", "pot", "cup", "jug", "lid", "urn", "tin")
    }
    write_files(tmp_path, {**files, "shop/void_command.py": "def run_void_command(cart):\n    pass\n"})

    first = answered(tmp_path, "how do I add a new command", 600).items[0]

    assert first.text.count("cart.fill") == 20


def test_settings_that_make_one_known_are_shown_beside_it(tmp_path: Path) -> None:
    names = ["brew", "drain", "fill", "heat", "pour", "rinse"]
    rows = "".join(f"  - run_{name}\n" for name in names)
    others = "".join(f"key{at}:\n  - {at}\n" for at in range(200))
    files = {f"shop/actions/{name}.py": MADE.format(name) for name in names}
    write_files(tmp_path, {**files, "config/shop.yml": f"{others}steps:\n{rows}"})

    shown = {item.path: item.text for item in answered(tmp_path, "how do I add a new action", 600).items}

    assert "- run_" in shown["config/shop.yml"]


def test_versions_of_packages_are_no_answer_to_who_adds_code_and_names_none(tmp_path: Path) -> None:
    code = "import requests\n\n\ndef endpoint_{0}(api):\n    return requests.get(api)\n"
    files = {
        f"app/endpoints/{name}.py": code.format(name) for name in ("cup", "jug", "lid", "pot", "tea", "urn")
    }
    write_files(tmp_path, {**files, "requirements.txt": "requests==2.31.0\n"})

    bundle = answered(tmp_path, "how do I add a new API endpoint", 2_000)

    assert "python dependencies" not in bundle.text
    named = answered(tmp_path, "how do I add requests as a new endpoint", 2_000)
    assert "python dependencies" in named.text


def test_a_page_on_the_design_explains_how_something_is_done(tmp_path: Path) -> None:
    page = "# Pot\n\n## Tea\n\nCups are stored {0}.\n"
    pages = {"docs/design.md": page.format("as is all of tea"), "docs/aside.md": page.format("in it")}
    write_files(tmp_path, pages)

    assert answered(tmp_path, "how are cups stored", 200).items[0].path == "docs/design.md"


def test_migrations_are_no_answer_to_what_asks_for_none(tmp_path: Path) -> None:
    step = "class RunJobs{0}:\n    def run_jobs(self):\n        run('jobs', {0})  # run the jobs\n"
    files = {f"db/migrate/202401010000{at}_run_jobs.py": step.format(at) for at in (20, 21)}
    write_files(tmp_path, {**files, "app/worker.py": "def work(it):\n    return it.run()  # a job\n"})

    assert answered(tmp_path, "where are jobs run", 300).items[0].path == "app/worker.py"
    paths = [item.path for item in answered(tmp_path, "in which migration are jobs run", 300).items]
    assert any(path.startswith("db/migrate") for path in paths)


def test_the_types_that_most_files_use_explain_a_large_project(tmp_path: Path) -> None:
    uses = (
        "from tea.{1} import {2}\n\n\ndef design_structure_{0}(overview: {2}) -> {2}:\n    return overview\n"
    )
    kinds = {"pot": "Pot", "leaf": "Leaf"}
    files = {
        f"tea/architecture/part{at}.py": uses.format(at, *[*kinds.items()][at % 2]) * 3 for at in range(150)
    }
    types = {f"tea/{file}.py": f"class {name}:\n    hot = 0\n" for file, name in kinds.items()}
    others = {f"{folder}/pot.py": "" for folder in ("tests/tea", "tests/views", "tests/jobs")}  # of its name
    others["tools/pots.py"] = "pots = []\n"
    write_files(tmp_path, {**files, **types, **others, "README.md": "# Tea\n\nIt makes tea, and more tea.\n"})

    text = answered(tmp_path, "explain the architecture", 1_500).text

    assert "class Pot:" in text
    assert "class Leaf:" in text


def test_an_overview_shows_no_links_within_a_page_and_no_sections_of_chapters(tmp_path: Path) -> None:
    links = "- [Filling](#filling)\n- [Boiling](#boiling)\n- [Pouring](#pouring)\n"
    write_files(
        tmp_path,
        {
            "README.md": f"# Kettle\n\nIt boils water.\n\n{links}\n## Filling\n\nOpen the lid.\n",
            "docs/guide.md": "# Guide\n\n## Architecture\n\nThe coil heats the tank.\n",
            "docs/spouts.md": "# Spouts\n\n## Bends\n\n### Introduction\n\nA spout bends.\n",
            "kettle.py": "def boil(water):\n    return water\n",
        },
    )

    text = answered(tmp_path, "explain the architecture", 4_000).text

    assert "It boils water." in text
    assert "The coil heats the tank." in text
    assert "(#boiling)" not in text
    assert "A spout bends." not in text


def test_code_has_room_beside_many_pages_on_what_is_to_be_explained(tmp_path: Path) -> None:
    pages = {
        f"docs/{name}.md": f"# The whistle of a {name}\n\n"
        + "".join(
            f"A kettle lets its whistle sound {at} times before the steam is gone.\n" for at in range(24)
        )
        for name in ("boiler", "kettle", "pot", "samovar", "urn")
    }
    code = "def sound_whistle(kettle):\n" + "".join(f"    kettle.press(reed={at})\n" for at in range(20))
    write_files(tmp_path, {**pages, "spout.py": code, "lid.py": "def lift(lid):\n    return lid\n"})

    text = answered(tmp_path, "how does the kettle sound its whistle?", 1_300).text

    assert "kettle.press(reed=19)" in text


@pytest.mark.parametrize(
    ("question", "path", "command"),
    [
        ("how do I run the tests?", "doc/contribute/contributing.md", "pixi run -e py312 test"),
        ("how do I run the tests?", "docs/html/development/start.md", "nox -s test"),
        ("how do I run the tests?", "AGENTS.md", "uv run pytest -n auto"),
        ("how do I build it?", "doc/get-started.md", "cmake --build out"),
    ],
)
def test_what_people_are_told_to_run_comes_before_workflows(
    tmp_path: Path, question: str, path: str, command: str
) -> None:
    steps = "      - run: pytest --all\n      - run: cmake --build .\n"
    job = f"  test:\n    runs-on: ubuntu-latest\n    steps:\n{steps}"
    workflow = f"name: tests\non: pull_request\njobs:\n{job}"
    files = {path: f"# Work\n\n## Pots\n\nA pot.\n\n## Till\n\n```\n{command}\n```\n"}
    write_files(tmp_path, {**files, ".github/workflows/upstream-ci.yml": workflow})

    shown = answered(tmp_path, question, 600)

    assert [item.path for item in shown.items][:1] == [path]
    assert command in shown.text


@pytest.mark.parametrize(
    ("question", "path", "command"),
    [
        ("how do I run the tests?", "CONTRIBUTING.md", "./gradlew clean check"),
        ("how do I run the tests?", "README.md", "make -j8 check"),
        ("run the tests", "docs/contributing.md", "scripts/test"),
        ("how do I run the tests?", "scripts/test.sh", "exec steep --all"),
        ("how do I run the test suite", "runtests.py", "steep(every=True)"),
        ("run the tests", "package.json", '  "test": "borp --coverage",'),
        ("how do I run the linter", "Makefile", "lint: src"),
        ("run the tests", "CONTRIBUTING.md", "dotnet fsi build/runtests.fsx"),
        ("how do I run the linter", ".github/workflows/ci.yml", "      - run: vendor/bin/phpcs"),
    ],
)
def test_who_asks_for_the_tests_or_the_linter_gets_the_command(
    tmp_path: Path, question: str, path: str, command: str
) -> None:
    wordy = "# Tests\n\nTests run. The linter runs tests, and a test runs the linter: run them.\n\n"
    filling = "".join(f"## Part {at}\n\nThe counter of part {at} has a till.\n\n" for at in range(60))
    text = (
        f"{command}\n" if "." in path and not path.endswith(".md") else f"## Changes\n\n```\n{command}\n```\n"
    )
    files = {f"docs/page_{at}.md": wordy * 9 for at in range(6)}
    files |= {path: f"{filling}{text}" if path.endswith(".md") else f"{command}\n"}
    write_files(tmp_path, files)

    assert command in answered(tmp_path, question, 500).text


@pytest.mark.parametrize(
    ("question", "files", "shown"),
    [
        (
            "what dependencies does this project have?",
            {"package.json": '{"name": "tea", "dependencies": {"leaf": "^2.0.0"}}\n'},
            '"leaf": "^2.0.0"',
        ),
        (
            "which libraries does it depend on",
            {"requirements/default.txt": "leaf>=2\n"},
            "leaf>=2",
        ),
        (
            "which python versions are supported?",
            {"setup.cfg": "[metadata]\nname = tea\n\n[options]\npython_requires = >=3.9\n"},
            "python_requires = >=3.9",
        ),
        ("minimum go version", {"go.mod": "module tea\n\ngo 1.22\n"}, "go 1.22"),
        (
            "which zig version is required",
            {"build.zig": 'const minimum_tea_zig_version = "0.17.0";\n'},
            "0.17.0",
        ),
        (
            "which ghc versions are supported",
            {"tea.cabal": "name: tea\n\ntested-with: GHC == 9.6.7\n"},
            "GHC == 9.6.7",
        ),
        (
            "which julia version is needed",
            {"Project.toml": 'name = "Tea"\n\n[compat]\njulia = "1.10"\n'},
            'julia = "1.10"',
        ),
        (
            "which ocaml version does it need",
            {"dune-project": "(package\n (name tea)\n (depends\n  (ocaml (>= 4.14))))\n"},
            "(ocaml (>= 4.14))",
        ),
        (
            "which JDK do I need",
            {"build.gradle.kts": "kotlin {\n    jvmToolchain(21)\n}\n"},
            "jvmToolchain(21)",
        ),
        (
            "what port does it listen on",
            {"README.md": "# Tea\n\n## Start\n\nOpen <http://localhost:8191> then.\n"},
            "localhost:8191",
        ),
        (
            "which port does the server use",
            {"conf/app.ini": "[server]\nHTTP_PORT = 8191\n\n[mail]\nSMTP_PORT = 25\n"},
            "HTTP_PORT = 8191",
        ),
        ("on which port does it run", {"docker/Dockerfile": "FROM tea\nEXPOSE 8191\n"}, "EXPOSE 8191"),
        (
            "what port is used by default",
            {"server/main.js": "const port = Number(process.env.PORT || 8191);\nserve(port);\n"},
            "process.env.PORT || 8191",
        ),
        ("what is the licence of this project", {"LICENSE": "Mozilla Public License 2.0\n"}, "Mozilla"),
        (
            "how do releases work here?",
            {"RELEASING.md": "# Tagging\n\nPush a signed tag.\n"},
            "Push a signed tag",
        ),
        (
            "how do I install it",
            {"README.md": "# Tea\n\n## Installation\n\n`brew add tea`\n"},
            "brew add tea",
        ),
        (
            "how do I build this project?",
            {"CONTRIBUTING.md": "# Help\n\n## Getting it up\n\n```\n$ cmake --build out\n```\n"},
            "cmake --build out",
        ),
        ("who maintains this project?", {"MAINTAINERS": "Ada <ada@tea.example>\n"}, "Ada <ada"),
        (
            "where is the main entry point?",
            {"cmd/tea/main.go": "package main\n\nfunc main() {\n\tbrew()\n}\n"},
            "brew()",
        ),
        (
            "what are the coding conventions here",
            {".editorconfig": "[*]\nindent_size = 3\n"},
            "indent_size = 3",
        ),
        (
            "how do I report a bug",
            {".github/ISSUE_TEMPLATE/bug_report.md": "Say which kettle you have.\n"},
            "Say which kettle you have",
        ),
        (
            "how do I run this with docker?",
            {"compose.yaml": "services:\n  tea:\n    image: tea:2\n"},
            "image: tea:2",
        ),
        (
            "how do I deploy this in production",
            {"docs/self-hosting.md": "# On a server\n\nPut nginx before it.\n"},
            "Put nginx before it",
        ),
        (
            "where is the configuration loaded?",
            {"src/tea/kettle.py": "def load_settings(path):\n    return boil(path.read_text())\n"},
            "return boil(path.read_text())",
        ),
        (
            "what environment variables can I set",
            {"src/tea/brewing.py": "import os\n\nHEAT = int(os.environ.get('TEA_HEAT', 90))\n"},
            "TEA_HEAT",
        ),
        (
            "what does the database schema look like",
            {"db/init_db.js": "knex.schema.createTable('cups', (one) => one.increments('id'))\n"},
            "createTable('cups'",
        ),
        (
            "list the API endpoints",
            {
                "src/main/java/samples/tea/CupController.java": "class CupController {\n"
                '    @GetMapping("/cups")\n    Cups cups() {\n        return all;\n    }\n}\n'
            },
            '@GetMapping("/cups")',
        ),
        (
            "list the API endpoints",
            {"internal/web/router.go": 'package web\n\nfunc New() {\n\tr.HandleFunc("GET /cups", cups)\n}\n'},
            "GET /cups",
        ),
        (
            "where are the routes defined?",
            {"config/routes.rb": "Tea.routes.draw do\n  resources :cups\nend\n"},
            "resources :cups",
        ),
        (
            "where are background jobs run?",
            {"tea/steps.py": "@shared_task(rate=3)\ndef wash_cups(cups):\n    return rinse(cups)\n"},
            "@shared_task(rate=3)",
        ),
        (
            "which cron jobs are there",
            {"config/schedule.yml": "wash_cups:\n  cron: '0 3 * * *'\n  class: Rinse\n"},
            "0 3 * * *",
        ),
        (
            "how do I add a translation for a new language",
            {"ui/locales/en.json": '{\n  "cups": "All cups"\n}\n'},
            '"cups": "All cups"',
        ),
        (
            "where are the translations stored",
            {"README.md": "# Tea\n\n## Other tongues\n\nNone.\n\n## Localization\n\nWrite to Ada.\n"},
            "Write to Ada",
        ),
        (
            "how are errors handled?",
            {"tea/web/ErrorMiddleware.cs": "class ErrorMiddleware {\n    int Spill() { return 500; }\n}\n"},
            "return 500",
        ),
        (
            "how are errors handled",
            {"tea/spill-exception.filter.ts": "export class Wiping {\n  wipe() {\n    return 500\n  }\n}\n"},
            "return 500",
        ),
        (
            "where are exceptions caught",
            {"tea/base_controller.rb": "class BaseController\n  rescue_from Spilled, with: :wipe\nend\n"},
            "rescue_from Spilled",
        ),
        (
            "where is the version number set",
            {"SharedVersion.cs": '[assembly: AssemblyVersion("7.1.4")]\n'},
            "7.1.4",
        ),
        (
            "what happens on startup",
            {
                "cmd/tea/main.go": "package main\n\nfunc main() {\n\theat(steep)\n}\n\n"
                "func steep() {\n\tpour(7)\n}\n"
            },
            "pour(7)",
        ),
        (
            "what happens when the server starts",
            {
                "tea/__main__.py": "from tea import kettle\n\nkettle.brew_all()\n",
                "tea/kettle.py": "def brew_all():\n    return heat(7)\n",
            },
            "return heat(7)",
        ),
        (
            "how do I add a new setting",
            {"tea/default_settings.py": "HEAT = 90\n# Minutes.\nSTEEP = 3\n"},
            "STEEP = 3",
        ),
        ("which version is this", {"package.json": '{"name": "tea",\n"version": "7.1.4"}\n'}, "7.1.4"),
    ],
)
def test_who_asks_for_a_fact_gets_where_it_is_declared_and_nothing_else(
    tmp_path: Path, question: str, files: Mapping[str, str], shown: str
) -> None:
    wordy = "# Project\n\nA project has dependencies, a licence, releases, versions and a build.\n\n"
    beside = {f"docs/page_{at}.md": wordy * 9 for at in range(6)}
    code = "def build_project_release(licence, version, dependencies):\n    return install(entry, point)\n"
    write_files(tmp_path, {**beside, "src/tea/build.py": code, **files})

    text = answered(tmp_path, question, 2_000).text

    assert shown in text
    assert "A project has" not in text
    assert "build_project_release" not in text


def test_how_something_works_is_told_by_no_versions_and_no_licence(tmp_path: Path) -> None:
    files = {
        "package.json": '{"name": "tea", "dependencies": {"cups-cache": "^2.1.0"}}\n',
        "src/cups.js": "import cache from 'cups'\n\nexport const keep = (cup) => {\n  return cache(cup)\n}\n",
        ".github/workflows/nightly.yml": "jobs:\n  caching:\n    steps:\n      - uses: a/cache@v4\n",
        "LICENSE": "The caching of this is permitted to all.\n",
    }
    write_files(tmp_path, files)

    items = answered(tmp_path, "how does caching work").items

    assert items[0].path == "src/cups.js"
    assert "dependency" not in {item.kind for item in items}
    assert "LICENSE" not in {item.path for item in items}


def test_texts_in_other_languages_define_nothing(tmp_path: Path) -> None:
    text = "<?php\nreturn [\n    'settings' => 'Settings',\n    'add' => 'Add a new setting',\n];\n"
    files = {
        "lang/de/settings.php": text,
        "lang/fr/settings.php": text,
        "app/Preferences.php": "<?php\nreturn ['heat' => 90];\n",
        ".github/workflows/nightly.yml": "jobs:\n  background:\n    run: cron jobs\n",
        "app/Jobs/WashCups.php": "<?php\nclass WashCups implements ShouldQueue {}\n",
    }
    write_files(tmp_path, files)

    settings = answered(tmp_path, "how do I add a new setting", 300)
    jobs = answered(tmp_path, "where are background jobs run", 300)

    assert [item.path for item in settings.items] == ["app/Preferences.php"]
    assert [item.path for item in jobs.items] == ["app/Jobs/WashCups.php"]


def test_tests_do_not_tell_where_the_configuration_is_loaded(tmp_path: Path) -> None:
    test = "package config\n\nfunc loadTwice(t *T) {\n\tloadSettings()\n}\n"
    code = "package config\n\nfunc loadSettings() int {\n\treturn boil()\n}\n"
    files = {"config/loader.go": code, "config/loader_test.go": test}
    write_files(tmp_path, files)

    text = answered(tmp_path, "where is the configuration loaded", 600).text

    assert "return boil()" in text
    assert "loadTwice" not in text


def test_of_a_long_part_stand_the_lines_that_read_a_variable(tmp_path: Path) -> None:
    plugins = "".join(f"    plugin_{at}({{ brew: {at} }}),\n" for at in range(30))
    text = f"export default brew([\n{plugins}    heat(process.env.TEA_HEAT),\n{plugins}]);\n"
    write_files(tmp_path, {"config/tea.js": text})

    text = answered(tmp_path, "what environment variables can I set", 250).text

    assert "heat(process.env.TEA_HEAT)" in text
    assert "plugin_12(" not in text


@pytest.mark.parametrize("heading", ["Environment Variables", "Useful internal Tea environment variables"])
def test_a_section_on_environment_variables_comes_before_code_that_reads_some(
    tmp_path: Path, heading: str
) -> None:
    other = "".join(f"## Cup {at}\n\nThe cup {at} has variables.\n\n" for at in range(30))
    page = f"# Tea\n\n{other}## {heading}\n\nEach option has one.\n\n{other}"
    code = 'package tea\n\nfunc Heat{0}() string {{\n\treturn os.Getenv("TEA_HEAT_{0}") // environment\n}}\n'
    write_files(
        tmp_path, {"docs/content/tea.md": page, **{f"tea/cup{at}.go": code.format(at) for at in range(9)}}
    )

    shown = answered(tmp_path, "what environment variables can I set", 250)

    assert shown.items[0].path == "docs/content/tea.md"
    assert "Each option has one." in shown.text


def test_of_many_files_that_are_called_settings_only_those_that_read_them_answer(tmp_path: Path) -> None:
    one = "pub struct {0}Config {{\n    pub heat: u8,\n}}\n\nimpl {0}Config {{\n    fn build() {{}}\n}}\n"
    files = {
        f"src/cups/{name}/config.rs": one.format(name.title()) * 3 for name in ("a", "b", "c", "d", "e", "f")
    }
    page = 'import { readFileSync } from "fs";\n\nexport const config = load(readFileSync("config file"));\n'
    files["pages/.vitepress/config.ts"] = page
    files["src/config/loading/loader.rs"] = "pub fn load_file(path: &Path) -> Config {\n    brew(path)\n}\n"
    write_files(tmp_path, files)

    shown = answered(tmp_path, "where is the config file parsed?", 300)

    assert [item.path for item in shown.items] == ["src/config/loading/loader.rs"]


def test_what_reads_the_configuration_may_be_told_by_its_type(tmp_path: Path) -> None:
    code = "namespace Config {{\nvoid {0}(Path file) {{\n\tbrew(file);\n}}\n}}\n"
    other = "void init_config() {\n\tConfig::load(file);\n}\n"
    write_files(tmp_path, {"src/tea_options.cpp": code.format("load"), "src/tea.cpp": other})

    shown = answered(tmp_path, "where is the config file parsed?", 300)

    assert "brew(file)" in shown.text


def test_sections_on_single_settings_explain_nothing_else(tmp_path: Path) -> None:
    settings = "".join(
        f"## `TEA_STEEPER_{at}`\n\nThe steeper steeps the tea leaves.\n\n" for at in "ABCDEFGH"
    )
    page = "# Steeping\n\nTea leaves go into the steeper by hand, after water and milk.\n"
    write_files(tmp_path, {"docs/config.md": f"# Tea\n\n{settings}", "docs/usage.md": page})

    assert answered(tmp_path, "explain how tea is steeped", 200).items[0].path == "docs/usage.md"
    assert answered(tmp_path, "explain `TEA_STEEPER_C`", 200).items[0].path == "docs/config.md"


def test_what_ci_checks_stands_in_the_workflows_that_test_and_lint_proposed_changes(tmp_path: Path) -> None:
    workflow = "name: {0}\non:\n  {1}:\njobs:\n  {0}:\n    steps:\n      - run: {2}\n"
    label = "echo a check of the pull request, the CI checks pull requests"
    files = {
        f".github/workflows/check-{at}.yml": workflow.format(f"ci-check-{at}", "pull_request", label)
        for at in range(4)
    }
    files[".github/workflows/test.yml"] = workflow.format("suite", "pull_request", "make test-leaves")
    files[".github/workflows/nightly-tests.yml"] = workflow.format("nightly", "schedule", "make test-all")
    files["CONTRIBUTING.md"] = "# Teas\n\n## Pull requests\n\nRun `make check` for a pull request in CI.\n"
    write_files(tmp_path, files)

    shown = answered(tmp_path, "what does CI check on a pull request?", 300)

    assert shown.items[0].path == ".github/workflows/test.yml"
    assert "make test-all" not in shown.text


def test_manifests_of_parts_come_after_that_of_all_for_who_builds_it(tmp_path: Path) -> None:
    part = "# builds the plugin on Linux\nadd_library({0} MODULE)\n# build {0} on linux\n"
    files = {f"plugins/linux-{name}/CMakeLists.txt": part.format(name) for name in "abcdefgh"}
    files["CMakeLists.txt"] = "project(tea)\n# build on Linux or elsewhere\nadd_subdirectory(plugins)\n"
    write_files(tmp_path, files)

    assert answered(tmp_path, "how do I build it on Linux?", 200).items[0].path == "CMakeLists.txt"


def test_two_words_that_code_writes_as_one_are_both_there(tmp_path: Path) -> None:
    page = "export function {0}ViewPage() {{\n  return {1};\n}}\n"
    names = ("Tea", "Cup", "Pot", "Lid")
    files = {f"src/{name}ViewPage.tsx": page.format(name, at) for at, name in enumerate(names)}
    files["src/queries/metrics.ts"] = "export function getPageviewMetrics(site) {\n  return sum(site);\n}\n"
    write_files(tmp_path, files)

    assert answered(tmp_path, "where are page views recorded?", 200).items[0].path == "src/queries/metrics.ts"


def test_one_more_of_a_kind_is_written_in_a_usual_language(tmp_path: Path) -> None:
    files = {f"web/brewer-form/Brewer{name}Section.vue": FORM.format(name) for name in ("Cup", "Pot", "Lid")}
    files |= {f"web/brewer-form/Brewer{name}Section.vue": FORM.format(name) for name in ("Tap", "Jug", "Tin")}
    files |= {
        f"server/brewer/{name.lower()}.go": (
            f"package brewer\n\ntype {name}Brewer struct {{\n\t*Base\n}}\n\n"
            f"func (one *{name}Brewer) Run() error {{\n\treturn one.Pour()\n}}\n"
        )
        for name in ("Mate", "Kava", "Rooibos", "Mint", "Sage")
    }
    files |= {
        f"server/loom/part{at}.go": f"package loom\n\n// Weave{at} is for a brewer.\nfunc Weave{at}() {{}}\n"
        for at in range(30)
    }
    write_files(tmp_path / "loom", files)

    shown = answered(tmp_path / "loom", "how do I add a new brewer type", 400)

    assert shown.items[0].path.startswith("server/brewer/")


@pytest.mark.parametrize("budget", [300, 350, 400, 500, 600, 700])
def test_what_is_longer_than_the_budget_is_shown_in_part(tmp_path: Path, budget: int) -> None:
    steps = "".join(f"    step_{at}(brew={at})\n" for at in range(60))
    write_files(tmp_path, {"tea.py": f"def brew_all():\n{steps}    return heat(TEA)\n{steps}"})

    shown = answered(tmp_path, "where is the heat set", budget)

    assert "return heat(TEA)" in shown.text
    assert shown.tokens <= budget


def test_where_something_is_done_stands_in_the_function_called_so(tmp_path: Path) -> None:
    beside = "def count_leaves(leaves):\n    return [leaf for leaf in leaves if leaf.steeped]\n" * 2
    boils = "".join(f"    water = boil(water, {at})\n" for at in range(30))
    code = f"def steep_leaves(water):\n{boils}    return water\n"
    write_files(tmp_path, {"steeped/leaves.py": beside, "tea/pot.py": code})

    first, *_ = answered(tmp_path, "where are leaves steeped", 500).items

    assert first.path == "tea/pot.py"


def test_what_pages_say_one_implements_is_the_base_of_what_is_to_be_written(tmp_path: Path) -> None:
    page = "# Steepers\n\nA steeper is a type that implements\n[`FromLeaves`], whatever its water.\n"
    named = "/// Runs steepers.\npub trait SteeperPool {\n    fn pool(&self) -> u32;\n}\n"
    pools = "".join(f"impl SteeperPool for Pool{at} {{}}\n" for at in range(3))
    told = "pub trait FromLeaves {\n    fn from_leaves(leaves: &Leaves) -> Self;\n}\n"
    made = {
        f"src/{at}.rs": f"impl FromLeaves for Pot{at} {{\n    fn from_leaves(_: &Leaves) -> Self {{}}\n}}\n"
        for at in range(3)
    }
    files = {"docs/steepers.md": page, "src/pool.rs": f"{named}{pools}", "src/leaves.rs": told, **made}
    write_files(tmp_path, files)

    text = answered(tmp_path, "how do I write my own steeper", 400).text

    assert "fn from_leaves(leaves: &Leaves) -> Self;" in text
    assert "for Pot0" in text


@pytest.mark.parametrize(
    ("question", "fact"),
    [
        ("welche Abhängigkeiten hat das Projekt?", "dependencies"),
        ("¿qué dependencias tiene este proyecto?", "dependencies"),
        ("quelle est la licence de ce projet ?", "licence"),
        ("wie installiere ich das?", "installing"),
        ("wie baue ich das Projekt?", "setup"),
        ("这个项目有哪些依赖？", "dependencies"),
        ("wie werden Abhängigkeiten aufgelöst?", None),
        ("依赖注入怎么工作", None),
    ],
)
def test_facts_are_asked_for_in_other_languages(question: str, fact: str | None) -> None:
    asked = read_question(question).fact

    assert (asked.value if asked else None) == fact


@pytest.mark.parametrize(
    "question",
    [
        "how does the build work?",
        "how do background tasks work?",
        "how do I add an option to a command",
        "how do I set the heat",
        "what happens when a request starts",
        "how are errors in queries handled",
        "where is the version of the protocol set",
        "which version is the fix in",
        "where is a task put into the queue",
        "how does translation of queries work",
        "which worker runs a job",
        "how do I use dependencies?",
        "what are dependencies?",
        "how does publish work",
        "how do I publish a message",
        "what is an entry",
        "where are requirements resolved",
        "how does the installation of hooks work",
        "which versions of the protocol are supported",
        "what is each package for and which may depend on which",
        "Release 3.4.0",
        "Require Go 1.23",
        "local installation",
    ],
)
def test_what_the_code_does_is_no_fact_that_a_project_declares(question: str) -> None:
    assert read_question(question).fact is None


def test_who_writes_a_plugin_sees_what_it_is_made_from_and_the_shortest_one(tmp_path: Path) -> None:
    base = "class BasePlugin:\n" + "".join(
        f'    def convert_{at}(self, leaf):\n        """Return the leaf, rolled {at} times."""\n'
        for at in range(6)
    )
    kinds = {
        f"tea/{name}.py": f"class {name.title()}Plugin(BasePlugin):\n"
        + "".join(
            f"    def convert_{at}(self, leaf):\n        return leaf.{name}({at})\n" for at in range(size)
        )
        for name, size in {"green": 30, "black": 6, "white": 40}.items()
    }
    installer = "".join(
        f"def install_plugin_{at}(plugin):\n    plugin.write(plugin.files)\n    return plugin\n\n\n"
        for at in range(30)
    )
    shop = {f"shop/plugins_{at}.py": installer for at in range(4)}
    write_files(tmp_path, {"tea/base.py": base, **kinds, **shop})

    text = answered(tmp_path, "how do I write a plugin?", 600).text

    assert "Return the leaf, rolled 5 times" in text
    assert "return leaf.black(5)" in text
    assert text.index("class BasePlugin") < text.index("install_plugin_0")


@pytest.mark.parametrize("unit", ["`a/", "; A=b ", "`make -a ", "`npm a ", "\n", '"test', "$ "])
@pytest.mark.parametrize("kind", ["test", "lint", "build"])
def test_commands_are_found_in_linear_time(kind: str, unit: str) -> None:
    def seconds(times: int) -> float:
        started = time.process_time()
        for is_manifest in (False, True):
            find_command_lines(kind, unit * times, is_manifest=is_manifest)
        return time.process_time() - started

    assert min(seconds(20_000) for _ in range(3)) <= 3 * min(seconds(10_000) for _ in range(3)) + 0.05


def test_a_program_that_a_sentence_only_names_is_no_command() -> None:
    text = "* Easy tests based on steep and `pytest`\n* Lint, and then run `tox` and `pytest`\n- `pytest`\n"

    assert {*find_command_lines("test", text)} == {2, 3}


@pytest.mark.parametrize("question", ["how do I run the tests?", "how do I build this project?"])
def test_pages_on_how_one_starts_come_before_those_on_a_part(tmp_path: Path, question: str) -> None:
    page = "# Pots\n\n## Build and run the tests\n\n```\nmake\nmake test\n```\n"
    paths = [f"docs/contributors/{name}.md" for name in ("Cups", "Getting Started", "Pots")]
    write_files(tmp_path, dict.fromkeys(paths, page) | {paths[0]: page + "\nCups.\n", paths[2]: f"{page}\n"})

    assert answered(tmp_path, question, 300).items[0].path == "docs/contributors/Getting Started.md"


def test_conventions_of_a_language_are_none_of_coding(tmp_path: Path) -> None:
    told = "# Conventions\n\nCoding conventions of tea: a cup is a cup.\n"
    files = {
        "doc/reference/lexical-conventions.md": told,
        "CONTRIBUTING.md": "# Work\n\n## Style\n\nBe brief.\n",
    }
    write_files(tmp_path, files)

    assert answered(tmp_path, "what are the coding conventions?", 300).items[0].path == "CONTRIBUTING.md"


def test_a_method_of_one_word_is_told_by_its_type(tmp_path: Path) -> None:
    body = '        """Infer the topics of tea."""\n' + "        self.topics.infer(tea)\n" * 30
    model = "class {}:\n    def brewing(self, tea):\n{}\n\n    def load(self):\n        return self.cups\n"
    files = {
        f"tea/{name}.py": model.format(name, body)
        for name in ("TeaModel", "TeaSeqModel", "PotModel", "CupModel")
    }
    files["tea/TeaSeqModel.py"] += (
        "\n    def tea_brewing(self, chain):\n        # the tea brewing of a chain is implemented\n"
    )
    files["tea/TeaSeqModel.py"] += "        return self.tea.brewing(chain)\n" * 9
    write_files(tmp_path / "loom", files)

    bundle = answered(tmp_path / "loom", "where is the tea brewing implemented?", 400)

    assert bundle.items[0].path == "tea/TeaModel.py"


def test_variables_of_the_build_come_after_other_settings(tmp_path: Path) -> None:
    fields = '\tAddress string\n\tTeaFolder  string `toml:"tea"`\n\tPort int\n'
    used = "".join(
        f"func TeaFolder{n}() []Folder {{\n\treturn cups.TeaFolders({n})\n}}\n\n" for n in range(9)
    )
    files = {"conf/configuration.go": f"package conf\n\ntype options struct {{\n{fields}}}\n"}
    files |= {
        "server/folders.go": f"package server\n\n{used}",
        "Makefile": "run:\n\tTEA_FOLDER=$$(cat tea) run\n",
    }
    write_files(tmp_path / "loom", files)

    bundle = answered(tmp_path / "loom", "how do I change the tea folder?", 400)

    assert [item.path for item in bundle.items[:2]] == ["conf/configuration.go", "Makefile"]


def test_what_a_guide_leads_from_is_no_version_of_it(tmp_path: Path) -> None:
    guide = "# Migrating from Tea {0} to {1}\n\n## Features\n\nTea {1} has cups. {2}\n"
    files = {
        f"doc/migrating_from_2.{at}.md": guide.format(f"2.{at}", f"2.{at + 1}", "It changed. " * (at - 12))
        for at in (12, 13)
    }
    write_files(tmp_path / "loom", files)

    bundle = answered(tmp_path / "loom", "what changed in 2.13?", 300)

    assert bundle.items[0].path == "doc/migrating_from_2.12.md"


def test_a_page_that_is_called_what_one_makes_comes_before_code_of_that_kind(tmp_path: Path) -> None:
    rows = "            Binding('yarn', self.yarn),\n" * 9
    code = f"class {{0}}Keys:\n    def get_bindings(self):\n        return [\n{rows}        ]\n\n"
    files = {
        f"keys/{name}_keys.py": code.format(name.title()) for name in ("cup", "jug", "lid", "pot", "urn")
    }
    page = "# Own keys\n\n## In a file\n\nPut `keys:` into `loom.yml`.\n"
    write_files(tmp_path / "loom", {**files, "docs/Custom_Yarn_Bindings.md": page})

    first = answered(tmp_path / "loom", "how do I write a custom yarn binding", 300).items[0]

    assert first.path == "docs/Custom_Yarn_Bindings.md"


@pytest.mark.parametrize("question", ["how is the documentation built?", "how do I build the docs"])
def test_who_asks_how_the_documentation_is_built_gets_the_command(tmp_path: Path, question: str) -> None:
    code = 'def build_{0}(docs):\n    """Build the documentation: the docs are built."""\n    return 1\n\n\n'
    files = {f"build/docs_{at}.py": code.format(at) * 9 for at in range(6)}
    filling = "".join(f"## Part {at}\n\nThe counter of part {at} has a till.\n\n" for at in range(60))
    page = f"# Work\n\n{filling}## Site\n\n```\ntox -e docs\n```\n"
    write_files(tmp_path, {**files, "CONTRIBUTING.md": page})

    bundle = answered(tmp_path, question, 500)

    assert bundle.items[0].path == "CONTRIBUTING.md"
    assert "tox -e docs" in bundle.text


def test_instructions_of_a_dockerfile_are_no_words_of_it(tmp_path: Path) -> None:
    steps = "".join(f"RUN brew --cup {at}\n\nRUN pour --cup {at}\n\n" for at in range(20))
    suite = "The suite of the tests runs where a pot is; the tests want water.\n"
    write_files(tmp_path, {"Dockerfile": f"FROM pot\n\n{steps}", "docs/suite.md": f"# Pots\n\n{suite}"})

    bundle = answered(tmp_path, "how do I run the tests?", 1_000)

    assert [item.path for item in bundle.items] == ["docs/suite.md"]


def test_a_base_that_pages_tell_of_is_shown_though_nothing_beside_it_is_made_from_it(tmp_path: Path) -> None:
    page = "# Filters\n\nTo implement a filter with `BaseTeaFilter`, steep `dispatch`.\n"
    base = "class BaseTeaFilter:\n    def dispatch(self, leaves):\n        raise NotImplementedError\n"
    pots = "class {0}Filter:\n    def pour(self):\n        return filter(None, '{0}')\n"
    made = "class Water:\n    pass\n\n\nclass Hot(Water):\n    pass\n\n\nclass Cold(Water):\n    pass\n"
    told = "# Waters\n\nSome extend `Water`, others a filter.\n\nSome filter may extend `Water`.\n"
    files = {f"tea/{name}.py": pots.format(name.title()) for name in ("cup", "jug", "lid")}
    files |= {"tea/base.py": base, "water.py": made, "docs/filters.md": page, "docs/waters.md": told}
    write_files(tmp_path, files)

    assert answered(tmp_path, "how do I write a custom filter", 130).items[0].path == "tea/base.py"


def test_an_interface_that_is_called_what_is_asked_for_is_there_to_be_implemented(tmp_path: Path) -> None:
    offered = "<?php\ninterface TeaRule\n{\n    public function brew(array $leaves): void;\n}\n"
    rule = "<?php\nclass {0} implements Rule\n{{\n    public function brew() {{}}\n}}\n"
    files = {f"src/Tea/{name}.php": rule.format(name) for name in ("Cup", "Jug", "Lid")}
    old = "<?php\ninterface Rule\n{\n    public function rule_of_tea(): bool;\n}\n"
    write_files(tmp_path, {**files, "src/Rule.php": old, "src/Contracts/TeaRule.php": offered})

    assert answered(tmp_path, "how do I add a new tea rule", 100).items[0].path == "src/Contracts/TeaRule.php"


def test_a_base_stands_in_a_namespace(tmp_path: Path) -> None:
    space = "namespace Tea\n{{\n    public {0}\n    {{\n{1}    }}\n}}\n"
    methods = "".join(
        f"        /// <summary>Pours the cup {at}.</summary>\n        {{0}}\n" for at in range(9)
    )
    files = {
        f"Tea/{name}.cs": space.format(f"class {name} : LeafParser", methods.format(f"int {name}() => 1;"))
        for name in ("Cup", "Jug", "Lid")
    }
    base, uses = methods.format("abstract int Pour();"), methods.format("int WriteParser(Parser p) => p;")
    files["Tea/LeafParser.cs"] = space.format("abstract class LeafParser", base)
    write_files(tmp_path, {**files, "Tea/Parsers.cs": space.format("class Parsers", uses)})

    first = answered(tmp_path, "how do I write a custom parser", 600).items[:2]

    assert "Tea/LeafParser.cs" in [item.path for item in first]


def test_a_page_is_called_like_its_folder_if_it_is_the_index(tmp_path: Path) -> None:
    kinds = {f"shop/pots/{name}.py": MADE.format(name) for name in ("cup", "jug", "lid", "pot", "tea", "urn")}
    guide = "Pots hold tea.\n\nFire the clay.\n"
    write_files(tmp_path / "loom", {**kinds, "docs/pot-development/index.md": guide})

    first = answered(tmp_path / "loom", "how do I write a new pot", 230).items[0]

    assert first.path == "docs/pot-development/index.md"


@pytest.mark.parametrize("heading", ["Custom pots", "Custom pot types"])
def test_a_section_on_making_one_comes_before_an_example(heading: str, tmp_path: Path) -> None:
    guide = f"# Pots\n\nPots hold tea.\n\n## {heading}\n\nFire the clay.\n\n## New pots\n\nThe pots.\n"
    kinds = {f"shop/pots/{name}.py": MADE.format(name) for name in ("cup", "jug", "lid", "pot", "tea", "urn")}
    write_files(tmp_path, {**kinds, "docs/guide.md": guide, "versioned_docs/version-1.x/guide.md": guide})

    first, *others = answered(tmp_path, "how do I write a new pot", 230).items

    assert (first.path, "Fire the clay." in first.text) == ("docs/guide.md", True)
    assert not any("clay" in item.text for item in others)


def test_the_function_that_is_called_what_is_asked_comes_first(tmp_path: Path) -> None:
    steps = "".join(f"        self.step({number})\n" for number in range(40))
    trainer = (
        "class YarnTrainer:\n"
        + "".join(
            f"    def prepare_{at}(self):\n        # yarn and tension of the yarn\n{steps}\n"
            for at in range(6)
        )
        + "    def _compute_tension(self, spool):\n        return self.pull(spool)\n"
    )
    page = "# Yarn\n\n" + "".join(
        f"## Yarn tension {at}\n\nThe yarn has a tension, and the yarn tension is computed.\n\n"
        for at in range(30)
    )
    write_files(tmp_path, {"yarn_trainer.py": trainer, "docs/yarn.md": page})

    found = answered(tmp_path, "how is the yarn tension computed", 400)

    assert "def _compute_tension" in found.text
    assert found.items[0].path == "yarn_trainer.py"


@pytest.mark.parametrize(
    "page", ["docs/structured-outputs.md", "docs/reference/install/providers/overview.md"]
)
def test_a_page_with_a_word_of_design_that_is_about_one_thing_is_none_on_the_whole(
    tmp_path: Path, page: str
) -> None:
    files = {f"shop/part{at}.py": f"class Part{at}:\n    pass\n" for at in range(6)}
    files |= {
        "README.md": "# Shop\n\nSells things to people who want some.\n",
        page: "# Overview\n\nYarn.\n" * 9,
    }
    if "structured" in page:
        files[page] = "# Structured outputs\n\nYarn.\n\n## Structured JSON\n\nYarn of a structure.\n"

    shown = {item.path for item in answered(write_files(tmp_path, files), "explain the architecture").items}

    assert page not in shown


def test_an_overview_of_many_modules_leaves_room_for_what_most_files_use(tmp_path: Path) -> None:
    words = ["warp", "weft", "heddle", "shuttle", "bobbin", "selvage", "treadle", "reed", "skein", "spindle"]
    said = "of which much is said here, since it matters to all who weave"
    files = {
        f"{one}s/src/{one[::-1]}{other}.py": f'"""The {other} of the {one}, {said}."""\n'
        "from shop.loom import Loom\n\n\n"
        f"class {one.title()}{other.title()}:\n    def run(self, loom: Loom): ...\n" * 3
        for one in words
        for other in words
    }
    files["shop/loom.py"] = "class Loom:\n" + "".join(f"    thread_{at}: int = {at}\n" for at in range(40))
    write_files(tmp_path, files)

    assert "thread_39: int" in answered(tmp_path, "explain the architecture", 2_400).text


def test_what_changelogs_say_of_pull_requests_comes_after_the_rules_for_them(tmp_path: Path) -> None:
    rows = "".join(
        f"## {at}.0\n\n- Send the pull request to cup {at} again. [#{at}](https://tea.example/pull/{at})\n\n"
        for at in range(40)
    )
    rules = "# Contributing\n\nAdd a test to each contribution.\n"
    write_files(tmp_path, {"docs/contributing.md": rules, "CHANGELOG.md": rows})

    first = answered(tmp_path, "what do I need for a pull request", 2_500).items[0]

    assert first.path == "docs/contributing.md"


@pytest.mark.parametrize("word", ["single", "specific", "individual", "particular"])
def test_who_asks_for_one_test_wants_the_commands_alone(tmp_path: Path, word: str) -> None:
    files = {
        "CONTRIBUTING.md": "# Contributing\n\n## Run the tests\n\nRun a test:\n\n    pytest tests\n",
        "docs/queries.md": f"# {word.capitalize()} queries\n\nOne {word} test of one query.\n",
        "jar.py": "def fill(jar):\n    return jar\n",
    }
    write_files(tmp_path, files)

    paths = [item.path for item in answered(tmp_path, f"how do I run a {word} test?").items]

    assert "CONTRIBUTING.md" in paths
    assert "docs/queries.md" not in paths


def test_beside_the_command_stands_what_tests_are_run_against(tmp_path: Path) -> None:
    files = {
        "CONTRIBUTING.md": "# Contributing\n\n```\nmake test\n```\n",
        "Makefile": "test:\n\tpytest tests\n",
        "tests/docker-compose.yml": "services:\n  postgres:\n    image: postgres:16\n",
    }
    write_files(tmp_path, files)

    paths = [item.path for item in answered(tmp_path, "how do I run the tests against postgres").items]

    assert {"CONTRIBUTING.md", "tests/docker-compose.yml"} <= {*paths}
    plain = [item.path for item in answered(tmp_path, "how do I run the whole test suite").items]
    assert "tests/docker-compose.yml" not in plain


def test_files_that_have_to_do_with_a_kind_are_not_of_it(tmp_path: Path) -> None:
    names = ("agents", "memory", "models", "remote", "utils", "checks", "screens")
    code = "def {0}_of_{1}({1}, count):\n    return [{1}, count]\n\n\ndef drop_{1}_later():\n    pass\n"
    files = {f"shop/{name}.py": code.format("list", f"tool_{name[::-1]}") * 6 for name in names}
    files["shop/tools.py"] = (
        "class Tool:\n    def run(self): ...\n\n\nclass Saw(Tool): ...\n\n\nclass Axe(Tool): ...\n"
    )
    write_files(tmp_path, files)

    assert answered(tmp_path, "how do I write a custom tool", 300).items[0].path == "shop/tools.py"


def test_a_page_of_a_kind_and_the_code_that_names_all_of_them_are_a_precedent(tmp_path: Path) -> None:
    names = ["anyauth", "append", "basic", "compressed", "crlfile", "digest", "silent", "verbose"]
    rows = "".join(f'  {{"{name}", ARG_BOOL, C_{name.upper()}}},\n' for name in names)
    cases = "".join(f"  case C_{name.upper()}:\n    config->{name} = toggle;\n    break;\n" for name in names)
    files = {f"docs/cmdline-opts/{name}.md": f"# {name}\n\nAsks for {name}.\n" for name in names}
    files["src/getparam.c"] = (
        f"static const struct Row aliases[] = {{\n{rows}}};\n\n"
        + "".join(f"static int other_{at}(int a)\n{{\n  return a + {at};\n}}\n\n" for at in range(40))
        + f"int parse(int c)\n{{\n  switch(c) {{\n{cases}  }}\n  return 0;\n}}\n"
    )
    files |= {
        f"docs/page{at}.md": f"# Page {at}\n\nA new command line option is on the command line.\n"
        for at in range(9)
    }
    write_files(tmp_path, files)

    found = answered(tmp_path, "how do I add a new command line option", 500)

    shown = [name for name in names if f"Asks for {name}." in found.text]
    assert len(shown) == 1
    assert f'{{"{shown[0]}", ARG_BOOL, C_{shown[0].upper()}}}' in found.text
    assert f"case C_{shown[0].upper()}:" in found.text


def test_what_each_of_a_kind_is_made_from_comes_before_a_folder_of_that_name(tmp_path: Path) -> None:
    folder = ("parse", "config", "print", "help", "complete", "low", "high")
    files = {
        f"core/flags/{name}.rs": f"pub fn {name}_a(flag: u32) -> u32 {{\n    flag + {at}\n}}\n" * 9
        for at, name in enumerate(folder)
    }
    made = "".join(
        f"struct F{at};\nimpl Flag for F{at} {{\n    fn name(&self) {{}}\n}}\n\n" for at in range(9)
    )
    files["core/flags/mod.rs"] = "/// One flag of the command line.\ntrait Flag {\n    fn name(&self);\n}\n"
    files["core/flags/defs.rs"] = made
    write_files(tmp_path, files)

    assert "trait Flag {" in answered(tmp_path, "how do I add a new command line flag", 200).text


def test_what_one_is_made_for_is_not_of_its_kind(tmp_path: Path) -> None:
    kind = "class {0}{1}({1}):\n    def {2}(self):\n        return '{0}'\n"
    files = {f"tea/{name}.py": kind.format(name.title(), "Input", "read") for name in ("cup", "jug", "lid")}
    files |= {f"tea/{name}.py": kind.format(name.title(), "Matcher", "match") for name in ("dry", "old")}
    base = "class {0}:\n    def {1}(self):\n        raise NotImplementedError\n"
    files |= {"tea/input.py": base.format("Input", "read"), "tea/match.py": base.format("Matcher", "match")}
    write_files(tmp_path, files)

    paths = [item.path for item in answered(tmp_path, "how do I write a matcher for an input", 130).items]

    assert {"tea/match.py"} <= {*paths[:2]} <= {"tea/match.py", "tea/dry.py", "tea/old.py"}


def test_what_completes_commands_answers_only_who_asks_for_it(tmp_path: Path) -> None:
    rows = "".join(f"  '--heat{at}=[option of the tea command]:heat {at}' \\\n" for at in range(9))
    code = (
        'def add_options(parser):\n    parser.add_argument("--heat0", help="an option of the tea command")\n'
    )
    write_files(tmp_path, {"completions/_tea": f"#compdef tea\n_arguments \\\n{rows}", "tea/cli.py": code})

    options = answered(tmp_path, "what options does the tea command take").items
    shells = answered(tmp_path, "which shell completions of the tea command are there").items

    assert [item.path for item in options] == ["tea/cli.py"]
    assert "completions/_tea" in [item.path for item in shells]


def test_a_name_that_many_types_have_is_no_base(tmp_path: Path) -> None:
    code = "class Filter:\n    def pour_{0}(self):\n        return '{0}'\n\n    filter = pour_{0}\n"
    files = {f"{name}/filter.py": code.format(name) for name in ("cup", "jug", "lid")}
    made = "from tea.sieves import Sieve as Filter\n\n\nclass {0}(Filter):\n    pass\n"
    files |= {f"tea/{name}.py": made.format(name.title()) for name in ("dry", "old")}
    page = "# Filters\n\nA filter is a class that extends `Sieve`.\n"
    sieve = "class Sieve:\n    pass\n\n\nclass Fine(Sieve):\n    pass\n\n\nclass Coarse(Sieve):\n    pass\n"
    write_files(tmp_path, {**files, "docs/filters.md": page, "tea/sieves.py": sieve})

    assert answered(tmp_path, "how do I add a new filter", 130).items[0].path == "tea/sieves.py"


def test_a_section_whose_heading_is_what_is_asked_comes_before_longer_ones_that_repeat_it(
    tmp_path: Path,
) -> None:
    entry = "    :param timeout: the timeout after which to stop; it is set in seconds.\n" * 5
    methods = "".join(f"## Method {at} with a timeout, a body and headers\n\n{entry}\n" for at in range(12))
    steps = "# First steps\n\nA shop is opened.\n\n## Timeouts\n\nGive `wait=` to set a timeout.\n"
    files = {f"docs/page{at}.md": "# Cloth\n\nWarp and weft.\n" for at in range(9)}
    write_files(tmp_path, {"docs/reference.md": f"# Client\n\n{methods}", "docs/steps.md": steps, **files})

    assert answered(tmp_path, "how do I set a timeout", 300).items[0].path == "docs/steps.md"


def test_the_design_of_something_is_about_that(tmp_path: Path) -> None:
    files = {f"shop/part{at}.py": f"def call_{at}(router):\n    return {at}\n" for at in range(20)}
    files["docs/cloth.md"] = (
        "# Cloth\n\nThe design of cloth, its architecture, and an overview of its design.\n"
    )
    files["docs/paths.md"] = "# Paths\n\nA router finds the handler of a path, and the router calls it.\n"
    write_files(tmp_path, files)

    shown = {item.path for item in answered(tmp_path, "explain the design of the router", 200).items}

    assert "docs/paths.md" in shown


def test_a_function_is_meant_by_its_package_or_module_and_its_name(tmp_path: Path) -> None:
    code = "package {0}\n\n// New makes one from the arguments.\nfunc New(at int) *{1} {{\n\treturn nil\n}}\n"
    files = {f"{name}/new.go": code.format(name, name.title()) for name in ("cup", "jug", "lid", "pot")}
    files["tea/v3/brew.go"] = code.format("teav3", "Tea")
    uses = "".join(
        f"// Pour takes arguments.\nfunc Pour{at}() {{\n\tteav3.New(args)\n}}\n\n" for at in range(9)
    )
    write_files(tmp_path, {**files, "shop/shop.go": f"package shop\n\n{uses}"})

    first = answered(tmp_path, "what arguments does teav3.New take", 80).items[0]

    assert first.path == "tea/v3/brew.go"


def test_what_a_function_takes_is_in_the_types_of_its_parameters(tmp_path: Path) -> None:
    fields = "".join(f"    field{at}: number\n" for at in range(9))
    kettle = "import './water'\n\nexport function boilKettle(water: Water): Steam {\n  return 1\n}\n"
    uses = "".join(f"export const cup{at} = () => boilKettle(options, take)\n" for at in range(30))
    files = {
        "src/kettle.ts": kettle,
        "src/water.ts": f"export interface Water {{\n{fields}}}\n",
        "src/steam.ts": f"export interface Steam {{\n{fields}}}\n",
        "shop/cups.ts": uses,
    }
    write_files(tmp_path, files)

    paths = [item.path for item in answered(tmp_path, "what options does boilKettle take", 220).items]

    assert "src/water.ts" in paths
    assert "src/steam.ts" not in paths


@pytest.mark.parametrize(
    "post", ["www/blog/2020-01-01-tea.md", "site/highlights/2020-01-01-tea.md", "docs/roadmap/2022-08-tea.md"]
)
def test_posts_of_a_blog_come_after_pages(tmp_path: Path, post: str) -> None:
    page = "# {0}\n\n## Steeping\n\nThe leaves are steeped in water{1}.\n"
    files = {
        post: page.format("Steeping", ""),
        "docs/tea.md": page.format("Tea", " twice"),
    }
    write_files(tmp_path, files)

    assert answered(tmp_path, "how are leaves steeped", 200).items[0].path == "docs/tea.md"


def test_one_of_a_kind_stands_beside_its_base_and_its_own_test(tmp_path: Path) -> None:
    names = ["Rope", "Silk", "Wool", "Flax", "Hemp", "Jute"]
    fetch = "".join(f"        Say({number});\n" for number in range(9))
    files = {
        f"Core/Clients/{name}/{name}.cs": f"namespace Core.Clients.{name};\n\n"
        f"public class {name} : DownloadClientBase<{name}Settings>\n{{\n"
        f"    public override void Fetch()\n    {{\n{fetch}    }}\n}}\n"
        for name in names
    }
    files |= {
        f"Core.Test/Clients/{name}Tests/{name}Fixture.cs": "namespace Core.Test;\n\n"
        f"public class {name}Fixture\n{{\n    public void adds_new_download_client()\n    {{\n"
        f"        new DownloadClient({name});\n    }}\n}}\n"
        for name in names
    }
    files["Core/DownloadClientBase.cs"] = (
        "namespace Core;\n\npublic abstract class DownloadClientBase<TSettings> : IDownloadClient\n{\n"
        "    public abstract void Fetch();\n}\n"
    )
    files["Core/IDownloadClient.cs"] = (
        "namespace Core;\n\ninterface IDownloadClient\n{\n    void Fetch();\n}\n"
    )
    write_files(tmp_path, files)

    paths = [item.path for item in answered(tmp_path, "how do I add a new download client", 600).items]

    shown = [path.split("/")[2] for path in paths if path.startswith("Core/Clients/")]
    tests = [path.split("/")[2].removesuffix("Tests") for path in paths if path.startswith("Core.Test/")]
    assert len(shown) == 1
    assert tests[0] == shown[0]
    assert "Core/DownloadClientBase.cs" in paths


@pytest.mark.parametrize("question", ["what does flow.kill() do", "how do I use ctx.kill()"])
def test_a_method_of_a_variable_is_that_of_its_type(tmp_path: Path, question: str) -> None:
    many = "".join(f"    def kill_{at}(self):\n        return kill(self.flow, {at})\n" for at in range(6))
    others = "class {0}:\n    def kill(self, flow):\n" + many
    files = {f"loom/{name.lower()}.py": others.format(name) for name in ("Core", "Web")}
    steps = "".join(f"        self.step({at})\n" for at in range(9))
    method = (
        f"class {{0}}:\n    def kill(self):\n{steps}        self.live = False\n\n    def step(self):\n{steps}"
    )
    files |= {"loom/flow.py": method.format("Flow"), "loom/context.py": method.format("Context")}
    write_files(tmp_path, files)

    first = answered(tmp_path, question, 300).items[0]

    assert first.path == ("loom/flow.py" if "flow" in question else "loom/context.py")
    assert "self.live = False" in first.text


@pytest.mark.parametrize(
    ("type_", "variable", "rank"),
    [
        ("context", "context", 0),
        ("context", "ctx", 0),
        ("clientsession", "session", 1),
        ("document", "doc", 2),
        ("cup", "c", None),
        ("cup", "doc", None),
    ],
)
def test_a_variable_is_of_the_type_that_its_name_stands_for(
    type_: str, variable: str, rank: int | None
) -> None:
    assert rank_type(type_, variable) == rank


def test_a_parser_without_a_word_of_what_is_parsed_is_one_of_something_else(tmp_path: Path) -> None:
    body = "".join(f"    token = take(text, {at})\n" for at in range(9))
    other = "".join(f"def choose_{name}(text):\n    # the text is parsed\n{body}\n" for name in "abc")
    keymap = f"def read_file(text):\n    # reads and parses the keybindings\n{body}"
    write_files(tmp_path / "loom", {"core/snippets/parser.py": other, "core/keymap.py": keymap})

    items = answered(tmp_path / "loom", "where are keybindings parsed", 400).items

    assert items[0].path == "core/keymap.py"


@pytest.mark.parametrize(
    ("question", "path", "line"),
    [
        ("which environment variables are required", ".env.sample", "LOOM_URL=https://loom.example"),
        ("where are API routes defined", "server/routes/api/index.ts", 'router.use("/", cups.routes());'),
    ],
)
def test_facts_are_told_where_people_declare_them(
    tmp_path: Path, question: str, path: str, line: str
) -> None:
    other = "".join(f"// Environment {at}: the API routes.\nrun({at});\n" for at in range(9))
    files = {
        ".env.sample": "# the address\nLOOM_URL=https://loom.example\n",
        "server/routes/api/index.ts": 'const router = new Router();\n\nrouter.use("/", cups.routes());\n',
        "web/environment.ts": other,
    }
    write_files(tmp_path, files)

    first = next(item for item in answered(tmp_path, question, 600).items if item.path)

    assert (first.path, line in first.text) == (path, True)


def test_the_read_me_in_a_folder_for_releases_tells_how_one_is_made(tmp_path: Path) -> None:
    files = {
        "release/README.md": "# Checklist\n\n1. Start the workflow.\n",
        ".github/workflows/release.yml": "on: push\njobs:\n  release:\n    runs-on: linux\n",
        "README.md": "# Loom\n\nLoom weaves.\n",
    }
    write_files(tmp_path, files)

    items = answered(tmp_path, "how do I release a new version").items

    assert items[0].path == "release/README.md"


def test_a_protocol_and_its_version_are_one_name(tmp_path: Path) -> None:
    rules = "".join(f"Rule {at} of the protocol.\n" for at in range(4))
    page = "# Protocols\n\n" + "".join(
        f"## HTTP/{at}\n\nIt speaks HTTP/{at} so.\n{rules}\n" for at in (1, 2, 3)
    )
    code = "class Http{0}Connection:\n    def receive(self):\n        return self.http.frames({0})\n"
    files = {f"loom/layers/_http{at}.py": code.format(at) for at in (1, 2, 3)}
    files |= {f"loom/http_{at}.py": "class Http:\n    http = 'HTTP'\n" * 9 for at in "abcdef"}
    write_files(tmp_path, {"docs/protocols.md": page, **files})

    shown = {item.path: item.text for item in answered(tmp_path, "how is HTTP/2 implemented", 300).items}

    assert "class Http2Connection" in shown["loom/layers/_http2.py"]
    assert "It speaks HTTP/2 so." in shown["docs/protocols.md"]


def test_what_is_given_a_type_in_brackets_is_not_made_from_it(tmp_path: Path) -> None:
    fetch = "".join(f"        Say({number});\n" for number in range(9))
    client = "namespace Core;\n\nclass {0} : IDownloadClient\n{{\n    void Fetch()\n{1}}}\n"
    status = (
        "namespace Core;\n\nclass DownloadClientStatus : StatusBase<IDownloadClient>\n{\n    int Count;\n}\n"
    )
    files = {f"Core/{name}.cs": client.format(name, fetch) for name in ("Rope", "Silk")}
    files |= {"Core/DownloadClientStatus.cs": status}
    files["Core/IDownloadClient.cs"] = (
        "namespace Core;\n\ninterface IDownloadClient\n{\n    void Fetch();\n}\n"
    )
    write_files(tmp_path, files)

    shown = answered(tmp_path, "how do I add a new download client", 150).items

    whole = {item.path for item in shown if item.level == "full"}
    assert {"Core/Rope.cs", "Core/Silk.cs"} & whole
    assert "Core/DownloadClientStatus.cs" not in whole


def test_what_stands_before_a_kind_is_not_it(tmp_path: Path) -> None:
    files = {
        f"Core/Migration/{at:03}_add_column_{at}.cs": "namespace Core.Migration;\n\n"
        f"public class column_{at} : Step\n"
        f"{{\n    protected override void Upgrade() => Add({at});\n}}\n"
        for at in range(9)
    }
    database = "namespace Core;\n\npublic class {0}Database : Database\n{{\n    int Migration = 1;\n}}\n"
    files |= {f"Core/{name}Database.cs": database.format(name) for name in ("Main", "Log", "Test")}
    files["Core/Database.cs"] = database.format("").replace(" : Database", "")
    write_files(tmp_path, files)

    found = answered(tmp_path, "how do I add a database migration", 300)

    assert found.items[0].path.startswith("Core/Migration/")


@pytest.mark.parametrize("path", ["crates/static/src/env_vars.rs", "crates/envvar/constants.rs"])
def test_a_file_that_is_called_after_environment_variables_declares_them(tmp_path: Path, path: str) -> None:
    """Environments have sections, too, which tell of no variables."""
    files = {
        f"src/cups/cup{at}.rs": "/// The environment: a variable it reads.\n" * 6 + f"pub fn cup{at}() {{}}\n"
        for at in range(40)
    }
    rows = "".join(
        f'    /// Cup number {at}.\n    pub const TEA_CUP_{at}: &\'static str = "TEA_CUP_{at}";\n'
        for at in range(9)
    )
    reads = "".join(f'    let cup{at} = env::var("HOME_{at}");\n' for at in range(3))
    files["src/settings.rs"] = f"/// Reads variables of the environment.\npub fn read() {{\n{reads}}}\n"
    of_environments = "".join(f"## Environment values {at}\n\nThe environment {at}.\n\n" for at in range(30))
    files["docs/environments.md"] = f"# Environments\n\n{of_environments}"
    files[path] = f"pub struct EnvVars;\n\nimpl EnvVars {{\n{rows}}}\n"
    write_files(tmp_path, files)

    shown = answered(tmp_path, "which environment variables does it read?", 600)

    assert shown.items[0].path == path
    assert "docs/environments.md" not in [item.path for item in shown.items]
    assert "TEA_CUP_8" in shown.text


def test_a_program_that_is_used_in_ci_is_asked_for_and_not_the_project_s_own_ci(tmp_path: Path) -> None:
    steps = "".join(f"      - run: make brew{at} # brew in CI\n" for at in range(20))
    page = "# Brew\n\nMakes tea.\n\n## CI Integration\n\nRun brew with `CI=true`, and it fails a build.\n"
    files = {
        f".github/workflows/{name}.yaml": f"on: {event}\njobs:\n  test:\n    steps:\n{steps}"
        for name, event in (("ci", "pull_request"), ("release", "push"))
    }
    write_files(tmp_path / "loom", {"README.md": page, "src/brew.py": "BREW = 1\n", **files})

    shown = answered(tmp_path / "loom", "how do I use it in CI?", 700)

    assert shown.items[0].path == "README.md"
    for asked in ("how do I run brew in my GitHub Actions", "how do I integrate brew with GitLab CI"):
        assert read_question(asked).aims == (Aim.HOW_TO,)
    assert Aim.CI in read_question("how do I add the linter to CI").aims


def test_the_file_that_reads_most_environment_variables_comes_first(tmp_path: Path) -> None:
    words = "This environment variable says where variables of the environment are.\n"
    read = 'package {0}\n\n// {1}func Read() string {{\n\treturn os.Getenv("SHOP_{2}_DIR")\n}}\n'
    files = {f"config/part{at}.go": read.format("config", words, at) + f"// {words}" * 9 for at in range(160)}
    flags = "".join(f'\tFlag{at} string `env:"SHOP_FLAG_{at}" help:"A flag."`\n' for at in range(60))
    files["core/cli/run.go"] = f"package cli\n\ntype Run struct {{\n{flags}}}\n"
    write_files(tmp_path, files)

    found = answered(tmp_path, "what environment variables are there", 900)

    assert found.items[0].path == "core/cli/run.go"


def test_the_lowest_version_comes_first_beside_the_settings_that_are_asked_for(tmp_path: Path) -> None:
    step = "    steps:\n      - run: cargo clippy --release # clippy release used by ci\n"
    jobs = "".join(f"  build{at}:\n{step}" for at in range(40))
    files = {
        ".github/workflows/ci.yml": f"name: CI\non: push\njobs:\n{jobs}",
        "Cargo.toml": '[workspace]\nmembers = ["loom"]\n',
        "loom/Cargo.toml": '[package]\nname = "loom"\nrust-version = "1.71"\n',
    }
    question = "oldest rust that still compiles this + clippy release used by ci"

    shown = [item.path for item in answered(write_files(tmp_path, files), question, 200).items]

    assert shown[:2] == ["loom/Cargo.toml", ".github/workflows/ci.yml"]


def test_what_pages_say_that_one_conforms_to_comes_before_a_folder_about_it(tmp_path: Path) -> None:
    code = (
        "from weave.spools.serde import Serde\n\n\nclass {0}(Serde):\n"
        "    def dump_{1}(self, spool):\n        return [spool]\n"
    )
    names = ("events", "crypt", "pack", "types")
    files = {f"weave/spools/{name}.py": code.format(name.title(), name) for name in names}
    files["weave/spools/serde.py"] = "class Serde:\n    def dump(self, spool): ...\n"
    files["weave/spools/base.py"] = "class BaseSpoolSaver:\n    def put(self, spool): ...\n"
    methods = "".join(
        f"    def put_{at}(self, spool):\n        return [spool, {at}, {at}]\n" for at in range(130)
    )
    saver = "from weave.spools.base import BaseSpoolSaver\n\n\nclass {0}Saver(BaseSpoolSaver):\n"
    files |= {f"weave/spools/{name}.py": saver.format(name.title()) + methods for name in ("memory", "disk")}
    files["docs/spools.md"] = "# Spools\n\nEach spool should conform to `weave.spools.base.BaseSpoolSaver`.\n"
    write_files(tmp_path, files)

    paths = [item.path for item in answered(tmp_path, "how do I add a new spool", 200).items]

    assert "weave/spools/base.py" in paths[:2]
    assert "weave/spools/events.py" not in paths[:2]


def test_of_workflows_stand_the_lines_with_versions_and_not_the_jobs(tmp_path: Path) -> None:
    job = (
        "  {0}:\n    runs-on: ubuntu-latest\n    strategy:\n      matrix:\n"
        '        python-version: ["3.11", "3.12"]\n    steps:\n'
        + "".join(f"      - run: make {{0}}-step-{at}\n" for at in range(20))
        + "\n"
    )
    jobs = "".join(job.format(name) for name in ("check", "weave", "knot", "ship"))
    requires = "".join(f'    "thread{at}>={at}",\n' for at in range(60))
    files = {
        ".github/workflows/test.yml": f"name: Test\non: push\n\njobs:\n{jobs}",
        "pyproject.toml": '[project]\nname = "loom"\nrequires-python = ">=3.11"\n'
        f"dependencies = [\n{requires}]\n",
    }

    text = answered(write_files(tmp_path, files), "which python versions are supported", 3_000).text

    assert text.count('python-version: ["3.11", "3.12"]') == 4
    assert 'requires-python = ">=3.11"' in text
    assert "weave-step-15" not in text
    assert "thread40" not in text


@pytest.mark.parametrize(
    ("question", "fact", "beside"),
    [
        ("which go version do I need and how do I build it", "versions", ["setup"]),
        ("how do I install it, and which python version do I need?", "installing", ["versions"]),
        ("what license is it under and who maintains it", "licence", ["people"]),
        ("how do I run the tests and which node versions are supported", None, ["versions"]),
        ("what are the coding conventions? how are releases made", "conventions", ["releasing"]),
        ("how does the parser work and how are errors shown", None, []),
        ("which go version do I need", "versions", []),
        ("which ghc version do I need", "versions", []),
        ("which .NET SDK do I need", "versions", []),
        ("what ruby is required", "versions", []),
        ("which go packages do I need", None, []),
        ("what port does the web server listen on", "port", []),
        ("which port does the database use", None, []),
        ("how do I change the port that it listens on", None, []),
        ("minimum terraform version", "versions", []),
    ],
)
def test_two_questions_in_one_ask_for_two_facts(question: str, fact: str | None, beside: list[str]) -> None:
    read = read_question(question)

    assert (read.fact.value if read.fact else None) == fact
    assert [one.value for one in read.beside] == beside


def test_both_facts_stand_in_the_answer(tmp_path: Path) -> None:
    words = "The loom is built from threads; its version says how a build is woven.\n\n" * 9
    readme = f"# Loom\n\n{words}## Building from source\n\nRun `make build`.\n\n## Colours\n\n{words}"
    files = {
        "README.md": readme,
        "go.mod": "module loom\n\ngo 1.24.1\n",
        "Makefile": "build:\n\tgo build ./...\n",
    }
    files |= {f"docs/part{at}.md": f"# Part {at}\n\n{words}" for at in range(20)}
    question = "which go version do I need and how do I build it"

    text = answered(write_files(tmp_path, files), question, 400).text

    assert "go 1.24.1" in text
    assert "Run `make build`" in text


def test_what_is_run_before_a_pull_request_is_told_by_recipes_too(tmp_path: Path) -> None:
    justfile = (
        "# Run the tests\n@test *options:\n  uv run pytest {{options}}\n\n@lint:\n  uv run black . --check\n"
    )
    words = "Run the command to request a pull of models: each run pulls what is requested.\n\n" * 9
    files = {
        "Justfile": justfile,
        "docs/contributing.md": "# Contributing\n\nSend a pull request.\n\n    pytest\n",
        "docs/models.md": f"# Models\n\n## Run a command to request them\n\n{words}",
    }

    found = answered(write_files(tmp_path, files), "what commands do I run before a pull request", 800).items

    assert [item.path for item in found][:2] == ["docs/contributing.md", "Justfile"]


@pytest.mark.parametrize("path", ["change_logs/release_v0.1.6.md", "doc/release-notes/official.md"])
def test_pages_on_releases_stand_in_folders_of_many_names(path: str) -> None:
    assert place_of(path) is FilePlace.CHANGES


@pytest.mark.parametrize(
    ("question", "fact"),
    [
        ("what command line options are there", "command_line"),
        ("which flags does the CLI take", "command_line"),
        ("list all CLI options", "command_line"),
        ("how are command line options parsed", None),
        ("what options does Table take", None),
        ("which C++ standard is required", "versions"),
        ("what C++ version does it need", "versions"),
        ("which standard is followed", None),
    ],
)
def test_options_and_standards_are_facts(question: str, fact: str | None) -> None:
    read = read_question(question)

    assert (read.fact.value if read.fact else None) == fact


def test_the_file_that_declares_most_options_of_the_command_line_comes_first(tmp_path: Path) -> None:
    words = "// What a command line has in a line of options of commands.\n"
    command = "pub fn command_line{0}(options: Options) -> Command {{\n    line(options, {0})\n}}\n\n"
    files = {
        f"crates/tools/command{at}.rs": words * 9 + "".join(command.format(n) for n in range(9))
        for at in range(40)
    }
    options = "".join(
        f"    /// Number {at}.\n    #[clap(long, env)]\n    pub thread_{at}: u8,\n" for at in range(30)
    )
    files["crates/loom/src/opt.rs"] = (
        f"use clap::Parser;\n\n#[derive(Parser)]\npub struct Opt {{\n{options}}}\n"
    )
    write_files(tmp_path, files)

    found = answered(tmp_path, "what command line options are there", 700)

    assert found.items[0].path == "crates/loom/src/opt.rs"


def test_a_section_called_releases_tells_how_they_are_made(tmp_path: Path) -> None:
    plugins = "## Plugins\n\n" + "You publish a new release of a plugin.\n" * 9
    write_files(tmp_path, {"CONTRIBUTING.md": f"# Help\n\n## Releases\n\nAsk a lead.\n\n{plugins}"})

    text = answered(tmp_path, "as a maintainer, how do I publish a new release", 500).text

    assert "Ask a lead." in text
    assert "release of a plugin" not in text


def test_a_default_of_something_else_is_none_of_what_is_asked_for(tmp_path: Path) -> None:
    knots = "# Knots\n\nBy default, knots are enabled. The default is loose.\n"
    files = {"docs/yarn.md": "# Yarn\n\nThe default tension of the warp is 5.\n", "docs/knots.md": knots}
    files |= {f"docs/page_{at}.md": f"# Page {at}\n\nThe loom has a hall.\n" for at in range(9)}
    write_files(tmp_path / "loom", files)

    text = answered(tmp_path / "loom", "what is the default tension of the warp", 400).text

    assert "The default tension of the warp is 5." in text
    assert "By default, knots" not in text


@pytest.mark.parametrize(("question", "is_shown"), [("looms", False), ("lint rules", True)])
def test_a_default_of_the_program_is_none_of_its_linter(
    tmp_path: Path, question: str, is_shown: bool
) -> None:
    rules = "".join(f"Style/Rule{at}:\n  Enabled: false\n\n" for at in range(20))
    linter = f"AllCops:\n  NewCops: enable\n  Exclude:\n    - 'looms/**/*'\n\n{rules}"
    files = {
        ".rubocop.yml": linter,
        "README.md": "# Loom\n\n## Looms\n\nThese are on by default: jacquard and dobby.\n",
        **{f"docs/page_{at}.md": f"# Page {at}\n\nThe hall has a door.\n" for at in range(9)},
    }
    write_files(tmp_path / "loom", files)

    items = answered(tmp_path / "loom", f"which {question} are enabled by default", 300).items

    assert (items[0].path == ".rubocop.yml") == is_shown


def test_what_lies_in_a_folder_of_tests_is_one_where_no_file_is_called_so(tmp_path: Path) -> None:
    body = "".join(f"  check(pipe_{at});\n" for at in range(40))
    files = {f"src/test/{name}.c": f"int main(void) {{\n{body}}}\n" for name in ("fork", "mmap", "pipe")}
    files["src/test/args.c"] = "int main(void) {\n  check(args_of(1));\n  check(args_of(2));\n}\n" * 4
    files["src/test/write_all.c"] = "// Write, wrote, written.\n" + f"int write_all(void) {{\n{body}}}\n" * 2
    files["src/test/stop.py"] = "import util\n"
    write_files(tmp_path, files)

    first = answered(tmp_path, "how do I write a test").items[0]

    assert first.path == "src/test/args.c"


def test_who_asks_how_tests_are_written_sees_the_rules_and_some(tmp_path: Path) -> None:
    test = "def test_rope_{0}():\n    assert weave({0}) == {0}\n\n\n"
    files = {f"tests/test_part{at}.py": "".join(test.format(n) for n in range(9)) for at in range(3)}
    words = "Write a test for the service that runs your tests, and test what it writes.\n\n" * 2
    files |= {
        f"docs/services/{name}.md": f"# {name}\n\n## Testing\n\n{words}"
        for name in ("amber", "birch", "cedar")
    }
    files["CONTRIBUTING.md"] = "# Contributing\n\n## Tests\n\nEach change needs a test in `tests/`.\n"
    write_files(tmp_path, files)

    paths = [item.path for item in answered(tmp_path, "how do I write a test", 600).items]

    assert "CONTRIBUTING.md" in paths
    assert any(path.startswith("tests/") for path in paths)


def test_a_method_is_meant_by_its_type_and_what_it_does(tmp_path: Path) -> None:
    lines = "".join(f"        rows = self.store.rows({at}, rows)\n" for at in range(20))
    kept = f"class Memory:\n    def add(self, rows):\n{lines}\n    def search(self, rows):\n{lines}"
    tool = "def make_memory_{0}_tool(memory, search):\n    return memory.searches(memory, search, seek)\n\n\n"
    files = {
        "loom/memory/main.py": kept,
        "integrations/loom/tools.py": "".join(tool.format(at) for at in range(20)),
        "docs/memory.md": "# Memory\n\n"
        + "A search of memories searches each memory that is sought.\n\n" * 20,
    }

    text = answered(write_files(tmp_path, files), "how are memories searched", 500).text

    assert "def search(self, rows):" in text


def test_what_stands_beside_a_program_comes_after_it(tmp_path: Path) -> None:
    code = "def search_memories(rows):\n" + "".join(f"    rows = rows.of({at})\n" for at in range(20))
    files = {"integrations/a/search.py": code, "loom/zz/search.py": code.replace("rows", "lines")}
    write_files(tmp_path, files)

    paths = [item.path for item in answered(tmp_path, "how are memories searched", 600).items]
    asked = [item.path for item in answered(tmp_path, "how does the integration search memories", 600).items]

    assert paths[0] == "loom/zz/search.py"
    assert asked[0] == "integrations/a/search.py"


def test_pages_on_the_whole_are_neither_hidden_nor_lists_of_papers(tmp_path: Path) -> None:
    papers = "".join(f"- A paper on the structure of looms, number {at}.\n" for at in range(60))
    files = {
        "README.md": "# Loom\n\nA loom for threads of all kinds and colours.\n\n"
        f"## Citation & Reading More\n\n{papers}",
        ".github/internals/release.md": "# Release\n\n## Overview\n\nTag it, and wait.\n",
        "docs/how-it-works.md": "# How Loom works\n\nThreads go in, and cloth comes out.\n",
        "loom/main.py": "def main():\n    return 1\n",
    }

    found = answered(write_files(tmp_path, files), "Explain the architecture of this project", 1_500)

    assert "Threads go in" in found.text
    assert "number 40" not in found.text
    assert ".github/internals/release.md" not in [item.path for item in found.items]


def test_what_is_still_to_be_done_explains_nothing(tmp_path: Path) -> None:
    code = "def weave(rows):\n    # TODO weave the rows of memory\n    return rows\n"
    write_files(tmp_path, {"loom/weave.py": code, "loom/rows.py": "def rows():\n    return []\n"})

    kinds = {item.kind for item in answered(tmp_path, "how are rows woven", 900).items}
    asked = {item.kind for item in answered(tmp_path, "where are the TODO comments on weave", 900).items}

    assert "tasks" not in kinds
    assert "tasks" in asked


@pytest.mark.parametrize(
    ("question", "aims"),
    [
        ("how does a log record get formatted", (Aim.EXPLAIN,)),
        ("how are dependencies resolved", (Aim.EXPLAIN,)),
        ("how are dependencies managed", (Aim.CONFIGURATION,)),
        ("how is the code formatted", (Aim.CONFIGURATION,)),
    ],
)
def test_what_a_program_does_with_dependencies_and_formats_is_no_setting(
    question: str, aims: tuple[Aim, ...]
) -> None:
    assert read_question(question).aims == aims


def test_dependencies_are_resolved_by_a_solver() -> None:
    assert stem("solver") in read_question("how are dependencies resolved").terms


@pytest.mark.parametrize(
    ("path", "title"),
    [
        ("docs/internals.md", "Internals for plugins"),
        ("docs/content/en/start/directory-structure.md", "Directory structure"),
    ],
)
def test_pages_on_something_else_are_none_on_the_whole(tmp_path: Path, path: str, title: str) -> None:
    page = f"# {title}\n\n" + "".join(f"## Part {at}\n\nA thread of number {at}.\n\n" for at in range(60))
    code = "class Thread{0}:\n    def weave(self):\n        return Loom(self)\n"
    files = {f"loom/part{at}.py": code.format(at) for at in range(9)}
    files |= {"loom/loom.py": "class Loom:\n    def run(self):\n        return 1\n", path: page}
    files["README.md"] = "# Loom\n\nA loom weaves threads of all kinds and colours into cloth.\n"

    found = answered(write_files(tmp_path, files), "Explain the architecture of this project", 900)

    assert "A thread of number 30" not in found.text


def test_programs_do_not_start_in_assets_and_generators(tmp_path: Path) -> None:
    start = "import {{ a }} from './a'\n\nfunction main() {{\n" + "  a({0})\n" * 9 + "}}\n\nmain()\n"
    files = {path: start.format(at) for at, path in enumerate(("assets/js/app.js", "lib/idn/main.js"))}
    files["lib/module-tests/src/main.js"] = start.format(7)
    write_files(tmp_path, files)

    text = answered(tmp_path, "Explain the architecture of this project", 1_500).text

    assert "a(1)" in text
    assert "a(0)" not in text
    assert "a(7)" not in text


def test_projects_of_tests_declare_no_version(tmp_path: Path) -> None:
    project = (
        '<Project Sdk="Microsoft.NET.Sdk">\n  <TargetFrameworks>net{0}.0</TargetFrameworks>\n</Project>\n'
    )
    paths = ("src/Loom/Loom.csproj", "src/UnitTests/Loom.UnitTests.csproj", "src/TestApp/TestApp.csproj")
    write_files(tmp_path, {path: project.format(at + 6) for at, path in enumerate(paths)})

    found = answered(tmp_path, "which .NET versions are supported", 900)

    assert [item.path for item in found.items if item.path] == ["src/Loom/Loom.csproj"]


def test_a_project_whose_frameworks_are_variables_declares_no_version_but_its_sdk_does(
    tmp_path: Path,
) -> None:
    project = '<Project Sdk="Microsoft.NET.Sdk">\n  <TargetFramework>{0}</TargetFramework>\n</Project>\n'
    files = {f"src/{name}/{name}.csproj": project.format("$(DefaultFramework)") for name in ("Loom", "Web")}
    files["src/Old/Old.csproj"] = project.format("$(Older);netstandard2.0")
    files["global.json"] = '{\n  "sdk": {\n    "version": "9.0.100"\n  }\n}\n'
    write_files(tmp_path, files)

    found = answered(tmp_path, "which .NET version do I need", 900)

    assert [item.path for item in found.items if item.path] == ["global.json", "src/Old/Old.csproj"]


def test_a_file_named_after_what_is_done_to_its_folder_comes_first(tmp_path: Path) -> None:
    body = "".join(f"    line = step({at}, rules)\n" for at in range(9))
    hooks = f"def parse_rulebook(rules):\n    # parse the rulebook of this plugin\n{body}"
    files = {f"plugins/{name}/rulebook.py": hooks for name in ("copper", "silk", "wool", "jute")}
    files["core/rulebook/parse.py"] = f"def run(rules):\n    # parse all, tokens first\n{body}"
    write_files(tmp_path, files)

    items = answered(tmp_path, "how is the rulebook parsed", 400).items

    assert items[0].path == "core/rulebook/parse.py"


@pytest.mark.parametrize(
    ("question", "wants_all"),
    [
        ("what vector stores are supported", True),
        ("which sinks are available", True),
        ("list the built-in handlers", True),
        ("what LLM providers does it support", True),
        ("what happens when there is no config", False),
        ("how do I add a new store", False),
    ],
)
def test_it_is_told_whether_all_of_a_kind_are_wanted(question: str, wants_all: bool) -> None:
    assert read_question(question).wants_all == wants_all


def test_who_asks_what_there_is_sees_what_lists_it(tmp_path: Path) -> None:
    names = ["amber", "birch", "cedar", "daisy", "elder", "fern"]
    store = "class {0}Store:\n    def put(self, store):\n" + "        store.put(store)\n" * 20
    files = {f"loom/stores/{name}.py": store.format(name.title()) for name in names}
    rows = "".join(f'    "{name}": "loom.stores.{name}.{name.title()}Store",\n' for name in names)
    files["loom/make.py"] = f"KINDS = {{\n{rows}}}\n\n\ndef make(name):\n    return KINDS[name]\n"
    listed = "".join(f"- {name.title()}\n" for name in names)
    files["docs/kinds.md"] = f"# Kinds\n\n## What there is\n\n{listed}"
    write_files(tmp_path, files)

    paths = [item.path for item in answered(tmp_path, "which stores are supported", 300).items]

    assert {"loom/make.py", "docs/kinds.md"} <= {*paths[:2]}


def test_what_an_option_does_is_told_by_pages_and_not_by_rows_of_data(tmp_path: Path) -> None:
    rows = "name,args\n" + "".join(f"run{at},loom --no-root weave\n" for at in range(200))
    code = "class Root{0}:\n    def root(self):\n        return self.root.root({0})\n\n\n"
    options = "".join(f"- `--thread-{at}`: Weave thread {at}.\n" for at in range(20))
    files = {
        "bench/runs.csv": rows,
        "loom/root.py": "".join(code.format(at) for at in range(20)),
        "docs/cli.md": f"# Commands\n\n## weave\n\n{options}- `--no-root`: Leave out the first row.\n",
    }

    found = answered(write_files(tmp_path, files), "what does --no-root do", 400)

    assert found.items[0].path == "docs/cli.md"
    assert "Leave out the first row" in found.text
    assert "bench/runs.csv" not in [item.path for item in found.items]


TEA_CONF = (
    "# Tea.\n\n#------------\n# HEATING\n#------------\n\n#kettle = steel   # What heats the water.\n"
    "#kettle_watts = 2000\n\n#------------\n# SNAPSHOTS\n#------------\n\n#every = 60   # Seconds.\n\n"
    "#------------\n# SLOW CUPS\n#------------\n\n#slower_than = 90\n"
)


@pytest.mark.parametrize(
    ("question", "shown", "not_shown"),
    [
        ("how do I configure the kettle", "kettle = steel", "every = 60"),
        ("how do I configure persistence", "every = 60", "kettle = steel"),
        ("where are slow cups configured", "slower_than = 90", "every = 60"),
        ("which heating settings are there", "kettle_watts", "slower_than"),
    ],
)
def test_of_settings_with_banners_the_section_is_shown_that_is_asked_for(
    tmp_path: Path, question: str, shown: str, not_shown: str
) -> None:
    code = 'def configure_kettle(cups):\n    """Configure the kettle to persist slow cups."""\n'
    boiled = "".join(f"    cups.boil({number}, heating=settings.kettle)\n" for number in range(9))
    files = {
        "tea.conf.default": TEA_CONF.replace("\n\n", "\n# More of it.\n" * 12 + "\n"),
        "tea/kettle.py": code + boiled,
    }
    write_files(tmp_path / "loom", files)

    bundle = answered(tmp_path / "loom", question, 350)

    assert bundle.items[0].path == "tea.conf.default"
    assert shown in bundle.items[0].text
    assert not_shown not in bundle.items[0].text


def test_how_coverage_is_measured_is_no_convention(tmp_path: Path) -> None:
    coverage = "Run `weave --cov-report=html` and open the page that it writes.\n\n" * 3
    root = tmp_path / "loom"
    write_files(
        root,
        {
            "CONTRIBUTING.md": f"# Contributing\n\n## Coverage in HTML format\n\n{coverage}"
            f"## Coverage in XML (Cobertura-style)\n\n{coverage}## Coding style\n\nTwo blanks to indent.\n",
            "loom/weave.py": "def weave(code):\n    return code\n",
        },
    )

    text = satchel.pack("what are the coding conventions", root, budget=600).text

    assert "Two blanks" in text
    assert "--cov-report" not in text


def test_the_readme_of_a_project_without_one_at_its_root_is_that_of_the_package_that_bears_its_name(
    tmp_path: Path,
) -> None:
    root, code = tmp_path / "loom", "def weave(thread):\n    return thread\n" * 30
    names = ("bolt", "loom", "loom-core", "loom-extra", "spindle")
    files = {
        f"packages/{name}/README.md": f"# {name}\n\nAll about {name}, for everybody.\n" for name in names
    }
    files |= {"packages/" + f"{name}/part{n}.py": code for name in names for n in range(3)}
    files["examples/README.md"] = "# Examples\n\nAll the examples, for everybody.\n"
    write_files(root, files)

    packed = satchel.pack("what is this project?", root, budget=500)

    assert packed.items[0].path == "packages/loom/README.md"
    assert not any(item.path.endswith("README.md") for item in packed.items[1:])


def test_code_that_is_called_like_what_does_what_is_done_comes_before_other_code(tmp_path: Path) -> None:
    told = 'def {}(order):\n    """Order of tea: each order is brewed."""\n' + "    order.pour()\n" * 9
    files = {f"tea/{name}.py": told.format("pour") for name in ("brewed", "brewer", "coffee_brewer", "sugar")}
    write_files(tmp_path / "loom", files)

    bundle = answered(tmp_path / "loom", "how is an order of tea brewed", 1_000)

    assert bundle.items[0].path == "tea/brewer.py"


def test_a_name_that_many_files_define_is_not_what_a_question_means(tmp_path: Path) -> None:
    getter = (
        "class Tea{0}:\n    def water_loop(self):\n        return self.parent.water_loop()\n\n"
        "    def pour(self):\n" + "        self.cups[{0}].pour(sugar=1)\n" * 60
    )
    files = {f"tea/kind_{number}.py": getter.format(number) for number in range(6)}
    files["tea/loops.py"] = (
        'class WaterLoop:\n    """The water loop: it pumps water until the tea is hot."""\n\n'
        "    def run(self):\n" + "        self.water.pump()\n" * 9
    )
    write_files(tmp_path / "loom", files)

    bundle = answered(tmp_path / "loom", "how does the water loop work", 300)

    assert bundle.items[0].path == "tea/loops.py"


@pytest.mark.parametrize("folder", ["scripts", "doc/exts", "hack"])
def test_scripts_of_maintainers_come_after_the_program(tmp_path: Path, folder: str) -> None:
    told = 'def {}(order):\n    """Tell how orders are brewed."""\n' + "    order.pour()\n" * 9
    files = {f"{folder}/orders.py": told.format("orders"), "tea/cups.py": told.format("cups")}
    write_files(tmp_path / "loom", files)

    bundle = answered(tmp_path / "loom", "explain how orders are brewed", 1_000)
    asked = answered(tmp_path / "loom", "explain how the script brews orders", 1_000)

    assert bundle.items[0].path == "tea/cups.py"
    assert asked.items[0].path == f"{folder}/orders.py"


def test_what_a_language_begins_its_lines_with_is_no_word_of_them(tmp_path: Path) -> None:
    root = tmp_path / "loom"
    many = "".join(f"export const implemented{n} = {n}\n" for n in range(9))
    files = {f"src/part{n}.ts": f'import {{ weave }} from "./weave"\n{many}' for n in range(12)}
    files["src/weave.ts"] = "export function weave() {\n  return 1\n}\n"
    files["src/scene.ts"] = (
        "export async function exportScene(scene: Scene, kind: string) {\n"
        "  // what is exported has no selection\n  return draw(scene, kind)\n}\n"
    )
    write_files(root, files)

    packed = satchel.pack("where is the export of a scene implemented?", root, budget=300)
    asked = satchel.pack("where is the export implemented?", root, budget=300)

    assert packed.items[0].path == asked.items[0].path == "src/scene.ts"


def test_parameters_of_a_function_stand_where_it_is_defined(tmp_path: Path) -> None:
    root = tmp_path / "loom"
    page = "# Threads\n\nA Thread takes arguments: the arguments of Thread tell its colour.\n\n" * 4
    files = {f"docs/threads{n}.md": page for n in range(6)}
    body = "".join(f"    spool({n})\n" for n in range(12))
    files["loom/threads.py"] = f"def Thread(colour, *, twist=3):\n{body}    return wind(colour, twist)\n"
    write_files(root, files)

    packed = satchel.pack("what are the parameters of Thread?", root, budget=300)

    assert packed.items[0].path == "loom/threads.py"
    assert "twist=3" in packed.text


@pytest.mark.parametrize(("verb", "path"), [("checked", "tea/rules.py"), ("defined", "tea/leaves.py")])
def test_where_something_is_done_is_no_type(tmp_path: Path, verb: str, path: str) -> None:
    fields = "".join(f"    leaf_code_{at}: int\n" for at in range(9))
    rule = '    """Check the leaf."""\n' + "    if leaf.code > 3:\n        raise ValueError(leaf)\n" * 3
    files = {
        "tea/leaves.py": f'class LeafCode:\n    """A leaf code is defined by its letters."""\n\n{fields}',
        "tea/rules.py": f"def verify(leaf):\n{rule}",
        "tea/pouring.py": "def pour(tea):\n" + "    tea.pour()\n" * 200,
    }
    write_files(tmp_path / "loom", files)

    bundle = answered(tmp_path / "loom", f"where is the leaf code {verb}", 1_000)

    assert bundle.items[0].path == path


def test_files_of_deprecated_code_come_after_others(tmp_path: Path) -> None:
    told = 'def {}(tea):\n    """The steeping of tea works so."""\n' + "    tea.steep()\n" * 9
    files = {"src/deprecations.py": told.format("steeping"), "src/ways.py": told.format("steeping")}
    write_files(tmp_path / "loom", files)

    bundle = answered(tmp_path / "loom", "how does steeping of tea work", 1_000)

    assert bundle.items[0].path == "src/ways.py"


def test_guidelines_for_one_of_a_kind_are_a_guide(tmp_path: Path) -> None:
    said = "A new kettle plugin is a new plugin of a kettle.\n\n"
    other = "".join(f"## Plugins {at}\n\n{said}" for at in range(30))
    page = f"# Tea\n\n{other}## Kettle Plugin Guidelines\n\n" + "- It complies with them.\n" * 20
    code = "class Kettle:\n    def boil(self, plugin):\n" + "        plugin.boil()\n" * 30
    files = {f"plugins/kettles/{name}.py": code for name in ("steel", "glass", "iron")}
    write_files(tmp_path / "loom", {**files, "docs/making.md": page})

    bundle = answered(tmp_path / "loom", "how do I write a new kettle plugin", 500)

    assert bundle.text.count("complies with them") == 20


def test_scripts_that_package_a_program_come_after_it(tmp_path: Path) -> None:
    script = "brew_orders() {\n  # Tell how orders are brewed.\n" + "  pour order\n" * 9 + "}\n"
    code = "def cups(order):\n    # Tell how orders are brewed.\n" + "    order.pour()\n" * 9
    write_files(tmp_path / "loom", {"contrib/aix/orders.sh": script, "tea/cups.py": code})

    bundle = answered(tmp_path / "loom", "explain how orders are brewed", 1_000)

    assert bundle.items[0].path == "tea/cups.py"


def test_files_that_pass_on_what_others_define_are_no_precedents(tmp_path: Path) -> None:
    own = (
        "/** A directive. */\nexport class Directive{0} {{\n  pour() {{\n    this.cups.pour({0});\n  }}\n}}\n"
    )
    names = ("cache", "guard", "until", "when")
    files = {f"packages/tea/src/directives/{name}.ts": own.format(at) for at, name in enumerate(names)}
    passed = "// A directive.\nexport * from 'tea/directives/{0}.js';\n"
    files |= {f"packages/all/src/directives/{name}.ts": passed.format(name) for name in (*names, *"abcdef")}
    write_files(tmp_path / "loom", files)

    bundle = answered(tmp_path / "loom", "how do I write a new directive", 300)

    assert bundle.items[0].path.startswith("packages/tea/")


def test_what_people_define_is_what_they_ask_about(tmp_path: Path) -> None:
    other = "".join(f"## Defining cups {at}\n\nDefine it, as a module defines it.\n\n" for at in range(9))
    page = "# Modules\n\n## Creating modules\n\nA module holds cups.\n"
    write_files(tmp_path / "loom", {"docs/cups.md": f"# Cups\n\n{other}", "docs/modules.md": page})

    bundle = answered(tmp_path / "loom", "how do I define a module", 1_000)

    assert bundle.items[0].path == "docs/modules.md"


def test_forms_for_pull_requests_tell_no_commands_and_pages_on_developing_do(tmp_path: Path) -> None:
    root = tmp_path / "loom"
    checks = "- [ ] **Required checks pass**: `make lint`, `make test` and the unit tests pass.\n"
    write_files(
        root,
        {
            ".github/PULL_REQUEST_TEMPLATE.md": f"**What it does**\n\n{checks}" + "- [ ] Words on it.\n" * 20,
            "site/content/en/community/DEVELOP.md": "# Work\n\n## Testing\n\nRun `make test` for all.\n",
            "loom/weave.py": "def weave(thread):\n    return thread\n",
        },
    )

    bundle = answered(root, "how do I run the tests")

    assert bundle.items[0].path == "site/content/en/community/DEVELOP.md"
    assert checks not in "".join(item.text for item in bundle.items)


def test_pages_that_only_an_older_version_has_answer_nothing(tmp_path: Path) -> None:
    root = tmp_path / "loom"
    page = "# Limits\n\n## Rate limits\n\nA rate limit holds for a minute.\n"
    for version in ("v0.5", "latest"):
        names = ("install", "start", "weave")
        write_files(
            root / "site" / version, {f"{name}.md": f"# {name.title()}\n\nWords.\n" for name in names}
        )
    write_files(
        root, {"site/v0.5/config_types.md": page, "site/latest/limiting.md": page.replace("L", "The l")}
    )

    bundle = answered(root, "how do I configure rate limits")

    assert [item.path for item in bundle.items] == ["site/latest/limiting.md"]


def test_how_something_is_done_is_told_by_guides_before_proposals(tmp_path: Path) -> None:
    root = tmp_path / "loom"
    said = "# Rate limits\n\n## Rate limiting\n\nConfigure rate limits so:\n\n```yaml\nrateLimit: {0}\n```\n"
    write_files(
        root,
        {
            "docs/designs/rate-limiting.md": said.format(4)
            + "\nThe rate limit of a route limits its rate.\n",
            "docs/tasks/rate-limiting.md": said.format(5),
            "loom/weave.py": "def weave(thread):\n    return thread\n",
        },
    )

    for question, first in (
        ("how do I configure rate limiting", "tasks"),
        ("explain the design of rate limiting", "designs"),
    ):
        assert answered(root, question).items[0].path == f"docs/{first}/rate-limiting.md"


def test_where_something_is_done_nothing_answers_that_has_the_deed_alone(tmp_path: Path) -> None:
    script = "#!/bin/sh\n# Build the release: build it, then upload what was built.\nbuild --release\n"
    index = "".join(f"def read_index_{at}(rows):\n    return rows[{at}]\n\n\n" for at in range(4))
    files = {
        "scripts/build-release": script * 3,
        "scripts/build-all": script * 2,
        "loom/index.py": f"{index}def create_index(rows):\n    return sorted(rows)\n",
        "loom/rows.py": "def write_rows(rows, index):\n    return index[rows]\n",
    }
    write_files(tmp_path / "loom", files)

    assert answered(tmp_path / "loom", "how is an index built").items[0].path == "loom/index.py"


def test_what_is_called_like_what_does_it_may_have_other_words_for_what_it_is_done_to(tmp_path: Path) -> None:
    loop = "".join(
        f"def schedule_{at}(vus):\n    vus.pop()\n    vus.push({at})\n    return vus\n\n\n" for at in range(4)
    )
    cups = "".join(
        f"def fill_{at}(user, cups):\n    user.fill(user, cups[{at}])\n    return user\n\n\n"
        for at in range(4)
    )
    write_files(tmp_path / "loom", {"loom/scheduler.py": loop, "loom/cups.py": cups})

    bundle = answered(tmp_path / "loom", "how are virtual users scheduled")

    assert bundle.items[0].path == "loom/scheduler.py"


def test_instructions_for_agents_tell_conventions(tmp_path: Path) -> None:
    root = tmp_path / "loom"
    rules = "".join(f"## Cup {at}\n\nIt is hot, and it is hot again.\n\n" for at in range(30))
    write_files(
        root,
        {".editorconfig": "[*]\nindent_size = 3\n", "loom/weave.py": "def weave(code):\n    return code\n"},
    )
    (root / "CLAUDE.md").write_text(
        f"# Tea\n\n{rules}## When making PRs and commits\n\nBegin with the cup.\n"
    )

    bundle = answered(root, "what are the coding conventions", 400)

    assert "Begin with the cup." in bundle.text
    assert "indent_size = 3" in bundle.text


def test_targets_for_style_are_told_to_who_asks_how_it_is_checked(tmp_path: Path) -> None:
    root = tmp_path / "loom"
    dependencies = "".join(f'    "tea/cup{at}": "^{at}.0",\n' for at in range(60))
    scripts = '  "scripts": {\n    "cs-check": "weigh --parallel=3",\n    "pour": "pour tea"\n  }\n'
    code = "def check_style(code):\n    return style(code)\n\n\n" * 9
    composer = f'{{\n  "require": {{\n{dependencies}    "tea": "1"\n  }},\n{scripts}}}\n'
    write_files(root, {"composer.json": composer, "loom/style.py": code})

    assert answered(root, "how do I run the code style checks", 400).items[0].path == "composer.json"


def test_a_method_with_its_type_is_no_other_of_that_name(tmp_path: Path) -> None:
    other = "def pour(tea):\n    if tea.is_hot:\n        return tea.cool()\n    return tea.stir().pour(tea)\n"
    kettle = "class Kettle:\n    def pour(self, cup):\n        return cup\n"
    files = {"loom/cups.py": other, "loom/jugs.py": other, "loom/kettle.py": kettle}
    write_files(tmp_path / "loom", files)

    paths = [item.path for item in answered(tmp_path / "loom", "how does Kettle.pour work", 400).items]

    assert paths[0] == "loom/kettle.py"


def test_a_method_of_a_base_is_shown_there(tmp_path: Path) -> None:
    base = "class Vessel:\n    def pour(self, cup):\n" + "        cup.fill()\n" * 9 + "    def fill(self):\n"
    base += "        self.full = True\n" * 9
    long = "".join(f"    def boil_{at}(self):\n" + f"        self.heat({at})\n" * 9 for at in range(3))
    files = {"loom/vessel.py": base, "loom/kettle.py": f"class Kettle(Vessel):\n{long}"}
    write_files(tmp_path / "loom", files)

    bundle = answered(tmp_path / "loom", "how does Kettle.pour work", 400)

    assert bundle.items[0].path == "loom/vessel.py"


def test_a_change_of_a_manifest_is_not_the_manifest() -> None:
    text = ' {\n   "scripts": {\n     "test": "weigh --all",\n'
    items = []
    for kind in ("file", "diff"):
        item = ContextItem(
            f"{kind}:package.json", "files", kind, "package.json", path="package.json", text=text
        )
        parts = (Part("key", "scripts", (1, 3), tokens=9, path="package.json"),)
        items.append((Scored(item, parts, (1.0,), 1.0, {}), SplitItem(parts, {}, (9,))))

    found = find_commands(items, read_question("how do I run the tests"), lambda item: item.text or "")

    assert [at for at, _ in found] == [0]


def test_of_a_long_job_the_step_is_shown_that_runs_what_is_asked_for(tmp_path: Path) -> None:
    root = tmp_path / "loom"
    steps = "".join(
        f"      - name: Prepare cup {at}\n        run: fill cup-{at} --with tea\n" for at in range(20)
    )
    weigh = "      - name: Weigh\n        run: mix test\n"
    job = f"jobs:\n  all:\n    runs-on: linux\n    steps:\n{steps}{weigh}{steps}"
    files = {
        ".github/workflows/ci.yml": f"on: [push, pull_request]\n{job}",
        "lib/loom.ex": "defmodule Loom do\nend\n",
    }
    write_files(root, files)

    bundle = answered(root, "how do I run the tests", 2_000)

    assert "run: mix test" in bundle.text
    assert bundle.text.count("fill cup-") < 9
    assert answered(root, "how do I run the tests against tea", 2_000).text.count("fill cup-") > 9
