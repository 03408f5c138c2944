"""What a machine reads of a text: comments and layout make no difference, code does."""

from __future__ import annotations

import time

import pytest

from satchel.session import read_code


def code(text: str, language: str) -> tuple[str, ...]:
    """Return the tokens of a text whose language is known."""
    reading = read_code(text, language)
    assert reading is not None
    return reading.code


@pytest.mark.parametrize(
    ("language", "old", "new"),
    [
        ("python", "def f(a):\n    return a\n", "def f(\n    a,\n):\n    # same\n    return a\n"),
        ("python", 'def f():\n    "one"\n    return 1\n', 'def f():\n    "two"\n    return 1\n'),
        ("javascript", "let a = 'x'; // one\n", 'let a\n  = "x";\n'),
        ("go", "x := 1 /* a */ + 2\n", "x := 1 +\n\t2\n"),
        ("rust", "fn f() {} // a\n", "fn f() {\n}\n"),
        ("bash", "echo a # b\n", "echo   a\n"),
        ("sql", "SELECT a -- b\nFROM c", "SELECT a FROM c"),
        ("css", "a { b: c } /* d */", "a {\n b: c\n}"),
        ("html", "<p>a</p><!-- b -->", "<p>a</p>"),
        ("yaml", "a:\n  b: 1 # c\n", "a:\n  b: 1\n\n"),
        ("json5", "{a: [1,]}", "{a: [1]}"),
    ],
)
def test_comments_and_layout_make_no_difference(language: str, old: str, new: str) -> None:
    assert code(old, language) == code(new, language)


@pytest.mark.parametrize(
    ("language", "old", "new"),
    [
        ("python", "if a:\n    b()\n    c()\n", "if a:\n    b()\nc()\n"),
        ("python", "x = 'a # b'\n", "x = 'a # c'\n"),
        ("python", 'x = "doc"\n', 'x = "cod"\n'),
        ("javascript", "let a = '// x'", "let a = '// y'"),
        ("c", 'puts("/* a */");', 'puts("/* b */");'),
        ("bash", "echo a#b", "echo a#c"),
        ("yaml", "a:\n  b: 1\n", "a:\n    b: 1\n"),
        ("rust", "a - b", "a + b"),
    ],
)
def test_code_makes_a_difference(language: str, old: str, new: str) -> None:
    assert code(old, language) != code(new, language)


def test_comments_are_told() -> None:
    reading = read_code("a = 1  # one\n# two\n", "python")

    assert reading is not None
    assert reading.comments == ("# one", "# two")


def test_a_text_that_is_not_finished_or_of_no_known_language_is_not_read() -> None:
    assert read_code("def f(:\n  '''", "python") is None
    assert read_code("some words", "markdown") is None


@pytest.mark.costly
@pytest.mark.parametrize(
    ("piece", "language"), [("/*", "c"), ('"', "go"), ("<!--", "html"), ("((", "python")]
)
def test_hostile_texts_take_no_time(piece: str, language: str) -> None:
    begun = time.process_time()

    read_code((piece * 500_000)[:200_000], language)

    assert time.process_time() - begun < 5
