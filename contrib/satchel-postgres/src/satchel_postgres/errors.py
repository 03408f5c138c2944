"""What is wrong with a server, in one line that says what to do."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping
from types import MappingProxyType

import psycopg
from psycopg import errors
from satchel.plugin_api import DamageError, SatchelError, StoreError

AGAIN = "another process wrote at the same time; nothing was kept, try again"
LOST = "the connection was lost and nothing was kept; try again when the server answers"

_BY_CLASS: Mapping[type[psycopg.Error], str] = MappingProxyType(
    {
        errors.LockNotAvailable: "another process has been writing for too long; nothing was kept, try again",
        errors.SerializationFailure: AGAIN,
        errors.DeadlockDetected: AGAIN,
        errors.UniqueViolation: AGAIN,
        errors.DiskFull: "the disk of the server is full; nothing was kept, make room there",
        errors.InsufficientPrivilege: (
            "this role may not do that, nothing was kept; a writer needs SELECT, INSERT, UPDATE and DELETE "
            "on the tables satchel_*, a reader SELECT: GRANT them, or name another role"
        ),
        errors.ReadOnlySqlTransaction: "only reads (a replica?), nothing was kept; name the primary server",
        errors.TooManyConnections: "the server has no connection left; try again, or raise max_connections",
        errors.UndefinedTable: "its tables are gone; restore the database from its backup",
        errors.ProgramLimitExceeded: "the message is too large for the server (1 GB); nothing was kept",
        errors.QueryCanceled: "the server took too long and nothing was kept; try again",
    }
)
_BY_WORDS = (
    ("password authentication failed", "the server refuses the password; set PGPASSWORD or ~/.pgpass"),
    ("no password supplied", "the server asks for a password; set PGPASSWORD or ~/.pgpass"),
    (
        "authentication failed",
        "the server refuses this user; name another one in the address, or ask its admin",
    ),
    ("no pg_hba.conf entry", "the server does not let this user in from here; its admin edits pg_hba.conf"),
    ("certificate", "the server's certificate is refused; check sslrootcert and the host's name"),
    ("server does not support SSL", "the server speaks no TLS; ask its admin, or say sslmode=prefer"),
    ("failed to resolve host", "there is no host of that name; check the address and the network"),
    ("could not translate host name", "there is no host of that name; check the address and the network"),
    ("too many clients", "the server has no connection left; try again, or raise max_connections"),
    (
        "timeout expired",
        "the server does not answer in time; check the address, the network and the firewall",
    ),
    ("Connection refused", "no server listens there; start it, or check host and port of the address"),
    ("No such file or directory", "no server listens there; start it, or check host and port of the address"),
    ("role ", "the server does not know this user; name one in the address"),
    ("database ", "there is no such database; its admin makes it with createdb"),
)
_GONE = ("closed", "lost", "terminat")
_STARTING = ("starting up", "shutting down", "in recovery mode", "not yet accepting connections")


def is_starting(error: psycopg.OperationalError) -> bool:
    """Tell whether a server is there and will let us in soon."""
    return any(words in str(error) for words in _STARTING)


def is_lost(error: psycopg.Error, connection: psycopg.Connection) -> bool:
    """Tell whether a connection broke, so that another one may do."""
    gone = isinstance(error, errors.AdminShutdown | errors.CrashShutdown | errors.CannotConnectNow)
    return gone or connection.closed or connection.broken


@contextlib.contextmanager
def explain_errors(place: str) -> Iterator[None]:
    """Turn errors of the driver into a StoreError or a DamageError that says what to do."""
    try:
        yield
    except psycopg.Error as error:
        raise describe_error(place, error) from error


def describe_error(place: str, error: psycopg.Error) -> SatchelError:
    """Return the error of satchel's for one of the driver's."""
    if isinstance(error, errors.DataCorrupted | errors.IndexCorrupted):
        return DamageError(place, f"is damaged ({_first_line(error)}); restore it from its backup")
    for kind, reason in _BY_CLASS.items():
        if isinstance(error, kind):
            return StoreError(place, reason)
    if isinstance(error, errors.AdminShutdown | errors.CrashShutdown):
        return StoreError(place, LOST)
    text = str(error)
    for words, reason in _BY_WORDS if isinstance(error, psycopg.OperationalError) else ():
        if words in text:
            return StoreError(place, reason)
    if isinstance(error, psycopg.OperationalError) and any(word in text for word in _GONE):
        return StoreError(place, LOST)
    if isinstance(error, psycopg.ProgrammingError) and error.sqlstate is None:
        return StoreError(
            place, "is not an address that PostgreSQL understands, like postgresql://user@host/database"
        )
    return StoreError(
        place, f"can't be used: {_first_line(error)} ({error.sqlstate or type(error).__name__})"
    )


def _first_line(error: psycopg.Error) -> str:
    return next(iter(str(error).strip().splitlines()), type(error).__name__)
