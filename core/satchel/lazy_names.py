"""Names of a package that are imported from its modules on first use: a process loads what it uses."""

# Nothing is imported here, `__future__` neither: `python -m satchel` loads this before it stops looking for
# modules in the current folder, which may be an untrusted workspace.

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable


def import_on_first_use(package: str, source: str) -> "Callable[[str], object]":
    """Return the `__getattr__` of a package whose names its source imports for type checkers alone.

    Args:
        package: its `__name__`.
        source: its `__file__`, which has lines of the form `from home import name as name`.
    """
    home_of: dict[str, str] = {}

    def import_name(name: str) -> object:
        if not home_of:
            home_of.update(read_homes(source))
        if name not in home_of:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        import importlib
        import sys

        value: object = getattr(importlib.import_module(home_of[name]), name)
        setattr(sys.modules[package], name, value)
        return value

    return import_name


def read_homes(source: str) -> "dict[str, str]":
    """Return the module of each name that a source file imports as `from home import name as name`."""
    if source.endswith(".pyc"):
        return _read_compiled_homes(source)
    with open(source, encoding="utf-8") as file:
        lines = [line.split() for line in file]
    return {line[3]: line[1] for line in lines if line[:1] == ["from"] and line[4:] == ["as", line[3]]}


def _read_compiled_homes(compiled: str) -> "dict[str, str]":
    """Return the same of an installation that has compiled files alone."""
    import dis
    from importlib.machinery import SourcelessFileLoader

    code = SourcelessFileLoader("", compiled).get_code("")
    homes, home = {}, ""
    for step in dis.get_instructions(code) if code else ():
        if step.opname == "IMPORT_NAME":
            home = step.argval
        elif step.opname == "IMPORT_FROM":
            homes[step.argval] = home
    return homes
