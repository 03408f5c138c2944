"""Rules for definitions, imports and uses in languages without a grammar."""

from __future__ import annotations

import functools
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

from satchel.plugin_api import language_of, lazily

_WORD_KINDS = {
    "fun": "function", "func": "function", "function": "function", "def": "function", "defp": "function",
    "sub": "function", "fn": "function", "proc": "function", "defmacro": "macro", "macro": "macro",
    "class": "class", "object": "object", "companion object": "object", "struct": "struct", "actor": "class",
    "interface": "interface", "protocol": "interface", "trait": "trait", "enum": "enum", "enum class": "enum",
    "extension": "extension", "module": "module", "defmodule": "module", "package": "module",
    "message": "message", "service": "service", "rpc": "function", "oneof": "type", "type": "type",
    "typealias": "type", "input": "type", "union": "type", "scalar": "type", "query": "function",
    "mutation": "function", "fragment": "function", "mixin": "class", "library": "class", "contract": "class",
    "event": "event", "modifier": "function", "resource": "resource", "variable": "variable",
    "output": "variable", "provider": "resource", "namespace": "namespace", "given": "function",
    "data class": "class", "opaque": "struct",
}  # fmt: skip
_WORDS_OF_KINDS = {
    "annotation": "annotation, annotation class",
    "class": "abstract type, defclass, deftype, exception, extension type, implementation, "
    "interface class, mixin class",
    "constant": "const",
    "constructor": "constructor, init",
    "event": "error",
    "extension": "extend",
    "function": "procedure",
    "impl": "defimpl, instance",
    "index": "index",
    "interface": "concept, defprotocol, fun interface, module type, type class",
    "macro": "defmacrop",
    "module": "lib",
    "object": "add_executable, add_library, package object",
    "property": "let, val, var",
    "prototype": "callback, macrocallback",
    "record": "defrecord, record",
    "sequence": "sequence",
    "struct": "defexception, defstruct, mutable struct, tuple",
    "table": "table",
    "trigger": "trigger",
    "type": "alias, associatedtype, data, directive, distinct, newtype, schema, typedef, typep",
    "variable": "defonce, defvar",
    "view": "view",
}  # fmt: skip
KINDS = _WORD_KINDS | {word: kind for kind, words in _WORDS_OF_KINDS.items() for word in words.split(", ")}
"""Kinds of definitions by the words that begin them; without such a word, the row gives the kind."""
_WORDS = "|".join(
    sorted((re.escape(word).replace("\\ ", r"\s+") for word in _WORD_KINDS), key=len, reverse=True)
)
_ALIKE = {
    **dict.fromkeys(("elm", "purescript"), "haskell"),
    **dict.fromkeys(("scss", "less"), "css"),
    **dict.fromkeys(("tmpl", "gotmpl"), "tpl"),
    **dict.fromkeys(("lisp", "scheme", "racket"), "clojure"),
    **dict.fromkeys(("prisma", "thrift", "verilog", "systemverilog", "vb", "d", "cue", "tcl"), "other"),
    **dict.fromkeys(("awk", "gdscript", "fish", "starlark", "gleam", "vim"), "other"),
}
"""Languages that are read like others."""
_MODS = "<mods>"
_PATTERNS = ("imports", "uses", "margin")
LOCAL = lazily(
    r"[ \t]*(?:@\w+\s+)?(?:(?:lazy|implicit|final|weak|private|rec|inline)\s+){0,2}(?:let|and|va[lr]|const)\b"
)
"""The beginning of a value that is worth a name only outside of functions."""


class Rule(NamedTuple):
    """The form of a line that begins a definition."""

    pattern: re.Pattern[str]
    """It has the group `name` and perhaps `kind`, a word of `KINDS`."""
    kind: str = "function"
    """Its kind without a word for one."""
    has_labels: bool = False
    """Whether the name is a list of labels, as in HCL."""
    behind: re.Pattern[str] | None = None
    """The modifiers of a line, after all of which it matches."""


class CodeLanguage(NamedTuple):
    """The rules for a language."""

    rules: Sequence[Rule]
    imports: re.Pattern[str] | None = None
    """Beginnings of lines that name other files or modules."""
    uses: re.Pattern[str] | None = None
    """A name that is called, or used as a type."""
    margin: re.Pattern[str] | None = None
    """Lines that count as further out than the margin."""
    blocks: Mapping[str, str] = MappingProxyType({})
    """Beginnings and ends of long comments and texts: nothing in them is a definition or a use."""
    has_clauses: bool = False
    """Whether a function is often written as several definitions with one name."""
    is_in_statements: bool = False
    """Whether a definition is a statement that ends with a semicolon, as in SQL."""


def find_language(path: str) -> CodeLanguage | None:
    """Return the rules for the language of the file at `path`, None if it has no definitions."""
    name = language_of(path) or path.rpartition("/")[2].rpartition(".")[2]
    return _read_languages().get(_ALIKE.get(name, name))


def keyword_rule() -> Rule:
    """Return the rule for definitions with a keyword such as `def`, `func` or `class`, in any language."""
    return _read_languages()["other"].rules[0]


@functools.cache
def _read_languages() -> Mapping[str, CodeLanguage]:
    """Return the languages of `definitions.txt`, by name."""
    text = Path(__file__).with_name("definitions.txt").read_text("utf-8").replace("\n  ", "")
    known = {"<kinds>": _WORDS}
    rows: dict[str, list[tuple[str, str]]] = {}
    for row in text.splitlines():
        name, _, expression = row.partition(": ")
        behind, expression = (
            (_MODS, expression[len(_MODS) :]) if expression.startswith(_MODS) else ("", expression)
        )
        for each, meaning in known.items() if "<" in expression else ():
            expression = expression.replace(each, meaning)
        if name.startswith("<"):
            known[name] = expression
        elif row and not row.startswith("#"):
            language, _, kind = name.partition(" ")
            rows.setdefault(language, []).append((kind, behind + expression))
    modifiers = lazily(rf"[ \t]*{known[_MODS]}")
    return {language: _make_language(found, modifiers) for language, found in rows.items()}


def _make_language(rows: Sequence[tuple[str, str]], modifiers: re.Pattern[str]) -> CodeLanguage:
    known = dict(rows)
    marks = known.get("blocks", "").split()
    imports, uses, margin = (lazily(known[kind]) if kind in known else None for kind in _PATTERNS)
    rules = [
        Rule(
            lazily(expression.removeprefix(_MODS)),
            kind.removesuffix(" labels"),
            kind.endswith(" labels"),
            modifiers if expression.startswith(_MODS) else None,
        )
        for kind, expression in rows
        if kind not in (*_PATTERNS, "blocks", "form")
    ]
    blocks = dict(zip(marks[::2], marks[1::2], strict=True))
    form = known.get("form")
    return CodeLanguage(rules, imports, uses, margin, blocks, form == "clauses", form == "statements")
