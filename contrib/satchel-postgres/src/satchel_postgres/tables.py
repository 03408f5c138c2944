"""The tables, their versions, and the way from one version to the next."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

import psycopg
from satchel.plugin_api import NoStoreError, StoreError

VERSION = 1
LOCKS = 0x53415443
"""First key of all advisory locks of satchel's: "SATC"."""

SCHEMA = """
CREATE TABLE satchel_facts (name text PRIMARY KEY, value bigint NOT NULL);
CREATE SEQUENCE satchel_numbers AS integer;
CREATE TABLE satchel_sessions (
    number integer PRIMARY KEY, name text COLLATE "C" NOT NULL UNIQUE, origin text NOT NULL,
    created double precision NOT NULL, branch text NOT NULL, seal text NOT NULL
);
CREATE TABLE satchel_segments (
    session integer NOT NULL REFERENCES satchel_sessions ON DELETE CASCADE, number bigint NOT NULL,
    parent bigint NOT NULL, fork bigint NOT NULL, seal text NOT NULL, PRIMARY KEY (session, number)
);
CREATE TABLE satchel_nodes (
    session integer NOT NULL REFERENCES satchel_sessions ON DELETE CASCADE, segment bigint NOT NULL,
    position bigint NOT NULL, parent text NOT NULL, kind text NOT NULL, at double precision NOT NULL,
    digest bytea NOT NULL, meta bytea NOT NULL, flags bigint NOT NULL, nth bigint NOT NULL,
    prior bigint NOT NULL, other bigint NOT NULL, tally text NOT NULL, seal text NOT NULL,
    PRIMARY KEY (session, segment, position)
);
CREATE TABLE satchel_bodies (
    session integer NOT NULL REFERENCES satchel_sessions ON DELETE CASCADE, digest bytea NOT NULL,
    content bytea NOT NULL, PRIMARY KEY (session, digest)
);
CREATE TABLE satchel_needs (
    session integer NOT NULL REFERENCES satchel_sessions ON DELETE CASCADE, hash text NOT NULL,
    PRIMARY KEY (session, hash)
);
CREATE TABLE satchel_heads (
    session integer NOT NULL REFERENCES satchel_sessions ON DELETE CASCADE, role text NOT NULL,
    name text COLLATE "C" NOT NULL, node text NOT NULL, at double precision NOT NULL, home text NOT NULL,
    since text NOT NULL, redo text NOT NULL, seal text NOT NULL, PRIMARY KEY (session, role, name)
);
CREATE TABLE satchel_moves (
    number bigint NOT NULL, session integer NOT NULL REFERENCES satchel_sessions ON DELETE CASCADE,
    at double precision NOT NULL, what text NOT NULL, branch text NOT NULL, before text NOT NULL,
    after text NOT NULL, seal text NOT NULL, PRIMARY KEY (session, number)
);
CREATE TABLE satchel_texts (
    key text COLLATE "C" PRIMARY KEY, content bytea NOT NULL, used double precision NOT NULL
);
ALTER TABLE satchel_texts ALTER COLUMN content SET STORAGE EXTERNAL;
INSERT INTO satchel_facts VALUES ('version', 1);
"""

STEPS: Mapping[int, str] = MappingProxyType({})
"""Statements that make tables of the next version out of those of that version."""


def settle_version(
    connection: psycopg.Connection, place: str, *, create: bool, steps: Mapping[int, str] = STEPS
) -> None:
    """Make the tables, or bring them to this version; others wait meanwhile.

    Raises:
        NoStoreError: there are none, and none are to be made.
        StoreError: they are of a newer version, or another program's.
    """
    target = max(steps, default=0) + 1 if steps else VERSION
    found = read_version(connection)
    if found == target:
        return
    if found is None and not create:
        raise NoStoreError(place, "no sessions in this database yet; satchel session add creates the tables")
    with connection.transaction():
        # waits for whoever makes or updates the tables right now; given back with the transaction
        connection.execute("SELECT pg_advisory_xact_lock(%s, 0)", [LOCKS])
        found = read_version(connection)
        if found is None:
            _run(connection, SCHEMA)
            found = VERSION
        if found > target:
            raise StoreError(
                place,
                f"was written by a newer satchel-postgres (tables of version {found}, this one reads up to "
                f"{target}); pip install --upgrade satchel-postgres",
            )
        for at in range(found, target):
            if at not in steps:
                raise StoreError(
                    place, f"has tables of version {at}, which nothing here can bring to {target}"
                )
            _run(connection, steps[at])
        connection.execute("UPDATE satchel_facts SET value = %s WHERE name = 'version'", [target])


def read_version(connection: psycopg.Connection) -> int | None:
    """Return the version of the tables, None where there are none."""
    # to_regclass may answer from a cache that does not know yet what another process has just made
    there = connection.execute(
        "SELECT 1 FROM pg_catalog.pg_tables "
        "WHERE tablename = 'satchel_facts' AND schemaname = ANY (current_schemas(false))"
    ).fetchone()
    if not there:
        return None
    row = connection.execute("SELECT value FROM satchel_facts WHERE name = 'version'").fetchone()
    return int(row[0]) if row else None


def _run(connection: psycopg.Connection, statements: str) -> None:
    connection.execute(statements.encode("utf-8"))
