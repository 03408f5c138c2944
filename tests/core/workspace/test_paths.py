from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from satchel import WorkspaceError
from satchel.paths import inside
from satchel.plugin_api import relative_path, safe_text

ROOT = Path("/srv/app")


@pytest.mark.parametrize(
    "path",
    ["src/a.py", "./src/a.py", "src//a.py", "src/./a.py", "src/b/../a.py", "/srv/app/src/a.py", "src\\a.py"],
)
def test_every_spelling_of_a_path_is_understood(path: str) -> None:
    assert inside(ROOT, path) == ROOT / "src/a.py"
    assert relative_path(ROOT, path) == "src/a.py"


@pytest.mark.parametrize(
    "path",
    [
        "..",
        "../app-secret/a",
        "/srv/app-secret/a",
        "src/../../a",
        "/etc/passwd",
        "/srv/app/../x",
        "..\\x",
        "C:\\x",
    ],
)
def test_a_path_outside_the_root_is_refused(path: str) -> None:
    with pytest.raises(WorkspaceError, match="is outside /srv/app"):
        inside(ROOT, path)


def test_the_root_itself_is_inside() -> None:
    assert inside(ROOT, ".") == inside(ROOT, "") == inside(ROOT, "/srv/app/") == ROOT
    assert relative_path(ROOT, ".") == ""


def test_a_zero_byte_is_refused() -> None:
    with pytest.raises(WorkspaceError, match="zero byte"):
        inside(ROOT, "a\0b")


def test_an_absolute_path_may_use_the_resolved_root(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to("real")

    assert relative_path(tmp_path / "link", f"{tmp_path}/real/a.py") == "a.py"


def test_a_backslash_in_the_name_of_a_file_stays(tmp_path: Path) -> None:
    (tmp_path / "a\\b").touch()

    assert relative_path(tmp_path, "a\\b") == "a\\b"
    assert relative_path(tmp_path, "c\\b") == "c/b"


@given(st.text(max_size=40))
def test_what_is_inside_lies_below_the_root(path: str) -> None:
    try:
        found = inside(ROOT, path)
    except WorkspaceError:
        return

    assert ".." not in found.parts
    assert found.is_relative_to(ROOT)
    assert inside(ROOT, str(found.relative_to(ROOT))) == found


@pytest.mark.parametrize(
    ("path", "shown"),
    [
        ("src/a b.py", "src/a b.py"),
        ("naïve/文.py", "naïve/文.py"),
        ("a\nb", "a\\nb"),
        ("a\x1b[31m", "a\\u{1b}[31m"),
        ("a\u202eb", "a\\u{202e}b"),
        ("a\U000e0041", "a\\u{e0041}"),
        (os.fsdecode(b"caf\xe9"), "caf\\xe9"),
    ],
)
def test_hidden_characters_of_a_name_are_shown(path: str, shown: str) -> None:
    assert safe_text(path) == shown


@given(st.text())
def test_a_shown_path_is_one_line_that_can_be_encoded(path: str) -> None:
    shown = safe_text(path)

    assert len(shown.splitlines()) <= 1
    shown.encode()
