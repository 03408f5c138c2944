"""A search gives places with lines, best first, and what `expand` makes of each holds the words."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.core.repositories import make_repository

import satchel
from satchel import UsageError

FILES = {
    "src/session.py": (
        '"""Sessions."""\n\nimport time\n\n\ndef renew_session(token):\n    """Renew it."""\n'
        "    return token, time.time()\n\n\ndef close(token):\n    return None\n"
    ),
    "src/mail.py": (
        "from session import renew_session\n\n\ndef send(text):\n    renew_session(text)\n    print(text)\n"
    ),
    "src/keys.py": "def key():\n    return 'AKIAIOSFODNN7EXAMPLQ'\n",
    "docs/other.md": "# Other\n\nNothing of it here, only a token.\n",
}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return make_repository(tmp_path / "shop", FILES)


def test_the_definition_of_a_name_comes_before_its_uses(root: Path) -> None:
    found = satchel.search("renew_session", root)

    assert [(one.path, one.name) for one in found[:1]] == [("src/session.py", "renew_session")]
    assert {one.path for one in found} == {"src/session.py", "src/mail.py"}


def test_the_lines_of_a_place_hold_its_hits(root: Path) -> None:
    for place in satchel.search("renew session", root):
        lines = (root / place.path).read_text().splitlines()
        first, last = place.lines
        assert all(first <= hit.line <= last for hit in place.hits)
        assert [lines[hit.line - 1].strip() for hit in place.hits] == [hit.text for hit in place.hits]
        assert satchel.expand(place.pointer, root) == "\n".join(lines[first - 1 : last]) + "\n"


def test_words_of_everyday_are_found_too(root: Path) -> None:
    assert satchel.search("only", root)[0].path == "docs/other.md"


def test_no_more_places_than_asked_for_and_best_first(root: Path) -> None:
    found = satchel.search("token", root, limit=2)

    assert len(found) == 2
    assert found[0].score >= found[1].score
    assert satchel.search("zebra", root) == ()


def test_secrets_are_redacted_in_what_is_found(root: Path) -> None:
    (place,) = satchel.search("key", root)

    assert "AKIA" not in str(place)
    assert "redacted" in str(place.hits)


@pytest.mark.parametrize("words", ["", " ", "-> =="])
def test_a_search_without_a_word_is_refused(words: str, root: Path) -> None:
    with pytest.raises(UsageError, match="no word to look for"):
        satchel.search(words, root)


def test_a_limit_below_one_is_refused(root: Path) -> None:
    with pytest.raises(UsageError, match="limit"):
        satchel.search("token", root, limit=0)


@pytest.mark.weekly
def test_a_watch_answers_like_a_folder_and_sees_an_edit(root: Path) -> None:
    task = "renew the session"
    with satchel.watch(root) as watch:
        assert satchel.search("token", watch) == satchel.search("token", root)
        assert satchel.why("src/mail.py", task, watch) == satchel.why("src/mail.py", task, root)
        assert satchel.expand("src/mail.py", watch) == satchel.expand("src/mail.py", root)

        (root / "src/mail.py").write_text("def post(parcel):\n    return parcel\n")

        assert satchel.expand("src/mail.py", watch) == "def post(parcel):\n    return parcel\n"
        assert [one.path for one in satchel.search("parcel", watch)] == ["src/mail.py"]


def test_why_takes_a_budget(root: Path) -> None:
    assert satchel.why("src/session.py", "renew the session", root, budget=2_000).kept
    assert not satchel.why("src/session.py", "renew the session", root, budget=20).kept


def test_expand_reads_the_archive_that_is_named(root: Path, tmp_path: Path) -> None:
    output = "\n".join(f"line {number}" for number in range(3_000))
    squeezed = satchel.squeeze(output, budget=100, store=tmp_path / "elsewhere")

    assert (
        satchel.expand(f"{squeezed.pointer}:10-11", root, store=tmp_path / "elsewhere") == "line 9\nline 10\n"
    )
    with pytest.raises(satchel.PointerError):
        satchel.expand(f"{squeezed.pointer}:10-11", root)


def test_what_defines_a_name_comes_before_all_that_says_it_more_often(tmp_path: Path) -> None:
    loud = {
        f"tests/test_echo_{at}.py": f"def test_echo_{at}(echo):\n    echo(echo)\n    assert echo\n"
        for at in range(40)
    }
    guide = {"docs/guide.md": "# Console\n\nCall Console.echo to echo: Console.echo(text).\n"}
    long = "".join(f"        part_{at} = text.replace('{at}', stream)\n" for at in range(90))
    code = {
        "src/console.py": f"class Console:\n    def echo(self, text, stream):\n{long}        return stream\n"
    }
    root = make_repository(tmp_path / "shell", {**loud, **guide, **code})

    for words in ("echo", "Console.echo"):
        first = satchel.search(words, root, limit=3)[0]

        assert (first.path, first.name) == ("src/console.py", "Console.echo")
