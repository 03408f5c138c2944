"""Every built-in plugin keeps the contract that third parties inherit."""

from __future__ import annotations

import subprocess
import sys

import attrs
import pytest
from tests.amounts import spread
from tests.core.conversation.test_transcripts import FILES

from satchel import Host
from satchel.host import Loaded, PluginKind
from satchel.testing import contracts
from satchel.testing.bases import HEAVY

CONTRACTS = {
    PluginKind.PROVIDER: contracts.ProviderContract,
    PluginKind.SCORER: contracts.ScorerContract,
    PluginKind.REPRESENTER: contracts.RepresenterContract,
    PluginKind.WORTH_MODEL: contracts.WorthModelContract,
    PluginKind.PACKER: contracts.PackerContract,
    PluginKind.COMPRESSOR: contracts.CompressorContract,
    PluginKind.GPU_BACKEND: contracts.GpuBackendContract,
    PluginKind.TOKENIZER: contracts.TokenizerContract,
    PluginKind.OBSERVER: contracts.ObserverContract,
    PluginKind.SCANNER: contracts.ScannerContract,
    PluginKind.REDACTION_RULE: contracts.RedactionRulesContract,
    PluginKind.MESSAGE_FORMAT: contracts.MessageFormatContract,
    PluginKind.SESSION_FILE: contracts.SessionFileContract,
    PluginKind.SESSION_STORE: contracts.SessionStoreContract,
    PluginKind.BLOB_STORE: contracts.BlobStoreContract,
}
ALWAYS = (PluginKind.PACKER, PluginKind.COMPRESSOR, PluginKind.TOKENIZER)
"""Kinds that keep a budget: all of them run by default, of other kinds the first and the last."""
DEAR = ("tiktoken", "c")
"""Built-ins that take longest: the one counts as `offline` does, the other splits as other languages do."""
host = Host.installed()

for kind, contract in CONTRACTS.items():
    offered = [one for one in host.loaded(kind) if one.builtin]
    daily = range(len(offered)) if kind in ALWAYS else spread(len(offered))
    for place, loaded in enumerate(offered):
        title = f"Test_{kind}_{loaded.name}".replace("-", "_")
        own = {"plugin": loaded.cls, "test_loading_it_imports_nothing_heavy": None}  # below, in one process
        if kind is PluginKind.SESSION_FILE:
            own["samples"] = (FILES[loaded.name],)
        if place not in daily or loaded.name in DEAR:
            own["pytestmark"] = pytest.mark.weekly
        globals()[title] = type(title, (contract,), own)


BUILT_INS = [one for kind in CONTRACTS for one in host.loaded(kind) if one.builtin]


@pytest.mark.parametrize("loaded", BUILT_INS, ids=lambda one: f"{one.kind}-{one.name}")
def test_the_types_of_the_settings_of_a_built_in_can_be_read(loaded: Loaded) -> None:
    fields = attrs.fields(attrs.resolve_types(loaded.cls))

    assert not [field.name for field in fields if isinstance(field.type, str)]


def test_loading_a_built_in_imports_nothing_heavy() -> None:
    modules = sorted({loaded.cls.__module__ for loaded in BUILT_INS})
    script = (
        "import importlib, sys\n"
        f"for name in {modules!r}:\n"
        "    importlib.import_module(name)\n"
        f"    heavy = [one for one in {HEAVY!r} if one in sys.modules]\n"
        "    if heavy: sys.exit(f'{name} imports {heavy}')\n"
    )

    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)

    assert len(modules) > 40
    assert done.stderr == ""
    assert done.returncode == 0


def test_built_ins_load_without_a_problem() -> None:
    assert [problem for problem in host.problems if problem.plugin == "builtin"] == []
    assert host.names(PluginKind.SCORER)
