"""The rules of redaction that ship with satchel, which `rules.toml` holds."""

from __future__ import annotations

import contextlib
import functools
import marshal
import os
import sys
from hashlib import blake2b
from pathlib import Path

from satchel.redaction.rules import Allowance, RedactionRule, RuleSet

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
    from satchel.redaction.rule_files import parse_rules

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
