"""``genbench inspect``: everything there is to know about a model file before a suite runs it."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import TYPE_CHECKING

import numpy as np

from ..errors import GenbenchError, MissingOutputError, ModelError
from .arrays import to_numpy
from .contract import KINDS, Contract, show
from .extra import arguments
from .load import load
from .options import ModelOptions
from .prepare import Inputs
from .probes import BATCH, code_size, probe
from .protocol import Model
from .roles import assign_unnamed, offered
from .similarity import READOUT, SimilarityModel, of_sets
from .trial import CANDIDATES

if TYPE_CHECKING:
    from ..benchmarks import Benchmark
    from ..learners.find import Found

_INPUTS = {"image": "images", "set": "sets of images", "signal": "signals"}

_BATCHES = (1, 2, BATCH)
"""Exporters specialise batches of 1, and 2 where the sample had 2; 7 is nobody's sample."""


def inspect(
    options: ModelOptions, benchmark: str | None = None, image_shape: tuple[int, ...] | None = None
) -> tuple[str, bool]:
    """Describe a model, and try it.

    Args:
        options: The model.
        benchmark: Name of a benchmark whose images it should take.
        image_shape: Height, width, channels to try where neither the model nor a benchmark says them.

    Returns:
        Text for people, and whether the model can be used.
    """
    from .. import benchmarks
    from ..learners.find import lookup

    lines: list[str] = []
    try:
        target = None if benchmark is None else benchmarks.get(benchmark)
        image_shape = image_shape if target is None else target.image_shape
        found = lookup(options)
        if found is not None:
            lines += _learner(found, target)
            return "\n".join([*lines, "", "usable"]), True
        model = load(options, image_shape=image_shape)
        lines += _facts(model, options)
        if target is not None:
            model, target = fitted(model, target)
            image_shape = target.image_shape
            if isinstance(model, SimilarityModel):
                lines += [f"  as one of sets of {image_shape[0]} images: {READOUT}"]
        images = _images(model.contract, image_shape)
        lines += ["", f"tried on random {_kind(images)}:"]
        names, missing = _own_names(model, target)
        lines += _tries(model, images, names)
        lines += _size(model, images, names)
        lines += _wishes(model.contract)
        if missing is not None:
            raise missing
        if target is not None:
            lines += ["", *_tasks(model, target, names)]
    except GenbenchError as error:
        return "\n".join([*lines, "", f"unusable: {error}"]).strip(), False
    return "\n".join([*lines, "", "usable"]), True


def fitted(model: Model, target: Benchmark) -> tuple[Model, Benchmark]:
    """Let an encoder of single images compare sets of them, and a benchmark draw its images as large as the model takes them.

    Raises:
        GenbenchError: The model takes another kind of input than the benchmark has, or images that it does not draw.
    """
    from ..benchmarks import Scalable

    if len(target.image_shape) == 4:
        model = of_sets(model, target.image_shape[0], target.name)
        side = _side(model.contract, target)
        if side is not None and isinstance(target, Scalable):
            target = target.sized(side)
    has = KINDS[len(target.image_shape) + 1]
    if model.contract.input_kind != has:
        raise ModelError(f"the model takes {_INPUTS[model.contract.input_kind]}; {target.name} has {_INPUTS[has]}")
    return model, target


def _side(contract: Contract, target: Benchmark) -> int | None:
    """Return the side of the images that a model takes; None for any."""
    height, width = contract.shape[-2:]
    if height != width and None not in (height, width):
        raise ModelError(f"the model takes images of {height} x {width} pixels; {target.name} draws square ones")
    return height or width


def _kind(images: Inputs) -> str:
    """Say what a batch of inputs is."""
    if images.ndim == 2:
        return f"signals {images.shape[1:]} (length)"
    *number, height, width, channels = images.shape[1:]
    several = f"sets of {number[0]} " if number else ""
    return f"{several}images {(height, width, channels)} (H, W, C)"


def _learner(found: Found, target: Benchmark | None) -> Iterator[str]:
    """Say what a learner is and which tasks its models can take part in; nothing is trained."""
    settings = ", ".join(f"{key} = {value}" for key, value in found.settings.items())
    only = getattr(found.learner, "benchmark", None)
    yield f"{found.spec}: a learner, trained for each split"
    yield f"  offers      {', '.join(found.learner.outputs)}"
    yield f"  benchmark   {only or 'any that fits'}"
    yield f"  settings    {settings or 'none'}"
    for module, digest in found.sources.items():
        yield f"  source      {module}  sha256 {digest}"
    if target is not None:
        if only not in (None, target.name):
            raise MissingOutputError(f"it is for {only}, not for {target.name}")
        yield from ("", *_fitting(set(found.learner.outputs), target, {}))


def _own_names(model: Model, target: Benchmark | None) -> tuple[dict[str, str], MissingOutputError | None]:
    """Find the role of an output that has none, where the benchmark needs it and leaves one possibility.

    Returns:
        The model's name for that role, and the error to raise where the benchmark's needs cannot be met.
    """
    roles = offered(model.contract)
    if target is None or any(roles.issuperset(task.outputs) for task in target.tasks.values()):
        return {}, None
    single = {task.outputs[0]: task.fits for task in target.tasks.values() if len(task.outputs) == 1}
    try:
        return assign_unnamed(model.contract, single), None
    except MissingOutputError as error:
        return {}, error


def _tasks(model: Model, target: Benchmark, names: Mapping[str, str]) -> Iterator[str]:
    """Say which tasks of a benchmark a model can take part in."""
    return _fitting(offered(model.contract).union(names), target, names)


def _fitting(roles: Collection[str], target: Benchmark, names: Mapping[str, str]) -> Iterator[str]:
    """Say which tasks of a benchmark some outputs are enough for."""
    yield f"{target.name} {target.version} ({target.preset}):"
    wide = max(11, *map(len, target.tasks))
    for name, task in target.tasks.items():
        missing = [output for output in task.outputs if output not in roles]
        used = ", ".join(f"{output} = {names[output]!r}" if output in names else output for output in task.outputs)
        yield f"  {name:<{wide}} " + (f"no: needs the output {' and '.join(missing)}" if missing else f"yes: {used}")


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
    is_signal = contract.input_kind == "signal"
    axes = {"signal": "length", "set": "images, C, H, W"}.get(contract.input_kind, "C, H, W")
    extra = {"extra": ", ".join(contract.extra)} if contract.extra else {}
    pixels = {} if is_signal else {"range": f"[{low:g}, {high:g}]"}
    hierarchy = {} if contract.hierarchy is None else {"hierarchy": contract.hierarchy.notation}
    return {
        "input_name": contract.input_name,
        **extra,
        "shape": f"{show(contract.shape)} ({axes})",
        "dtype": contract.dtype,
        "layout": contract.layout,
        **pixels,
        **hierarchy,
        "mean": "none" if contract.mean is None else str(contract.mean),
        "std": "none" if contract.std is None else str(contract.std),
        "batch": "any" if contract.batch is None else str(contract.batch),
        "benchmark": contract.benchmark or "any that fits",
        "trained_on": ", ".join(contract.trained_on) or "undeclared",
        "code_size": "undeclared" if contract.code_size is None else str(contract.code_size),
        "decoder": contract.decoder or "none",
    }


def _images(contract: Contract, image_shape: tuple[int, ...] | None) -> Inputs:
    """Draw images, or signals, of the size the model takes, the same in every run."""
    draw = np.random.default_rng(0)
    if contract.input_kind == "signal":
        return draw.uniform(-0.5, 0.5, (BATCH, *(image_shape or (contract.shape[0] or 64,)))).astype(np.float32)
    *number, channels, height, width = contract.shape
    several = [each or CANDIDATES for each in number]
    given = image_shape or (*several, height or 64, width or 64, channels or (3 if number else 1))
    return draw.integers(0, 256, (BATCH, *given), dtype=np.uint8)


def _tries(model: Model, images: Inputs, names: Mapping[str, str]) -> Iterator[str]:
    """Run batches of several sizes, then the probes."""
    outputs = (*model.contract.outputs, *names.values()) or tuple(model.contract.unnamed)
    for size in _BATCHES:
        found = model.predict(images[:size], outputs, **arguments(model.contract, None, size))
        shapes = ", ".join(f"{name} {to_numpy(array).shape}" for name, array in found.items())
        yield f"  batch of {size}  {shapes or 'no outputs'}"
    probe(model, images, outputs)
    yield "  probes      finite; the same twice; independent of the batch; input untouched"


def _size(model: Model, images: Inputs, names: Mapping[str, str]) -> Iterator[str]:
    if "reconstruction" in offered(model.contract).union(names):
        size = code_size(model, images, names)
        yield f"  code size   {size.kind}{'' if size.numbers is None else f' {size.numbers}'}: {size.reason}"


def _wishes(contract: Contract) -> Iterator[str]:
    """Say what is worth declaring."""
    if contract.sources.get("range") == "default" and contract.dtype != "uint8" and contract.input_kind != "signal":
        low, high = contract.range
        yield f"  note        range is not declared, [{low:g}, {high:g}] is assumed: declare genbench.range"
    if contract.unnamed and not contract.outputs:
        example = f"{next(iter(contract.unnamed))}=embedding"
        yield f"  note        no output has a known meaning: declare genbench.outputs, such as {example}"
    if not contract.trained_on:
        yield "  note        exposure is undeclared: declare genbench.trained_on (split ids, or none)"
