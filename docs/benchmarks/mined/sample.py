"""A repository that is the same on every machine, for the one table that CI makes again."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

NOUNS = (
    ("invoice", "discount", "total"),
    ("ledger", "balance", "entry"),
    ("session", "token", "deadline"),
    ("upload", "checksum", "chunk"),
    ("thumbnail", "width", "format"),
    ("queue", "priority", "worker"),
    ("calendar", "holiday", "timezone"),
    ("address", "country", "street"),
    ("shipment", "weight", "carrier"),
    ("newsletter", "subject", "recipient"),
    ("inventory", "shelf", "quantity"),
    ("voucher", "expiry", "code"),
)
VERBS = ("parse", "validate", "store", "render", "merge", "expire", "notify")
FIXES = (
    (
        "session",
        "expire",
        "deadline",
        "A person who stays past the deadline must be logged out of the session",
    ),
    ("upload", "validate", "checksum", "Don't accept an upload when the checksum that came with it is empty"),
    ("invoice", "merge", "discount", "Two invoices that are merged got the discount of the first one twice"),
    ("thumbnail", "render", "width", "Small pictures are drawn with no width at all: keep the one they have"),
    ("queue", "notify", "worker", "Tell a sleeping worker of the queue as soon as there is something to do"),
    ("shipment", "store", "weight", "Parcels without a weight were written down as if they weighed nothing"),
    ("calendar", "parse", "timezone", "Read the timezone of a calendar before its days, never after them"),
    ("voucher", "validate", "expiry", "A voucher whose expiry is today can still be used until midnight"),
)
_DAY = 86_400
_START = 1_700_000_000


def generate(root: Path) -> Path:
    """Write the repository and its commits; return its root."""
    root.mkdir(parents=True)
    _git(root, "init", "-q", "-b", "main")
    for noun, *fields in NOUNS:
        file = root / "office" / f"{noun}s.py"
        file.parent.mkdir(exist_ok=True)
        file.write_text(_module(noun, fields), encoding="utf-8", newline="\n")
    _commit(root, "Open the office", day=0)
    for day, (noun, verb, field, message) in enumerate(FIXES, 1):
        file = root / "office" / f"{noun}s.py"
        before, place, after = file.read_text(encoding="utf-8").partition(f"def {verb}_{field}(")
        old, new = f"if {verb}s_nothing({noun}.{field}):", f"if {noun}.{field} is None or limit < {day}:"
        file.write_text(before + place + after.replace(old, new, 1), encoding="utf-8", newline="\n")
        _commit(root, message, day=day)
    return root


def _module(noun: str, fields: list[str]) -> str:
    parts = [
        f'"""What the office does with each {noun}."""\n\n'
        "import logging\n\nlog = logging.getLogger(__name__)\n"
    ]
    for verb in VERBS:
        parts += [_function(noun, verb, field) for field in fields]
    return "\n\n".join(parts)


def _function(noun: str, verb: str, field: str) -> str:
    return (
        f"def {verb}_{field}({noun}, limit=10):\n"
        f'    """{verb.capitalize()} the {field} of this {noun}."""\n'
        f"    if {verb}s_nothing({noun}.{field}):\n"
        f'        log.debug("nothing to {verb} in %s", {noun})\n'
        f"        return {noun}\n"
        f"    {noun}.{field} = {verb}({noun}.{field}, limit)\n"
        f"    {noun}.history.append(({verb!r}, {field!r}, limit))\n"
        f"    return {noun}\n"
    )


def _commit(root: Path, message: str, *, day: int) -> None:
    date = f"{_START + _DAY * day} +0000"
    _git(root, "add", "-A")
    _git(root, "commit", "-q", "-m", message, date=date)


def _git(root: Path, *arguments: str, date: str = "") -> None:
    person = (
        "-c",
        "user.name=Office",
        "-c",
        "user.email=office@example.invalid",
        "-c",
        "commit.gpgsign=false",
    )
    clean = {key: value for key, value in os.environ.items() if not key.startswith("GIT_")}
    fixed = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1", "LC_ALL": "C"}
    dates = {"GIT_AUTHOR_DATE": date, "GIT_COMMITTER_DATE": date} if date else {}
    subprocess.run(  # noqa: S603 - fixed arguments
        ["git", *person, "-C", str(root), *arguments],  # noqa: S607 - the git that the person has
        env=clean | fixed | dates,
        stdin=subprocess.DEVNULL,
        check=True,
    )
