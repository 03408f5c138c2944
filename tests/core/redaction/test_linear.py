"""No text makes redaction slow: near misses without end cost what their length says."""

from __future__ import annotations

import time

import pytest

from satchel.redaction import redact

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


def seconds(text: str) -> float:
    """Return the CPU time of redacting, which other programs do not change."""
    start = time.process_time()
    redact(text)
    return time.process_time() - start


@pytest.mark.parametrize("piece", NEAR_MISSES)
def test_near_misses_on_one_line_take_time_in_proportion(piece: str) -> None:
    text = piece * (SIZE * 8 // len(piece))
    redact(text[:1000])

    small, large = seconds(text[:SIZE]), seconds(text)

    assert large < 24 * small + 0.05


@pytest.mark.slow
def test_five_megabytes_on_one_line_are_done_in_seconds() -> None:
    assert seconds("x9Kq+/" * 833_000) < 5
    assert seconds("const a=b.c(d,'e');" * 263_000) < 5
