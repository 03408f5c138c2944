"""How much an edit changed: lines, tokens, functions, types, dependencies, configuration, structure."""

from __future__ import annotations

import io
import re
import tokenize
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from difflib import SequenceMatcher
from functools import cache
from types import MappingProxyType
from typing import Literal, NamedTuple

import attrs

from satchel.parts import Part, Symbol, lines_of
from satchel.patterns import lazily
from satchel.workspace.files.kinds import Kind, classify, language_of

_LONGEST = 500_000
"""Characters of a text whose tokens are read; a longer one counts as changed in its code."""
_BLOCK = r"/\*(?:[^*]|\*(?!/))*+(?:\*/)?"
_MARKUP = r"<!--(?:[^-]|-(?!->))*+(?:-->)?"
_DOUBLE, _SINGLE = r'"(?:[^"\\\n]|\\.)*+"?', r"'(?:[^'\\\n]|\\.)*+'?"
_TICKS = r"`(?:[^`\\]|\\.)*+`?"
_WORD = lazily(r"\w+|[^\w\s]")
_INDENTED = frozenset(
    {"yaml", "nim", "haskell", "sass", "fsharp", "gdscript", "makefile", "starlark", "just"}
)
"""Languages in which indentation counts."""


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
    """Return tokens and comments of a text; None if its language has no rules here, or it is too long."""
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
    """Yield tokens, and comments with True; if lines count, also their indentation."""
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
    """Return tokens without formatters' changes: a comma before a closing bracket, the other quotes."""
    kept = [
        word
        for word, after in zip(words, (*words[1:], ""), strict=False)
        if not (word == "," and after in (")", "]", "}"))
    ]
    return tuple(_use_double_quotes(word) for word in kept)


def _use_double_quotes(word: str) -> str:
    inner = word[1:-1]
    plain = (
        len(word) > 1 and word[0] == word[-1] == "'" and not ("'" in inner or '"' in inner or "\\" in inner)
    )
    return f'"{inner}"' if plain else word


_LAYOUT = frozenset({tokenize.NL, tokenize.ENCODING, tokenize.ENDMARKER})
_BREAKS = frozenset({tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT})


def _python(text: str) -> TokenReading | None:
    """Read Python with its own tokenizer; a string statement counts as a comment: a docstring."""
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


_MOST_PAIRS = 100_000
"""Pairs of lines from which a run counts as replaced: the search may read all of them again and again."""
_Link = tuple[int, int, "_Link | None"]
"""A line's places in two texts, and the one before it."""
CONTEXT = 3


class LineChange(NamedTuple):
    """Lines `before` of the old text became lines `after` of the new one; both from 0, end excluded."""

    before: tuple[int, int]
    after: tuple[int, int]

    @property
    def lines(self) -> int:
        """Return the number of lines of the larger side."""
        return max(self.before[1] - self.before[0], self.after[1] - self.after[0])


class EditHunk(NamedTuple):
    """Changes close together, with the lines around them."""

    before: tuple[int, int]
    after: tuple[int, int]
    changes: tuple[LineChange, ...]


def changes_between(old: Sequence[str], new: Sequence[str]) -> list[LineChange]:
    """Return the changes in order: between lines that are unique in both texts, as in a patience diff."""
    found: list[LineChange] = []
    at = to = 0
    for one, other in (*_anchors(old, new), (len(old), len(new))):
        found += _changes_inside(old[at:one], new[to:other], at, to)
        at, to = one + 1, other + 1
    return found


def _anchors(old: Sequence[str], new: Sequence[str]) -> list[tuple[int, int]]:
    """Return the places of the most lines that are unique in each text, and in the same order."""
    once = {line for line, times in Counter(old).items() if times == 1}
    once &= {line for line, times in Counter(new).items() if times == 1}
    places = {line: at for at, line in enumerate(new) if line in once}
    ends: list[int] = []
    links: list[_Link] = []
    for at, line in enumerate(old):
        if line in once:
            pile = bisect_left(ends, places[line])
            ends[pile : pile + 1] = [places[line]]
            links[pile : pile + 1] = [(at, places[line], links[pile - 1] if pile else None)]
    found: list[tuple[int, int]] = []
    link = links[-1] if links else None
    while link:
        found.append(link[:2])
        link = link[2]
    return found[::-1]


def _changes_inside(old: Sequence[str], new: Sequence[str], at: int, to: int) -> list[LineChange]:
    """Return the changes between two runs of lines that begin at these places of their texts."""
    start = _same(old, new)
    tail = _same(old[start:][::-1], new[start:][::-1])
    left, right = old[start : len(old) - tail], new[start : len(new) - tail]
    at, to = at + start, to + start
    if len(left) * len(right) > _MOST_PAIRS:
        return [LineChange((at, at + len(left)), (to, to + len(right)))]
    return [
        LineChange((at + first, at + last), (to + begin, to + end))
        for tag, first, last, begin, end in SequenceMatcher(None, left, right, autojunk=False).get_opcodes()
        if tag != "equal"
    ]


def _same(old: Sequence[str], new: Sequence[str]) -> int:
    """Return the number of equal lines at the beginning of both."""
    for at, (one, other) in enumerate(zip(old, new, strict=False)):
        if one != other:
            return at
    return min(len(old), len(new))


def hunks_of(changes: Sequence[LineChange], sizes: tuple[int, int]) -> list[EditHunk]:
    """Return the changes in groups, each with `CONTEXT` lines around it, as far as the texts go."""
    groups: list[list[LineChange]] = []
    for change in changes:
        near = bool(groups) and change.before[0] - groups[-1][-1].before[1] <= 2 * CONTEXT
        if near:
            groups[-1].append(change)
        else:
            groups.append([change])
    return [_hunk(group, sizes) for group in groups]


def _hunk(group: Sequence[LineChange], sizes: tuple[int, int]) -> EditHunk:
    first, last = group[0], group[-1]
    lead = min(CONTEXT, first.before[0], first.after[0])
    trail = min(CONTEXT, sizes[0] - last.before[1], sizes[1] - last.after[1])
    return EditHunk(
        (first.before[0] - lead, last.before[1] + trail),
        (first.after[0] - lead, last.after[1] + trail),
        tuple(group),
    )


def render_unified(old: Sequence[str], new: Sequence[str], hunks: Sequence[EditHunk]) -> str:
    """Return the hunks as `diff -u` writes them, without the names of the files."""
    lines: list[str] = []
    for hunk in hunks:
        lines.append(f"@@ -{_range(hunk.before)} +{_range(hunk.after)} @@")
        at = hunk.before[0]
        for change in hunk.changes:
            lines += [f" {line}" for line in old[at : change.before[0]]]
            lines += [f"-{line}" for line in old[slice(*change.before)]]
            lines += [f"+{line}" for line in new[slice(*change.after)]]
            at = change.before[1]
        lines += [f" {line}" for line in old[at : hunk.before[1]]]
    return "".join(f"{line}\n" for line in lines)


def _range(lines: tuple[int, int]) -> str:
    first, count = lines[0] + 1, lines[1] - lines[0]
    return f"{first if count else first - 1},{count}"


STRUCTURAL = 0.5
"""Share of the definitions that come, go or move from which an edit changes a file's structure."""
_FEWEST = 3
"""Fewest such definitions; one new function in a small file is not new structure."""
_CONFIGURATION = frozenset(
    {"toml", "yaml", "ini", "properties", "json5", "jsonc", "dockerfile", "hcl", "nix"}
)
_CONFIGURING = lazily(
    r"(?i)(?:\A|/)(?:\.[\w.-]*rc|[\w.-]*config[\w.-]*|settings[\w.-]*|\.env[\w.-]*|makefile|cmakelists\.txt)\Z"
)
_MANIFEST = lazily(
    r"(?i)(?:\A|/)(?:requirements[\w.-]*\.(?:txt|in)|pyproject\.toml|setup\.(?:py|cfg)|pipfile|package\.json"
    r"|go\.mod|cargo\.toml|gemfile|[\w.-]+\.gemspec|composer\.json|pom\.xml|build\.gradle(?:\.kts)?"
    r"|[\w.-]+\.csproj|packages\.config|pubspec\.yaml|mix\.exs|environment\.ya?ml|conanfile\.(?:py|txt))\Z"
)
_TYPE_KINDS = lazily(r"class|struct|interface|enum|type|trait|protocol|record|union|object|message|schema")
_FUNCTION_KINDS = lazily(r"function|method|constructor|macro|procedure|subroutine|def|getter|setter")
_IMPORTS = frozenset({"imports", "import", "include", "package"})
Count = Callable[[Sequence[str]], Sequence[int]]


class NamedDefinition(NamedTuple):
    """A definition in one of the two texts."""

    kind: str
    head: str
    body: str


@attrs.frozen
class Magnitude:
    """The size of an edit."""

    lines: int
    """Lines of the larger text."""
    changed: int
    """Lines that changed."""
    tokens: int
    """Tokens that the file gained, negative if it lost some."""
    hunks: int
    functions: tuple[str, ...] = ()
    """Functions and methods that changed, came or went."""
    types: tuple[str, ...] = ()
    """Classes and other types whose head changed, or that came or went."""
    dependencies: bool = False
    """Whether imports or a manifest changed."""
    configuration: bool = False
    structure: bool = False
    """Whether the file came or went, or most of its definitions came, went or moved."""
    comments_only: bool = False
    formatting_only: bool = False

    @property
    def share(self) -> float:
        """Return the share of the lines that changed, 0..1."""
        return round(self.changed / self.lines, 4) if self.lines else 0.0


def measure(
    path: str,
    old: str | None,
    new: str | None,
    *,
    parts: tuple[Sequence[Part], Sequence[Part]] = ((), ()),
    count: Count | None = None,
) -> Magnitude:
    """Return the size of an edit, from its real hunks.

    Args:
        path: of the file; its name shows the language, and the purpose.
        old: the text before, None if the file is new.
        new: the text after, None if it was deleted.
        parts: a representer's parts of both texts, with their definitions.
        count: counts tokens; without it, they are guessed.
    """
    from satchel.tokens.guessing import guess

    before, after = (lines_of((text or "").replace("\r\n", "\n")) for text in (old, new))
    changes = changes_between(before, after)
    tokens = count([old or "", new or ""]) if count else [guess(old or ""), guess(new or "")]
    whole = Magnitude(
        lines=max(len(before), len(after)),
        changed=_count_changed(before, after, changes),
        tokens=tokens[1] - tokens[0],
        hunks=len(changes),
        structure=(old is None) is not (new is None),
    )
    if old is None or new is None:
        return whole
    same, silent = _compare_tokens(path, old, new)
    if same:
        return attrs.evolve(whole, formatting_only=silent and old != new, comments_only=not silent)
    return _in_code(path, whole, parts, (before, after))


def _count_changed(old: Sequence[str], new: Sequence[str], changes: Sequence[LineChange]) -> int:
    """Return how many lines changed; in a long replaced run, lines common to both sides don't count."""
    total = 0
    for change in changes:
        left, right = old[slice(*change.before)], new[slice(*change.after)]
        kept = sum((Counter(left) & Counter(right)).values()) if change.lines > 200 else 0
        total += change.lines - kept
    return total


def _compare_tokens(path: str, old: str, new: str) -> tuple[bool, bool]:
    """Return whether a machine reads both texts alike, and whether the comments are equal too."""
    language = language_of(path)
    before = read_code(old, language)
    after = read_code(new, language) if before is not None else None
    if before is None or after is None:
        blank = old.split() == new.split() and language not in ("python", "yaml", "makefile")
        return blank, blank
    return before.code == after.code, before.comments == after.comments


def _in_code(
    path: str,
    whole: Magnitude,
    parts: tuple[Sequence[Part], Sequence[Part]],
    lines: tuple[Sequence[str], Sequence[str]],
) -> Magnitude:
    old, new = (_definitions(found, text) for found, text in zip(parts, lines, strict=True))
    moved = _find_moved(old, new)
    named = [name for name in dict.fromkeys((*old, *new)) if _differ(old.get(name), new.get(name), "body")]
    kinds = {name: (new.get(name) or old[name]).kind for name in named}
    many = max(len(old), len(new))
    return attrs.evolve(
        whole,
        functions=tuple(name for name in named if _FUNCTION_KINDS.search(kinds[name])),
        types=tuple(
            name
            for name in named
            if _TYPE_KINDS.search(kinds[name]) and _differ(old.get(name), new.get(name), "head")
        ),
        dependencies=bool(_MANIFEST.search(path))
        or _imports(parts[0], lines[0]) != _imports(parts[1], lines[1]),
        configuration=is_configuration(path),
        structure=len(moved) >= _FEWEST and len(moved) >= STRUCTURAL * many,
    )


def is_configuration(path: str) -> bool:
    """Return whether a file configures something, by its name."""
    if classify(path, b"x") is Kind.CREDENTIALS:
        return True
    return language_of(path) in _CONFIGURATION or bool(_CONFIGURING.search(path))


def _definitions(parts: Sequence[Part], lines: Sequence[str]) -> dict[str, NamedDefinition]:
    """Return the definitions by name; a repeated name gets a number."""
    found: dict[str, NamedDefinition] = {}
    for part in parts:
        for symbol in part.symbols or _symbols_of(part):
            name, times = symbol.name, 1
            while name in found:
                times += 1
                name = f"{symbol.name} ({times})"
            found[name] = _definition(symbol, lines)
    return found


def _symbols_of(part: Part) -> tuple[Symbol, ...]:
    named = part.name and part.kind not in _IMPORTS and part.kind != "block"
    return (Symbol(part.name, part.kind, part.lines, part.head),) if named else ()


def _definition(symbol: Symbol, lines: Sequence[str]) -> NamedDefinition:
    body, head = (
        "\n".join(lines[max(first, 1) - 1 : last]).strip() for first, last in (symbol.lines, symbol.head)
    )
    return NamedDefinition(symbol.kind, head, body)


def _differ(old: NamedDefinition | None, new: NamedDefinition | None, part: Literal["head", "body"]) -> bool:
    return old is None or new is None or getattr(old, part) != getattr(new, part)


def _find_moved(old: Mapping[str, NamedDefinition], new: Mapping[str, NamedDefinition]) -> set[str]:
    """Return the definitions that came, went, or moved among those that stayed."""
    stayed = [name for name in old if name in new]
    order = {name: at for at, name in enumerate(name for name in new if name in old)}
    displaced = {name for at, name in enumerate(stayed) if order[name] != at}
    return (old.keys() ^ new.keys()) | displaced


def _imports(parts: Sequence[Part], lines: Sequence[str]) -> list[str]:
    return sorted(
        line.strip()
        for part in parts
        if part.kind in _IMPORTS
        for line in lines[part.lines[0] - 1 : part.lines[1]]
        if line.strip()
    )
