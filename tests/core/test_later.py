"""Classes that a hook names and the host imports when something may need them."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from satchel import Host, Later, PluginError, hookimpl
from satchel.host import EntryPoint, HostOptions, PluginKind

SCORER = """
from typing import ClassVar
import attrs

@attrs.frozen
class Plugin:
    name: ClassVar[str] = "{name}"
    kinds: ClassVar[frozenset[str]] = frozenset({{"file"}})
    grain: ClassVar[str] = "item"
    weight: float = 1.0

    def score(self, parts, task, workspace):
        return [0.5] * len(parts)
"""
FILE = frozenset({"file"})
Write = Callable[..., str]


@pytest.fixture
def write(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Write]:
    """Write a module with a scorer; return where it is."""
    monkeypatch.syspath_prepend(str(tmp_path))
    written: list[str] = []

    def _write(module: str, *, name: str = "", code: str = "") -> str:
        (tmp_path / f"{module}.py").write_text(code or SCORER.format(name=name or module))
        importlib.invalidate_caches()  # the folder may have been looked at within the same tick
        written.append(module)
        return f"{module}:Plugin"

    yield _write
    for module in written:
        sys.modules.pop(module, None)


def host_of(*found: Any, hook: str = "satchel_scorers") -> Host:
    return Host.of(SimpleNamespace(**{hook: hookimpl(lambda: found)}))


def test_a_class_is_not_imported_to_know_its_name(write: Write) -> None:
    host = host_of(Later("late_one", write("late_one")))

    assert host.names(PluginKind.SCORER) == ("late_one",)
    assert [plugin.name for plugin in host.known(PluginKind.SCORER)] == ["late_one"]
    assert "late_one" not in sys.modules


def test_a_class_is_imported_where_its_kind_takes_part(write: Write) -> None:
    host = host_of(Later("late_two", write("late_two")))
    ((loaded, made),) = host.make_all(PluginKind.SCORER, {})

    assert loaded.cls is sys.modules["late_two"].Plugin
    assert made.weight == 1.0
    assert host.problems == []


def test_only_the_class_that_is_chosen_is_imported(write: Write) -> None:
    host = host_of(Later("late_three", write("late_three")), Later("late_four", write("late_four")))

    assert host.find(PluginKind.SCORER, "late_three").cls.name == "late_three"
    assert "late_four" not in sys.modules


@pytest.mark.parametrize(
    ("kinds", "imported"), [({"output"}, False), ({"output", "file"}, True), (None, True)]
)
def test_a_class_is_not_imported_for_items_that_it_has_nothing_to_do_with(
    write: Write, kinds: set[str] | None, *, imported: bool
) -> None:
    host = host_of(Later("late_five", write("late_five"), FILE))

    assert len(host.loaded(PluginKind.SCORER, kinds)) == imported
    assert ("late_five" in sys.modules) is imported


def test_a_table_is_read_whatever_the_items_are(write: Write) -> None:
    host = host_of(Later("late_six", write("late_six"), FILE))
    ((_, made),) = host.make_all(PluginKind.SCORER, {"late_six": {"weight": 2.0}}, kinds={"output"})

    assert made.weight == 2.0


@pytest.mark.parametrize(
    ("code", "reason"),
    [
        ("import does_not_exist", "No module named 'does_not_exist'"),
        ("raise SystemExit(3)", "SystemExit: 3"),
        ("Plugin = 3", "it is not a class"),
        (SCORER.format(name="other"), "is called 'other', its hook calls it 'late_seven'"),
        (SCORER.format(name="late_seven").replace('"file"', '"diff"'), "has other kinds than its hook says"),
        ("x = 1", "has no attribute 'Plugin'"),
    ],
)
def test_one_that_cannot_be_imported_is_a_problem_and_costs_no_other(
    write: Write, code: str, reason: str
) -> None:
    host = host_of(
        Later("late_seven", write("late_seven", code=code), FILE), Later("late_fine", write("late_fine"))
    )

    assert [plugin.name for plugin in host.loaded(PluginKind.SCORER)] == ["late_fine"]
    assert [plugin.name for plugin in host.loaded(PluginKind.SCORER)] == ["late_fine"]
    (problem,) = host.problems
    assert (problem.plugin, problem.stage) == ("late_seven", "load")
    assert reason in problem.error


def test_one_that_cannot_be_imported_is_an_error_where_it_is_chosen(write: Write) -> None:
    host = host_of(Later("late_eight", write("late_eight", code="import does_not_exist")))

    with pytest.raises(PluginError, match="does_not_exist"):
        host.find(PluginKind.SCORER, "late_eight")


def test_one_that_hangs_is_given_up(write: Write) -> None:
    home = write("late_nine", code="import time\nwhile True: time.sleep(0.01)")
    module = SimpleNamespace(satchel_scorers=hookimpl(lambda: [Later("late_nine", home)]))
    host = Host.of(module, deadline_seconds=0.3)

    assert host.loaded(PluginKind.SCORER) == ()
    assert [problem.error for problem in host.problems if "no answer after" in problem.error]


def test_a_strict_host_raises(write: Write) -> None:
    home = write("late_ten", code="import does_not_exist")
    module = SimpleNamespace(satchel_scorers=hookimpl(lambda: [Later("late_ten", home)]))
    entry = EntryPoint("late", "late:0", "late", "", editable=True)
    host = Host([entry], modules={"late:0": module}, options=HostOptions(strict=True))

    with pytest.raises(PluginError, match="does_not_exist"):
        host.loaded(PluginKind.SCORER)


@pytest.mark.parametrize(
    "later",
    [
        Later("a", "no_colon"),
        Later("a", ":Plugin"),
        Later("a", "module:"),
        Later("", "module:Plugin"),
        Later("a b", "module:Plugin"),
        Later("a", "module:Plugin", {"file"}),  # type: ignore[arg-type]
        Later("a", "module:Plugin", frozenset({1})),  # type: ignore[arg-type]
    ],
)
def test_one_that_is_named_badly_is_a_problem(later: Later) -> None:
    host = host_of(later)

    assert host.names(PluginKind.SCORER) == ()
    assert len(host.problems) == 1


def test_a_scanner_that_cannot_be_imported_stops_the_run(write: Write, tmp_path: Path) -> None:
    from satchel.config import Config
    from satchel.installed import make_scanners

    home = write("late_eleven", code="import does_not_exist")
    host = host_of(Later("late_eleven", home), hook="satchel_scanners")

    with pytest.raises(PluginError, match="does_not_exist"):
        make_scanners(host, Config())
