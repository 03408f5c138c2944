"""`git status` keeps the branch and what is staged; shapes of what is left out have right counts."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from satchel import squeeze
from satchel.output.families import DIFF, LISTING, STATUS, recognise
from satchel.output.shapes import Group, describe_groups
from satchel.output.states import iter_states
from satchel.tokens import guess

LONG = """\
On branch release/9
Your branch is ahead of 'origin/release/9' by 2 commits.
  (use "git push" to publish your local commits)

You have unmerged paths.

Changes to be committed:
  (use "git restore --staged <file>..." to unstage)
\tmodified:   src/cart.py
\tdeleted:    src/old.py

Unmerged paths:
\tboth modified:   src/clash.py

Changes not staged for commit:
\tmodified:   src/later.py

Untracked files:
""" + "".join(f"\tbuild/part_{at}/made_{at}.log\n" if at % 3 else f"\tnotes_{at}.txt\n" for at in range(150))
SHORT = "## release/9...origin/release/9 [ahead 2]\n" + "".join(
    f"{'?? new' if at > 8 else 'D  gone'}/file_{at}.py\n" for at in range(1, 300)
)


@pytest.fixture(autouse=True)
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SATCHEL_STATE_DIR", str(tmp_path))


@pytest.mark.parametrize("command", ["git status", ""])
def test_the_branch_and_what_is_no_new_file_stay(command: str) -> None:
    shown = squeeze(LONG, command=command, budget=200, count=guess).text

    for line in LONG.split("\n"):
        if "src/" in line or (line.endswith(":") and "(" not in line) or "branch" in line:
            assert line in shown
    told = {folder: int(many) for folder, many in re.findall(r"untracked (\S+) (\d+)", shown)}
    hidden = [line for line in LONG.split("\n") if re.match(r"\t(?:build|notes)", line) and line not in shown]
    assert told
    assert sum(told.values()) + sum(map(int, re.findall(r"with (\d+)\]", shown))) == len(hidden)


@pytest.mark.parametrize("command", ["git status -sb", ""])
def test_the_short_form_keeps_the_same(command: str) -> None:
    shown = squeeze(SHORT, command=command, budget=120, count=guess).text

    assert shown.startswith("## release/9...origin/release/9 [ahead 2]\n")
    assert re.findall(r"^D  .*$", shown, re.MULTILINE) == re.findall(r"^D  .*$", SHORT, re.MULTILINE)
    hidden = sum(line not in shown.split("\n") for line in SHORT.split("\n"))
    assert f"untracked new/ {hidden}]" in shown


def test_states_of_both_forms_are_read() -> None:
    short = [" M a", "MM b", "UU c", "?? d", "R  e -> f", "!! g", ""]

    assert [state for _, state, _ in iter_states(short)] == [
        "changed", "staged", "in conflict", "untracked", "staged", "ignored"
    ]  # fmt: skip
    assert {path: state for _, state, path in iter_states(LONG.split("\n")) if "src/" in path} == {
        "src/cart.py": "staged",
        "src/old.py": "staged",
        "src/clash.py": "in conflict",
        "src/later.py": "changed",
    }


@pytest.mark.parametrize(
    ("command", "text"),
    [("git status", "fatal: not a git repository"), ("", "an odd word\n" * 9), ("", "   384→\tx = 3\n" * 9)],
)
def test_what_is_no_status_is_none(command: str, text: str) -> None:
    assert recognise(command, text.split("\n")) is not STATUS


@pytest.mark.costly
@pytest.mark.parametrize("budget", [120, 200, 300, 400])
@pytest.mark.parametrize("folders", [3, 30, 90])
def test_counts_and_lines_that_are_shown_are_all_lines_of_a_list(budget: int, folders: int) -> None:
    paths = [f"src/part_{at % folders}/file_{at * 7919}.py" for at in range(800)]

    shown = squeeze("\n".join(paths), command="git ls-files", budget=budget, count=guess).text

    also = re.findall(r"\[also: (.*)\]", shown)
    told = sum(map(int, re.findall(r"(?:/|with) (\d+)(?:,|$)", also[0])))
    assert told + sum(path in shown.split("\n") for path in paths) == len(paths)


@pytest.mark.costly
@pytest.mark.parametrize("budget", [120, 300, 1_000])
def test_every_file_of_a_diff_is_named_or_counted(budget: int) -> None:
    files = [f"src/part_{at}/file_{at * 7919}.py" for at in range(60)]
    diff = "".join(
        f"diff --git a/{file} b/{file}\nindex 1111111..2222222 100644\n"
        + f"--- a/{file}\n+++ b/{file}\n@@ -1,2 +1,3 @@\n"
        + "".join(f"+value_{file[9:11]}_{line} = other({line})\n" for line in range(20))
        for file in files
    )

    shown = squeeze(diff, command="git diff", budget=budget, count=guess).text

    more = sum(map(int, re.findall(r"(\d+) (?:more )?files?\]", shown)))
    assert sum(file in shown for file in files) + more == len(files)


def test_groups_that_are_not_named_are_counted() -> None:
    groups = [Group("a/", 3), Group("b/", 2), Group("c/", 1)]

    assert describe_groups(groups, 1, LISTING) == "[also: a/ 3, and 2 more folders with 3]\n"
    assert describe_groups(groups, 3, LISTING) == "[also: a/ 3, b/ 2, c/ 1]\n"
    assert describe_groups([Group("a.py"), Group("b.py")], 0, DIFF) == "[also: 2 files]\n"
    assert describe_groups([], 0, DIFF) == ""
