"""One key planted wherever satchel reads: it is in no byte that comes out and in no file that is kept."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping
from pathlib import Path

import pytest
from tests.processes import run_satchel
from tests.vocabularies import lend_cache

KEY = "ghp_" + "Zq7RtB2mKx9LwVn4Yc6HsDf1Jg8PaTu3Ee5o"
ENDS = (KEY[:24], KEY[-24:])
FILES: Mapping[str, str] = {
    "upload.py": f'TOKEN = "{KEY}"\n\n\ndef upload(name):\n    """{KEY}"""\n    return send(name, TOKEN)\n',
    "README.md": f"# Upload\n\nSet `{KEY}` first.\n",
    "AGENTS.md": f"Use {KEY} to upload.\n",
    "TODO.md": f"- [ ] rotate {KEY} of the upload\n",
    "package.json": f'{{"dependencies": {{"up": "git+https://{KEY}@github.com/a/b.git"}}}}\n',
    "requirements.txt": f"upload @ git+https://x:{KEY}@github.com/a/upload.git\n",
    "test.log": f"ERROR upload.py:6: upload refused for {KEY}\n",
    "deep/data.json": f'{{"token": "{KEY}"}}\n',
    ".env": f"TOKEN={KEY}\n",
    "id_ed25519": f"{KEY}\n",
    ".env.example": "TOKEN=\n",
}
TASK = f"why is the upload refused, see upload.py:6 with {KEY}"


def git(root: Path, *arguments: str) -> None:
    author = ("-c", f"user.name={KEY}", "-c", f"user.email={KEY}@example.org", "-c", "commit.gpgsign=false")
    subprocess.run(["git", *author, *arguments], cwd=root, check=True, capture_output=True)


@pytest.fixture(scope="module")
def planted(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("planted") / "shop"
    for name, text in FILES.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    git(root, "init", "-q", "-b", f"fix-{KEY}")
    git(root, "add", "-A")
    git(root, "commit", "-qm", f"Upload with {KEY}\n\nThe body has {KEY} too.")
    git(root, "tag", f"v1-{KEY}")
    (root / "upload.py").write_text(
        FILES["upload.py"].replace("return send", f"return send  # {KEY}\n    send")
    )
    return root


COMMANDS = {
    "pack": ("pack", TASK, "--budget", "20000"),
    "pack as JSON": ("pack", TASK, "--budget", "20000", "--format", "json", "--explain", "--left-out", "all"),
    "pack as XML": ("pack", TASK, "--format", "xml"),
    "pack since": ("pack", "review", "--since", "HEAD"),
    "pack since nothing": ("pack", "review", "--since", KEY),
    "a pin of nothing": ("pack", "upload", "--pin", f"gone/{KEY}.py"),
    "an unknown strategy": ("pack", "upload", "--strategy", KEY),
    "an unknown option": ("pack", "upload", f"--{KEY}"),
    "expand": ("expand", "upload.py"),
    "expand raw": ("expand", "upload.py", "--raw"),
    "expand a diff": ("expand", "upload.py", "--level", "diff"),
    "expand credentials": ("expand", ".env"),
    "expand nothing": ("expand", f"gone-{KEY}.py"),
    "why": ("why", "upload.py", TASK),
    "why nothing": ("why", KEY, TASK),
    "suggest": ("suggest",),
    "learn": ("learn", "--dry-run"),
    "index": ("index", "--jobs", "1"),
    "doctor": ("doctor",),
    "config": ("config", "show", "--origin"),
}


def run(root: Path, home: Path, *arguments: str, **more: str) -> subprocess.CompletedProcess[bytes]:
    env = {
        **os.environ,
        "SATCHEL_CACHE_DIR": str(lend_cache(home / "cache")),
        "XDG_STATE_HOME": str(home / "state"),
        **more,
    }
    return run_satchel(arguments, cwd=root, env=env)


def leaks(data: bytes) -> list[str]:
    lowered = data.lower()
    return [end for end in ENDS if end.lower().encode() in lowered]


@pytest.mark.costly
@pytest.mark.parametrize("name", COMMANDS)
def test_no_command_prints_a_planted_key(name: str, planted: Path, tmp_path: Path) -> None:
    done = run(planted, tmp_path, *COMMANDS[name])

    assert b"Traceback" not in done.stderr
    assert leaks(done.stdout) == []
    assert leaks(done.stderr) == []
    kept = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert [path.name for path in kept if leaks(path.read_bytes())] == []


@pytest.mark.parametrize(
    "text",
    [f'strategy = "{KEY}"', f'budgte = "{KEY}"', f'budget = "{KEY}', f"x = '{KEY}"],
)
def test_no_error_in_a_configuration_shows_its_value(text: str, tmp_path: Path) -> None:
    (tmp_path / "satchel.toml").write_text(text + "\n")
    done = run(tmp_path, tmp_path / "home", "pack", "anything")

    assert done.returncode != 0
    assert leaks(done.stderr) == []


def test_a_warning_about_a_model_does_not_show_its_name(tmp_path: Path) -> None:
    (tmp_path / "satchel.toml").write_text(f'model = "{KEY}"\n')
    done = run(tmp_path, tmp_path / "home", "pack", "anything")

    assert b"estimated" in done.stderr
    assert leaks(done.stderr) == []


def test_a_variable_with_a_key_is_not_shown(planted: Path, tmp_path: Path) -> None:
    done = run(planted, tmp_path, "pack", "upload", SATCHEL_BUDGET=KEY)

    assert done.returncode != 0
    assert leaks(done.stderr) == []


@pytest.mark.costly
@pytest.mark.parametrize("command", [("config",), ("config", "show", "--format", "json"), ("doctor",)])
@pytest.mark.parametrize(
    "text", [f'model = "{KEY}"', f'disable = ["{KEY}"]', f'[provider.git]\nsince = "{KEY}"']
)
def test_no_command_repeats_the_key_of_a_setting(text: str, command: tuple[str, ...], tmp_path: Path) -> None:
    (tmp_path / "satchel.toml").write_text(text + "\n")
    done = run(tmp_path, tmp_path / "home", *command)

    assert done.stdout
    assert leaks(done.stdout) == []
    assert leaks(done.stderr) == []
