"""What holds for any images: layouts are twins, padding changes nothing."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pytest_genbench.models import load, to_numpy
from pytest_genbench.models.contract import Contract
from pytest_genbench.models.prepare import chunks, join, prepare

from .builders import SIZE, autoencoder, images, node, options, save, value


@pytest.fixture(scope="module")
def twins(tmp_path_factory):
    """One network on (3, 8, 8) images, once for each layout."""
    folder = tmp_path_factory.mktemp("twins")
    weights = {"W": np.random.default_rng(0).normal(size=(3 * SIZE * SIZE, 4)).astype(np.float32)}
    tail = [node("Flatten", ["first"], ["flat"]), node("MatMul", ["flat", "W"], ["embedding"])]
    metadata = {"genbench.mean": "0.2,0.4,0.6", "genbench.std": "0.5"}
    outputs = [value("embedding", ("N", 4))]
    first = save(
        folder / "nchw.onnx",
        [node("Identity", ["x"], ["first"]), *tail],
        [value("x", ("N", 3, SIZE, SIZE))],
        outputs,
        weights,
        metadata,
    )
    last = save(
        folder / "nhwc.onnx",
        [node("Transpose", ["x"], ["first"], perm=[0, 3, 1, 2]), *tail],
        [value("x", ("N", None, None, None))],
        outputs,
        weights,
        {**metadata, "genbench.layout": "NHWC"},
    )
    return load(options(first)), load(options(last))


@settings(max_examples=30, deadline=None)
@given(n=st.integers(1, 9), seed=st.integers(0, 2**32 - 1))
def test_declared_nhwc_equals_its_nchw_twin(twins, n, seed):
    first, last = twins
    assert last.contract.layout == "NHWC"
    batch = images(n, 3, seed=seed)
    assert np.array_equal(first.predict(batch)["embedding"], last.predict(batch)["embedding"])


@pytest.fixture(scope="module")
def by_batch(tmp_path_factory):
    """One autoencoder with a free batch (0), and with each fixed batch from 1 to 5."""
    folder = tmp_path_factory.mktemp("batches")
    return {size: load(options(autoencoder(folder / f"{size}.onnx", batch=size or "N"))) for size in range(6)}


@settings(max_examples=40, deadline=None)
@given(n=st.integers(1, 17), size=st.integers(1, 5))
def test_padded_chunks_equal_the_unpadded_result(by_batch, n, size):
    batch = images(n)
    expected, found = by_batch[0].predict(batch), by_batch[size].predict(batch)
    for role, array in expected.items():
        assert to_numpy(found[role]).shape == array.shape
        assert np.allclose(to_numpy(found[role]), array, atol=1e-6)


@given(n=st.integers(1, 17), size=st.none() | st.integers(1, 5))
def test_chunks_join_to_the_same_batch(n, size):
    batch = images(n)
    parts, kept = zip(*chunks(batch, size), strict=True)
    assert all(len(part) == (size or n) for part in parts)
    assert np.array_equal(join(parts, kept, size or n, "chunks"), batch)


@given(
    layout=st.sampled_from(["NCHW", "NHWC"]),
    dtype=st.sampled_from(["float32", "float64"]),
    low=st.sampled_from([0.0, -1.0, -0.5]),
    width=st.sampled_from([1.0, 2.0, 255.0]),
    mean=st.none() | st.tuples(*[st.floats(-1, 1)] * 3),
    std=st.none() | st.tuples(st.floats(0.1, 2)),
)
def test_prepare_is_the_declared_arithmetic(layout, dtype, low, width, mean, std):
    batch = images(2, 3)
    given_batch = batch.copy()
    contract = Contract("x", dtype=dtype, layout=layout, range=(low, low + width), mean=mean, std=std)
    found = prepare(batch, contract)
    expected = (batch / 255 * width + low - np.array(mean or 0.0)) / np.array(std or 1.0)
    assert found.dtype == dtype
    assert found.flags.c_contiguous
    assert np.allclose(found.transpose(0, 2, 3, 1) if layout == "NCHW" else found, expected, atol=1e-3, rtol=1e-4)
    found[:] = 0
    assert np.array_equal(batch, given_batch)
