"""Call plugins so that no exception, hang, print or endless answer can stop a run.

A call runs in a daemon thread of its own and answers through a queue: a pool would wait for a hung
thread when the process ends. A thread past its deadline is asked to stop and not waited for.
"""

from __future__ import annotations

import copy
import inspect
import os
import queue
import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence, Sized
from itertools import islice
from typing import Any, ClassVar, NamedTuple, TextIO, TypeVar, cast

from satchel.errors import PluginError, Problem, SatchelError
from satchel.host.answers import BrokenContractError
from satchel.host.kinds import Origin
from satchel.host.process_state import ProcessState
from satchel.patterns import lazily

_SATCHEL = os.path.dirname(os.path.dirname(os.path.abspath(__file__))) + os.sep
_CALLER = os.path.join(_SATCHEL, "host", "calling.py")
_FRAME = lazily(r'^  File "(.*)", line (\d+) in (.+)$')


class _Frame(NamedTuple):
    file: str
    line: int
    function: str

    @property
    def place(self) -> str:
        """Return the file's name and the line."""
        return f"{self.file.replace(chr(92), '/').rpartition('/')[2]}:{self.line}"


def find_line_of_error(error: BaseException) -> str:
    """Return the plugin's line from which an exception came: ` (notes.py:12)`, "" if unknown.

    If no plugin was called, that is the line that raised it.
    """
    frames: list[_Frame] = []
    trace = error.__traceback__
    while trace is not None:
        code = trace.tb_frame.f_code
        frames.append(_Frame(code.co_filename, trace.tb_lineno, code.co_name))
        trace = trace.tb_next
    frames.reverse()
    found = _find_own(frames) or next(iter(frames), None)
    return f" ({found.place})" if found is not None and found.file != _CALLER else ""


def find_line_of_thread(ident: int | None) -> str:
    """Return the current place of the plugin in a thread: ` in gather (notes.py:12)`, "" if unknown."""
    frame = sys._current_frames().get(ident or 0)
    frames: list[_Frame] = []
    while frame is not None:
        frames.append(_Frame(frame.f_code.co_filename, frame.f_lineno, frame.f_code.co_name))
        frame = frame.f_back
    return _describe_line(frames)


def find_line_in_dump(dump: str) -> str:
    """Return the same from the last traceback that `faulthandler` wrote of all threads."""
    threads = dump.rpartition("Timeout (")[2].split("most recent call first")
    return next(filter(None, (_describe_line(list(_parse_frames(thread))) for thread in threads)), "")


def _parse_frames(dump: str) -> Iterator[_Frame]:
    for line in dump.splitlines():
        found = _FRAME.match(line)
        if found:
            yield _Frame(found[1], int(found[2]), found[3])


def _describe_line(newest_first: Iterable[_Frame]) -> str:
    found = _find_own(newest_first)
    if found is None:
        return ""
    what = "while it is imported" if found.function == "<module>" else f"in {found.function}"
    return f" {what} ({found.place})"


def _find_own(newest_first: Iterable[_Frame]) -> _Frame | None:
    """Return the newest frame of the plugin that satchel called, not one of a library that it calls.

    Its files are those in the folder of the first one; only that file if the folder is on the import path.
    """
    frames = [frame for frame in newest_first if not frame.file.startswith("<frozen importlib")]
    calls = [at for at, frame in enumerate(frames) if frame.file == _CALLER and frame.function == "_run_call"]
    own = [frame for frame in frames[: calls[0] if calls else 0] if not frame.file.startswith(_SATCHEL)]
    if not own:
        return None
    folder = os.path.dirname(own[-1].file)
    home = own[-1].file if folder in sys.path else folder + os.sep
    return next(frame for frame in own if frame.file.startswith(home))


_lock = threading.Lock()


class _ThreadState(threading.local):
    """The state of a thread."""

    inside = False
    """Whether it runs a plugin."""


_here = _ThreadState()


class GivenUpError(SystemExit):
    """Raised in a thread past its deadline; a thread ends silently on SystemExit."""


class _Routed:
    """Replaces `sys.stdout`; acts as stderr for threads that run a plugin."""

    def __init__(self, outside: TextIO) -> None:
        self.outside = outside
        self.users = 0

    def __getattr__(self, name: str) -> Any:
        inside = _here.inside and sys.stderr is not None
        return getattr(sys.stderr if inside else self.outside, name)


def _enter() -> _Routed:
    with _lock:
        current: object = sys.stdout
        routed = current if isinstance(current, _Routed) else _Routed(sys.stdout)
        routed.users += 1
        sys.stdout = cast("TextIO", routed)
        return routed


def _leave(routed: _Routed, *, given_up: bool) -> None:
    """Restore the stream, even if the plugin replaced it; aborted threads restore only their own."""
    with _lock:
        routed.users -= 1
        current: object = sys.stdout
        if current is routed or not given_up:
            sys.stdout = cast("TextIO", routed) if routed.users else routed.outside


T = TypeVar("T")

FAILURES_ALLOWED = 3
_MOST_AT_ONCE = 4
_SHORT = 5.0
"""Seconds: a shorter deadline is deliberate and is never extended."""
_MOST_PATIENCE = 6.0
_WORDS = 300  # most characters kept of an error's text
_DOMAIN = "satchel.items"


def load_average() -> float:
    """Return the recent load per processor; 1 if the system does not report it."""
    try:
        return os.getloadavg()[0] / (os.cpu_count() or 1)
    except (AttributeError, OSError):
        return 1.0


def extend_deadline(seconds: float | None, load: Callable[[], float] = load_average) -> float | None:
    """Return a deadline for this machine: deadlines of 5 seconds or more are extended under load.

    A plugin that waits for a processor does not hang; `load` returns the load per processor.
    """
    if seconds is None or seconds < _SHORT:
        return seconds
    return seconds * min(_MOST_PATIENCE, max(1.0, load()))


def choose_arguments(method: Callable[..., object], args: Sequence[Any]) -> Sequence[Any]:
    """Return the arguments that a plugin's method takes: the last ones are new to an older plugin.

    A method with fewer parameters than there are arguments gets the first of them.
    """
    try:
        parameters = inspect.signature(method).parameters.values()
    except (TypeError, ValueError):  # written in C
        return args
    if any(one.kind is one.VAR_POSITIONAL for one in parameters):
        return args
    taken = sum(one.kind in (one.POSITIONAL_ONLY, one.POSITIONAL_OR_KEYWORD) for one in parameters)
    return args[:taken]


class Named(NamedTuple):
    """The origin of a call that has a name but no entry point, such as a part of satchel."""

    name: str
    distribution: str = "satchel"
    version: str = ""
    trusted: bool = True
    builtin: bool = True


class Call(NamedTuple):
    """One call of a plugin: `function(*args)`, its answer cut to `cap` and checked where it runs."""

    plugin: Origin
    function: Callable[..., Any]
    args: tuple[Any, ...]
    stage: str
    cap: int | None = None
    """Most elements taken from the answer, which becomes a list; None leaves the answer as it is."""
    check: Callable[[Any], Any] | None = None
    """Returns the checked answer, or raises BrokenContractError."""
    lend: bool = True
    """Pass copies of the arguments, so that the plugin can't change them; False if that does not matter."""
    lazy: type[Sized] | None = None
    """An answer of this type stays as it is if it has at most `cap` elements."""
    here: bool = False
    """Call in the caller's thread without a deadline: for satchel's own code that only computes."""


class _CallOutcome(NamedTuple):
    answer: Any = None
    error: BaseException | None = None
    remark: str = ""
    """A problem that did not prevent an answer."""


class _RunningCall(NamedTuple):
    call: Call
    thread: threading.Thread | None
    """None for a call in the caller's thread."""
    deadline: float


class _Crew:
    """Calls that run in parallel, each in a thread of its own, and the queue of their answers."""

    def __init__(self) -> None:
        self.box: queue.SimpleQueue[tuple[int, _CallOutcome]] = queue.SimpleQueue()
        self.running: dict[int, _RunningCall] = {}

    def begin(self, index: int, call: Call, given: tuple[Any, ...], seconds: float) -> None:
        """Make a call in a daemon thread."""
        name = f"satchel {call.stage} {call.plugin.name}"
        thread = threading.Thread(target=self._answer, args=(index, call, given), name=name, daemon=True)
        self.running[index] = _RunningCall(call, thread, time.monotonic() + seconds)
        thread.start()

    def _answer(self, index: int, call: Call, given: tuple[Any, ...]) -> None:
        self.box.put((index, _try_call(call, given)))


class PluginCalls:
    """Makes the calls of one run; records failures and turns failing plugins off.

    With `deadline_seconds` None, calls run in the caller's thread and can't be aborted.
    `started` and `finished` are called for each call, in the caller's thread.
    """

    serial: ClassVar[bool] = False
    """Whether calls are made one by one, to know which call ended the process."""
    error_listeners: ClassVar[list[Callable[[BaseException], None]]] = []
    """Called with exceptions of plugins: one function if the user asked for tracebacks, else none."""

    def __init__(
        self,
        *,
        deadline_seconds: float | None = 10.0,
        problems: list[Problem] | None = None,
        started: Callable[[Origin, str], None] | None = None,
        finished: Callable[[Origin, str], None] | None = None,
    ) -> None:
        self.deadline_seconds = deadline_seconds
        self.problems = [] if problems is None else problems
        self._started, self._finished = started, finished
        self._failures: dict[tuple[str, ...], int] = {}
        self._off: dict[tuple[str, ...], str] = {}
        self._under_way = 0
        """Running calls of third-party plugins,"""
        self._before: ProcessState | None = None
        """and the state of the process before the first of them."""

    def call(
        self, plugin: Origin | str, function: Callable[..., T], *args: Any, stage: str, here: bool = False
    ) -> T | Problem:
        """Return the function's answer, or a Problem, which is also recorded."""
        answer: T | Problem = self.call_all([Call(origin(plugin), function, args, stage, here=here)])[0]
        return answer

    def call_all(self, calls: Sequence[Call]) -> list[Any]:
        """Make the calls, a few at a time; return answers or problems in the order of `calls`."""
        answers: list[Any] = [None] * len(calls)
        waiting, crew = deque(enumerate(calls)), _Crew()
        while waiting or crew.running:
            if waiting and len(crew.running) < (1 if self.serial else _MOST_AT_ONCE):
                self._begin(waiting.popleft(), crew, answers)
                continue
            for index, outcome in self._next(crew):
                answers[index] = self._settle(crew.running.pop(index).call, outcome)
        return answers

    def call_or_raise(self, plugin: Origin | str, function: Callable[..., T], *args: Any, stage: str) -> T:
        """Return the function's answer; for plugins that were chosen by name.

        Raises PluginError if the plugin fails, hangs or is off; one of satchel's own errors that it
        raises on purpose (BudgetError) passes through.
        """
        source = origin(plugin)
        if reason := self.off_because(source):
            raise PluginError(source.name, source.distribution, reason)
        outcome = self._run_alone(Call(source, function, args, stage, lend=False))
        if outcome.error is not None or outcome.remark:
            raise _to_error(source, stage, outcome) from outcome.error
        answer: T = outcome.answer
        return answer

    def off_because(self, plugin: Origin | str) -> str:
        """Return why this run no longer calls the plugin, "" if it does."""
        return self._off.get(_key(origin(plugin)), "") if self._off else ""

    def _begin(self, numbered: tuple[int, Call], crew: _Crew, answers: list[Any]) -> None:
        index, call = numbered
        if reason := self.off_because(call.plugin):
            answers[index] = Problem(call.plugin.name, call.stage, reason, call.plugin.distribution)
            return
        self._start(index, call, crew)

    def _start(self, index: int, call: Call, crew: _Crew) -> None:
        if self._started:
            self._started(call.plugin, call.stage)
        if not call.plugin.trusted:
            if not self._under_way:
                here = self.deadline_seconds is None or call.here
                self._before = ProcessState.now(in_main_thread=here)
            self._under_way += 1
        given = tuple(map(_copy_argument, call.args)) if call.lend else call.args
        if self.deadline_seconds is None or call.here:
            crew.box.put((index, _try_call(call, given, stops=(KeyboardInterrupt,))))
            crew.running[index] = _RunningCall(call, None, float("inf"))
            return
        crew.begin(index, call, given, self.deadline_seconds)

    def _next(self, crew: _Crew) -> list[tuple[int, _CallOutcome]]:
        """Return the next outcome of a running call, or those of overdue calls."""
        if not crew.running:
            return []
        patience = min(one.deadline for one in crew.running.values()) - time.monotonic()
        try:
            index, outcome = crew.box.get(timeout=None if patience == float("inf") else max(0.0, patience))
        except queue.Empty:
            late = [(i, one) for i, one in crew.running.items() if one.deadline <= time.monotonic()]
            return [(i, self._abandon(one)) for i, one in late]
        return [(index, outcome)] if index in crew.running else []

    def _abandon(self, running: _RunningCall) -> _CallOutcome:
        place = ""
        if running.thread is not None:
            place = find_line_of_thread(running.thread.ident)
            _end_thread(running.thread)
        reason = f"no answer after {self.deadline_seconds:.3g} s{place}; off for the rest of the run"
        self._off[_key(running.call.plugin)] = reason
        return _CallOutcome(error=TimeoutError(reason))

    def _run_alone(self, call: Call) -> _CallOutcome:
        crew = _Crew()
        self._start(0, call, crew)
        while not (done := self._next(crew)):
            pass
        outcome = done[0][1]
        self._finish(call)
        if not isinstance(outcome.error, SatchelError):  # those pass through and are shown where they end
            self._show(outcome.error)
        return outcome

    def _show(self, error: BaseException | None) -> None:
        if error is not None:
            for listener in self.error_listeners:
                listener(error)

    def _finish(self, call: Call) -> None:
        """Undo a plugin's changes to the process, and record them as a problem."""
        if self._finished:
            self._finished(call.plugin, call.stage)
        if call.plugin.trusted:
            return
        self._under_way -= 1
        changed = self._before.restore() if self._before else []
        if changed:
            what = f"changed {', '.join(changed)} of the process; it was restored"
            self.problems.append(Problem(call.plugin.name, call.stage, what, call.plugin.distribution))

    def _settle(self, call: Call, outcome: _CallOutcome) -> Any:
        """Return the answer or the problem; record the problem and count the plugin's failures."""
        self._finish(call)
        self._show(outcome.error)
        reason = outcome.remark if outcome.error is None else describe_error(outcome.error)
        if not reason:
            return outcome.answer
        key = _key(call.plugin)
        counts = outcome.error is not None and call.stage != "load"  # each hook is called only once
        self._failures[key] = self._failures.get(key, 0) + counts
        if self._failures[key] >= FAILURES_ALLOWED and key not in self._off:
            self._off[key] = f"{_OFF} after {FAILURES_ALLOWED} failures"
            reason = f"{reason}; {self._off[key]}"
        problem = Problem(call.plugin.name, call.stage, reason, call.plugin.distribution)
        self.problems.append(problem)
        return outcome.answer if outcome.error is None else problem


_OFF = "off for the rest of the run"
LEFT_OUT = "left out of this run"
"""The message for a plugin that ended the process."""
_LASTING = frozenset({"load", "make"})
"""Stages whose failures hold for every call of a host."""


def list_current(problems: Sequence[Problem], since: int) -> list[Problem]:
    """Return the problems of one call of a host that others use too: its own, and lasting ones.

    Args:
        problems: of the host.
        since: how many there were before the call.
    """
    return [
        one
        for at, one in enumerate(problems)
        if at >= since or one.stage in _LASTING or _OFF in one.error or LEFT_OUT in one.error
    ]


def origin(plugin: Origin | str) -> Origin:
    """Return the origin itself, or one for a bare name."""
    return Named(plugin) if isinstance(plugin, str) else plugin


def describe_error(error: BaseException) -> str:
    """Describe in one printable line an exception and its place, even if the exception's text fails."""
    try:
        if type(error) in (BrokenContractError, TimeoutError) and error.args:
            return _to_line(str(error.args[0]))
        text = str(error)
        if isinstance(error, SyntaxError) and error.filename and error.lineno:
            place = f"{os.path.basename(error.filename)}:{error.lineno}"
            return f"{_to_line(f'{type(error).__name__}: {error.msg}')} ({place})"
    except BaseException:
        text = "its text can't be shown"
    said = _to_line(f"{type(error).__name__}: {text}" if text else type(error).__name__)
    return said + find_line_of_error(error)


def _to_line(text: str) -> str:
    words = " ".join(text[: 4 * _WORDS].split())
    shown = "".join(letter if letter.isprintable() else "?" for letter in words)
    return shown if len(shown) <= _WORDS else f"{shown[:_WORDS]}..."


def _to_error(source: Origin, stage: str, outcome: _CallOutcome) -> SatchelError:
    if isinstance(outcome.error, SatchelError):
        return outcome.error
    reason = outcome.remark if outcome.error is None else describe_error(outcome.error)
    return PluginError(source.name, source.distribution, f"{stage}: {reason}")


def _key(source: Origin) -> tuple[str, ...]:
    return source.distribution, str(getattr(source, "kind", "")), source.name


def _try_call(
    call: Call, given: tuple[Any, ...], *, stops: tuple[type[BaseException], ...] = ()
) -> _CallOutcome:
    """Run the call in this thread; only exceptions named in `stops` propagate."""
    process, given_up = os.getpid(), False
    routed, before = _enter(), _here.inside
    _here.inside = True  # it prints to stderr; other threads do not
    try:
        return _run_call(call, given)
    except stops:
        raise
    except BaseException as error:
        given_up = isinstance(error, GivenUpError)
        return _CallOutcome(error=error)
    finally:
        _here.inside = before
        _leave(routed, given_up=given_up)
        if os.getpid() != process:
            os._exit(0)  # the plugin forked and this is the copy: only one process continues the run


def _run_call(call: Call, given: tuple[Any, ...]) -> _CallOutcome:
    answer, remark = call.function(*given), ""
    if call.cap is not None and not _is_lazy(answer, call):
        answer = list(islice(iter(answer), call.cap + 1))
        if len(answer) > call.cap:
            answer, remark = answer[: call.cap], f"more answers than {call.cap}; the rest was left out"
    if call.check is not None:
        answer = call.check(answer)
    if any(mine is not lent and not _equal(mine, lent) for mine, lent in zip(call.args, given, strict=True)):
        remark = remark or "changed its arguments; the change was discarded"
    return _CallOutcome(answer, remark=remark)


def _is_lazy(answer: Any, call: Call) -> bool:
    return call.lazy is not None and isinstance(answer, call.lazy) and len(answer) <= (call.cap or 0)


def _copy_argument(argument: Any) -> Any:
    """Copy domain values, because `frozen` can be bypassed; lists become tuples."""
    if type(argument).__module__ == _DOMAIN:
        return copy.deepcopy(argument)
    if type(argument) is list or type(argument) is tuple:
        first = argument[0] if argument else None
        copied = type(first).__module__ == _DOMAIN and not isinstance(first, tuple)
        return tuple(map(copy.copy, argument)) if copied else tuple(argument)
    return argument


def _equal(mine: Any, lent: Any) -> bool:
    return bool((tuple(mine) if isinstance(mine, list) else mine) == lent)


def _end_thread(thread: threading.Thread) -> None:
    """Ask a thread to end: it does if it runs Python code, so that no busy loop slows the rest."""
    if thread.ident is None or not thread.is_alive():
        return
    import ctypes

    raise_in = ctypes.pythonapi.PyThreadState_SetAsyncExc
    raise_in(ctypes.c_ulong(thread.ident), ctypes.py_object(GivenUpError))
