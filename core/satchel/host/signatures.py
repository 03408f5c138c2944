"""Check, when a plugin is loaded, that its methods take the arguments with which the host calls them."""

from __future__ import annotations

import inspect
import os
from collections.abc import Callable, Mapping
from types import CodeType, FunctionType
from typing import Any, NamedTuple

from satchel import interfaces
from satchel.host.answers import BrokenContractError
from satchel.host.kinds import PluginKind

_PROTOCOLS: Mapping[PluginKind, type] = {
    PluginKind.PROVIDER: interfaces.Provider,
    PluginKind.SCORER: interfaces.ExplainingScorer,
    PluginKind.REPRESENTER: interfaces.Representer,
    PluginKind.WORTH_MODEL: interfaces.WorthModel,
    PluginKind.PACKER: interfaces.Packer,
    PluginKind.COMPRESSOR: interfaces.Compressor,
    PluginKind.GPU_BACKEND: interfaces.GpuBackend,
    PluginKind.TOKENIZER: interfaces.Tokenizer,
    PluginKind.SCANNER: interfaces.Scanner,
    PluginKind.REDACTION_RULE: interfaces.RedactionRules,
    PluginKind.MESSAGE_FORMAT: interfaces.MessageFormat,
    PluginKind.SESSION_FILE: interfaces.SessionFile,
    PluginKind.SESSION_STORE: interfaces.SessionStore,
    PluginKind.BLOB_STORE: interfaces.BlobStore,
}
_OPTIONAL_METHODS = {PluginKind.SCORER: ("reason",)}
_FEWEST = {PluginKind.COMPRESSOR: 3}
"""Arguments that a method of an older plugin may end with."""


class _Arguments(NamedTuple):
    """How the host calls a method: names of what it gives by position, and by name."""

    by_position: tuple[str, ...]
    by_name: tuple[str, ...] = ()

    def __str__(self) -> str:
        """Show them as in a call."""
        return ", ".join((*self.by_position, *(f"{name}=..." for name in self.by_name)))


def check_signatures(cls: type, kind: PluginKind) -> None:
    """Raise BrokenContractError where a method of a class does not take what it is called with."""
    protocol = _PROTOCOLS[kind]
    for method in (*kind.methods, *_OPTIONAL_METHODS.get(kind, ())):
        found = inspect.getattr_static(cls, method, None)
        function = found.__func__ if isinstance(found, staticmethod | classmethod) else found
        if not isinstance(function, FunctionType):
            continue  # a callable of another type says itself what it takes
        given = _read_arguments(getattr(protocol, method))
        bound = () if isinstance(found, staticmethod) else ("self",)
        fewest = _FEWEST.get(kind, len(given.by_position))
        _check_function(function, given, bound=bound, fewest=fewest)


def check_observer(observer: Callable[..., object]) -> None:
    """Raise BrokenContractError where an observer, a class or another callable, does not take an event."""
    found = inspect.getattr_static(observer, "__call__", None) if isinstance(observer, type) else observer
    if isinstance(found, FunctionType):
        _check_function(
            found, _Arguments(("event",)), bound=("self",) if isinstance(observer, type) else (), fewest=1
        )


def _read_arguments(method: Any) -> _Arguments:
    code = method.__code__
    names = code.co_varnames
    by_position = names[1 : code.co_argcount]
    return _Arguments(by_position, names[code.co_argcount : code.co_argcount + code.co_kwonlyargcount])


def _check_function(
    function: FunctionType, given: _Arguments, *, bound: tuple[str, ...], fewest: int
) -> None:
    code = function.__code__
    if code.co_flags & inspect.CO_COROUTINE:
        raise BrokenContractError(
            f"its {code.co_name} is async, expected a plain function ({place_of(code)})"
        )
    plain = not given.by_name and not code.co_kwonlyargcount and not function.__defaults__
    if plain and code.co_argcount == len(bound) + len(given.by_position):
        return  # nearly all: asking for a signature takes a hundred times as long
    signature = inspect.signature(function)
    for count in range(len(given.by_position), fewest - 1, -1):
        try:
            signature.bind(*bound, *given.by_position[:count], **dict.fromkeys(given.by_name))
        except TypeError:
            continue
        return
    bare = [one.replace(annotation=one.empty) for one in signature.parameters.values()]
    taken = inspect.Signature(bare)
    raise BrokenContractError(
        f"its {code.co_name}{taken} can't be called with ({given}), as satchel does ({place_of(code)})"
    )


def place_of(code: CodeType) -> str:
    """Return the file and line at which a function begins."""
    return f"{os.path.basename(code.co_filename)}:{code.co_firstlineno}"


def place_of_class(cls: type) -> str:
    """Return the file and line at which a class begins, "" where that is not known."""
    try:
        return f"{os.path.basename(inspect.getfile(cls))}:{inspect.getsourcelines(cls)[1]}"
    except (OSError, TypeError):  # it has no source
        return ""
