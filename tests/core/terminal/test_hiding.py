"""No secret passes because lines like it were clean, nor because of how a pipe delivers it."""

from __future__ import annotations

import json
import random
import string
import textwrap
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.amounts import examples, is_full, some

from satchel.archive import Archive
from satchel.output import Hider, squeeze_stream
from satchel.redaction import redact

KEY = "9f8e7d6c5b4a39281706f5e4d3c2b1a0"  # nobody's
CLEAN = [f"12:00:{second:02} INFO request {second} took {second}ms" for second in range(60)]
RNG = random.Random(8)
ALNUM = string.ascii_letters + string.digits


def drawn(length: int, alphabet: str = ALNUM) -> str:
    return "".join(RNG.choice(alphabet) for _ in range(length))


def armoured() -> str:
    body = "\n".join(drawn(64) for _ in range(23))
    return f"-----BEGIN PRIVATE KEY-----\n{body}\n-----END PRIVATE KEY-----\n"


PEM = armoured()
KEYS = {
    "hex": f"id={KEY} token={KEY}",
    "aws": "AKIA" + drawn(16, string.ascii_uppercase + "234567"),
    "github": f"+  ghp_{drawn(36)}",
    "bearer": f"Authorization: Bearer {drawn(40)}",
    "address": f"postgres://app:{drawn(16)}@db/x",
    "dapi": f"dapi{drawn(32, '0123456789abcdef')}",
    "mailgun": f"key-{drawn(32, '0123456789abcdef')}",
}


def alike(line: str) -> str:
    """Return another line of the same class, with no key in it."""
    return "".join("0" if char in "123456789abcdef" else char for char in line)


@pytest.mark.parametrize("line", [f"api_key={KEY}", f"--password {KEY}", f"Authorization: Bearer {KEY}"])
def test_a_secret_after_clean_lines_of_its_class_is_hidden(line: str) -> None:
    alike = line.replace(KEY, "0" * len(KEY))
    text = "\n".join([*CLEAN, *[alike] * 10, line, *CLEAN])

    assert redact(line).text != line
    assert KEY not in Hider().hide(text)


@settings(deadline=None, max_examples=examples(25))
@given(st.sampled_from(sorted(KEYS)), st.integers(0, 200), st.sampled_from([1, 3, 4_000]))
def test_decoys_of_a_secrets_class_hide_nothing(name: str, at: int, decoys: int) -> None:
    lines = [*CLEAN, *[alike(KEYS[name])] * decoys]
    lines.insert(len(lines) * at // 200, KEYS[name])
    text = "\n".join(lines)

    assert redact(KEYS[name]).text != KEYS[name]
    assert Hider().hide(text) == redact(text).text != text


@settings(deadline=None, max_examples=examples(60))
@given(st.lists(st.sampled_from([*CLEAN, *KEYS.values(), PEM]) | st.text(max_size=30), max_size=30))
def test_what_is_hidden_is_what_redact_finds(parts: list[str]) -> None:
    text = "\n".join([*parts, *CLEAN * 60])

    assert Hider().hide(text) == redact(text).text


def test_a_secret_in_a_later_piece_is_hidden() -> None:
    pieces = ["api_key=" + "0" * 32 + "\n"] * 50

    assert KEY not in "".join(Hider().stream([*pieces, "\n".join([*CLEAN, f"api_key={KEY}"])]))


def test_clean_lines_stay_as_they_are() -> None:
    text = "\n".join(CLEAN * 20)

    assert Hider().hide(text) == text


def test_a_secret_that_only_one_of_many_lines_alike_holds_is_hidden() -> None:
    lines = [f"GET /v1/cart/{number} 200 rid={number:08x}" for number in range(3_000)]
    lines[2_500] = "GET /v1/cart/1 200 rid= 1/1204839201746352:9f27c41be06d83a5527be19c04fd63a8 rid=1"

    text = Hider().hide("\n".join(lines))

    assert "9f27c41be06d83a5527be19c04fd63a8" not in text
    assert text.count("\n") == len(lines) - 1


def by_line(content: bytes) -> list[bytes]:
    return content.splitlines(keepends=True)


def by_byte(content: bytes) -> list[bytes]:
    return [*(content[at : at + 1] for at in range(min(4_000, len(content)))), content[4_000:]]


def by_pipe(content: bytes) -> list[bytes]:
    return [content[at : at + 65_536] for at in range(0, len(content), 65_536)]


CUTS: list[Callable[[bytes], list[bytes]]] = [by_line, by_byte, by_pipe]
DATA = {name: drawn(14) for name in ("user", "pin", "host", "port", "mode", "note")}
TEXTS = {
    "pem": "résumé\n" + PEM + "done\n",
    "crlf": PEM.replace("\n", "\r\n"),
    "escaped": json.dumps({"key": PEM}) + "\n",
    "kubernetes": "kind: Secret\ndata:\n" + "".join(f"  {name}: {DATA[name]}\n" for name in DATA),
    "border": ("filler of a log\n" * 5_000)[: 65_536 - 700] + "\n" + PEM,
    "late": "".join(f"request {at} served\n" for at in range(30_000)) + PEM,
}


@pytest.mark.parametrize("cut", CUTS)
@pytest.mark.parametrize("name", sorted(TEXTS))
@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
def test_what_is_shown_and_kept_is_the_same_whatever_the_pieces(
    name: str, encoding: str, cut: Callable[[bytes], list[bytes]], tmp_path: Path
) -> None:
    content = TEXTS[name].encode(encoding)
    archive = Archive(tmp_path)

    once = squeeze_stream([content], archive=archive)
    pieces = squeeze_stream(cut(content), archive=archive)

    assert pieces == once
    shown = once.text + (archive.get(once.pointer.removeprefix("blob:")) if once.pointer else "")
    told = [line for line in [*PEM.splitlines()[1:-1], *DATA.values()] if line in TEXTS[name]]
    assert told
    assert not [line for line in told if line in shown]


def test_a_cut_at_any_byte_of_a_stream_changes_nothing(tmp_path: Path) -> None:
    content = ("é\r\n" + textwrap.indent(PEM, "+ ")).encode()[:900]
    archive = Archive(tmp_path)
    once = squeeze_stream([content], archive=archive)

    for at in some(range(0, len(content), 3), 20):
        assert squeeze_stream([content[:at], content[at:]], archive=archive) == once


@pytest.mark.weekly
def test_a_key_in_a_line_of_many_megabytes_is_hidden(tmp_path: Path) -> None:
    fields = ",".join(f'"f{number}":{number}' for number in range(60_000 if is_full() else 4_000))
    line = f'{{{fields},"key":{json.dumps(PEM)},{fields}}}'
    pieces = [line[at : at + 50_000].encode() for at in range(0, len(line), 50_000)]
    times = 11 if is_full() else 2

    squeezed = squeeze_stream(pieces * times, archive=Archive(tmp_path))
    kept = Archive(tmp_path).get(squeezed.pointer.removeprefix("blob:"))

    assert kept.replace("\n", "") == redact(line).text * times
