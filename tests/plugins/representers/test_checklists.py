"""Task lists, split into open items and runs of done ones."""

from __future__ import annotations

from typing import ClassVar

import pytest

from satchel import ContextItem, Part
from satchel.testing.contracts import RepresenterContract
from satchel_plugins.representers import Checklists

LIST = """# Shop

- [x] one
- [x] two
- [ ] three
  more about three
  - [ ] below three
- [x] four
  - [ ] below four
## Login
- [ ] five
"""


class TestContract(RepresenterContract):
    plugin = Checklists
    samples: ClassVar[dict[str, str]] = {"TODO.md": LIST, "tasks/x.md": "- [ ] a\n```\n- [ ] b\n"}


def split(text: str, path: str = "TODO.md", kind: str = "file") -> list[Part]:
    return list(Checklists().split(ContextItem(f"{kind}:{path}", "p", kind, path, path=path, text=text)))


def test_open_items_are_parts_with_what_stands_below_them_and_done_ones_are_runs() -> None:
    assert [(part.kind, part.name, part.lines) for part in split(LIST)] == [
        ("section", "Shop", (1, 2)),
        ("block", "", (3, 4)),
        ("task", "three", (5, 7)),
        ("block", "", (8, 8)),
        ("task", "below four", (9, 9)),
        ("section", "Login", (10, 10)),
        ("task", "five", (11, 11)),
    ]


def test_the_head_of_an_item_is_its_first_line() -> None:
    assert next(part.head for part in split(LIST) if part.name == "three") == (5, 5)


def test_prose_with_a_few_boxes_stays_prose() -> None:
    text = "# A\n\nwords\n" + "more words\n" * 20 + "- [ ] one\n## B\nwords\n"

    assert [part.kind for part in split(text)] == ["section", "section"]


def test_each_comment_is_a_part() -> None:
    item = ContextItem(
        "tasks:comments", "tasks", "tasks", "comments", text="a.py:2 # TODO x\nb.py:9 # FIXME\n"
    )

    assert [part.name for part in Checklists().split(item)] == ["a.py:2", "b.py:9"]


@pytest.mark.parametrize(
    ("path", "kind", "claims"),
    [
        ("TODO.md", "file", 1),
        ("tasks/a.md", "file", 1),
        ("", "tasks", 1),
        ("README.md", "file", 0),
        ("todo.py", "file", 0),
    ],
)
def test_it_claims_lists(path: str, kind: str, claims: int) -> None:
    assert round(Checklists().claims(ContextItem("x", "p", kind, "t", path=path))) == claims
