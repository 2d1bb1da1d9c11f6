"""An output without a role is taken only where it can be one thing."""

from __future__ import annotations

import pytest

from pytest_genbench.errors import MissingOutputError
from pytest_genbench.models import Contract, assign_unnamed, offered

from .builders import says

IMAGE = {"reconstruction": lambda role, shape: tuple(shape) == (8, 8, 1)}
VECTOR = {"factors": lambda role, shape: len(shape) == 1, "scores": lambda role, shape: tuple(shape) == (4,)}


def contract(layout="NCHW", **unnamed):
    shapes = {name: ((None, *shape), "float32") for name, shape in unnamed.items()}
    return Contract("x", layout=layout, outputs={"embedding": "z"}, unnamed=shapes)


def test_offered():
    assert offered(contract(y=(4,))) == {"embedding"}


def test_one_output_with_one_meaning():
    assert assign_unnamed(contract(y=(1, 8, 8)), IMAGE) == {"reconstruction": "y"}
    assert assign_unnamed(contract("NHWC", y=(8, 8, 1)), IMAGE) == {"reconstruction": "y"}
    assert assign_unnamed(contract(y=(5,)), {**IMAGE, **VECTOR}) == {"factors": "y"}


def test_nothing_to_choose_from():
    with pytest.raises(MissingOutputError) as error:
        assign_unnamed(contract(), IMAGE)
    says(error, "Wanted is reconstruction", "offers embedding", "no other output")


@pytest.mark.parametrize(
    ("unnamed", "words"),
    [
        ({"y": (4,)}, ("'y' float32 (any, 4)", "factors or scores")),
        ({"y": (9, 9, 9)}, ("'y'", "none of them")),
        ({"y": (1, 8, 8), "w": (1, 8, 8)}, ("'y'", "'w'", "could be reconstruction")),
    ],
)
def test_anything_else_is_an_error_that_shows_all(unnamed, words):
    with pytest.raises(MissingOutputError) as error:
        assign_unnamed(contract(**unnamed), {**IMAGE, **VECTOR})
    says(error, "genbench.outputs", "offers embedding", *words)
