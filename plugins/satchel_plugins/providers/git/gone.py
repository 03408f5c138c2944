"""For a review: the lines that name removed files and definitions, and callers of changed signatures."""

from __future__ import annotations

import posixpath
import re
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from satchel.plugin_api import WORD, ContextItem, lazily, safe_text, split_words
from satchel_plugins.providers.files import role_of, text_of_file
from satchel_plugins.providers.uses import Use, find_uses, list_places, show_uses
from satchel_plugins.representers.diffs import find_definition, find_written_name

if TYPE_CHECKING:
    from satchel.plugin_api import FileDiff, Workspace

_MOST = 60
"""Most files, and most definitions, that are looked for."""
_COMMON = 60
"""A name whose words are in more files says nothing about a change."""
_SHOWN, _SHOWN_OF_ALL = 12, 80
"""Most lines shown for each, and for all; the others are named by their numbers."""
_NO_NAMES = frozenset({"main", "init", "new", "run", "test", "setup", "self"})
_OF_FOLDER = frozenset({"__init__", "index", "mod"})
"""Stems of files that are imported by the name of their folder."""
_IMPORTS = lazily(
    r"\b(?:import|from|require|require_relative|include|use|mod|export|load|source|mock|patch)\b"
)
_PYTHON = lazily(r"\s*from\s+(?P<dots>\.+)(?P<module>[\w.]*)\s+import\b(?P<names>[^#\n]*)")
_RELATIVE = lazily(r"""["'`](\.{1,2}/[^"'`\n]{1,200})["'`]""")
_ENDING = lazily(r"\.(?:[cm]?[jt]sx?|vue|svelte|rb|php)\Z")
_CODE = ("code", "test")
_SETTINGS = lazily(r"\.(?:toml|cfg|ini|json|ya?ml)\Z")
_OF_PACKAGE = (".go", ".java", ".kt", ".scala", ".cs", ".swift")
"""Endings of files that use definitions in other files of their folder without an import."""
_TYPES = frozenset({"class", "struct", "enum", "trait", "interface", "type"})
_SHORT_TYPE, _SHORT_NAME = 3, 2
_OPENS = lazily(r"(?:<[^<>()\n]{0,200}>|\[[^\[\]()\n]{0,200}\])?[ \t]{0,8}\(")
"""Text between a function's name and its parameters, such as type parameters."""
_LONGEST_HEAD = 30
"""Lines of a definition's head that are read."""
_WORDS_OF_PLAIN = 1
"""Number of terms of a plain word, which other things may be named, too."""


def gone_item(diffs: Sequence[FileDiff], workspace: Workspace, *, side: str = "") -> list[ContextItem]:
    """Return an item with the lines that still name files and definitions that the diffs removed.

    `side` is the name of the side of a conflict that has these diffs.
    """
    listed: set[Use] = set()
    lines: list[str] = []
    for head, uses in (*_find_uses_of_files(diffs, workspace), *_find_uses_of_names(diffs, workspace)):
        fresh = sorted(set(uses) - listed, key=_code_first)
        listed.update(fresh)
        room = min(_SHOWN, max(_SHOWN_OF_ALL - len(lines), 0))
        lines += [head, *show_uses(fresh, room)] if fresh else []
    return _list_item("gone", f"what is gone{_describe(side)} but still named", lines, side)


def _code_first(use: Use) -> tuple[int, Use]:
    role = role_of(use.path)
    return _CODE.index(role) if role in _CODE else len(_CODE), use


class _File(NamedTuple):
    """The names of a file that no longer exists; a name that another file has, too, finds nothing."""

    path: str
    module: str
    """Its path without the ending, or its folder's if it is imported by the folder's name."""
    is_lost: bool
    """Whether no other file is imported by that path."""
    anywhere: re.Pattern[str] | None
    """Finds its name with its folder's, or with its ending."""
    in_imports: re.Pattern[str] | None
    """Finds its name alone, for lines that import something."""

    def is_named(self, line: str, path: str) -> bool:
        """Return whether a line of the file at `path` names it; relative paths are resolved."""
        folder = posixpath.dirname(path)
        if relative := _RELATIVE.findall(line):
            meant = {posixpath.normpath(posixpath.join(folder, one)) for one in relative}
            modules = meant | {_ENDING.sub("", one) for one in meant}
            return self.path in meant or (self.is_lost and self.module in modules)
        if imported := _PYTHON.match(line):
            return self.is_lost and self.module in _resolve(imported, folder)
        if self.anywhere is not None and self.anywhere.search(line):
            return True
        return (
            self.in_imports is not None
            and self.in_imports.search(line) is not None
            and _IMPORTS.search(line) is not None
        )


def _resolve(imported: re.Match[str], folder: str) -> set[str]:
    """Return the modules that a relative import of Python may mean."""
    for _ in imported["dots"][1:]:
        folder = posixpath.dirname(folder)
    base = posixpath.join(folder, *filter(None, imported["module"].split(".")))
    return {base, *(posixpath.join(base, name) for name in WORD.findall(imported["names"]))}


def _find_uses_of_files(
    diffs: Sequence[FileDiff], workspace: Workspace
) -> Iterator[tuple[str, Sequence[Use]]]:
    """Yield for each removed file a heading on its fate, and the lines that name it."""
    gone = [diff for diff in diffs if diff.status in ("deleted", "renamed")][:_MOST]
    there = workspace.index.documents.keys() - {diff.old_path or diff.path for diff in gone} if gone else ()
    files = {path.rpartition("/")[2] for path in there}
    modules = {_name_module(path) for path in there if role_of(path) in _CODE}
    for diff in gone:
        file = _make_file(diff.old_path or diff.path, files, modules)
        uses = find_uses(_last(file.module), file.is_named, workspace, most_files=10 * _COMMON)
        if uses:
            became = f"moved to {safe_text(diff.path)}" if diff.status == "renamed" else "deleted"
            yield f"{safe_text(file.path)} is {became}, but still named:", uses


def _make_file(path: str, files: Collection[str], modules: Collection[str]) -> _File:
    module, name = _name_module(path), _last(path)
    own, pair = _last(module), "/".join(module.split("/")[-2:])
    is_code = role_of(path) in _CODE
    forms = []
    if is_code and "/" in pair and not any(f"/{one}".endswith(f"/{pair}") for one in modules):
        forms.append(r"(?:\.|/|::|\\)".join(map(re.escape, pair.split("/"))))
    if "." in name[1:] and name not in files and name.partition(".")[0] not in _OF_FOLDER:
        forms.append(re.escape(name))
    is_alone = is_code and own not in {_last(one) for one in modules} and not _IMPORTS.fullmatch(own)
    return _File(
        path, module, module not in modules, _compile(forms), _compile([re.escape(own)] if is_alone else [])
    )


def _compile(forms: Sequence[str]) -> re.Pattern[str] | None:
    return re.compile(rf"(?<![\w-])(?:{'|'.join(forms)})(?![\w-])") if forms else None


def _name_module(path: str) -> str:
    folder, _, name = path.rpartition("/")
    stem = name[:1] + name[1:].partition(".")[0]
    return folder if stem in _OF_FOLDER and folder else posixpath.join(folder, stem)


def _last(path: str) -> str:
    return path.rpartition("/")[2]


def _find_uses_of_names(
    diffs: Sequence[FileDiff], workspace: Workspace
) -> Iterator[tuple[str, Sequence[Use]]]:
    """Yield each definition that is gone, and the lines of code that name it."""
    for name, path, uses, is_other in _find_users(_find_gone_names(diffs), workspace):
        but = "gone, others have its name; these may mean it:" if is_other else "gone, but still named:"
        yield f"{name} of {safe_text(path)} is {but}", uses


def _find_users(
    changed: Mapping[str, str], workspace: Workspace
) -> Iterator[tuple[str, str, Sequence[Use], bool]]:
    """Yield names, the paths of their definitions, the lines that use them, and whether others have them.

    A name of one word, or a name that others have, too, counts only in files that name its module or a type
    of it.
    """
    owners: dict[str, _Owner] = {}
    naming: dict[tuple[str, str], bool] = {}
    for name, path in list(changed.items())[:_MOST]:
        word = re.compile(_as_word(name))
        if path not in owners:
            owners[path] = _make_owner(path, [one for one, its in changed.items() if its == path], workspace)

        def is_use(line: str, path: str, word: re.Pattern[str] = word) -> bool:
            return word.search(line) is not None and _may_use(path)

        found = find_uses(name, is_use, workspace, most_files=10 * _COMMON)
        binding = {use.path for use in found if use.path != path and _binds(name, use.text)}
        uses = [use for use in found if use.path != path or not _defines(name, use.text)]
        uses = [use for use in uses if use.path not in binding]
        is_other = any(_defines(name, use.text) for use in uses)
        is_plain = len(split_words([name])[0]) <= _WORDS_OF_PLAIN
        if is_other or is_plain:
            uses = [use for use in uses if not is_plain or _is_reference(name, use.text)]
            for user in {use.path for use in uses}:
                if (path, user) not in naming:
                    naming[path, user] = owners[path].is_named_in(user, workspace)
            uses = [use for use in uses if naming[path, use.path]]
        elif len({use.path for use in uses}) > _COMMON:
            continue
        if uses:
            yield name, path, uses, is_other


def _defines(name: str, line: str) -> bool:
    found = find_definition(line)
    return found is not None and found[1] == name


def _binds(name: str, line: str) -> bool:
    """Return whether a line declares a variable of that name, which uses in the same file then mean."""
    return re.search(rf"\b(?:const|let|var|val|local|my)\s+\$?{re.escape(name)}(?![\w$-])", line) is not None


def _describe(side: str) -> str:
    return f" on {side}" if side else ""


def callers_item(diffs: Sequence[FileDiff], workspace: Workspace, *, side: str = "") -> list[ContextItem]:
    """Return an item with the places that call functions whose parameters the diffs changed."""
    lines: list[str] = []
    for name, path, uses, is_other in _find_users(_find_changed_parameters(diffs), workspace):
        calls = [use for use in uses if _is_call(name, use.text) and not _defines(name, use.text)]
        if calls:
            doubt = "; others have its name, too" if is_other else ""
            lines += [f"callers of {name}, whose parameters changed in {safe_text(path)}{doubt}:"]
            lines += list_places(sorted(calls, key=_code_first))[:_SHOWN]
    title = f"callers of what has other parameters{_describe(side)}"
    return _list_item("callers", title, lines[:_SHOWN_OF_ALL], side)


def _list_item(name: str, title: str, lines: Sequence[str], side: str) -> list[ContextItem]:
    """Return lines as an item of a review, or of a side of a conflict; [] without any."""
    text = "".join(f"{line}\n" for line in lines)
    id_ = f"review:{name}{side and f' {side}'}"
    return [ContextItem(id_, "git", "status", title, text=text)] if lines else []


def _is_call(name: str, line: str) -> bool:
    return re.search(rf"(?<![\w$-]){re.escape(name)}\s*[(!<]", line) is not None


def _find_changed_parameters(diffs: Sequence[FileDiff]) -> dict[str, str]:
    """Return the names of functions whose parameters a diff changes, with the path of their file."""
    changed: dict[str, str] = {}
    for diff in diffs:
        if role_of(diff.path) != "code" or diff.status not in ("changed", "renamed"):
            continue
        for hunk in diff.hunks:
            lines = hunk.text.decode(errors="replace").split("\n")[1:]
            old, new = ([line[1:] for line in lines if line[:1] in (mark, " ")] for mark in ("-", "+"))
            before, after = _read_parameters(old), _read_parameters(new)
            changed |= {
                name: diff.path
                for name, parameters in after.items()
                if name in before and before[name] != parameters and len(name) > _SHORT_NAME
                if not name.startswith("__") and name.lower() not in _NO_NAMES
            }
    return changed


def _read_parameters(lines: Sequence[str]) -> dict[str, str]:
    """Return the functions that some lines define, with the text of their parameters without blanks."""
    found: dict[str, str] = {}
    for number, line in enumerate(lines):
        name = find_written_name(line)
        head = "\n".join(lines[number : number + _LONGEST_HEAD]) if name else ""
        opened = _OPENS.match(head, head.find(name) + len(name)) if name else None
        if opened is None:
            continue
        depth = 0
        for at in range(opened.end() - 1, len(head)):
            depth += (head[at] == "(") - (head[at] == ")")
            if not depth:
                found[name] = "".join(head[opened.end() : at].split()).rstrip(",")
                break
    return found


def _as_word(name: str) -> str:
    """Return the source of a pattern that finds a name as a whole."""
    return rf"(?<![\w$-]){re.escape(name)}(?![\w$-])"


def _may_use(path: str) -> bool:
    """Return whether a file may use a definition: code and its settings do, prose and styles don't."""
    return role_of(path) in _CODE or _SETTINGS.search(path) is not None


def _is_reference(name: str, line: str) -> bool:
    """Return whether a line calls a name, takes it from something or imports it."""
    word = _as_word(name)
    return re.search(rf"{word}\s*[(!<]|(?:\.|->|::){word}", line) is not None or (
        _IMPORTS.match(line.lstrip()) is not None
    )


class _Owner(NamedTuple):
    """The names of a definition's file."""

    path: str
    module: re.Pattern[str]
    """Finds its module's name."""
    types: re.Pattern[str] | None
    """Finds the types that its file defines or defined."""

    def is_named_in(self, path: str, workspace: Workspace) -> bool:
        """Return whether a file imports the module, names one of its types, or belongs to the module."""
        if path == self.path:
            return True
        is_near = posixpath.dirname(path) == posixpath.dirname(self.path)
        if is_near and path.endswith(_OF_PACKAGE) and self.path.endswith(_OF_PACKAGE):
            return True
        text = text_of_file(workspace, path)
        if self.types is not None and self.types.search(text):
            return True
        return any(
            _IMPORTS.search(line) is not None or _RELATIVE.search(line) is not None
            for line in text.split("\n")
            if self.module.search(line)
        )


def _make_owner(path: str, gone: Sequence[str], workspace: Workspace) -> _Owner:
    """Return the names of a file for finding its users; `gone` are its removed definitions."""
    lines = text_of_file(workspace, path).split("\n")
    found = [definition for line in lines if (definition := find_definition(line)) is not None]
    types = {name for kind, name in found if kind in _TYPES} | {name for name in gone if name[:1].isupper()}
    known = "|".join(map(re.escape, sorted(name for name in types if len(name) > _SHORT_TYPE)))
    module = rf"(?<![\w-]){re.escape(_last(_name_module(path)))}(?![\w-])"
    return _Owner(path, re.compile(module), re.compile(rf"(?<![\w$])(?:{known})(?![\w$])") if known else None)


def _find_gone_names(diffs: Sequence[FileDiff]) -> dict[str, str]:
    """Return the names that removed lines define and no new line does, with the path of their file."""
    names: defaultdict[bytes, dict[str, str]] = defaultdict(dict)
    for diff in diffs:
        lines = [line for hunk in diff.hunks for line in hunk.text.split(b"\n")[1:]]
        for line in lines if role_of(diff.path) == "code" else ():
            found = find_definition(line[1:].decode(errors="replace")) if line[:1] in (b"+", b"-") else None
            if found is not None:
                names[line[:1]].setdefault(found[1], diff.old_path or diff.path)
    return {
        name: path
        for name, path in names[b"-"].items()
        if name not in names[b"+"] and len(name) > 2 and not name.startswith("__")
        if name.lower() not in _NO_NAMES
    }
