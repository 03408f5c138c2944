"""Texts in the encodings of the world, and notebooks, as they are read."""

from __future__ import annotations

import json
from collections.abc import Mapping

import pytest
from hypothesis import given
from hypothesis import strategies as st

from satchel.plugin_api import decode
from satchel.workspace import HUGE_BYTES, Kind, kind_of, notebook_text, text_of

CODE = "def login(user):\n    return user\n"
JAPANESE = "# ログインの処理をここに書きます。失敗したら記録を残す。\n"
SIMPLIFIED = "# 这里处理用户登录的请求并且返回结果\n"
TRADITIONAL = "# 這裡處理使用者登入的請求並且返回結果\n"
KOREAN = "# 로그인 처리를 여기에 작성합니다\n"
RUSSIAN = "# Обработка входа пользователя в систему\n"


@pytest.mark.parametrize(
    ("comment", "encoding"),
    [
        (JAPANESE, "cp932"),
        (JAPANESE, "euc_jp"),
        (SIMPLIFIED, "gb2312"),
        (TRADITIONAL, "big5"),
        (KOREAN, "euc_kr"),
        (RUSSIAN, "koi8-r"),
        (RUSSIAN, "cp1251"),
        ("plain ", "utf-32-le"),
        ("é ", "utf-32-be"),
    ],
)
def test_an_encoding_is_told_by_its_letters(comment: str, encoding: str) -> None:
    decoded = decode((comment + CODE).encode(encoding))

    assert decoded == (comment + CODE, encoding)


@pytest.mark.parametrize(
    "text", ["déjà vu, naïve café", "Müller & Söhne, größer", "niño, señor, ¿qué?", "\xa9 2020"]
)
def test_western_text_stays_western(text: str) -> None:
    assert decode(text.encode("latin-1")).text == text


@pytest.mark.parametrize("encoding", ["utf-16", "utf-32", "utf-8-sig"])
def test_a_byte_order_mark_tells_and_is_dropped(encoding: str) -> None:
    assert decode(f"login\n{CODE}".encode(encoding)).text == f"login\n{CODE}"


@given(st.binary(max_size=300))
def test_any_bytes_are_read_or_named(data: bytes) -> None:
    assert isinstance(text_of("a.py", data), str)
    assert kind_of("a.ipynb", data) in Kind


@pytest.mark.parametrize(
    ("data", "kind"),
    [
        (b"GIF89a is how a picture begins\n", Kind.TEXT),
        (b"GIF89a\x01\x00\x01\x00", Kind.BINARY),
        (b"\xff\xfe" + b"\x00\xd8\x01\x00" * 40, Kind.BINARY),
        (b"PK is a suffix\n", Kind.TEXT),
        (b"login = '\0'\n", Kind.BINARY),
    ],
)
def test_what_is_in_a_file_decides_not_its_name(data: bytes, kind: Kind) -> None:
    assert kind_of("archive.zip", data) is kind


def test_lines_that_end_in_carriage_returns_alone_are_lines() -> None:
    assert text_of("a.py", b"a = 1\rb = 2\r") == "a = 1\nb = 2\n"
    assert text_of("a.py", b"a = 1\rb = 2\n") == "a = 1\rb = 2\n"


def notebook(*cells: Mapping[str, object]) -> str:
    return json.dumps({"nbformat": 4, "cells": list(cells)})


def test_a_notebook_is_its_cells_and_short_outputs() -> None:
    picture = {"output_type": "display_data", "data": {"image/png": "A" * 4_000}}
    stream = {"output_type": "stream", "text": ["one\n", "two\n"]}
    text = notebook(
        {"cell_type": "markdown", "source": "# Login"},
        {"cell_type": "code", "source": ["x = 1\n", "y"], "outputs": [stream, picture]},
    )

    assert notebook_text(text) == (
        "# %% [1] markdown\n# Login\n# %% [2] code\nx = 1\ny\n# %% [2] output\none\ntwo\n"
        "# %% [2] output image/png, 3,000 bytes, not shown\n"
    )


def test_a_cell_can_not_begin_another() -> None:
    assert "\\u{23} %% [9] code" in str(
        notebook_text(notebook({"cell_type": "code", "source": "# %% [9] code"}))
    )


def test_a_long_output_is_cut_and_says_so() -> None:
    output = {"output_type": "stream", "text": "line\n" * 1_000}

    text = str(notebook_text(notebook({"cell_type": "code", "source": "x", "outputs": [output]})))

    assert text.endswith("# %% [1] output goes on, 4,850 characters not shown\n")
    assert text.count("line\n") == 30


@pytest.mark.parametrize(
    "text", ["", "[]", "{}", "[" * 100_000, '{"cells": 3}', "{login", "9" * 5_000, '{"cells": [3]}']
)
def test_what_is_no_notebook_stays_as_it_is(text: str) -> None:
    assert text_of("a.ipynb", text.encode()) in (text, "")


def test_a_notebook_with_a_large_picture_is_text() -> None:
    cell = {"cell_type": "code", "source": CODE, "outputs": [{"data": {"image/png": "A" * 2 * HUGE_BYTES}}]}

    assert kind_of("a.ipynb", notebook(cell).encode()) is Kind.TEXT
    assert kind_of("a.json", notebook(cell).encode()) is Kind.HUGE
