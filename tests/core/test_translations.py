"""Tests for pages and their translations."""

from __future__ import annotations

import pytest

from satchel.questions.page_versions import group_translations, page_of


@pytest.mark.parametrize(
    ("path", "key", "language"),
    [
        ("README.zh.md", "readme.md", "zh"),
        ("README_ja.md", "readme.md", "ja"),
        ("Readme-zh-Hans.md", "readme.md", "zh"),
        ("README_CN.md", "readme.md", "zh"),
        ("README_it.md", "readme.md", "it"),
        ("docs/pt-BR/guide/themes.md", "docs/guide/themes.md", "pt"),
        ("docs/bn-BD/guide/themes.md", "docs/guide/themes.md", "bn"),
        ("docs/ckb-IR/themes.md", "docs/themes.md", "ckb"),
        ("docs/api-V2/themes.md", "docs/api-v2/themes.md", ""),
        ("docs/en/guide/themes.md", "docs/guide/themes.md", "en"),
        ("i18n/ko/themes.rst", "themes.rst", "ko"),
        ("go/docs/ja/themes.md", "go/docs/themes.md", "ja"),
        ("docs/themes.md", "docs/themes.md", ""),
        ("docs/session-id.md", "docs/session-id.md", ""),
        ("docs/js/themes.md", "docs/js/themes.md", ""),
        ("src/it/themes.py", "src/it/themes.py", ""),
        ("locale/de.json", "locale/.json", "de"),
        ("src/locales/zh-CN.ts", "src/locales/.ts", "zh"),
        ("src/locales/index.ts", "src/locales/index.ts", ""),
        ("config/locales/users.fr.yml", "config/locales/users.yml", "fr"),
        ("i18n/messages_es.properties", "i18n/messages.properties", "es"),
        ("app/res/values-de/strings.xml", "app/res/values/strings.xml", "de"),
        ("App/fr.lproj/Main.strings", "app/.lproj/main.strings", "fr"),
        ("src/languages/cs.js", "src/languages/cs.js", ""),
    ],
)
def test_a_path_tells_the_page_and_its_language(path: str, key: str, language: str) -> None:
    assert page_of(path) == (key, language)


@pytest.mark.parametrize(
    ("paths", "groups"),
    [
        (["README.md", "docs/README.zh.md"], [{"README.md": "", "docs/README.zh.md": "zh"}]),
        (
            ["i18n/README.ja.md", "i18n/README.zh.md"],
            [{"i18n/README.ja.md": "ja", "i18n/README.zh.md": "zh"}],
        ),
        (
            ["README.md", "docs/README.md", "docs/README.zh.md"],
            [{"README.md": ""}, {"docs/README.md": "", "docs/README.zh.md": "zh"}],
        ),
        (["README.md", "tool/README.zh.md"], [{"README.md": ""}, {"tool/README.zh.md": "zh"}]),
    ],
)
def test_a_readme_is_translated_beside_it_or_in_a_folder_for_that(
    paths: list[str], groups: list[dict[str, str]]
) -> None:
    assert group_translations(paths) == groups
