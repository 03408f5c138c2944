"""Splits: by the highest claim, from the index where they are known, whole where a representer fails."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import ClassVar

import attrs

from satchel import ContextItem, Host, Part
from satchel.packing import find_item, split_all
from satchel.packing.representing import claims_of, split_new, unsplit
from satchel.pointers import Pointer
from satchel.runs import WorkspaceRun, open_run

from .fakes import Broken, host_with
from .repositories import plain_host, recount


@attrs.frozen
class Whole:
    """A representer that knows Python files and splits them into one part."""

    name: ClassVar[str] = "whole"
    version: ClassVar[str] = "1"

    def claims(self, item: ContextItem) -> float:
        return 1.0 if item.path.endswith(".py") else 0.0

    def split(self, item: ContextItem) -> Sequence[Part]:
        return [Part("module", "all of it", (1, (item.text or "").count("\n")))]


def opened(root: Path, host: Host | None = None) -> WorkspaceRun:
    return open_run(root, host=host or plain_host())


def items_of(run: WorkspaceRun, *paths: str) -> list[ContextItem]:
    return [find_item(run, Pointer(path), path) for path in paths]


def names(run: WorkspaceRun, path: str) -> list[str]:
    return [part.name for part in split_all(run, items_of(run, path))[f"file:{path}"].parts if part.name]


def test_the_highest_claim_splits(polyglot: Path) -> None:
    run = opened(polyglot, host_with(representers=[Whole]))

    assert names(run, "src/shop/mail.py") == ["all of it"]
    assert names(run, "web/cart.ts") != ["all of it"]


def test_what_is_new_is_split_by_the_representer_that_is_named(polyglot: Path) -> None:
    run = opened(polyglot, host_with(representers=[Whole]))
    items = items_of(run, "src/shop/login.py", "web/cart.ts")
    whole = claims_of(run, items)[items[0].id].loaded.full_name

    splits = split_new(run, items, {items[0].id: "gone:away", items[1].id: whole})

    assert [part.name for item in items for part in splits[item.id].parts] == ["all of it", "all of it"]


def test_only_what_the_index_does_not_have_is_unsplit(polyglot: Path) -> None:
    run = opened(polyglot)
    items = items_of(run, "src/shop/login.py", "web/cart.ts")
    claims = claims_of(run, items)
    split_all(run, items[:1])

    assert unsplit(run, items, claims) == items[1:]


def test_a_representer_that_fails_is_replaced_by_the_generic_one(polyglot: Path) -> None:
    run = opened(polyglot, host_with(representers=[Broken]))

    split = split_all(run, items_of(run, "src/shop/login.py"))["file:src/shop/login.py"]

    assert split.parts[0].lines[0] == 1
    assert split.parts[-1].lines[1] == 28
    assert "no parts today" in run.problems[0].error


def test_a_failure_is_not_remembered(polyglot: Path) -> None:
    broken = opened(polyglot, host_with(representers=[Broken]))
    split_all(broken, items_of(broken, "src/shop/mail.py"))
    broken.workspace.close()

    assert "send" in names(opened(polyglot), "src/shop/mail.py")


def test_a_split_is_the_same_from_the_index(polyglot: Path) -> None:
    run = opened(polyglot)
    items = items_of(
        run, "src/shop/login.py", "native/buffer.c", "README.md", "web/cart.ts", "server/main.go"
    )
    fresh = split_all(run, items)
    run.workspace.close()
    (again,) = (opened(polyglot),)

    assert split_all(again, items) == fresh


def test_the_counts_of_the_parts_are_those_of_the_text(polyglot: Path) -> None:
    run = opened(polyglot)

    for path in ("src/shop/login.py", "native/buffer.c", "web/cart.ts"):
        parts = split_all(run, items_of(run, path))[f"file:{path}"].parts
        whole = (polyglot / path).read_text()
        assert parts[0].tokens + sum(part.joined_tokens for part in parts[1:]) == recount(
            "x\n" + whole
        ) - recount("x\n")


def test_a_file_that_vanishes_meanwhile_is_a_problem(polyglot: Path) -> None:
    run = opened(polyglot)
    items = items_of(run, "src/shop/mail.py", "src/shop/login.py")
    (polyglot / "src/shop/mail.py").unlink()

    splits = split_all(run, items)

    assert list(splits) == ["file:src/shop/login.py"]
    assert [(problem.plugin, problem.stage) for problem in run.problems] == [("src/shop/mail.py", "read")]


def test_a_file_that_changes_meanwhile_poisons_no_index(polyglot: Path) -> None:
    mail = polyglot / "src/shop/mail.py"
    before = mail.read_bytes()
    run = opened(polyglot)
    items = items_of(run, "src/shop/mail.py")
    mail.write_text("def another(): ...\n")
    split_all(run, items)
    run.workspace.close()
    mail.write_bytes(before)

    assert names(opened(polyglot), "src/shop/mail.py") == ["send"]


def test_equal_files_are_split_once_and_have_their_own_paths(polyglot: Path) -> None:
    (polyglot / "src/shop/post.py").write_bytes((polyglot / "src/shop/mail.py").read_bytes())
    run = opened(polyglot)

    splits = split_all(run, items_of(run, "src/shop/mail.py", "src/shop/post.py"))

    one, other = splits["file:src/shop/mail.py"].parts[0], splits["file:src/shop/post.py"].parts[0]
    assert one.id == other.id
    assert (one.path, other.path) == ("src/shop/mail.py", "src/shop/post.py")
