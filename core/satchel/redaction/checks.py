"""What must hold for a secret beside its form: the checks that rules name."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from satchel.redaction.values import (
    HEX,
    decoded,
    is_address_password,
    is_filler,
    is_numbered,
    is_password,
    is_random,
    is_stand_in,
    surprise,
    unquoted,
)

Check = Callable[[str], bool]

_SHORTEST = 6
_PREFIX = re.compile(r"A+|[sr]k_[a-z]{4}_")
"""Of keys whose prefix is too regular to be drawn: it is not judged."""
_FEWEST_WORDS = 10
"""Different words that a phrase of twelve drawn ones has at least, nearly always."""


def _is_no_filler(value: str) -> bool:
    return not is_filler(value)


def _is_random_behind_prefix(value: str) -> bool:
    prefix = _PREFIX.match(value)
    return is_random(value[prefix.end() :] if prefix else value)


def _is_random_and_not_hex(value: str) -> bool:
    return is_random(value) and not HEX.fullmatch(value)


def _is_command_password(value: str) -> bool:
    """Return whether a password that a command was given is one: no stand-in, and no plain word."""
    return is_address_password(value) and not value.startswith(("-", "/", "$"))


def _is_literal(value: str) -> bool:
    """Return whether a value stands for itself and not for another."""
    return not is_stand_in(value)


def _is_odd_address_password(value: str) -> bool:
    """Return whether a password with slashes or at signs in an address is not a path."""
    value = unquoted(value)
    pieces = re.split(r"[/?#@+]", value)
    if len(value) < _SHORTEST or pieces[0].isdecimal() or not is_password(value):
        return False
    return surprise(value) > 0 or any(map(is_random, [value, *pieces]))


def _is_basic_auth(value: str) -> bool:
    """Return whether it is base64 of `user:password`, with a password that is not a placeholder."""
    user, colon, password = decoded(value).partition(":")
    usable = bool(user) and bool(colon) and (user + password).isprintable()
    return usable and user.lower() != "aladdin" and is_address_password(password)


def _is_json_token(value: str) -> bool:
    """Return whether the first part of a JSON web token decodes to a header (RFC 7515, section 3)."""
    header = decoded(value.partition(".")[0])
    return header.startswith("{") and ('"alg"' in header or '"typ"' in header) and not is_filler(value)


def _has_digit(value: str) -> bool:
    return any(map(str.isdecimal, value))


def _has_many_words(value: str) -> bool:
    return len(set(value.split())) >= _FEWEST_WORDS


CHECKS: Mapping[str, Check] = {
    "": _is_no_filler,
    "address-password": is_address_password,
    "basic-auth": _is_basic_auth,
    "command-password": _is_command_password,
    "digit": _has_digit,
    "json-token": _is_json_token,
    "literal": _is_literal,
    "many-words": _has_many_words,
    "numbered": is_numbered,
    "odd-address-password": _is_odd_address_password,
    "password": is_password,
    "random": is_random,
    "random-behind-prefix": _is_random_behind_prefix,
    "random-not-hex": _is_random_and_not_hex,
}
"""By the names that rules use; "" where a rule names none."""
