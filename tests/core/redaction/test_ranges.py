"""A text is searched again only near marks and what is hidden, and all that a whole search finds is found."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.amounts import examples

from satchel.output import Hider
from satchel.redaction import WindowSizes, ranges, redact, searching
from satchel.redaction.rules import Span

from .formats import ALNUM
from .test_streaming import PARTS, RNG, drawn, plain

SMALL = 2_000
"""A reach that none of the parts of these texts comes to."""
SIZES = WindowSizes(window=40_000, near=2 * SMALL, far=15_000)
HIDDEN = (
    f"\x1b[31mapi_key\x1b[0m={drawn(ALNUM, 40)}\n",
    "".join(f"\x1b[3{at}m{character}" for at, character in enumerate("api_key=")) + drawn(ALNUM, 40) + "\n",
    f"api_key=x\b{drawn(ALNUM, 20)}\u200b{drawn(ALNUM, 20)}\n",
    f"progress 10%\rapi_key=\x1b[1m{drawn(ALNUM, 40)}\n",
    f"pass\x1b[2Dword: {drawn(ALNUM, 24)}\x1b[K\n",
    "api_\x9b31mkey=" + "\x9b31m".join(drawn(ALNUM, 40)) + "\n",
    "api_key=" + "x\b".join(drawn(ALNUM, 40)) + "\n",
    "\x1b[32mall is well\x1b[0m\n",
    "ends in a colour\x1b[0m",
    f"\x1b[1mpass\x1b(B\x1b[mword: {drawn(ALNUM, 24)}\n",
    f"\x1b]0;title api_\x1b[1mkey={drawn(ALNUM, 40)}\r\x1b[m\n",
)
FAR = "".join(plain() for _ in range(12))
ALL = [part for parts in PARTS for part in parts] + list(HIDDEN) * 3 + [FAR] * 12
TEXTS = st.lists(st.sampled_from(ALL), min_size=1, max_size=30).map("".join)


def rows(count: int) -> Iterator[str]:
    """Yield rows of a table without secrets but for the last one, and one with a comma in an address."""
    yield "name,password\n"
    for at in range(count):
        yield f"https://ann:x9K,q2Lm5Pz@host/{at},plain\n" if at == 3 * count // 4 else f"user{at},plain\n"
    yield "last,x9Kq2Lm5Pz7Rw\n"


@pytest.fixture
def _small_reach(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ranges, "REACH", SMALL)
    monkeypatch.setattr(searching, "REACH", SMALL)


def redact_at_once(text: str) -> str:
    """Return the text as searches of the whole redact it."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(searching, "find_ranges", lambda _, size: [ranges.SearchRange(0, size, 0, size)])
        return redact(text).text


@pytest.mark.usefixtures("_small_reach")
@settings(
    deadline=None, max_examples=examples(60), suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(TEXTS)
def test_all_that_a_search_of_the_whole_finds_is_found(text: str) -> None:
    assert redact(text).text == redact_at_once(text)


@pytest.mark.usefixtures("_small_reach")
@settings(
    deadline=None, max_examples=examples(60), suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(TEXTS)
def test_of_a_stream_no_more_is_searched_than_what_is_needed_takes(text: str) -> None:
    assert "".join(Hider().stream([text], SIZES)) == redact_at_once(text)


@pytest.mark.usefixtures("_small_reach")
@pytest.mark.parametrize("count", [60, 400, 4_000])
def test_a_table_that_a_mark_mends_is_read_to_its_end(count: int) -> None:
    text = FAR + "".join(rows(count)) + FAR

    clean = redact(text).text

    assert "x9Kq2Lm5Pz7Rw" not in clean
    assert clean == redact_at_once(text)


@pytest.mark.usefixtures("_small_reach")
@pytest.mark.parametrize("hidden", HIDDEN)
@pytest.mark.parametrize("elsewhere", ["", "x\b", "x\x1b[D"], ids=["alone", "backspace", "back"])
def test_what_is_hidden_far_from_all_else_is_read(hidden: str, elsewhere: str) -> None:
    text = f"{FAR}{hidden}\n{FAR}{elsewhere}"

    assert redact(text).text == redact_at_once(text)


@pytest.mark.usefixtures("_small_reach")
@pytest.mark.parametrize("lines", range(40, 130, 10))
def test_a_table_whose_heading_is_too_far_away_is_none(lines: int) -> None:
    """A row of it is no heading of another one, wherever reading begins."""
    table = "password,note\n" + "plain,fine\n" * 60 + "plain,token\n" + "plain,x9Kq2Lm5Pz7RwaB3\n" * 3
    text = FAR + table + "GET /v1/cart/9 status 200 ok\n" * lines + HIDDEN[0] + PARTS[5][0] + FAR

    assert redact(text).text == redact_at_once(text)


@pytest.fixture
def sizes(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Return how long the texts are in which rules are looked for, as they are."""
    real, found = searching.rule_spans, list[int]()

    def counted(text: str, rules: searching.RuleSet, path: str = "") -> Iterator[Span]:
        found.append(len(text))
        return real(text, rules, path)

    monkeypatch.setattr(searching, "rule_spans", counted)
    return found


@pytest.mark.usefixtures("_small_reach")
def test_what_two_windows_read_is_searched_in_one_of_them(sizes: list[int]) -> None:
    text = "Secret, which may begin one of several lines\n" * 10_000

    assert "".join(Hider().stream([text], SIZES)) == text
    assert sum(sizes) < len(text) * (1 + 5 * SMALL / (SIZES.window - 2 * SIZES.far))


@pytest.mark.parametrize("secret", [f"api_key={drawn(ALNUM, 40)}\n", HIDDEN[1]], ids=["plain", "hidden"])
def test_one_secret_costs_no_second_search_of_the_whole(secret: str, sizes: list[int]) -> None:
    half = "".join(f"{at} GET /v1/cart/{RNG.randrange(10**6)} 200\n" for at in range(40_000))
    text = half + secret + half

    assert redact(text).text.count("[redacted:") == 1
    assert sum(sizes) < 1.5 * len(text)


@pytest.mark.parametrize("odd", ["", "\x1b(B", "\x1b]0;title\n"], ids=["none", "charset", "title"])
def test_coloured_text_is_read_once_as_it_is_and_once_without_its_colours(odd: str, sizes: list[int]) -> None:
    half = "".join(f"\x1b[32mGET\x1b[0m /v1/cart/{RNG.randrange(10**6)} 200\n" for _ in range(40_000))
    text = f"{half}api_key={drawn(ALNUM, 40)}\n{half}{odd}"

    assert redact(text).text.count("[redacted:") == 1
    assert sum(sizes) < 2.5 * len(text)


@pytest.mark.usefixtures("_small_reach")
def test_what_two_windows_read_without_its_colours_is_searched_up_to_what_one_shows(sizes: list[int]) -> None:
    text = "\x1b[32mdata: which may\x1b[0m begin one of several lines\n" * 10_000

    assert "".join(Hider().stream([text], SIZES)) == text
    assert sum(sizes) < 2 * len(text) * (1 + 5 * SMALL / (SIZES.window - 2 * SIZES.far))
