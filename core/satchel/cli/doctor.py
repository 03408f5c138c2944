"""`satchel doctor`: is everything there that satchel needs."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from satchel.cli.parsing import Outcome, Parser, Plan, add_running, add_workspace

if TYPE_CHECKING:
    from satchel.config import Config
    from satchel.host import Host

DESCRIPTION = """\
Check that everything satchel needs is there. Each line says ok, note or bad, and what to do.
Ends with exit code 1 where something essential is broken."""

EXAMPLES = """\
  satchel doctor
  satchel doctor --root ~/src/shop"""

_OLDEST_PYTHON = (3, 11)
_FILES = ("satchel.toml", "pyproject.toml", "llm_context.json")


class Finding(NamedTuple):
    """What one check found."""

    state: str
    """`ok`, `note` (works, but look at it) or `bad`."""
    subject: str
    text: str


def fill(parser: Parser) -> None:
    """Add the arguments of `doctor`."""
    add_workspace(parser)
    add_running(parser)


def main(args: argparse.Namespace) -> Outcome | Plan:
    """Check, one line each; without a sound configuration the plugins are not asked."""
    from satchel.cli.setup import plan

    root = Path(args.root)
    found = [_python(), *_alone("git", lambda: _git(root)), *_alone("cache", _cache), *_files(root)]
    config, finding = _configuration(root, args)
    found.append(finding)
    if config is None:
        return _told(found)
    sound = config
    return plan(sound, lambda host: _told([*found, *_of_plugins(host, sound)]))


def _told(found: Sequence[Finding]) -> Outcome:
    from satchel.view.tables import table

    bad = sum(finding.state == "bad" for finding in found)
    text = table([(finding.state, finding.subject, finding.text) for finding in found])
    verdict = f"{bad} of {len(found)} checks need you" if bad else "all is well"
    return Outcome(f"{text}\n{verdict}\n", int(bool(bad)))


def _of_plugins(host: Host, config: Config) -> Iterator[Finding]:
    yield from _alone("tokenizer", lambda: _tokenizer(host, config))
    yield from _plugins(host)


def _alone(subject: str, check: Callable[[], Finding]) -> Iterator[Finding]:
    """Yield what a check finds; a check that breaks is a finding too."""
    from satchel.errors import SatchelError

    try:
        yield check()
    except (SatchelError, OSError, ValueError) as error:
        yield Finding("bad", subject, " ".join(str(error).split()))


def _python() -> Finding:
    version = ".".join(map(str, sys.version_info[:3]))
    if sys.version_info[:2] < _OLDEST_PYTHON:
        return Finding("bad", "python", f"{version}, satchel needs 3.11 or newer")
    return Finding("ok", "python", f"{version} at {sys.executable}")


def _git(root: Path) -> Finding:
    import subprocess

    from satchel.workspace.git.running import find_git

    program = find_git(root, os.environ)
    if program is None:
        return Finding("note", "git", "is not on PATH: no history, no diffs; install git")
    # Asks git alone about itself, in a folder without a repository.
    answer = subprocess.run(  # noqa: S603
        [program, "--version"],
        capture_output=True,
        text=True,
        timeout=10,
        cwd=os.path.abspath(os.sep),
        check=False,
    )
    if answer.returncode:
        return Finding("bad", "git", f"{program} ends with exit code {answer.returncode}, install it again")
    return Finding("ok", "git", f"{answer.stdout.strip().removeprefix('git version ')} at {program}")


def _cache() -> Finding:
    from satchel.private_files import cache_folder, why_foreign, why_unusable

    folder = cache_folder()
    there = next(place for place in (folder, *folder.parents) if os.path.exists(place))
    foreign = why_foreign(there) if there == folder else why_unusable(there)
    if foreign:
        return Finding("note", "cache", f"{folder} is not used, each run indexes anew: {there} {foreign}")
    if not (there.is_dir() and os.access(there, os.W_OK | os.X_OK)):
        return Finding("note", "cache", f"{folder} can't be written, each run indexes anew: check {there}")
    files = [file for file in folder.rglob("*") if file.is_file()] if there == folder else []
    megabytes = sum(file.stat().st_size for file in files) / 1e6
    return Finding("ok", "cache", f"{folder}, {megabytes:.1f} MB; may be deleted at any time")


def _files(root: Path) -> Iterator[Finding]:
    from satchel.config import user_path

    found = [name for name in _FILES if (root / name).is_file()]
    own = user_path()
    found += [str(own)] if own.is_file() else []
    where = ", ".join(found) or f"none found, that is fine; yours would be {own}"
    yield Finding("ok", "files", where)


def _configuration(root: Path, args: argparse.Namespace) -> tuple[Config | None, Finding]:
    from satchel.cli.setup import configured
    from satchel.errors import SatchelError

    try:
        config = configured(str(root), flags={"disable": args.disable})
    except SatchelError as error:
        return None, Finding("bad", "config", "; ".join(str(error).splitlines()))
    state = "note" if config.warnings else "ok"
    return config, Finding(state, "config", "; ".join(config.warnings) or "every key is understood")


def _tokenizer(host: Host, config: Config) -> Finding:
    from satchel.host import Kind

    plugin = host.find(Kind.TOKENIZER, config.tokenizer)
    tokenizer = host.make(
        plugin, config.table("tokenizer", plugin.name), config.where("tokenizer", plugin.name)
    )
    counts = list(tokenizer.count(["satchel counts tokens"]))
    if len(counts) != 1 or not 1 <= counts[0] <= 21:
        return Finding("bad", "tokenizer", f"{plugin.name} counts {counts} for three words, choose another")
    exact = "exact" if tokenizer.exact else f"an estimate, +-{tokenizer.error:.0%}"
    return Finding("ok", "tokenizer", f"{plugin.name} ({tokenizer.key}), {exact}")


def _plugins(host: Host) -> Iterator[Finding]:
    from satchel.cli.plugins import every

    loaded = every(host)
    on = sum(plugin.enabled for plugin in loaded)
    state = "ok" if on else "bad"
    missing = "" if on else ": the built-in ones are missing too, install satchel again"
    yield Finding(state, "plugins", f"{on} on, {len(loaded) - on} off{missing}")
    for problem in dict.fromkeys(host.problems):
        own = problem.distribution == "satchel"
        step = "install satchel again" if own else f"leave it out with --no-plugin {problem.distribution}"
        yield Finding("bad" if own else "note", "plugins", f"{problem}; {step}")
