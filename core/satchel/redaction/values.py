"""Judge a value: a placeholder, a reference, a word, or a secret; and the checks that rules name."""

from __future__ import annotations

import functools
import math
import re
import string
from collections import Counter
from collections.abc import Callable, Mapping
from operator import add
from pathlib import Path

from satchel.patterns import lazily

_LETTERS_DIGITS = frozenset(string.ascii_letters + string.digits)
_SYMBOLS = "abcdefghijklmnopqrstuvwxyz0_"
_SCALE = "0123456789abcdefghijklmnopqrstuvwxyz"
# Row: a character, column: the next one, both folded to a letter, 0 (a digit) or _ (all else). The
# figure is 4 * ln(P(pair | random) / P(pair | identifiers and words)) + 13, counted over 241,005
# words of Python, Go, JavaScript, C and prose.
_PAIRS = Path(__file__).with_name("pairs.txt").read_text("ascii").split()
_ODDS = {
    first + second: (_SCALE.index(mark) - 13) / 4
    for first, row in zip(_SYMBOLS, _PAIRS, strict=True)
    for second, mark in zip(_SYMBOLS, row, strict=True)
}
# The same for the case of a letter after a lower-case letter, an upper-case one, a digit, all else.
_CASES = {"ll": -0.66, "lu": 2.71, "ul": 0.15, "uu": -0.13, "ol": -0.51, "ou": 1.11}
_ODDS_OF_CASES = {first + second: _CASES.get(first + second, 0.0) for first in "dulo" for second in "dulo"}
LONGEST = 256
"""Characters that are judged: later ones change no verdict."""
_KEPT = 256
"""Verdicts that are kept: several rules judge a value, one after the other."""


def shannon(text: str) -> float:
    """Return the entropy of the characters' frequencies, in bits a character (Shannon 1948)."""
    size = len(text)
    return -sum(n / size * math.log2(n / size) for n in Counter(text).values()) if size else 0.0


@functools.lru_cache(maxsize=_KEPT)
def surprise(text: str) -> float:
    """Return ln(P(text | random) / P(text | words)), summed over pairs: above 0 random is likelier."""
    folded = text[:LONGEST].translate(_FOLDED)
    cases = text[:LONGEST].translate(_CASE_OF)
    pairs = sum(map(_ODDS.__getitem__, map(add, folded, folded[1:])))
    return pairs + sum(map(_ODDS_OF_CASES.__getitem__, map(add, cases, cases[1:])))


class _Table(dict[int, str]):
    """A table for `str.translate` that asks a function once for each character."""

    def __init__(self, ask: Callable[[str], str]) -> None:
        super().__init__()
        self._ask = ask

    def __missing__(self, code: int) -> str:
        self[code] = found = self._ask(chr(code))
        return found


def _fold_character(character: str) -> str:
    if character.isascii() and character.isalpha():
        return character.lower()
    return "0" if character.isdecimal() else "_"


def _case(character: str) -> str:
    if character.isdecimal():
        return "d"
    return "u" if character.isupper() else "l" if character.islower() else "o"


_FOLDED, _CASE_OF = _Table(_fold_character), _Table(_case)


MARK = lazily(r"\[redacted:[a-z0-9-]{1,40}:[0-9a-f]{4}\]")
HEX = lazily(r"(?:0x)?(?:[0-9a-f]{16,512}|[0-9A-F]{16,512})")
_HEX_GROUPS = lazily(r"[0-9a-f]{8,64}(?:[-:.][0-9a-f]{4,64}){1,8}")
UUID = lazily(r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")
BASE64 = lazily(r"[A-Za-z0-9+/_-]{2,}={0,2}")

# Long enough that chance does not put them into a random key: wherever they stand, it is an example.
_FILLERS = (
    *("example", "placeholder", "changeme", "change_me", "change-me", "replace", "redacted", "xxxxxx"),
    *("your-", "your_", "dummy", "sample", "insert", "not-a-real", "notreal", "0123456", "a1b2c3", "1234567"),
    *("7654321", "abcdef", "123!@#", "abcd1234", "abc123", "deadbeef", "cafebabe", "feedface", "qwerty"),
    *(
        "000000",
        "111111",
        "ffffff",
        "aaaaaaa",
        "...",
        "…",
        "***",
        "____",
        "foobar",
        "foo_bar",
        "letmein",
        "lorem",
    ),
    # published: the token of jwt.io, the key of the Azure storage emulator, the key of Stripe's documents
    "eyjzdwiioiixmjm0nty3odkwiiwibmftzsi6ikpvag4grg9l",
    "eby8vdm02xnocqflquwjpllmetlcdxj1",
    "4ec39hqlyjwdarjtt1zdp7dc",
    # the secret keys of Flask's documentation
    "192b9bdd22ab9ed4d12e236c78afcb9a",
    "5f352379324c22463451387a0aec5d2f",
    # the scope of a signed request, which names a key and holds none
    "/aws4_request",
    # the bearer token of RFC 6750, the nonces of RFC 6455 and of Wikipedia's page on WebSocket
    "mf_9.b5f-4.1jqm",
    "dghlihnhbxbszsbub25jzq",
    "x3jjhmbdl1ezlkh9gbhxdw",
)
"""In lower case: ignoring the case takes ten times as long, and one pattern of all words three times."""
_FILLER = lazily(r"(?<![a-z0-9])hunter2(?![a-z0-9])")
_FOLDED_WORDS = {0x130: "i", 0x131: "i", 0x17F: "s"}
"""Characters that are ASCII letters if the case is ignored, but not in lower case."""
_WORDS = lazily(
    "test|fake|mock|foo|bar|baz|spam|secret|token|passw|pass_|mypass|demo|default|todo|enter|null|none|undefined|"
    "admin|user|root|local|string|value|key|credential|auth|some|random|invalid|wrong|correct|hello|bogus|stub|blah|"
    "login|guest|public|private|hidden|masked|encrypted|variable|config|setting|"
    # the two words that people write in figures
    "p[a4@][s5$3z]{2}w[o0]|[s5$][e3]cr[e3][t7]",
    re.IGNORECASE,
)
_REFERENCE = lazily(
    r"[$%#]\{|\$[(\[]|\$\w*[A-Za-z_]{3}\w*(?:$|[\[:>.-])|%[A-Za-z_]{2,64}%$|%[(s]|@@|\{%|![A-Z][a-z]|!vault|!secret|!env|"
    r"(?:process\.)?env[.(\[]|os\.|ENV\[|secrets?[.:]|vault[.:]|config[.\[]|arn:|ssm:|file:|https?:|op://|keyring:|"
    r"~/|[A-Za-z]:\\|--[a-z]|npm:|workspace:|link:|urn:|(?:const|var|let|new|self|this|await|return|lambda|func)\b"
)
_PATH = lazily(r"\.{0,2}/[a-z._]{2}")
_BRACKETS = {"<": ">", "{": "}", "[": "]", "(": ")"}
_ESCAPE = lazily(r"(?:\\x[0-9a-fA-F]{2}|\\u[0-9a-fA-F]{4}|\\[0-7]{3}){3}")
_CALL = lazily(r"[A-Za-z_][\w.:]{0,80}(?:->\w{1,40})?[(\[{<]")
_WEAK = lazily(
    r"(?:(?:p[a4@][s5$3z]{2}(?:w[o0]rd|w?d|code|phrase)?|user(?:name)?|secret|token|admin|root|test(?:ing)?|guest|foo|"
    r"bar|baz|pw|pwd|my|your|the|some|db|database|demo|dev|local|default|postgres(?:ql)?|mysql|redis|rabbit(?:mq)?|"
    r"mongo(?:db)?|x+|\*+)[-_.]{0,2}){1,4}\d{0,4}!{0,2}",
    re.IGNORECASE,
)
"""Passwords that everybody recognises as examples: one to four such words, and a number."""
_DIGIT_INSIDE = lazily(r"[A-Za-z]\d{1,8}[A-Za-z]")
_NAMING = lazily(
    r"prod|stag(?:e|ing)|dev|svc|service|app|apps|api|web|cert|tls|ssl|cluster|release|server|client|host|version|"
    r"project|team|data|store|file|name|type|mode|level|group|role|region|zone",
    re.IGNORECASE,
)
"""Words in names of things: `shop-web-tls-2024` names a secret and is none."""
_PHRASE = lazily(r"(?:[A-Za-z]{3,16}[-_.+]){2,8}(?:[A-Za-z]{3,16}[-_.+]?)?\d{2,8}!?")
_ODD = "!@#$%^&*()+=~?|"
_ODD_NATS = 1.5
"""Gain of each of these characters: words do not have them, passwords do."""
_WORDY = -3.0
"""A value that no name looks like may be this much likelier as words, under a password's name."""
_PIECE = lazily(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")
"""The pieces of a name divided by its capitals: `HTTPServerPort` into HTTP, Server and Port."""
_VOWELS = frozenset("aeiouyAEIOUY")
_LONG = 16
"""Letters among which chance nearly always leaves a piece without a vowel."""
_LIKELY = 2.0
"""Nats by which random must be likelier than words (e^2: seven times)."""
_CERTAIN = 12.0
"""Nats from which short stop words in the value no longer count: they are there by chance."""


@functools.lru_cache(maxsize=_KEPT)
def is_filler(value: str) -> bool:
    """Return whether the value says itself that it is an example: words, counting up, one character."""
    lower = value[:LONGEST]
    lower = lower.lower() if lower.isascii() else lower.translate(_FOLDED_WORDS).lower()
    if any(map(lower.__contains__, _FILLERS)) or ("hunter2" in lower and _FILLER.search(lower)):
        return True
    return len(set(value)) < min(6, len(value) // 2 + 1)


def is_reference(value: str) -> bool:
    """Return whether the value names where the secret is (a variable, a template, a call, a path)."""
    closing = _BRACKETS.get(value[:1])
    if _PATH.match(value) and surprise(value) < _CERTAIN:
        return True
    inside = "${" in value or "{{" in value or value.endswith("()")
    return inside or bool(_REFERENCE.match(value)) or (closing is not None and value.endswith(closing))


def is_stand_in(value: str) -> bool:
    """Return whether the value is a substitute for a secret: filler, a reference, data, a mark."""
    return is_filler(value) or is_reference(value) or is_escaped(value) or bool(MARK.search(value))


def is_hex_key(value: str) -> bool:
    """Return whether it is 16 or more hexadecimal digits of one case that look drawn at random."""
    if not HEX.fullmatch(value) or value.isdecimal() or value.isalpha():
        return False
    return shannon(value) > (2.6 if len(value) < 24 else 3.0)


def is_random(value: str, least: int = 12) -> bool:
    """Return whether the value looks drawn at random: hexadecimal, a UUID, or unlike words."""
    if len(value) < least or is_filler(value) or value.isdecimal():
        return False
    if is_hex_key(value) or UUID.fullmatch(value) or (_HEX_GROUPS.fullmatch(value) and is_numbered(value)):
        return True
    odds = surprise(value)
    return (
        odds > _LIKELY and kinds_of(value) > 1 and (odds > _CERTAIN or not _WORDS.search(value, 0, LONGEST))
    )


def is_password(value: str) -> bool:
    """Return whether a person would call it a password: random, or several kinds of characters mixed."""
    if len(value) < 6 or is_filler(value) or value.isdecimal() or MARK.search(value):
        return False
    if is_random(value):
        return True
    if _WORDS.search(value, 0, LONGEST) or UUID.fullmatch(value):
        return False
    if value.isalpha():
        return kinds_of(value) > 1 and surprise(value) > _WORDY and _has_piece_without_vowel(value)
    return kinds_of(value) > (2 if len(value) >= 8 else 3) and not _CALL.match(value) and is_mixed(value)


def _has_piece_without_vowel(value: str) -> bool:
    """Return whether the capitals of a long value divide it into pieces that are not all words."""
    pieces = _PIECE.findall(value[:LONGEST])
    return len(value) >= _LONG and any(_VOWELS.isdisjoint(piece) for piece in pieces)


def is_address_password(value: str) -> bool:
    """Return whether the part of an address before @ is a password that somebody would use."""
    value = unquoted(value)
    if is_filler(value) or is_reference(value) or "%s" in value or value.endswith(("}", ")", ">")):
        return False
    if is_password(value):
        return True
    words = _WEAK.fullmatch(value) or (kinds_of(value) < 2 and surprise(value) < 4)
    if len(value) < 6 or words or value.isdecimal():
        return False
    return surprise(value) > -3 or bool(_DIGIT_INSIDE.search(value))


def is_phrase(value: str) -> bool:
    """Return whether it is words with a number behind, as passwords to remember are made."""
    if not _PHRASE.fullmatch(value) or is_filler(value):
        return False
    words = re.findall(r"[A-Za-z]+", value)
    return not any(_WORDS.match(word) or _NAMING.fullmatch(word) for word in words)


def is_encoded_words(value: str) -> bool:
    """Return whether it is base64 of `name:password` where the password is a word or a placeholder."""
    plain = decoded(value) if BASE64.fullmatch(value) else ""
    _, colon, password = plain.partition(":")
    return bool(colon) and plain.isprintable() and not is_address_password(password)


def decoded(value: str) -> str:
    """Return the text in base64, "" if it is not base64."""
    import base64  # few texts have any, here and in the modules beside this one

    body = value.rstrip("=").replace("-", "+").replace("_", "/")
    try:
        return base64.b64decode(body + "=" * (-len(body) % 4)).decode()
    except ValueError:  # no base64, or no text in it
        return ""


def unquoted(value: str) -> str:
    """Return a part of an address without its %XX."""
    if "%" not in value:
        return value
    from urllib.parse import unquote

    return unquote(value)


def is_mixed(value: str) -> bool:
    """Return whether digits are among letters, and not only as the number of a version or a size."""
    odd = sum(character in _ODD for character in value)
    if odd and kinds_of(value) > 3 and len(value) >= 8:
        return True
    digits, letters = any(map(str.isdecimal, value)), any(map(str.isalpha, value))
    return digits and letters and surprise(value) + _ODD_NATS * odd > _WORDY


def is_numbered(value: str) -> bool:
    """Return whether it has a digit or is unlike words: enough if the beginning is unmistakable."""
    return (any(map(str.isdecimal, value)) or surprise(value) > _LIKELY) and not is_filler(value)


def is_expression(value: str) -> bool:
    """Return whether unquoted text reads as code: a call, an index, a name with dots."""
    if HEX.fullmatch(value) or UUID.fullmatch(value):
        return False
    name = re.fullmatch(r"[A-Za-z_][\w.]*", value)
    return bool(_CALL.match(value) or name) and surprise(value) < _CERTAIN / 2


def is_escaped(value: str) -> bool:
    """Return whether the value is bytes written as escapes: data, hardly ever a key."""
    return bool(_ESCAPE.search(value, 0, LONGEST))


@functools.lru_cache(maxsize=_KEPT)
def kinds_of(value: str) -> int:
    """Return how many of lower case, upper case, digits and the rest occur."""
    rest = set(value) - _LETTERS_DIGITS
    tests = (str.islower, str.isupper, str.isdecimal)
    return sum(any(map(test, value)) for test in tests) + bool(rest)


Check = Callable[[str], bool]

_SHORTEST = 6
_PREFIX = re.compile(r"A+|[sr]k_[a-z]{4}_")
"""Prefix of keys that is too regular to be random: it is not judged."""
_FEWEST_WORDS = 10
"""Fewest different words of a phrase of twelve random ones, nearly always."""


def _is_random_behind_prefix(value: str) -> bool:
    prefix = _PREFIX.match(value)
    return is_random(value[prefix.end() :] if prefix else value)


def _is_command_password(value: str) -> bool:
    """Return whether a command's password argument is one: not a stand-in, nor a plain word."""
    return is_address_password(value) and not value.startswith(("-", "/", "$"))


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


CHECKS: Mapping[str, Check] = {
    "": lambda value: not is_filler(value),
    "address-password": is_address_password,
    "basic-auth": _is_basic_auth,
    "command-password": _is_command_password,
    "digit": lambda value: any(map(str.isdecimal, value)),
    "json-token": _is_json_token,
    "literal": lambda value: not is_stand_in(value),
    "many-words": lambda value: len(set(value.split())) >= _FEWEST_WORDS,
    "numbered": is_numbered,
    "odd-address-password": _is_odd_address_password,
    "password": is_password,
    "random": is_random,
    "random-behind-prefix": _is_random_behind_prefix,
    "random-not-hex": lambda value: is_random(value) and not HEX.fullmatch(value),
}
"""Checks by their names in rules; "" if a rule names none."""
