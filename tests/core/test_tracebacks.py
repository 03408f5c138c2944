"""Frames of every language, innermost first, in linear time."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.amounts import sized

from satchel.plugin_api import find_frames

PYTHON = (
    'Traceback (most recent call last):\n  File "/x/src/app.py", line 3, in run\n    total()\n'
    '  File "/x/src/cart.py", line 8, in total\n    raise KeyError\nKeyError\n'
)
TRACES = {
    "python": (PYTHON, [("/x/src/cart.py", 8), ("/x/src/app.py", 3)]),
    "pytest": (
        "tests/test_a.py:4: in test_a\n    run()\nsrc/app.py:9: ValueError\n",
        [("src/app.py", 9), ("tests/test_a.py", 4)],
    ),
    "ipython": (
        "KeyError  Traceback (most recent call last)\nFile ~/x/src/app.py:3, in App.run(self)\n    2 n = 1\n"
        "----> 3 total()\n\nFile ~/x/src/cart.py:8, in total()\n----> 8 raise KeyError\n\nKeyError: 1\n",
        [("~/x/src/cart.py", 8), ("~/x/src/app.py", 3)],
    ),
    "old ipython": (
        "KeyError  Traceback (most recent call last)\n<ipython-input-3> in <module>\n----> 1 run()\n\n"
        "/x/src/app.py in run(self)\n      2 n = 1\n----> 3 total()\n      4 \n\n"
        "/x/src/cart.py in total()\n      6 \n      7     try:\n--> 8     raise KeyError\n\nKeyError: 1\n",
        [("/x/src/cart.py", 8), ("/x/src/app.py", 3)],
    ),
    "node": (
        "TypeError: x\n    at Cart.total (/srv/web/cart.js:8:14)\n    at async file:///srv/web/main.mjs:3:1\n",
        [("/srv/web/cart.js", 8), ("/srv/web/main.mjs", 3)],
    ),
    "go": (
        "panic: x\n\ngoroutine 1 [running]:\nmain.run(0x1)\n\t/u/store/store.go:33 +0x1d\n"
        "main.main()\n\t/u/main.go:9 +0x2\n",
        [("/u/store/store.go", 33), ("/u/main.go", 9)],
    ),
    "rust": (
        "thread 'main' panicked at src/parse.rs:4:5:\nboom\n   3: core::run\n"
        "             at ./src/main.rs:9:5\n",
        [("src/parse.rs", 4), ("./src/main.rs", 9)],
    ),
    "old rust": ("thread 'main' panicked at 'boom', src/parse.rs:4:5\n", [("src/parse.rs", 4)]),
    "java": (
        "java.lang.Error: x\n\tat com.shop.Cart.total(Cart.java:42)\n\tat com.shop.Main.main(Main.java:7)\n",
        [("com/shop/Cart.java", 42), ("com/shop/Main.java", 7)],
    ),
    "kotlin": ("\tat com.shop.CartKt$main$1.invoke(Cart.kt:5)\n", [("com/shop/Cart.kt", 5)]),
    "c#": (
        "   at Shop.Cart.Total(String n) in C:\\src\\Shop\\Cart.cs:line 17\n"
        "   at Shop.Main() in /src/Main.cs:line 2\n",
        [("C:\\src\\Shop\\Cart.cs", 17), ("/src/Main.cs", 2)],
    ),
    "ruby": (
        "app/user.rb:12:in `save': bad (RuntimeError)\n\tfrom app/main.rb:30:in 'Object#run'\n",
        [("app/user.rb", 12), ("app/main.rb", 30)],
    ),
    "gcc": ("src/util.c:10:5: error: expected ';'\n", [("src/util.c", 10)]),
    "clang on windows": ("C:\\src\\util.c:10:5: fatal error: no file\n", [("C:\\src\\util.c", 10)]),
    "rustc": ("error[E0382]: moved\n  --> src/main.rs:20:9\n", [("src/main.rs", 20)]),
    "tsc": ("web/cart.ts(12,5): error TS2322: no\n", [("web/cart.ts", 12)]),
    "php": (
        "PHP Fatal error:  Uncaught Exception: x in /var/www/lib/Mail.php:12\nStack trace:\n"
        "#0 /var/www/lib/Send.php(33): mail()\n#1 {main}\n",
        [("/var/www/lib/Mail.php", 12), ("/var/www/lib/Send.php", 33)],
    ),
    "php warning": ("Warning: x in /var/www/a.php on line 4\n", [("/var/www/a.php", 4)]),
}


@pytest.mark.parametrize("name", TRACES)
def test_frames_are_found_innermost_first(name: str) -> None:
    text, expected = TRACES[name]

    frames = find_frames(text)

    assert [(frame.path, frame.line) for frame in frames] == expected
    assert [frame.depth for frame in frames] == list(range(len(frames)))


def test_two_tracebacks_are_two() -> None:
    frames = find_frames(
        PYTHON + "\nDuring handling of the above exception, another exception occurred:\n\n" + PYTHON
    )

    assert [(frame.trace, frame.depth) for frame in frames] == [(0, 0), (0, 1), (1, 0), (1, 1)]


def test_each_compiler_message_stands_for_itself() -> None:
    assert [frame.depth for frame in find_frames("a.c:1:2: error: x\nb.c:3:4: error: y\n")] == [0, 0]


@pytest.mark.parametrize(
    "text", ["", "at home (see 3:4)", "in the file: line 3", "10:30:05 error", "a sentence."]
)
def test_plain_text_has_no_frames(text: str) -> None:
    assert [frame for frame in find_frames(text) if "." in frame.path] == []


@given(text=st.text(alphabet=st.sampled_from('aA/.:(){}1 \n\t"#File,line atin'), max_size=200))
def test_frames_stand_in_the_text(text: str) -> None:
    assert all(text[frame.start :].startswith(frame.text) for frame in find_frames(text))


@pytest.mark.parametrize(
    "piece",
    [
        'File "',
        "at ",
        "at a(",
        " in ",
        "a:1:",
        "#1 a(",
        "panicked at '",
        "\t",
        "--> ",
        "from ",
        "a.py:1: ",
        "File a",
        "a.py in b\n",
        "a.py in b\n1 a\n2 a\n",
    ],
)
def test_megabytes_of_anything_are_read_in_seconds(piece: str) -> None:
    text = piece * (sized(5_000_000) // len(piece))

    started = time.process_time()
    find_frames(text)

    assert time.process_time() - started < 8
