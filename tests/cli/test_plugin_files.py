"""Plugins in single files: named with `--plugin`, or in the own folder; single settings with `--set`."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest

from satchel.cli.settings.plugins import write_package

from .conftest import Satchel as Process


class Ended(NamedTuple):
    """What a command left."""

    code: int
    out: str
    err: str


Satchel = Callable[..., Ended]

OWNERS = '''
from typing import ClassVar

import attrs
from satchel.plugin_api import Scorer, hookimpl


@attrs.frozen
class Owners(Scorer):
    """Prefers what is in a folder."""

    name: ClassVar[str] = "owners"
    grain: ClassVar[str] = "item"
    kinds: ClassVar[frozenset[str]] = frozenset({"file"})
    weight: float = 1.0
    folder: str = "src"

    def score(self, items, task, workspace):
        return [1.0 if item.path.startswith(self.folder) else 0.0 for item in items]


@hookimpl
def satchel_scorers():
    return [Owners]
'''


@pytest.fixture
def satchel(satchel: Process, shop: Path) -> Satchel:
    """Run satchel in the shop."""

    def run(*words: str) -> Ended:
        done = satchel(*words, cwd=shop)
        return Ended(done.returncode, done.stdout.decode(), done.stderr.decode())

    return run


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "files" / "owners.py"
    path.parent.mkdir(mode=0o700)
    path.write_text(OWNERS)
    return path


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    home = tmp_path / "config"
    monkeypatch.setenv("XDG_CONFIG_HOME", str(home))
    (home / "satchel" / "plugins").mkdir(parents=True, mode=0o700)
    return home / "satchel" / "plugins"


def scorers_of(satchel: Satchel, *words: str) -> dict[str, str]:
    """Return the installed scorers with their distributions."""
    listed = json.loads(satchel("plugins", "--format", "json", *words).out)["plugins"]
    return {one["name"]: one["distribution"] for one in listed if one["kind"] == "scorer"}


def test_a_file_is_a_plugin_for_one_run(satchel: Satchel, file: Path) -> None:
    named = scorers_of(satchel, "--plugin", str(file))

    assert named["owners"] == "owners.py"
    assert "owners" not in scorers_of(satchel)


def test_a_package_is_called_by_its_own_name(satchel: Satchel, tmp_path: Path) -> None:
    for name in ("owners", "others"):
        package = tmp_path / "packages" / name / "__init__.py"
        package.parent.mkdir(parents=True, mode=0o700)
        package.write_text(OWNERS.replace('"owners"', f'"{name}"'))

    files = [str(tmp_path / "packages" / name / "__init__.py") for name in ("owners", "others")]
    told = satchel("why", "src/app.py", "log in", "--plugin", files[0], "--plugin", files[1])

    assert "first use of owners " in told.err
    assert "first use of others " in told.err
    assert "__init__" not in told.out + told.err


def test_plugins_imports_each_class_that_is_only_named(satchel: Satchel, file: Path) -> None:
    file.write_text(
        "from satchel.plugin_api import Later, hookimpl\n\n\n@hookimpl\ndef satchel_scorers():\n"
        '    return [Later("gone", "no_such_module:Gone", frozenset({"exchange"}))]\n'
    )

    assert "no_such_module" not in satchel("pack", "log in", "--plugin", str(file)).err
    assert "gone (from owners.py): load: ModuleNotFoundError" in satchel("plugins", "--plugin", str(file)).err


def test_what_it_says_counts_in_a_pack(satchel: Satchel, shop: Path, file: Path) -> None:
    words = ("why", "src/app.py", "the login is wrong", "--format", "json", "--plugin", str(file))

    told = json.loads(satchel(*words, "--set", "scorer.owners.folder=src").out)

    scores = {one["scorer"]: one["score"] for one in told["scores"]}
    assert scores["owners"] == 1.0


PRICES = """
from typing import ClassVar
import attrs
from satchel.plugin_api import hookimpl

@attrs.frozen
class Prices:
    name: ClassVar[str] = "prices"
    kinds: ClassVar[frozenset[str]] = frozenset({"exchange"})
    grain: ClassVar[str] = "part"
    weight: float = 0.5
    def score(self, parts, task, workspace):
        return [float("EUR" in workspace.text(part)) for part in parts]
@hookimpl
def satchel_scorers():
    return [Prices]
"""
"""A scorer of messages in fifteen lines, as its page says."""


def test_a_scorer_of_messages_decides_what_stays_of_a_long_conversation(
    satchel: Satchel, file: Path, shop: Path
) -> None:
    file.write_text(PRICES)
    told = {at: f"The vendor asks {at} EUR. " if at in (5, 17, 23) else "" for at in range(40)}
    talk = [
        {"role": role, "content": text}
        for at, price in told.items()
        for role, text in (
            ("user", f"What about point {at}?"),
            ("assistant", price + f"Of point {at} there was much to say in that meeting. " * 7),
        )
    ]
    (shop / "talk.json").write_text(json.dumps([*talk, {"role": "user", "content": "Go on."}]))
    words = ("compact", "--budget", "1200", "talk.json", "--plugin", str(file))

    def prices(*more: str) -> int:
        return satchel(*words, *more).out.count(" EUR. ")

    assert prices("--set", "scorer.prices.weight=0") == 0
    assert prices() == 3


def test_a_scorer_that_fails_is_shown_with_its_error(satchel: Satchel, shop: Path, file: Path) -> None:
    file.write_text(OWNERS.replace("item.path.startswith", "item.nothing"))

    shown = satchel("why", "src/app.py", "the login is wrong", "--plugin", str(file)).out
    told = json.loads(
        satchel("why", "src/app.py", "the login is wrong", "--plugin", str(file), "--format", "json").out
    )

    assert "owners failed: AttributeError" in shown
    assert [one["scorer"] for one in told["failures"]] == ["owners"]


SECTIONS = '''
from typing import ClassVar

import attrs
from satchel.plugin_api import Part, hookimpl


@attrs.frozen
class Backwards:
    """Splits chores the wrong way round."""

    name: ClassVar[str] = "backwards"
    version: ClassVar[str] = "1"

    def claims(self, item):
        return 0.9 if item.path.endswith(".todo") else 0.0

    def split(self, item):
        return [Part("section", "garden", (3, 1))]


@hookimpl
def satchel_representers():
    return [Backwards]
'''


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        (
            "def satchel_scorers",
            "def satchel_scorer",
            "no hook satchel_scorer, did you mean satchel_scorers? (owners.py:",
        ),
        ("@hookimpl", "@hookimpl(", "SyntaxError: '(' was never closed (owners.py:22)"),
        ("import attrs\n", "import nonesuch\n", "No module named 'nonesuch' (owners.py:4)"),
        ('grain: ClassVar[str] = "item"', "", "it has no grain"),
        ("    def score", "    def scores", "it has no score, which a scorer must have (owners.py:8)"),
        ("weight: float = 1.0", "weight: float", "its setting weight has no default (owners.py:8)"),
        ('folder: str = "src"', "folder: str", "ValueError: No mandatory attributes allowed"),
    ],
    ids=["hook", "syntax", "import", "class", "method", "default", "library"],
)
def test_a_named_file_that_cannot_be_loaded_ends_the_run(
    satchel: Satchel, file: Path, old: str, new: str, told: str
) -> None:
    assert old in OWNERS
    file.write_text(OWNERS.replace(old, new))

    done = satchel("pack", "the login is wrong", "--plugin", str(file))

    assert (done.code, done.out) == (1, "")
    assert told in done.err.splitlines()[-1]
    assert ".py:" not in done.err.replace("owners.py:", "")


@pytest.mark.weekly
@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("import attrs\n", "import attrs, time\ntime.sleep(60)\n", "while it is imported (owners.py:5)"),
        ("return [Owners]", "__import__('time').sleep(60)", "in satchel_scorers (owners.py:24)"),
        (
            "import attrs\n",
            "import attrs, ctypes\nctypes.PyDLL(None).sleep(60)\n",
            "while it is imported (owners.py:5), and it blocked everything else",
        ),
    ],
    ids=["import", "hook", "C code"],
)
def test_a_named_file_that_hangs_is_told_early_and_ends_the_run_with_its_line(
    satchel_process: Process, shop: Path, file: Path, old: str, new: str, told: str
) -> None:
    assert old in OWNERS
    file.write_text(OWNERS.replace(old, new))
    words = ("pack", "the login is wrong", "--plugin", str(file), "--set", "deadline_seconds=4")

    # In a process of its own: where threads of other tests run, nothing is forked and nothing told early.
    ran = satchel_process(*words, cwd=shop)
    done = Ended(ran.returncode, ran.stdout.decode(), ran.stderr.decode())

    *before, last = done.err.splitlines()  # a file that is new is told beside it
    place = told.partition(",")[0]
    assert (done.code, done.out) == (1, "")
    assert f"satchel: owners.py: load: no answer yet {place}; waiting 4 s for it" in before
    assert last.startswith("satchel: owners (from owners.py): load: ")
    assert f" s {told}" in last


def test_a_named_file_that_ends_the_process_when_it_is_loaded_ends_the_run(
    satchel_process: Process, shop: Path, file: Path
) -> None:
    file.write_text(f"import os\nos._exit(3)\n{OWNERS}")

    done = satchel_process("pack", "the login is wrong", "--plugin", str(file), cwd=shop)

    assert (done.returncode, done.stdout) == (1, b"")
    told = b"satchel: owners (from owners.py): load: ended the process: exit 3 in load\n"
    assert done.stderr.endswith(told)


def test_a_call_that_hangs_is_told_early_and_once(satchel_process: Process, shop: Path, file: Path) -> None:
    file.write_text(
        OWNERS.replace("        return [1.0", "        __import__('time').sleep(60)\n        return [1.0")
    )
    place = f"in score (owners.py:{OWNERS[: OWNERS.index('        return [1.0')].count(chr(10)) + 1})"
    words = ("pack", "the login is wrong", "--plugin", str(file), "--set", "deadline_seconds=4")

    ran = satchel_process(*words, cwd=shop)

    told = ran.stderr.decode()
    assert ran.returncode == 0
    assert f"satchel: owners.py: score: no answer yet {place}; waiting 4 s for it" in told
    assert told.count(f"no answer after 4 s {place}") == 1


@pytest.mark.weekly
def test_a_call_that_hangs_is_told_with_its_line(satchel: Satchel, file: Path) -> None:
    file.write_text(
        OWNERS.replace("        return [1.0", "        __import__('time').sleep(60)\n        return [1.0")
    )
    line = OWNERS[: OWNERS.index("        return [1.0")].count("\n") + 1

    done = satchel("pack", "the login is wrong", "--plugin", str(file), "--set", "deadline_seconds=0.5")

    assert done.code == 0
    assert f"score: no answer after 0.5 s in score (owners.py:{line}); off for the rest" in done.err


def test_a_file_of_the_own_folder_that_cannot_be_loaded_does_not(satchel: Satchel, folder: Path) -> None:
    (folder / "mine.py").write_text("import nonesuch\n")
    (folder / "mine.py").chmod(0o600)

    done = satchel("pack", "the login is wrong")

    assert done.code == 0
    assert "problem: mine (from mine.py): load: ModuleNotFoundError" in done.err


@pytest.mark.weekly
@pytest.mark.costly
@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        (
            "self, items, task, workspace",
            "self, items, task",
            "its score(self, items, task) can't be called with (parts, task, workspace), as satchel does",
        ),
        (
            "self, items, task, workspace",
            "self, items, *, task, workspace",
            "its score(self, items, *, task, workspace) can't be called with (parts, task, workspace)",
        ),
        ("    def score", "    async def score", "its score is async, expected a plain function"),
    ],
    ids=["few", "by name", "async"],
)
def test_a_method_with_other_parameters_is_told_at_load_with_its_own_place(
    satchel: Satchel, file: Path, old: str, new: str, told: str
) -> None:
    assert old in OWNERS
    file.write_text(OWNERS.replace(old, new))
    line = OWNERS[: OWNERS.index("    def score")].count("\n") + 1

    done = satchel("pack", "the login is wrong", "--plugin", str(file))

    assert (done.code, done.out) == (1, "")
    assert f"load: satchel_scorers returns class Owners: {told}" in done.err
    assert done.err.endswith(f"(owners.py:{line})\n")


@pytest.mark.costly
@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        (
            "satchel_scorers()",
            "satchel_scorers(kind)",
            "satchel_scorers(kind) takes arguments, expected satchel_scorers(): a hook is called with none",
        ),
        ("return [Owners]", "pass", "satchel_scorers returns None, expected a list of classes"),
        ("return [Owners]", "return Owners", "satchel_scorers returns class Owners, expected a list of"),
    ],
    ids=["arguments", "nothing", "class"],
)
def test_a_hook_that_is_written_wrong_is_told_with_its_place(
    satchel: Satchel, file: Path, old: str, new: str, told: str
) -> None:
    assert old in OWNERS
    file.write_text(OWNERS.replace(old, new))
    line = OWNERS[: OWNERS.index("@hookimpl")].count("\n") + 1

    done = satchel("pack", "the login is wrong", "--plugin", str(file))

    assert (done.code, done.out) == (1, "")
    assert f"load: {told}" in done.err
    assert done.err.endswith(f"(owners.py:{line})\n")


@pytest.mark.weekly
@pytest.mark.parametrize(
    ("assigned", "told"),
    [
        ("scorer.owners.weight=-1", "it is -1, not between 0 and 1000000"),
        ("scorer.lexical.weight=-1", "it is -1, not between 0 and 1000000"),
        ("provider.files.max_items=-1", "it is -1, not 0 or more"),
        ("scorer.owners.weight=nan", "nan is not a finite number"),
        ("scorer.owners.folder=3", "3 is an int, expected str"),
    ],
)
def test_a_setting_out_of_bounds_is_named_as_it_was_given(
    satchel: Satchel, file: Path, assigned: str, told: str
) -> None:
    done = satchel("pack", "login", "--plugin", str(file), "--set", assigned)

    key, _, _ = assigned.partition("=")
    assert (done.code, done.out) == (2, "")
    assert f"satchel: --set {key}: {told}\n" in done.err


@pytest.mark.parametrize("words", [("session", "list"), ("archive", "show"), ("session", "show")])
def test_commands_on_what_is_kept_take_a_plugin_file(satchel: Satchel, words: tuple[str, ...]) -> None:
    done = satchel(*words, "--plugin", "none.py")

    assert (done.code, done.err) == (2, "satchel: --plugin none.py: no such file\n")


def test_a_store_of_a_plugin_file_keeps_a_session(satchel: Satchel, tmp_path: Path) -> None:
    file = write_package("session-store", "drawer", tmp_path)[2]
    place = (
        "--session",
        "a",
        "--store",
        f"drawer://{tmp_path}/kept",
        "--plugin",
        str(renamed(file, "drawer.py")),
    )

    satchel("session", "add", *place, "--role", "user", "--text", "hello")

    assert satchel("session", "show", *place).out == "user: hello\n"


def renamed(file: Path, name: str) -> Path:
    return file.rename(file.with_name(name))


def test_a_wrong_setting_is_named_as_it_was_given(satchel: Satchel, file: Path) -> None:
    wrong = satchel("pack", "login", "--plugin", str(file), "--set", "scorer.owners.foldr=src")
    strange = satchel("pack", "login", "--plugin", str(file), "--set", "scorer.owner.folder=src")

    assert wrong.code == 2
    assert "satchel: --set scorer.owners.foldr: unknown key, did you mean folder?\n" in wrong.err
    assert strange.code == 2
    assert "satchel: --set scorer.owner is not installed, did you mean owners?\n" in strange.err


def test_a_wrong_setting_of_a_plugin_that_this_command_has_no_use_for_is_named(
    satchel: Satchel, shop: Path
) -> None:
    (shop / "satchel.toml").write_text("[packer.compression]\nnewset = 0.5\n[compressor.mask]\nshare = 9\n")

    told = satchel("pack", "login")

    assert told.code == 2
    assert "satchel: satchel.toml: packer.compression.newset: unknown key, did you mean newest?\n" in told.err
    assert "satchel: satchel.toml: compressor.mask.share: unknown key; known are" in told.err


@pytest.mark.parametrize(
    ("file", "text", "told"),
    [
        ("satchel.toml", "[scorer.lexical]\nweigt = 1\n", "scorer.lexical.weigt: unknown key, did you mean"),
        (
            "satchel.toml",
            '[scorer."satchel:lexical"]\nweigt = 1\n',
            'scorer."satchel:lexical".weigt: unknown',
        ),
        ("satchel.toml", "[scorer.lexical]\nweight = 'x'\n", "scorer.lexical.weight: 'x' is"),
        (
            "pyproject.toml",
            "[tool.satchel.scorer.lexical]\nweigt = 1\n",
            "tool.satchel.scorer.lexical.weigt: ",
        ),
    ],
    ids=["unknown", "full name", "type", "pyproject"],
)
def test_a_wrong_setting_of_a_plugin_is_named_as_its_file_spells_it(
    satchel: Satchel, shop: Path, file: str, text: str, told: str
) -> None:
    (shop / file).write_text(text)

    done = satchel("pack", "login")

    assert (done.code, done.out) == (2, "")
    assert done.err.startswith(f"satchel: {file}: {told}")


def test_a_setting_is_named_by_the_file_it_stands_in_where_several_have_the_table(
    satchel: Satchel, shop: Path
) -> None:
    (shop / "satchel.toml").write_text("[scorer.lexical]\nweight = 1\n")
    (shop / "pyproject.toml").write_text("[tool.satchel.scorer.lexical]\nweigt = 1\n")

    assert satchel("pack", "login").err.startswith(
        "satchel: pyproject.toml: tool.satchel.scorer.lexical.weigt"
    )


def test_a_table_of_a_plugin_that_is_not_installed_is_named_as_its_file_spells_it(
    satchel: Satchel, shop: Path
) -> None:
    (shop / "pyproject.toml").write_text("[tool.satchel.scorer.lexicl]\nweight = 1\n")

    told = satchel("pack", "login").err

    assert (
        "satchel: warning: pyproject.toml: tool.satchel.scorer.lexicl is not installed, did you mean" in told
    )


@pytest.mark.weekly
def test_expand_and_why_tell_what_a_representer_did_wrong(satchel: Satchel, shop: Path, file: Path) -> None:
    file.write_text(SECTIONS)
    (shop / "chores.todo").write_text("garden:\n  water\n  dig\n")
    named = ("--plugin", str(file))

    expanded = satchel("expand", "chores.todo", "--level", "symbols", *named)
    explained = satchel("why", "chores.todo", "dig the garden", *named)
    strict = satchel("expand", "chores.todo", "--level", "symbols", *named, "--set", "strict=true")

    fault = "backwards (from owners.py): split: part 0: lines (3, 1) ends before it begins\n"
    assert f"satchel: problem: {fault}" in expanded.err
    assert f"satchel: problem: {fault}" in explained.err
    assert (expanded.code, explained.code, strict.code) == (0, 0, 3)


@pytest.mark.parametrize(
    ("level", "told"),
    [
        ("symbols", "has no part with a name"),
        ("headers", "has no part with a name"),
        ("excerpt", "has no part that fits"),
    ],
)
def test_expand_says_why_a_level_shows_nothing(satchel: Satchel, shop: Path, level: str, told: str) -> None:
    (shop / "words.txt").write_text("some words\n")

    done = satchel("expand", "words.txt", "--level", level)

    assert (done.code, done.out) == (0, "")
    assert done.err.startswith(f"satchel: note: words.txt {told}")


@pytest.mark.weekly
def test_why_takes_the_pointer_that_it_prints(satchel: Satchel, shop: Path) -> None:
    first = json.loads(satchel("why", "src/app.py", "the login", "--format", "json").out)

    again = json.loads(satchel("why", first["pointer"], "the login", "--format", "json").out)

    assert again == first


def test_files_of_the_own_folder_are_loaded(satchel: Satchel, file: Path, folder: Path) -> None:
    (folder / "mine.py").write_text(OWNERS)
    (folder / "mine.py").chmod(0o600)

    assert scorers_of(satchel)["owners"] == "mine.py"


def test_a_file_that_others_may_write_is_not_loaded(satchel: Satchel, folder: Path) -> None:
    (folder / "mine.py").write_text(OWNERS)
    (folder / "mine.py").chmod(0o666)

    told = satchel("plugins")

    assert "owners" not in told.out
    assert "mine.py is not loaded" in told.err


def test_a_workspace_brings_no_plugin_file(satchel: Satchel, shop: Path) -> None:
    for place in (shop / "plugins", shop / "satchel" / "plugins", shop / ".satchel" / "plugins"):
        place.mkdir(parents=True)
        (place / "owners.py").write_text(OWNERS)

    assert "owners" not in scorers_of(satchel)


@pytest.mark.weekly
def test_a_change_of_the_file_changes_the_answer(satchel: Satchel, shop: Path, file: Path) -> None:
    words = ("why", "src/app.py", "the login", "--format", "json", "--plugin", str(file))
    before = satchel(*words, "--set", "scorer.owners.folder=src").out
    file.write_text(OWNERS.replace("1.0 if", "0.5 if"))

    after = satchel(*words, "--set", "scorer.owners.folder=src").out

    assert before != after


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("--plugin", "none.py"), "no such file"),
        (("--plugin", "."), "no such file"),
        (("--set", "budget"), "expected KEY=VALUE"),
        (("--set", "budget=0"), "expected at least 1 token"),
        (("--set", "budgt=1"), "did you mean budget"),
        (("--set", "scorr.recency.weight=1"), "did you mean scorer"),
        (("--set", "scorer.recency=1"), "unknown key; keys are like"),
        (("--set", "packer.use=none"), "no packer is called 'none'"),
        (("--set", "scorer.use=none"), "unknown key"),
        (("--set", "scorer.recency.wait=1"), "scorer.recency.wait: unknown key"),
    ],
)
def test_what_is_wrong_is_one_line(words: tuple[str, ...], told: str, satchel: Satchel, shop: Path) -> None:
    ended = satchel("pack", "the login", *words)

    assert ended.code == 2
    assert told in ended.err
    assert ended.err.count("\n") == 1


@pytest.mark.parametrize(
    ("assignment", "line"),
    [
        ("scorer.recency.weight=.9", "weight = 0.9  # --set"),
        ("budget=8k", "budget = 8000  # --set"),
        ("strategy=recent", 'strategy = "recent"  # --set'),
        ("disable=churn,history", 'disable = ["churn", "history"]  # --set'),
    ],
)
def test_a_setting_is_set_for_one_run(assignment: str, line: str, satchel: Satchel, shop: Path) -> None:
    assert line in satchel("config", "show", "--origin", "--set", assignment).out
    assert line not in satchel("config", "show", "--origin").out


@pytest.mark.parametrize(
    ("table", "key"), [("packer", "strategy"), ("compressor", "compressor"), ("tokenizer", "tokenizer")]
)
def test_a_kind_says_which_of_its_plugins_is_used(table: str, key: str, satchel: Satchel, shop: Path) -> None:
    (shop / "satchel.toml").write_text(f'[{table}]\nuse = "other"\n\n[{table}.other]\nsize = 1\n')

    shown = satchel("config", "show").out

    assert f'{key} = "other"' in shown or f'{key}.use = "other"' in shown


@pytest.mark.weekly
def test_a_plugin_may_import_a_package_that_filters_warnings(
    satchel: Satchel, shop: Path, file: Path
) -> None:
    imported = OWNERS.replace("\n\n\n", "\n\n\nimport warnings\nwarnings.simplefilter('ignore')\n\n\n", 1)
    file.write_text(imported.replace("return [", "warnings.simplefilter('always'); return [", 1))

    answer = json.loads(
        satchel("why", "src/app.py", "the login", "--format", "json", "--plugin", str(file)).out
    )

    assert answer["failures"] == []
    assert "owners" in {one["scorer"] for one in answer["scores"]}


ISSUES = '''
from typing import ClassVar

import attrs
from satchel.plugin_api import ContextItem, hookimpl


@attrs.frozen
class Issues:
    """Offers an issue."""

    name: ClassVar[str] = "issues"
    wave: ClassVar[int] = 1
    max_items: int = 5
    max_tokens: int = 500

    def gather(self, task, workspace, best):
        yield ContextItem("issue:7", self.name, "issue", "issue 7", text="The login of a locked account.")


@hookimpl
def satchel_providers():
    return [Issues]
'''


@pytest.mark.weekly
@pytest.mark.costly
@pytest.mark.parametrize("ref", ["issue:7", "issue 7"])
def test_why_finds_what_a_provider_brings_by_id_and_title(satchel: Satchel, file: Path, ref: str) -> None:
    file.write_text(ISSUES)

    done = satchel("why", ref, "fix the login of a locked account", "--plugin", str(file))

    assert done.code == 0, done.err
    assert "kept as full" in done.out.splitlines()[0]


def test_what_failed_before_is_told_beside_the_error_that_ends_the_run(
    satchel: Satchel, file: Path, tmp_path: Path
) -> None:
    format_file = renamed(write_package("message-format", "talk", tmp_path)[2], "talk.py")
    format_file.write_text(format_file.read_text().replace("FormatRules(json_arguments=True)", "5"))
    said = tmp_path / "talk.json"
    said.write_text('{"turns": [{"speaker": "human", "says": "hi"}]}')

    done = satchel("show", str(said), "--plugin", str(format_file))

    first, last = done.err.splitlines()[-2:]
    assert done.code == 1
    assert first == "satchel: problem: talk (from talk.py): load: make: rules is an int, not FormatRules"
    assert "expected a list of messages" in last


@pytest.mark.weekly
def test_debug_shows_each_traceback_of_a_plugin_once(satchel: Satchel, file: Path) -> None:
    file.write_text(
        OWNERS.replace("        return [1.0", "        raise KeyError('oops')\n        return [1.0")
    )

    done = satchel("why", "app.py", "login", "--plugin", str(file), "--debug")
    after = satchel("why", "app.py", "login", "--plugin", str(file))

    assert done.err.count("Traceback") == 1
    assert "Traceback" not in after.err


def test_doctor_names_the_folder_of_own_plugins(satchel: Satchel, folder: Path) -> None:
    assert f"files of your own are loaded from {folder}\n" in satchel("doctor").out
