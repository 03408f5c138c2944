"""The built-in models of worth."""

from __future__ import annotations

from satchel.plugin_api import Later

WORTH_MODELS = (Later("trees", "satchel_plugins.worth_models.trees:Trees"),)
"""It is imported if it is chosen."""
