"""Texts that tokenizers stumble over, and a cache folder that is not the user's."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.amounts import sized

from satchel_plugins.tokenizers import OfflineTokenizer, keep_ranks


@pytest.fixture(scope="session", autouse=True)
def loaded_vocabularies() -> None:
    """Load both outside the tests: it takes half a second, more than hypothesis gives an example."""
    for encoding in ("cl100k_base", "o200k_base"):
        OfflineTokenizer(encoding).count(["load"])


@pytest.fixture(scope="session")
def ranks(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the ranks of both vocabularies."""
    folder = tmp_path_factory.mktemp("ranks")
    for encoding in ("cl100k_base", "o200k_base"):
        keep_ranks(encoding, folder)
    return folder


@pytest.fixture(scope="session")
def odd_texts() -> list[str]:
    return [
        "",
        "def f(x: int) -> str:\n    # comment\n\treturn f'{x!r}'  \r\n\n\n/etc/passwd\n",
        "It isn't, they'll say; WE'RE 12345 and 3.14159 of them. Ünïcödé naïve façade.\n",
        "上下文窗口很小，所以要省着用。\n",
        "トークンを数えるのは難しい。컨텍스트 창\n",
        "نافذة السياق صغيرة جدا\n",
        "👩‍👩‍👧‍👦🇩🇪👍🏽 ok\n",
        "<|endoftext|> <|fim_prefix|><|im_start|>",
        "\x00\x01\x1b[31mred\x1b[0m\x7f\x85\u2028\ufeff",
        "e\u0301a\u0308\u0301\u0301",
        "1234567890 0x7f3a 1e-9 ½ Ⅳ ٣\n",
        "=====>>>>!!!!~~~~----////\\\\\\\\\n//\n",
        " \t \n \t\n\r\n\r \u00a0\u3000\n   ",
        "a broken pair: \ud83d and \udc69 and \ud83d\udc69\n",
    ]


@pytest.fixture(scope="session")
def huge_texts() -> list[str]:
    return [
        " " * sized(1_000_000),
        " " * sized(1_000_005) + "x",
        "\t" * sized(1_000_000),
        "a" * sized(1_000_000),
        "\n" * sized(1_000_000),
        "^" * sized(1_000_000),
        "7" * sized(1_000_000),
        "漢字" * sized(250_000),
        "👩‍👩‍👧‍👦" * sized(50_000),
        "foo bar(baz) = 12;" * sized(280_000),
    ]


@pytest.fixture
def no_tables(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A machine on which tiktoken has never fetched a table; returns the folder for rebuilt ones."""
    monkeypatch.setenv("TIKTOKEN_CACHE_DIR", str(tmp_path / "tiktoken"))
    return tmp_path / "own"
