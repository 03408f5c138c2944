"""Values that are given to a name such as `password`, `client_secret` or `X-Api-Key`."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from satchel.patterns import lazily
from satchel.redaction.entropy import surprise
from satchel.redaction.names import NAMES, Strength, folded, is_name, kind, strength
from satchel.redaction.places import Columns, may_be_placed, placed_values
from satchel.redaction.rules import Span
from satchel.redaction.values import (
    MARK,
    UUID,
    is_encoded_words,
    is_expression,
    is_hex_key,
    is_password,
    is_random,
    is_stand_in,
    kinds_of,
    unquoted,
)

_TAIL = lazily(
    r"""(?P<after>[\w-]{0,40}+)(?:\\{0,3}["'`]|%22)?[\])]{0,2}(?:
      (?P<assign>[ \t]{0,40}
          (?:(?:(?:::?[ \t]?|[ ]As[ ])[\w.\[\]|*&?]{1,30}(?:[ \t]{1,4}(?==)|(?==["'])))?
             (?:=>|<-|:=|\?=|={1,3}|!==?)|:|%3[DdAa](?:%22)?)
          (?:[ \t]{0,4}[>|][+-]?[ \t]{0,4}\r?\n[ \t]{1,60}|[ ](?:!!\w{1,12}|&[\w-]{1,40})[ ](?=[\w"'])|
             [ \t]{0,4}\r?\n[ \t]{1,60}(?=["'])|
             [ \t]{0,2}@?[\w.]{1,60}(?:\([^()\n]{0,80}\)|\[[^\]\n]{0,60}\])?
               [ \t]{1,2}(?:or|\|\||\?\?|\?:)[ \t]{1,2}(?=["'`])|
             [ ]@(?="))?
          [ \t]{0,12}
        |[ \t]{1,2}(?:--body|--value|--secret-string|-b)[ =]
        |>[ \t]{0,4}
        |[ \t]{0,8},?(?:\r?\n)?[ \t-]{0,40}\\{0,3}["']?[Vv]alue\\{0,3}["']?[ \t]?[:=][ \t]{0,8}
        |[ \t]{0,2}[,(][ \t]{0,4}(?=\\{0,3}[brfuBRFU@$]?["'`]))
      |(?P<loose>[ \t]{0,12}\|[ \t]{1,12}
          |[ \t]{1,4}(?:(?:is|was|of|to|as|with|value|used|set[ ]to)[ \t]{1,2})?))
    (?:\x1b\[[\d;]{0,24}[mK]){0,4}(?:(?P<quote>[brfuBRFU@$]{0,2}\\{0,3}["'`])?
     (?:(?:[Bb]earer|[Bb]asic|[Tt]oken|[Aa]pi-?[Kk]ey|SSWS|Key)[ ]{1,2})?)""",
    re.VERBOSE,
)
_QUOTED = {
    '"': lazily(r'((?:[^\s"\\]|\\[^\s"nrt]){6,8192}+)\\{0,3}"'),
    "'": lazily(r"((?:[^\s'\\]|\\[^\s'nrt]){6,8192}+)\\{0,3}'"),
    "`": lazily(r"([^\s`\\]{6,8192}+)\\{0,3}`"),
}
_BARE = lazily(r"[^\s\"'`,;<>&|\\\x1b]{6,8192}+")
_WHOLE = lazily(
    r"([^\s\"'`\\\x1b]{6,8192}+)(?:\x1b\[[\d;]{0,24}[mK]){0,4}[ \t]{0,40}(?:#[^\n]{0,200})?(?=\r?\n|\Z)"
)
_TOLD = lazily(r"(?:(?:^|\s)(?:ENV|ARG|set -\w{1,3}|setx|SETX)[ \t]{1,4}|(?:^|\s)--?)[\w.-]{0,48}$")
"""What stands before a name whose value follows after a blank: Dockerfiles, shells, options."""
_ENCODED = lazily(r"(?:[^\s\"'`,;<>&|\\%]|%(?!2[26Cc]|7[Dd])){6,8192}+")
_LINE_LEAD = lazily(
    r"[ \t+>-]{0,40}(?:export |ENV |ARG |set |setx |declare -x |env |-e |--env |\$env:|- )?[\"']?"
)
_LINE = 100
"""A name that begins a line ends within so many characters."""
_LEAD = 64
"""What stands before a name whose value follows after a blank is shorter."""
_HEX_KEY = 32
"""Hexadecimal digits under a name in capitals that ends in KEY: fewer are a hash more often than a key."""
_LONG = 48
"""Names in an unquoted value of more characters are not looked at: the value has been judged."""


_SHORT, _VALUES_KEPT = 100, 4096
_AFTER = 40
"""Characters after a name that can belong to it."""
_REST = lazily(r"[\w-]{0,40}+")
_LONGEST_VALUE = 8_192


def name_places(run: str) -> tuple[int, ...]:
    """Return where in a run of word characters the names begin that can be of a secret somewhere.

    What stands before and after the run makes a name harmless more often than not; a question mark
    before it and a hyphen after it are what leaves it most likely.
    """
    lower = folded(f"?{run}")
    found = []
    for hit in NAMES.finditer(lower):
        after = lower[hit.end() : hit.end() + _AFTER]
        if any(strength(lower, hit, rest) for rest in (after, f"{after}-"[:_AFTER])):
            found.append(hit.start() - 1)
    return tuple(found)


def assignment_spans(text: str, names: Mapping[str, tuple[int, ...]] | None = None) -> Iterator[Span]:
    """Yield the values of names that say they hold a secret, where the value looks like one.

    `names` are all runs of the text with names in them, and where those begin, as `name_places` tells.
    """
    lower = _without_marks(folded(text))
    skip, columns = 0, Columns(text)
    for hit in NAMES.finditer(lower) if names is None else _hits(text, lower, names):
        sure = _sureness(lower, hit) if hit.start() >= skip else None
        if sure is None:
            continue
        tail = _TAIL.match(text, hit.end())
        if tail is not None:
            start, end = _value(text, hit.start(), tail)
            if end - start > _LONG and not tail["quote"]:
                skip = end
            if start < end and _is_secret(text[start:end], _said(text, hit, tail, sure)):
                yield Span(start, end, kind(lower, hit, tail.end()), "assignment")
        if columns.may_have(hit.start()) or may_be_placed(text, *hit.span()):
            yield from _placed(text, lower, hit, columns, sure)


def _without_marks(lower: str) -> str:
    """Return a text of the same length in which no mark says a name."""
    return MARK.sub(lambda mark: " " * len(mark[0]), lower) if "[redacted:" in lower else lower


def _sureness(lower: str, hit: re.Match[str]) -> Strength | None:
    rest = _REST.match(lower, hit.end())
    return strength(lower, hit, rest[0] if rest else "")


def _placed(text: str, lower: str, hit: re.Match[str], columns: Columns, sure: Strength) -> Iterator[Span]:
    """Yield the secrets that a name speaks of elsewhere: in its column, in the next line, beside it."""
    said = _Said(sure, quoted=True, loose=False, told=True)
    for start, end in (*placed_values(text, *hit.span()), *columns.values(*hit.span())):
        if end - start <= _LONGEST_VALUE and _is_secret(text[start:end], said):
            yield Span(start, end, kind(lower, hit, hit.end()), "place")


def _hits(text: str, lower: str, names: Mapping[str, tuple[int, ...]]) -> Iterator[re.Match[str]]:
    """Yield the names in order, where their runs stand by themselves."""
    starts = [at + place for run, places in names.items() for at in _whole(text, run) for place in places]
    for start in sorted(starts):
        hit = NAMES.match(lower, start)
        if hit:
            yield hit


def _whole(text: str, run: str) -> Iterator[int]:
    """Yield where a run stands with no word character on either side."""
    at = text.find(run)
    while at >= 0:
        end = at + len(run)
        if not (_is_wordy(text[at - 1 : at] if at else "") or _is_wordy(text[end : end + 1])):
            yield at
        at = text.find(run, end)


def _is_wordy(character: str) -> bool:
    return character.isalnum() or character == "_"


def _value(text: str, name: int, tail: re.Match[str]) -> tuple[int, int]:
    """Return start and end of the value: what is quoted, the rest of a line, or a run; else 0, 0."""
    if tail["quote"]:
        found = _QUOTED[tail["quote"][-1]].match(text, tail.end())
        return found.span(1) if found else (0, 0)
    if tail["assign"] and _begins_line(text, name):
        whole = _WHOLE.match(text, tail.end())
        if whole and not is_expression(whole[1]):
            return whole.start(1), whole.start(1) + len(whole[1].rstrip(",;"))
    if "%3" in (tail["assign"] or ""):
        encoded = _ENCODED.match(text, tail.end())
        return encoded.span() if encoded else (0, 0)
    bare = _BARE.match(text, tail.end())
    return (bare.start(), bare.start() + len(bare[0].rstrip(")]}.:"))) if bare else (0, 0)


def _said(text: str, hit: re.Match[str], tail: re.Match[str], sure: Strength) -> _Said:
    loose = tail["loose"] or ""
    verb = any(map(str.isalpha, loose))
    return _Said(sure, tail["quote"] is not None, bool(loose), _told(text, hit, tail), verb)


def _told(text: str, hit: re.Match[str], tail: re.Match[str]) -> bool:
    """Return whether what follows can be nothing but a value: that of an option, of a name in capitals."""
    if tail["loose"]:
        return _is_told(text[max(0, hit.start() - _LEAD) : hit.start()])
    capitals = text[hit.start() : hit.end()].isupper()
    return capitals and (
        tail["quote"] is not None or (tail["assign"] == "=" and _begins_line(text, hit.start()))
    )


@functools.lru_cache(maxsize=_VALUES_KEPT)
def _is_told(lead: str) -> bool:
    return _TOLD.search(lead) is not None


def _begins_line(text: str, name: int) -> bool:
    """Return whether the name begins its line, as in .env, YAML, INI, shell and Dockerfiles."""
    line = text.rfind("\n", max(0, name - _LINE), name) + 1
    if line == 0 and name > _LINE:
        return False
    lead = _LINE_LEAD.match(text, line, name)
    return lead is not None and is_name(text[lead.end() : name])


class _Said(NamedTuple):
    """What the place of a value says of it."""

    sure: Strength
    quoted: bool
    loose: bool
    told: bool
    verb: bool = False
    """Whether a word stands between: `the password is ...`."""


def _is_secret(value: str, said: _Said) -> bool:
    return _is_short_secret(value, said) if len(value) <= _SHORT else _is_any_secret(value, said)


@functools.lru_cache(maxsize=_VALUES_KEPT)
def _is_short_secret(value: str, said: _Said) -> bool:
    """Judge a short value: the same ones stand in many places."""
    return _is_any_secret(value, said)


def _is_any_secret(value: str, said: _Said) -> bool:
    if is_stand_in(value) or is_encoded_words(value):
        return False
    value = unquoted(value)
    if said.sure is Strength.KEY:
        if UUID.fullmatch(value):
            return False  # a key of a row or of a message; nothing says that it opens anything
        return is_random(value, 20) and (not is_hex_key(value) or (said.told and len(value) >= _HEX_KEY))
    return _is_told_secret(value, said, password=said.sure is Strength.PASSWORD)


def _is_told_secret(value: str, said: _Said, *, password: bool) -> bool:
    quoted, told = said.quoted, said.told
    if said.loose and not told and not (quoted and password):
        return is_random(value, 16) or (said.verb and password and is_password(value) and surprise(value) > 0)
    literal = quoted or (told and "(" not in value and "." not in value)
    return _looks_secret(value, password=password, literal=literal)


def _looks_secret(value: str, *, password: bool, literal: bool) -> bool:
    if not (literal or not is_expression(value)):
        return False
    if password or is_random(value):
        return password is False or is_password(value)
    # A token that somebody made up as passwords are: all kinds of characters, and no words.
    return literal and kinds_of(value) > 3 and is_password(value) and surprise(value) > 0
