"""The stores in a database keep the contracts that the one in a file keeps."""

from __future__ import annotations

import pytest
from satchel.testing.contracts import BlobStoreContract, SessionStoreContract

from satchel_postgres.plugins import PostgresSessions, PostgresTexts


class TestSessions(SessionStoreContract):
    plugin = PostgresSessions

    @pytest.fixture
    def address(self, database: str) -> str:
        return database


class TestTexts(BlobStoreContract):
    plugin = PostgresTexts

    @pytest.fixture
    def address(self, database: str) -> str:
        return database
