"""Names of values: how sure a name such as `password`, `api_key` or `cache_key` is of holding a secret."""

from __future__ import annotations

import enum
import functools
import re

from satchel.patterns import lazily

# Common beginnings stand once, and nothing but letters first: twice as fast as a row of words.
NAMES = lazily(r"(?:auth|credential|key|p(?:a(?:ss|t(?![a-z]))|w(?:d|(?![a-z]))|sk(?![a-z]))|secret|token)")
BEGINNINGS = ("auth", "credential", "key", "pass", "pat", "psk", "pw", "secret", "token")
"""Whatever `NAMES` finds begins with one of these."""
_NAME_CHARACTERS = "abcdefghijklmnopqrstuvwxyz0123456789_-."
_PASS = lazily(r"(?:word|wd|wort|phrase|code)?s?(?![a-z])|word(?=[a-z])")
_PASS_BEFORE = lazily(
    r"(?:^|[^a-z]|db|user|my|smtp|mail|ftp|root|admin|master|login|sudo|vpn|ssh|pg|ldap|bind|store|become|require|"
    r"wifi|proxy|redis|mongo|rabbit|sql|api|web|svc|unix)$"
)
_KEY_BEFORE = lazily(
    r"(?:api|apis|access|secret|auth|private|priv|signing|sign|encryption|encrypt|crypt|account|master|app|application|"
    r"storage|service|server|shared|subscription|license|licence|hmac|jwt|session|deploy|integration|routing|admin|"
    r"client|consumer|write|ingest|db|cookie|webhook|functions|function|user|sas|ssh|aes|rsa|fernet|vault|token)[_.-]?$"
)
# Names that hold no secret though a word of one is in them.
_HARMLESS_BEFORE = lazily(
    r"(?:csrf|xsrf|nextpage|csrfmiddleware|nonce|public|publishable|continuation|cancel|cancellation|primary|foreign|partition|"
    r"idempotency|translation|lookup|websocket|verification|column|composite|recaptcha|captcha|pagination|"
    r"antiforgery|deduplication|locali[sz]ation|registration|"
    r"sealed|wrapped|hash[_-]?of[_-]?\w{0,24}|"
    r"(?:^|[^a-z])(?:pub|page|next|prev|previous|sync|sort|cache|site|hot|host|short|map|index|group|i18n|hash|etag|"
    r"block|stop|start|begin|end|eos|bos|pad|mask|unk|sep|cls|max|min|num|special|row|natural|unique|object|s3|"
    r"no|paging|cursor|resume|dedup|message|search))[_.-]?$"
)
_HARMLESS_AFTER = lazily(
    r"hash|sha\d*|md5|digest|checksum|finger|(?:^|[_-])ids?(?:$|[_-])|^id$|url|uri|endpoint|path|file|dir|name|type|expir|ttl|len|"
    r"size|count|limit|regex|pattern|prefix|field|label|hint|placeholder|column|class|version|policy|format|index|refs?$|"
    r"arn$|error|message|msg|title|help|desc|iz|board|frame|valid|algorithm|method|scope|usage|store|ring|chain|event|"
    r"down|press|stone|less|ed$|or$|ors$|ority|enticat|orized|ship|service|server|provider|source|kind|selector|"
    r"public|strength|length|rotation|manager|logger|test"
)
_VENDOR_NAMES = (
    "adafruit|adyen|airtable|alchemy|algolia|alibaba|amplitude|anthropic|artifactory|asana|atlassian|auth0|aws|azure|"
    "baidu|binance|bitbucket|bittrex|braintree|bugsnag|clerk|cloudflare|cloudinary|codecov|cohere|coinbase|confluent|"
    "contentful|databricks|datadog|deepgram|deepseek|digitalocean|discord|docker|dropbox|elastic|etherscan|etsy|"
    "facebook|fastly|figma|firebase|finnhub|flickr|freshdesk|giphy|"
    "github|gitlab|gitter|google|grafana|gumroad|heroku|hetzner|"
    "honeycomb|hubspot|infura|intercom|jenkins|jira|jumpcloud|kraken|kucoin|launchdarkly|line|linear|linkedin|linode|"
    "loggly|logdna|looker|mailchimp|mailgun|mailjet|mapbox|mattermost|messagebird|microsoft|mistral|mixpanel|mongodb|"
    "mysql|netlify|newrelic|new_relic|newsapi|notion|npm|nytimes|okta|openai|openweather|opsgenie|"
    "pagerduty|paypal|plaid|plivo|"
    "postgres|postmark|pusher|rapidapi|redis|rollbar|salesforce|segment|sendbird|sendgrid|sentry|shodan|shopify|slack|"
    "snowflake|snyk|sonar|spotify|splunk|square|stripe|sumologic|supabase|telegram|together|travis|trello|twilio|"
    "twitch|twitter|typeform|vault|vercel|vonage|vultr|wakatime|wandb|yandex|zendesk|zoho|zoom"
)
_VENDORS = lazily(_VENDOR_NAMES)
_VENDOR_BEFORE = lazily(f"(?:{_VENDOR_NAMES}|kaggle|tinybird|ably|pinata|rootly)[_.-]?$")
_KINDS = {
    "pass": "password",
    "pwd": "password",
    "pw": "password",
    "psk": "password",
    "pat": "token",
    "key": "api-key",
    "auth": "auth-token",
}
_BEFORE = 48
"""Characters before a word that can belong to its name, or name the vendor."""
_LEAD = 4
"""Characters before a name that say something of it."""
_NAMES_KEPT = 4096


class Strength(enum.Enum):
    """What a name says about its value."""

    PASSWORD = enum.auto()
    """A person chose it, or it was drawn."""
    TOKEN = enum.auto()
    """It was drawn at random."""
    KEY = enum.auto()
    """Perhaps drawn at random: most keys are no secrets."""


_SHORT = {"pat": Strength.TOKEN, "pw": Strength.PASSWORD, "psk": Strength.PASSWORD}


def folded(text: str) -> str:
    """Return the text in lower case, each character where it was."""
    lower = text.lower()
    # A few letters grow when folded (İ): then only ASCII is.
    return lower if len(lower) == len(text) else text.translate({code: code + 32 for code in range(65, 91)})


def strength(lower: str, hit: re.Match[str], after: str) -> Strength | None:
    """Return how sure the name around `hit` is, None where it is harmless; `after` is its rest."""
    window = lower[max(0, hit.start() - _BEFORE) : hit.start()]
    before = window[len(window.rstrip(_NAME_CHARACTERS)) :]
    return _judged(hit[0], "" if before else window[-_LEAD:], before, after)


@functools.lru_cache(maxsize=_NAMES_KEPT)
def _judged(word: str, lead: str, before: str, after: str) -> Strength | None:
    """Judge a name by its word and what stands around it; `lead` is before a name that the word begins.

    A workspace has few names, each in many places.
    """
    rest = _after_pass(before, after) if word == "pass" else after
    if rest is None or _HARMLESS_BEFORE.search(before) or _HARMLESS_AFTER.search(rest):
        return None
    return _strength_of(word, lead, before, rest)


def _strength_of(word: str, lead: str, before: str, rest: str) -> Strength | None:
    if word == "token":
        return Strength.TOKEN if rest != "s" else None
    if word == "auth":
        return Strength.TOKEN if not rest.strip("_-") and not before[-1:].isalpha() else None
    if word == "key":
        return _strength_of_key(lead, before, rest)
    if word in _SHORT:
        return _SHORT[word] if not rest and (not before or not before[-1].isalpha()) else None
    return Strength.PASSWORD


def kind(lower: str, hit: re.Match[str], end: int) -> str:
    """Return the kind: what the name says, after the vendor where one is named just before."""
    start = max(0, hit.start() - _BEFORE)
    line = lower.rfind("\n", start, hit.start()) + 1
    vendors = _vendors_in(lower[max(line, start) : end])
    thing = _KINDS.get(hit[0], hit[0])
    return f"{vendors[-1].replace('_', '')}-{thing}" if vendors else thing


@functools.lru_cache(maxsize=_NAMES_KEPT)
def _vendors_in(lead: str) -> tuple[str, ...]:
    return tuple(_VENDORS.findall(lead))


def is_name(text: str) -> bool:
    """Return whether all characters can be of a name."""
    return not text.lower().strip(_NAME_CHARACTERS)


def _after_pass(before: str, after: str) -> str | None:
    """Return what follows `pass` or `password`; None for other words, as in passed and bypass."""
    known = _PASS.match(after)
    usual = after.startswith("word") or _PASS_BEFORE.search(before)
    return after[known.end() :] if known and usual else None


def _strength_of_key(lead: str, before: str, after: str) -> Strength | None:
    if after == "s":
        return None
    if (
        _KEY_BEFORE.search(before)
        or (not after and _VENDOR_BEFORE.search(before))
        or (not before and lead.endswith("api "))
    ):
        return Strength.TOKEN
    asked = not before and lead.endswith(("?", "&"))
    return Strength.KEY if asked or (before.endswith(("_", "-")) and not after) else None
