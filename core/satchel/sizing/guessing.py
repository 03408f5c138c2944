"""A safe estimate of the compute buffer where the engine's graph is not known."""

from __future__ import annotations

from satchel.sizing.models.shapes import ModelShape
from satchel.sizing.placement import Placement
from satchel.sizing.runs import Run

KNOWN = frozenset(
    (
        *("afmoe", "arcee", "arctic", "baichuan", "bailingmoe", "bailingmoe2", "bloom"),
        *("chatglm", "codeshell", "cohere2", "command-r", "dbrx", "deepseek", "deepseek2"),
        *("dots1", "ernie4_5", "ernie4_5-moe", "exaone", "exaone-moe", "exaone4", "falcon"),
        *("falcon-h1", "gemma", "gemma2", "gemma3", "gemma3n", "gemma4", "glm4", "glm4moe"),
        *("gpt-oss", "gpt2", "gptneox", "granite", "granitehybrid", "granitemoe"),
        *("hunyuan-dense", "hunyuan-moe", "internlm2", "jais", "jamba", "lfm2", "lfm2moe"),
        *("llama", "llama4", "mamba", "mamba2", "minicpm", "minicpm3", "minimax-m2"),
        *("mistral3", "mpt", "nemotron", "nemotron_h", "nemotron_h_moe", "olmo", "olmo2"),
        *("olmoe", "orion", "phi2", "phi3", "phimoe", "plamo", "qwen", "qwen2", "qwen2moe"),
        *("qwen2vl", "qwen3", "qwen35", "qwen35moe", "qwen3moe", "qwen3next", "qwen3vl"),
        *("qwen3vlmoe", "refact", "seed_oss", "smallthinker", "smollm3", "stablelm"),
        *("starcoder", "starcoder2", "xverse"),
    )
)
"""Architectures whose drawn graph was compared with the engine's, byte for byte."""
SAFETY = 1.25
SCORED_BLOCKS = frozenset(("minimax-m3",))
"""Architectures that score every cell for each group of heads before they attend to a few."""
MASKED_WORDS = frozenset(("chameleon",))
"""Architectures that hide some words of the output, in a copy of it."""
STREAMS = 8
"""Copies of a layer's input and output that an unknown block is trusted to keep at once."""


def recognised(shape: ModelShape) -> bool:
    """Tell whether the graph of this model is drawn as the engine draws it."""
    if shape.architecture == "gemma4":
        return not {"per_layer_token_embd.weight", "blk.0.ffn_gate_inp.weight"} & set(shape.tensors)
    return shape.architecture in KNOWN


def guessed_buffers(shape: ModelShape, run: Run, placement: Placement) -> list[int]:
    """Return bytes of compute buffers, the host last: the widest block of the model, and a quarter more."""
    rows = max((tensor.shape[1] for tensor in shape.tensors.values() if len(tensor.shape) > 1), default=0)
    vocabulary = shape.tensors.get("token_embd.weight")
    words = vocabulary.shape[1] if vocabulary is not None and len(vocabulary.shape) > 1 else rows
    widest = max(_block(shape, run), 1)
    cells = run.cells
    mask = 2 * run.batch * cells
    scores = 0 if run.flash_attention else 8 * run.batch * cells * max(layer.heads for layer in shape.layers)
    if shape.architecture in SCORED_BLOCKS:
        scores += 8 * run.batch * cells * max(layer.kv_heads for layer in shape.layers)
    copies = max(2 * cells * layer.kv_heads * (layer.key + layer.value) for layer in shape.layers)
    words *= 2 if shape.architecture in MASKED_WORDS else 1
    head = 4 * run.wanted * (words + shape.embedding)
    card = int(SAFETY * max(head, 4 * run.batch * widest + 2 * mask + scores + copies))
    host = int(SAFETY * (8 * run.batch * shape.embedding + 2 * mask))
    return [card] * placement.host + [host if placement.host else host + card]


def _block(shape: ModelShape, run: Run) -> int:
    """Return the values a token that the widest block keeps."""
    used = shape.values.get(f"{shape.architecture}.expert_used_count", 1)
    many = max(used) if isinstance(used, tuple) and used else used
    many = many if isinstance(many, int) else 1
    experts = 0
    dense = 0
    for name, tensor in shape.tensors.items():
        if len(tensor.shape) == 3 and "_exps" in name:
            experts = max(experts, many * (tensor.shape[0] + 3 * tensor.shape[1]))
        elif len(tensor.shape) == 2 and name.startswith("blk."):
            dense = max(dense, 3 * tensor.shape[1])
    heads = max(layer.heads * (layer.key + layer.value) for layer in shape.layers)
    state = (shape.conv_state + shape.recurrent_state) * run.slots // max(1, run.batch)
    return STREAMS * shape.embedding + max(experts, dense) + 2 * heads + 4 * state
