"""Find the installed plugins, and make the host and the tokenizer that a configuration asks for."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from satchel.host import Host, Loaded, PluginKind
from satchel.private_files import cache_folder

if TYPE_CHECKING:
    from satchel.config import Config
    from satchel.interfaces import Tokenizer
    from satchel.tokens.models import Model

_NOTHING: Mapping[str, object] = MappingProxyType({})


def find_plugins(
    config: Config,
    *,
    without: Iterable[str] = (),
    announce: Callable[[str], None] | None = None,
) -> Host:
    """Return a host with the installed plugins.

    Args:
        config: which are disabled and whose are trusted, and how long a call may take.
        without: names that stay off beside those that the configuration disables.
        announce: gets the line about a distribution's first use; None writes it to stderr.
    """
    return Host.installed(
        disable=(*config.disable, *without),
        cache_dir=cache_folder(),
        announce=announce,
        deadline_seconds=config.deadline_seconds,
        trusted=config.trust,
    )


def make_plugin(config: Config, host: Host, loaded: Loaded, defaults: Mapping[str, object] = _NOTHING) -> Any:
    """Make a plugin with its configured settings, over `defaults`.

    Raises:
        ConfigError: its settings are wrong.
        PluginError: it can't be made.
    """
    kind = str(loaded.kind)
    name = loaded.full_name if config.table(kind, loaded.full_name) else loaded.name
    return host.make(loaded, {**defaults, **config.table(kind, name)}, config.places(kind).get(name, {}))


def make_plugins(
    config: Config, host: Host, kind: PluginKind, kinds: Collection[str] | None = None
) -> list[tuple[Loaded, Any]]:
    """Make every active plugin of a kind; one that can't be made is recorded in the host's problems.

    Plugins that declare other `kinds` of items may be left out.
    """
    tables = config.plugins.get(str(kind), {})
    return host.make_all(kind, tables, config.places(str(kind)), kinds=kinds)


def make_tokenizer(config: Config, host: Host, model: Model | None = None) -> tuple[Loaded, Tokenizer]:
    """Make the configured tokenizer; one of several vocabularies has that of the model.

    Raises:
        UnknownNameError: no tokenizer of that name is installed.
        ConfigError: its settings are wrong.
    """
    loaded = host.find(PluginKind.TOKENIZER, config.tokenizer)
    defaults = _NOTHING
    if model is not None and has_setting(loaded, "encoding"):
        defaults = {"encoding": model.encoding}
    return loaded, make_plugin(config, host, loaded, defaults)


def has_setting(loaded: Loaded, name: str) -> bool:
    """Tell whether a plugin has a setting: a tokenizer of several vocabularies has `encoding`."""
    import attrs

    return any(field.name == name for field in attrs.fields(loaded.cls))
