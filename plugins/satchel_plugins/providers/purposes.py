"""Read a file of code: its purpose, the names it defines, the words of its imports."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import dropwhile, islice

from satchel.plugin_api import lazily

_LONGEST_PURPOSE = 160
_LEAST_WORDS = 3
"""Least words of a comment on the purpose of a file; fewer are a heading."""
_LONGEST_HEADING = 60
_MOST_HEADINGS = 6

_DOCSTRING = lazily(r"\s*(?:#[^\n]*\n\s*)*[rRuU]?(?:\"\"\"|''')\s*(.+?)(?:\"\"\"|'''|\Z)", re.DOTALL)
_MODULE = lazily(r"^defmodule[ \t]+([\w.]+)", re.MULTILINE)
_MODULEDOC = lazily(
    r"^  @moduledoc[ \t]+(?:~[sS])?(?:\"\"\"(.+?)(?:\"\"\"|\Z)|\"([^\"\n]+)\")", re.DOTALL | re.MULTILINE
)
"""A module's docstring in Elixir."""
_COMMENT = lazily(
    r"^[ \t]*/\*+(?P<inner>!?)(?P<block>(?:(?!/\*).)*?)\*/[ \t]*$"
    r"|(?P<lines>(?:^[ \t]*(?://[/!]?|#(?!\[|!|include|define|if|el|endif|pragma|line|undef|import)|--|;;)[^\n]*\n)+)",
    re.DOTALL | re.MULTILINE,
)
_BEFORE = lazily(
    r"\s|$|(?:package|import|from|use|using|require|require_relative|namespace|extern|mod|pub (?:use|mod)"
    r"|export \*|module|defmodule|library|open|declare\()\b|[)}\]@#<'\"]|const [\w{}, ]+ = require"
)
"""The beginning of lines that may precede the comment on top of a file: imports and the like."""
_IMPORTS = lazily(
    r"\s*(?:package|import|from|use|using|require|require_relative|#\s*include|namespace|extern|mod|library)\b"
    r"|\s*const [\w{}, ]+ = require|\s*['\"]use strict|\s*#\s*(?:ifndef|pragma once)"
)
_NOT_FIRST = lazily(r"^(?!#line\b|#!|package\b|['\"]use strict)[ \t]*\S", re.MULTILINE)
"""A line before a comment that is more than the mark of a file."""
_ANNOTATION = lazily(r"[ \t]*(?:@\w|#\[|\[\w)")
_DECLARES = lazily(
    r"[^\n=({;]*?\b(?:class|struct|enum|trait|interface|type|function\*?|func|fn|fun|def|module|object|protocol|actor"
    r"|record|const|let|namespace|union|typealias)[ \t]+(?:\([^)\n]*\)[ \t]*)?(?P<name>[\w.:$]+)"
)
_MARGIN = lazily(r"^[ \t]*(?:\*|//[/!]?|#+|--|;;)?[ \t]?", re.MULTILINE)
_LEGAL = lazily(
    r"(?i)copyright|licen[cs]e|redistribution|all rights reserved|SPDX|coding[:=]|eslint|oxlint|biome-ignore"
    r"|@ts-|prettier|pylint|mypy:|ruff:|pyright:|type: ignore|noqa|\A\W{0,9}(?:TODO|FIXME|XXX|HACK)\b"
    r"|istanbul|go:build|\+build|generated (?:\w+ )?(?:by|from)|do not edit"
    r"|lint:|nolint|vim:|<reference|region|frozen_string_literal|\A\W{0,9}(?:globals?|exported) \w+[,:]"
)
_ADDRESS = lazily(r"https?://\S+")
_TAG = lazily(r"(?m)^\s*@\w+.*$|</?\w+(?: [^>\n]*)?>|\{@\w+ ([^}]*)\}")
_NAMED = lazily(r"<(?:see|seealso|paramref|typeparamref) \w+=\"(?:\w:)?(?:[\w.]*\.)?(\w+)[^\">]*\" ?/?>")
"""A name in a documentation comment of C#: `<see cref="Shop.Basket"/>`."""
_SENTENCE = lazily(r"(.+?(?<!e\.g)(?<!i\.e)(?<!etc)[.!?])(?=\s|$)", re.DOTALL)
_RULE = lazily(r"[-=*~_#/]{4,}")
_PROSE = lazily(r"^(?![#>|<*`~=\[!-]|\s|\d+[.)] |\.\. )\S[^\n]*(?:\n\S[^\n]*)*", re.MULTILINE)
"""A paragraph of Markdown or reStructuredText: no heading, list, table, badge, image or block of code."""
_LINK = lazily(r"!?\[([^\[\]]*)\](?:\([^()]*\)|\[[^\[\]]*\])|[*`]+")
_ADORNED = lazily(r"[^\n]*\n[=\-~^*#]{3,}\s*(?:\n|\Z)")

_IMPORT = lazily(
    r"^[ \t]*(?:from|import|use|pub use|mod|pub mod|require|require_relative|#include|using|export|alias)\b"
    r"[^\n;]*|\brequire\([^)\n]*\)|^[ \t]+\"[^\"\n]+\"$",
    re.MULTILINE,
)
_WORD = lazily(r"[A-Za-z_]\w*")
_TEXTS = lazily(r"\"\"\".*?\"\"\"|'''.*?'''", re.DOTALL)
_BLOCKS = lazily(r"^[ \t]*/\*.*?\*/", re.DOTALL | re.MULTILINE)
_DEFINES = lazily(
    r"^(?:export |default |pub(?:\([a-z]+\))? |public |abstract |final |async |static |declare "
    r"|sealed |open |data |unsafe )*(?:def|class|func|fn|fun|struct|enum|trait|interface|type|function|module"
    r"|object|protocol|actor|record)[ \t]+(\w+)"
    r"|^export (?:default )?(?:const|let|var)[ \t]+(\w+)",
    re.MULTILINE,
)
_INSIDE = lazily(
    r"^ {0,4}(?:public |internal |abstract |sealed |static |partial |readonly )*"
    r"(?:class|module|struct|enum|interface|record|defmodule|def|defmacro)[ \t]+(?:[\w.]+(?:::|\.))*(\w+)",
    re.MULTILINE,
)
"""A definition inside a namespace, by its last name."""
_NESTED = frozenset({"rb", "ex", "exs", "cs"})

_BLOCK = lazily(
    r"^(resource|data|module|variable|output)[ \t]+\"([^\"\n]+)\"(?:[ \t]+\"([^\"\n]+)\")?", re.MULTILINE
)
_OBJECT = lazily(r"^kind:[ \t]*(\w+)(?:.*?^  name:[ \t]*(\S[^\n]*))?", re.DOTALL | re.MULTILINE)
"""An object of Kubernetes."""
_DOCUMENT = lazily(r"^---[^\n]*$", re.MULTILINE)
_PLAY = lazily(r"^- (?:name|hosts|import_playbook|role):[ \t]*(\S[^\n]*)", re.MULTILINE)
"""A play or a task of Ansible."""
_TEMPLATE = lazily(r"\{\{[^}]*\}\}")
_AROUND = " -\"'"
_CELL = lazily(r"^# %% \[\d+\] (\S+)[^\n]*\n", re.MULTILINE)
_HEADING = lazily(r"^#{1,2}[ \t]+(\S[^\n]*)", re.MULTILINE)
_ROUTINE = lazily(r"(?i)setup|table of contents|exercise|import|license|copyright|\d+\W*$")

HCL = frozenset({"tf", "tofu", "hcl"})
YAML = frozenset({"yaml", "yml"})


def find_purpose(head: str, path: str) -> str:
    """Return the purpose of a file by its beginning, one sentence, "" if it gives none.

    That is the first sentence of its docstring, of the comment on top of it, or of the comment on a
    definition that has the file's name; a comment on another definition says nothing about the file.
    """
    if path.endswith(".ipynb"):
        return _read_title(head)
    return find_opening(head, path) or _find_own(head, path)


def find_opening(head: str, path: str) -> str:
    """Return the first sentence about the file as a whole, "" if there is none."""
    if found := _DOCSTRING.match(head):
        return _first_sentence(found[1])
    if path.endswith((".ex", ".exs")):
        return _read_moduledoc(head, path)
    before, is_first = 0, True
    for comment in _COMMENT.finditer(head):
        between = head[before : comment.start()]
        if not all(map(_BEFORE.match, between.split("\n"))):
            break
        is_first = is_first and not _NOT_FIRST.search(between)
        before = comment.end()
        text = _read_comment(comment)
        if _LEGAL.search(text):
            continue
        if _is_about_file(comment, head, is_first=is_first) and (said := _say(text)):
            return said
        is_first = False
    return ""


def _read_moduledoc(head: str, path: str) -> str:
    """Return the first sentence on the only module of a file, or on the module with the file's name."""
    modules = [*_MODULE.finditer(head)]
    stem = _fold(path.rpartition("/")[2].rpartition(".")[0].rpartition(".")[2])
    for at, module in enumerate(modules):
        end = modules[at + 1].start() if at + 1 < len(modules) else len(head)
        said = _MODULEDOC.search(head, module.end(), end)
        if said and (len(modules) == 1 or _fold(module[1].rpartition(".")[2]) == stem):
            return _first_sentence(said[1] or said[2])
    return ""


def _is_about_file(comment: re.Match[str], head: str, *, is_first: bool) -> bool:
    """Return whether a comment on top of a file is about all of it, by its marks and the text after it."""
    opening = comment[0].lstrip()
    if opening.startswith(("//!", "/*!")):
        return True
    line = _read_after(head, comment).partition("\n")[0]
    if line.startswith("package ") and not line.rstrip().endswith(";"):
        return True
    if not line.strip():
        return is_first or comment["lines"] is None
    is_unfinished = comment["lines"] is not None and opening.rstrip()[-1] != "."
    return is_first and _IMPORTS.match(line) is not None and not is_unfinished


def _find_own(head: str, path: str) -> str:
    """Return the first sentence on the definition that is named like the file."""
    stem = _fold(path.rpartition("/")[2].partition(".")[0])
    for comment in _COMMENT.finditer(head):
        text = _read_comment(comment)
        if _LEGAL.search(text):
            continue
        lines = dropwhile(_ANNOTATION.match, _read_after(head, comment).split("\n", 8))
        declared = _DECLARES.match(next(lines, ""))
        if declared and _fold(re.split(r"[.:]+", declared["name"])[-1]) == stem and (said := _say(text)):
            return said
    return ""


def _fold(name: str) -> str:
    return name.replace("_", "").replace("-", "").lower()


def _read_after(head: str, comment: re.Match[str]) -> str:
    """Return the text after a comment, from the next line."""
    after = head[comment.end() :]
    return after.removeprefix("\n") if comment["lines"] is None else after


def _read_comment(comment: re.Match[str]) -> str:
    return _MARGIN.sub("", comment["block"] or comment["lines"] or "")


def _say(text: str) -> str:
    sentence = _first_sentence(text)
    is_prose = " | " not in sentence and not sentence.endswith((";", "{", "}"))  # and no code
    is_drawn = 2 * sum(map(str.isalpha, sentence)) < len(sentence.replace(" ", ""))
    words = _ADDRESS.sub("", sentence).strip()
    return sentence if is_prose and not is_drawn and words.count(" ") >= _LEAST_WORDS - 1 else ""


def _first_sentence(text: str) -> str:
    plain = _TAG.sub(r"\1", _NAMED.sub(r"\1", text.strip())).strip()
    paragraph = " ".join(plain.partition("\n\n")[0].split())
    found = _SENTENCE.match(paragraph)
    sentence = _RULE.sub("", found[1] if found else paragraph).strip(" *|")
    if len(sentence) > _LONGEST_PURPOSE:
        return sentence[:_LONGEST_PURPOSE].rpartition(" ")[0] + " ..."
    return sentence


def is_face(path: str) -> bool:
    """Return whether a module is the face of its package."""
    stem = path.rpartition("/")[2].partition(".")[0]
    return stem in {"__init__", "index", "mod", "lib", "doc", "package-info"}


def find_readme_purpose(text: str) -> str:
    """Return the first sentence of a README's first paragraph, "" if it has none."""
    found = _PROSE.search(_ADORNED.sub("\n", text))
    sentence = _first_sentence(_LINK.sub(r"\1", found[0])) if found else ""
    return sentence if sentence.count(" ") >= _LEAST_WORDS - 1 and not sentence.endswith(":") else ""


def find_names(text: str, path: str) -> list[str]:
    """Return the names that a file defines at its margin: types first, private ones only if alone.

    For a notebook, its headings; for Terraform, the addresses of its resources and modules.
    """
    suffix = path.rpartition(".")[2].lower()
    if suffix == "ipynb":
        return list(islice(_find_headings(text), _MOST_HEADINGS))
    if suffix in HCL:
        return _find_blocks(text)
    if suffix in YAML:
        return _find_objects(text)
    plain = _BLOCKS.sub("", _TEXTS.sub("", text) if suffix in ("py", "pyi", "ex", "exs") else text)
    pattern = _INSIDE if suffix in _NESTED else _DEFINES
    found = [next(filter(None, match.groups()), "") for match in pattern.finditer(plain)]
    known = dict.fromkeys(filter(None, found))
    public = [name for name in known if not name.startswith("_")] or known
    return sorted(public, key=lambda name: not name[0].isupper())


def _find_blocks(text: str) -> list[str]:
    """Return the addresses of the resources and modules of Terraform, and the number of variables."""
    blocks = [found.groups() for found in _BLOCK.finditer(text)]
    named = [
        f"module.{label}" if kind == "module" else f"{label}.{name}"
        for kind, label, name in blocks
        if kind == "module" or (kind == "resource" and name)
    ]
    counts = {word: sum(kind == word for kind, _, _ in blocks) for word in ("variable", "output")}
    counted = [f"{count} {word}{'' if count == 1 else 's'}" for word, count in counts.items() if count]
    return [*named, *counted]


def _find_objects(text: str) -> list[str]:
    """Return the kinds and names of objects of Kubernetes, or the names of plays and tasks of Ansible."""
    objects = [found.groups() for part in _DOCUMENT.split(text) if (found := _OBJECT.search(part))]
    named = [f"{kind} {_TEMPLATE.sub('', name or '').strip(_AROUND)}".strip() for kind, name in objects]
    return list(
        dict.fromkeys(named or [name.strip("\"'")[:_LONGEST_HEADING] for name in _PLAY.findall(text)])
    )


def _read_title(text: str) -> str:
    """Return the first line of a notebook that has words: its title."""
    for kind, body in _cells(text):
        lines = (_LINK.sub(r"\1", line.lstrip("# ")) for line in body.split("\n"))
        said = next((line for line in lines if line.count(" ") and not line.startswith(("<", "|"))), "")
        if kind == "markdown" and said:
            return _first_sentence(said)
    return ""


def _find_headings(text: str) -> Iterator[str]:
    """Yield the headings of a notebook, without headings of nearly every notebook."""
    for kind, body in _cells(text):
        for heading in _HEADING.findall(body) if kind == "markdown" else ():
            plain = _LINK.sub(r"\1", heading).strip()[:_LONGEST_HEADING]
            if not _ROUTINE.match(plain):
                yield plain


def _cells(text: str) -> Iterator[tuple[str, str]]:
    """Yield the kinds and texts of the cells of a notebook, as satchel reads it."""
    pieces: Sequence[str] = _CELL.split(text)
    yield from zip(pieces[1::2], pieces[2::2], strict=False)


def find_imported(text: str) -> set[str]:
    """Return the words of a text's imports."""
    return set(_WORD.findall(" ".join(_IMPORT.findall(text))))
