"""Builders and Hypothesis strategies for results documents, for the tests of results and gates."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from hypothesis import strategies as st

from pytest_genbench.results.schema import AggregateResult, Case, Document, GateResult
from pytest_genbench.scores import Anchor, Interval, Score

CLUSTERS = {"A": (10, 9.0), "AB": (10, 8.0), "BA": (10, 10.0)}


def score(value: float | None = None, **changes: Any) -> Score:
    """A census of 30 items in three clusters; the value follows from the clusters unless it is given."""
    clusters: Mapping[str, tuple[int, float]] = changes.pop("clusters", CLUSTERS)
    n = sum(count for count, _ in clusters.values()) or changes.pop("n", 30)
    if value is None:
        value = sum(total for _, total in clusters.values()) / n
    fields = {"metric": "target_probability", "judge": "published-1", "n": n, "population": n, **changes}
    return Score(value=value, clusters=clusters, **fields)


def case(*scores: Score, **changes: Any) -> Case:
    """A compositional case of comporth."""
    fields = {
        "benchmark": "comporth",
        "version": "1",
        "preset": "published",
        "family": "compositional",
        "split": "compositional-B5",
        "output": "reconstruction",
        "model": {"contract": {"range": [0, 1], "layout": "NCHW"}, "files": {"m.onnx": "abc"}},
        **changes,
    }
    return Case(scores=scores or (score(),), **fields)


NAMES = st.text("abcXYZ-_.é ", min_size=1, max_size=6)
NUMBERS = st.floats(-1e6, 1e6)
INTERVALS = st.builds(Interval, NUMBERS, NUMBERS, st.sampled_from(["Wilson", "cluster bootstrap"]))


@st.composite
def scores(draw: st.DrawFn, /, metric: str = "target_probability", **changes: Any) -> Score:
    """Scores of 1 to 6 clusters with means between 0 and 1."""
    names = draw(st.lists(st.sampled_from("ABCDEF"), min_size=1, unique=True))
    counts = draw(st.lists(st.integers(1, 200), min_size=len(names), max_size=len(names)))
    means = draw(st.lists(st.floats(0, 1), min_size=len(names), max_size=len(names)))
    clusters = {name: (n, n * mean) for name, n, mean in zip(names, counts, means, strict=True)}
    extra = draw(st.sampled_from([0, 1000]))
    n = sum(counts)
    fields = {"population": n + extra, "interval": draw(INTERVALS) if extra else None, "better": "higher", **changes}
    return score(clusters=clusters, metric=metric, **fields)


CASES = st.builds(
    lambda value, **fields: case(value, **fields),
    scores(),
    split=st.sampled_from(["s1", "s2", "s3", "s4"]),
    output=st.sampled_from(["reconstruction", "recognition"]),
    seed=st.integers(0, 2),
    held_out=NAMES,
    samples=st.one_of(st.just("all"), st.integers(1, 100)),
    errors=st.dictionaries(NAMES, st.integers(0, 9), max_size=2),
    kept=st.dictionaries(
        NAMES,
        st.fixed_dictionaries(
            {"items": st.lists(st.integers(0, 99)), "true": st.lists(NUMBERS), "answer": st.lists(NUMBERS)}
        ),
        max_size=1,
    ),
    seconds=st.dictionaries(NAMES, st.floats(0, 100), max_size=2),
    anchors=st.lists(st.builds(Anchor, NAMES, NAMES, NUMBERS), max_size=2).map(tuple),
    gates=st.lists(
        st.builds(GateResult, st.sampled_from(["passed", "failed"]), st.just("floor"), NAMES, NAMES), max_size=2
    ).map(tuple),
    model=st.dictionaries(NAMES, st.one_of(st.none(), st.booleans(), NUMBERS, NAMES, st.lists(NUMBERS)), max_size=3),
)


REASONS = st.sampled_from(
    [
        {},
        {"comporth/compositional/s1": "exposed", "comporth/compositional/s2 reconstruction": "no data"},
        {"comporth/compositional/s1": "crashed", "comporth/compositional/s2 recognition, embedding": "no output"},
    ]
)
"""Why tests were skipped or broke, of some of which there may be cases."""


def _document(cases: list[Case], **fields: Any) -> Document:
    ordered = {one.key: one for one in cases}
    return Document(cases=tuple(ordered[key] for key in sorted(ordered)), **fields)


DOCUMENTS = st.builds(
    _document,
    st.lists(CASES, max_size=5),
    expected=st.dictionaries(NAMES, st.lists(st.sampled_from("pqrs"), unique=True).map(tuple), max_size=2),
    skipped=REASONS,
    broken=REASONS,
    notes=st.sampled_from([(), ("one",), ("two", "one")]),
    environment=st.dictionaries(NAMES, NAMES, max_size=2),
    created=NAMES,
    commit=NAMES,
    aggregates=st.lists(
        st.builds(
            AggregateResult,
            *[NAMES] * 5,
            st.sampled_from(["mean", "worst"]),
            NAMES,
            st.one_of(st.none(), NUMBERS),
            st.sampled_from(["passed", "not evaluated"]),
            NAMES,
        ),
        max_size=2,
    ).map(tuple),
)
