"""Nothing that was acknowledged is lost: many writers at once, servers and writers that are killed."""

from __future__ import annotations

import contextlib
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from satchel import SatchelError, Session
from satchel.plugin_api import NodePlace
from satchel.session.places import open_place
from satchel.session.store import BRANCH
from servers import Server

Ask = Callable[..., list[tuple[object, ...]]]

WRITER = """
import sys
from satchel import Session
address, name, sessions, count = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
opened = [Session.open(f"s{at}", store=address, create=True) for at in range(sessions)]
for at in range(count):
    node = opened[at % sessions].add({"role": "user", "content": f"{name}-{at}"})
    print(f"s{at % sessions}", node.id, f"{name}-{at}", flush=True)
"""
STUBBORN = """
import sys, time
from satchel import SatchelError, Session
from satchel.plugin_api import NodePlace
with Session.open("s0", store=sys.argv[1], create=True) as session:
    for at in range(100_000):
        try:
            node = session.add({"role": "user", "content": f"{sys.argv[2]}-{at}"})
        except SatchelError as error:
            print("failed", f"{sys.argv[2]}-{at}", " ".join(str(error).split()), file=sys.stderr, flush=True)
            time.sleep(0.05)
            continue
        print("s0", node.id, f"{sys.argv[2]}-{at}", flush=True)
"""


def start(script: str, *words: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", script, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )


def check_all_there(address: str, said: list[list[str]], *, exactly: bool = True) -> None:
    """Compare what the sessions hold with what was acknowledged, each writer's in its order."""
    for name in {one[0] for one in said}:
        own = [(one[1], one[2]) for one in said if one[0] == name]
        with Session.open(name, store=address) as session:
            nodes = session.message_nodes()
            assert [node.parent for node in nodes] == ["", *(node.id for node in nodes[:-1])]
            there = [(node.id, node.body["content"]) for node in nodes]
        assert len(there) == len(set(there))
        assert set(own) <= set(there)
        if exactly:
            assert sorted(own) == sorted(there)
        texts = [text for _, text in there]
        for writer in {text.partition("-")[0] for text in texts}:
            order = [int(text.partition("-")[2]) for text in texts if text.startswith(f"{writer}-")]
            assert order == sorted(order)


@pytest.mark.parametrize("sessions", [1, 5])
def test_processes_write_at_once_and_nothing_is_lost(database: str, sessions: int) -> None:
    writers = [start(WRITER, database, f"p{at}", str(sessions), "20") for at in range(4)]
    ended = [writer.communicate(timeout=120) for writer in writers]

    assert [writer.returncode for writer in writers] == [0] * 4, ended
    said = [line.split() for out, _ in ended for line in out.splitlines()]
    assert len(said) == 80
    check_all_there(database, said)


@pytest.mark.slow
@pytest.mark.parametrize("sessions", [1, 100])
def test_sixteen_processes_of_five_hundred_messages(database: str, sessions: int) -> None:
    began = time.monotonic()
    writers = [start(WRITER, database, f"p{at}", str(sessions), "500") for at in range(16)]
    ended = [writer.communicate(timeout=900) for writer in writers]

    assert [writer.returncode for writer in writers] == [0] * 16, [error[-300:] for _, error in ended]
    seconds = time.monotonic() - began
    print(f"\n16 x 500 messages, {sessions} sessions: {seconds:.0f} s, {8_000 / seconds:.0f} a second")
    said = [line.split() for out, _ in ended for line in out.splitlines()]
    assert len(said) == 8_000
    check_all_there(database, said)


def test_a_writer_that_is_killed_leaves_whole_messages_and_no_lock(database: str) -> None:
    writer = start(WRITER, database, "k", "1", "100000")
    assert writer.stdout is not None
    said = [writer.stdout.readline().split() for _ in range(15)]
    writer.kill()
    said += [line.split() for line in writer.communicate()[0].splitlines() if line.count(" ") == 2]

    check_all_there(database, said, exactly=False)
    with Session.open("s0", store=database) as session:
        began = time.monotonic()
        session.add({"role": "user", "content": "after"})
        assert time.monotonic() - began < 10


def test_a_server_that_is_killed_amid_writes_has_all_that_was_acknowledged(crashing: Server) -> None:
    database = crashing.new_database()
    writers = [start(STUBBORN, database, f"w{at}") for at in range(3)]
    first = [writer.stdout.readline() for writer in writers if writer.stdout is not None]
    time.sleep(1)
    for _ in range(2):
        crashing.kill()
        time.sleep(0.3)
        crashing.start()
        time.sleep(2)
    for writer in writers:
        writer.kill()
    ended = [writer.communicate() for writer in writers]

    lines = [*first, *(line for out, _ in ended for line in out.splitlines())]
    said = [line.split() for line in lines if line.count(" ") == 2]
    errors = [line for _, text in ended for line in text.splitlines()]
    assert not [line for line in errors if not line.startswith(("failed ", "satchel: first use"))], errors[
        -5:
    ]
    refused = {line.split()[1] for line in errors if line.startswith("failed ") and "can't say" not in line}
    with Session.open("s0", store=database) as session:
        assert refused.isdisjoint(message["content"] for message in session.messages())
    assert len(said) > 30, errors[-3:]
    check_all_there(database, said, exactly=False)


def test_a_store_that_was_open_goes_on_after_a_restart(crashing: Server) -> None:
    database = crashing.new_database()
    with Session.open("s", store=database, create=True) as session:
        session.add({"role": "user", "content": "before"})
        crashing.stop()
        crashing.start()
        session.add({"role": "user", "content": "after"})

        assert [message["content"] for message in session.messages()] == ["before", "after"]


def test_a_connection_that_breaks_amid_a_transaction_leaves_nothing(database: str, ask: Ask) -> None:
    with Session.open("s", store=database, create=True) as session:
        session.add({"role": "user", "content": "before"})
        known = session._known

        def write() -> None:
            with session.store.writing() as moment:
                head = moment.head(known.number, BRANCH, "main")
                assert head is not None
                moment.put_head(known.number, head._replace(node="lost"))
                ask(
                    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
                    "WHERE state = 'idle in transaction'"
                )

        with pytest.raises(SatchelError, match="nothing was kept"):
            write()
        assert session.count() == 1
        session.add({"role": "user", "content": "after"})
        assert session.count() == 2


def test_a_commit_whose_answer_was_lost_is_asked_for(database: str, ask: Ask) -> None:
    with Session.open("s", store=database, create=True) as session:
        store = open_place(database).store
        with store.writing() as moment:
            moment.head(session._known.number, BRANCH, "main")
            kept = moment.prepare()  # type: ignore[attr-defined]
        [(open_one,)] = ask("SELECT pg_current_xact_id()::text")

        assert store._was_committed(kept, moment, None) is True  # type: ignore[attr-defined]
        assert store._was_committed(str(open_one), moment, None) is True  # type: ignore[attr-defined]
        store.close()


def test_after_a_crash_the_number_of_a_lost_transaction_may_be_that_of_another(
    database: str, ask: Ask
) -> None:
    with Session.open("s", store=database, create=True) as session:
        session.add({"role": "user", "content": "before"})
        store, known = open_place(database).store, session._known
        with store.reading() as moment:
            (row,) = moment.rows(known, NodePlace(1, 1), 2, content="*", newest=False)
        [(another,)] = ask("SELECT pg_current_xact_id()::text")

        for put, is_kept in (
            (row, True),
            (row._replace(position=2), False),
            (row._replace(check="x"), False),
        ):
            with contextlib.suppress(ZeroDivisionError), store.writing() as moment:
                moment.put_row(known, put)
                raise ZeroDivisionError  # nothing is sent
            assert store._was_committed(str(another), moment, None) is is_kept  # type: ignore[attr-defined]
        store.close()


def test_a_reader_writes_nothing(server: Server, database: str, ask: Ask) -> None:
    with Session.open("s", store=database, create=True) as session:
        session.add({"role": "user", "content": "one"})
    ask("DROP ROLE IF EXISTS reader")
    ask("CREATE ROLE reader LOGIN PASSWORD 'reads'")
    ask("GRANT SELECT ON ALL TABLES IN SCHEMA public TO reader")

    readers = server.address(database.rpartition("/")[2], "reader", "reads")
    with Session.open("s", store=readers) as session:
        assert session.count() == 1
        with pytest.raises(SatchelError, match="this role may not do that, nothing was kept"):
            session.add({"role": "user", "content": "two"})
        with pytest.raises(SatchelError, match="may not do that"):
            session.undo()
        assert session.count() == 1
    ask("REVOKE ALL ON ALL TABLES IN SCHEMA public FROM reader")
    ask("DROP ROLE reader")


def test_others_are_told_of_a_message_within_a_second(database: str) -> None:
    with Session.open("s", store=database, create=True) as session:
        store = open_place(database).store
        told: list[tuple[int, float]] = []

        def listen() -> None:
            for number in store.changes(seconds=10):  # type: ignore[attr-defined]
                told.append((number, time.monotonic()))
                return

        listener = threading.Thread(target=listen)
        listener.start()
        time.sleep(0.5)
        began = time.monotonic()
        session.add({"role": "user", "content": "news"})
        listener.join()
        store.close()

    assert [number for number, _ in told] == [session._known.number]
    assert told[0][1] - began < 1


def test_two_folders_go_on_with_one_session(database: str, tmp_path: Path) -> None:
    for name in ("one", "two"):
        folder = tmp_path / name
        folder.mkdir()
        words = ["session", "add", "--store", database, "--session", "s", "--role", "user", "--text", name]
        subprocess.run([sys.executable, "-m", "satchel", *words], cwd=folder, check=True, capture_output=True)
        assert list(folder.iterdir()) == []

    with Session.open("s", store=database) as session:
        assert [message["content"] for message in session.messages()] == ["one", "two"]
