"""Real messages of engines, drivers and kernels are recognised; the words alone are not."""

from __future__ import annotations

import time

import pytest

from satchel.guarding import out_of_memory

REAL = [
    (
        "cuda",
        "ggml_backend_cuda_buffer: allocating 4096.00 MiB on device 0: cudaMalloc failed: out of memory",
    ),
    (
        "cuda",
        "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB.",
    ),
    ("cuda", "CUDA error: out of memory\n  current device: 0, in function alloc at ggml-cuda.cu:404"),
    ("cuda", "RuntimeError: CUDA error: CUBLAS_STATUS_ALLOC_FAILED when calling `cublasCreate(handle)`"),
    ("hip", "ggml_backend_cuda_buffer_type_alloc_buffer: hipMalloc failed"),
    ("hip", "torch.OutOfMemoryError: HIP out of memory. Tried to allocate 512.00 MiB"),
    ("metal", "ggml_metal_graph_compute: command buffer 0 failed with status 5"),
    ("metal", "error: Insufficient Memory (00000008:kIOGPUCommandBufferCallbackErrorOutOfMemory)"),
    ("vulkan", "ggml_vulkan: Device memory allocation of size 1073741824 failed: ErrorOutOfDeviceMemory"),
    ("vulkan", "vk::Device::allocateMemory: VK_ERROR_OUT_OF_DEVICE_MEMORY"),
    ("jetson", "NvMapMemAllocInternalTagged: 1075072515 error 12"),
    ("engine", "llama_kv_cache_init: failed to allocate buffer for kv cache"),
    (
        "engine",
        "llama_init_from_model: failed to initialize the context: failed to allocate compute pp buffers",
    ),
    ("engine", "Error: model requires more system memory (9.2 GiB) than is available (7.8 GiB)"),
    (
        "engine",
        "ValueError: No available memory for the cache blocks. Try increasing `gpu_memory_utilization`",
    ),
    ("engine", "fatal error: runtime: out of memory"),
    ("system", "kernel: Out of memory: Killed process 4242 (llama-server) total-vm:65012345kB"),
    ("system", "terminate called after throwing an instance of 'std::bad_alloc'"),
]
LOOK_ALIKES = [
    "test_out_of_memory_is_reported PASSED",
    "the run ended without out of memory errors",
    "memory: 12 GiB of 24 GiB free",
    "docs: what to do if out of memory happens: lower --ctx-size",
    "llama_kv_cache_init: CUDA0 KV buffer size = 4096.00 MiB",
    "allocated 512 MiB for the compute buffer",
    "HTTP status 500: internal error",
    "process exited with status 1",
    "if out of memory: raise ValueError",
    "",
]


@pytest.mark.parametrize(("kind", "text"), REAL)
def test_a_real_message_is_recognised(kind: str, text: str) -> None:
    found = out_of_memory(f"loading model\n{text}\n")

    assert found is not None
    assert found.kind == kind


@pytest.mark.parametrize("text", LOOK_ALIKES)
def test_a_look_alike_is_not(text: str) -> None:
    assert out_of_memory(text) is None


def test_an_engine_that_tries_again_recovers() -> None:
    text = "cudaMalloc failed: out of memory\nretrying without pipeline parallelism\n"
    found = out_of_memory(text)

    assert found is not None
    assert found.recoverable


def test_an_engine_that_ends_does_not() -> None:
    found = out_of_memory("retrying without pipeline parallelism\ncudaMalloc failed: out of memory\n")

    assert found is not None
    assert not found.recoverable


def test_the_last_sign_counts() -> None:
    found = out_of_memory("hipMalloc failed\nok\ncudaMalloc failed: out of memory\n")

    assert found is not None
    assert found.kind == "cuda"


@pytest.mark.parametrize(
    "text", ["error " * 700_000, "alloc " * 700_000, "error\n" * 700_000, "memory no " * 400_000]
)
def test_a_long_log_is_read_in_linear_time(text: str) -> None:
    began = time.process_time()
    out_of_memory(text)

    assert time.process_time() - began < 8
