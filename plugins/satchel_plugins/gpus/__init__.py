"""The built-in GPU backends."""

from __future__ import annotations

from satchel.plugin_api import Later

GPU_BACKENDS = (
    Later("apple", "satchel_plugins.gpus.apple:Apple"),
    Later("cpu", "satchel_plugins.gpus.cpu:Cpu"),
    Later("nvidia", "satchel_plugins.gpus.nvidia:Nvidia"),
    Later("rocm", "satchel_plugins.gpus.rocm:Rocm"),
)
"""Each is imported when it may be needed."""
