"""What a path tells of a file: whether it is a test, and its place."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path
from zlib import crc32

import pytest
from tests.core.repositories import write_files

from satchel.questions import Aim, FilePlace, is_test, look_up_places, place_factor, place_of
from satchel.questions.aims import PLACES_VERSION, is_aside
from satchel.workspace import Workspace
from satchel_plugins.providers.files import ROLES_VERSION, label_role
from satchel_plugins.providers.reports import REPORTS_VERSION, report_kind


@pytest.mark.parametrize(
    ("path", "told"),
    [
        ("tests/data/a/b/c.py", True),
        ("src/shop/tests/a/b.py", True),
        ("src/shop/attests/a/b.py", False),
        ("src/test_shop.py", True),
        ("t/basic.t", True),
        ("x/" * 2_000 + "shop.py", False),
        ("tests/" + "x/" * 2_000 + "shop.py", True),
    ],
)
def test_a_folder_of_tests_makes_all_below_it_tests(path: str, told: bool) -> None:
    assert is_test(path) is told


@pytest.mark.parametrize(
    ("path", "told"),
    [
        ("tests/app/pom.xml", True),
        ("integration-test/app/settings.gradle", True),
        ("smoke_tests/Makefile", True),
        ("src/intTest/projects/shop/pom.xml", True),
        ("latest/pom.xml", False),
        ("contest/pom.xml", False),
        ("integration-test/Shop.java", False),
    ],
)
def test_settings_of_tests_say_little_about_the_project(path: str, told: bool) -> None:
    assert is_aside(path) is told


@pytest.mark.parametrize(
    ("path", "place"),
    [
        ("INSTALL", FilePlace.DOCUMENT),
        ("install", FilePlace.CODE),
        ("Docs/INTERNALS", FilePlace.DOCUMENT),
        ("ReadMe.MD", FilePlace.DOCUMENT),
        ("LICENSE-MIT", FilePlace.ELSEWHERE),
        ("Cargo.TOML", FilePlace.MANIFEST),
        ("src/ShopTest.java", FilePlace.TEST),
        ("src/shoptest.java", FilePlace.CODE),
        ("t/integration/common.py", FilePlace.TEST),
        ("src/t/common.py", FilePlace.CODE),
        ("charts/shop/templates/deployment.yaml", FilePlace.INFRASTRUCTURE),
        ("charts/shop/templates/_helpers.tpl", FilePlace.INFRASTRUCTURE),
        ("charts/shop/templates/crds/crd-shop.yaml", FilePlace.DATA),
        ("charts/shop/values.yaml", FilePlace.SETTINGS),
        ("roles/shop/tasks/main.yml", FilePlace.INFRASTRUCTURE),
        ("roles/shop/defaults/main.yml", FilePlace.SETTINGS),
    ],
)
def test_a_path_tells_what_a_file_is_for(path: str, place: FilePlace) -> None:
    assert place_of(path) is place


PATHS = (
    *("src/shop.py", "tests/test_shop.py", "docs/guide.md", "README.md", "CHANGELOG.md", "LICENSE"),
    *("examples/shop/settings.toml", "shop.toml", "config/app.yml", "locales/de.yml", "po/de.po", "Gemfile"),
    *(".github/workflows/ci.yml", ".github/workflows/stale.yml", ".github/ISSUE_TEMPLATE/bug.yml", "go.sum"),
    *("installer/templates/shop.ex", "CONTRIBUTING.md", ".editorconfig", "notebooks/a.ipynb", "sshd_config"),
    "Makefile",
)
AIMS = [(Aim.ANY,), (Aim.CONTRIBUTING,), (Aim.CONFIGURATION, Aim.WHERE), (Aim.TESTS,)]


def test_places_that_were_looked_up_are_those_of_the_paths(tmp_path: Path) -> None:
    root, cache = write_files(tmp_path / "loom", dict.fromkeys(PATHS, "loom = 1\n")), tmp_path / "cache"
    alone = [(place_of(path), [place_factor(aims, path) for aims in AIMS]) for path in PATHS]
    for _ in ("judged", "from the index"):
        with closing(Workspace.open(root, cache_dir=cache)) as workspace:
            look_up_places(workspace.files)
            found = [(place_of(path), [place_factor(aims, path) for aims in AIMS]) for path in PATHS]
        assert found == alone


def test_the_version_of_places_changes_with_them() -> None:
    """If it fails with the same `places.txt`, increase `PLACES_VERSION`; then change the number here."""
    told = " ".join(f"{place_of(path).value} {place_factor((Aim.ANY,), path)}" for path in PATHS)

    assert (PLACES_VERSION, crc32(told.encode())) == (2, 4240385696)


def test_labels_are_made_anew_when_a_file_comes_and_only_then(tmp_path: Path) -> None:
    root, cache = write_files(tmp_path / "loom", {"a.py": "a = 1\n", "b.md": "b\n"}), tmp_path / "cache"
    asked: list[str] = []

    def label(path: str) -> str:
        asked.append(path)
        return path.rpartition(".")[2]

    for _ in range(2):
        with closing(Workspace.open(root, cache_dir=cache)) as workspace:
            assert workspace.files.labels("endings 1", label) == {"a.py": "py", "b.md": "md"}
    assert asked == ["a.py", "b.md"]
    (root / "c.py").write_text("c = 1\n")
    with closing(Workspace.open(root, cache_dir=cache)) as workspace:
        assert workspace.files.labels("endings 1", label) == {"a.py": "py", "b.md": "md", "c.py": "py"}
        assert workspace.files.labels("letters 1", lambda path: path[0])["c.py"] == "c"


REPORTS = (
    *("build/reports/junit.xml", "logs/app.log", "coverage.xml", "cover/lcov.info", "out.sarif"),
    *("npm-debug.log", "vendor/a/b.py", "src/test.ts", "ChangeLog.txt", "data/rows.csv"),
)


def test_the_versions_of_roles_and_reports_change_with_them() -> None:
    """If it fails, increase the version beside the function; for roles, not if only `places.txt` changed."""
    roles = " ".join(map(label_role, (*PATHS, *REPORTS)))
    reports = " ".join(map(report_kind, (*PATHS, *REPORTS)))

    assert (ROLES_VERSION, crc32(roles.encode())) == (1, 4170561161)
    assert (REPORTS_VERSION, crc32(reports.encode())) == (1, 4292364845)


def test_who_asks_for_a_place_wants_the_tasks_of_a_role_as_much_as_code() -> None:
    tasks, code, page = (
        place_factor((Aim.WHERE,), path) for path in ("roles/shop/tasks/main.yml", "shop.py", "README.md")
    )

    assert tasks == code > page
