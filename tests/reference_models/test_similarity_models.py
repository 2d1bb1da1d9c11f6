"""The encoders and their head: sizes, what is fixed, how they begin, how codes are scored."""

from __future__ import annotations

import math

import numpy as np
import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("torchvision")
pytest.importorskip("timm")

from pytest_genbench.errors import LearnerError  # noqa: E402
from pytest_genbench.reference_models import training  # noqa: E402
from pytest_genbench.reference_models.similarity_models import (  # noqa: E402
    ResNet50Learner,
    ResNetSmallLearner,
    VitSmallLearner,
    positions,
    resnet50,
    resnet_small,
    unlike,
    vit_small,
)

LEARNERS = [ResNetSmallLearner, ResNet50Learner, VitSmallLearner]
ALL = pytest.mark.parametrize("learner", LEARNERS, ids=lambda learner: learner.name)


@pytest.fixture(autouse=True)
def _one_thread():
    with training.seeded(0, "cpu"):
        yield


def parameters(network):
    return sum(p.numel() for p in network.parameters())


def head(width):
    return width * 2048 + 2048 + 2048 * 128 + 128


@pytest.mark.parametrize(
    ("learner", "encoder", "width"),
    [(ResNet50Learner, 23_508_032, 2048), (VitSmallLearner, 21_614_976, 384), (ResNetSmallLearner, 156_368, 64)],
    ids=lambda value: getattr(value, "name", ""),
)
def test_number_of_parameters_at_the_published_size(learner, encoder, width):
    with torch.device("meta"):
        single = learner().network(128, False)
        assert parameters(single.encoder) == encoder
        assert parameters(single) == encoder + head(width)
        assert parameters(learner().network(128, True)) == encoder + head(width + 64) + 103 * 64


@ALL
def test_scores_move_with_their_images(learner):
    network = learner().network(32, True).eval()
    images, rule = torch.rand(1, 4, 3, 1, 1) * torch.rand(1, 4, 3, 32, 32), torch.tensor([102])
    order = [2, 0, 3, 1]
    with torch.no_grad():
        before, after = network(images, rule), network(images[:, order], rule)
    assert before.shape == (1, 4)
    assert before.std() > 1e-5, "the images are told apart"
    torch.testing.assert_close(after, before[:, order], rtol=1e-5, atol=2e-6)


def test_a_rule_is_told_by_its_number():
    network = ResNetSmallLearner().network(32, True).eval()
    images = torch.rand(1, 4, 3, 32, 32).expand(2, -1, -1, -1, -1)
    with torch.no_grad():
        before = network(images, torch.tensor([3, 50]))
        network.rules.weight[50] += 1
        after = network(images, torch.tensor([3, 50]))
    torch.testing.assert_close(before[0], after[0])
    assert not torch.allclose(before[1], after[1])
    assert ResNetSmallLearner().network(32, False).rules is None


def test_the_head_scores_by_cosines():
    codes = np.random.default_rng(0).normal(size=(5, 4, 7)).astype(np.float32)
    unit = codes / np.linalg.norm(codes, axis=2, keepdims=True)
    expected = -(unit @ unit.transpose(0, 2, 1)).sum(2)
    np.testing.assert_allclose(unlike(torch.from_numpy(codes)), expected, rtol=1e-5, atol=1e-6)
    codes[:, 1:] = codes[:, :1]
    codes[:, 2] *= -3
    assert (unlike(torch.from_numpy(codes)).argmax(1) == 2).all(), "the one unlike the others"


def test_images_are_normalised_once():
    network = ResNetSmallLearner().network(32, False).eval()
    seen = []
    network.encoder.register_forward_pre_hook(lambda module, given: seen.append(given[0]))
    with torch.no_grad():
        network(torch.full((1, 4, 3, 32, 32), 1.0))
    assert seen[0].shape == (4, 3, 32, 32)
    torch.testing.assert_close(seen[0], torch.ones(4, 3, 32, 32))


# The transformer


@pytest.fixture(scope="module")
def vit():
    return vit_small(64)


def test_what_the_transformer_never_learns(vit):
    fixed = {name for name, weight in vit.named_parameters() if not weight.requires_grad}
    assert fixed == {"patch_embed.proj.weight", "patch_embed.proj.bias", "pos_embed"}
    assert vit.pos_embed.shape == (1, 17, 384)
    assert len(vit.blocks) == 12
    assert {block.attn.num_heads for block in vit.blocks} == {12}
    assert {m.eps for m in vit.modules() if isinstance(m, torch.nn.LayerNorm)} == {1e-6}


def test_how_the_transformer_begins(vit):
    block = vit.blocks[5]
    for weight, bound in {
        block.attn.qkv.weight: math.sqrt(6 / 768),
        block.attn.proj.weight: math.sqrt(6 / 768),
        block.mlp.fc1.weight: math.sqrt(6 / (5 * 384)),
        block.mlp.fc2.weight: math.sqrt(6 / (5 * 384)),
        vit.patch_embed.proj.weight: math.sqrt(6 / (768 + 384)),
    }.items():
        assert 0.99 * bound < weight.abs().max() <= bound
        assert weight.std().item() == pytest.approx(bound / math.sqrt(3), rel=0.02)
    for bias in (block.attn.qkv.bias, block.attn.proj.bias, block.mlp.fc1.bias, vit.patch_embed.proj.bias):
        assert not bias.any()
    assert 0 < vit.cls_token.abs().max() < 1e-5


def test_positions():
    codes = positions(3, 8)
    assert codes.shape == (1, 10, 8)
    assert not codes[0, 0].any(), "of the class token"
    row, column = 2, 1
    expected = [f(at * frequency) for at in (column, row) for f in (math.sin, math.cos) for frequency in (1, 0.01)]
    np.testing.assert_allclose(codes[0, 1 + 3 * row + column], expected, rtol=1e-5)


def test_images_that_cannot_be_cut_into_patches():
    with pytest.raises(LearnerError, match=r"cvr-vit-small takes images whose sides are multiples of 16.*50 x 50"):
        VitSmallLearner().network(50, False)


# The residual networks


def test_blocks_begin_as_the_identity_for_pretraining_only():
    for make, zero, last, blocks in (
        (resnet50, True, "bn3.weight", 16),
        (resnet_small, True, "layers.4.weight", 4),
        (resnet_small, False, "layers.4.weight", 4),
    ):
        found = [weight for name, weight in make(zero).named_parameters() if name.endswith(last)]
        assert len(found) == blocks
        assert all(bool((weight == (0 if zero else 1)).all()) for weight in found)


@pytest.mark.parametrize("side", [32, 40, 128])
def test_the_small_network_takes_any_side(side):
    assert resnet_small().eval()(torch.rand(2, 3, side, side)).shape == (2, 64)
