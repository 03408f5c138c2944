"""What holds of every squeezed output, whatever it is, of whichever family, at every budget."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from tests.amounts import examples
from tests.core.terminal.kinds import KINDS, SECRET, output_of
from tests.core.terminal.test_gaps import left, lines_of, without_marks

from satchel import Squeezed, squeeze
from satchel.output import Plugins
from satchel.redaction import redact
from satchel.shared_archive import open_archive
from satchel.tokens import guess

PLUGINS = Plugins()
LADDER = (1, 20, 60, 120, 121, 300, 600, 1_000, 3_000)


def squeezed_by(text: str, command: str, budget: int, store: Path) -> Squeezed:
    return squeeze(text, command=command, budget=budget, store=store, count=guess, plugins=PLUGINS)


def numbers_shown(squeezed: Squeezed, lines: Sequence[str]) -> set[int]:
    """Return the numbers of the lines that are shown whole, without those that show nothing."""
    hidden = {number for gap in squeezed.gaps for number in range(gap.first, gap.last + 1)}
    return {
        number for number, line in enumerate(lines, start=1) if number not in hidden and line.strip(" \t\n=-")
    }


@settings(
    max_examples=examples(2_000), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(
    kind=st.sampled_from(sorted(KINDS)),
    seed=st.integers(0, 2**32),
    budgets=st.lists(st.sampled_from(LADDER), min_size=2, max_size=2, unique=True).map(sorted),
)
@example(kind="anything", seed=2, budgets=[120, 121])
@example(kind="fields", seed=2716, budgets=[120, 121])
def test_every_output_at_every_budget(kind: str, seed: int, budgets: Sequence[int], tmp_path: Path) -> None:
    text, command = output_of(kind, seed)
    redacted = redact(text).text
    lines = lines_of(redacted)

    less, more = (squeezed_by(text, command, budget, tmp_path) for budget in budgets)

    for budget, squeezed in zip(budgets, (less, more), strict=True):
        assert guess(squeezed.text) <= min(budget, max(guess(text), guess(redacted)))
        assert SECRET not in squeezed.text
        assert_gaps_fill_what_is_missing(squeezed, lines, tmp_path)
    assert numbers_shown(less, lines) <= numbers_shown(more, lines)
    assert squeezed_by(text, command, budgets[1], tmp_path) == more


def assert_gaps_fill_what_is_missing(squeezed: Squeezed, lines: Sequence[str], store: Path) -> None:
    """Fail unless what is shown and what the gaps expand to are all lines, in order."""
    if not squeezed.gaps:
        return
    archive, hash_ = open_archive(store), squeezed.pointer.removeprefix("blob:")
    for gap in squeezed.gaps:
        assert archive.lines(hash_, gap.first, gap.last) == "".join(lines[gap.first - 1 : gap.last])
    shown = iter(without_marks(squeezed.text))
    assert [line for line in left(squeezed, lines) if line.strip() and line not in shown] == []
