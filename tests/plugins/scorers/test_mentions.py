"""What the task or a failure names scores, in the order of how surely it is meant."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from satchel import Part, Symbol, Workspace
from satchel.references import make_task
from satchel_plugins.scorers import Mentions

SOURCES = {
    "src/cart.py": "def total(names):\n    raise KeyError('no such fruit')\n\n\n"
    "def count(names):\n    return fruit, such, no\n",
    "src/app.py": "def run():\n    return total([])\n",
    "src/login.py": "def check(name):\n    return name\n",
}


@pytest.fixture
def workspace(tmp_path: Path) -> Iterator[Workspace]:
    for path, text in SOURCES.items():
        (tmp_path / "shop" / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "shop" / path).write_text(text)
    opened = Workspace.open(tmp_path / "shop", cache_dir=tmp_path / "cache")
    yield opened
    opened.close()


def part(path: str, name: str, lines: tuple[int, int]) -> Part:
    return Part(
        "function",
        name,
        lines,
        symbols=(Symbol(name, "function", lines, lines),),
        item=f"file:{path}",
        path=path,
    )


TOTAL, COUNT = part("src/cart.py", "total", (1, 3)), part("src/cart.py", "Cart.count", (4, 6))
RUN, CHECK = part("src/app.py", "run", (1, 2)), part("src/login.py", "check", (1, 2))
PARTS = (TOTAL, COUNT, RUN, CHECK)


def scores(text: str, workspace: Workspace, parts: Sequence[Part] = PARTS) -> list[float]:
    task = make_task(text, workspace.index.documents)
    return list(Mentions().score(parts, task, workspace))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("`total` is slow", [1, 0, 0, 0]),
        ("Cart.count is wrong", [0, 1, 0, 0]),
        ("Basket.count is wrong", [0, 0.7, 0, 0]),
        ("src/cart.py:5", [0, 1, 0, 0]),
        ("src/cart.py:2-5", [1, 1, 0, 0]),
        ("src/cart.py::total", [1, 0, 0, 0]),
        ("src/app.py::total", [0, 0, 0, 0]),
        ("src.cart.total", [1, 0, 0, 0]),
        ("nothing is named", [0, 0, 0, 0]),
    ],
)
def test_what_is_named_scores(workspace: Workspace, text: str, expected: list[float]) -> None:
    assert scores(text, workspace) == expected


def test_a_name_that_many_files_define_is_meant_where_the_file_fits_the_task(tmp_path: Path) -> None:
    names = ("jobs", "mail", "news", "shop", "tags")
    for name in names:
        (tmp_path / f"{name}.py").write_text(f"def handle():\n    return '{name} queue'\n")
    opened = Workspace.open(tmp_path, cache_dir=tmp_path.parent / f"{tmp_path.name}-cache")
    parts = [part(f"{name}.py", f"{name.title()}.handle", (1, 2)) for name in names]

    many = scores("handle() of the mail is called twice", opened, parts)
    few = scores("handle() of the mail is called twice", opened, parts[:3])
    opened.close()

    assert many[1] == max(many) == 0.7
    assert max(many[:1] + many[2:]) < 0.35
    assert few == [0.7, 0.7, 0.7]


def test_the_innermost_frame_scores_most_and_its_callers_less_and_less(workspace: Workspace) -> None:
    frames = "".join(
        f'  File "/x/{path}", line {line}, in f\n'
        for path, line in (("src/login.py", 1), ("src/app.py", 2), ("src/cart.py", 2))
    )

    total, count, run, check = scores(f"Traceback (most recent call last):\n{frames}KeyError", workspace)

    assert total == 1
    assert 1 > run > check > 0 == count


def test_frames_of_other_people_s_code_do_not_lower_ours(workspace: Workspace) -> None:
    text = 'File "/x/src/app.py", line 2, in f\n  x\n'
    text += '  File "/usr/lib/python3.11/json/decoder.py", line 3, in g\n'

    assert scores(text, workspace)[2] == 1


def test_lines_that_a_failure_points_at_score(workspace: Workspace) -> None:
    failure = Part("failure", "", (1, 3), refs=("src/cart.py:2", "src/app.py:1-2"), item="error:x")

    total, count, run, check, own = scores("why", workspace, (*PARTS, failure))

    assert (total, own) == (0.9, 0.9)
    assert total > run > check == count == 0


def test_a_quoted_message_scores_where_it_stands_word_for_word(workspace: Workspace) -> None:
    for path in SOURCES:
        learn(workspace, path)

    total, count, run, _ = scores('it says "no such fruit"', workspace)

    assert total == 0.9
    assert total > count > run == 0


def learn(workspace: Workspace, path: str) -> None:
    """Tell the workspace how a file was split, as the road does."""
    from satchel.plugin_api import SplitItem, count_text_terms

    lines = SOURCES[path].split("\n")
    parts = tuple(one for one in PARTS if one.path == path)
    terms: dict[str, list[int]] = {}
    for at, one in enumerate(parts):
        for term, count in count_text_terms("\n".join(lines[one.lines[0] - 1 : one.lines[1]])).items():
            terms.setdefault(term, []).extend((at, count))
    workspace.terms.learn(f"file:{path}", SplitItem(parts, terms, tuple(1 for _ in parts)))


def test_a_number_means_the_files_of_the_commits_that_mention_it(tmp_path: Path) -> None:
    def git(*arguments: str) -> None:
        person = ("-c", "user.name=a", "-c", "user.email=a@example.invalid")
        subprocess.run(["git", *person, *arguments], cwd=tmp_path, check=True, capture_output=True)

    git("init", "-q")
    for name, message in (("a.py", "mend a (#12)"), ("b.py", "mend b (#123)")):
        (tmp_path / name).write_text(f"{name[0]} = 1\n")
        git("add", name)
        git("commit", "-q", "-m", message)
    workspace = Workspace.open(tmp_path, cache_dir=tmp_path.parent / "cache-numbers")

    found = scores("what was #12?", workspace, (part("a.py", "", (1, 1)), part("b.py", "", (1, 1))))
    workspace.close()

    assert found == [0.4, 0.0]
