"""Call plugins so that no exception, hang, print or endless answer of one can stop a run.

A call runs in a daemon thread and answers through a queue: a pool would wait for a hung thread
when the process ends. A thread that is over its deadline is asked to stop and not waited for; one that
has answered makes the next call.
"""

from __future__ import annotations

import copy
import os
import queue
import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence, Sized
from contextlib import contextmanager
from itertools import islice
from typing import Any, ClassVar, NamedTuple, TextIO, TypeVar, cast

from satchel.errors import PluginError, Problem, SatchelError
from satchel.host.answers import BrokenContractError
from satchel.host.kinds import Origin
from satchel.host.process_state import ProcessState

_lock = threading.Lock()
_here = threading.local()


class GivenUpError(SystemExit):
    """Raised inside a thread that is over its deadline; a thread ends silently on SystemExit."""


class _Routed:
    """A stand-in for `sys.stdout` that is stderr to threads which run a plugin."""

    def __init__(self, outside: TextIO) -> None:
        self.outside = outside
        self.users = 0

    def __getattr__(self, name: str) -> Any:
        inside = getattr(_here, "inside", False) and sys.stderr is not None
        return getattr(sys.stderr if inside else self.outside, name)


@contextmanager
def stdout_to_stderr() -> Iterator[None]:
    """Route what this thread prints to stderr; other threads print where they did."""
    routed = _enter()
    before = getattr(_here, "inside", False)
    _here.inside = True
    given_up = False
    try:
        yield
    except GivenUpError:
        given_up = True
        raise
    finally:
        _here.inside = before
        _leave(routed, given_up=given_up)


def _enter() -> _Routed:
    with _lock:
        current: object = sys.stdout
        routed = current if isinstance(current, _Routed) else _Routed(sys.stdout)
        routed.users += 1
        sys.stdout = cast("TextIO", routed)
        return routed


def _leave(routed: _Routed, *, given_up: bool) -> None:
    """Put the stream back, also where the plugin replaced it; late leavers touch only their own."""
    with _lock:
        routed.users -= 1
        current: object = sys.stdout
        if current is routed or not given_up:
            sys.stdout = cast("TextIO", routed) if routed.users else routed.outside


T = TypeVar("T")

FAILURES_ALLOWED = 3
_SHORT = 5.0
"""Seconds; whoever asks for a shorter deadline means it."""
_MOST_PATIENCE = 6.0
_WORDS = 300  # characters of an error's text that are kept
_DOMAIN = "satchel.items"


def busy() -> float:
    """Return how many processes want each processor, lately; 1 where the system does not tell."""
    try:
        return os.getloadavg()[0] / (os.cpu_count() or 1)
    except (AttributeError, OSError):
        return 1.0


def patient(seconds: float | None, load: Callable[[], float] = busy) -> float | None:
    """Return a deadline for this machine: one of 5 seconds and more is longer on a busy machine.

    A plugin that waits for a processor does not hang; `load` is processes that want one, a processor.
    """
    if seconds is None or seconds < _SHORT:
        return seconds
    return seconds * min(_MOST_PATIENCE, max(1.0, load()))


class Named(NamedTuple):
    """A part of satchel, or anything else that has a name and no entry point, as the origin of a call."""

    name: str
    distribution: str = "satchel"
    version: str = ""
    builtin: bool = True


class Call(NamedTuple):
    """One call of a plugin: `function(*args)`, its answer cut to `cap` and checked where it runs."""

    plugin: Origin
    function: Callable[..., Any]
    args: tuple[Any, ...]
    stage: str
    cap: int | None = None
    """Most elements taken from the answer, which becomes a list; None takes the answer as it is."""
    check: Callable[[Any], Any] | None = None
    """Returns the answer to hand on, or raises BrokenContractError."""
    lend: bool = True
    """Hand out copies, so that the plugin can change nothing; False where its answer alone counts."""
    lazy: type[Sized] | None = None
    """An answer of this kind becomes no list where it has no more than `cap` elements."""
    here: bool = False
    """Make the call in the caller's own thread, without a deadline: satchel's own code that only computes."""


class _Outcome(NamedTuple):
    answer: Any = None
    error: BaseException | None = None
    remark: str = ""
    """What was wrong although there is an answer."""


_Answered = tuple[int, _Outcome]
_Box = queue.SimpleQueue[_Answered]


class _Worker:
    """A thread that makes one call after the other until it is dismissed."""

    def __init__(self, box: _Box) -> None:
        self._todo: queue.SimpleQueue[tuple[int, Call, tuple[Any, ...]] | None] = queue.SimpleQueue()
        self.thread = threading.Thread(target=self._work, args=(box,), daemon=True)
        self.thread.start()

    def begin(self, index: int, call: Call, given: tuple[Any, ...]) -> None:
        self.thread.name = f"satchel {call.stage} {call.plugin.name}"
        self._todo.put((index, call, given))

    def dismiss(self) -> None:
        self._todo.put(None)

    def _work(self, box: _Box) -> None:
        while (task := self._todo.get()) is not None:
            index, call, given = task
            box.put((index, _outcome(call, given)))
            del task, call, given


class _Running(NamedTuple):
    call: Call
    worker: _Worker | None
    deadline: float


class _Crew:
    """The threads of some calls that are made side by side, and where they answer."""

    def __init__(self) -> None:
        self.box: _Box = queue.SimpleQueue()
        self.running: dict[int, _Running] = {}
        self._free: list[_Worker] = []

    def begin(self, index: int, call: Call, given: tuple[Any, ...]) -> _Worker:
        worker = self._free.pop() if self._free else _Worker(self.box)
        worker.begin(index, call, given)
        return worker

    def release(self, index: int, *, given_up: bool) -> Call:
        """Return a call that is over; its thread makes the next one, if it is not hung."""
        done = self.running.pop(index)
        if done.worker is not None and not given_up:
            self._free.append(done.worker)
        elif done.worker is not None:
            done.worker.dismiss()
        return done.call

    def dismiss(self) -> None:
        """Let the threads end, those that still work once they have answered."""
        for worker in (*self._free, *(one.worker for one in self.running.values())):
            if worker is not None:
                worker.dismiss()


class Calls:
    """The calls of one run: what failed, and which plugins are off because of it.

    `deadline_seconds` None calls in the caller's own thread, where nothing can be given up.
    `started` and `finished` are told each call, in the caller's thread.
    """

    serial: ClassVar[bool] = False
    """Whether calls are made one after the other, so that a call that ends the process is known."""
    witnesses_of_errors: ClassVar[list[Callable[[BaseException], None]]] = []
    """They are told what plugins raise: one where a person asked for tracebacks, else none."""

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
        """Calls of plugins that are not satchel's own,"""
        self._before: ProcessState | None = None
        """and what the process was like before the first of them."""

    def call(
        self, plugin: Origin | str, function: Callable[..., T], *args: Any, stage: str, here: bool = False
    ) -> T | Problem:
        """Return what the function answers, or the problem that it met, which is also recorded."""
        answer: T | Problem = self.call_all([Call(origin(plugin), function, args, stage, here=here)])[0]
        return answer

    def call_list(
        self, plugin: Origin | str, function: Callable[..., Iterable[T]], *args: Any, stage: str, cap: int
    ) -> list[T] | Problem:
        """Return the first `cap` elements of what the function answers, or the problem that it met."""
        answer: list[T] | Problem = self.call_all([Call(origin(plugin), function, args, stage, cap)])[0]
        return answer

    def call_all(self, calls: Sequence[Call], *, workers: int = 4) -> list[Any]:
        """Make the calls, at most `workers` at a time; return answers or problems in the order of `calls`."""
        answers: list[Any] = [None] * len(calls)
        waiting, crew = deque(enumerate(calls)), _Crew()
        try:
            while waiting or crew.running:
                if waiting and len(crew.running) < (1 if self.serial else max(1, workers)):
                    self._begin(waiting.popleft(), crew, answers)
                    continue
                for index, outcome, given_up in self._next(crew):
                    answers[index] = self._settle(crew.release(index, given_up=given_up), outcome)
        finally:
            crew.dismiss()
        return answers

    def chosen(
        self, plugin: Origin | str, function: Callable[..., T], *args: Any, stage: str, cap: int | None = None
    ) -> T:
        """Return what the function answers; for plugins that were chosen by name.

        Raises PluginError where the plugin fails, hangs or is off; an error of satchel's own that it
        raises on purpose (BudgetError) passes through.
        """
        source = origin(plugin)
        if reason := self.off_because(source):
            raise PluginError(source.name, source.distribution, reason)
        outcome = self._alone(Call(source, function, args, stage, cap, lend=False))
        if outcome.error is not None or outcome.remark:
            raise _failure(source, stage, outcome) from outcome.error
        answer: T = outcome.answer
        return answer

    def off_because(self, plugin: Origin | str) -> str:
        """Tell why this run calls the plugin no more, "" where it still does."""
        return self._off.get(_key(origin(plugin)), "")

    def _begin(self, numbered: tuple[int, Call], crew: _Crew, answers: list[Any]) -> None:
        index, call = numbered
        if reason := self.off_because(call.plugin):
            answers[index] = Problem(call.plugin.name, call.stage, reason, call.plugin.distribution)
            return
        self._start(index, call, crew)

    def _start(self, index: int, call: Call, crew: _Crew) -> None:
        if self._started:
            self._started(call.plugin, call.stage)
        if not call.plugin.builtin:
            if not self._under_way:
                here = self.deadline_seconds is None or call.here
                self._before = ProcessState.now(in_main_thread=here)
            self._under_way += 1
        given = tuple(map(_lent, call.args)) if call.lend else call.args
        if self.deadline_seconds is None or call.here:
            crew.box.put((index, _outcome(call, given, stops=(KeyboardInterrupt,))))
            crew.running[index] = _Running(call, None, float("inf"))
            return
        worker = crew.begin(index, call, given)
        crew.running[index] = _Running(call, worker, time.monotonic() + self.deadline_seconds)

    def _next(self, crew: _Crew) -> list[tuple[int, _Outcome, bool]]:
        """Return the next outcome of a running call, or those that are overdue, and whether they are."""
        if not crew.running:
            return []
        patience = min(one.deadline for one in crew.running.values()) - time.monotonic()
        try:
            index, outcome = crew.box.get(timeout=None if patience == float("inf") else max(0.0, patience))
        except queue.Empty:
            late = [(i, one) for i, one in crew.running.items() if one.deadline <= time.monotonic()]
            return [(i, self._given_up(one), True) for i, one in late]
        return [(index, outcome, False)] if index in crew.running else []

    def _given_up(self, running: _Running) -> _Outcome:
        if running.worker is not None:
            _stop(running.worker.thread)
        reason = f"no answer after {self.deadline_seconds:g} s; off for the rest of the run"
        self._off[_key(running.call.plugin)] = reason
        return _Outcome(error=TimeoutError(reason))

    def _alone(self, call: Call) -> _Outcome:
        crew = _Crew()
        self._start(0, call, crew)
        while not (done := self._next(crew)):
            pass
        _, outcome, given_up = done[0]
        crew.release(0, given_up=given_up)
        crew.dismiss()
        self._finish(call, outcome.error)
        return outcome

    def _finish(self, call: Call, error: BaseException | None) -> None:
        """Put back what a plugin changed of the process, and say so."""
        if self._finished:
            self._finished(call.plugin, call.stage)
        if call.plugin.builtin:
            return
        self._under_way -= 1
        if error is not None:
            for witness in self.witnesses_of_errors:
                witness(error)
        changed = self._before.restored() if self._before else []
        if changed:
            what = f"changed {', '.join(changed)} of the process; it was put back"
            self.problems.append(Problem(call.plugin.name, call.stage, what, call.plugin.distribution))

    def _settle(self, call: Call, outcome: _Outcome) -> Any:
        """Return the answer or the problem; record what was wrong, and count the plugin's failures."""
        self._finish(call, outcome.error)
        reason = outcome.remark if outcome.error is None else described(outcome.error)
        if not reason:
            return outcome.answer
        key = _key(call.plugin)
        counts = outcome.error is not None and call.stage != "load"  # each hook is called once
        self._failures[key] = self._failures.get(key, 0) + counts
        if self._failures[key] >= FAILURES_ALLOWED and key not in self._off:
            self._off[key] = f"off for the rest of the run after {FAILURES_ALLOWED} failures"
            reason = f"{reason}; {self._off[key]}"
        problem = Problem(call.plugin.name, call.stage, reason, call.plugin.distribution)
        self.problems.append(problem)
        return outcome.answer if outcome.error is None else problem


def origin(plugin: Origin | str) -> Origin:
    """Return the origin itself, or one for a bare name."""
    return Named(plugin) if isinstance(plugin, str) else plugin


def described(error: BaseException) -> str:
    """Say in one printable line what was raised and where, whatever the exception's own text does."""
    try:
        if type(error) in (BrokenContractError, TimeoutError) and error.args:
            return _line(str(error.args[0]))
        text = str(error)
    except BaseException:
        text = "its text can't be shown"
    return _line(f"{type(error).__name__}: {text}" if text else type(error).__name__) + _place(error)


def _line(text: str) -> str:
    words = " ".join(text[: 4 * _WORDS].split())
    shown = "".join(letter if letter.isprintable() else "?" for letter in words)
    return shown if len(shown) <= _WORDS else f"{shown[:_WORDS]}..."


def _place(error: BaseException) -> str:
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    if trace is None or trace.tb_frame.f_code.co_filename == __file__:
        return ""
    file = trace.tb_frame.f_code.co_filename.replace("\\", "/").rpartition("/")[2]
    return f" ({file}:{trace.tb_lineno})"


def _failure(source: Origin, stage: str, outcome: _Outcome) -> SatchelError:
    if isinstance(outcome.error, SatchelError):
        return outcome.error
    reason = outcome.remark if outcome.error is None else described(outcome.error)
    return PluginError(source.name, source.distribution, f"{stage}: {reason}")


def _key(source: Origin) -> tuple[str, ...]:
    return source.distribution, str(getattr(source, "kind", "")), source.name


def _outcome(call: Call, given: tuple[Any, ...], *, stops: tuple[type[BaseException], ...] = ()) -> _Outcome:
    """Run the call in this thread; only an exception named in `stops` gets out."""
    process = os.getpid()
    try:
        with stdout_to_stderr():
            return _answered(call, given)
    except stops:
        raise
    except BaseException as error:
        return _Outcome(error=error)
    finally:
        if os.getpid() != process:
            os._exit(0)  # the plugin forked, and this is the copy: one process goes on with the run


def _answered(call: Call, given: tuple[Any, ...]) -> _Outcome:
    answer, remark = call.function(*given), ""
    if call.cap is not None and not _is_lazy(answer, call):
        answer = list(islice(iter(answer), call.cap + 1))
        if len(answer) > call.cap:
            answer, remark = answer[: call.cap], f"more than {call.cap} answers, cut to {call.cap}"
    if call.check is not None:
        answer = call.check(answer)
    if any(mine is not lent and not _equal(mine, lent) for mine, lent in zip(call.args, given, strict=True)):
        remark = remark or "changed its arguments; the change was thrown away"
    return _Outcome(answer, remark=remark)


def _is_lazy(answer: Any, call: Call) -> bool:
    return call.lazy is not None and isinstance(answer, call.lazy) and len(answer) <= (call.cap or 0)


def _lent(argument: Any) -> Any:
    """Return a copy of domain values, because `frozen` can be got around; lists become tuples."""
    if type(argument).__module__ == _DOMAIN:
        return copy.deepcopy(argument)
    if type(argument) is list or type(argument) is tuple:
        first = argument[0] if argument else None
        copied = type(first).__module__ == _DOMAIN and not isinstance(first, tuple)
        return tuple(map(copy.copy, argument)) if copied else tuple(argument)
    return argument


def _equal(mine: Any, lent: Any) -> bool:
    return bool((tuple(mine) if isinstance(mine, list) else mine) == lent)


def _stop(thread: threading.Thread) -> None:
    """Ask a thread to end: it does where it runs Python code, so that no busy loop slows the rest."""
    if thread.ident is None or not thread.is_alive():
        return
    import ctypes

    raise_in = ctypes.pythonapi.PyThreadState_SetAsyncExc
    raise_in(ctypes.c_ulong(thread.ident), ctypes.py_object(GivenUpError))
