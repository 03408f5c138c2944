"""The task's words in single parts."""

from __future__ import annotations

from pathlib import Path

from satchel_plugins.scorers import Passages

from .scored import by_name, scores_of


def test_the_part_that_speaks_of_the_task_has_one(polyglot: Path) -> None:
    scores = by_name(scores_of(Passages(), "compare the stored hash digest", polyglot))

    assert scores["check_password"] == 1.0
    assert scores["login"] < 0.5
    assert scores["ring_push"] == 0.0


def test_a_short_part_beats_a_long_one_with_as_many_hits(polyglot: Path) -> None:
    (polyglot / "src/long.py").write_text(
        "def short():\n    gambit()\n\n\ndef long():\n    gambit()\n" + "    filler(words, here)\n" * 30
    )

    scores = by_name(scores_of(Passages(), "gambit", polyglot))

    assert scores["short"] == 1.0 > scores["long"] > 0
