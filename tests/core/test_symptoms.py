"""Symptoms: what a report shows beside its words leads to the code that does it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from satchel import ContextItem, Part
from satchel.packing import find_form
from satchel.packing.pipeline import PackSettings, run_pack
from satchel.packing.weighing.chances import CorrectedChances
from satchel.packing.weighing.symptoms import favour_symptoms, find_symptoms
from satchel.plugin_api import Scored, SplitItem
from satchel.runs import open_run

from .repositories import write_files
from .texts import file_item

OUTPUT = """It hides the units
```
>>> show(rows)
Table, sorted by 'units'
```
"""


def favoured(
    text: str, functions: Mapping[str, Sequence[str]], *, comments: Mapping[str, float] | None = None
) -> dict[str, float]:
    """Return the chance of each function of a file, where all had 1 before."""
    parts: list[Part] = []
    lines: list[str] = []
    for name, mine in functions.items():
        first = len(lines) + 1
        lines += mine
        share = (comments or {}).get(name, 0.0)
        parts.append(Part("method", name, (first, len(lines)), item="file:a.py", comments=share))
    item = file_item("")
    scored = Scored(item, tuple(parts), (1.0,) * len(parts), 1.0, {})
    told = [[1.0] * len(parts)]

    def read(_: ContextItem) -> str:
        return "\n".join(lines)

    found = favour_symptoms(
        [(scored, SplitItem(tuple(parts), {}, ()))], CorrectedChances(told, told), text, read
    )
    assert found.lines == found.definitions
    return dict(zip(functions, found.lines[0], strict=True))


def test_code_whose_literals_hold_pasted_output_is_likelier() -> None:
    functions = {
        "show": ["def show(rows):", "    return title(rows)"],
        "title": ["def title(rows):", '    return f"{name}, sorted by {rows.key!r}"'],
        "other": ["def other(rows):", "    # sorted by key", '    """Sorted by key."""'],
    }
    chances = favoured(OUTPUT, functions)
    assert chances["title"] > 1.2
    assert chances["show"] == chances["other"] == 1.0
    assert favoured("It hides the units sorted by name", functions)["title"] == 1.0


@pytest.mark.parametrize(
    ("title", "method"),
    [
        ("str() of an error is cut", "__str__"),
        ("Trailing blank in the text representation of groups", "__repr__"),
        ("Groups are not hashable", "__hash__"),
        ("Pickling a lazy group fails", "__reduce__"),
    ],
)
def test_special_methods_are_likelier_where_the_title_says_what_they_are_for(title: str, method: str) -> None:
    chances = favoured(title, {f"Group.{method}": ["def f():"], "Group.run": ["def run():"]})
    assert chances == {f"Group.{method}": pytest.approx(7.4), "Group.run": 1.0}
    assert set(favoured(f"Wrong\n\n{title}", {f"Group.{method}": ["def f():"]}).values()) == {1.0}


def test_documentation_is_less_likely_where_a_report_shows_code() -> None:
    functions = {"long": ["def long():"], "short": ["def short():"]}
    chances = favoured(OUTPUT, functions, comments={"long": 0.8})
    assert chances["long"] < 0.4 < chances["short"]
    assert favoured("It hides the units", functions, comments={"long": 0.8})["long"] == 1.0


def test_code_and_output_are_fenced_indented_or_quoted() -> None:
    for pasted in ("```\nsorted by units\n```", "    sorted by units", "> sorted by units"):
        assert ("sorted", "by") in find_symptoms(f"Title\n{pasted}").pairs
    for quoted in ("It says `sorted by units`", 'It says "sorted by units"'):
        assert find_symptoms(f"Title\n{quoted}") == (frozenset(), {("sorted", "by"), ("by", "units")}, False)
    assert not find_symptoms("Title\nIt is sorted by units").pairs


def test_a_pack_follows_what_a_report_shows(tmp_path: Path) -> None:
    body = "".join(f"        total += {at} * self.items[{at}].price  # cent\n" for at in range(12))
    methods = [f"    def __{name}__(self):\n{body}        return total\n" for name in ("hash", "iter")]
    write_files(tmp_path, {"cart.py": "class Cart:\n" + "\n".join(methods)})

    def compare(report: str) -> float:
        """Return how many times the share of `__iter__` that of `__hash__` is."""
        run = open_run(tmp_path)
        try:
            settings = PackSettings(find_form("markdown"), run.config.strategy, 4_000)
            weighed = run_pack(run, report, settings).weighed
        finally:
            run.workspace.close()
        (scored,) = [one for one in weighed.scored if one.item.path == "cart.py"]
        parts = zip(scored.parts, weighed.shares[scored.item.id], strict=True)
        shares = {part.name: share for part, share in parts}
        return shares["Cart.__hash__"] / shares["Cart.__iter__"]

    assert compare("Make carts with items hashable") > 4 * compare("Make carts with items cheaper")
