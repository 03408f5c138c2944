"""Names of a package that are imported from its modules on first use: a process loads what it uses."""

# Nothing is imported here, `__future__` neither: `python -m satchel` loads this before it stops looking for
# modules in the current folder, which may be an untrusted workspace.

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping


def import_on_first_use(package: str, homes: "Mapping[str, str]") -> "Callable[[str], object]":
    """Return the `__getattr__` of a package whose names stand under the modules that have them."""
    home_of = {name: home for home, names in homes.items() for name in names.split()}

    def import_name(name: str) -> object:
        home = home_of.get(name)
        if home is None:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        import importlib
        import sys

        value: object = getattr(importlib.import_module(home), name)
        setattr(sys.modules[package], name, value)
        return value

    return import_name
