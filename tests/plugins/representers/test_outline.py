from __future__ import annotations

from collections.abc import Callable, Sequence
from textwrap import dedent

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
    "a.bats": (
        'load helper\n\nsetup() {\n  b\n}\n\n@test "(c) d" {\n  run e\n}\n',
        [("setup", (3, 5)), ("(c) d", (7, 9))],
    ),
    "a.el": (
        '(defun a (x)\n  "Do A.\nWith a prefix, do B."\n  (b x))\n\n'
        ';;; Rest\n(defvar c nil\n  "C.\n\nSee `a\'.")\n',
        [("a", (1, 4)), ("c", (6, 10))],
    ),
    "a.css": (".a > b {\n  color: red;\n}\n", [(".a > b", (1, 3))]),
}


@pytest.mark.parametrize("path", CASES)
def test_what_looks_like_a_definition_is_a_symbol(path: str, split: Split) -> None:
    text, wanted = CASES[path]

    found = [(symbol.name, symbol.lines) for part in split(path, text) for symbol in part.symbols]

    assert found == wanted


WRITTEN = {
    "a.kt": (
        """
        class Pot(
            val size: Int,
        ) : Jug() {
            private val lid by lazy { Lid() }
            init { fill() }

            @Test fun <T : Comparable<T>> List<T>.second(
                at: Int,
            ): T {
                val local = this[at]
                return local
            }
        }
        """,
        [
            ("Pot", (1, 13)),
            ("Pot.size", (2, 2)),
            ("Pot.lid", (4, 4)),
            ("Pot.init", (5, 5)),
            ("Pot.List.second", (7, 12)),
        ],
    ),
    "a.swift": (
        """
        extension Pot: Jug {
            public private(set) var size: Int {
                let now = read()
                return now
            }
            required init?(size: Int) {}
            static func == (left: Pot, right: Pot) -> Bool {
        #if DEBUG
                check()
        #endif
                return left.size == right.size
            }
        }
        """,
        [("Pot", (1, 13)), ("Pot.size", (2, 5)), ("Pot.init", (6, 6)), ("Pot.==", (7, 12))],
    ),
    "_helpers.tpl": (
        """
        {{/*
        Name the pot.
        */}}
        {{- define "shop.pot.name" -}}
        {{- if .Values.pot }}
        {{ .Values.pot }}
        {{- end }}
        {{- end }}

        {{- define "shop.lid" }}
        lid: {{ include "shop.pot.name" . }}
        {{- end }}
        """,
        [("shop.pot.name", (1, 8)), ("shop.lid", (10, 12))],
    ),
    "a.scala": (
        """
        private[pots] final case class Pot(size: Int) extends Jug:
          lazy val lid = Lid()
          override def pour(
              cup: Cup
          ): Unit = {
            val local = cup
          }
        given jugs: Ordering[Jug] = by(_.size)
        extension (cup: Cup)
          def isFull = true
        test("a pot is full") {
          pour()
        }
        """,
        [
            ("Pot", (1, 7)),
            ("Pot.lid", (2, 2)),
            ("Pot.pour", (3, 7)),
            ("jugs", (8, 8)),
            ("Cup", (9, 10)),
            ("Cup.isFull", (10, 10)),
            ("a pot is full", (11, 13)),
        ],
    ),
    "a.exs": (
        """
        defmodule A.B do
          @moduledoc \"\"\"
          def not_this(x) do
          \"\"\"
          @spec full?(
                  Cup.t()
                ) :: boolean
          def full?(%Cup{} = cup), do: cup.full
          def full?(_), do: false

          defp pour(cup) do
            cup
          end
        end
        """,
        [("A.B", (1, 14)), ("A.B.full?", (2, 9)), ("A.B.pour", (11, 13))],
    ),
    "a.erl": (
        """
        -module(pot).
        -record(pot, {size}).
        -spec pour(atom()) ->
            ok.
        pour(cup) ->
            ok;
        pour(_) -> error.
        """,
        [("pot", (2, 2)), ("pour", (3, 7))],
    ),
    "a.hs": (
        """
        module Pot where
        import Data.List
        -- | Fills.
        fill :: Int -> Int
        fill 0 = 1
        fill n = go n
          where go = id
        data Pot = Pot
          { size :: Int }
        instance Show a => Show (Pot a) where
          show _ = ""
        """,
        [("fill", (3, 7)), ("Pot", (8, 9)), ("Show Pot", (10, 11))],
    ),
    "a.ml": (
        """
        open Base
        module Pot = struct
          type t = int
          (* let not_this = *)
          let rec fill n =
            let local = n in
            local
        end
        """,
        [("Pot", (2, 8)), ("Pot.t", (3, 3)), ("Pot.fill", (4, 7))],
    ),
    "a.fs": (
        """
        module App.Pots
        open System
        [<CLIMutable>]
        type Pot(size: int) =
            let mutable lid = 1
            member this.Fill(n) =
                let local = n
                local
            static member Of n = Pot n
        let ``a pot is full`` () = true
        """,
        [
            ("Pot", (3, 9)),
            ("Pot.lid", (5, 5)),
            ("Pot.Fill", (6, 8)),
            ("Pot.Of", (9, 9)),
            ("a pot is full", (10, 10)),
        ],
    ),
    "a.clj": (
        """
        (ns pots.core
          (:require [cups.core :as cups]))
        (defn- fill!
          [x] (cups/pour x))
        (def ^:dynamic *size* 3)
        """,
        [("fill!", (3, 4)), ("*size*", (5, 5))],
    ),
    "a.R": (
        """
        #' Fills.
        fill <- function(x) {
          x
        }
        Pot <- R6Class("Pot",
          public = list(
            pour = function(y) y
          )
        )
        """,
        [("fill", (1, 4)), ("Pot", (5, 9)), ("Pot.pour", (7, 7))],
    ),
    "a.jl": (
        """
        mutable struct Pot
            size::Int
        end
        fill(p::Pot, n=1)::Int = p.size + n
        function Base.show(io::IO, p::Pot)
            print(io, p)
        end
        """,
        [("Pot", (1, 3)), ("fill", (4, 4)), ("Base.show", (5, 7))],
    ),
    "a.pm": (
        """
        package Pot;
        use Cup;
        has size => 3;
        sub fill {
          my $x = shift;
        }

        =head2 fill

        sub not_this {

        =cut

        1;
        """,
        [("Pot", (1, 14)), ("Pot.size", (3, 3)), ("Pot.fill", (4, 6))],
    ),
    "a.groovy": (
        """
        class Pot {
            Pot(int size) {
                this.size = size
            }
            def "a pot is full"() {
                new Pot(1)
            }
            static String name(Cup cup) {
                cup.name
            }
        }
        """,
        [("Pot", (1, 11)), ("Pot.Pot", (2, 4)), ("Pot.a pot is full", (5, 7)), ("Pot.name", (8, 10))],
    ),
    "build.gradle": (
        """
        plugins {
            id 'java'
        }
        tasks.register('pour') {
            doLast { }
        }
        """,
        [("plugins", (1, 3)), ("tasks.register('pour')", (4, 6))],
    ),
    "a.ps1": (
        """
        function Get-Pot {
            param($Size)
        }
        class Cup {
            [int] Fill([int] $n) {
                return $n
            }
        }
        Describe 'pots' {
            It 'are full' {
                Get-Pot
            }
        }
        """,
        [
            ("Get-Pot", (1, 3)),
            ("Cup", (4, 8)),
            ("Cup.Fill", (5, 7)),
            ("pots", (9, 13)),
            ("pots.are full", (10, 12)),
        ],
    ),
    "a.m": (
        """
        #import "Pot.h"
        @implementation Pot
        - (void)fill:(int)size {
            [self pour];
        }
        + (instancetype)pot {
            return nil;
        }
        @end
        static int count(void) {
            return 1;
        }
        """,
        [("Pot", (2, 9)), ("Pot.fill", (3, 5)), ("Pot.pot", (6, 8)), ("count", (10, 12))],
    ),
    "a.nim": (
        """
        type
          Pot* = ref object
            size: int
        proc fill*(p: Pot) =
          echo p
        """,
        [("Pot", (2, 3)), ("fill", (4, 5))],
    ),
    "a.cr": (
        """
        class Pot
          def self.full?(x)
            x
          end
        end
        """,
        [("Pot", (1, 5)), ("Pot.full?", (2, 4))],
    ),
    "a.sol": (
        """
        contract Pot is Jug {
            event Filled(uint n);
            constructor() {}
            function fill(
                uint n
            ) public override {
                n;
            }

            /**
             * Empties.
             */
            modifier empty() {
                _;
            }
        }
        """,
        [
            ("Pot", (1, 16)),
            ("Pot.Filled", (2, 2)),
            ("Pot.constructor", (3, 3)),
            ("Pot.fill", (4, 8)),
            ("Pot.empty", (10, 15)),
        ],
    ),
    "a.graphql": (
        """
        extend type Query {
          pot: Pot
        }
        \"\"\"
        A type pot {
        \"\"\"
        type Pot {
          size: Int
        }
        """,
        [("Query", (1, 3)), ("Pot", (4, 9))],
    ),
    "a.nix": (
        """
        { lib, ... }:
        {
          options.pot = {
            size = 1;
          };
          fill = x: x;
        }
        """,
        [("options.pot", (3, 5)), ("fill", (6, 6))],
    ),
    "a.cmake": (
        """
        function(fill_pot name)
          message(x)
        endfunction()
        """,
        [("fill_pot", (1, 3))],
    ),
    "b.dart": (
        """
        sealed class Pot extends Jug {
          const Pot(this.size);
          factory Pot.of(int size) {
            final local = Pot(size);
            return local;
          }
          Future<void> pour(Cup cup);
        }
        extension on Cup {
          void fill() {}
        }
        """,
        [("Pot", (1, 8)), ("Pot.Pot", (2, 2)), ("Pot.of", (3, 6)), ("Pot.pour", (7, 7)), ("Cup", (9, 11))],
    ),
    "b.sql": (
        """
        -- all that is in pots
        CREATE OR REPLACE FUNCTION app.total(uid int)
        RETURNS int AS $$
        BEGIN
            RETURN 1;
        END;
        $$ LANGUAGE plpgsql;
        CREATE PROCEDURE fill()
        BEGIN
          SELECT 1;
        END;
        CREATE VIEW pots AS
        SELECT 1;
        """,
        [("app.total", (1, 7)), ("fill", (8, 11)), ("pots", (12, 13))],
    ),
}


@pytest.mark.parametrize("path", WRITTEN)
def test_definitions_of_a_language_have_their_names_and_ends(path: str, split: Split) -> None:
    text, wanted = WRITTEN[path]

    parts = split(path, dedent(text).lstrip())

    assert [(symbol.name, symbol.lines) for part in parts for symbol in part.symbols] == wanted


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
            {"runApp", "Cup", "of"},
        ),
        (
            "a.ex",
            "import Lids\n\ndef pour(cup) do\n  cup |> Shop.Cups.fill(1) |> full?()\nend\n",
            (1, 2),
            {"Cups", "fill", "full?"},
        ),
        ("a.hs", "import Data.List\n  ( sort )\n\nfill n = pourAll n Cup\n", (1, 3), {"pourAll", "Cup"}),
        ("a.clj", "(ns a\n  (:require [b]))\n\n(defn fill [x]\n  (b/pour x))\n", (1, 3), {"pour"}),
        ("a.erl", "-module(a).\n-export([b/0]).\n\nb() ->\n    cups:pour(1).\n", (1, 3), {"pour"}),
        ("a.ps1", "Import-Module Cups\n\nfunction A {\n  Get-Cup 1\n}\n", (1, 2), {"Get-Cup"}),
        ("a.lua", "local cup = require('cup')\n\nfunction pour(x)\n  cup.fill(x)\nend\n", (1, 2), {"fill"}),
    ],
)
def test_what_a_definition_uses_is_told_without_a_grammar(
    path: str, text: str, imports: tuple[int, int], refs: set[str], split: Split
) -> None:
    first, *others = split(path, text)

    assert (first.kind, first.lines) == ("imports", imports)
    assert {name for part in others for name in part.refs} == refs


@pytest.mark.parametrize(
    ("path", "line", "kind", "name"),
    [
        ("build.gradle.kts", "plugins {", "object", "plugins"),
        ("a.swift", 'it("fills") {', "callback", "fills"),
        ("a.scala", "opaque type Size = Int", "type", "Size"),
        ("a.dart", "test('fills', () {", "callback", "fills"),
        ("a.zig", 'test "fills" {', "callback", "fills"),
        ("a.lua", "M.fill = function(x)", "function", "M.fill"),
        ("a.lua", 'it("fills", function()', "callback", "fills"),
        ("a.ex", "  defstruct [:size]", "struct", "defstruct"),
        ("a.ex", "  @callback fill(size) :: ok", "prototype", "fill"),
        ("a.exs", 'test "fills", %{pot: pot} do', "callback", "fills"),
        ("a.erl", "-define(SIZE, 3).", "macro", "SIZE"),
        ("a.fs", "    new(size) = Pot(size)", "constructor", "new"),
        ("a.R", 'setGeneric("fill", function(x) x)', "function", "fill"),
        ("a.R", 'test_that("it fills", {', "callback", "it fills"),
        ("a.jl", '@testset "fills" begin', "callback", "fills"),
        ("a.m", "@property (nonatomic, copy) NSString *size;", "property", "size"),
        ("a.m", "typedef NS_ENUM(NSInteger, Size) {", "type", "Size"),
        ("a.m", "#define SIZE 3", "macro", "SIZE"),
        ("a.nim", 'test "fills":', "callback", "fills"),
        ("a.cr", 'it "fills" do', "callback", "fills"),
        ("a.graphql", "schema {", "type", "schema"),
        ("a.cmake", 'option(SIZE "of a pot" ON)', "variable", "SIZE"),
        ("a.thrift", "struct Pot {", "struct", "Pot"),
        ("a.awk", "function fill(x) {", "function", "fill"),
    ],
)
def test_a_line_begins_a_definition(path: str, line: str, kind: str, name: str, split: Split) -> None:
    found = [(symbol.kind, symbol.name) for part in split(path, f"{line}\n") for symbol in part.symbols]

    assert found == [(kind, name)]


@pytest.mark.parametrize(
    ("path", "opening", "line", "closing"),
    [
        ("a.kt", "/* It says:", "class A", "*/"),
        ("a.swift", "/*", "class A {}", "*/"),
        ("a.scala", "/*", "class A", "*/"),
        ("a.groovy", "/*", "class A {}", "*/"),
        ("a.dart", '"""', "class A {}", '"""'),
        ("a.lua", "--[[", "function a()", "]]"),
        ("a.hs", "{-", "a = 1", "-}"),
        ("a.ml", "(*", "let a = 1", "*)"),
        ("a.fs", "(*", "let a = 1", "*)"),
        ("a.clj", "#|", "(defn a [])", "|#"),
        ("a.jl", "#=", "function a()", "=#"),
        ("a.ps1", "<#", "function a {", "#>"),
        ("a.m", "/*", "- (void)a {", "*/"),
        ("a.nim", "#[", "proc a()", "]#"),
        ("a.proto", "/*", "message A {", "*/"),
        ("a.nix", "/*", "a = {", "*/"),
        ("a.sql", "/*", "create table a (", "*/"),
        ("a.thrift", "/*", "struct A {", "*/"),
        ("a.pm", "__END__", "sub a {", ""),
    ],
)
def test_a_long_comment_defines_nothing(
    path: str, opening: str, line: str, closing: str, split: Split
) -> None:
    parts = split(path, f"{opening}\n{line}\n{closing}\n")

    assert [symbol for part in parts for symbol in part.symbols] == []


def test_a_component_has_the_definitions_of_its_script_and_a_template(split: Split) -> None:
    text = """<template>
  <pot-lid @click="open" :size="half(2)" />
</template>

<script setup lang="ts">
import { computed } from "vue";
defineProps<{
  lid: string
}>();
const size = computed(() => {
  return fill(1);
});
function open(): void {
  lift();
}
</script>

<style>
a { color: red; }
</style>
"""

    parts = split("a.vue", text)

    found = [(symbol.kind, symbol.name, symbol.lines) for part in parts for symbol in part.symbols]
    assert found == [
        ("section", "template", (1, 3)),
        ("property", "defineProps", (7, 9)),
        ("variable", "size", (10, 12)),
        ("function", "open", (13, 15)),
        ("section", "style", (18, 20)),
    ]
    assert set(parts[0].refs) == {"PotLid", "open", "half"}


def test_markup_around_the_script_of_a_component_is_its_template(split: Split) -> None:
    text = "<script>\n  let { pot } = $props();\n  function fill() {}\n</script>\n\n<Lid on:click={fill} />\n"

    parts = split("a.svelte", text)

    assert [(symbol.name, symbol.lines) for part in parts for symbol in part.symbols] == [
        ("fill", (3, 3)),
        ("template", (6, 6)),
    ]
    assert set(parts[-1].refs) == {"Lid", "fill"}


def test_prose_has_no_definitions(split: Split) -> None:
    parts = split("a.txt", "function of the class is\ntype x\n")

    assert [part.symbols for part in parts] == [()]


def test_long_text_is_cut_at_blank_lines(split: Split) -> None:
    text = "".join("a line\n" if number % 7 else "\n" for number in range(1, 300))

    parts = split("a.txt", text)

    assert len(parts) > 3
    assert all(part.lines[1] - part.lines[0] <= 66 for part in parts)
    assert all((part.lines[0] - 1) % 7 == 0 for part in parts[1:])
