"""The hierarchies of the factors and codes in :mod:`.latents`."""

from pytest_genbench.hierarchy import Categorical, Continuous, Group, Hierarchy


def ship() -> Categorical:
    return Categorical(((), (Continuous("length"),)), "jet")


def nouns(*names: str) -> Group:
    return tuple(map(Continuous, names))


SPACESHAPES = Hierarchy(
    (
        *nouns("x", "y"),
        Categorical((nouns("phase"), nouns("shine"), (*nouns("angle"), ship())), "shape"),
    )
)

MERGED_UP = Hierarchy((*nouns("x", "y", "own"), Categorical(((), (), (ship(),)), "shape")))
"""What each shape has one of stands before the shape."""

PUSHED_DOWN = Hierarchy(
    (
        Categorical(
            (nouns("x1", "y1", "phase"), nouns("x2", "y2", "shine"), (*nouns("x3", "y3", "angle"), ship())), "shape"
        ),
    )
)
"""What all shapes have stands within each of them."""

LEARNED = {"merge_up": MERGED_UP, "push_down": PUSHED_DOWN, "rotated_flat": None}
"""Hierarchies of the representations, where it is not that of the factors."""
