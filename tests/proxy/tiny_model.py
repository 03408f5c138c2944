"""Write a model file of random weights: its words are noise, its counts, limits and streams are real."""

from __future__ import annotations

import itertools
import math
import random
from collections.abc import Iterable
from pathlib import Path

import gguf
import numpy as np

WIDTH, HEADS, INNER = 32, 2, 64
TRAINED = 32_768
"""Tokens that the model is said to be trained for."""
_MARKS = ("<|endoftext|>", "<|im_start|>", "<|im_end|>")


def byte_letters() -> dict[int, str]:
    """Return the letter that stands for each byte in a vocabulary of GPT-2's kind."""
    shown = [*range(33, 127), *range(161, 173), *range(174, 256)]
    hidden = [one for one in range(256) if one not in shown]
    return {one: chr(one) for one in shown} | {one: chr(256 + at) for at, one in enumerate(hidden)}


def make_vocabulary(words: Iterable[str]) -> tuple[list[str], list[str]]:
    """Return tokens and merges of a byte-pair vocabulary with each word, also behind a space."""
    letters = byte_letters()
    tokens, merges = dict.fromkeys(letters.values()), {}
    for word in itertools.chain.from_iterable((f" {word}", word) for word in words):
        spelt = "".join(letters[one] for one in word.encode())
        for end in range(2, len(spelt) + 1):
            tokens[spelt[:end]] = None
            merges[f"{spelt[: end - 1]} {spelt[end - 1]}"] = None
    return list(tokens), list(merges)


def write_model(path: Path, words: Iterable[str]) -> Path:
    """Write a llama model of one layer whose vocabulary has these words."""
    tokens, merges = make_vocabulary(words)
    tokens += _MARKS
    made = gguf.GGUFWriter(path, "llama")
    made.add_context_length(TRAINED)
    made.add_embedding_length(WIDTH)
    made.add_block_count(1)
    made.add_feed_forward_length(INNER)
    made.add_head_count(HEADS)
    made.add_head_count_kv(HEADS)
    made.add_layer_norm_rms_eps(1e-5)
    made.add_rope_dimension_count(WIDTH // HEADS)
    made.add_vocab_size(len(tokens))
    made.add_tokenizer_model("gpt2")
    made.add_tokenizer_pre("gpt-2")
    made.add_token_list(tokens)
    made.add_token_merges(merges)
    kinds = [gguf.TokenType.NORMAL] * (len(tokens) - len(_MARKS)) + [gguf.TokenType.CONTROL] * len(_MARKS)
    made.add_token_types(kinds)
    made.add_bos_token_id(len(tokens) - 3)
    made.add_eos_token_id(len(tokens) - 1)
    made.add_add_bos_token(False)
    spread = random.Random(7)

    def add(name: str, *shape: int) -> None:
        values = [spread.gauss(0, 0.3) for _ in range(math.prod(shape))]
        made.add_tensor(name, np.array(values, dtype=np.float32).reshape(shape))

    add("token_embd.weight", len(tokens), WIDTH)
    add("output.weight", len(tokens), WIDTH)
    for name in ("output_norm", "blk.0.attn_norm", "blk.0.ffn_norm"):
        add(f"{name}.weight", WIDTH)
    for name in ("attn_q", "attn_k", "attn_v", "attn_output"):
        add(f"blk.0.{name}.weight", WIDTH, WIDTH)
    add("blk.0.ffn_gate.weight", INNER, WIDTH)
    add("blk.0.ffn_up.weight", INNER, WIDTH)
    add("blk.0.ffn_down.weight", WIDTH, INNER)
    made.write_header_to_file()
    made.write_kv_data_to_file()
    made.write_tensors_to_file()
    made.close()
    return path
