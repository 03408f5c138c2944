"""Satchel's files and entries for each agent program."""

from __future__ import annotations

import os
import shlex
import shutil
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from satchel.errors import UnknownNameError, UsageError

NAMES = {
    "claude-code": "Claude Code",
    "codex": "Codex CLI",
    "gemini": "Gemini CLI",
    "opencode": "opencode",
    "cursor": "Cursor",
    "vscode": "Visual Studio Code",
    "zed": "Zed",
}
"""Name on the command line -> name of the program."""
SCOPES = ("user", "project")
PARTS = ("mcp", "hooks", "shell", "status")
"""Installable parts; all programs have `mcp`, Gemini CLI also `hooks`, Claude Code all."""
HOOKS = {
    "UserPromptSubmit": ("", "user-prompt-submit", 20),
    "SessionStart": ("", "session-start", 20),
    "PostToolUse": ("Bash|WebFetch|mcp__.*", "post-tool-use", 20),
    "PreCompact": ("", "pre-compact", 60),
}
"""Event of Claude Code -> its tools, the word after `satchel hook`, seconds."""
GEMINI_HOOKS = {"BeforeAgent": "user-prompt-submit", "SessionStart": "session-start"}
"""Event of Gemini CLI -> the word after `satchel hook`; its others can't change the model's input."""
SHELL_NAME = "satchel-shell"


class ClientEntry(NamedTuple):
    """A value to put into a file."""

    path: tuple[str, ...]
    value: Any
    append: bool = False
    """Whether it goes to the end of the array at `path`."""
    is_optional: bool = False
    """Whether another value may be there already, which then stays."""
    what: str = ""
    """Its description for a person."""


class ClientFile(NamedTuple):
    """A file that a program reads, and the entries for it."""

    path: Path
    form: str
    """`json`, `jsonc` (with comments), `toml`, or `text` for a file of satchel's own."""
    entries: tuple[ClientEntry, ...] = ()
    text: str = ""


class ClientPlace(NamedTuple):
    """The place and the manner of installing: everything that the entries depend on."""

    scope: str
    root: Path
    command: tuple[str, ...]
    """The command that starts satchel."""
    parts: tuple[str, ...] = PARTS
    env: Mapping[str, str] = os.environ

    @property
    def home(self) -> Path:
        """Return the user's home folder, as programs find it: on Windows only some shells set `HOME`."""
        return Path(self.env.get("USERPROFILE" if sys.platform == "win32" else "HOME") or Path.home())

    def config(self, *windows: str) -> Path:
        """Return the user's folder of settings; on Windows the one below `APPDATA`."""
        if sys.platform == "win32" and windows:
            return Path(self.env.get("APPDATA") or self.home / "AppData/Roaming").joinpath(*windows)
        chosen = self.env.get("XDG_CONFIG_HOME", "")
        return Path(chosen) if os.path.isabs(chosen) else self.home / ".config"


def find_command(scope: str, *, prefix: str = "") -> tuple[str, ...]:
    """Return the words that start satchel from a program's settings.

    In a project the name alone, because others have it elsewhere; for the user the whole path, because
    programs with a window often have another `PATH`. Environments of `uvx` are temporary, so that stays
    `uvx`.
    """
    prefix = prefix or sys.prefix
    if "archive-v0" in prefix or f"{os.sep}uv{os.sep}environments" in prefix:
        return ("uvx", "--from", "satchel[mcp]", "satchel")
    if scope == "project":
        return ("satchel",)
    beside = Path(sys.argv[0])
    if beside.stem == "satchel" and (found := shutil.which(str(beside))):
        return (os.path.abspath(found),)
    found = shutil.which("satchel", path=str(Path(sys.executable).parent)) or shutil.which("satchel")
    return (found,) if found else (sys.executable, "-P", "-m", "satchel")


def files_of(name: str, place: ClientPlace) -> list[ClientFile]:
    """Return the files of a program and the entries for each.

    Raises:
        UnknownNameError: satchel does not know the program.
        UsageError: the program has no such scope.
    """
    if name not in NAMES:
        raise UnknownNameError("agent program", name, NAMES)
    if place.scope not in SCOPES:
        raise UsageError(f"no scope is called {place.scope!r}; there are {', '.join(SCOPES)}")
    return [file for file in _MAKERS[name](place) if file.entries or file.text]


def _server(place: ClientPlace, **more: Any) -> dict[str, Any]:
    program, *words = place.command
    return {**more, "command": program, "args": [*words, "mcp"]}


def _mcp(place: ClientPlace, *path: str, value: Any = None) -> tuple[ClientEntry, ...]:
    if "mcp" not in place.parts:
        return ()
    return (ClientEntry((*path, "satchel"), value or _server(place), what="MCP server"),)


def _claude_code(place: ClientPlace) -> list[ClientFile]:
    is_user = place.scope == "user"
    chosen = place.env.get("CLAUDE_CONFIG_DIR", "")
    folder = (Path(chosen) if chosen else place.home / ".claude") if is_user else place.root / ".claude"
    servers = (folder if chosen else place.home) / ".claude.json" if is_user else place.root / ".mcp.json"
    server = _server(place, type="stdio") | {"alwaysLoad": True}
    script = folder / SHELL_NAME
    personal = _personal(place, script)
    return [
        ClientFile(servers, "json", _mcp(place, "mcpServers", value=server)),
        ClientFile(folder / "settings.json", "json", (*_hooks(place), *(personal if is_user else ()))),
        # A script's path is another one for everybody: it stays out of what a project shares.
        ClientFile(folder / "settings.local.json", "json", () if is_user else personal),
        ClientFile(
            script, "text", text=_shell_script(place) if "shell" in place.parts and os.name != "nt" else ""
        ),
    ]


def _hooks(place: ClientPlace) -> list[ClientEntry]:
    if "hooks" not in place.parts:
        return []
    found = []
    for event, (matcher, word, seconds) in HOOKS.items():
        # Another exit code than 0 may stop the agent, which a satchel that is gone or broken must not.
        command = f"{shlex.join(place.command)} hook {word} || exit 0"
        group: dict[str, Any] = {"matcher": matcher} if matcher else {}
        group["hooks"] = [{"type": "command", "command": command, "timeout": seconds}]
        found.append(ClientEntry(("hooks", event), group, append=True, what=f"hook {event}"))
    return found


def _personal(place: ClientPlace, script: Path) -> tuple[ClientEntry, ...]:
    found = []
    if "shell" in place.parts and os.name != "nt":
        path = ("env", "CLAUDE_CODE_SHELL_PREFIX")
        found.append(ClientEntry(path, str(script.absolute()), is_optional=True, what="shell prefix"))
    if "status" in place.parts:
        line = {"type": "command", "command": f"{shlex.join(place.command)} show --line"}
        found.append(ClientEntry(("statusLine",), line, is_optional=True, what="status line"))
    return tuple(found)


def _shell_script(place: ClientPlace) -> str:
    script = Path(__file__).with_name("shell.sh").read_text("utf-8")
    return script.replace("{satchel}", shlex.join(place.command))


def is_own_hook(group: Any) -> bool:
    """Return whether a group of hooks in Claude Code's settings is satchel's alone."""
    hooks = group.get("hooks") if isinstance(group, dict) else None
    if not isinstance(hooks, list) or not hooks:
        return False
    words = {word for _, word, _ in HOOKS.values()}
    return all(
        isinstance(one, dict)
        and " hook " in str(one.get("command"))
        and "satchel" in str(one.get("command"))
        and str(one.get("command")).partition(" hook ")[2].split(" ")[0] in words
        for one in hooks
    )


def is_own_value(entry: ClientEntry, there: Any) -> bool:
    """Return whether the value at an optional entry's place is satchel's, perhaps from another folder."""
    if isinstance(there, str):
        return Path(there).name == SHELL_NAME
    written = str(there.get("command")) if isinstance(there, dict) else ""
    return there == entry.value or ("satchel" in written and written.endswith(" show --line"))


def _codex(place: ClientPlace) -> list[ClientFile]:
    chosen = place.env.get("CODEX_HOME", "")
    user = Path(chosen) if chosen else place.home / ".codex"
    folder = user if place.scope == "user" else place.root / ".codex"
    server = {**_server(place), "startup_timeout_sec": 30}
    return [ClientFile(folder / "config.toml", "toml", _mcp(place, "mcp_servers", value=server))]


def _gemini(place: ClientPlace) -> list[ClientFile]:
    folder = (place.home if place.scope == "user" else place.root) / ".gemini"
    entries = [*_mcp(place, "mcpServers")]
    for event, word in GEMINI_HOOKS.items() if "hooks" in place.parts else ():
        # PowerShell, which runs hooks on Windows, may not know `||`.
        command = f"{shlex.join(place.command)} hook {word}{'' if os.name == 'nt' else ' || exit 0'}"
        hook = {"name": f"satchel-{word}", "type": "command", "command": command, "timeout": 20_000}
        entries.append(ClientEntry(("hooks", event), {"hooks": [hook]}, append=True, what=f"hook {event}"))
    return [ClientFile(folder / "settings.json", "jsonc", tuple(entries))]


def _opencode(place: ClientPlace) -> list[ClientFile]:
    folder = place.config() / "opencode" if place.scope == "user" else place.root
    server = {"type": "local", "command": [*place.command, "mcp"], "enabled": True}
    path = next((p for p in (folder / "opencode.jsonc",) if p.exists()), folder / "opencode.json")
    return [ClientFile(path, "jsonc", _mcp(place, "mcp", value=server))]


def _cursor(place: ClientPlace) -> list[ClientFile]:
    folder = (place.home if place.scope == "user" else place.root) / ".cursor"
    return [ClientFile(folder / "mcp.json", "jsonc", _mcp(place, "mcpServers"))]


def _vscode(place: ClientPlace) -> list[ClientFile]:
    if place.scope == "project":
        folder = place.root / ".vscode"
    elif sys.platform == "darwin":
        folder = place.home / "Library/Application Support/Code/User"
    else:
        folder = place.config("Code") / ("User" if sys.platform == "win32" else "Code/User")
    return [
        ClientFile(folder / "mcp.json", "jsonc", _mcp(place, "servers", value=_server(place, type="stdio")))
    ]


def _zed(place: ClientPlace) -> list[ClientFile]:
    folder = place.root / ".zed"
    if place.scope == "user" and sys.platform == "darwin":
        folder = place.home / ".config/zed"  # whatever XDG_CONFIG_HOME says
    elif place.scope == "user":
        folder = place.config("Zed") / ("" if sys.platform == "win32" else "zed")
    value = {"source": "custom", **_server(place), "env": {}}
    return [ClientFile(folder / "settings.json", "jsonc", _mcp(place, "context_servers", value=value))]


_MAKERS: dict[str, Callable[[ClientPlace], list[ClientFile]]] = {
    "claude-code": _claude_code,
    "codex": _codex,
    "gemini": _gemini,
    "opencode": _opencode,
    "cursor": _cursor,
    "vscode": _vscode,
    "zed": _zed,
}
