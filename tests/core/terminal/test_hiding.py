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
