"""What layers keep where the engine has rules of its own for an architecture."""

from __future__ import annotations

import pytest

from satchel.sizing import Header, Run, count_layer_bytes, shape_of

PLAIN = {
    "block_count": 8,
    "context_length": 131_072,
    "embedding_length": 2048,
    "attention.head_count": 16,
    "attention.head_count_kv": 4,
    "attention.key_length": 128,
    "attention.value_length": 128,
}
LATENT = {
    "attention.head_count_kv": 1,
    "attention.key_length": 576,
    "attention.value_length": 512,
    "attention.key_length_mla": 192,
}
INDEX = {"attention.indexer.key_length": 128, "leading_dense_block_count": 1}


def kept(name: str, context: int, **more: object) -> int:
    """Return the bytes that all layers keep on a card."""
    values = {f"{name}.{key}": value for key, value in {**PLAIN, **more}.items()}
    shape = shape_of(Header("x", {"general.architecture": name, **values}, ()))
    return sum(count_layer_bytes(shape, layer, Run(context), on_card=True) for layer in shape.layers)


@pytest.mark.parametrize(
    ("name", "keys", "values_a_token"),
    [
        ("deepseek32", {**LATENT, **INDEX}, 8 * (576 + 128)),
        (
            "glm-dsa",
            {**LATENT, **INDEX, "attention.indexer.types": (1, 1, 0, 0, 0, 1, 0, 0)},
            8 * 576 + 3 * 128,
        ),
        ("minimax-m3", INDEX, 8 * 4 * 256 + 7 * 256),
        ("qwen3", INDEX, 8 * 4 * 256),
    ],
)
def test_an_indexer_keeps_a_key_of_its_own(name: str, keys: dict[str, object], values_a_token: int) -> None:
    assert kept(name, 4096, **keys) == 2 * 4096 * values_a_token


def test_seven_of_eight_layers_of_minimax_keep_a_square_for_each_head() -> None:
    # measured with the engine on such a header, like the others here
    assert kept("minimax-01", 4096) == 7 * 4 * 16 * 128 * 128 + 2 * 4096 * 4 * 256
