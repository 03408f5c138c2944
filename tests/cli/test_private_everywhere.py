"""Whatever the umask, what the commands write is private; and a probe of a tool writes nothing."""

from __future__ import annotations

import json
import os
import stat
from pathlib import Path

import pytest
from tests.processes import run_satchel

from satchel_plugins.providers.toolchain.probing import TOOLS, find, versions

TALK = json.dumps([{"role": "user", "content": f"hello {n} " * 60} for n in range(40)]).encode()
COMMANDS: list[tuple[list[str], bytes]] = [
    (["pack", "which version builds the login", "--events", "../out/events.jsonl"], b""),
    (["index"], b""),
    (["why", "src/app.py", "login"], b""),
    (["expand", "src/app.py"], b""),
    (["compact", "--budget", "900", "--state", "../out/state.json", "--report", "../out/report.json"], TALK),
    (["squeeze"], b"".join(b"line %d of a log\n" % n for n in range(5_000))),
    (["run", "--", "printenv"], b""),
    (["session", "add", "--session", "one"], TALK),
    (["session", "window", "--session", "one", "--budget", "900"], b""),
    (["session", "snapshot", "--session", "one"], b""),
    (["session", "add", "--session", "two", "--store", "../out/store"], TALK),
    (["report", "../out/page.html"], TALK),
    (["archive", "show"], b""),
    (["doctor"], b""),
]
TRUST = "from satchel.workspace.instructions import trust; trust('AGENTS.md')"


@pytest.mark.parametrize(
    "umask", ["000", *(pytest.param(umask, marks=pytest.mark.slow) for umask in ("002", "022", "077"))]
)
def test_all_that_is_written_is_private(
    shop: Path, umask: str, tmp_path_factory: pytest.TempPathFactory
) -> None:
    base = tmp_path_factory.mktemp("base")
    shop = shop.rename(base / "shop")
    (shop / "AGENTS.md").write_text("Obey.\n")
    (shop / "Cargo.toml").write_text("[package]\n")
    (base / "out").mkdir()
    env = os.environ | {
        "HOME": str(base / "home"),
        "SATCHEL_CACHE_DIR": str(base / "made/by/us/cache"),
        "SATCHEL_STATE_DIR": str(base / "made/by/us/state"),
    }
    before = set(base.rglob("*"))
    for argv, stdin in COMMANDS:
        done = run_satchel(argv, given=stdin, env=env, cwd=shop, umask=int(umask, 8))
        assert done.returncode == 0, (argv, done.stderr)
    run_satchel([], code=TRUST, env=env, cwd=shop, umask=int(umask, 8), check=True)

    made = set(base.rglob("*")) - before
    names = {path.name for path in made}
    assert {"events.jsonl", "state.json", "report.json", "sessions.sqlite", "trust.json", "archive"} <= names
    assert not any(path.is_relative_to(shop) for path in made)
    wide = {
        str(path): oct(path.lstat().st_mode) for path in made if stat.S_IMODE(path.lstat().st_mode) & 0o077
    }
    assert wide == {}


def _tree(folder: Path) -> dict[str, tuple[int, int]]:
    return {str(p): (p.lstat().st_mtime_ns, p.lstat().st_size) for p in folder.rglob("*")}


def test_a_tool_that_writes_where_it_can_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bin_folder, home, cache = tmp_path / "bin", tmp_path / "home", tmp_path / "cache"
    bin_folder.mkdir()
    home.mkdir()
    tool = bin_folder / "node"
    writes = (
        'for f in "$HOME/a" ./b "$TMPDIR/c" "$XDG_CONFIG_HOME/d"; do : > "$f"; done; echo text >> "$SEEN"; '
    )
    tool.write_text(f"#!/bin/sh\nSEEN={tmp_path}/seen\n{writes}echo v20.11.1\n")
    tool.chmod(0o755)
    (tmp_path / "seen").touch()
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.chdir(home)

    assert versions({"node": tool}, tmp_path / "root", cache) == {"node": "20.11.1"}
    assert _tree(home) == {}
    assert (tmp_path / "seen").read_bytes() == b""
    assert [path.name for path in cache.iterdir()] == ["tools.json"]


@pytest.mark.weekly
def test_the_real_tools_write_nothing_into_an_empty_home(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = tmp_path / "home"
    home.mkdir()
    places = {name: find(name, tmp_path / "root", os.environ["PATH"]) for name in TOOLS}
    tools = {name: place for name, place in places.items() if place is not None}
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.delenv("RUSTUP_HOME", raising=False)
    told = versions(tools, tmp_path / "root", tmp_path / "cache")

    assert "git" in told
    assert told["git"]
    assert _tree(home) == {}


def _launcher(folder: Path, name: str, real: str) -> Path:
    """Make a version manager's launcher, which says that it was run by making a file beside itself."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / real).write_text(f"#!/bin/sh\n: > {folder}/was-run\necho 9.9.9\n")
    (folder / real).chmod(0o755)
    if name != real:
        (folder / name).symlink_to(real)
    return folder / name


def _text(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


MANIFEST = '[pkg.cargo]\nversion = "0.91.0 (a 2026-01-01)"\n\n[pkg.rust]\nversion = "1.90.0 (b 2026-01-01)"\n'


def test_a_launcher_of_a_version_manager_is_never_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = tmp_path / "home"
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.delenv("RUSTUP_HOME", raising=False)
    _text(home / ".rustup/settings.toml", 'version = "12"\ndefault_toolchain = "stable-x86_64"\n')
    _text(home / ".rustup/toolchains/stable-x86_64/lib/rustlib/multirust-channel-manifest.toml", MANIFEST)
    _text(home / ".asdf/installs/golang/1.23.4/go/VERSION", "go1.23.4\n")
    _text(home / ".tool-versions", "ruby 3.3.1\n")
    _text(home / ".asdf/installs/ruby/3.3.1/bin/ruby", "#!/bin/sh\necho ruby 3.3.1\n")
    (home / ".asdf/installs/ruby/3.3.1/bin/ruby").chmod(0o755)
    _text(home / ".volta/tools/user/platform.json", '{"node": {"runtime": "22.3.0", "npm": null}}')
    tools = {
        "rustc": _launcher(home / ".cargo/bin", "rustc", "rustup"),
        "cargo": _launcher(home / ".cargo/bin-of-copies", "cargo", "cargo"),
        "node": _launcher(home / ".volta/bin", "node", "volta-shim"),
        "ruby": _launcher(home / ".asdf/shims", "ruby", "ruby"),
        "go": _launcher(home / ".local/share/mise/shims", "go", "go"),
        "deno": _launcher(tmp_path / "snap/bin", "deno", "snap"),
    }
    (home / ".cargo/bin-of-copies/rustup").write_bytes(tools["cargo"].read_bytes())

    assert versions(tools, tmp_path / "root", tmp_path / "cache") == {
        "rustc": "1.90.0",
        "cargo": "1.90.0",
        "node": "22.3.0",
        "ruby": "3.3.1",
        "go": "",
        "deno": "",
    }
    assert list(tmp_path.rglob("was-run")) == []


@pytest.mark.parametrize(
    ("name", "program", "file", "text", "version"),
    [
        ("go", "bin/go", "VERSION", "go1.22.5\ntime 2024\n", "1.22.5"),
        ("java", "bin/java", "release", 'IMPLEMENTOR="x"\nJAVA_VERSION="21.0.3"\n', "21.0.3"),
        ("mvn", "bin/mvn", "lib/maven-core-3.9.6.jar", "", "3.9.6"),
        ("gradle", "bin/gradle", "lib/gradle-core-8.7.jar", "", "8.7"),
        ("npm", "bin/npm-cli.js", "package.json", '{"name": "npm", "version": "10.8.1"}', "10.8.1"),
        ("yarn", "dist/yarn.js", "package.json", '{"name": "corepack", "version": "0.28.0"}', ""),
        ("dotnet", "dotnet", "sdk/8.0.301/dotnet.dll", "", "8.0.301"),
    ],
)
def test_the_files_of_a_tool_tell_its_version(
    tmp_path: Path, name: str, program: str, file: str, text: str, version: str
) -> None:
    real = tmp_path / "tool" / program
    _text(tmp_path / "tool" / file, text)
    _launcher(real.parent, real.name, real.name)
    (tmp_path / "bin").mkdir()
    place = tmp_path / "bin" / name
    place.symlink_to(real)

    assert versions({name: place}, tmp_path / "root", tmp_path / "cache") == {name: version}
    assert list(tmp_path.rglob("was-run")) == []
