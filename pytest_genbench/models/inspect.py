"""``genbench inspect``: everything there is to know about a model file before a suite runs it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np
from numpy.typing import NDArray

from ..errors import GenbenchError
from .arrays import to_numpy
from .contract import Contract, show
from .load import load
from .options import ModelOptions
from .probes import BATCH, code_size, probe
from .protocol import Model

_BATCHES = (1, 2, BATCH)
"""Exporters specialise batches of 1, and 2 where the sample had 2; 7 is nobody's sample."""


def inspect(
    options: ModelOptions, benchmark: str | None = None, image_shape: tuple[int, int, int] | None = None
) -> tuple[str, bool]:
    """Describe a model, and try it.

    Args:
        options: The model.
        benchmark: Name of a benchmark whose images it should take.
        image_shape: Height, width, channels to try where neither the model nor a benchmark says them.

    Returns:
        Text for people, and whether the model can be used.
    """
    lines: list[str] = []
    try:
        if benchmark is not None:
            from .. import benchmarks

            image_shape = benchmarks.get(benchmark).image_shape
        model = load(options, image_shape=image_shape)
        lines += _facts(model, options)
        images = _images(model.contract, image_shape)
        lines += ["", f"tried on random images {tuple(images.shape[1:])} (H, W, C):"]
        lines += _tries(model, images)
        lines += _size(model, images)
        lines += _wishes(model.contract)
    except GenbenchError as error:
        return "\n".join([*lines, "", f"unusable: {error}"]).strip(), False
    return "\n".join([*lines, "", "usable"]), True


def _facts(model: Model, options: ModelOptions) -> Iterator[str]:
    contract = model.contract
    yield f"{options.spec}: {contract.describe()}"
    yield f"  runs on     {model.device}"
    for name, digest in model.files.items():
        yield f"  file        {name}  sha256 {digest}"
    for key, value in _fields(contract).items():
        yield f"  {key:<11} {value}  [{contract.sources.get(key, 'graph')}]"
    for role, name in contract.outputs.items():
        alias = "" if role == name else f" = {name!r}"
        shape = f" {show(contract.shapes[role])}" if role in contract.shapes else ""
        yield f"  output      {role}{alias}{shape}  [{contract.sources.get('outputs', 'graph')}]"
    for name, (axes, dtype) in contract.unnamed.items():
        yield f"  output      {name!r} {dtype} {show(axes)}: meaning not declared"
    for warning in contract.warnings:
        yield f"  warning     {warning}"


def _fields(contract: Contract) -> Mapping[str, str]:
    """Write the contract's fields for people."""
    low, high = contract.range
    return {
        "input_name": contract.input_name,
        "shape": f"{show(contract.shape)} (C, H, W)",
        "dtype": contract.dtype,
        "layout": contract.layout,
        "range": f"[{low:g}, {high:g}]",
        "mean": str(contract.mean),
        "std": str(contract.std),
        "batch": "any" if contract.batch is None else str(contract.batch),
        "benchmark": contract.benchmark or "any that fits",
        "trained_on": ", ".join(contract.trained_on) or "undeclared",
        "code_size": "undeclared" if contract.code_size is None else str(contract.code_size),
        "decoder": contract.decoder or "none",
    }


def _images(contract: Contract, image_shape: tuple[int, int, int] | None) -> NDArray[np.uint8]:
    """Draw images of the size the model takes, the same in every run."""
    channels, height, width = contract.shape
    given = image_shape or (height or 64, width or 64, channels or 1)
    return np.random.default_rng(0).integers(0, 256, (BATCH, *given), dtype=np.uint8)


def _tries(model: Model, images: NDArray[np.uint8]) -> Iterator[str]:
    """Run batches of several sizes, then the probes."""
    for size in _BATCHES:
        found = model.predict(images[:size], (*model.contract.outputs, *model.contract.unnamed))
        shapes = ", ".join(f"{name} {to_numpy(array).shape}" for name, array in found.items())
        yield f"  batch of {size}  {shapes or 'no outputs'}"
    probe(model, images)
    yield "  probes      finite; the same twice; independent of the batch; input untouched"


def _size(model: Model, images: NDArray[np.uint8]) -> Iterator[str]:
    if "reconstruction" in model.contract.outputs:
        size = code_size(model, images)
        yield f"  code size   {size.kind}{'' if size.numbers is None else f' {size.numbers}'}: {size.reason}"


def _wishes(contract: Contract) -> Iterator[str]:
    """Say what is worth declaring."""
    if contract.sources.get("range") == "default" and contract.dtype != "uint8":
        low, high = contract.range
        yield f"  note        range is not declared, [{low:g}, {high:g}] is assumed: declare genbench.range"
    if contract.unnamed and not contract.outputs:
        example = f"{next(iter(contract.unnamed))}=embedding"
        yield f"  note        no output has a known meaning: declare genbench.outputs, such as {example}"
    if not contract.trained_on:
        yield "  note        exposure is undeclared: declare genbench.trained_on (split ids, or none)"
