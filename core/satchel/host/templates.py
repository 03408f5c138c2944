"""Write a package for a new plugin: a working class, its entry point, and its contract tests."""

from __future__ import annotations

import keyword
from collections.abc import Mapping
from importlib import resources
from pathlib import Path
from string import Template

from satchel.errors import UsageError
from satchel.host.kinds import PluginKind
from satchel.patterns import lazily

_NAME = lazily(r"[a-z][a-z0-9]*(?:[-_][a-z0-9]+)*")
_LONGEST_NAME = 60


_SETTINGS_LINES = {
    PluginKind.PROVIDER: 'folder = "docs/notes"',
    PluginKind.SCORER: "weight = 0.8",
    PluginKind.WORTH_MODEL: "factor = 3.0",
    PluginKind.GPU_BACKEND: 'file = "/tmp/devices.json"',
    PluginKind.REDACTION_RULE: 'prefix = "acme"',
    PluginKind.SESSION_STORE: 'file = "team.sqlite"',
}
"""An example line of the configuration table of a kind's template, where it has settings."""
_CONTRACTS = {PluginKind.REDACTION_RULE: "RedactionRulesContract"}
"""Contract classes of `satchel.testing.contracts` that are not called after their kind."""
_ABOUT = lazily(r'(?m)^class .*\n    """(.*)"""$')
"""What a template's class says of itself."""


def write_package(kind: str, name: str, folder: Path) -> list[Path]:
    """Write the package `satchel-NAME` into a new folder of that name; return the files in order.

    Args:
        kind: a kind of plugin, a value of `PluginKind`; a hyphen may replace an underscore.
        name: the plugin's name in lower case.
        folder: where the package's folder is created.

    Raises:
        UsageError: unknown kind, a name that can't be a module's, or an existing folder.
    """
    chosen = _parse_kind(kind)
    if not _NAME.fullmatch(name) or len(name) > _LONGEST_NAME or keyword.iskeyword(name):
        raise UsageError(
            f"{name[:_LONGEST_NAME]!r} can't name a plugin; use a to z, digits and single hyphens"
        )
    root = folder / f"satchel-{name.replace('_', '-')}"
    if root.exists() or root.is_symlink():
        raise UsageError(f"{root} exists already; choose another name, or another folder with --into")
    written = []
    for path, text in _render_files(chosen, name).items():
        place = root / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text, encoding="utf-8")
        written.append(place)
    return written


def _parse_kind(kind: str) -> PluginKind:
    try:
        return PluginKind(kind.replace("-", "_"))
    except ValueError:
        raise UsageError(
            f"no kind of plugin is called {kind!r}; the kinds are {', '.join(PluginKind)}"
        ) from None


def _render_files(kind: PluginKind, name: str) -> dict[str, str]:
    """Return the files of a package by path; `plugin_templates` has the modules, one for each kind."""
    module = f"satchel_{name.replace('-', '_')}"
    article = "an" if kind.value[0] in "aeiou" else "a"
    facts = {
        "kind": kind.value.replace("_", " "),
        "a_kind": f"{article.capitalize()} {kind.value.replace('_', ' ')}",
        "of_a_kind": f"{article} {kind.value.replace('_', ' ')}",
        "name": name,
        "scheme": name.replace("_", "-"),
        "distribution": f"satchel-{name.replace('_', '-')}",
        "module": module,
        "cls": _join_words(name),
        "contract": _CONTRACTS.get(kind, f"{_join_words(kind.value)}Contract"),
    }
    code = _fill(f"{kind.value}.txt", facts)
    facts["about"] = "".join(_ABOUT.findall(code)[:1])
    line = _SETTINGS_LINES.get(kind, "")
    facts["settings"] = _fill("package/settings.txt", facts, kind=kind.value, line=line) if line else ""
    return {
        "pyproject.toml": _fill("package/pyproject.txt", facts),
        "README.md": _fill("package/readme.txt", facts),
        f"{module}/__init__.py": code,
        f"{module}/py.typed": "",
        f"tests/test_{name.replace('-', '_')}.py": _fill("package/test.txt", facts),
    }


def _fill(template: str, facts: Mapping[str, str], **more: str) -> str:
    text = resources.files("satchel.host").joinpath("plugin_templates", template).read_text("utf-8")
    return Template(text).substitute(facts, **more)


def _join_words(name: str) -> str:
    return "".join(word.capitalize() for word in name.replace("-", "_").split("_"))
