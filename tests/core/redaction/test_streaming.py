"""A text that comes in pieces is redacted as if it came at once, wherever it is cut."""

from __future__ import annotations

import base64
import json
import random
from collections.abc import Iterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.amounts import examples

from satchel.output import Hider
from satchel.redaction import WindowSizes, redact, redact_stream
from satchel.redaction.blocks import can_reach_far

from .formats import ALNUM, BASE64, draw

RNG = random.Random(21)
SMALL = WindowSizes(window=5_000, near=900, far=1_700)
HEX = "0123456789abcdef"


def drawn(alphabet: str, length: int) -> str:
    return draw((alphabet, length))(RNG)


def armoured(lines: int = 9) -> str:
    body = "\n".join(drawn(BASE64, 64) for _ in range(lines))
    return f"-----BEGIN RSA PRIVATE KEY-----\n{body}\n-----END RSA PRIVATE KEY-----\n"


def putty(lines: int = 6) -> str:
    body = "\n".join(drawn(BASE64, 64) for _ in range(lines))
    return f"Public-Lines: 1\n{'A' * 60}\nPrivate-Lines: {lines}\n{body}\nPrivate-MAC: 0a\n"


def values() -> dict[str, str]:
    return {name: base64.b64encode(drawn(ALNUM, 9).encode()).decode() for name in ("user", "pin", "host")}


def secret_yaml() -> str:
    data = "".join(f"  {name}: {value}\n" for name, value in values().items())
    return f"---\napiVersion: v1\ndata:\n{data}kind: Secret\nmetadata:\n  name: db\n---\n"


def secret_json(indent: int | None = None) -> str:
    document = {"apiVersion": "v1", "data": values(), "kind": "Secret", "metadata": {"name": "db"}}
    return json.dumps(document, indent=indent) + "\n"


def token() -> str:
    return f"2026-11-23 12:00:01 INFO api_key={drawn(ALNUM, 40)} ok\n"


def long_line() -> str:
    fields = (f'"f{at}":"{drawn(HEX, 7)}","api_token":"{drawn(ALNUM, 36)}"' for at in range(60))
    return "{" + ",".join(fields) + "}\n"


def plain() -> str:
    return "".join(f"GET /v1/cart/{RNG.randrange(10**6)} 200 rid={drawn(HEX, 8)}\n" for _ in range(30))


MAKERS = (armoured, putty, secret_yaml, secret_json, lambda: secret_json(2), token, long_line, plain)
PARTS = [[make() for _ in range(4)] for make in MAKERS]
TEXTS = st.lists(st.sampled_from([part for parts in PARTS for part in parts]), min_size=1, max_size=25).map(
    "".join
)


def whole(text: str, _needed: range = range(0)) -> str:
    return redact(text).text


def streamed(pieces: list[str], sizes: WindowSizes = SMALL) -> str:
    return "".join(redact_stream(iter(pieces), whole, sizes))


def cut(text: str, places: list[int]) -> list[str]:
    ends = sorted({place % (len(text) + 1) for place in places})
    return [text[a:b] for a, b in zip([0, *ends], [*ends, len(text)], strict=True)]


@settings(deadline=None, max_examples=examples(60))
@given(TEXTS, st.lists(st.integers(0, 100_000), max_size=12))
def test_whatever_the_windows_and_pieces_the_answer_is_that_of_the_whole(text: str, at: list[int]) -> None:
    assert streamed(cut(text, at)) == whole(text)


@settings(deadline=None, max_examples=examples(25))
@given(TEXTS)
def test_line_by_line_and_all_at_once_are_the_same(text: str) -> None:
    assert streamed(text.splitlines(keepends=True)) == streamed([text])


@pytest.mark.costly
@pytest.mark.parametrize("size", [1, 7, 64])
def test_pieces_of_any_size_are_the_same(size: int) -> None:
    text = "".join(parts[0] for parts in PARTS) * 2

    assert streamed([text[at : at + size] for at in range(0, len(text), size)]) == whole(text)


def test_a_cut_at_every_character_changes_nothing() -> None:
    text = armoured(3) + secret_yaml() + token()
    hider, expected = Hider(), whole(text)

    assert all("".join(hider.stream([text[:at], text[at:]])) == expected for at in range(len(text) + 1))


@pytest.mark.costly
@pytest.mark.parametrize("secret", [parts[0] for parts in PARTS], ids=range(len(PARTS)))
def test_a_border_of_windows_anywhere_in_a_secret_changes_nothing(secret: str) -> None:
    step = max(1, len(secret) // 40)
    border = SMALL.window - SMALL.far

    for lead in range(max(0, border - len(secret)), border + 10, step):
        text = ("x = 1\n" * lead)[:lead] + "\n" + secret + "y = 2\n" * 1_200
        assert streamed([text]) == whole(text)


def lines_of_one() -> Iterator[str]:
    yield "".join(f'"k{at}":"{drawn(ALNUM, 9)}",' for at in range(900))
    yield "ab" * 9_000
    yield "".join(f'{{"api_key":"{drawn(ALNUM, 40)}"}},' for _ in range(400))
    yield ("x" * 990 + f" api_key={drawn(ALNUM, 40)} ") * 20


@pytest.mark.parametrize("line", list(lines_of_one()), ids=["json", "same", "keys", "rare"])
def test_a_line_longer_than_any_window_is_redacted_as_a_whole(line: str) -> None:
    assert streamed([line]) == whole(line)
    assert streamed([line, "\n", line]) == whole(f"{line}\n{line}")


def test_memory_holds_one_window_whatever_the_stream_is() -> None:
    longest = 0

    def watched(text: str, _needed: range) -> str:
        nonlocal longest
        longest = max(longest, len(text))
        return text

    assert sum(map(len, redact_stream(("x" * 999 for _ in range(500)), watched, SMALL))) == 499_500
    assert longest == SMALL.window


def test_a_window_that_is_too_small_for_its_overlaps_is_told() -> None:
    with pytest.raises(ValueError, match="overlap"):
        list(redact_stream(["text"], whole, WindowSizes(window=3_000, near=500, far=1_500)))


@pytest.mark.parametrize(
    "line",
    [
        *("data:", "  data: {", "\x1b[34mdata:\x1b[0m", "stringData:", "| data: # of all", "x\\ndata: "),
        *('{"data":{"a": 1}}', '{\\"data\\":{', "data:\\n", "{data:{a: b}}"),
    ],
)
def test_a_section_of_an_object_can_reach_far(line: str) -> None:
    assert can_reach_far(f"some text\n{line}\nmore text\n")


@pytest.mark.parametrize("line", ["use data::get;", "src=data:image/png;base64,AA", "metadata:", "Data: 1"])
def test_what_only_sounds_like_a_section_cannot(line: str) -> None:
    assert not can_reach_far(f"some text\n{line}\nmore text\n")
