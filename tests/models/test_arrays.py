"""Arrays of any runtime become NumPy; reconstructions become images or an error that says what to do."""

from __future__ import annotations

import numpy as np
import pytest

from pytest_genbench.errors import ModelError
from pytest_genbench.models import Contract, to_numpy, unit_images
from pytest_genbench.models.arrays import shape_of

from .builders import says


def refused(array, contract, *words):
    with pytest.raises(ModelError) as error:
        unit_images(array, contract)
    says(error, *words)


class Exchanged:
    """An array that only speaks DLPack."""

    def __init__(self, array):
        self._array = array

    def __dlpack__(self, **more):
        return self._array.__dlpack__(**more)

    def __dlpack_device__(self):
        return self._array.__dlpack_device__()


def test_numpy_dlpack_and_lists():
    array = np.arange(6.0).reshape(2, 3)
    assert to_numpy(array) is array
    assert np.array_equal(to_numpy(Exchanged(array)), array)
    assert np.array_equal(to_numpy([[0, 1, 2], [3, 4, 5]]), array)
    assert shape_of(array) == (2, 3)


def test_torch():
    torch = pytest.importorskip("torch")
    tensor = torch.arange(6.0, requires_grad=True).reshape(2, 3)
    assert np.array_equal(to_numpy(tensor), np.arange(6.0).reshape(2, 3))
    assert to_numpy(tensor.to(torch.bfloat16)).dtype == np.float32
    assert shape_of(tensor) == (2, 3)


def test_ort_value():
    ort = pytest.importorskip("onnxruntime")
    array = np.arange(6, dtype=np.float32).reshape(2, 3)
    value = ort.OrtValue.ortvalue_from_numpy(array)
    assert np.array_equal(to_numpy(value), array)
    assert shape_of(value) == (2, 3)


def test_no_array():
    with pytest.raises(ModelError) as error:
        to_numpy({"a": 1})
    says(error, "dict", "return a tensor")


@pytest.mark.parametrize("bounds", [(0, 1), (0, 255), (-1, 1), (-3, 5)])
@pytest.mark.parametrize("layout", ["NCHW", "NHWC"])
def test_unit_images(bounds, layout):
    low, high = bounds
    unit = np.random.default_rng(0).random((2, 4, 5, 3))
    unit[0, 0, 0] = [0, 1, 0.5]
    given = unit * (high - low) + low
    if layout == "NCHW":
        given = given.transpose(0, 3, 1, 2)
    found = unit_images(given, Contract("x", layout=layout, range=(low, high)))
    assert found.dtype == np.float32
    assert np.allclose(found, unit, atol=1e-6)


def test_ringing_is_clipped():
    found = unit_images(np.array([-0.4, 0.5, 1.4]).reshape(1, 1, 1, 3), Contract("x"))
    assert found.ravel().tolist() == [0, 0.5, 1]


def test_given_array_is_left_alone():
    array = np.full((1, 4, 4, 1), 1.2, dtype=np.float32)
    unit_images(array, Contract("x", layout="NHWC"))
    assert (array == np.float32(1.2)).all()


def test_bytes_are_always_bytes():
    array = np.array([[[[0, 51, 255]]]], dtype=np.uint8)
    assert np.allclose(unit_images(array, Contract("x")).ravel(), [0, 0.2, 1])


def test_logits():
    logits = np.array([-6.0, 8.0]).reshape(1, 1, 1, 2)
    refused(logits, Contract("x"), "-6 to 8", "[0, 1]", "sigmoid", "genbench.range")
    refused(logits, Contract("x", mean=(0.5,)), "Undo mean and std")


def test_another_scale():
    array = np.array([0.0, 0.9]).reshape(1, 1, 1, 2)
    refused(array * 255, Contract("x"), "0 to 230", "genbench.range")
    refused(array, Contract("x", range=(0.0, 255.0)), "0 to 0.9", "seems to be in [0, 1]")
    refused(array, Contract("x", dtype="uint8", range=(0.0, 255.0)), "Scale it inside the model.")
    unit_images(array * 0, Contract("x", range=(0.0, 255.0)))  # black is black in any range


def test_not_finite():
    refused(np.full((1, 1, 2, 2), np.nan), Contract("x"), "not finite")
    refused(np.array([[[[np.inf]]]]), Contract("x"), "not finite")


def test_wrong_rank():
    refused(np.zeros((2, 64)), Contract("x"), "(2, 64)", "four axes", "NCHW")
