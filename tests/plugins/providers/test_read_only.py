"""Files that are configured to be read."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any, ClassVar

import attrs
import pytest

import satchel_plugins
from satchel import Host, PackOptions, pack
from satchel.config import Config
from satchel.packing import suggest
from satchel.plugin_api import ContextItem, ReadOnlyProvider, Task, Workspace, hookimpl, match_paths
from satchel.workspace import is_read_only
from satchel_plugins.providers import ReadOnly

from .opening import Files, found, workspace_of

DOCS: Files = {f"docs/{name}.md": name * 300 + "\n" for name in "abcd"} | {"src/x.py": "x = 1\n"}


def paths(folder: Path, provider: ReadOnly, task: str = "why") -> list[str]:
    with workspace_of(folder, DOCS) as workspace:
        for age, name in enumerate("abcd"):
            os.utime(workspace.root / f"docs/{name}.md", (1e9 - age, 1e9 - age))
    with workspace_of(folder, {}) as workspace:
        return [item.path for item in found(provider, task, workspace)]


def test_globs_and_paths_are_offered_once_each(tmp_path: Path) -> None:
    provider = ReadOnly(files=("docs/*.md", "docs/a.md", "src/"))

    assert sorted(paths(tmp_path, provider)) == [
        "docs/a.md",
        "docs/b.md",
        "docs/c.md",
        "docs/d.md",
        "src/x.py",
    ]


def test_the_least_recently_used_goes_first(tmp_path: Path) -> None:
    assert paths(tmp_path, ReadOnly(files=("docs/*.md",), max_tokens=250)) == ["docs/a.md", "docs/b.md"]
    assert paths(tmp_path, ReadOnly(files=("docs/*.md",), max_files=2), "read d.md") == [
        "docs/d.md",
        "docs/a.md",
    ]


def test_a_pinned_file_never_goes(tmp_path: Path) -> None:
    provider = ReadOnly(files=("docs/*.md",), pinned=("docs/d.md",), max_files=1, max_tokens=1)

    assert paths(tmp_path, provider) == ["docs/d.md"]


def test_what_matches_nothing_is_told_and_the_rest_is_offered(tmp_path: Path) -> None:
    with workspace_of(tmp_path, DOCS) as workspace:
        items = found(ReadOnly(files=("docs/a.md", "doc/*.md", "*.rst")), "why", workspace)

        assert [item.path for item in items] == ["docs/a.md"]
        assert "matches no file: doc/*.md, *.rst" in str(workspace.problems[-1])


def test_a_file_is_shown_as_it_was_first_where_it_shall_not_refresh(tmp_path: Path) -> None:
    texts = []
    for text in ("old\n", "newer text\n"):
        with workspace_of(tmp_path, {"a.md": text}) as workspace:
            found(ReadOnly(files=("a.md",), refresh=False), "why", workspace)
            (item,) = found(ReadOnly(files=("a.md",), refresh=False), "why", workspace)
            (fresh,) = found(ReadOnly(files=("a.md",)), "why", workspace)
            texts += [item.text, fresh.text]

    assert texts == [None, None, "old\n", None]


@pytest.mark.parametrize(
    ("pattern", "expected"),
    [
        ("docs/*.md", ["docs/a.md"]),
        ("**/*.md", ["a.md", "docs/a.md", "docs/deep/b.md"]),
        ("docs/", ["docs/a.md", "docs/deep/b.md"]),
        ("docs", ["docs/a.md", "docs/deep/b.md"]),
        ("./a.md", ["a.md"]),
        ("doc", []),
        ("", []),
    ],
)
def test_a_pattern_names_paths(pattern: str, expected: list[str]) -> None:
    assert match_paths(pattern, ["a.md", "docs/a.md", "docs/deep/b.md", "docs2/c.txt"]) == expected


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("docs/new.md", True),
        ("docs/x.py", False),
        ("../docs/a.md", False),
        ("KEEP", True),
        ("./docs//a.md", True),
    ],
)
def test_an_editor_can_ask_whether_a_file_is_read_only(tmp_path: Path, path: str, expected: bool) -> None:
    config = Config(plugins={"provider": {"read_only": {"files": ["docs/*.md"], "pinned": ["KEEP"]}}})

    assert is_read_only(path, tmp_path, config=config) is expected


def test_the_answer_is_that_of_the_workspaces_configuration(tmp_path: Path) -> None:
    (tmp_path / "satchel.toml").write_text('[provider.read_only]\nfiles = ["docs/*.md"]\n')

    assert is_read_only(tmp_path / "docs/a.md", tmp_path)
    assert not is_read_only("src/a.py", tmp_path)


@attrs.frozen
class Laws(ReadOnlyProvider):
    """A third party's provider of files that are to be read."""

    name: ClassVar[str] = "laws"
    wave: ClassVar[int] = 1
    read_only_settings: ClassVar[tuple[str, ...]] = ("pages",)
    max_items: int = 9
    max_tokens: int = 1_000
    pages: tuple[str, ...] = ("LAW.md",)

    def gather(self, task: Task, workspace: Workspace, best: Sequence[ContextItem]) -> Iterable[ContextItem]:
        paths = [path for one in self.pages for path in match_paths(one, workspace.index.documents)]
        return [ContextItem(f"law:{path}", self.name, "law", path, text=f"keep {path}\n") for path in paths]


@pytest.fixture
def court(tmp_path: Path) -> Path:
    for name in ("LAW.md", "CONTRIBUTING.md", "code.py"):
        (tmp_path / name).write_text(f"# {name}\n")
    return tmp_path


@pytest.fixture
def laws() -> Host:
    return Host.of(satchel_plugins, SimpleNamespace(satchel_providers=hookimpl(lambda: [Laws])))


def test_a_third_partys_provider_makes_files_read_only_as_the_built_in_one_does(
    court: Path, laws: Host
) -> None:
    config = Config(plugins={"provider": {"laws": {"pages": ["CONTRIBUTING.md"]}}})

    assert is_read_only("LAW.md", court, config=Config(), host=laws)  # by its default
    assert is_read_only("CONTRIBUTING.md", court, config=config, host=laws)
    assert not is_read_only("LAW.md", court, config=config, host=laws)
    assert "CONTRIBUTING.md" in {one.path for one in suggest(court, host=laws, config=Config())}
    assert "CONTRIBUTING.md" not in {one.path for one in suggest(court, host=laws, config=config)}


def test_a_sessions_files_are_added_to_those_of_each_provider(court: Path, laws: Host) -> None:
    options = PackOptions(read_only=("code.py", "gone/*.md"), config=Config())

    bundle = pack("keep the laws", court, host=laws, options=options)

    assert {item.title for item in bundle.items if item.provider == "laws"} == {"LAW.md", "code.py"}
    assert "matches no file: gone/*.md; correct it in [provider.read_only]" in str(bundle.problems)


@pytest.mark.parametrize(
    ("named", "told"),
    [
        (5, "its read_only_settings are 5, not a tuple of names"),
        (("page",), "its read_only_settings name 'page', which is not a setting"),
    ],
)
def test_what_is_no_setting_refuses_the_provider(named: Any, told: str, court: Path) -> None:
    wrong = attrs.frozen(
        type("Wrong", (Laws,), {"name": "wrong", "read_only_settings": named, "__slots__": ()})
    )
    host = Host.of(satchel_plugins, SimpleNamespace(satchel_providers=hookimpl(lambda: [wrong])))

    bundle = pack("keep the laws", court, host=host, options=PackOptions(config=Config()))

    assert [one.error.partition(": ")[2] for one in bundle.problems] == [told]
