from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest

from satchel import Part

Split = Callable[[str, str], Sequence[Part]]

CASES = {
    "a.swift": ("public struct A {\n  func b() {\n    c()\n  }\n}\n", [("A", (1, 5)), ("A.b", (2, 4))]),
    "a.proto": ("message A {\n  string x = 1;\n}\n\nservice B {\n}\n", [("A", (1, 3)), ("B", (5, 6))]),
    "a.sql": ("CREATE TABLE IF NOT EXISTS a (\n  x int\n);\n", [("a", (1, 3))]),
    "a.lua": (
        "local function a(x)\n  return x\nend\nfunction B:c(y)\n  a(y)\nend\n",
        [("a", (1, 3)), ("B.c", (4, 6))],
    ),
    "a.dart": (
        "Future<void> main(List<String> args) async {\n  await a(args);\n  final b = c(\n    1,\n  );\n"
        "  return d(b);\n}\n\n"
        "class E extends F {\n  @override\n  Widget build(BuildContext g) => H();\n\n"
        "  bool get isI => j;\n}\n",
        [("main", (1, 7)), ("E", (9, 14)), ("E.build", (10, 11)), ("E.isI", (13, 13))],
    ),
    "a.zig": (
        "pub const A = struct {\n    fn b(self: *A) void {\n        c(self);\n    }\n};\n\nconst d = e;\n",
        [("A", (1, 5)), ("A.b", (2, 4))],
    ),
    "a.ex": ("defmodule A.B do\n  def c(x) do\n    x\n  end\nend\n", [("A.B", (1, 5)), ("A.B.c", (2, 4))]),
    "a.tf": (
        '# what runs\nresource "aws_instance" "web" {\n  ebs {\n  }\n}\n\ndata "aws_ami" "linux" {\n}\n\n'
        'module "network" {\n}\n\nvariable "size" {\n}\n\nlocals {\n  a = {\n  }\n}\n',
        [
            ("aws_instance.web", (1, 5)),
            ("data.aws_ami.linux", (7, 8)),
            ("module.network", (10, 11)),
            ("size", (13, 14)),
            ("locals", (16, 19)),
        ],
    ),
    "a.css": (".a > b {\n  color: red;\n}\n", [(".a > b", (1, 3))]),
}


@pytest.mark.parametrize("path", CASES)
def test_what_looks_like_a_definition_is_a_symbol(path: str, split: Split) -> None:
    text, wanted = CASES[path]

    found = [(symbol.name, symbol.lines) for part in split(path, text) for symbol in part.symbols]

    assert found == wanted


@pytest.mark.parametrize(
    ("path", "text", "imports", "refs"),
    [
        (
            "a.kt",
            "import a.b.Cup\nimport a.b.fill\n\nclass Pot : Jug() {\n    // Lid is told\n"
            "    fun pour(cup: Cup) = if (cup.isFull()) fill(cup) else cup\n}\n",
            (1, 3),
            {"Jug", "Cup", "isFull", "fill"},
        ),
        (
            "a.dart",
            "import 'cup.dart';\n\nvoid main() {\n  runApp(Cup.of(1));\n}\n",
            (1, 2),
            {"runApp", "Cup"},
        ),
        ("a.lua", "local cup = require('cup')\n\nfunction pour(x)\n  cup.fill(x)\nend\n", (1, 2), {"fill"}),
    ],
)
def test_what_a_definition_uses_is_told_without_a_grammar(
    path: str, text: str, imports: tuple[int, int], refs: set[str], split: Split
) -> None:
    first, *others = split(path, text)

    assert (first.kind, first.lines) == ("imports", imports)
    assert {name for part in others for name in part.refs} == refs


def test_prose_has_no_definitions(split: Split) -> None:
    parts = split("a.txt", "function of the class is\ntype x\n")

    assert [part.symbols for part in parts] == [()]


def test_long_text_is_cut_at_blank_lines(split: Split) -> None:
    text = "".join("a line\n" if number % 7 else "\n" for number in range(1, 300))

    parts = split("a.txt", text)

    assert len(parts) > 3
    assert all(part.lines[1] - part.lines[0] <= 66 for part in parts)
    assert all((part.lines[0] - 1) % 7 == 0 for part in parts[1:])
