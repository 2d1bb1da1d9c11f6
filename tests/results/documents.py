"""Builders and Hypothesis strategies for results documents, for the tests of results and gates."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from hypothesis import strategies as st

from pytest_genbench.results.schema import AggregateResult, Case, Document, Failure, GateResult
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
    failures=st.lists(
        st.builds(Failure, st.integers(0, 99), NAMES, NAMES, st.sampled_from(["", "iVBORw0KGgo="])), max_size=2
    ).map(tuple),
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


MARKUP = "</title><script>alert(1)</script>\"'><img src=x onerror=alert(2)> {{ 7*7 }}"
TEXTS = st.sampled_from(["", "a", "b/c d", "long " * 40, "\n", "\x00", "é", MARKUP])
EXTREMES = st.sampled_from([0.0, -0.0, 0.25, 0.5, 1.0, -3.0, 5e-324, 1e-9, 123456.0, 1e300, -1e300])
ODD = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(-(10**20), 10**20), EXTREMES, TEXTS),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(TEXTS, inner, max_size=3)),
    max_leaves=5,
)
"""What JSON can hold."""

ODD_SCORES = st.builds(
    lambda n, more, **fields: Score(n=n, population=n + more, **fields),
    st.integers(1, 10**12),
    st.sampled_from([0, 1, 10**12]),
    metric=st.sampled_from(["accuracy", "excess_bce", "mir_all", MARKUP]),
    value=EXTREMES,
    condition=st.sampled_from(["held-out", "in-split", "all"]),
    judge=st.sampled_from(["", "published-1", MARKUP]),
    interval=st.one_of(st.none(), st.builds(Interval, EXTREMES, EXTREMES, TEXTS)),
    clusters=st.dictionaries(TEXTS, st.tuples(st.integers(1, 10**9), EXTREMES), max_size=3),
    better=st.sampled_from(["higher", "lower"]),
)

ODD_CASES = st.builds(
    Case,
    benchmark=st.sampled_from(["toy", "unknown", MARKUP]),
    version=st.sampled_from(["1", "2"]),
    preset=st.sampled_from(["default", "other", ""]),
    family=st.sampled_from(["brightness", "in_distribution", ""]),
    split=TEXTS,
    output=st.sampled_from(["reconstruction", "disentanglement", MARKUP]),
    group=TEXTS,
    held_out=TEXTS,
    factor=st.sampled_from(["", MARKUP]),
    seed=st.integers(-1, 3),
    samples=st.one_of(st.just("all"), st.integers(0, 10**9)),
    model=st.one_of(
        st.just({}),
        st.fixed_dictionaries(
            {
                "files": st.dictionaries(TEXTS, TEXTS, max_size=5),
                "exposure": TEXTS,
                "provider": TEXTS,
                "code_size": st.fixed_dictionaries(
                    {"kind": TEXTS, "numbers": st.one_of(st.none(), st.integers(0, 10**12)), "reason": TEXTS}
                ),
            }
        ),
    ),
    scores=st.lists(ODD_SCORES, max_size=3).map(tuple),
    anchors=st.lists(
        st.builds(Anchor, st.sampled_from(["chance", "people", MARKUP]), st.just("accuracy"), EXTREMES), max_size=3
    ).map(tuple),
    errors=st.dictionaries(TEXTS, st.integers(0, 10**9), max_size=3),
    failures=st.lists(
        st.builds(Failure, st.sampled_from([0, 299, -1, 10**12]), TEXTS, TEXTS, st.sampled_from(["", "AAAA", "!!"])),
        max_size=3,
    ).map(tuple),
    kept=st.dictionaries(TEXTS, ODD, max_size=2),
    gates=st.lists(
        st.builds(
            GateResult,
            st.sampled_from(["passed", "failed", "inconclusive"]),
            st.just("floor"),
            st.just("accuracy"),
            TEXTS,
            st.one_of(st.none(), EXTREMES),
        ),
        max_size=2,
    ).map(tuple),
    verdict=st.sampled_from(["passed", "failed", "inconclusive", "not comparable"]),
    reason=TEXTS,
    seconds=st.dictionaries(st.sampled_from(["render", "model", MARKUP]), EXTREMES, max_size=3),
)

ODD_DOCUMENTS = st.builds(
    _document,
    st.lists(ODD_CASES, max_size=5),
    expected=st.dictionaries(TEXTS, st.lists(TEXTS, max_size=3).map(tuple), max_size=2),
    skipped=st.dictionaries(TEXTS, TEXTS, max_size=3),
    broken=st.dictionaries(TEXTS, TEXTS, max_size=3),
    notes=st.lists(TEXTS, max_size=3).map(tuple),
    environment=st.dictionaries(TEXTS, TEXTS, max_size=2),
    model=st.one_of(st.just({}), st.fixed_dictionaries({"spec": TEXTS})),
    created=TEXTS,
    commit=TEXTS,
)
"""All that a file may hold, however strange: numbers at the ends of what there is, markup for names, cases without a score."""
