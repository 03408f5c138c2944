"""Write `plugin-api.md`: what a plugin may import, with fields, methods and signatures, read from the source.

Run `python docs/reference/plugin_api.py` after a change of `satchel.plugin_api`; a test compares the page.
"""

from __future__ import annotations

import ast
import inspect
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from satchel import plugin_api
from satchel.lazy_names import read_homes

HOMES = read_homes(plugin_api.__file__)
PAGE = Path(__file__).with_name("plugin-api.md")
SECTIONS = {
    "What plugins make and get": (
        "items", "parts", "packing", "pointers", "messages", "compaction", "devices", "events", "ranked_files",
    ),
    "Hooks and interfaces": ("hookspecs", "interfaces", "lazy_names"),
    "Session files and JSON of messages": ("conversation",),
    "Rules of redaction": ("redaction",),
    "The workspace": ("workspace",),
    "Words and references": ("references", "patterns", "questions"),
    "Choosing": ("selecting",),
    "Command output": ("output",),
    "Files of satchel's own, and text to show": ("private_files", "paths", "escaping", "spelling"),
    "Stores of sessions and of blobs": ("session", "blobs", "addresses"),
    "Errors": ("errors",),
}  # fmt: skip
HEAD = """\
# What a plugin may import

<!-- Made by docs/reference/plugin_api.py; do not edit. -->

`satchel.plugin_api` has everything that a plugin may import, and the built-in plugins import nothing
else of satchel: an import contract holds that. Names that are also in `satchel` itself (`Task`,
`ContextItem`, `hookimpl`, ...) are the same objects.

```python
from satchel.plugin_api import ContextItem, Task, Workspace, hookimpl
```

What a method of a plugin is called with, and when, is on the page of the [hooks](hooks.md).
"""


@cache
def tree_of(path: str) -> ast.Module:
    """Return the parsed source of a module."""
    return ast.parse(Path(path).read_text("utf-8"))


def node_of(name: str) -> ast.stmt | None:
    """Return the statement that defines a name of the API in its home, None for what is imported there."""
    value = getattr(plugin_api, name)
    module = inspect.getmodule(value)
    home = module.__name__ if module and module.__name__.startswith("satchel") else HOMES[name]
    body = tree_of(str(sys.modules[home].__file__)).body
    for node in body:
        if getattr(node, "name", "") == name:
            return node
        if isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "") == name:
            return node
    return None


def bases_of(name: str) -> Iterator[ast.ClassDef]:
    """Yield the classes without a name in the API that a class of the API has its fields from."""
    for base in getattr(plugin_api, name).__mro__[1:]:
        if base.__module__.startswith("satchel.") and base.__name__ not in plugin_api.__all__:
            tree = tree_of(str(sys.modules[base.__module__].__file__))
            yield from (one for one in tree.body if getattr(one, "name", "") == base.__name__)


def first_line(text: str | None) -> str:
    """Return the first sentence or line of a docstring, as a cell of a table can have it."""
    return " ".join((text or "").strip().split("\n\n")[0].split()).replace("|", "\\|")


def signature(node: ast.FunctionDef) -> str:
    """Return a function's signature as one line, without `self` and without quotes around types."""
    for one in (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs):
        one.annotation = unquote(one.annotation)
    node.returns = unquote(node.returns)
    arguments = ast.unparse(node.args)
    for own in ("self, ", "self", "cls, ", "cls"):
        arguments = arguments.removeprefix(own)
    returns = f" -> {ast.unparse(node.returns)}" if node.returns else ""
    return f"{node.name}({arguments}){returns}".replace("|", "\\|")


def unquote(annotation: ast.expr | None) -> ast.expr | None:
    """Return a type that stands in quotes, because its name is imported for type checkers only, without them."""
    if isinstance(annotation, ast.Constant) and isinstance(annotation.value, str):
        return ast.parse(annotation.value, mode="eval").body
    return annotation


def fields_of(node: ast.ClassDef) -> Iterator[tuple[str, str, str, str]]:
    """Yield name, type, default and meaning of the public fields of a class."""
    for at, line in enumerate(node.body):
        if not isinstance(line, ast.AnnAssign) or not isinstance(line.target, ast.Name):
            continue
        if line.target.id.startswith("_"):
            continue
        after = node.body[at + 1] if at + 1 < len(node.body) else None
        told = (
            after.value.value if isinstance(after, ast.Expr) and isinstance(after.value, ast.Constant) else ""
        )
        default = ast.unparse(line.value) if line.value is not None else ""
        yield line.target.id, ast.unparse(line.annotation), default, first_line(str(told))


def methods_of(node: ast.ClassDef) -> Iterator[tuple[str, str]]:
    """Yield signature and meaning of the public methods and properties of a class."""
    for line in node.body:
        if isinstance(line, ast.FunctionDef) and not line.name.startswith("_"):
            is_property = any("property" in ast.unparse(one) for one in line.decorator_list)
            returns = ast.unparse(line.returns) if line.returns else ""
            shown = f"{line.name}: {returns}" if is_property else signature(line)
            yield shown.replace("\\|", "|").replace("|", "\\|"), first_line(ast.get_docstring(line))


def members_of(node: ast.ClassDef) -> Iterator[str]:
    """Yield the values of an enumeration."""
    for at, line in enumerate(node.body):
        if isinstance(line, ast.Assign) and isinstance(line.targets[0], ast.Name):
            after = node.body[at + 1] if at + 1 < len(node.body) else None
            is_told = isinstance(after, ast.Expr) and isinstance(after.value, ast.Constant)
            told = f": {first_line(str(after.value.value))}" if is_told else ""  # type: ignore[union-attr]
            yield f"`{line.targets[0].id}` = `{ast.unparse(line.value)}`{told}"


def entry(name: str) -> Iterator[str]:
    """Yield the lines about one name."""
    node = node_of(name)
    if isinstance(node, ast.ClassDef):
        bases = ", ".join(ast.unparse(base) for base in node.bases)
        yield f"### `{name}`"
        yield ""
        yield first_line(ast.get_docstring(node)) + (f" (`{bases}`)" if "Enum" in bases else "")
        fields = [field for one in (*bases_of(name), node) for field in fields_of(one)]
        methods = list(methods_of(node))
        is_made = any(getattr(one, "name", "") == "__init__" for one in node.body)
        if "Enum" in bases:
            yield ""
            yield from (f"- {member}" for member in members_of(node))
        if fields:
            yield from ("", "| field | type | default | meaning |", "| --- | --- | --- | --- |")
            for field, kind, default, told in fields:
                shown = f"`{default}`" if default else "" if is_made else "required"
                yield f"| `{field}` | `{kind}` | {shown} | {told} |".replace(" | None", " \\| None")
        if methods:
            yield from ("", "| method | what it does |", "| --- | --- |")
            yield from (f"| `{shown}` | {told} |" for shown, told in methods)
    elif isinstance(node, ast.FunctionDef):
        yield f"- `{signature(node)}`: {first_line(ast.get_docstring(node))}"
        return
    else:
        yield f"- `{name}`"
        return
    yield ""


def page() -> str:
    """Return the whole page."""
    lines = [HEAD]
    left = dict(HOMES)
    for title, starts in SECTIONS.items():
        names = sorted(name for name, home in left.items() if home.split(".")[1] in starts)
        classes = [name for name in names if isinstance(node_of(name), ast.ClassDef)]
        lines += [f"## {title}", ""]
        for name in (*classes, *(name for name in names if name not in classes)):
            left.pop(name)
            lines += entry(name)
        lines.append("")
    assert not left, f"in no section: {sorted(left)}"  # noqa: S101
    text = "\n".join(lines)
    while "\n\n\n" in text:
        text = text.replace("\n\n\n", "\n\n")
    return text.rstrip() + "\n"


if __name__ == "__main__":
    PAGE.write_text(page(), "utf-8")
