"""Representers: split what an item holds into parts, each kind of text by its own rules."""

from __future__ import annotations

from satchel_plugins.representers.checklists import Checklists
from satchel_plugins.representers.configuration import Configuration
from satchel_plugins.representers.diffs import Diffs
from satchel_plugins.representers.failures import Failures
from satchel_plugins.representers.markdown import Prose
from satchel_plugins.representers.notebooks import Notebooks
from satchel_plugins.representers.outputs import OUTPUTS
from satchel_plugins.representers.packages import Packages
from satchel_plugins.representers.plain import Generic
from satchel_plugins.representers.treesitter import (
    C,
    Cpp,
    CSharp,
    Go,
    Java,
    JavaScript,
    Php,
    Python,
    Ruby,
    Rust,
    Shell,
    TypeScript,
)

REPRESENTERS: tuple[type, ...] = (
    Python,
    JavaScript,
    TypeScript,
    Go,
    Rust,
    Java,
    C,
    Cpp,
    CSharp,
    Ruby,
    Php,
    Shell,
    Prose,
    Configuration,
    Checklists,
    Diffs,
    Failures,
    Packages,
    Notebooks,
    Generic,
    *OUTPUTS,
)
