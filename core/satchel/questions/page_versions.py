"""Find the versions of a page by their paths: translations, and pages of other releases."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Iterable
from types import MappingProxyType
from typing import NamedTuple

from satchel.patterns import lazily
from satchel.workspace.files.kinds import DOCUMENT_ENDINGS
from satchel.workspace.index.terms import WORD

_ALIASES = MappingProxyType({"cn": "zh", "tw": "zh", "jp": "ja", "kr": "ko", "br": "pt"})
"""Codes of countries that people write for languages."""
_CODE = (
    r"(?P<code>ar|bg|bn|ca|cs|da|de|el|en|es|fa|fi|fr|he|hi|hr|hu|id|it|ja|ko|nb|nl|no|pl|pt|ro|ru|sk|sl|sr|sv"
    rf"|th|tr|uk|vi|zh|{'|'.join(_ALIASES)}|(?-i:[a-z]{{2,3}}(?=-[A-Z]{{2}}\b)))(?:[-_](?:[a-z]{{2}}|[a-z]{{4}}))?"
)
"""Codes of languages; any other counts only beside a country: `ckb-IR`."""
_PAGE = rf"\.(?:{DOCUMENT_ENDINGS}|html?|ipynb)$"
_IN_NAME = lazily(rf"(?i)(?:\.|(?<=readme)[_-]|[_-](?!(?:he|id|it|no)\.)){_CODE}(?={_PAGE})")
"""Codes that are English words count after a dot alone: `session-id.md` does not translate `session.md`."""
_IN_FOLDER = lazily(
    rf"(?i)(?:(?<=/)|^)(?:(?:i18n|l10n|translations?|locales?|langs?|languages?)/)?{_CODE}/(?=.*{_PAGE})"
)

_TABLE_FOLDER = r"(?:^|/)(?:i18n|l10n|translations?|_?locales?|resources/lang|messages)/"
_TABLE_CODE = r"(?P<code>[a-z]{2})(?:[-_][a-z]{2,4})?"
_TABLES = (
    lazily(rf"(?i){_TABLE_FOLDER}(?:[\w-]+/)*?(?P<cut>{_TABLE_CODE})(?:/|\.\w+$)"),
    lazily(rf"(?i){_TABLE_FOLDER}(?:[\w-]+/)*[\w-]+?(?P<cut>[._-]{_TABLE_CODE})\.\w+$"),
    lazily(rf"(?i)\w(?P<cut>[._-]{_TABLE_CODE})\.(?:properties|resx|arb|po|xlf|ftl|strings)$"),
    lazily(r"(?i)(?:^|/)values(?P<cut>-(?P<code>[a-z]{2})(?:-r[a-z]{2})?)/"),
    lazily(r"(?i)(?:^|/)(?P<cut>(?P<code>[a-z]{2}))\.lproj/"),
)
"""Tables of messages; a table without a code is the original."""
_NAMES = MappingProxyType(
    {
        "ar": "arabic", "cs": "czech", "da": "danish dansk", "de": "german deutsch", "el": "greek",
        "en": "english", "es": "spanish español castellano", "fa": "persian farsi", "fi": "finnish",
        "fr": "french français", "he": "hebrew", "hi": "hindi", "hu": "hungarian", "id": "indonesian",
        "it": "italian italiano", "ja": "japanese 日本語", "ko": "korean 한국어", "nl": "dutch nederlands",
        "no": "norwegian norsk", "pl": "polish polski", "pt": "portuguese português brazilian",
        "ro": "romanian", "ru": "russian русский", "sv": "swedish svenska", "th": "thai", "tr": "turkish",
        "uk": "ukrainian", "vi": "vietnamese", "zh": "chinese mandarin 中文",
    }
)  # fmt: skip
"""Names of languages, in English and in themselves."""
_README_FOLDER = lazily(
    r"(?:docs?|documentation|i18n|l10n|translations?|locales?|langs?|languages?|readmes?|\.github)/(?=readme\.)"
)
"""Folders that keep the translations of the README above them."""
_NEWEST = ("next", "dev", "devel", "main", "master", "unreleased", "latest", "current", "stable")
"""Names of folders for the newest version of a page, the newest first."""
_ANY_PAGE = lazily(rf"(?i)\.({DOCUMENT_ENDINGS}|html?|ipynb|ya?ml)$")
_DOCS = lazily(r"(?i)(^|/)(docs?|documentation|manual|website|site|versioned_docs|content|man)/")
_VERSION = lazily(
    r"(?i)(?<=/)(?:version[-_]?)?(?:v?(\d+(?:\.(?:\d+|x))+(?:[-.]?(?:alpha|beta|rc)[-.]?\d{0,4})?)|v(\d+)"
    rf"|({'|'.join(_NEWEST)}))(?=/)"
)
_PIECES = lazily(r"\d+|[a-z]+")
_OF_PRERELEASE = MappingProxyType({"x": -10_000, "rc": 1, "beta": 2, "alpha": 3})
"""Numbers for words in a version: `2.x` is the newest of its kind, and 2.0 newer than its candidates."""
_OLD = lazily(r"(^|/)versioned_docs/")
_SHARED = 3
"""Least pages that a folder shares with newer ones if it is another version of the whole."""
Age = tuple[int, tuple[int, ...]]
"""Smaller is newer: the place of a name in `_NEWEST`, or the negated numbers of a version."""


class TranslatedPage(NamedTuple):
    """A page in one of several languages."""

    key: str
    """The same for all translations of a page: its path without the language, in lower case."""
    language: str
    """Code of the language in the path, "" if there is none."""


def page_of(path: str) -> TranslatedPage:
    """Return the page and language of a path that may be a translation."""
    found = _IN_NAME.search(path) or _IN_FOLDER.search(path)
    if found is None:
        for pattern in _TABLES:
            if table := pattern.search(path):
                return _cut_code(path, table)
        return TranslatedPage(path.lower(), "")
    code = found["code"].lower()
    return TranslatedPage((path[: found.start()] + path[found.end() :]).lower(), _ALIASES.get(code, code))


def _cut_code(path: str, found: re.Match[str]) -> TranslatedPage:
    start, end = found.span("cut")
    code = found["code"].lower()
    return TranslatedPage((path[:start] + path[end:]).lower(), _ALIASES.get(code, code))


def find_named_languages(text: str) -> frozenset[str]:
    """Return the codes of the languages that a text names: "where is the german message"."""
    words = set(WORD.findall(text.lower()))
    return frozenset(code for code, names in _NAMES.items() if not words.isdisjoint(names.split()))


def group_translations(paths: Iterable[str]) -> list[dict[str, str]]:
    """Return groups of pages that are the same but for their language: the language of each path."""
    pages = {path: page_of(path) for path in paths}
    originals = {page.key for page in pages.values() if page.language in ("", "en")}
    groups: defaultdict[str, dict[str, str]] = defaultdict(dict)
    for path, page in pages.items():
        key = page.key if page.key in originals else _README_FOLDER.sub("", page.key)
        groups[key][path] = page.language
    return list(groups.values())


def find_older_pages(paths: Iterable[str], versions: Collection[str] = ()) -> set[str]:
    """Return the pages of documentation that have a newer version among the paths.

    A page in a folder without a version is the newest. A page below `versioned_docs`, or in a folder like
    `v1.2` that shares some pages, or like `v1` that shares half its pages with a newer one, is old if there
    are newer versions: if these lack the page, they have dropped it.

    Pages in a folder of one of `versions`, which a question names, are never old; all others are then.
    """
    pages: defaultdict[str, list[tuple[Age, str]]] = defaultdict(list)
    folders: defaultdict[str, list[tuple[Age, str, str]]] = defaultdict(list)
    for path in paths:
        if _ANY_PAGE.search(path) and _DOCS.search(path):
            found = _VERSION.search(f"/{path}")
            age = _age_of(found, versions)
            key = _VERSION.sub("", f"/{path}", count=1).replace("//", "/") if found else f"/{path}"
            key = key.replace("/versioned_docs/", "/docs/")
            pages[key].append((age, path))
            if found:
                folders[path[: found.end() - 1]].append((age, key, path))
    newest = {key: min(age for age, _ in group) for key, group in pages.items()}
    older = {path for key, group in pages.items() for age, path in group if age > newest[key]}
    newest_of_all = min(newest.values(), default=(0, ()))
    for folder, group in folders.items():
        again = sum(age > newest[key] for age, key, _ in group)
        shared = _SHARED if "." in folder.rpartition("/")[2] else max(_SHARED, len(group) / 2)
        if _OLD.search(f"{folder}/") or again >= shared:
            older.update(path for age, _, path in group if age > newest_of_all)
    return older


def _age_of(found: re.Match[str] | None, versions: Collection[str]) -> Age:
    if found is None:
        return (0, ())
    number = found[1] or found[2]
    if number is None:
        return (1 + _NEWEST.index(found[3].lower()), ())
    known = number.removesuffix(".x")
    if any(one in (number, known) or one.startswith(f"{known}.") for one in versions):
        return (-1, ())
    pieces = _PIECES.findall(number.lower())
    return (len(_NEWEST) + 1, tuple(_OF_PRERELEASE[one] if one.isalpha() else -int(one) for one in pieces))
