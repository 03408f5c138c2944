"""What surrounds the process: streams, signals, caches, locales, modules in the folder, budgets and tasks."""

# ruff: noqa: E501 - the data of the cases is long
from __future__ import annotations

import json
import os
import signal
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

from tests.hostile.asking import Seen, environment, process, satchel_command
from tests.hostile.ground import NEIGHBOUR, OUTSIDE, TASK, Expect, Ground, snapshot

_MODULE = 'open({trace!r}, "a").write("ran")\nraise SystemExit("a module of the workspace was imported")\n'


def _is_fine(seen: Seen, *codes: int) -> list[str]:
    wrong = [] if seen.code in (codes or (0,)) else [f"exit code {seen.code}: {seen.err[-300:]}"]
    return (
        wrong
        + ["a traceback"] * ("Traceback (most recent" in seen.err)
        + ["outside"] * (OUTSIDE in seen.text)
    )


def _packs(ground: Ground, expect: Expect) -> list[str]:
    """Return what is wrong with a pack."""
    seen = process(satchel_command(ground, expect), ground, env=expect.env)
    return _is_fine(seen) + ([] if NEIGHBOUR in seen.text else [f"{NEIGHBOUR} is missing: {seen.err[-200:]}"])


def _pack(ground: Ground, *argv: str, form: str = "json") -> list[str]:
    return list(satchel_command(ground, Expect(argv=argv, form=form)))


def closed_pipe(ground: Ground) -> Expect:
    def check(ground: Ground) -> list[str]:
        with subprocess.Popen(
            _pack(ground), env=environment(ground), stdout=subprocess.PIPE, stderr=subprocess.PIPE
        ) as running:
            assert running.stdout is not None
            assert running.stderr is not None
            running.stdout.close()
            told = running.stderr.read().decode()
            code = running.wait(60)
        return ["a traceback"] * ("Traceback" in told or "BrokenPipe" in told) + [f"{code}"] * (
            code not in (0, 141)
        )

    return Expect(check=check)


def closed_streams(ground: Ground) -> Expect:
    def check(ground: Ground) -> list[str]:
        line = " ".join(f"'{word}'" for word in _pack(ground))
        return _is_fine(process(["sh", "-c", f"{line} >&- 2>&- <&-"], ground), 0, 1)

    return Expect(check=check)


def full_disk(ground: Ground) -> Expect:
    def check(ground: Ground) -> list[str]:
        with open("/dev/full", "wb") as full:
            done = subprocess.run(
                _pack(ground),
                env=environment(ground),
                stdout=full,
                stderr=subprocess.PIPE,
                timeout=60,
                check=False,
            )
        told = done.stderr.decode()
        return [] if done.returncode == 1 and "Traceback" not in told and "space" in told else [told]

    return Expect(check=check)


def full_disk_under_stderr(ground: Ground) -> Expect:
    def check(ground: Ground) -> list[str]:
        with open("/dev/full", "wb") as full:
            done = subprocess.run(
                _pack(ground),
                env=environment(ground),
                stdout=subprocess.PIPE,
                stderr=full,
                timeout=60,
                check=False,
            )
        return (
            []
            if done.returncode in (0, 1) and (done.returncode or NEIGHBOUR.encode() in done.stdout)
            else ["lost"]
        )

    return Expect(check=check)


def narrow_encodings(ground: Ground) -> Expect:
    ground.write("word.py", f"text = 'h\u00e9llo \u65e5\u672c \U0001f600 {NEIGHBOUR}'\n")

    def check(ground: Ground) -> list[str]:
        wrong = []
        for env in (
            {"PYTHONIOENCODING": "cp1252"},
            {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"},
        ):
            for form in ("markdown", "json"):
                seen = process(_pack(ground, form=form), ground, env=env)
                shown = seen.out.decode("utf-8")
                wrong += _is_fine(seen) + (
                    [] if "\u65e5\u672c" in shown or "\\u65e5" in shown else ["lost text"]
                )
        return wrong

    return Expect(check=check)


def interrupted(ground: Ground) -> Expect:
    for number in range(1_500):
        ground.write(f"m{number}.py", f"def f{number}():\n    return {number}\n" * 20)

    def check(ground: Ground) -> list[str]:
        running = subprocess.Popen(
            _pack(ground), env=environment(ground), stdout=subprocess.PIPE, stderr=subprocess.PIPE
        )
        while running.poll() is None and not list((ground.base / "cache").rglob("*.sqlite")):
            time.sleep(0.01)  # until it begins to index
        running.send_signal(signal.SIGINT)
        out, err = running.communicate(timeout=60)
        if running.returncode == 0:
            return []  # it was done already
        wrong = (
            []
            if running.returncode == 130 and not out and b"Traceback" not in err
            else [f"{running.returncode} {err!r}"]
        )
        return wrong + _packs(ground, Expect())

    return Expect(check=check)


def cache_that_cannot_be_written(ground: Ground) -> Expect:
    (ground.base / "cache").write_text("a file where the folder should be")
    return Expect()


def cache_without_a_place(ground: Ground) -> Expect:
    return Expect(env={"SATCHEL_CACHE_DIR": "/proc/nowhere/cache"}, of_satchel=True)


def cache_full_of_other_things(ground: Ground) -> Expect:
    cache = ground.base / "cache"
    (cache / "index").mkdir(parents=True)
    (cache / "plugins-used.json").write_text("[" * 5_000)
    (cache / "index/other.sqlite").write_text("nothing")
    return Expect(of_satchel=True)


def _indexed(ground: Ground) -> Path:
    seen = process(_pack(ground), ground)
    assert seen.code == 0, seen.err
    return next((ground.base / "cache/index").glob("*.sqlite"))


def damaged_cache(ground: Ground) -> Expect:
    def check(ground: Ground) -> list[str]:
        index = _indexed(ground)
        wrong = []
        for damage in (b"", b"junk" * 1_000, index.read_bytes()[:5_000] + b"\xff" * 9_000):
            for old in index.parent.iterdir():
                old.unlink()
            index.write_bytes(damage)
            wrong += _packs(ground, Expect())
        return wrong

    return Expect(check=check)


def cache_of_another_program(ground: Ground) -> Expect:
    def check(ground: Ground) -> list[str]:
        index = _indexed(ground)
        for old in index.parent.iterdir():
            old.unlink()
        with sqlite3.connect(index) as made:
            made.execute("PRAGMA user_version = 5")
            made.execute("CREATE TABLE documents (x)")
            made.execute("CREATE TRIGGER t AFTER INSERT ON documents BEGIN DELETE FROM documents; END")
        made.close()
        return _packs(ground, Expect())

    return Expect(check=check)


def cache_file_is_a_link(ground: Ground) -> Expect:
    def check(ground: Ground) -> list[str]:
        index = _indexed(ground)
        for old in index.parent.iterdir():
            old.unlink()
        victim = ground.outside / "secret.txt"
        before = victim.read_bytes()
        wrong = []
        for target in (victim, ground.outside / "made"):
            index.unlink(missing_ok=True)
            index.symlink_to(target)
            wrong += _packs(ground, Expect())
        wrong += ["it wrote through the link"] * (victim.read_bytes() != before)
        return wrong + ["it made a file behind the link"] * (ground.outside / "made").exists()

    return Expect(check=check)


def cache_is_private(ground: Ground) -> Expect:
    def check(ground: Ground) -> list[str]:
        old = os.umask(0)
        try:
            _indexed(ground)
        finally:
            os.umask(old)
        places = [ground.base / "cache", *(ground.base / "cache").rglob("*")]
        return [f"{place} {place.stat().st_mode:o}" for place in places if place.stat().st_mode & 0o077]

    return Expect(check=check)


def cache_on_a_full_disk(ground: Ground) -> Expect:
    tiny = ground.base / "tiny"
    tiny.mkdir()
    inner = " ".join(f"'{word}'" for word in _pack(ground))
    line = f"mount -t tmpfs -o size=16k tmpfs '{tiny}' && SATCHEL_CACHE_DIR='{tiny}/c' exec {inner}"

    def check(ground: Ground) -> list[str]:
        can = process(["unshare", "-rm", "true"], ground)
        if can.code != 0:
            return []  # no right to make such a disk here
        seen = process(["unshare", "-rm", "sh", "-c", line], ground)
        return _is_fine(seen) + ([] if NEIGHBOUR in seen.text else [seen.err])

    return Expect(check=check)


def no_home(ground: Ground) -> Expect:
    def check(ground: Ground) -> list[str]:
        command = ["env", "-u", "HOME", "-u", "SATCHEL_CACHE_DIR", *_pack(ground)]
        seen = process(command, ground, env={"XDG_CACHE_HOME": str(ground.base / "xdg")})
        return _is_fine(seen) + ([] if NEIGHBOUR in seen.text else ["lost"])

    return Expect(check=check)


def folder_that_was_deleted(ground: Ground) -> Expect:
    gone = ground.base / "gone"
    gone.mkdir()

    def check(ground: Ground) -> list[str]:
        line = " ".join(f"'{word}'" for word in _pack(ground))
        seen = process(["sh", "-c", f"cd '{gone}' && rmdir '{gone}' && exec {line}"], ground)
        here = process(
            [
                "sh",
                "-c",
                f"mkdir '{gone}' && cd '{gone}' && rmdir '{gone}' && exec '{sys.executable}' -m satchel pack x",
            ],
            ground,
        )
        return _is_fine(seen) + _is_fine(here, 1, 2)

    return Expect(check=check)


def root_that_is_none(ground: Ground) -> Expect:
    def check(ground: Ground) -> list[str]:
        wrong = []
        for root in (
            ground.base / "missing",
            ground.root / "app.py",
            Path("/dev/null"),
            ground.base / ("n" * 300),
        ):
            for command in (["pack", TASK], ["suggest"], ["expand", "app.py"], ["why", "app.py", TASK]):
                seen = process([sys.executable, "-m", "satchel", *command, "--root", str(root)], ground)
                wrong += _is_fine(seen, 1, 2) + ([] if len(seen.err.splitlines()) == 1 else [seen.err])
        return wrong

    return Expect(check=check)


def modules_in_the_folder(ground: Ground) -> Expect:
    names = ("attrs", "attr", "pluggy", "json", "re", "pathlib", "sitecustomize", "usercustomize", "tiktoken", "toktok",
             "satchel_plugins", "sqlite3", "argparse", "typing", "platformdirs", "tree_sitter", "enum", "subprocess",
             "__future__", "dataclasses", "importlib_metadata", "cattrs", "tomllib", "git", "hashlib")  # fmt: skip
    for name in names:
        ground.write(f"{name}.py", _MODULE.format(trace=str(ground.ran)))
    ground.write("evil-1.0.dist-info/METADATA", "Metadata-Version: 2.1\nName: evil\nVersion: 1.0\n")
    ground.write("evil-1.0.dist-info/entry_points.txt", "[satchel]\nevil = satchel_evil\n")
    ground.write("satchel_evil.py", _MODULE.format(trace=str(ground.ran)))

    def check(ground: Ground) -> list[str]:
        wrong = []
        for script in ([sys.executable, "-m", "satchel"], [str(Path(sys.executable).with_name("satchel"))]):
            if not Path(script[0]).exists():
                continue
            seen = process([*script, "pack", TASK, "--format", "json"], ground, folder=ground.root)
            wrong += _is_fine(seen) + ["a module ran"] * ground.ran.exists()
        return wrong

    return Expect(check=check)


def plugin_of_the_workspace(ground: Ground) -> Expect:
    ground.write("satchel.toml", '[scorer.evil]\nweight = 9.0\n[provider.evil]\npath = "x"\n')
    ground.write("satchel_evil.py", _MODULE.format(trace=str(ground.ran)))
    ground.write("evil-1.0.dist-info/METADATA", "Metadata-Version: 2.1\nName: evil\nVersion: 1.0\n")
    ground.write("evil-1.0.dist-info/entry_points.txt", "[satchel]\nevil = satchel_evil\n")

    def check(ground: Ground) -> list[str]:
        command = [sys.executable, "-m", "satchel", "pack", TASK, "--format", "json"]
        seen = process(command, ground, folder=ground.root)
        return _is_fine(seen, 0, 2) + ["it ran"] * ground.ran.exists()

    return Expect(check=check)


def configuration_that_is_refused(ground: Ground) -> Expect:
    texts = (
        'redact = false\n', '[redaction]\nenabled = false\n', '[provider.notes]\nfolder = "/etc"\n',
        '[provider.read_only]\npaths = ["../outside/secret.txt"]\n', '[provider.errors]\ncommand = "touch pwned"\n',
        'tokenizer = "/bin/sh"\n', 'plugins = ["./evil.py"]\n', 'budget = -5\n', 'budget = "abc"\n', "[" * 9_000,
        "a = [" * 20_000, "\0\0\0", "x = 1\n" * 100_000, '[provider.editor]\nstate = "/etc/passwd"\n', "\xff\xfe",
    )  # fmt: skip

    def check(ground: Ground) -> list[str]:
        wrong = []
        for text in texts:
            (ground.root / "satchel.toml").write_text(text, encoding="latin-1")
            seen = process(_pack(ground), ground)
            wrong += [f"{text[:40]!r}: {fault}" for fault in _is_fine(seen, 2)]
        return wrong

    return Expect(check=check)


def configuration_of_another_tool(ground: Ground) -> Expect:
    ground.write("llm_context.json", '{"targetSize": 1e400, "x": ' + "[" * 50_000)
    return Expect(codes=[2], of_satchel=True)


def budgets_that_are_none(ground: Ground) -> Expect:
    def check(ground: Ground) -> list[str]:
        wrong = []
        for budget in ("0", "-5", "abc", "", "1e12x", "nan", "inf", "1.5.2", "9" * 5_000):
            seen = process(_pack(ground, f"--budget={budget}"), ground)
            wrong += [f"{budget[:9]}: {fault}" for fault in _is_fine(seen, 2, 1)]
        for budget in ("1", "17", "1000000000000"):
            seen = process(_pack(ground, f"--budget={budget}"), ground)
            wrong += _is_fine(seen, 0, 2)
            tokens = 0 if seen.code else json.loads(seen.out)["tokens"]
            wrong += [f"{tokens} tokens of {budget}"] * (tokens > int(budget))
        return wrong

    return Expect(check=check)


def tasks_that_are_odd(ground: Ground) -> Expect:
    def check(ground: Ground) -> list[str]:
        command = [
            sys.executable,
            "-m",
            "satchel",
            "pack",
            "-",
            "--root",
            str(ground.root),
            "--format",
            "json",
        ]
        wrong = []
        tasks = (f"{NEIGHBOUR} ".encode() * 250_000, b"\0\0 " + TASK.encode(), b"\xff\xfe\xed\xa0\x80 " + TASK.encode(),
                 b"@" * 2_000_000 + TASK.encode(), b"a/" * 1_000_000 + TASK.encode(), b"[" * 1_000_000)  # fmt: skip
        for task in tasks:
            wrong += [f"{task[:9]!r}: {fault}" for fault in _is_fine(process(command, ground, stdin=task))]
        return wrong + _is_fine(process(command, ground, stdin=b" \n\t "), 2)

    return Expect(check=check)


def files_that_come_and_go(ground: Ground) -> Expect:
    for number in range(300):
        ground.write(f"pkg/m{number}.py", f"def f{number}():\n    return '{NEIGHBOUR}'\n" * 5)
    churn = ground.base / "churn.py"
    churn.write_text(
        "import os, sys, time\nroot, outside = sys.argv[1:]\nend = time.monotonic() + 30\nat = 0\n"
        "while time.monotonic() < end:\n    at += 1\n    place = f'{root}/pkg/m{at % 300}.py'\n"
        "    try:\n        os.unlink(place)\n"
        "        if at % 3 == 0: os.symlink(f'{outside}/secret.txt', place)\n"
        "        elif at % 3 == 1: open(place, 'w').write(f'def g{at}(): return {at}\\n' * 9)\n"
        "    except OSError:\n        open(place, 'w').write('x = 1\\n')\n"
        "    time.sleep(0.0005)\n"
    )

    def check(ground: Ground) -> list[str]:
        churning = subprocess.Popen([sys.executable, str(churn), str(ground.root), str(ground.outside)])
        try:
            return [fault for _ in range(3) for fault in _packs(ground, Expect())]
        finally:
            churning.kill()
            churning.wait()

    return Expect(check=check)


def folder_swapped_for_a_link(ground: Ground) -> Expect:
    for number in range(200):
        ground.write(f"lib/secret{number}.txt", f"inside {NEIGHBOUR}\n")
        (ground.outside / f"secret{number}.txt").write_text(OUTSIDE)
    swap = ground.base / "swap.py"
    swap.write_text(
        "import os, sys, time\nroot, outside = sys.argv[1:]\nend = time.monotonic() + 30\n"
        "while time.monotonic() < end:\n    os.rename(f'{root}/lib', f'{root}/../aside')\n"
        "    os.symlink(outside, f'{root}/lib')\n    time.sleep(0.002)\n"
        "    os.unlink(f'{root}/lib')\n    os.rename(f'{root}/../aside', f'{root}/lib')\n    time.sleep(0.002)\n"
    )

    def check(ground: Ground) -> list[str]:
        swapping = subprocess.Popen([sys.executable, str(swap), str(ground.root), str(ground.outside)])
        try:
            return [fault for _ in range(3) for fault in _packs(ground, Expect())]
        finally:
            swapping.kill()
            swapping.wait()

    return Expect(check=check)


def nothing_is_asked_of_the_network(ground: Ground) -> Expect:
    ground.repository()
    site = ground.base / "site"
    site.mkdir()
    (site / "sitecustomize.py").write_text(
        "import socket\ndef no(*a, **k):\n"
        f"    open({str(ground.ran)!r}, 'a').write(repr(a))\n    raise OSError('no network')\n"
        "socket.socket.connect = socket.socket.connect_ex = no\nsocket.getaddrinfo = no\n"
    )
    return Expect(env={"PYTHONPATH": str(site)}, of_satchel=True)


def other_commands_write_nothing(ground: Ground) -> Expect:
    ground.repository()
    ground.link("linked", ground.outside)

    def check(ground: Ground) -> list[str]:
        before = snapshot(ground.root)
        wrong = []
        for words in (
            ["suggest", "--format", "json"],
            ["why", "app.py", TASK],
            ["expand", "app.py"],
            ["doctor"],
            ["config"],
        ):
            seen = process([sys.executable, "-m", "satchel", *words, "--root", str(ground.root)], ground)
            wrong += [f"{words[0]}: {fault}" for fault in _is_fine(seen)]
        for pointer in ("linked/secret.txt", "../outside/secret.txt", str(ground.outside / "secret.txt"),
                        "satchel://file/../outside/secret.txt", "satchel://file/..%2foutside%2fsecret.txt",
                        "satchel://git/HEAD/../outside/secret.txt", "satchel://blob/../../x", "satchel://x", "", "~"):  # fmt: skip
            seen = process(
                [sys.executable, "-m", "satchel", "expand", "--root", str(ground.root), "--", pointer], ground
            )
            wrong += [f"expand {pointer}: {fault}" for fault in _is_fine(seen, 1, 2)]
        return wrong + ["it wrote in the workspace"] * (snapshot(ground.root) != before)

    return Expect(check=check)


def git_of_the_folder_asked_by_the_doctor(ground: Ground) -> Expect:
    ground.program("git")

    def check(ground: Ground) -> list[str]:
        env = {"PATH": f".:{ground.root}:{os.environ['PATH']}"}
        seen = process([sys.executable, "-m", "satchel", "doctor"], ground, env=env, folder=ground.root)
        return _is_fine(seen, 0, 1) + ["a program of the workspace ran"] * ground.ran.exists()

    return Expect(check=check)


def readers_without_rights(ground: Ground) -> Expect:
    ground.write("locked.py", "x = 1\n").chmod(0)
    ground.write("folder/in.py", "x = 1\n")
    (ground.root / "folder").chmod(0)
    if os.geteuid() != 0:
        return Expect(told=["locked.py", "folder"])
    for place in (ground.base, *ground.base.parents):
        if place != place.parent and place.stat().st_mode & 0o005 != 0o005 and place.stat().st_uid == 0:
            return Expect()  # nobody could get here at all

    def check(ground: Ground) -> list[str]:
        cache = ground.base / "nobody"
        cache.mkdir(mode=0o777)
        cache.chmod(0o777)
        env = {"SATCHEL_CACHE_DIR": str(cache / "c"), "HOME": str(cache)}
        drop = ["setpriv", "--reuid", "65534", "--regid", "65534", "--clear-groups"]
        if process([*drop, sys.executable, "-c", "import satchel"], ground).code != 0:
            return []
        seen = process([*drop, *_pack(ground)], ground, env=env)
        told = seen.text + seen.err
        return _is_fine(seen) + [
            f"{name} is not told" for name in ("locked.py", "folder") if name not in told
        ]

    return Expect(check=check)
