"""Rules of redaction, and a set of rules whose keywords are found in one pass."""

from __future__ import annotations

import contextlib
import functools
import marshal
import os
import re
import sys
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from hashlib import blake2b
from pathlib import Path
from typing import Any, NamedTuple

from satchel.redaction.values import CHECKS
from satchel.spelling import nearest

try:
    import ahocorasick as _library

    ahocorasick: Any = _library
except ImportError:  # no wheel for Windows on ARM
    ahocorasick = None


_NO_SCREENS: Mapping[str, re.Pattern[str]] = {}
_ANYTHING = re.compile("")


class Keywords:
    """Some words that are searched for together."""

    def __init__(self, words: Iterable[str]) -> None:
        self._words = frozenset(words)
        self._automaton = _automaton_of(self._words) if ahocorasick is not None and self._words else None
        self._expression = (
            None if self._automaton or not self._words else re.compile(prefix_tree(self._words))
        )

    def places(
        self, text: str, screens: Mapping[str, re.Pattern[str]] = _NO_SCREENS
    ) -> list[tuple[int, str]]:
        """Return the places of words in order, with the longest word at each.

        For a word with a screen, places that the screen does not match are left out; the screen of a word
        that begins with another matches everything that the other's does.
        """
        if self._automaton is None:
            found = self._places_by_expression(text)
            return [place for place in found if screens.get(place[1], _ANYTHING).match(text, place[0])]
        places: dict[int, str] = {}
        # Of words that begin together, the longest comes last.
        for end, word in self._automaton.iter(text):
            at = end - len(word) + 1
            screen = screens.get(word)
            if word and (screen is None or screen.match(text, at)):
                places[at] = word
        return sorted(places.items())

    def _places_by_expression(self, text: str) -> list[tuple[int, str]]:
        found: list[tuple[int, str]] = []
        at = -1
        # One step on from each hit, not past its word: words overlap ("fc-" and "-us").
        while self._expression and (hit := self._expression.search(text, at + 1)):
            at = hit.start()
            found.append((at, hit[0]))
        return found


_FREQUENT = ' etaoinsrldcumhpgfbwvyk0123456789,.-_/:"=()'
"""Letters and marks, by how often texts have them."""


def _automaton_of(words: Iterable[str]) -> Any:
    """Return an automaton that finds words.

    It compares a letter with first letters of words in the order in which these were added. So frequent ones
    come first, each before a character that no text has: that takes a third less time.
    """
    automaton = ahocorasick.Automaton()
    for letter in _FREQUENT:
        automaton.add_word(f"{letter}\U0010ffff", "")
    for word in words:
        automaton.add_word(word, word)
    automaton.make_automaton()
    return automaton


def prefix_tree(words: Iterable[str]) -> str:
    """Return a pattern of all words with shared beginnings written once: four times as fast as |."""
    tree: dict[str, list[str]] = {}
    for word in words:
        tree.setdefault(word[:1], []).append(word[1:])
    ends = "" in tree
    branches = [re.escape(first) + prefix_tree(set(rest)) for first, rest in sorted(tree.items()) if first]
    if not branches:
        return ""
    return f"(?:{'|'.join(branches)}){'?' if ends else ''}"


class Allowance(NamedTuple):
    """Exceptions of a rule: secrets, matches or lines that an expression finds, words, paths."""

    regexes: tuple[str, ...] = ()
    target: str = "secret"
    """The text to search with the expressions: "secret", "match" or "line"."""
    stopwords: tuple[str, ...] = ()
    """In small letters; a secret that contains one, in any case, stays."""
    paths: tuple[str, ...] = ()


class RedactionRule(NamedTuple):
    """A form of secrets: at each of the `keywords`, `regex` is tried.

    The regex's group `secret_group` is the secret; for 0 its first group, or all of it if there is none.
    All repetition should be bounded or possessive, so that no text makes it slow.
    """

    id: str
    regex: str
    keywords: tuple[str, ...] = ()
    kind: str = ""
    """The kind in the mark, `[redacted:kind:4hex]`; "" for the id."""
    description: str = ""
    check: str = ""
    """The name of a check in `values.py` that must hold for the secret; "" for a check against fillers."""
    secret_group: int = 0
    entropy: float = 0.0
    """Least Shannon entropy of the secret, in bits a character."""
    path: str = ""
    """An expression that the file's path must match somewhere; "" for all texts."""
    allowances: tuple[Allowance, ...] = ()
    anchored: bool = False
    """Whether a match begins at the keyword, which then counts in its own case, or with the run before it;
    else it can be anywhere in a text that has a keyword in any case, or in any text without keywords.
    """
    lead: int = 0
    """An anchored match begins up to this many characters before the keyword, at the beginning of a run of
    `lead_characters` that ends at it; a longer run is not a match.
    """
    lead_characters: str = "[A-Za-z0-9]"


class Span(NamedTuple):
    """Characters `start` to `end` (not included) that hold a secret.

    The mark is made from `seed`, if that is more than those characters; `counted` is False for the second
    line of a block and on.
    """

    start: int
    end: int
    kind: str
    rule: str
    seed: str = ""
    counted: bool = True


@functools.cache
def compile_once(pattern: str) -> re.Pattern[str]:
    """Compile a pattern once, when a text first has its word."""
    return re.compile(pattern)


@functools.cache
def characters_of(one: str) -> str:
    """Return the characters of ASCII that an expression for one character matches."""
    return "".join(filter(re.compile(one).fullmatch, map(chr, range(128))))


class RuleSet:
    """Some rules, arranged by their keywords."""

    def __init__(self, rules: Sequence[RedactionRule]) -> None:
        self.rules = tuple(rules)
        self.anchored = _by_word([rule for rule in rules if rule.anchored])
        """For each keyword the rules to try at it, including those of its beginnings."""
        self.loose = tuple(rule for rule in rules if not rule.anchored)

    @functools.cached_property
    def keywords(self) -> Keywords:
        """Return the keywords of anchored rules."""
        return Keywords(self.anchored)


def _by_word(rules: Sequence[RedactionRule]) -> Mapping[str, tuple[RedactionRule, ...]]:
    places: dict[str, set[int]] = {}
    for place, rule in enumerate(rules):
        for word in rule.keywords:
            places.setdefault(word, set()).add(place)
    return {
        word: tuple(
            rules[place]
            for place in sorted(set().union(*(places.get(word[:end], ()) for end in range(len(word) + 1))))
        )
        for word in places
    }


_ID = re.compile(r"[A-Za-z0-9]+(?:[._-][A-Za-z0-9]+)*")
_KIND = re.compile(r"[a-z0-9-]{1,40}")
"""The kind in a mark, `values.MARK`."""
_FILE_KEYS = ("title", "description", "anchored", "rules")
_TEXTS = {
    "id": "id",
    "regex": "regex",
    "kind": "kind",
    "description": "description",
    "check": "check",
    "path": "path",
    "leadCharacters": "lead_characters",
}
"""Keys of a rule with a text, and their fields."""
_NUMBERS = {"secretGroup": "secret_group", "entropy": "entropy", "lead": "lead"}
_LISTS = ("keywords", "examples", "counterexamples", "nearMisses", "tags")
_ALLOWANCES = ("allowlist", "allowlists")
_RULE_KEYS = (*_TEXTS, *_NUMBERS, *_LISTS, *_ALLOWANCES)
_ALLOWANCE_KEYS = ("description", "regexes", "regexTarget", "stopwords", "paths")
_TARGETS = ("secret", "match", "line")


class RuleError(ValueError):
    """Rules that can't be used."""

    def __init__(self, source: str, problems: Iterable[str]) -> None:
        self.problems = tuple(problems)
        """One line each, which begins with the rule's id or number."""
        super().__init__(f"{source}: {'; '.join(self.problems)}")


def parse_rules(text: str, source: str = "rules", *, are_tested: bool = False) -> list[RedactionRule]:
    """Return the rules of a TOML text.

    Args:
        text: a list `[[rules]]`, as gitleaks has it; `docs/how-to/add-a-redaction-rule.md` names all keys.
        source: where it comes from, for messages.
        are_tested: whether a test guarantees that the rules work: compiling all their expressions takes a
            tenth of a second.

    Raises:
        RuleError: it is not TOML, a rule lacks an id or a regex, an expression is wrong, or a key is unknown.
    """
    import tomllib

    try:
        document = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise RuleError(source, [str(error)]) from None
    problems = [_unknown(key, _FILE_KEYS) for key in document if key not in _FILE_KEYS]
    tables = document.get("rules", [])
    if not isinstance(tables, list) or not all(isinstance(table, dict) for table in tables):
        raise RuleError(source, [*problems, "rules must be tables: [[rules]]"])
    rules: list[RedactionRule] = []
    for number, table in enumerate(tables, start=1):
        wrong = list(_wrong_keys(table))
        if not wrong:
            rules.append(_rule(table, anchored=document.get("anchored") is True))
            wrong = [] if are_tested else list(why_unusable(rules[-1]))
        problems += [f"rule {table.get('id') or number}: {one}" for one in wrong]
    problems += _list_repeats(rules)
    if problems:
        raise RuleError(source, problems)
    return rules


def check_rules(rules: Iterable[RedactionRule], source: str) -> tuple[RedactionRule, ...]:
    """Return usable rules; raise RuleError if one can't be used."""
    checked = tuple(rules)
    problems = [f"rule {rule.id}: {one}" for rule in checked for one in why_unusable(rule)]
    problems += _list_repeats(checked)
    if problems:
        raise RuleError(source, problems)
    return checked


def why_unusable(rule: RedactionRule) -> Iterator[str]:
    """Yield the faults of a rule."""
    if not _ID.fullmatch(rule.id):
        yield f"id {rule.id!r} is not letters, digits and hyphens"
    elif not _KIND.fullmatch(rule.kind or rule.id):
        yield f"kind {rule.kind or rule.id!r} is not up to 40 small letters, digits and hyphens"
    expressions = [("regex", rule.regex), ("path", rule.path)]
    expressions += [("leadCharacters", rule.lead_characters)] if rule.lead else []
    for allowance in rule.allowances:
        expressions += [("allowlist", one) for one in (*allowance.regexes, *allowance.paths)]
    wrong = [f"{name}: {why}" for name, one in expressions if (why := _why_not_an_expression(one))]
    yield from wrong
    if not rule.regex:
        yield "regex is missing"
    elif not wrong and not 0 <= rule.secret_group <= re.compile(rule.regex).groups:
        yield f"secretGroup {rule.secret_group}: the regex has {re.compile(rule.regex).groups} groups"
    elif not wrong and re.compile(rule.regex).match(""):
        yield "regex matches nothing at all, so it would match everywhere"
    if rule.check not in CHECKS:
        yield f"no check is called {rule.check!r}; there are {', '.join(filter(None, CHECKS))}"
    if rule.anchored and not rule.keywords:
        yield "an anchored rule needs keywords"
    if not all(rule.keywords):
        yield "a keyword is empty"


def _why_not_an_expression(source: str) -> str:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")  # such as [[:alnum:]], which Python reads as something else
            re.compile(source)
    except (re.error, FutureWarning, DeprecationWarning, OverflowError, RecursionError) as error:
        return f"{error} in {source!r}"
    return ""


def _wrong_keys(table: Mapping[str, Any]) -> Iterator[str]:
    """Yield the keys of a rule that are unknown, missing, or have a value of another type."""
    yield from (_unknown(key, _RULE_KEYS) for key in table if key not in _RULE_KEYS)
    yield from (f"{key} is missing" for key in ("id", "regex") if key not in table)
    yield from (f"{key} must be a text" for key in _TEXTS if not isinstance(table.get(key, ""), str))
    for key in _NUMBERS:
        value = table.get(key, 0)
        if isinstance(value, bool) or not isinstance(value, int | float) or value < 0:
            yield f"{key} must be a number, 0 or more"
        elif key != "entropy" and not isinstance(value, int):
            yield f"{key} must be a whole number"
    yield from (f"{key} must be a list of texts" for key in _LISTS if not _is_texts(table.get(key, [])))
    for allowance in _allowance_tables(table):
        if not isinstance(allowance, dict):
            yield "allowlists must be tables: [[rules.allowlists]]"
            continue
        yield from (_unknown(key, _ALLOWANCE_KEYS) for key in allowance if key not in _ALLOWANCE_KEYS)
        for key in ("regexes", "stopwords", "paths"):
            if not _is_texts(allowance.get(key, [])):
                yield f"{key} must be a list of texts"
        if allowance.get("regexTarget", "secret") not in _TARGETS:
            yield f"regexTarget must be one of {', '.join(_TARGETS)}"


def _is_texts(value: object) -> bool:
    return isinstance(value, list) and all(isinstance(one, str) for one in value)


def _allowance_tables(table: Mapping[str, Any]) -> list[Any]:
    found = [table["allowlist"]] if "allowlist" in table else []
    more = table.get("allowlists", [])
    return [*found, *(more if isinstance(more, list) else [more])]


def _rule(table: Mapping[str, Any], *, anchored: bool) -> RedactionRule:
    fields = {field: table[key] for key, field in (_TEXTS | _NUMBERS).items() if key in table}
    allowances = tuple(
        Allowance(
            tuple(one.get("regexes", ())),
            one.get("regexTarget", "secret"),
            tuple(word.lower() for word in one.get("stopwords", ())),
            tuple(one.get("paths", ())),
        )
        for one in _allowance_tables(table)
    )
    keywords = tuple(table.get("keywords", ()))
    return RedactionRule(**fields, keywords=keywords, allowances=allowances, anchored=anchored)


def _list_repeats(rules: Iterable[RedactionRule]) -> list[str]:
    seen: set[str] = set()
    repeated = {rule.id for rule in rules if rule.id in seen or seen.add(rule.id)}  # type: ignore[func-returns-value]
    return [f"rule {name}: two rules have this id" for name in sorted(repeated)]


def _unknown(key: str, known: Iterable[str]) -> str:
    near = nearest(key, known, cutoff=0.6)
    return f"no key is called {key!r}" + (f"; did you mean {near!r}?" if near else "")


RULES_FILE = Path(__file__).with_name("rules.toml")


@functools.cache
def shipped_rules() -> RuleSet:
    """Return the rules that ship with satchel.

    Reading them takes 12 ms, so the result is stored where Python stores compiled modules, with the file's
    hash; nothing is stored if Python stores none.
    """
    source = RULES_FILE.read_bytes()
    digest = blake2b(source, digest_size=16).digest()
    cached = RULES_FILE.parent / "__pycache__" / f"rules.{sys.implementation.cache_tag}.toml"
    with contextlib.suppress(OSError, ValueError, EOFError, TypeError):
        stored = cached.read_bytes()
        if stored.startswith(digest):
            return RuleSet([_unpack(row) for row in marshal.loads(stored[len(digest) :])])  # noqa: S302
    rules = parse_rules(source.decode(), str(RULES_FILE), are_tested=True)
    if not sys.dont_write_bytecode:
        _store(cached, digest + marshal.dumps([_pack(rule) for rule in rules]))
    return RuleSet(rules)


def _pack(rule: RedactionRule) -> tuple[object, ...]:
    return tuple(rule._replace(allowances=tuple(map(tuple, rule.allowances))))  # type: ignore[arg-type]


def _unpack(row: tuple[object, ...]) -> RedactionRule:
    rule = RedactionRule(*row)  # type: ignore[arg-type]
    return rule._replace(allowances=tuple(Allowance(*one) for one in rule.allowances))


def _store(path: Path, content: bytes) -> None:
    """Replace a file, if possible."""
    with contextlib.suppress(OSError):
        path.parent.mkdir(exist_ok=True)
        made = path.with_name(f"{path.name}.{os.getpid()}")
        made.write_bytes(content)
        made.replace(path)
