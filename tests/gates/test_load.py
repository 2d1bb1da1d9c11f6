"""Gates files: the shipped one, a team's own before it, and one clear line for whatever is wrong."""

import sys
from importlib.machinery import ModuleSpec
from pathlib import Path

import pytest

from pytest_genbench.benchmarks import get, names
from pytest_genbench.errors import GateError
from pytest_genbench.gates import AggregateGate, Gate, Gates, load, shipped_path, validate
from pytest_genbench.gates.load import Known
from pytest_genbench.session.items import _names_in

module = sys.modules["pytest_genbench.gates.load"]  # The package's attribute of that name is the function.

NEAREST, MEAN = "nearest seen value", "right where seen, else mean"
KNOWN: dict[str, Known] = {
    "comporth": {
        "families": ("spatial", "length", "compositional"),
        "outputs": ("reconstruction", "recognition"),
        "metrics": {"target_probability": "higher", "word_accuracy": "higher", "mse": "lower"},
    },
    "sprites": {"families": ["interpolation"], "outputs": ["factors"], "metrics": ["r2_grid"]},
}


def write(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "gates.toml"
    path.write_text(text)
    return path


def test_shipped_gates() -> None:
    gates = load()
    validate(gates, {name: _names_in(get(name)) for name in names()})
    expected = [
        ("comporth", "*", "reconstruction", "target_probability", 0.9, 0.005),
        ("comporth", "*", "recognition", "word_accuracy", 0.9, 0.005),
        ("comporth", "*", "disentanglement", "mir_letters", 0.375, 0.02),
        ("chopsticks", "*", "*", "r_c_fast", 0.9, 0.02),
        ("spaceshapes", "*", "*", "r_c_fast", 0.9, 0.02),
        ("dsprites", "extrapolation", "*", "r2_grid", NEAREST, 0.005),
        ("dsprites", "*polation", "*", "ood_r2_grid", NEAREST, 0.02),
        ("dsprites", "*", "*", "r2_grid", 0.8, 0.005),
        ("dsprites", "*", "*", "dci_disentanglement", "none", 0.005),
        ("shapes3d", "*polation", "*", "r2_grid", NEAREST, 0.005),
        ("shapes3d", "*polation", "*", "ood_r2_grid", NEAREST, 0.02),
        ("shapes3d", "*", "*", "r2_grid", 0.9, 0.005),
        ("shapes3d", "*", "*", "dci_disentanglement", "none", 0.005),
        ("mpi3d", "interpolation", "*", "r2_grid", MEAN, 0.005),
        ("mpi3d", "interpolation", "*", "ood_r2_grid", MEAN, 0.02),
        ("mpi3d", "extrapolation", "*", "r2_grid", NEAREST, 0.005),
        ("mpi3d", "extrapolation", "*", "ood_r2_grid", NEAREST, 0.02),
        ("mpi3d", "*", "*", "r2_grid", 0.9, 0.005),
        ("mpi3d", "*", "*", "dci_disentanglement", "none", 0.005),
        ("celebglow", "*polation", "*", "r2_grid", NEAREST, 0.005),
        ("celebglow", "*polation", "*", "ood_r2_grid", NEAREST, 0.02),
        ("celebglow", "*", "*", "r2_grid", 0.9, 0.005),
        ("celebglow", "*", "*", "dci_disentanglement", "none", 0.005),
        ("cvr", "*efficiency", "*", "*", "none", 0.005),
        ("cvr", "*", "order", "order_agreement", 0.9, 0.005),
        ("cvr", "*", "reverse", "*", "none", 0.005),
        ("cvr", "*", "*", "accuracy", 0.8, 0.02),
    ]
    assert [
        (gate.benchmark, gate.family, gate.output, gate.metric, gate.anchor or gate.min or gate.against, gate.tolerance)
        for gate in gates.gates
    ] == expected
    assert {gate.against for gate in gates.gates} == {"both", "none"}
    assert all(len(entry.reason) > 40 for entry in (*gates.gates, *gates.aggregates))
    read = [gate for gate in gates.aggregates if gate.output in ("reconstruction", "recognition")]
    assert {(gate.output, gate.statistic, gate.family, gate.group) for gate in read} == {
        (output, statistic, family, group)
        for output in ("reconstruction", "recognition")
        for statistic, family, group in (("mean", "*", ""), ("worst", "*", ""), ("mean", "length", "*"))
    }
    assert shipped_path().name == "gates.toml"


def test_shipped_gates_of_an_installation(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    spec = ModuleSpec("pytest_genbench.suites", None, is_package=True)
    spec.submodule_search_locations = [str(tmp_path)]
    monkeypatch.setattr(module, "find_spec", lambda name: spec if name == spec.name else None)
    assert shipped_path().parent != tmp_path  # Not there, so the checkout's.
    write(tmp_path, '[[gate]]\nmin = 0.9\nreason = " "\n')
    assert shipped_path() == tmp_path / "gates.toml"
    with pytest.raises(GateError, match="line 1: a shipped gate needs a reason"):
        load()


def test_damaged_installation(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "find_spec", lambda name: None)
    monkeypatch.setattr(module, "__file__", str(tmp_path / "a" / "b" / "load.py"))
    with pytest.raises(GateError, match="install pytest-genbench again"):
        load()


def test_own_entries_come_first(tmp_path: Path) -> None:
    path = write(
        tmp_path,
        '[[gate]]\nfamily = "spatial"\nmin = 0.5\n\n[[gate]]\nmetric = "mse"\nmax = 1\nagainst = "floor"\n'
        'inconclusive = "green"\n[[aggregate]]\nstatistic = "worst"\nmin = 0.1\n',
    )
    gates, shipped = load(path), load()
    assert gates.gates[:2] == (
        Gate(family="spatial", min=0.5),
        Gate(metric="mse", max=1.0, against="floor", inconclusive="green"),
    )
    assert gates.gates[2:] == shipped.gates
    assert gates.aggregates == (AggregateGate(statistic="worst", min=0.1), *shipped.aggregates)
    assert gates.gates[1].where == f"{path}, line 5"
    assert gates.source == f"{path}, then gates.toml (shipped)"


def test_defaults_can_be_dropped(tmp_path: Path) -> None:
    assert load(write(tmp_path, "defaults = false\n")) == Gates(source=str(tmp_path / "gates.toml"))


def test_inline_tables_are_counted(tmp_path: Path) -> None:
    gates = load(write(tmp_path, 'gate = [{min = 0.5}, {against = "none"}]\n'))
    assert gates.gates[1].where.endswith("gates.toml, gate 2")


BAD = {
    "not TOML": ("[[gate]]\nmin = \n", r"not TOML: .*line 2"),
    "unknown top": ("[[gates]]\nmin = 1\n", "unknown key 'gates'. Did you mean 'gate'"),
    "unknown key": ('\n[[gate]]\nmetrc = "top1"\n', "line 2: unknown key 'metrc'. Did you mean 'metric'"),
    "internal key": ('[[gate]]\nwhere = "x"\n', "unknown key 'where'"),
    "unknown aggregate key": ("[[aggregate]]\ntolerance = 0.1\n", "line 1: unknown key 'tolerance'"),
    "text for number": ('[[gate]]\nmin = "0.9"\n', "min = '0.9'; it has to be a number"),
    "true for number": ("[[gate]]\nmin = true\n", "min = True; it has to be a number"),
    "number for text": ("[[gate]]\nfamily = 3\nmin = 0.9\n", "family = 3; it has to be text in quotes"),
    "a table": ("[gate]\nmin = 0.9\n", r"'gate' has to be a list of tables; write \[\[gate\]\]"),
    "defaults": ('defaults = "no"\n', "defaults = 'no'; it is true or false"),
    "both bounds": ("[[gate]]\nmin = 0.1\nmax = 0.9\n", "both min and max"),
    "no bound": ('[[gate]]\nmetric = "top1"\n', "against = 'both' needs min"),
    "no bound of aggregate": ('[[aggregate]]\nmetric = "top1"\n', "needs min"),
    "per cent": ('[[gate]]\nmetric = "word_accuracy"\nmin = 90\n', r"min = 90.0 is out of range; .* between 0 and 1"),
    "nan": ("[[gate]]\nmin = nan\n", "min = nan is not a finite number"),
    "infinite": ("[[gate]]\nmax = inf\n", "max = inf is not a finite number"),
    "negative tolerance": ("[[gate]]\nmin = 0.9\ntolerance = -0.1\n", "tolerance = -0.1 is out of range"),
    "against": ('[[gate]]\nmin = 0.9\nagainst = "base"\n', "against = 'base'; it is 'floor', 'baseline'"),
    "aggregate against": ('[[aggregate]]\nmin = 0.9\nagainst = "both"\n', "an aggregate has 'floor' or 'none'"),
    "inconclusive": ('[[gate]]\nmin = 0.9\ninconclusive = "amber"\n', "inconclusive = 'amber'; it is 'red' or 'green'"),
    "statistic": ('[[aggregate]]\nmin = 0.9\nstatistic = "median"\n', "statistic = 'median'; it is 'mean' or 'worst'"),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_file(name: str, tmp_path: Path) -> None:
    text, message = BAD[name]
    path = write(tmp_path, text)
    with pytest.raises(GateError, match=message) as caught:
        load(path)
    assert str(caught.value).startswith(str(path))
    assert "\n" not in str(caught.value)


def test_unreadable_files(tmp_path: Path) -> None:
    with pytest.raises(GateError, match="no such gates file"):
        load(tmp_path / "none.toml")
    with pytest.raises(GateError, match="cannot be read"):
        load(tmp_path)
    (tmp_path / "binary").write_bytes(b"\x80\xff")
    with pytest.raises(GateError, match="not TOML"):
        load(tmp_path / "binary")


@pytest.mark.parametrize(
    ("entry", "message"),
    [
        (Gate(benchmark="comporht", min=0.9), "benchmark = 'comporht' fits nothing. Did you mean 'comporth'"),
        (Gate(family="spacial", min=0.9), "family = 'spacial' fits nothing. Did you mean 'spatial'"),
        (Gate(benchmark="sprites", family="spatial", min=0.9), "family = 'spatial' fits nothing. Known: interpolation"),
        (Gate(output="recog", min=0.9), "output = 'recog' fits nothing. Did you mean 'recognition'"),
        (Gate(metric="word_acuracy", min=0.9), "metric = 'word_acuracy' fits nothing. Did you mean 'word_accuracy'"),
        (Gate(metric="zz*", min=0.9), r"metric = 'zz\*' fits nothing. Known: mse"),
        (Gate(metric="mse", min=0.9), "min = 0.9 for mse, which is better when lower; use max"),
        (Gate(metric="word_*", max=0.9), "max = 0.9 for word_accuracy, which is better when higher; use min"),
        (AggregateGate(metric="msee", max=0.9), "metric = 'msee' fits nothing. Did you mean 'mse'"),
    ],
)
def test_validate(entry: Gate | AggregateGate, message: str) -> None:
    gates = Gates(aggregates=(entry,)) if isinstance(entry, AggregateGate) else Gates(gates=(entry,))
    with pytest.raises(GateError, match=message):
        validate(gates, KNOWN)


def test_validate_accepts_patterns() -> None:
    validate(Gates(gates=(Gate(family="sp*", metric="*", min=0.9), Gate(metric="[mw]*", max=1.0))), KNOWN)
