"""Run git for one repository: with safe settings, within time, and with errors that quote nothing."""

from __future__ import annotations

import contextlib
import os
import re
import time
from collections.abc import Mapping
from pathlib import Path

from satchel.errors import WorkspaceError
from satchel.paths import safe_text
from satchel.patterns import lazily
from satchel.workspace.git.running import SETTINGS, Answer, find_git, harden_environment, run

_SECONDS = 20.0
"""Seconds that timed-out git calls may take in one run, together."""
_LEAST_SECONDS = 1.0
_NAME_BYTES = 8_192
_LISTING_BYTES = 256_000_000
_FILTER = lazily(r"filter\.[^\n]*\.(?:clean|smudge|process|required)\Z", re.DOTALL)
_HEADING = lazily(r"diff\.[^\n]*\.x?funcname\Z", re.DOTALL)
_QUOTED = lazily(r"(?s)(['\"]).*\1")


class GitProgram:
    """The git program as it is run for one repository: in which folder, environment and settings.

    Each method that runs it raises WorkspaceError if it can't be started or gave no answer in time before.
    """

    def __init__(
        self, root: Path, path: str, git_dir: Path, prefix: str, environment: Mapping[str, str]
    ) -> None:
        self.root = root
        """The workspace's folder, in which git runs."""
        self.path = path
        self.git_dir = git_dir
        self.prefix = prefix
        """The workspace's own path in the repository, "" or with a `/` at its end."""
        self.environment = environment
        self.wasted: list[float] = []
        """Seconds of each call that timed out."""
        self._filters_off: tuple[str, ...] | None = None

    def ask(self, *arguments: str, settings: tuple[str, ...] = (), limit: int = _LISTING_BYTES) -> Answer:
        """Return git's answer to a command, whatever its exit code; `settings` are added to the safe ones."""
        options = [option for pair in (*SETTINGS, *settings) for option in ("-c", pair)]
        command = [self.path, *options, "--no-pager", "--no-optional-locks", "--no-replace-objects"]
        seconds = _SECONDS - sum(self.wasted)
        if seconds < _LEAST_SECONDS:
            raise WorkspaceError(str(self.root), "git gave no answer before and is not asked again")
        begun = time.monotonic()
        try:
            answer = run(
                [*command, *arguments],
                folder=self.root,
                environment=self.environment,
                seconds=seconds,
                limit=limit,
            )
        except OSError as error:
            raise WorkspaceError(str(self.root), f"git can't be started: {error.strerror}") from error
        if answer.late:
            self.wasted.append(time.monotonic() - begun)
        return answer

    def ask_or_fail(self, *arguments: str, settings: tuple[str, ...] = ()) -> Answer:
        """Return git's answer to a command; raise WorkspaceError if it fails or the answer is cut."""
        answer = self.ask(*arguments, settings=settings)
        if answer.code or answer.cut:
            raise self.failure(f"git {arguments[0]} failed", answer)
        return answer

    def failure(self, what: str, answer: Answer) -> WorkspaceError:
        """Return the error that says `what` failed and, from the answer, why."""
        return WorkspaceError(str(self.root), f"{what}: {describe_failure(answer)}")

    def filters_off(self) -> tuple[str, ...]:
        """Return settings that disable every filter and heading pattern, which could run for ever.

        The configuration is read once for a pack, until `forget_settings`. Reading it runs nothing.
        """
        if self._filters_off is None:
            self._filters_off = self._find_filters()
        return self._filters_off

    def forget_settings(self) -> None:
        """Read the configuration again when it is needed: it may have changed."""
        self._filters_off = None

    def _find_filters(self) -> tuple[str, ...]:
        answer = self.ask("config", "-z", "--name-only", "--get-regexp", r"^(filter|diff)\.")
        found = set(split_names(answer.output))
        headings = {name for name in found if _HEADING.match(name) and "=" not in name}
        names = {name for name in found if _FILTER.match(name)}
        stems = sorted({name.rpartition(".")[0] for name in names})
        if any("=" in stem for stem in stems):
            raise WorkspaceError(
                str(self.root), "a filter in git's configuration has '=' in its name: rename it"
            )
        pairs = (("clean", ""), ("smudge", ""), ("process", ""), ("required", "false"))
        plain = tuple(f"{name}=^[a-zA-Z_]" for name in sorted(headings))
        return plain + tuple(f"{stem}.{key}={text}" for stem in stems for key, text in pairs)


def excludes_file(environment: Mapping[str, str]) -> Path | None:
    """Return the ignore file that the user's own configuration names, None if it names none.

    Git is asked outside of any repository, so that no setting of a workspace counts.
    """
    nowhere = Path(os.path.abspath(os.sep))
    program = find_git(Path(__file__), environment)
    if program is None:
        return None
    with contextlib.suppress(OSError):
        answer = run(
            [program, "config", "-z", "--global", "--includes", "--type=path", "--get", "core.excludesFile"],
            folder=nowhere,
            environment=harden_environment(Path(__file__), environment),
            seconds=_SECONDS / 4,
            limit=_NAME_BYTES,
        )
        place = os.fsdecode(answer.output.partition(b"\0")[0])
        return Path(place) if not answer.code and os.path.isabs(place) else None
    return None


def describe_failure(answer: Answer) -> str:
    """Return why git failed, without what it quotes."""
    if answer.late:
        return "git gives no answer"
    if answer.cut:
        return "the answer is too long"
    lines = answer.errors.strip().splitlines() or [f"exit code {answer.code}"]
    fatal = next((line for line in lines if line.startswith(("fatal: ", "error: "))), lines[0])
    # What git quotes may be the content of a file that a setting or a link leads to.
    plain = fatal.removeprefix("fatal: ").removeprefix("error: ").partition(": ")[0]
    return safe_text(_QUOTED.sub("...", plain))[:300]


def split_names(output: bytes) -> tuple[str, ...]:
    """Return the names of a list that git ends with a null byte each."""
    return tuple(os.fsdecode(output).split("\0")[:-1])
