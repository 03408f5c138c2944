"""Git's patterns for paths, matched byte by byte and in time that no pattern can blow up."""

from __future__ import annotations

import re
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
    """A pattern that has been read: literal bytes, then what must match each further path component."""

    prefix: bytes
    components: tuple[re.Pattern[bytes] | int, ...]
    """A number stands for `**`: so many components at least."""


def literal_length(pattern: bytes) -> int:
    """Return the length of the part in front of the first special character."""
    special = _SPECIAL.search(pattern)
    return special.start() if special else len(pattern)


def compile_name(pattern: bytes) -> re.Pattern[bytes]:
    """Compile a pattern without `/`, for one path component."""
    components = _components(pattern, has_folders=False)
    return components[0] if isinstance(components[0], re.Pattern) else _NEVER


def compile_path(pattern: bytes) -> Glob:
    """Compile a pattern for whole paths; git compares its literal beginning apart, and so does this."""
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
    """Read a pattern into its components; one that git would never match becomes one that never does."""
    done: list[re.Pattern[bytes] | int] = []
    pieces: list[bytes] = [b""]  # what stands between the stars of this component, as regex
    at = start = 0
    while at < len(pattern):
        star = _STARS.match(pattern, at)
        if star and has_folders and at == start and len(star[1]) > 1 and star[2] is not None:
            done.append(len(star[2]) // 2)  # git wants a folder where the slash after it is escaped
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
    """Put stars between the pieces; the leftmost place for each piece is as good as any other."""
    if len(pieces) == 1:
        return re.compile(pieces[0], re.DOTALL)
    middle = b"".join(b"(?>.*?" + piece + b")" for piece in pieces[1:-1] if piece)
    return re.compile(pieces[0] + middle + b".*" + pieces[-1], re.DOTALL)


def _token(pattern: bytes, at: int) -> tuple[bytes, int]:
    """Read what stands for one byte, and return it as regex with the place behind it."""
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
    """Read a set of bytes from behind its `[`; one that does not end, or names no class, never matches."""
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
    """Read one member of a set: its bytes, the place behind it, and the byte that a range may start at."""
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
        # A range that runs backwards holds nothing, but does not spoil the set: its start is in already.
        return {before, *range(before, ranged[1][-1] + 1)}, ranged.end(), -1
    if pattern[at : at + 1] == b"\\":
        at += 1
    if at >= len(pattern):
        return set(), at, -1
    return {pattern[at]}, at + 1, pattern[at]
