"""What a run opens with: configuration, plugins, tokenizer, budget."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.core.repositories import plain_host

from satchel import ConfigError, UnknownNameError, UsageError, WorkspaceError
from satchel.config import Config
from satchel.host import PluginKind
from satchel.runs import WorkspaceRun, budget_of, open_run
from satchel.tokens import UnknownModelWarning


def opened(root: Path, config: Config | None = None) -> WorkspaceRun:
    return open_run(root, config=config, host=plain_host())


def test_the_configuration_of_the_root_is_read(polyglot: Path) -> None:
    (polyglot / "satchel.toml").write_text('budget = 1234\nstrategy = "recent"\n')

    run = opened(polyglot)

    assert (run.config.budget, run.config.strategy) == (1234, "recent")
    assert budget_of(run, None) == 1234
    assert budget_of(run, 77) == 77


def test_an_error_in_the_configuration_is_told(polyglot: Path) -> None:
    (polyglot / "satchel.toml").write_text("budgett = 1234\n")

    with pytest.raises(ConfigError, match="budgett"):
        opened(polyglot)


def test_an_ill_typed_setting_of_a_plugin_is_told(polyglot: Path) -> None:
    run = opened(polyglot, Config(plugins={"scorer": {"lexical": {"wait": 2}}}))

    with pytest.raises(ConfigError, match="wait"):
        run.all(PluginKind.SCORER)


def test_an_unknown_tokenizer_is_told(polyglot: Path) -> None:
    with pytest.raises(UnknownNameError):
        opened(polyglot, Config(tokenizer="nosuch"))


def test_a_root_that_is_no_folder_is_told(tmp_path: Path) -> None:
    with pytest.raises(WorkspaceError):
        opened(tmp_path / "nosuch")


@pytest.mark.parametrize("budget", [0, -1, "x", "auto", True, 2.0])
def test_what_is_no_budget_is_refused(polyglot: Path, budget: int | str) -> None:
    with pytest.raises(UsageError, match="budget"):
        budget_of(opened(polyglot), budget)


def test_auto_is_the_window_of_the_model_less_the_reply(polyglot: Path) -> None:
    run = opened(polyglot, Config(model="gpt-4o"))

    budget = budget_of(run, "auto")

    assert run.model is not None
    assert run.model.context_tokens // 2 < budget < run.model.context_tokens


def test_without_a_model_tokens_are_as_they_are_counted(polyglot: Path) -> None:
    run = opened(polyglot)

    assert (run.to_model_tokens(123), run.countable(123), run.exact) == (123, 123, True)


def test_auto_leaves_the_longest_answer_of_gpt_5(polyglot: Path) -> None:
    assert budget_of(opened(polyglot, Config(model="gpt-5")), "auto") == 272_000


def test_the_window_of_an_unknown_model_is_asked_for(polyglot: Path) -> None:
    with pytest.warns(UnknownModelWarning):
        run = opened(polyglot, Config(model="nonesuch-9"))

    assert budget_of(run, 9_000) == 9_000
    with pytest.raises(UsageError, match="the window of 'nonesuch-9' is not known"):
        budget_of(run, "auto")
