"""What a page includes from files of its own comes with the section that includes it."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

import satchel
from satchel.packing import find_includes
from satchel.parts import NO_LINES

from .repositories import write_files


@pytest.mark.parametrize(
    ("line", "path", "lines"),
    [
        ("{* docs_src/tea/brew_py310.py hl[6:7,16] *}", "docs_src/tea/brew_py310.py", NO_LINES),
        ("{* ../../docs_src/tea/brew.py ln[3:9] hl[5] *}", "../../docs_src/tea/brew.py", (3, 9)),
        ("{!> ../../../docs_src/tea/brew.py!}", "../../../docs_src/tea/brew.py", NO_LINES),
        ('    --8<-- "examples/brew.cpp"', "examples/brew.cpp", NO_LINES),
        ('--8<-- "examples/brew.cpp:4:8"', "examples/brew.cpp", (4, 8)),
        (".. literalinclude:: ../examples/brew.py", "../examples/brew.py", NO_LINES),
        ("   .. include:: shared/brew.txt", "shared/brew.txt", NO_LINES),
        ("{{#include ../listings/brew.rs:pour}}", "../listings/brew.rs", NO_LINES),
        ("{{#rustdoc_include ../listings/brew.rs:2:5}}", "../listings/brew.rs", (2, 5)),
        ("<<< @/snippets/brew.ts{2}", "snippets/brew.ts", NO_LINES),
        ("include::{include-java}/Brew.java[tag=pour]", "Brew.java", NO_LINES),
        ("<!--@include: ./parts/brew.md-->", "./parts/brew.md", NO_LINES),
        ("```{literalinclude} ../examples/brew.py", "../examples/brew.py", NO_LINES),
        (":::{include} shared/brew.md", "shared/brew.md", NO_LINES),
        ('{{< example src="examples/brew.py" lang="py" >}}', "examples/brew.py", NO_LINES),
        ('{{% code_sample lang="yaml" file="pods/brew.yaml" %}}', "pods/brew.yaml", NO_LINES),
        ('{% include-markdown "../README.md" %}', "../README.md", NO_LINES),
        ('<?code-excerpt "lib/brew.dart (pour)"?>', "lib/brew.dart", NO_LINES),
    ],
)
def test_each_form_of_an_include_is_found_with_its_line(line: str, path: str, lines: tuple[int, int]) -> None:
    found = find_includes(f"# Brewing\n\nPour it so:\n\n{line}\n\nDone.\n")

    assert [(one.line, one.path, one.lines) for one in found] == [(5, path, lines)]


@pytest.mark.parametrize(
    "text",
    [
        "a <<< b",
        "include:: nothing",
        "use `{* braces *}` so",
        "{% include x %}",
        "#include <tea.h>",
        '{{< relref "a.md" >}}',
    ],
)
def test_what_only_looks_like_an_include_is_none(text: str) -> None:
    assert find_includes(text) == []


def test_several_includes_have_their_own_lines() -> None:
    text = '{* a.py *}\ntext\n--8<-- "b.py"\n\n.. include:: c.rst\n'

    assert [(one.line, one.path) for one in find_includes(text)] == [(1, "a.py"), (3, "b.py"), (5, "c.rst")]


@pytest.mark.parametrize(
    "unit",
    [
        "{* a ",
        "{!> ",
        '--8<-- "',
        "\n.. include:: ",
        "{{#include ",
        "\n<<< ",
        "<!-- ",
        "{{< a b=c ",
        "\n```{include} ",
    ],
)
def test_includes_are_found_in_linear_time(unit: str) -> None:
    def seconds(times: int) -> float:
        started = time.process_time()
        find_includes("--8<-- {* " + unit * times)
        return time.process_time() - started

    assert min(seconds(40_000) for _ in range(3)) <= 3 * min(seconds(20_000) for _ in range(3)) + 0.05


def test_the_example_that_a_section_includes_is_shown_with_it(tmp_path: Path) -> None:
    page = "# Kettle\n\n## Pour with a filter\n\nYou pour with a filter:\n\n{* docs_src/k/t1.py hl[2] *}\n"
    example = "def main(leaf: int) -> None:\n    print(leaf.strain(17))\n"
    other = "# Cups\n\n## Pour\n\nYou pour a cup. A filter is not needed.\n\n{* docs_src/k/t2.py *}\n"
    files = {f"docs/cups_{at}.md": other.replace("k/t2", f"cups/t{at}") for at in range(4)}
    files |= {f"docs_src/cups/t{at}.py": f"def main() -> None:\n    wash({at})\n" for at in range(4)}
    write_files(tmp_path, {**files, "docs/kettle.md": page, "docs_src/k/t1.py": example})

    text = satchel.pack("how do I pour with a filter?", tmp_path, budget=350).text

    assert "leaf.strain(17)" in text


def test_a_very_long_file_that_a_page_includes_stays_out(tmp_path: Path) -> None:
    page = "# Kettle\n\n## Pour with a filter\n\nYou pour with a filter:\n\n.. literalinclude:: long.py\n"
    long = "".join(f"step_{at} = press(reed={at})\n" for at in range(400))
    write_files(tmp_path, {"docs/kettle.rst": page.replace("#", ""), "docs/long.py": long})

    text = satchel.pack("how do I pour with a filter?", tmp_path, budget=4_000).text

    assert "press(reed=7)" not in text
