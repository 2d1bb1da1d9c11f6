"""Seeded factors of the Spaceshapes hierarchy, and representations of them whose merits are known by construction.

Recorded values of metrics refer to exactly these numbers: the order and kind of the draws must not change.
"""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np

DATA = Path(__file__).parents[1] / "data" / "metrics"

SHAPE, JET, X, Y, PHASE, SHINE, ANGLE, LENGTH = range(8)
CONTINUOUS = [X, Y, PHASE, SHINE, ANGLE, LENGTH]
KINDS = ["categorical"] * 2 + ["continuous"] * 6

BENT = {
    X: lambda v: v**3,
    Y: lambda v: np.exp(2 * v),
    PHASE: lambda v: -np.log(v + 0.1) - 3,
    SHINE: np.sqrt,
    ANGLE: lambda v: -2 * v - 0.5,
    LENGTH: lambda v: 1 / (v + 0.2),
}


def recorded(name: str) -> dict:
    """Read recorded values."""
    return json.loads((DATA / f"{name}.json").read_text())


def spaceshapes(samples: int, seed: int) -> np.ndarray:
    """Draw factors: shape (1 to 3), jet (1, 2; 0 without a ship), x, y, phase, shine, angle, jet length, 0 where inactive."""
    draw = np.random.RandomState(seed)
    shape = draw.randint(1, 4, samples)
    jet = np.where(shape == 3, draw.randint(1, 3, samples), 0)
    continuous = draw.uniform(0.001, 1, (samples, 6)).round(5)
    active = np.ones((samples, 6), dtype=bool)
    active[:, 2:5] = shape[:, None] == [1, 2, 3]
    active[:, 5] = jet == 2
    return np.column_stack([shape, jet, continuous * active]).astype(float)


def representations(factors: np.ndarray, seed: int) -> dict[str, np.ndarray]:
    """Make codes (N, D) of factors from :func:`spaceshapes`, by name."""
    draw = np.random.RandomState(seed + 1000)
    active = np.abs(factors) > 1e-10
    found = {"identity": factors.copy()}

    bent = factors.copy()
    for column, bend in BENT.items():
        bent[:, column] = np.where(active[:, column], bend(factors[:, column]), 0)
    found["monotone"] = bent.round(5)

    swapped = factors[:, [SHAPE, JET, Y, X, SHINE, PHASE, ANGLE, LENGTH]]
    swapped[:, SHAPE] = np.array([0, 2, 1, 3])[factors[:, SHAPE].astype(int)]
    found["permuted"] = swapped

    shared = factors[:, PHASE] + factors[:, SHINE] + factors[:, ANGLE]
    found["merge_up"] = np.column_stack([factors[:, [SHAPE, JET, X, Y]], shared, factors[:, LENGTH]])

    columns = [factors[:, SHAPE], factors[:, JET]]
    for option, own in ((1, PHASE), (2, SHINE), (3, ANGLE)):
        here = factors[:, SHAPE] == option
        columns += [factors[:, X] * here, factors[:, Y] * here, factors[:, own]]
    found["push_down"] = np.column_stack([*columns, factors[:, LENGTH]])

    for sigma in (0.05, 0.2):
        on = active[:, CONTINUOUS]
        noisy = factors[:, CONTINUOUS] + sigma * draw.normal(size=on.shape) * on
        # Active values stay away from 0, which means inactive.
        noisy = np.where(on & (np.abs(noisy) < 1e-4), 1e-3, noisy)
        found[f"noisy{sigma:.2f}"] = np.column_stack([factors[:, :X], noisy]).round(5)

    rotation = np.linalg.qr(draw.normal(size=(8, 8)))[0]
    centred = factors.copy()
    centred[:, SHAPE] -= 2
    centred[:, JET] -= 0.5
    found["rotated_flat"] = (centred @ rotation).round(5)

    found["independent"] = spaceshapes(len(factors), seed + 77)
    return found


def chopsticks() -> tuple[np.ndarray, dict[str, np.ndarray], dict[str, dict]]:
    """Factors (500, 3) of Chopsticks (depth 2, slope), codes by name, and recorded values by name."""
    document = recorded("metrics_chopsticks2_slope")
    factors = np.array(document["V"])
    cases = document["cases"]
    codes = {name: factors if case["Z"] == "V" else np.array(case["Z"]) for name, case in cases.items()}
    return factors, codes, cases


CHOPSTICKS_KINDS = ["categorical", "continuous", "continuous"]
