"""The grammars of languages; `grammars/*.scm` says what each calls a definition, an import and a use."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import attrs


@attrs.frozen(eq=False)
class Grammar:
    """A tree-sitter grammar and what satchel looks for in its trees.

    Captures named `ref`, `import`, `comment`, `attribute`, `wrap`, `called`, `embedded`, `error` and
    `broken` have a meaning of their own; every other capture is a definition of that kind.
    """

    module: str
    """Import name of the wheel."""
    queries: tuple[str, ...]
    """Names of the files in `grammars`."""
    function: str = "language"
    """The function of the wheel that returns the grammar."""
    calls: Mapping[str, str] = attrs.field(factory=dict)
    """Kinds of what is captured as `called`, by the name that is called: query predicates are slower."""
    preprocessed: bool = False
    """Whether lines that begin with `#define` are definitions wherever they stand."""
    comments_end_bodies: bool = False
    """Whether the grammar counts comments below a body to it."""

    attributes_in_head: bool = True
    """Whether attributes of up to two lines above a name belong to its head, as decorators do."""

    @property
    def query(self) -> str:
        """Return the query text for all of it."""
        folder = Path(__file__).with_name("grammars")
        texts = [(folder / f"{name}.scm").read_text(encoding="utf-8") for name in self.queries]
        return "\n".join(("(ERROR) @error", *texts))


_RUBY_CALLS = {
    **dict.fromkeys(("attr", "attr_reader", "attr_writer", "attr_accessor", "cattr_accessor"), "property"),
    **dict.fromkeys(
        ("cattr_reader", "mattr_accessor", "class_attribute", "alias_method", "scope"), "property"
    ),
    **dict.fromkeys(("define_method", "define_singleton_method"), "method"),
    **dict.fromkeys(("require", "require_relative", "load", "autoload"), "import"),
}
_SHELL_CALLS = {"source": "import", ".": "import", "alias": "constant"}
_REQUIRE = {"require": "import"}
_TYPESCRIPT = "tree_sitter_typescript"

GRAMMARS = {
    "PYTHON": Grammar("tree_sitter_python", ("python",), comments_end_bodies=True),
    "RUBY": Grammar("tree_sitter_ruby", ("ruby",), calls=_RUBY_CALLS),
    "PHP": Grammar("tree_sitter_php", ("php",), "language_php", {"define": "constant"}),
    "SHELL": Grammar("tree_sitter_bash", ("shell",), calls=_SHELL_CALLS),
    "JAVASCRIPT": Grammar("tree_sitter_javascript", ("ecma", "javascript", "jsx"), calls=_REQUIRE),
    "TYPESCRIPT": Grammar(_TYPESCRIPT, ("ecma", "typescript"), "language_typescript", _REQUIRE),
    "TSX": Grammar(_TYPESCRIPT, ("ecma", "typescript", "jsx"), "language_tsx", _REQUIRE),
    "GO": Grammar("tree_sitter_go", ("go",)),
    "RUST": Grammar("tree_sitter_rust", ("rust",), attributes_in_head=False),
    "C": Grammar("tree_sitter_c", ("c_family",), preprocessed=True),
    "CPP": Grammar("tree_sitter_cpp", ("c_family", "cpp"), preprocessed=True),
    "JAVA": Grammar("tree_sitter_java", ("java",)),
    "CSHARP": Grammar("tree_sitter_c_sharp", ("csharp",)),
}
