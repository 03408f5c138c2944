"""Words of a question are found in lists and texts as one by one, by case-insensitive expressions."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import satchel
from satchel.packing.weighing.word_search import Phrase, find_holding, find_starting, strip_severity

from .repositories import write_files

LETTERS = "abAB_.- \u017f\u212aé"
WORDS = st.text("abk\u017f", min_size=1, max_size=3)


@given(st.lists(st.text(LETTERS, max_size=6)), st.lists(WORDS, max_size=3))
def test_words_that_start_alike_are_those_that_each_tells(words: list[str], begin: list[str]) -> None:
    assert set(find_starting(words, begin)) == {word for word in words if word.startswith(tuple(begin))}


@given(st.lists(st.text(LETTERS + "\n", max_size=6)), st.lists(WORDS, max_size=3))
def test_names_that_hold_a_beginning_come_in_order(names: list[str], begin: list[str]) -> None:
    holding = [name for name in names if not name.isascii() or any(one in name.lower() for one in begin)]
    assert find_holding(names, begin) == holding


@given(WORDS, WORDS, st.text(LETTERS + "k\nK", max_size=40))
def test_a_phrase_is_counted_in_any_case(one: str, other: str, text: str) -> None:
    pattern = rf"(?<![a-z]){re.escape(one)}[a-z]{{0,4}}[\s_.-]?{re.escape(other)}"
    assert Phrase(one, other).count_in(text) == len(re.findall(pattern, text, re.IGNORECASE))


def test_a_message_is_told_from_what_stands_around_it() -> None:
    shown = ["ValueError: no warp, no weft.", "fatal: no warp, no weft", "no warp, no weft"]

    assert {strip_severity(text) for text in shown} == {"no warp, no weft"}


def test_what_stands_around_a_long_message_is_told_at_once() -> None:
    """Each of many stops in it is no end."""
    long = "warp" + " ." * 100_000 + "weft"

    assert strip_severity(f"Error: {long} . ") == long


@pytest.mark.parametrize(
    ("path", "written", "shown"),
    [
        ("loom.go", 'fmt.Errorf("unsupported cup %s", name)', "loom: unsupported cup mug"),
        ("loom.go", 'fmt.Errorf("%q: unknown kettle", name)', 'error: "iron": unknown kettle'),
        ("loom.js", "throw new Error(`${cup.id} is not pourable`);", "/tea/[cup] is not pourable"),
        (
            "loom.py",
            'raise ValueError(f"{cup!r} holds no tea, but {what}")',
            "ValueError: 'mug' holds no tea, but mud",
        ),
        (
            "loom.php",
            "sprintf('No cup `%s` fits the kettle `%s`.', $a, $b)",
            "No cup `mug` fits the kettle `pot`.",
        ),
        (
            "loom.rs",
            'bail!("brewing failed with status: {status}")',
            "brewing failed with status: exit code 1",
        ),
    ],
)
def test_code_that_writes_a_message_with_values_comes_first(
    tmp_path: Path, path: str, written: str, shown: str
) -> None:
    words = " ".join(re.findall(r"\w+", shown))
    files = {f"docs/{at}.md": f"# {words}\n\n{words}, and {words} again.\n" for at in range(3)}
    other = "".join(f"# {word} {words}\n" for word in words.split())
    write_files(tmp_path / "loom", {**files, f"src/{path}": f"a = 1\n{written}\n", "src/other.py": other})

    assert satchel.pack(shown, tmp_path / "loom", budget=400).items[0].path == f"src/{path}"


def test_a_string_of_values_and_common_words_writes_no_message(tmp_path: Path) -> None:
    files = {
        "loom/told.py": 'def tell(cup):\n    return f"{cup}: {cup.tea} is {cup.size}"\n',
        "loom/mug.py": "def pour_mug(tea):\n    return tea\n",
    }
    write_files(tmp_path / "loom", files)

    assert (
        satchel.pack("mug: the tea is poured", tmp_path / "loom", budget=400).items[0].path == "loom/mug.py"
    )
