"""Tasks that add one more of a kind: all places of what a commit added last."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.core.repositories import commit, make_repository, write_files

from satchel import pack
from satchel.questions import read_addition

LONG = "".join(f"    step_{n} = {n}\n" for n in range(60))
LONG_OPTIONS = (
    f"def parse(parser):\n{LONG}    parser.add_argument('--warp-width')\n{{option}}{LONG}    return parser\n"
)
WOVEN = {
    "loom/options.py": LONG_OPTIONS.format(option=""),
    "loom/settings.py": "class Settings:\n    warp_width: int = 1\n",
    "loom/run.py": "def run(settings):\n    return settings.warp_width\n",
    "loom/log.py": "def log(line):\n    print(line)\n",
    "README.md": "# Loom\n",
}
TRAIL = {
    "loom/options.py": LONG_OPTIONS.format(
        option='    parser.add_argument("--weft-colour", default="red")\n'
    ),
    "loom/settings.py": 'class Settings:\n    warp_width: int = 1\n    weft_colour: str = "red"\n',
    "loom/run.py": "def run(settings):\n    return settings.warp_width, settings.weft_colour\n",
    "tests/test_run.py": "def test_it():\n    assert run(Settings(weft_colour='red'))\n",
}


@pytest.fixture
def loom(tmp_path: Path) -> Path:
    """Return a repository to which a commit added an option, and later ones something else."""
    root = make_repository(tmp_path / "loom", WOVEN)
    commit(write_files(root, TRAIL), "feat(cli): add --weft-colour option", day=1)
    commit(write_files(root, {"loom/log.py": "def log(line):\n    print('log', line)\n"}), "Log more", day=2)
    return root


@pytest.mark.parametrize(
    "task",
    [
        "add an option --fringe to leave threads at both ends",
        "Could you add a flag to leave threads at both ends?",
        "Add an option --fringe: which files must I touch?",
    ],
)
def test_who_adds_one_more_is_shown_where_the_last_one_is(loom: Path, task: str) -> None:
    bundle = pack(task, loom, budget=3_000)

    listed = bundle.text.index("--weft-colour, which ")
    assert (
        " added, is on 4 lines of 4 files:\n"
        "loom/options.py:63\nloom/run.py:2\nloom/settings.py:3\ntests/test_run.py:2\n"
    ) in bundle.text[listed:]
    assert all(
        text in bundle.text for text in ('"--weft-colour", default', "weft_colour: str", "_width, settings")
    )
    assert listed < bundle.text.index("weft_colour: str")


@pytest.mark.parametrize(
    "task",
    [
        "add tests for options of the command line",
        "fix the option --warp-width",
        "add an option --weft-colour",
        "Add a backend for threads",
    ],
)
def test_who_adds_nothing_of_that_kind_is_shown_none(loom: Path, task: str) -> None:
    assert "additions" not in {item.provider for item in pack(task, loom, budget=3_000).items}


def test_of_what_no_message_names_the_lines_of_the_nearest_commit_are_listed(loom: Path) -> None:
    root = loom
    log = {"loom/log.py": "def log(line, level):\n    if level > 2:\n        print('log', level, line)\n"}
    commit(
        write_files(root, {**log, "loom/levels.py": "LEVELS = range(5)\nLOUDEST = LEVELS[-1]\n"}),
        "Add a property to tell how much is logged",
        day=3,
    )

    bundle = pack("add a property to log lines in colour", root, budget=2_000)

    assert "(Add a property to tell how much is logged) added lines in 2 files:\n" in bundle.text
    assert "\nloom/log.py:1,2,3\n" in bundle.text


def test_what_others_of_the_kind_share_comes_first(loom: Path) -> None:
    woven = {
        "loom/settings.py": TRAIL["loom/settings.py"] + "    knots: int = 0\n",
        "loom/knots.py": "def tie(settings):\n    return settings.knots\n",
    }
    commit(write_files(loom, woven), "Add --knots option", day=3)

    text = pack("add an option --fringe", loom, budget=2_000).text

    assert "\nloom/settings.py:4\nand, unlike others of its kind, in:\nloom/knots.py:2\n" in text


@pytest.mark.parametrize(
    ("text", "kind", "names"),
    [
        ("feat(integration): add Slack integration", "integration", ("Slack",)),
        ("Add MAX_RETRIES environment variable", "variable", ("MAX_RETRIES",)),
        ("please add a provider for Mistral", "provider", ("Mistral",)),
        ("cli: add -q/--quiet flag", "flag", ("--quiet",)),
        ("Add `max_idle` setting", "option", ("max_idle",)),
        ("Add an option to keep threads", "option", ()),
    ],
)
def test_an_addition_has_a_kind_and_names(text: str, kind: str, names: tuple[str, ...]) -> None:
    assert read_addition(text) == (kind, names)


def test_a_flag_is_an_example_for_an_option_and_no_setting_one_for_a_flag() -> None:
    flag, option = read_addition("Add --quiet flag"), read_addition("Add a setting to hide the log")

    assert flag is not None
    assert option is not None
    assert flag.is_example_for(option)
    assert not option.is_example_for(flag)


@pytest.mark.parametrize(
    "text",
    [
        "Add tests for --no-ignore",
        "Add an assertion for integration tests",
        "web: add a copy button for rule names",
        "fix the option --wait",
        "add options.py",
        "Add a Makefile to check the names",
        "",
    ],
)
def test_what_is_added_to_something_else_is_no_addition_of_it(text: str) -> None:
    assert read_addition(text) is None
