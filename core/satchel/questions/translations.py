"""Tell translations of one page from another by their paths: `README.zh.md`, `docs/ja/guide.md`."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from types import MappingProxyType
from typing import NamedTuple

from satchel.patterns import lazily

_ALIASES = MappingProxyType({"cn": "zh", "tw": "zh", "jp": "ja", "kr": "ko", "br": "pt"})
"""Countries that people write for languages."""
_CODE = (
    r"(?P<code>ar|bg|bn|ca|cs|da|de|el|en|es|fa|fi|fr|he|hi|hr|hu|id|it|ja|ko|nb|nl|no|pl|pt|ro|ru|sk|sl|sr|sv"
    rf"|th|tr|uk|vi|zh|{'|'.join(_ALIASES)})(?:[-_](?:[a-z]{{2}}|[a-z]{{4}}))?"
)
_PAGE = r"\.(?:mdx?|markdown|rst|adoc|txt|html?|ipynb)$"
_IN_NAME = lazily(rf"(?i)(?:\.|(?<=readme)[_-]|[_-](?!(?:he|id|it|no)\.)){_CODE}(?={_PAGE})")
"""Codes that are English words count after a dot alone: `session-id.md` does not translate `session.md`."""
_IN_FOLDER = lazily(
    rf"(?i)(?:(?<=/)|^)(?:(?:i18n|l10n|translations?|locales?|langs?|languages?)/)?{_CODE}/(?=.*{_PAGE})"
)

_README_FOLDER = lazily(
    r"(?:docs?|documentation|i18n|l10n|translations?|locales?|langs?|languages?|readmes?|\.github)/(?=readme\.)"
)
"""Folders that keep the translations of the README above them."""


class TranslatedPage(NamedTuple):
    """A page in one of several languages."""

    key: str
    """The same for all translations of a page: its path without the language, in small letters."""
    language: str
    """Code of the language that the path names, "" for none."""


def page_of(path: str) -> TranslatedPage:
    """Return the page of which a path may be a translation."""
    found = _IN_NAME.search(path) or _IN_FOLDER.search(path)
    if found is None:
        return TranslatedPage(path.lower(), "")
    code = found["code"].lower()
    return TranslatedPage((path[: found.start()] + path[found.end() :]).lower(), _ALIASES.get(code, code))


def group_translations(paths: Iterable[str]) -> list[dict[str, str]]:
    """Return the pages that are the same but for their language: the language of each path of each group."""
    pages = {path: page_of(path) for path in paths}
    originals = {page.key for page in pages.values() if page.language in ("", "en")}
    groups: defaultdict[str, dict[str, str]] = defaultdict(dict)
    for path, page in pages.items():
        key = page.key if page.key in originals else _README_FOLDER.sub("", page.key)
        groups[key][path] = page.language
    return list(groups.values())
