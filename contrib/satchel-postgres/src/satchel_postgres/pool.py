"""Connections of one process to one database: reused, bounded, and never carried over a fork."""

from __future__ import annotations

import contextlib
import logging
import os
import threading
import time
from collections.abc import Iterator
from typing import Any

import psycopg
from psycopg.conninfo import conninfo_to_dict, make_conninfo
from satchel.plugin_api import StoreError, hide_password

from satchel_postgres.errors import explain_errors, is_starting

# What psycopg says of a connection that breaks is in the error that is raised: on a person's stderr it stands
# only where the program keeps a log.
logging.getLogger("psycopg").addHandler(logging.NullHandler())

_CONNECT_SECONDS = 5
_PAUSE_SECONDS = 0.1
_TCP = {"keepalives": 1, "keepalives_idle": 30, "keepalives_interval": 5, "keepalives_count": 3}


class Pool:
    """Lends connections in autocommit mode; threads that find none wait for one.

    Args:
        address: what libpq understands.
        connections: the most at a time.
        wait_seconds: how long a lock, and a server that restarts, is waited for.
    """

    def __init__(self, address: str, *, connections: int, wait_seconds: float) -> None:
        self.place, self.wait_seconds = hide_password(address), wait_seconds
        with explain_errors(self.place):
            given = conninfo_to_dict(address)
            usual: dict[str, Any] = {
                "connect_timeout": _CONNECT_SECONDS,
                "application_name": "satchel",
                **_TCP,
            }
            self._address = make_conninfo(address, **{k: v for k, v in usual.items() if k not in given})
        self._most = connections
        self._reset()
        self._was_open = False
        self.users = 0
        """Stores that share the pool."""

    def _reset(self) -> None:
        self._process = os.getpid()
        self._lock = threading.Lock()
        self._free = threading.BoundedSemaphore(self._most)
        self._idle: list[psycopg.Connection] = []

    @contextlib.contextmanager
    def lend(self) -> Iterator[psycopg.Connection]:
        """Lend a connection; one that comes back in a transaction, or lost, is closed.

        Raises:
            StoreError: the server can't be reached.
        """
        if self._process != os.getpid():
            self._reset()  # the parent's connections are left alone
        if not self._free.acquire(timeout=self.wait_seconds):
            raise StoreError(
                self.place, f"all {self._most} connections of this process are in use; try again"
            )
        try:
            connection = self._take()
            try:
                yield connection
            finally:
                self._put(connection)
        finally:
            self._free.release()

    def drop_idle(self) -> None:
        """Close the connections that nobody uses: the server has restarted, or may have."""
        with self._lock:
            idle, self._idle = self._idle, []
        for connection in idle:
            connection.close()

    def close(self) -> None:
        """Close all that are not lent, if nobody else uses the pool; those that are, when they come back."""
        with _LOCK:
            self.users = max(0, self.users - 1)
            if self.users:
                return
            for key in [key for key, pool in _POOLS.items() if pool is self]:
                del _POOLS[key]
        if self._process == os.getpid():
            self.drop_idle()

    def connect(self) -> psycopg.Connection:
        """Return a new connection; a server that was there and restarts is waited for."""
        until = time.monotonic() + self.wait_seconds
        while True:
            try:
                connection = self._connect()
            except psycopg.OperationalError as error:
                may_come = self._was_open or is_starting(error)
                if not may_come or time.monotonic() > until:
                    raise
                time.sleep(_PAUSE_SECONDS)
            else:
                self._was_open = True
                return connection

    def _connect(self) -> psycopg.Connection:
        connection = psycopg.connect(self._address, autocommit=True)
        try:
            connection.execute(
                "SELECT set_config('synchronous_commit', 'on', false), "
                "set_config('lock_timeout', %s, false), "
                "set_config('idle_in_transaction_session_timeout', '0', false)",
                [f"{int(self.wait_seconds * 1000)}ms"],
            )
        except BaseException:
            connection.close()
            raise
        return connection

    def _take(self) -> psycopg.Connection:
        with self._lock:
            if self._idle:
                return self._idle.pop()
        return self.connect()

    def _put(self, connection: psycopg.Connection) -> None:
        sound = not connection.closed and not connection.broken
        if sound and connection.info.transaction_status == psycopg.pq.TransactionStatus.IDLE and self.users:
            with self._lock:
                self._idle.append(connection)
        else:
            connection.close()


_LOCK = threading.Lock()
_POOLS: dict[tuple[str, int, float], Pool] = {}
"""One pool for each database of this process, however many stores are open."""


def share_pool(address: str, *, connections: int, wait_seconds: float) -> Pool:
    """Return the pool of an address, with one user more; its `close` is to be called as often."""
    key = address, connections, wait_seconds
    with _LOCK:
        if key not in _POOLS:
            _POOLS[key] = Pool(address, connections=connections, wait_seconds=wait_seconds)
        _POOLS[key].users += 1
        return _POOLS[key]
