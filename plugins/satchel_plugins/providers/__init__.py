"""The built-in providers."""

from __future__ import annotations

from satchel.plugin_api import Later

PROVIDERS = (
    Later("dependencies", "satchel_plugins.providers.dependencies:Dependencies"),
    Later("editor", "satchel_plugins.providers.editor:Editor"),
    Later("environment", "satchel_plugins.providers.environment:Environment"),
    Later("errors", "satchel_plugins.providers.errors:ErrorsProvider"),
    Later("files", "satchel_plugins.providers.files:Files"),
    Later("git", "satchel_plugins.providers.git:GitProvider"),
    Later("git_blame", "satchel_plugins.providers.git_blame:GitBlame"),
    Later("git_review", "satchel_plugins.providers.git_review:GitReview"),
    Later("nearby_docs", "satchel_plugins.providers.nearby_docs:NearbyDocs"),
    Later("notes", "satchel_plugins.providers.notes:Notes"),
    Later("overview", "satchel_plugins.providers.overview:Overview"),
    Later("project_docs", "satchel_plugins.providers.project_docs:ProjectDocs"),
    Later("read_only", "satchel_plugins.providers.read_only:ReadOnly"),
    Later("tasks", "satchel_plugins.providers.tasks:Tasks"),
    Later("tree", "satchel_plugins.providers.tree:Tree"),
)
"""Each is imported when something may need it."""
