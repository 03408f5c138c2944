"""What hides in a text is shown; what belongs to visible text stays, byte for byte."""

from __future__ import annotations

import json
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from satchel.escaping import escape_for_document, escape_for_json, visible_path
from satchel.plugin_api import safe_text, visible

FLAG = "\U0001f3f4\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f"
HIDDEN = (
    *"\x00\x07\x08\x0b\x1b\x7f\x85\x9b\x9d\xad\u034f\u061c\u115f\u180e\u200b\u200e\u202a\u202e\u2028\u2029",
    *"\u2060\u2066\u2069\u206a\u3164\ufe00\ufeff\uffa0\ufff9\ufffe\udc80\U0001d173\U000e0001\U000e0041\U000e0100",
)  # fmt: skip


@pytest.mark.parametrize("character", HIDDEN, ids=ascii)
def test_what_hides_is_shown_with_its_number(character: str) -> None:
    assert visible(f"a{character}b") == f"a\\u{{{ord(character):x}}}b"


@pytest.mark.parametrize(
    "text",
    [
        "\U0001f469\u200d\U0001f469\u200d\U0001f467 family",
        "\u2764\ufe0f\u200d\U0001f525 1\ufe0f\u20e3 \u2122\ufe0f \U0001f3f3\ufe0f\u200d\U0001f308",
        "\u0645\u06cc\u200c\u06af\u0648\u06cc\u062f PDF\u200c\u0647\u0627",
        "\u0915\u094d\u200d\u0937 \u0d15\u0d4d\u200d",
        "\u845b\U000e0100\u57ce",
        FLAG,
        "caf\u00e9 \u65e5\u672c \u05e9\u05dc\u05d5\u05dd\u00a0\u3000",
        "a\tb\r\n\n\x0c\nend\n",
        "twice\r\r\nconverted\n",
    ],
    ids=ascii,
)
def test_what_belongs_to_visible_text_stays(text: str) -> None:
    assert visible(text) is text or visible(text) == text


@pytest.mark.parametrize(
    ("text", "seen"),
    [
        ("a\u200cb", "a\\u{200c}b"),
        ("1\u200d2", "1\\u{200d}2"),
        ("x\ufe0f", "x\\u{fe0f}"),
        ("\U0001f600\ufe0f\ufe01", "\U0001f600\\u{fe0f}\\u{fe01}"),
        ("\u845b\U000e0100\U000e0101", "\u845b\\u{e0100}\\u{e0101}"),
        (FLAG[:-1], "\U0001f3f4\\u{e0067}\\u{e0062}\\u{e0065}\\u{e006e}\\u{e0067}"),
        ("\u0645\u200c\u200c\u06cc", "\u0645\\u{200c}\\u{200c}\u06cc"),
        ("word\x0cmore", "word\\u{c}more"),
        ("good\rbad", "good\\u{d}bad"),
        ("end\r", "end\\u{d}"),
    ],
    ids=ascii,
)
def test_out_of_its_place_it_is_shown(text: str, seen: str) -> None:
    assert visible(text) == seen


@given(
    st.text(st.sampled_from([*HIDDEN, *"a1\u0645\u845b\U0001f600\u200d\u200c\ufe0f\r\n\x0c@"]), max_size=20)
)
def test_showing_twice_changes_nothing_and_keeps_the_lines(text: str) -> None:
    once = escape_for_document(text)

    assert escape_for_document(once) == once
    assert once.count("\n") == text.count("\n")


@given(st.text())
def test_a_title_is_one_visible_line(title: str) -> None:
    line = safe_text(title)

    assert visible(line) == line
    assert line.splitlines() == ([line] if line else [])


@pytest.mark.parametrize("path", ["a\nb", "\udce9.py", "src/a.py"], ids=ascii)
def test_a_path_in_json_is_exact_where_json_shows_it(path: str) -> None:
    assert visible_path(path) == path
    assert visible_path("\u202ea\x1b") == "\\u{202e}a\\u{1b}"


@given(st.text(st.characters() | st.sampled_from(HIDDEN)))
def test_json_holds_nothing_hidden_and_means_the_same(text: str) -> None:
    written = escape_for_json(json.dumps({"x": text}, ensure_ascii=False))

    assert json.loads(written) == json.loads(json.dumps({"x": text}))
    assert not any(character in written for character in HIDDEN if ord(character) > 127)


@pytest.mark.costly
@pytest.mark.parametrize(
    "unit", ["\r", "\rx", "a\u200b", "\U0001f600\u200d", "\U000e0041", "@@1\n", "\ufe0f"], ids=ascii
)
def test_hostile_runs_take_linear_time(unit: str) -> None:
    def seconds(count: int) -> float:
        begun = time.process_time()
        escape_for_document(unit * count)
        return time.process_time() - begun

    few = min(seconds(20_000) for _ in range(3))

    assert seconds(160_000) < 40 * few + 0.05
