"""Devices: what was asked for, what is there."""

from __future__ import annotations

import ctypes
import re
import sys
from functools import cache

from ..errors import DeviceError, OptionError

_CUDA = re.compile(r"cuda(?::(\d+))?")


@cache
def cuda_devices() -> int:
    """Count the CUDA devices this process can see, by asking the driver: needs neither torch nor a CUDA runtime."""
    name = "nvcuda.dll" if sys.platform == "win32" else "libcuda.so.1"
    try:
        driver = ctypes.CDLL(name)
    except OSError:
        return 0
    count = ctypes.c_int(0)
    if driver.cuInit(0) != 0 or driver.cuDeviceGetCount(ctypes.byref(count)) != 0:
        return 0
    return count.value


def cuda_index(device: str, worker: int, visible: int, found: str) -> int | None:
    """Choose a device.

    Args:
        device: ``auto``, ``cpu``, ``cuda`` or ``cuda:N``.
        worker: Number of the test process; processes take turns on the devices.
        visible: How many CUDA devices there are.
        found: What the runtime offers instead, for the message.

    Returns:
        Number of the CUDA device, or None for the CPU.

    Raises:
        OptionError: The device's name is not one.
        DeviceError: A CUDA device is asked for that is not there.
    """
    if device == "cpu" or (device == "auto" and visible == 0):
        return None
    if device == "auto":
        return worker % visible
    match = _CUDA.fullmatch(device)
    if match is None:
        raise OptionError(f"--genbench-device={device} is no device; use auto, cpu, cuda or cuda:N.")
    index = worker % max(visible, 1) if match[1] is None else int(match[1])
    if index >= visible:
        there = (
            "no CUDA device is visible"
            if visible == 0
            else f"the visible CUDA devices are cuda:0 to cuda:{visible - 1}"
        )
        raise DeviceError(
            f"--genbench-device={device} was asked for, but {there}; {found}. Use --genbench-device=cpu, or auto."
        )
    return index


def visible_cuda_devices() -> list[str]:
    """Name the CUDA devices this process can see: ``cuda:0``, ``cuda:1``."""
    return [f"cuda:{index}" for index in range(cuda_devices())]
