"""What of a text a machine reads: its tokens without comments and layout, to see what an edit left alone."""

from __future__ import annotations

import io
import re
import tokenize
from collections.abc import Iterator, Sequence
from functools import cache
from types import MappingProxyType
from typing import NamedTuple

from satchel.patterns import lazily

_LONGEST = 500_000
"""Characters of a text whose tokens are looked at; a longer one counts as changed in its code."""
_BLOCK = r"/\*(?:[^*]|\*(?!/))*+(?:\*/)?"
_MARKUP = r"<!--(?:[^-]|-(?!->))*+(?:-->)?"
_DOUBLE, _SINGLE = r'"(?:[^"\\\n]|\\.)*+"?', r"'(?:[^'\\\n]|\\.)*+'?"
_TICKS = r"`(?:[^`\\]|\\.)*+`?"
_WORD = lazily(r"\w+|[^\w\s]")
_INDENTED = frozenset(
    {"yaml", "nim", "haskell", "sass", "fsharp", "gdscript", "makefile", "starlark", "just"}
)
"""Languages in which the blanks before a line count."""


class _CommentSyntax(NamedTuple):
    """How a family of languages writes comments and strings, as expressions."""

    comments: tuple[str, ...]
    strings: tuple[str, ...]


_C = _CommentSyntax((r"//[^\n]*+", _BLOCK), (_DOUBLE, _SINGLE))
_SCRIPT = _CommentSyntax(_C.comments, (_DOUBLE, _SINGLE, _TICKS))
_HASH = _CommentSyntax((r"(?<![^\s;(){}])#[^\n]*+",), (_DOUBLE, _SINGLE))
_PHP = _CommentSyntax((*_C.comments, r"#(?!\[)[^\n]*+"), (_DOUBLE, _SINGLE))
_DASHES = _CommentSyntax((r"--[^\n]*+", _BLOCK), (_DOUBLE, _SINGLE))
_SEMICOLON = _CommentSyntax((r";[^\n]*+",), (_DOUBLE,))
_TAGS = _CommentSyntax((_MARKUP,), (_DOUBLE,))
_STYLE = _CommentSyntax((_BLOCK,), (_DOUBLE, _SINGLE))
_INI = _CommentSyntax((r"(?m:^[ \t]*[#;][^\n]*+)",), ())
_LANGUAGES = (
    (_C, "c cpp csharp cuda d dart glsl groovy java kotlin objectivec proto rust scala solidity swift"),
    (_C, "systemverilog verilog zig json5 jsonc hcl prisma less scss qml"),
    (_SCRIPT, "javascript jsx typescript tsx go svelte vue"),
    (_HASH, "bash fish r ruby perl elixir julia tcl toml yaml dockerfile makefile cmake nix just gitignore"),
    (_HASH, "starlark nim gdscript graphql powershell"),
    (_DASHES, "sql lua haskell elm vhdl purescript"),
    (_SEMICOLON, "clojure lisp scheme racket asm"),
    (_TAGS, "html xml"),
    (_INI, "ini properties"),
    (_PHP, "php"),
    (_STYLE, "css"),
)
_FAMILIES = MappingProxyType({name: family for family, names in _LANGUAGES for name in names.split()})


class TokenReading(NamedTuple):
    """A text as a machine reads it."""

    code: tuple[str, ...]
    """Tokens without comments and layout."""
    comments: tuple[str, ...]


def read_code(text: str, language: str) -> TokenReading | None:
    """Return tokens and comments of a text; None where its language has no rules here, or it is too long."""
    if len(text) > _LONGEST:
        return None
    if language in ("python", "cython"):
        return _python(text)
    family = _FAMILIES.get(language)
    if family is None:
        return None
    pieces = list(_pieces(text, family, lines=language in _INDENTED))
    return TokenReading(_drop_formatting([word for word, said in pieces if not said]), _join_comments(pieces))


def _pieces(text: str, family: _CommentSyntax, *, lines: bool) -> Iterator[tuple[str, bool]]:
    """Yield tokens, and comments with True; where lines count, also what each is indented by."""
    end = 0
    for found in _expression(family).finditer(text):
        yield from ((word, False) for word in _words(text[end : found.start()], lines=lines))
        yield found[0], found.lastgroup == "comment"
        end = found.end()
    yield from ((word, False) for word in _words(text[end:], lines=lines))


@cache
def _expression(family: _CommentSyntax) -> re.Pattern[str]:
    alternatives = [f"(?P<comment>{'|'.join(family.comments)})"]
    if family.strings:
        alternatives.append(f"(?P<string>{'|'.join(family.strings)})")
    return re.compile("|".join(alternatives))


def _words(text: str, *, lines: bool) -> list[str]:
    if not lines:
        return _WORD.findall(text)
    first, *rest = text.split("\n")
    words = _WORD.findall(first)
    for line in rest:
        if line.strip():
            words.append(f"\n{len(line) - len(line.lstrip())}")
            words.extend(_WORD.findall(line))
    return words


def _join_comments(pieces: Sequence[tuple[str, bool]]) -> tuple[str, ...]:
    return tuple(" ".join(text.split()) for text, said in pieces if said)


def _drop_formatting(words: Sequence[str]) -> tuple[str, ...]:
    """Return tokens without what formatters add: a comma before a closing bracket, the other quotes."""
    kept = [
        word
        for word, after in zip(words, (*words[1:], ""), strict=False)
        if not (word == "," and after in (")", "]", "}"))
    ]
    return tuple(_requoted(word) for word in kept)


def _requoted(word: str) -> str:
    inner = word[1:-1]
    plain = (
        len(word) > 1 and word[0] == word[-1] == "'" and not ("'" in inner or '"' in inner or "\\" in inner)
    )
    return f'"{inner}"' if plain else word


_LAYOUT = frozenset({tokenize.NL, tokenize.ENCODING, tokenize.ENDMARKER})
_BREAKS = frozenset({tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT})


def _python(text: str) -> TokenReading | None:
    """Read Python with its own tokenizer; a string that stands for itself is a comment: a docstring."""
    try:
        tokens = [
            (one.type, one.string)
            for one in tokenize.generate_tokens(io.StringIO(text).readline)
            if one.type not in _LAYOUT
        ]
    except (tokenize.TokenError, SyntaxError):  # an unfinished text
        return None
    comments = [said for kind, said in tokens if kind == tokenize.COMMENT]
    spoken = [token for token in tokens if token[0] != tokenize.COMMENT]
    alone = _alone([kind for kind, _ in spoken])
    comments += [said for at, (_, said) in enumerate(spoken) if at in alone]
    words = [
        f"\n{kind}" if kind in _BREAKS else said
        for at, (kind, said) in enumerate(spoken)
        if at not in alone and at - 1 not in alone
    ]
    return TokenReading(_drop_formatting(words), tuple(" ".join(said.split()) for said in comments))


def _alone(kinds: Sequence[int]) -> set[int]:
    """Return the places of strings that are a whole statement; the line end after one goes with it."""
    return {
        at
        for at, kind in enumerate(kinds)
        if kind == tokenize.STRING
        and (at == 0 or kinds[at - 1] in _BREAKS)
        and kinds[at + 1 : at + 2] == [tokenize.NEWLINE]
    }
