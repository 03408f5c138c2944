"""What a task names, in every form, in linear time."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from satchel.errors import PointerError
from satchel.items import Reference
from satchel.referencing import Paths, find_pin, find_references, make_task

KNOWN = Paths(
    [
        "README.md",
        "Makefile",
        "src/app.py",
        "src/shop/login.py",
        "src/shop/__init__.py",
        "src/mail/__init__.py",
        "tests/login.py",
        "web/cart.ts",
        "docs/a b.md",
    ]
)


def named(text: str, kind: str = "path") -> list[tuple[str, tuple[int, int]]]:
    return [(ref.path or ref.name, ref.lines) for ref in find_references(text, KNOWN) if ref.kind == kind]


@pytest.mark.parametrize(
    ("text", "path", "lines"),
    [
        ("look at src/app.py please", "src/app.py", (0, 0)),
        ("look at @src/app.py", "src/app.py", (0, 0)),
        ("in app.py.", "src/app.py", (0, 0)),
        ("(app.py)", "src/app.py", (0, 0)),
        ("`src/app.py:120` fails", "src/app.py", (120, 120)),
        ("src/app.py:10-40", "src/app.py", (10, 40)),
        ("src/app.py:12:5: error", "src/app.py", (12, 12)),
        ("./src/app.py", "src/app.py", (0, 0)),
        ("/home/me/project/src/app.py:7", "src/app.py", (7, 7)),
        ("shop/login.py is wrong", "src/shop/login.py", (0, 0)),
        ("@Makefile", "Makefile", (0, 0)),
        ("the Makefile", "Makefile", (0, 0)),
        ('  File "/usr/lib/project/src/app.py", line 33, in run', "src/app.py", (33, 33)),
        ("at total (web/cart.ts:8:14)", "web/cart.ts", (8, 8)),
    ],
)
def test_files_are_found_in_every_form(text: str, path: str, lines: tuple[int, int]) -> None:
    assert (path, lines) in named(text)


def test_a_name_that_several_files_have_means_them_all() -> None:
    assert [path for path, _ in named("see login.py")] == ["tests/login.py", "src/shop/login.py"]


@pytest.mark.parametrize("text", ["nosuch.py", "e.g. this", "1.5", "...", "app", "src", "http://x.y/z", ""])
def test_what_is_no_file_of_the_workspace_is_no_path(text: str) -> None:
    assert named(text) == []


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("Session.close hangs", "Session.close"),
        ("std::vector grows", "std.vector"),
        ("Session#close", "Session.close"),
        ("check_password fails", "check_password"),
        ("the checkPassword call", "checkPassword"),
        ("call login() twice", "login"),
        ("`login` is slow", "login"),
    ],
)
def test_symbols_are_found_in_every_form(text: str, name: str) -> None:
    assert name in [found for found, _ in named(text, "symbol")]


def test_plain_words_are_no_symbols() -> None:
    assert named("the login of the user fails sometimes", "symbol") == []


def test_quoted_strings_and_numbers_are_found() -> None:
    found = find_references('it says "no such user" since #123', KNOWN)

    assert {(ref.kind, ref.name or ref.text) for ref in found} == {
        ("string", "no such user"),
        ("number", "123"),
    }


def test_each_reference_is_told_once_and_never_more_than_four_hundred() -> None:
    many = " ".join(f"some_name_{number}" for number in range(1_000))

    assert len(find_references(many + " src/app.py" * 50, KNOWN)) == 400
    assert len(named("src/app.py " * 50)) == 1


HOSTILE = (
    "a.",
    "a/",
    "/",
    "//",
    ".",
    "'",
    '"',
    "`",
    '"""',
    "@",
    "#1",
    "a.a",
    "::",
    "_",
    "a-",
    "+",
    "+a/",
    "\\",
)


@pytest.mark.parametrize(
    "piece", [*HOSTILE, "`'\"", "x" * 99 + "/", "app.py:1-", 'File "', "src/__init__.py ", "\x00"]
)
def test_a_megabyte_of_anything_is_read_in_seconds(piece: str) -> None:
    paths = Paths([f"d{number}/src/__init__.py" for number in range(1_000)])

    started = time.process_time()
    find_references(piece * (1_000_000 // len(piece)), paths)

    assert time.process_time() - started < 6


def test_a_long_log_of_the_same_file_is_read_in_seconds() -> None:
    paths = Paths([f"d{number}/src/__init__.py" for number in range(2_000)])
    log = 'File "/home/me/project/src/__init__.py", line 3, in run\n' * 15_000

    started = time.process_time()
    found = find_references(log, paths)

    assert time.process_time() - started < 6
    assert found[0].lines == (3, 3)


@given(text=st.text(max_size=300))
def test_any_text_has_references_that_stand_in_it(text: str) -> None:
    for reference in find_references(text, KNOWN):
        assert reference.text in text
        assert 0 <= reference.lines[0] <= reference.lines[1] or reference.lines == (0, 0)


@pytest.mark.parametrize(
    ("written", "path", "lines"),
    [
        ("src/app.py", "src/app.py", (0, 0)),
        ("@src/app.py:3", "src/app.py", (3, 3)),
        ("app.py:3-9", "src/app.py", (3, 9)),
        ("./src/app.py", "src/app.py", (0, 0)),
        ("docs/a b.md", "docs/a b.md", (0, 0)),
    ],
)
def test_a_pin_is_resolved(written: str, path: str, lines: tuple[int, int]) -> None:
    assert find_pin(written, KNOWN) == Reference(written, "path", path, lines)


def test_a_pin_of_an_unknown_file_tells_the_nearest() -> None:
    with pytest.raises(PointerError, match=r"did you mean src/app\.py\?"):
        find_pin("src/ap.py", KNOWN)


def test_a_pin_that_several_files_fit_is_refused_with_their_names() -> None:
    with pytest.raises(PointerError, match=r"tests/login\.py, src/shop/login\.py"):
        find_pin("login.py", KNOWN)


def test_a_pin_of_a_whole_path_is_that_file_although_others_end_in_it() -> None:
    paths = Paths(["login.py", "src/login.py"])

    assert find_pin("login.py", paths).path == "login.py"


@pytest.mark.parametrize("written", ["", "  ", "nosuch.xyz", "src", "../src/app.py", "/etc/passwd", ":3"])
def test_a_pin_that_names_no_file_is_refused(written: str) -> None:
    with pytest.raises(PointerError):
        find_pin(written, KNOWN)


def test_a_task_knows_its_text_references_pins_and_open_files() -> None:
    task = make_task("fix src/app.py", ["src/app.py", "b.py"], pins=["b.py:2"], open_files=["app.py"])

    assert task.text == "fix src/app.py"
    assert [ref.path for ref in (*task.references, *task.pins, *task.open_files)] == [
        "src/app.py",
        "b.py",
        "src/app.py",
    ]
