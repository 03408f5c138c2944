"""Each system gets the same question and answers in the same form."""

from __future__ import annotations

import shutil
import sys
from collections import Counter
from pathlib import Path

import pytest
from mined.repo_map import mentioned
from mined.systems import Asked, bm25, bm25_scores, installed, repomix, ripgrep, satchel, split_words

FILES = {
    "src/login.py": "def check_password(word):\n    return word\n" + "# nothing\n" * 30 + "PASSWORD = 1\n",
    "src/mail.py": "def send(text):\n    print(text)\n",
    "tests/test_login.py": "def test_password():\n    pass\n",
    "README.md": "A password\n",
}


@pytest.fixture
def question(tmp_path: Path) -> Asked:
    """Return a question about a small folder."""
    for path, text in FILES.items():
        (tmp_path / "root" / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "root" / path).write_text(text)
    text = "checkPassword takes any password that a person types"
    return Asked(text, tmp_path / "root", tuple(FILES), "c0ffee", tmp_path / "kept")


def put_on_path(name: str, script: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Install a program that stands in for one of the peers."""
    folder.mkdir()
    (folder / name).write_text(f"#!{sys.executable}\n{script}")
    (folder / name).chmod(0o755)
    monkeypatch.setenv("PATH", str(folder), prepend=":")


@pytest.mark.weekly
def test_satchel_shows_the_file_that_the_task_is_about(question: Asked) -> None:
    shown = satchel(question, 2_000)

    assert "def check_password" in next(part.text for part in shown if part.path == "src/login.py")


def test_bm25_shows_whole_source_files_and_no_tests(question: Asked) -> None:
    shown = bm25(question, 2_000)

    assert [(part.path, part.text) for part in shown] == [("src/login.py", FILES["src/login.py"])]


def test_a_rarer_word_weighs_more_and_a_longer_file_less() -> None:
    documents = {
        "rare": Counter("ab"),
        "often": Counter("bb"),
        "long": Counter("b" + "c" * 50),
    }

    scores = bm25_scores(documents, {"a": 1.0, "b": 1.0})

    assert sorted(scores, key=lambda name: -scores[name]) == ["rare", "often", "long"]


def test_an_identifier_is_a_word_and_its_parts() -> None:
    assert split_words("the parseHTTPReply of snake_case") == [
        *("parsehttpreply", "parse", "http", "reply"),
        *("snake_case", "snake", "case"),
    ]


def test_ripgrep_shows_the_lines_around_what_it_finds(
    question: Asked, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = "print('./src/login.py:1:password')\nprint('./README.md:1:password')\n"
    put_on_path("rg", found, tmp_path / "bin", monkeypatch)

    (part,) = ripgrep(question, 2_000)

    assert part.path == "src/login.py"
    assert part.text.splitlines() == FILES["src/login.py"].splitlines()[:9]


@pytest.mark.skipif(not shutil.which("rg"), reason="ripgrep is not installed")
def test_the_real_ripgrep_is_asked_in_a_form_that_it_knows(question: Asked) -> None:
    assert [part.path for part in ripgrep(question, 2_000)] == ["src/login.py"]


def test_repomix_is_run_once_for_a_tree(
    question: Asked, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    writes = "import sys\nopen(sys.argv[3], 'w').write('x\\nFile: src/mail.py\\ntext\\n')\n"
    put_on_path("repomix", writes, tmp_path / "bin", monkeypatch)
    first = repomix(question, 100)
    (tmp_path / "bin" / "repomix").write_text(f"#!{sys.executable}\nraise SystemExit(3)\n")

    assert [(part.path, part.text) for part in first] == [("src/mail.py", "text\n")]
    assert repomix(question, 100) == first


def test_a_peer_that_fails_says_why(question: Asked, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    put_on_path("repomix", "raise SystemExit('no room left')\n", tmp_path / "bin", monkeypatch)

    with pytest.raises(RuntimeError, match="repomix ended with 1: no room left"):
        repomix(question, 100)


def test_only_what_is_on_the_path_is_asked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))

    assert list(installed()) == ["satchel", "bm25"]


def test_aider_is_told_the_files_that_a_message_names() -> None:
    paths = ["src/login.py", "src/mail.py", "src/cart.py", "a/b/prices.py"]

    assert list(mentioned("the Login of src/cart.py, and prices", paths)) == [
        "src/login.py",
        "src/cart.py",
        "a/b/prices.py",
    ]
