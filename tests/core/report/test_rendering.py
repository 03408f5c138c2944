"""The file itself: it runs nothing, loads nothing, hides nothing, keeps to its size, and adds up."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from html.parser import HTMLParser
from typing import Any

import pytest
from tests.amounts import sized
from tests.core.repositories import plain_host

from satchel.config import Config
from satchel.redaction import NO_SCANNERS
from satchel.report import Page, ReportRequest, open_page, render_page
from satchel.report.page import LeftOutRow, PageEntry
from satchel.report.rendering import MOST_BYTES

from .payloads import PAYLOADS, hostile_messages, hostile_output, hostile_pack

KEY = "ghp_" + "Zq7RtB2mKx9LwVn4Yc6HsDf1Jg8PaTu3Ee5o"


class Markup(HTMLParser):
    """Every tag with its attributes, and the texts between them."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.tags: list[tuple[str, dict[str, str]]] = []
        self.texts: list[str] = []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, {name: value or "" for name, value in attrs}))

    def handle_data(self, data: str) -> None:
        self.texts.append(data)


def render(document: Any) -> str:
    given = json.dumps(document).encode()
    page = open_page(given, ReportRequest(source="<b>x"), host=plain_host(), config=Config())
    return render_page(page, NO_SCANNERS)


ALLOWED = {
    "html", "head", "meta", "title", "style", "body", "a", "header", "div",
    "h1", "h2", "h3", "h4", "fieldset", "legend", "label", "input", "p",
    "span", "nav", "ul", "li", "main", "section", "svg", "rect", "text",
    "table", "caption", "thead", "tbody", "tfoot", "tr", "th", "td", "dl",
    "dt", "dd", "pre", "code", "ol", "details", "summary", "meter", "br",
    "g", "line", "path", "polyline", "circle", "footer",
}  # fmt: skip


@pytest.mark.parametrize(
    "document", [hostile_pack(), hostile_messages(), hostile_output()], ids=["pack", "messages", "output"]
)
def test_hostile_texts_make_no_tag_and_no_attribute(document: Any) -> None:
    text = render(document)

    found = Markup(text)
    assert {tag for tag, _ in found.tags} <= ALLOWED
    names = {name for _, held in found.tags for name in held}
    assert not {
        name
        for name in names
        if name.startswith("on") or name in ("style", "src", "srcset", "action", "xlink:href")
    }
    assert all(re.fullmatch(r"#[a-z0-9-]+", held["href"]) for _, held in found.tags if "href" in held)
    assert [held["content"] for tag, held in found.tags if held.get("http-equiv")] == [
        next(
            held["content"] for tag, held in found.tags if held.get("http-equiv") == "Content-Security-Policy"
        )
    ]
    shown = "".join(found.texts)
    assert PAYLOADS[0] in shown
    assert "{{ 7 * 7 }}" in shown


def test_hidden_characters_are_shown() -> None:
    text = render(hostile_pack())

    assert "\u202e" not in text
    assert "\x1b" not in text
    assert "\\u{202e}" in text


def test_the_policy_allows_the_page_s_own_style_and_nothing_else() -> None:
    text = render(hostile_pack())

    style = re.search("<style>(.*?)</style>", text, re.DOTALL)
    assert style is not None
    digest = base64.b64encode(hashlib.sha256(style[1].encode()).digest()).decode()
    assert f"default-src &#39;none&#39;; style-src &#39;sha256-{digest}&#39;" in text
    assert not re.search(r"url\(|@import|https?:", style[1])


def big(count: int, size: int, name: str = "src/module_{}.py") -> Page:
    entries = [
        PageEntry(
            name.format(at),
            "files",
            size // 4,
            level="excerpt",
            text="<x&y> a line of code\n" * (size // 20),
            pointer="p",
        )
        for at in range(count)
    ]
    left = tuple(
        LeftOutRow(f"left/{at}.py", f"reason {at % 7}", 9, 0.5, f"satchel://file/{at}") for at in range(5_000)
    )
    return Page("pack", "A pack", count * (size // 4), "budget", tuple(entries), left_out=left)


@pytest.mark.costly
@pytest.mark.parametrize(("count", "size"), [(10, 80_000), (400, 2_000), (20_000, 40), (3, 2_000_000)])
def test_a_page_keeps_to_its_size(count: int, size: int) -> None:
    text = render_page(big(count, size), NO_SCANNERS)

    assert len(text.encode()) <= MOST_BYTES < 300_000


@pytest.mark.weekly
def test_a_page_of_long_names_keeps_to_its_size() -> None:
    text = render_page(big(sized(2_000), 400, "very/" * 300 + "long_{}.py"), NO_SCANNERS)

    assert len(text.encode()) <= MOST_BYTES


def test_a_cut_text_names_its_pointer() -> None:
    page = Page(
        "pack",
        "A pack",
        9,
        "budget",
        (PageEntry("a.py", "files", 9, text="word " * 90_000, pointer="satchel://file/a b"),),
    )

    text = render_page(page, NO_SCANNERS)

    assert "characters more: satchel expand &#39;satchel://file/a b&#39;" in text


def test_the_tokens_in_the_table_add_up_to_the_window() -> None:
    page = Page(
        "pack", "A pack", 1_000, "budget", (PageEntry("a", "files", 333), PageEntry("b", "dialog", 444))
    )

    text = render_page(page, NO_SCANNERS)

    table = text.split("<table>")[1].split("</table>")[0]
    numbers = [
        int(cell.replace(",", ""))
        for cell in re.findall(r'<td class="number">([\d,]+)</td><td class="number">[\d.]+%', table)
    ]
    assert numbers == [333, 444, 223, 1_000]
    assert sum(numbers[:-1]) == numbers[-1]


def test_secrets_do_not_stand_in_a_page() -> None:
    messages = [
        {"role": "user", "content": f"deploy with {KEY}"},
        {"role": "assistant", "content": f"{KEY} is set"},
    ]

    text = render(messages)

    assert KEY not in text
    assert "[redacted:" in text


def test_an_empty_pack_is_a_page() -> None:
    document = {"items": [], "left_out": [], "budget": 10, "tokens": 0}

    assert "0 of 10 tokens are used" in render(document)


def test_more_than_the_window_is_told() -> None:
    page = Page("conversation", "A conversation", 100, "window", (PageEntry("a", "dialog", 130),))

    text = render_page(page, NO_SCANNERS)

    assert "130 of 100 tokens are used (130%), 30 too many" in text
    assert "compact it now" in text


def test_no_part_of_a_secret_stands_in_a_title_that_is_cut() -> None:
    messages = [{"role": "user", "content": f"{'x' * (90 - at)} {KEY} and so on"} for at in range(4, 60, 4)]

    text = render(messages)

    assert KEY[:14] not in text
