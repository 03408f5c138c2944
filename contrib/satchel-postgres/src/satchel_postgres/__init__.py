"""Sessions and archived texts on PostgreSQL, at `postgresql://` addresses; psycopg is imported when used."""

from __future__ import annotations

from satchel.plugin_api import Later, hookimpl

__all__ = ["satchel_blob_stores", "satchel_session_stores"]

_SCHEMES = frozenset({"postgres", "postgresql"})


@hookimpl
def satchel_session_stores() -> list[Later]:
    """Return the store of sessions."""
    return [Later("postgresql", "satchel_postgres.plugins:PostgresSessions", _SCHEMES)]


@hookimpl
def satchel_blob_stores() -> list[Later]:
    """Return the store of the archive's texts."""
    return [Later("postgresql", "satchel_postgres.plugins:PostgresTexts", _SCHEMES)]
