"""squeeze, run and archive on the command line, and expand of what they cut."""

from __future__ import annotations

import json
from pathlib import Path

from .conftest import Satchel

LOG = "".join(f"step {number} of 3000 done\n" for number in range(3_000)) + "error: disk full on /srv\n"


def test_a_gap_that_squeeze_tells_of_can_be_expanded(satchel: Satchel, tmp_path: Path) -> None:
    out = satchel(
        "squeeze", "--format", "json", "--exit-code", "1", "--store", str(tmp_path), stdin=LOG.encode()
    )
    result = json.loads(out.stdout)
    gap = result["gaps"][0]

    expanded = satchel("expand", gap["pointer"], "--store", str(tmp_path)).stdout.decode()

    assert "disk full" in result["text"]
    assert expanded == "".join(LOG.splitlines(keepends=True)[gap["lines"][0] - 1 : gap["lines"][1]])


def test_a_budget_in_which_nothing_fits_is_told(satchel: Satchel, tmp_path: Path) -> None:
    ended = satchel("squeeze", "--budget", "1", "--store", str(tmp_path), stdin=LOG.encode())

    pointer = ended.stderr.split()[-1].decode()
    assert (ended.returncode, ended.stdout) == (0, b"")
    assert b"nothing of 3,001 lines fits" in ended.stderr
    assert satchel("expand", pointer, "--store", str(tmp_path)).stdout.decode() == LOG


def test_a_wrong_setting_is_told_once_and_the_output_is_not_lost(satchel: Satchel) -> None:
    squeezed = satchel("squeeze", "--set", "foo=bar", stdin=b"in\n")
    ran = satchel("run", "--set", "foo=bar", "--", "echo", "in")

    for ended in (squeezed, ran):
        assert (ended.returncode, ended.stdout) == (0, b"in\n")
        assert ended.stderr == b"satchel: --set 'foo=bar': unknown key\n"


def test_one_second_is_told_as_one(satchel: Satchel) -> None:
    ended = satchel("run", "--time-limit", "1", "--", "sleep", "60")

    assert b"the command was stopped after its time limit of 1 second" in ended.stderr


def test_run_prints_the_output_and_ends_as_the_command_does(satchel: Satchel, tmp_path: Path) -> None:
    ran = satchel(
        "run", "--store", str(tmp_path), "--", "sh", "-c", "cat; echo bad >&2; exit 4", stdin=b"in\n"
    )

    assert (ran.stdout, ran.returncode) == (b"in\nbad\n", 4)


def test_run_tells_what_it_can_not_do_in_one_line(satchel: Satchel) -> None:
    missing, empty = satchel("run", "--", "no-such-program-here"), satchel("run")

    assert (missing.returncode, missing.stdout, missing.stderr.count(b"\n")) == (127, b"", 1)
    assert (empty.returncode, empty.stderr.count(b"\n")) == (125, 1)


def test_the_archive_can_be_shown_and_pruned(satchel: Satchel, tmp_path: Path) -> None:
    satchel("squeeze", "--store", str(tmp_path), stdin=LOG.encode())

    assert satchel("archive", "show", "--store", str(tmp_path)).stdout.startswith(b"blob:")
    assert satchel("archive", "prune", "--days", "0", "--store", str(tmp_path)).stdout.startswith(
        b"removed 1 text,"
    )
    assert satchel("archive", "show", "--store", str(tmp_path)).stdout == b""


def test_a_pointer_that_is_not_kept_is_told(satchel: Satchel, tmp_path: Path) -> None:
    ended = satchel("expand", "blob:0123456789ab", "--store", str(tmp_path))

    assert (ended.returncode, ended.stdout) == (1, b"")
    assert b"is not in" in ended.stderr


def test_a_file_is_squeezed_as_what_its_name_says(satchel: Satchel, tmp_path: Path) -> None:
    code = "".join(f"def step_{number}(value):\n    return value + {number}\n\n\n" for number in range(150))
    (tmp_path / "steps.py").write_text(code, "utf-8")
    (tmp_path / "build.log").write_text(LOG, "utf-8")
    options = ("--budget", "500", "--store", str(tmp_path / "kept"))

    of_code = satchel("squeeze", "steps.py", *options, cwd=tmp_path).stdout
    of_log = satchel("squeeze", "build.log", *options, cwd=tmp_path).stdout

    told = ("--command", "cat steps.py")
    assert of_code == satchel("squeeze", *told, *options, stdin=code.encode(), cwd=tmp_path).stdout
    assert of_log == satchel("squeeze", *options, stdin=LOG.encode(), cwd=tmp_path).stdout
    assert of_log != LOG.encode()
