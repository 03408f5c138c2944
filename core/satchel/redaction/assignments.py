"""Values that belong to a name such as `password`: after it, or in columns, lines and elements beside."""

from __future__ import annotations

import bisect
import enum
import functools
import heapq
import re
from collections.abc import Callable, Iterator
from functools import partial
from itertools import takewhile
from typing import NamedTuple

from satchel.patterns import lazily
from satchel.redaction.rules import Span
from satchel.redaction.values import (
    MARK,
    UUID,
    is_encoded_words,
    is_expression,
    is_hex_key,
    is_password,
    is_phrase,
    is_random,
    is_stand_in,
    kinds_of,
    surprise,
    unquoted,
)

Judge = Callable[[str], bool]
"""Returns whether a value under the name is a secret."""

_TERRAFORM = lazily(
    r"[\w-]{0,60}\"[ \t]{0,8}\{(?:[^{}\"]|\"[^\"\n]{0,500}\"){0,60}?\bdefault[ \t]{1,20}=[ \t]{1,20}"
    r"\"(?P<value>[^\"\n]{6,512})\""
)
_VALUE_FIRST = lazily(
    r"\\{0,3}[\"']?[Vv]alue\\{0,3}[\"']?\s{0,20}[:=]\s{0,20}\\{0,3}[\"'](?P<value>[^\"'\\\n]{6,512})\\{0,3}[\"'],?"
    r"\s{0,40}\\{0,3}[\"']?(?:[Nn]ame|[Kk]ey)\\{0,3}[\"']?\s{0,20}[:=]\s{0,20}\\{0,3}[\"'][\w.:/-]{0,60}\Z"
)
_NAMED = lazily(r"(?:[Nn]ame|[Kk]ey)\\{0,3}[\"']?\s{0,20}[:=]\s{0,20}\\{0,3}[\"'][\w.:/-]{0,60}\Z")
_LINE_BEGINS = lazily(r"(?:\n|\A)[A-Z0-9_]{0,60}\Z")
_NEAR, _FAR = 150, 800
"""Characters searched before a name: for signs that it is a name, and for a value."""
_BESIDE = lazily(
    r"[\w.-]{0,60}</[\w:.-]{1,40}>\s{0,80}<(?:\w{1,12}:)?(?:string|value|val|text|data)\b[^<>]{0,80}>"
    r"\s{0,80}(?P<value>[^\s<]{6,512})\s{0,80}</"
)
_BELOW = lazily(
    r"[\w-]{0,40}[\"']?(?:[\w.-]{0,40}>|[ \t]{0,12}[:=][ \t]{0,8}\\?)[ \t]{0,8}\r?\n[ \t]{0,60}"
    r"(?P<value>[^\s:#\"'<>{}()\[\],;=-][^\s:,;(){}\[\]<>]{5,512})[ \t]{0,40}(?=\r?\n|\Z)"
)
_WORD_DIFF = lazily(
    r"[\w-]{0,40}[\"']?[ \t]{0,12}[:=]{1,2}[ \t]{0,12}[\"']?(?:\[-[\"']?(?P<old>[^\s\"']{0,300}?)[\"']?-\])?"
    r"(?:\{\+[\"']?(?P<value>[^\s\"']{6,300}?)[\"']?\+\})?"
)
_ENVIRONMENT = lazily(r"[A-Z0-9_]{0,60}[ \t]{2,60}(?P<value>\S{6,512})[ \t]{0,40}(?=\r?\n|\Z)")
_SQL = lazily(r"[^()\n]{0,1000}\)\s{0,20}VALUES\s{0,20}(?=\()", re.IGNORECASE)
_SQL_ROW = lazily(r",?\s{0,40}\(((?:[^()'\"]|'[^'\n]{0,1000}'|\"[^\"\n]{0,1000}\"){0,200})\)")
_CELL = lazily(r"[\w .#/-]{0,60}")
_BEFORE_HEADING = lazily(r"(?:[\w./-]{0,200}:\d{1,9}:|[ \t]{0,12}\d{1,9}\t|[+>] ?)?")
"""Text that a diff, grep and `cat -n` put before a line."""
_RULE = lazily(r"[-+=|: \t]+")
_DELIMITERS = ("|", "\t", ";", ",")
_ROW_MARKS = {delimiter: lazily(rf"[{delimiter}\"']") for delimiter in _DELIMITERS}
"""The end of a cell, and quotes."""
_LONGEST_ROW = 4_000
_MOST_COLUMNS = 8
"""Most columns of one table that are read: time grows with their number times its size."""
_MOST_WORDS = 3
"""Most words of a heading."""
_QUOTES = "\"'`"


class ValueSpan(NamedTuple):
    """The span of a value."""

    start: int
    end: int


def find_placed_values(text: str, start: int, end: int) -> Iterator[ValueSpan]:
    """Yield the values that the name from `start` to `end` labels, except one that directly follows it.

    The caller judges whether they are secrets.
    """
    near, ahead = text[max(0, start - _NEAR) : start], text[end : end + _NEAR]
    for pattern in _patterns_after(text[start:end], near, ahead):
        found = pattern.match(text, end)
        if found:
            yield from (ValueSpan(*found.span(group)) for group in found.groupdict() if found[group])
    if '"' in near or "'" in near:
        yield from _values_before(text, start, near)


def _patterns_after(name: str, near: str, ahead: str) -> Iterator[re.Pattern[str]]:
    """Yield the patterns that can match after a name, by the text just before and after it."""
    if "\n" in ahead:
        yield _BELOW
    if "</" in ahead:
        yield _BESIDE
    if "[-" in ahead or "{+" in ahead:
        yield _WORD_DIFF
    if 'variable "' in near:
        yield _TERRAFORM
    if name.isupper() and _LINE_BEGINS.search(near):
        yield _ENVIRONMENT


def _values_before(text: str, start: int, near: str) -> Iterator[ValueSpan]:
    """Yield the value of an object whose name comes last."""
    window = text[max(0, start - _FAR) : start] if _NAMED.search(near) else ""
    found = _VALUE_FIRST.search(window) if "alue" in window else None
    if found:
        first = start - len(window)
        yield ValueSpan(first + found.start("value"), first + found.end("value"))


class Columns:
    """Finds the columns of tables under a name; each table is read once for each of its columns."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._heading, self._ended = -1, 0
        """Beginning of the line of the last heading, and end of its table: its rows are not headings."""
        self._next = -1
        """Beginning of the line after it."""
        self._delimiter = ""
        self._cells: list[tuple[int, int]] = []
        """Beginnings and ends of the heading's cells, [] if it is not a heading."""
        self._left = 0
        """Columns that may still be read."""
        self._inserts = "VALUES" in text or "values" in text
        self.longest = 0
        """Characters of the longest table that was read."""

    def values(self, start: int, end: int) -> Iterator[ValueSpan]:
        """Yield the cells under the heading that contains the name, if it is in one."""
        if (
            self._inserts
            and (found := _SQL.match(self._text, end))
            and "(" in self._text[max(0, start - _FAR) : start]
        ):
            yield from self._find_inserted(start, found)
            return
        if not self._heading <= start < self._next:
            if start < self._ended:
                return
            self._read_heading(start)
        at = start - self._heading
        column = bisect.bisect_right(self._cells, (at, len(self._text))) - 1
        if column < 0 or at >= self._cells[column][1] or not self._left:
            return
        first, last = self._cells[column]
        if len(self._text[self._heading + first : self._heading + last].split()) <= _MOST_WORDS:
            self._left -= 1
            yield from self._below(column)

    def _read_heading(self, start: int) -> None:
        """Take the line around a place for a heading, if each of its cells is a name."""
        line = self._text.rfind("\n", max(0, start - _LONGEST_ROW), start) + 1
        stop = self._text.find("\n", start, start + _LONGEST_ROW)
        self._heading, self._next, self._cells, self._left = line, stop + 1, [], _MOST_COLUMNS
        if stop < 0 or (not line and start > _LONGEST_ROW):
            self._heading, self._next = start, stop + 1 or start + _LONGEST_ROW
            return
        heading = self._text[line:stop]
        before = _BEFORE_HEADING.match(heading)
        heading = " " * before.end() + heading[before.end() :] if before else heading
        self._delimiter = next((one for one in _DELIMITERS if one in heading), "")
        if not self._delimiter or not _can_be_headed(heading, self._delimiter):
            return
        cells = _split_row(heading, self._delimiter)
        named = [_strip_cell(heading, *cell) for cell in takewhile(partial(_is_heading, heading), cells)]
        self._cells = named if len(named) == len(cells) > 1 else []

    def _below(self, column: int) -> Iterator[ValueSpan]:
        place = self._next
        while place < len(self._text):
            end = self._text.find("\n", place, place + _LONGEST_ROW)
            end = end if end >= 0 else min(len(self._text), place + _LONGEST_ROW)
            row = self._text[place:end]
            found = _split_row(row, self._delimiter)
            if len(found) == len(self._cells) > 1:
                first, last = _strip_cell(row, *found[column])
                if first < last:
                    yield ValueSpan(place + first, place + last)
            elif not row.strip() or not _RULE.fullmatch(row.strip()):
                break
            place = end + 1
        self._ended = max(self._ended, place)
        self.longest = max(self.longest, place - self._heading)

    def _find_inserted(self, start: int, found: re.Match[str]) -> Iterator[ValueSpan]:
        """Yield the values of a column of an INSERT statement."""
        opening = self._text.rfind("(", max(0, start - _FAR), start)
        column = self._text.count(",", opening, start)
        at = found.end()
        while row := _SQL_ROW.match(self._text, at):
            cells = _cells(row[1], ",")
            if column < len(cells):
                first, last = cells[column]
                if first < last:
                    yield ValueSpan(row.start(1) + first, row.start(1) + last)
            at = row.end()
        self.longest = max(self.longest, at - start)


def _can_be_headed(row: str, delimiter: str) -> bool:
    """Return whether the first cell of a row is a name, or can't be told quickly."""
    begins = row.lstrip()[:1]
    return begins in {'"', "'", delimiter} or _is_heading(row, (0, row.index(delimiter)))


def _is_heading(row: str, cell: tuple[int, int]) -> bool:
    """Return whether a cell is a name as columns have them."""
    first, last = _strip_cell(row, *cell)
    return first < last and _CELL.fullmatch(row, first, last) is not None


def _cells(row: str, delimiter: str) -> list[tuple[int, int]]:
    """Return the spans of the cells of a row, without blanks and quotes around them."""
    return [_strip_cell(row, *cell) for cell in _split_row(row, delimiter)]


def _split_row(row: str, delimiter: str) -> list[tuple[int, int]]:
    """Return the spans of the cells of a row, with everything around them."""
    has_quotes = '"' in row or "'" in row
    found = _split_at_quotes(row, delimiter) if has_quotes else _split_unquoted(row, delimiter)
    edged = delimiter == "|" and row.strip().startswith("|") and row.rstrip().endswith("|")
    return found[1:-1] if edged else found


def _split_unquoted(row: str, delimiter: str) -> list[tuple[int, int]]:
    found: list[tuple[int, int]] = []
    start = 0
    for cell in row.split(delimiter):
        end = start + len(cell)
        found.append((start, end))
        start = end + 1
    return found


def _split_at_quotes(row: str, delimiter: str) -> list[tuple[int, int]]:
    """Split a row at delimiters outside quotes; an unclosed quote does not count."""
    found: list[tuple[int, int]] = []
    start, quote = 0, ""
    for hit in _ROW_MARKS[delimiter].finditer(row):
        at, character = hit.start(), hit[0]
        if quote:
            quote = "" if character == quote else quote
        elif character in "\"'" and not row[start:at].strip():
            quote = character if row.find(character, at + 1) >= 0 else ""
        if character == delimiter and not quote:
            found.append((start, at))
            start = at + 1
    if not quote:
        found.append((start, len(row)))
    return found


def _strip_cell(row: str, start: int, end: int) -> tuple[int, int]:
    cell = row[start:end]
    bare = cell.strip()
    start += len(cell) - len(cell.lstrip())
    end = start + len(bare)
    if len(bare) > 1 and bare[0] in _QUOTES and bare[-1] == bare[0]:
        return start + 1, end - 1
    return start, end


_NAMES = tuple(
    lazily(name)
    for name in (
        "auth",
        "credential",
        "key",
        r"pass(?![abd-oqrt-vxyz])(?!(?<=--- pass): \S{1,200} \(\d{1,6}\.\d\ds\))",
        "pat(?![a-z])",
        "pw(?:d|(?![a-z]))",
        "psk(?![a-z])",
        "secret",
        "token",
    )
)
"""Each begins with letters: all are found in half the time that one expression for them takes. `pass` needs
the letters that `_PASS` continues with: `passed` is in each line of a test run, and
`--- PASS: TestName (0.00s)` in those of Go.
"""
_NAME_CHARACTERS = "abcdefghijklmnopqrstuvwxyz0123456789_-."
_PASS = lazily(r"(?:word|wd|wort|phrase|code)?s?(?![a-z])|word(?=[a-z])")
_PASS_BEFORE = lazily(
    r"(?:^|[^a-z]|db|user|my|smtp|mail|ftp|root|admin|master|login|sudo|vpn|ssh|pg|ldap|bind|store|become|require|"
    r"wifi|proxy|redis|mongo|rabbit|sql|api|web|svc|unix)$"
)
_KEY_BEFORE = tuple(
    """
    api apis access secret auth private priv signing sign encryption encrypt crypt account master app
    application storage service server shared subscription license licence hmac jwt session deploy integration
    routing admin client consumer write ingest db cookie webhook functions function user sas ssh aes rsa
    fernet vault token
    """.split()  # noqa: SIM905
)
"""Words before `key`, perhaps with a mark between, that make it a secret."""
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
_VENDOR_BEFORE = (*_VENDOR_NAMES.split("|"), "kaggle", "tinybird", "ably", "pinata", "rootly")
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
"""Characters before a name that qualify it."""
_KEPT = 1024
"""Verdicts on names, and on values, that are kept."""


class Strength(enum.Enum):
    """The evidence of a name for its value."""

    PASSWORD = enum.auto()
    """A person chose it, or it was drawn."""
    TOKEN = enum.auto()
    """It was drawn at random."""
    KEY = enum.auto()
    """Perhaps drawn at random: most keys are not secrets."""


_SHORT = {"pat": Strength.TOKEN, "pw": Strength.PASSWORD, "psk": Strength.PASSWORD}


def _fold_case(text: str) -> str:
    """Return the text with ASCII letters in lower case, each character at its place."""
    if text.isascii():
        return text.lower()
    # No name has other letters than those of ASCII, and one that becomes one of them.
    content = text.replace("\u212a", "k").encode("utf-8", "surrogatepass")
    return content.lower().decode("utf-8", "surrogatepass")


def _find_names(lower: str) -> Iterator[re.Match[str]]:
    """Yield the words of names in order."""
    done = 0
    for hit in heapq.merge(*(name.finditer(lower) for name in _NAMES), key=re.Match.start):
        if hit.start() >= done:
            done = hit.end()
            yield hit


def strength(lower: str, hit: re.Match[str], after: str) -> Strength | None:
    """Return the strength of the name around `hit`, None if it is harmless; `after` is its rest."""
    window = lower[max(0, hit.start() - _BEFORE) : hit.start()]
    before = window[len(window.rstrip(_NAME_CHARACTERS)) :]
    return _judge_name(hit[0], "" if before else window[-_LEAD:], before, after)


@functools.lru_cache(maxsize=_KEPT)
def _judge_name(word: str, lead: str, before: str, after: str) -> Strength | None:
    """Judge a name by its word and the text around it; `lead` is before a name that the word begins.

    A log has few names, each in many places.
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
    """Return the kind: that of the name, after a vendor if one is named just before."""
    start = max(0, hit.start() - _BEFORE)
    line = lower.rfind("\n", start, hit.start()) + 1
    vendors = _VENDORS.findall(lower, max(line, start), end)
    thing = _KINDS.get(hit[0], hit[0])
    return f"{vendors[-1].replace('_', '')}-{thing}" if vendors else thing


def is_name(text: str) -> bool:
    """Return whether all characters can be of a name."""
    return not text.lower().strip(_NAME_CHARACTERS)


def _after_pass(before: str, after: str) -> str | None:
    """Return the text after `pass` or `password`; None for other words, as in passed and bypass."""
    known = _PASS.match(after)
    usual = after.startswith("word") or _PASS_BEFORE.search(before)
    return after[known.end() :] if known and usual else None


def _ends_with(before: str, words: tuple[str, ...]) -> bool:
    """Return whether a name ends with one of the words, perhaps with a mark after it."""
    return before.endswith(words) or (before.endswith(("_", ".", "-")) and before[:-1].endswith(words))


def _strength_of_key(lead: str, before: str, after: str) -> Strength | None:
    if after == "s":
        return None
    if (
        _ends_with(before, _KEY_BEFORE)
        or (not after and _ends_with(before, _VENDOR_BEFORE))
        or (not before and lead.endswith("api "))
    ):
        return Strength.TOKEN
    asked = not before and lead.endswith(("?", "&"))
    return Strength.KEY if asked or (before.endswith(("_", "-")) and not after) else None


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
"""The text before a name whose value follows after a blank: Dockerfiles, shells, options."""
_TELLING = ("-", "ENV", "ARG", "setx", "SETX")
"""Text that is in each match: nearly all other names have none before them."""
_ENCODED = lazily(r"(?:[^\s\"'`,;<>&|\\%]|%(?!2[26Cc]|7[Dd])){6,8192}+")
_PAGE = lazily(r"\"https?://[^\s\"]{1,2000}\Z")
_AGENT = lazily(r"[A-Za-z][A-Za-z_-]{1,40}/\d{1,4}(?:\.\d{1,6}){1,3}\+?")
"""A program and its version, quoted in an access log after the referring page."""
_LONGEST_PAGE = 2_048
_LINE_LEAD = lazily(
    r"[ \t+>-]{0,40}(?:export |ENV |ARG |set |setx |declare -x |env |-e |--env |\$env:|- )?[\"']?"
)
_LINE = 100
"""A name that begins a line ends within this many characters."""
_LEAD_IN = 64
"""Most characters before a name whose value follows after a blank."""
_HEX_KEY = 32
"""Hexadecimal digits under a name in capitals that ends in KEY: fewer are a hash more often than a key."""
_LONG = 48
"""Names in an unquoted value of more characters are skipped: the value has been judged."""

_REST = lazily(r"[\w-]{0,40}+")
_LONGEST_VALUE = 8_192


def assignment_spans(text: str, columns: Columns) -> Iterator[Span]:
    """Yield the values of names of secrets, if the value looks like one.

    `columns` are those of the text.
    """
    lower = _blank_marks(_fold_case(text))
    skip = 0
    for hit in _find_names(lower):
        sure = _sureness(lower, hit) if hit.start() >= skip else None
        if sure is None:
            continue
        tail = _TAIL.match(text, hit.end())
        if tail is not None:
            start, end = _value(text, hit.start(), tail)
            if end - start > _LONG and not tail["quote"]:
                skip = end
            if start < end and _is_secret(text[start:end], _read_said(text, hit, tail, sure)):
                yield Span(start, end, kind(lower, hit, tail.end()), "assignment")
        yield from _find_placed(text, lower, hit, columns, sure)


def _blank_marks(lower: str) -> str:
    """Return a text of the same length in which no mark contains a name."""
    return MARK.sub(lambda mark: " " * len(mark[0]), lower) if "[redacted:" in lower else lower


def _sureness(lower: str, hit: re.Match[str]) -> Strength | None:
    rest = _REST.match(lower, hit.end())
    return strength(lower, hit, rest[0] if rest else "")


def _find_placed(
    text: str, lower: str, hit: re.Match[str], columns: Columns, sure: Strength
) -> Iterator[Span]:
    """Yield the secrets of a name elsewhere: in its column, in the next line, beside it."""
    said = _Said(sure, quoted=True, loose=False, told=True)
    for start, end in (*find_placed_values(text, *hit.span()), *columns.values(*hit.span())):
        if end - start <= _LONGEST_VALUE and _is_secret(text[start:end], said):
            yield Span(start, end, kind(lower, hit, hit.end()), "place")


def _value(text: str, name: int, tail: re.Match[str]) -> tuple[int, int]:
    """Return the span of the value: a quoted text, the rest of a line, or a run; else 0, 0."""
    if tail["quote"]:
        found = _QUOTED[tail["quote"][-1]].match(text, tail.end())
        return found.span(1) if found and not _is_agent(text, name, tail, found[1]) else (0, 0)
    if tail["assign"] and _begins_line(text, name):
        whole = _WHOLE.match(text, tail.end())
        if whole and not is_expression(whole[1]):
            return whole.start(1), whole.start(1) + len(whole[1].rstrip(",;"))
    if "%3" in (tail["assign"] or ""):
        encoded = _ENCODED.match(text, tail.end())
        return encoded.span() if encoded else (0, 0)
    bare = _BARE.match(text, tail.end())
    return (bare.start(), bare.start() + len(bare[0].rstrip(")]}.:"))) if bare else (0, 0)


def _is_agent(text: str, name: int, tail: re.Match[str], value: str) -> bool:
    """Return whether a value is the program in a line of an access log, and the name the page before it."""
    if tail["assign"] or not _AGENT.fullmatch(value):
        return False
    return _PAGE.search(text, max(0, name - _LONGEST_PAGE), name) is not None


def _read_said(text: str, hit: re.Match[str], tail: re.Match[str], sure: Strength) -> _Said:
    loose = tail["loose"] or ""
    verb = any(map(str.isalpha, loose))
    return _Said(sure, tail["quote"] is not None, bool(loose), _must_be_value(text, hit, tail), verb)


def _must_be_value(text: str, hit: re.Match[str], tail: re.Match[str]) -> bool:
    """Return whether the following text can only be a value: of an option, of a name in capitals."""
    if tail["loose"]:
        return _is_told(text[max(0, hit.start() - _LEAD_IN) : hit.start()])
    capitals = text[hit.start() : hit.end()].isupper()
    return capitals and (
        tail["quote"] is not None or (tail["assign"] == "=" and _begins_line(text, hit.start()))
    )


@functools.lru_cache(maxsize=_KEPT)
def _is_told(lead: str) -> bool:
    return any(map(lead.__contains__, _TELLING)) and _TOLD.search(lead) is not None


def _begins_line(text: str, name: int) -> bool:
    """Return whether the name begins its line, as in .env, YAML, INI, shell and Dockerfiles."""
    line = text.rfind("\n", max(0, name - _LINE), name) + 1
    if line == 0 and name > _LINE:
        return False
    lead = _LINE_LEAD.match(text, line, name)
    return lead is not None and is_name(text[lead.end() : name])


class _Said(NamedTuple):
    """The evidence of a value's place."""

    sure: Strength
    quoted: bool
    loose: bool
    told: bool
    verb: bool = False
    """Whether a word is between: `the password is ...`."""


@functools.lru_cache(maxsize=_KEPT)
def _is_secret(value: str, said: _Said) -> bool:
    """Judge a value; in a log the same values are in many places."""
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
    if told and password and is_phrase(value):
        return True
    literal = quoted or (told and "(" not in value and "." not in value)
    return _looks_secret(value, password=password, literal=literal)


def _looks_secret(value: str, *, password: bool, literal: bool) -> bool:
    if not (literal or not is_expression(value)):
        return False
    if password or is_random(value):
        return password is False or is_password(value)
    # A token that somebody made up as passwords are: all kinds of characters, or letters that are no words.
    odd = value.isalpha() or (kinds_of(value) > 3 and surprise(value) > 0)
    return literal and odd and is_password(value)
