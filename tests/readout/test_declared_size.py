"""The contract's key ``size``: the height and width that a model takes, where its graph does not say."""

import numpy as np
import pytest

from pytest_genbench.errors import ModelError, OptionError
from pytest_genbench.models import ModelOptions, wrap
from pytest_genbench.models.contract import GraphFacts, resolve
from pytest_genbench.models.declaration import declare


@pytest.mark.parametrize("value", ["224, 192", [224, 192], "[224, 192]", (224.0, 192)])
def test_height_and_width(value):
    assert declare("option", "--genbench-contract", {"size": value}).values["size"] == (224, 192)


@pytest.mark.parametrize("value", ["224", "224, 0", "3, 224, 224", "224.5, 224", "wide", ""])
def test_what_is_no_size(value):
    with pytest.raises(OptionError, match=r"size = .* cannot be used"):
        declare("option", "--genbench-contract", {"size": value})


def declared(kind="metadata", value="20, 30"):
    return [declare(kind, "the metadata of m.onnx", {"size": value})]


@pytest.mark.parametrize(
    ("shape", "layout"),
    [((None, 3, None, None), "NCHW"), ((None, None, None, 3), "NHWC"), ((None, 3, 20, None), "NCHW")],
)
def test_free_axes_are_filled(shape, layout):
    contract = resolve(declared(), GraphFacts("m.onnx", input_shape=shape))
    assert (contract.shape, contract.layout) == ((3, 20, 30), layout)
    assert contract.sources["shape"] == "metadata"
    assert contract.warnings == ()


def test_the_graph_is_right():
    contract = resolve(declared(), GraphFacts("m.onnx", input_shape=(None, 3, 8, 8)))
    assert contract.shape == (3, 8, 8)
    assert contract.sources["shape"] == "graph"
    assert (
        "says size = (20, 30), but m.onnx has images of height and width (8, 8); the graph is right"
        in contract.warnings[0]
    )
    with pytest.raises(OptionError, match="size"):
        resolve(declared("option"), GraphFacts("m.onnx", input_shape=(None, 3, 8, 8)))


def test_one_axis_that_contradicts():
    contract = resolve(declared(), GraphFacts("m.onnx", input_shape=(None, 3, 8, None)))
    assert contract.shape == (3, 8, None)
    assert contract.warnings


def function(size, channels=None, **more):
    """A function that takes images of one size, and of some number of channels."""
    tried = []

    def look(images):
        tried.append(images.shape[1:])
        if images.shape[2:] != size or channels not in (None, images.shape[1]):
            raise ValueError(f"bad size {images.shape}")
        return images.mean(axis=(2, 3))

    look.genbench = {"size": f"{size[0]}, {size[1]}", "range": "0, 1", **more}
    return look, tried


@pytest.mark.parametrize("image_shape", [None, (64, 64, 1), (64, 64, 3), (48, 40, 1)])
@pytest.mark.parametrize(("channels", "more"), [(None, {}), (1, {}), (3, {}), (3, {"mean": "0.1, 0.2, 0.3"})])
def test_a_function_is_tried_on_images_of_the_declared_size(image_shape, channels, more):
    look, tried = function((48, 40), channels, **more)
    contract = wrap(look, ModelOptions("", device="cpu"), name="look", image_shape=image_shape).contract
    assert {shape[1:] for shape in tried} == {(48, 40)}
    # Images that work as they are do not show whether others would.
    is_certain = image_shape is None or image_shape[2] != channels
    assert contract.shape == (channels if is_certain else None, 48, 40)
    assert contract.sources["shape"] == "metadata"


def test_a_module_is_tried_on_images_of_the_declared_size():
    torch = pytest.importorskip("torch")

    class Fixed(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.genbench = {"size": [32, 32], "range": [0, 1]}

        def forward(self, images):
            assert images.shape[1:] == (3, 32, 32)
            return {"embedding": images.flatten(1)}

    for image_shape in ((64, 64, 1), None):
        model = wrap(Fixed(), ModelOptions("", device="cpu"), name="Fixed", image_shape=image_shape)
        assert model.contract.shape == (3, 32, 32)
        assert "embedding" in model.contract.outputs
    with pytest.raises(ModelError, match="expects 32 height"):
        model.predict(np.zeros((1, 64, 64, 3), np.uint8))
