"""Outputs of many kinds for properties, each with the command that may have made it."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Mapping
from types import MappingProxyType

SECRET = "ghp_R4nd0mT0k3nVaLu3ThatIsLongEnough12345"
_WORDS = (
    "cart",
    "login",
    "tax",
    "order",
    "stock",
    "price",
    "user",
    "queue",
    "mail",
    "cache",
    "été",
    "parser",
)
_ODD = (
    "",
    "\t",
    "=" * 40,
    "error: no such column: vat",
    "FAILED tests/test_cart.py::test_tax - assert 3 == 4",
    "\x1b[31mred\x1b[0m and \x1b[1mbold\x1b[0m",
    "10%\r50%\rdone 100%",
    "\x00\x01\x02",
    f"token={SECRET}",
    "x" * 700,
    "a, b; c " * 90,
    "WARNING: 3 of 7 are slow",
    "…",
    "[… lines 3-9]",
    "[x3]",
)


def _name(dice: random.Random) -> str:
    return f"{dice.choice(_WORDS)}_{dice.choice(_WORDS)}_{dice.randrange(900)}"


def _path(dice: random.Random) -> str:
    return f"src/{dice.choice(_WORDS)}/{_name(dice)}.py"


def _hash(dice: random.Random) -> str:
    return f"{dice.getrandbits(160):040x}"


def _text(dice: random.Random) -> str:
    return " ".join(
        dice.choice((dice.choice(_WORDS), _name(dice), "the", "of")) for _ in range(dice.randint(2, 14))
    )


def log(dice: random.Random) -> str:
    """Return lines of a service."""
    levels = ("INFO", "INFO", "WARN", "ERROR")
    return "\n".join(
        f"10:{at % 60:02} {dice.choice(levels)} request {at} of {_name(dice)} in {at % 9} ms"
        for at in range(dice.randint(1, 400))
    )


def journal(dice: random.Random) -> str:
    """Return what a journal and Compose write before the lines of programs, records behind some of them."""
    lines: list[str] = []
    for at in range(dice.randint(1, 60)):
        before = dice.choice((f"Nov 21 14:00:{at:02} web-3 shop[{at * 37}]: ", "api-1  | ", "==4711== "))
        fact = json.dumps({_name(dice): _text(dice) for _ in range(dice.choice((0, 1, 30)))})
        said = (
            "Traceback (most recent call last):",
            f'  File "{_path(dice)}", line {at}',
            f"failed => {fact}",
            "",
        )
        lines += [before + dice.choice((*said, _text(dice))) for _ in range(dice.randint(1, 9))]
    return "\n".join(lines)


def calls(dice: random.Random) -> str:
    """Return calls of the system as they are traced."""
    ways = (
        "= 0",
        "= -1 ENOENT (No such file or directory)",
        "= -1 EACCES (Permission denied)",
        "<unfinished ...>",
    )
    return "\n".join(
        f'[pid {at % 3}] openat(AT_FDCWD, "{_path(dice)}", O_RDONLY) {dice.choice(ways)}'
        for at in range(dice.randint(1, 300))
    )


def notebook(dice: random.Random) -> str:
    """Return a notebook with what its cells printed."""
    cells = [
        {
            "cell_type": dice.choice(("code", "markdown")),
            "outputs": [{"text": [f"step {at} {_name(dice)}\n" for at in range(dice.choice((0, 40)))]}],
            "source": [dice.choice(("# Taxes\n", "def tax():\n", _text(dice)))],
        }
        for _ in range(dice.randint(1, 30))
    ]
    return json.dumps({"cells": cells}, indent=1)


def history(dice: random.Random) -> str:
    """Return a history, now and then with merges and what each changed."""
    stat = dice.random() < 0.3
    entries = []
    for _ in range(dice.randint(1, 90)):
        merge = f"Merge: {_hash(dice)[:8]} {_hash(dice)[:8]}\n" if dice.random() < 0.2 else ""
        files = (
            "".join(f" {_path(dice)} | 4 ++--\n" for _ in range(3)) + " 3 files changed\n\n" if stat else ""
        )
        entries.append(
            f"commit {_hash(dice)}\n{merge}Author: Ann <ann@example.org>\nDate:   Mon Jun 1 10:00:00 2026\n\n"
            f"    {_text(dice)}\n\n    {_text(dice)}\n\n{files}"
        )
    return "".join(entries)


def one_line_history(dice: random.Random) -> str:
    """Return a history of one line an entry."""
    return "\n".join(f"{_hash(dice)[:8]} {_text(dice)}" for _ in range(dice.randint(1, 400)))


def diff(dice: random.Random) -> str:
    """Return a diff of some files."""
    files = []
    for _ in range(dice.randint(1, 30)):
        path = _path(dice)
        hunks = "".join(
            f"@@ -{at},3 +{at},4 @@ def {_name(dice)}\n {_text(dice)}\n-{_text(dice)}\n+{_text(dice)}\n+ok\n"
            for at in range(3, dice.randint(4, 90), 20)
        )
        files.append(
            f"diff --git a/{path} b/{path}\nindex 1f..2e 100644\n--- a/{path}\n+++ b/{path}\n{hunks}"
        )
    return "".join(files)


def patches(dice: random.Random) -> str:
    """Return a history with diffs."""
    return "".join(
        f"commit {_hash(dice)}\nAuthor: Ann <a@b.org>\n\n    {_text(dice)}\n\n{diff(dice)}\n"
        for _ in range(dice.randint(1, 5))
    )


def matches(dice: random.Random) -> str:
    """Return what grep finds, with or without files above."""
    if dice.random() < 0.5:
        return "\n".join(f"{_path(dice)}:{at}:    {_text(dice)}" for at in range(1, dice.randint(2, 300)))
    return "\n\n".join(
        "\n".join([_path(dice), *(f"{at}:  {_text(dice)}" for at in range(1, dice.randint(2, 12)))])
        for _ in range(dice.randint(1, 40))
    )


def paths(dice: random.Random) -> str:
    """Return a list of files."""
    return "\n".join(f"./{_path(dice)}" for _ in range(dice.randint(1, 900)))


def folders(dice: random.Random) -> str:
    """Return `ls -lR`."""
    return "\n\n".join(
        f"./{_name(dice)}:\ntotal 8\n"
        + "\n".join(
            f"-rw-r--r-- 1 ann ann {dice.randrange(9_999)} Jun  1 10:00 {_name(dice)}" for _ in range(9)
        )
        for _ in range(dice.randint(1, 40))
    )


def records(dice: random.Random) -> str:
    """Return JSON, on one line, on many, or a record a line."""
    rows = [
        {
            "id": at,
            "name": _name(dice),
            "state": "ok" if dice.random() < 0.97 else "odd",
            "tags": [_name(dice)],
        }
        for at in range(dice.randint(1, 200))
    ]
    indent = dice.choice((None, 2, 4))
    if dice.random() < 0.3:
        return "\n".join(json.dumps(row) for row in rows)
    return json.dumps({"rows": rows, "total": len(rows)}, indent=indent)


def fields(dice: random.Random) -> str:
    """Return YAML."""
    return "items:\n" + "\n".join(
        f"  - name: {_name(dice)}\n    spec:\n      image: {_path(dice)}\n      replicas: {dice.randrange(4)}"
        for _ in range(dice.randint(1, 120))
    )


def table(dice: random.Random) -> str:
    """Return a table: values with commas, between bars, or in columns."""
    rows = [
        [str(at), _name(dice), "paid" if dice.random() < 0.97 else "lost"]
        for at in range(dice.randint(1, 300))
    ]
    form = dice.randrange(3)
    if form == 0:
        return "\n".join(",".join(row) for row in (["id", "name", "state"], *rows))
    if form == 1:
        body = "\n".join(f" {row[0]:>4} | {row[1]:<24} | {row[2]}" for row in rows)
        header = f"  id  | {'name':<24} | state\n------+{'-' * 26}+-------\n"
        return f"{header}{body}\n({len(rows)} rows)"
    return "\n".join(f"{row[0]:<6}{row[1]:<26}{row[2]}" for row in (["ID", "NAME", "STATE"], *rows))


def page(dice: random.Random) -> str:
    """Return Markdown."""
    return "\n\n".join(
        f"## {_text(dice)}\n\nThis is what the {_text(dice)} does.\n\n```\n{_name(dice)}({_name(dice)})\n```"
        for _ in range(dice.randint(1, 60))
    )


def source(dice: random.Random) -> str:
    """Return a file of code."""
    return "\n\n".join(
        f"def {_name(dice)}({_name(dice)}):\n    return {_name(dice)} + {dice.randrange(9_999)}  # ok"
        for _ in range(dice.randint(1, 150))
    )


def plan(dice: random.Random) -> str:
    """Return what terraform is going to do."""
    done = ("will be created", "will be destroyed", "must be replaced", "will be updated in-place")
    resources = "".join(
        f"  # aws_s3_bucket.{_name(dice)} {dice.choice(done)}\n  + resource {{\n"
        f"      ~ tags = {_name(dice)} -> {_name(dice)}\n"
        "      + arn = (known after apply)\n    }\n\n"
        for _ in range(dice.randint(1, 60))
    )
    return f"Terraform will perform the following actions:\n\n{resources}Plan: 3 to add, 0 to change."


def tests(dice: random.Random) -> str:
    """Return a run of tests."""
    names = [f"tests/test_{dice.choice(_WORDS)}.py::test_{_name(dice)}" for _ in range(dice.randint(1, 200))]
    failed = [name for name in names if dice.random() < 0.1]
    return "\n".join(
        [
            "============ test session starts ============",
            *(f"{name} {'FAILED' if name in failed else 'PASSED'}" for name in names),
            *(
                f"E   assert {_name(dice)} == {_name(dice)}\n{name.partition(':')[0]}:3: AssertionError"
                for name in failed
            ),
            *(f"FAILED {name} - assert 1 == 2" for name in failed),
            f"===== {len(failed)} failed, {len(names) - len(failed)} passed in 1.2s =====",
        ]
    )


def anything(dice: random.Random) -> str:
    """Return odd lines."""
    return "\n".join(dice.choice((dice.choice(_ODD), _text(dice))) for _ in range(dice.randint(1, 160)))


KINDS: Mapping[str, tuple[Callable[[random.Random], str], str]] = MappingProxyType(
    {
        "log": (log, "docker logs web"),
        "journal": (journal, "journalctl -u shop"),
        "calls": (calls, "strace -f shop"),
        "notebook": (notebook, "cat a.ipynb"),
        "history": (history, "git log"),
        "one-line history": (one_line_history, "git log --oneline"),
        "diff": (diff, "git diff"),
        "patches": (patches, "git log -p"),
        "matches": (matches, "rg -n tax"),
        "paths": (paths, "find . -name '*.py'"),
        "folders": (folders, "ls -lR"),
        "records": (records, "curl -s localhost"),
        "fields": (fields, "kubectl get pods -o yaml"),
        "table": (table, "psql -c 'select * from orders'"),
        "page": (page, "cat README.md"),
        "source": (source, "cat cart.py"),
        "plan": (plan, "terraform plan"),
        "tests": (tests, "pytest -v"),
        "anything": (anything, "make"),
    }
)


def output_of(kind: str, seed: int) -> tuple[str, str]:
    """Return an output of that kind, now and then with odd lines, and its command, "" now and then."""
    dice = random.Random(f"{kind} {seed}")
    make, command = KINDS[kind]
    lines = make(dice).split("\n")
    for _ in range(dice.choice((0, 1, 5))):
        lines.insert(dice.randint(0, len(lines)), dice.choice(_ODD))
    end = dice.choice(("\n", "\n", "", "\n\n"))
    return "\n".join(lines) + end, dice.choice((command, command, ""))
