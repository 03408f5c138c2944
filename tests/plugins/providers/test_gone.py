"""What a review says of files and definitions that are gone: the lines that still name them."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest
from tests.core.repositories import commit, git, make_repository, write_files

from satchel import pack
from satchel_plugins.providers import GitProvider

from .shop import by_id, gathered

REVIEW = "review my changes"


def show_gone(root: Path, task: str = REVIEW, *, since: str = "") -> list[str]:
    """Return the lines of the item about what is gone."""
    found = by_id(gathered(GitProvider(since=since), root, task)).get("review:gone")
    return (found.text or "").splitlines() if found is not None else []


PYTHON = {
    "shop/__init__.py": "",
    "shop/tax.py": "def add_tax(price):\n    return price\n\n\ndef drop_tax(price):\n    return price\n",
    "shop/cart.py": "from .tax import add_tax\n\n\ndef total(prices):\n    return add_tax(sum(prices))\n",
    "shop/sub/inner.py": "from ..tax import add_tax\nfrom .tax_free import nothing\n",
    "shop/other.py": "tax = 3\n",
    "pyproject.toml": '[project.scripts]\ntax = "shop.tax:add_tax"\n',
    "README.md": "The tax of a shop. See shop/tax.py.\n",
}


def test_modules_that_import_a_deleted_file_are_listed(tmp_path: Path) -> None:
    root = make_repository(tmp_path / "r", PYTHON)
    (root / "shop/tax.py").unlink()

    lines = show_gone(root)

    assert lines[0] == "shop/tax.py is deleted, but still named:"
    assert "shop/cart.py:1: from .tax import add_tax" in lines
    assert "shop/sub/inner.py:1: from ..tax import add_tax" in lines
    assert 'pyproject.toml:2: tax = "shop.tax:add_tax"' in lines
    assert "README.md:1: The tax of a shop. See shop/tax.py." in lines
    assert "shop/cart.py:5: return add_tax(sum(prices))" in lines
    assert not [line for line in lines if "tax_free" in line or "tax = 3" in line]


@pytest.mark.weekly
@pytest.mark.parametrize("committed", [False, True])
def test_a_renamed_file_is_listed_where_it_has_its_old_name(tmp_path: Path, committed: bool) -> None:
    root = make_repository(tmp_path / "r", PYTHON)
    git(root, "mv", "shop/tax.py", "shop/duty.py")
    write_files(root, {"shop/cart.py": PYTHON["shop/cart.py"].replace(".tax", ".duty")}, age_seconds=500)
    if committed:
        commit(root, "rename it", day=3)

    lines = show_gone(root, since="HEAD~1" if committed else "")

    assert lines[0] == "shop/tax.py is moved to shop/duty.py, but still named:"
    assert "shop/sub/inner.py:1: from ..tax import add_tax" in lines
    assert not [line for line in lines if "shop/cart.py" in line]


def test_a_deleted_file_is_counted_and_shown(tmp_path: Path) -> None:
    root = make_repository(tmp_path / "r", PYTHON)
    (root / "shop/tax.py").unlink()

    text = pack(REVIEW, root=root, budget=4_000).text

    assert "shop/tax.py +0 -6, deleted\n" in text
    assert "-def drop_tax(price):\n" in text


@pytest.mark.parametrize(
    ("files", "gone", "expected"),
    [
        (
            {"src/env.ts": "export const a = 1\n", "src/x.ts": "import { a } from './env'\n"},
            "src/env.ts",
            "src/x.ts:1: import { a } from './env'",
        ),
        (
            {"src/env/index.js": "exports.a = 1\n", "src/deep/x.js": "const { a } = require('../env')\n"},
            "src/env/index.js",
            "src/deep/x.js:1: const { a } = require('../env')",
        ),
        (
            {"src/ring.h": "int push(void);\n", "src/main.c": '#include "ring.h"\n'},
            "src/ring.h",
            'src/main.c:1: #include "ring.h"',
        ),
        (
            {"src/parser.rs": "pub fn go() {}\n", "src/lib.rs": "mod parser;\nlet parser = 1;\n"},
            "src/parser.rs",
            "src/lib.rs:1: mod parser;",
        ),
        (
            {"docs/guide.md": "# Guide\n", "docs/index.md": "[guide](guide.md)\n"},
            "docs/guide.md",
            "docs/index.md:1: [guide](guide.md)",
        ),
    ],
)
def test_imports_of_other_languages_are_read(
    tmp_path: Path, files: Mapping[str, str], gone: str, expected: str
) -> None:
    root = make_repository(tmp_path / "r", files)
    (root / gone).unlink()

    lines = show_gone(root)

    assert lines == [f"{gone} is deleted, but still named:", expected]


def test_a_relative_import_of_another_file_of_that_name_is_not_listed(tmp_path: Path) -> None:
    files = {
        "a/env.ts": "export const a = 1\n",
        "b/env.ts": "export const a = 2\n",
        "b/x.ts": "import { a } from './env'\n",
        "c/x.ts": "import { a } from '../a/env'\n",
    }
    root = make_repository(tmp_path / "r", files)
    (root / "a/env.ts").unlink()

    assert show_gone(root)[1:] == ["c/x.ts:1: import { a } from '../a/env'"]


def test_a_module_that_became_a_package_is_not_gone(tmp_path: Path) -> None:
    root = make_repository(tmp_path / "r", PYTHON)
    (root / "shop/tax").mkdir()
    git(root, "mv", "shop/tax.py", "shop/tax/__init__.py")

    assert not [line for line in show_gone(root) if "import" in line]


def test_users_of_a_removed_function_are_listed_unless_another_has_its_name(tmp_path: Path) -> None:
    root = make_repository(
        tmp_path / "r", {**PYTHON, "shop/use.py": "from shop.tax import drop_tax\n\nx = drop_tax(3)\n"}
    )
    write_files(root, {"shop/tax.py": "def add_tax(price):\n    return price\n"}, age_seconds=500)

    assert show_gone(root) == [
        "drop_tax of shop/tax.py is gone, but still named:",
        "shop/use.py:1: from shop.tax import drop_tax",
        "shop/use.py:3: x = drop_tax(3)",
    ]

    write_files(root, {"shop/duty.py": "def drop_tax(price):\n    return 0\n"})

    assert show_gone(root) == []


def test_a_variable_of_the_same_name_in_another_file_is_no_use_of_what_is_gone(tmp_path: Path) -> None:
    form = "export function Form() {{\n  const {name} = () => {{}};\n  return {name}();\n}}\n"
    files = {
        "src/page.ts": "export function savePage() {\n  return 1;\n}\n\nexport const two = 2;\n",
        "src/form.ts": form.format(name="savePage"),
        "src/bar.ts": "import { savePage } from './page';\n\nsavePage();\n",
    }
    root = make_repository(tmp_path / "r", files)
    write_files(root, {"src/page.ts": "export const two = 2;\n"}, age_seconds=500)

    assert show_gone(root) == [
        "savePage of src/page.ts is gone, but still named:",
        "src/bar.ts:1: import { savePage } from './page';",
        "src/bar.ts:3: savePage();",
    ]


def test_a_deleted_file_called_as_a_keyword_of_imports_is_not_named_by_each_of_them(tmp_path: Path) -> None:
    files = {"src/import.ts": "export const one = 1;\n", "src/a.ts": "import { b } from 'b';\n"}
    root = make_repository(tmp_path / "r", files | {"src/c.ts": "import { one } from './import';\n"})
    (root / "src/import.ts").unlink()

    assert show_gone(root)[1:] == ["src/c.ts:1: import { one } from './import';"]


RUST = {
    "src/utils/mod.rs": "mod toml_ext;\npub(crate) use self::toml_ext::TomlExt;\n",
    "src/utils/toml_ext.rs": "pub(crate) trait TomlExt {\n    fn read(&self, key: &str) -> u8;\n}\n",
    "src/config.rs": "use crate::utils::{fs, TomlExt};\n\n// To read.\nfn get(t: T) {\n    t.read(1)\n}\n",
    "src/load.rs": "fn load(f: File) {\n    f.read(2);\n}\n",
    "guide/a.md": "Call `.read()` to read.\n",
    "theme/a.css": ".read { color: red }\n",
    "src/search.js": "file.read()\n",
}


def test_a_common_name_counts_only_where_its_module_or_its_type_is_named(tmp_path: Path) -> None:
    root = make_repository(tmp_path / "r", RUST)
    (root / "src/utils/toml_ext.rs").unlink()

    assert show_gone(root) == [
        "src/utils/toml_ext.rs is deleted, but still named:",
        "src/utils/mod.rs:1: mod toml_ext;",
        "src/utils/mod.rs:2: pub(crate) use self::toml_ext::TomlExt;",
        "TomlExt of src/utils/toml_ext.rs is gone, but still named:",
        "src/config.rs:1: use crate::utils::{fs, TomlExt};",
        "read of src/utils/toml_ext.rs is gone, but still named:",
        "src/config.rs:5: t.read(1)",
    ]


def test_of_a_method_whose_name_others_have_the_users_of_its_type_are_listed_as_uncertain(
    tmp_path: Path,
) -> None:
    interface = "<?php\ninterface Router {\n    public function findRoute(string $name);\n}\n"
    files = {
        "src/Router.php": interface,
        "src/Fast.php": "<?php\nclass Fast implements Router {\n    public function findRoute($n) {}\n}\n",
        "src/App.php": "<?php\nfunction go(Router $router) {\n    $router->findRoute('a');\n}\n",
        "src/Other.php": "<?php\nclass Atlas {\n    public function findRoute($n) {}\n}\n",
    }
    root = make_repository(tmp_path / "r", files)
    write_files(root, {"src/Router.php": interface.replace("findRoute", "lookUp")}, age_seconds=500)

    assert show_gone(root) == [
        "findRoute of src/Router.php is gone, others have its name; these may mean it:",
        "src/App.php:3: $router->findRoute('a');",
        "src/Fast.php:3: public function findRoute($n) {}",
    ]


def show_callers(root: Path) -> list[str]:
    found = by_id(gathered(GitProvider(), root, REVIEW)).get("review:callers")
    return (found.text or "").splitlines() if found is not None else []


@pytest.mark.weekly
def test_callers_of_a_function_with_other_parameters_are_listed(tmp_path: Path) -> None:
    root = make_repository(
        tmp_path / "r",
        {
            **PYTHON,
            "shop/out.py": "def err(\n    message,\n):\n    return message\n\n\ndef warn(a):\n    return a\n",
            "shop/use.py": "from shop.out import err, warn\n\nx = err(3)\nwarn(1)\ny = err(4)\n",
            "lib/log.py": "def err(message):\n    return message\n\n\nerr(1)\n",
            "tests/test_tax.py": "from shop.tax import add_tax\n\nadd_tax(1)\n",
            "README.md": "Call add_tax(1).\n",
        },
    )
    assert show_callers(root) == []
    write_files(
        root,
        {
            "shop/tax.py": PYTHON["shop/tax.py"].replace("add_tax(price)", "add_tax(price, rate)"),
            "shop/out.py": "def err(\n    message,\n    level,\n):\n    pass\n\n\ndef warn(a):\n    pass\n",
        },
        age_seconds=500,
    )

    assert show_callers(root) == [
        "callers of err, whose parameters changed in shop/out.py; others have its name, too:",
        "shop/use.py:3,5",
        "callers of add_tax, whose parameters changed in shop/tax.py:",
        "shop/cart.py:5",
        "tests/test_tax.py:3",
    ]
    text = pack(REVIEW, root=root, budget=4_000).text
    assert text.index("2 changed files") < text.index("callers of add_tax")
    assert "callers of" not in pack("write a commit message", root=root, budget=4_000).text


@pytest.mark.costly
@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("func OpenTTY() error {\n\treturn nil\n}\n", "func OpenTTY(raw bool) error {\n\treturn nil\n}\n"),
        ("func (p *Prog) OpenTTY() {\n}\n", "func (p *Prog) OpenTTY(raw bool) {\n}\n"),
        ("func OpenTTY[T any](a T) {\n}\n", "func OpenTTY[T any](a T, b T) {\n}\n"),
    ],
)
def test_parameters_are_read_in_other_languages(tmp_path: Path, old: str, new: str) -> None:
    files = {"a/tty.go": f"package a\n\n{old}", "a/use.go": "package a\n\nfunc use() {\n\tp.OpenTTY()\n}\n"}
    root = make_repository(tmp_path / "r", files)
    write_files(root, {"a/tty.go": f"package a\n\n{new}"}, age_seconds=500)

    assert show_callers(root)[1:] == ["a/use.go:4"]


def test_prose_and_styles_name_no_definition(tmp_path: Path) -> None:
    files = {
        **PYTHON,
        "README.md": "Call drop_tax(1).\n",
        "a.css": "drop_tax {}\n",
        "a.toml": "run = 'drop_tax'\n",
    }
    root = make_repository(tmp_path / "r", files)
    write_files(root, {"shop/tax.py": "def add_tax(price):\n    return price\n"}, age_seconds=500)

    assert show_gone(root)[1:] == ["a.toml:1: run = 'drop_tax'"]


def test_nothing_is_listed_for_the_message_of_a_commit(tmp_path: Path) -> None:
    root = make_repository(tmp_path / "r", PYTHON)
    (root / "shop/tax.py").unlink()

    assert show_gone(root, "write a commit message for my changes") == []


def test_of_very_many_lines_the_numbers_are_told(tmp_path: Path) -> None:
    uses = "from shop.tax import drop_tax\n" + "drop_tax(1)\n" * 40
    root = make_repository(tmp_path / "r", {**PYTHON, "shop/use.py": uses})
    write_files(root, {"shop/tax.py": "def add_tax(price):\n    return price\n"}, age_seconds=500)

    lines = show_gone(root)

    assert len(lines) == 14
    assert lines[-1] == f"shop/use.py:{','.join(map(str, range(13, 42)))}"
