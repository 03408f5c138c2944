"""Words that tell how something went, in the languages that tools speak."""

from __future__ import annotations

import enum
import functools

from satchel.patterns import lazily


class Tone(enum.IntEnum):
    """How bad a word sounds."""

    NONE = 0
    WEAK = 1
    """A warning, or a word that is bad in some company only."""
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
        "⛔",
        "💥",
        "🚨",
        "🔴",
    ),
    Tone.WEAK: ("警告", "경고", "注意", "⚠"),
}
_NONE_BAD = lazily(r"[❌✘✖✗] ?0\b(?!\.?\d)")


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
    """Return the tone of a text whose script has no blanks between words, or of its signs; `✗ 0` is none."""
    text = _NONE_BAD.sub(" ", text)
    for tone, marks in _OTHER_SCRIPTS.items():
        if any(mark in text for mark in marks):
            return tone
    return Tone.NONE
