"""What each grammar calls a definition, an import and a use: one table per language."""

from __future__ import annotations

from collections.abc import Mapping

import attrs


@attrs.frozen(eq=False)
class Grammar:
    """A tree-sitter grammar and what satchel looks for in its trees.

    Captures named `ref`, `import`, `comment`, `attribute`, `wrap`, `called`, `embedded`, `error` and
    `broken` have a meaning of their own; every other capture is a definition of that kind.
    """

    module: str
    """Import name of the wheel."""
    definitions: Mapping[str, str]
    """Node types that always are definitions, each with its kind."""
    patterns: str
    function: str = "language"
    """The function of the wheel that returns the grammar."""
    calls: Mapping[str, str] = attrs.field(factory=dict)
    """Kinds of what is captured as `called`, by the name that is called: query predicates are slower."""
    preprocessed: bool = False
    """Whether lines that begin with `#define` are definitions wherever they stand."""
    doc_strings: bool = False
    """Whether a string that opens a body documents it: its first line belongs to the head."""

    @property
    def query(self) -> str:
        """Return the query text for all of it."""
        always = "\n".join(f"({node}) @{kind}" for node, kind in self.definitions.items())
        return f"(ERROR) @error\n{always}\n{self.patterns}"
