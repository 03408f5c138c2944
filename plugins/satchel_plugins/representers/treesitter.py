"""Splits source files of twelve languages into their definitions."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import ClassVar

import attrs

from satchel.plugin_api import ContextItem, Part, lazily

_SHEBANG = lazily(r"#!.*?\b(python|ruby|php|node|bash|dash|zsh|ksh|sh|deno|bun)[\d.]*(?=\s|$)")
_CPP_ONLY = lazily(
    r"^\s*(class\s+\w|namespace\b|template\s*<|using\s+\w|(public|private|protected)\s*:|constexpr\b)"
    r"|\b(virtual|typename|nullptr|noexcept|decltype|static_cast|std)\b(?=\s|<|::|\()|\w::\w|\boperator\s*[^\w\s]",
    re.MULTILINE,
)


class _SourceText:
    """What the representers of all languages share."""

    suffixes: ClassVar[frozenset[str]] = frozenset()
    file_names: ClassVar[frozenset[str]] = frozenset()
    interpreters: ClassVar[frozenset[str]] = frozenset()
    grammar: ClassVar[str]
    """Its name in `sources`: the grammars are loaded when something is split."""

    def claims(self, item: ContextItem) -> float:
        """Return 0.9 for a file with a suffix or name of the language, 0.8 for one with its `#!` line."""
        file_name = item.path.rpartition("/")[2]
        stem, dot, suffix = file_name.rpartition(".")
        if (dot and stem and suffix.lower() in self.suffixes) or file_name in self.file_names:
            return 0.9
        if (not dot or not stem) and item.text and item.text.startswith("#!"):
            found = _SHEBANG.match(item.text[:200].partition("\n")[0])
            return 0.8 if found and found[1] in self.interpreters else 0.0
        return 0.0

    def grammar_of(self, item: ContextItem) -> str:
        """Return the grammar that fits the item."""
        return self.grammar

    def split(self, item: ContextItem) -> Sequence[Part]:
        """Return its definitions and what stands between; what is too large or slow is cut plainly."""
        from satchel_plugins.representers.sources import parts_of

        return parts_of(item.text or "", self.grammar_of(item))


@attrs.frozen(eq=False, repr=False)
class Python(_SourceText):
    """Python."""

    name: ClassVar[str] = "python"
    version: ClassVar[str] = "5"
    suffixes: ClassVar[frozenset[str]] = frozenset({"py", "pyi", "pyw"})
    file_names: ClassVar[frozenset[str]] = frozenset({"SConstruct", "SConscript", "wscript"})
    interpreters: ClassVar[frozenset[str]] = frozenset({"python"})
    grammar: ClassVar[str] = "PYTHON"


@attrs.frozen(eq=False, repr=False)
class JavaScript(_SourceText):
    """JavaScript and JSX."""

    name: ClassVar[str] = "javascript"
    version: ClassVar[str] = "5"
    suffixes: ClassVar[frozenset[str]] = frozenset({"js", "jsx", "mjs", "cjs", "es6"})
    file_names: ClassVar[frozenset[str]] = frozenset({"Jakefile"})
    interpreters: ClassVar[frozenset[str]] = frozenset({"node"})
    grammar: ClassVar[str] = "JAVASCRIPT"


@attrs.frozen(eq=False, repr=False)
class TypeScript(_SourceText):
    """TypeScript and TSX."""

    name: ClassVar[str] = "typescript"
    version: ClassVar[str] = "5"
    suffixes: ClassVar[frozenset[str]] = frozenset({"ts", "tsx", "mts", "cts"})
    interpreters: ClassVar[frozenset[str]] = frozenset({"deno", "bun"})
    grammar: ClassVar[str] = "TYPESCRIPT"

    def grammar_of(self, item: ContextItem) -> str:
        """Return the grammar with JSX for `.tsx`: in the other one `<T>x` is a cast."""
        return "TSX" if item.path.lower().endswith(".tsx") else "TYPESCRIPT"


@attrs.frozen(eq=False, repr=False)
class Go(_SourceText):
    """Go."""

    name: ClassVar[str] = "go"
    version: ClassVar[str] = "5"
    suffixes: ClassVar[frozenset[str]] = frozenset({"go"})
    grammar: ClassVar[str] = "GO"


@attrs.frozen(eq=False, repr=False)
class Rust(_SourceText):
    """Rust."""

    name: ClassVar[str] = "rust"
    version: ClassVar[str] = "5"
    suffixes: ClassVar[frozenset[str]] = frozenset({"rs"})
    grammar: ClassVar[str] = "RUST"


@attrs.frozen(eq=False, repr=False)
class Java(_SourceText):
    """Java."""

    name: ClassVar[str] = "java"
    version: ClassVar[str] = "5"
    suffixes: ClassVar[frozenset[str]] = frozenset({"java"})
    grammar: ClassVar[str] = "JAVA"


@attrs.frozen(eq=False, repr=False)
class C(_SourceText):
    """C sources; headers belong to `cpp`, which tells plain C apart."""

    name: ClassVar[str] = "c"
    version: ClassVar[str] = "5"
    suffixes: ClassVar[frozenset[str]] = frozenset({"c"})
    grammar: ClassVar[str] = "C"


@attrs.frozen(eq=False, repr=False)
class Cpp(_SourceText):
    """C++, and headers of both languages."""

    name: ClassVar[str] = "cpp"
    version: ClassVar[str] = "5"
    suffixes: ClassVar[frozenset[str]] = frozenset(
        {"h", "hh", "hpp", "hxx", "h++", "cc", "cpp", "cxx", "c++", "inl", "ipp", "tpp", "cu", "cuh", "ino"}
    )
    grammar: ClassVar[str] = "CPP"

    def grammar_of(self, item: ContextItem) -> str:
        """Return the C grammar for a `.h` file in which nothing is C++."""
        plain = item.path.endswith((".h", ".H")) and not _CPP_ONLY.search(item.text or "")
        return "C" if plain else "CPP"


@attrs.frozen(eq=False, repr=False)
class CSharp(_SourceText):
    """C#."""

    name: ClassVar[str] = "csharp"
    version: ClassVar[str] = "5"
    suffixes: ClassVar[frozenset[str]] = frozenset({"cs", "csx"})
    grammar: ClassVar[str] = "CSHARP"


@attrs.frozen(eq=False, repr=False)
class Ruby(_SourceText):
    """Ruby."""

    name: ClassVar[str] = "ruby"
    version: ClassVar[str] = "5"
    suffixes: ClassVar[frozenset[str]] = frozenset({"rb", "rake", "gemspec", "ru", "podspec"})
    file_names: ClassVar[frozenset[str]] = frozenset(
        {"Rakefile", "Gemfile", "Vagrantfile", "Podfile", "Guardfile", "Capfile", "Brewfile", "Fastfile"}
    )
    interpreters: ClassVar[frozenset[str]] = frozenset({"ruby"})
    grammar: ClassVar[str] = "RUBY"


@attrs.frozen(eq=False, repr=False)
class Php(_SourceText):
    """PHP."""

    name: ClassVar[str] = "php"
    version: ClassVar[str] = "5"
    suffixes: ClassVar[frozenset[str]] = frozenset({"php", "phtml", "php5", "php7", "phpt"})
    interpreters: ClassVar[frozenset[str]] = frozenset({"php"})
    grammar: ClassVar[str] = "PHP"


@attrs.frozen(eq=False, repr=False)
class Shell(_SourceText):
    """POSIX shell, bash and zsh."""

    name: ClassVar[str] = "shell"
    version: ClassVar[str] = "5"
    suffixes: ClassVar[frozenset[str]] = frozenset({"sh", "bash", "zsh", "ksh", "bats"})
    file_names: ClassVar[frozenset[str]] = frozenset(
        {
            ".bashrc",
            ".bash_profile",
            ".bash_aliases",
            ".profile",
            ".zshrc",
            ".zprofile",
            ".zshenv",
            "PKGBUILD",
        }
    )
    interpreters: ClassVar[frozenset[str]] = frozenset({"bash", "dash", "zsh", "ksh", "sh"})
    grammar: ClassVar[str] = "SHELL"
