"""Counts follow the published formula, count each text once, and take images by their provider's rule."""

from __future__ import annotations

import base64
import json
import struct
from collections.abc import Sequence
from typing import Any, ClassVar

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.core.formats import OPENAI, read

from satchel.conversation import Counts, calibration, compute_calibration
from satchel.conversation.counting import PAGE, pages
from satchel.testing.contracts import FourLetters
from satchel_plugins.formats.images import claude_tokens, openai_tokens, size_of_base64

from .drawn import documents


class Counting:
    """Four letters a token; remembers what it was asked."""

    name: ClassVar[str] = "four-letters"

    def __init__(self) -> None:
        self.key, self.exact, self.error = "four-letters", True, 0.0
        self.asked: list[str] = []

    def count(self, texts: Sequence[str]) -> list[int]:
        self.asked += texts
        return FourLetters().count(texts)


def cost(document: Any, form: str = "auto", model: str = "") -> int:
    found = read(document, form)
    return Counts(FourLetters(), form=found.format, model=model).total(found).total


CALL = {"id": "a", "type": "function", "function": {"name": "read", "arguments": '{"path": 12}'}}


def test_the_count_of_a_chat_is_the_published_formula() -> None:
    document = [
        {"role": "system", "content": "x" * 8},
        {"role": "user", "content": "x" * 4},
        {"role": "assistant", "content": None, "tool_calls": [CALL]},
        {"role": "tool", "tool_call_id": "a", "content": "x" * 40},
    ]

    assert cost(document) == 3 + (4 + 2) + (4 + 1) + (4 + 8 + 1 + 3) + (4 + 10)


def test_the_same_in_anthropics_words_costs_the_same() -> None:
    use = {"type": "tool_use", "id": "a", "name": "read", "input": {"path": 12}}
    answered = [
        {"type": "tool_result", "tool_use_id": "a", "content": "x" * 40},
        {"type": "text", "text": "x" * 4},
    ]
    messages = [{"role": "assistant", "content": [use]}, {"role": "user", "content": answered}]

    assert cost({"system": "x" * 8, "messages": messages}) == 3 + (4 + 2) + (4 + 8 + 1 + 3) + (4 + 10) + (
        4 + 1
    )


def test_each_result_of_a_message_has_a_frame_and_texts_are_joined() -> None:
    results = [{"type": "tool_result", "tool_use_id": id_, "content": "x" * 4} for id_ in "ab"]
    texts = [{"type": "text", "text": "x" * 4}] * 2

    assert cost([{"role": "user", "content": results}]) == 3 + 2 * (4 + 1)
    assert cost([{"role": "user", "content": texts}]) == 3 + 4 + 2 * 1 + 1


def test_tools_and_the_form_of_the_answer_count() -> None:
    request = {"messages": [], "tools": [{"name": "f"}], "response_format": {"type": "json_object"}}
    told = sum(-(-len(json.dumps(request[key])) // 4) for key in ("tools", "response_format"))

    assert cost(request) == 3 + told


@settings(deadline=None)
@given(documents())
def test_a_total_is_the_sum_of_its_parts(drawn: tuple[str, Any]) -> None:
    found = read(drawn[1], drawn[0])

    tally = Counts(FourLetters(), form=found.format).total(found)

    assert tally.total == 3 + sum(tally.messages) + tally.tools
    assert all(tokens >= 4 for tokens in tally.messages)


def test_a_text_is_counted_once() -> None:
    tokenizer = Counting()
    counts = Counts(tokenizer, form=OPENAI)
    document = [{"role": "user", "content": str(number % 3)} for number in range(9)]

    counts.total(read(document))
    counts.total(read([*document, {"role": "user", "content": "new"}]))

    assert tokenizer.asked == ["0", "1", "2", "new"]


def encoded(head: bytes) -> str:
    return base64.b64encode(head + b"\0" * 64).decode()


def jpeg(width: int, height: int, notes: int = 0) -> bytes:
    extra = b"\xff\xe1" + struct.pack(">H", notes + 2) + b"n" * notes if notes else b""
    return b"\xff\xd8" + extra + b"\xff\xc0" + struct.pack(">HBHH", 17, 8, height, width)


PNG = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR"
HEADS = {
    "png": lambda w, h: PNG + struct.pack(">II", w, h),
    "gif": lambda w, h: b"GIF89a" + struct.pack("<HH", w, h),
    "jpeg": jpeg,
    "jpeg with notes": lambda w, h: jpeg(w, h, 60_000),
    "webp": lambda w, h: b"RIFF\0\0\0\0WEBPVP8 \0\0\0\0\0\0\0\x9d\x01\x2a" + struct.pack("<HH", w, h),
    "lossless webp": lambda w, h: (
        b"RIFF\0\0\0\0WEBPVP8L\0\0\0\0\x2f" + struct.pack("<I", (w - 1) | (h - 1) << 14)
    ),
    "extended webp": lambda w, h: (
        b"RIFF\0\0\0\0WEBPVP8X\0\0\0\0\0\0\0\0"
        + (w - 1).to_bytes(3, "little")
        + (h - 1).to_bytes(3, "little")
    ),
}


@pytest.mark.parametrize("head", HEADS.values(), ids=HEADS)
def test_the_size_of_an_image_is_read_from_its_head(head: Any) -> None:
    assert size_of_base64(encoded(head(640, 480))) == (640, 480)


@settings(deadline=None)
@given(
    st.binary(max_size=80),
    st.sampled_from([b"", PNG, b"\xff\xd8", b"\xff\xd8\xff", b"GIF8", b"RIFF\0\0\0\0WEBPVP8X"]),
)
def test_a_head_that_is_cut_or_junk_has_no_size_or_one_above_nothing(rest: bytes, magic: bytes) -> None:
    found = size_of_base64(base64.b64encode(magic + rest).decode())

    assert found is None or min(found) > 0


@pytest.mark.parametrize("text", ["", "ééé", "not base64!", "a"])
def test_what_is_no_base64_has_no_size(text: str) -> None:
    assert size_of_base64(text) is None


# the examples of OpenAI's guide to images, and of Anthropic's guide to vision
@pytest.mark.parametrize(
    ("size", "detail", "model", "tokens"),
    [
        ((1024, 1024), "high", "gpt-4o", 765),
        ((2048, 4096), "high", "gpt-4o", 1105),
        ((4096, 8192), "low", "gpt-4o", 85),
        ((1024, 1024), "auto", "openai/gpt-4o-mini", 2833 + 4 * 5667),
        ((512, 512), "auto", "gpt-5-2025-08-07", 210),
        ((128, 64), "high", "o3", 225),
        ((1024, 1024), "auto", "gpt-4.1-mini", 1659),
        ((1800, 2400), "auto", "gpt-4.1-mini", 2353),
        ((4000, 1474), "auto", "o4-mini", 2642),
        (None, "auto", "", 1445),
        (None, "low", "", 85),
    ],
)
def test_images_cost_what_openai_says(size: Any, detail: str, model: str, tokens: int) -> None:
    assert abs(openai_tokens(size, detail, model) - tokens) <= tokens * 0.1
    assert "mini" in model or openai_tokens(size, detail, model) == tokens


@pytest.mark.parametrize(
    ("size", "tokens"),
    [((200, 200), 54), ((1000, 1000), 1334), ((1092, 1092), 1590), ((8000, 8000), 1600), (None, 1600)],
)
def test_images_cost_what_anthropic_says(size: Any, tokens: int) -> None:
    assert claude_tokens(size) == tokens


def test_an_image_in_a_message_counts_by_its_size_and_not_by_its_letters() -> None:
    held = encoded(PNG + struct.pack(">II", 1000, 1000)) + "A" * 40_000
    url = {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{held}", "detail": "low"}}
    block = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": held}}
    shown = {"type": "tool_result", "tool_use_id": "a", "content": [block]}

    assert cost([{"role": "user", "content": [url]}], model="gpt-4o") == 3 + 4 + 85
    assert cost([{"role": "user", "content": [block]}]) == 3 + 4 + 1334
    assert cost([{"role": "user", "content": [shown]}]) == 3 + 4 + 1334


def test_documents_are_estimated_by_their_pages() -> None:
    two = base64.b64encode(b"%PDF-1.4 /Type /Pages /Type /Page >> /Type/Page >>").decode()
    block = {"type": "document", "source": {"type": "base64", "media_type": "application/pdf", "data": two}}

    assert cost([{"role": "user", "content": [block]}]) == 3 + 4 + 2 * PAGE
    assert pages("A" * 400_000) == 3
    assert pages("") == 1


def test_a_document_that_is_text_counts_as_text() -> None:
    block = {"type": "document", "source": {"type": "text", "media_type": "text/plain", "data": "x" * 40}}

    assert cost([{"role": "user", "content": [block]}]) == 3 + 4 + 10


def test_a_signature_costs_nothing_and_sealed_thoughts_by_their_length() -> None:
    thought = {"type": "thinking", "thinking": "x" * 8, "signature": "A" * 4_000}
    sealed = {"type": "redacted_thinking", "data": "A" * 400}

    assert cost([{"role": "assistant", "content": [thought, sealed]}]) == 3 + 4 + 2 + 100


@pytest.mark.parametrize(
    ("usage", "form"),
    [
        ({"usage": {"prompt_tokens": 2_000, "completion_tokens": 9}}, "openai"),
        ({"usage": {"input_tokens": 500, "cache_read_input_tokens": 1_500, "output_tokens": 9}}, "anthropic"),
        ({"prompt_eval_count": 2_000, "eval_count": 9}, "ollama"),
    ],
)
def test_reported_usage_calibrates_counts(usage: dict[str, Any], form: str) -> None:
    found = read(
        [{"role": "user", "content": "x" * 3_972}, {"role": "assistant", "content": "a", **usage}], form
    )

    assert calibration(found, Counts(FourLetters(), form=found.format)) == 2.0


def test_without_usage_nothing_is_calibrated() -> None:
    found = read([{"role": "user", "content": "x" * 4_000}])

    assert calibration(found, Counts(FourLetters(), form=found.format)) == 1.0


@settings(deadline=None)
@given(st.integers(0, 10**9), st.integers(0, 10**9))
def test_a_factor_stays_within_its_bounds(reported: int, counted: int) -> None:
    assert 0.5 <= compute_calibration(reported, counted) <= 4.0
