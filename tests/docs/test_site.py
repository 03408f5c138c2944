"""The site of the documentation is built strictly, and asks nothing of other hosts."""

from __future__ import annotations

import importlib.util
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from .pages import ROOT

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        importlib.util.find_spec("mkdocstrings") is None, reason="the site needs: pip install 'satchel[docs]'"
    ),
    pytest.mark.skipif(not (ROOT / ".ci").is_dir(), reason="the site is made in a repository"),
]
_LOADS = re.compile(
    r'<(?:script|img|iframe)[^>]* src="([^"]+)"|<link[^>]* rel="stylesheet"[^>]* href="([^"]+)"'
)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("site")
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    built = subprocess.run(
        [str(ROOT / ".ci" / "docs"), "--site-dir", str(folder)],
        env={**os.environ, "PATH": path, "NO_MKDOCS_2_WARNING": "1"},
        capture_output=True,
        text=True,
    )
    assert built.returncode == 0, built.stderr
    return folder


def test_every_page_of_the_documentation_is_there(site: Path) -> None:
    pages = [page.relative_to(ROOT / "docs") for page in (ROOT / "docs").rglob("*.md")]

    assert [page for page in pages if not (site / page.with_suffix(".html")).is_file()] == []
    assert "doc-function" in (site / "api" / "satchel.html").read_text(encoding="utf-8")


def test_no_page_loads_anything_from_another_host(site: Path) -> None:
    loaded = {
        one
        for page in site.rglob("*.html")
        for found in _LOADS.findall(page.read_text(encoding="utf-8"))
        for one in found
        if one
    }

    assert loaded
    assert [one for one in loaded if re.match(r"(?:[a-z]+:)?//", one)] == []


def test_the_gallery_has_its_pages(site: Path) -> None:
    for name in ("pack", "conversation", "output"):
        text = (site / "gallery" / f"{name}.html").read_text(encoding="utf-8")
        assert "Content-Security-Policy" in text
        assert f'href="{name}.html"' in (site / "gallery" / "index.html").read_text(encoding="utf-8")
