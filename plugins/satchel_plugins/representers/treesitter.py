"""Splits source files of twelve languages into their definitions."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import ClassVar

import attrs

from satchel.plugin_api import ContextItem, Part, lazily

_CPP_ONLY = lazily(
    r"^\s*(class\s+\w|namespace\b|template\s*<|using\s+\w|(public|private|protected)\s*:|constexpr\b)"
    r"|\b(virtual|typename|nullptr|noexcept|decltype|static_cast|std)\b(?=\s|<|::|\()|\w::\w|\boperator\s*[^\w\s]",
    re.MULTILINE,
)


@attrs.frozen(eq=False, repr=False)
class _SourceText:
    """The common base of the representers of all languages."""

    name: ClassVar[str]
    version: ClassVar[str] = "16"
    suffixes: ClassVar[frozenset[str]] = frozenset()
    file_names: ClassVar[frozenset[str]] = frozenset()
    grammar: ClassVar[str]
    """Its name in `sources`: the grammars are loaded when something is split."""

    def claims(self, item: ContextItem) -> float:
        """Return 0.9 for a file with a suffix or name of the language."""
        file_name = item.path.rpartition("/")[2]
        stem, dot, suffix = file_name.rpartition(".")
        is_named = bool(dot and stem and suffix.lower() in self.suffixes) or file_name in self.file_names
        return 0.9 if is_named else 0.0

    def grammar_of(self, item: ContextItem) -> str:
        """Return the grammar that fits the item."""
        return self.grammar

    def split(self, item: ContextItem) -> Sequence[Part]:
        """Return its definitions and the text between; a too large or slow text is cut plainly."""
        from satchel_plugins.representers.syntax import parts_of

        return parts_of(item.text or "", self.grammar_of(item))


def _represent(name: str, what: str, suffixes: str, *, file_names: str = "") -> type[_SourceText]:
    """Return the representer of a language, whose grammar has its name in capitals."""
    fields = {
        "__doc__": what,
        "__module__": __name__,
        "name": name,
        "suffixes": frozenset(suffixes.split()),
        "file_names": frozenset(file_names.split()),
        "grammar": name.upper(),
    }
    return type(name.title(), (_SourceText,), fields)


Python = _represent("python", "Python.", "py pyi pyw", file_names="SConstruct SConscript wscript")
JavaScript = _represent("javascript", "JavaScript and JSX.", "js jsx mjs cjs es6", file_names="Jakefile")
Go = _represent("go", "Go.", "go")
Rust = _represent("rust", "Rust.", "rs")
Java = _represent("java", "Java.", "java")
C = _represent("c", "C sources; headers belong to `cpp`, which tells plain C apart.", "c")
CSharp = _represent("csharp", "C#.", "cs csx")
Ruby = _represent(
    "ruby",
    "Ruby.",
    "rb rake gemspec ru podspec",
    file_names="Rakefile Gemfile Vagrantfile Podfile Guardfile Capfile Brewfile Fastfile",
)
Php = _represent("php", "PHP.", "php phtml php5 php7 phpt")
Shell = _represent(
    "shell",
    "POSIX shell, bash and zsh.",
    "sh bash zsh ksh",
    file_names=".bashrc .bash_profile .bash_aliases .profile .zshrc .zprofile .zshenv PKGBUILD",
)


class TypeScript(_SourceText):
    """TypeScript and TSX, and the components of Vue and Svelte."""

    name: ClassVar[str] = "typescript"
    suffixes: ClassVar[frozenset[str]] = frozenset({"ts", "tsx", "mts", "cts", "vue", "svelte"})

    def grammar_of(self, item: ContextItem) -> str:
        """Return the grammar with JSX for `.tsx`: in the other one `<T>x` is a cast."""
        return "TSX" if item.path.lower().endswith(".tsx") else "TYPESCRIPT"

    def split(self, item: ContextItem) -> Sequence[Part]:
        """Return its definitions and the text between, for a component also its template and styles."""
        if not item.path.lower().endswith((".vue", ".svelte")):
            return super().split(item)
        from satchel_plugins.representers.components import component_parts

        return component_parts(item.text or "")


class Cpp(_SourceText):
    """C++, and headers of both languages."""

    name: ClassVar[str] = "cpp"
    suffixes: ClassVar[frozenset[str]] = frozenset(
        {"h", "hh", "hpp", "hxx", "h++", "cc", "cpp", "cxx", "c++", "inl", "ipp", "tpp", "cu", "cuh", "ino"}
    )

    def grammar_of(self, item: ContextItem) -> str:
        """Return the C grammar for a `.h` file without any C++, else the C++ grammar."""
        plain = item.path.endswith((".h", ".H")) and not _CPP_ONLY.search(item.text or "")
        return "C" if plain else "CPP"


def representer_of(suffix: str) -> _SourceText | None:
    """Return the representer of files with a suffix, None for one without a grammar."""
    of_scripts = (Python, JavaScript, TypeScript, Ruby, Php, Shell)
    return next((one() for one in of_scripts if suffix in one.suffixes), None)
