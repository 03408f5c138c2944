"""An overview of the code for questions about all of it: its packages, and the purpose of each module."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

import attrs

from satchel.plugin_api import ContextItem, asks_about_whole, lazily, safe_text
from satchel_plugins.providers.files import roles_of, text_of_file
from satchel_plugins.providers.purposes import (
    HCL,
    YAML,
    find_imported,
    find_names,
    find_opening,
    find_purpose,
    find_readme_purpose,
    is_face,
)
from satchel_plugins.providers.texts import BYTES_PER_TOKEN

if TYPE_CHECKING:
    from satchel.plugin_api import Task, Workspace

_MOST_FILES = 400
"""Files of code that are read, the largest first."""
_MOST_BYTES = 4_000_000
"""Bytes of code that are read."""
_LARGEST = 300_000
"""Bytes of the largest file that is read: larger ones are generated."""
_HEAD = 6_000
"""Characters at the beginning of a file that are searched for its purpose."""
_NAMES = 5
"""Most names of a module in its line."""
_COMMON = 4
"""Modules from which a name that they define says nothing about them: it is a hook or an interface."""
_LEAST_MODULES = 2
"""Modules that a package shows, even a small one."""
_LEAST_TELLING = 30
"""Least lines of a module without names and purpose that has a line of its own."""
_LEAST_ASIDE = 100
"""Least lines of a folder of helpers that is shown by itself."""
_BYTES_OF_NOTEBOOK = 200_000
"""Most bytes that a notebook counts: nearly all of one is pictures."""
_LISTED = 12
"""Most names in a line on modules that are not shown by themselves."""
_LEAST_ALIKE = 10
"""Least sibling folders of the same files that share a line."""
_NUMBERED = lazily(r"(?i)v?\d{2}")
"""Names of files in a series, such as migrations: their folder says it all."""
_MOST_COMPARED = 20_000
"""Most files of code with which folders are compared."""
_STEMLESS = frozenset(
    "index main mod lib init __init__ __main__ types utils util common package".split()  # noqa: SIM905
)
"""Names of modules that say nothing in an import."""
_ENTRIES = frozenset("main __main__ app application cli server core program".split())  # noqa: SIM905
"""Names of modules where a program begins."""

_CODE = frozenset(
    """
    py pyi pyx js jsx mjs cjs ts tsx mts cts vue svelte go rs c h cc cpp cxx hh hpp hxx m mm java kt kts scala
    groovy cs fs rb php sh bash pl pm lua r jl ex exs erl hs ml mli clj dart swift zig nim d sql vb f90 ipynb
    sol cr ps1 psm1 cljs cljc elm purs fsx gd el scm rkt lisp nix gleam sc
    """.split()  # noqa: SIM905
) | (HCL - {"hcl"})
"""Suffixes of code that people write."""
_CONFIGURED = lazily(
    r"(^|/)(roles|playbooks?|tasks|handlers|templates|charts?|manifests|k8s|kubernetes|base|overlays|clusters|apps"
    r"|deploy(ments?)?)/([^/]+/)*[^/]+\.ya?ml$|(^|/)(site|main|playbook|deploy)\.ya?ml$"
)
"""YAML of Ansible, Helm and Kubernetes: if most of a workspace is that, it counts as code."""

_ASIDE = lazily(
    r"(?i)(^|/)(scripts?|tools?|extras?|hack|ci|\.github|build|contrib|devtools|misc|migrations?|maint)(/|$)"
)
_ASIDE_FACTOR = 0.1
"""Weight of a folder of helpers, relative to one of the product."""
_SHOWING = lazily(
    r"(?i)^(?!(?:[^/]+/){0,9}?src/main/)((?:[^/]+/)*?(?<!com/)(?<!org/)"
    r"(?:demos?|examples?|samples?|fixtures?|playgrounds?|sandbox|cookbook|tutorials?|templates))/"
)
"""Folders of examples and templates: they are named in one line, after all else."""
_BUILT = lazily(r"(?i)(^|/)(dist|vendor|node_modules|priv/static|public/assets|static/(?:js|dist))/")
"""Folders of files built from code elsewhere."""


class _Module(NamedTuple):
    """A file of code, as the overview shows it."""

    path: str
    lines: int
    purpose: str
    opening: str
    """Its words on its package, if it is the face of that."""
    names: Sequence[str]


class _Alike(NamedTuple):
    """Sibling folders of the same files."""

    folder: str
    children: Sequence[str]
    files: Sequence[str]
    """Files that most of them have, relative to each."""


class _Code(NamedTuple):
    """The code of a workspace, as far as it was read."""

    paths: Sequence[str]
    apart: Sequence[str]
    """Code outside of folders alike."""
    modules: Sequence[_Module]
    used: Mapping[str, int]
    """How many others import a module, by its path and by its name."""
    alike: Sequence[_Alike]


@attrs.frozen(eq=False, repr=False)
class Overview:
    """Offer one item if the task asks about the project as a whole: the purposes of packages and modules.

    A module's purpose is the first sentence of its docstring, of the comment on top, or of the comment on
    the definition with its name; a package's is that of its index, or of its README. Large modules and those
    that many others import come first. Sibling folders of the same files share a line; examples, demos and
    templates are named in the last line. Notebooks show their headings, Terraform its resources and modules;
    YAML of Ansible, Helm and Kubernetes is shown if most of the workspace is that.
    """

    name, wave = "overview", 1
    max_items: int = 1
    max_tokens: int = 3000
    packages: int = 14
    """Packages (folders with code) that are shown, the ones with the most code first."""
    modules: int = 24
    """Modules of a package that are shown, the largest and those that most others import first."""
    collected: int = 8
    """The same for a package that has more than twice as many: it holds many of a kind."""

    def gather(self, task: Task, workspace: Workspace, best: Sequence[ContextItem]) -> Iterable[ContextItem]:
        """Return the overview, or nothing for other tasks and for a workspace without code."""
        if not asks_about_whole(task.text, name=workspace.root.name):
            return []
        roles = roles_of(workspace)
        code, showing = _list_code(roles)
        alike = _find_alike(code) if len(code) <= _MOST_COMPARED else []
        told = {
            f"{one.folder}/{child}/" if one.folder else f"{child}/" for one in alike for child in one.children
        }
        apart = [path for path in code if not any(folder in told for folder in _folders_above(path))]
        modules, used = _read_modules(workspace, apart, beside=set(code).difference(apart))
        if not modules and not alike:
            return []
        text = self._lay_out(workspace, _Code(code, apart, modules, used, alike), showing, roles)
        return [
            ContextItem(
                "overview:", self.name, "overview", "overview of the code", text=workspace.redactor.show(text)
            )
        ]

    def _lay_out(
        self, workspace: Workspace, code: _Code, showing: Sequence[str], roles: Mapping[str, str]
    ) -> str:
        """Return the title, the packages, the folders alike and the examples, as far as there is room."""
        title = _make_title(code.paths, Counter(roles.values()))
        room = self.max_tokens * BYTES_PER_TOKEN - len(title) - 8
        shared: list[str] = []
        for line in (*(_describe_alike(one, code.used) for one in code.alike), _describe_showing(showing)):
            if line and len(line.encode()) < room // 2:
                shared.append(line)
                room -= len(line.encode()) + 1
        last = [shared.pop()] if shared and showing and shared[-1].startswith(_SHOWN) else []
        blocks = self._describe(workspace, code, room)
        in_series = sum(len(one.children) * len(one.files) for one in code.alike if _is_series(one))
        most_are_alike = 2 * len(code.apart) < len(code.paths) - in_series
        return "\n".join(
            [f"{title}\n", *([*shared, *blocks] if most_are_alike else [*blocks, *shared]), *last]
        )

    def _describe(self, workspace: Workspace, code: _Code, room: int) -> list[str]:
        """Return a block of lines for each package, as many as there is room for, the largest first."""
        modules, used = code.modules, code.used
        packages: dict[str, list[_Module]] = {}
        for module in modules:
            packages.setdefault(module.path.rpartition("/")[0], []).append(module)
        ranked = sorted(packages, key=lambda one: -_weigh_package(one, packages[one], used))
        files = Counter(path.rpartition("/")[0] for path in code.apart)
        shown = [
            _Package.of(
                folder,
                packages[folder],
                used,
                files=files[folder],
                purpose=_find_purpose_of(folder, packages[folder], workspace),
            )
            for folder in [one for one in ranked if _stands_alone(one, packages[one])][: self.packages]
        ]
        while len(shown) > 1 and sum(one.size() for one in shown) > room:
            shown.pop()
        self._fill(shown, room)
        known = {one.folder for one in shown}
        rest = [f"{safe_text(folder) or '.'}/" for folder in ranked if folder not in known]
        others = f"and {_count(len(rest), 'folder')} more: {_list_some(rest)}\n" if rest else ""
        blocks = [one.describe() for one in shown]
        left = room - sum(len(block.encode()) + 1 for block in blocks)
        return [*blocks, *([others] if others and len(others.encode()) < left else [])] if left >= 0 else []

    def _fill(self, shown: Sequence[_Package], room: int) -> None:
        """Give the room that is left to the modules that matter most."""
        left = room - sum(one.size() for one in shown)
        waiting = [one for one in shown if self._has_more(one)]
        while waiting:
            best = max(waiting, key=lambda one: one.worth_of_next())
            before = best.size()
            best.shown += 1
            left -= best.size() - before
            if left < 0:
                best.shown -= 1
                left += best.size() - before
                waiting.remove(best)
            elif not self._has_more(best):
                waiting.remove(best)

    def _has_more(self, package: _Package) -> bool:
        is_collection = len(package.lines) > 2 * self.modules
        return package.has_more(min(self.collected, self.modules) if is_collection else self.modules)


@attrs.define(eq=False)
class _Package:
    """A folder with code, and how many of its modules are shown."""

    folder: str
    heading: str
    lines: Sequence[str]
    """One line for each module, the most important first."""
    stems: Sequence[str]
    worths: Sequence[float]
    telling: int = 0
    """Number of lines that say something about their modules: they come first."""
    shown: int = 0

    @classmethod
    def of(
        cls, folder: str, modules: Sequence[_Module], used: Mapping[str, int], *, files: int, purpose: str
    ) -> _Package:
        """Return a package with its modules in order."""
        lines = sum(module.lines for module in modules)
        heading = f"{safe_text(folder) or '.'}/ {_count(files, 'file')}, {_count(lines, 'line')}"
        own = folder.rpartition("/")[2]
        worths = {module.path: _weigh_module(module, used, package=own) for module in modules}
        ranked = sorted(
            (one for one in modules if not (is_face(one.path) and one.opening == purpose and not one.names)),
            key=lambda one: (_says_nothing(one), -worths[one.path], one.path),
        )
        telling = sum(not _says_nothing(one) for one in ranked)
        factor = _ASIDE_FACTOR if _ASIDE.search(folder) else 1.0
        names = sorted(one.path.rpartition("/")[2] for one in modules)
        numbered = [name for name in names if _NUMBERED.match(name)]
        if len(numbered) >= max(_LEAST_ALIKE, len(names) // 2):
            told = f"{heading}: {safe_text(numbered[0])} to {safe_text(numbered[-1])}"
            return cls(folder, told, (), (), ())
        return cls(
            folder,
            f"{heading}: {purpose}" if purpose else heading,
            [_describe_module(one, purpose) for one in ranked],
            [safe_text(one.path.rpartition("/")[2].rpartition(".")[0] or one.path) for one in ranked],
            [factor * worths[one.path] for one in ranked],
            telling,
            min(telling, _LEAST_MODULES),
        )

    def has_more(self, most: int) -> bool:
        """Return whether a module is left that may be shown."""
        return self.shown < min(most, self.telling)

    def worth_of_next(self) -> float:
        """Return the worth of the next module."""
        return self.worths[self.shown]

    def describe(self) -> str:
        """Return the lines of the package."""
        rest = self.stems[self.shown :]
        more = [f"  and {len(rest):,} more: {_list_some(rest)}"] if rest else []
        return "".join(f"{line}\n" for line in (self.heading, *self.lines[: self.shown], *more))

    def size(self) -> int:
        """Return the bytes of its lines and of the blank one after them."""
        return len(self.describe().encode()) + 1


def _list_code(roles: Mapping[str, str]) -> tuple[list[str], list[str]]:
    """Return the paths of the code, and those of examples, demos and templates beside it."""
    suffixes = {path: path.rpartition(".")[2].lower() for path in roles}
    code = [path for path, role in roles.items() if role == "code" and suffixes[path] in _CODE]
    code = [path for path in code if not _BUILT.search(path)]
    configured = [path for path, suffix in suffixes.items() if suffix in YAML and _CONFIGURED.search(path)]
    configured = [path for path in configured if roles[path] == "data" and not path.startswith(".")]
    if len(configured) > len(code):
        return [*code, *configured], []
    showing = [
        path
        for path, role in roles.items()
        if role in ("code", "document") and suffixes[path] in _CODE and _SHOWING.match(path)
    ]
    return [path for path in code if not _SHOWING.match(path)] or code, showing


def _folders_above(path: str) -> list[str]:
    """Return the folders that hold a path, each with its slash."""
    return [path[: at + 1] for at, letter in enumerate(path) if letter == "/"]


def _make_title(code: Sequence[str], roles: Mapping[str, int]) -> str:
    folders = len({path.rpartition("/")[0] for path in code})
    notebooks = sum(path.endswith(".ipynb") for path in code)
    which = f" ({_count(notebooks, 'notebook')})" if notebooks else ""
    return (
        f"{_count(len(code), 'file')} of code{which} in {_count(folders, 'folder')}, beside"
        f" {roles.get('test', 0):,} of tests and {roles.get('document', 0):,} of documents;"
        " large ones and those that others import come first"
    )


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def _list_some(names: Sequence[str]) -> str:
    return ", ".join(names[:_LISTED]) + (", ..." if len(names) > _LISTED else "")


def _find_alike(code: Collection[str]) -> list[_Alike]:
    """Return the outermost groups of sibling folders that hold the same files."""
    below: dict[str, dict[str, set[str]]] = {}
    for path in code:
        places = [at for at, letter in enumerate(path) if letter == "/"]
        for start, end in zip([0, *(at + 1 for at in places)], places, strict=False):
            child = path[start:end]
            rest = "/".join(
                "*" + one[len(child) :] if one.startswith(f"{child}.") else one
                for one in path[end + 1 :].split("/")
            )
            below.setdefault(path[: max(start - 1, 0)], {}).setdefault(child, set()).add(rest)
    found: list[_Alike] = []
    taken: set[str] = set()
    for folder in sorted(below, key=lambda one: (one.count("/"), one)):
        if taken.intersection(above.rstrip("/") for above in _folders_above(f"{folder}/")):
            continue
        if alike := _compare(folder, below[folder]):
            found.append(alike)
            taken.update(f"{folder}/{child}".lstrip("/") for child in alike.children)
    return found


def _compare(folder: str, children: Mapping[str, set[str]]) -> _Alike | None:
    """Return the children of a folder that hold hardly more than most of them, if they are many."""
    if len(children) < _LEAST_ALIKE:
        return None
    counts = Counter(rest for files in children.values() for rest in files)
    common = {rest for rest, count in counts.items() if count >= 0.5 * len(children)}
    alike = [child for child, files in children.items() if len(files & common) >= 0.6 * len(files)]
    return _Alike(folder, alike, sorted(common)) if len(alike) >= _LEAST_ALIKE else None


def _is_series(alike: _Alike) -> bool:
    """Return whether the names of folders alike are numbered or dated, like migrations."""
    return 2 * sum(_NUMBERED.match(child) is not None for child in alike.children) > len(alike.children)


def _describe_alike(alike: _Alike, used: Mapping[str, int]) -> str:
    if _is_series(alike):
        first, last = min(alike.children), max(alike.children)
        named = f"{safe_text(first)} to {safe_text(last)}"
    else:
        ranked = sorted(alike.children, key=lambda child: (-used.get(child, 0), child))
        named = _list_some([safe_text(child) for child in ranked])
    files = ", ".join(safe_text(one) for one in alike.files[:3])
    where = f"{safe_text(alike.folder)}/" if alike.folder else ""
    return f"{where}*/ {len(alike.children):,} folders alike (each with {files}): {named}\n"


_SHOWN = "Examples, demos and templates: "


def _describe_showing(paths: Sequence[str]) -> str:
    """Return a line on folders of examples and templates."""
    folders: dict[str, list[str]] = {}
    for path in paths:
        if found := _SHOWING.match(path):
            folders.setdefault(found[1], []).append(path[found.end() :])
    told = [
        f"{safe_text(folder)}/ ({_count(len(names), 'file')}: {_list_some(_name_parts(names))})"
        for folder, names in sorted(folders.items(), key=lambda one: -len(one[1]))[:4]
    ]
    return f"{_SHOWN}{'; '.join(told)}\n" if told else ""


def _name_parts(paths: Sequence[str]) -> list[str]:
    """Return the first names of some paths; if these are all the same, the names of the files."""
    first = list(dict.fromkeys(path.partition("/")[0].partition(".")[0] for path in paths))
    if len(first) == 1:
        first = list(dict.fromkeys(path.rpartition("/")[2].partition(".")[0] for path in paths))
    return [safe_text(name) for name in first]


def _read_modules(
    workspace: Workspace, code: Sequence[str], *, beside: Collection[str]
) -> tuple[list[_Module], dict[str, int]]:
    """Return the modules that were read, and by path and by stem how many others import them.

    Only the imports of `beside` are read, if there is room.
    """
    documents = workspace.index.documents
    sizes = {path: documents[path].size for path in (*code, *beside) if documents[path].kind == "text"}
    sizes |= {path: min(size, _BYTES_OF_NOTEBOOK) for path, size in sizes.items() if path.endswith(".ipynb")}
    modules: list[_Module] = []
    imports: Counter[str] = Counter()
    room, count = _MOST_BYTES, 0
    order = sorted(sizes, key=lambda one: (one in beside, -sizes[one], one))
    for path in order:
        if sizes[path] > _LARGEST or count == _MOST_FILES or room < sizes[path]:
            continue
        count, room = count + 1, room - sizes[path]
        text = text_of_file(workspace, path)
        imports.update(find_imported(text))
        if path not in beside:
            head = text[:_HEAD]
            opening = find_opening(head, path)
            modules.append(
                _Module(path, text.count("\n"), find_purpose(head, path), opening, find_names(text, path))
            )
    defined = Counter(name for module in modules for name in module.names)
    modules = [one._replace(names=[name for name in one.names if defined[name] < _COMMON]) for one in modules]
    return modules, imports | {module.path: imports[_stem_of(module.path)] for module in modules}


def _stem_of(path: str) -> str:
    """Return the word for the module in imports: its name, or its folder's."""
    folder, _, name = path.rpartition("/")
    stem = name.partition(".")[0]
    if stem.lower() not in _STEMLESS and not name.endswith(".go"):
        return stem
    places = folder.split("/")
    return next((one for one in reversed(places) if one.strip("_").lower() not in _STEMLESS), places[-1])


def _find_purpose_of(folder: str, modules: Sequence[_Module], workspace: Workspace) -> str:
    """Return a package's purpose: from the top of its index, in Go of any file, or from its README."""
    for module in modules:
        is_told = (
            module.opening.startswith("Package ") if module.path.endswith(".go") else is_face(module.path)
        )
        if is_told and module.opening:
            return module.opening
    for name in ("README.md", "README.rst", "README"):
        path = f"{folder}/{name}"
        if folder and path in workspace.index.documents:
            return find_readme_purpose(text_of_file(workspace, path)[:_HEAD])
    return ""


def _stands_alone(folder: str, modules: Sequence[_Module]) -> bool:
    """Return whether a folder is shown by itself: a small one of helpers is only named."""
    return not _ASIDE.search(folder) or sum(module.lines for module in modules) >= _LEAST_ASIDE


def _weigh_package(folder: str, modules: Sequence[_Module], used: Mapping[str, int]) -> float:
    """Return how much a package matters: its lines, more if others import its modules, less for tools."""
    imported = max(used[module.path] for module in modules)
    aside = _ASIDE_FACTOR if _ASIDE.search(folder) else 1.0
    return aside * sum(module.lines for module in modules) * math.sqrt(1 + imported)


def _weigh_module(module: _Module, used: Mapping[str, int], *, package: str) -> float:
    """Return how much a module matters: its lines, more if others import it or a program begins in it."""
    stem = module.path.rpartition("/")[2].partition(".")[0]
    begins = 2.0 if stem in _ENTRIES or stem == package else 1.0
    return begins * math.sqrt((1 + used[module.path]) * module.lines)


def _says_nothing(module: _Module) -> bool:
    return not (module.purpose or module.names) and module.lines < _LEAST_TELLING


def _describe_module(module: _Module, purpose: str) -> str:
    name = safe_text(module.path.rpartition("/")[2])
    parts = [f"  {name} ({_count(module.lines, 'line')})"]
    if module.purpose and module.purpose != purpose:
        parts.append(f": {module.purpose}")
    if module.names:
        more = ", ..." if len(module.names) > _NAMES else ""
        parts.append(f" [{', '.join(module.names[:_NAMES])}{more}]")
    return "".join(parts)
