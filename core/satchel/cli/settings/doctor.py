"""`satchel doctor`: check that everything that satchel needs is installed and works."""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from satchel.cli.parsing import CommandPlan, Outcome, Parser, add_workspace
from satchel.cli.setup import load_config, plan
from satchel.config import Config, user_path
from satchel.errors import SatchelError
from satchel.private_files import cache_folder, why_foreign, why_unusable
from satchel.spelling import agree, format_count
from satchel.view.tables import table

if TYPE_CHECKING:
    from satchel.host import Host
    from satchel.session.store import Store

DESCRIPTION = """\
Check that everything satchel needs is there. Each line says ok, note or bad, and what to do about it.
Exits with code 1 if something essential is broken."""

EXAMPLES = """\
  satchel doctor
  satchel doctor --root ~/src/shop"""

_LIBRARIES = {
    "ahocorasick": "pyahocorasick is not installed: finding secrets takes twice as long",
    "watchdog": "watchdog is not installed: every refresh scans the whole workspace",
}
"""Modules that are left out if the package index has no wheel, and the cost of that."""
_FILES = ("satchel.toml", "pyproject.toml", "llm_context.json")


_LARGE_BYTES = 1 << 30
_STALE_DAYS = 365.0
_NEWEST = 500
"""Messages of each session that are checked against their seals."""
_MOST_NAMED = 3


class DoctorFinding(NamedTuple):
    """The result of one check."""

    state: str
    """`ok`, `note` (works, but look at it) or `bad`."""
    subject: str
    text: str


_States = Iterator[tuple[str, str]]
"""State and text of a check's findings."""


def fill(parser: Parser) -> None:
    """Add the arguments of `doctor`."""
    add_workspace(parser)


def main(args: argparse.Namespace) -> Outcome | CommandPlan:
    """Run all checks; with an invalid configuration the plugins are skipped."""
    root = Path(args.root)
    found = [
        *_run_check("python", _python()),
        *_run_check("library", _libraries()),
        *_run_check("git", _git(root)),
        *_run_check("cache", _cache()),
        *_run_check("files", _files(root)),
    ]
    config, finding = _configuration(args)
    found.append(finding)
    if config is None:
        return _render_findings(found)
    found += _run_check("sessions", _sessions(root))
    found += _run_check("sessions", _waiting())
    found += _run_check("archive", _archive())
    sound = config

    def _work(host: Host) -> Outcome:
        more = (*_run_check("tokenizer", _tokenizer(host, sound)), *_run_check("plugins", _plugins(host)))
        return _render_findings([*found, *more])

    return plan(sound, _work)


def _render_findings(found: Sequence[DoctorFinding]) -> Outcome:
    bad = sum(finding.state == "bad" for finding in found)
    text = table([(finding.state, finding.subject, finding.text) for finding in found])
    verdict = f"{bad} of {len(found)} checks need your attention" if bad else "everything is fine"
    return Outcome(f"{text}\n{verdict}\n", int(bool(bad)))


def _run_check(subject: str, check: _States) -> Iterator[DoctorFinding]:
    """Yield a check's findings; an error in a check is a finding too."""
    try:
        for state, text in check:
            yield DoctorFinding(state, subject, text)
    except (SatchelError, OSError, ValueError) as error:
        yield DoctorFinding("bad", subject, " ".join(str(error).split()))


def _python() -> _States:
    yield "ok", f"{'.'.join(map(str, sys.version_info[:3]))} at {sys.executable}"


def _libraries() -> _States:
    """Yield a note for each library whose wheel is missing, so that satchel is slower."""
    from importlib.util import find_spec

    yield from (("note", cost) for module, cost in _LIBRARIES.items() if find_spec(module) is None)


def _git(root: Path) -> _States:
    import subprocess

    from satchel.workspace.git.running import find_git

    program = find_git(root, os.environ)
    if program is None:
        yield "note", "is not on PATH: no history, no diffs; install git"
        return
    # Asks only for git's version, in a folder without a repository.
    answer = subprocess.run(  # noqa: S603
        [program, "--version"],
        capture_output=True,
        text=True,
        timeout=10,
        cwd=os.path.abspath(os.sep),
        check=False,
    )
    if answer.returncode:
        yield "bad", f"{program} ends with exit code {answer.returncode}; reinstall it"
        return
    yield "ok", f"{answer.stdout.strip().removeprefix('git version ')} at {program}"


def _cache() -> _States:
    folder = cache_folder()
    there = next(place for place in (folder, *folder.parents) if os.path.exists(place))
    foreign = why_foreign(there) if there == folder else why_unusable(there)
    if foreign:
        yield "note", f"{folder} is not used, and every run indexes from scratch: {there} {foreign}"
        return
    if not (there.is_dir() and os.access(there, os.W_OK | os.X_OK)):
        yield "note", f"{folder} can't be written, each run indexes anew: check {there}"
        return
    files = [file for file in folder.rglob("*") if file.is_file()] if there == folder else []
    megabytes = sum(file.stat().st_size for file in files) / 1e6
    yield "ok", f"{folder}, {megabytes:.1f} MB; may be deleted at any time"


def _files(root: Path) -> _States:
    found = [name for name in _FILES if (root / name).is_file()]
    own = user_path()
    found += [str(own)] if own.is_file() else []
    where = ", ".join(found) or "no configuration file"
    yield "ok", where if own.is_file() else f"{where}; yours would be {own}"


def _configuration(args: argparse.Namespace) -> tuple[Config | None, DoctorFinding]:
    try:
        config = load_config(args)
    except SatchelError as error:
        return None, DoctorFinding("bad", "config", "; ".join(str(error).splitlines()))
    state = "note" if config.warnings else "ok"
    return config, DoctorFinding(state, "config", "; ".join(config.warnings) or "every key is valid")


def _tokenizer(host: Host, config: Config) -> _States:
    from satchel.installed import make_tokenizer

    plugin, tokenizer = make_tokenizer(config, host)
    counts = list(tokenizer.count(["satchel counts tokens"]))
    if len(counts) != 1 or not 1 <= counts[0] <= 21:
        yield "bad", f"{plugin.name} counts {counts} for three words; choose another"
        return
    exact = "exact" if tokenizer.exact else f"an estimate, +-{tokenizer.error:.0%}"
    yield "ok", f"{plugin.name} ({tokenizer.key}), {exact}"


def _plugins(host: Host) -> _States:
    from satchel.cli.settings.plugins import all_plugins
    from satchel.host.loading import plugin_folder

    loaded = all_plugins(host)
    on = sum(plugin.enabled for plugin in loaded)
    state = "ok" if on else "bad"
    missing = "" if on else ": the built-in ones are missing too; reinstall satchel"
    folder = f"; files of your own are loaded from {plugin_folder()}"
    yield state, f"{on} on, {len(loaded) - on} off{missing or folder}"
    for problem in dict.fromkeys(host.problems):
        own = problem.distribution == "satchel"
        step = "install satchel again" if own else f"leave it out with --no-plugin {problem.distribution}"
        yield "bad" if own else "note", f"{problem}; {step}"


def _sessions(root: Path) -> _States:
    from satchel.session.places import find_store, name_place

    store = find_store(None, root)
    place = name_place(None, root)
    if store is None:
        yield "ok", f"none was kept yet; they would be in {place}"
        return
    with closing(store):
        yield from _sizes(store, place)
        yield from _damage(store)
    left = sorted(Path(place).parent.glob("*.damaged-*")) if Path(place).is_file() else []
    if left:
        yield "note", f"{left[0]} was set aside as damaged; remove it once you no longer need it"


def _sizes(store: Store, place: str) -> _States:
    from satchel.session.store import Tidying
    from satchel.sizing.devices import format_bytes

    if not isinstance(store, Tidying):
        yield "ok", f"in {place}, which does not tell their sizes"
        return
    sizes = sorted(store.sizes(), key=lambda one: -one.bytes)
    total = sum(one.bytes for one in sizes)
    largest = ", ".join(f"{one.name} {format_bytes(one.bytes)}" for one in sizes[:_MOST_NAMED])
    text = f"{len(sizes)} of {format_bytes(total)} in {place}"
    text += f"; the largest: {largest}" if sizes else ""
    step = "; satchel session prune removes what is old" if total > _LARGE_BYTES else ""
    yield "note" if step else "ok", f"{text}{step}"
    stale = [one for one in sizes if time.time() - one.used > _STALE_DAYS * 86_400]
    if stale:
        held = format_bytes(sum(one.bytes for one in stale))
        days = f"{_STALE_DAYS:.0f}"
        text = f"{len(stale)} of {held} have not been used for a year; satchel session prune --days {days}"
        yield "note", text


def _damage(store: Store) -> _States:
    """Yield damage in the newest messages of each session's current branch."""
    from satchel.session.line import Line
    from satchel.session.nodes import DamageError
    from satchel.session.opening import sessions_of

    for known in sessions_of(store):
        try:
            Line(store, known).messages(last=_NEWEST)
        except DamageError as error:
            text = f"{known.name}: {error}"
            yield "bad", " ".join(text.split())


def _waiting() -> _States:
    """Yield the messages that wait on this machine for a server that could not be reached."""
    from satchel.session.spooling import list_spools

    waiting = [(spool, len(spool.waiting())) for spool in list_spools()]
    for spool, count in waiting:
        if count:
            step = "satchel session replay sends them, as does the next session add --spool"
            waits = f"{format_count(count, 'message')} {agree(count, 'waits', 'wait')}"
            yield "note", f"{waits} in {spool.path}; {step}"


def _archive() -> _States:
    from satchel.archive import MOST_BYTES
    from satchel.shared_archive import open_archive
    from satchel.sizing.devices import format_bytes

    archive = open_archive()
    found = archive.show()
    total = sum(one.stored_bytes for one in found)
    step = "; satchel archive prune removes what is old" if total > MOST_BYTES else ""
    text = f"{len(found)} texts of {format_bytes(total)} in {archive.place_name}{step}"
    yield "note" if step else "ok", text
