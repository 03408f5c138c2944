"""Which layers look back on a window only, by the engine's rules for each architecture."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple


class Rule(NamedTuple):
    """How the layers of an architecture slide.

    `every` n-th layer looks back on everything: the last of each n, or the first where `dense_first`.
    0 stands for an architecture whose header must list them.
    """

    every: int
    window: int = 0
    """The engine's own window where the header has none."""
    forced: bool = False
    """Whether the engine's window holds whatever the header says."""
    optional: bool = False
    """Whether layers slide only where the header has a window."""
    dense_first: bool = False


SLIDING: Mapping[str, Rule] = {
    "afmoe": Rule(4, optional=True),
    "cohere2": Rule(4),
    "cohere2moe": Rule(4, dense_first=True),
    "exaone-moe": Rule(4, window=128),
    "exaone4": Rule(4, window=4096),
    "gemma-embedding": Rule(6),
    "gemma2": Rule(2, window=4096),
    "gemma3": Rule(6, optional=True),
    "gemma3n": Rule(5),
    "gemma4": Rule(0),
    "gpt-oss": Rule(2),
    "granite_swa": Rule(0),
    "laguna": Rule(4, optional=True, dense_first=True),
    "lfm2": Rule(1, optional=True),
    "llama4": Rule(4, window=8192, forced=True),
    "maple": Rule(0),
    "mellum": Rule(4, optional=True),
    "mimo2": Rule(0),
    "modern-bert": Rule(3, optional=True, dense_first=True),
    "muse-glimmer": Rule(4),
    "olmo2": Rule(4, optional=True),
    "plamo3": Rule(8, optional=True),
    "smallthinker": Rule(4, window=4096, forced=True, optional=True, dense_first=True),
    "spark2_5": Rule(0),
    "step35": Rule(0),
}


def slides(architecture: str, find: Callable[[str], object], count: int) -> tuple[int, list[bool]]:
    """Return the window and which of `count` layers slide; (0, none) where the engine keeps everything."""
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
