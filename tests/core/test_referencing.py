"""What a task names, in every form, in linear time."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.amounts import sized

from satchel import Part, PointerError, Reference, Symbol
from satchel.plugin_api import Commit, KnownPaths, find_commits, find_references
from satchel.references import find_pin, find_pins, make_task, resolve_symbol

KNOWN = KnownPaths(
    [
        "README.md",
        "Makefile",
        "src/app.py",
        "src/shop/login.py",
        "src/shop/__init__.py",
        "src/mail/__init__.py",
        "tests/login.py",
        "web/cart.ts",
        "docs/a b.md",
    ]
)


def named(text: str, kind: str = "path") -> list[tuple[str, tuple[int, int]]]:
    return [(ref.path or ref.name, ref.lines) for ref in find_references(text, KNOWN) if ref.kind == kind]


@pytest.mark.parametrize(
    ("text", "path", "lines"),
    [
        ("look at src/app.py please", "src/app.py", (0, 0)),
        ("look at @src/app.py", "src/app.py", (0, 0)),
        ("in app.py.", "src/app.py", (0, 0)),
        ("(app.py)", "src/app.py", (0, 0)),
        ("`src/app.py:120` fails", "src/app.py", (120, 120)),
        ("src/app.py:10-40", "src/app.py", (10, 40)),
        ("src/app.py:12:5: error", "src/app.py", (12, 12)),
        ("./src/app.py", "src/app.py", (0, 0)),
        ("/home/me/project/src/app.py:7", "src/app.py", (7, 7)),
        ("shop/login.py is wrong", "src/shop/login.py", (0, 0)),
        ("@Makefile", "Makefile", (0, 0)),
        ("the Makefile", "Makefile", (0, 0)),
        ('  File "/usr/lib/project/src/app.py", line 33, in run', "src/app.py", (33, 33)),
        ("at total (web/cart.ts:8:14)", "web/cart.ts", (8, 8)),
    ],
)
def test_files_are_found_in_every_form(text: str, path: str, lines: tuple[int, int]) -> None:
    assert (path, lines) in named(text)


def test_a_page_of_the_project_is_meant_and_not_those_of_its_folders() -> None:
    paths = KnownPaths(["README.de.md", "README.md", "docs/README.md", "vendor/x/README.md", "src/readme.py"])

    for text in (
        "Update README.md",
        "what does the readme say",
        "add a badge to the README.",
        "fix Readme.rst",
    ):
        assert [ref.path for ref in find_references(text, paths) if ref.kind == "path"] == ["README.md"]
    assert [ref.path for ref in find_references("in README.de.md", paths)] == ["README.de.md"]
    assert not [ref for ref in find_references("update the CHANGELOG", paths) if ref.kind == "path"]


def test_a_name_that_several_files_have_means_them_all() -> None:
    assert [path for path, _ in named("see login.py")] == ["tests/login.py", "src/shop/login.py"]


@pytest.mark.parametrize("text", ["nosuch.py", "e.g. this", "1.5", "...", "app", "src", "http://x.y/z", ""])
def test_what_is_no_file_of_the_workspace_is_no_path(text: str) -> None:
    assert named(text) == []


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("Session.close hangs", "Session.close"),
        ("std::vector grows", "std.vector"),
        ("Session#close", "Session.close"),
        ("check_password fails", "check_password"),
        ("the checkPassword call", "checkPassword"),
        ("call login() twice", "login"),
        ("`login` is slow", "login"),
        ("a value is missing in TLSOption", "TLSOption"),
        ("Fix JToken.ToObject for enums", "JToken.ToObject"),
    ],
)
def test_symbols_are_found_in_every_form(text: str, name: str) -> None:
    assert name in [found for found, _ in named(text, "symbol")]


def test_plain_words_are_no_symbols() -> None:
    assert named("the login of the user fails sometimes", "symbol") == []
    assert named("the APIs of the CLI take URLs", "symbol") == []


def test_quoted_strings_and_numbers_are_found() -> None:
    found = find_references('it says "no such user" since #123', KNOWN)

    assert {(ref.kind, ref.name or ref.text) for ref in found} == {
        ("string", "no such user"),
        ("number", "123"),
    }


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (
            "disk: error 70 : Write failed : cannot write block : 12 left",
            ["Write failed", "cannot write block"],
        ),
        ("It stops.\n  ValueError: no such shop, not even in /srv/shops\n", ["no such shop, not even in"]),
        ("panic: shop: all shelves must be built before wares", ["all shelves must be built before wares"]),
        ("error: option '--shelf <n>' needs a number", ["needs a number"]),
        ("feat(error): add a new shelf to the shop", []),
        ("Fix the error when a shelf is empty", []),
    ],
)
def test_a_pasted_message_is_a_string_without_its_values(text: str, told: list[str]) -> None:
    assert [
        ref.text for ref in find_references(text, KNOWN) if ref.kind == "string" and "<" not in ref.text
    ] == told


def test_each_reference_is_told_once_and_never_more_than_four_hundred() -> None:
    many = " ".join(f"some_name_{number}" for number in range(1_000))

    assert len(find_references(many + " src/app.py" * 50, KNOWN)) == 400
    assert len(named("src/app.py " * 50)) == 1


HOSTILE = (
    "a.",
    "a/",
    "/",
    "//",
    ".",
    "'",
    '"',
    "`",
    '"""',
    "@",
    "#1",
    "a.a",
    "::",
    "_",
    "a-",
    "+",
    "+a/",
    "\\",
)


@pytest.mark.costly
@pytest.mark.parametrize(
    "piece", [*HOSTILE, "`'\"", "x" * 99 + "/", "app.py:1-", 'File "', "src/__init__.py ", "\x00"]
)
def test_a_megabyte_of_anything_is_read_in_seconds(piece: str) -> None:
    paths = KnownPaths([f"d{number}/src/__init__.py" for number in range(1_000)])

    started = time.process_time()
    find_references(piece * (sized(1_000_000) // len(piece)), paths)

    assert time.process_time() - started < 6


@pytest.mark.weekly
def test_a_long_log_of_the_same_file_is_read_in_seconds() -> None:
    paths = KnownPaths([f"d{number}/src/__init__.py" for number in range(2_000)])
    log = 'File "/home/me/project/src/__init__.py", line 3, in run\n' * sized(15_000)

    started = time.process_time()
    found = find_references(log, paths)

    assert time.process_time() - started < 6
    assert found[0].lines == (3, 3)


@given(text=st.text(max_size=300))
def test_any_text_has_references_that_stand_in_it(text: str) -> None:
    for reference in find_references(text, KNOWN):
        assert reference.text in text
        assert 0 <= reference.lines[0] <= reference.lines[1] or reference.lines == (0, 0)


@pytest.mark.parametrize(
    ("written", "path", "lines"),
    [
        ("src/app.py", "src/app.py", (0, 0)),
        ("@src/app.py:3", "src/app.py", (3, 3)),
        ("app.py:3-9", "src/app.py", (3, 9)),
        ("./src/app.py", "src/app.py", (0, 0)),
        ("docs/a b.md", "docs/a b.md", (0, 0)),
    ],
)
def test_a_pin_is_resolved(written: str, path: str, lines: tuple[int, int]) -> None:
    assert find_pin(written, KNOWN) == Reference(written, "path", path, lines)


def test_a_pin_of_an_unknown_file_tells_the_nearest() -> None:
    with pytest.raises(PointerError, match=r"did you mean src/app\.py\?"):
        find_pin("src/ap.py", KNOWN)


def test_a_pin_that_several_files_fit_is_refused_with_their_names() -> None:
    with pytest.raises(PointerError, match=r"tests/login\.py, src/shop/login\.py"):
        find_pin("login.py", KNOWN)


def test_a_pin_of_a_whole_path_is_that_file_although_others_end_in_it() -> None:
    paths = KnownPaths(["login.py", "src/login.py"])

    assert find_pin("login.py", paths).path == "login.py"


@pytest.mark.parametrize("written", ["", "  ", "nosuch.xyz", "src", "../src/app.py", "/etc/passwd", ":3"])
def test_a_pin_that_names_no_file_is_refused(written: str) -> None:
    with pytest.raises(PointerError):
        find_pin(written, KNOWN)


def test_a_task_knows_its_text_references_pins_and_open_files() -> None:
    task = make_task("fix src/app.py", ["src/app.py", "b.py"], pins=["b.py:2"], open_files=["app.py"])

    assert task.text == "fix src/app.py"
    assert [ref.path for ref in (*task.references, *task.pins, *task.open_files)] == [
        "src/app.py",
        "b.py",
        "src/app.py",
    ]


WIDE = KnownPaths(
    [
        *(
            "README.md",
            "pyproject.toml",
            "config.toml",
            "src/app.py",
            "src/shop/login.py",
            "src/shop/cart.py",
        ),
        *("src/shop/__init__.py", "tests/login.py", "tests/test_cart.py", "web/cart.ts", "web/lib/router.js"),
        *("docs/a b.md", "app/[slug]/page.tsx", "internal/store/store.go", "crates/core/src/parse.rs"),
        *("src/main/java/com/shop/Cart.java", "Shop/Orders/Order.cs", "app/models/user.rb", "src/util.c"),
        *("lib/Mail/Sender.php", "lib/Mail/Queue.php", "src/flask/json/__init__.py"),
    ]
)
FORMS = [
    ('@"docs/a b.md" please', "docs/a b.md", (0, 0), ""),
    ("`docs/a b.md`", "docs/a b.md", (0, 0), ""),
    ("src/app.py#L10-L40", "src/app.py", (10, 40), ""),
    ("src/app.py#L10", "src/app.py", (10, 10), ""),
    ("https://github.com/me/shop/blob/main/src/app.py#L10-L40", "src/app.py", (10, 40), ""),
    ("src\\shop\\login.py:12", "src/shop/login.py", (12, 12), ""),
    ("C:\\work\\src\\shop\\login.py:12", "src/shop/login.py", (12, 12), ""),
    ("app.py line 120", "src/app.py", (120, 120), ""),
    ("line 12 of src/app.py", "src/app.py", (12, 12), ""),
    ("lines 3-9 in `src/app.py`", "src/app.py", (3, 9), ""),
    ("app/[slug]/page.tsx", "app/[slug]/page.tsx", (0, 0), ""),
    ("app/[slug]/page.tsx:7.", "app/[slug]/page.tsx", (7, 7), ""),
    ("/ci/other/store/store.go:3", "internal/store/store.go", (3, 3), ""),
    ("/ci/build/router.js:3", "web/lib/router.js", (3, 3), ""),
    ("tests/test_cart.py::TestCart::test_total", "tests/test_cart.py", (0, 0), "TestCart.test_total"),
    ("src/app.py#run", "src/app.py", (0, 0), "run"),
    ("shop.cart.Cart.total is slow", "src/shop/cart.py", (0, 0), "Cart.total"),
    ("com.shop.Cart.total", "src/main/java/com/shop/Cart.java", (0, 0), "total"),
    ("src.shop.cart", "src/shop/cart.py", (0, 0), ""),
    ("Cart.total", "", (0, 0), "Cart.total"),
    ("Cart::total", "", (0, 0), "Cart.total"),
    ("Cart#total", "", (0, 0), "Cart.total"),
    ("HttpClient", "", (0, 0), "HttpClient"),
    ("GH-7", "", (0, 0), "7"),
    ("`*.toml`", "pyproject.toml", (0, 0), ""),
    ('"src/**/*.py"', "src/shop/cart.py", (0, 0), ""),
    ('File "/v/site-packages/shop/cart.py", line 8, in total', "src/shop/cart.py", (8, 8), ""),
    ("    at total (/srv/app/web/lib/router.js:8:14)", "web/lib/router.js", (8, 8), ""),
    ("    at file:///srv/web/cart.ts:1:2", "web/cart.ts", (1, 1), ""),
    ("main.run()\n\t/u/internal/store/store.go:33 +0x1d", "internal/store/store.go", (33, 33), ""),
    ("panicked at crates/core/src/parse.rs:4:5:", "crates/core/src/parse.rs", (4, 4), ""),
    ("\tat com.shop.Cart.total(Cart.java:42)", "src/main/java/com/shop/Cart.java", (42, 42), ""),
    ("at Shop.Order.Total() in C:\\x\\Shop\\Orders\\Order.cs:line 17", "Shop/Orders/Order.cs", (17, 17), ""),
    ("app/models/user.rb:12:in `save': bad", "app/models/user.rb", (12, 12), ""),
    ("src/util.c:10:5: error: expected", "src/util.c", (10, 10), ""),
    ("web/cart.ts(12,5): error TS2322", "web/cart.ts", (12, 12), ""),
    ("#0 /var/www/lib/Mail/Sender.php(33): send()", "lib/Mail/Sender.php", (33, 33), ""),
    ("in /var/www/lib/Mail/Queue.php on line 4", "lib/Mail/Queue.php", (4, 4), ""),
]


@pytest.mark.parametrize(("text", "path", "lines", "name"), FORMS)
def test_every_form_resolves(text: str, path: str, lines: tuple[int, int], name: str) -> None:
    found = find_references(f"please look: {text} and tell", WIDE)

    assert path in {ref.path for ref in found}
    assert lines in {ref.lines for ref in found if ref.path == path}
    assert name in {ref.name for ref in found if ref.path == path}


@pytest.mark.parametrize(
    "text",
    [
        'File "/usr/lib/python3.11/json/__init__.py", line 3, in loads',
        "    at node:internal/modules/cjs/loader:1105:14",
        "/rustc/90b35a/crates/core/src/parse.rs:4:5",
        "\tat java.base/java.util.Cart.get(Cart.java:4)",
        "/usr/share/other/README",
        "https://example.com/src/app.py",
        "create src/new/page.tsx",
    ],
)
def test_other_people_s_files_are_not_taken_for_ours(text: str) -> None:
    if text.startswith("/rustc"):
        text = f"   3: x\n             at {text}"

    assert [ref.path for ref in find_references(text, WIDE) if ref.path] == []


def test_frames_come_first_and_the_innermost_of_them_first() -> None:
    text = 'in README.md:\n  File "/x/src/app.py", line 3, in run\n  x\n'
    text += '  File "/x/src/shop/cart.py", line 8, in total\n'

    assert [ref.path for ref in find_references(text, WIDE)] == [
        "src/shop/cart.py",
        "src/app.py",
        "README.md",
    ]


def test_candidates_in_a_folder_that_is_named_come_before_others_of_their_depth() -> None:
    paths = KnownPaths(["a/x.py", "b/x.py", "b/only.py", "c/d/x.py"])

    found = [ref.path for ref in find_references("x.py beside only.py", paths) if ref.text == "x.py"]

    assert found == ["b/x.py", "a/x.py", "c/d/x.py"]


def test_a_glob_means_fifty_files_at_most() -> None:
    paths = KnownPaths([f"src/m{number}.py" for number in range(80)])

    assert len(find_references("`src/*.py`", paths)) == 50


def test_a_number_is_found_in_whole_in_commit_messages() -> None:
    commits = [
        Commit("a", 0, subject, body, ())
        for subject, body in (("x (#12)", ""), ("#123", ""), ("y", "fixes GH-12."))
    ]

    assert [commit.subject for commit in find_commits(commits, "12")] == ["x (#12)", "y"]


@pytest.mark.parametrize(
    ("written", "found"),
    [
        ("src/app.py#L3-L9", [("path", "src/app.py", (3, 9), "")]),
        ('@"docs/a b.md":3', [("path", "docs/a b.md", (3, 3), "")]),
        ("*.toml", [("glob", "config.toml", (0, 0), ""), ("glob", "pyproject.toml", (0, 0), "")]),
        ("src/app.py, README.md:2", [("path", "src/app.py", (0, 0), ""), ("path", "README.md", (2, 2), "")]),
        ("src/app.py::run", [("symbol", "src/app.py", (0, 0), "run")]),
        ("Cart.total", [("symbol", "", (0, 0), "Cart.total")]),
        ("login()", [("symbol", "", (0, 0), "login")]),
        ("shop.cart.Cart", [("symbol", "src/shop/cart.py", (0, 0), "Cart")]),
        ("#12", [("number", "", (0, 0), "12")]),
        ("/ci/x/src/app.py:3", [("path", "src/app.py", (3, 3), "")]),
        ('File "/x/src/app.py", line 3, in run', [("path", "src/app.py", (3, 3), "")]),
    ],
)
def test_a_pin_may_have_every_form(written: str, found: list[tuple[str, str, tuple[int, int], str]]) -> None:
    assert [(ref.kind, ref.path, ref.lines, ref.name) for ref in find_pins(written, WIDE)] == found


@pytest.mark.parametrize(
    "written", ["*.zig", "src/app.py nosuch.py", "Makefil", "nosuch.py:3", "/etc/app.py"]
)
def test_a_pin_of_which_something_is_missing_is_refused(written: str) -> None:
    with pytest.raises(PointerError):
        find_pins(written, KnownPaths(["Makefile", "src/app.py"]))


def test_a_symbol_pin_is_settled_by_the_parts_that_define_it() -> None:
    symbols = (
        Symbol("Cart.total", "method", (4, 9), (4, 4)),
        Symbol("total", "function", (12, 20), (12, 12)),
    )
    parts = {"a.py": (Part("class", "Cart", (1, 20), symbols=symbols),)}

    assert [ref.lines for ref in resolve_symbol(Reference("total", "symbol", name="total"), parts)] == [
        (12, 20)
    ]
    assert [ref.path for ref in resolve_symbol(Reference("x", "symbol", name="Cart.total"), parts)] == [
        "a.py"
    ]
    with pytest.raises(PointerError, match="defines"):
        resolve_symbol(Reference("x", "symbol", name="nosuch"), parts)
