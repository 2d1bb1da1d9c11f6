"""Models of the in-domain benchmark side by side: answers that agree, and disentanglement against R²."""

import pytest

from pytest_genbench.results.indomain import alike, correlations, downstream

from .documents import case, score


def answers(values, true=(0.8, 0.9, 1.0, 0.9), **changes):
    kept = {"size": {"items": [1, 2], "true": list(true[:2]), "answer": list(values[:2])}}
    kept["turn"] = {"items": [3, 4], "true": list(true[2:]), "answer": list(values[2:])}
    fields = {"benchmark": "dsprites", "split": "extrapolation", "output": "modularity", "kept": kept, **changes}
    return case(score(metric="ood_r2_grid"), **fields)


def test_answers_are_pooled_over_factors():
    ((title, rows),) = alike(
        [
            ("a", [answers((0.5, 0.4, 0.3, 0.4))]),
            ("b", [answers((0.5, 0.3, 0.1, 0.3)), answers((0.5, 0.2, 0.1, 0.2), seed=1)]),
        ]
    )
    assert title == "dsprites (published), values beyond those seen, 4 images"
    assert rows[0] == ("correlation of answers", "a", "b", "truth")
    assert rows[1] == ("a", "", "+0.98", "-1.00") or rows[1][3] == "-1.00"
    assert rows[2][1] == rows[1][2]
    assert rows[2][2].startswith("+0.9")


@pytest.mark.parametrize("changes", [{"split": "interpolation"}, {"output": "regression"}, {"benchmark": "shapes3d"}])
def test_what_is_not_alike_is_not_compared(changes):
    assert not list(alike([("a", [answers((1, 2, 3, 4))]), ("b", [answers((1, 2, 3, 5), **changes)])]))


def test_a_model_may_be_called_truth():
    ((_, rows),) = alike([("truth", [answers((0.5, 0.4, 0.3, 0.4))]), ("b", [answers((0.5, 0.2, 0.1, 0.2))])])
    assert rows[0] == ("correlation of answers", "truth", "b", "truth")
    assert rows[1][1:] == ("", "+0.94", "-1.00")


def test_a_square_of_correlations():
    a, b, c = (0.5, 0.4, 0.3, 0.4), (0.5, 0.2, 0.1, 0.2), (0.1, 0.1, 0.1, 0.1)
    rho = 0.04 / (0.3 * 0.02**0.5)
    found = correlations([[a], [b, a], [c]], (0.8, 0.9, 1.0, 0.9))
    assert found[0] == (None, pytest.approx((rho + 1) / 2), None, pytest.approx(-1))
    assert found[1] == (pytest.approx((rho + 1) / 2), pytest.approx(rho), None, pytest.approx(-(rho + 1) / 2))
    assert found[2] == (None, None, None, None)
    assert found[3][3] is None
    assert [found[k][3] for k in range(3)] == list(found[3][:3])
    assert correlations([[a[:2]]], (0.8, 0.9)) == ((None, None), (None, None))


def pair(split, dci, r2, seed=0):
    fields = {"benchmark": "dsprites", "split": split, "seed": seed}
    yield case(score(dci, metric="dci_disentanglement"), output="disentanglement", **fields)
    yield case(score(r2, metric="r2_grid"), output="regression", **fields)


def test_disentanglement_against_what_is_read():
    one = [*pair("random", 0.2, 0.9), *pair("extrapolation", 0.1, 0.4)]
    two = [*pair("random", 0.4, 0.95), *pair("extrapolation", 0.2, 0.5, seed=1)]
    line = downstream([one, two])
    assert line.startswith("DCI disentanglement against R² of what is read from the code, 4 pairs: Pearson +0.77")
    assert "published: 0.63" in line


def test_too_few_pairs_and_none():
    assert "no correlation (x has 1 values" in downstream([list(pair("random", 0.2, 0.9))])
    assert downstream([[answers((1, 2, 3, 4))]]) == ""
