"""The configuration: layers, origins, and every error at once."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import ClassVar, Literal

import attrs
import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st

from satchel import ConfigError
from satchel.config import SETTINGS, Config, load, schema
from satchel.config.describing import meanings
from satchel.config.values import budget
from satchel.host import Loaded, PluginKind


def read(root: Path, *, user: str = "", env: dict[str, str] | None = None, **flags: object) -> Config:
    user_file = root.parent / f"{root.name}-user.toml"
    user_file.write_text(user, encoding="utf-8")
    return load(root, env=env or {}, flags=flags, user_file=user_file)


def errors(root: Path, **given: object) -> tuple[str, ...]:
    with pytest.raises(ConfigError) as caught:
        read(root, **given)  # type: ignore[arg-type]
    return caught.value.errors


def write(root: Path, name: str, text: str) -> None:
    (root / name).write_text(text, encoding="utf-8")


def test_without_any_file_every_setting_has_its_default(tmp_path: Path) -> None:
    config = read(tmp_path)

    assert config == Config(origins=dict.fromkeys((setting.name for setting in SETTINGS), "default"))


def test_defaults_of_the_class_are_those_of_the_settings() -> None:
    assert {setting.name: setting.default for setting in SETTINGS} == {
        name: default
        for name, default in Config._field_defaults.items()
        if name not in ("plugins", "origins", "warnings")
    }


LAYERS = ("user", "llm_context.json", "pyproject.toml", "satchel.toml", "SATCHEL_BUDGET", "flag")


@pytest.mark.parametrize("strongest", range(len(LAYERS)))
def test_each_layer_stands_over_the_ones_before_it(tmp_path: Path, strongest: int) -> None:
    layers = LAYERS[: strongest + 1]
    texts = {
        "llm_context.json": '{"targetSize": 2}',
        "pyproject.toml": "[tool.satchel]\nbudget = 3",
        "satchel.toml": "budget = 4",
    }
    for name in layers:
        if name in texts:
            write(tmp_path, name, texts[name])

    config = read(
        tmp_path,
        user="budget = 1",
        env={"SATCHEL_BUDGET": "5"} if "SATCHEL_BUDGET" in layers else {},
        budget="6" if "flag" in layers else None,
    )

    assert config.budget == strongest + 1
    assert config.origins["budget"].endswith(layers[-1] if strongest else "-user.toml")


def test_layers_are_merged_key_by_key(tmp_path: Path) -> None:
    write(tmp_path, "pyproject.toml", "[tool.satchel.scorer.churn]\nweight = 2\nhalf_life = 7")
    write(tmp_path, "satchel.toml", "[scorer.churn]\nweight = 3")

    config = read(tmp_path)

    assert config.table("scorer", "churn") == {"weight": 3, "half_life": 7}
    assert config.origins["scorer.churn.weight"] == "satchel.toml"
    assert config.origins["scorer.churn.half_life"] == "pyproject.toml"
    assert config.where("scorer", "churn") == "pyproject.toml, satchel.toml"


def test_a_plugin_without_a_table_has_no_settings(tmp_path: Path) -> None:
    config = read(tmp_path)

    assert config.table("scorer", "churn") == {}
    assert config.where("scorer", "churn") == ""


def test_disabled_plugins_of_all_layers_add_up(tmp_path: Path) -> None:
    write(tmp_path, "satchel.toml", 'disable = ["b", "a"]')

    config = read(tmp_path, user='disable = ["a"]', env={"SATCHEL_DISABLE_PLUGINS": "c, ,b"}, disable=["d"])

    assert config.disable == ("a", "b", "c", "d")
    assert config.origins["disable"].endswith("satchel.toml, SATCHEL_DISABLE_PLUGINS, flag")


def test_a_tokenizer_is_chosen_and_set_up_in_one_file(tmp_path: Path) -> None:
    write(tmp_path, "satchel.toml", '[tokenizer]\nuse = "llama"\n[tokenizer.llama]\nfile = "a.json"')

    config = read(tmp_path)

    assert config.tokenizer == "llama"
    assert config.table("tokenizer", "llama") == {"file": "a.json"}


def test_the_table_of_a_plugin_without_settings_is_kept(tmp_path: Path) -> None:
    write(tmp_path, "satchel.toml", "[packer.dp]")

    assert read(tmp_path).plugins == {"packer": {"dp": {}}}


def test_all_errors_of_all_places_come_at_once(tmp_path: Path) -> None:
    write(tmp_path, "satchel.toml", 'budgt = 1\nstrict = "yes"')
    write(tmp_path, "pyproject.toml", "[tool.satchel]\nscorer = 3")
    write(tmp_path, "llm_context.json", '{"targetSize": "big"}')

    found = errors(tmp_path, env={"SATCHEL_STRICT": "maybe"}, budget="0")

    assert found == (
        "llm_context.json: targetSize: expected a number",
        "pyproject.toml: tool.satchel.scorer: expected a table",
        "satchel.toml: budgt: unknown key, did you mean budget?",
        "satchel.toml: strict: expected true or false, not 'yes'",
        "SATCHEL_STRICT: expected one of 1, true, yes, on, 0, false, no, off, not 'maybe'",
        "--budget: expected at least 1 token, not '0'",
    )


@pytest.mark.parametrize(
    ("name", "text", "place"),
    [
        ("satchel.toml", "budget = 1\nmodel = oops\n", "satchel.toml:2:9: "),
        ("satchel.toml", "budget = 1\nmodel = [\n", "satchel.toml:3:1: "),
        ("pyproject.toml", "[tool.satchel]\nbudget == 1\n", "pyproject.toml:2:9: "),
        ("llm_context.json", '{\n  "targetSize": 1,,\n}', "llm_context.json:2:19: "),
        ("llm_context.json", "[]", "llm_context.json: expected an object"),
        ("satchel.toml", "a = " + "[" * 5000, "satchel.toml is nested too deeply"),
        ("llm_context.json", "[" * 200_000, "llm_context.json is nested too deeply"),
        ("satchel.toml", "budget = " + "9" * 5000, "satchel.toml: "),
        ("satchel.toml", "#" * (1 << 20) + "#", "satchel.toml is larger than 1 MiB"),
    ],
)
def test_a_broken_file_is_named_with_line_and_column(
    tmp_path: Path, name: str, text: str, place: str
) -> None:
    write(tmp_path, name, text)

    assert errors(tmp_path)[0].startswith(place)


def test_a_file_that_is_not_utf8_is_named(tmp_path: Path) -> None:
    (tmp_path / "satchel.toml").write_bytes(b'model = "\xe9"')

    assert errors(tmp_path) == ("satchel.toml is not UTF-8 at byte 9; save it as UTF-8",)


def test_a_file_from_a_windows_editor_is_read(tmp_path: Path) -> None:
    (tmp_path / "satchel.toml").write_bytes(b"\xef\xbb\xbfbudget = 7\r\nstrict = true\r\n")

    assert read(tmp_path).budget == 7


def test_a_broken_pyproject_without_satchel_is_a_warning(tmp_path: Path) -> None:
    write(tmp_path, "pyproject.toml", "<<<<<<< HEAD\n[project]\n")

    assert read(tmp_path).warnings[0].startswith("pyproject.toml:1:1: ")


@pytest.mark.parametrize("text", ["tool = 3", "[tool]\nother = 1", "[project]\nname = 'x'", ""])
def test_a_pyproject_of_others_says_nothing(tmp_path: Path, text: str) -> None:
    write(tmp_path, "pyproject.toml", text)

    assert read(tmp_path) == Config(origins=read(tmp_path).origins)


def test_what_the_older_tool_knows_more_is_warned_about(tmp_path: Path) -> None:
    old = {"targetSize": 8192, "autoSize": True, "vramBuffer": 1, "compression": {"summaryMaxTokens": 9}}
    write(tmp_path, "llm_context.json", json.dumps(old))

    config = read(tmp_path)

    assert (config.budget, config.vram_margin) == (8192, 1)
    assert [warning.split(":")[1].strip() for warning in config.warnings] == [
        "autoSize",
        "compression.summaryMaxTokens",
    ]


def test_what_the_older_tool_says_of_compression_and_snapshots_is_read(tmp_path: Path) -> None:
    old = {
        "compression": {"enabled": True, "strategy": "truncate", "threshold": 0.75},
        "snapshots": {"enabled": True, "maxCount": 3, "autoCreate": True, "autoThreshold": 0.9},
    }
    write(tmp_path, "llm_context.json", json.dumps(old))

    config = read(tmp_path)

    assert (config.compressor, config.compact_at) == ("truncate", 0.75)
    assert (config.snapshots, config.snapshot_at, config.warnings) == (3, 0.9, ())


def test_what_the_older_tool_switches_off_is_off(tmp_path: Path) -> None:
    old = {
        "compression": {"enabled": False, "threshold": 0.5},
        "snapshots": {"autoCreate": False, "maxCount": 2},
    }
    write(tmp_path, "llm_context.json", json.dumps(old))

    config = read(tmp_path)

    assert (config.compact_at, config.snapshot_at, config.snapshots) == (1.0, 0.0, 2)


def test_wrong_values_of_the_older_tool_are_named(tmp_path: Path) -> None:
    old = {"compression": {"threshold": 7, "strategy": 3}, "snapshots": {"maxCount": 0}}
    write(tmp_path, "llm_context.json", json.dumps(old))

    with pytest.raises(ConfigError) as caught:
        read(tmp_path)

    assert [error.split(":")[1].strip() for error in caught.value.errors] == [
        "compression.strategy",
        "compression.threshold",
        "snapshots.maxCount",
    ]


def test_the_older_tools_own_size_is_auto_where_a_model_is_named(tmp_path: Path) -> None:
    write(tmp_path, "llm_context.json", json.dumps({"targetSize": 8192, "autoSize": True}))

    config = read(tmp_path, env={"SATCHEL_MODEL": "gpt-5"})

    assert (config.budget, config.warnings) == ("auto", ())
    assert read(tmp_path, env={"SATCHEL_MODEL": "gpt-5", "SATCHEL_BUDGET": "9k"}).budget == 9000


def test_a_misspelt_variable_is_warned_about(tmp_path: Path) -> None:
    config = read(tmp_path, env={"SATCHEL_BUGDET": "1", "SATCHEL_ELSEWHERE_URL": "x", "SATCHEL_MODEL": ""})

    assert config.warnings == ("SATCHEL_BUGDET: unknown variable, did you mean SATCHEL_BUDGET?",)


def test_an_unknown_flag_is_an_error(tmp_path: Path) -> None:
    assert errors(tmp_path, bugdet=1) == ("--bugdet: unknown flag, did you mean budget?",)


@pytest.mark.parametrize(
    ("variable", "text", "field", "value"),
    [
        ("SATCHEL_MODEL", "qwen3", "model", "qwen3"),
        ("SATCHEL_STRATEGY", "recent", "strategy", "recent"),
        ("SATCHEL_TOKENIZER", "estimate", "tokenizer", "estimate"),
        ("SATCHEL_DEADLINE_SECONDS", "2.5", "deadline_seconds", 2.5),
        ("SATCHEL_STRICT", "1", "strict", True),
        ("SATCHEL_STRICT", "off", "strict", False),
        ("SATCHEL_BUDGET", "auto", "budget", "auto"),
    ],
)
def test_variables_are_read(tmp_path: Path, variable: str, text: str, field: str, value: object) -> None:
    config = read(tmp_path, env={variable: text})

    assert getattr(config, field) == value
    assert config.origins[field] == variable


@pytest.mark.parametrize(
    "line",
    [
        "budget = 0",
        "budget = -5",
        "budget = 1.5",
        "budget = true",
        'budget = "some"',
        'budget = "1.5"',
        "model = 3",
        'strategy = ""',
        'disable = "churn"',
        "disable = [1]",
        "deadline_seconds = 0",
        "deadline_seconds = nan",
        "deadline_seconds = inf",
        "deadline_seconds = 1e9",
        'deadline_seconds = "3"',
        "strict = 1",
        "tokenizer = []",
        'provider = "git"',
        "[scorer]\nchurn = 2",
        "[tool.satchel]\nbudget = 3",
        "redact = false",
    ],
)
def test_ill_typed_and_unknown_keys_are_refused(tmp_path: Path, line: str) -> None:
    write(tmp_path, "satchel.toml", line)

    assert len(errors(tmp_path)) == 1


@pytest.mark.parametrize(
    "line",
    [
        'model = "/models/a.gguf"',
        'model = "~/a.gguf"',
        'model = "../a.gguf"',
        'model = "C:\\\\a.gguf"',
        'model = "https://example.org/a.gguf"',
        "[provider.docs]\nnames = ['a.md', '../../secret']",
        "[provider.docs.inner]\ndeep = {path = '/etc/passwd'}",
        "[compressor.model]\ncommand = 'curl evil'",
        "[observer.log]\nshell_program = ['sh']",
        "[provider.files]\nredact = false",
        "[provider.files]\nscan_secrets = false",
    ],
)
def test_a_workspace_names_no_programs_and_nothing_outside_itself(tmp_path: Path, line: str) -> None:
    write(tmp_path, "satchel.toml", line)

    (error,) = errors(tmp_path)

    assert "a workspace can't" in error


def test_the_person_may_name_programs_and_files_anywhere(tmp_path: Path) -> None:
    config = read(tmp_path, user='model = "/models/a.gguf"\n[compressor.model]\ncommand = "llm"')

    assert config.model == "/models/a.gguf"
    assert config.table("compressor", "model") == {"command": "llm"}


def test_a_workspace_may_select_weight_and_disable(tmp_path: Path) -> None:
    write(tmp_path, "satchel.toml", 'strategy = "recent"\ndisable = ["git"]\n[scorer.bm25]\nweight = 0.5')

    config = read(tmp_path)

    assert (config.strategy, config.disable) == ("recent", ("git",))
    assert config.table("scorer", "bm25") == {"weight": 0.5}


def test_a_link_inside_the_workspace_that_leads_out_is_refused(tmp_path: Path) -> None:
    root = tmp_path / "root"
    root.mkdir()
    write(tmp_path, "outside.gguf", "x")
    (root / "model.gguf").symlink_to(tmp_path / "outside.gguf")
    write(root, "satchel.toml", 'model = "model.gguf"')

    assert "outside it" in errors(root)[0]


def test_a_configuration_file_that_links_out_of_the_workspace_is_not_read(tmp_path: Path) -> None:
    root = tmp_path / "root"
    root.mkdir()
    write(tmp_path, "secret.toml", 'password = "hunter2"')
    (root / "satchel.toml").symlink_to(tmp_path / "secret.toml")

    (error,) = errors(root)

    assert "link out of the workspace" in error
    assert "hunter2" not in error


def test_messages_hold_no_control_characters(tmp_path: Path) -> None:
    write(tmp_path, "satchel.toml", '"\\u001b[31mred" = 1\nstrict = "\\u001b[2J"')

    assert not any("\x1b" in error for error in errors(tmp_path))


def test_a_folder_in_place_of_a_file_is_no_file(tmp_path: Path) -> None:
    (tmp_path / "satchel.toml").mkdir()

    assert read(tmp_path).budget == 16_000


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("16k", 16_000),
        ("1.5k", 1_500),
        ("2M", 2_000_000),
        (" 8000 ", 8_000),
        ("8,000", 8_000),
        ("Auto", "auto"),
    ],
)
def test_budgets_are_written_as_people_write_them(text: str, tokens: object) -> None:
    assert budget(text) == tokens


@given(st.integers(min_value=1, max_value=10**12 - 1))
def test_a_number_means_itself_in_every_spelling(tokens: int) -> None:
    assert budget(tokens) == budget(str(tokens)) == budget(f"{tokens:,}") == budget(f"{tokens:_}") == tokens


@given(st.text())
def test_any_text_is_a_budget_or_a_value_error(text: str) -> None:
    try:
        answer = budget(text)
    except ValueError:
        return

    assert answer == "auto" or (isinstance(answer, int) and answer >= 1)


@given(st.dictionaries(st.text(max_size=8), st.text(max_size=8) | st.integers() | st.booleans(), max_size=4))
def test_any_environment_is_read_or_refused_as_a_configuration_error(values: dict[str, object]) -> None:
    env = {f"SATCHEL_{name.upper()}": str(value) for name, value in values.items()}
    nowhere = Path("/nonexistent")
    try:
        config = load(nowhere, env=env, user_file=nowhere / "satchel.toml")
    except ConfigError:
        return

    assert isinstance(config, Config)


@attrs.frozen
class Churn:
    """Scores files by change."""

    name: ClassVar[str] = "churn"
    weight: float = 1.0
    names: tuple[str, ...] = ("a",)
    mode: Literal["fast", "slow"] = "fast"
    """Most commits
    that are read.

    None reads all.
    """
    limit: int | None = None
    table: dict[str, int] = attrs.field(factory=dict, metadata={"help": "Weights by name."})
    """Told by its metadata."""


class FakeHost:
    def loaded(self, kind: PluginKind) -> tuple[Loaded, ...]:
        return (Loaded(kind, "churn", Churn, "satchel-churn"),) if kind == PluginKind.SCORER else ()


def test_the_schema_accepts_what_is_read_and_refuses_what_is_not(tmp_path: Path) -> None:
    check = jsonschema.Draft202012Validator(schema())

    check.validate({"budget": "16k", "tokenizer": "offline", "disable": ["x"], "scorer": {"churn": {"a": 1}}})
    assert not check.is_valid({"budgt": 1})
    assert not check.is_valid({"budget": 0})
    assert not check.is_valid({"scorer": {"churn": 3}})


def test_the_schema_has_a_table_for_each_installed_plugin() -> None:
    described = schema(FakeHost())  # type: ignore[arg-type]

    table = described["properties"]["scorer"]["properties"]["churn"]

    assert table["description"] == "Scores files by change."
    assert table["properties"]["weight"] == {
        "description": "Weight of its scores, relative to the other scorers.",
        "type": "number",
        "default": 1.0,
    }
    assert table["properties"]["names"] == {"type": "array", "items": {"type": "string"}, "default": ["a"]}
    assert table["properties"]["limit"]["anyOf"] == [{"type": "integer"}, {"type": "null"}]
    jsonschema.Draft202012Validator.check_schema(described)


def test_the_schema_tells_what_a_setting_means() -> None:
    described = schema(FakeHost())["properties"]["scorer"]["properties"]["churn"]["properties"]  # type: ignore[arg-type]

    assert described["table"]["description"] == "Weights by name."
    assert described["mode"]["description"] == "Most commits that are read."
    assert "description" not in described["names"]


def test_a_class_without_source_has_the_help_of_its_fields() -> None:
    made = attrs.make_class("Made", {"weight": attrs.field(default=1.0, metadata={"help": "How much."})})

    assert meanings(made, "packer") == {"weight": "How much."}


@pytest.mark.weekly
@pytest.mark.costly
@pytest.mark.parametrize(
    ("file", "text"),
    [
        ("satchel.toml", "".join(f"key_{n} = 1\n" for n in range(2_000))),
        ("pyproject.toml", "[tool.satchel]\n" + "".join(f"key_{n} = 1\n" for n in range(2_000))),
    ],
)
def test_very_many_errors_are_one_line(tmp_path: Path, file: str, text: str) -> None:
    (tmp_path / file).write_text(text)

    with pytest.raises(ConfigError, match=r"\A.*key_0: unknown key; .*; \.\.\. and 1,997 more\Z") as raised:
        load(tmp_path, env={})
    assert len(raised.value.errors) == 2_000


def test_very_many_warnings_are_one_line_and_a_long_one_is_cut(tmp_path: Path) -> None:
    (tmp_path / "llm_context.json").write_text(json.dumps({f"key_{n}": 1 for n in range(2_000)}))

    (warning,) = load(tmp_path, env={}).warnings
    assert warning.endswith("and 1,997 more")
    (tmp_path / "satchel.toml").write_text("k" * 100_000 + " = 1\n")
    with pytest.raises(ConfigError, match=r"\Asatchel\.toml: k{100,200}\.\.\.k+: unknown key\Z"):
        load(tmp_path, env={})


def test_a_persons_file_that_everybody_may_write_is_not_read(tmp_path: Path) -> None:
    file = tmp_path / "satchel.toml"
    file.write_text("budget = 7\n")
    file.chmod(0o664)
    assert load(None, env={}, user_file=file).budget == 7
    file.chmod(0o666)

    config = load(None, env={}, user_file=file)
    assert config.budget == Config().budget
    assert config.warnings == (f"{file} is not read: it can be written by everybody: chmod o-w",)


def test_the_store_and_what_stays_in_it_stand_in_tables(tmp_path: Path) -> None:
    mine = tmp_path / "mine.toml"
    mine.write_text('[session]\nstore = "postgresql://h/d"\ndays = 30\n[archive]\nstore = "s3://b/p"\n')

    config = load(None, env={"SATCHEL_SET": "session.count=7"}, user_file=mine)

    assert (config.store, config.session_days, config.session_count) == ("postgresql://h/d", 30, 7)
    assert config.archive == "s3://b/p"


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ("[session]\ndays = -1\n", "session.days: expected a whole number"),
        ("[session]\nday = 1\n", "session.day: unknown key, did you mean session.days?"),
        ("session = 3\n", "session: expected a table"),
    ],
)
def test_a_wrong_key_of_a_table_is_told_as_it_is_written(tmp_path: Path, text: str, wrong: str) -> None:
    mine = tmp_path / "mine.toml"
    mine.write_text(text)

    with pytest.raises(ConfigError, match=re.escape(wrong)):
        load(None, env={}, user_file=mine)


def test_a_workspace_cannot_say_where_sessions_go(tmp_path: Path) -> None:
    (tmp_path / "satchel.toml").write_text('[session]\nstore = "here"\n')

    with pytest.raises(ConfigError, match=r"session.store: a workspace can't say where your sessions go"):
        load(tmp_path, env={})
