"""Where caches are kept."""

from __future__ import annotations

from pathlib import Path

import pytest

from satchel.workspace.places import cache_folder


def test_the_variable_names_the_folder() -> None:
    assert cache_folder({"SATCHEL_CACHE_DIR": "/somewhere/else"}) == Path("/somewhere/else")


def test_a_home_and_a_relative_folder_are_made_absolute(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)

    assert cache_folder({"SATCHEL_CACHE_DIR": "cache"}) == tmp_path / "cache"
    assert cache_folder({"SATCHEL_CACHE_DIR": "~/cache"}) == Path.home() / "cache"


@pytest.mark.parametrize("env", [{}, {"SATCHEL_CACHE_DIR": ""}])
def test_else_it_is_the_persons_cache_folder(env: dict[str, str], own_home: Path) -> None:
    folder = cache_folder(env)

    assert folder.name == "satchel"
    assert folder.is_relative_to(own_home)


def test_the_environment_is_asked_where_none_is_given(cache_dir: Path) -> None:
    assert cache_folder() == cache_dir
