"""Rendered options against their ladders: tokens, text, and the forms of documents."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET

import attrs
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from tests.amounts import examples

from satchel import ContextItem, Part, UnknownNameError
from satchel.packing import ItemLadder, Markdown, Step, body_of, find_form
from satchel.packing.ladders import Appraisal, ItemFrame, build
from satchel.packing.rendering import DocumentForm, Rendered, Xml, document, note, shorten_name
from satchel.packing.representing import finish
from satchel.plugin_api import SplitItem

from .repositories import recount
from .texts import exact_counter, file_item, odd_texts, parts_of

FORMS: tuple[DocumentForm, ...] = (Markdown(), Xml())
XML = Xml()
COUNTER = exact_counter()
_CONTROLS = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]")
slow = settings(max_examples=examples(150), deadline=None, suppress_health_check=[HealthCheck.too_slow])


def ladder_of(
    text: str, parts: list[Part], form: DocumentForm, *, worths: list[float] | None = None
) -> ItemLadder:
    """Go the way of the road: what the form shows is what is counted."""
    item = file_item(text)
    split = finish(item, parts, COUNTER)
    if form.first_mark and not split.plain:
        split = finish(attrs.evolve(item, text=form.escape(text)), list(split.parts), COUNTER)
    given_worths = worths or [1.0]
    bodies = [given_worths[at % len(given_worths)] for at in range(len(split.parts))]
    opening, closing, pointer, ending = COUNTER.fresh(
        [
            form.opening(item, split),
            form.closing(item, split),
            form.pointer(item, note(split)),
            form.end(item, split),
        ]
    )
    heads = [worth / 3 if part.head_tokens else 0.0 for worth, part in zip(bodies, split.parts, strict=True)]
    frame = ItemFrame(pointer, opening + closing, form.first_mark, ending)
    return build(item, split, Appraisal(bodies, heads, 0.1), frame=frame)


def shown_alone(ladder: ItemLadder, option: int, text: str, form: DocumentForm) -> str:
    body = body_of(ladder, option, text=text, form=form)
    return form.opening(ladder.item, ladder.split) + body + form.closing(ladder.item, ladder.split)


def wrong_counts(ladder: ItemLadder, text: str, form: DocumentForm) -> list[tuple[int, int, int, str]]:
    """Return the options whose rendered text has other tokens than the ladder says."""
    frame = form.prologue() + "\0" + form.epilogue()
    around = recount(form.prologue()) + recount(form.epilogue())
    wrong = []
    for at, option in enumerate(ladder.options[1:], start=1):
        shown = frame.replace("\0", shown_alone(ladder, at, text, form))
        if recount(shown) != option.tokens + around:
            wrong.append((at, option.tokens + around, recount(shown), shown))
    return wrong


@pytest.mark.parametrize("form", FORMS, ids=lambda form: form.name)
@given(data=st.data(), text=odd_texts)
@slow
def test_every_option_costs_exactly_what_its_ladder_says(
    form: DocumentForm, data: st.DataObject, text: str
) -> None:
    parts = data.draw(parts_of(text))
    worths = data.draw(st.lists(st.floats(0.01, 1.0), min_size=1, max_size=6))

    ladder = ladder_of(text, parts, form, worths=worths)

    assert wrong_counts(ladder, text, form) == []


@pytest.mark.parametrize("form", FORMS, ids=lambda form: form.name)
@given(data=st.data(), text=odd_texts.filter(bool))
@slow
def test_the_last_option_is_the_source(form: DocumentForm, data: st.DataObject, text: str) -> None:
    ladder = ladder_of(text, data.draw(parts_of(text)), form)

    body = body_of(ladder, len(ladder.options) - 1, text=text, form=form)

    mark = f"{ladder.split.sigil}1\n" if form.first_mark else ""
    assert body == mark + form.escape(text if text.endswith("\n") else text + "\n")


@given(text=odd_texts)
@example(text="]]>]]>\n]]")
@example(text="\x00\x0b\ufffe\n")
@slow
def test_xml_gives_the_text_back_but_for_shown_control_characters(text: str) -> None:
    ladder = ladder_of(text, [], XML)
    whole = Rendered(ladder, len(ladder.steps), body_of(ladder, len(ladder.steps), text=text, form=XML))

    item = ET.fromstring(document(XML, [whole], [])).find("item")

    assert item is not None
    shown = "".join(item.itertext()).removeprefix("\n").removeprefix(f"{ladder.split.sigil}1\n")
    expected = _CONTROLS.sub(lambda found: f"\\u{{{ord(found[0]):x}}}", text)
    assert shown.rstrip("\n") == expected.replace("\r\n", "\n").replace("\r", "\n").rstrip("\n")


@given(text=odd_texts)
@slow
def test_no_line_of_a_text_closes_its_fence_or_looks_like_a_mark(text: str) -> None:
    split = finish(file_item(text), [], COUNTER)

    for line in text.split("\n"):
        assert line.strip(" ") != split.fence
        assert re.match(re.escape(split.sigil) + r"\d", line) is None


@pytest.mark.parametrize("form", FORMS, ids=lambda form: form.name)
@pytest.mark.parametrize(
    "title", ["a.py", "tail!", "a b.py", 'q"<&>.py', "new\nline", "\udce9.py", "\u202e", "\u65e5", "-"]
)
def test_lines_that_open_an_item_end_so_that_counts_add_up(form: DocumentForm, title: str) -> None:
    item = attrs.evolve(file_item("x\n"), title=title)
    split = finish(item, [], COUNTER)
    lines = [
        form.prologue(),
        form.opening(item, split),
        form.closing(item, split),
        form.pointer(item, "1 lines"),
    ]

    assert all(line.count("\n") == 1 and line.endswith("\n") for line in lines)
    for body in ("\n\n", "/* a */\n", "x\n"):
        follows = f"{split.sigil}1\n{body}" if form.first_mark else body
        after = recount(follows) if form.first_mark else COUNTER.after_mark([body])[0]
        assert recount(lines[1] + follows) == recount(lines[1]) + after


def test_heads_and_bodies_stand_after_their_line_numbers() -> None:
    text = "import os\n\ndef f():\n    return 1\n\ndef g():\n    return 2\n"
    parts = [
        Part("imports", "", (1, 2)),
        Part("function", "f", (3, 5), (3, 3)),
        Part("function", "g", (6, 7), (6, 6)),
    ]
    split = finish(file_item(text), parts, COUNTER)
    steps = (Step(1, body=False), Step(2, body=True))

    body = body_of(ItemLadder(file_item(text), split, steps, ()), 2, text=text, form=Markdown())

    assert body == "@@3\ndef f():\n@@6\ndef g():\n    return 2\n"


def test_items_stand_between_the_first_and_the_last_lines() -> None:
    ladder = ladder_of("x = 1\n", [], XML)
    shown = [Rendered(ladder, 1, body_of(ladder, 1, text="x = 1\n", form=XML))]

    text = document(XML, shown, [XML.pointer(ContextItem("n", "p", "note", title="a<b"), 'said "no"')])

    root = ET.fromstring(text)
    assert [(child.tag, child.get("path")) for child in root] == [("item", "src/a.py"), ("pointer", "a<b")]
    assert root[1].get("note") == 'said "no"'


def test_an_unknown_form_tells_the_nearest() -> None:
    assert find_form("xml").name == "xml"
    with pytest.raises(UnknownNameError, match="did you mean 'markdown'"):
        find_form("markdwn")


def test_the_note_of_an_item_tells_lines_and_names() -> None:
    parts = [Part("function", name, (at + 1, at + 1)) for at, name in enumerate("abc")]

    assert note(SplitItem((), {}, ())) == "0 lines"
    assert note(finish(file_item("a\nb\nc\n"), parts, COUNTER)) == "3 lines"
    assert note(finish(file_item("a\n"), parts[:1], COUNTER)) == "1 line"


@pytest.mark.parametrize(
    ("kind", "name", "shown"),
    [
        (
            "section",
            "``shop.cart`` --- ``Basket`` and ``Order`` classes",
            "shop.cart --- Basket and Order...",
        ),
        (
            "section",
            "[21.0.0](https://example.org/compare/v20.37.2...v21.0.0) (2025-07-23)",
            "21.0.0 (2025-07-23)",
        ),
        ("section", "[21.0.0](https://example.org/compare/v20.37.2...v21", "21.0.0"),
        (
            "section",
            "Install Docker (version 1.28 or above) and Compose",
            "Install Docker (version 1.28 or...",
        ),
        (
            "section",
            "Using :class:`~shop.web.Basket` and :ref:`the shop <shop>`",
            "Using Basket and the shop",
        ),
        ("section", "**How** it is `paid` {#paid}", "How it is paid"),
        ("section", "<a name='x'></a>Prices", "Prices"),
        ("section", "The key [redacted:api-key:1a2b]", "The key [redacted:api-key:1a2b]"),
        ("section", "<h1>", "<h1>"),
        ("section", "2\ufe0f\u20e3 Issue a Certificate", "2\ufe0f\u20e3 Issue a Certificate"),
        ("section", "Pay\u202e now\n", "Pay\\u{202e} now"),
        ("block", "``shop.cart``: what is in it, long", "shop.cart: what is in it, long"),
        ("method", "shop.cart.basket.Basket.add_all_of_them", "add_all_of_them"),
        ("method", "Basket.operator []", "Basket.operator []"),
        ("class", "List<Basket>", "List<Basket>"),
        ("rule", ".basket > .row > .cell.is-empty:hover > a", ".basket > .row > .cell.is-empty..."),
    ],
)
def test_a_name_is_shown_as_plain_words(kind: str, name: str, shown: str) -> None:
    assert shorten_name(Part(kind, name, (1, 9)), 34) == shown


@given(
    kind=st.sampled_from(["section", "comment", "method"]),
    name=st.text(max_size=200),
    most=st.integers(8, 80),
)
def test_a_shortened_name_is_never_longer_than_its_limit(kind: str, name: str, most: int) -> None:
    assert len(shorten_name(Part(kind, name, (1, 9)), most)) <= most
