"""Find files by the names in a task: its tests, and the model of a new thing."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from itertools import takewhile

from satchel.items import Task
from satchel.patterns import lazily
from satchel.questions.aims import FilePlace, place_of
from satchel.workspace.files.kinds import language_of

_OF_TEST = lazily(
    r"(?:[Tt]ests?[_.-])(?P<before>.+)"
    r"|(?P<after>.+?)(?:[_.-](?:unit_?)?(?:[Tt]ests?|[Ss]pecs?)|(?:Unit)?Tests?|Specs?)"
)
"""The name of a file of tests, without its ending: `test_cart`, `cart.test`, `CartTest`, `cart_spec`."""
_WORD = lazily(r"[^\W\d]\w{3,}")
_NO_LETTER = lazily(r"[\W_]+")
_MODEL = lazily(
    r"(?i)^\W*(?:please\s+)?(?:add|create|implement|write|make|introduce|support)\b[^.\n]*?"
    r"\b(?:like|similar to|analogous to|modell?ed (?:on|after)|the same way as)\s+"
    r"(?:(?:the|an?|existing)\s+)*"
    r"[`'\"]?(?P<name>[A-Za-z][\w./-]*\w)"
)
"""The model of a new thing: "add a shell like elvish"."""
_TESTS = frozenset(("test", "tests", "spec", "specs", "unit", "write", "coverage"))
"""Words of orders for tests that do not name the tested code."""
_TITLE = 300
"""First characters of a task, which name the model."""
_MOST = 2


def find_tests_of(task: Task, paths: Iterable[str]) -> list[str]:
    """Return the files of tests that are named like a file, type or other word of a task, surest first.

    Tests of paths and names in code form come first; if there are any, other words do not count.
    """
    tests: dict[str, list[str]] = {}
    surely: set[str] = set()
    for path in paths:
        if place_of(path) is FilePlace.TEST and language_of(path):
            folder, _, name = path.rpartition("/")
            stem = name.rpartition(".")[0]
            match = _OF_TEST.fullmatch(stem)
            own = _fold((match["before"] or match["after"]) if match else stem)
            for key in {own, own.removeprefix(_fold(folder.rpartition("/")[2]))} - {""}:
                tests.setdefault(key, []).append(path)
            if match:
                surely.add(path)
    named = [ref.path for ref in task.references if ref.kind == "path" and ref.path]
    names = [_stem_of(path) for path in named]
    for ref in task.references:
        if ref.kind == "symbol":
            names += [_fold(piece) for piece in ref.name.split(".")]
    found = [path for name in dict.fromkeys(names) for path in tests.get(name, ())]
    words = {_fold(word) for word in _WORD.findall(task.text[:_TITLE])}
    if not found:
        others = words - _TESTS
        found = [
            path
            for word in sorted(words)
            for path in tests.get(word, ())
            if path in surely or _count_words(path, others) > 1
        ]
        most = max((_count_words(path, words) for path in found), default=0)
        found = [path for path in found if _count_words(path, words) == most]

    def order(path: str) -> tuple[bool, int, int, int, str]:
        shared = max((_count_common(path, one) for one in named), default=0)
        return path not in surely, -shared, -_count_words(path, words), len(path), path

    return sorted(set(found) - set(named), key=order)[:_MOST]


def find_model(task: Task, paths: Collection[str]) -> str:
    """Return the file of code named after the model of a new thing, "" if there is none.

    Of several, the one with most other words of the task in its path is returned.
    """
    match = _MODEL.match(task.text[:_TITLE])
    if match is None:
        return ""
    names = {_fold(piece) for piece in re.split(r"[./]|::", match["name"])} - {""}
    words = {_fold(word) for word in _WORD.findall(task.text[:_TITLE])} - names
    found = [path for path in paths if _stem_of(path) in names and place_of(path) is FilePlace.CODE]
    return min(found, key=lambda path: (-_count_words(path, words), path.count("/"), path), default="")


def _count_common(path: str, other: str) -> int:
    """Count the folders that two paths have in common."""
    pairs = zip(path.split("/")[:-1], other.split("/")[:-1], strict=False)
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))


def _count_words(path: str, words: Collection[str]) -> int:
    """Count the words in a path, in the plural or not."""
    pieces = {_fold(piece).removesuffix("s") for piece in re.split(r"[/_.-]", path)}
    return sum(word.removesuffix("s") in pieces for word in words)


def _fold(name: str) -> str:
    return _NO_LETTER.sub("", name).lower()


def _stem_of(path: str) -> str:
    return _fold(path.rpartition("/")[2].lstrip(".").partition(".")[0])
