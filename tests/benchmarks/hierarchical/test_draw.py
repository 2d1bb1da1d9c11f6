"""Pictures of hierarchies: everything is there, nothing overlaps, and pyplot knows nothing of it."""

import subprocess
import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pytest_genbench.benchmarks.hierarchical import spaceshapes
from pytest_genbench.benchmarks.hierarchical.chopsticks import Chopsticks
from pytest_genbench.benchmarks.hierarchical.draw import picture
from pytest_genbench.errors import HierarchyError
from pytest_genbench.hierarchy import Categorical, Continuous, Hierarchy

pytestmark = pytest.mark.filterwarnings("error")

KNOWN = {
    "spaceshapes": spaceshapes.HIERARCHY,
    "one": Hierarchy.flat(1),
    "flat": Hierarchy.flat(14),
    "both": Chopsticks("both", 3).hierarchy,
    "either": Chopsticks("either", 3).hierarchy,
    "deepest": Chopsticks("either", 6).hierarchy,
    "two choices": Hierarchy(
        (*[Continuous()] * 8, Categorical(((),) * 2), Categorical(((), (Continuous(),)), "$a$b$"))
    ),
}

groups = st.recursive(
    st.lists(st.builds(Continuous), max_size=8).map(tuple),
    lambda inner: st.lists(
        st.builds(Continuous) | st.builds(Categorical, st.lists(inner, min_size=2, max_size=3).map(tuple)), max_size=4
    ).map(tuple),
    max_leaves=12,
)


def texts(figure):
    return figure.axes[0].texts


def check(figure):
    """All lies within the picture, and no two texts or boxes overlap."""
    figure.draw_without_rendering()
    (axes,) = figure.axes
    boxes = [patch.get_window_extent() for patch in axes.patches]
    names = texts(figure)[: len(boxes)]
    for box, name in zip(boxes, names, strict=True):
        inner = name.get_window_extent()
        assert box.x0 <= inner.x0
        assert inner.x1 <= box.x1
        assert box.y0 <= inner.y0
        assert inner.y1 <= box.y1
    rest = [text.get_window_extent() for text in texts(figure)[len(boxes) :]]
    alone = boxes + rest
    for at, one in enumerate(alone):
        assert min(one.x0, one.y0) >= 0
        assert one.x1 <= figure.bbox.x1
        assert one.y1 <= figure.bbox.y1
        assert not any(one.overlaps(other) for other in alone[at + 1 :])


@pytest.mark.parametrize("name", KNOWN)
def test_nothing_overlaps(name):
    check(picture(KNOWN[name]))


@settings(max_examples=15)
@given(groups.filter(bool))
def test_nothing_overlaps_whatever_the_hierarchy(group):
    check(picture(Hierarchy(group)))


@pytest.mark.parametrize("name", KNOWN)
def test_all_variables_are_there(name):
    hierarchy = KNOWN[name]
    figure = picture(hierarchy)
    found = sorted(text.get_text() for text in texts(figure)[: len(figure.axes[0].patches)])
    assert found == sorted(hierarchy.names)


def test_options_have_labels_or_numbers():
    labels = [text.get_text() for text in texts(picture(spaceshapes.HIERARCHY))[8:]]
    assert sorted(labels) == ["moon", "no", "ship", "star", "yes", "∅"]
    numbers = [text.get_text() for text in texts(picture(Hierarchy((Categorical(((), (), (Continuous(),))),))))[2:]]
    assert sorted(numbers) == ["1", "2", "3", "∅", "∅"]


def test_continuous_boxes_are_square_and_categorical_round():
    kinds = [type(patch).__name__ for patch in picture(spaceshapes.HIERARCHY).axes[0].patches]
    assert sorted(kinds) == ["FancyBboxPatch"] * 2 + ["Rectangle"] * 6


@pytest.mark.parametrize("suffix", ["svg", "png", "pdf"])
def test_can_be_saved(tmp_path, suffix):
    path = tmp_path / f"tree.{suffix}"
    picture(spaceshapes.HIERARCHY).savefig(path)
    assert path.stat().st_size > 1000


def test_too_large():
    with pytest.raises(HierarchyError, match=r"inches to draw; print its tree\(\) instead"):
        picture(Hierarchy.flat(4000))


def test_needs_no_pyplot_and_matplotlib_only_when_it_draws():
    code = (
        "import sys\n"
        "from pytest_genbench.benchmarks.hierarchical.draw import picture\n"
        "from pytest_genbench.hierarchy import Hierarchy\n"
        "assert 'matplotlib' not in sys.modules\n"
        "picture(Hierarchy.flat(2))\n"
        "assert 'matplotlib.pyplot' not in sys.modules\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
