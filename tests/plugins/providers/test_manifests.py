from __future__ import annotations

import re
import time
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from satchel_plugins.providers import ECOSYSTEMS, find_locked
from satchel_plugins.providers.packages import find_manifests

from .manifested import FIXTURES

MANIFESTS = (
    "pyproject.toml",
    "Pipfile",
    "setup.cfg",
    "setup.py",
    "environment.yml",
    "requirements.txt",
    "constraints.txt",
    "package.json",
    "go.mod",
    "Cargo.toml",
    "pom.xml",
    "build.gradle",
    "gradle/libs.versions.toml",
    "Gemfile",
    "a.gemspec",
    "composer.json",
    "a.csproj",
    "packages.config",
)


JUNK = ("[", "{", '"', "'", "<dependency>", "<!--", "a ", "\\", "= ", "gem '", "a.", "(", "\n")
LOCK_JUNK = ('"', "\n", "a@", '"a": {', "\nname = ", "node_modules/", " ", "  a@1:\n", "a/")


def read(path: str, text: str) -> list[tuple[str, str, int]]:
    """Return name, constraint and line of what any ecosystem finds in a manifest of this name."""
    return [
        tuple(entry)
        for one in ECOSYSTEMS
        if one.declares(path)
        for entry in one.find_declarations(path, text)
    ]


@pytest.mark.parametrize("path", MANIFESTS)
def test_every_manifest_has_one_ecosystem(path: str) -> None:
    assert len([one for one in ECOSYSTEMS if one.declares(path)]) == 1
    assert find_manifests([path, f"deep/{path}", "src/main.c"]) == [path, f"deep/{path}"]


@pytest.mark.parametrize("path", sorted({name for one in ECOSYSTEMS for name in one.locks}))
def test_every_lock_file_is_found_by_its_name(path: str) -> None:
    assert find_manifests([path, f"old-{path}"]) == [path]


def test_lists_of_packages_are_found_by_what_their_paths_say() -> None:
    lists = ["reqs/a.in", "requirements/x.pip", "dev-Requirements.txt", "a/test_deps.txt", "Dependencies.txt"]

    assert find_manifests([*lists, "docs/index.txt", "data/words.in"]) == lists
    assert all(any(one.declares(path) for one in ECOSYSTEMS) for path in lists)


@pytest.mark.parametrize(
    ("path", "text", "entry"),
    [
        ("requirements/dev.txt", "tox", ("tox", "", 1)),
        ("requirements-dev.txt", "\nFoo.Bar[a,b] == 1.0  # why", ("Foo.Bar", "[a,b] == 1.0", 2)),
        ("pyproject.toml", "[project]\ndependencies = ['a>1', \"b\"]", ("b", "", 2)),
        ("pyproject.toml", "[build-system]\nrequires = ['setuptools>=61']", ("setuptools", ">=61", 2)),
        (
            "pyproject.toml",
            "[tool.poetry.dependencies]\na = {version = '^1', extras = ['x']}",
            ("a", "^1", 2),
        ),
        ("setup.py", "setup(\n install_requires=[\n  'a>=1', # 'c'\n  \"b\"])", ("b", "", 4)),
        ("setup.cfg", "[options]\ninstall_requires = a>=1", ("a", ">=1", 2)),
        ("environment.yml", "dependencies:\n- numpy>=1.2", ("numpy", ">=1.2", 2)),
        ("package.json", '{"dependencies":{"a":"1","@b/c":"*"}}', ("@b/c", "", 1)),
        ("go.mod", "require example.com/a v1.2.3", ("example.com/a", "v1.2.3", 1)),
        ("Cargo.toml", "[dependencies]\na = '1.2'\n", ("a", "1.2", 2)),
        ("Cargo.toml", "[dependencies.a]\nversion = '1'\nfeatures = ['b']", ("a", "", 1)),
        ("build.gradle", "testImplementation 'g:n:1.0'", ("g:n", "1.0", 1)),
        ("build.gradle", "v = '3'\nimplementation \"g:n:$v\"", ("g:n", "3", 2)),
        ("libs.versions.toml", "j = '4'\nn = { module = 'g:n', version.ref = 'j' }", ("g:n", "4", 2)),
        ("a.gemspec", 's.add_development_dependency "rake", "~> 13"', ("rake", "~> 13", 1)),
        ("composer.json", '{"require": {"a/b": "^1"}}', ("a/b", "^1", 1)),
        ("packages.config", '<package id="NUnit" version="3.1" />', ("NUnit", "3.1", 1)),
        ("a.csproj", '<PackageReference Include="B" Version="2"/>', ("B", "2", 1)),
    ],
)
def test_a_declaration_is_read_with_its_line(path: str, text: str, entry: tuple[str, str, int]) -> None:
    assert entry in read(path, text)


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("requirements.txt", "# requests\n--index-url https://x/requests\n   \n"),
        ("pyproject.toml", "# dependencies = ['requests']"),
        ("package.json", '{"scripts": {"requests": "1"}, "name": "requests"}'),
        ("Cargo.toml", "[package]\nrequests = '1'\n[features]\nrequests = ['a']"),
        (
            "pom.xml",
            "<!-- <dependency><groupId>a</groupId><artifactId>requests</artifactId></dependency> -->",
        ),
        ("a.csproj", '<!-- <PackageReference Include="requests" /> -->'),
        ("build.gradle", "// implementation 'requests:requests:1'"),
        ("Gemfile", "# gem 'requests'"),
    ],
)
def test_what_looks_like_a_declaration_and_is_none_is_left_out(path: str, text: str) -> None:
    assert [entry for entry in read(path, text) if "requests" in entry[0]] == []


@pytest.mark.parametrize("path", MANIFESTS)
@given(text=st.text(max_size=300))
def test_any_text_is_read_without_an_error(path: str, text: str) -> None:
    assert all(0 < line <= text.count("\n") + 1 for _, _, line in read(path, text))


@pytest.mark.parametrize("path", MANIFESTS)
@pytest.mark.parametrize("junk", JUNK)
def test_hostile_manifests_take_linear_time(path: str, junk: str) -> None:
    started = time.process_time()
    read(path, junk * (400_000 // len(junk)))

    assert time.process_time() - started < 2


LOCKS = {name: patterns for one in ECOSYSTEMS for name, patterns in one.locks.items()}


@pytest.mark.parametrize("patterns", LOCKS.values(), ids=LOCKS)
@pytest.mark.parametrize("junk", LOCK_JUNK)
def test_hostile_lock_files_take_linear_time(patterns: Sequence[re.Pattern[str]], junk: str) -> None:
    started = time.process_time()
    find_locked(junk * (1_000_000 // len(junk)), patterns)

    assert time.process_time() - started < 2


def test_the_old_lock_file_of_npm_is_read() -> None:
    text = '{"lockfileVersion": 1, "dependencies": {\n"ms": {"version": "2.0.0", "requires": {"a": "1"}}}}'
    found = find_locked(text, LOCKS["package-lock.json"])

    assert [(one.wanted, one.line) for one in found["ms"]] == [("2.0.0", 2)]


@pytest.mark.parametrize("key", ["/vue@3.4.21", "/vue/3.4.21", "vue@3.4.21", "'/vue@3.4.21(ts@5.0.0)'"])
def test_every_notation_of_pnpm_is_read(key: str) -> None:
    found = find_locked(f"packages:\n\n  {key}:\n    dev: true\n", LOCKS["pnpm-lock.yaml"])

    assert [one.wanted for one in found["vue"]] == ["3.4.21"]


def test_a_package_inside_another_comes_after_the_one_at_the_top() -> None:
    text = (FIXTURES / "javascript" / "package-lock.json").read_text()
    found = find_locked(text, LOCKS["package-lock.json"])

    assert [one.wanted for one in found["lodash"]] == ["4.17.21", "3.10.1"]


def test_all_packages_of_a_lock_file_are_found() -> None:
    text = '{"node_modules/ms": {"version": "1.0.0"}, "node_modules/vue": {"version": "3.4.0"}}'

    found = find_locked(text, LOCKS["package-lock.json"])

    assert {name: [one.wanted for one in versions] for name, versions in found.items()} == {
        "ms": ["1.0.0"],
        "vue": ["3.4.0"],
    }


def test_of_one_package_no_more_versions_are_kept_than_a_lock_file_can_need() -> None:
    entries = ", ".join(f'"node_modules/ms": {{"version": "1.0.{number}"}}' for number in range(20_000))

    found = find_locked(f"{{{entries}}}", LOCKS["package-lock.json"])

    assert len(found["ms"]) == 20
