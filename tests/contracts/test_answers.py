"""Every field of every answer is junk once: the run ends, names the plugin, and all else is as it was."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import attrs
import pytest
from tests.contracts.traps import BAD, FAILURES, Trap, plugin_of, traps
from tests.core.repositories import Plain

import satchel_plugins
from satchel import Host, PackOptions, PluginError, compact, hookimpl, pack, squeeze
from satchel.addresses import find_opener
from satchel.config import Config
from satchel.conversation import find_transcript, repair, write
from satchel.host import PluginKind
from satchel.installed import find_formats, make_scanners
from satchel.output import Plugins
from satchel.plugin_api import Block, BlockKind, Message
from satchel.session import open_place
from satchel.sizing import probe

TASK = "fix the login"
TALK = [
    {"role": "user" if at % 2 == 0 else "assistant", "content": f"Login {at}: " + f"word{at} said, " * 60}
    for at in range(14)
]
LOG = "".join(f"line {at}: ok\n" for at in range(400)) + "Error: login failed\n"
_SECONDS = 8.0
"""More than any answer takes, on a busy machine too; an endless one is cut or given up before."""
Job = Callable[[Host, Path], tuple[Any, tuple[Any, ...]]]


def host_of(*classes: tuple[PluginKind, type]) -> Host:
    """Return a host of the built-in plugins, of whom satchel knows them, and of others."""

    class Others:
        """The plugins of a stranger."""

    for kind, cls in classes:

        def hook(cls: type = cls) -> list[type]:
            return [cls]

        hook.__name__ = kind.hook
        setattr(Others, kind.hook, staticmethod(hookimpl(hook)))
    return Host.of(_Everything(), *([Others()] if classes else []), deadline_seconds=3.0)


class _Everything(Plain):
    satchel_compressors = staticmethod(satchel_plugins.satchel_compressors)


def _packed(host: Host, root: Path, **settings: Any) -> tuple[Any, tuple[Any, ...]]:
    bundle = pack(TASK, root, budget=600, host=host, options=PackOptions(config=Config(**settings)))
    assert bundle.tokens <= 600
    return bundle.text, bundle.problems


def _compacted(host: Host, root: Path, **named: Any) -> tuple[Any, tuple[Any, ...]]:
    config = Config(tokenizer=named.pop("tokenizer", "offline"))
    window = compact(TALK, budget=1_200, host=host, store=root.parent / "archive", config=config, **named)
    assert window.tokens <= 1_200
    return window.messages, window.problems


def _squeezed(host: Host, root: Path) -> tuple[Any, tuple[Any, ...]]:
    found = squeeze(LOG, command="make", budget=200, store=root.parent / "archive", plugins=Plugins(host))
    return found.text, tuple(host.problems)


def _probed(host: Host, _: Path) -> tuple[Any, tuple[Any, ...]]:
    return [one.devices for one in probe(host) if not one.failed], tuple(host.problems)


def _scanned(host: Host, _: Path) -> tuple[Any, tuple[Any, ...]]:
    return make_scanners(host, Config()).redact("a plain text").text, tuple(host.problems)


def _stored(host: Host, root: Path) -> tuple[Any, tuple[Any, ...]]:
    open_place("trap://somewhere", root, host=host).store.close()
    return "", tuple(host.problems)


def _archived(host: Host, root: Path) -> tuple[Any, tuple[Any, ...]]:
    find_opener(PluginKind.BLOB_STORE, "trap", host).open("trap://somewhere").close()
    return "", tuple(host.problems)


def _written(host: Host, _: Path) -> tuple[Any, tuple[Any, ...]]:
    formats = find_formats(host)
    formats.read(TALK)
    if "trap" in formats.names:
        form = formats.find("trap")
        repaired = repair(formats.read({"messages": TALK, "system": "be short"}, "trap")).conversation
        system = Message("system", "be short", outside=True)
        write(attrs.evolve(repaired, messages=(system, *repaired.messages)))
        form.image_tokens(Block(BlockKind.IMAGE), "")
        form.describe_error("too long")
        form.with_window({}, 8_000)
    return "", tuple(host.problems)


def _read_file(host: Host, _: Path) -> tuple[Any, tuple[Any, ...]]:
    found = find_transcript('[{"role": "user"}]', "stdin", find_formats(host))
    if found is not None:
        found.file.write(found, found.document)
    return "", tuple(host.problems)


JOBS: dict[PluginKind, tuple[Job, ...]] = {
    PluginKind.PROVIDER: (_packed,),
    PluginKind.SCORER: (_packed, _compacted),
    PluginKind.REPRESENTER: (_packed, _squeezed),
    PluginKind.WORTH_MODEL: (lambda h, r: _packed(h, r, worth_model="trap"),),
    PluginKind.PACKER: (
        lambda h, r: _packed(h, r, strategy="trap"),
        lambda h, r: _compacted(h, r, strategy="trap"),
    ),
    PluginKind.COMPRESSOR: (lambda h, r: _compacted(h, r, compressor="trap"),),
    PluginKind.GPU_BACKEND: (_probed,),
    PluginKind.TOKENIZER: (
        lambda h, r: _packed(h, r, tokenizer="trap"),
        lambda h, r: _compacted(h, r, tokenizer="trap"),
    ),
    PluginKind.SCANNER: (_scanned,),
    PluginKind.REDACTION_RULE: (_scanned,),
    PluginKind.MESSAGE_FORMAT: (_written,),
    PluginKind.SESSION_FILE: (_read_file,),
    PluginKind.SESSION_STORE: (_stored,),
    PluginKind.BLOB_STORE: (_archived,),
}
CHOSEN = frozenset(PluginKind) - {
    PluginKind.PROVIDER,
    PluginKind.SCORER,
    PluginKind.REPRESENTER,
    PluginKind.GPU_BACKEND,
    PluginKind.OBSERVER,
}
"""Kinds whose failure may end the run: they are asked for by name, or guard what leaves the machine."""
APART = frozenset({PluginKind.PROVIDER, PluginKind.SCORER, PluginKind.REPRESENTER, PluginKind.GPU_BACKEND})


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("workspace")
    (folder / "login.py").write_text("def login(name):\n    return name\n")
    (folder / "notes.md").write_text("# Login\n\nThe login takes a name.\n")
    return folder


@pytest.fixture(scope="module")
def without(root: Path) -> dict[PluginKind, list[Any]]:
    """What the jobs of each kind give without any plugin of others."""
    return {kind: [job(host_of(), root)[0] for job in JOBS[kind]] for kind in APART}


def hold(trap: Trap, root: Path, without: dict[PluginKind, list[Any]]) -> None:
    for at, job in enumerate(JOBS[trap.kind]):
        began = time.monotonic()
        failure, result, problems = run(job, trap, root)
        assert time.monotonic() - began < _SECONDS
        if failure:
            assert trap.kind in CHOSEN
            assert failure.startswith("trap (from Others): ")
            assert "\n" not in failure
            continue
        named = [str(one) for one in problems if one.plugin == "trap"]
        assert len(named) <= 4
        assert all("\n" not in line and "Others" in line for line in named)
        assert named or not is_broken(trap)
        if named and trap.kind in APART:
            assert result == without[trap.kind][at]


def run(job: Job, trap: Trap, root: Path) -> tuple[str, Any, tuple[Any, ...]]:
    """Return what a chosen plugin ended the run with, or what came of it."""
    try:
        return "", *job(host_of((trap.kind, plugin_of(trap))), root)
    except PluginError as error:
        return str(error), None, ()


def is_broken(trap: Trap) -> bool:
    """Tell of values that are right nowhere, so that a run that names nobody has looked at nothing."""
    ignored = {"Message.index", "Message.outside", "Message.raw", "Message.original"}
    ignored |= {f"Block.{field}" for field in ("name", "id", "error", "blocks", "fixed", "free", "raw")}
    optional = {"read_system", "write_system", "describe_error"}
    optional |= {"=weights", "=share", "=levels", "=never_prune"}
    if trap.place in ignored or (trap.value == "none" and trap.place in {*optional, "compress"}):
        return False
    if (trap.place, trap.value) in {("ContextItem.text", "none"), ("Selection.worth", "seven")}:
        return False
    return trap.value in ("hostile", *FAILURES) or (trap.value == "none" and trap.place != "ContextItem.text")


@pytest.mark.parametrize("trap", traps(), ids=str)
def test_a_bad_value_costs_the_plugin_alone(
    trap: Trap, root: Path, without: dict[PluginKind, list[Any]]
) -> None:
    hold(trap, root, without)


@pytest.mark.slow
@pytest.mark.parametrize("trap", traps(tuple(BAD), ()), ids=str)
def test_any_bad_value_costs_the_plugin_alone(
    trap: Trap, root: Path, without: dict[PluginKind, list[Any]]
) -> None:
    hold(trap, root, without)
