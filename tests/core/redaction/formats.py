"""Secrets drawn at random in the published forms of their makers, and six places where they stand.

No key is written out here: a form is a list of pieces, so that no scanner takes this file for a leak.
"""

from __future__ import annotations

import base64
import json
import random
import string
import uuid
from collections.abc import Callable, Mapping

LOWER, UPPER, DIGITS = string.ascii_lowercase, string.ascii_uppercase, string.digits
HEX = DIGITS + "abcdef"
ALNUM = string.ascii_letters + DIGITS
URL = ALNUM + "_-"
BASE64 = ALNUM + "+/"
BECH32 = "QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L"
PASSWORD = ALNUM + "!@#%^*_-+=.?"

Form = Callable[[random.Random], str]


def draw(*pieces: str | tuple[str, int]) -> Form:
    """Return a form: fixed text as it is, (alphabet, length) drawn."""

    def made(rng: random.Random) -> str:
        return "".join(
            piece if isinstance(piece, str) else "".join(rng.choice(piece[0]) for _ in range(piece[1]))
            for piece in pieces
        )

    return made


def unique(*around: str) -> Form:
    """Return a form with a UUID after the first text and before the second."""
    before, after = (*around, "", "")[:2]
    return lambda rng: before + str(uuid.UUID(int=rng.getrandbits(128), version=4)) + after


def token(rng: random.Random) -> str:
    """Return a JSON web token."""

    def part(value: Mapping[str, object]) -> str:
        return base64.urlsafe_b64encode(json.dumps(value).encode()).decode().rstrip("=")

    head = part({"alg": rng.choice(["HS256", "RS256"]), "typ": "JWT"})
    body = part({"sub": str(rng.getrandbits(48)), "iat": rng.getrandbits(31)})
    return f"{head}.{body}.{draw((URL, 43))(rng)}"


def discord(rng: random.Random) -> str:
    number = str(rng.randrange(10**17, 10**18))
    return base64.b64encode(number.encode()).decode().rstrip("=") + draw(".", (URL, 6), ".", (URL, 38))(rng)


FORMS: dict[str, Form] = {
    "aws-id": draw("AK", "IA", (UPPER + "234567", 16)),
    "aws-temporary-id": draw("AS", "IA", (UPPER + "234567", 16)),
    "gcp-api": draw("AI", "za", (URL, 35)),
    "google-client": draw("GOC", "SPX-", (URL, 28)),
    "google-access": draw("ya", "29.", (URL, 80)),
    "azure-client": draw((ALNUM, 3), "8Q", "~", (ALNUM + "_~.-", 33), "a"),
    "azure-service": draw((ALNUM, 52), "JQQ", "J99", (ALNUM, 26)),
    "github-pat": draw("gh", "p_", (ALNUM, 36)),
    "github-oauth": draw("gh", "o_", (ALNUM, 36)),
    "github-server": draw("gh", "s_", (ALNUM, 36)),
    "github-refresh": draw("gh", "r_", (ALNUM, 76)),
    "github-fine": draw("github", "_pat_", (ALNUM, 22), "_", (ALNUM, 59)),
    "gitlab-pat": draw("gl", "pat-", (URL, 19), "a"),
    "gitlab-deploy": draw("gl", "dt-", (URL, 19), "a"),
    "gitlab-runner": draw("gl", "rt-", (URL, 19), "a"),
    "bitbucket": draw("AT", "BB", (ALNUM, 32)),
    "atlassian": draw("ATA", "TT3", (URL, 186)),
    "slack-bot": draw("xo", "xb-", (DIGITS, 12), "-", (DIGITS, 12), "-", (ALNUM, 24)),
    "slack-user": draw("xo", "xp-", (DIGITS, 12), "-", (DIGITS, 12), "-", (DIGITS, 12), "-", (HEX, 32)),
    "slack-app": draw("xa", "pp-1-A", (UPPER + DIGITS, 10), "-", (DIGITS, 13), "-", (HEX, 64)),
    "discord": discord,
    "telegram": draw((DIGITS[1:], 10), ":A", "A", (URL, 32), "x"),
    "stripe": draw("sk", "_live_", (ALNUM, 24)),
    "stripe-long": draw("sk", "_live_51", (ALNUM, 97)),
    "stripe-restricted": draw("rk", "_live_", (ALNUM, 24)),
    "stripe-test": draw("sk", "_test_", (ALNUM, 24)),
    "stripe-webhook": draw("wh", "sec_", (ALNUM, 32)),
    "twilio": draw("S", "K", (HEX, 32)),
    "sendgrid": draw("S", "G.", (URL, 22), ".", (URL, 42), "x"),
    "mailgun": draw("ke", "y-", (HEX, 32)),
    "mailchimp": draw((HEX, 32), "-u", "s12"),
    "brevo": draw("xkey", "sib-", (HEX, 64), "-", (ALNUM, 16)),
    "npm": draw("np", "m_", (ALNUM, 36)),
    "pypi": draw("py", "pi-AgEIcHlwaS5vcmc", (URL, 150)),
    "rubygems": draw("ruby", "gems_", (HEX, 48)),
    "nuget": draw("oy", "2", (LOWER + DIGITS, 43)),
    "crates": draw("ci", "o", (ALNUM, 32)),
    "docker": draw("dckr", "_pat_", (URL, 26), "x"),
    "huggingface": draw("h", "f_", (string.ascii_letters, 34)),
    "openai": draw("s", "k-", (ALNUM, 20), "T3Blbk", "FJ", (ALNUM, 20)),
    "openai-project": draw("s", "k-proj-", (URL, 74), "T3Blbk", "FJ", (URL, 74)),
    "anthropic": draw("sk-", "ant-api03-", (URL, 93), "AA"),
    "groq": draw("gs", "k_", (ALNUM, 52)),
    "replicate": draw("r", "8_", (ALNUM, 37)),
    "perplexity": draw("pp", "lx-", (ALNUM, 48)),
    "openrouter": draw("sk", "-or-v1-", (HEX, 64)),
    "xai": draw("xa", "i-", (ALNUM, 80)),
    "nvidia": draw("nv", "api-", (URL, 64)),
    "langsmith": draw("ls", "v2_pt_", (HEX, 32), "_", (HEX, 10)),
    "elevenlabs": draw("s", "k_", (HEX, 48)),
    "digitalocean": draw("do", "p_v1_", (HEX, 64)),
    "fly": draw("fo", "1_", (URL, 43)),
    "netlify": draw("nf", "p_", (ALNUM, 40)),
    "terraform": draw((ALNUM, 14), ".atlas", "v1.", (URL, 66), "x"),
    "vault": draw("hv", "s.", (URL, 90)),
    "vault-short": draw("hv", "s.", (ALNUM, 24)),
    "doppler": draw("dp", ".pt.", (ALNUM, 43)),
    "pulumi": draw("pu", "l-", (HEX, 40)),
    "databricks": draw("da", "pi", (HEX, 32)),
    "newrelic": draw("NR", "AK-", (UPPER + DIGITS, 27)),
    "sentry": draw("sn", "tryu_", (HEX, 64)),
    "grafana": draw("gl", "sa_", (ALNUM, 32), "_", (HEX, 8)),
    "shopify": draw("sh", "pat_", (HEX, 32)),
    "square": draw("sq", "0atp-", (URL, 22)),
    "square-secret": draw("sq", "0csp-", (URL, 43)),
    "paypal": draw("access_", "token$production$", (LOWER + DIGITS, 16), "$", (HEX, 32)),
    "plaid": unique("access-" + "production-"),
    "airtable": draw("pa", "t", (ALNUM, 14), ".", (HEX, 64)),
    "notion": draw("nt", "n_", (ALNUM, 46)),
    "notion-old": draw("sec", "ret_", (ALNUM, 43)),
    "linear": draw("li", "n_api_", (ALNUM, 40)),
    "asana": draw("1/", (DIGITS, 16), ":", (HEX, 32)),
    "figma": draw("fi", "gd_", (URL, 40)),
    "postman": draw("PM", "AK-", (HEX, 24), "-", (HEX, 34)),
    "rapidapi": draw((HEX, 10), "m", "sh", (HEX, 15), "p1", (HEX, 6), "j", "sn", (HEX, 12)),
    "mapbox": draw("s", "k.ey", "J", (ALNUM, 70), ".", (URL, 22)),
    "facebook": draw("EA", "A", (ALNUM, 160)),
    "twitter": draw("A" * 22, (ALNUM, 80)),
    "hubspot": unique("pat-" + "na1-"),
    "dropbox": draw("s", "l.", (URL, 136)),
    "contentful": draw("CF", "PAT-", (URL, 43)),
    "tailscale": draw("ts", "key-auth-", (ALNUM, 12), "-", (ALNUM, 32)),
    "dynatrace": draw("dt", "0c01.", (UPPER + DIGITS, 24), ".", (UPPER + DIGITS, 64)),
    "buildkite": draw("bk", "ua_", (HEX, 40)),
    "sonar": draw("sq", "p_", (HEX, 40)),
    "launchdarkly": unique("sd" + "k-"),
    "supabase": draw("sb", "p_", (HEX, 40)),
    "planetscale": draw("psc", "ale_tkn_", (URL, 43)),
    "alibaba": draw("LT", "AI", (ALNUM, 20)),
    "age": draw("AGE-", "SECRET-KEY-1", (BECH32, 58)),
    "flutterwave": draw("FLW", "SECK-", (HEX, 32), "-X"),
    "easypost": draw("EZ", "AK", (ALNUM, 54)),
    "jwt": token,
}

NAMED: dict[str, tuple[str, Form]] = {
    "aws-secret": ("AWS_SECRET_ACCESS_KEY", draw((BASE64, 40))),
    "azure-storage": ("AZURE_STORAGE_KEY", draw((BASE64, 86), "==")),
    "heroku": ("HEROKU_API_KEY", unique()),
    "datadog": ("DATADOG_API_KEY", draw((HEX, 32))),
    "datadog-app": ("DD_APP_KEY", draw((HEX, 40))),
    "cloudflare": ("CLOUDFLARE_API_TOKEN", draw((URL, 39), "x")),
    "mistral": ("MISTRAL_API_KEY", draw((ALNUM, 32))),
    "cohere": ("COHERE_API_KEY", draw((ALNUM, 40))),
    "linode": ("LINODE_TOKEN", draw((HEX, 64))),
    "algolia": ("ALGOLIA_ADMIN_KEY", draw((HEX, 32))),
    "twilio-token": ("TWILIO_AUTH_TOKEN", draw((HEX, 32))),
    "postmark": ("POSTMARK_SERVER_TOKEN", unique()),
    "pagerduty": ("PAGERDUTY_TOKEN", draw((URL, 19), "x")),
    "okta": ("OKTA_API_TOKEN", draw("00", (URL, 40))),
    "auth0": ("AUTH0_CLIENT_SECRET", draw((URL, 64))),
    "coinbase": ("COINBASE_API_SECRET", draw((ALNUM, 64))),
    "linkedin": ("LINKEDIN_CLIENT_SECRET", draw((ALNUM, 16))),
    "honeycomb": ("HONEYCOMB_API_KEY", draw((ALNUM, 22))),
    "vercel": ("VERCEL_TOKEN", draw((ALNUM, 24))),
    "circleci": ("CIRCLE_TOKEN", draw((HEX, 40))),
    "wandb": ("WANDB_API_KEY", draw((HEX, 40))),
    "plain-key": ("API_KEY", draw((ALNUM, 32))),
    "plain-secret": ("client_secret", draw((ALNUM, 24))),
    "plain-token": ("access_token", draw((URL, 40))),
    "plain-password": ("password", draw((PASSWORD, 15), "7")),
    "short-password": ("db_password", draw((ALNUM, 11), "7")),
    "django": ("SECRET_KEY", draw((LOWER + DIGITS + "!@#$%^&*(-_=+)", 50))),
}

PLACES: dict[str, Callable[[str, str], str]] = {
    "code": lambda name, value: f'client = connect("db", {name}="{value}", retries=3)\n',
    "env": lambda name, value: f"DEBUG=1\nexport {name.upper()}={value}\nPORT=80\n",
    "yaml": lambda name, value: f"service:\n  {name.lower()}: {value}\n  port: 80\n",
    "json": lambda name, value: f'{{"port": 80, "{name}": "{value}", "host": "db"}}\n',
    "url": lambda name, value: f"GET https://api.service.dev/v1/items?{name}={value}&page=2\n",
    "header": lambda name, value: f"> X-{name.replace('_', '-')}: {value}\n> Accept: */*\n",
    "log": lambda name, value: f"2026-01-02 03:04:05 INFO worker started with {name}={value} on port 80\n",
}
CRYPTIC = "value"
"""A name that says nothing: what shows its form must be found under it too."""
