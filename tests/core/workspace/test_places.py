"""Where caches are kept."""

from __future__ import annotations

from pathlib import Path

import pytest

from satchel.plugin_api import cache_folder, make_private_folder


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


def test_every_folder_that_is_made_is_the_persons_alone(tmp_path: Path) -> None:
    make_private_folder(tmp_path / "a/b")

    assert [(tmp_path / name).stat().st_mode & 0o777 for name in ("a", "a/b")] == [0o700, 0o700]


def test_a_folder_that_others_may_write_in_is_closed_to_them(tmp_path: Path) -> None:
    tmp_path.chmod(0o777)

    make_private_folder(tmp_path)

    assert tmp_path.stat().st_mode & 0o777 == 0o755


def test_a_file_in_the_place_of_a_folder_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "f").write_text("x")

    with pytest.raises(NotADirectoryError):
        make_private_folder(tmp_path / "f")
