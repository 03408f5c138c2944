"""Asks Metal, through the Objective-C runtime, for the working set that it recommends."""

from __future__ import annotations

_METAL = "/System/Library/Frameworks/Metal.framework/Metal"
_RUNTIME = "/usr/lib/libobjc.A.dylib"


def working_set() -> int | None:
    """Return `recommendedMaxWorkingSetSize` of the default device in bytes, None where Metal has none.

    Source: https://developer.apple.com/documentation/metal/mtldevice/recommendedmaxworkingsetsize.
    """
    import ctypes

    try:
        metal, runtime = ctypes.CDLL(_METAL), ctypes.CDLL(_RUNTIME)
    except OSError:
        return None
    metal.MTLCreateSystemDefaultDevice.restype = ctypes.c_void_p
    device = metal.MTLCreateSystemDefaultDevice()
    if not device:
        return None
    runtime.sel_registerName.restype = ctypes.c_void_p
    selector = runtime.sel_registerName(b"recommendedMaxWorkingSetSize")
    ask = ctypes.CFUNCTYPE(ctypes.c_uint64, ctypes.c_void_p, ctypes.c_void_p)(("objc_msgSend", runtime))
    return int(ask(device, selector)) or None
