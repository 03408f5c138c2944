"""What the reader has from an earlier pack comes as what changed since."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.core.repositories import make_repository

import satchel
from satchel import Bundle, PackOptions

LOGIN = "".join(
    f"def login_{n}(name, password):\n    return check({n}, name, password)\n\n\n" for n in range(30)
)
FILES = {"src/login.py": LOGIN, "src/check.py": "def check(password):\n    return password == 'x'\n"}
TASK = "login with a wrong password"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return make_repository(tmp_path / "shop", FILES)


def packed(root: Path, seen: Bundle | None = None, form: str = "markdown", **how: object) -> Bundle:
    options = PackOptions(seen=seen, form=form)
    return satchel.pack(TASK, root, budget=6_000, options=options, **how)  # type: ignore[arg-type]


def item(bundle: Bundle, path: str) -> satchel.bundle.BundleItem:  # type: ignore[name-defined]
    """Return the item of a file; git's own diff of it is another one."""
    return next(one for one in bundle.items if one.path == path and one.provider == "files")


def edit(root: Path) -> None:
    (root / "src/login.py").write_text(LOGIN.replace("check(7,", "check(70,"))


def test_a_changed_file_is_shown_as_its_diff(root: Path) -> None:
    first = packed(root)
    edit(root)

    second = packed(root, first)

    change = item(second, "src/login.py")
    assert change.level == "diff"
    assert "-    return check(7, name, password)\n+    return check(70, name, password)\n" in change.text
    assert change.tokens < item(first, "src/login.py").tokens / 3


@pytest.mark.weekly
def test_in_xml_too_only_the_changed_lines_come_again(root: Path) -> None:
    (root / "src/login.py").write_text(LOGIN.replace("check(3,", "check(']]>', '\x01',"))
    first = packed(root, form="xml")
    edit(root)

    change = item(packed(root, first, "xml"), "src/login.py")

    assert change.level == "diff"
    assert "-    return check(']]" in change.text
    assert [line for line in change.text.splitlines() if line.startswith("+")] == [
        "+    return check(3, name, password)",
        "+    return check(70, name, password)",
    ]


def test_an_unchanged_file_is_only_named(root: Path) -> None:
    first = packed(root)

    second = packed(root, first)

    assert [(one.path, one.level) for one in second.items if one.kind == "file"] == [
        ("src/check.py", "pointer"),
        ("src/login.py", "pointer"),
    ]
    assert "shown before, unchanged since" in second.text


@pytest.mark.weekly
def test_a_file_that_was_not_shown_whole_is_shown_as_ever(root: Path) -> None:
    cut = satchel.pack(TASK, root, budget=500)
    edit(root)

    assert item(cut, "src/login.py").level != "full"
    assert item(packed(root, cut), "src/login.py").text.count("def login_") == 30


@pytest.mark.weekly
def test_a_pinned_file_is_shown_whole_whoever_has_seen_it(root: Path) -> None:
    first = packed(root)
    edit(root)

    assert item(packed(root, first, pins=["src/login.py"]), "src/login.py").level == "full"


def test_the_tokens_of_a_diff_are_exact(root: Path) -> None:
    first = packed(root)
    edit(root)

    second = packed(root, first)

    from satchel_plugins.tokenizers import TOKENIZERS

    tokenizer = next(
        one for one in [later.load() for later in TOKENIZERS] if second.tokenizer.startswith(one().key)
    )()
    assert tokenizer.count([second.text])[0] == second.tokens


@pytest.mark.weekly
def test_the_diff_can_be_expanded(root: Path) -> None:
    from satchel import expand

    first = packed(root)
    edit(root)

    change = item(packed(root, first), "src/login.py")

    assert expand(change.pointer, root) == change.text
