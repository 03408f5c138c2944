"""Ignore rules with git's meaning, for folders without git and for `.satchelignore`."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from satchel.patterns import lazily

_SPECIAL = lazily(rb"[*?\[\\]")
_NEVER = lazily(rb"(?!)")
_STARS = lazily(rb"(\*+)(/|\\/|\Z)?")
_NAMED = lazily(rb"\[:([^\]]*):\]", re.DOTALL)
_RANGE = lazily(rb"-(\\.|[^\]\\])", re.DOTALL)
_CLASS_BYTES = {
    b"alnum": rb"0-9A-Za-z",
    b"alpha": rb"A-Za-z",
    b"blank": rb" \t",
    b"cntrl": rb"\x00-\x1f\x7f",
    b"digit": rb"0-9",
    b"graph": rb"!-~",
    b"lower": rb"a-z",
    b"print": rb" -~",
    b"punct": rb"!-/:-@\[-`{-~",
    b"space": rb" \t\n\r\f\v",
    b"upper": rb"A-Z",
    b"xdigit": rb"0-9A-Fa-f",
}
_CLASSES = {name: re.compile(b"[" + members + b"]") for name, members in _CLASS_BYTES.items()}


class Glob(NamedTuple):
    """A compiled pattern: a literal prefix, then a matcher for each further path component."""

    prefix: bytes
    components: tuple[re.Pattern[bytes] | int, ...]
    """A number means `**`: at least that many components."""


def literal_length(pattern: bytes) -> int:
    """Return the length of the part in front of the first special character."""
    special = _SPECIAL.search(pattern)
    return special.start() if special else len(pattern)


def compile_name(pattern: bytes) -> re.Pattern[bytes]:
    """Compile a pattern without `/`, for one path component."""
    components = _components(pattern, has_folders=False)
    return components[0] if isinstance(components[0], re.Pattern) else _NEVER


def compile_path(pattern: bytes) -> Glob:
    """Compile a pattern for whole paths; like git, compare its literal prefix separately."""
    cut = literal_length(pattern)
    return Glob(pattern[:cut], _components(pattern[cut:], has_folders=True))


def matches(glob: Glob, path: bytes) -> bool:
    """Tell whether the whole path matches."""
    if not path.startswith(glob.prefix):
        return False
    rest = path[len(glob.prefix) :].split(b"/")
    reached = {0}
    for component in glob.components:
        if isinstance(component, int):
            reached = set(range(min(reached) + component, len(rest) + 1))
        else:
            reached = {at + 1 for at in reached if at < len(rest) and component.fullmatch(rest[at])}
        if not reached:
            return False
    return len(rest) in reached


def _components(pattern: bytes, *, has_folders: bool) -> tuple[re.Pattern[bytes] | int, ...]:
    """Split a pattern into components; one that git never matches becomes one that never matches."""
    done: list[re.Pattern[bytes] | int] = []
    pieces: list[bytes] = [b""]  # the text between the stars of this component, as regex
    at = start = 0
    while at < len(pattern):
        star = _STARS.match(pattern, at)
        if star and has_folders and at == start and len(star[1]) > 1 and star[2] is not None:
            done.append(len(star[2]) // 2)  # git requires a folder if the slash after it is escaped
            at = start = star.end()
            if not star[2]:
                return tuple(done)
        elif star:
            pieces.append(b"")
            at = star.end(1)
        else:
            token, at = _token(pattern, at)
            if token == b"/" and has_folders:
                done.append(_join(pieces))
                pieces, start = [b""], at
            else:
                pieces[-1] += token
    return (*done, _join(pieces))


def _join(pieces: list[bytes]) -> re.Pattern[bytes]:
    """Join the pieces with stars; matching each piece at its leftmost place is enough."""
    if len(pieces) == 1:
        return re.compile(pieces[0], re.DOTALL)
    middle = b"".join(b"(?>.*?" + piece + b")" for piece in pieces[1:-1] if piece)
    return re.compile(pieces[0] + middle + b".*" + pieces[-1], re.DOTALL)


def _token(pattern: bytes, at: int) -> tuple[bytes, int]:
    """Read the pattern of one byte, and return it as regex with the position after it."""
    byte = pattern[at : at + 1]
    if byte == b"?":
        return b".", at + 1
    if byte == b"[":
        return _bracket(pattern, at + 1)
    if byte == b"\\":
        escaped = pattern[at + 1 : at + 2]
        return (re.escape(escaped), at + 2) if escaped else (b"(?!)", at + 1)
    return re.escape(byte), at + 1


def _bracket(pattern: bytes, at: int) -> tuple[bytes, int]:
    """Read a set of bytes after its `[`; one that does not end, or names an unknown class, never matches."""
    is_negated = pattern[at : at + 1] in (b"!", b"^")
    members: set[int] = set()
    at, first, before = at + is_negated, at + is_negated, -1
    while at < len(pattern) and (pattern[at : at + 1] != b"]" or at == first):
        found, at, before = _member(pattern, at, before)
        if not found:
            return b"(?!)", len(pattern)
        members |= found
    if at >= len(pattern):
        return b"(?!)", len(pattern)
    listed = b"".join(b"\\x%02x" % member for member in sorted(members))
    return (b"[^" if is_negated else b"[") + listed + b"]", at + 1


def _member(pattern: bytes, at: int, before: int) -> tuple[set[int], int, int]:
    """Read one member of a set: its bytes, the position after it, and the byte that a range may start at."""
    named = _NAMED.match(pattern, at)
    if named:
        known = _CLASSES.get(named[1])
        return (
            ({byte for byte in range(256) if known.match(bytes([byte]))} if known else set()),
            named.end(),
            -1,
        )
    ranged = _RANGE.match(pattern, at) if before >= 0 else None
    if ranged:
        # A backward range is empty but does not spoil the set: its start is already a member.
        return {before, *range(before, ranged[1][-1] + 1)}, ranged.end(), -1
    if pattern[at : at + 1] == b"\\":
        at += 1
    if at >= len(pattern):
        return set(), at, -1
    return {pattern[at]}, at + 1, pattern[at]


GIT_RULES = ".gitignore"
OWN_RULES = ".satchelignore"


class IgnoreRule(NamedTuple):
    """One line of an ignore file; a later line wins over an earlier one."""

    order: int
    is_negated: bool
    is_for_folders: bool
    glob: Glob | re.Pattern[bytes] | None = None
    """A path's glob or a name's; None if the rule is looked up by its text alone."""


_Table = dict[bytes, tuple[IgnoreRule, ...]]


class IgnoreRules(NamedTuple):
    """The rules of one ignore file, grouped by how they are looked up."""

    names: Mapping[bytes, tuple[IgnoreRule, ...]]
    endings: Mapping[bytes, tuple[IgnoreRule, ...]]
    paths: Mapping[bytes, tuple[IgnoreRule, ...]]
    globs: tuple[IgnoreRule, ...]
    """Last line first."""
    ending_lengths: tuple[int, ...]

    @property
    def is_empty(self) -> bool:
        """Whether there are no rules."""
        return not (self.names or self.endings or self.paths or self.globs)

    def find(self, path: bytes, *, is_folder: bool) -> IgnoreRule | None:
        """Return the last rule that matches `path`, relative to the ignore file's folder."""
        name = path[path.rfind(b"/") + 1 :]
        plain = (*self.names.get(name, ()), *self.paths.get(path, ()))
        for length in self.ending_lengths:
            plain += self.endings.get(name[-length:], ())
        best = _last(plain, is_folder=is_folder) if plain else None
        for rule in self.globs:
            if best is not None and rule.order < best.order:
                break
            if (is_folder or not rule.is_for_folders) and _falls_under(rule, path, name):
                return rule
        return best


class Scope(NamedTuple):
    """The rules of one ignore file, for everything below `folder`, which is b"" or ends with `/`."""

    folder: bytes
    rules: IgnoreRules


Chain = tuple[Scope, ...]
"""The scopes that a folder lies in, weakest first."""


def read_rules(text: bytes) -> IgnoreRules:
    """Read an ignore file as git does: its comments, escapes, blanks, line ends and byte order mark."""
    names: _Table = {}
    endings: _Table = {}
    paths: _Table = {}
    globs: list[IgnoreRule] = []
    for order, line in enumerate(text.removeprefix(b"\xef\xbb\xbf").split(b"\n")):
        pattern = _pattern_of(line)
        rule = IgnoreRule(order, pattern.startswith(b"!"), pattern.endswith(b"/"))
        pattern = pattern[rule.is_negated :]
        pattern = pattern[: len(pattern) - (rule.is_for_folders and bool(pattern))]
        table, key = _place(pattern, names, endings, paths)
        if not pattern:
            continue
        if table is not None:
            table[key] = (*table.get(key, ()), rule)
        else:
            globs.append(rule._replace(glob=_glob(pattern)))
    lengths = tuple(sorted({len(ending) for ending in endings}))
    return IgnoreRules(names, endings, paths, tuple(reversed(globs)), lengths)


def is_excluded(chain: Chain, path: bytes, *, is_folder: bool) -> bool:
    """Tell whether the strongest rule for a path excludes it; its folder must not be excluded."""
    for folder, rules in reversed(chain):
        rule = rules.find(path[len(folder) :], is_folder=is_folder)
        if rule is not None:
            return not rule.is_negated
    return False


def extend_chain(chain: Chain, folder: str, rules: IgnoreRules) -> Chain:
    """Return the chain for the content of `folder`, a workspace path with these rules of its own."""
    return chain if rules.is_empty else (*chain, Scope(os.fsencode(folder) + b"/" if folder else b"", rules))


def drop_ignored(paths: Iterable[str], rules: Mapping[str, IgnoreRules]) -> list[str]:
    """Return the files that no rule excludes; `rules` are by folder, "" is the root."""
    if all(found.is_empty for found in rules.values()):
        return list(paths)
    top = extend_chain((), "", rules[""]) if "" in rules else ()
    known: dict[str, Chain | None] = {"": top}
    kept = []
    for path in paths:
        chain = _chain_of(path.rpartition("/")[0], known, rules)
        if chain is not None and not is_excluded(chain, os.fsencode(path), is_folder=False):
            kept.append(path)
    return kept


def _chain_of(folder: str, known: dict[str, Chain | None], rules: Mapping[str, IgnoreRules]) -> Chain | None:
    """Return the scopes of a folder, None if it is excluded itself; `known` caches the folders on the way."""
    unknown = []
    while folder not in known:
        unknown.append(folder)
        folder = folder.rpartition("/")[0]
    chain = known[folder]
    for deeper in reversed(unknown):
        if chain is not None and is_excluded(chain, os.fsencode(deeper), is_folder=True):
            chain = None
        if chain is not None and deeper in rules:
            chain = extend_chain(chain, deeper, rules[deeper])
        known[deeper] = chain
    return chain


def _pattern_of(line: bytes) -> bytes:
    r"""Cut the parts of a line that git ignores: the rest after a zero byte, a `\r`, trailing blanks."""
    if line.startswith(b"#"):
        return b""
    text = line.removesuffix(b"\r").split(b"\0", 1)[0]
    return text[: _end_of_pattern(text)]


def _end_of_pattern(text: bytes) -> int:
    end = len(text.rstrip(b" "))
    escapes = end - len(text[:end].rstrip(b"\\"))
    return min(len(text), end + 1) if escapes % 2 else end


def _place(pattern: bytes, names: _Table, endings: _Table, paths: _Table) -> tuple[_Table | None, bytes]:
    """Return the table for a pattern that needs no glob, and its key there."""
    is_literal = literal_length(pattern) == len(pattern)
    if b"/" in pattern:
        return (paths, pattern.removeprefix(b"/")) if is_literal else (None, b"")
    if is_literal:
        return names, pattern
    rest = pattern[1:]
    is_ending = pattern.startswith(b"*") and rest and literal_length(rest) == len(rest)
    return (endings, rest) if is_ending else (None, b"")


def _glob(pattern: bytes) -> Glob | re.Pattern[bytes]:
    return compile_path(pattern.removeprefix(b"/")) if b"/" in pattern else compile_name(pattern)


def _falls_under(rule: IgnoreRule, path: bytes, name: bytes) -> bool:
    if isinstance(rule.glob, Glob):
        return matches(rule.glob, path)
    return rule.glob is not None and rule.glob.fullmatch(name) is not None


def _last(rules: tuple[IgnoreRule, ...], *, is_folder: bool) -> IgnoreRule | None:
    apt = (rule for rule in rules if is_folder or not rule.is_for_folders)
    return max(apt, key=lambda rule: rule.order, default=None)
