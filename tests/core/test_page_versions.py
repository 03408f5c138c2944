"""Versions of one page: the newest answers, or the one that is asked for."""

from __future__ import annotations

import pytest

from satchel.questions.page_versions import find_older_pages

MANUALS = ["docs/manual/v1.9/manual.yml", "docs/manual/v1.10/manual.yml", "docs/manual/dev/manual.yml"]


@pytest.mark.parametrize(
    ("paths", "versions", "older"),
    [
        (MANUALS, (), set(MANUALS[:2])),
        (MANUALS[:2], (), {MANUALS[0]}),
        (MANUALS, ("1.9",), set(MANUALS[1:])),
        (MANUALS, ("1.9.2",), set(MANUALS[1:])),
        (
            ["docs/intro.md", "versioned_docs/version-2.x/intro.md", "versioned_docs/version-1.0/intro.md"],
            (),
            {"versioned_docs/version-2.x/intro.md", "versioned_docs/version-1.0/intro.md"},
        ),
        (
            ["docs/links/http.md", "versioned_docs/version-9.x/links.md"],
            (),
            {"versioned_docs/version-9.x/links.md"},
        ),
        (["docs/links/http.md", "versioned_docs/version-9.x/links.md"], ("9.4",), set()),
        (
            ["docs/latest/a.md", "docs/stable/a.md", "docs/3.1/a.md"],
            (),
            {"docs/stable/a.md", "docs/3.1/a.md"},
        ),
        (
            [f"versioned_docs/version-2.0.0-{one}/a.md" for one in ("alpha.1", "beta.1", "alpha.9", "rc.2")],
            (),
            {f"versioned_docs/version-2.0.0-{one}/a.md" for one in ("alpha.1", "beta.1", "alpha.9")},
        ),
        (["docs/2.0.0/a.md", "docs/2.0.0-rc1/a.md"], (), {"docs/2.0.0-rc1/a.md"}),
        (
            ["versioned_docs/version-1.1/gone.md", "versioned_docs/version-1.2/kept.md"],
            (),
            {"versioned_docs/version-1.1/gone.md"},
        ),
        (["src/v3/a.md", "src/v4/a.md", "docs/v3/b.md", "docs/v4/c.md"], (), set()),
        (["docs/v3/a.py", "docs/v4/a.py"], (), set()),
        (
            [f"site/en/{where}/{page}.md" for where in ("v0.6", "latest") for page in "abc"]
            + [f"site/en/v0.6/design/{page}.md" for page in "stuv"]
            + ["site/en/community/s.md"],
            (),
            {f"site/en/v0.6/{page}.md" for page in ("a", "b", "c", *(f"design/{one}" for one in "stuv"))},
        ),
        (
            [f"docs/{where}/{page}.md" for where in ("v1", "v2") for page in "abc"]
            + [f"docs/v1/{page}.md" for page in "stuvw"],
            (),
            {f"docs/v1/{page}.md" for page in "abc"},
        ),
    ],
)
def test_of_versions_of_a_page_all_but_one_are_old(
    paths: list[str], versions: tuple[str, ...], older: set[str]
) -> None:
    assert find_older_pages(paths, versions) == older
    assert find_older_pages(reversed(paths), versions) == older
