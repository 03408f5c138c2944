"""Passwords in addresses, headers, commands, hashes and assignments; placeholders stay."""

from __future__ import annotations

import base64
import random

import pytest

from satchel.redaction import redact

from .formats import ALNUM, HEX, draw

RNG = random.Random(21)
WORD = draw((ALNUM, 15), "7q")(RNG)
LONG = draw((ALNUM, 40))(RNG)
BASIC = base64.b64encode(f"deploy:{WORD}".encode()).decode()
HASH = "$2" + "y$10$" + draw((ALNUM, 53))(RNG)

HELD = (
    f"postgres://app:{WORD}@db:5432/x",
    f"mongodb+srv://app:{WORD}@cluster0.dev/x",
    f"redis://:{WORD}@cache:6379",
    f"amqp://app:{WORD}@queue/%2f",
    f"https://deploy:{WORD}@git.dev/r.git",
    f"https://{LONG}@git.dev/r.git",
    f"https://{draw((HEX, 32))(RNG)}@o1.ingest.sentry.io/42",
    f"Server=db;Database=x;User Id=app;Password={WORD};Encrypt=true",
    f"Driver={{SQL}};Uid=app;Pwd={WORD};",
    f"Authorization: Bearer {LONG}",
    f"authorization: Basic {BASIC}",
    f"Authorization: token {LONG}",
    f'"headers": {{"Authorization": "Bearer {LONG}"}}',
    f"curl -u deploy:{WORD} https://x.dev",
    f"mysql -h db -u root -p{WORD} x",
    f"CREATE USER 'a'@'%' IDENTIFIED BY '{WORD}';",
    f"machine x.dev login me password {WORD}",
    f"deploy:{HASH}",
    f"deploy:{HASH}:19000:0:99999:7:::",
    f'{{"auths": {{"x.dev": {{"auth": "{BASIC}"}}}}}}',
    f"//registry.npmjs.org/:_authToken={LONG}",
    f"ENV API_KEY {LONG}",
    f"ARG TOKEN={LONG}",
    f"$env:API_KEY = '{LONG}'",
    f"<password>{WORD}</password>",
    f'<add key="ApiKey" value="{LONG}" />',
    f"- name: DB_PASSWORD\n  value: {WORD}",
    f'{{"name": "DB_PASSWORD", "value": "{WORD}"}}',
    f'os.environ["API_KEY"] = "{LONG}"',
    f'os.environ.setdefault("API_KEY", "{LONG}")',
    f'client.setPassword("{WORD}")',
    f'requests.get(u, headers={{"X-Api-Key": "{LONG}"}})',
    f'password: str = "{WORD}"',
    f'const dbPassword: string = "{WORD}";',
    f'"{{\\"password\\": \\"{WORD}\\"}}"',
    f'password := "{WORD}"',
    f":password => '{WORD}'",
    f"tool --password {WORD}",
    f"tool --token={LONG} --verbose",
    f"connected with token {LONG} to x",
    f"export PASSWORD='{WORD}' # comment",
    f"password = {WORD}",
    f"define('AUTH_KEY', '{LONG} {LONG}');",
    'password = "Winter2024!"',
    "PASSWORD=p4$$w(9kL&x%Z2",
)


@pytest.mark.parametrize("text", HELD)
def test_the_secret_goes(text: str) -> None:
    redacted = redact(text).text

    assert "[redacted:" in redacted
    assert not [secret for secret in (WORD, LONG, BASIC, HASH, "Winter2024", "9kL") if secret in redacted]


@pytest.mark.parametrize(
    ("text", "secret"),
    [
        ("redis://:p4sswd99x@host", "p4sswd99x"),
        ("REDIS_URL=redis://:p4sswd99x@cache:6379/0", "p4sswd99x"),
        ("postgres://app:hunter2secret@host/db", "hunter2secret"),
        ("DB_PASSWORD=purple-monkey-8841", "purple-monkey"),
        ("export JWT_SECRET=purple-monkey-dishwasher-8841", "purple-monkey"),
        ("ENV APP_SECRET purple_monkey_dishwasher_77", "purple_monkey"),
    ],
)
def test_a_password_that_words_and_figures_make_goes(text: str, secret: str) -> None:
    assert secret not in redact(text).text


@pytest.mark.parametrize(
    "text",
    [
        "postgres://user:password@localhost",
        "postgres://app:hunter2@localhost/db",
        "mysql://root:my_secret_password1@localhost/x",
        "imaps://user:p4ssw0rd@host/",
        "docker://node:18alpine@sha256:0123",
        "JWT_SECRET=your-secret-here-1234",
        "TLS_SECRET=shop-web-tls-2024",
        "DB_SECRET=prod-db-credentials-02",
        "secret: purple-monkey-dishwasher-8841",
        "DB_PASSWORD=see-the-wiki",
    ],
)
def test_a_name_or_an_example_in_its_place_stays(text: str) -> None:
    assert redact(text).text == text


@pytest.mark.parametrize(("begins", "kind"), [("sk-ant-api03-", "anthropic-key"), ("sk-proj-", "openai-key")])
def test_a_key_is_called_by_its_maker(begins: str, kind: str) -> None:
    assert redact(f"key {begins}{draw((ALNUM, 60))(RNG)}").text.startswith(f"key [redacted:{kind}:")


def test_everything_but_the_password_of_an_address_stays() -> None:
    start, _, end = redact(f"see postgres://app:{WORD}@db:5432/x now").text.partition(
        "[redacted:url-password:"
    )

    assert (start, end[4:]) == ("see postgres://app:", "]@db:5432/x now")


@pytest.mark.parametrize("name", ["STRIPE_SECRET", "stripe.client_secret", "stripeSecret"])
def test_the_kind_names_the_vendor_that_the_name_names(name: str) -> None:
    assert redact(f'{name} = "{WORD}"').found[0].kind == "stripe-secret"


@pytest.mark.parametrize(
    "value",
    ["${X}", "<x>", "$(cat x)", "%(pw)s", "{{ x }}", "os.environ['A1']", "/run/secrets/a1", "xxxxxxxx"],
)
def test_references_and_placeholders_stay(value: str) -> None:
    text = f"password={value}\nsecret: '{value}'"

    assert redact(text).text is text
