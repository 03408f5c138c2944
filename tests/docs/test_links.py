"""Every link between pages leads to a page, and to a heading of it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from .pages import PAGES, ROOT, name_of

_CODE = re.compile(r"^(`{3,}).*?^\1$|`[^`\n]*`", re.MULTILINE | re.DOTALL)
_LINK = re.compile(r"\]\(([^)\s]+)\)")


def anchors(page: Path) -> set[str]:
    """Return the anchors that a page's headings get on GitHub."""
    text = re.sub(r"^(`{3,}).*?^\1$", "", page.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)
    headings = re.findall(r"^#+ (.+)$", text, re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading).strip().lower().replace(" ", "-") for heading in headings}


def broken(page: Path, link: str) -> str:
    """Say what is wrong with a link, "" where nothing is."""
    if re.match(r"[a-z]+:", link):
        return ""
    path, _, anchor = link.partition("#")
    target = (page.parent / path).resolve() if path else page
    if not target.exists() or not target.is_relative_to(ROOT):
        return f"{link}: no such file"
    if anchor and anchor not in anchors(target):
        return f"{link}: no such heading"
    return ""


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_links_lead_somewhere(page: Path) -> None:
    links = _LINK.findall(_CODE.sub("", page.read_text(encoding="utf-8")))

    assert [fault for link in links if (fault := broken(page, link))] == []


def test_a_link_to_a_heading_that_is_not_there_is_found() -> None:
    assert (
        broken(PAGES[0], f"{PAGES[0].name}#no-such-heading")
        == f"{PAGES[0].name}#no-such-heading: no such heading"
    )


def test_every_page_is_reached_from_another() -> None:
    linked = {
        (page.parent / link.partition("#")[0]).resolve()
        for page in PAGES
        for link in _LINK.findall(page.read_text(encoding="utf-8"))
    }

    assert [
        name_of(page) for page in PAGES if page.is_relative_to(ROOT / "docs") and page not in linked
    ] == []


def test_every_path_of_the_map_of_the_core_exists() -> None:
    page = (
        (ROOT / "docs/explanation/architecture.md").read_text(encoding="utf-8").split("## What is where")[1]
    )
    paths = [
        path
        for row in page.splitlines()
        if row.startswith("| ")
        for path in re.findall(r"`([\w/]+(?:\.py|/))`", row)
    ]

    assert len(paths) > 15
    assert [path for path in paths if not (ROOT / "core/satchel" / path).exists()] == []


def test_every_file_and_name_of_the_usual_changes_is_there() -> None:
    page = (ROOT / "docs/explanation/architecture.md").read_text(encoding="utf-8")
    changes = page.split("## Usual changes")[1].split("## What is where")[0]
    named = re.findall(r"`((?:core|plugins)/[\w/.]+)`(?: \(`(\w+)`)?", changes)

    assert len(named) > 10
    assert [
        (path, name)
        for path, name in named
        if not re.search(rf"\b{name}\b", (ROOT / path).read_text("utf-8"))
    ] == []


def test_the_map_has_few_rows_because_names_tell_the_rest() -> None:
    page = (ROOT / "docs/explanation/architecture.md").read_text(encoding="utf-8")
    rows = [row for row in page.split("## What is where")[1].splitlines() if row.startswith("| ")]

    assert len(rows) - 2 <= 15  # a heading and a rule above them
