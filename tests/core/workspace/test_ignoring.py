from __future__ import annotations

import os
import subprocess
import time
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.amounts import examples

from satchel.workspace import Chain, drop_ignored, extend_chain, is_excluded, read_rules


def is_ignored(rules: bytes, path: str) -> bool:
    return not drop_ignored([path], {"": read_rules(rules)})


@pytest.mark.parametrize(
    ("rules", "path", "expected"),
    [
        (b"*.log", "a/b.log", True),
        (b"*.log\n!keep.log", "a/keep.log", False),
        (b"/a.log", "b/a.log", False),
        (b"/a.log", "a.log", True),
        (b"build/", "x/build/a", True),
        (b"build/", "build", False),
        (b"a/*\n!a/b", "a/b", False),
        (b"a/\n!a/b", "a/b", True),
        (b"**/x/y", "x/y", True),
        (b"a/**/b", "a/b", True),
        (b"a/**/b", "a/x/y/b", True),
        (b"a/**", "a/x/y", True),
        (b"?/**", "a", False),
        (b"?/**", "a/x", True),
        (b"\\#a", "#a", True),
        (b"#a", "#a", False),
        (b"\\!a", "!a", True),
        (b"a  ", "a", True),
        (b"a\\ ", "a ", True),
        (b"a\r\nb", "a", True),
        (b"\xef\xbb\xbfa\n", "a", True),
        (b"[a-c]x", "bx", True),
        (b"[!a-c]x", "bx", False),
        (b"[[:digit:]]", "7", True),
        (b"[]]", "]", True),
        (b"a[", "a[", False),
        (b"?", "é", False),
        (b"??", "é", True),
        (b"foo/*/bar", "foo/a/b/bar", False),
        (b"", "a", False),
    ],
)
def test_a_rule_means_what_git_says(rules: bytes, path: str, expected: bool) -> None:
    assert is_ignored(rules, path) is expected


def test_the_deeper_file_wins() -> None:
    rules = {"": read_rules(b"*.txt\n"), "a": read_rules(b"!b.txt\n/c\n")}

    assert drop_ignored(["b.txt", "a/b.txt", "a/c/d", "a/x/c"], rules) == ["a/b.txt", "a/x/c"]


def test_no_rule_brings_back_what_lies_in_an_ignored_folder() -> None:
    rules = {"": read_rules(b"/a\n"), "a": read_rules(b"!*\n")}

    assert drop_ignored(["a/b", "a/c/d", "e"], rules) == ["e"]


@pytest.mark.parametrize(
    "pattern", [b"*a" * 40 + b"b", b"**/a/" * 30 + b"b", b"*?" * 60 + b"[", b"a**" * 40 + b"/b"]
)
def test_no_pattern_takes_long(pattern: bytes) -> None:
    path = "/".join(["a" * 200] * 15)
    start = time.process_time()

    is_ignored(pattern + b"\n", path)

    assert time.process_time() - start < 1


def test_a_very_deep_path_is_no_recursion() -> None:
    assert is_ignored(b"x\n", "/".join(["d"] * 5_000 + ["x"]))


class Layout(NamedTuple):
    """Ignore files by their path, and the files that git is asked about."""

    rules: dict[str, bytes]
    files: list[str]


ALPHABET = "ab*?[]!^-\\/#. \t\r:"
SNIPPETS = [
    "**",
    "/",
    "a",
    "b",
    "*",
    "?",
    "[a-b]",
    "[!a]",
    "[^b]",
    "\\",
    " ",
    "!",
    "#",
    "ab",
    ".",
    "[[:alpha:]]",
    "é",
    "[]a]",
]
PATTERN = st.one_of(
    st.lists(st.sampled_from(SNIPPETS), max_size=7).map("".join), st.text(ALPHABET, max_size=8)
)
NAME = st.sampled_from(
    ["a", "b", "ab", "ba", "a.b", "aab", "#a", "!a", "a ", "é", "a\\", "[a]", "-", "ab b", "]"]
)
PATH = st.lists(NAME, min_size=1, max_size=4).map("/".join)
END = st.sampled_from([b"\n", b"\r\n"])
START = st.sampled_from([b"", b"\xef\xbb\xbf"])


@st.composite
def rule_files(draw: st.DrawFn) -> bytes:
    lines = draw(st.lists(PATTERN, min_size=1, max_size=4))
    body = b"".join(line.encode() + draw(END) for line in lines)
    return draw(START) + (body if draw(st.booleans()) else body.rstrip(b"\r\n"))


@st.composite
def layouts(draw: st.DrawFn) -> Layout:
    places = [".gitignore", "a/.gitignore", "a/b/.gitignore", "info", "global"]
    rules = draw(st.dictionaries(st.sampled_from(places), rule_files(), min_size=1, max_size=3))
    wanted = draw(st.lists(PATH, min_size=1, max_size=8, unique=True))
    folders = {parent for path in (*wanted, *rules) for parent in _parents(path)}
    return Layout(rules, sorted(path for path in wanted if path not in folders))


def _parents(path: str) -> list[str]:
    parts = path.split("/")
    return ["/".join(parts[:end]) for end in range(1, len(parts))]


def git_ignores(root: Path, layout: Layout) -> set[str]:
    """Ask git itself which of the files it ignores."""
    for path in layout.files:
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).touch()
    places = {"info": root / ".git/info/exclude", "global": root / ".git/global"}
    for place, text in layout.rules.items():
        file = places.get(place, root / place)
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(text)
    done = subprocess.run(
        ["git", "-c", f"core.excludesFile={root}/.git/global", "ls-files", "-o", "--exclude-standard", "-z"],
        cwd=root, capture_output=True, check=True,
    )  # fmt: skip
    return set(layout.files) - set(os.fsdecode(done.stdout).split("\0"))


def ours(layout: Layout) -> set[str]:
    """Decide as the walk does: folder by folder, with the chain of rules that holds there."""
    outer: Chain = ()
    for place in ("global", "info"):
        outer = extend_chain(outer, "", read_rules(layout.rules.get(place, b"")))
    return {path for path in layout.files if _is_left_out(layout, outer, path)}


def _is_left_out(layout: Layout, chain: Chain, path: str) -> bool:
    for folder in ["", *_parents(path)]:
        if folder and is_excluded(chain, os.fsencode(folder), is_folder=True):
            return True
        place = f"{folder}/.gitignore".lstrip("/")
        chain = extend_chain(chain, folder, read_rules(layout.rules.get(place, b"")))
    return is_excluded(chain, os.fsencode(path), is_folder=False)


@settings(max_examples=examples(60), deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(layouts())
def test_ignoring_is_what_git_does(layout: Layout) -> None:
    with TemporaryDirectory() as folder:
        subprocess.run(["git", "init", "-q", folder], check=True)
        assert ours(layout) == git_ignores(Path(folder), layout)


@settings(max_examples=examples(150))
@given(st.binary(max_size=60), PATH)
def test_any_bytes_are_read_as_rules(rules: bytes, path: str) -> None:
    assert drop_ignored([path], {"": read_rules(rules)}) in ([path], [])
