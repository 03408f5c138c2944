"""Representers: split the text of an item into parts, each kind of text by its own rules."""

from __future__ import annotations

from satchel.plugin_api import Later, import_on_first_use

TYPE_CHECKING = False
if TYPE_CHECKING:  # at run time each name is imported when it is first used
    from satchel_plugins.representers.diffs import Diffs as Diffs
    from satchel_plugins.representers.diffs import find_definition as find_definition
    from satchel_plugins.representers.diffs import name_of_hunk as name_of_hunk
    from satchel_plugins.representers.diffs import name_of_place as name_of_place
    from satchel_plugins.representers.listings import Checklists as Checklists
    from satchel_plugins.representers.listings import Failures as Failures
    from satchel_plugins.representers.listings import Packages as Packages

_OUTPUT = frozenset({"output"})

REPRESENTERS = (
    Later("python", "satchel_plugins.representers.treesitter:Python"),
    Later("javascript", "satchel_plugins.representers.treesitter:JavaScript"),
    Later("typescript", "satchel_plugins.representers.treesitter:TypeScript"),
    Later("go", "satchel_plugins.representers.treesitter:Go"),
    Later("rust", "satchel_plugins.representers.treesitter:Rust"),
    Later("java", "satchel_plugins.representers.treesitter:Java"),
    Later("c", "satchel_plugins.representers.treesitter:C"),
    Later("cpp", "satchel_plugins.representers.treesitter:Cpp"),
    Later("csharp", "satchel_plugins.representers.treesitter:CSharp"),
    Later("ruby", "satchel_plugins.representers.treesitter:Ruby"),
    Later("php", "satchel_plugins.representers.treesitter:Php"),
    Later("shell", "satchel_plugins.representers.treesitter:Shell"),
    Later("markdown", "satchel_plugins.representers.markdown:Prose"),
    Later("configuration", "satchel_plugins.representers.configuration:Configuration"),
    Later("checklists", "satchel_plugins.representers.listings:Checklists"),
    Later("diffs", "satchel_plugins.representers.diffs:Diffs"),
    Later("failures", "satchel_plugins.representers.listings:Failures", frozenset({"error"})),
    Later("packages", "satchel_plugins.representers.listings:Packages"),
    Later("notebooks", "satchel_plugins.representers.notebooks:Notebooks"),
    Later("generic", "satchel_plugins.representers.plain:Generic"),
    Later("output-apt", "satchel_plugins.representers.outputs:Apt", _OUTPUT),
)
"""Each is imported when something may need it."""

__getattr__ = import_on_first_use(__name__, __file__)
