"""Classify files: text worth showing, or something to list without its content."""

from __future__ import annotations

import enum
import re
from types import MappingProxyType

from satchel.patterns import lazily
from satchel.workspace.files.encodings import utf32_of

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
    """Return the fence name of the language of the file at `path`, "" if the name does not show it.

    A header `.h` counts as C, because its name does not distinguish it from C++.
    """
    name = path.rpartition("/")[2].lower()
    ending = name.rpartition(".")[2]
    by_name = _BY_NAME.get(name, "")
    if by_name or name.startswith("dockerfile."):
        return by_name or "dockerfile"
    return _BY_ENDING.get(ending, "") if "." in name else ""


HUGE_BYTES = 1_000_000
_MINIFIED_LINE = 500
"""Mean bytes per line above which code counts as minified; handwritten code has 20 to 60."""
_OPENING_BYTES = 4096
_SEARCHED_BYTES = 65536

_LOCKFILES = frozenset(
    {"bun.lock", "bun.lockb", "cargo.lock", "composer.lock", "conan.lock", "deno.lock", "flake.lock"}
    | {"gemfile.lock", "go.sum", "gopkg.lock", "gradle.lockfile", "mix.lock", "npm-shrinkwrap.json"}
    | {"package-lock.json", "packages.lock.json", "package.resolved", "pdm.lock", "pipfile.lock"}
    | {"pixi.lock", "pnpm-lock.yaml", "podfile.lock", "poetry.lock", "pubspec.lock", "pylock.toml"}
    | {"uv.lock", "yarn.lock"}
)
_CREDENTIAL_NAMES = frozenset(
    {".dockercfg", ".env", ".envrc", ".git-credentials", ".htpasswd", ".netrc", ".pgpass", ".pypirc"}
    | {".s3cfg", ".vault-token", "_netrc", "kubeconfig", ".boto", ".dev.vars", ".my.cnf", ".mylogin.cnf"}
    | {".terraformrc", "terraform.rc", ".vault_pass", ".vault-pass", "master.key"}
    | {"application_default_credentials.json"}
)
_CREDENTIAL_ENDS = (
    *("/.aws/credentials", "/.docker/config.json", "/.gem/credentials", "/.kube/config"),
    *(".env", ".jks", ".kdbx", ".keystore", ".kubeconfig", ".p12", ".pem", ".pfx", ".pkcs12", ".ppk"),
    *(".tfstate", ".tfstate.backup", ".tfvars", ".tfvars.json", ".kdb", ".keytab", ".p8"),
)
_DOTENV_STARTS = (".env.", ".env-", ".env_")
_SSH_STARTS = ("id_dsa", "id_ecdsa", "id_ed25519", "id_rsa")
_SAMPLE = lazily(r"(?:\A|[._-])(?:defaults?|dist|d\.ts|example|sample|schema|template|tmpl)(?:[._-]|\Z)")
_PRIVATE_KEY = lazily(rb"\s*+(?:#[^\n]*+\n\s*+)*+-----BEGIN [A-Z ]{0,40}PRIVATE KEY")
_NPM_TOKEN = lazily(rb"(?m)^[^\n#;]{0,300}(?:_authToken|_auth|_password)[ \t]*=")
_KUBE_CONFIG = lazily(rb"(?m)^kind:[ \t]*Config[ \t\r]*$")
_KUBE_SECRET = lazily(rb"(?m)^[ \t-]*(?:client-key-data|password|token):[ \t]*\S")

_MINIFIED = lazily(r"[.-]min\.(?:c|m)?(?:css|js)\Z", re.IGNORECASE | re.ASCII)
_COMMENT = lazily(rb"(?m)^[ \t]*(?:#|//|/\*|\*|--|;|<!--|%|\"|')[^\n]*$")
_GENERATED = lazily(
    rb"@generated\b|\bDO NOT EDIT\b|(?i:\bautomatically generated by\b|<!--\s*generated by\b)"
)
_GENERATED_TOO = lazily(rb"(?i)\b(?:auto-?)?generated\b[^\x00]{0,400}\bdo not (?:change|edit|modify)\b")

_MAGIC = (
    b"\x89PNG", b"GIF8", b"\xff\xd8\xff", b"%PDF-", b"PK\x03\x04", b"\x1f\x8b", b"BZh9", b"\xfd7zXZ",
    b"\x28\xb5\x2f\xfd", b"\x7fELF", b"SQLite format 3", b"wOF2", b"OggS", b"\xca\xfe\xba\xbe",
)  # fmt: skip
_PDF = b"%PDF-"
"""The only one of these formats whose files may have no control character."""
_CONTROLS = bytes(sorted(set(range(32)) - set(b"\t\n\v\f\r\b\x1b"))) + b"\x7f"


class Kind(enum.StrEnum):
    """The kind of a file's content, as far as it matters for showing it."""

    TEXT = "text"
    BINARY = "binary"
    MINIFIED = "minified"
    GENERATED = "generated"
    LOCKFILE = "lockfile"
    HUGE = "huge"
    EMPTY = "empty"
    CREDENTIALS = "credentials"


def classify(path: str, data: bytes) -> Kind:
    """Return what kind of file this is, from its workspace path and all of its bytes."""
    if is_credentials(path) or _holds_credentials(path, data):
        return Kind.CREDENTIALS
    if not data or data.isspace():
        return Kind.EMPTY
    if is_binary(data):
        return Kind.BINARY
    if path.rpartition("/")[2].lower() in _LOCKFILES:
        return Kind.LOCKFILE
    if len(data) > HUGE_BYTES:
        return Kind.HUGE
    if _is_minified(path, data):
        return Kind.MINIFIED
    return Kind.GENERATED if _is_generated(data) else Kind.TEXT


def is_credentials(path: str) -> bool:
    """Tell from its path alone whether a file exists to hold secrets; `.env.example` does not."""
    anchored = "/" + path.lower()
    name = anchored.rpartition("/")[2]
    if name in _CREDENTIAL_NAMES:
        return True
    key = name.startswith(_SSH_STARTS) and "." not in name
    named = key or name.startswith(_DOTENV_STARTS)
    return (named or anchored.endswith(_CREDENTIAL_ENDS)) and not _SAMPLE.search(name)


def is_binary(data: bytes) -> bool:
    """Tell whether these bytes are not text in any encoding that `decode` knows."""
    opening = data[:_SEARCHED_BYTES]
    controls = len(opening) - len(opening.translate(None, _CONTROLS))
    if data.startswith(_MAGIC) and (controls or data.startswith(_PDF)):
        return True
    if utf32_of(data)[0]:
        return False
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        return _is_noise(data[2:_OPENING_BYTES], "utf-16-le" if data[0] == 0xFF else "utf-16-be")
    if b"\0" in data:
        return not guess_utf16(data)
    return controls > len(opening) // 20


def _is_noise(opening: bytes, encoding: str) -> bool:
    """Tell whether supposed UTF-16 is not text: over a twentieth is broken or control characters."""
    text = opening.decode(encoding, "replace")
    return sum(text.count(chr(code)) for code in (*_CONTROLS, 0xFFFD)) > 1 + len(text) // 20


def guess_utf16(data: bytes) -> str:
    """Return the encoding of UTF-16 text without a byte order mark, from its zero bytes, or ""."""
    opening = data[:_OPENING_BYTES]
    low, high = opening[::2].count(0), opening[1::2].count(0)
    half = len(opening) // 2
    if len(data) % 2 or half < 2 or min(low, high) > half // 20 or max(low, high) < half * 2 // 5:
        return ""
    name = "utf-16-le" if high > low else "utf-16-be"
    try:
        text = opening.decode(name)
    except UnicodeDecodeError as error:
        if error.end < len(opening):
            return ""
        text = opening[: error.start].decode(name)
    return name if sum(text.count(chr(code)) for code in _CONTROLS) <= len(text) // 20 else ""


def _holds_credentials(path: str, data: bytes) -> bool:
    name = path.rpartition("/")[2].lower()
    opening = data[:_SEARCHED_BYTES]
    if _PRIVATE_KEY.match(data, 0, _OPENING_BYTES):
        return True
    if name == ".npmrc":
        return bool(_NPM_TOKEN.search(opening))
    if name.endswith(".json"):
        return b'"private_key"' in opening and b'"service_account"' in opening
    if not name.endswith((".yaml", ".yml", ".conf", "config")) or b"Config" not in opening:
        return False
    return bool(_KUBE_CONFIG.search(opening) and _KUBE_SECRET.search(opening))


def _is_minified(path: str, data: bytes) -> bool:
    is_named = _MINIFIED.search(path) is not None
    if not is_named and len(data) <= 4 * _MINIFIED_LINE:
        return False
    mean = len(data) / (data.count(b"\n") + 1)
    if is_named:
        return mean > _MINIFIED_LINE / 5
    return mean > _MINIFIED_LINE and language_of(path) not in PROSE


def _is_generated(data: bytes) -> bool:
    opening = b"\n".join(data[:_OPENING_BYTES].split(b"\n", 12)[:12])
    if b"generated" not in opening.lower() and b"DO NOT EDIT" not in opening:
        return False
    comments = b"\n".join(_COMMENT.findall(opening))
    return bool(_GENERATED.search(comments) or _GENERATED_TOO.search(comments))
