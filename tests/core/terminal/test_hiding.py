"""No secret passes because lines like it were clean."""

from __future__ import annotations

import pytest

from satchel.redaction import redact
from satchel.terminal.hiding import Hider

KEY = "9f8e7d6c5b4a39281706f5e4d3c2b1a0"  # nobody's
CLEAN = [f"12:00:{second:02} INFO request {second} took {second}ms" for second in range(60)]


@pytest.mark.parametrize("line", [f"api_key={KEY}", f"--password {KEY}", f"Authorization: Bearer {KEY}"])
def test_a_secret_after_clean_lines_of_its_class_is_hidden(line: str) -> None:
    alike = line.replace(KEY, "0" * len(KEY))
    text = "\n".join([*CLEAN, *[alike] * 10, line, *CLEAN])

    assert redact(line).text != line
    assert KEY not in Hider().hide(text)


def test_a_secret_in_a_later_piece_is_hidden() -> None:
    hider = Hider()
    hider.hide("\n".join(["api_key=" + "0" * 32] * 50))

    assert KEY not in hider.hide("\n".join([*CLEAN, f"api_key={KEY}"]))


def test_clean_lines_stay_as_they_are() -> None:
    text = "\n".join(CLEAN * 20)

    assert Hider().hide(text) == text


def test_a_secret_that_only_one_of_many_lines_alike_holds_is_hidden() -> None:
    lines = [f"GET /v1/cart/{number} 200 rid={number:08x}" for number in range(3_000)]
    lines[2_500] = "GET /v1/cart/1 200 rid= 1/1204839201746352:9f27c41be06d83a5527be19c04fd63a8 rid=1"

    text = Hider().hide("\n".join(lines))

    assert "9f27c41be06d83a5527be19c04fd63a8" not in text
    assert text.count("\n") == len(lines) - 1
