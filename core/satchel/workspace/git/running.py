"""Run git safely, and check that a repository's data belongs to its working tree.

Git follows a `.git` file, a `commondir`, `objects/info/alternates` and links, wherever they lead. A workspace
from a stranger could thus show the history of somebody else's repository. Here data outside of the tree must
point back to it, which only its owner can have written. An object store can't point back: `borrows` detects
one, and git is then asked whether the tree matches HEAD.
"""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import signal
import stat
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import IO, TYPE_CHECKING, NamedTuple

from satchel.errors import WorkspaceError
from satchel.open_flags import CLOSE_ON_EXEC, NON_BLOCKING
from satchel.paths import safe_text
from satchel.patterns import lazily

if TYPE_CHECKING:
    import subprocess

try:
    import resource
except ImportError:  # Windows
    resource = None  # type: ignore[assignment]

# Command line settings win over every file. Each line closes an attack, or makes the answer independent of
# personal settings.
SETTINGS = (
    "core.fsmonitor=false",
    "core.hooksPath=/dev/null",
    "core.pager=cat",
    "core.editor=true",
    "core.sshCommand=false",
    "core.gitProxy=",
    "core.askPass=true",
    "core.alternateRefsCommand=",
    f"core.attributesFile={os.devnull}",
    "credential.helper=",
    "diff.external=",
    "diff.orderFile=/dev/null",
    "diff.ignoreSubmodules=all",
    "log.showSignature=false",
    "log.showRoot=true",
    "log.mailmap=false",
    f"mailmap.file={os.devnull}",
    "mailmap.blob=",
    "gpg.program=true",
    "gpg.openpgp.program=true",
    "gpg.ssh.program=true",
    "gpg.x509.program=true",
    "protocol.allow=never",
    "safe.bareRepository=explicit",
    "submodule.recurse=false",
    "maintenance.auto=false",
    "gc.auto=0",
    "advice.graftFileDeprecated=false",
)
_KEPT = frozenset({"GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM", "GIT_CONFIG_NOSYSTEM"})
_SET = {
    "LC_ALL": "C",
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_NO_REPLACE_OBJECTS": "1",
    "GIT_GRAFT_FILE": os.devnull,
    # A partial clone would fetch missing objects, through a transport that the repository names.
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_ALLOW_PROTOCOL": "none",
    "GIT_PAGER": "cat",
    "GIT_EDITOR": "true",
    "GIT_ASKPASS": "true",
    "GIT_SSH_COMMAND": "false",
}
_STDERR_BYTES = 65_536
_DATA_BYTES = 1 << 30
"""Bytes of memory that a program may allocate: a repository can make git read for ever."""
_CPU_SECONDS = 6
"""Seconds of CPU time: some patterns and histories keep git busy for ever."""
_IDLE_SECONDS = 2.5
"""A program that is idle for this long will wait for ever: for a FIFO, or for input."""
_LOOKS = 0.25
_OUT_OF_TIME = getattr(signal, "SIGXCPU", 0)


class Answer(NamedTuple):
    """A program's output; `cut` and `late` say that it was stopped at a size or time limit."""

    code: int
    output: bytes
    errors: str
    cut: bool
    late: bool


def find_git(root: Path, environment: Mapping[str, str]) -> str | None:
    """Return the git program on the search path; one inside the workspace does not count."""
    folders = _search_path(root, environment).split(os.pathsep)
    found = (shutil.which("git", path=folder) for folder in folders if folder)
    return next((path for path in found if path and not _is_below(path, root)), None)


def harden_environment(root: Path, environment: Mapping[str, str]) -> dict[str, str]:
    """Return `environment` without variables that could steer git, and with those that restrict it."""
    kept = {key: text for key, text in environment.items() if not key.startswith("GIT_") or key in _KEPT}
    return {**kept, **_SET, "PATH": _search_path(root, environment)}


def run(
    command: Sequence[str], *, folder: Path, environment: Mapping[str, str], seconds: float, limit: int
) -> Answer:
    """Run a program and return at most `limit` bytes of its output; it is killed after `seconds`.

    Raises OSError if the program can't be started.
    """
    import subprocess  # the import takes 2 ms, and most packs run nothing

    with subprocess.Popen(  # noqa: S603  the program is an absolute path, no shell
        command,
        cwd=folder,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        return _collect(process, seconds, limit)


def _collect(process: subprocess.Popen[bytes], seconds: float, limit: int) -> Answer:
    late, ended, errors = threading.Event(), threading.Event(), bytearray()
    watch = threading.Thread(target=_watch, args=(process, seconds, late, ended), daemon=True)
    drain = threading.Thread(target=_drain, args=(process.stderr, errors), daemon=True)
    _limit(process.pid)
    watch.start()
    drain.start()
    try:
        output = process.stdout.read(limit + 1) if process.stdout else b""
        cut = len(output) > limit
        if cut:
            process.kill()
        process.wait()
    finally:
        process.kill()
        ended.set()
    drain.join()
    is_late = late.is_set() or process.returncode == -_OUT_OF_TIME
    return Answer(process.returncode, output[:limit], errors.decode(errors="replace"), cut, is_late)


def _watch(
    process: subprocess.Popen[bytes], seconds: float, late: threading.Event, ended: threading.Event
) -> None:
    """Stop a program that takes too long, or only waits."""
    end = time.monotonic() + seconds
    since, before = time.monotonic(), ""
    while not ended.wait(min(_LOOKS, max(0.0, end - time.monotonic()))):
        now, activity = time.monotonic(), _activity(process.pid)
        if activity != before or not activity:
            since, before = now, activity
        if now >= end or now - since >= _IDLE_SECONDS:
            late.set()
            process.kill()
            return


def _activity(number: int) -> str:
    """Return a text that changes while a program works, "" while it is runnable or if that is unknown."""
    try:
        with open(f"/proc/{number}/stat", encoding="latin-1") as file:
            facts = file.read().rpartition(") ")[2].split()
        with open(f"/proc/{number}/status", encoding="latin-1") as file:
            switches = file.read().partition("voluntary_ctxt_switches:")[2]
    except OSError:
        return ""
    return f"{facts[11]} {facts[12]} {switches}" if facts[:1] == ["S"] else ""


def _limit(number: int) -> None:
    if resource is None or not hasattr(resource, "prlimit"):
        return
    with contextlib.suppress(OSError, ValueError):  # it has ended, or has a lower limit already
        resource.prlimit(number, resource.RLIMIT_DATA, (_DATA_BYTES, _DATA_BYTES))
        resource.prlimit(number, resource.RLIMIT_CPU, (_CPU_SECONDS, _CPU_SECONDS + 1))
        resource.prlimit(number, resource.RLIMIT_CORE, (0, 0))


def _drain(pipe: IO[bytes], kept: bytearray) -> None:
    while chunk := pipe.read(8192):
        kept += chunk[: _STDERR_BYTES - len(kept)]


def _search_path(root: Path, environment: Mapping[str, str]) -> str:
    folders = environment.get("PATH", os.defpath).split(os.pathsep)
    return os.pathsep.join(
        folder for folder in folders if os.path.isabs(folder) and not _is_below(folder, root)
    )


def _is_below(path: str, root: Path) -> bool:
    """Return whether a path, or its target, is in the workspace."""
    real = os.path.realpath(root)
    return any(f"{place}/".startswith(f"{real.rstrip('/')}/") for place in (path, os.path.realpath(path)))


_POINTER_BYTES = 65_536
_MOST_ENTRIES = 50_000
_MOST_ALTERNATES = 20
_READ_FLAGS = os.O_RDONLY | NON_BLOCKING | CLOSE_ON_EXEC
_WORKTREE = lazily(rb"(?im)^[ \t]*(?:\[core\][ \t]*)?worktree[ \t]*=[ \t]*(.*?)[ \t\r]*$")
# Each entry of these folders is checked, because git follows links in them.
_FOLDERS = ("", "info", "objects", "objects/info", "objects/pack")
_NEVER_READ = frozenset({"hooks", "description", "fsmonitor--daemon.ipc", "fsmonitor--daemon"})


class _GitFolders(NamedTuple):
    """A repository's folders, links resolved."""

    holder: str
    git_dir: str
    common: str


def refusal(holder: Path) -> str:
    """Return why git must not be asked about the repository of `holder`, "" if it may be asked. No program
    runs. A repository that is damaged in other ways is left to git.
    """
    try:
        places = _places(holder)
        return next(_faults(places), "") if isinstance(places, _GitFolders) else places
    except OSError as error:
        return f"its data can't be looked at: {(error.strerror or str(error)).lower()}"


def _places(holder: Path) -> _GitFolders | str:
    home, git_dir = os.path.realpath(holder), _git_dir(holder)
    if not git_dir:
        return ".git is neither a folder nor the address of one"
    is_inside = _is_inside(git_dir, (home,))
    if not is_inside and not _points_back(git_dir, home):
        return "its data lies outside and does not name this folder; if it is yours, set core.worktree in it"
    common = find_common_dir(git_dir)
    if not _is_inside(common, (home if is_inside else git_dir, git_dir)) and (
        is_inside or os.path.dirname(git_dir) != os.path.join(common, "worktrees")
    ):
        return "its commondir leads outside"
    return _GitFolders(home, git_dir, common)


def _git_dir(holder: Path) -> str:
    """Return the target of `.git`, "" if it is neither a folder nor a file that names one."""
    place = holder / ".git"
    if place.is_dir():
        return os.path.realpath(place)
    text = b"" if place.is_symlink() else _read_start(str(place))
    if not text.startswith(b"gitdir: "):
        return ""
    named = os.fsdecode(text.removeprefix(b"gitdir: ").rstrip(b"\r\n"))
    return os.path.realpath(os.path.join(holder, named))


def find_common_dir(git_dir: str) -> str:
    """Return the folder that the worktrees of a repository share; `git_dir` if there is one tree."""
    named = os.fsdecode(_read_start(f"{git_dir}/commondir").rstrip(b"\r\n"))
    return os.path.realpath(os.path.join(git_dir, named)) if named else git_dir


def _points_back(git_dir: str, home: str) -> bool:
    """Return whether a folder outside names this tree as its own: a worktree's does, and a submodule's."""
    named = os.fsdecode(_read_start(f"{git_dir}/gitdir").rstrip(b"\r\n"))
    if named and os.path.realpath(os.path.dirname(os.path.join(git_dir, named))) == home:
        return True
    found = [os.fsdecode(text.strip(b'"')) for text in _WORKTREE.findall(_read_start(f"{git_dir}/config"))]
    return any(os.path.realpath(os.path.join(git_dir, text)) == home for text in found if text)


def _faults(places: _GitFolders) -> Iterator[str]:
    """Yield each entry that leads outside or would block when opened."""
    tops = (places.holder, places.git_dir, places.common)
    left = _MOST_ENTRIES
    for path, facts in _entries(dict.fromkeys((places.git_dir, places.common))):
        left -= 1
        if stat.S_ISLNK(facts.st_mode) and not _is_inside(os.path.realpath(path), tops):
            yield f"{_short(path, tops)} leads outside through a link"
        elif not (stat.S_ISREG(facts.st_mode) or stat.S_ISDIR(facts.st_mode) or stat.S_ISLNK(facts.st_mode)):
            yield f"{_short(path, tops)} is not a regular file"
        if left < 0:
            return


def borrows(holder: Path) -> bool:
    """Return whether a repository uses an object store outside, as after `git clone --shared`."""
    places = _places(holder)
    if not isinstance(places, _GitFolders):
        return False
    return any(_alternates(f"{places.common}/objects", (places.holder, places.git_dir, places.common)))


def _entries(folders: dict[str, None]) -> Iterator[tuple[str, os.stat_result]]:
    for top in folders:
        for name in _FOLDERS:
            yield from (found for found in _list_folder(f"{top}/{name}") if name or not _is_idle(found[0]))
        waiting = [f"{top}/refs"]
        while waiting:
            for path, facts in _list_folder(waiting.pop()):
                if stat.S_ISDIR(facts.st_mode):
                    waiting.append(path)
                yield path, facts


def _is_idle(path: str) -> bool:
    return os.path.basename(path) in _NEVER_READ


def _list_folder(folder: str) -> Iterator[tuple[str, os.stat_result]]:
    if not os.path.isdir(folder):
        return
    with os.scandir(folder) as entries:
        for entry in entries:
            try:
                yield entry.path, entry.stat(follow_symlinks=False)
            except FileNotFoundError:
                continue


def _alternates(objects: str, tops: tuple[str, ...]) -> Iterator[str]:
    """Yield each object store outside; stores may name further ones."""
    waiting, known = [objects], {objects}
    while waiting and len(known) <= _MOST_ALTERNATES:
        store = waiting.pop()
        for line in _read_start(f"{store}/info/alternates").splitlines():
            place = os.path.realpath(os.path.join(store, os.fsdecode(line)))
            if not line or line.startswith(b"#") or place in known:
                continue
            if line.startswith(b'"') or not _is_inside(place, tops):
                yield place
            known.add(place)
            waiting.append(place)


def _is_inside(path: str, tops: tuple[str, ...]) -> bool:
    return any(path == top or path.startswith(f"{top.rstrip('/')}/") for top in tops)


def _short(path: str, tops: tuple[str, ...]) -> str:
    longest = max((top for top in tops if path.startswith(top)), key=len, default="")
    return path[len(longest) :].lstrip("/")


def _read_start(path: str) -> bytes:
    """Return the beginning of a regular file, b"" if there is none."""
    try:
        descriptor = os.open(path, _READ_FLAGS)
    except OSError:
        return b""
    try:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            return b""
        return os.read(descriptor, _POINTER_BYTES)
    finally:
        os.close(descriptor)


_SECONDS = 20.0
"""Seconds that timed-out git calls may take in one run, together."""
_LEAST_SECONDS = 1.0
_NAME_BYTES = 8_192
_LISTING_BYTES = 256_000_000
_FILTER = lazily(r"filter\.[^\n]*\.(?:clean|smudge|process|required)\Z", re.DOTALL)
_HEADING = lazily(r"diff\.[^\n]*\.x?funcname\Z", re.DOTALL)
_QUOTED = lazily(r"(?s)(['\"]).*\1")


class GitProgram:
    """The git program for one repository: its folder, environment and settings.

    Each method that runs it raises WorkspaceError if it can't be started or has timed out before.
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
            raise WorkspaceError(str(self.root), "git did not answer before and is not asked again")
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
        """Read the configuration again on the next use: it may have changed."""
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
    """Return the reason git failed, without its quotes."""
    if answer.late:
        return "git does not answer"
    if answer.cut:
        return "the answer is too long"
    lines = answer.errors.strip().splitlines() or [f"exit code {answer.code}"]
    fatal = next((line for line in lines if line.startswith(("fatal: ", "error: "))), lines[0])
    # Git may quote the content of a file that a setting or a link leads to.
    plain = fatal.removeprefix("fatal: ").removeprefix("error: ").partition(": ")[0]
    return safe_text(_QUOTED.sub("...", plain))[:300]


def split_names(output: bytes) -> tuple[str, ...]:
    """Return the names of a list that git ends with a null byte each."""
    return tuple(os.fsdecode(output).split("\0")[:-1])
