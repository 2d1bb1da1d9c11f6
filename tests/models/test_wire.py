"""The reader of ONNX structure agrees with the onnx package."""

from __future__ import annotations

import contextlib

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from pytest_genbench.errors import ModelError
from pytest_genbench.models.wire import read

from .builders import autoencoder, external, node, onnx, save, value


def test_what_is_read(tmp_path):
    found = read(autoencoder(tmp_path / "m.onnx", {"genbench.range": "0,1", "author": "é"}))
    assert (found.ir_version, found.opsets) == (10, {"": 17})
    assert found.metadata == {"genbench.range": "0,1", "author": "é"}
    assert found.external == {}


def test_external_data_in_a_subgraph_is_found(tmp_path):
    inner = onnx.load(external(tmp_path / "inner.onnx", "inner.bin"), load_external_data=False).graph
    del inner.input[:]
    shape = ("N", 1, 8, 8)
    branch = node("If", ["yes"], ["reconstruction"], then_branch=inner, else_branch=inner)
    weights = {"yes": np.array(True)}
    path = save(tmp_path / "m.onnx", [branch], [value("x", shape)], [value("reconstruction", shape)], weights)
    assert list(read(path).external) == ["inner.bin"]


def test_external_data_in_a_constant_is_found(tmp_path):
    tensor = onnx.load(external(tmp_path / "inner.onnx", "constant.bin"), load_external_data=False).graph.initializer[0]
    shape = ("N", 1, 8, 8)
    nodes = [node("Constant", [], ["w"], value=tensor), node("Add", ["x", "w"], ["reconstruction"])]
    path = save(tmp_path / "m.onnx", nodes, [value("x", shape)], [value("reconstruction", shape)])
    assert list(read(path).external) == ["constant.bin"]


@given(st.binary(max_size=200))
def test_any_bytes_are_read_or_refused(tmp_path_factory, data):
    path = tmp_path_factory.mktemp("wire") / "m.onnx"
    path.write_bytes(data)
    with contextlib.suppress(ModelError):  # anything else is a mistake of the reader
        read(path)
