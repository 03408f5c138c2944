"""`mypy --strict` accepts the plugins of all pages and templates as what satchel asks for."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from satchel.cli.settings.plugins import write_package
from satchel.host import PluginKind

from .pages import ROOT, blocks, read, section
from .test_code import EXAMPLES, WRITTEN


def plugin_modules(folder: Path) -> Iterator[tuple[str, PluginKind]]:
    """Write the plugins of the guides, the examples, the reference and the templates; yield name and kind."""
    for page in (*EXAMPLES, *WRITTEN):
        for block in blocks(read(page), "python"):
            if not Path(block.file).name.startswith(("try_", "test_")):
                name = block.file.removesuffix(".py").removesuffix("/__init__")
                (folder / f"{name}.py").write_text(block.code, "utf-8")
                yield name, next(kind for kind in PluginKind if f"def {kind.hook}(" in block.code)
    imports = blocks(section(read("reference/hooks"), "The fifteen hooks"), "python")[0].code
    for kind in PluginKind:
        shown = blocks(section(read("reference/hooks"), f"`{kind.hook}`"), "python")[0].code
        (folder / f"hook_{kind}.py").write_text(imports + shown, "utf-8")
        yield f"hook_{kind}", kind
        made = write_package(kind.value, f"made-{kind}".replace("_", "-"), folder / "packages")[0].parent
        (module,) = made.glob("satchel_*")
        module.rename(folder / module.name)
        yield module.name, kind


@pytest.mark.slow
def test_the_plugins_of_all_pages_are_what_the_protocols_ask_for(tmp_path: Path) -> None:
    pytest.importorskip("mypy")
    (tmp_path / "packages").mkdir()
    modules = list(plugin_modules(tmp_path))
    lines = ["from collections.abc import Iterable", "from satchel import plugin_api"]
    lines += [f"import {name}" for name, _ in modules]
    for at, (name, kind) in enumerate(modules):
        named = {PluginKind.REDACTION_RULE: "RedactionRules"}  # one plugin brings many
        protocol = named.get(kind, kind.value.replace("_", " ").title().replace(" ", ""))
        if kind is PluginKind.OBSERVER:
            lines += [f"for one_{at} in {name}.{kind.hook}():"]
            made = f"one_{at}" if name.startswith("hook_") else f"one_{at}()"
            lines += [f"    observer_{at}: plugin_api.{protocol} = {made}"]
        else:
            lines += [f"plugins_{at}: Iterable[type[plugin_api.{protocol}]] = {name}.{kind.hook}()"]
    (tmp_path / "check.py").write_text("\n".join(lines) + "\n", "utf-8")

    done = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", "--cache-dir", ROOT / ".mypy_cache/pages", "."],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )

    assert len({kind for _, kind in modules}) == len(PluginKind)
    assert done.returncode == 0, done.stdout
