"""Every built-in plugin keeps the contract that third parties inherit."""

from __future__ import annotations

import attrs
import pytest

from satchel import Host
from satchel.host import Loaded, PluginKind
from satchel.testing import contracts

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
    PluginKind.SESSION_STORE: contracts.SessionStoreContract,
    PluginKind.BLOB_STORE: contracts.BlobStoreContract,
}
host = Host.installed()

for kind, contract in CONTRACTS.items():
    for loaded in (one for one in host.loaded(kind) if one.builtin):
        title = f"Test_{kind}_{loaded.name}".replace("-", "_")
        globals()[title] = type(title, (contract,), {"plugin": loaded.cls})


BUILT_INS = [one for kind in CONTRACTS for one in host.loaded(kind) if one.builtin]


@pytest.mark.parametrize("loaded", BUILT_INS, ids=lambda one: f"{one.kind}-{one.name}")
def test_the_types_of_the_settings_of_a_built_in_can_be_read(loaded: Loaded) -> None:
    fields = attrs.fields(attrs.resolve_types(loaded.cls))

    assert not [field.name for field in fields if isinstance(field.type, str)]


def test_built_ins_load_without_a_problem() -> None:
    assert [problem for problem in host.problems if problem.plugin == "builtin"] == []
    assert host.names(PluginKind.SCORER)
