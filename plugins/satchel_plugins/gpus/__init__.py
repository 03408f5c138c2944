"""The built-in GPU backends."""

from satchel_plugins.gpus.apple import Apple
from satchel_plugins.gpus.cpu import Cpu
from satchel_plugins.gpus.nvidia import Nvidia
from satchel_plugins.gpus.rocm import Rocm

GPU_BACKENDS: tuple[type, ...] = (Apple, Cpu, Nvidia, Rocm)
