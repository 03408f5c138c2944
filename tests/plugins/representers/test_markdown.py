from __future__ import annotations

import time
from collections.abc import Callable, Sequence

import pytest

from satchel import Part

Split = Callable[[str, str], Sequence[Part]]


def titles(parts: Sequence[Part]) -> list[tuple[str, tuple[int, int]]]:
    return [(part.name, part.lines) for part in parts]


def test_a_part_runs_to_the_next_heading_of_any_level(split: Split) -> None:
    parts = split("a.md", "# One\na\n\n## Two\nb\n\n# Three\nc\n")

    assert titles(parts) == [("One", (1, 3)), ("Two", (4, 6)), ("Three", (7, 8))]
    assert parts[0].symbols[0].lines == (1, 6)


BADGE = "[![Build](https://ci.example/badge/1234567890.svg)](https://ci.example/pipelines/1234567890)\n"


def test_badges_logos_and_sponsors_stand_apart(split: Split) -> None:
    text = (
        f'<p align="center">\n<img src="logo.svg">\n</p>\n{BADGE * 3}\nSells things to people.\n\n'
        f'# Shop\n\nAll about it.\n\n<a href="https://a.example"><img src="{"a" * 200}">\nThe best of all'
        " shops and more\n</a>\n\nThe end of it, really.\n"
    )
    parts = split("a.md", text)

    assert [(part.kind, part.name, part.lines) for part in parts] == [
        ("decoration", "", (1, 7)),
        ("block", "", (8, 9)),
        ("section", "Shop", (10, 13)),
        ("decoration", "", (14, 17)),
        ("block", "Shop", (18, 18)),
    ]
    assert parts[2].span == (10, 18)


def test_a_few_words_between_two_badges_belong_to_them(split: Split) -> None:
    parts = split("a.md", f"{BADGE * 2}Powered by\n{BADGE * 2}\n# Shop\n\nText.\n")

    assert titles(parts) == [("", (1, 6)), ("Shop", (7, 9))]


def test_the_slogans_of_sponsors_decorate(split: Split) -> None:
    row = f'<td width="33%"><a href="https://tea.example/?{"campaign" * 20}"><img src="a.png"/></a>'
    text = f"{row} <p>Buy the best tea</p></td>\n" * 3 + "\nA library for cups.\n"

    assert [(part.kind, part.lines) for part in split("a.md", text)] == [
        ("decoration", (1, 4)),
        ("block", (5, 5)),
    ]


def test_headings_pictures_and_fenced_markup_are_no_decoration(split: Split) -> None:
    texts = (
        f"{BADGE * 3}\n# Shop\n\n{BADGE * 3}",
        "# Shop\n\n![How requests go through the shop](docs/requests.svg)\n\nText.\n",
        f"# Shop\n\n```html\n{BADGE * 5}```\n",
    )
    found = [[(part.kind, part.lines) for part in split("a.md", text)] for text in texts]

    assert found == [
        [("decoration", (1, 4)), ("section", (5, 6)), ("decoration", (7, 9))],
        [("section", (1, 5))],
        [("section", (1, 9))],
    ]


def test_a_hash_in_a_fence_is_no_heading(split: Split) -> None:
    parts = split("a.md", "# One\n\n```sh\n# not\n```\n\n~~~~\n# nor\n~~~\n# this\n~~~~\n\n# Two\n")

    assert [name for name, _ in titles(parts)] == ["One", "Two"]


def test_a_list_of_links_to_places_of_the_page_is_a_part_of_its_own(split: Split) -> None:
    links = "- [Fill](#fill)\n  - [How much](#how-much)\n\n1. [Boil](#boil)\n"
    parts = split(
        "a.md", f"# One\nBoils.\n\n<!-- TOC -->\n{links}<!-- /TOC -->\n\nIt is fast.\n\n# Fill\na\n"
    )

    assert titles(parts) == [("One", (1, 4)), ("Contents", (5, 8)), ("One", (9, 12)), ("Fill", (13, 14))]
    assert "Contents" not in {part.name for part in split("a.md", links.replace("1. [Boil](#boil)", "Boil"))}


def test_underlined_lines_are_headings(split: Split) -> None:
    parts = split("a.md", "One\n===\na\n\nTwo\n---\nb\n\n- item\n---\n")

    assert titles(parts) == [("One", (1, 4)), ("Two", (5, 10))]


@pytest.mark.parametrize(
    ("written", "name"),
    [
        ("own-cups <span>([root-only](tea.md#root))</span>", "own-cups"),
        ("[1.2.0](https://tea.example/compare/1.1...1.2) (2026-01-01)", "1.2.0 (2026-01-01)"),
        ('<a name="cups"></a>Own cups', "Own cups"),
        ("Lists<sup>1.49.0</sup>", "Lists"),
        ("<span id='cups'>Cups</span>", "Cups"),
        ("`<b>` and `[a](b)` of [`Vec<T>`](vec.md)", "`<b>` and `[a](b)` of `Vec<T>`"),
    ],
)
def test_a_heading_is_called_what_is_read_of_it(split: Split, written: str, name: str) -> None:
    under = split("a.md", f"{written}\n===\na\n")

    assert titles(split("a.md", f"## {written}\na\n")) == [(name, (1, 2))]
    assert titles(under) == [(name, (1, 3))]


@pytest.mark.parametrize("piece", ["<span ", "x<sup>", "[](", "![a", "`", "<a>](", "</sup>"])
def test_long_headings_are_read_in_no_time(split: Split, piece: str) -> None:
    started = time.process_time()
    split("a.md", f"# x](<{piece * (200_000 // len(piece))}\n")

    assert time.process_time() - started < 5


def test_front_matter_holds_no_heading(split: Split) -> None:
    parts = split("a.md", "---\ntitle: x\n# not\n---\n# One\n")

    assert titles(parts) == [("", (1, 4)), ("One", (5, 5))]


@pytest.mark.parametrize("heading", ["{{ $frontmatter.title }}", "{{page.title}}"])
def test_a_heading_that_inserts_the_title_of_front_matter_has_it(split: Split, heading: str) -> None:
    parts = split("a.md", f"---\ntitle: Brewing\n---\n\n# {heading}\n\nTea.\n\n## Cups\n\nHot.\n")

    assert [part.name for part in parts if part.name] == ["Brewing", "Cups"]


def test_a_title_in_front_matter_is_that_of_a_page_without_another(split: Split) -> None:
    parts = split("a.md", "---\nweight: 2\ntitle: 'Own shops'\n---\nSell.\n\n## One\n")
    toml = split("a.md", '+++\ntitle = "Own shops"\n+++\nSell.\n')

    assert titles(parts) == [("Own shops", (1, 6)), ("One", (7, 7))]
    assert titles(toml) == [("Own shops", (1, 4))]


def test_titles_of_restructured_text_have_lines_under_and_over_them(split: Split) -> None:
    parts = split("a.rst", "=====\nTitle\n=====\n\na\n\nSub\n---\nb\n\nSub2\n----\n::\n\n    x\n    ===\n")

    assert titles(parts) == [("Title", (1, 6)), ("Sub", (7, 10)), ("Sub2", (11, 16))]


def test_a_manual_page_is_cut_at_its_sections_and_at_what_each_paragraph_is_about(split: Split) -> None:
    text = (
        '.TH fzf 1 "Aug 2026"\n.SH NAME\nfzf - a finder\n.SH OPTIONS\n.SS SEARCH\n'
        '.TP\n.BI "\\-\\-scheme=" SCHEME\n'
        'Choose the scheme.\n.IP "\\fBexact\\fR" 4\nMatch exactly.\n.Ss Files\nNone.\n'
    )

    names = [part.name for part in split("man/fzf.1", text)]

    assert names == ["", "NAME", "OPTIONS", "SEARCH", "--scheme= SCHEME", "exact 4", "Files"]
    assert {part.name for part in split("app.log.1", ".SH looks like a heading\n")} == {""}


def test_a_manual_page_in_scdoc_is_cut_at_its_sections_and_terms(split: Split) -> None:
    text = (
        "FOOT(5)\n\n# NAME\n\nfoot - settings\n\n# FONT\n\nThe *[font]* table.\n\n"
        "*size* = _<float>_\n\n\tIn *points*.\n\n## WEIGHT\n\n*-b, --bold* _<N>_\n\n\tHow bold.\n"
    )

    names = [part.name for part in split("doc/foot.5.scd", text)]

    assert names == ["", "NAME", "FONT", "size", "WEIGHT", "-b, --bold"]


def test_headings_of_org_stand_outside_blocks_below_the_title(split: Split) -> None:
    text = (
        "#+title: Guide\n\n* TODO Fonts :ui:\n#+begin_src org\n* not\n#+end_src\n"
        "** Change my fonts\nSo.\n* Keys\n"
    )

    parts = split("docs/faq.org", text)

    assert titles(parts) == [
        ("Guide", (1, 2)),
        ("Fonts", (3, 6)),
        ("Change my fonts", (7, 8)),
        ("Keys", (9, 9)),
    ]


def test_headings_of_a_wiki_stand_between_equals_signs(split: Split) -> None:
    parts = split("Home.mediawiki", "==Install==\nRun it.\n=== On Linux ===\napt\na == b\n")

    assert titles(parts) == [("Install", (1, 2)), ("On Linux", (3, 5))]


def test_sections_of_a_page_in_html_are_its_headings(split: Split) -> None:
    parts = split("doc/a.html", "<body>\n<h1>Guide</h1>\n<h2 id='x'>\n  Set <i>up</i>\n</h2>\n<p>So.</p>\n")

    assert titles(parts)[1:] == [("Guide", (2, 2)), ("Set up", (3, 6))]


def test_sections_of_latex_are_its_headings(split: Split) -> None:
    parts = split(
        "book.tex", "\\chapter{Types}\nA.\n\\section*{Paths}\\label{sec:p}\nB.\n\\chapter[S]{Sets}\n"
    )

    assert [lines for _, lines in titles(parts)] == [(1, 2), (3, 4), (5, 5)]


def test_headings_of_asciidoc_stand_outside_listings(split: Split) -> None:
    parts = split("a.adoc", "= Title\n\n== Sub\n----\n== not\n----\n\n=== Deep\n")

    assert [name for name, _ in titles(parts)] == ["Title", "Sub", "Deep"]


@pytest.mark.parametrize("unit", ["<!--", "<a>", "![", "<a><img ", "![a](((", "[![", "<p "])
def test_what_decorates_is_found_in_linear_time(unit: str, split: Split) -> None:
    text = f"![a](b)\n{unit * (200_000 // len(unit))}"
    start = time.process_time()

    split("a.md", text)

    assert time.process_time() - start < 3  # .1 s; a quadratic one takes minutes


def test_the_help_of_a_plugin_for_vim_is_split_at_its_tags(split: Split) -> None:
    text = (
        "*loom.txt* Cups\n\n=====================\nINTRODUCTION            *loom.intro*\n\nAll on |loom|.\n\n"
        "loom.brew({cup})            *loom.brew()*\n    Brews *hot* tea.\n\n"
        "                    *loom.cup*\nloom.cup = 1\n    A cup.\n"
    )

    named = [(part.name, part.lines) for part in split("doc/loom.txt", text) if part.name]

    assert named == [
        ("INTRODUCTION", (4, 7)),
        ("loom.brew({cup})", (8, 10)),
        ("loom.cup", (11, 13)),
    ]
    assert {part.name for part in split("loom.txt", text)} == {""}


def test_pod_is_split_at_its_headings(split: Split) -> None:
    text = "=encoding utf8\n\n=head1 NAME\n\nLoom\n\n=head2 Of C<brew>\n\nTea.\n\n=over\n\n=item\n\n=back\n"

    named = [(part.name, part.lines) for part in split("lib/Loom.pod", text) if part.name]

    assert named == [("NAME", (3, 6)), ("Of brew", (7, 15))]
