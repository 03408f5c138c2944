"""The fixtures that plugins' own tests get."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import ClassVar

import attrs
import pytest

from satchel import Bundle, ConfigError, Part, Task, Workspace
from satchel.host import PluginKind
from satchel.testing.repository import kind_of

Make = Callable[[Mapping[str, str]], Workspace]


@attrs.frozen
class Last:
    """Likes the file that everybody else likes least."""

    name: ClassVar[str] = "last"
    kinds: ClassVar[frozenset[str]] = frozenset({"file"})
    grain: ClassVar[str] = "item"
    weight: float = 50.0
    path: str = "z.py"

    def score(self, parts: Sequence[Part], task: Task, workspace: Workspace) -> Sequence[float]:
        return [float(part.path == self.path) for part in parts]


def test_a_workspace_is_made_of_any_files(satchel_make_workspace: Make) -> None:
    one = satchel_make_workspace({"a.py": "x = 1\n", "docs/b.md": "# B\n"})
    two = satchel_make_workspace({})

    assert sorted(file.path for file in one.files.entries()) == ["a.py", "docs/b.md"]
    assert one.texts.read("a.py") == "x = 1\n"
    assert len(one.history.commits()) == 1
    assert not list(two.files.entries())


def test_a_pack_takes_a_plugin_and_its_settings(satchel_pack: Callable[..., Bundle]) -> None:
    files = {f"{letter}.py": f"def task_{letter}():\n    return {at}\n" for at, letter in enumerate("abz")}
    plain = satchel_pack("fix the task", files=files)
    first = satchel_pack("fix the task", plugin=Last, files=files)
    other = satchel_pack("fix the task", plugin=Last, files=files, path="b.py")

    assert not plain.problems + first.problems
    assert plain.tokens <= 4_000
    assert not [item for item in plain.items if "last" in item.scores]
    assert {item.path: item.scores.get("last") for item in first.items if item.scores.get("last")} == {
        "z.py": 1.0
    }
    assert {item.path: item.scores.get("last") for item in other.items if item.scores.get("last")} == {
        "b.py": 1.0
    }


@pytest.mark.weekly
def test_a_wrong_setting_is_told(satchel_pack: Callable[..., Bundle]) -> None:
    with pytest.raises(ConfigError, match="last"):
        satchel_pack("fix the task", plugin=Last, wieght=1)


def test_the_kind_of_a_class_is_that_of_its_methods() -> None:
    assert kind_of(Last) is PluginKind.SCORER
    with pytest.raises(TypeError, match="any kind of plugin"):
        kind_of(3)
