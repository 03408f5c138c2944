"""Every built-in plugin keeps the contract that third parties inherit."""

from __future__ import annotations

from satchel import Host
from satchel.host import Kind
from satchel.testing import contracts

CONTRACTS = {
    Kind.PROVIDER: contracts.ProviderContract,
    Kind.SCORER: contracts.ScorerContract,
    Kind.REPRESENTER: contracts.RepresenterContract,
    Kind.PACKER: contracts.PackerContract,
    Kind.COMPRESSOR: contracts.CompressorContract,
    Kind.GPU_BACKEND: contracts.GpuBackendContract,
    Kind.TOKENIZER: contracts.TokenizerContract,
    Kind.OBSERVER: contracts.ObserverContract,
    Kind.SCANNER: contracts.ScannerContract,
}
host = Host.installed()

for kind, contract in CONTRACTS.items():
    for loaded in (one for one in host.loaded(kind) if one.builtin):
        title = f"Test_{kind}_{loaded.name}".replace("-", "_")
        globals()[title] = type(title, (contract,), {"plugin": loaded.cls})


def test_built_ins_load_without_a_problem() -> None:
    assert [problem for problem in host.problems if problem.plugin == "builtin"] == []
    assert host.names(Kind.SCORER)
