from __future__ import annotations

import getpass
import os
import platform
import stat
import time
from contextlib import closing
from pathlib import Path

import pytest
from tests.core.repositories import commit, make_repository, write_files

from satchel import ContextItem, Task, Workspace, pack
from satchel_plugins.providers import Environment

from .manifested import open_copy

BROKEN = "the build fails after an upgrade"


def tool(folder: Path, name: str, script: str) -> Path:
    """Write an executable that stands for a tool."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / name
    path.write_text(f"#!/bin/sh\n{script}\n", encoding="utf-8")
    path.chmod(stat.S_IRWXU)
    return path


@pytest.fixture
def bin_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the one folder of the search path, with a node of version 20.11.1."""
    folder = tmp_path / "bin"
    tool(folder, "node", "echo v20.11.1")
    monkeypatch.setenv("PATH", str(folder))
    return folder


def gathered(name: str, tmp_path: Path, task: str = BROKEN) -> list[ContextItem]:
    with_root = open_copy(name, tmp_path)
    return list(Environment().gather(Task(task), with_root, ()))


def text_of(name: str, tmp_path: Path, task: str = BROKEN) -> str:
    return "".join(item.text or "" for item in gathered(name, tmp_path, task))


def test_a_tool_stands_beside_what_is_asked_for(bin_folder: Path, tmp_path: Path) -> None:
    assert "node 20.11.1; asked for >=99 in package.json:5: does not fit\n" in text_of("javascript", tmp_path)


def test_a_tool_that_is_not_there_is_named(bin_folder: Path, tmp_path: Path) -> None:
    assert "go not found; asked for 1.99 or newer in go.mod:3\n" in text_of("go", tmp_path)


@pytest.mark.parametrize(
    ("name", "asked"),
    [
        ("python", "asked for >=3.11 in pyproject.toml:7"),
        ("requirements", "asked for >=3.9 in setup.cfg:2"),
        ("rust", "rustc not found; asked for 1.99 or newer in crates/clock/Cargo.toml:3"),
        ("maven", "java not found; asked for 99 or newer in pom.xml:9"),
        ("ruby", "ruby not found; asked for 99.2.2 in Gemfile:2"),
        ("php", "php not found; asked for ^99.1 in composer.json:3"),
        ("dotnet", "dotnet not found; asked for 99.0 or newer in src/App/App.csproj:2"),
    ],
)
def test_each_ecosystem_tells_what_it_asks_for(
    name: str, asked: str, bin_folder: Path, tmp_path: Path
) -> None:
    assert asked in text_of(name, tmp_path)


@pytest.mark.parametrize(
    ("name", "text", "asked"),
    [
        (
            "tool.gemspec",
            'Gem::Specification.new do |s|\n  s.required_ruby_version = ">= 2.7.0"\nend\n',
            ">= 2.7.0",
        ),
        ("mix.exs", 'def project do\n  [app: :plug, elixir: "~> 1.15"]\nend\n', "~> 1.15"),
        ("environment.yml", "dependencies:\n  - python >=3.9,<9\n", ">=3.9,<9"),
        ("versions.tf", 'terraform {\n  required_version = ">= 1.5"\n}\n', ">= 1.5"),
        ("Package.swift", "// swift-tools-version: 6.3\nimport PackageDescription\n", "6.3 or newer"),
        ("Project.toml", 'name = "Tea"\n\n[compat]\njulia = "1.10"\n', "1.10 or newer"),
        ("dune-project", "(package\n (depends\n  (ocaml (>= 4.14))))\n", ">= 4.14"),
    ],
)
def test_files_tell_versions_of_languages(
    name: str, text: str, asked: str, bin_folder: Path, tmp_path: Path
) -> None:
    root = write_files(tmp_path / "w", {name: text})
    with closing(Workspace.open(root)) as workspace:
        (item,) = Environment().gather(Task("which version is required"), workspace, ())
    line = text[: text.index(asked.partition(" or ")[0])].count("\n") + 1
    assert f"asked for {asked} in {name}:{line}\n" in (item.text or "")


@pytest.mark.weekly
@pytest.mark.costly
@pytest.mark.parametrize(
    "task", ["which elixir version is required", "what is the oldest elixir you support?"]
)
def test_the_version_that_is_asked_for_answers_a_question_without_commits(task: str, tmp_path: Path) -> None:
    text = 'defmodule Plug.MixProject do\n  def project do\n    [app: :plug, elixir: "~> 1.15"]\n  end\nend\n'
    root = make_repository(tmp_path / "plug", {"mix.exs": text, "lib/plug.ex": "defmodule Plug do\nend\n"})
    commit(root, "Support the newest elixir version")

    items = pack(task, root=root, budget=4_000).items

    assert "environment" in {item.kind for item in items}
    assert not {"commit", "blame", "tree"} & {item.kind for item in items}
    kept = {item.kind for item in pack("how does the plug module work?", root=root, budget=4_000).items}
    assert "environment" not in kept


def test_only_tools_that_the_project_needs_are_named(bin_folder: Path, tmp_path: Path) -> None:
    text = text_of("go", tmp_path)

    assert "node" not in text
    assert "cargo" not in text


def test_a_task_about_something_else_runs_nothing_and_counts_little(bin_folder: Path, tmp_path: Path) -> None:
    tool(bin_folder, "node", f"touch {tmp_path}/was-run; echo v20.11.1")
    [item] = gathered("javascript", tmp_path, "the colour of the chart")

    assert item.relevance <= 0.1
    assert not (tmp_path / "was-run").exists()


def test_a_tool_of_the_workspace_is_never_run(
    bin_folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    workspace = open_copy("javascript", tmp_path)
    evil = tool(workspace.root / "bin", "node", f"touch {tmp_path}/was-run; echo v99.0.0")
    tool(workspace.root / "bin", "npm", f"touch {tmp_path}/was-run; echo 99.0.0")
    (bin_folder / "node").unlink()
    (bin_folder / "node").symlink_to(evil)
    monkeypatch.setenv(
        "PATH", os.pathsep.join((str(workspace.root / "bin"), "bin", ".", "", str(bin_folder)))
    )
    monkeypatch.chdir(workspace.root)

    [item] = Environment().gather(Task(BROKEN), workspace, ())

    assert "node not found" in (item.text or "")
    assert not (tmp_path / "was-run").exists()


def test_a_folder_that_leads_into_the_workspace_is_left_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    workspace = open_copy("javascript", tmp_path)
    tool(workspace.root / "bin", "node", "echo v99.0.0")
    (tmp_path / "link").symlink_to(workspace.root / "bin")
    monkeypatch.setenv("PATH", str(tmp_path / "link"))

    [item] = Environment().gather(Task(BROKEN), workspace, ())

    assert "node not found" in (item.text or "")


def test_a_tool_that_hangs_is_given_up_with_what_it_started(bin_folder: Path, tmp_path: Path) -> None:
    tool(bin_folder, "node", "/bin/sleep 60 & /bin/sleep 60")

    started = time.monotonic()
    text = text_of("javascript", tmp_path)

    assert "node of unknown version" in text
    assert time.monotonic() - started < 10


@pytest.mark.parametrize(
    "script", ["exit 3", "echo", "echo no version here", "kill -9 $$", "printf '\\377\\0'"]
)
def test_a_tool_that_tells_no_version_is_there_all_the_same(
    script: str, bin_folder: Path, tmp_path: Path
) -> None:
    tool(bin_folder, "node", script)

    assert "node of unknown version; asked for >=99" in text_of("javascript", tmp_path)


def test_a_version_is_asked_for_once_until_the_tool_changes(bin_folder: Path, tmp_path: Path) -> None:
    count = tmp_path / "count"
    count.mkdir()
    tool(bin_folder, "node", f": > {count}/$$; echo v20.11.1")
    text_of("javascript", tmp_path / "1")
    text_of("javascript", tmp_path / "2")
    tool(bin_folder, "node", f": > {count}/$$; echo v22.0.0-and-longer")

    assert "node 22.0.0" in text_of("javascript", tmp_path / "3")
    assert len(list(count.iterdir())) == 2


@pytest.mark.parametrize("damage", ["", "{", "[]", '{"a": 1}', "\x00", "[" * 100_000])
def test_a_damaged_cache_is_made_again(
    damage: str, bin_folder: Path, tmp_path: Path, cache_dir: Path
) -> None:
    cache_dir.mkdir(parents=True, exist_ok=True)
    (cache_dir / "tools.json").write_text(damage)

    assert "node 20.11.1" in text_of("javascript", tmp_path)


def test_no_value_of_the_environment_is_told(
    bin_folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tool(bin_folder, "node", "echo $HOME $PATH ${SECRET_TOKEN:-unset} $(/usr/bin/env); echo v20.11.1")
    monkeypatch.setenv("SECRET_TOKEN", "31337.42")
    text = text_of("javascript", tmp_path)

    told = (platform.node(), getpass.getuser() + "@", str(Path.home()), "31337", str(tmp_path))
    assert not [value for value in told if value and value in text]


def test_the_item_stays_within_its_cap_and_starts_with_the_system(bin_folder: Path, tmp_path: Path) -> None:
    [item] = gathered("javascript", tmp_path)

    assert len((item.text or "").encode()) <= 3 * Environment().max_tokens
    assert platform.system() in (item.text or "")


def test_an_empty_workspace_has_the_system_where_it_matters(bin_folder: Path, tmp_path: Path) -> None:
    assert gathered("", tmp_path / "a", "the colour of the chart") == []
    assert platform.python_version() in text_of("", tmp_path / "b")


@pytest.mark.parametrize(
    ("task", "is_answer"),
    [
        ("which version of go is needed?", True),
        ("what is the minimum go version", True),
        ("which go version does this support", True),
        ("which version of good wine is needed?", False),
        ("the build fails with go 1.98", False),
        ("how do I build it with go?", False),
    ],
)
def test_the_list_answers_which_version_is_needed(
    bin_folder: Path, tmp_path: Path, task: str, is_answer: bool
) -> None:
    found = gathered("go", tmp_path, task)

    assert [item.is_answer for item in found] == [is_answer for _ in found]
    assert found or not is_answer
