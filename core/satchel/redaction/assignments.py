"""Values that are given to a name such as `password`, `client_secret` or `X-Api-Key`."""

from __future__ import annotations

import re
from collections.abc import Iterator

from satchel.redaction.names import NAMES, Strength, folded, is_name, kind, strength
from satchel.redaction.rules import Span
from satchel.redaction.values import (
    is_expression,
    is_hex_key,
    is_password,
    is_random,
    is_stand_in,
)

_TAIL = re.compile(
    r"""(?P<after>[\w-]{0,40}+)(?:\\{0,3}["'`])?[\])]{0,2}(?:
      (?P<assign>[ \t]{0,12}
          (?:(?:::?[ \t]?[\w.\[\]|*&?]{1,30}(?:[ \t]{1,4}(?==)|(?==["'])))?(?:=>|:=|\?=|={1,3}|!==?)|:|%3[Dd])
          [ \t]{0,12}
        |>[ \t]{0,4}
        |[ \t]{0,8},?(?:\r?\n)?[ \t-]{0,40}\\{0,3}["']?[Vv]alue\\{0,3}["']?[ \t]?[:=][ \t]{0,8}
        |[ \t]{0,2}[,(][ \t]{0,4}(?=\\{0,3}[brfuBRFU@$]?["'`]))
      |(?P<loose>[ \t]{1,4}(?:(?:is|was|of|to|as|with|value|used|set[ ]to)[ \t]{1,2})?))
    (?:(?P<quote>[brfuBRFU@$]{0,2}\\{0,3}["'`])?
     (?:(?:[Bb]earer|[Bb]asic|[Tt]oken|[Aa]pi-?[Kk]ey|SSWS|Key)[ ]{1,2})?)""",
    re.VERBOSE,
)
_QUOTED = {
    '"': re.compile(r'((?:[^\s"\\]|\\[^\s"nrt]){6,8192}+)\\{0,3}"'),
    "'": re.compile(r"((?:[^\s'\\]|\\[^\s'nrt]){6,8192}+)\\{0,3}'"),
    "`": re.compile(r"([^\s`\\]{6,8192}+)\\{0,3}`"),
}
_BARE = re.compile(r"[^\s\"'`,;<>&|\\]{6,8192}+")
_WHOLE = re.compile(r"([^\s\"'`\\]{6,8192}+)[ \t]{0,40}(?:#[^\n]{0,200})?(?=\r?\n|\Z)")
_LINE_LEAD = re.compile(
    r"[ \t+>-]{0,40}(?:export |ENV |ARG |set |setx |declare -x |env |-e |--env |\$env:|- )?[\"']?"
)
_LINE = 100
"""A name that begins a line ends within so many characters."""
_LONG = 48
"""Names in an unquoted value of more characters are not looked at: the value has been judged."""


def assignment_spans(text: str) -> Iterator[Span]:
    """Yield the values of names that say they hold a secret, where the value looks like one."""
    lower = folded(text)
    skip = 0
    for hit in NAMES.finditer(lower):
        tail = _TAIL.match(text, hit.end()) if hit.start() >= skip else None
        sure = strength(lower, hit, lower[tail.start("after") : tail.end("after")]) if tail else None
        if tail is None or sure is None:
            continue
        start, end = _value(text, hit.start(), tail)
        if end - start > _LONG and not tail["quote"]:
            skip = end
        if start < end and _is_secret(text[start:end], sure, tail):
            yield Span(start, end, kind(lower, hit, tail.end()), "assignment")


def _value(text: str, name: int, tail: re.Match[str]) -> tuple[int, int]:
    """Return start and end of the value: what is quoted, the rest of a line, or a run; else 0, 0."""
    if tail["quote"]:
        found = _QUOTED[tail["quote"][-1]].match(text, tail.end())
        return found.span(1) if found else (0, 0)
    if tail["assign"] and _begins_line(text, name):
        whole = _WHOLE.match(text, tail.end())
        if whole and not is_expression(whole[1]):
            return whole.start(1), whole.start(1) + len(whole[1].rstrip(",;"))
    bare = _BARE.match(text, tail.end())
    return (bare.start(), bare.start() + len(bare[0].rstrip(")]}.:"))) if bare else (0, 0)


def _begins_line(text: str, name: int) -> bool:
    """Return whether the name begins its line, as in .env, YAML, INI, shell and Dockerfiles."""
    line = text.rfind("\n", max(0, name - _LINE), name) + 1
    if line == 0 and name > _LINE:
        return False
    lead = _LINE_LEAD.match(text, line, name)
    return lead is not None and is_name(text[lead.end() : name])


def _is_secret(value: str, sure: Strength, tail: re.Match[str]) -> bool:
    if is_stand_in(value):
        return False
    if sure is Strength.KEY:
        return is_random(value, 20) and not is_hex_key(value)
    quoted, password = tail["quote"] is not None, sure is Strength.PASSWORD
    if tail["loose"] and not (quoted and password):
        return is_random(value, 16)
    return (is_password(value) if password else is_random(value)) and (quoted or not is_expression(value))
