"""Which outputs a model offers, and what an output without a role can be."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from ..errors import MissingOutputError
from .contract import Contract, Shape, show

Fits = Callable[[str, Sequence[int | None]], bool]
"""Whether an output of this shape (without the batch axis, None for a free axis) could have this role."""


def offered(contract: Contract) -> set[str]:
    """Return the roles a model offers."""
    return set(contract.outputs)


def assign_unnamed(contract: Contract, task_fits: Mapping[str, Fits]) -> dict[str, str]:
    """Find out what an output without a role is, where only one thing is possible.

    Args:
        contract: What the model offers.
        task_fits: For each role that is wanted and not offered, whether a shape fits it. An image is given as (H, W,
            C).

    Returns:
        The graph name of the one role found, such as ``{"reconstruction": "output"}``: :meth:`Model.predict` takes the
        graph name.

    Raises:
        MissingOutputError: Several outputs have no role, or the one has none or several that fit.
    """
    fitting = {
        name: [role for role, fits in task_fits.items() if fits(role, _image_last(role, shape[1:], contract.layout))]
        for name, (shape, _) in contract.unnamed.items()
    }
    if len(fitting) == 1:
        ((name, roles),) = fitting.items()
        if len(roles) == 1:
            return {roles[0]: name}
    raise MissingOutputError(_message(contract, fitting, sorted(task_fits)))


def _image_last(role: str, shape: Shape, layout: str) -> Shape:
    """Turn (C, H, W) into (H, W, C), as benchmarks have it."""
    if role == "reconstruction" and layout == "NCHW" and len(shape) == 3:
        return (*shape[1:], shape[0])
    return shape


def _message(contract: Contract, fitting: Mapping[str, list[str]], wanted: Sequence[str]) -> str:
    listed = "; ".join(
        f"{name!r} {dtype} {show(shape)} could be {' or '.join(fitting[name]) or 'none of them'}"
        for name, (shape, dtype) in contract.unnamed.items()
    )
    example = next(iter(contract.unnamed), "output")
    role = next((roles[0] for roles in fitting.values() if roles), wanted[0] if wanted else "embedding")
    offers = ", ".join(contract.outputs) or "none by name"
    if not contract.unnamed:
        return (
            f"Wanted is {' or '.join(wanted)}; the model offers {offers}, and no other output. Export what is wanted."
        )
    return (
        f"Wanted is {' or '.join(wanted)}; the model offers {offers}, and what its other outputs mean is not declared: "
        f"{listed}. Declare genbench.outputs, such as {example}={role}."
    )
