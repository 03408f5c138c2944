"""No text makes redaction slow: near misses without end cost what their length says."""

from __future__ import annotations

import re
import time

import pytest
from tests.amounts import sized, some

from satchel.redaction import redact
from satchel.redaction.rules import shipped_rules

NEAR_MISSES = (
    "a",
    " ",
    "\n",
    "password=",
    'password="',
    "ghp_",
    "eyJ",
    "eyJ.",
    "eyJhbGci.",
    "://",
    "://a:",
    "://a:b@",
    "sk-",
    "sk-a-",
    "-us",
    "-----BEGIN PRIVATE KEY-----",
    "-----BEGIN PRIVATE KEY-----\n",
    "-----END PRIVATE KEY-----",
    "Bearer a",
    "key-",
    "JQQJ99",
    "NRAL",
    "a:$2y$",
    "api_key=aB3",
    "api_key=aB3x9Kq2Lm5Pz7Rw,",
    "kind: Secret\n",
    "kind: Secret\ndata:\n  a: b\n",
    "kind: Secret\ndata: {\n",
    '{"kind":"Secret","data":{',
    "Version: -----BEGIN PRIVATE KEY-----\n",
    "-----END PRIVATE KEY-----\n",
    "mysql -p ",
    "LS0tLS1CRUdJTi",
    "sig=",
    "token ",
    'key","',
    "AAAA",
    "secret:::",
    "İpassword=",
    "[redacted:",
    "Private-Lines: 999\n",
    ":AA1234567",
    "hvs.",
    "sl.",
    "machine a login b ",
)
SIZE = 60_000


def seconds(text: str, tries: int = 1) -> float:
    """Return the CPU time of redacting, the shortest of some tries: a busy neighbour doubles one."""
    taken = []
    for _ in range(tries):
        start = time.process_time()
        redact(text)
        taken.append(time.process_time() - start)
    return min(taken)


@pytest.mark.parametrize("piece", NEAR_MISSES)
def test_near_misses_on_one_line_take_time_in_proportion(piece: str) -> None:
    text = piece * (sized(SIZE * 8) // len(piece))
    redact(text[:1000])

    small, large = seconds(text[: sized(SIZE)]), seconds(text)

    assert large < 24 * small + 0.05


RUNS = (
    "eyJhbGciOiJIUzI1NiJ9.",
    "eyJ-",
    "eyJA1-",
    "eyJ-" * 1_000 + ".",
    "ghs_" + "eyJ-",
    "gh" + "p_9f8a7d6c5b4e3f2a1b0c9d8e7f6a5b4c/",
    "gl" + "rt-a8Kd93jf8sKd02mXnQ7c,",
    "pc" + "sk_A1",
    "-uQ3EGRIVWFN5XTJ2M:",
    "--token ",
    "AAAA",
    "sk.eyJ_",
)
"""Near keys and keys that follow each other, each of which is cheap."""
MOST_TIMES = 4
"""What a text may cost, against plain assignments of the same length: both grow on a busy host."""


def plain_seconds(size: int) -> float:
    """Return the CPU time of redacting so many characters of assignments, the shortest of three tries."""
    piece = "api_key=aB3x9Kq2Lm5Pz7Rw,"
    return seconds(piece * (size // len(piece)), tries=3)


@pytest.mark.costly
@pytest.mark.parametrize("piece", RUNS)
def test_a_run_of_keys_takes_about_what_plain_assignments_take(piece: str) -> None:
    size = sized(300_000)
    text = piece * (size // len(piece))
    redact(text[:1000])

    assert seconds(text, tries=2) < MOST_TIMES * plain_seconds(size)


FAR = re.compile(r"\{\d*,\d{3,}\}")
"""Repetition that reaches far: what fails behind it can fail again from each word in it."""
WORDS = sorted(
    word for word, rules in shipped_rules().anchored.items() if any(FAR.search(rule.regex) for rule in rules)
)


@pytest.mark.costly
@pytest.mark.parametrize("behind", ["-", "A1_"])
def test_no_word_before_a_long_repetition_takes_long_where_it_follows_itself(behind: str) -> None:
    size = 20_000
    texts = [(word + behind) * (size // len(word + behind)) for word in some(WORDS, 20)]
    most = 2 * MOST_TIMES * plain_seconds(size)

    slow = [text for text in texts if seconds(text) > most]

    assert [text[:40] for text in slow if seconds(text, tries=3) > 2 * MOST_TIMES * plain_seconds(size)] == []


@pytest.mark.slow
def test_five_megabytes_on_one_line_are_done_in_seconds() -> None:
    assert seconds("x9Kq+/" * 833_000) < 5
    assert seconds("const a=b.c(d,'e');" * 263_000) < 5
