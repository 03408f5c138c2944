"""Tests for pages and their translations."""

from __future__ import annotations

import pytest

from satchel.questions.translations import page_of


@pytest.mark.parametrize(
    ("path", "key", "language"),
    [
        ("README.zh.md", "readme.md", "zh"),
        ("README_ja.md", "readme.md", "ja"),
        ("Readme-zh-Hans.md", "readme.md", "zh"),
        ("README_CN.md", "readme.md", "zh"),
        ("README_it.md", "readme.md", "it"),
        ("docs/pt-BR/guide/themes.md", "docs/guide/themes.md", "pt"),
        ("docs/en/guide/themes.md", "docs/guide/themes.md", "en"),
        ("i18n/ko/themes.rst", "themes.rst", "ko"),
        ("go/docs/ja/themes.md", "go/docs/themes.md", "ja"),
        ("docs/themes.md", "docs/themes.md", ""),
        ("docs/session-id.md", "docs/session-id.md", ""),
        ("docs/js/themes.md", "docs/js/themes.md", ""),
        ("src/it/themes.py", "src/it/themes.py", ""),
        ("locale/de.json", "locale/de.json", ""),
    ],
)
def test_a_path_tells_the_page_and_its_language(path: str, key: str, language: str) -> None:
    assert page_of(path) == (key, language)
