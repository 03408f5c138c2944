"""A representer says what lines are: it raises, it hides no error, and where it fails nothing changes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import ClassVar

import attrs
import pytest

from satchel import ContextItem, Host, Part, hookimpl, squeeze
from satchel.host import PluginKind
from satchel.output import Plugins
from satchel.tokens import guess

DULL = [f"step {word} of the plan is under way at node {at}" for at, word in enumerate(["one", "two"] * 400)]
TEXT = "\n".join([*DULL[:300], "marker alpha stands here", *DULL[300:], "error: the disk is full"])


@attrs.frozen
class Marked:
    """Knows lines that begin with `marker`, and calls all else noise."""

    name: ClassVar[str] = "marked"
    version: ClassVar[str] = "1"

    def claims(self, item: ContextItem) -> float:
        return 0.9 if item.kind == "output" and item.title == "plan" else 0.0

    def split(self, item: ContextItem) -> Sequence[Part]:
        lines = (item.text or "").split("\n")
        return [
            Part("failure" if line.startswith("marker") else "noise", "", (at, at), (at, at))
            for at, line in enumerate(lines, start=1)
        ]


@attrs.frozen
class Broken(Marked):
    """Claims every output and fails at it."""

    def split(self, item: ContextItem) -> Sequence[Part]:
        raise ValueError("no such report")


class Hooks:
    def __init__(self, plugin: type) -> None:
        self._plugin = plugin

    @hookimpl
    def satchel_representers(self) -> Iterable[type]:
        return [self._plugin]


@pytest.fixture(autouse=True)
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SATCHEL_STATE_DIR", str(tmp_path))


def shown(plugin: type, command: str = "plan", budget: int = 60) -> str:
    plugins = Plugins(Host.of(Hooks(plugin)))
    return squeeze(TEXT, command=command, budget=budget, count=guess, plugins=plugins).text


def test_what_a_representer_calls_a_failure_is_shown_at_a_small_budget() -> None:
    assert "marker alpha" in shown(Marked)


@pytest.mark.weekly
def test_a_representer_that_does_not_claim_the_command_changes_nothing() -> None:
    alone = squeeze(TEXT, command="other", budget=60, count=guess, plugins=Plugins(Host.empty())).text

    assert shown(Marked, "other") == alone


def test_noise_hides_no_error() -> None:
    assert "error: the disk is full" in shown(Marked)


def test_a_representer_that_fails_changes_nothing_and_is_a_problem() -> None:
    alone = squeeze(TEXT, command="plan", count=guess, plugins=Plugins(Host.empty()))

    squeezed = squeeze(TEXT, command="plan", count=guess, plugins=Plugins(Host.of(Hooks(Broken))))

    assert squeezed.text == alone.text
    assert "no such report" in str(squeezed.problems[0])


def test_the_environment_switches_plugins_off() -> None:
    plugins = Plugins(env={"SATCHEL_DISABLE_PLUGINS": "output-apt, markdown"})

    names = plugins.host.names(PluginKind.REPRESENTER)

    assert "python" in names
    assert not {"output-apt", "markdown"} & set(names)
