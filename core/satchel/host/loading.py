"""Import an entry point's module, find the hooks that it implements, and check the classes they return."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import islice
from typing import Any, cast

from satchel.host.answers import BrokenContractError
from satchel.host.calling import described
from satchel.host.entries import Entry
from satchel.host.kinds import Kind, Loaded
from satchel.host.printing import GivenUpError
from satchel.later import Later

CLASSES_ALLOWED = 1_000
"""Most classes of one kind that one entry point may return."""

Hook = Callable[[], object]
_MARKS = str.maketrans("", "", "_-.")
"""Takes away what a name may hold beside letters and digits."""


def import_entry(entry: Entry) -> object:
    """Import what the entry point names: a module, or an attribute of one."""
    module, _, attribute = entry.value.partition(":")
    found: object = importlib.import_module(module.strip())
    for name in filter(None, attribute.split("[")[0].strip().split(".")):
        found = getattr(found, name)
    return found


def hooks_of(module: object, name: str) -> Mapping[str, Hook]:
    """Return the hooks that a module implements; raise where it implements none or an unknown one."""
    import pluggy

    from satchel import hookspecs

    registry = pluggy.PluginManager("satchel")
    registry.add_hookspecs(hookspecs)
    registry.register(module, name)
    registry.check_pending()
    callers = registry.get_hookcallers(module) or []
    if not callers:
        raise BrokenContractError("implements no hook; mark its functions with @satchel.hookimpl")
    return {caller.name: caller.get_hookimpls()[0].function for caller in callers}


def returned_by(hook: Hook, kind: Kind, entry: Entry) -> list[Loaded | str]:
    """Return a plugin for each well-formed class that the hook returns, a reason for each other one."""
    classes = list(islice(cast("Iterable[object]", hook()), CLASSES_ALLOWED + 1))
    checked = [_checked(cls, kind, entry) for cls in classes[:CLASSES_ALLOWED]]
    if len(classes) > CLASSES_ALLOWED:
        checked.append(f"{kind.hook} returns more than {CLASSES_ALLOWED} classes; the rest is left out")
    return checked


def _checked(cls: object, kind: Kind, entry: Entry) -> Loaded | str:
    try:
        name = _name_of(cls, kind)
    except BrokenContractError as error:
        return f"{kind.hook} returns {_called(cls)}: {error}"
    return Loaded(kind, name, cls, entry.distribution, entry.version, entry.builtin)


def arrived(plugins: Sequence[Loaded]) -> list[Loaded | str]:
    """Return plugins that were named with their classes, a reason for each that can't be loaded."""
    return [_arrived(plugin) for plugin in plugins]


def _arrived(plugin: Loaded) -> Loaded | str:
    later: Later = plugin.cls
    try:
        cls = later.load()
        _check_named(cls, _own_name(cls, plugin.kind), later, plugin.kind)
    except (GivenUpError, KeyboardInterrupt):
        raise
    except BaseException as error:  # one that fails costs none of the others
        return described(error)
    return plugin._replace(cls=cls)


def _check_named(cls: Any, name: str, later: Later, kind: Kind) -> None:
    if name != later.name:
        raise BrokenContractError(f"{later.home} is called {name!r}, its hook calls it {later.name!r}")
    if kind is Kind.SCORER and later.kinds and later.kinds != frozenset(cls.kinds):
        raise BrokenContractError(f"{later.home} has other kinds than its hook says")


def _check_later(later: Later) -> str:
    module, colon, cls = str(later.home).partition(":")
    if not (module and colon and cls.isidentifier()):
        raise BrokenContractError(f"its home is {later.home!r:.60}, not `package.module:Class`")
    if not isinstance(later.kinds, frozenset) or not all(isinstance(one, str) for one in later.kinds):
        raise BrokenContractError("its kinds are no frozenset of texts")
    return _valid_name(later.name)


def _name_of(cls: object, kind: Kind) -> str:
    return _check_later(cls) if isinstance(cls, Later) else _own_name(cls, kind)


def _own_name(cls: object, kind: Kind) -> str:
    return _observer_name(cls) if kind is Kind.OBSERVER else _class_name(cls, kind)


def _called(cls: object) -> str:
    if isinstance(cls, Later):
        return f"{cls.home!r:.80} for later"
    if isinstance(cls, type):
        return f"class {cls.__name__}"
    return f"a {type(cls).__name__}"


def _class_name(cls: object, kind: Kind) -> str:
    """Return the plugin's name; raise where the class has not the shape of its kind."""
    if not isinstance(cls, type):
        raise BrokenContractError("it is no class")
    import attrs  # a command that needs no plugin does without

    if not attrs.has(cls):
        raise BrokenContractError("it is no attrs class; decorate it with @attrs.frozen")
    fields = attrs.fields_dict(cls)
    name = _valid_name(None if "name" in fields else getattr(cls, "name", None))
    missing = [method for method in kind.methods if not callable(getattr(cls, method, None))]
    missing += [name for name in kind.attributes if name not in fields and not hasattr(cls, name)]
    if missing:
        raise BrokenContractError(f"it has no {', '.join(missing)}, which a {kind.value} must have")
    _check_attributes(cls, kind)
    return name


def _valid_name(name: object) -> str:
    if not isinstance(name, str) or not name:
        raise BrokenContractError("it has no class variable `name` that is a text")
    letters = name.translate(_MARKS)
    if len(name) > 100 or not (letters.isalnum() or not letters):
        raise BrokenContractError(f"its name {name!r:.60} has more than letters, digits, - _ and .")
    return str(name)


def _check_attributes(cls: Any, kind: Kind) -> None:
    if kind is Kind.SCORER:
        if cls.grain not in ("item", "part"):
            raise BrokenContractError(f"its grain is {cls.grain!r:.60}, not 'item' or 'part'")
        kinds = cls.kinds
        if not isinstance(kinds, frozenset | set | tuple) or not all(isinstance(one, str) for one in kinds):
            raise BrokenContractError("its kinds are no frozenset of texts")
    if kind is Kind.PROVIDER and cls.wave not in (1, 2):
        raise BrokenContractError(f"its wave is {cls.wave!r:.60}, not 1 or 2")
    if kind is Kind.REPRESENTER and not isinstance(cls.version, str):
        raise BrokenContractError("its version is no text")


def _observer_name(observer: object) -> str:
    if not callable(observer):
        raise BrokenContractError("it is not callable")
    name = getattr(observer, "name", None) or getattr(observer, "__name__", type(observer).__name__)
    return _valid_name(str(name).strip("<>"))
