"""Devices: chosen by name and worker, refused where they are not there."""

from __future__ import annotations

import pytest

from pytest_genbench.errors import DeviceError, OptionError
from pytest_genbench.models import visible_cuda_devices
from pytest_genbench.models.devices import cuda_devices, cuda_index

from .builders import says


@pytest.mark.parametrize(
    ("device", "worker", "visible", "index"),
    [
        ("cpu", 0, 2, None),
        ("auto", 3, 0, None),
        ("auto", 3, 2, 1),
        ("cuda", 2, 2, 0),
        ("cuda", 0, 1, 0),
        ("cuda:1", 4, 2, 1),
    ],
)
def test_index(device, worker, visible, index):
    assert cuda_index(device, worker, visible, "") == index


@pytest.mark.parametrize(
    ("device", "visible", "words"),
    [("cuda", 0, ("no CUDA device", "torch has none")), ("cuda:2", 2, ("cuda:0 to cuda:1", "cuda:2"))],
)
def test_absent(device, visible, words):
    with pytest.raises(DeviceError) as error:
        cuda_index(device, 0, visible, "torch has none")
    says(error, *words)


@pytest.mark.parametrize("device", ["gpu", "cuda:x", "CUDA", "mps", ""])
def test_no_device(device):
    with pytest.raises(OptionError) as error:
        cuda_index(device, 0, 1, "")
    says(error, "auto, cpu, cuda or cuda:N")


def test_visible():
    assert visible_cuda_devices() == [f"cuda:{index}" for index in range(cuda_devices())]
