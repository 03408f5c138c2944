"""Packs for who adds one more of a kind: a precedent, its base, what makes it known, and little beside."""

from __future__ import annotations

from pathlib import Path

import pytest

from satchel.questions import read_question

from .repositories import write_files
from .test_answering import answered

BODY = "".join(f"        self.put('{{0}}', {at})\n" for at in range(12))


def test_pages_that_are_called_like_types_stand_for_their_code(tmp_path: Path) -> None:
    names = ["Amber", "Birch", "Cedar", "Daisy", "Elder", "Fern"]
    page = "# loom.{0}\n\n::: loom.{0}\n    options:\n        members: [weave]\n"
    files = {f"docs/api/shuttles/{name}.md": page.format(name) for name in names}
    files["docs/api/shuttles/index.md"] = "# Shuttles\n\n" + "".join(
        f"- [{one}]({one}.md)\n" for one in names
    )
    code = "from loom.weavers.weaver import Weaver\n\n\nclass {0}(Weaver):\n    def weave(self):\n" + BODY
    files |= {f"loom/weavers/{name.lower()}_weaver.py": code.format(name) for name in names}
    files["loom/weavers/weaver.py"] = (
        "class Weaver:\n    def weave(self):\n        raise NotImplementedError\n"
    )
    tables = "".join(f'    "{name}": "shuttles/{name}.md",\n' for name in names)
    files["docs/scripts/pages.py"] = f"# one page a shuttle\nSHUTTLES = {{\n{tables}}}\n"
    write_files(tmp_path, files)

    shown = answered(tmp_path, "how do I add a new shuttle", 600).items

    whole = [item.path for item in shown if item.level == "full"]
    assert sum(path.startswith("loom/weavers/") for path in whole) >= 1
    assert not [path for path in whole if path.startswith("docs/api/shuttles/") and "index" not in path]


def test_a_module_of_helpers_is_not_one_of_a_kind(tmp_path: Path) -> None:
    route = "from app.serve import answer\n\n\ndef {0}_route(request):\n" + BODY.replace("self.put", "answer")
    files = {
        f"app/routes/{name}.py": route.format(name) for name in ("amber", "birch", "cedar", "daisy", "elm")
    }
    files["app/routes/route_utils.py"] = route.format("util").replace("answer('util', 1)", "answer(1)")
    files["app/serve.py"] = "def answer(*what):\n    return what\n"
    write_files(tmp_path, files)

    shown = answered(tmp_path, "how do I add a route", 500).items

    assert shown[0].path.startswith("app/routes/")
    assert shown[0].path != "app/routes/route_utils.py"


@pytest.mark.parametrize("kind", ["provider", "backend", "integration"])
def test_one_of_several_is_called_what_stands_before_that(tmp_path: Path, kind: str) -> None:
    code = "from spool.llms.base import Base\n\n\nclass {0}(Base):\n    def answer(self):\n" + BODY
    names = ["Amber", "Birch", "Cedar", "Daisy", "Elder", "Fern"]
    files = {f"spool/llms/{name.lower()}.py": code.format(name) for name in names}
    files["spool/llms/base.py"] = "class Base:\n    def answer(self):\n        raise NotImplementedError\n"
    other = (
        f"export class Shop{kind.title()} {{\n"
        + "".join(f"  {kind}{at}() {{}}\n" for at in range(40))
        + "}\n"
    )
    files[f"web/src/shop-{kind}.ts"] = other
    files["docs/web.md"] = (
        f"# Web\n\nThe {kind} of the shop. A new {kind} needs a {kind} for each {kind}.\n" * 9
    )
    write_files(tmp_path, files)

    paths = [item.path for item in answered(tmp_path, f"how do I add a new LLM {kind}", 500).items]

    assert paths[0].startswith("spool/llms/")


def test_lines_that_list_many_names_tell_no_other_name_of_one(tmp_path: Path) -> None:
    names = ["Amber", "Birch", "Cedar", "Daisy", "Elder", "Fern"]
    code = (
        "pub struct {0}Route;\n\nimpl {0}Route {{\n    fn weave(&self) {{\n"
        + "        put(1);\n" * 12
        + "    }}\n}}\n"
    )
    files = {f"src/routes/{name.lower()}.rs": code.format(name) for name in names}
    others = [f"Thing{chr(65 + at)}View" for at in range(20)]
    rows = "".join(f'    route("/{name.lower()}", {name}Route);\n' for name in names)
    views = ", ".join(["AmberRoute", *others])
    files["src/routes/mod.rs"] = f"#[schemas({views})]\nfn all() {{\n{rows}}}\n"
    files |= {f"src/views/{one.lower()}.rs": f"pub struct {one} {{\n    a: u8,\n}}\n" for one in others}
    files["src/routes/amber.rs"] = files["src/routes/amber.rs"].replace("put(1);\n", "put(2);\n", 8)
    write_files(tmp_path, files)

    paths = [item.path for item in answered(tmp_path, "how do I add a new route", 1_500).items]

    assert "src/routes/mod.rs" in paths
    assert not [path for path in paths if path.startswith("src/views/")]


def test_a_base_inside_a_module_is_one(tmp_path: Path) -> None:
    methods = "".join(f"    def put_{at}\n      put({at})\n      true\n    end\n" for at in range(12))
    code = "module Shop\n  class {0} < Command\n" + methods + "  end\nend\n"
    names = ["Amber", "Birch", "Cedar", "Daisy", "Elder", "Fern"]
    files = {f"lib/commands/{name.lower()}.rb": code.format(name) for name in names}
    other = "module Loom\n  class {0}\n" + methods.replace("put", "run") + "  end\nend\n"
    files["lib/loom/kinds.rb"] = other.format("Command")
    using = "module Loom\n  class {0}\n" + methods.replace("put", "Command.put") + "  end\nend\n"
    files |= {f"lib/loom/shed{at}.rb": using.format(f"Shed{at}") for at in range(20)}
    write_files(tmp_path, files)

    shown = answered(tmp_path, "how do I add a command", 1_200).items

    assert "lib/loom/kinds.rb" in [item.path for item in shown if item.level == "full"]


def test_a_base_that_says_all_that_is_asked_comes_before_files_that_say_half(tmp_path: Path) -> None:
    mocks = "package shop;\n\npublic class Mock{0} {{\n" + "    int put() {{ return 1; }}\n" * 12 + "}}\n"
    names = ["Amber", "Birch", "Cedar", "Daisy", "Elder", "Fern"]
    files = {f"src/shop/Mock{name}.java": mocks.format(name) for name in names}
    files["src/shop/Shops.java"] = (
        "package shop;\n\nclass Shops {\n" + "".join(f"    Mock{one} a;\n" for one in names) + "}\n"
    )
    makers = (
        "package shop.in;\n\npublic class {0}Maker implements MockMaker {{\n"
        "    public Object make() {{ return 1; }}\n}}\n"
    )
    files |= {f"src/in/{name}Maker.java": makers.format(name) for name in ("Quick", "Slow")}
    files["src/in/MockMaker.java"] = (
        "package shop.in;\n\npublic interface MockMaker {\n    Object make();\n}\n"
    )
    write_files(tmp_path, files)

    paths = [item.path for item in answered(tmp_path, "how do I add a new mock maker", 300).items]

    assert "src/in/MockMaker.java" in paths[:2]


def test_a_maker_is_a_thing_though_to_make_says_little() -> None:
    terms = read_question("how do I add a new mock maker").terms

    assert terms["mak"] == terms["mock"]
    assert read_question("how do I make a new mock").terms["mak"] < terms["mock"]


def test_an_abbreviated_name_is_the_base_of_what_is_asked_for_in_full(tmp_path: Path) -> None:
    types = "class ParamType:\n    def convert(self, value):\n        raise NotImplementedError\n\n\n"
    types += "".join(
        f"class {one}ParamType(ParamType):\n    def convert(self, value):\n        return value\n\n\n"
        for one in "ABC"
    )
    core = (
        "class Parameter:\n    def parameter_type(self):\n"
        + BODY.format("type")
        + "\n\nclass Option(Parameter):\n    pass\n\n\nclass Argument(Parameter):\n    pass\n"
    )
    write_files(tmp_path, {"loom/types.py": types, "loom/core.py": core})

    paths = [item.path for item in answered(tmp_path, "how do I add a new parameter type", 250).items]

    assert paths[0] == "loom/types.py"


def test_one_file_of_data_shows_how_one_more_is_added(tmp_path: Path) -> None:
    skin = "skin:\n" + "".join(f"  part{at}: '#{at}{at}{at}'\n" for at in range(9))
    names = ["amber", "birch", "cedar", "daisy", "elder", "fern"]
    files = {f"skins/{name}.yaml": f"# {name}\n{skin}" for name in names}
    files["README.md"] = "# Loom\n\n## Skins\n\nA new skin goes into `skins/`.\n"
    files["src/loom.py"] = "def skin_of(user):\n    return user.skin\n"
    write_files(tmp_path, files)

    shown = answered(tmp_path, "how do I add a new skin", 800).items

    assert [item.level for item in shown if item.path.startswith("skins/")] == ["full"]


def test_the_file_that_is_called_what_is_asked_for_is_shown_where_nothing_else_is_found(
    tmp_path: Path,
) -> None:
    called = "# a generator\ndef {0}_{1}(site):\n    return site.generator.of(site.generator, {1})\n\n\n"
    files = {
        f"lib/{name}.py": "".join(called.format(name, at) for at in range(12))
        for name in ("shed", "reed", "warp")
    }
    files["lib/generator.py"] = "from lib.plugin import make\n\nKind = make()\n"
    files["docs/generators.md"] = (
        "# Generators\n\n" + "A new generator makes pages, as each generator does.\n" * 9
    )
    write_files(tmp_path, files)

    paths = [item.path for item in answered(tmp_path, "how do I add a new generator", 120).items]

    assert "lib/generator.py" in paths


def test_beside_what_all_use_the_rest_of_its_file_is_left_out(tmp_path: Path) -> None:
    code = (
        "import {{ MiddlewareHandler }} from '../types'\n\nexport const {0} = (): MiddlewareHandler => {{\n"
    )
    code += "".join("  next({0})\n" for _ in range(12)) + "}}\n"
    names = ["amber", "birch", "cedar", "daisy", "elder", "fern"]
    files = {f"src/middleware/{name}.ts": code.format(name) for name in names}
    other = "export interface Chain{0} {{\n" + "  (middleware: Middleware{0}): Middleware\n" * 9 + "}}\n\n"
    files["src/types.ts"] = "export type MiddlewareHandler = (context: Context) => void\n\n" + "".join(
        other.format(at) for at in range(20)
    )
    write_files(tmp_path, files)

    found = answered(tmp_path, "how do I add a new middleware", 1_500)

    assert "export type MiddlewareHandler" in found.text
    assert "export interface Chain7" not in found.text
