"""Classify files: text worth showing, or something to list without its content."""

from __future__ import annotations

import codecs
import enum
import re
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from satchel.patterns import lazily

_GUESSED_BYTES = 16_384
_HIGH = lazily(rb"[\x80-\xff]+")
_LEAST_IN_RUNS = 0.5
"""Share of bytes above 127 that have a neighbour above 127: next to none in Western text."""
_LEAST_KANA = 0.2
_LEAST_COMMON = 0.75
_RUSSIAN = {"cp1251": b"\xee\xe5\xe0\xe8\xed\xf2\xf1\xf0", "koi8-r": b"\xcf\xc5\xc1\xc9\xce\xd4\xd3\xd2"}
"""The eight commonest letters of Russian, about 60 % of its text."""
_LEAST_RUSSIAN = 0.45
_WIDE_BOMS = ((codecs.BOM_UTF32_LE, "utf-32-le"), (codecs.BOM_UTF32_BE, "utf-32-be"))


def utf32_of(data: bytes) -> tuple[str, bytes]:
    """Return the UTF-32 encoding and the text's bytes, from a byte order mark or its zero bytes; else ""."""
    for mark, name in _WIDE_BOMS:
        if data.startswith(mark) and len(data) % 4 == 0:
            return name, data[4:]
    if len(data) % 4 or len(data) < 8 or b"\0\0" not in data[:4]:
        return "", data
    opening = data[: _GUESSED_BYTES // 4 * 4]
    zeros = [opening[place::4].count(0) / (len(opening) // 4) for place in range(4)]
    return _wide_order(zeros), data


def _wide_order(zeros: Sequence[float]) -> str:
    """Return the encoding from the share of zeros at each of four places, "" if it is not UTF-32."""
    if zeros[3] == 1 and zeros[2] >= 0.9 and not zeros[0]:
        return "utf-32-le"
    return "utf-32-be" if zeros[0] == 1 and zeros[1] >= 0.9 and not zeros[3] else ""


def guess(body: bytes) -> str:
    """Return the likeliest encoding of a text, "" for a Western one."""
    opening = body[:_GUESSED_BYTES]
    runs = _HIGH.findall(opening)
    high = sum(map(len, runs))
    if not high or sum(len(run) for run in runs if len(run) > 1) < _LEAST_IN_RUNS * high:
        return ""
    for name, is_likely in _LIKELY:
        letters = _letters(opening, name)
        if letters and is_likely(letters):
            return name
    return _cyrillic(b"".join(runs))


def _letters(opening: bytes, name: str) -> str:
    """Return the letters above U+02FF, "" if the bytes do not decode."""
    try:
        text = codecs.getincrementaldecoder(name)().decode(opening)
    except UnicodeDecodeError:
        return ""
    return "".join([character for character in text if character > "\u02ff" and character.isalpha()])


def _share(letters: str, is_common: Callable[[str], bool]) -> float:
    return sum(map(is_common, letters)) / len(letters)


def _is_japanese(letters: str) -> bool:
    kana = _share(letters, lambda letter: "\u3041" <= letter <= "\u30fe")
    return kana >= _LEAST_KANA and not _share(letters, lambda letter: "\uff61" <= letter <= "\uff9f") > 0.1


def _is_korean(letters: str) -> bool:
    return _share(letters, lambda letter: "\uac00" <= letter <= "\ud7a3") >= 0.9


def _is_simplified(letters: str) -> bool:
    return _share(letters, lambda letter: 0xB0 <= letter.encode("gb18030")[0] <= 0xD7) >= _LEAST_COMMON


def _is_traditional(letters: str) -> bool:
    return _share(letters, lambda letter: 0xA4 <= letter.encode("big5")[0] <= 0xC6) >= _LEAST_COMMON


_LIKELY: tuple[tuple[str, Callable[[str], bool]], ...] = (
    ("euc_jp", _is_japanese),
    ("cp932", _is_japanese),
    ("euc_kr", _is_korean),
    ("gb2312", _is_simplified),
    ("big5", _is_traditional),
    ("gb18030", _is_simplified),
)


def _cyrillic(high: bytes) -> str:
    shares = {name: sum(map(high.count, letters)) / len(high) for name, letters in _RUSSIAN.items()}
    best = max(shares, key=lambda name: shares[name])
    return best if shares[best] >= _LEAST_RUSSIAN else ""


def _read_languages() -> Iterator[tuple[str, str]]:
    """Yield names of files, or `*.ending`, with their language, as `languages.txt` has them."""
    for row in Path(__file__).with_name("languages.txt").read_text("utf-8").splitlines():
        language, _, names = row.partition(": ")
        yield from ((name, language) for name in names.split())


_LANGUAGES = dict(_read_languages())

PROSE = frozenset(
    {"asciidoc", "bibtex", "csv", "jsonl", "latex", "log", "markdown", "mdx", "org", "rst", "text", "tsv", ""}
)
"""Languages in which a line may be as long as a paragraph or a record without being minified."""
DATA_ROWS = frozenset({"csv", "jsonl", "tsv"})
"""Languages of tables of data, whose rows say nothing of each other."""


DOCUMENT_ENDINGS = "md|mdx|markdown|rst|adoc|asciidoc|asc|org|pod|rdoc|textile|wiki|mediawiki|tex|txt|scd"
"""Endings of documents, for regular expressions."""


_SAMPLE_ENDING = lazily(r"(?<=[^.])\.(?:sample|example|dist|defaults?)$")
"""The ending of a sample's name: `app.conf.sample`; `.example` alone is not an ending."""


def language_of(path: str) -> str:
    """Return the fence name of the language of the file at `path`, "" if the name does not show it.

    A header `.h` counts as C, because its name does not distinguish it from C++. A sample of a file is in the
    language of that file: `app.conf.sample`.
    """
    name = _SAMPLE_ENDING.sub("", path.rpartition("/")[2].lower())
    ending = name.rpartition(".")[2]
    by_name = _LANGUAGES.get(name, "")
    if by_name or name.startswith("dockerfile."):
        return by_name or "dockerfile"
    return _LANGUAGES.get(f"*.{ending}", "") if "." in name else ""


HUGE_BYTES = 1_000_000
_MINIFIED_LINE = 500
"""Mean bytes per line above which code counts as minified; handwritten code has 20 to 60."""
_LONG_LIST = 1000
"""Lines from which a text in which hardly any line has two words is a list that nobody reads."""
_OPENING_BYTES = 4096
_OPENING_LINES = 12
"""Lines at the top for a generator's notice; it may be below a longer licence."""
_SEARCHED_BYTES = 65536

_LOCKFILES = frozenset(
    {"bun.lock", "bun.lockb", "cargo.lock", "composer.lock", "conan.lock", "deno.lock", "flake.lock"}
    | {"gemfile.lock", "go.sum", "gopkg.lock", "gradle.lockfile", "mix.lock", "npm-shrinkwrap.json"}
    | {"package-lock.json", "packages.lock.json", "package.resolved", "pdm.lock", "pipfile.lock"}
    | {"pixi.lock", "pnpm-lock.yaml", "podfile.lock", "poetry.lock", "pubspec.lock", "pylock.toml"}
    | {"uv.lock", "yarn.lock"}
)
_MADE_BY_TOOLS = frozenset(
    {"config.guess", "config.sub", "depcomp", "gradlew", "gradlew.bat", "install-sh", "ltmain.sh"}
    | {"mvnw", "mvnw.cmd"}
)
"""Scripts that tools put into a project, the same everywhere."""
_CREDENTIAL_NAMES = frozenset(
    {".dockercfg", ".env", ".envrc", ".git-credentials", ".htpasswd", ".netrc", ".pgpass", ".pypirc"}
    | {".s3cfg", ".vault-token", "_netrc", "kubeconfig", ".boto", ".dev.vars", ".my.cnf", ".mylogin.cnf"}
    | {".terraformrc", "terraform.rc", ".vault_pass", ".vault-pass", "master.key"}
    | {"application_default_credentials.json"}
)
_CREDENTIAL_ENDS = (
    *("/.aws/credentials", "/.docker/config.json", "/.gem/credentials", "/.kube/config"),
    *(".env", ".jks", ".kdbx", ".keystore", ".kubeconfig", ".p12", ".pem", ".pfx", ".pkcs12", ".ppk"),
    *(".tfstate", ".tfstate.backup", ".tfvars", ".tfvars.json", ".kdb", ".keytab", ".p8"),
)
_DOTENV_STARTS = (".env.", ".env-", ".env_")
_SSH_STARTS = ("id_dsa", "id_ecdsa", "id_ed25519", "id_rsa")
_SAMPLE = lazily(r"(?:\A|[._-])(?:defaults?|dist|d\.ts|example|sample|schema|template|tmpl)(?:[._-]|\Z)")
_PRIVATE_KEY = lazily(rb"\s*+(?:#[^\n]*+\n\s*+)*+-----BEGIN [A-Z ]{0,40}PRIVATE KEY")
_NPM_TOKEN = lazily(rb"(?m)^[^\n#;]{0,300}(?:_authToken|_auth|_password)[ \t]*=")
_KUBE_CONFIG = lazily(rb"(?m)^kind:[ \t]*Config[ \t\r]*$")
_KUBE_SECRET = lazily(rb"(?m)^[ \t-]*(?:client-key-data|password|token):[ \t]*\S")

_MINIFIED = lazily(r"[.-]min\.(?:c|m)?(?:css|js)\Z", re.IGNORECASE | re.ASCII)
_COMMENT = lazily(rb"(?m)^[ \t]*(?:#|//|/\*|\*|--|;|<!--|%|\"|')[^\n]*$")
_NOTICE = lazily(rb"(?:\s++|(?://|#|--|;)[^\n]*+\n|/\*(?:[^*]|\*(?!/))*+\*/)++")
"""The comments on top of a file, such as a licence."""
_GENERATED = lazily(
    rb"@generated\b|\bDO NOT EDIT\b|(?i:\bautomatically generated by\b|<!--\s*generated by\b)"
    rb"|\b(?:[Gg]enerated|[Mm]ade|[Pp]roduced) (?:from [^\s]{1,200} )?by (?:the )?"
    rb"(?:(?:GNU )?(?:Bison|Autoconf)|automake|flex|re2c|gperf|Cython|ANTLR|JFlex|PEG\.js|Peggy|Ragel)\b"
)
"""Notices of generators at the top, those of parsers and lexers by their names."""
_NAMES_MAP = lazily(rb"(?:\A|\n)(?://|/\*)[#@] ?sourceMappingURL=[^\s]{1,300}(?: ?\*/)?\s*\Z")
_WRAPPED = lazily(
    rb"[^\x00]{0,600}?(?:/\*{6}/ \(|webpackBootstrap|\bvar __defProp = Object\.defineProperty"
    rb"|\bObject\.defineProperty\(exports, ['\"]__esModule['\"], \{\s*value: (?:true|!0)\s*\}\))"
)
"""Wrappings of webpack, esbuild, TypeScript and Babel above their output."""
_COPIED = lazily(rb"[^\x00]{0,600}?/\*[!*]\s{0,9}(?:\*\s{0,9})?[^\n]{0,80}?\bv?\d+\.\d+(?:\.\d+)?\b")
"""The notice, with the release, above a published library of scripts or styles."""
_SERVED = lazily(r"(?i)(?:\A|/)(?:_?static|public|assets?|www|wwwroot|webroot|htdocs|webapp|media)/")
"""Folders into which a project copies such libraries; in others it is above the library's own code."""
_HEAD_OF_PAGE = 2_000
_SCRIPTS = (".js", ".mjs", ".cjs", ".css")
_ENDING = 400
"""Bytes at the end of a script that may name its source map."""
_PAGE = lazily(
    rb"(?i)<meta\s+name=[\"']generator[\"']\s+content=[\"'][a-z]|/(?:jazzy|doxygen|dokka|typedoc)[\w-]*\.(?:css|js)\b"
    rb"|<title>JSDoc: "
)
"""Tags in the heads of pages by makers of sites and references; templates have none."""
_ARMOURED = lazily(rb"-----BEGIN (?:PGP [A-Z ]{5,20}|CERTIFICATE|X509 CRL)-----")
_PUBLISHED = lazily(
    r"(?:\A|/)(?:api/(?:[^/]+/)?[^/]+\.api|(?i:PublicAPI\.(?:Shipped|Unshipped)\.txt|[^/]+\.api\.md))\Z"
)
"""Output of validators of library interfaces: in Kotlin, of .NET, API Extractor."""
_GENERATED_TOO = lazily(rb"(?i)\b(?:auto-?)?generated\b[^\x00]{0,400}\bdo not (?:change|edit|modify)\b")

_MAGIC = (
    b"\x89PNG", b"GIF8", b"\xff\xd8\xff", b"%PDF-", b"PK\x03\x04", b"\x1f\x8b", b"BZh9", b"\xfd7zXZ",
    b"\x28\xb5\x2f\xfd", b"\x7fELF", b"SQLite format 3", b"wOF2", b"OggS", b"\xca\xfe\xba\xbe",
)  # fmt: skip
_PDF = b"%PDF-"
"""The only one of these formats whose files may have no control characters."""
_CONTROLS = bytes(sorted(set(range(32)) - set(b"\t\n\v\f\r\b\x1b"))) + b"\x7f"


class Kind(enum.StrEnum):
    """The kind of a file's content, as far as it matters for showing it."""

    TEXT = "text"
    BINARY = "binary"
    MINIFIED = "minified"
    GENERATED = "generated"
    LOCKFILE = "lockfile"
    HUGE = "huge"
    EMPTY = "empty"
    CREDENTIALS = "credentials"


def classify(path: str, data: bytes) -> Kind:
    """Return the kind of a file, from its workspace path and all of its bytes."""
    if is_credentials(path) or _holds_credentials(path, data):
        return Kind.CREDENTIALS
    if not data or data.isspace():
        return Kind.EMPTY
    if is_binary(data):
        return Kind.BINARY
    name = path.rpartition("/")[2].lower()
    if name in _LOCKFILES:
        return Kind.LOCKFILE
    if name in _MADE_BY_TOOLS:
        return Kind.GENERATED
    if len(data) > HUGE_BYTES:
        return Kind.HUGE
    if _is_minified(path, data):
        return Kind.MINIFIED
    is_made = _is_generated(path, data) or _is_built(path, data) or _is_word_list(path, data)
    return Kind.GENERATED if is_made else Kind.TEXT


def is_credentials(path: str) -> bool:
    """Return whether a file exists to hold secrets, by its path alone; `.env.example` does not."""
    anchored = "/" + path.lower()
    name = anchored.rpartition("/")[2]
    if name in _CREDENTIAL_NAMES:
        return True
    key = name.startswith(_SSH_STARTS) and "." not in name
    named = key or name.startswith(_DOTENV_STARTS)
    return (named or anchored.endswith(_CREDENTIAL_ENDS)) and not _SAMPLE.search(name)


def is_binary(data: bytes) -> bool:
    """Return whether these bytes are not text in any encoding that `decode` knows."""
    opening = data[:_SEARCHED_BYTES]
    controls = len(opening) - len(opening.translate(None, _CONTROLS))
    if data.startswith(_MAGIC) and (controls or data.startswith(_PDF)):
        return True
    if utf32_of(data)[0]:
        return False
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        return _is_noise(data[2:_OPENING_BYTES], "utf-16-le" if data[0] == 0xFF else "utf-16-be")
    if b"\0" in data:
        return not guess_utf16(data)
    return controls > len(opening) // 20


def _is_noise(opening: bytes, encoding: str) -> bool:
    """Return whether supposed UTF-16 is not text: over a twentieth is broken or control characters."""
    text = opening.decode(encoding, "replace")
    return sum(text.count(chr(code)) for code in (*_CONTROLS, 0xFFFD)) > 1 + len(text) // 20


def guess_utf16(data: bytes) -> str:
    """Return the encoding of UTF-16 text without a byte order mark, from its zero bytes, or ""."""
    opening = data[:_OPENING_BYTES]
    low, high = opening[::2].count(0), opening[1::2].count(0)
    half = len(opening) // 2
    if len(data) % 2 or half < 2 or min(low, high) > half // 20 or max(low, high) < half * 2 // 5:
        return ""
    name = "utf-16-le" if high > low else "utf-16-be"
    try:
        text = opening.decode(name)
    except UnicodeDecodeError as error:
        if error.end < len(opening):
            return ""
        text = opening[: error.start].decode(name)
    return name if sum(text.count(chr(code)) for code in _CONTROLS) <= len(text) // 20 else ""


def _holds_credentials(path: str, data: bytes) -> bool:
    name = path.rpartition("/")[2].lower()
    opening = data[:_SEARCHED_BYTES]
    if _PRIVATE_KEY.match(data, 0, _OPENING_BYTES):
        return True
    if name == ".npmrc":
        return bool(_NPM_TOKEN.search(opening))
    if name.endswith(".json"):
        return b'"private_key"' in opening and b'"service_account"' in opening
    if not name.endswith((".yaml", ".yml", ".conf", "config")) or b"Config" not in opening:
        return False
    return bool(_KUBE_CONFIG.search(opening) and _KUBE_SECRET.search(opening))


def _is_minified(path: str, data: bytes) -> bool:
    is_named = _MINIFIED.search(path) is not None
    if not is_named and len(data) <= 4 * _MINIFIED_LINE:
        return False
    mean = len(data) / (data.count(b"\n") + 1)
    if is_named:
        return mean > _MINIFIED_LINE / 5
    return mean > _MINIFIED_LINE and language_of(path) not in PROSE


def _is_built(path: str, data: bytes) -> bool:
    """Return whether a script was made elsewhere: it names its source map, has a wrapping, or is a copy."""
    if not path.lower().endswith(_SCRIPTS):
        return False
    opening = data[:_OPENING_BYTES]
    if _NAMES_MAP.search(data[-_ENDING:]) or _WRAPPED.match(opening):
        return True
    return _COPIED.match(opening) is not None and _SERVED.search(path) is not None


def _is_word_list(path: str, data: bytes) -> bool:
    """Return whether a long text has one word per line: a profile, a dictionary or a dump is not prose."""
    lines = data.count(b"\n")
    if lines < _LONG_LIST or language_of(path) not in ("text", ""):
        return False
    return data.isascii() and data.count(b" ") + data.count(b"\t") < lines // 20


def _is_generated(path: str, data: bytes) -> bool:
    if path.lower().endswith((".html", ".htm")) and _PAGE.search(data, 0, _HEAD_OF_PAGE):
        return True
    if _ARMOURED.match(data) or _PUBLISHED.search(path):
        return True
    notice = _NOTICE.match(data, 0, _OPENING_BYTES)
    lines = data[:_OPENING_BYTES].split(b"\n", _OPENING_LINES)[:_OPENING_LINES]
    opening = max(b"\n".join(lines), notice[0] if notice else b"", key=len)
    low = opening.lower()
    if not any(sign in low for sign in (b"generated", b"do not edit", b"made by", b"produced by")):
        return False
    comments = b"\n".join(_COMMENT.findall(opening))
    return bool(_GENERATED.search(comments) or _GENERATED_TOO.search(comments))
