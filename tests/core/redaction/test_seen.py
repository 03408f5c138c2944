"""What is hidden between the letters of a key hides it nowhere: not on a screen, not in a document."""

from __future__ import annotations

import gc
import random
import time
import weakref
from difflib import SequenceMatcher
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.amounts import examples, sized

from satchel import squeeze
from satchel.escaping import hides, is_hidden
from satchel.output import clean_line
from satchel.plugin_api import visible
from satchel.redaction import mark, redact, screens
from satchel.redaction.screens import read_plainly, readings, weaves
from satchel.redaction.searching import find

from .formats import ALNUM, draw

KEYS = (
    "AKIA" + "Q3EGRIVWFN5XTJ2M",
    "gh" + "p_" + draw((ALNUM, 36))(random.Random(7)),
    "sk" + "_live_" + draw((ALNUM, 24))(random.Random(8)),
)
SEQUENCES = {
    "colour": "\x1b[01;31m",
    "colour of 8 bits": "\x9b31m",
    "erase to the end": "\x1b[K",
    "title": "\x1b]0;a title\x07",
    "link": "\x1b]8;;https://example.org\x1b\\",
    "title of 8 bits": "\x9d0;a title\x9c",
    "title of 7 bits, ended by one of 8": "\x1b]0;a title\x9c",
    "device string": "\x1bP1$q\x1b\\",
    "device string of 8 bits": "\x90q\x9c",
    "start of string": "\x98q\x9c",
    "privacy": "\x9eq\x9c",
    "application": "\x9fG\x9c",
    "character set": "\x1b(B",
    "save and restore": "\x1b7\x1b8",
    "cursor hidden": "\x1b[?25l",
    "up and down": "\x1b[A\x1b[B",
    "erased": "x\b",
    "erased with a blank": "x\b \b",
    "underlined": "_\b",
    "back": "x\x1b[1D",
    "two back": "xy\x1b[2D",
    "back and cleared": "xyz\x1b[3D\x1b[K",
    "escape alone": "\x1b",
    "backspace alone": "\b",
    "carriage return alone": "\r",
    "zero": "\0",
    "no width": "\u200b",
    "joiner of graphemes": "\u034f",
    "soft hyphen": "\u00ad",
    "tag": "\U000e0041",
    "variation": "\ufe0f",
    "left to right": "\u2066\u2069",
    "a zero in colour": "\x1b[1m\0\x1b[m",
}
MIXABLE = [
    piece
    for name, piece in SEQUENCES.items()
    if not name.endswith("alone") and "back" not in name and name != "character set"
]
PIECES = [*SEQUENCES.values(), *KEYS, "\n", "\r\n", "password=", "[redacted:token:ab12]"]
HIDDEN = st.deferred(lambda: st.sampled_from([chr(code) for code in range(0x110000) if is_hidden(chr(code))]))


def woven(key: str, piece: str, every: int = 1) -> str:
    return "".join(f"{piece}{letter}" if at and at % every == 0 else letter for at, letter in enumerate(key))


def longest_stretch(text: str, key: str) -> int:
    return SequenceMatcher(None, text, key, autojunk=False).find_longest_match().size


def views(text: str) -> list[str]:
    """Return what can be made of a text that is shown."""
    bare = "".join(character for character in text if not is_hidden(character))
    return [
        text,
        bare,
        visible(text),
        *(clean_line(text, lambda _, kept=kept: kept) for kept in (True, False)),
    ]


def assert_gone(text: str, key: str) -> None:
    clean = redact(text).text

    assert max(longest_stretch(view, key) for view in views(clean)) < 8
    assert redact(clean).text is clean


@pytest.mark.parametrize("key", KEYS)
@pytest.mark.parametrize("every", [1, 3, 7])
@pytest.mark.parametrize("name", SEQUENCES)
def test_nothing_between_the_letters_hides_a_key(name: str, every: int, key: str) -> None:
    assert_gone(f"the key: {woven(key, SEQUENCES[name], every)} and more", key)


@given(HIDDEN, st.sampled_from(KEYS), st.integers(1, 9))
def test_no_hidden_character_hides_a_key(character: str, key: str, every: int) -> None:
    assert_gone(woven(key, character, every), key)


@given(st.sampled_from(KEYS), st.lists(st.sampled_from(["", "", *MIXABLE]), min_size=48, max_size=48))
def test_no_mixture_hides_a_key(key: str, pieces: list[str]) -> None:
    assert_gone("".join(f"{piece}{letter}" for piece, letter in zip(pieces, key, strict=False)), key)


@pytest.mark.parametrize("key", KEYS)
@pytest.mark.parametrize(
    "struck",
    ["{0}\b{0}", "{0}\b{0}\b{0}", "_\b{0}", "{0}\b_"],
    ids=["twice", "three times", "underlined", "underlined afterwards"],
)
def test_overstriking_hides_no_key(struck: str, key: str) -> None:
    assert_gone("".join(struck.format(letter) for letter in key), key)


@pytest.mark.parametrize("key", KEYS)
def test_a_key_that_a_later_frame_completes_is_found(key: str) -> None:
    assert_gone(f"{'.' * 6}{key[6:]}\r{key[:6]}", key)
    assert_gone(f"{key[:9]}....\x1b[4D{key[9:]}", key)
    assert_gone(f"{key[:9]}....\x1b[10G{key[9:]}", key)


@pytest.mark.parametrize("key", KEYS)
@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be", "utf-16"])
def test_a_key_in_utf_16_read_as_utf_8_is_found(encoding: str, key: str) -> None:
    assert_gone(f"x={key}\n".encode(encoding).decode("utf-8", "replace"), key)


@pytest.mark.parametrize("piece", ["\u200b", "\x1b[1m", "\0"])
def test_names_and_their_marks_are_found_too(piece: str) -> None:
    password = "hX8!kq" + "29Zr"

    assert password not in redact(f"pass{piece}word = '{password}'").text
    assert (
        redact(f"password = '{woven(password, piece, 3)}'").text
        == f"password = '{mark('password', password)}'"
    )


@pytest.mark.parametrize("name", SEQUENCES)
def test_a_private_key_goes_with_what_is_between_its_letters_and_its_lines_stay(name: str) -> None:
    body = [draw((ALNUM, 64))(random.Random(seed)) for seed in range(6)]
    lines = ["-----BEGIN PRIVATE" + " KEY-----", *body, "-----END PRIVATE" + " KEY-----"]

    clean = redact("\n".join(woven(line, SEQUENCES[name], 5) for line in lines)).text

    assert clean.count("\n") == len(lines) - 1
    assert all(longest_stretch(clean, line) < 8 for line in body)


def test_the_mark_is_that_of_the_key_as_it_is_seen() -> None:
    key = KEYS[0]
    coloured = woven(key, "\x1b[31m")

    assert redact(f"a {coloured} b").text == f"a {mark('aws-access-key-id', key)} b"
    assert redact(key).text == mark("aws-access-key-id", key)


@given(
    st.lists(
        st.one_of(st.sampled_from(PIECES), st.text(max_size=5)),
        max_size=12,
    ).map("".join)
)
@settings(max_examples=examples(150))
def test_lines_stay_and_redacting_twice_changes_nothing(text: str) -> None:
    clean = redact(text).text

    assert clean.count("\n") == text.count("\n")
    assert redact(clean).text is clean


@given(st.text(st.sampled_from("ab\n\r\b\0_\u200b\x1b[2D[P\x1b[Kx")))
def test_every_reading_has_the_lines_of_its_text_and_knows_where_they_stand(text: str) -> None:
    for seen in readings(text):
        assert seen.text.count("\n") == text.count("\n")
        for at, character in enumerate(seen.text):
            start, end = seen.origin(at, at + 1)
            assert text[start:end] == character or (character == " " and start == end)


@given(st.text())
def test_a_text_hides_something_where_a_character_of_it_is_hidden(text: str) -> None:
    lone = "\r" in text.replace("\r\n", "")

    assert hides(text) == (lone or any(map(is_hidden, text)))


@pytest.mark.parametrize(
    "text",
    ["plain\n", "a\r\nb\r\r\n", "\x0c\n", "a\n\x0c\nb", "\ufeffusing System;", "⚠\ufe0f warning", "é\u00ad-"],
)
def test_what_parts_no_letters_of_a_key_costs_no_second_look(text: str) -> None:
    assert not weaves(read_plainly(text))
    assert not list(readings(text))


def test_line_ends_and_colours_are_not_looked_at_again() -> None:
    read = read_plainly("a\r\nb\r\n\x1b[31mc\x1b[0m\r\nd\re\r\n")

    assert [read.text[slice(*run)] for run in zip(*read.colours, strict=True)] == ["\x1b[31m", "\x1b[0m"]
    assert [read.text[at : at + 2] for at in read.uncoloured] == ["\re"]


def test_of_a_line_that_is_cleared_again_and_again_the_last_frame_alone_is_written(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    written: list[str] = []
    write = screens._ScreenRow._write

    def _note_write(row: screens._ScreenRow, start: int, end: int, *, over: bool) -> None:
        written.append(text[start:end])
        write(row, start, end, over=over)

    monkeypatch.setattr(screens._ScreenRow, "_write", _note_write)
    text = "".join(f"\x1b[3A\x1b[2K\r7d1e: Extracting {at} MB\r\x1b[3B" for at in range(300))
    shown = [seen.text for seen in readings(text)]

    assert shown[-1] == "7d1e: Extracting 299 MB"
    assert written == ["7d1e: Extracting 299 MB"]


def test_what_hides_before_an_escape_leaves_what_it_would_have_cleared() -> None:
    assert list(readings("pass\u200b\x1b[2K\rword"))[-1].text == "word[2K"


@pytest.mark.parametrize("piece", [piece for piece in SEQUENCES.values() if piece != "\r"])
def test_a_key_is_found_whatever_hides_in_it(piece: str) -> None:
    text = f"{woven(KEYS[0], piece)}\n"

    assert find(text, "")


def test_the_colours_of_a_search_hide_no_key_in_what_is_squeezed(tmp_path: Path) -> None:
    key = KEYS[0]
    found = f"\x1b[35m\x1b[Ka.env\x1b[m\x1b[K:ID=\x1b[01;31m\x1b[K{key[:4]}\x1b[m\x1b[K{key[4:]}\n"

    for text in (found, found * 400, found + "a line\n" * 900):
        squeezed = squeeze(text, command="grep --color=always -rn", store=tmp_path)
        kept = b"".join(path.read_bytes() for path in tmp_path.rglob("*") if path.is_file())

        assert longest_stretch(squeezed.text, key) < 8
        assert key[4:].encode() not in kept


@pytest.mark.costly
@pytest.mark.parametrize(
    "piece", ["a\b", "aa\b", "a\0", "\x1b[ma", "\x1b[2Da", "a\x1b[500C", "\ra", "\x9d0;", "_\ba"]
)
def test_what_hides_is_read_in_linear_time(piece: str) -> None:
    text = piece * (sized(200_000) // len(piece))
    begun = time.process_time()

    redact(text)

    assert time.process_time() - begun < 2


def test_no_reading_outlives_its_use() -> None:
    """A reading has the size of its text: a long log in colour has hundreds, and must not hold them all."""
    gc.collect()
    gc.disable()
    try:
        seen = [weakref.ref(one) for one in readings("\x1b[32ma\x1b[0mb\b\x1b[31mc\x1b[0m\n" * 9)]
        plain = read_plainly("\x1b[32ma\x1b[0m")
        assert plain.without_colours.text == "a"
        seen.append(weakref.ref(plain))
        del plain

        assert len(seen) > 1
        assert not [one for one in seen if one() is not None]
    finally:
        gc.enable()
