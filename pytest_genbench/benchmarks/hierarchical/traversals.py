"""What a unit of a code is about: one is set to several values, and decoded; or items are found that have them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...errors import GenbenchError
from .kept import Found, bounds, cut, short
from .packed import film, pack

Decode = Callable[[NDArray[np.float32]], NDArray[np.float32]]
"""From codes (N, D) to images float32 (N, H, W, C) in [0, 1], or to signals float32 (N, length)."""

VALUES = 7
"""Values that a unit is set to, evenly spaced from the 1st to the 99th percentile of those it has where it is active."""

MOST = 6
"""Units that are shown: those that vary most."""

FINENESS = 250
"""Steps from 0 to the largest value of decoded signals: finer than a drawing shows."""

NEAR = 20
"""Without a decoder, one item in so many, the closest to a value, is looked at."""


def traversals(found: Found, decode: Decode | None, shape: Sequence[int]) -> dict[str, Any]:
    """Set each of a few units of typical items to several values.

    A unit is shown on the path, of those on which it is active, that most items take. The typical item is the one whose units are
    closest to their medians there, each measured by its own range.

    Args:
        found: The code of the tested items. A decoder is given its continuous variables, 0 where they are inactive.
        decode: The model's decoder; None where it has none. Then, and where it fails, `items` take the place of what it makes:
            of a twentieth of those on the path, whose unit is closest to a value, the one that is otherwise most like the typical.
        shape: Of an item: (H, W, C), or (length,).

    Returns:
        ``reason`` why nothing was decoded, where that is so; and ``units``, for each its ``unit`` (name), the typical ``item``,
        the ``values``, and ``items`` or what was decoded: a ``film``, or a ``signals`` text packed in units of ``scale``.
    """
    steps = [_Steps(found, unit) for unit in _shown(found)]
    if not steps:
        return {}
    reason = "the model does not decode embeddings"
    made = None
    if decode is not None:
        codes = np.concatenate([each.codes() for each in steps]).astype(np.float32)
        try:
            made = decode(codes)
            reason = _wrong(made, (len(codes), *shape))
        except GenbenchError as error:
            reason = f"the decoder cannot be used: {error}"
    plain = [each.plain() for each in steps]
    if made is None or reason:
        for each, entry in zip(steps, plain, strict=True):
            entry["items"] = each.nearest()
        return {"reason": cut(reason, 300), "units": plain}
    for entry, part in zip(plain, np.split(made, len(steps)), strict=True):
        entry |= _pictured(part)
    return {"units": plain}


def _pictured(made: NDArray[np.float32]) -> dict[str, Any]:
    if made.ndim == 4:
        return {"film": film(made.mean(axis=3).clip(0, 1))}
    scale = short(max(float(np.abs(made).max()) / FINENESS, 1e-9))
    return {"signals": pack(np.rint(made / scale)), "scale": scale}


def _wrong(made: NDArray[np.float32], shape: Sequence[int]) -> str:
    if made.shape != tuple(shape):
        return f"the decoder gives {made.shape}, {tuple(shape)} was expected"
    return "" if np.isfinite(made).all() else "the decoder gives NaN or infinity"


def _shown(found: Found) -> list[int]:
    """Columns of the units that vary most where they are active, in their order."""
    active = found.active
    spread = {}
    for at in range(found.learned.categorical, len(found.learned.columns)):
        values = found.codes[active[:, at], at]
        low, high = bounds(values)
        if high > low:
            spread[at] = float(values.std())
    return sorted(sorted(spread, key=lambda at: -spread[at])[:MOST])


class _Steps:
    """The values of one unit, on the path that shows it."""

    def __init__(self, found: Found, unit: int) -> None:
        self._found, self._unit = found, unit
        active = found.active
        rows = np.flatnonzero(active[:, unit] & found.assigned)
        if not len(rows):
            rows = np.flatnonzero(active[:, unit])
        path = found.learned.path(found.codes[rows])
        self._rows = rows[path == np.bincount(path).argmax()]
        units = np.arange(found.learned.categorical, len(found.learned.columns))
        self._units = units[active[self._rows[0], units]]
        codes = found.codes[self._rows][:, self._units]
        low, high = np.percentile(codes, (1, 99), axis=0)
        self._range = np.where(high > low, high - low, 1.0)
        apart = ((codes - np.median(codes, axis=0)) / self._range) ** 2
        self._typical = self._rows[apart.sum(axis=1).argmin()]
        self._values = np.linspace(*bounds(found.codes[active[:, unit], unit]), VALUES)

    def codes(self) -> NDArray[np.float64]:
        """The typical item's continuous variables with the unit set to each value: float64 (values, D)."""
        first = self._found.learned.categorical
        codes = np.repeat(self._found.codes[[self._typical], first:], VALUES, axis=0)
        codes[:, self._unit - first] = self._values
        return codes

    def nearest(self) -> list[int]:
        """Items whose codes are close to :meth:`codes`, one for each value."""
        codes = self._found.codes[self._rows]
        others = self._units != self._unit
        gap = (codes[:, self._units] - self._found.codes[self._typical, self._units]) / self._range
        apart = (gap[:, others] ** 2).sum(axis=1)
        some = max(1, len(codes) // NEAR)
        found = []
        for value in self._values:
            close = np.argsort(np.abs(codes[:, self._unit] - value), kind="stable")[:some]
            found.append(int(self._found.items[self._rows[close[apart[close].argmin()]]]))
        return found

    def plain(self) -> dict[str, Any]:
        """Name, item and values, as builtin types."""
        return {
            "unit": cut(self._found.learned.names[self._unit]),
            "item": int(self._found.items[self._typical]),
            "values": [short(value) for value in self._values],
        }
