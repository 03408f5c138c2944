"""Of a trace of system calls what failed is shown: as hardly any other call did, and last."""

from __future__ import annotations

from pathlib import Path

import pytest

from satchel import squeeze
from satchel.output import judge
from satchel.output.judging import Rank, read_call

SEARCHED = [
    f'openat(AT_FDCWD, "/usr/{folder}/lib/hat_{at * 37}.so", O_RDONLY) = -1 ENOENT (No such file)'
    for at in range(60)
    for folder in ("local", "share")
]
WELL = [f'read(3, "part {at}"..., 4096) = {at * 37}' for at in range(90)]
ENDS = [
    'openat(AT_FDCWD, "/etc/shop/api.toml", O_RDONLY) = -1 ENOENT (No such file or directory)',
    "connect(4, {sa_family=AF_INET, sin_port=htons(5432)}, 16) = -1 ECONNREFUSED (Connection refused)",
    *SEARCHED[-6:],
    'write(2, "shop: no database\\n", 18)     = 18',
    "exit_group(3)                           = ?",
    "+++ exited with 3 +++",
]


@pytest.mark.parametrize("budget", [300, 1_000])
@pytest.mark.parametrize("before", ["", "[pid  4711] "], ids=["alone", "threads"])
def test_what_failed_last_and_what_failed_as_nothing_else_did_is_shown(
    tmp_path: Path, budget: int, before: str
) -> None:
    text = "\n".join([before + line for line in (*SEARCHED, *WELL, *ENDS)])

    shown = squeeze(text, command="strace -f shop", budget=budget, store=tmp_path).text

    for fact in ("/etc/shop/api.toml", "ECONNREFUSED", "shop: no database", "exited with 3"):
        assert fact in shown
    assert "[also:" not in shown


@pytest.mark.parametrize(
    ("line", "failed"),
    [
        ('access("/etc/x", R_OK)      = -1 ENOENT (No such file or directory)', "ENOENT"),
        ('4711 14:02:03.5 access("/etc/x", R_OK) = 0', ""),
        ('[pid 9] <... read resumed>"x", 4096) = 12', ""),
        ("read(3,  <unfinished ...>", ""),
        ("total = sum(prices)", None),
        ("assert load(path) == -1", None),
    ],
)
def test_a_call_is_read_with_how_it_failed(line: str, failed: str | None) -> None:
    assert read_call(line) == failed


def test_a_call_that_went_well_tells_of_an_error_where_the_program_said_so() -> None:
    assert judge("rt_sigaction(SIGABRT, NULL, {sa_handler=SIG_DFL}, 8) = 0").rank is Rank.PLAIN
    assert judge('read(255, "# Summary: 3 failed", 1556) = 19').rank is Rank.PLAIN
    assert judge('write(2, "cannot open state: Permission denied", 37) = 37').rank is Rank.ERROR
