"""Read the header of a GGUF file: a model's numbers and tensors, without its vocabulary."""

from __future__ import annotations

import os
import struct
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import BinaryIO, NamedTuple

from satchel.errors import SatchelError, UsageError
from satchel.patterns import lazily
from satchel.spelling import join_reason, nearest


class TensorType(NamedTuple):
    """A type of values: `block` values are stored together in `size` bytes."""

    name: str
    block: int
    size: int


_ROWS = Path(__file__).with_name("types.txt").read_text("ascii").splitlines()
TYPES: Mapping[int, TensorType] = {
    int(number): TensorType(name, int(block), int(size))
    for number, name, block, size in map(str.split, _ROWS)
}
"""Types by their number in a GGUF header (ggml.h of the engine version that is followed)."""

CACHE_KINDS = ("f32", "f16", "bf16", "q8_0", "q4_0", "q4_1", "iq4_nl", "q5_0", "q5_1")
"""Types that the engine takes for keys and values."""

_BY_NAME = {kind.name: kind for kind in TYPES.values()}


def kind_of(name: str) -> TensorType:
    """Return a type by its name."""
    return _BY_NAME[name]


def cache_kind(name: str) -> TensorType:
    """Return the type of a cache by the name that a person typed."""
    known = name.lower()
    if known not in CACHE_KINDS:
        near = nearest(known, CACHE_KINDS)
        hint = f", did you mean {near}?" if near else f"; known are {', '.join(CACHE_KINDS)}"
        raise UsageError(f"no cache type is called {name!r}{hint}")
    return _BY_NAME[known]


def row_bytes(kind: TensorType, values: int) -> int:
    """Return the bytes of a row of `values`, whole blocks."""
    return -(-values // kind.block) * kind.size


ROW_PADDING = 512


def pad_row(kind: TensorType, row: int, size: int) -> int:
    """Return the bytes that CUDA sets aside for a tensor of `size` bytes with rows of `row` values.

    Rows of quantized tensors are padded to 512 values once, at the end of the tensor.
    """
    if kind.block == 1 or row % ROW_PADDING == 0:
        return size
    return size + row_bytes(kind, ROW_PADDING - row % ROW_PADDING)


def align(size: int, step: int) -> int:
    """Return `size` rounded up to a multiple of `step`."""
    return -(-size // step) * step


CHUNK = 1 << 18
KEPT_STRING = 1 << 12
KEPT_ARRAY = 1 << 12
LONGEST_NAME = 1 << 16
MOST_TENSORS = 1 << 17
MOST_KEYS = 1 << 16
MOST_SHARDS = 1 << 10
LARGEST = 1 << 56
SCALARS = {0: "B", 1: "b", 2: "H", 3: "h", 4: "I", 5: "i", 6: "f", 7: "?", 10: "Q", 11: "q", 12: "d"}
STRING, ARRAY = 8, 9
SPLIT = lazily(r"^(.*)-(\d{5})-of-(\d{5})\.gguf$")


class TensorInfo(NamedTuple):
    """A tensor as its header describes it."""

    name: str
    shape: tuple[int, ...]
    kind: str
    size: int
    """Bytes of its values."""


class Header(NamedTuple):
    """The content of a model file's header."""

    source: str
    values: dict[str, object]
    tensors: tuple[TensorInfo, ...]
    problems: tuple[str, ...] = ()

    @property
    def architecture(self) -> str:
        """Return the name of the architecture, the prefix of its keys."""
        return str(self.values.get("general.architecture", ""))


class HeaderError(SatchelError):
    """A model's header can't be read; the message names the file, where, and what is wrong."""

    def __init__(self, source: str, reason: str) -> None:
        self.source, self.reason = source, reason
        super().__init__(join_reason(source, reason))


class _Stream:
    """A file read in pieces, with a check of its remaining size before any length is trusted."""

    def __init__(self, file: BinaryIO, source: str) -> None:
        self.file, self.source = file, source
        self.size = file.seek(0, os.SEEK_END)
        file.seek(0)
        self.buffer, self.at, self.passed = b"", 0, 0

    @property
    def left(self) -> int:
        return self.size - self.passed - self.at

    def fail(self, reason: str) -> HeaderError:
        return HeaderError(self.source, f"{reason} at byte {self.passed + self.at}")

    def need(self, count: int, what: str) -> None:
        if count > self.left:
            raise self.fail(
                f"{what} needs {count} bytes and {max(0, self.left)} are left; the file is cut or damaged"
            )

    def take(self, count: int, what: str) -> bytes:
        self.need(count, what)
        end = self.at + count
        if end > len(self.buffer):
            self._fill(count)
            end = count
        piece = self.buffer[self.at : end]
        self.at = end
        return piece

    def _fill(self, count: int) -> None:
        self.passed += self.at
        rest = self.buffer[self.at :]
        self.buffer, self.at = rest + self.file.read(max(CHUNK, count - len(rest))), 0
        if len(self.buffer) < count:
            raise self.fail("the file ends while it is read")

    def skip(self, count: int, what: str) -> None:
        self.need(count, what)
        if self.at + count <= len(self.buffer):
            self.at += count
            return
        self.passed += self.at + count
        self.file.seek(self.passed)
        self.buffer, self.at = b"", 0

    def number(self, code: str, what: str) -> int:
        value: int = struct.unpack("<" + code, self.take(struct.calcsize(code), what))[0]
        return value

    def name(self, what: str) -> str:
        length = self.number("Q", what)
        if length > LONGEST_NAME:
            raise self.fail(f"{what} has {length} bytes, no name is that long,")
        return self.take(length, what).decode("utf-8", "replace")

    def skip_strings(self, count: int, what: str) -> None:
        """Pass over `count` strings; only their lengths are looked at."""
        done = 0
        while done < count:
            buffer, at = self.buffer, self.at
            last = len(buffer) - 8
            while at <= last and done < count:
                following = at + 8 + int.from_bytes(buffer[at : at + 8], "little")
                if following > len(buffer):
                    break
                at = following
                done += 1
            self.at = at
            if done < count:
                self.skip(self.number("Q", what), what)
                done += 1


def read_gguf(path: Path) -> Header:
    """Read a GGUF file's header, and those of all its parts if it is split."""
    parts = [_read_part(part) for part in _parts(path)]
    first = parts[0]
    names = [tensor.name for part in parts for tensor in part.tensors]
    if len(set(names)) < len(names):
        twice = next(name for at, name in enumerate(names) if name in set(names[:at]))
        raise HeaderError(str(path), f"tensor {twice!r} is there twice")
    tensors = tuple(tensor for part in parts for tensor in part.tensors)
    return first._replace(tensors=tensors, problems=tuple(p for part in parts for p in part.problems))


def _parts(path: Path) -> list[Path]:
    found = SPLIT.match(path.name)
    if found is None:
        return [path]
    stem, count = found[1], int(found[3])
    if not 0 < count <= MOST_SHARDS:
        raise HeaderError(str(path), f"{count} parts in its name")
    parts = [path.with_name(f"{stem}-{at:05d}-of-{count:05d}.gguf") for at in range(1, count + 1)]
    missing = [part.name for part in parts if not part.is_file()]
    if missing:
        more = f" and {len(missing) - 1} more" if len(missing) > 1 else ""
        raise HeaderError(str(path), f"part {missing[0]}{more} is missing; all parts belong in one folder")
    return parts


def _read_part(path: Path) -> Header:
    with path.open("rb") as file:
        stream = _Stream(file, str(path))
        tensor_count, key_count = _preamble(stream)
        values: dict[str, object] = {}
        for at in range(key_count):
            key = stream.name(f"key {at}")
            if key in values:
                raise stream.fail(f"key {key!r} is there twice,")
            values[key] = _value(stream, key)
        tensors, end = _tensors(stream, tensor_count)
        align = values.get("general.alignment", 32)
        if not isinstance(align, int) or align < 1 or align & (align - 1):
            raise HeaderError(str(path), f"general.alignment is {align!r}, not a power of two")
        start = -(-(stream.passed + stream.at) // align) * align
    short = start + end - stream.size
    told = (
        (f"{path.name}: the file ends {short} bytes before its tensors do; is it complete?",)
        if short > 0
        else ()
    )
    return Header(str(path), values, tensors, told)


def _preamble(stream: _Stream) -> tuple[int, int]:
    if stream.size < 24 or stream.take(4, "the mark") != b"GGUF":
        raise HeaderError(stream.source, "is not a GGUF file")
    version = stream.number("I", "the version")
    if version & 0xFFFF == 0:
        raise HeaderError(stream.source, "is a big-endian GGUF file; convert it for this machine")
    if version not in (2, 3):
        raise HeaderError(stream.source, f"is GGUF version {version}, versions 2 and 3 are read")
    tensors, keys = stream.number("Q", "the count of tensors"), stream.number("Q", "the count of keys")
    if tensors > min(MOST_TENSORS, stream.left // 24) or keys > min(MOST_KEYS, stream.left // 13):
        raise stream.fail(f"{tensors} tensors and {keys} keys can't be in a file of {stream.size} bytes,")
    return tensors, keys


def _value(stream: _Stream, key: str) -> object:
    kind = stream.number("I", f"the type of {key!r}")
    if kind == STRING:
        return _text(stream, key)
    if kind == ARRAY:
        return _array(stream, key)
    if kind not in SCALARS:
        raise stream.fail(f"key {key!r} has the unknown type {kind},")
    code = SCALARS[kind]
    value: object = struct.unpack("<" + code, stream.take(struct.calcsize(code), f"key {key!r}"))[0]
    return value


def _text(stream: _Stream, key: str) -> str:
    length = stream.number("Q", f"key {key!r}")
    stream.need(length, f"key {key!r}")
    kept = stream.take(min(length, KEPT_STRING), key)
    stream.skip(length - len(kept), key)
    return kept.decode("utf-8", "replace")


def _array(stream: _Stream, key: str) -> Sequence[object]:
    """Return a short array of numbers; a range of the right length replaces all other arrays."""
    kind, count = stream.number("I", f"key {key!r}"), stream.number("Q", f"key {key!r}")
    what = f"key {key!r} with {count} values"
    if kind == STRING:
        stream.need(8 * count, what)
        stream.skip_strings(count, what)
        return range(count)
    if kind not in SCALARS:
        raise stream.fail(f"key {key!r} is a list of the unknown or nested type {kind},")
    code = SCALARS[kind]
    size = struct.calcsize(code) * count
    if count > KEPT_ARRAY:
        stream.skip(size, what)
        return range(count)
    return struct.unpack(f"<{count}{code}", stream.take(size, what))


def _tensors(stream: _Stream, count: int) -> tuple[tuple[TensorInfo, ...], int]:
    found, end = [], 0
    for at in range(count):
        tensor, offset = _tensor(stream, at)
        found.append(tensor)
        end = max(end, offset + tensor.size)
    return tuple(found), end


def _tensor(stream: _Stream, at: int) -> tuple[TensorInfo, int]:
    name = stream.name(f"the name of tensor {at}")
    directions = stream.number("I", f"tensor {name!r}")
    if directions > 4:
        raise stream.fail(f"tensor {name!r} has {directions} dimensions, 4 are the most,")
    shape = struct.unpack(f"<{directions}Q", stream.take(8 * directions, f"tensor {name!r}"))
    kind, offset = stream.number("I", f"tensor {name!r}"), stream.number("Q", f"tensor {name!r}")
    if kind not in TYPES:
        raise stream.fail(f"tensor {name!r} has the unknown type {kind},")
    if not offset < LARGEST:
        raise stream.fail(f"tensor {name!r} starts at {offset},")
    elements = 1
    for length in shape:
        elements *= length
    if not 0 < elements < LARGEST:
        raise stream.fail(f"tensor {name!r} has the shape {list(shape)},")
    known = TYPES[kind]
    if shape and shape[0] % known.block:
        raise stream.fail(
            f"rows of tensor {name!r} are not a multiple of {known.block}, as {known.name} needs,"
        )
    first = shape[0] if shape else 1
    return TensorInfo(name, shape, known.name, row_bytes(known, first) * (elements // first)), offset
