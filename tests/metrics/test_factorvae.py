import numpy as np
import pytest

from pytest_genbench.errors import MetricError
from pytest_genbench.metrics.factorvae import factorvae_score

from .latents import KINDS, recorded, representations, spaceshapes
from .tester import Claims, checks

# The order of units decides where several vanish together; that of samples and factors, which are drawn.
SAME = {
    "constant unit": 0.0,
    "scaled units": 0.0,
    "mirrored units": 0.0,
    "every unit twice": 0.0,
    "one-level factor": 0.0,
}
COMMON = {"samples": (100, 200), "too_few": 15, "examples": 8}
SETTINGS = {"train_votes": 40, "eval_votes": 40, "batch": 8, "prune": None}
CLAIMS = [
    Claims(
        factorvae_score,
        SETTINGS,
        "factorvae_score[batch=8,prune=None]",
        perfect=1.0,
        same={**SAME, "levels renamed": 0.0},
        **COMMON,
    ),
    Claims(
        factorvae_score,
        SETTINGS,
        "factorvae_score[batch=8,prune=None]",
        kind="continuous",
        perfect=1.0,
        same={**SAME, "scaled factors": 0.0},
        **COMMON,
    ),
]


@pytest.mark.parametrize("check", [check for claims in CLAIMS for check in checks(claims)])
def test_claims(check):
    check()


@pytest.mark.parametrize("case", recorded("mig_sap_fvae")["cases"])
def test_recorded(case):
    """Recorded values are of 2000 and 1000 votes of other samples, and variances of 1000 of the 1200.

    The standard error of a share of 1000 votes is at most 0.016; three of them, as five cases are compared. Our own mean over
    three seeds adds little.
    """
    values = recorded("mig_sap_fvae")["cases"][case]["FactorVAE"]
    factors = spaceshapes(1200, 0)
    codes = representations(factors, 0)[case]
    runs = [
        factorvae_score(factors, codes, kinds=KINDS, seed=seed, train_votes=2000, eval_votes=1000) for seed in range(3)
    ]
    assert np.mean([run.value for run in runs]) == pytest.approx(values["eval_accuracy"], abs=0.045)
    assert np.mean([run.train for run in runs]) == pytest.approx(values["train_accuracy"], abs=0.035)
    assert {run.active for run in runs} == {int(values["num_active_dims"])}
    assert runs[0].matrix.sum() == 2000


GRID = np.tile(np.indices((3, 4)).reshape(2, -1).T, (40, 1))


def test_units_in_any_place():
    result = factorvae_score(GRID, np.column_stack([GRID[:, 1] * -3, np.ones(480), GRID[:, 0]]), train_votes=100)
    assert (result.value, result.train, result.active) == (1.0, 1.0, 2)
    assert result.matrix.tolist() == [[0, 0, 50], [50, 0, 0]]
    assert result.parts == {"0": 1.0, "1": 1.0}
    assert result.name == "factorvae_score"


def test_chance():
    draw = np.random.default_rng(0)
    factors, noise = draw.integers(0, 2, (2000, 4)), draw.normal(size=(2000, 6))
    assert factorvae_score(factors, noise).value == pytest.approx(1 / 4, abs=0.05)


def test_one_unit_answers_one_factor():
    result = factorvae_score(GRID, GRID[:, 0], train_votes=100, eval_votes=100)
    assert result.value == 0.5
    assert sorted(result.parts.values()) == [0.0, 1.0]


def test_pruning():
    small = GRID * [1.0, 0.01]
    votes = {"train_votes": 50, "eval_votes": 50}
    assert factorvae_score(GRID, small, **votes).active == 1
    everything = factorvae_score(GRID, small, prune=None, **votes)
    assert (everything.active, everything.value) == (2, 1.0)
    assert factorvae_score(GRID, GRID * 1e-3, **votes).value == 0.0
    assert factorvae_score(GRID, GRID * 1e300, **votes).active == 2


def test_nearest_samples_of_a_continuous_factor():
    """No two samples agree in U(0, 1); the nearest agree nearly."""
    factors = np.random.default_rng(0).uniform(size=(1000, 3))
    assert factorvae_score(factors, factors, kinds="continuous", train_votes=300, eval_votes=300).value == 1.0


def test_inactive_values_are_exact_matches():
    """Half of the samples have 0: those are taken, not the neighbours of 0."""
    draw = np.random.default_rng(0)
    on = np.tile([0, 1], 300)
    factors = np.column_stack([on, np.where(on, draw.uniform(1e-9, 2e-9, 600), 0)])
    result = factorvae_score(
        factors, factors[:, :1], kinds=["categorical", "continuous"], train_votes=100, eval_votes=100
    )
    assert result.active == 1


def test_seeds():
    draw = np.random.default_rng(0)
    noise = draw.normal(size=(480, 4))
    values = [factorvae_score(GRID, noise, seed=seed, train_votes=50, eval_votes=50).matrix for seed in (0, 0, 1)]
    assert (values[0] == values[1]).all()
    assert (values[0] != values[2]).any()


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"batch": 1}, "batch"),
        ({"batch": 300}, "600 or more"),
        ({"batch": 200}, "Level 0 of factor 0 has 160 samples"),
        ({"prune": -1.0}, "prune"),
        ({"prune": float("nan")}, "prune"),
        ({"train_votes": 1}, "votes"),
        ({"eval_votes": 0}, "votes"),
    ],
)
def test_settings_that_are_refused(settings, said):
    with pytest.raises(MetricError, match=said):
        factorvae_score(GRID, GRID, **settings)
