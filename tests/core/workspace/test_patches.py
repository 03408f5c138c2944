from __future__ import annotations

from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from satchel.workspace import line_options, read_blame, read_patch, read_status

PATCH = (Path(__file__).parents[2] / "data/git/two_files.patch").read_bytes()


def test_a_patch_with_two_files_is_read() -> None:
    cart, renamed = read_patch(PATCH)

    assert (cart.path, cart.status, [hunk.new for hunk in cart.hunks]) == (
        "shop/cart.py",
        "changed",
        [(10, 14), (31, 35)],
    )
    assert (renamed.path, renamed.old_path, renamed.status) == ("new name.c", "old name.c", "renamed")
    assert renamed.hunks[0].text.endswith(b"\n--- int tail;\n int size;\n\\ No newline at end of file\n")


def test_a_name_that_git_quotes_is_unquoted() -> None:
    patch = b'diff --git "a/caf\\303\\251\\n" "b/caf\\303\\251\\n"\nold mode 100644\nnew mode 100755\n'

    (diff,) = read_patch(patch)

    assert (diff.path, diff.old_path, diff.modes) == ("café\n", "café\n", "100644 -> 100755")


def test_a_new_empty_file_is_new() -> None:
    patch = b"diff --git a/x b/x\nnew file mode 100644\nindex 000..e69\n"

    assert [(diff.path, diff.status, diff.hunks) for diff in read_patch(patch)] == [("x", "new", ())]


@given(st.binary(max_size=300))
def test_junk_is_read_without_an_error(junk: bytes) -> None:
    for opening in (b"", b"diff --git ", b"diff --git a/x b/x\n@@ -1 +1 @@\n"):
        assert all(diff.path for diff in read_patch(opening + junk))
    read_status(junk, "")
    read_blame(junk)


def test_a_status_outside_the_prefix_is_left_out() -> None:
    fields = "N... 100644 100644 100644 " + "a" * 40 + " " + "b" * 40
    output = f"# branch.head main\x001 .M {fields} sub/a b\x001 M. {fields} other\0".encode()

    status = read_status(output, "sub/")

    assert (status.branch, status.staged, status.unstaged) == ("main", (), (("changed", "a b"),))


def test_a_line_of_code_that_looks_like_a_blame_header_is_none() -> None:
    sha = "a" * 40
    output = f"{sha} 1 1 1\nsummary one\ncommitter-time 5\n\t{sha} 9 9 9\n\tsummary two\n".encode()

    assert [(line.line, line.subject, line.time) for line in read_blame(output)] == [(1, "one", 5)]


def test_runs_of_lines_become_options() -> None:
    assert line_options([(1, 3), (7, 7)]) == ["-L", "1,3", "-L", "7,7"]
