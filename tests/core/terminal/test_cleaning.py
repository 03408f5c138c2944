"""What a terminal would show at last."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from satchel.output import clean_line, is_binary, matters, shorten_rules
from satchel.output.cleaning import clean_lines, shorten_all_rules


@pytest.mark.parametrize(
    ("line", "shown"),
    [
        ("\x1b[1;31mred\x1b[0m text", "red text"),
        ("\x1b]8;;http://x\x07link\x1b]8;;\x07", "link"),
        ("a \x9d0;title\x9cb \x90q\x9cc \x9b31md", "a b c d"),
        ("\x1b]0;title\x9cafter it", "after it"),
        ("\xe2\u20ac\x9dtwo\xe2\u20ac\x9c words", "\xe2\u20actwo\xe2\u20ac words"),
        ("a\rb\rlast frame", "last frame"),
        ("done\r", "done"),
        ("|\b/\b-\bok", "ok"),
        ("tab\tbed", "tab\tbed"),
        ("nul\x00led", "nulled"),
        ("\x7fELF\x02\x01\ufffd\ufffd=\x11" * 2, "[binary]"),
        ("bell\x07 and\x07 whistle", "bell and whistle"),
        ("h\0a\0l\0f\0", "half"),
        ("\x01\x02\ufffd\x03 error: disk full", "\ufffd error: disk full"),
        ("\x1b[2Kerror: disk full\r 10%\r 20%", "error: disk full   20%"),
    ],
)
def test_a_line_is_what_stood_on_the_screen(line: str, shown: str) -> None:
    assert clean_line(line, matters) == shown


def test_rules_are_shortened() -> None:
    assert shorten_rules("========== FAILURES ==========") == "=== FAILURES ==="


def test_carets_keep_their_column() -> None:
    line = "      |                   ~~~~~~~~~~~~^~"

    assert shorten_rules(line) == line


def test_the_rules_of_many_lines_are_shortened_at_once() -> None:
    lines = ["====== FAILURES ======  ", "  ~~~~~~~~~~^~~~ ", "plain  ", "", "───────────────", "~~~~~~~~ ok"]

    assert shorten_all_rules(lines) == [*map(shorten_rules, lines)]
    assert shorten_all_rules(lines) == ["=== FAILURES ===", "  ~~~~~~~~~~^~~~ ", "plain", "", "───", "~~~ ok"]
    assert shorten_all_rules(["no rule  ", "  ^~~ "]) == ["no rule", "  ^~~ "]


@given(st.lists(st.text(alphabet="a \t\x01\x1b[31m\ufffd\u200b\b\r")))
def test_many_lines_are_cleaned_as_each_is(lines: list[str]) -> None:
    cleaned = clean_lines(lines, matters)

    assert [line.rstrip() for line in cleaned] == [
        line.rstrip() if line.isprintable() else clean_line(line, matters) for line in lines
    ]


@given(st.text())
def test_no_control_character_is_left(text: str) -> None:
    cleaned = clean_line(text.replace("\n", ""), matters)

    assert not any((ord(char) < 32 and char != "\t") or ord(char) == 127 for char in cleaned)


def test_a_program_is_binary_and_prose_is_not() -> None:
    assert is_binary("\x7fELF\x02\x01\x00\x00\x00\x00\x00\ufffd\ufffd")
    assert not is_binary("Grüße, 你好, \x1b[31mred\x1b[0m\r\n")


def test_a_frame_that_differs_in_its_bar_alone_is_shown_once() -> None:
    bars = [f"error: retry {n} [{'=' * n}>{' ' * (9 - n)}]" for n in range(9)]

    assert clean_line("\r".join([*bars, "done"]), matters) == f"{bars[0]}  done"


@given(st.lists(st.text(st.sampled_from("ab \r\b\t\x1b[;31m]0\x07\x9b\u200b\x00"))))
def test_lines_are_cleaned_together_as_each_by_itself(lines: list[str]) -> None:
    cleaned = [line if line.isprintable() else clean_line(line, matters) for line in lines]

    assert clean_lines(lines, matters) == cleaned
