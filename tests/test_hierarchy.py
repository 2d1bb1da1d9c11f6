import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_genbench.errors import HierarchyError
from pytest_genbench.hierarchy import DEEPEST, Categorical, Column, Continuous, Hierarchy

from .strategies import hierarchies, samples_of

SPACESHAPES = Hierarchy(
    (
        Continuous("x"),
        Continuous("y"),
        Categorical(
            (
                (Continuous("phase"),),
                (Continuous("shine"),),
                (Continuous("angle"), Categorical(((), (Continuous("jet length"),)), "jet", ("none", "jet"))),
            ),
            "shape",
            ("moon", "star", "ship"),
        ),
    )
)

ROWS = np.array(
    [
        # shape, jet, x, y, phase, shine, angle, jet length
        [1, 0, 0.1, 0.2, 0.3, 0, 0, 0],
        [2, 0, 0.1, 0.2, 0, 0.3, 0, 0],
        [3, 1, 0.1, 0.2, 0, 0, 0.3, 0],
        [3, 2, 0.1, 0.2, 0, 0, 0.3, 0.4],
    ]
)

PLAIN = [
    {"type": "continuous", "name": "x"},
    {"type": "categorical", "labels": ["no", "yes"], "options": [[], [{"type": "continuous"}]], "name": "jet"},
]


def test_columns_are_categorical_then_continuous_each_depth_first():
    assert SPACESHAPES.names == ("shape", "jet", "x", "y", "phase", "shine", "angle", "jet length")
    assert (SPACESHAPES.categorical, SPACESHAPES.continuous) == (2, 6)
    assert SPACESHAPES.columns[0] == Column("shape", "categorical", 3, ())
    assert SPACESHAPES.columns[1] == Column("jet", "categorical", 2, ((0, 3),))
    assert SPACESHAPES.columns[7] == Column("jet length", "continuous", 0, ((0, 3), (1, 2)))


def test_a_variable_after_a_categorical_one_stays_in_its_group():
    hierarchy = Hierarchy((Categorical(((Continuous(),), ())), Continuous(), Categorical(((), (Continuous(),)))))
    assert hierarchy.names == ("k1", "k2", "z1", "z2", "z3")
    assert [column.conditions for column in hierarchy.columns] == [(), (), ((0, 1),), (), ((1, 2),)]
    assert hierarchy.notation == "{c | 0} c {0 | c}"


def test_active():
    expected = [
        [1, 0, 1, 1, 1, 0, 0, 0],
        [1, 0, 1, 1, 0, 1, 0, 0],
        [1, 1, 1, 1, 0, 0, 1, 0],
        [1, 1, 1, 1, 0, 0, 1, 1],
    ]
    assert SPACESHAPES.active(ROWS).astype(int).tolist() == expected
    assert SPACESHAPES.active(ROWS[:, :2]).astype(int).tolist() == expected


def test_an_active_variable_may_be_0():
    rows = ROWS * ([1] * 2 + [0] * 6)
    assert (SPACESHAPES.active(rows) == SPACESHAPES.active(ROWS)).all()


def test_paths():
    assert SPACESHAPES.paths == ((1, 0), (2, 0), (3, 1), (3, 2))
    assert SPACESHAPES.path(ROWS).tolist() == [0, 1, 2, 3]
    assert SPACESHAPES.path(ROWS[::-1, :2]).tolist() == [3, 2, 1, 0]


def test_paths_of_a_flat_hierarchy():
    flat = Hierarchy.flat(["a", "b"])
    assert flat.paths == ((),)
    assert flat.path(np.ones((3, 2))).tolist() == [0, 0, 0]
    assert (flat.names, Hierarchy.flat(2).names) == (("a", "b"), ("z1", "z2"))


def test_notation_and_tree():
    assert SPACESHAPES.notation == "c c {c | c | c {0 | c}}"
    assert SPACESHAPES.tree() == (
        "├─ x\n"
        "├─ y\n"
        "└─ shape\n"
        "   ├─ = 1 moon\n"
        "   │  └─ phase\n"
        "   ├─ = 2 star\n"
        "   │  └─ shine\n"
        "   └─ = 3 ship\n"
        "      ├─ angle\n"
        "      └─ jet\n"
        "         ├─ = 1 none\n"
        "         └─ = 2 jet\n"
        "            └─ jet length"
    )
    assert Hierarchy((Categorical(((Continuous(),), ())), Continuous())).tree() == (
        "├─ k1\n│  ├─ = 1\n│  │  └─ z1\n│  └─ = 2\n└─ z2"
    )


def test_json():
    hierarchy = Hierarchy.from_json(PLAIN)
    assert hierarchy == Hierarchy.from_json(json.dumps(PLAIN))
    assert hierarchy.root == (Continuous("x"), Categorical(((), (Continuous(),)), "jet", ("no", "yes")))
    assert hierarchy.plain() == PLAIN
    assert "\n" not in hierarchy.to_json()


@given(hierarchies())
def test_json_round_trip(hierarchy):
    assert Hierarchy.from_json(hierarchy.to_json()) == hierarchy
    assert Hierarchy.from_json(hierarchy.plain()) == hierarchy


@given(hierarchies(), st.integers(0, 2**16))
def test_active_and_path_of_drawn_samples(hierarchy, seed):
    rows = samples_of(hierarchy, 30, np.random.default_rng(seed))
    active = hierarchy.active(rows)
    assert (active == (rows != 0)).all()
    chosen = rows[:, : hierarchy.categorical]
    assert (np.array(hierarchy.paths).reshape(len(hierarchy.paths), -1)[hierarchy.path(rows)] == chosen).all()


@given(hierarchies())
def test_the_tree_names_all_variables_in_depth_first_order(hierarchy):
    lines = [line.split("─ ", 1)[1] for line in hierarchy.tree().split("\n") if "─ = " not in line]
    if not any(set(name) & set("\n─") for name in hierarchy.names):
        assert sorted(lines) == sorted(hierarchy.names)


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("[", "written in JSON; this is not"),
        ("[" * 10_000, "written in JSON|has to be a list|has to be an object|too deep"),
        ('{"type": "continuous"}', "root has to be a list of variables; got dict"),
        ("3", "root has to be a list of variables; got int"),
        ([], "at least one variable"),
        (["continuous"], r"root\[0\] has to be an object such as"),
        ([{}], r"root\[0\]: type has to be continuous or categorical; got None"),
        ([{"type": "cyclic"}], "got 'cyclic'"),
        ([{"type": ["continuous"]}], r"got \['continuous'\]"),
        ([{"type": "continuous", "options": []}], "a continuous variable has no options"),
        ([{"type": "continuous", "kind": 1, 2: 3}], "a continuous variable has no 2, kind"),
        ([{"type": "continuous", "name": 3}], "name has to be a text"),
        ([{"type": "categorical"}], "options have to be a list with a group for each option"),
        ([{"type": "categorical", "options": "ab"}], "options have to be a list"),
        ([{"type": "categorical", "options": {"a": []}}], "options have to be a list"),
        ([{"type": "categorical", "options": []}], "has 0 option"),
        ([{"type": "categorical", "options": [[]], "name": "k"}], r"'k' has 1 option\(s\); it needs at least two"),
        ([{"type": "categorical", "options": [[], 3]}], r"root\[0\].options\[1\] has to be a list"),
        ([{"type": "categorical", "options": [[], []], "labels": ["a"]}], "2 options but 1 labels"),
        ([{"type": "categorical", "options": [[], []], "labels": "ab"}], "labels a list of texts"),
        ([{"type": "categorical", "options": [[], []], "labels": [1, 2]}], "labels a list of texts"),
        ([{"type": "categorical", "options": [[], []], "labels": 3}], "labels a list of texts"),
        ([{"type": "categorical", "options": [[], []], "labels": {"a": 1, "b": 2}}], "labels a list of texts"),
        ([{"type": "continuous", "name": "a"}, {"type": "continuous", "name": "a"}], "a appears more than once"),
        ([{"type": "continuous", "name": "z2"}, {"type": "continuous"}], "z2 appears more than once"),
    ],
)
def test_what_is_no_hierarchy(source, message):
    with pytest.raises(HierarchyError, match=message):
        Hierarchy.from_json(source)


def test_what_contains_itself():
    group = [{"type": "categorical", "options": [[]]}]
    group[0]["options"].append(group)
    with pytest.raises(HierarchyError, match="contain itself"):
        Hierarchy.from_json(group)


def test_deep_but_finite():
    group = []
    for _ in range(DEEPEST):
        group = [{"type": "categorical", "options": [[], group]}]
    hierarchy = Hierarchy.from_json(group)
    assert (hierarchy.categorical, len(hierarchy.paths)) == (DEEPEST, DEEPEST + 1)
    with pytest.raises(HierarchyError, match=f"more than {DEEPEST} groups deep"):
        Hierarchy.from_json([{"type": "categorical", "options": [[], group]}])


def test_a_flat_hierarchy_of_nothing():
    with pytest.raises(HierarchyError, match="at least one variable"):
        Hierarchy.flat(0)


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        (ROWS[:, :3], r"has 8 columns \(2 categorical, 6 continuous\); got an array of shape \(4, 3\)"),
        (ROWS[0], r"shape \(8,\)"),
        (np.add(ROWS, [1, 0, 0, 0, 0, 0, 0, 0]), "'shape' has to be a whole number from 1 to 3 in row 2; got 4.0"),
        (np.subtract(ROWS, [1, 0, 0, 0, 0, 0, 0, 0]), "'shape' has to be a whole number from 1 to 3 in row 0; got 0.0"),
        (np.add(ROWS, [0.5, 0, 0, 0, 0, 0, 0, 0]), "got 1.5"),
        (ROWS * [np.nan, 1, 1, 1, 1, 1, 1, 1], "got nan"),
        (
            np.add(ROWS, [0, 1, 0, 0, 0, 0, 0, 0]),
            r"'jet' has to be 0, since it is inactive in row 0; got 1.0 \(3 of 4 rows",
        ),
    ],
)
def test_values_that_do_not_fit(rows, message):
    for method in (SPACESHAPES.active, SPACESHAPES.path):
        with pytest.raises(HierarchyError, match=message):
            method(rows)


@pytest.mark.parametrize("name", ["two\nlines", "bell\a", "\x1b[31mred"])
def test_names_can_be_printed(name):
    for make in (
        lambda: Continuous(name),
        lambda: Categorical(((), ()), name),
        lambda: Categorical(((), ()), "a", ("b", name)),
    ):
        with pytest.raises(HierarchyError, match="cannot be"):
            make()
    with pytest.raises(HierarchyError, match="cannot be"):
        Hierarchy.from_json(json.dumps([{"type": "continuous", "name": name}]))
