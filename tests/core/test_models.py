from __future__ import annotations

import contextlib
import json
import warnings
from datetime import date
from importlib import resources

import pytest
from hypothesis import given
from hypothesis import strategies as st

from satchel import UnknownNameError
from satchel.tokens import Model, UnknownModelWarning, find_model, find_or_estimate, model_names


@pytest.mark.parametrize(
    ("name", "family", "context_tokens", "factor"),
    [
        ("gpt-4o-2024-08-06", "openai", 128_000, 1.0),
        ("gpt-4.1-mini", "openai", 1_047_576, 1.0),
        ("gpt-4-0613", "openai", 8_192, 1.0),
        ("azure/gpt-35-turbo", "openai", 16_385, 1.0),
        ("ft:gpt-4o-mini:acme::x1", "openai", 128_000, 1.0),
        ("claude-sonnet-4-5-20250929", "claude", 200_000, 1.33),
        ("openrouter/anthropic/claude-3.5-sonnet", "claude", 200_000, 1.33),
        ("us.anthropic.claude-3-5-sonnet-20241022-v2:0", "claude", 200_000, 1.33),
        ("claude-opus-4-1@20250805", "claude", 200_000, 1.33),
        ("anthropic/claude-opus-4.7", "claude", 1_000_000, 1.70),
        ("gemini-2.5-pro", "gemini", 1_048_576, 1.20),
        ("qwen3-coder", "qwen", 262_144, 1.02),
        ("Qwen/Qwen3-235B-A22B-Instruct-2507", "qwen", 262_144, 1.02),
        ("x-ai/grok-4", "grok", 256_000, 1.20),
        ("xai/grok-4-1-fast-reasoning", "grok", 2_000_000, 1.20),
        ("moonshotai/Kimi-K2-Instruct-0905", "kimi", 262_144, 1.20),
        ("z-ai/glm-4.6:exacto", "glm", 200_000, 1.20),
        ("glm-4.5-air", "glm", 131_072, 1.20),
        ("deepseek/deepseek-v3.2-exp", "deepseek", 131_072, 1.11),
        ("mistral-large-latest", "mistral", 262_144, 1.11),
        ("minimax/minimax-m2.5", "minimax", 204_800, 1.20),
        ("meta-llama/llama-4-scout-17b-16e-instruct", "llama", 10_485_760, 0.99),
        ("gemma3:27b", "gemini", 131_072, 1.20),
        ("us.amazon.nova-pro-v1:0", "nova", 300_000, 1.20),
        ("Qwen/Qwen2.5-Coder-32B-Instruct", "qwen", 32_768, 1.02),
        ("llama-3.1-70b", "llama", 131_072, 0.99),
        ("meta-llama/Llama-3.3-70B-Instruct", "llama", 131_072, 0.99),
        ("llama3:8b", "llama", 8_192, 0.99),
        ("deepseek-chat", "deepseek", 131_072, 1.11),
        ("deepseek-ai/DeepSeek-R1-Distill-Qwen-7B", "qwen", 131_072, 1.02),
        ("mistral-large-2411", "mistral", 131_072, 1.11),
    ],
)
def test_models_are_known_as_makers_and_servers_spell_them(
    name: str, family: str, context_tokens: int, factor: float
) -> None:
    model = find_model(name)

    assert (model.name, model.family) == (name, family)
    assert (model.context_tokens, model.factor) == (context_tokens, factor)


@pytest.mark.parametrize("name", ["claude-opus-4-9", "claude-opus-4-10", "claude-sonnet-5", "claude-9-ode"])
def test_an_unknown_claude_counts_like_the_dearest_known_one(name: str) -> None:
    assert find_model(name).factor == 1.70


@pytest.mark.parametrize(
    "name", ["gpt-4.9", "gpt-40", "o17", "llama-9", "grok-9", "kimi-k9", "glm-9", "", "/", "nonesuch"]
)
def test_a_model_that_only_looks_like_a_known_one_is_refused(name: str) -> None:
    with pytest.raises(UnknownNameError):
        find_model(name)


def test_a_misspelt_name_is_answered_with_the_nearest() -> None:
    with pytest.raises(UnknownNameError, match="did you mean 'gpt-4o'"):
        find_model("gtp-4o")


def test_an_unknown_model_lists_some_names_and_how_many_more_there_are() -> None:
    with pytest.raises(
        UnknownNameError, match=rf"\(known: chat-latest, .*, and {len(model_names()) - 30} more\)"
    ):
        find_model("nonesuch")


def test_old_openai_models_are_counted_in_their_own_vocabulary() -> None:
    assert find_model("gpt-4-turbo").encoding == "cl100k_base"
    assert find_model("gpt-3.5-turbo-0125").encoding == "cl100k_base"
    assert find_model("gpt-4o").encoding == "o200k_base"


@pytest.mark.parametrize("name", model_names())
def test_every_listed_name_is_found_and_only_openai_is_exact(name: str) -> None:
    model = find_model(name)

    assert model.exact == (model.family == "openai") == (model.factor == model.factor_p95 == 1)
    assert model.factor <= model.factor_p95
    assert (model.reply_tokens or 0) <= model.context_tokens


@given(st.integers(0, 10**9), st.sampled_from(model_names()), st.booleans())
def test_a_count_that_was_said_to_fit_is_reported_within_the_budget(
    budget: int, name: str, safe: bool
) -> None:
    model = find_model(name)

    assert model.to_model_tokens(model.countable(budget, safe=False)) <= budget
    assert model.countable(budget, safe=safe) <= model.countable(budget)


@given(st.integers(0, 10**7))
def test_one_token_more_than_what_fits_does_not(budget: int) -> None:
    model = Model(name="m", family="claude", context_tokens=200_000, factor=1.33)

    assert model.to_model_tokens(model.countable(budget) + 1) > budget


def test_reported_tokens_are_rounded_up() -> None:
    assert find_model("claude-3-opus").to_model_tokens(100) == 133
    assert find_model("claude-3-opus").to_model_tokens(1) == 2
    assert find_model("gpt-4o").to_model_tokens(7) == 7


@given(st.text(max_size=60))
def test_any_text_is_a_known_model_or_refused(name: str) -> None:
    with contextlib.suppress(UnknownNameError):
        assert find_model(name).context_tokens > 0


@pytest.mark.parametrize(
    ("typed", "named"),
    [
        ("gpt5", "gpt-5"),
        ("gpt4o", "gpt-4o"),
        ("opus-4.7", "claude-opus-4-7"),
        ("opus", "claude-opus-5-5"),
        ("Sonnet-5", "claude-sonnet-5"),
        ("claude-sonnet", "claude-sonnet-5-5"),
        ("claude-fable-5.1", "claude-fable-5-1"),
        ("gemini-pro", "gemini-pro-latest"),
        ("o3mini", "o3-mini"),
        ("grok4", "grok-4"),
        ("kimi", "kimi-k3"),
        ("mistral", "mistral-large-latest"),
        ("Qwen", "qwen-3.8"),
        ("qwen-coder", "qwen-3-coder"),
        ("llama", "llama-3.3"),
        ("gemma", "gemma-4"),
        ("kimi-k2-5", "kimi-k2.5"),
    ],
)
def test_what_people_type_is_understood(typed: str, named: str) -> None:
    assert find_model(typed)._replace(name="") == find_model(named)._replace(name="")


@pytest.mark.parametrize(
    "name", ["gpt-5.4", "gpt-5.6-luna", "gpt-6.1-sol", "claude-opus-5-5", "gemini-3.6-flash"]
)
def test_models_of_2026_are_known(name: str) -> None:
    assert find_model(name).context_tokens >= 1_000_000


def test_an_unknown_model_is_estimated_with_a_warning() -> None:
    with pytest.warns(UnknownModelWarning, match="no model is called 'gtp-4o'; did you mean 'gpt-4o'"):
        model = find_or_estimate("gtp-4o")

    assert (model.exact, model.context_tokens) == (False, 0)
    assert model.factor > 1


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("claude-sonet-4-5", "claude-sonnet-4-5"),
        ("gpt-5-mni", "o1-mini|o4-mini|gpt-5"),
        ("claude-opsu-5", "claude-opus-5"),
    ],
)
def test_a_misspelt_word_of_a_name_is_warned_of(typed: str, meant: str) -> None:
    with pytest.warns(UnknownModelWarning, match=f"no model is called '{typed}'; did you mean '({meant})"):
        model = find_or_estimate(typed)

    assert model == find_model(typed)


@pytest.mark.parametrize(
    "name",
    [
        *model_names(),
        "glm-4.7-flashx",
        "claude-opus-9",
        "anthropic/claude-sonnet-4-5-20250929",
        "claude-opus-4-6[1m]",
        "us.anthropic.claude-haiku-4-5-20251001-v1:0",
        "gpt-5-mini",
        "gemini-3.6-flash-preview",
        "openrouter/qwen/qwen3-coder:free",
    ],
)
def test_names_with_new_words_are_not_misspelt(name: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        find_or_estimate(name)


def test_a_longer_window_is_no_other_model() -> None:
    assert find_model("claude-opus-4-6[1m]").factor == find_model("claude-opus-4-6").factor


def test_the_table_has_a_date_and_a_source_for_each_model() -> None:
    table = json.loads(resources.files("satchel.tokens").joinpath("models.json").read_text("utf-8"))

    assert date.fromisoformat(table["date"])
    assert {row["source"] for row in table["models"]} == set(table["sources"])
    assert {row["vocabulary"] for row in table["models"]} == set(table["vocabularies"])


def test_a_size_is_of_one_model_and_not_of_the_one_that_people_mean_by_the_family() -> None:
    with pytest.raises(UnknownNameError, match="did you mean 'mistral-7b'"):
        find_model("mistral:7b")

    assert find_model("moonshotai/kimi:free").context_tokens == find_model("kimi").context_tokens


def test_every_alias_names_a_model_of_the_table() -> None:
    aliases = json.loads(resources.files("satchel.tokens").joinpath("models.json").read_text("utf-8"))[
        "aliases"
    ]

    assert all(find_model(name).context_tokens > 0 for name in aliases.values())
