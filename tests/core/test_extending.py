"""Packs for who adds one more of a kind: a precedent, its base, what makes it known, and little beside."""

from __future__ import annotations

from pathlib import Path

import pytest

from satchel.questions import read_question

from .repositories import write_files
from .test_answering import answered

BODY = "".join(f"        self.put('{{0}}', {at})\n" for at in range(12))


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


def test_what_is_new_is_called_so_by_nothing() -> None:
    question = read_question("how do I add a new rule?")

    assert question.terms["new"] <= 0.25 * question.terms["rul"]
    assert read_question("what is new in the rules?").terms.get("new", 1.0) > question.terms["new"]


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


def test_of_many_of_a_kind_the_one_is_shown_whose_path_says_what_is_asked(tmp_path: Path) -> None:
    code = "from shop.base import draw\n\n\ndef {0}(items):\n" + BODY.replace("self.put", "draw")
    files = {
        f"shop/widgets/{kind}/{name}.py": code.format(name) + "    draw(items)\n" * longer
        for kind, longer in (("forms", 0), ("barchart", 9))
        for name in (f"{kind[0]}{at}" for at in range(6))
    }
    files["shop/base.py"] = "def draw(*what):\n    return what\n"
    write_files(tmp_path, files)

    whole = [one.path for one in answered(tmp_path, "how do I add a new chart widget", 700).items]

    assert whole[0].startswith("shop/widgets/barchart/")


def test_folders_that_all_have_a_file_of_one_name_are_one_of_a_kind_each(tmp_path: Path) -> None:
    code = "const Client = require('../../client');\n\nclass {0} extends Client {{\n"
    code += "  open() {{ return '{0} {1}'; }}\n" * 12 + "}}\n\nmodule.exports = {0};\n"
    files = {
        f"lib/dialects/{name}/{file}.js": code.format(f"{name.title()}{number}", file)
        + f"console.log({name}, {number});\n" * (9 - number)
        for name in ("amber", "birch", "cedar", "daisy", "elder", "fern")
        for number, file in enumerate(("index", *(f"schema/{name}-{at}" for at in range(8))))
    }
    files["lib/client.js"] = "class Client {\n  open() {}\n}\n\nmodule.exports = Client;\n"
    write_files(tmp_path, files)

    shown = answered(tmp_path, "how do I add a new database dialect", 600).items

    whole = [one.path.rpartition("/")[2] for one in shown if one.path.startswith("lib/dialects/")]
    assert whole == ["index.js"]


def test_of_a_folder_with_many_of_a_kind_one_of_them_is_shown(tmp_path: Path) -> None:
    code = (
        "package {0}\n\nfunc init() {{\n\tloom.Register({1})\n}}\n\ntype {1} struct {{\n"
        + "\tName string\n" * 5
    )
    names = ("amber", "birch", "cedar", "daisy", "elder", "fern")
    files = {f"modules/{name}/{name}.go": code.format(name, name.title()) + "}\n" for name in names}
    files["modules/web/web.go"] = code.format("web", "Web") + "\tPort int\n" * 160 + "}\n"
    files |= {f"modules/web/part{at}.go": code.format("web", f"Part{at}") + "}\n" for at in range(25)}
    files["modules/web/push/handler.go"] = code.format("push", "Handler") + "\tLink string\n}\n"
    files["loom.go"] = "package loom\n\n// Register adds a module.\nfunc Register(module any) {\n}\n"
    write_files(tmp_path, files)

    shown = answered(tmp_path, "how do I add a new web handler module", 400).items

    assert shown[0].path == "modules/web/push/handler.go"


def test_an_example_that_is_called_what_is_asked_for_is_a_guide(tmp_path: Path) -> None:
    files = {
        "tutorials/20_recipes/005_user_defined_sampler.py": '"""Your own sampler is a class that draws."""\n'
        "import loom\n\nclass OwnSampler(loom.BaseSampler):\n    def draw(self, study):\n        return 1\n",
        "loom/samplers/base.py": "class BaseSampler:\n    def draw(self, study):\n        raise ValueError\n",
        "docs/loom.md": "# Loom\n\n" + "It draws, and then it draws anew.\n" * 9,
    }
    files |= {
        f"loom/samplers/{name}.py": "from loom.samplers.base import BaseSampler\n\n\n"
        f"class {name.title()}Sampler(BaseSampler):\n    def draw(self, study):\n" + BODY
        for name in ("amber", "birch", "cedar", "daisy", "elder")
    }
    write_files(tmp_path, files)

    shown = answered(tmp_path, "how do I write a new sampler", 500).items

    assert shown[0].path == "tutorials/20_recipes/005_user_defined_sampler.py"


def test_data_deep_below_a_folder_of_that_name_is_none_of_the_kind(tmp_path: Path) -> None:
    words = "".join(f'msgid "theme {at}"\nmsgstr "Thema {at}"\n\n' for at in range(9))
    files = {
        f"shop/themes/{theme}/locales/{language}/LC_MESSAGES/messages.po": f"# {language}\n\n{words}"
        for theme in ("plain", "bright")
        for language in ("de", "es", "fr", "it")
    }
    files |= {"docs/themes.md": "# Themes\n\nA new theme is a folder with a `main.html`.\n" * 4}
    files |= {f"shop/themes/{theme}/main.html": "<p>{{ theme }}</p>\n" for theme in ("plain", "bright")}
    write_files(tmp_path, files)

    shown = answered(tmp_path, "how do I add a new theme", 900).items

    assert not [one.path for one in shown if one.path.endswith(".po") and one.level == "full"]


def test_a_section_that_is_called_what_is_asked_for_is_a_guide_beside_pages_of_a_kind(tmp_path: Path) -> None:
    names = ("amber", "birch", "cedar", "daisy", "elder", "fern")
    files = {f"docs/filters/{name}.md": f"# {name}\n\nThe filter `{name}` is one.\n" for name in names}
    files["src/core.php"] = "<?php\nfunction all() {\n    return [\n" + "".join(
        f"        new Filter('{name}', 'do_{name}'),\n" for name in names
    )
    files["src/core.php"] += "    ];\n}\n"
    other = "".join(f"## Part {at}\n\nA filter is new, and more of that.\n\n" for at in range(9))
    files["docs/advanced.md"] = (
        f"# Advanced\n\n{other}## Filters\n\nGive a name to what is called.\n\n{other}"
    )
    write_files(tmp_path, files)

    shown = answered(tmp_path, "how do I add a new filter", 400)

    assert "Give a name to what is called." in shown.text
    assert "src/core.php" in {one.path for one in shown.items}


def _write_looms(root: Path, extra: dict[str, str]) -> None:
    kind = "from loom.store import Store\n\n\nclass {0}Backend(Store):\n    def weave(self):\n"
    names = ("Amber", "Birch", "Cedar", "Daisy", "Elder", "Fern")
    files = {f"loom/backend/{name.lower()}.py": kind.format(name) + BODY.format(name) * 3 for name in names}
    write_files(root, files | extra)


@pytest.mark.parametrize(
    ("question", "path", "heading"),
    [
        ("how do I add a new yarn backend?", "CONTRIBUTING.md", "Writing a new backend"),
        ("how do I add a backend?", "docs/tutorials/parts/1_basic_backend.md", "The module"),
        ("how do I write a custom backend?", "developers.md", "First backend"),
        ("how do I write a backend?", "cook_book.md", "Writing New Backends Quickly {#NewBackends}"),
    ],
)
def test_a_guide_comes_before_a_precedent_that_fills_the_window(
    tmp_path: Path, question: str, path: str, heading: str
) -> None:
    rest = "".join(f"## Rule {at}\n\nBe kind to the loom {at}.\n\n" for at in range(20))
    section = f"## {heading}\n\nTie the knots of yarn first.\n\n"
    _write_looms(tmp_path, {path: f"# Looms\n\n{rest}{section}" if "C" in path else f"{section}{rest}"})

    shown = answered(tmp_path, question, 600)

    assert shown.items[0].path == path
    assert "Tie the knots of yarn first." in shown.text


def test_a_folder_for_each_of_a_kind_shows_one_and_what_registers_it(tmp_path: Path) -> None:
    files: dict[str, str] = {
        "docs/looms.md": "# Looms\n\nA new language is woven, and a language is new.\n" * 9
    }
    names = ("amber", "birch", "cedar", "daisy", "elder", "fern")
    for name in names:
        folder = f"src/language-{name}"
        printed = f"export function print(node) {{\n  return node.{name};\n}}\n"
        files[f"{folder}/index.js"] = (
            f'import {{ print }} from "./printer.js";\nexport default {{ print, {name}: 1 }};\n'
        )
        files[f"{folder}/printer.js"] = printed
    files |= {
        f"src/language-amber/print/part{at}.js": f"export function part{at}(language) {{\n"
        + f"  language.put({at});\n" * 9
        + "}\n"
        for at in range(9)
    }
    files["src/builtin.js"] = "".join(f'import {name} from "./language-{name}/index.js";\n' for name in names)
    write_files(tmp_path, files)

    shown = [item.path for item in answered(tmp_path, "how do I add a new language", 500).items]

    assert shown[0].startswith("src/language-")
    assert "src/builtin.js" in shown
    assert "src/language-amber/print/part1.js" not in shown


def test_functions_that_are_there_to_make_one_show_how_one_is_made(tmp_path: Path) -> None:
    make = "export function {0}(name: string, body: Body) {{\n  return weave(name, body);\n}}\n"
    other = "\n".join(
        f"// writes what plugins write\nexport function write{at}() {{\n  put({at});\n}}\n"
        for at in range(20)
    )
    files = {f"src/{name}.ts": f"// a plugin is written\n{other}" for name in ("knot", "yarn", "loom")}
    files["src/api/making.ts"] = make.format("createRoutePlugin") + "\n" + make.format("createPlugin")
    files["src/api/finding.ts"] = make.format("findPlugin")
    write_files(tmp_path, files)

    shown = answered(tmp_path, "how do I write a plugin?", 300)

    assert shown.items[0].path == "src/api/making.ts"
    assert "createPlugin(" in shown.text


def test_a_short_example_with_nearly_all_that_is_typical_comes_before_a_long_one(tmp_path: Path) -> None:
    verbs = ("fetch", "list", "drop", "mark", "pause", "start", "check", "test", "name", "limit")
    method = "    def {0}(self):\n        return self.proxy.{0}_all()\n\n"
    names = ("amber", "birch", "cedar", "daisy", "elder", "fern")

    def write(name: str, count: int, size: int) -> str:
        rest = "".join(f"        self.say('{name} {at}')\n" for at in range(size))
        return f"class {name.title()}Client:\n    def wind(self):\n{rest}\n" + "".join(
            map(method.format, verbs[:count])
        )

    files = {f"loom/clients/{name}.py": write(name, 10, 90) for name in names}
    write_files(tmp_path, {**files, "loom/clients/short.py": write("short", 9, 30)})

    assert answered(tmp_path, "how do I add a new client", 900).items[0].path == "loom/clients/short.py"


def test_rows_of_a_list_define_nothing_that_all_of_a_kind_use(tmp_path: Path) -> None:
    names = ("amber", "birch", "cedar", "daisy", "elder", "fern")
    calls = [f"Wind{at}" for at in range(40)]
    code = '#include "loom/methods.h"\n\nint Read{0}Coder(Yarn *yarn)\n{{\n' + "".join(
        f"  {call}(yarn);\n" for call in calls[::4]
    )
    files = {f"coders/{name}.c": code.format(name.title()) + "  return 1;\n}\n" for name in names}
    rows = "".join(f"#define {call}  PrependLoomMethod({call})\n" for call in calls)
    listed = "".join(
        f"#define Read{name.title()}Coder  PrependLoomMethod(Read{name.title()}Coder)\n" for name in names
    )
    files["loom/methods.h"] = f"/* methods of a new coder */\n{rows * 8}{listed}"
    write_files(tmp_path, files)

    shown = answered(tmp_path, "how do I add a new coder", 1_500)

    assert shown.items[0].path.startswith("coders/")
    assert shown.text.count("PrependLoomMethod") < 40


def test_a_subcommand_is_a_command_that_code_abbreviates(tmp_path: Path) -> None:
    body = "".join(f"\twind(out, `{{0}} {at}`)\n" for at in range(12))
    code = f"package cmd\n\nfunc new{{0}}(out Writer) {{{{\n{body}}}}}\n"
    names = ("Amber", "Birch", "Cedar", "Daisy", "Elder", "Fern")
    files = {f"pkg/cmd/{name.lower()}.go": code.format(name) for name in names}
    calls = "".join(f"\t\tnew{name}(out),\n" for name in names)
    files["pkg/cmd/root.go"] = f"package cmd\n\nfunc all(out Writer) {{\n\tadd(\n{calls}\t)\n}}\n"
    files["docs/looms.md"] = "# Looms\n\nEach subcommand is new, and a new subcommand is one.\n" * 9
    root = write_files(tmp_path / "loom", files)

    shown = [item.path for item in answered(root, "how do I add a new subcommand", 400).items]

    assert shown[0].startswith("pkg/cmd/")
    assert "pkg/cmd/root.go" in shown


def test_words_that_many_methods_have_register_nothing(tmp_path: Path) -> None:
    names = ("Amber", "Birch", "Cedar", "Daisy", "Elder", "Fern")
    body = (
        "package controllers\n\ntype {0}Controller struct {{}}\n\n"
        "func New{0}Controller() *{0}Controller {{\n\treturn nil\n}}\n\n"
        "func (self *{0}Controller) Weave{0}() {{\n\tself.weave()\n}}\n"
    )
    files = {f"src/controllers/{name.lower()}_controller.go": body.format(name) for name in names}
    texts = "".join(f'\tWeave{name}: "weave",\n\tWeave{name}Tip: "tip",\n' for name in names)
    files["src/texts.go"] = f"package texts\n\nvar Texts = Set{{\n{texts}}}\n"
    made = "".join(f"\t\tcontrollers.New{name}Controller(),\n" for name in names[:5])
    files["src/wiring.go"] = (
        f"package gui\n\nfunc list() []Controller {{\n\treturn []Controller{{\n{made}\t}}\n}}\n"
    )
    write_files(tmp_path, files)

    shown = [item.path for item in answered(tmp_path, "how do I add a new controller?", 600).items]

    assert shown[0].startswith("src/controllers/")
    assert "src/wiring.go" in shown
    assert "src/texts.go" not in shown


def test_who_adds_an_option_of_the_command_line_sees_where_most_are_declared(tmp_path: Path) -> None:
    words = "// A new line of a command adds an option to the line of commands.\n"
    cup = "package cups\n\nfunc Cup{0}() {{}}\n"
    files = {f"src/cups/cup{at}.go": words * 9 + cup.format(at) for at in range(40)}
    cases = "".join(f'\t\tcase "--cup-{at}":\n\t\t\topts.Cup{at} = value(arg)\n' for at in range(60))
    files["src/brew/options.go"] = (
        "package brew\n\nfunc parse(args []string, opts *Opts) {\n\tfor _, arg := range args {\n"
        f"\t\tswitch arg {{\n{cases}\t\t}}\n\t}}\n}}\n"
    )
    write_files(tmp_path, files)

    shown = answered(tmp_path, "how do I add a new command line option?", 700)

    assert shown.items[0].path == "src/brew/options.go"
    assert 'case "--cup-' in shown.text


def test_folders_of_a_kind_may_be_one_folder_further_down(tmp_path: Path) -> None:
    names = ("amber", "birch", "cedar", "daisy", "elder", "fern")
    made = "package {0}\n\nfunc NewFactory() Factory {{\n\treturn weave({1})\n}}\n"
    files = {f"internal/storage/v2/{name}/factory.go": made.format(name, at) for at, name in enumerate(names)}
    helper = "package helpers\n\n" + "".join(
        f"func Hold{at}() int {{\n\treturn {at}\n}}\n\n" for at in range(40)
    )
    for at in range(3):
        files[f"internal/storage/shared/part{at}/{'abc'[at]}/factory.go"] = helper
        files[f"internal/storage/check{at}/deep/factory.go"] = helper
    write_files(tmp_path, files)

    shown = [item.path for item in answered(tmp_path, "how do I add a new storage?", 600).items]

    assert shown[0].startswith("internal/storage/v2/")
    assert not [path for path in shown if not path.startswith("internal/storage/v2/")]


def test_where_few_name_a_base_the_others_implement_it_without_saying_so(tmp_path: Path) -> None:
    names = ("amber", "birch", "cedar", "daisy", "elder", "fern")
    one = (
        "package core\n\ntype {0}Field struct {{\n\tName string\n}}\n\n"
        "func (f *{0}Field) Weigh(r *Record) int {{\n\treturn r.{0}\n}}\n"
    )
    files = {f"core/field_{name}.go": one.format(name.title()) for name in names}
    files["core/field.go"] = (
        "package core\n\ntype Field interface {\n\tWeigh(r *Record) int\n}\n\n"
        "type FieldFactory func() Field\n"
    )
    files["core/record.go"] = "package core\n\ntype Record struct {\n\tRaw string\n}\n"
    held = "".join(f"func (f FieldList) Hold{at}() int {{\n\treturn {at}\n}}\n\n" for at in range(150))
    files["core/field_list.go"] = f"package core\n\ntype FieldList []Field\n\n{held}"
    write_files(tmp_path, files)

    shown = [item.path for item in answered(tmp_path, "how do I add a new field type?", 500).items]

    assert shown[0] in {f"core/field_{name}.go" for name in names}


@pytest.mark.parametrize("has_files_beside", [False, True])
def test_folders_with_a_file_called_like_the_kind_are_one_each(
    tmp_path: Path, has_files_beside: bool
) -> None:
    """They are not where more files stand beside the folders: each of these is one."""
    names = ("amber", "birch", "cedar", "daisy", "elder", "fern")
    made = "package {0}\n\n" + "func New{1}() int {{\n\treturn {1}\n}}\n\n"
    long = made + "// It is put where others of this are, for whoever looks at it.\n" * 4
    files = {
        f"internal/output/{name}/{'output' if at < 4 else name}.go": long.format(name, at)
        for at, name in enumerate(names)
    }
    files |= {f"internal/output/{name}/wire_{name}.go": long.format(name, 1) for name in names}
    files |= {f"output/part{at}.go": made.format("output", at) for at in range(9)}
    if has_files_beside:
        files |= {f"internal/output/own{at}.go": made.format("output", at) for at in range(9)}
    write_files(tmp_path, files)

    shown = [item.path for item in answered(tmp_path, "how do I add a new output?", 600).items]

    folder = "internal/output" if has_files_beside else "internal/output/amber"
    assert {path.rpartition("/")[0] for path in shown} == {folder}


def test_a_guide_to_a_kind_tells_how_a_type_of_it_is_added(tmp_path: Path) -> None:
    page = "# Cups\n\nCups hold tea.\n\n## Extending a cup\n\nDerive it from `Cup`.\n"
    names = ("Blue", "Green", "Round", "Small")
    cups = "".join(
        f"class {name}Cup(Cup):\n    def pour(self):\n        return '{name}'\n\n\n" for name in names
    )
    base = "class Cup:\n    def pour(self):\n        raise NotImplementedError\n"
    write_files(tmp_path / "loom", {"docs/cups.md": page, "loom/base.py": base, "loom/cups.py": cups})

    assert answered(tmp_path / "loom", "how do I add a new cup type").items[0].path == "docs/cups.md"


def test_who_adds_a_field_to_a_type_sees_that_type(tmp_path: Path) -> None:
    form = "<h2>New Cup</h2>\n<p>Add the fields of the cup: a field for its tea, a field for its size.</p>\n"
    files = {
        "web/forms/cup.html": form * 4,
        "src/Cup.java": "package loom;\n\npublic class Cup {\n    private String tea;\n    int size;\n}\n",
        "src/Jug.java": "class Jug {\n    void addCup(Cup cup) {\n        field.add(cup);\n    }\n}\n",
    }
    write_files(tmp_path / "loom", files)

    assert answered(tmp_path / "loom", "how do I add a field to Cup").items[0].path == "src/Cup.java"


def test_folders_of_one_each_come_before_files_that_begin_with_the_kind(tmp_path: Path) -> None:
    serving = "void plugin_{0}(void)\n{{\n" + "    plugins_{0}();\n" * 8 + "}}\n"
    own = "int init_{0}(void)\n{{\n" + "    pour_{0}();\n" * 12 + "}}\n"
    files = {
        f"src/plugin_{name}.c": serving.format(name)
        for name in ("acl", "load", "run", "stop", "tick", "quit", "log", "key", "bus", "tls", "map")
    }
    for name in ("cup", "jug", "pot", "lid", "mug"):
        files |= {f"plugins/{name}/{part}.c": own.format(f"{name}_{part}") for part in ("plugin", "check")}
    write_files(tmp_path, files)

    bundle = answered(tmp_path, "how do I write a plugin?", 600)

    assert bundle.items[0].path.startswith("plugins/")
