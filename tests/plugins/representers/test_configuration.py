from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest

from satchel import Part

Split = Callable[[str, str], Sequence[Part]]

CASES = {
    "a.toml": ('a = 1\n\n[one]\nx = """\n[not]\n"""\n\n[[two]]\nname = "n"\n', ["a", "one", "two n"]),
    "a.yaml": ("# c\none:\n  a: 1\n---\n'two':\n- b: 2\n", ["one", "two", "b: 2"]),
    "a.json": ('{\n  "one": {\n    "inner": 1\n  },\n  "two": 2\n}\n', ["one", "two"]),
    "a.ini": ("; c\n[one]\nx=1\n[two]\ny=2\n", ["one", "two"]),
    "a.conf": (
        "# c\n##### HEAT #####\nheat 90\n#------\n# too short\n#------\n"
        "#----------\n# STEEP\n#----------\n#steep = 3\n",
        ["HEAT", "STEEP"],
    ),
    "a.yml.sample": ("one: 1\ntwo: 2\n", ["one", "two"]),
    "a.conf.default": ("#### ONE ####\na 1\n", ["ONE"]),
    ".env.example": ("# c\nONE=1\nexport TWO=2\n", ["ONE", "TWO"]),
    "Dockerfile": ("FROM a AS b\nRUN x \\\n  COPY y\nCOPY c d\n", ["FROM a AS b", "RUN", "COPY"]),
    "Makefile": ("X := 1\n\nall: a b\n\tgo\n\n.PHONY: all\n%.o: %.c\n\tcc\n", ["X", "all", ".PHONY", "%.o"]),
}


@pytest.mark.parametrize("path", CASES)
def test_top_level_keys_are_symbols(path: str, split: Split) -> None:
    text, names = CASES[path]

    parts = split(path, text)

    assert [symbol.name for part in parts for symbol in part.symbols] == names


def test_a_large_key_is_a_part_and_small_ones_share_a_block(split: Split) -> None:
    large = "".join(f'    "s{number}": "x",\n' for number in range(9)) + '    "last": "x"\n'
    parts = split(
        "package.json", f'{{\n  "name": "a",\n  "version": "1",\n  "scripts": {{\n{large}  }}\n}}\n'
    )

    assert [(part.kind, part.name) for part in parts] == [("block", ""), ("key", "scripts")]


def test_a_comment_above_a_table_belongs_to_it(split: Split) -> None:
    parts = split("a.toml", "[one]\n" + "x = 1\n" * 5 + "\n# About two.\n[two]\n" + "y = 1\n" * 5)

    assert parts[1].lines == (8, 14)
    assert parts[1].head == (9, 9)
