"""What is wrong with a server is one line that says what to do, without a password; damage is named."""

from __future__ import annotations

import contextlib
import io
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import psycopg
import pytest
from satchel import SatchelError, Session
from satchel.plugin_api import DamageError, NoStoreError, StoreError
from servers import Server

from satchel_postgres.store import open_store
from satchel_postgres.tables import VERSION

Ask = Callable[..., list[tuple[object, ...]]]


def run(*words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "satchel", *words], capture_output=True, text=True, check=False, timeout=60
    )


@pytest.fixture
def full(database: str) -> str:
    """Return the address of a database with a session of two messages."""
    with Session.open("s", store=database, create=True) as session:
        session.add({"role": "user", "content": "one"})
        session.add({"role": "assistant", "content": "two"})
    return database


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (("@127.0.0.1:", "@127.0.0.1:1"), "no server listens there; start it"),
        (("secret-of-the-owner", "wrong"), "refuses the password; set PGPASSWORD"),
        (("owner:", "nobody:"), "refuses the password"),
        (("/db", "/gone"), "there is no such database"),
        (("@127.0.0.1", "@nowhere.invalid"), "there is no host of that name"),
        (("?", "?sslmode=require"), "speaks no TLS"),
        (("?", "?nonsense=1"), "is not an address that PostgreSQL understands"),
    ],
    ids=lambda value: value if isinstance(value, str) else value[1],
)
def test_a_server_out_of_reach_is_one_line(server: Server, change: tuple[str, str], says: str) -> None:
    old, new = change
    address = server.address("db") + "?"
    if old == "@127.0.0.1:":
        address = address.replace(f":{server.port}/", ":1/")
    else:
        address = address.replace(old, new)

    ended = run("session", "add", "--store", address, "--session", "s", "--role", "user", "--text", "x")

    assert ended.returncode == 1, ended.stderr
    assert says in ended.stderr
    assert len([line for line in ended.stderr.splitlines() if "first use of" not in line]) == 1
    assert "secret-of" not in ended.stderr
    assert ended.stdout == ""


def test_no_answer_has_the_password(full: str) -> None:
    for words in (["list"], ["list", "--format", "json"], ["log"], ["show"], ["export"]):
        ended = run("session", *words, "--store", full)
        assert ended.returncode == 0, ended.stderr
        assert "secret-of" not in ended.stdout + ended.stderr
    ended = run("session", "show", "--store", full, "--session", "t")
    assert "secret-of" not in ended.stderr
    assert "did you mean 's'" in ended.stderr or "it has s" in ended.stderr


def test_a_newer_version_is_refused_and_left_alone(full: str, ask: Ask) -> None:
    ask(f"UPDATE satchel_facts SET value = {VERSION + 1}")

    with pytest.raises(StoreError, match=r"written by a newer satchel-postgres .*pip install --upgrade"):
        Session.open("s", store=full)
    assert ask("SELECT value FROM satchel_facts") == [(VERSION + 1,)]


def test_an_older_version_is_updated_once(full: str, ask: Ask) -> None:
    steps = {VERSION: "ALTER TABLE satchel_sessions ADD COLUMN room text DEFAULT ''; SELECT 1"}
    for _ in range(2):
        open_store(full, steps=steps).close()

    assert ask("SELECT value FROM satchel_facts") == [(VERSION + 1,)]
    assert ask("SELECT room FROM satchel_sessions") == [("",)]


def test_an_update_that_fails_leaves_the_tables_as_they_were(full: str, ask: Ask) -> None:
    with pytest.raises(StoreError):
        open_store(full, steps={VERSION: "ALTER TABLE satchel_heads ADD COLUMN a int; SELECT 1 / 0"})

    assert ask("SELECT value FROM satchel_facts") == [(VERSION,)]
    with Session.open("s", store=full) as session:
        assert session.count() == 2


def test_many_make_the_tables_at_once(database: str) -> None:
    words = [sys.executable, "-m", "satchel", "session", "new", "--store", database, "--session"]
    started = [subprocess.Popen([*words, f"s{at}"], stderr=subprocess.PIPE) for at in range(6)]
    ended = [one.communicate(timeout=60)[1] for one in started]

    assert [one.returncode for one in started] == [0] * 6, ended


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE satchel_nodes SET at = at + 1 WHERE position = 1",
        "UPDATE satchel_nodes SET flags = 0 WHERE position = 1",
        "UPDATE satchel_nodes SET meta = '{}' WHERE position = 1",
        "UPDATE satchel_nodes SET session = 1, parent = 'x' WHERE position = 1",
        "UPDATE satchel_bodies SET content = '\"forged\"'",
        "DELETE FROM satchel_nodes WHERE position = 1",
        "DELETE FROM satchel_bodies",
        "UPDATE satchel_heads SET node = ''",
        "UPDATE satchel_segments SET fork = 1",
        "UPDATE satchel_sessions SET branch = 'other'",
        "UPDATE satchel_sessions SET origin = 'other'",
    ],
)
def test_a_row_that_changed_is_damage(full: str, ask: Ask, statement: str) -> None:
    ask(statement)

    with pytest.raises(DamageError), Session.open("s", store=full) as session:
        session.messages()


def test_a_snapshot_mends_what_is_damaged(full: str, ask: Ask) -> None:
    with Session.open("s", store=full) as session:
        session.snapshot()
        ask("UPDATE satchel_nodes SET at = at + 1 WHERE position = 1")
        ask("UPDATE satchel_bodies SET content = 'x'")

        assert session.restore().mended == 2
        assert [message["content"] for message in session.messages()] == ["one", "two"]


def test_a_dump_and_a_restore_give_the_same_export(full: str, server: Server, tmp_path: Path) -> None:
    dump = subprocess.run(
        [server.programs / "pg_dump", "--no-owner", full], capture_output=True, check=True, timeout=60
    ).stdout
    other = server.new_database()
    subprocess.run(
        [server.programs / "psql", "-q", "-v", "ON_ERROR_STOP=1", other],
        input=dump,
        capture_output=True,
        check=True,
        timeout=60,
    )

    exports = []
    for address in (full, other):
        with Session.open("s", store=address) as session:
            written = io.StringIO()
            session.export(written)
            exports.append(written.getvalue())
    assert exports[0] == exports[1]
    with Session.open("s", store=other) as session:
        session.add({"role": "user", "content": "three"})


def test_what_a_database_can_not_hold_is_refused_whole(full: str) -> None:
    with Session.open("s", store=full) as session:
        with pytest.raises(SatchelError):
            session.branch("zero \x00 byte")
        assert session.count() == 2


def test_tables_that_are_gone_are_told(full: str, ask: Ask) -> None:
    with Session.open("s", store=full) as session:
        ask("DROP TABLE satchel_heads")
        with pytest.raises(StoreError, match="its tables are gone; restore the database from its backup"):
            session.add({"role": "user", "content": "x"})


def test_a_writer_that_holds_on_is_waited_for_and_then_told(full: str) -> None:
    store = open_store(full, wait_seconds=1)
    with psycopg.connect(full, autocommit=True) as other:
        other.execute("SELECT pg_advisory_lock(1396790339, 0)")
        with Session.of_store(store, "s", folder="snapshots") as session:
            with pytest.raises(StoreError, match="has been writing for too long; nothing was kept"):
                session.add({"role": "user", "content": "x"})
            other.execute("SELECT pg_advisory_unlock_all()")
            session.add({"role": "user", "content": "x"})


def test_a_missing_store_is_told(database: str) -> None:
    with pytest.raises(NoStoreError, match="no sessions in this database yet"):
        Session.open("s", store=database)
    ended = run("session", "list", "--store", database)
    assert (ended.returncode, ended.stdout) == (0, "")


def test_the_size_of_sessions_is_told_and_they_are_deleted(full: str, ask: Ask) -> None:
    with Session.open("big", store=full, create=True) as session:
        session.add({"role": "user", "content": "see blob:0123456789abcdef"})
        store, known = session.store, session._known
        sizes = {one.name: one for one in store.sizes()}  # type: ignore[attr-defined]

        assert sizes["s"].nodes == 2
        assert sizes["big"].bytes > 0
        assert store.list_needed() == {"0123456789abcdef"}  # type: ignore[attr-defined]
        store.delete(known)  # type: ignore[attr-defined]
        assert [one.name for one in store.sizes()] == ["s"]  # type: ignore[attr-defined]
        assert store.list_needed() == set()  # type: ignore[attr-defined]
        with pytest.raises(SatchelError):
            session.add({"role": "user", "content": "ghost"})
    for table in ("nodes", "bodies", "heads", "segments", "needs", "moves"):
        assert ask(f"SELECT count(*) FROM satchel_{table} WHERE session = {known.number}") == [(0,)]


def test_texts_stay_in_the_database(full: str) -> None:
    ended = run("squeeze", "--budget", "50", "--store", full, "--", "seq", "1", "5000")
    if ended.returncode:
        ended = subprocess.run(
            [sys.executable, "-m", "satchel", "squeeze", "--budget", "50", "--store", full],
            input="\n".join(f"line {at}" for at in range(5_000)),
            capture_output=True,
            text=True,
            check=False,
        )
    assert ended.returncode == 0, ended.stderr
    shown = run("archive", "show", "--store", full)
    assert shown.stdout.startswith("blob:"), shown.stderr
    assert run("expand", shown.stdout.split()[0], "--store", full).returncode == 0


def test_a_spool_keeps_messages_while_the_server_is_away(crashing: Server) -> None:
    address = crashing.new_database()
    add = ("session", "add", "--store", address, "--session", "s", "--role", "user", "--spool", "--text")
    assert run(*add, "one").returncode == 0
    crashing.stop()

    away = [run(*add, "two"), run(*add, "three")]
    silent = run(*add[:-2], "--text", "lost")

    assert [one.returncode for one in away] == [0, 0]
    assert "kept on this machine: 2 messages waiting to be sent" in away[1].stderr
    assert "no server listens there" in away[1].stderr
    assert "secret-of-the-owner" not in away[1].stderr
    assert away[1].stdout == ""
    assert silent.returncode != 0  # nobody asked for a spool
    place = ("--store", address, "--session", "s")
    listed = run("session", "replay", "--list", *place)
    assert [line for line in ("one", "two", "three", "lost") if line in listed.stdout] == ["two", "three"]
    assert run("session", "replay", *place).returncode != 0
    crashing.start()
    after = run(*add, "four")
    assert "2 messages that waited on this machine were sent first" in after.stderr
    shown = run("session", "show", *place).stdout
    found = [shown.index(word) for word in ("one", "two", "three", "four")]
    assert found == sorted(found)
    assert run("session", "replay", *place).stdout == "0 messages sent\n"


def test_readers_are_known_to_all_who_share_a_session(full: str) -> None:
    show = ("session", "show", "--store", full, "--session", "s", "--reader")

    first, again, other = run(*show, "a"), run(*show, "a"), run(*show, "b")

    assert "one" in first.stdout
    assert first.stdout == other.stdout
    assert again.stdout == ""


def test_a_certificate_that_is_not_trusted_is_refused(server: Server, tmp_path: Path) -> None:
    address = server.new_database()
    make = ["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=elsewhere.invalid"]
    if shutil.which("openssl") is None:
        pytest.skip("openssl is not installed here")
    files = {end: server.folder / "data" / f"server.{end}" for end in ("key", "crt")}
    subprocess.run(
        ["openssl", *make, "-keyout", files["key"], "-out", files["crt"]], check=True, capture_output=True
    )
    for file in files.values():
        file.chmod(0o600)
        if server.user:
            shutil.chown(file, server.user)
    trusted = tmp_path / "root.crt"
    trusted.write_bytes(files["crt"].read_bytes())
    with psycopg.connect(address, autocommit=True) as connection:
        connection.execute("ALTER SYSTEM SET ssl = on")
        connection.execute("SELECT pg_reload_conf()")
    try:
        strict = f"{address}?sslmode=verify-full&sslrootcert={trusted}"
        ended = run("session", "list", "--store", strict)
        unknown = f"{address}?sslmode=verify-ca&sslrootcert={tmp_path / 'missing.crt'}"
        other = run("session", "list", "--store", unknown)
    finally:
        with psycopg.connect(address, autocommit=True) as connection:
            connection.execute("ALTER SYSTEM RESET ssl")
            connection.execute("SELECT pg_reload_conf()")

    for one in (ended, other):
        assert one.returncode == 1
        told = [line for line in one.stderr.splitlines() if "first use of" not in line]
        assert len(told) == 1
        assert "the server's certificate is refused; check sslrootcert and the host's name" in told[0]
        assert "secret-of-the-owner" not in told[0]


def test_a_full_disk_over_there_keeps_nothing_and_says_so(full: str, ask: Ask) -> None:
    ask(
        "CREATE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS "
        "$$BEGIN RAISE 'could not extend file' USING ERRCODE = 'disk_full'; END$$"
    )
    ask("CREATE TRIGGER fails BEFORE INSERT ON satchel_nodes EXECUTE FUNCTION fail()")

    ended = run("session", "add", "--store", full, "--session", "s", "--role", "user", "--text", "three")

    assert ended.returncode == 1
    assert ended.stderr.count("\n") == 1
    assert "the disk of the server is full; nothing was kept, make room there" in ended.stderr
    ask("DROP TRIGGER fails ON satchel_nodes")
    with Session.open("s", store=full) as session:
        assert session.count() == 2


def test_connections_that_break_amid_a_window_lose_nothing(full: str, ask: Ask, tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("def one():\n    return 1\n")
    breaks = [0]

    def break_all(_: object) -> None:
        breaks[0] += 1
        ask(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
            "WHERE pid != pg_backend_pid() AND datname = current_database()"
        )

    broken = Session.open("s", store=full, root=tmp_path, observe=break_all)
    with broken, contextlib.suppress(SatchelError):  # a line; what a program does then is ask again
        broken.window(budget=4_000)
    assert breaks[0]
    with Session.open("s", store=full, root=tmp_path) as session:
        assert [message["content"] for message in session.messages()] == ["one", "two"]
        assert "one" in str(session.window(budget=4_000).messages)


@pytest.mark.parametrize(("kept", "says"), [(False, ""), (True, "the connection is lost\n")])
def test_what_the_driver_says_of_a_lost_connection_is_for_a_log_alone(kept: bool, says: str) -> None:
    keep = "logging.basicConfig(format='%(message)s')" if kept else ""
    program = (
        f"import logging, satchel_postgres.pool\n{keep}\n"
        "logging.getLogger('psycopg').warning('the connection is lost')"
    )

    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)

    assert ran.stderr == says
