"""Models by name: their windows, and the ratio of their tokens to satchel's counts."""

from __future__ import annotations

import re
from typing import NamedTuple

from satchel.errors import UnknownNameError
from satchel.patterns import lazily

# factors are used as ten-thousandths: in integers, converting there and back never increases a count
_FINE = 10_000


class Model(NamedTuple):
    """A model's window and its vocabulary.

    `context_tokens` is the window in the model's own tokens, input and answer together;
    `reply_tokens` the longest answer it can give, None if its maker names none. Counts are taken
    in `encoding` by the tokenizer `tokenizer`. A count of n is about `n * factor` tokens of the model,
    and 95 % of files have no more than `n * factor_p95`: a budget of b model tokens is `b / factor`
    counted ones to plan with, `b / factor_p95` to be on the safe side. `exact` holds where the
    vocabulary is the counted one, and then both factors are 1.
    """

    name: str
    family: str
    context_tokens: int
    reply_tokens: int | None = None
    tokenizer: str = "offline"
    encoding: str = "o200k_base"
    factor: float = 1.0
    factor_p95: float = 1.0
    exact: bool = False

    def to_model_tokens(self, counted: int) -> int:
        """Return the approximate tokens of the model for `counted` tokens of `encoding`, rounded up."""
        return -(-counted * round(self.factor * _FINE) // _FINE)

    def countable(self, tokens: int, *, safe: bool = False) -> int:
        """Return the largest count whose `to_model_tokens` is at most `tokens`; `safe` uses `factor_p95`."""
        factor = self.factor_p95 if safe else self.factor
        return max(0, tokens) * _FINE // round(factor * _FINE)


class _FamilyVocabulary(NamedTuple):
    """How a family of models counts: tokens of the model over tokens of `encoding`."""

    family: str
    factor: float = 1.0
    factor_p95: float = 1.0
    encoding: str = "o200k_base"
    exact: bool = False


# Factors on code, the dearest common kind of text, measured over 6,094 files against o200k (mean and
# 95th percentile per file); OpenAI's own vocabularies are counted as they are.
_O200K = _FamilyVocabulary("openai", exact=True)
_CL100K = _FamilyVocabulary("openai", encoding="cl100k_base", exact=True)
_CLAUDE = _FamilyVocabulary("claude", 1.33, 1.48)
# Claude 4.7 and later: up to 2.28 times o200k in one file
_CLAUDE_NEW = _FamilyVocabulary("claude", 1.70, 1.96)
_CLAUDE_2 = _FamilyVocabulary("claude", 1.19, 1.38)
_LLAMA = _FamilyVocabulary("llama", 0.99, 1.02)
_QWEN = _FamilyVocabulary("qwen", 1.02, 1.09)
_QWEN_NEW = _FamilyVocabulary("qwen", 1.11, 1.20)
# measured on DeepSeek V4; the vocabulary of V3 and R1 is assumed to be like it
_DEEPSEEK = _FamilyVocabulary("deepseek", 1.11, 1.20)
_MISTRAL = _FamilyVocabulary("mistral", 1.11, 1.19)
# assumed, not measured: no vocabulary of Gemini was available, so the range is as wide as the widest
_GEMINI = _FamilyVocabulary("gemini", 1.20, 1.50)

_K = 1024
# (name, vocabulary, window, longest answer): from the makers' model pages; a served model may
# have less, and a header or a server overrides this table. The longest name that begins
# the asked one is taken, so a family's last line answers for its unnamed members.
_TABLE: tuple[tuple[str, _FamilyVocabulary, int, int | None], ...] = (
    ("gpt-5", _O200K, 400_000, 128_000),
    ("gpt-5.1", _O200K, 400_000, 128_000),
    ("gpt-5.2", _O200K, 400_000, 128_000),
    ("gpt-5-chat", _O200K, 128_000, 16_384),
    ("gpt-4.1", _O200K, 1_047_576, 32_768),
    ("gpt-4.5", _O200K, 128_000, 16_384),
    ("gpt-4o", _O200K, 128_000, 16_384),
    ("chatgpt-4o", _O200K, 128_000, 16_384),
    ("gpt-oss", _O200K, 128 * _K, None),
    ("o1", _O200K, 200_000, 100_000),
    ("o1-mini", _O200K, 128_000, 65_536),
    ("o1-preview", _O200K, 128_000, 32_768),
    ("o3", _O200K, 200_000, 100_000),
    ("o4-mini", _O200K, 200_000, 100_000),
    ("codex-mini", _O200K, 200_000, 100_000),
    ("gpt-4", _CL100K, 8_192, 8_192),
    ("gpt-4-32k", _CL100K, 32_768, 32_768),
    ("gpt-4-turbo", _CL100K, 128_000, 4_096),
    ("gpt-4-1106", _CL100K, 128_000, 4_096),
    ("gpt-4-0125", _CL100K, 128_000, 4_096),
    ("gpt-4-vision", _CL100K, 128_000, 4_096),
    ("gpt-3.5-turbo", _CL100K, 16_385, 4_096),
    ("gpt-3.5-turbo-instruct", _CL100K, 4_096, 4_096),
    ("claude-2", _CLAUDE_2, 100_000, 4_096),
    ("claude-2-1", _CLAUDE_2, 200_000, 4_096),
    ("claude-instant", _CLAUDE_2, 100_000, 4_096),
    ("claude-3-haiku", _CLAUDE, 200_000, 4_096),
    ("claude-3-sonnet", _CLAUDE, 200_000, 4_096),
    ("claude-3-opus", _CLAUDE, 200_000, 4_096),
    ("claude-3-5", _CLAUDE, 200_000, 8_192),
    ("claude-3-7", _CLAUDE, 200_000, 64_000),
    ("claude-sonnet-4", _CLAUDE, 200_000, 64_000),
    ("claude-sonnet-4-0", _CLAUDE, 200_000, 64_000),
    ("claude-sonnet-4-5", _CLAUDE, 200_000, 64_000),
    ("claude-sonnet-4-6", _CLAUDE, 200_000, 64_000),
    ("claude-haiku-4-5", _CLAUDE, 200_000, 64_000),
    ("claude-opus-4", _CLAUDE, 200_000, 32_000),
    ("claude-opus-4-0", _CLAUDE, 200_000, 32_000),
    ("claude-opus-4-1", _CLAUDE, 200_000, 32_000),
    ("claude-opus-4-5", _CLAUDE, 200_000, 64_000),
    ("claude-opus-4-6", _CLAUDE, 200_000, 64_000),
    # 4.7, 4.8 and any unknown Claude: the highest factor packs too little, never too much
    ("claude", _CLAUDE_NEW, 200_000, None),
    ("gemini-1.5-pro", _GEMINI, 2_097_152, 8_192),
    ("gemini-1.5-flash", _GEMINI, 1_048_576, 8_192),
    ("gemini-2.0-flash", _GEMINI, 1_048_576, 8_192),
    ("gemini-2.5", _GEMINI, 1_048_576, 65_536),
    ("gemini", _GEMINI, 1_048_576, None),
    ("llama-3", _LLAMA, 8_192, None),
    ("llama-3.1", _LLAMA, 128 * _K, None),
    ("llama-3.2", _LLAMA, 128 * _K, None),
    ("llama-3.3", _LLAMA, 128 * _K, None),
    ("qwen-2.5", _QWEN, 32_768, 8_192),
    ("qwen-2.5-coder", _QWEN, 32_768, 8_192),
    ("qwen-3", _QWEN, 32_768, None),
    ("qwen-3-coder", _QWEN, 256 * _K, 65_536),
    ("qwen-3-next", _QWEN, 256 * _K, None),
    ("qwen-3.5", _QWEN_NEW, 256 * _K, None),
    ("qwen-3.6", _QWEN_NEW, 256 * _K, None),
    ("qwq", _QWEN, 128 * _K, None),
    ("deepseek-chat", _DEEPSEEK, 128 * _K, 8_192),
    ("deepseek-reasoner", _DEEPSEEK, 128 * _K, 65_536),
    ("deepseek-coder-v2", _DEEPSEEK, 128 * _K, None),
    ("deepseek-v3", _DEEPSEEK, 128 * _K, None),
    ("deepseek-v3.1", _DEEPSEEK, 128 * _K, None),
    ("deepseek-v3.2", _DEEPSEEK, 128 * _K, None),
    ("deepseek-v4", _DEEPSEEK, 128 * _K, None),
    ("deepseek-r1", _DEEPSEEK, 128 * _K, None),
    ("deepseek-r1-distill-llama", _LLAMA, 128 * _K, None),
    ("deepseek-r1-distill-qwen", _QWEN, 128 * _K, None),
    ("deepseek", _DEEPSEEK, 64 * _K, None),
    ("mistral-large", _MISTRAL, 128 * _K, None),
    ("mistral-medium", _MISTRAL, 128 * _K, None),
    ("mistral-small", _MISTRAL, 32 * _K, None),
    ("mistral-small-3.1", _MISTRAL, 128 * _K, None),
    ("mistral-small-3.2", _MISTRAL, 128 * _K, None),
    ("mistral-nemo", _MISTRAL, 128 * _K, None),
    ("ministral", _MISTRAL, 128 * _K, None),
    ("codestral", _MISTRAL, 256 * _K, None),
    ("devstral", _MISTRAL, 128 * _K, None),
    ("magistral", _MISTRAL, 40 * _K, None),
)

# the same model under another maker's or server's spelling
_SPELLINGS = (
    (lazily(r"^(?:meta-)?llama-?(?=\d)"), "llama-"),
    (lazily(r"^qwen-?(?=\d)"), "qwen-"),
    (lazily(r"^claude-(\d)[.-](\d)-(opus|sonnet|haiku)"), r"claude-\1-\2-\3"),
    (lazily(r"^claude-v?2(?:\.0)?(?=-|$)"), "claude-2"),
    (lazily(r"^claude-v?(\d)[.:](\d)"), r"claude-\1-\2"),
    (lazily(r"^claude-(opus|sonnet|haiku)-(\d)\.(\d)"), r"claude-\1-\2-\3"),
    (lazily(r"^claude-4-(\d)-(opus|sonnet|haiku)"), r"claude-\2-4-\1"),
    (lazily(r"^claude-4-(opus|sonnet|haiku)"), r"claude-\1-4"),
    (lazily(r"^gpt-35-"), "gpt-3.5-"),
    (lazily(r"^llama-3-([123])(?=-|$)"), r"llama-3.\1"),
    (lazily(r"^mistral-small(?=3)"), "mistral-small-"),
    (lazily(r"^open-mistral-nemo"), "mistral-nemo"),
)


def model_names() -> tuple[str, ...]:
    """Return the names and name beginnings that `find_model` knows, sorted."""
    return tuple(sorted(name for name, *_ in _TABLE))


def find_model(name: str) -> Model:
    """Return the model called `name`, as makers, routers and servers spell it.

    A provider in front (`anthropic/`, `openrouter/anthropic/`, `bedrock/us.anthropic.`), a date or a
    size behind and a tag (`:free`, `:70b`) are allowed. Raises UnknownNameError with the nearest name.
    """
    plain = _plain(name)
    known = [row for row in _TABLE if _begins(row[0], plain)]
    if not known:
        raise UnknownNameError("model", name, model_names())
    _, vocabulary, context_tokens, reply_tokens = max(known, key=lambda row: len(row[0]))
    return Model(
        name=name,
        family=vocabulary.family,
        context_tokens=context_tokens,
        reply_tokens=reply_tokens,
        encoding=vocabulary.encoding,
        factor=vocabulary.factor,
        factor_p95=vocabulary.factor_p95,
        exact=vocabulary.exact,
    )


def _plain(name: str) -> str:
    last = name.strip().lower().rsplit("/", 1)[-1]
    # Bedrock: us.anthropic.claude-...-v1:0; Ollama: llama3.1:70b; fine-tuned: ft:gpt-4o:acme::id
    last = last.removeprefix("ft:").split(":", 1)[0].split("@", 1)[0].replace("_", "-")
    last = re.sub(r"^(?:[a-z]{2,6}\.)?(?:anthropic|meta|mistral|deepseek|openai|qwen)\.(?=[a-z])", "", last)
    for spelling, plain in _SPELLINGS:
        last = spelling.sub(plain, last)
    return last


def _begins(known: str, plain: str) -> bool:
    if not plain.startswith(known):
        return False
    rest = plain[len(known) :]
    if not known[-1].isdigit():
        return not rest or rest[0] in "-.0123456789"
    # "gpt-4" begins neither "gpt-4o" nor "gpt-4.9", "claude-opus-4" not "claude-opus-4-9"
    return not rest or (rest[0] == "-" and not re.match(r"-\d{1,2}(?:-|$)", rest))
