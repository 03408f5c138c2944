"""Words that the best parts share and the task lacks."""

from __future__ import annotations

from pathlib import Path

from satchel_plugins.scorers import Feedback

from .scored import by_name, scores_of

FITTING = "def {0}():\n    voucher = read()\n    rebate(voucher)\n    settle(voucher)\n"


def written(root: Path) -> Path:
    for name in ("spring", "summer"):
        (root / f"{name}.py").write_text(FITTING.format(name))
    (root / "clearing.py").write_text("def clear(book):\n    rebate(book)\n    settle(book)\n")
    (root / "paint.py").write_text("def paint(wall):\n    brush(wall)\n    dry(wall)\n")
    return root


def test_a_part_with_words_of_the_best_parts_scores_without_a_word_of_the_task(tmp_path: Path) -> None:
    scores = by_name(scores_of(Feedback(), "voucher", written(tmp_path)))

    assert scores["clear"] > 3 * scores["paint"]


def test_a_task_that_fits_nothing_has_no_words_to_add(tmp_path: Path) -> None:
    scores = by_name(scores_of(Feedback(), "quetzalcoatl", written(tmp_path)))

    assert set(scores.values()) == {0.0}


def test_no_words_are_taken_where_none_are_wanted(tmp_path: Path) -> None:
    scores = by_name(scores_of(Feedback(words=0), "voucher", written(tmp_path)))

    assert set(scores.values()) == {0.0}
