"""Fragments of a text say what they are of: a definition, a section, a file and its hunk."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from satchel.compaction import Library
from satchel.compaction.pieces import add_definitions, find_definitions
from satchel.conversation.counting import Counts
from satchel_plugins.tokenizers import OfflineTokenizer

PYTHON = """\
import os

class Store:
    def load(
        self, path: str
    ) -> bytes:
        if path:
            return open(path, "rb").read()
        return b""

LIMIT = 3
"""
GO = """\
func (s *Store) Load(
\tpath string,
) error {
\tif path == "" {
\t\treturn nil
\t}
#ifdef DEBUG
\tlog(path)
}

var limit = 3
"""
JS = """\
export class Store extends Base {
  async load(path: string): Promise<void> {
    if (path) {
      for (const one of path) {
        this.read(one);
      }
    }
  }
  onEnd = (key) => {
    this.end(key);
  };
}
describe("a store", () => {
  it("loads", () => {
    expect(load("a")).toBe(1);
  });
});
"""
DIFF = """\
diff --git a/src/a.go b/src/a.go
--- a/src/a.go
+++ b/src/a.go
@@ -1,4 +1,5 @@ func Load() {
 \tone := 1
+\ttwo := 2
"""
MANUAL = "## Install\n\ntake the wheel\n\n### Linux\n\nuse the package\n"


def names_of(text: str, line: str) -> list[str]:
    library = Library(Counts(OfflineTokenizer(), form=None))
    pieces = library.of(text).pieces
    lines = [text[piece.start : piece.end] for piece in pieces]
    at = next(number for number, one in enumerate(lines) if line in one)
    return [lines[head].strip() for head in find_definitions(text, library)[at]]


@pytest.mark.parametrize(
    ("text", "line", "names"),
    [
        (PYTHON, "return open", ["def load("]),
        (PYTHON, "def load", ["class Store:"]),
        (PYTHON, "LIMIT", []),
        (GO, "return nil", ["func (s *Store) Load("]),
        (GO, "log(path)", ["func (s *Store) Load("]),
        (GO, "var limit", []),
        (JS, "this.read(one)", ["async load(path: string): Promise<void> {"]),
        (JS, "this.end(key)", ["onEnd = (key) => {"]),
        (JS, "expect(", ['it("loads", () => {']),
        (DIFF, "two := 2", ["+++ b/src/a.go", "@@ -1,4 +1,5 @@ func Load() {"]),
        (MANUAL, "use the package", ["### Linux"]),
        ("  10→def load():\n  11→    one = 1\n", "one = 1", ["10→def load():"]),
    ],
)
def test_a_line_is_of_the_definition_section_or_hunk_above_it(text: str, line: str, names: list[str]) -> None:
    assert names_of(text, line) == names


@given(
    st.lists(
        st.sampled_from(["def f():", "    x = 1", "@@ -1 +1 @@", "## a", "+++ b/a", ")", "\ty {", " 7→  z"])
    ),
    st.sets(st.integers(0, 20)),
)
def test_what_a_line_is_of_stands_above_it(lines: list[str], chosen: set[int]) -> None:
    text = "\n".join(lines)
    library = Library(Counts(OfflineTokenizer(), form=None))
    found = find_definitions(text, library)

    assert len(found) == len(library.of(text).pieces)
    assert all(head < at for at, heads in enumerate(found) for head in heads)
    among = {at for at in chosen if at < len(found)}
    assert among <= add_definitions(found, among) <= set(range(len(found)))


BARS = """\
3 rows:
| region | n |
|--------|---|
| north  | 1 |
| south  | 2 |
done
"""
PSQL = """\
 region | n
--------+---
 north  | 1
 south  | 2
(2 rows)
"""


@pytest.mark.parametrize(("text", "row", "header"), [(BARS, "| south", (1, 2)), (PSQL, " south", (0, 1))])
def test_a_row_of_a_table_stands_below_the_names_of_its_columns(
    text: str, row: str, header: tuple[int, ...]
) -> None:
    library = Library(Counts(OfflineTokenizer(), form=None))
    library.read([text])
    lines = text.splitlines()
    at = next(number for number, line in enumerate(lines) if line.startswith(row))
    found = find_definitions(text, library)

    assert found[at] == header
    assert found[header[0]] == found[len(lines) - 1] == ()
