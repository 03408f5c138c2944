"""Headers of GGUF files: right, split, cut, hostile."""

from __future__ import annotations

import random
import struct
import time
import tracemalloc
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.amounts import examples

from satchel import SatchelError
from satchel.sizing import HeaderError, read_gguf

from .headers import header_of, measured, pair, saved, tensors_of, text, values_of, written

VALUES: dict[str, object] = {
    "general.architecture": "llama",
    "llama.block_count": 2,
    "llama.rope": [1.0, 2.0],
}
TENSORS = [("token_embd.weight", "q8_0", [64, 10]), ("output_norm.weight", "f32", [64])]


def stored(tmp_path: Path, content: bytes) -> Path:
    path = tmp_path / "m.gguf"
    path.write_bytes(content)
    return path


def test_a_header_comes_back_as_it_was_written(tmp_path: Path) -> None:
    model = measured()["lfm2"]

    header = read_gguf(saved(tmp_path / "m.gguf", values_of(model), list(tensors_of(model))))

    assert header.values == header_of(model).values
    assert header.tensors == header_of(model).tensors
    assert header.problems == ()


def test_a_file_that_ends_before_its_tensors_is_told(tmp_path: Path) -> None:
    header = read_gguf(stored(tmp_path, written(VALUES, TENSORS)))

    assert len(header.tensors) == 2
    assert "before its tensors" in header.problems[0]


def test_parts_of_a_split_file_are_read_together(tmp_path: Path) -> None:
    first = saved(tmp_path / "m-00001-of-00002.gguf", VALUES, TENSORS[:1])
    saved(tmp_path / "m-00002-of-00002.gguf", {"split.no": 1}, TENSORS[1:])

    assert [tensor.name for tensor in read_gguf(first).tensors] == [name for name, _, _ in TENSORS]


def test_a_missing_part_is_named(tmp_path: Path) -> None:
    first = saved(tmp_path / "m-00001-of-00003.gguf", VALUES, TENSORS)

    with pytest.raises(HeaderError, match=r"part m-00002-of-00003\.gguf and 1 more is missing"):
        read_gguf(first)


def test_a_tensor_in_two_parts_is_an_error(tmp_path: Path) -> None:
    first = saved(tmp_path / "m-00001-of-00002.gguf", VALUES, TENSORS)
    saved(tmp_path / "m-00002-of-00002.gguf", VALUES, TENSORS)

    with pytest.raises(HeaderError, match="is there twice"):
        read_gguf(first)


HOSTILE = {
    "an empty file": (b"", "is not a GGUF file"),
    "another format": (b"PK" + bytes(100), "is not a GGUF file"),
    "version 1": (written({}, version=1), "GGUF version 1"),
    "version 9": (written({}, version=9), "GGUF version 9"),
    "big-endian": (b"GGUF" + struct.pack(">IQQ", 3, 0, 0), "big-endian"),
    "endless tensors": (b"GGUF" + struct.pack("<IQQ", 3, 1 << 40, 0), "can't be in a file"),
    "endless keys": (b"GGUF" + struct.pack("<IQQ", 3, 0, 1 << 40), "can't be in a file"),
    "a key of 2^63 bytes": (
        b"GGUF" + struct.pack("<IQQQ", 3, 0, 1, 1 << 63) + bytes(64),
        "no name is that long",
    ),
    "a text of 2^63 bytes": (
        written({})[:16] + struct.pack("<Q", 1) + text("k") + struct.pack("<IQ", 8, 1 << 63),
        "are left",
    ),
    "a list of 2^40 texts": (
        written({})[:16] + struct.pack("<Q", 1) + text("k") + struct.pack("<IIQ", 9, 8, 1 << 40),
        "are left",
    ),
    "a list of lists": (
        written({})[:16] + struct.pack("<Q", 1) + text("k") + struct.pack("<IIQ", 9, 9, 1) + bytes(32),
        "nested",
    ),
    "an unknown type": (
        written({})[:16] + struct.pack("<Q", 1) + text("k") + struct.pack("<I", 77) + bytes(8),
        "unknown type 77",
    ),
    "a key twice": (written({})[:16] + struct.pack("<Q", 2) + pair("k", 1) * 2 + bytes(8), "is there twice"),
    "an odd alignment": (written({"general.alignment": 24}) + bytes(8), "general.alignment is 24"),
    "no dimension": (written({}, [("t", "f32", [0])]) + bytes(8), "has the shape"),
    "rows between blocks": (written({}, [("t", "q4_K", [100])]) + bytes(8), "not a multiple of 256"),
    "too large a tensor": (written({}, [("t", "f32", [1 << 40, 1 << 40])]) + bytes(8), "has the shape"),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_header_is_one_line(name: str, tmp_path: Path) -> None:
    content, reason = HOSTILE[name]

    with pytest.raises(HeaderError, match=reason) as raised:
        read_gguf(stored(tmp_path, content))

    assert "\n" not in str(raised.value)


@given(
    changes=st.lists(st.tuples(st.floats(0, 0.999), st.integers(0, 255)), max_size=4), kept=st.floats(0, 1)
)
@settings(
    max_examples=examples(200), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
def test_a_damaged_header_is_read_or_refused(
    changes: list[tuple[float, int]], kept: float, tmp_path: Path
) -> None:
    content = bytearray(written({**VALUES, "tokenizer": "x" * 40}, TENSORS) + bytes(64))
    for place, byte in changes:
        content[int(place * len(content))] = byte
    cut, reason = int(kept * len(content)), ""

    try:
        header = read_gguf(stored(tmp_path, bytes(content[:cut])))
    except SatchelError as error:
        reason = str(error)
    else:
        assert all(tensor.size >= 0 for tensor in header.tensors)
    assert "\n" not in reason


@pytest.mark.weekly
def test_a_large_vocabulary_is_passed_over_in_little_memory(tmp_path: Path) -> None:
    generator = random.Random(3)
    words = b"".join(text("w" * generator.randint(1, 14)) for _ in range(60_000))
    head = b"GGUF" + struct.pack("<IQQ", 3, 0, 3)
    head += pair("general.architecture", "llama")
    head += text("tokenizer.ggml.tokens") + struct.pack("<IIQ", 9, 8, 60_000) + words
    head += text("tokenizer.ggml.scores") + struct.pack("<IIQ", 9, 6, 3_000_000) + bytes(12_000_000)
    path = stored(tmp_path, head)

    began = time.process_time()
    header = read_gguf(path)
    spent = time.process_time() - began
    tracemalloc.start()
    read_gguf(path)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()

    assert header.values["tokenizer.ggml.tokens"] == range(60_000)
    assert peak < 4_000_000
    assert spent < 1.0
