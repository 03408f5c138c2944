"""The language of a file, from its name, as a markdown fence spells it."""

from __future__ import annotations

from types import MappingProxyType

_ENDINGS = """
asm: asm s
bash: bash bats ksh sh zsh
batch: bat cmd
bibtex: bib
c: c h
clojure: clj cljc cljs edn
cmake: cmake
cpp: c++ cc cpp cu cuh cxx h++ hh hpp hxx inl ipp tpp
csharp: cs csx
css: css
csv: csv
cuda: ptx
cython: pxd pxi pyx
d: d
dart: dart
diff: diff patch
dockerfile: dockerfile
elixir: ex exs
elm: elm
erlang: erl hrl
fish: fish
fortran: f f03 f08 f77 f90 f95 for
fsharp: fs fsi fsx
gdscript: gd
glsl: comp frag glsl vert
go: go
graphql: gql graphql
groovy: gradle groovy
handlebars: handlebars hbs
haskell: hs lhs
hcl: hcl tf tfvars
html: htm html xhtml
ipynb: ipynb
ini: cfg conf desktop editorconfig inf ini
java: java
javascript: cjs es6 js mjs
jinja: j2 jinja jinja2
json: geojson json jsonld webmanifest
json5: json5
jsonc: jsonc
jsonl: jsonl ndjson
jsx: jsx
julia: jl
just: just
kotlin: kt kts
latex: cls ltx sty tex
less: less
lisp: cl el lisp lsp
log: log
lua: lua
makefile: mak make mk
markdown: markdown md mdown mkd
mdx: mdx
meson: meson
nim: nim nims
nix: nix
objectivec: m mm
ocaml: ml mli
pascal: pas pp
perl: pl pm
php: php phtml
powershell: ps1 psd1 psm1
prisma: prisma
prolog: pro
properties: properties
proto: proto
purescript: purs
python: py pyi pyw
qml: qml
r: r rmd
racket: rkt
rst: rest rst
ruby: gemspec rake rb ru
rust: rs
sass: sass
scala: sbt sc scala
scheme: scm ss
scss: scss
solidity: sol
sql: sql
starlark: bazel bzl star
svelte: svelte
swift: swift
systemverilog: sv svh
tcl: tcl
text: text txt
toml: toml
tsv: tsv
tsx: tsx
twig: twig
typescript: cts mts ts
verilog: v vh
vhdl: vhd vhdl
vim: vim
vue: vue
wasm: wat
xml: csproj plist props rng svg targets vcxproj wsdl xml xsd xsl xslt
yaml: yaml yml
zig: zig
"""
_NAMES = """
bash: .bash_profile .bashrc .profile .zshrc pkgbuild
cmake: cmakelists.txt
dockerfile: containerfile dockerfile
gitignore: .dockerignore .gitignore .npmignore .satchelignore
groovy: jenkinsfile
ini: .flake8 .gitconfig .gitmodules .pylintrc
json: .babelrc .eslintrc .prettierrc pipfile.lock
just: .justfile justfile
makefile: gnumakefile makefile
meson: meson.build meson_options.txt
python: sconscript sconstruct wscript
ruby: gemfile podfile rakefile vagrantfile
starlark: build build.bazel tiltfile workspace
toml: cargo.lock pipfile poetry.lock uv.lock
yaml: .clang-format .clang-tidy
"""


def _table(lines: str) -> MappingProxyType[str, str]:
    rows = (line.split(": ", 1) for line in lines.split("\n") if line)
    return MappingProxyType({key: language for language, keys in rows for key in keys.split()})


_BY_ENDING = _table(_ENDINGS)
_BY_NAME = _table(_NAMES)

PROSE = frozenset({"bibtex", "csv", "jsonl", "latex", "log", "markdown", "mdx", "rst", "text", "tsv", ""})
"""Languages in which a line may be as long as a paragraph or a record without being minified."""


def language_of(path: str) -> str:
    """Return the fence name of the language of the file at `path`, "" where the name does not tell.

    A header `.h` counts as C: its name does not tell it from C++.
    """
    name = path.rpartition("/")[2].lower()
    ending = name.rpartition(".")[2]
    by_name = _BY_NAME.get(name, "")
    if by_name or name.startswith("dockerfile."):
        return by_name or "dockerfile"
    return _BY_ENDING.get(ending, "") if "." in name else ""
