"""The shape of a model: the memory and values of its layers, from its header and engine constants."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from satchel.sizing.models.gguf import Header, HeaderError, TensorInfo
from satchel.sizing.models.huggingface import HUGGING_FACE


class SlidingRule(NamedTuple):
    """The sliding layers of an architecture.

    `every` n-th layer looks back on everything: the last of each n, or the first if `dense_first`.
    0 is for an architecture whose header must list them.
    """

    every: int
    window: int = 0
    """The engine's own window if the header has none."""
    forced: bool = False
    """Whether the engine's window overrides the header."""
    optional: bool = False
    """Whether layers slide only if the header has a window."""
    dense_first: bool = False


def _read_sliding() -> Iterator[tuple[str, SlidingRule]]:
    """Yield the rule of each architecture, as `sliding.txt` has them."""
    for row in Path(__file__).with_name("sliding.txt").read_text("ascii").splitlines():
        architecture, every, window, *flags = row.split()
        yield architecture, SlidingRule(int(every), int(window), **dict.fromkeys(flags, True))


SLIDING = dict(_read_sliding())


def slides(architecture: str, find: Callable[[str], object], count: int) -> tuple[int, list[bool]]:
    """Return the window and which of `count` layers slide; (0, all False) if the engine keeps everything."""
    rule, everything = SLIDING.get(architecture), [False] * count
    stored = find("attention.sliding_window")
    size = stored if isinstance(stored, int) and stored >= 0 else None
    if rule is None or (rule.optional and not size) or (architecture == "llama4" and size == 0):
        return 0, everything
    if architecture == "exaone4" and count != 64:
        return 0, everything
    window = rule.window if rule.forced else (rule.window if size is None else size)
    return window, _pattern(architecture, find, count)


def _pattern(architecture: str, find: Callable[[str], object], count: int) -> list[bool]:
    rule, listed = SLIDING[architecture], find("attention.sliding_window_pattern")
    if architecture == "lfm2":
        heads = find("attention.head_count_kv")
        return [bool(x) for x in heads[:count]] if isinstance(heads, tuple) else [True] * count
    if isinstance(listed, tuple) and len(listed) >= count:
        return [bool(x) for x in listed[:count]]
    every = listed if isinstance(listed, int) and not isinstance(listed, bool) else rule.every
    if every == 0:
        return [bool(rule.every)] * count
    return [at % every != 0 if rule.dense_first else at % every < every - 1 for at in range(count)]


RECURRENT = frozenset(("mamba", "mamba2", "rwkv6", "rwkv6qwen2", "rwkv7", "arwkv7"))
BY_KV_HEADS = frozenset(
    (
        "jamba",
        "granitehybrid",
        "lfm2",
        "lfm2moe",
        "plamo2",
        "kimi-linear",
        "kimi-k3",
        "bailingmoe3",
        "glm5-next",
    )
)
BY_INTERVAL = frozenset(("qwen3next", "qwen35", "qwen35moe", "qwen4exp", "minimax-01"))
BY_FEED_FORWARD = frozenset(("nemotron_h", "nemotron_h_moe"))
BOTH = frozenset(("falcon-h1",))
UNCACHED = frozenset(
    (
        *("bert", "jina-bert-v2", "jina-bert-v3", "nomic-bert", "nomic-bert-moe", "neo-bert"),
        *("eurobert", "modern-bert", "gemma-embedding", "dream", "llada", "llada-moe"),
        *("rnd1", "wavtokenizer-dec", "t5encoder"),
    )
)
INDEXED = frozenset(
    ("deepseek32", "deepseek4", "dots3note", "glm-dsa", "glm5-next", "hy_v4", "minimax-m3", "qwen4exp")
)
"""Architectures of sparse attention: an indexer keeps a key of its own beside those of attention."""
MOST_LAYERS = 512


class LayerShape(NamedTuple):
    """The heads of one layer and their sizes, and whether it slides, recurs, or borrows a cache."""

    heads: int
    kv_heads: int
    key: int
    value: int
    sliding: bool
    attends: bool
    recurs: bool
    cached: bool
    indexed: int = 0
    """Values of the key by which sparse attention finds its targets, 0 if there is none."""


class ModelShape(NamedTuple):
    """A model as the engine sees it."""

    architecture: str
    trained_context: int
    embedding: int
    window: int
    """Cells that a sliding layer looks back on, 0 if no layer slides."""
    layers: tuple[LayerShape, ...]
    latent: bool
    """Whether keys hold values too (multi-head latent attention): one cache tensor a layer."""
    conv_state: int
    """Values of a recurrent layer's convolution state, for one sequence."""
    recurrent_state: int
    """Values of a recurrent layer's other state."""
    values: Mapping[str, object]
    tensors: Mapping[str, TensorInfo]

    @property
    def is_hugging_face(self) -> bool:
        """Return whether it was read from a folder of Hugging Face, which the engines of GGUF do not load."""
        return self.architecture.startswith(HUGGING_FACE)

    def number(self, key: str, default: int = 0) -> int:
        """Return a whole number of the architecture's own keys."""
        value = self.values.get(f"{self.architecture}.{key}", default)
        return value if isinstance(value, int) else default

    def flag(self, key: str, *, default: bool = False) -> bool:
        """Return a yes or no of the architecture's own keys."""
        value = self.values.get(f"{self.architecture}.{key}", default)
        return bool(value)

    def real(self, key: str) -> float:
        """Return a number of the architecture's own keys, 0 if it is missing."""
        value = self.values.get(f"{self.architecture}.{key}", 0.0)
        return float(value) if isinstance(value, int | float) else 0.0


class _Keys:
    """The keys of one header, read with the kinds they must have."""

    def __init__(self, header: Header) -> None:
        self.header, self.prefix = header, header.architecture + "."

    def find(self, key: str) -> object:
        return self.header.values.get(self.prefix + key)

    def number(self, key: str, default: int | None = None) -> int:
        value = self.find(key)
        if value is None and default is not None:
            return default
        if value is None:
            raise HeaderError(self.header.source, f"key {self.prefix + key!r} is missing")
        if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value < 1 << 40:
            raise HeaderError(self.header.source, f"key {self.prefix + key!r} is {value!r}, not a size")
        return value

    def each(self, key: str, count: int, default: Sequence[int]) -> list[int]:
        """Return one number a layer, from a list or from one number for all."""
        value = self.find(key)
        if value is None:
            return list(default)
        if not isinstance(value, tuple):
            return [self.number(key)] * count
        if len(value) < count or not all(isinstance(x, int) and 0 <= x < 1 << 40 for x in value):
            raise HeaderError(
                self.header.source, f"key {self.prefix + key!r} needs {count} sizes, one a layer"
            )
        return [int(x) for x in value[:count]]


def shape_of(header: Header) -> ModelShape:
    """Return the shape of the model that a header describes."""
    if not header.architecture:
        raise HeaderError(header.source, "key 'general.architecture' is missing")
    keys = _Keys(header)
    every = keys.number("block_count")
    count = every - keys.number("nextn_predict_layers", 0)
    if not 0 < count <= every <= MOST_LAYERS:
        raise HeaderError(header.source, f"has {every} layers; supported are 1 to {MOST_LAYERS}")
    if not keys.number("context_length") or not keys.number("embedding_length"):
        raise HeaderError(header.source, "is made for a window, or an embedding, of 0")
    layers, window = _layers(keys, count, every)
    return ModelShape(
        architecture=header.architecture,
        trained_context=keys.number("context_length"),
        embedding=keys.number("embedding_length"),
        window=window,
        layers=layers,
        latent=keys.number("attention.key_length_mla", 0) > 0,
        conv_state=_conv_state(keys, layers),
        recurrent_state=_recurrent_state(keys, layers),
        values=header.values,
        tensors={tensor.name: tensor for tensor in header.tensors},
    )


def _layers(keys: _Keys, count: int, every: int) -> tuple[tuple[LayerShape, ...], int]:
    name = keys.header.architecture
    heads = keys.each("attention.head_count", every, [0] * every)
    kv_heads = keys.each("attention.head_count_kv", every, heads)
    forward = keys.each("feed_forward_length", every, [0] * every)
    window, sliding = slides(name, keys.find, count)
    attends, recurs = _kinds(keys, kv_heads, forward, count)
    listed = keys.find("layer_types")
    if isinstance(listed, tuple) and len(listed) >= count:
        window, sliding = (
            keys.number("attention.sliding_window", 0),
            [kind == "sliding_attention" for kind in listed],
        )
        attends = [kind != "linear_attention" for kind in listed]
    caching = _caching(keys, count)
    sizes = [_head_sizes(keys, heads[0], swa=swa) for swa in (False, True)]
    indexed = _indexer_values(keys, count)
    layers = tuple(
        LayerShape(
            heads[at],
            kv_heads[at],
            *sizes[sliding[at]],
            sliding[at],
            attends[at],
            recurs[at],
            at < caching,
            indexed[at] if attends[at] else 0,
        )
        for at in range(count)
    )
    return layers, window if any(sliding) else 0


def _head_sizes(keys: _Keys, heads: int, *, swa: bool) -> tuple[int, int]:
    whole = keys.number("embedding_length") // heads if heads else 0
    key, value = keys.number("attention.key_length", whole), keys.number("attention.value_length", whole)
    if not heads:
        return 0, 0
    if swa:
        return keys.number("attention.key_length_swa", key), keys.number("attention.value_length_swa", value)
    return key, value


def _kinds(
    keys: _Keys, kv_heads: Sequence[int], forward: Sequence[int], count: int
) -> tuple[list[bool], list[bool]]:
    """Return which layers attend and which recur."""
    name, places = keys.header.architecture, range(count)
    if name in RECURRENT:
        return [False] * count, [True] * count
    if name in BOTH:
        return [True] * count, [True] * count
    if name in BY_FEED_FORWARD:
        alone = [not forward[at] for at in places]
        return [alone[at] and kv_heads[at] > 0 for at in places], [
            alone[at] and not kv_heads[at] for at in places
        ]
    recurs = _recurring(keys, kv_heads, count)
    return [not one for one in recurs], recurs


def _recurring(keys: _Keys, kv_heads: Sequence[int], count: int) -> list[bool]:
    name = keys.header.architecture
    if name in BY_KV_HEADS:
        return [heads == 0 for heads in kv_heads[:count]]
    if name not in BY_INTERVAL:
        return [False] * count
    listed = keys.find("attention.recurrent_layers")
    if isinstance(listed, tuple) and len(listed) >= count:
        return [bool(one) for one in listed[:count]]
    usual = 8 if name == "minimax-01" else 4
    interval = keys.number("full_attention_interval", usual) or usual
    return [(at + 1) % interval != 0 for at in range(count)]


def _caching(keys: _Keys, count: int) -> int:
    """Return how many layers from the first have a cache of their own; the rest borrow one."""
    name = keys.header.architecture
    if name in UNCACHED:
        return 0
    if name == "gemma3n":
        return 20
    return count - keys.number("attention.shared_kv_layers", 0) if name == "gemma4" else count


def _indexer_values(keys: _Keys, count: int) -> list[int]:
    """Return the values of the indexer's key in each layer, 0 for layers that use another's choice."""
    name = keys.header.architecture
    if name not in INDEXED:
        return [0] * count
    # Pooled keys are kept with their gates and their pools.
    pooled = 3 if keys.find("attention.indexer.kpool") else 1
    width = pooled * keys.number("attention.indexer.key_length", 0)
    listed = keys.find("attention.indexer.types")
    if isinstance(listed, tuple) and len(listed) >= count and name != "deepseek32":
        return [width if one else 0 for one in listed[:count]]
    dense = keys.number("leading_dense_block_count", 0) if name == "minimax-m3" else 0
    return [width if at >= dense else 0 for at in range(count)]


def _conv_state(keys: _Keys, layers: Sequence[LayerShape]) -> int:
    embedding = keys.number("embedding_length")
    if keys.number("wkv.head_size", 0):
        return keys.number("token_shift_count", 2) * embedding
    if keys.number("shortconv.l_cache", 0):
        return embedding * (keys.number("shortconv.l_cache") - 1)
    before = max(0, keys.number("ssm.conv_kernel", 0) - 1)
    if keys.number("kda.head_dim", 0):
        return 3 * (before or 3) * layers[0].heads * keys.number("kda.head_dim")
    groups = keys.number("ssm.group_count", 0) * keys.number("ssm.state_size", 0)
    return before * (keys.number("ssm.inner_size", 0) + 2 * groups)


def _recurrent_state(keys: _Keys, layers: Sequence[LayerShape]) -> int:
    if keys.number("wkv.head_size", 0):
        return keys.number("embedding_length") * keys.number("wkv.head_size")
    linear = keys.number("kda.head_dim", 0)
    if linear:
        return linear * linear * layers[0].heads
    if keys.header.architecture == "minimax-01":
        return layers[0].key * layers[0].key * layers[0].heads
    return keys.number("ssm.state_size", 0) * keys.number("ssm.inner_size", 0)
