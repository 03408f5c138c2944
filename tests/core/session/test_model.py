"""Any row of moves leaves a session as a plain tree of lists would be."""

from __future__ import annotations

import shutil
import tempfile
from io import StringIO
from pathlib import Path
from typing import Any, NamedTuple

import hypothesis.strategies as st
import pytest
from hypothesis import settings
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule
from tests.amounts import examples

from satchel import SatchelError, Session

MEMORY = Path("/dev/shm")
"""Where syncs cost nothing: a model has thousands of them."""
NAMES = st.sampled_from(["main", "a", "b", "größe"])
TEXTS = st.sampled_from(["", "hello", "größe \ud800", "x" * 5_000])
Entry = tuple[str, Any]


class Line(NamedTuple):
    """A branch of the model: what stands there, what redo goes to, and where a tangent comes from."""

    entries: tuple[Entry, ...] = ()
    redo: tuple[tuple[Entry, ...], ...] = ()
    home: str = ""
    since: int = 0


def begins_step(entries: tuple[Entry, ...], at: int) -> bool:
    """Tell whether a step of undo begins at a place."""
    kind, body = entries[at]
    if kind != "message":
        return kind in ("compaction", "pin") or at == 0
    before = [body["role"] for kind, body in entries[:at] if kind == "message"]
    return at == 0 or body["role"] == "user" or before[-1:] == ["assistant"]


class Sessions(RuleBasedStateMachine):
    """A session beside a dictionary of lists."""

    def __init__(self) -> None:
        super().__init__()
        self.folder = Path(tempfile.mkdtemp(dir=MEMORY if MEMORY.is_dir() else None))
        self.now = 1_000.0
        self.session = self.opened()
        self.lines: dict[str, Line] = {"main": Line()}
        self.on = "main"
        self.checkpoints: dict[str, tuple[Entry, ...]] = {}
        self.snapshots: list[tuple[str, str, tuple[Entry, ...]]] = []

    def opened(self) -> Session:
        return Session.open("s", store=self.folder, create=True, clock=lambda: self.now)

    def teardown(self) -> None:
        self.session.close()
        shutil.rmtree(self.folder)

    def set(self, **changes: Any) -> None:
        self.lines[self.on] = self.lines[self.on]._replace(**changes)

    @property
    def line(self) -> Line:
        return self.lines[self.on]

    @rule(role=st.sampled_from(["user", "assistant"]), text=TEXTS)
    def add(self, role: str, text: str) -> None:
        message = {"role": role, "content": text}
        self.session.add(message)
        self.set(entries=(*self.line.entries, ("message", message)), redo=())

    @rule(kind=st.sampled_from(["pin", "use", "compaction"]), body=st.integers(0, 3))
    def record(self, kind: str, body: int) -> None:
        self.session.record(kind, body)
        self.set(entries=(*self.line.entries, (kind, body)), redo=())

    @rule(bodies=st.lists(st.integers(0, 9), max_size=3))
    def record_many(self, bodies: list[int]) -> None:
        nodes = self.session.record_many([("step", body) for body in bodies])
        added = tuple(("step", body) for body in bodies)
        assert [node.body for node in nodes] == bodies
        if added:
            self.set(entries=(*self.line.entries, *added), redo=())

    @rule(steps=st.integers(1, 3))
    def undo(self, steps: int) -> None:
        entries, redo = self.line.entries, list(self.line.redo)
        if not entries:
            return self.refused(lambda: self.session.undo(steps))
        for _ in range(steps):
            if entries:
                redo.append(entries)
                entries = entries[: max(at for at in range(len(entries)) if begins_step(entries, at))]
        self.session.undo(steps)
        return self.set(entries=entries, redo=tuple(redo))

    @rule(steps=st.integers(1, 3))
    def redo(self, steps: int) -> None:
        redo = self.line.redo
        if not redo:
            return self.refused(lambda: self.session.redo(steps))
        count = min(steps, len(redo))
        self.session.redo(steps)
        return self.set(entries=redo[-count], redo=redo[:-count])

    @rule(name=NAMES)
    def branch(self, name: str) -> None:
        if name in self.lines:
            return self.refused(lambda: self.session.branch(name))
        self.session.branch(name)
        self.lines[name] = Line(self.line.entries)
        self.on = name
        return None

    @rule(name=NAMES)
    def switch(self, name: str) -> None:
        if name not in self.lines:
            return self.refused(lambda: self.session.switch(name))
        self.session.switch(name)
        self.on = name
        return None

    @rule(name=NAMES)
    def checkpoint(self, name: str) -> None:
        if name in self.checkpoints:
            return self.refused(lambda: self.session.checkpoint(name))
        self.session.checkpoint(name)
        self.checkpoints[name] = self.line.entries
        return None

    @rule(name=NAMES)
    def undo_to(self, name: str) -> None:
        held, entries = self.checkpoints.get(name), self.line.entries
        if held is None:
            return self.refused(lambda: self.session.undo(to=name))
        if entries[: len(held)] != held:
            return None  # equal entries of another branch may still be other nodes
        try:
            self.session.undo(to=name)
        except SatchelError:
            return None
        if held != entries:
            self.set(entries=held, redo=(*self.line.redo, entries))
        return None

    @rule()
    def tangent(self) -> None:
        name = self.session.tangent().branch
        self.lines[name] = Line(self.line.entries, (), self.on, len(self.line.entries))
        self.on = name

    @rule(keep=st.sampled_from(["none", "last pair"]))
    def come_back(self, keep: str) -> None:
        line = self.line
        if not line.home:
            return self.refused(lambda: self.session.come_back(keep))
        self.session.come_back(keep)
        self.on = line.home
        pair = self.last_pair(line) if keep == "last pair" else ()
        if pair:
            self.set(entries=(*self.line.entries, *pair), redo=())
        return None

    def last_pair(self, line: Line) -> tuple[Entry, ...]:
        said = [entry for entry in line.entries[line.since :] if entry[0] == "message"]
        answers = [at for at, entry in enumerate(said) if entry[1]["role"] == "assistant"]
        asked = [at for at in range(answers[-1] if answers else 0) if said[at][1]["role"] == "user"]
        return (said[asked[-1]], said[answers[-1]]) if asked else ()

    @rule()
    def snapshot(self) -> None:
        taken = self.session.snapshot(keep=3)
        self.snapshots = [*self.snapshots, (taken.id, self.on, self.line.entries)][-3:]

    @precondition(lambda self: self.snapshots)
    @rule(at=st.integers(0, 2))
    def restore(self, at: int) -> None:
        name, self.on, held = self.snapshots[at % len(self.snapshots)]
        self.session.restore(name)
        if held != self.line.entries:
            self.set(entries=held, redo=(*self.line.redo, self.line.entries))
        elif len(self.session.moves()) and self.session.moves()[-1].before != self.session.head:
            self.set(redo=(*self.line.redo, self.line.entries))  # equal entries, other nodes

    @rule(back=st.floats(-1_000_000, 1_000_000))
    def clock_jumps(self, back: float) -> None:
        self.now += back

    @rule()
    def reopen(self) -> None:
        self.session.close()
        self.session = self.opened()

    @rule()
    def move_elsewhere(self) -> None:
        written = StringIO()
        self.session.export(written)
        lines = written.getvalue().encode("ascii").splitlines(keepends=True)
        from satchel.plugin_api import open_store
        from satchel.session import bring

        other = open_store(
            self.folder / f"other-{len(list(self.folder.iterdir()))}" / "sessions.sqlite", create=True
        )
        bring(other, lines, source="export")
        other.close()
        with Session.open(self.session.id, store=other.path.parent) as session:
            again = StringIO()
            session.export(again)
        assert again.getvalue() == written.getvalue()

    def refused(self, act: Any) -> None:
        before = self.session.head
        with pytest.raises(SatchelError):
            act()
        assert self.session.head == before

    @invariant()
    def the_messages_are_those_of_the_model(self) -> None:
        said = [body for kind, body in self.line.entries if kind == "message"]
        assert self.session.messages() == said
        assert self.session.count() == len(said)
        assert self.session.messages(last=2) == said[-2:]

    @invariant()
    def the_happenings_are_those_of_the_model(self) -> None:
        others = [entry for entry in self.line.entries if entry[0] in ("pin", "use", "compaction")]
        found = self.session.happenings("use", "pin", "compaction")
        assert [(node.kind, node.body) for node in found] == others
        assert [(n.kind, n.body) for n in self.session.happenings("pin", "use", last=1)] == [
            entry for entry in others if entry[0] != "compaction"
        ][-1:]

    @invariant()
    def the_branches_are_those_of_the_model(self) -> None:
        assert {one.name: one.messages for one in self.session.branches()} == {
            name: sum(kind == "message" for kind, _ in line.entries) for name, line in self.lines.items()
        }
        assert self.session.branch_name == self.on


TestSessions = Sessions.TestCase
TestSessions.settings = settings(max_examples=examples(60), stateful_step_count=30, deadline=None)
