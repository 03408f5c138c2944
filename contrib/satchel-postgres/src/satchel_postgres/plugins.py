"""The two plugins: stores of sessions and of the archive's texts in a database."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

import attrs

if TYPE_CHECKING:
    from satchel.plugin_api import Blobs, Store

_SCHEMES = frozenset({"postgres", "postgresql"})


@attrs.frozen
class PostgresSessions:
    """Opens stores of sessions in PostgreSQL databases."""

    name: ClassVar[str] = "postgresql"
    schemes: ClassVar[frozenset[str]] = _SCHEMES
    connections: int = attrs.field(default=4, validator=attrs.validators.ge(1))
    """Most connections of one process."""
    wait_seconds: float = attrs.field(default=30.0, validator=attrs.validators.gt(0))
    """How long a writer waits for others, and a process for a server that restarts."""

    def open(self, address: str, *, create: bool) -> Store:
        """Open the store in a database; with `create`, make its tables where they are missing."""
        from satchel_postgres.store import open_store

        return open_store(
            address, create=create, connections=self.connections, wait_seconds=self.wait_seconds
        )


@attrs.frozen
class PostgresTexts:
    """Opens stores of the archive's texts in PostgreSQL databases."""

    name: ClassVar[str] = "postgresql"
    schemes: ClassVar[frozenset[str]] = _SCHEMES
    wait_seconds: float = attrs.field(default=30.0, validator=attrs.validators.gt(0))
    """How long a process waits for a server that restarts."""

    def open(self, address: str) -> Blobs:
        """Open the texts in a database; their table is made with the first."""
        from satchel_postgres.texts import open_texts

        return open_texts(address, wait_seconds=self.wait_seconds)
