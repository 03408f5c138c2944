"""The names of a package that are imported on first use: type checkers are told the same ones."""

from __future__ import annotations

import ast
import importlib
import py_compile
import re
from pathlib import Path

import pytest

import satchel
import satchel_plugins
from satchel.lazy_names import read_homes

ROOTS = tuple(Path(package.__file__).parent for package in (satchel, satchel_plugins))
LAZY = sorted(
    path.relative_to(root.parent).with_suffix("").as_posix().replace("/", ".").removesuffix(".__init__")
    for root in ROOTS
    for path in root.rglob("*.py")
    if "import_on_first_use(__name__" in path.read_text("utf-8")
)


@pytest.mark.parametrize("module", LAZY)
def test_each_name_that_type_checkers_know_is_there_at_run_time(module: str) -> None:
    package = importlib.import_module(module)
    assert package.__file__
    (block,) = (
        one
        for one in ast.parse(Path(package.__file__).read_text("utf-8")).body
        if isinstance(one, ast.If) and ast.unparse(one.test) == "TYPE_CHECKING"
    )
    imports = [one for one in block.body if isinstance(one, ast.ImportFrom)]
    names = [(str(one.module), name) for one in imports for name in one.names]

    assert [name.name for _, name in names if name.asname != name.name] == []
    assert [
        name.name
        for home, name in names
        if getattr(package, name.name) is not getattr(importlib.import_module(home), name.name)
    ] == []


def test_names_are_found_where_only_compiled_files_are_installed(tmp_path: Path) -> None:
    compiled = py_compile.compile(str(ROOTS[0] / "tokens/__init__.py"), str(tmp_path / "__init__.pyc"))
    assert compiled

    homes = read_homes(compiled)

    assert homes["find_model"] == "satchel.tokens.models"
    assert homes.keys() >= read_homes(str(ROOTS[0] / "tokens/__init__.py")).keys()


def test_a_name_that_is_not_there_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match=r"module 'satchel\.tokens' has no attribute 'gues'"):
        importlib.import_module("satchel.tokens").gues  # noqa: B018


def test_tests_take_a_name_from_the_package_that_offers_it() -> None:
    tests = Path(__file__).parents[1]
    offered = {name: read_homes(str(importlib.import_module(name).__file__)) for name in LAZY}
    deep = [
        (path.name, module, name)
        for path in tests.rglob("*.py")
        if "data" not in path.relative_to(tests).parts
        for module, names in _IMPORT.findall(path.read_text("utf-8"))
        for name in re.findall(r"(?:^|[\s(,])(\w+)", names)
        for package in offered
        if module.startswith(f"{package}.") and offered[package].get(name) == module
    ]

    assert deep == []


_IMPORT = re.compile(r"^ *from (satchel(?:\.\w+){2,}) import (\([^)]*\)|[^\n]*)", re.MULTILINE)
