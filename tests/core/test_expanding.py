"""Pointers of a bundle and of people, expanded to exactly the text that they stand for."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from satchel import PointerError, UnknownNameError, expand, pack
from satchel.escaping import escape_for_document
from satchel.packing import BundleItem, LeftOut
from satchel.paths import words_address
from satchel.plugin_api import decode

from .repositories import (
    Asked,
    commit,
    git,
    make_repository,
    packed,
    plain_host,
    recount,
    write_files,
)

LOGIN = "src/shop/login.py"


def expanded(
    pointer: str, root: Path, *, level: str | None = None, budget: int | None = None, raw: bool = False
) -> str:
    return expand(pointer, root, level=level, budget=budget, raw=raw, host=plain_host())


def source(root: Path, path: str) -> str:
    with open(os.path.join(os.fsencode(root), os.fsencode(path)), "rb") as file:
        return decode(file.read()).text


@pytest.mark.costly
@pytest.mark.parametrize("workspace", ["strange", "polyglot"])
@pytest.mark.parametrize("budget", [60, 200_000])
def test_every_pointer_of_a_bundle_gives_the_source_text(
    workspace: str, budget: int, request: pytest.FixtureRequest
) -> None:
    root = request.getfixturevalue(workspace)
    bundle = packed("login", root, budget, Asked(left_out="all"))
    listed: list[BundleItem | LeftOut] = [*bundle.items, *bundle.left_out]

    assert len({one.pointer for one in listed}) == len(listed) > 10
    for one in listed:
        text = source(root, one.path)
        if one.path == ".env":
            with pytest.raises(PointerError, match="credentials"):
                expanded(one.pointer, root)
        elif text:
            assert expanded(one.pointer, root, raw=True) == text
            assert expanded(one.pointer, root) == escape_for_document(text).removesuffix("\n") + "\n"


@pytest.mark.parametrize(
    ("pointer", "first", "last"),
    [
        (f"{LOGIN}:3", 3, 3),
        (f"@{LOGIN}:3-9", 3, 9),
        (f"satchel://file/{LOGIN}?lines=8-20", 8, 20),
        (f"{LOGIN}:20-9999", 20, 28),
    ],
)
def test_lines_are_exactly_those_lines(polyglot: Path, pointer: str, first: int, last: int) -> None:
    lines = source(polyglot, LOGIN).splitlines(keepends=True)

    assert expanded(pointer, polyglot) == "".join(lines[first - 1 : last])


def test_raw_lines_keep_their_line_feed_unless_the_source_has_none(tmp_path: Path) -> None:
    root = write_files(tmp_path / "w", {"a.txt": "one\ntwo\nthree"})

    assert expanded("a.txt:1-2", root, raw=True) == "one\ntwo\n"
    assert expanded("a.txt:2-3", root, raw=True) == "two\nthree"
    assert expanded("a.txt:2-3", root) == "two\nthree\n"


def test_a_file_that_changed_since_is_refused(polyglot: Path) -> None:
    pointer = next(
        item.pointer for item in packed("mail", polyglot, 2_000).items if item.path.endswith("mail.py")
    )
    assert "&v=" in pointer or "?v=" in pointer
    (polyglot / "src/shop/mail.py").write_text("def send(): ...\n")

    with pytest.raises(PointerError, match="changed since"):
        expanded(pointer, polyglot)
    assert expanded("src/shop/mail.py", polyglot) == "def send(): ...\n"


NOWHERE = [
    "nosuch.py",
    "",
    "../polyglot/README.md",
    "/etc/passwd",
    ".git/config",
    "satchel://file//etc/passwd",
]
NOWHERE += [
    "satchel://file/..%2F..%2Fetc%2Fpasswd",
    "satchel://git/HEAD/README.md",
    f"{LOGIN}:0",
    f"{LOGIN}:5-3",
]


@pytest.mark.costly
@pytest.mark.parametrize("pointer", NOWHERE)
def test_what_names_no_file_of_the_workspace_is_refused(polyglot: Path, pointer: str) -> None:
    with pytest.raises(PointerError):
        expanded(pointer, polyglot)


def test_lines_after_the_end_are_refused_with_the_number_of_lines(polyglot: Path) -> None:
    with pytest.raises(PointerError, match="28 lines"):
        expanded(f"{LOGIN}:29", polyglot)


def test_lines_that_are_no_numbers_are_refused_as_no_range(polyglot: Path) -> None:
    with pytest.raises(PointerError, match="its lines are not a range; write 10-40"):
        expanded(f"{LOGIN}:a-b", polyglot)


def test_an_unknown_file_tells_the_nearest(polyglot: Path) -> None:
    with pytest.raises(PointerError, match=r"did you mean src/shop/login\.py"):
        expanded("src/shop/logn.py", polyglot)


@pytest.mark.parametrize("level", [None, "full", "symbols", "headers", "pointer"])
def test_credentials_are_shown_at_no_level(polyglot: Path, level: str | None) -> None:
    with pytest.raises(PointerError, match="credentials"):
        expanded(".env", polyglot, level=level)


def test_a_binary_file_is_only_named(polyglot: Path) -> None:
    assert expanded("logo.png", polyglot) == "- logo.png: binary, 272 bytes\n"


def test_a_link_out_of_the_root_is_not_followed(polyglot: Path, tmp_path: Path) -> None:
    (tmp_path / "secret.txt").write_text("the secret\n")
    (polyglot / "link.txt").symlink_to(tmp_path / "secret.txt")

    assert "the secret" not in expanded("link.txt", polyglot)


def test_a_file_of_a_vendored_folder_is_given_when_it_is_asked_for(polyglot: Path) -> None:
    write_files(polyglot, {"node_modules/left/index.js": "left = 1\n"})

    assert expanded("node_modules/left/index.js", polyglot) == "left = 1\n"
    assert expanded("node_modules/left/index.js:1", polyglot) == "left = 1\n"


def test_symbols_are_the_heads_with_their_line_numbers(polyglot: Path) -> None:
    text = expanded(LOGIN, polyglot, level="symbols")

    lines = source(polyglot, LOGIN).splitlines()
    number = lines.index("def check_password(user, password):") + 1
    assert f"@@{number}\ndef check_password(user, password):\n" in text
    assert "digest = hashlib" not in text


def test_headers_are_top_level_names(polyglot: Path) -> None:
    text = expanded(LOGIN, polyglot, level="headers")

    assert "import hashlib" not in text
    assert "def login(user, password):" in text
    assert "def close(self):" not in text


def test_the_pointer_level_is_the_address_line(polyglot: Path) -> None:
    assert expanded(LOGIN, polyglot, level="pointer").startswith(f"- {LOGIN}: 28 lines")


@pytest.mark.weekly
def test_levels_cost_less_the_less_they_show(polyglot: Path) -> None:
    full, symbols, headers, pointer = (
        recount(expanded(LOGIN, polyglot, level=level)) for level in ("full", "symbols", "headers", "pointer")
    )

    assert full > symbols >= headers > pointer


@pytest.mark.parametrize(
    "text",
    ["a = 1\n" * 9, "class A:\n    x = 1\n    def f(self): ...\ny = 1\nz = 2\n", "import a\n"],
)
def test_headers_are_never_longer_than_symbols(tmp_path: Path, text: str) -> None:
    root = write_files(tmp_path / "w", {"a.py": text})

    headers, symbols = (expanded("a.py", root, level=level) for level in ("headers", "symbols"))
    assert len(headers) <= len(symbols)


@pytest.mark.parametrize(
    "written",
    [
        "Session.close",
        f"{LOGIN}::Session.close",
        "shop.login:Session.close",
        "login.py::Session::close",
        f"{LOGIN.split('/')[-2]}:Session.close",
    ],
)
def test_a_definition_is_found_by_its_name(polyglot: Path, written: str) -> None:
    assert expanded(written, polyglot).startswith("    def close(self):")


def test_a_name_that_several_have_lists_them(tmp_path: Path) -> None:
    root = write_files(tmp_path / "w", {f"{name}.py": "def load(): ...\n" for name in "ab"})

    with pytest.raises(PointerError, match=r"several are called that: [ab]\.py:1-1, [ab]\.py:1-1"):
        expanded("load", root)
    assert expanded("b.py::load", root) == "def load(): ...\n"


def test_a_getter_and_its_setter_are_one_definition(tmp_path: Path) -> None:
    text = "class A:\n    @property\n    def x(self): ...\n\n    @x.setter\n    def x(self, to): ...\n"
    root = write_files(tmp_path / "w", {"a.py": text})

    assert expanded("A.x", root) == text.partition("\n")[2]


@pytest.mark.parametrize(
    ("written", "told"),
    [
        ("nosuch", "no such file or definition"),
        (f"{LOGIN}::nosuch", "defines a symbol of that name"),
        ("mail:Session.close", f"mail does not define it; it is in {LOGIN}"),
    ],
)
def test_a_name_that_nothing_has_is_an_error(polyglot: Path, written: str, told: str) -> None:
    with pytest.raises(PointerError, match=told):
        expanded(written, polyglot)


def test_an_unknown_level_tells_the_nearest(polyglot: Path) -> None:
    with pytest.raises(UnknownNameError, match="did you mean 'symbols'"):
        expanded(LOGIN, polyglot, level="symbol")


@pytest.mark.weekly
@pytest.mark.costly
@pytest.mark.parametrize("budget", [25, 40, 60, 90, 120, 200, 5_000])
def test_the_most_detailed_level_that_fits_a_budget_is_given(polyglot: Path, budget: int) -> None:
    text = expanded(LOGIN, polyglot, budget=budget)

    fitting = [level for level in ("full", "symbols", "headers", "pointer")
               if recount(expanded(LOGIN, polyglot, level=level)) <= budget]  # fmt: skip
    assert text == expanded(LOGIN, polyglot, level=fitting[0])
    assert recount(text) <= budget


@pytest.mark.weekly
@pytest.mark.costly
@pytest.mark.parametrize("name", ["notes.txt", "my notes.sql", "a.log", "data.csv", "b.json"])
@pytest.mark.parametrize("pointer", ["", ":3-700"])
def test_of_a_text_without_definitions_the_beginning_comes_and_tells_where_it_ends(
    tmp_path: Path, name: str, pointer: str
) -> None:
    lines = [f"line {number} says \u00fc" for number in range(1, 801)]
    (tmp_path / name).write_bytes("\n".join(lines).encode("latin-1") + b"\n")
    first, last = (3, 700) if pointer else (1, 800)

    shown_now, seen = f"{name}{pointer}", []
    for _ in range(40):
        text = expanded(shown_now, tmp_path, budget=400)
        assert recount(text) <= 400
        if "expand " not in text:
            seen += text.split("\n")[:-1]
            break
        *begun, mark = text.split("\n")[:-1]
        assert begun
        seen += begun
        shown_now = mark.partition("; expand ")[2].removesuffix(" shows the rest]")

    assert seen == lines[first - 1 : last]


@pytest.mark.weekly
def test_of_a_line_that_is_too_long_the_beginning_comes(tmp_path: Path) -> None:
    (tmp_path / "one.json").write_text(f"[{', '.join(map(str, range(30_000)))}]\n")

    text = expanded("one.json", tmp_path, budget=60)

    assert text.startswith("[0, 1, 2")
    assert "characters of line 1; expand one.json:1-1 shows all of it]" in text
    assert recount(text) <= 60


def test_a_level_that_does_not_fit_is_refused_by_its_name(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("one line\n" * 400)

    with pytest.raises(PointerError, match="costs more than 200 tokens at level full"):
        expanded("notes.txt", tmp_path, level="full", budget=200)


def test_lines_within_a_budget_are_those_lines(polyglot: Path) -> None:
    assert expanded(f"{LOGIN}:20-20", polyglot, budget=500) == expanded(f"{LOGIN}:20-20", polyglot)


def test_a_budget_too_small_for_the_address_is_refused(polyglot: Path) -> None:
    with pytest.raises(PointerError, match="3 tokens"):
        expanded(LOGIN, polyglot, budget=3)


@pytest.mark.costly
@pytest.mark.parametrize("budget", [900, 20_000])
def test_whatever_a_pack_names_in_words_can_be_expanded(budget: int, tmp_path: Path) -> None:
    root = make_repository(tmp_path / "w", {"shop/till.py": "def pay(total):\n    return total\n" * 9})
    for number in range(4):
        (root / "shop" / "till.py").write_text(f"def pay(total):\n    return total + {number}\n", "utf-8")
        commit(root, f"Round the total {number}", day=number + 1)

    bundle = pack("the till rounds a total", root, budget=budget)

    named = [one for one in bundle.items if one.kind not in ("file", "diff")]
    assert {one.kind for one in named} >= ({"commit", "blame", "tree"} if budget > 900 else set())
    for one in named:
        text = expanded(words_address(one.title, one.kind), root)
        assert one.kind == "commit" or text.rstrip("\n") == one.text.rstrip("\n")


def test_a_commit_is_expanded_by_the_name_that_packs_give_it(tmp_path: Path) -> None:
    root = make_repository(tmp_path / "w", {"a.py": "x = 1\n"})
    made = commit(root, "Count the apples", day=3)

    assert "Count the apples" in expanded(f"commit {made[:10]}", root)


def test_a_name_in_words_that_no_pack_gave_is_no_file(polyglot: Path) -> None:
    with pytest.raises(PointerError, match="no such file or definition"):
        expanded("last commits of nothing.py", polyglot)


def test_for_an_unknown_definition_its_class_is_suggested_and_no_page(tmp_path: Path) -> None:
    files = {
        "src/Response.py": "class Response:\n    def body(self):\n        pass\n",
        "website/1.x/Response.html": "<h1>Response</h1>\n",
    }
    root = write_files(tmp_path / "w", files)

    with pytest.raises(PointerError, match=r"did you mean Response in src/Response\.py:1-3\?"):
        expanded("Response.Builder", root)
    with pytest.raises(PointerError, match=r"did you mean body in src/Response\.py:2-3\?"):
        expanded("Answer.body", root)
    with pytest.raises(PointerError, match=r"did you mean src/Response\.py\?"):
        expanded("Respons.py", root)


def test_a_folder_is_listed_with_what_expands_something_in_it(tmp_path: Path) -> None:
    root = make_repository(
        tmp_path / "r", {"a/b.py": "x = 1\n", "a/c/d.py": "", "a/c/e f.py": "y = 2\n", "z.py": "z\n"}
    )

    assert expand("a", root) == (
        "a/ has 3 files; one of them: satchel expand a/b.py\na/c/ 2 files\na/b.py 6 bytes\n"
    )
    assert expand("a/c/", root).splitlines()[1:] == ["a/c/d.py empty, 0 bytes", '"a/c/e f.py" 6 bytes']
    assert expand(".", root).startswith(". has 4 files; one of them: satchel expand z.py\na/ 3 files\n")
    assert expand("a", root, budget=20).startswith("a/ has 3 files")
    with pytest.raises(PointerError, match="no such file"):
        expand("b", root)


def test_a_link_names_its_target_and_a_submodule_is_one(tmp_path: Path) -> None:
    inner = make_repository(tmp_path / "inner", {"a.py": "x = 1\n"})
    root = make_repository(tmp_path / "r", {"docs/guide.md": "# Guide\n"})
    (root / "docs/latest.md").symlink_to("guide.md")
    (root / "outside.md").symlink_to(tmp_path / "inner/a.py")
    git(root, "-c", "protocol.file.allow=always", "submodule", "add", "-q", str(inner), "vendor/inner")
    commit(root, "add all", day=3)

    assert expand("docs/latest.md", root) == "- docs/latest.md: symbolic link to docs/guide.md\n"
    assert expand("outside.md", root) == "- outside.md: symbolic link out of the workspace\n"
    assert expand("vendor/inner", root) == "- vendor/inner: submodule, a repository of its own\n"
    text = packed("fix the link docs/latest.md and vendor/inner", root, 2_000).text
    assert "- docs/latest.md: symbolic link to docs/guide.md\n" in text
    assert "- vendor/inner: submodule, a repository of its own\n" in text
