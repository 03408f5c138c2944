"""Splits prose with headings: Markdown, reStructuredText and AsciiDoc."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from itertools import accumulate, groupby
from typing import NamedTuple

import attrs

from satchel.plugin_api import NO_LINES, ContextItem, Part, lazily, lines_of
from satchel_plugins.representers.partition import Definition, Outline, tidy

_MARKUP = (
    r"</?(?:a|abbr|b|big|br|center|div|em|figure|figcaption|font|h[1-6]|hr|i|img|kbd|li|nobr|p|picture|small"
    r"|source|span|strong|sub|sup|table|tbody|td|tfoot|th|thead|tr|u|ul)\b[^<>]*>"
)
_UNSEEN = lazily(
    r"<!--(?:(?!-->|<!--).){0,4000}-->"
    r"|<a\b[^<>]*>(?:(?!</a>|<a\b|<img\b).){0,400}<img\b(?:(?!</a>|<a\b).){0,1000}</a>"
    rf"|{_MARKUP}"
    r"|!\[[^\[\]\n]*\](?:\([^()\n]*(?:\([^()\n]*\)[^()\n]*){0,4}\)|\[[^\[\]\n]*\])"
    r"|\](?:\([^()\s]*\)|\[[^\[\]\n]*\])|^\[[^\[\]\n]+\]:[^\n]*|&\w{1,20};"
    r"|^\.\. (?:\|[^|\n]+\| )?image::[^\n]*(?:\n[ \t]+:[^\n]*)*",
    re.DOTALL | re.IGNORECASE | re.MULTILINE,
)
"""Markup that a reader of the rendered page does not see: tags, images, image links, targets, comments."""
_IMAGE = lazily(r"(?i)<img\b|!\[|\bimage::")
_WORD = lazily(r"\w{2,}")
_FENCED = lazily(r"^ {0,3}(`{3,}|~{3,})[^\n]*\n.*?(?:^ {0,3}\1[ \t]*$|\Z)", re.DOTALL | re.MULTILINE)
_FEW_WORDS = 3
"""Words between two decorations that belong to them: "powered by", "special thanks to"."""
_SLOGAN = 0.25
"""Largest share of readable text in a long decorating line."""
_LEAST = 200
"""Least characters of a decoration that is worth a part of its own."""

_SUFFIXES = {
    "md": "markdown", "markdown": "markdown", "mdx": "markdown", "mdc": "markdown", "qmd": "markdown",
    "rmd": "markdown", "rst": "restructured", "rest": "restructured",
    "adoc": "asciidoc", "asciidoc": "asciidoc", "asc": "asciidoc",
    "org": "org", "wiki": "wiki", "mediawiki": "wiki", "tex": "latex", "ltx": "latex",
    "html": "html", "htm": "html", "scd": "scdoc", "pod": "pod",
}  # fmt: skip
_NAMES = frozenset({"README", "CHANGELOG", "CONTRIBUTING", "CHANGES", "NEWS", "HISTORY"})
_ATX = lazily(r" {0,3}(#{1,6})(?:[ \t]+(.*?))?(?:[ \t]+#+)?[ \t]*$")
_ENTRY = lazily(r"\s*(?:[-*+]|\d+[.)])\s+\[[^\]\n]*\]\(#[^)\s]*\)\s*$")
_LEAST_ENTRIES = 3
_FENCE = lazily(r" {0,3}(`{3,}|~{3,})(.*)$")
_SETEXT = lazily(r" {0,3}(=+|-{2,})[ \t]*$")
_NOT_PARAGRAPH = lazily(r"\s*([-*+>|#]|\d+[.)]\s|    |\t|```|~~~|$)")
_ADORNMENT = lazily(r"([!-/:-@\[-`{-~])\1{2,}$")
_ASCIIDOC = lazily(r"(={1,6})\s+(\S.*?)\s*$")
_ASCIIDOC_FENCE = lazily(r"(-{4,}|={4,}|\.{4,}|\+{4,}|\*{4,}|_{4,}|/{4,}|```)\s*$")


_ORG = lazily(r"(\*+)\s+(?:(?:TODO|DONE)\s+)?(\S.*?)(?:\s+:[\w@#%:]+:)?\s*$")
_ORG_TITLE = lazily(r"(?i)#\+title:\s*(\S.*)")
_FRONT_TITLE = lazily(r"title\s*[:=]\s*([\"']?)(\S.{0,200}?)\1\s*$")
_INSERTED_TITLE = lazily(r"\{\{\s*\$?(?:front-?matter|page)\.title\s*\}\}")
"""The heading of a page for a site that inserts the title of its front matter there."""
_ORG_BLOCK = lazily(r"(?i)\s*#\+(begin|end)_\w+")
_WIKI = lazily(r"(={1,6})\s*([^=\s].*?)\s*\1\s*$")
_LATEX = lazily(r"\s*\\(part|chapter|section|subsection|subsubsection)\*?(?:\[[^\]]*\])?\{(.+)\}")
_HTML = lazily(r"(?i)<h([1-6])\b[^>]*>(.*?)(?:</h[1-6]>|$)")
_TAG = lazily(r"<[^<>]*>")
_NOTE = lazily(r"(?i)(?<=[^\s>])\s{0,3}<(span|sup|sub|small)\b[^<>]{0,200}>[^`\n]{0,300}</\1>\s{0,9}$")
"""A note in small letters after a heading: a version, or a place that it applies to."""
_UNREAD = lazily(
    r"(?i)(?P<code>`[^`\n]*`)|</?(?:a|b|br|code|em|font|i|img|kbd|mark|small|span|strong|sub|sup|u)\b[^<>]*>"
    r"|!?\[(?P<text>[^\[\]\n]*)\](?:\([^()\s]*\)|\[[^\[\]\n]*\])"
)
"""Code in a heading, and its markup that a reader does not see: tags and link targets."""
_LATEX_LEVELS = ("part", "chapter", "section", "subsection", "subsubsection")

_MANUAL = lazily(r"(?i)(^|/)[a-z][^/]*(?<!\.log)(?<!\.so)\.[1-8](\.in)?$")
"""The name of a manual page: `git-log.1`, `fd.1.in`."""
_MANUAL_SECTION = lazily(r"(?i)\.[ \t]*(SH|SS)[ \t]+(\S.*)$")
_MANUAL_TAG = lazily(r"\.[ \t]*TP\b")
_MANUAL_ENTRY = lazily(r"\.[ \t]*(?:IP|It)[ \t]+(\S.*)$")
_POD = lazily(r"=head([1-6])[ \t]+(\S.*)$")
_POD_CODE = lazily(r"\b[A-Z]<+([^<>\n]*)>+")
_VIM_HELP = lazily(r"(^|/)doc/[^/]+\.txt$")
"""The name of a help page of a Vim plugin."""
_VIM_TAG = lazily(r"(?:^|\s)\*[^*\s|]{1,120}\*(?=\s|$)")
"""A tag for looking up Vim's help, at the end of a heading."""
_SCDOC = lazily(r"(#{1,2})\s+(\S.*?)\s*$")
_SCDOC_ENTRY = lazily(r"\*([^*\n]{1,80})\*")
_ROFF = lazily(r"\\f(?:\[[^\]]*\]|\(\w\w|\w)|\\[&/,]|^\.[ \t]*[A-Z]{1,2}(?=[ \t])")


class _Heading(NamedTuple):
    first: int
    last: int
    level: int
    title: str


@attrs.frozen(eq=False, repr=False)
class Prose:
    """Sections of documents, from Markdown to LaTeX and manual pages: a part runs to the next heading."""

    name, version = "markdown", "13"

    def claims(self, item: ContextItem) -> float:
        """Return 0.9 for a file whose suffix is known, 0.3 for a README without one."""
        file_name = item.path.rpartition("/")[2]
        if file_name.rpartition(".")[2].lower() in _SUFFIXES and "." in file_name:
            return 0.9
        if _MANUAL.search(file_name) or _VIM_HELP.search(item.path):
            return 0.9
        return 0.3 if file_name.upper() in _NAMES else 0.0

    def split(self, item: ContextItem) -> Sequence[Part]:
        """Return one part per heading; long sections are cut at paragraphs, badges and logos are apart."""
        from satchel_plugins.representers.partition import PartSizes, partition

        text = item.text or ""
        lines = [line.rstrip("\r") for line in lines_of(text)]
        default = "manual" if _MANUAL.search(item.path) else "markdown"
        default = "vim" if _VIM_HELP.search(item.path) else default
        language = _SUFFIXES.get(item.path.rpartition(".")[2].lower(), default)
        sections = [*_sections(list(_FINDERS[language](lines)), len(lines))]
        if language == "markdown":
            sections += _find_contents(lines)
        parts = partition(text, Outline(tuple(sections)), PartSizes(small=0, whole=60, block=60))
        return split_off_decoration(text, lines, parts)


def _find_contents(lines: Sequence[str]) -> Iterator[Definition]:
    """Yield the tables of contents without a heading: lists of links to places of the same page."""
    first = last = entries = 0
    for number, line in enumerate((*lines, "end"), 1):
        if _ENTRY.match(line):
            first, last, entries = first or number, number, entries + 1
        elif line.strip():
            if entries >= _LEAST_ENTRIES:
                yield Definition("Contents", "section", first, last)
            first = entries = 0


def _sections(headings: Sequence[_Heading], count: int) -> Iterator[Definition]:
    """Yield a section per heading: it ends before the next heading of its level or above."""
    open_sections: list[int] = []
    ends = [count] * len(headings)
    for at, heading in enumerate(headings):
        while open_sections and headings[open_sections[-1]].level >= heading.level:
            ends[open_sections.pop()] = heading.first - 1
        open_sections.append(at)
    for at, heading in enumerate(headings):
        head = (heading.first, heading.last)
        yield Definition(tidy(heading.title), "section", heading.first, ends[at], head)


def _markdown(lines: Sequence[str]) -> Iterator[_Heading]:
    """Yield the title in the front matter, unless a page has one below, and the headings.

    These are the ATX and setext headings outside fences and comments; one may only insert the title.
    """
    start = _after_front_matter(lines)
    headings = [*_find_markdown_headings(lines, start)]
    titles = [*_find_front_title(lines[:start])]
    if not any(heading.level == 1 for heading in headings):
        yield from titles
    for heading in headings:
        inserts = titles and _INSERTED_TITLE.fullmatch(heading.title)
        yield heading._replace(title=titles[0].title) if inserts else heading


def _find_front_title(lines: Sequence[str]) -> Iterator[_Heading]:
    """Yield the title that front matter gives a page, if it does."""
    for number, line in enumerate(lines, 1):
        if title := _FRONT_TITLE.match(line):
            yield _Heading(1, number, 0, title[2])
            return


def _find_markdown_headings(lines: Sequence[str], start: int) -> Iterator[_Heading]:
    """Yield the headings after some first lines."""
    fence = ""
    paragraph = 0
    for number, line in enumerate(lines[start:], start + 1):
        if fence:
            fence = "" if _closes(line, fence) else fence
        elif opened := _find_fence(line):
            fence, paragraph = opened, 0
        elif heading := _heading(lines, number, paragraph):
            yield heading
            paragraph = 0
        else:
            paragraph = 0 if _NOT_PARAGRAPH.match(line) else paragraph or number


def _find_fence(line: str) -> str:
    """Return the marks that open a fence, "" if a line opens none: inline code begins with backticks, too."""
    fence = _FENCE.match(line)
    return "" if fence is None or (fence[1][0] == "`" and "`" in fence[2]) else fence[1]


def _closes(line: str, opened: str) -> bool:
    """Return whether a line closes a fence: at least as many of its marks, and nothing after them."""
    fence = _FENCE.match(line)
    return fence is not None and fence[1].startswith(opened) and not fence[2].strip()


def _heading(lines: Sequence[str], number: int, paragraph: int) -> _Heading | None:
    """Return the heading that ends on a line; `paragraph` is the first line of the text above, or 0."""
    line = lines[number - 1]
    if atx := _ATX.match(line):
        return _Heading(number, number, len(atx[1]), _read_title(atx[2] or ""))
    if paragraph and (under := _SETEXT.match(line)):
        title = _read_title(lines[number - 2].strip())
        return _Heading(paragraph, number, 1 if under[1][0] == "=" else 2, title)
    return None


def _read_title(written: str) -> str:
    """Return the visible text of a heading: without tags, link targets, and notes after it."""
    if "<" not in written and "](" not in written:
        return written
    plain = _UNREAD.sub(lambda found: found["code"] or found["text"] or "", _NOTE.sub("", written))
    return " ".join(plain.split()) or written


def _after_front_matter(lines: Sequence[str]) -> int:
    """Return the number of lines of the YAML or TOML front matter, 0 without any."""
    if not lines or lines[0].rstrip() not in ("---", "+++"):
        return 0
    closing = (lines[0].rstrip(), "...") if lines[0].startswith("-") else (lines[0].rstrip(),)
    ends = (number for number, line in enumerate(lines[1:200], 2) if line.rstrip() in closing)
    return next(ends, 0)


def _find_restructured_titles(lines: Sequence[str]) -> Iterator[_Heading]:
    """Yield titles with a line under them, and perhaps over them, of one repeated mark."""
    levels: dict[str, int] = {}
    for number in range(2, len(lines) + 1):
        line, title = lines[number - 1].rstrip(), lines[number - 2].strip()
        if not _ADORNMENT.match(line) or not title or _ADORNMENT.match(title):
            continue
        over = number > 2 and lines[number - 3].rstrip() == line
        indented = lines[number - 2][:1].isspace() and not over
        before = lines[number - 3].strip() if number > 2 else ""
        if indented or len(line) < len(title) - 3 or (before and not over):
            continue
        level = levels.setdefault(line[0] + "o" * over, len(levels) + 1)
        yield _Heading(number - 1 - over, number, level, title)


def _find_pod_headings(lines: Sequence[str]) -> Iterator[_Heading]:
    """Yield the headings of Perl's documentation format, POD."""
    for number, line in enumerate(lines, 1):
        if heading := _POD.match(line):
            title = _POD_CODE.sub(r"\1", heading[2].strip())
            yield _Heading(number, number, int(heading[1]), title)


def _find_vim_tags(lines: Sequence[str]) -> Iterator[_Heading]:
    """Yield the lines that end with a tag; a line below a rule opens a chapter."""
    for number, line in enumerate(lines, 1):
        tags = _VIM_TAG.findall(line) if line.rstrip().endswith("*") else []
        if tags:
            is_chapter = number > 1 and lines[number - 2].startswith(("===", "---"))
            title = _VIM_TAG.sub("", line).strip() or tags[-1].strip(" \t*")
            yield _Heading(number, number, 1 if is_chapter else 2, title)


def _asciidoc(lines: Sequence[str]) -> Iterator[_Heading]:
    """Yield the headings outside delimited blocks."""
    fence = ""
    for number, line in enumerate(lines, 1):
        delimiter = _ASCIIDOC_FENCE.match(line)
        if fence:
            fence = "" if line.rstrip() == fence else fence
        elif delimiter:
            fence = line.rstrip()
        elif heading := _ASCIIDOC.match(line):
            yield _Heading(number, number, len(heading[1]), heading[2])


def _find_org_headings(lines: Sequence[str]) -> Iterator[_Heading]:
    """Yield the title and the headings outside blocks."""
    in_block = False
    for number, line in enumerate(lines, 1):
        if block := _ORG_BLOCK.match(line):
            in_block = block[1].lower() == "begin"
        elif in_block:
            continue
        elif title := _ORG_TITLE.match(line):
            yield _Heading(number, number, 0, title[1])
        elif heading := _ORG.match(line):
            yield _Heading(number, number, len(heading[1]), heading[2])


def _find_wiki_headings(lines: Sequence[str]) -> Iterator[_Heading]:
    """Yield the lines between equals signs, as MediaWiki and Creole have them."""
    for number, line in enumerate(lines, 1):
        if heading := _WIKI.match(line):
            yield _Heading(number, number, len(heading[1]), heading[2])


def _find_latex_headings(lines: Sequence[str]) -> Iterator[_Heading]:
    """Yield the commands of sections; the title goes on after the last brace of the line."""
    for number, line in enumerate(lines, 1):
        if heading := _LATEX.match(line):
            yield _Heading(number, number, _LATEX_LEVELS.index(heading[1]) + 1, heading[2])


def _find_html_headings(lines: Sequence[str]) -> Iterator[_Heading]:
    """Yield the headings of a page; a title may be on the line below the tag."""
    for number, line in enumerate(lines, 1):
        if heading := _HTML.search(line):
            below = lines[number] if number < len(lines) else ""
            title = _TAG.sub("", heading[2]).strip() or _TAG.sub("", below).strip()
            yield _Heading(number, number, int(heading[1]), title)


def _find_manual_headings(lines: Sequence[str]) -> Iterator[_Heading]:
    """Yield the sections of a manual page, man(7) or mdoc(7), and the tags of paragraphs below them."""
    for number, line in enumerate(lines, 1):
        if section := _MANUAL_SECTION.match(line):
            yield _Heading(number, number, 1 if section[1].upper() == "SH" else 2, _read_roff(section[2]))
        elif _MANUAL_TAG.match(line) and number < len(lines):
            yield _Heading(number, number + 1, 3, _read_roff(lines[number]))
        elif entry := _MANUAL_ENTRY.match(line):
            yield _Heading(number, number, 3, _read_roff(entry[1]))


def _find_scdoc_headings(lines: Sequence[str]) -> Iterator[_Heading]:
    """Yield the sections of a manual page written in scdoc, and below them the terms that begin a line."""
    for number, line in enumerate(lines, 1):
        if section := _SCDOC.match(line):
            yield _Heading(number, number, len(section[1]), section[2])
        elif entry := _SCDOC_ENTRY.match(line):
            yield _Heading(number, number, 3, entry[1])


def _read_roff(text: str) -> str:
    """Return text without the marks of roff: fonts, escaped hyphens, requests."""
    plain = _ROFF.sub("", text.replace("\\-", "-"))
    return " ".join(plain.replace('"', " ").split())


_FINDERS = {
    "pod": _find_pod_headings,
    "vim": _find_vim_tags,
    "markdown": _markdown,
    "restructured": _find_restructured_titles,
    "asciidoc": _asciidoc,
    "org": _find_org_headings,
    "wiki": _find_wiki_headings,
    "latex": _find_latex_headings,
    "html": _find_html_headings,
    "manual": _find_manual_headings,
    "scdoc": _find_scdoc_headings,
}


def split_off_decoration(text: str, lines: Sequence[str], parts: Sequence[Part]) -> list[Part]:
    """Return the parts of a page, with its decorations in parts of their own, of the kind `decoration`."""
    heads = [range(part.head[0], part.head[1] + 1) for part in parts if part.head != NO_LINES]
    found = list(_find_decoration(text, lines, {number for head in heads for number in head}))
    split: list[Part] = []
    for part in parts:
        split += _split(part, [(max(first, part.lines[0]), last) for first, last in found])
    return split


def _find_decoration(text: str, lines: Sequence[str], headings: Collection[int]) -> Iterator[tuple[int, int]]:
    """Yield the first and last lines of each run with images, hardly any words, and no heading."""
    if not _IMAGE.search(text):
        return
    fenced = _FENCED.sub(lambda match: re.sub(r"[^\n]+", "fenced text of a block", match[0]), text)
    seen = _UNSEEN.sub(lambda match: "\n" * match[0].count("\n"), fenced).split("\n")
    words = [
        0 if _is_advertisement(line, written) else len(_WORD.findall(line))
        for line, written in zip(seen, lines, strict=False)
    ]
    for number in headings:
        words[number - 1] = _FEW_WORDS + 1
    for begin, end in _join_runs(words, lines):
        while begin < end and not lines[begin - 1].strip():
            begin += 1
        shown = "\n".join(lines[begin - 1 : end])
        if len(shown) >= _LEAST and _IMAGE.search(shown):
            yield begin, end


def _is_advertisement(seen: str, line: str) -> bool:
    """Return whether a long line is nearly all markup around an image, like a sponsor's with a slogan."""
    return (
        len(line) >= _LEAST and len(seen.strip()) <= _SLOGAN * len(line) and _IMAGE.search(line) is not None
    )


def _join_runs(words: Sequence[int], lines: Sequence[str]) -> Iterator[tuple[int, int]]:
    """Yield first and last lines of runs without words; a few words between two of them belong to them."""
    groups = [len(list(group)) for _, group in groupby(words, key=bool)]
    ends = [*accumulate(groups)]
    runs = [range(end - size, end) for size, end in zip(groups, ends, strict=True)]
    joined: list[range] = []
    for at, run in enumerate(runs):
        if not words[run.start]:
            joined.append(run)
        elif not (
            joined
            and sum(words[run.start : run.stop]) <= _FEW_WORDS
            and all(_is_marked(lines, side) for side in (joined[-1], *runs[at + 1 : at + 2]))
        ):
            yield from _span(joined)
            joined = []
    yield from _span(joined)


def _span(runs: Sequence[range]) -> Iterator[tuple[int, int]]:
    if runs:
        yield runs[0].start + 1, runs[-1].stop


def _is_marked(lines: Sequence[str], run: range) -> bool:
    return any(lines[at].strip() for at in run)


def _split(part: Part, found: Sequence[tuple[int, int]]) -> Iterator[Part]:
    """Yield a part in pieces: the decorating lines, and the lines between them."""
    first, until = part.lines
    piece = part
    for begin, last in found:
        end = min(last, until)
        if begin > end:
            continue
        if begin > first:
            yield _cut(piece, first, begin - 1)
        yield Part("decoration", "", (begin, end))
        first, piece = end + 1, Part("block", part.name, NO_LINES, symbols=part.symbols)
    if first <= until:
        yield _cut(piece, first, until)


def _cut(part: Part, first: int, last: int) -> Part:
    """Return the lines `first` to `last` of a part, with the whole span if they open a section."""
    symbols = tuple(one for one in part.symbols if first <= one.lines[0] <= last)
    opens = part.kind == "section" and part.lines[1] > last
    span = part.lines if opens and part.span == NO_LINES else part.span
    return part._replace(lines=(first, last), symbols=symbols, span=span)
