"""Templates of lines: numbers, hashes, places and quoted words are masked."""

from __future__ import annotations

import enum
import functools
import re
from collections.abc import Sequence

from satchel.patterns import lazily


class Tone(enum.IntEnum):
    """How bad a word sounds."""

    NONE = 0
    WEAK = 1
    """A warning, or a word that is bad only in some company."""
    STRONG = 2
    """An error."""


_STRONG = lazily(
    r"err|errs?|errors?|errored|e(?:noent|acces|connrefused|connreset|resolve|perm|exist|inval"
    r"|lsproblems|timedout|addrinuse|nospc|mfile|pipe|notempty|isdir|integrity|unsupported"
    r"|hostunreach|notfound|badengine)|\w*exceptions?|fatal\w*|panic\w*|traceback|fail|fails"
    r"|failed|failing|failures?|\w+failed|\w+failure"
    r"|assert|assertions?|abort|aborted|aborting|aborts|segmentation|segfault\w*|sig(?:segv"
    r"|abrt|kill|bus|ill|fpe|term)|killed|oom\w*|denied|refused|unreachable"
    r"|cannot|unable|timeouts?|\w*timedout|corrupt\w*|conflict\w*|mismatch\w*|unhandled|uncaught"
    r"|deadlock\w*|critical|emerg|emergency|severe|crash|crashed|crashes|crashing|crashloop\w*"
    r"|rejected|unresolved|unmet|backoff|evicted|cve|ghsa|rustsec|pysec|violat\w+|unauthori[sz]ed|forbidden"
    r"|revoked|\w*sanitizer|undefinedbehavior|unsatisf\w+"
    r"|vulnerab\w+|exhausted|poisoned|stalled|lost|panick\w*|oops|\w*lockup|starv\w+|undefined|unrecoverable|irrecoverable"
    r"|unpars\w+|unterminated|unbalanced|inconsistent|unexpected|overflow\w*|underflow\w*|leaked|leaks?|race|hung|catastrophic"
    r"|fehler\w*|fehlgeschlagen|gescheitert|abgebrochen|ungültig\w*|verweigert"
    r"|erreurs?|échec\w*|échou\w*|refusée?|impossible|introuvable|errori|errore|fallit\w*|fallo\w*"
    r"|falló|fallaron|erros?|falha\w*|falhou|falharam|denegado|negad[ao]"
    r"|ошибк\w*|сбой\w*|отказано|błęd\w*|błąd\w*|hata\w*|hatası|chyb[ay]\w*|virhe\w*|fel|fout\w*"
    r"|fejl\w*|mislukt|misslyckades|mislyktes|epäonnistui|nieudan\w*|başarısız\w*"
)
_WEAK = lazily(
    r"warn|warns|warned|warnings?|\w+warning|deprecat\w*|missing|invalid\w*|illegal\w*|expired"
    r"|incompatib\w*|unsupported|unknown|security|insecure|breaking|throttl\w*|exceed\w*|dropped"
    r"|dropping|duplicated?|duplicates|stale|blocked"
    r"|leaking|bad|broken|tainted|fallback|falling|skipped|skipping|skips?|retry|retries|retrying"
    r"|retried|slow|slower|unused|caution|notice|differs?|different|differing|unmatched|interrupted"
    r"|incomplete|unclean|degraded|unclosed|detached"
    r"|reject|rejects|pending|destroy|destroyed|destroys|replaced?|forces|rollback\w*|rolled"
    r"|dangling|orphan\w*|suspended|suspicious|collision|twice|vetoed|disabled|obsolete|outdated"
    r"|unstable|unsafe|untracked|unmerged|unpushed|diverged|dirty|divergence"
    r"|partial|partially|ignoring|unreferenced|shadow\w*|ambiguous|mixed|wrong|incorrect|implausible"
    r"|negative|overdue|refund\w*|chargeback|disput\w*|escalat\w*|breach\w*|anomal\w*|outlier"
    r"|nan|inf|infinity|limit|truncat\w*|never|undeclared|unassigned|uninitiali[sz]ed|unstaged"
    r"|redundant|unnecessary|unspecified|unverified|untrusted|compromised|quarantin\w*|malformed"
    r"|mangled|garbled|misconfigured|misspelled|nonexistent|absent|void|dead|deadletter|down"
    r"|offline|disconnect\w*|unhealthy|notready|flapp\w*|restarting|restarted|reset|resets"
    r"|attention|avertissements?|warnung\w*|avvis\w*|advertencias?|avisos?|предупрежд\w*|ostrzeżeni\w*"
    r"|uyarı\w*|varning\w*|waarschuwing\w*|advarsel\w*|varoitus"
)
_PIECES = lazily(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|[^\W\d_A-Za-z]+[^\W\d_]*")
"""`ModuleNotFoundError` and `snake_case` are read in their parts."""
_OTHER_SCRIPTS = {
    Tone.STRONG: (
        "错误",
        "失败",
        "エラー",
        "失敗",
        "오류",
        "실패",
        "錯誤",
        "异常",
        "例外",
        "拒否",
        "拒绝",
        "خطأ",
        "שגיאה",
        "❌",
        "✗",
        "✘",
        "✕",
        "✖",
        "⛔",
        "💥",
        "🚨",
        "🔴",
    ),
    Tone.WEAK: ("警告", "경고", "注意", "⚠"),
}
_NONE_BAD = lazily(r"[❌✘✖✗✕] ?0\b(?!\.?\d)")


@functools.lru_cache(maxsize=65_536)
def tone_of(word: str) -> Tone:
    """Return how bad one word sounds; it must be in lower case."""
    if _STRONG.fullmatch(word):
        return Tone.STRONG
    return Tone.WEAK if _WEAK.fullmatch(word) else Tone.NONE


def pieces(text: str) -> list[str]:
    """Return the words of a text in lower case, compounds in their parts."""
    return [piece.lower() for piece in _PIECES.findall(text)]


def foreign_tone(text: str) -> Tone:
    """Return the tone of a text in a script without blanks between words, or of its signs; `✗ 0` has none."""
    text = _NONE_BAD.sub(" ", text)
    for tone, marks in _OTHER_SCRIPTS.items():
        if any(mark in text for mark in marks):
            return tone
    return Tone.NONE


_DIGITS = b"0123456789"
_HEX = b"0123456789abcdef"
_CALL = lazily(rb"(?:GET|POST|PUT|DELETE|PATCH|HEAD|OPTIONS|HTTP/\d)")
_CALL_STATUS = lazily(rb" ([1-5]\d\d)(?: |$)")
_FIELD = lazily(
    rb"\b(?:[Ff]ail(?:ed|ing|ures?)|[Ee]rrors?|exit|exit_code|status|code|rc|ret|unreachable|lost|dropped|level|severity|PRIORITY)"
    rb"[\"']?[=:] {0,20}[\"']?(-?\d{1,4})\b"
)
_BLANKS, _WORD_BYTES = b" \t\n\r\v\f", re.sub(rb"\W", b"", bytes(range(128)))
_WORDS_AS_BLANKS = bytes.maketrans(
    _WORD_BYTES + _BLANKS, b" " * len(_WORD_BYTES) + _WORD_BYTES[: len(_BLANKS)]
)
"""Runs of blanks become one quickly; letters take the place of blanks meanwhile."""
_FOREIGN_LETTERS = lazily(r"[^\W\x00-\x7f]+")
_MASKED = lazily(
    r"(?<![\w@.+~-])(?P<kept>\b[A-Z]{1,6}-?\d{2,5}\b(?![./\\\w-]))(?P<after>[\w@.+~-]++[/\\][\w@.+~/\\-]*+)?"
    r"|(?P<code>\b[A-Z]{1,6}-?\d{2,5}\b(?![./\\\w-])|(?<=\[)[A-Z][a-z]{1,2}\d{2,5}(?=\]))"
    r"|(?P<path>(?:[A-Za-z]:[\w@.+~-]*+|(?<![\w@.+~-])[\w@.+~-]*+)[/\\][\w@.+~/\\-]*+)"
    r"|(?P<dashes>(?<![\w-])-*+)(?P<file>\w[\w-]*+\.(?:[a-z]{1,4}|java|swift|scala)\b"
    r"(?:-[\w-]*+\.(?:[a-z]{1,4}|java|swift|scala)\b)*)"
    r"|0x[0-9a-fA-F]++|\b[0-9a-f]{7,}+\b|\d++"
)
"""The beginning of each run of characters is tried once, so that a long line takes linear time."""
_CODE = lazily(
    r"[A-Z\[(](?:(?<=\b[A-Z])[A-Z]{0,5}-?\d{2,5}\b(?![./\\\w-])|(?<=\[[A-Z])[a-z]{1,2}\d{2,5}(?=\])"
    r"|(?<=\b[A-Z])[A-Za-z]+/[A-Z][A-Za-z]+(?=:)"
    r"|(?<=\[)-W[\w=+-]+\]|(?<=\[)[a-z][a-z0-9]*(?:-[a-z][a-z0-9]*)+\]"
    r"|(?<=: \[)[a-z][\w.-]{3,40}\]|(?<=\[)[a-z]\w*(?:\.\w+)*\]$"
    r"|(?<=\()[a-z][a-z0-9]*(?:-[a-z0-9]+)+\)$|(?<=[.:] \()[a-z]{4,20}\)$)"
)
"""Its possible first characters come first: without any of them, nothing else is tried."""
_CODE_AT_END = lazily(r"@?[a-z]+(?:[-/][a-z@]+)+")
_PLACED_FILE = lazily(r"[\w@+~-]+\.[a-z]{1,4}(?=[:(]\d)")
_FILE = lazily(
    r"(?<![\w@.+~:/-])(?:\./)?((?:[\w@+~-][\w@.+~-]*/)+[\w@+~-][\w@.+~-]*\.[A-Za-z]\w{0,7})(?![\w/])"
)
_LEVELS = ("[debug]", "[info]", "[trace]", "[notice]", "[verbose]", "[warning]", "[error]", "[fatal]")
_ABSOLUTE = lazily(r"(?<![^\s\"'(\[])/[\w@.+~/-]{1,300}\.[A-Za-z]\w{0,7}(?![\w/])")
_FOREIGN = ("site-packages/", "node_modules/", "dist-packages/", "usr/lib/", "usr/include/", "rustc/")
_LONGEST = 600


def keys(content: bytes) -> list[bytes]:
    """Return the key of each line: the line without digits and letters of hashes."""
    return content.translate(None, _HEX).split(b"\n")


def strip_digits(line: bytes) -> bytes:
    """Return a line without its digits."""
    return line.translate(None, _DIGITS)


def choose_status_pattern(line: bytes) -> re.Pattern[bytes] | None:
    """Return the pattern of a result number in which lines like this differ, None if there is none."""
    if is_request(line):
        return _CALL_STATUS
    return _FIELD if _FIELD.search(line) else None


def is_request(line: bytes) -> bool:
    """Return whether a line records a request over HTTP and its answer."""
    return read_status(line) != b""


def read_status(line: bytes) -> bytes:
    """Return the status of a request over HTTP, `404`, "" if a line has none."""
    status = _CALL_STATUS.search(line) if _CALL.search(line) else None
    return status[1] if status else b""


def coarse_key(line: str) -> bytes:
    """Return the bare structure of a line: all marks between its words, in whatever script."""
    plain = line if line.isascii() else _FOREIGN_LETTERS.sub("w", line)
    marked = plain.encode("utf-8", "replace").translate(_WORDS_AS_BLANKS)
    between = b" ".join(marked.split())
    return b" " * marked.startswith(b" ") + between + b" " * (between != b"" and marked.endswith(b" "))


def template(line: str) -> str:
    """Return a line with places, hashes and numbers masked; codes such as E0432 stay."""
    return " ".join(map(_mask_word, line[:_LONGEST].split()))


_MEASURED = lazily(
    r"\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d\S*)?|\d{1,2}:\d\d(?::\d\d\S*)?"
    r"|\d+(?:[.,]\d+)?\s?(?:[nmµu]?s|secs?|min|[kKMGT]i?B|B|bytes|%)(?![\w/])"
)
"""Times, durations, sizes and shares: possible differences between similar lines."""
_IDENTITY = lazily(
    r"[\w@.+~-]*[/\\][\w@.+~/\\-]*|\b[\w-]*\d{3,}[\w-]*\b|\b[\w-]*[A-Za-z_][\w-]*\d[\w-]*\b"
    r"|[\w-]+\.[A-Za-z]\w{0,7}\b|\b\d+(?:\.\d+){2,}|(?<=\w)\[[\w-]+\]"
)


def identity(line: str) -> tuple[str, ...]:
    """Return the parts that identify a line within its template: paths, hashes, names, long numbers."""
    return tuple(_IDENTITY.findall(_MEASURED.sub("", line[:_LONGEST])))


@functools.lru_cache(maxsize=8_192)
def code(line: str) -> str:
    """Return the code of a diagnostic, like E0432, [-Wunused] or no-undef; "" if it has none."""
    line = line[:_LONGEST]
    found = _CODE.search(line)
    last = "".join(line.rsplit(None, 1)[-1:])
    start = len(line) - len(last)
    if (
        0 < start < (found.start() if found else len(line))
        and line.endswith(last)
        and _CODE_AT_END.fullmatch(last)
    ):
        return last
    return found[0] if found and found[0] not in _LEVELS else ""


def file_names(line: str) -> list[str]:
    """Return the paths of files in a line, of absolute ones the end; without those of libraries."""
    if "." not in line:
        return []
    line = line[:_LONGEST]
    first = _PLACED_FILE.match(line)
    found = [_find_paths(word) for word in line.split() if "/" in word and "." in word] if "/" in line else []
    names = [*([first[0]] if first else ()), *(name for names, _ in found for name in names)]
    if not names and found and not any(part in line for part in _FOREIGN):
        names = [name for _, names in found for name in names]
    if line.startswith(("diff --git ", "--- a/", "+++ b/")):
        names = [name[2:] if name[:2] in ("a/", "b/") else name for name in names]
    return [name for name in names if not any(part in name for part in _FOREIGN)]


@functools.lru_cache(maxsize=8_192)
def _find_paths(word: str) -> tuple[Sequence[str], Sequence[str]]:
    """Return the relative paths of files in a word, and the ends of absolute ones."""
    absolute = (path for path in _ABSOLUTE.findall(word) if path.count("/") > 1)
    return _FILE.findall(word), ["/".join(path.split("/")[-2:]) for path in absolute]


@functools.lru_cache(maxsize=65_536)
def _mask_word(word: str) -> str:
    """Mask a word: masked parts have no blanks, and words recur."""
    return _MASKED.sub(_mark, word)


def _mark(found: re.Match[str]) -> str:
    """Return the replacement of a masked piece: a code itself, `/` for each file, `0` for a number."""
    kind = found.lastgroup
    if kind == "path":
        return "/"
    if kind == "file":
        return found["dashes"] + "/" * found["file"].count(".")
    if kind == "after":
        return found["kept"] + "/"
    return found[0] if kind else "0"
