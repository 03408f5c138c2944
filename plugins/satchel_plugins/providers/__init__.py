"""The built-in providers."""

from __future__ import annotations

from satchel.plugin_api import Later, import_on_first_use

TYPE_CHECKING = False
if TYPE_CHECKING:  # at run time each name is imported when it is first used
    from satchel_plugins.providers.additions import LastAddition as LastAddition
    from satchel_plugins.providers.dependencies import Dependencies as Dependencies
    from satchel_plugins.providers.editor import Editor as Editor
    from satchel_plugins.providers.editor import open_in_editor as open_in_editor
    from satchel_plugins.providers.environment import Environment as Environment
    from satchel_plugins.providers.errors import ErrorsProvider as ErrorsProvider
    from satchel_plugins.providers.files import Files as Files
    from satchel_plugins.providers.files import role_of as role_of
    from satchel_plugins.providers.git.blame import GitBlame as GitBlame
    from satchel_plugins.providers.git.provider import GitProvider as GitProvider
    from satchel_plugins.providers.git.review import GitReview as GitReview
    from satchel_plugins.providers.instructions import NearbyDocs as NearbyDocs
    from satchel_plugins.providers.instructions import ProjectDocs as ProjectDocs
    from satchel_plugins.providers.notes import Notes as Notes
    from satchel_plugins.providers.overview import Overview as Overview
    from satchel_plugins.providers.packages.ecosystems import ECOSYSTEMS as ECOSYSTEMS
    from satchel_plugins.providers.packages.ecosystems import find_locked as find_locked
    from satchel_plugins.providers.purposes import find_purpose as find_purpose
    from satchel_plugins.providers.read_only import ReadOnly as ReadOnly
    from satchel_plugins.providers.reports import read_report as read_report
    from satchel_plugins.providers.reports import report_kind as report_kind
    from satchel_plugins.providers.reports.failures import Failure as Failure
    from satchel_plugins.providers.reports.failures import render_failure as render_failure
    from satchel_plugins.providers.tasks import Tasks as Tasks
    from satchel_plugins.providers.tree import Tree as Tree
    from satchel_plugins.providers.uses import NameUses as NameUses

PROVIDERS = (
    Later("additions", "satchel_plugins.providers.additions:LastAddition"),
    Later("dependencies", "satchel_plugins.providers.dependencies:Dependencies"),
    Later("editor", "satchel_plugins.providers.editor:Editor"),
    Later("environment", "satchel_plugins.providers.environment:Environment"),
    Later("errors", "satchel_plugins.providers.errors:ErrorsProvider"),
    Later("files", "satchel_plugins.providers.files:Files"),
    Later("git", "satchel_plugins.providers.git.provider:GitProvider"),
    Later("git_blame", "satchel_plugins.providers.git.blame:GitBlame"),
    Later("git_review", "satchel_plugins.providers.git.review:GitReview"),
    Later("nearby_docs", "satchel_plugins.providers.instructions:NearbyDocs"),
    Later("notes", "satchel_plugins.providers.notes:Notes"),
    Later("overview", "satchel_plugins.providers.overview:Overview"),
    Later("project_docs", "satchel_plugins.providers.instructions:ProjectDocs"),
    Later("read_only", "satchel_plugins.providers.read_only:ReadOnly"),
    Later("tasks", "satchel_plugins.providers.tasks:Tasks"),
    Later("tree", "satchel_plugins.providers.tree:Tree"),
    Later("uses", "satchel_plugins.providers.uses:NameUses"),
)
"""Each is imported when something may need it."""

__getattr__ = import_on_first_use(__name__, __file__)
