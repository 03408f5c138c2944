"""Tasks come from plain commits, name no file, and their trees know nothing later."""

from __future__ import annotations

from pathlib import Path

import pytest
from mined.mining import Tree, asked, changed_lines, git, mine, repository_name
from mined.sources import definitions, innermost, is_source
from tests.core.repositories import commit, write_files
from tests.core.repositories import git as plain_git

LONG = "refuse a password that is shorter than ten letters"
BEFORE = (
    "import os\n\n\ndef check(word):\n    return len(word) > 3\n\n\n"
    "class Door:\n    def open(self):\n        pass\n"
)
AFTER = BEFORE.replace("> 3", "> 10")


def history(root: Path, *steps: tuple[str, dict[str, str]]) -> Path:
    """Commit a first state, then each step's files with its message."""
    root.mkdir()
    plain_git(root, "init", "-q", "-b", "main")
    for day, (message, files) in enumerate((("start", {"src/login.py": BEFORE, "notes.md": "x\n"}), *steps)):
        write_files(root, files)
        commit(root, message, day=day)
    return root


def test_a_commit_that_changes_a_source_file_is_a_task(tmp_path: Path) -> None:
    root = history(tmp_path / "r", (LONG, {"src/login.py": AFTER, "notes.md": "y\n"}))

    (task,) = mine(root, 5)
    (gold,) = task.gold

    assert (task.text, gold.path, gold.lines) == (LONG, "src/login.py", (5,))
    assert [(found.name, found.line) for found in gold.definitions] == [("check", 4)]


@pytest.mark.parametrize(
    ("message", "files"),
    [
        ("too few words", {"src/login.py": AFTER}),
        (f"{LONG}, in Login.py", {"src/login.py": AFTER}),
        (f"bump the version: {LONG}", {"src/login.py": AFTER}),
        (LONG, {"notes.md": "only a document\n"}),
        (LONG, {"tests/test_login.py": AFTER, "src/new.py": AFTER}),
        (LONG, {"src/login.py": AFTER} | {f"src/new{number}.py": "x = 1\n" for number in range(8)}),
    ],
    ids=["short", "names the file", "routine", "no source", "no file that was there", "nine files"],
)
def test_a_commit_that_tells_or_changes_something_else_is_none(
    message: str, files: dict[str, str], tmp_path: Path
) -> None:
    assert mine(history(tmp_path / "r", (message, files)), 5) == []


@pytest.mark.parametrize(
    ("origin", "name"),
    [
        ("https://example.org/owner/project.git", "owner/project"),
        ("git@example.org:owner/project", "owner/project"),
        ("/srv/mirrors/owner/project/", "owner/project"),
        ("", "r"),
    ],
)
def test_a_repository_is_named_by_its_origin_or_its_folder(origin: str, name: str, tmp_path: Path) -> None:
    root = history(tmp_path / "r")
    if origin:
        plain_git(root, "remote", "add", "origin", origin)

    assert repository_name(root) == name


def test_a_merge_is_no_task(tmp_path: Path) -> None:
    root = history(tmp_path / "r", ("other", {"notes.md": "y\n"}))
    plain_git(root, "checkout", "-q", "-b", "side", "HEAD~1")
    write_files(root, {"src/login.py": AFTER})
    commit(root, "short", day=5)
    plain_git(root, "merge", "-q", "--no-ff", "-m", LONG, "main", day=6)

    assert mine(root, 5) == []


@pytest.mark.weekly
def test_the_same_seed_draws_the_same_tasks_oldest_first(tmp_path: Path) -> None:
    steps = [(f"{LONG} and {number}", {"src/login.py": f"{AFTER}x = {10**number}\n"}) for number in range(6)]
    root = history(tmp_path / "r", *steps)

    drawn = mine(root, 3, seed=4)

    assert drawn == mine(root, 3, seed=4)
    assert [task.text for task in drawn] == sorted(task.text for task in drawn)
    assert len(drawn) == 3


def test_a_message_loses_trailers_and_numbers() -> None:
    message = "Fix it (#12)\n\nBecause.\n\nSigned-off-by: A <a@b>\nCo-authored-by: B <b@c>\n"

    assert asked(message) == "Fix it\n\nBecause."


@pytest.mark.parametrize(
    ("diff", "length", "lines"),
    [
        ("@@ -3,2 +3 @@ def f\n-a\n-b\n+c\n", 9, (3, 4)),
        ("@@ -3 +3 @@\n-a\n+c\n", 9, (3,)),
        ("@@ -3,0 +4,2 @@\n+a\n+b\n", 9, (3, 4)),
        ("@@ -0,0 +1 @@\n+a\n", 9, (1,)),
        ("@@ -9,0 +10 @@\n+a\n", 9, (9,)),
    ],
    ids=["changed", "one line", "inserted", "at the start", "at the end"],
)
def test_old_lines_of_a_diff(diff: str, length: int, lines: tuple[int, ...]) -> None:
    assert changed_lines(diff, length) == lines


def test_a_tree_stands_at_the_parent_and_names_nothing_later(tmp_path: Path) -> None:
    root = history(tmp_path / "r", (LONG, {"src/login.py": AFTER, "later.py": "x = 1\n"}))
    parent = plain_git(root, "rev-parse", "HEAD~1")
    tree = Tree(root, tmp_path / "tree")

    paths = tree.move_to(parent)

    assert sorted(paths) == ["notes.md", "src/login.py"]
    assert (tree.folder / "src/login.py").read_text() == BEFORE
    assert git(tree.folder, "rev-list", "--all", "--reflog").decode().split() == [parent]


def test_a_tree_moves_on_and_leaves_nothing_behind(tmp_path: Path) -> None:
    root = history(tmp_path / "r", (LONG, {"src/login.py": AFTER, "later.py": "x = 1\n"}))
    tree = Tree(root, tmp_path / "tree")
    tree.move_to(plain_git(root, "rev-parse", "HEAD"))
    (tree.folder / "made.txt").write_text("by a system")

    assert sorted(tree.move_to(plain_git(root, "rev-parse", "HEAD~1"))) == ["notes.md", "src/login.py"]
    assert not (tree.folder / "made.txt").exists()


@pytest.mark.parametrize("path", ["src/app.py", "lib/contest.go", "web/cart.ts", "testimony.rs"])
def test_code_is_source(path: str) -> None:
    assert is_source(path)


@pytest.mark.parametrize(
    "path", ["tests/app.py", "app_test.go", "cart.spec.ts", "README.md", "vendor/a.go", "src/test/A.java"]
)
def test_tests_documents_and_what_others_wrote_are_not(path: str) -> None:
    assert not is_source(path)


@pytest.mark.parametrize(
    ("path", "code", "names"),
    [
        ("a.go", "package a\ntype T struct{}\nfunc (t T) F() {}\n", ["T", "F"]),
        ("a.ts", "interface A { x: number }\nconst f = () => 1\nclass B { g() {} }\n", ["A", "f", "B", "g"]),
        ("a.rs", "struct S;\nimpl S { fn run(&self) {} }\nenum E { A }\n", ["S", "run", "E"]),
        ("a.c", "struct s { int a; };\nint *f(int a)\n{ return 0; }\n", ["s", "f"]),
        ("A.java", "class A { A() {} void f() {} }\n", ["A", "A", "f"]),
        ("a.rb", "class A\n  def f\n  end\nend\n", ["A", "f"]),
    ],
)
def test_definitions_of_each_language(path: str, code: str, names: list[str]) -> None:
    assert [found.name for found in definitions(path, code.encode())] == names


def test_a_line_belongs_to_the_innermost_definition() -> None:
    found = innermost(definitions("a.py", BEFORE.encode()), 10)

    assert found is not None
    assert (found.name, found.line) == ("open", 9)
