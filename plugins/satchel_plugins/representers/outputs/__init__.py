"""Representers of command output: each knows a family of tools."""

from __future__ import annotations

from satchel_plugins.representers.outputs.compilers import Cargo, Gcc, Jvm
from satchel_plugins.representers.outputs.installers import Apt, Npm, Pip
from satchel_plugins.representers.outputs.linters import EslintTsc, RuffMypy
from satchel_plugins.representers.outputs.listings import Docker, Listings
from satchel_plugins.representers.outputs.records import Csv, Json, Logs
from satchel_plugins.representers.outputs.testers import GoTest, Jest, Pytest
from satchel_plugins.representers.outputs.versions import GitDiff, GitLog, GitStatus

OUTPUTS: tuple[type, ...] = (
    Pytest,
    Jest,
    GoTest,
    Cargo,
    Gcc,
    Jvm,
    EslintTsc,
    RuffMypy,
    Npm,
    Pip,
    Apt,
    GitDiff,
    GitLog,
    GitStatus,
    Listings,
    Docker,
    Json,
    Csv,
    Logs,
)
