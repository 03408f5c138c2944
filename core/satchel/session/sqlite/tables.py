"""The tables of a store, their version, and the way from older versions."""

from __future__ import annotations

from collections.abc import Mapping

VERSION = 1
APPLICATION = 0x53415443
"""What marks the file as ours: "SATC"."""

SCHEMA = """
CREATE TABLE sessions (
    number INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, origin TEXT NOT NULL, created REAL NOT NULL,
    branch TEXT NOT NULL, seal TEXT NOT NULL
);
CREATE TABLE segments (
    session INTEGER NOT NULL, number INTEGER NOT NULL, parent INTEGER NOT NULL, fork INTEGER NOT NULL,
    seal TEXT NOT NULL, PRIMARY KEY (session, number)
) WITHOUT ROWID;
CREATE TABLE nodes (
    session INTEGER NOT NULL, segment INTEGER NOT NULL, position INTEGER NOT NULL, parent TEXT NOT NULL,
    kind TEXT NOT NULL, at REAL NOT NULL, digest BLOB NOT NULL, meta TEXT NOT NULL, flags INTEGER NOT NULL,
    nth INTEGER NOT NULL, prior INTEGER NOT NULL, other INTEGER NOT NULL, tally TEXT NOT NULL,
    seal TEXT NOT NULL, body INTEGER NOT NULL, PRIMARY KEY (session, segment, position)
) WITHOUT ROWID;
CREATE TABLE bodies (id INTEGER PRIMARY KEY, digest BLOB NOT NULL UNIQUE, content BLOB NOT NULL);
CREATE TABLE blobs (hash TEXT PRIMARY KEY) WITHOUT ROWID;
CREATE TABLE heads (
    session INTEGER NOT NULL, role TEXT NOT NULL, name TEXT NOT NULL, node TEXT NOT NULL, at REAL NOT NULL,
    home TEXT NOT NULL, since TEXT NOT NULL, redo TEXT NOT NULL, seal TEXT NOT NULL,
    PRIMARY KEY (session, role, name)
) WITHOUT ROWID;
CREATE TABLE moves (
    number INTEGER PRIMARY KEY, session INTEGER NOT NULL, at REAL NOT NULL, what TEXT NOT NULL,
    branch TEXT NOT NULL, before TEXT NOT NULL, after TEXT NOT NULL, seal TEXT NOT NULL
);
CREATE INDEX moves_session ON moves(session, number);
CREATE TABLE facts (name TEXT PRIMARY KEY, value INTEGER NOT NULL) WITHOUT ROWID;
INSERT INTO facts VALUES ('commits', 0);
"""

STEPS: Mapping[int, str] = {}
"""Statements that make a store of the next version out of one of that version."""
