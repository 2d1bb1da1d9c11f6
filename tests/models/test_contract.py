"""The contract: what is declared, what the graph shows, which of them wins."""

from __future__ import annotations

import json

import pytest

from pytest_genbench.errors import ModelError, OptionError
from pytest_genbench.models.contract import Contract, GraphFacts, resolve
from pytest_genbench.models.declaration import declare, from_metadata, is_role, parse_pairs

from .builders import says

IMAGE = ("N", 1, 8, 8)


def facts(shape=(None, 1, 8, 8), dtype="float32", **outputs):
    shown = {name: ((None, *axes), "float32") for name, axes in outputs.items()}
    return GraphFacts("m.onnx", "x", shape, dtype, shown)


def metadata(**raw):
    return from_metadata("the metadata of m.onnx", {f"genbench.{key}": value for key, value in raw.items()})


def option(**raw):
    return declare("option", "--genbench-contract", raw)


def test_graph_alone():
    contract = resolve([], facts(reconstruction=(1, 8, 8), embedding=(5,), z=(3,)))
    assert contract.shape == (1, 8, 8)
    assert (contract.dtype, contract.layout, contract.range, contract.batch) == ("float32", "NCHW", (0, 1), None)
    assert contract.outputs == {"reconstruction": "reconstruction", "embedding": "embedding"}
    assert contract.unnamed == {"z": ((None, 3), "float32")}
    assert contract.shapes["embedding"] == (None, 5)
    assert contract.sources["layout"] == "graph"
    assert contract.sources["range"] == "default"
    assert contract.warnings == ()


def test_describe():
    contract = resolve([], facts((None, 1, 64, 64), reconstruction=(1, 64, 64), embedding=(5,)))
    line = "image float32 NCHW (1, 64, 64) in [0, 1], any batch -> reconstruction, embedding"
    assert contract.describe() == line
    fixed = resolve([metadata(mean="0.5", std="0.25")], facts((4, 8, 8, 3), y=(2,)))
    assert fixed.describe() == (
        "image float32 NHWC (8, 8, 3) in [0, 1], mean (0.5), std (0.25), batch 4 -> 'y' (undeclared)"
    )


def test_flat_is_json_and_leaves_out_what_differs_between_files_of_one_model():
    one = resolve([metadata(trained_on="comporth/published/spatial-A", mean="0.5")], facts(embedding=(5,)))
    other = resolve([metadata(trained_on="comporth/published/spatial-B", mean="0.5")], facts(embedding=(5,)))
    assert json.loads(json.dumps(one.flat())) == one.flat() == other.flat()
    assert one.flat() != resolve([metadata(mean="0.4")], facts(embedding=(5,))).flat()
    assert list(one.flat()) == sorted(one.flat())


def test_order_of_sources():
    sidecar = declare("sidecar", "m.genbench.toml", {"range": [0, 255], "code_size": 7})
    declared = [option(range="-1,1"), sidecar, metadata(range="0,1", code_size="9", benchmark="comporth")]
    contract = resolve(declared, facts())
    assert (contract.range, contract.code_size, contract.benchmark) == ((-1, 1), 7, "comporth")
    assert [contract.sources[key] for key in ("range", "code_size", "benchmark", "mean")] == [
        "option",
        "sidecar",
        "metadata",
        "default",
    ]


@pytest.mark.parametrize(
    ("shape", "layout"),
    [((None, 3, 8, 8), "NCHW"), ((None, 8, 8, 3), "NHWC"), ((None, None, None, 1), "NHWC"), ((2, 1, 8, 8), "NCHW")],
)
def test_layout_is_certain_where_the_channels_can_be_on_one_side_only(shape, layout):
    contract = resolve([], facts(shape))
    assert (contract.layout, contract.sources["layout"]) == (layout, "graph")


def test_layout_of_free_axes_is_nchw_by_convention():
    contract = resolve([], facts((None,) * 4))
    assert (contract.layout, contract.sources["layout"]) == ("NCHW", "default")
    assert resolve([metadata(layout="NHWC")], facts((None,) * 4)).layout == "NHWC"


@pytest.mark.parametrize("shape", [(None, 3, 8, 3), (None, 1, 8, 3)])
def test_ambiguous_layout_asks_for_a_declaration(shape):
    with pytest.raises(ModelError) as error:
        resolve([], facts(shape))
    says(error, "NCHW or NHWC", "genbench.layout", str(shape[3]))
    assert resolve([metadata(layout="nhwc")], facts(shape)).layout == "NHWC"


def test_graph_wins_over_metadata_with_a_warning():
    contract = resolve([metadata(layout="NHWC", input="image")], facts())
    assert contract.layout == "NCHW"
    assert contract.sources["layout"] == "graph"
    assert len(contract.warnings) == 2
    assert any("NHWC" in warning and "NCHW" in warning for warning in contract.warnings)
    assert any("'x'" in warning for warning in contract.warnings)


def test_option_against_the_graph_is_an_error():
    with pytest.raises(OptionError) as error:
        resolve([option(layout="NHWC")], facts())
    says(error, "NHWC", "NCHW", "Correct the option")


def test_uint8_takes_bytes():
    contract = resolve([], facts(dtype="uint8"))
    assert contract.range == (0, 255)
    odd = resolve([metadata(range="0,1", mean="0.5")], facts(dtype="uint8"))
    assert (odd.range, odd.mean, len(odd.warnings)) == ((0, 255), None, 2)


def test_wrong_rank():
    with pytest.raises(ModelError) as error:
        resolve([], facts((None, 1, 64)))
    says(error, "(any, 1, 64)", "four axes", "two axes", "reshape")


def test_two_axes_are_a_signal():
    contract = resolve([], facts((None, 64)))
    assert (contract.input_kind, contract.layout, contract.shape) == ("signal", "NL", (64,))
    assert contract.describe().startswith("signal float32 NL (64), any batch")


def test_a_decoder_is_no_model():
    with pytest.raises(ModelError) as error:
        resolve([], GraphFacts("d.onnx", "embedding", (None, 32), "float32"))
    says(error, "decoder", "genbench.decoder")


def test_a_hierarchy_is_declared_as_json():
    contract = resolve(
        [metadata(hierarchy='[{"type": "continuous"}, {"type": "categorical", "options": [[], []]}]')], facts()
    )
    assert contract.hierarchy is not None
    assert contract.hierarchy.notation == "c {0 | 0}"
    assert contract.flat()["hierarchy"] == "c {0 | 0}"


@pytest.mark.parametrize(
    ("text", "words"),
    [("[", "JSON"), ("[]", "at least one"), ('[{"type": "categorical", "options": [[]]}]', "at least two")],
)
def test_a_hierarchy_that_is_none(text, words):
    with pytest.raises(ModelError) as error:
        resolve([metadata(hierarchy=text)], facts())
    says(error, "hierarchy", words)


def test_wrong_element_type():
    with pytest.raises(ModelError) as error:
        resolve([], facts(dtype="int64"))
    says(error, "int64", "float32", "Cast")


def test_mean_needs_a_number_for_each_channel():
    with pytest.raises(ModelError) as error:
        resolve([metadata(mean="0.5,0.5")], facts((None, 3, 8, 8)))
    says(error, "2 numbers", "3 channels")


def test_outputs_are_renamed_by_declaration():
    contract = resolve([metadata(outputs="y=reconstruction, embedding=factors")], facts(y=(1, 8, 8), embedding=(5,)))
    assert contract.outputs == {"reconstruction": "y", "factors": "embedding"}
    assert contract.unnamed == {}


def test_declared_output_that_does_not_exist():
    with pytest.raises(ModelError) as error:
        resolve([metadata(outputs="recon=reconstruction")], facts(recons=(1, 8, 8)))
    says(error, "'recon'", "Did you mean 'recons'")


@pytest.mark.parametrize("key", ["rnage", "Range", "codesize"])
def test_typo_in_a_key(key):
    with pytest.raises(ModelError) as error:
        metadata(**{key: "0,1"})
    says(error, repr(key), "the metadata of m.onnx", "Did you mean")


def test_typo_in_the_prefix():
    with pytest.raises(ModelError) as error:
        from_metadata("the metadata of m.onnx", {"genbench_range": "0,1"})
    says(error, "'genbench_range'", "'genbench.range'")


def test_keys_of_others_are_left_alone():
    assert from_metadata("the metadata of m.onnx", {"author": "me", "range": "x"}).values == {}


def test_typo_in_an_option_is_an_option_error():
    with pytest.raises(OptionError) as error:
        option(layuot="NCHW")
    says(error, "'layuot'", "'layout'")


@pytest.mark.parametrize(
    ("key", "value", "hint"),
    [
        ("range", "1", "lowest and the highest"),
        ("range", "1,0", "lowest and the highest"),
        ("range", "a,b", "numbers"),
        ("mean", "nan", "finite"),
        ("std", "0", "above 0"),
        ("layout", "CHWN", "NCHW or NHWC"),
        ("code_size", "0", "at least 1"),
        ("code_size", "many", "many"),
        ("outputs", "y", "pairs"),
        ("outputs", "y=embeding", "Did you mean 'embedding'"),
        ("outputs", "y=embedding,z=embedding", "two outputs"),
        ("decoder", "../d.onnx", "inside that folder"),
        ("decoder", "/etc/d.onnx", "inside that folder"),
        ("decoder", "C:\\d.onnx", "inside that folder"),
        ("trained_on", "", "split ids"),
        ("benchmark", "  ", "name"),
    ],
)
def test_values_that_cannot_be_used(key, value, hint):
    with pytest.raises(ModelError) as error:
        metadata(**{key: value})
    says(error, key, hint)


@pytest.mark.parametrize("raw", ["y=embedding, z=factors", '{"y": "embedding", "z": "factors"}'])
def test_outputs_as_text_and_as_json(raw):
    assert metadata(outputs=raw).values["outputs"] == (("y", "embedding"), ("z", "factors"))


def test_values_of_python_and_toml():
    raw = {"range": [0, 255], "mean": (1, 2, 3), "outputs": {"y": "factor.shape"}, "trained_on": ["a", "b"], "std": 2}
    values = declare("sidecar", "m.genbench.toml", raw).values
    assert values["range"] == (0.0, 255.0)
    assert values["outputs"] == (("y", "factor.shape"),)
    assert (values["mean"], values["std"], values["trained_on"]) == ((1, 2, 3), (2,), ("a", "b"))


@pytest.mark.parametrize("name", ["reconstruction", "factors", "factor.shape", "assignment.12", "scores", "embedding"])
def test_roles(name):
    assert is_role(name)


@pytest.mark.parametrize("name", ["factor.", "assignment.x", "output", "reconstructions", ""])
def test_no_roles(name):
    assert not is_role(name)


def test_outputs_unknown_until_the_model_runs():
    contract = resolve([metadata(outputs="output=embedding")], GraphFacts("nets:build"))
    assert contract.outputs == {"embedding": "output"}
    assert contract.shapes == {}
    assert isinstance(contract, Contract)


def test_pairs_of_a_command_line():
    assert parse_pairs(["range = 0,255", "outputs=y=embedding"], "--contract") == {
        "range": "0,255",
        "outputs": "y=embedding",
    }
    for pair, words in {"range": ("KEY=VALUE", "'range'"), "rnage=0,1": ("--contract", "'range'")}.items():
        with pytest.raises(OptionError) as error:
            parse_pairs([pair], "--contract")
        says(error, *words)
