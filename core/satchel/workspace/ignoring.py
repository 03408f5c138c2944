"""Ignore rules with git's meaning, for folders without git and for `.satchelignore`."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from satchel.workspace.wildmatch import Glob, compile_name, compile_path, literal_length, matches

GIT_RULES = ".gitignore"
OWN_RULES = ".satchelignore"


class Rule(NamedTuple):
    """One line of an ignore file; a later line wins over an earlier one."""

    order: int
    is_negated: bool
    is_for_folders: bool
    glob: Glob | re.Pattern[bytes] | None = None
    """A path's glob or a name's; None where the rule is found by its text alone."""


_Table = dict[bytes, tuple[Rule, ...]]


class RuleSet(NamedTuple):
    """The rules of one ignore file, sorted by how they are looked up."""

    names: Mapping[bytes, tuple[Rule, ...]]
    endings: Mapping[bytes, tuple[Rule, ...]]
    paths: Mapping[bytes, tuple[Rule, ...]]
    globs: tuple[Rule, ...]
    """Last line first."""
    ending_lengths: tuple[int, ...]

    @property
    def is_empty(self) -> bool:
        """Whether nothing can fall under these rules."""
        return not (self.names or self.endings or self.paths or self.globs)

    def find(self, path: bytes, *, is_folder: bool) -> Rule | None:
        """Return the last rule that `path`, relative to the file's folder, falls under."""
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
    """The rules of one file, for all that lies below `folder`: b"" or a path that ends with `/`."""

    folder: bytes
    rules: RuleSet


Chain = tuple[Scope, ...]
"""The scopes that a folder lies in, weakest first."""


def read_rules(text: bytes) -> RuleSet:
    """Read an ignore file as git does: its comments, escapes, blanks, line ends and byte order mark."""
    names: _Table = {}
    endings: _Table = {}
    paths: _Table = {}
    globs: list[Rule] = []
    for order, line in enumerate(text.removeprefix(b"\xef\xbb\xbf").split(b"\n")):
        pattern = _pattern_of(line)
        rule = Rule(order, pattern.startswith(b"!"), pattern.endswith(b"/"))
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
    return RuleSet(names, endings, paths, tuple(reversed(globs)), lengths)


def is_excluded(chain: Chain, path: bytes, *, is_folder: bool) -> bool:
    """Tell whether the strongest rule for a path in a folder that is not excluded leaves it out."""
    for folder, rules in reversed(chain):
        rule = rules.find(path[len(folder) :], is_folder=is_folder)
        if rule is not None:
            return not rule.is_negated
    return False


def extended(chain: Chain, folder: str, rules: RuleSet) -> Chain:
    """Return the chain for what lies in `folder`, a workspace path, which has these rules."""
    return chain if rules.is_empty else (*chain, Scope(os.fsencode(folder) + b"/" if folder else b"", rules))


def unignored(paths: Iterable[str], rules: Mapping[str, RuleSet]) -> list[str]:
    """Return the files that no rule leaves out; `rules` are those of each folder, "" is the root."""
    if all(found.is_empty for found in rules.values()):
        return list(paths)
    top = extended((), "", rules[""]) if "" in rules else ()
    known: dict[str, Chain | None] = {"": top}
    kept = []
    for path in paths:
        chain = _chain_of(path.rpartition("/")[0], known, rules)
        if chain is not None and not is_excluded(chain, os.fsencode(path), is_folder=False):
            kept.append(path)
    return kept


def _chain_of(folder: str, known: dict[str, Chain | None], rules: Mapping[str, RuleSet]) -> Chain | None:
    """Return the scopes of a folder, None where it is left out itself; `known` is filled on the way."""
    unknown = []
    while folder not in known:
        unknown.append(folder)
        folder = folder.rpartition("/")[0]
    chain = known[folder]
    for deeper in reversed(unknown):
        if chain is not None and is_excluded(chain, os.fsencode(deeper), is_folder=True):
            chain = None
        if chain is not None and deeper in rules:
            chain = extended(chain, deeper, rules[deeper])
        known[deeper] = chain
    return chain


def _pattern_of(line: bytes) -> bytes:
    r"""Cut what git does not see of a line: the rest behind a zero byte, a `\r`, blanks at the end."""
    if line.startswith(b"#"):
        return b""
    text = line.removesuffix(b"\r").split(b"\0", 1)[0]
    return text[: _end_of_pattern(text)]


def _end_of_pattern(text: bytes) -> int:
    end = len(text.rstrip(b" "))
    escapes = end - len(text[:end].rstrip(b"\\"))
    return min(len(text), end + 1) if escapes % 2 else end


def _place(
    pattern: bytes,
    names: _Table,
    endings: _Table,
    paths: _Table,
) -> tuple[_Table | None, bytes]:
    """Find the table for a pattern that needs no matching, and what it is looked up by."""
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


def _falls_under(rule: Rule, path: bytes, name: bytes) -> bool:
    if isinstance(rule.glob, Glob):
        return matches(rule.glob, path)
    return rule.glob is not None and rule.glob.fullmatch(name) is not None


def _last(rules: tuple[Rule, ...], *, is_folder: bool) -> Rule | None:
    apt = (rule for rule in rules if is_folder or not rule.is_for_folders)
    return max(apt, key=lambda rule: rule.order, default=None)
