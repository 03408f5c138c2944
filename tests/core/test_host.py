"""The host: kinds, names, conflicts, disabling, the cached table, settings."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any, ClassVar, Literal

import attrs
import pytest

from satchel import Candidate, ConfigError, Host, Packer, PluginError, Selection, UnknownNameError, hookimpl
from satchel.host import Loaded, PluginKind, resolve_conflicts, switch_off

MODULE = """
from typing import ClassVar
import attrs
from satchel import hookimpl

@attrs.frozen
class Plugin:
    name: ClassVar[str] = "{name}"
    def {method}(self, *args):
        return ()

@hookimpl
def satchel_{kind}s():
    return [Plugin]
"""
Install = Callable[..., Path]


@pytest.fixture
def install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Install:
    """Install one-module distributions as pip would, on the import path of this test alone."""
    site = tmp_path / "site"
    site.mkdir()
    monkeypatch.setattr(sys, "path", [str(site), *(p for p in sys.path if "site-packages" in p)])

    def add(
        module: str, name: str = "", *, kind: str = "gpu_backend", version: str = "1.0", code: str = ""
    ) -> Path:
        method = {"gpu_backend": "devices", "packer": "pack"}[kind]
        source = code or MODULE.format(name=name or module, kind=kind, method=method)
        (site / f"{module}.py").write_text(source)
        metadata = site / f"{module}-{version}.dist-info"
        metadata.mkdir()
        (metadata / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {module}\nVersion: {version}\n")
        (metadata / "entry_points.txt").write_text(f"[satchel]\n{module} = {module}\n")
        sys.modules.pop(module, None)
        return metadata

    return add


def silent(_: str) -> None:
    return None


def installed(cache_dir: Path | None = None, **options: Any) -> Host:
    return Host.installed(cache_dir=cache_dir, announce=silent, **{"disable": ("builtin",), **options})


def module(**hooks: list[Any]) -> SimpleNamespace:
    return SimpleNamespace(**{name: hookimpl(lambda found=found: found) for name, found in hooks.items()})


@attrs.frozen
class Nested:
    depth: int = 1


@attrs.frozen
class Churn:
    name: ClassVar[str] = "churn"
    kinds: ClassVar[frozenset[str]] = frozenset({"file"})
    grain: ClassVar[str] = "item"
    weight: float = 1.0
    half_life: int = 30
    paths: tuple[str, ...] = ()
    mode: Literal["fast", "slow"] = "fast"
    limit: int | None = None
    nested: Nested = Nested()

    def score(self, parts: Any, task: Any, workspace: Any) -> list[float]:
        return [0.5] * len(parts)


@pytest.fixture
def host() -> Host:
    return Host.of(module(satchel_scorers=[Churn]))


def test_an_empty_host_has_nothing() -> None:
    assert [Host.empty().names(kind) for kind in PluginKind] == [()] * len(PluginKind)


def test_every_kind_names_its_hook() -> None:
    from satchel import hookspecs

    assert all(callable(getattr(hookspecs, kind.hook)) for kind in PluginKind)


def test_a_host_of_modules_has_their_plugins(host: Host) -> None:
    (churn,) = host.loaded(PluginKind.SCORER)

    assert (churn.name, churn.cls, churn.enabled, churn.builtin) == ("churn", Churn, True, False)
    assert host.names(PluginKind.PACKER) == ()


def test_an_unknown_name_tells_the_nearest(host: Host) -> None:
    with pytest.raises(UnknownNameError, match="did you mean 'churn'"):
        host.find(PluginKind.SCORER, "chrun")


def test_a_callable_is_an_observer() -> None:
    (observer,) = (host := Host.of(module(satchel_observers=[print]))).loaded(PluginKind.OBSERVER)

    assert observer.name == "print"
    assert host.make(observer, {}) is print


def test_an_observer_that_takes_no_event_is_a_problem() -> None:
    @attrs.frozen
    class Deaf:
        name: ClassVar[str] = "deaf"

        def __call__(self) -> None: ...

    def also_deaf() -> None: ...

    host = Host.of(module(satchel_observers=[Deaf, also_deaf]))

    assert host.loaded(PluginKind.OBSERVER) == ()
    assert ["can't be called with (event)" in problem.error for problem in host.problems] == [True, True]


def test_a_module_without_hooks_is_a_problem() -> None:
    host = Host.of(SimpleNamespace())
    host.loaded(PluginKind.SCORER)

    assert "implements no hook" in host.problems[0].error


def test_a_hook_that_does_not_exist_is_a_problem() -> None:
    host = Host.of(module(satchel_scorer=[Churn]))
    host.loaded(PluginKind.SCORER)

    assert "satchel_scorer" in host.problems[0].error


@pytest.mark.parametrize("name", ["", "a b", "a:b", "a\n", None, 3, "x" * 200])
def test_a_class_needs_a_sensible_name(name: object) -> None:
    bad = attrs.frozen(type("Bad", (Churn,), {"name": name, "__slots__": ()}))
    host = Host.of(module(satchel_scorers=[bad, Churn]))

    assert host.names(PluginKind.SCORER) == ("churn",)
    assert len(host.problems) == 1


def plugin(name: str, distribution: str, *, trusted: bool = False) -> Loaded:
    return Loaded(PluginKind.SCORER, name, Churn, distribution, "1.0", trusted=trusted)


def test_a_trusted_plugin_keeps_its_name() -> None:
    decided, problems = resolve_conflicts([plugin("a", "aaa"), plugin("a", "satchel", trusted=True)])

    assert [(one.distribution, one.enabled) for one in decided] == [("aaa", False), ("satchel", True)]
    assert [problem.distribution for problem in problems] == ["aaa"]


def test_of_two_third_parties_the_first_by_name_stays() -> None:
    decided, _ = resolve_conflicts([plugin("a", "zeta"), plugin("a", "Beta_one")])

    assert [one.distribution for one in decided if one.enabled] == ["Beta_one"]


def test_a_disabled_plugin_leaves_its_name_to_the_next() -> None:
    off = switch_off([plugin("a", "satchel", trusted=True), plugin("a", "zeta")], ["satchel:a"])
    decided, problems = resolve_conflicts(off)

    assert [one.distribution for one in decided if one.enabled] == ["zeta"]
    assert problems == []


def test_what_lost_its_name_is_found_by_its_full_name(install: Install) -> None:
    install("aaa", "same")
    install("bbb", "same")
    host = installed()

    assert host.find(PluginKind.GPU_BACKEND, "same").distribution == "aaa"
    assert host.find(PluginKind.GPU_BACKEND, "bbb:same").distribution == "bbb"
    assert [problem.distribution for problem in host.problems] == ["bbb"]


@pytest.mark.parametrize("name", ["one", "ONE", "the-plugin", "one:the-plugin"])
def test_entry_points_distributions_and_plugins_can_be_disabled(install: Install, name: str) -> None:
    install("one", "the-plugin")
    install("two", "other")
    host = installed(disable=("builtin", name))

    assert host.names(PluginKind.GPU_BACKEND) == ("other",)
    assert host.problems == []


def test_a_disabled_distribution_is_not_imported(install: Install) -> None:
    install("one", code="raise RuntimeError")
    host = installed(disable=("builtin", "one"))

    assert host.names(PluginKind.GPU_BACKEND) == ()
    assert [entry.name for entry in host.entries_off if entry.name != "builtin"] == ["one"]
    assert "one" not in sys.modules


def test_disabling_what_is_not_there_is_a_problem(install: Install) -> None:
    install("one")
    host = installed(disable=("builtin", "nonsense"))
    host.loaded(PluginKind.SCORER)

    assert [problem.plugin for problem in host.problems] == ["nonsense"]


def test_a_disabled_plugin_is_an_error_where_it_is_chosen(install: Install) -> None:
    install("one")
    host = installed(disable=("builtin", "one:one"))

    with pytest.raises(PluginError, match="disabled by the configuration"):
        host.find(PluginKind.GPU_BACKEND, "one")


def test_one_broken_import_loses_nothing_else(install: Install) -> None:
    install("broken", code="import does_not_exist")
    install("fine")
    host = installed()

    assert host.names(PluginKind.GPU_BACKEND) == ("fine",)
    assert [(p.plugin, p.distribution, p.stage) for p in host.problems] == [("broken", "broken", "load")]


def test_a_strict_host_raises_instead(install: Install) -> None:
    install("broken", code="import does_not_exist")

    with pytest.raises(PluginError, match="does_not_exist"):
        installed(strict=True).loaded(PluginKind.GPU_BACKEND)


def test_a_module_is_imported_when_its_kind_is_asked_for(install: Install, tmp_path: Path) -> None:
    install("gpu_one")
    install("packer_one", kind="packer")
    installed(tmp_path / "cache").loaded(PluginKind.GPU_BACKEND)  # learns who has what
    for name in ("gpu_one", "packer_one"):
        sys.modules.pop(name)

    assert installed(tmp_path / "cache").names(PluginKind.PACKER) == ("packer_one",)
    assert "gpu_one" not in sys.modules


def test_the_table_is_private_and_used_again(install: Install, tmp_path: Path) -> None:
    install("one")
    installed(tmp_path / "cache").loaded(PluginKind.GPU_BACKEND)
    (file,) = (tmp_path / "cache").glob("plugins-[0-9a-f]*.json")
    record = json.loads(file.read_text())
    record["entries"] = [["kept", "one", "kept", "2.0", False, None]]
    file.write_text(json.dumps(record))

    assert file.stat().st_mode & 0o777 == 0o600
    assert [entry.name for entry in installed(tmp_path / "cache", disable=()).entries] == ["kept"]


def test_an_install_an_upgrade_and_an_uninstall_are_seen(install: Install, tmp_path: Path) -> None:
    def versions() -> list[tuple[str, str]]:
        return [(entry.name, entry.version) for entry in installed(tmp_path / "cache").entries]

    before = versions()
    old = install("one")
    assert ("one", "1.0") in versions()
    for file in old.iterdir():
        file.unlink()
    old.rmdir()
    new = install("one", version="2.0")
    assert ("one", "2.0") in versions()
    (new / "entry_points.txt").write_text("[other]\n")
    assert versions() == before


@pytest.mark.parametrize("damage", [b"", b"{", b"[]", b'{"form": 1}', b"\xff\x00", b"[" * 100_000])
def test_a_damaged_table_is_made_again(install: Install, tmp_path: Path, damage: bytes) -> None:
    install("one")
    installed(tmp_path / "cache")
    for file in (tmp_path / "cache").iterdir():
        file.write_bytes(damage)

    assert "one" in [entry.name for entry in installed(tmp_path / "cache").entries]


def test_a_cache_that_cant_be_written_is_no_error(install: Install, tmp_path: Path) -> None:
    install("one")
    (tmp_path / "file").write_text("")

    assert installed(tmp_path / "file" / "cache").names(PluginKind.GPU_BACKEND) == ("one",)


def test_metadata_that_cant_be_read_is_a_problem(install: Install) -> None:
    (install("broken") / "entry_points.txt").write_bytes(b"\xff satchel \xfe")
    install("fine")
    host = installed()

    assert host.names(PluginKind.GPU_BACKEND) == ("fine",)
    assert "metadata can't be read" in host.problems[0].error


def test_the_current_folder_brings_no_plugins(
    install: Install, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    install("one")
    monkeypatch.chdir(tmp_path / "site")
    monkeypatch.delenv("PYTHONPATH", raising=False)

    assert "one" not in [entry.name for entry in installed().entries]


def test_a_version_is_announced_once_ever(install: Install, tmp_path: Path) -> None:
    install("one")
    said: list[str] = []
    for _ in range(2):
        Host.installed(cache_dir=tmp_path / "c", announce=said.append, disable=["builtin"]).loaded(
            PluginKind.PACKER
        )

    assert said == ["satchel: first use of one 1.0"]


def test_a_plugin_is_made_without_settings(host: Host) -> None:
    assert host.make(host.find(PluginKind.SCORER, "churn"), {}) == Churn()


def test_settings_are_structured(host: Host) -> None:
    table = {"weight": 2, "paths": ["a"], "mode": "slow", "limit": 3, "nested": {"depth": 2}}
    made = host.make(host.find(PluginKind.SCORER, "churn"), table)

    assert made == Churn(2.0, 30, ("a",), "slow", 3, Nested(2))
    assert type(made.weight) is float


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("weight", "1"),
        ("weight", True),
        ("weight", float("nan")),
        ("weight", float("inf")),
        ("weight", 10**400),
        ("half_life", 1.5),
        ("half_life", True),
        ("half_life", "3"),
        ("paths", "abc"),
        ("paths", [1]),
        ("mode", "other"),
        ("limit", "x"),
        ("nested", {"depht": 1}),
        ("nested", 3),
    ],
)
def test_an_ill_typed_value_is_refused_with_its_key(host: Host, key: str, value: object) -> None:
    with pytest.raises(ConfigError) as caught:
        host.make(
            host.find(PluginKind.SCORER, "churn"), {key: value}, {key: f"satchel.toml: scorer.churn.{key}"}
        )

    assert caught.value.errors[0].startswith(f"satchel.toml: scorer.churn.{key}")
    assert "\n" not in caught.value.errors[0]


def test_every_bad_key_is_named_at_once(host: Host) -> None:
    with pytest.raises(ConfigError) as caught:
        host.make(
            host.find(PluginKind.SCORER, "churn"),
            {"half_lif": 1, "zzzz": 1, "weight": []},
            {"half_lif": "satchel.toml: scorer.churn.half_lif"},
        )

    assert caught.value.errors[0] == (
        "satchel.toml: scorer.churn.half_lif: unknown key, did you mean half_life?"
    )
    assert len(caught.value.errors) == 3


def test_a_class_that_breaks_while_it_is_made_is_left_out() -> None:
    @attrs.frozen
    class Breaks(Churn):
        name: ClassVar[str] = "breaks"

        def __attrs_post_init__(self) -> None:
            raise SystemExit(1)

    host = Host.of(module(satchel_scorers=[Churn, Breaks]))

    assert [loaded.name for loaded, _ in host.make_all(PluginKind.SCORER, {})] == ["churn"]
    assert [problem.plugin for problem in host.problems] == ["breaks"]


def test_version_loads_nothing_that_it_does_not_need() -> None:
    import subprocess

    script = (
        "import sys; sys.argv = ['satchel', '--version']; from satchel.__main__ import main; main();"
        "heavy = {'pluggy', 'attr', 'attrs', 'cattrs', 'typing', 'git', 'tiktoken', 'watchdog', 'argparse'};"
        "print(*sorted(heavy & set(sys.modules)))"
    )
    env = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    done = subprocess.run([sys.executable, "-I", "-c", script], env=env, capture_output=True, text=True)
    version, loaded = done.stdout.splitlines()

    assert version.startswith("satchel ")
    assert loaded == ""


def test_a_trusted_plugin_may_leave_out_what_others_may() -> None:
    @attrs.frozen
    class Smallest:
        name: ClassVar[str] = "smallest"

        def pack(self, candidates: Sequence[Candidate], budget: int) -> Selection:
            return Selection({}, 0, 0.0)

    host = Host.of(SimpleNamespace(satchel_packers=hookimpl(lambda: [Smallest])))
    loaded = host.find(PluginKind.PACKER, "smallest")._replace(trusted=True)

    assert host.make(loaded, {}).weights == {}


@pytest.mark.parametrize("trusted", [True, False])
def test_a_class_that_inherits_its_interface_has_what_it_may_leave_out(trusted: bool) -> None:
    @attrs.frozen
    class Nothing(Packer):
        name = "nothing"

        def pack(self, candidates: Sequence[Candidate], budget: int) -> Selection:
            return Selection({}, 0, 0.0)

    plugin = Loaded(PluginKind.PACKER, "nothing", Nothing, "satchel-nothing", trusted=trusted)
    made = Host.empty().make(plugin, {})

    assert (made.weights, made.whole) == ({}, False)
