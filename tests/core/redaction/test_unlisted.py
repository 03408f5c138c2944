"""Keys of makers that no rule names, and places beyond an assignment."""

from __future__ import annotations

import random
import string

import pytest

from satchel.redaction import redact

BODY = string.ascii_letters + string.digits
rng = random.Random(7)


def drawn(size: int, letters: str = BODY) -> str:
    return "".join(rng.choice(letters) for _ in range(size))


@pytest.mark.parametrize("prefix", ["zz9_", "acme-", "acme_live_", "nova_sk_", "qx-pat-", "tok."])
@pytest.mark.parametrize(
    "place", ["{}\n", "use {}.", 'x = "{}"', "id,{},3", "\x1b[32m{}\x1b[0m", "git://u:{}@h/a"]
)
def test_a_short_prefix_before_a_long_drawn_body_is_a_key(prefix: str, place: str) -> None:
    key = prefix + drawn(36)

    assert key[6:] not in redact(place.format(key)).text


@pytest.mark.parametrize(
    "text",
    [
        "sha256_" + drawn(64, "0123456789abcdef"),
        "chatcmpl-" + drawn(29),
        "price_" + drawn(24),
        "pk_live_" + drawn(32),
        "/assets/index_" + drawn(36) + ".js",
        "test_a_very_long_name_of_a_function_that_says_what_it_shows",
        "sha512-" + drawn(86) + "==",
    ],
)
def test_ids_hashes_public_keys_and_names_stay(text: str) -> None:
    assert redact(text).text == text


@pytest.mark.parametrize(
    "place",
    [
        "https://example.org/a?x=1#key-{}",
        "https://example.org/a#acme_token_{}",
        "see https://example.org/a #acme-{}",
        "https://example.org/a/acme-{}",
        "# acme-{}",
        "cache:\n  acme-{}",
        "cache of acme: acme_api_{}",
        "cached at startup, one.two.three.four.five.six.seven.eight.nine.ten: acme-{}",
    ],
)
def test_a_key_beside_an_address_or_a_cache_is_a_key(place: str) -> None:
    key = drawn(64, "0123456789abcdef")

    assert key not in redact(place.format(key)).text


def test_mixed_letters_behind_an_address_or_a_cache_are_a_key() -> None:
    key = drawn(36)

    assert key not in redact(f"https://example.org/a#acme-{key}").text
    assert key not in redact(f"cache: acme-{key}").text


@pytest.mark.parametrize(
    "text",
    [
        "docker login -u me -p {} reg.example.net",
        "redis-cli -a {} ping",
        "echo {} | docker login -u me --password-stdin",
        "requirepass {}\n",
        "ENV DB_PASSWORD {}\n",
        "gh secret set API_TOKEN --body {}\n",
        "payload=%7B%22api_key%22%3A%22{}%22%7D",
        'token = os.getenv("TOKEN") or "{}"',
        "const apiKey = process.env.API_KEY || '{}';",
        "password: >-\n  {}\nuser: x\n",
        'requests.get(url, auth=("me", "{}"))',
        "jdbc:oracle:thin:scott/{}@//db:1521/X",
        '{{"kty": "EC", "d": "{}{}"}}',
        "Cookie: theme=dark; sessionid={}; a=b",
        "KAGGLE_KEY={}\n",
    ],
)
def test_commands_settings_and_defaults_give_their_secret_away(text: str) -> None:
    secret = drawn(22) + "7q"

    assert secret not in redact(text.format(secret, secret)).text


@pytest.mark.parametrize(
    "text", ["eyJhbGciOiJIUzI1NiJé9.eyJzdWIiOiIxIn0.c2ln", "eyJhbGciOiJIUzé1NiJ9abcd.c2lnbmF0dXJl"]
)
def test_base64_with_a_letter_that_is_none_of_it_is_no_token(text: str) -> None:
    assert redact(f"see {text} here\n").found == ()
