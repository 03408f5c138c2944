"""Pointers: written, read, and refused."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from satchel import ContextItem, PointerError
from satchel.pointers import Pointer, diff_id, is_past_diff, parse, path_of_diff, pointer_to

names = st.text(
    st.characters(exclude_characters="/\0", exclude_categories=["Cs"]), min_size=1, max_size=12
) | st.sampled_from(
    ["a b", "a?b", "a#b", "a%20b", "[x]", "a:12", "\udce9", "ü", "x&v=1", "new\nline", "-", "~"]
)
paths = st.lists(names, min_size=1, max_size=4).map("/".join).filter(lambda path: path.strip("/") != "")
ranges = st.tuples(st.integers(1, 9_999), st.integers(0, 9_999)).map(lambda pair: (pair[0], sum(pair)))


@given(path=paths, lines=ranges | st.just((0, 0)), version=st.sampled_from(["", "1a2b3c4d"]))
def test_a_uri_reads_back_as_what_was_written(path: str, lines: tuple[int, int], version: str) -> None:
    pointer = Pointer(path, lines, version)

    assert parse(pointer.uri()) == pointer
    assert pointer.uri().isascii()


@given(lines=ranges)
def test_the_short_form_reads_back_too(lines: tuple[int, int]) -> None:
    pointer = Pointer("src/app.py", lines)

    assert parse(pointer.short()) == pointer
    assert parse("@" + pointer.short()) == pointer


@given(lines=ranges | st.just((0, 0)), characters=ranges | st.just((0, 0)))
def test_the_uri_of_a_blob_reads_back(lines: tuple[int, int], characters: tuple[int, int]) -> None:
    one = (lines[0], lines[0]) if any(characters) else lines
    pointer = Pointer("", one, blob="4a3eb31f", characters=characters if any(one) else (0, 0))

    assert parse(pointer.uri()) == pointer


@pytest.mark.parametrize(
    ("written", "pointer"),
    [
        ("src/app.py", Pointer("src/app.py")),
        ("src/app.py:10", Pointer("src/app.py", (10, 10))),
        ("src/app.py:10-40", Pointer("src/app.py", (10, 40))),
        ("satchel://file/src/app.py?lines=10-40&v=1a2b3c4d", Pointer("src/app.py", (10, 40), "1a2b3c4d")),
        ("satchel://file/a%20b.py", Pointer("a b.py")),
        ("commit:4a3eb31", Pointer("", commit="4a3eb31")),
        ("satchel://commit/4a3eb31f", Pointer("", commit="4a3eb31f")),
        ("satchel://diff/src/app.py", Pointer("src/app.py", since="HEAD")),
        ("satchel://diff/a%20b.py?since=4a3eb31", Pointer("a b.py", since="4a3eb31")),
        (
            "satchel://diff/a.py?since=4a3eb31&until=5b4fc42",
            Pointer("a.py", since="4a3eb31", until="5b4fc42"),
        ),
        ("blob:4a3eb31f:7", Pointer("", (7, 7), blob="4a3eb31f")),
        ("blob:4a3eb31f:1@300-900", Pointer("", (1, 1), blob="4a3eb31f", characters=(300, 900))),
        ("blob:4a3eb31f:1@300", Pointer("", (1, 1), blob="4a3eb31f", characters=(300, 300))),
        (
            "satchel://blob/4a3eb31f?lines=1&characters=300-900",
            Pointer("", (1, 1), blob="4a3eb31f", characters=(300, 900)),
        ),
        ('"commit:4a3eb31"', Pointer("commit:4a3eb31")),
        ("satchel://file/latin-%E9.py", Pointer("latin-\udce9.py")),
    ],
)
def test_what_is_written_is_what_is_meant(written: str, pointer: Pointer) -> None:
    assert parse(written) == pointer


NO_POINTERS = ["", "@", "a.py:0", "a.py:5-4", "satchel:", "satchel://nosuch/a", "satchel://file/"]
NO_POINTERS += ["blob:2261", "commit:4a3eb3", "satchel://commit/", "satchel://commit/x"]
NO_POINTERS += ["satchel://diff/", "satchel://diff/a.py?since=--output", "satchel://diff/a.py?until=main"]
NO_POINTERS += ["satchel://file/a.py?line=3", "satchel://diff/a.py?lines=3", "satchel://blob/22612261?v=1"]
NO_POINTERS += [f"satchel://file/a.py?lines={lines}" for lines in ("x", "0-3", "9-2")]


@pytest.mark.parametrize("written", NO_POINTERS)
def test_what_is_no_pointer_is_refused(written: str) -> None:
    with pytest.raises(PointerError):
        parse(written)


REVISIONS = st.text("0123456789abcdef", min_size=12, max_size=12)


@given(path=paths, since=REVISIONS, until=REVISIONS | st.just(""))
def test_the_id_of_a_diff_leads_to_its_pointer(path: str, since: str, until: str) -> None:
    id_ = diff_id(path, since * 4, until * 4)

    pointer = pointer_to(ContextItem(id_, "git", "diff", title="diff", note="binary"))

    assert path_of_diff(id_) == path
    assert is_past_diff(id_) == bool(until)
    assert parse(pointer) == Pointer(path, since=since, until=until)


def test_an_item_without_a_path_or_a_text_is_named_by_its_kind() -> None:
    item = ContextItem("vendored:lib é", "files", "folder", title="lib/", note="vendored folder")

    assert pointer_to(item) == "satchel://vendored/lib%20%C3%A9"


def test_an_item_with_a_text_of_its_own_is_named_by_its_hash() -> None:
    item = ContextItem("diff:HEAD", "git", "diff", title="changes", text="+x\n", content="0123abcd")

    assert pointer_to(item) == "satchel://blob/0123abcd"
    assert parse(pointer_to(item)) == Pointer("", blob="0123abcd")


def test_the_version_begins_the_hash_of_the_content() -> None:
    item = ContextItem("file:a.py", "files", "file", title="a.py", path="a.py", content="0123456789abcdef")

    assert pointer_to(item) == "satchel://file/a.py?v=01234567"
