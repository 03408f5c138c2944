"""Tests of `satchel install` and `satchel uninstall`: what stands in a file stays, to the byte."""

from __future__ import annotations

import json
import os
import stat
import subprocess
import tomllib
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from satchel.cli import run as satchel_run

PROGRAMS = {
    "claude-code": (".claude.json", ("mcpServers",)),
    "codex": (".codex/config.toml", ("mcp_servers",)),
    "gemini": (".gemini/settings.json", ("mcpServers",)),
    "opencode": ("config/opencode/opencode.json", ("mcp",)),
    "cursor": (".cursor/mcp.json", ("mcpServers",)),
    "vscode": ("config/Code/User/mcp.json", ("servers",)),
    "zed": ("config/zed/settings.json", ("context_servers",)),
}
WITH_COMMENTS = [name for name in PROGRAMS if name not in ("claude-code", "codex")]
SETTINGS = """\
{
    // how it looks
    "theme": "dark", /* or light */
    "mcpServers": {
        "other": { "command": "other", "args": [] }, // mine
    },
    "context_servers": {},
    "mcp": { "a": { "type": "local" } },
}
"""


@pytest.fixture(autouse=True)
def only_linux_places(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("CLAUDE_CONFIG_DIR", "CODEX_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr("sys.platform", "linux")


def files_below(folder: Path) -> dict[str, bytes]:
    """Return all files but those of satchel's own folders."""
    found = {path.relative_to(folder).as_posix(): path for path in folder.rglob("*") if path.is_file()}
    return {
        name: path.read_bytes()
        for name, path in found.items()
        if not name.startswith(("cache", "kept", "state"))
    }


def put(home: Path, name: str, text: str | bytes) -> Path:
    path = home / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def entry_of(path: Path, keys: tuple[str, ...]) -> Any:
    from satchel.agents.json_text import parse

    text = path.read_text("utf-8")
    value = tomllib.loads(text) if path.suffix == ".toml" else parse(text)
    for key in (*keys, "satchel"):
        value = value.get(key, {})
    return value


@pytest.mark.parametrize("program", PROGRAMS)
def test_a_home_without_files_is_as_before(program: str, home: Path) -> None:
    before = {*home.iterdir()}

    assert satchel_run(["install", program]) == 0
    name, keys = PROGRAMS[program]
    assert "mcp" in json.dumps(entry_of(home / name, keys))
    made = files_below(home)
    assert satchel_run(["install", program]) == 0
    assert files_below(home) == made
    assert satchel_run(["uninstall", program]) == 0
    assert files_below(home) == {}
    assert {path for path in home.iterdir() if path.name not in ("cache", "state")} == before - {
        home / "state"
    }


@pytest.mark.parametrize("program", WITH_COMMENTS)
@pytest.mark.parametrize("newline", ["\n", "\r\n"])
@pytest.mark.parametrize("change", ["", "\ufeff"])
def test_comments_and_line_ends_stay(program: str, newline: str, change: str, home: Path) -> None:
    name, keys = PROGRAMS[program]
    text = change + SETTINGS.replace("\n", newline)
    path = put(home, name, text)

    assert satchel_run(["install", program]) == 0
    made = path.read_bytes().decode()
    assert satchel_run(["install", program]) == 0
    assert path.read_bytes().decode() == made
    assert entry_of(path, keys)
    for line in text.split(newline):
        assert line.rstrip("{}, ") in made
    assert ("\r\n" in made) == (newline == "\r\n")
    assert newline == "\n" or "\n" not in made.replace("\r\n", "")
    assert satchel_run(["uninstall", program]) == 0
    assert path.read_bytes().decode() == text


SPACE = st.sampled_from(["", " ", "\n", "\t", "\n  ", " // note, {\n", '/* [" */', "\r\n"])
KEYS = st.sampled_from(["mcpServers", "mcp", "servers", "context_servers", "a", "b c", 'q"', "hooks", "é"])
LEAVES = st.sampled_from(["1", "-2.5e3", "true", "null", '"x"', '"\\" // no"', '"é\\u00e9"'])


def containers(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    member = st.tuples(KEYS, SPACE, SPACE, inner, SPACE)

    def make_object(members: list[tuple[str, str, str, str, str]], space: str, last: str) -> str:
        unique = {key: rest for key, *rest in members}
        rows = [
            f"{before}{json.dumps(key)}:{between}{value}{after}"
            for key, (before, between, value, after) in unique.items()
        ]
        return "{" + ",".join(rows) + (last if rows else "") + space + "}"

    return st.one_of(
        st.builds(make_object, st.lists(member, max_size=4), SPACE, st.sampled_from(["", ","])),
        st.builds(lambda some, space: "[" + ",".join(some) + space + "]", st.lists(inner, max_size=3), SPACE),
    )


VALUES = st.recursive(LEAVES, containers, max_leaves=8)
DOCUMENTS = (
    st.tuples(SPACE, containers(VALUES), SPACE).map("".join).filter(lambda text: text.strip()[-1] == "}")
)


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("shared")


@given(text=DOCUMENTS, edit=st.booleans())
def test_any_file_is_the_same_after_uninstalling(text: str, edit: bool, shared: Path) -> None:
    from satchel.agents.json_text import parse

    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("HOME", str(shared))
        patch.setenv("SATCHEL_STATE_DIR", str(shared / "state"))
        path = put(shared, PROGRAMS["gemini"][0], text)
        value = parse(text)
        code = satchel_run(["install", "gemini"])
        first = path.read_bytes()
        holders = (
            [value.get(key, {}) for key in ("mcpServers", "hooks")] if isinstance(value, dict) else [None]
        )
        if not all(isinstance(holder, dict) for holder in holders):
            assert (code, first.decode()) == (1, text)
            return
        assert code == 0
        assert satchel_run(["install", "gemini"]) == 0
        assert path.read_bytes() == first
        made = parse(first.decode())
        events = made["hooks"].keys() - value.get("hooks", {}).keys()
        assert events == {"BeforeAgent", "SessionStart"}
        servers = {**value.get("mcpServers", {}), "satchel": entry_of(path, ("mcpServers",))}
        hooks = {**value.get("hooks", {}), **{event: made["hooks"][event] for event in events}}
        assert made == {**value, "mcpServers": servers, "hooks": hooks}
        if edit:  # another program adds a line of its own
            path.write_bytes(first + b"\n")
        assert satchel_run(["uninstall", "gemini"]) == 0
        if edit:
            assert parse(path.read_text("utf-8")) == value
        else:
            assert path.read_bytes().decode() == text


TABLES = st.lists(
    st.sampled_from(
        [
            'model = "o5"\n',
            "# a note\n",
            "\n",
            '[mcp_servers.other]\ncommand = "x"\n',
            "[mcp_servers]\n",
            '[profiles.a] # mine\ntext = """\n[mcp_servers.satchel]\n"""\n',
            "[[list]]\na = 1\n",
            "[tui]\ntheme = 'é'",
        ]
    ),
    max_size=5,
)


@given(pieces=TABLES, follows=st.sampled_from(["", "\n[later]\nkey = 1\n", "# end\n"]))
def test_any_toml_is_the_same_after_uninstalling(pieces: list[str], follows: str, shared: Path) -> None:
    text = "".join(piece if piece.endswith("\n") else f"{piece}\n" for piece in pieces)
    try:
        before = tomllib.loads(text)
        tomllib.loads(text + follows)
    except tomllib.TOMLDecodeError:
        return
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("HOME", str(shared))
        patch.setenv("SATCHEL_STATE_DIR", str(shared / "state"))
        path = put(shared, PROGRAMS["codex"][0], text)
        assert satchel_run(["install", "codex"]) == 0
        made = path.read_text("utf-8")
        assert tomllib.loads(made)["mcp_servers"]["satchel"]["args"] == ["mcp"]
        assert satchel_run(["install", "codex"]) == 0
        assert path.read_text("utf-8") == made
        path.write_text(made + follows, "utf-8")
        assert satchel_run(["uninstall", "codex"]) == 0
        left = path.read_text("utf-8") if path.exists() else ""
        assert tomllib.loads(left) == {**before, **tomllib.loads(follows)}
        assert follows or left == text


@pytest.mark.parametrize("program", PROGRAMS)
def test_a_file_that_cannot_be_parsed_is_an_error_and_stays(
    program: str, home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = put(home, PROGRAMS[program][0], '{"a": [1, 2')
    before = files_below(home)

    assert satchel_run(["install", program]) == 1

    assert files_below(home) == before
    assert str(path) in capsys.readouterr().err


def test_bytes_that_are_no_text_are_an_error(home: Path) -> None:
    path = put(home, ".cursor/mcp.json", b'{"a": "\xff"}')

    assert satchel_run(["install", "cursor"]) == 1
    assert path.read_bytes() == b'{"a": "\xff"}'


def test_claude_code_reads_no_comments_so_a_file_with_some_is_an_error(home: Path) -> None:
    put(home, ".claude.json", "{} // mine")
    before = files_below(home)

    assert satchel_run(["install", "claude-code"]) == 1
    assert files_below(home) == before


def test_hooks_and_settings_of_the_person_stay(home: Path) -> None:
    mine = {
        "hooks": {"UserPromptSubmit": [{"hooks": [{"type": "command", "command": "mine"}]}]},
        "env": {"CLAUDE_CODE_SHELL_PREFIX": "/mine"},
        "statusLine": {"type": "command", "command": "mine"},
    }
    path = put(home, ".claude/settings.json", json.dumps(mine, indent=4))

    assert satchel_run(["install", "claude-code"]) == 0
    made = json.loads(path.read_text())
    assert len(made["hooks"]["UserPromptSubmit"]) == 2
    assert made["hooks"]["UserPromptSubmit"][0] == mine["hooks"]["UserPromptSubmit"][0]  # type: ignore[index]
    assert (made["env"], made["statusLine"]) == (mine["env"], mine["statusLine"])
    path.write_text(json.dumps({**made, "model": "x"}, indent=2))  # Claude Code writes it anew
    assert satchel_run(["uninstall", "claude-code"]) == 0
    assert json.loads(path.read_text()) == {**mine, "model": "x"}


def test_an_entry_of_somebody_else_is_an_error_and_stays(
    home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = put(home, ".cursor/mcp.json", '{"mcpServers": {"satchel": {"command": "other"}}}')

    assert satchel_run(["install", "cursor"]) == 1
    assert path.read_text() == '{"mcpServers": {"satchel": {"command": "other"}}}'
    assert "mcpServers.satchel" in capsys.readouterr().err


def test_a_link_and_the_mode_of_its_file_stay(home: Path) -> None:
    real = put(home, "dotfiles/mcp.json", "{}\n")
    real.chmod(0o640)
    (home / ".cursor").mkdir()
    link = home / ".cursor/mcp.json"
    link.symlink_to(real)

    assert satchel_run(["install", "cursor"]) == 0
    assert link.is_symlink()
    assert "satchel" in real.read_text()
    assert stat.S_IMODE(real.stat().st_mode) == 0o640
    assert satchel_run(["uninstall", "cursor"]) == 0
    assert link.is_symlink()
    assert real.read_text() == "{}\n"


def test_printing_writes_nothing(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert satchel_run(["install", "claude-code", "--print"]) == 0

    assert files_below(home) == {}
    printed = capsys.readouterr().out
    assert "mcpServers" in printed
    assert "hook user-prompt-submit" in printed


def test_parts_are_installed_one_by_one_and_removed_together(home: Path) -> None:
    path = home / ".claude/settings.json"

    assert satchel_run(["install", "claude-code", "--only", "hooks"]) == 0
    assert set(json.loads(path.read_text())) == {"hooks"}
    assert satchel_run(["install", "claude-code", "--only", "status"]) == 0
    assert set(json.loads(path.read_text())) == {"hooks", "statusLine"}
    assert satchel_run(["uninstall", "claude-code"]) == 0
    assert files_below(home) == {}


def test_a_project_shares_names_and_no_paths(home: Path, tmp_path: Path) -> None:
    assert satchel_run(["install", "claude-code", "--scope", "project", "--root", str(tmp_path)]) == 0

    shared = [(tmp_path / name).read_text() for name in (".mcp.json", ".claude/settings.json")]
    assert all(str(home) not in text and str(tmp_path) not in text for text in shared)
    assert "CLAUDE_CODE_SHELL_PREFIX" in (tmp_path / ".claude/settings.local.json").read_text()
    assert satchel_run(["uninstall", "claude-code", "--root", str(tmp_path)]) == 0
    assert [*tmp_path.iterdir()] == []


def test_several_programs_share_folders_and_leave_none(home: Path) -> None:
    programs = ["opencode", "zed", "vscode"]
    for program in programs:
        assert satchel_run(["install", program]) == 0
    for program in programs:
        assert satchel_run(["uninstall", program]) == 0

    assert not (home / "config").exists()


def shell(script: Path, command: str, **env: str) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        [script, command], capture_output=True, env={**os.environ, **env}, timeout=60, check=False
    )


@pytest.mark.weekly
def test_the_shell_script_shortens_commands_and_passes_on_the_rest(home: Path) -> None:
    assert satchel_run(["install", "claude-code", "--only", "shell"]) == 0
    script = home / ".claude/satchel-shell"
    numbers = "seq 20000; echo failed >&2; exit 3"

    short = shell(script, f": shell-snapshots/x; {numbers}")
    whole = shell(script, numbers)

    assert short.returncode == whole.returncode == 3
    assert b"failed" in short.stdout
    assert len(short.stdout) < len(whole.stdout) / 4


def test_without_satchel_the_shell_script_runs_the_command(home: Path) -> None:
    assert satchel_run(["install", "claude-code", "--only", "shell"]) == 0
    script = home / ".claude/satchel-shell"
    broken = put(home, "broken", "#!/bin/sh\nexit 125\n")
    broken.chmod(0o755)
    text = script.read_text()
    program = next(line for line in text.splitlines() if " run -- bash" in line).split(" run --")[0]
    command = "echo once >> " + str(home / "count") + "; echo hello; exit 5; : shell-snapshots/x"
    for other in (str(home / "nothing-there"), str(broken)):
        script.write_text(text.replace(program, other))
        ran = shell(script, command)
        assert (ran.returncode, ran.stdout) == (5, b"hello\n")

    assert (home / "count").read_text() == "once\nonce\n"


def test_the_plugin_has_the_same_server_and_hooks(home: Path, tmp_path: Path) -> None:
    plugin = Path(__file__).parents[2] / "contrib/claude-code"

    assert satchel_run(["install", "claude-code", "--scope", "project", "--root", str(tmp_path)]) == 0

    def read(path: Path) -> Any:
        return json.loads(path.read_text("utf-8"))

    assert read(plugin / ".mcp.json") == read(tmp_path / ".mcp.json")
    assert read(plugin / "hooks/hooks.json")["hooks"] == read(tmp_path / ".claude/settings.json")["hooks"]


def test_a_write_that_fails_changes_nothing(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    if os.geteuid() == 0:
        (home / ".claude").write_text("a file where the folder should be")
    else:
        (home / ".claude").mkdir(mode=0o500)
    before = files_below(home)

    assert satchel_run(["install", "claude-code"]) == 1

    assert files_below(home) == before
    assert "can't be written" in capsys.readouterr().err


def test_the_record_holds_nothing_of_the_persons_settings(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SATCHEL_STATE_DIR", str(home / "state"))
    put(home, ".cursor/mcp.json", '{"mcpServers": {"mine": {"env": {"TOKEN": "s3cr3t-words"}}}}')

    assert satchel_run(["install", "cursor"]) == 0

    records = [path.read_text() for path in (home / "state").rglob("*") if path.is_file()]
    assert records
    assert all("s3cr3t" not in record and "mine" not in record for record in records)


FOLDERS = {
    ("cursor", "linux"): "home/.cursor/mcp.json",
    ("cursor", "darwin"): "home/.cursor/mcp.json",
    ("cursor", "win32"): "profile/.cursor/mcp.json",
    ("vscode", "linux"): "xdg/Code/User/mcp.json",
    ("vscode", "darwin"): "home/Library/Application Support/Code/User/mcp.json",
    ("vscode", "win32"): "roaming/Code/User/mcp.json",
    ("zed", "linux"): "xdg/zed/settings.json",
    ("zed", "darwin"): "home/.config/zed/settings.json",
    ("zed", "win32"): "roaming/Zed/settings.json",
    ("opencode", "linux"): "xdg/opencode/opencode.json",
    ("opencode", "darwin"): "xdg/opencode/opencode.json",
}
"""Where each program looks, by its own sources and documentation."""


@pytest.mark.parametrize(("program", "system"), FOLDERS)
def test_editors_find_their_file_on_every_system(
    program: str, system: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from satchel.agents import ClientPlace, files_of

    monkeypatch.setattr("sys.platform", system)
    named = {"HOME": "home", "USERPROFILE": "profile", "APPDATA": "roaming", "XDG_CONFIG_HOME": "xdg"}
    env = {name: str(tmp_path / folder) for name, folder in named.items()}

    (file,) = files_of(program, ClientPlace("user", tmp_path / "project", ("satchel",), env=env))

    assert file.path == tmp_path / FOLDERS[program, system]


def is_text_list(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(one, str) for one in value)


@pytest.mark.parametrize("scope", ["user", "project"])
@pytest.mark.parametrize(
    ("program", "key", "others", "allowed"),
    [
        ("cursor", "mcpServers", None, {"type", "command", "args", "env", "envFile"}),
        ("vscode", "servers", {"inputs"}, {"type", "command", "args", "cwd", "env", "envFile", "dev"}),
        (
            "zed",
            "context_servers",
            None,
            {"source", "enabled", "remote", "command", "args", "env", "timeout"},
        ),
    ],
)
def test_entries_of_editors_are_what_their_schemas_allow(
    program: str,
    key: str,
    others: set[str] | None,
    allowed: set[str],
    scope: str,
    home: Path,
    tmp_path: Path,
) -> None:
    given = ["install", program, "--scope", scope, "--root", str(tmp_path), "--only", "mcp"]
    assert satchel_run(given) == 0
    folders = {"cursor": ".cursor/mcp.json", "vscode": ".vscode/mcp.json", "zed": ".zed/settings.json"}
    path = home / PROGRAMS[program][0] if scope == "user" else tmp_path / folders[program]

    settings = json.loads(path.read_text())

    server = settings.pop(key).pop("satchel")
    assert others is None or settings.keys() <= others
    assert server.keys() <= allowed
    assert isinstance(server["command"], str)
    assert is_text_list(server["args"])
    assert server.get("type", "stdio") == "stdio"
    assert server.get("source", "custom") == "custom"
    assert server.get("env", {}) == {}


def test_what_uvx_runs_is_started_by_uvx_again() -> None:
    from satchel.agents import find_command

    passing = find_command("user", prefix="/home/me/.cache/uv/archive-v0/x1")

    assert passing == ("uvx", "--from", "satchel[mcp]", "satchel")
    assert find_command("project", prefix="/usr") == ("satchel",)
    assert Path(find_command("user", prefix="/usr")[0]).is_absolute()
