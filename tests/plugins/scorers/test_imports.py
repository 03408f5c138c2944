"""Import lines lead to files of the workspace."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from satchel_plugins.scorers.graph import Modules

PATHS = (
    "src/shop/__init__.py",
    "src/shop/cart.py",
    "src/shop/prices.py",
    "old/prices.py",
    "utils/path.py",
    "web/app.vue",
    "web/cart.ts",
    "web/lib/http.ts",
    "web/ui/index.ts",
    "cmd/main.go",
    "internal/store/db.go",
    "internal/store/tx.go",
    "errors/errors.go",
    "core/src/main.rs",
    "core/src/flags/mod.rs",
    "core/src/flags/parse.rs",
    "app/src/main/java/com/acme/Cart.java",
    "c/dict.c",
    "c/dict.h",
    "README.md",
)
CASES = [
    ("src/shop/cart.py", "from shop.prices import price", ["src/shop/prices.py"]),
    ("src/shop/cart.py", "from .prices import (\n    price,\n    tax,\n)\n", ["src/shop/prices.py"]),
    ("src/shop/cart.py", "from . import prices as p\n", ["src/shop/prices.py"]),
    ("src/shop/cart.py", "import shop.prices as p, json\n", ["src/shop/prices.py"]),
    ("src/shop/prices.py", "from shop import Shop\n", ["src/shop/__init__.py"]),
    ("src/shop/cart.py", "import os.path\nfrom os import path\n", []),
    ("web/app.vue", "import Cart, { total } from './cart'\n", ["web/cart.ts"]),
    ("web/app.vue", 'const http = require("./lib/http.js")\n', ["web/lib/http.ts"]),
    ("web/lib/http.ts", "export * from '../ui'\n", ["web/ui/index.ts"]),
    ("web/app.vue", "import cart from 'react'\n", []),
    (
        "cmd/main.go",
        'import (\n\t"fmt"\n\tst "github.com/acme/x/internal/store"\n)\n',
        ["internal/store/db.go", "internal/store/tx.go"],
    ),
    ("cmd/main.go", 'import "errors"\n', []),
    ("core/src/main.rs", "mod flags;\n", ["core/src/flags/mod.rs"]),
    (
        "core/src/main.rs",
        "pub(crate) use crate::flags::{parse, Mode};\n",
        ["core/src/flags/parse.rs", "core/src/flags/mod.rs"],
    ),
    ("core/src/main.rs", "use std::path::Path;\n", []),
    ("x/Main.java", "import static com.acme.Cart.total;\n", ["app/src/main/java/com/acme/Cart.java"]),
    ("c/dict.c", '#include <stdio.h>\n#include "dict.h"\n', ["c/dict.h"]),
]


@pytest.mark.parametrize(("path", "text", "expected"), CASES, ids=[f"{p}:{t[:30]}" for p, t, _ in CASES])
def test_an_import_leads_to_the_file_that_it_names(path: str, text: str, expected: list[str]) -> None:
    assert Modules(PATHS).imported(path, text) == expected


def test_the_nearest_of_several_modules_is_meant() -> None:
    modules = Modules(["a/pkg/util.py", "b/pkg/util.py"])

    assert modules.imported("b/main.py", "import pkg.util\n") == ["b/pkg/util.py"]


def test_a_big_go_package_says_nothing_about_its_files() -> None:
    modules = Modules([f"store/f{at}.go" for at in range(21)])

    assert modules.imported("main.go", 'import "x.org/store"\n') == []


@given(st.sampled_from(PATHS), st.text(max_size=300))
def test_any_text_leads_to_files_of_the_workspace_or_to_none(path: str, text: str) -> None:
    found = Modules(PATHS).imported(path, f"from {text}\nimport {text}\nuse {text};\n'{text}'")

    assert set(found) <= set(PATHS) - {path}


@pytest.mark.parametrize(
    "text",
    ["from " + "." * 50_000, "from x import (" * 4_000, "use a{" * 9_000, "import a" * 9_000, "('" * 30_000],
)
def test_hostile_text_takes_no_time(text: str) -> None:
    start = time.process_time()
    for path in ("a.py", "a.ts", "a.rs"):
        Modules(PATHS).imported(path, text + "\n" + text)

    assert time.process_time() - start < 0.5


def test_an_import_of_no_name_leads_nowhere() -> None:
    assert Modules(PATHS).imported("cmd/main.go", "import '~'\nimport \"~\"\n") == []
