"""A headless Chromium, where there is one; every test here is skipped with a reason where there is none."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from typing import Any

import pytest

CHROMIUM = "SATCHEL_TEST_CHROMIUM"
"""Names the program; by default it is looked for on the path, then among those of Playwright."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark all tests of this folder."""
    for item in items:
        if "/tests/browser/" in item.path.as_posix():
            item.add_marker(pytest.mark.browser)


@pytest.fixture(scope="session")
def chromium() -> Iterator[Any]:
    """Start the browser; it reaches no network."""
    missing = "playwright is not installed: pip install 'satchel[browser]'"
    playwright = pytest.importorskip("playwright.sync_api", reason=missing)
    program = os.environ.get(CHROMIUM) or shutil.which("chromium") or shutil.which("chromium-browser")
    with playwright.sync_playwright() as started:
        try:
            browser = started.chromium.launch(executable_path=program, args=["--no-sandbox"])
        except playwright.Error as error:
            pytest.skip(f"no Chromium can be started: {str(error).splitlines()[0]}")
        yield browser
        browser.close()
