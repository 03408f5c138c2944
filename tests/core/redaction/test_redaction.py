"""Marks are stable, lines stay, redacting twice changes nothing, others' scanners join in."""

from __future__ import annotations

import random
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from satchel.redaction import Finding, mark, redact

from .formats import ALNUM, FORMS, NAMED, PLACES, draw

TOKEN = "gh" + "p_" + draw((ALNUM, 36))(random.Random(1))
PIECES = [
    *(form(random.Random(index)) for index, form in enumerate(FORMS.values())),
    "password=",
    'secret: "',
    '"',
    "'",
    "\n",
    "\r\n",
    " ",
    "token ",
    "://u:",
    "@h/",
    "Bearer ",
    "[redacted:token:ab12]",
    "[redacted:",
    "]",
    "-----BEGIN PRIVATE KEY-----",
    "-----END PRIVATE KEY-----",
    "\\n",
    "=",
    "&",
    "kind: Secret\ndata:\n",
    "  a: ",
]
texts = st.lists(st.one_of(st.sampled_from(PIECES), st.text(max_size=12)), max_size=14).map("".join)


@given(texts)
def test_redacting_twice_changes_nothing(text: str) -> None:
    once = redact(text).text

    assert redact(once).text is once


@given(texts)
def test_line_ends_stay(text: str) -> None:
    assert re.findall("\r?\n", redact(text).text) == re.findall("\r?\n", text)


@given(texts)
def test_findings_are_in_the_order_of_lines_and_within_the_text(text: str) -> None:
    lines = [finding.line for finding in redact(text).found]

    assert lines == sorted(lines)
    assert all(1 <= line <= text.count("\n") + 1 for line in lines)


@given(st.text())
def test_a_text_without_findings_is_the_same_object(text: str) -> None:
    redacted = redact(text)

    assert redacted.found or redacted.text is text


def test_the_mark_has_the_kind_and_four_digits_of_a_hash() -> None:
    assert re.fullmatch(r"\[redacted:github-token:[0-9a-f]{4}\]", redact(TOKEN).text)
    assert redact(TOKEN).text == mark("github-token", TOKEN)


@pytest.mark.parametrize("place", sorted(PLACES))
def test_the_same_secret_has_the_same_mark_in_every_place(place: str) -> None:
    assert mark("github-token", TOKEN) in redact(PLACES[place]("token", TOKEN)).text


def test_other_secrets_have_other_marks() -> None:
    other = TOKEN[:-1] + ("a" if TOKEN[-1] != "a" else "b")

    assert redact(TOKEN).text != redact(other).text


def test_a_finding_tells_kind_line_and_rule_and_not_the_secret() -> None:
    found = redact(f"a\nb\nx = '{TOKEN}'\n").found

    assert found == (Finding("github-token", 3, "github"),)
    assert TOKEN not in repr(found)
    assert set(Finding._fields) == {"kind", "line", "rule"}


def test_two_secrets_on_a_line_are_two_findings() -> None:
    assert len(redact(f"{TOKEN} {TOKEN[::-1]} {TOKEN}").found) == 2


@pytest.mark.parametrize("before", ["\\n", "\x1b[31m", "%3D", "(", "/", "é"])
def test_a_key_after_an_escape_or_a_colour_is_found(before: str) -> None:
    assert TOKEN not in redact(before + TOKEN).text


def test_a_key_in_the_middle_of_base64_is_a_chance_hit() -> None:
    blob = draw((ALNUM, 60))(random.Random(3))
    text = f"{blob}/{TOKEN}/{blob}"

    assert redact(text).text is text


@pytest.mark.parametrize("border", ["", "/", "+", "-", "A1", ".", ":"])
@pytest.mark.parametrize("key", [TOKEN, "pc" + "sk_A1"])
def test_keys_in_a_row_come_to_rest_at_once(border: str, key: str) -> None:
    once = redact(f"{key}{border}" * 60).text

    assert redact(once).text is once


def test_a_letter_that_grows_when_folded_moves_no_position() -> None:
    redacted = redact(f'İİİ password = "{TOKEN[4:]}"')

    assert redacted.text == f'İİİ password = "{mark("password", TOKEN[4:])}"'


def test_a_letter_that_grows_when_folded_hides_no_name_of_others() -> None:
    text = f'api_\N{KELVIN SIGN}ey = "{TOKEN[4:]}"\n'

    assert len(redact(text).found) == len(redact("İ\n" + text).found) == 1


def test_a_scanner_of_others_joins_in() -> None:
    def words(text: str, path: str) -> list[tuple[int, int, str]]:
        return [(match.start(), match.end(), "Code Name") for match in re.finditer("bluebird", text)]

    redacted = redact("we call it bluebird", path="notes.md", scanners=[words])

    assert redacted.text == f"we call it {mark('code-name', 'bluebird')}"
    assert redacted.found == (Finding("code-name", 1, "scanner"),)


def test_a_scanner_gets_the_path() -> None:
    def whole(text: str, path: str) -> list[tuple[int, int, str]]:
        return [(0, 1, "x")] if path == "a/b.py" and text == "x" else []

    assert redact("x", path="a/b.py", scanners=[whole]).found
    assert not redact("x", path="b.py", scanners=[whole]).found


def test_what_a_scanner_says_beyond_the_text_counts_for_nothing() -> None:
    assert redact("abc", scanners=[lambda text, path: [(2, 9, "x"), (2, 1, "x"), (-1, 2, "x")]]).text == "abc"


def test_a_span_over_lines_keeps_the_lines() -> None:
    redacted = redact("a\r\nbc\n\nd", scanners=[lambda text, path: [(0, 8, "x")] if "bc" in text else []])

    assert re.fullmatch(r"(\[\S+\])\r\n\1\n\n\1", redacted.text)
    assert len(redacted.found) == 1


def test_names_are_no_findings_and_values_are() -> None:
    name, made = NAMED["aws-secret"]
    secret = made(random.Random(5))

    assert redact(f"{name}={secret}").found[0].kind == "aws-secret"
    assert not redact(f"{name}=").found
