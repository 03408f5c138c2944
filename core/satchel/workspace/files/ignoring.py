"""Ignore rules with git's meaning, for folders without git and for `.satchelignore`."""

from __future__ import annotations

import os
import re
import string
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from satchel.patterns import lazily

_SPECIAL = lazily(rb"[*?\[\\]")
_STARS = lazily(rb"(\*+)(/|\\/|\Z)?")
_NAMED = lazily(rb"\[:([^\]]*):\]", re.DOTALL)
_RANGE = lazily(rb"-(\\.|[^\]\\])", re.DOTALL)
_PRINTED = string.ascii_letters + string.digits + string.punctuation
_CLASSES: Mapping[bytes, str] = {
    b"alnum": string.ascii_letters + string.digits,
    b"alpha": string.ascii_letters,
    b"blank": " \t",
    b"cntrl": "".join(map(chr, range(32))) + "\x7f",
    b"digit": string.digits,
    b"graph": _PRINTED,
    b"lower": string.ascii_lowercase,
    b"print": f"{_PRINTED} ",
    b"punct": string.punctuation,
    b"space": string.whitespace,
    b"upper": string.ascii_uppercase,
    b"xdigit": string.hexdigits,
}
_NEVER = b"(?!)"


def literal_length(pattern: bytes) -> int:
    """Return the length of the part in front of the first special character."""
    special = _SPECIAL.search(pattern)
    return special.start() if special else len(pattern)


def compile_glob(pattern: bytes) -> re.Pattern[bytes]:
    """Compile a pattern for whole paths, or for names if it has no `/`.

    Text between two stars is matched at its first place for good, which is enough: nothing is slow.
    """
    cut = literal_length(pattern)  # git compares this part separately
    found, least = re.escape(pattern[:cut]), -1
    segment, pieces = b"", [b""]
    """The components since the last `**/`, and the text between the stars of the last one."""
    at = start = cut
    while at < len(pattern):
        star = _STARS.match(pattern, at)
        if star and at == start and len(star[1]) > 1 and star[2] is not None:
            found, segment = found + _below(least, segment, is_last=False), b""
            least = len(star[2]) // 2  # git requires a folder if the slash after it is escaped
            at = start = star.end()
            if not star[2]:
                segment = b".*"
        elif star:
            pieces.append(b"")
            at = star.end(1)
        else:
            token, at = _token(pattern, at)
            if token == b"/":
                segment, pieces, start = segment + _join(pieces) + token, [b""], at
            else:
                pieces[-1] += token
    return re.compile(found + _below(least, segment + _join(pieces), is_last=True), re.DOTALL)


def _below(least: int, segment: bytes, *, is_last: bool) -> bytes:
    """Return the expression of components below `least` folders or more; -1 for none."""
    if least < 0:
        return segment
    folders = b"(?:[^/]*/){%d,}" % least
    return folders + segment if is_last else b"(?>" + folders + b"?" + segment + b")"


def _join(pieces: list[bytes]) -> bytes:
    """Return the expression of a component, given the text between its stars."""
    if len(pieces) == 1:
        return pieces[0]
    middle = b"".join(b"(?>[^/]*?" + piece + b")" for piece in pieces[1:-1] if piece)
    return pieces[0] + middle + b"[^/]*" + pieces[-1]


def _token(pattern: bytes, at: int) -> tuple[bytes, int]:
    """Read the pattern of one byte, and return it as regex with the position after it."""
    byte = pattern[at : at + 1]
    if byte == b"?":
        return b"[^/]", at + 1
    if byte == b"[":
        return _parse_bracket(pattern, at + 1)
    if byte == b"\\":
        escaped = pattern[at + 1 : at + 2]
        return (re.escape(escaped), at + 2) if escaped else (_NEVER, at + 1)
    return re.escape(byte), at + 1


def _parse_bracket(pattern: bytes, at: int) -> tuple[bytes, int]:
    """Read a set of bytes after its `[`; one that does not end, or names an unknown class, never matches."""
    is_negated = pattern[at : at + 1] in (b"!", b"^")
    members: set[int] = set()
    at, first, before = at + is_negated, at + is_negated, -1
    while at < len(pattern) and (pattern[at : at + 1] != b"]" or at == first):
        found, at, before = _member(pattern, at, before)
        if not found:
            return _NEVER, len(pattern)
        members |= found
    if at >= len(pattern):
        return _NEVER, len(pattern)
    listed = b"".join(b"\\x%02x" % member for member in sorted(members))
    return (b"[^/" if is_negated else b"(?!/)[") + listed + b"]", at + 1


def _member(pattern: bytes, at: int, before: int) -> tuple[set[int], int, int]:
    """Read one member of a set: its bytes, the position after it, and the byte that a range may start at."""
    named = _NAMED.match(pattern, at)
    if named:
        return set(_CLASSES.get(named[1], "").encode()), named.end(), -1
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
    is_path: bool
    """Whether it says where a file is, not only its name."""
    glob: re.Pattern[bytes] = re.compile(_NEVER)
    """A pattern that never matches if the rule is looked up by its text alone."""


class IgnoreRules(NamedTuple):
    """The rules of one ignore file."""

    plain: Mapping[bytes, list[IgnoreRule]]
    """Rules that are looked up: by name, by `/` and path, and by `*` and the end of a name."""
    endings: tuple[int, ...]
    """Lengths of the ends."""
    globs: tuple[IgnoreRule, ...]
    """The others, last line first."""

    @property
    def is_empty(self) -> bool:
        """Return whether there are no rules."""
        return not (self.plain or self.globs)

    def find(self, path: bytes, *, is_folder: bool) -> IgnoreRule | None:
        """Return the last rule that matches `path`, relative to the ignore file's folder."""
        name = path[path.rfind(b"/") + 1 :]
        plain = [*self.plain.get(name, ()), *self.plain.get(b"/" + path, ())]
        for length in self.endings:
            plain += self.plain.get(b"*" + name[-length:], ())
        best = max((rule for rule in plain if is_folder or not rule.is_for_folders), default=None)
        for rule in self.globs:
            if best is not None and rule.order < best.order:
                break
            is_apt = is_folder or not rule.is_for_folders
            if is_apt and rule.glob.fullmatch(path if rule.is_path else name):
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
    plain: dict[bytes, list[IgnoreRule]] = {}
    globs: list[IgnoreRule] = []
    for order, line in enumerate(text.removeprefix(b"\xef\xbb\xbf").split(b"\n")):
        given = _pattern_of(line)
        pattern = given.removeprefix(b"!").removesuffix(b"/")
        rule = IgnoreRule(order, given.startswith(b"!"), given.endswith(b"/"), b"/" in pattern)
        pattern = pattern.removeprefix(b"/")
        is_ending = pattern.startswith(b"*") and len(pattern) > 1 and not rule.is_path
        if literal_length(pattern[is_ending:]) < len(pattern) - is_ending:
            globs.append(rule._replace(glob=compile_glob(pattern)))
        elif pattern:
            plain.setdefault(b"/" + pattern if rule.is_path else pattern, []).append(rule)
    endings = {len(key) - 1 for key in plain if key.startswith(b"*")}
    return IgnoreRules(plain, tuple(sorted(endings)), tuple(reversed(globs)))


def is_excluded(chain: Chain, path: bytes, *, is_folder: bool) -> bool:
    """Return whether the strongest rule for a path excludes it; its folder must not be excluded."""
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
