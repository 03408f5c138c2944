"""Read rules from TOML, in the form of gitleaks' files, and check them; those that ship with satchel too."""

from __future__ import annotations

import contextlib
import difflib
import functools
import marshal
import os
import re
import sys
import warnings
from collections.abc import Iterable, Iterator, Mapping
from hashlib import blake2b
from pathlib import Path
from typing import Any

from satchel.redaction.rules import Allowance, RedactionRule, RuleSet
from satchel.redaction.values import CHECKS

_ID = re.compile(r"[A-Za-z0-9]+(?:[._-][A-Za-z0-9]+)*")
_KIND = re.compile(r"[a-z0-9-]{1,40}")
"""What a mark holds, `values.MARK`."""
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
"""Keys of a rule with a text, and the fields that they stand for."""
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
        """A line each, which begins with the rule's id or number."""
        super().__init__(f"{source}: {'; '.join(self.problems)}")


def parse_rules(text: str, source: str = "rules") -> list[RedactionRule]:
    """Return the rules of a TOML text.

    Args:
        text: a list `[[rules]]`, as gitleaks has it; `docs/how-to/add-a-redaction-rule.md` names all keys.
        source: where it comes from, for messages.

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
            wrong = list(why_unusable(rules[-1]))
        problems += [f"rule {table.get('id') or number}: {one}" for one in wrong]
    problems += _list_repeats(rules)
    if problems:
        raise RuleError(source, problems)
    return rules


def check_rules(rules: Iterable[RedactionRule], source: str) -> tuple[RedactionRule, ...]:
    """Return rules that can be used; raise RuleError where one can't."""
    checked = tuple(rules)
    problems = [f"rule {rule.id}: {one}" for rule in checked for one in why_unusable(rule)]
    problems += _list_repeats(checked)
    if problems:
        raise RuleError(source, problems)
    return checked


def why_unusable(rule: RedactionRule) -> Iterator[str]:
    """Yield what is wrong with a rule."""
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
    near = difflib.get_close_matches(key, known, n=1)
    return f"no key is called {key!r}" + (f"; did you mean {near[0]!r}?" if near else "")


RULES_FILE = Path(__file__).with_name("rules.toml")


@functools.cache
def shipped_rules() -> RuleSet:
    """Return the rules that ship with satchel.

    To read them takes 12 ms, so what was read is stored where Python stores compiled modules, with the file's
    hash; nothing is stored where Python stores none.
    """
    source = RULES_FILE.read_bytes()
    digest = blake2b(source, digest_size=16).digest()
    cached = RULES_FILE.parent / "__pycache__" / f"rules.{sys.implementation.cache_tag}.toml"
    with contextlib.suppress(OSError, ValueError, EOFError, TypeError):
        stored = cached.read_bytes()
        if stored.startswith(digest):
            return RuleSet([_unpack(row) for row in marshal.loads(stored[len(digest) :])])  # noqa: S302
    rules = parse_rules(source.decode(), str(RULES_FILE))
    if not sys.dont_write_bytecode:
        _store(cached, digest + marshal.dumps([_pack(rule) for rule in rules]))
    return RuleSet(rules)


def _pack(rule: RedactionRule) -> tuple[object, ...]:
    return tuple(rule._replace(allowances=tuple(map(tuple, rule.allowances))))  # type: ignore[arg-type]


def _unpack(row: tuple[object, ...]) -> RedactionRule:
    rule = RedactionRule(*row)  # type: ignore[arg-type]
    return rule._replace(allowances=tuple(Allowance(*one) for one in rule.allowances))


def _store(path: Path, content: bytes) -> None:
    """Replace a file, if that can be done."""
    with contextlib.suppress(OSError):
        path.parent.mkdir(exist_ok=True)
        made = path.with_name(f"{path.name}.{os.getpid()}")
        made.write_bytes(content)
        made.replace(path)
