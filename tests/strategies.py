"""Hypothesis strategies shared by the property tests."""

import itertools

import numpy as np
from hypothesis import strategies as st

from pytest_genbench.benchmarks.comporth.stimuli import Stimuli
from pytest_genbench.hierarchy import Categorical, Continuous, Group, Hierarchy, Node

PRESETS = ("mini", "published", "described")

presets = st.sampled_from(PRESETS)


@st.composite
def comporth_items(draw: st.DrawFn, stimuli: Stimuli) -> tuple[int, int, int, int]:
    """Levels (word, x, y, spacing) of one image."""
    return tuple(draw(st.integers(0, size - 1)) for size in stimuli.grid.shape)


@st.composite
def hierarchies(draw: st.DrawFn, deepest: int = 3, widest: int = 3, named: bool = True) -> Hierarchy:
    """Hierarchies of a few variables, some with names and labels; a group may hold several categorical variables."""
    numbers = itertools.count()

    def name() -> str:
        # A number makes it unique; the text may be empty, and have any letters that can be printed.
        number = next(numbers)
        return f"{number} {draw(st.text(max_size=3).filter(str.isprintable))}" if named and draw(st.booleans()) else ""

    def group(depth: int, least: int) -> Group:
        return tuple(node(depth) for _ in range(draw(st.integers(least, 2))))

    def node(depth: int) -> Node:
        if depth >= deepest or draw(st.booleans()):
            return Continuous(name())
        options = tuple(group(depth + 1, 0) for _ in range(draw(st.integers(2, widest))))
        labels = tuple(f"option {number}" for number in range(len(options))) if draw(st.booleans()) else ()
        return Categorical(options, name(), labels)

    return Hierarchy(group(0, 1))


def samples_of(hierarchy: Hierarchy, n: int, draw: np.random.Generator) -> np.ndarray:
    """Draw a table (n, columns) that fits a hierarchy: options alike often, continuous values from 0 to 1, not 0 itself."""
    table = np.zeros((n, len(hierarchy.columns)))
    for at, column in enumerate(hierarchy.columns):
        on = np.ones(n, dtype=bool)
        for parent, option in column.conditions:
            on &= table[:, parent] == option
        size = int(on.sum())
        table[on, at] = draw.integers(1, column.options + 1, size) if column.options else 1 - draw.uniform(size=size)
    return table
