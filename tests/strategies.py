"""Hypothesis strategies shared by the property tests."""

from hypothesis import strategies as st

from pytest_genbench.benchmarks.comporth.stimuli import Stimuli

PRESETS = ("mini", "published", "described")

presets = st.sampled_from(PRESETS)


@st.composite
def comporth_items(draw: st.DrawFn, stimuli: Stimuli) -> tuple[int, int, int, int]:
    """Levels (word, x, y, spacing) of one image."""
    return tuple(draw(st.integers(0, size - 1)) for size in stimuli.grid.shape)
