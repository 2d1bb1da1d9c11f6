"""The relational models: their widths, what they make of an order, what they are told of a rule."""

from __future__ import annotations

from itertools import pairwise, permutations

import numpy as np
import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("torchvision")

from pytest_genbench.errors import LearnerError  # noqa: E402
from pytest_genbench.reference_models import training  # noqa: E402
from pytest_genbench.reference_models.reasoning import RULES, with_rule  # noqa: E402
from pytest_genbench.reference_models.relational import (  # noqa: E402
    FeedForward,
    Scl,
    SclLearner,
    SclResNet18Learner,
    Sets,
    WReN,
    WReNLearner,
)

LEARNERS = [SclLearner, WReNLearner, SclResNet18Learner]
ALL = pytest.mark.parametrize("learner", LEARNERS, ids=lambda learner: learner.name)


@pytest.fixture(autouse=True)
def _one_thread():
    with training.seeded(0, "cpu"):
        yield


def parameters(network):
    return sum(p.numel() for p in network.parameters())


def linear(*widths):
    return sum(a * b + b for a, b in pairwise(widths))


def conv(*channels, norms):
    return sum(9 * a * b + b for a, b in pairwise(channels)) + 2 * sum(channels[1 : norms + 1])


def feed_forward(width, told=0):
    return linear(width + told, 4 * width) + 8 * width + linear(4 * width, width)


RELATION = linear(5, 64, 23, 5)
RESNET18 = 11_689_512 - linear(512, 1000)  # torchvision's count, without its last layer


@pytest.mark.parametrize(
    ("learner", "joint", "expected"),
    [
        (
            SclLearner,
            False,
            conv(3, 16, 16, 32, 32, 32, norms=4)
            + linear(512, 80)
            + 2 * feed_forward(80)
            + linear(8, 128, 8)
            + RELATION
            + linear(400, 1),
        ),
        (SclLearner, True, 176_200 + RULES * 64 + 64 * 320),
        (
            WReNLearner,
            False,
            conv(3, 32, 32, 32, 32, norms=4)
            + linear(1568, 256)
            + linear(512, 512, 512, 512, 256)
            + linear(256, 256, 256, 1),
        ),
        (WReNLearner, True, 1_481_697 + RULES * 64 + 64 * 256),
        (
            SclResNet18Learner,
            False,
            RESNET18 + linear(512, 128) + 2 * feed_forward(128) + linear(1, 256, 1) + RELATION + linear(640, 1),
        ),
        (SclResNet18Learner, True, 11_511_057 + RULES * 64 + 64 * 128 + 64 * 512),
    ],
)
def test_number_of_parameters_at_the_published_size(learner, joint, expected):
    with torch.device("meta"):
        assert parameters(learner().network(128, joint)) == expected


@ALL
@pytest.mark.parametrize(("side", "n"), [(32, 3), (50, 1), (64, 2)])
def test_shapes(learner, side, n):
    network = learner().network(side, False).eval()
    with torch.no_grad():
        assert network(torch.rand(n, 4, 3, side, side)).shape == (n, 4)


@pytest.mark.parametrize(
    ("side", "scl", "wren"), [(32, 32, 32), (64, 128, 288), (128, 512, 1568), (200, 1568, 3872), (512, 8192, 30752)]
)
def test_the_first_linear_layer_follows_from_the_side(side, scl, wren):
    with torch.device("meta"):
        assert Scl(side, False).look[-2].in_features == scl
        assert WReN(side, False).reduce.in_features == wren
        image = torch.zeros(1, 4, 3, side, side)
        assert Scl(side, False)(image).shape == WReN(side, False)(image).shape == (1, 4)


@ALL
def test_images_that_are_too_small(learner):
    with pytest.raises(LearnerError, match=rf"{learner.name} takes images of 32 x 32 pixels or more; got 31 x 31"):
        learner().network(31, False)


@pytest.mark.parametrize("joint", [False, True])
@ALL
def test_scores_move_with_their_images(learner, joint):
    network = learner().network(32, joint).eval()
    images = torch.rand(2, 4, 3, 1, 1) * torch.rand(2, 4, 3, 32, 32)
    rule = (torch.tensor([7, 102]),) if joint else ()
    with torch.no_grad():
        before = network(images, *rule)
        assert torch.equal(network(images, *rule), before), "the same every time"
        assert before.std(1).min() > 1e-5, "the images are told apart"
        for order in ([1, 2, 3, 0], [3, 1, 0, 2], [0, 1, 3, 2]):
            torch.testing.assert_close(network(images[:, order], *rule), before[:, order], rtol=1e-5, atol=1e-6)


@ALL
def test_a_rule_is_told_by_its_number(learner):
    network = learner().network(32, True).eval()
    images = torch.rand(1, 4, 3, 32, 32).expand(3, -1, -1, -1, -1)
    with torch.no_grad():
        before = network(images, torch.tensor([3, 50, 102]))
        network.rules.weight[50] += 1
        after = network(images, torch.tensor([3, 50, 102]))
    torch.testing.assert_close(before[[0, 2]], after[[0, 2]])
    assert not torch.allclose(before[1], after[1])
    assert not torch.allclose(before[0], before[2])


def test_who_is_told_and_who_is_not():
    images = torch.rand(1, 4, 3, 32, 32)
    with pytest.raises(ValueError, match="joint network needs the numbers of the rules"):
        Scl(32, True)(images)
    with pytest.raises(ValueError, match="no other network takes them"):
        Scl(32, False)(images, torch.tensor([1]))


def test_all_four_images_are_told_the_same():
    features, told = torch.rand(2, 4, 5), torch.rand(2, 64)
    found = with_rule(features, told)
    assert found.shape == (2, 4, 69)
    for image in range(4):
        assert torch.equal(found[:, image, 5:], told)
    assert with_rule(features, None) is features


def test_the_residual_layer():
    layer = FeedForward(6, 64)
    features, told = torch.rand(2, 4, 6), torch.rand(2, 64)
    given = torch.cat([features, told[:, None].repeat(1, 4, 1)], 2)
    linear, norm, _ = layer.inner
    expected = features + layer.outer(torch.relu(norm(linear(given))))
    torch.testing.assert_close(layer(features, told), expected)


def test_scores_of_sets_are_means_over_all_orders():
    """Written out: for each order, candidate and number, five numbers go through the relation."""
    sets = Sets(3).eval()
    features = torch.rand(2, 4, 3)
    orders = list(permutations(range(4)))
    expected = torch.zeros(2, 4)
    with torch.no_grad():
        for problem in range(2):
            for candidate in range(4):
                for order in orders:
                    parts = [
                        sets.relation(
                            torch.stack([*(features[problem, i, d] for i in order), features[problem, candidate, d]])
                        )
                        for d in range(3)
                    ]
                    expected[problem, candidate] += sets.score(torch.cat(parts)).item() / len(orders)
        torch.testing.assert_close(sets(features), expected)


def test_in_training_the_four_candidates_share_one_order(monkeypatch):
    sets = Sets(3).train()
    features, seen = torch.rand(50, 4, 3), []
    monkeypatch.setattr(sets, "ordered", lambda context, candidates: seen.append((context, candidates)))
    sets(features)
    ((context, candidates),) = seen
    context = context.squeeze(1)
    assert torch.equal(candidates, features)
    orders = set()
    for given, shown in zip(features, context, strict=True):
        order = tuple(int((given == image).all(1).nonzero()) for image in shown)
        assert sorted(order) == [0, 1, 2, 3]
        orders.add(order)
    assert len(orders) > 12, "each problem its own"


def test_the_relation_network_sums_24_pairs():
    network = WReN(32, False).eval()
    images = torch.rand(1, 4, 3, 32, 32)
    with torch.no_grad():
        looked = network.reduce(network.look((images[0] - 0.9) / 0.1))  # (4, 256)

        def pair(i, j):
            return network.pair(torch.cat([looked[i], looked[j]]))

        expected = []
        for candidate in range(4):
            total = sum(pair(i, j) for i in range(4) for j in range(4))
            total = total + sum(pair(i, candidate) + pair(candidate, i) for i in range(4))
            expected.append(network.score(total).item())
        np.testing.assert_allclose(network(images)[0], expected, rtol=1e-4, atol=1e-5)


def test_no_activation_between_the_convolutions_of_scl():
    kinds = [type(layer).__name__ for layer in Scl(64, False).look]
    assert kinds == ["Conv2d", "BatchNorm2d"] * 4 + ["Conv2d", "Flatten", "Linear", "ReLU"]


def test_the_relation_network_drops_out_in_training_alone_and_its_pairs_are_not_negative():
    network, images = WReN(32, False), torch.rand(2, 4, 3, 32, 32)
    pairs = []
    network.pair.register_forward_hook(lambda module, given, found: pairs.append(found))
    network.eval()
    assert torch.equal(network.scores(images, None), network.scores(images, None))
    assert pairs[0].min() == 0
    network.score.train()
    assert not torch.equal(network.scores(images, None), network.scores(images, None))
