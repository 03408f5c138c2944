from __future__ import annotations

import time
from pathlib import Path

import pytest
from tests.amounts import sized

from .manifested import Find, find, gathered, open_copy

__all__ = ["find"]

EVERY = {
    "python": ("ledger/fetch.py", "requests 2.31.0 (declared [socks]>=2.28 in pyproject.toml:10, "),
    "poetry": ("bakery.py", "httpx 0.27.2 (declared ^0.27 in pyproject.toml:6, locked in poetry.lock:4"),
    "requirements": ("app.py", "sqlalchemy 2.0.29 (declared >=2.0 in Pipfile:3, locked in Pipfile.lock:10"),
    "javascript": (
        "packages/web/src/cart.tsx",
        "lodash 4.17.21 (declared ^4.17.0 in packages/web/package.json:5, ",
    ),
    "yarn": ("index.js", "axios 1.6.8 (declared ^1.6.0 in package.json:1, locked in yarn.lock:8"),
    "berry": ("index.js", "axios 1.7.2 (declared ^1.6.0 in package.json:1, locked in yarn.lock:4"),
    "pnpm": ("main.ts", "vue 3.4.21 (declared ^3.4.0 in package.json:1, locked in pnpm-lock.yaml:16"),
    "go": ("main.go", "github.com/spf13/cobra v1.8.0 (declared v1.8.0 in go.mod:6, locked in go.sum:3"),
    "rust": (
        "crates/clock/src/lib.rs",
        "serde 1.0.197 (declared in crates/clock/Cargo.toml:6, declared 1.0.150 in Cargo.toml:5, ",
    ),
    "maven": (
        "src/main/java/shop/Basket.java",
        "com.google.guava:guava (declared 33.0.0-jre in pom.xml:27",
    ),
    "gradle": (
        "src/main/kotlin/Server.kt",
        "com.squareup.moshi:moshi (declared 1.15.0 in build.gradle.kts:6",
    ),
    "ruby": ("app/parser.rb", "nokogiri 1.16.2 (declared in Gemfile:6, locked in Gemfile.lock:4"),
    "php": (
        "src/Client.php",
        "guzzlehttp/guzzle 7.8.1 (declared ^7.8 in composer.json:4, locked in composer.lock:4",
    ),
    "dotnet": ("src/App/Orders.cs", "Serilog (declared in src/App/App.csproj:6, declared 3.1.1 in D"),
}


@pytest.mark.parametrize("name", EVERY)
def test_what_a_chosen_file_imports_comes_with_its_versions_and_their_places(name: str, find: Find) -> None:
    path, line = EVERY[name]

    assert line in find(name, path)


@pytest.mark.parametrize("name", EVERY)
def test_without_chosen_files_a_task_about_something_else_gets_nothing(name: str, find: Find) -> None:
    assert find(name) == ""


def test_each_ecosystem_is_one_item_whose_lines_are_packages(tmp_path: Path) -> None:
    [item] = gathered(open_copy("python", tmp_path), "ledger/fetch.py")

    assert (item.kind, item.title, item.path) == ("dependency", "python dependencies", "")
    assert [line.split()[0] for line in (item.text or "").splitlines()] == [
        "requests",
        "PyYAML",
        "beautifulsoup4",
        "urllib3",
    ]


@pytest.mark.parametrize(
    ("path", "module", "package"),
    [
        ("ledger/fetch.py", "yaml", "PyYAML"),
        ("ledger/fetch.py", "bs4", "beautifulsoup4"),
        ("ledger/thumbs.py", "PIL", "Pillow"),
    ],
)
def test_an_import_under_another_name_is_told(path: str, module: str, package: str, find: Find) -> None:
    [line] = [line for line in find("python", path).splitlines() if line.startswith(package)]

    assert line.endswith(f"imported in {path} as {module})")


def test_a_package_that_is_locked_and_declared_nowhere_is_called_transitive(find: Find) -> None:
    assert "urllib3 2.0.7 (transitive, declared nowhere, locked in uv.lock:28, " in find(
        "python", "ledger/fetch.py"
    )


def test_the_standard_library_and_the_projects_own_modules_are_no_packages(find: Find) -> None:
    names = {line.split()[0] for line in find("python", "ledger/fetch.py", "ledger/shared.py").splitlines()}

    assert not names & {"json", "os", "ledger", "shared"}


def test_two_unrelated_files_share_nothing(find: Find, tmp_path: Path) -> None:
    workspace = open_copy("python", tmp_path / "again")
    fetch = {
        line for item in gathered(workspace, "ledger/fetch.py") for line in (item.text or "").splitlines()
    }
    thumbs = {
        line for item in gathered(workspace, "ledger/thumbs.py") for line in (item.text or "").splitlines()
    }

    assert fetch
    assert thumbs
    assert not fetch & thumbs


@pytest.mark.parametrize(
    ("name", "task", "package"),
    [
        ("python", "upgrade ruff to 0.9", "ruff (declared ==0.8.1 in pyproject.toml:21)"),
        ("python", "bump urllib3, it has a vulnerability", "urllib3 2.0.7 (transitive"),
        ("python", "`pillow` opens no webp", "Pillow 10.4.0"),
        (
            "go",
            "is xxhash fast?",
            "github.com/cespare/xxhash/v2 v2.2.0 (declared v2.2.0 // indirect in go.mod:7",
        ),
        ("go", "golang.org/x/text breaks", "golang.org/x/text (declared v0.14.0 in go.mod:8)"),
        ("maven", "why is spring-boot-starter-web slow", "org.springframework.boot:spring-boot-starter-web"),
        (
            "javascript",
            "lodash@3 to lodash@4",
            "lodash 3.10.1 (declared ^3.0.0 in packages/api/package.json:1, declared ^4.17.0",
        ),
        ("rust", "libc::poll on unix", "libc (declared 0.2 in crates/clock/Cargo.toml:11"),
        ("php", "guzzle timeouts", "guzzlehttp/guzzle 7.8.1"),
        ("dotnet", "Newtonsoft.Json cannot read dates", "Newtonsoft.Json 13.0.3"),
        ("ruby", "nokogiri leaks", "nokogiri 1.16.2"),
    ],
)
def test_a_package_that_the_task_names_comes_first_and_counts_whole(
    name: str, task: str, package: str, tmp_path: Path
) -> None:
    [item] = gathered(open_copy(name, tmp_path), task=task)

    assert (item.text or "").startswith(package)
    assert item.relevance == 1.0


def test_of_a_task_about_something_else_only_the_packages_that_it_names_are_listed(tmp_path: Path) -> None:
    workspace = open_copy("python", tmp_path)

    [named] = gathered(workspace, "ledger/fetch.py", task="beautifulsoup4 drops the last row")
    [asked] = gathered(workspace, "ledger/fetch.py", task="which version of requests is installed")

    assert [line.split()[0] for line in (named.text or "").splitlines()] == ["beautifulsoup4"]
    assert len((asked.text or "").splitlines()) > 1


def test_a_question_about_something_else_gets_no_list_of_imports(tmp_path: Path) -> None:
    workspace = open_copy("python", tmp_path)

    asked, named, about = (
        gathered(workspace, "ledger/fetch.py", task=f"what does the {words}?")
        for words in ("total do", "parser of beautifulsoup4 do", "dependency on requests do")
    )

    assert asked == []
    assert [line.split()[0] for line in (named[0].text or "").splitlines()] == ["beautifulsoup4"]
    assert len((about[0].text or "").splitlines()) > 1


def test_imports_alone_count_less_than_names(tmp_path: Path) -> None:
    [item] = gathered(open_copy("python", tmp_path), "ledger/fetch.py")

    assert item.relevance < 0.5


def test_a_module_of_the_project_is_no_package(tmp_path: Path) -> None:
    workspace = open_copy("python", tmp_path)

    [own] = gathered(workspace, "ledger/fetch.py", task="write tests for the fetch module")
    [outer] = gathered(workspace, "ledger/fetch.py", task="which python modules does it need")

    assert own.relevance < 0.5 < outer.relevance


def test_a_word_of_everyday_tasks_names_no_package(find: Find) -> None:
    assert find("go", task="the text of the menu is cut") == ""


@pytest.mark.parametrize(
    "task",
    [
        "lodash: mend the parser of the packages",
        "fix(lodash): mend the parser",
        "the packages which come next",
    ],
)
def test_the_scope_of_a_title_and_words_of_the_language_name_no_package(task: str, tmp_path: Path) -> None:
    workspace = open_copy("javascript", tmp_path)

    assert all(item.relevance < 1 for item in gathered(workspace, task=task))


def test_in_a_monorepo_the_nearest_manifest_counts(find: Find) -> None:
    text = find("javascript", "packages/api/server.js")

    assert "lodash 3.10.1 (declared ^3.0.0 in packages/api/package.json:1, " in text
    assert "packages/web" not in text


def test_a_manifest_of_a_test_counts_for_nothing_beside(find: Find) -> None:
    assert "0.0.1" not in find("python", "ledger/fetch.py", task="upgrade requests")


def test_what_a_package_is_replaced_by_is_told(find: Find) -> None:
    assert "github.com/lib/pq (declared v1.10.9 in go.mod:11, declared => ../pq in go.mod:13" in find(
        "go", "main.go"
    )


def test_all_manifests_of_the_nearest_folder_count(find: Find) -> None:
    [line] = [
        line for line in find("requirements", "app.py").splitlines() if line.lower().startswith("django")
    ]

    assert "declared >=4.2,<5 in requirements.txt:5" in line
    assert "declared ==4.2.7 in constraints.txt:1" in line


def test_a_requirements_file_in_a_folder_of_its_own_counts_and_one_outside_does_not(find: Find) -> None:
    text = find("requirements", task="upgrade gunicorn; root")

    assert "gunicorn (declared [gevent]==21.2.0 in requirements/web.txt:1)" in text
    assert "passwd" not in text


def test_a_password_in_a_url_is_not_told(find: Find) -> None:
    text = find("python", task="upgrade the package private")

    assert "@ git+https://git.example.invalid" in text
    assert "hunter2" not in text


@pytest.mark.parametrize("name", EVERY)
def test_damaged_manifests_cost_nobody_anything(name: str, tmp_path: Path) -> None:
    workspace = open_copy(name, tmp_path)
    for path in [
        path for path in workspace.root.rglob("*") if path.is_file() and path.suffix not in (".py", ".go")
    ]:
        half = path.read_bytes()[: path.stat().st_size // 2]
        path.write_bytes(half + b"\x80\xff[[[{{{\"'")

    for item in gathered(workspace, EVERY[name][0], task="upgrade requests lodash serde rails"):
        assert item.text


def test_an_empty_workspace_has_nothing(tmp_path: Path) -> None:
    assert gathered(open_copy("", tmp_path), task="upgrade requests") == []


def test_a_lock_file_that_is_too_large_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("satchel_plugins.providers.packages.uses.LARGEST_LOCK", 100)
    [item] = gathered(open_copy("python", tmp_path), "ledger/fetch.py")

    assert "uv.lock was not read: 0.0 MiB" in (item.text or "")


@pytest.mark.weekly
def test_a_large_lock_file_is_read_in_no_time_and_never_dumped(tmp_path: Path) -> None:
    package = (
        '[[package]]\nname = "filler-{0}"\nversion = "1.0.{0}"\nwheels = [\n    {{ url = "{1}" }},\n]\n\n'
    )
    lock = "".join(package.format(number, "https://example.invalid/" * 8) for number in range(sized(30_000)))
    last = '[[package]]\nname = "requests"\nversion = "9.9.9"\n'
    workspace = open_copy("python", tmp_path, {"uv.lock": "version = 1\n\n" + lock + last})

    started = time.process_time()
    [item] = gathered(workspace, "ledger/thumbs.py", task="upgrade requests")

    assert "requests 9.9.9 " in (item.text or "")
    assert len(item.text or "") < 1_000
    assert time.process_time() - started < 3


def test_an_item_is_cut_to_the_cap_and_says_so(tmp_path: Path) -> None:
    names = [f"package{number:03}" for number in range(60)]
    extra = {
        "requirements.txt": "".join(f"{name}==1.0\n" for name in names),
        "a.py": f"import {', '.join(names)}\n",
    }
    [item] = gathered(open_copy("", tmp_path, extra), "a.py", max_tokens=100, packages=50)

    assert len((item.text or "").encode()) <= 300
    assert (item.text or "").endswith(" more lines\n")


def test_more_packages_than_an_item_takes_are_counted(tmp_path: Path) -> None:
    extra = {"requirements.txt": "one==1.0\ntwo==2.0\nthree==3.0\n", "a.py": "import one, two, three\n"}
    [item] = gathered(open_copy("", tmp_path, extra), "a.py", packages=2)

    assert (item.text or "").endswith("1 more package is used by the chosen files\n")


@pytest.mark.costly
@pytest.mark.parametrize("suffix", ["py", "js", "go", "rs", "java", "rb", "php", "cs"])
def test_hostile_sources_take_linear_time(suffix: str, tmp_path: Path) -> None:
    junk = "import " * 9_000 + "(" * 9_000 + "use " * 9_000 + '"' * 9_000 + "a." * 20_000 + " \\\n" * 9_000
    manifests = (
        "pyproject.toml",
        "package.json",
        "go.mod",
        "Cargo.toml",
        "pom.xml",
        "Gemfile",
        "composer.json",
        "a.csproj",
    )
    extra = dict.fromkeys((f"a.{suffix}", *manifests, "setup.py", "build.gradle", "setup.cfg"), junk)
    workspace = open_copy("", tmp_path, extra)

    started = time.process_time()
    gathered(workspace, f"a.{suffix}", task="upgrade " + junk)

    assert time.process_time() - started < 2
