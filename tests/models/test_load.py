"""The cheap check before anything runs: specs, templates, formats that could run code."""

from __future__ import annotations

import subprocess
import sys

import pytest

from pytest_genbench.errors import GenbenchError, ModelError, OptionError, TrustError
from pytest_genbench.models import ModelOptions, check, has_seed, has_split, load

from .builders import decoder, identity, images, options, says


def refused(spec, root, kind, *words, **more):
    with pytest.raises(kind) as error:
        check(ModelOptions(spec, root=root, **more))
    says(error, *words)


def test_check_imports_no_runtime(tmp_path):
    (tmp_path / "m.onnx").write_bytes(b"x")
    (tmp_path / "nets.py").write_text("raise SystemExit\n")
    code = (
        "import sys, pathlib\n"
        "from pytest_genbench.models import ModelOptions, check\n"
        f"root = pathlib.Path({str(tmp_path)!r})\n"
        "check(ModelOptions('m.onnx', root=root)); check(ModelOptions('nets:build', root=root))\n"
        "bad = {'torch', 'onnxruntime', 'onnx', 'scipy', 'sklearn', 'pytest'} & set(sys.modules)\n"
        "assert not bad, bad\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_directory(tmp_path):
    identity(tmp_path / "m.onnx")
    refused(".", tmp_path, ModelError, "directory", "m.onnx")
    (tmp_path / "d.onnx").mkdir()
    refused("d.onnx", tmp_path, ModelError, "directory")


@pytest.mark.parametrize(
    ("spec", "words"),
    [
        ("model", ("neither a file nor a callable", "module:callable")),
        ("nets.py:build", ("neither", "nets:build")),
        ("lab/nets.py:build", ("lab.nets:build",)),
        ("w.safetensors", ("weights without an architecture", "--genbench-weights=w.safetensors")),
        ("m-{spilt}.onnx", ("{spilt}", "Did you mean 'split'")),
    ],
)
def test_specs_that_are_nothing(tmp_path, spec, words):
    refused(spec, tmp_path, OptionError, *words)


def test_file_of_an_unknown_kind(tmp_path):
    (tmp_path / "m.h5").write_bytes(b"x")
    refused("m.h5", tmp_path, OptionError, "unknown kind", "m.onnx")


def test_missing_folder(tmp_path):
    refused("none/m.onnx", tmp_path, ModelError, "no folder")


def test_reference_models(tmp_path):
    refused("reference:mlp-autoencodr", tmp_path, OptionError, "'mlp-autoencodr'", "Did you mean 'mlp-autoencoder'")


@pytest.mark.parametrize("suffix", ["pt2", "pt", "pth", "pkl", "pickle", "bin", "ts", "torchscript", "jit"])
def test_files_that_can_run_code_are_refused(tmp_path, suffix):
    (tmp_path / f"m.{suffix}").write_bytes(b"anything")
    with pytest.raises(TrustError) as error:
        check(ModelOptions(f"m.{suffix}", root=tmp_path))
    text = str(error.value)
    for word in ("can run code", "torch.onnx.export", "--genbench-trust-model", "--genbench-weights"):
        assert word in text
    assert len(text.splitlines()) <= 4


def test_missing_file_that_could_run_code(tmp_path):
    refused("m.pt2", tmp_path, ModelError, "There is no file m.pt2")


@pytest.mark.parametrize("spec", ["m-{split}.onnx", "{split}/m.onnx", "m-{split}-{seed}.onnx"])
def test_placeholders(spec):
    assert has_split(spec)
    assert has_seed(spec) == ("seed" in spec)
    assert has_split(ModelOptions("nets:build", weights=spec))
    assert not has_split("m.onnx")
    assert not has_seed(ModelOptions("m.onnx"))


def test_template_without_any_file(tmp_path):
    identity(tmp_path / "other.onnx")
    refused("m-{split}.onnx", tmp_path, ModelError, "No file matches m-{split}.onnx", "other.onnx")


def test_template_with_one_file_missing(tmp_path):
    for split in ("spatial-A", "spatial-B"):
        identity(tmp_path / f"m-{split}.onnx")
    asked = ModelOptions("m-{split}.onnx", device="cpu", root=tmp_path)
    check(asked)
    assert set(load(asked, split="spatial-B").files) == {"m-spatial-B.onnx"}
    assert set(load(asked).files) == {"m-spatial-A.onnx"}
    with pytest.raises(ModelError) as error:
        load(asked, split="length-4")
    says(error, "no file m-length-4.onnx", "m-spatial-A.onnx", "m-spatial-B.onnx")


def test_template_of_split_and_seed(tmp_path):
    for seed in (0, 1):
        (tmp_path / str(seed)).mkdir()
        identity(tmp_path / str(seed) / "m-A.onnx")
    asked = ModelOptions("{seed}/m-{split}.onnx", device="cpu", root=tmp_path)
    check(asked)
    assert load(asked, split="A", seed=1).predict(images())
    assert load(asked, seed=1).files
    with pytest.raises(ModelError) as error:
        load(asked, split="A", seed=2)
    says(error, "2/m-A.onnx")


def test_template_filled_alike(tmp_path):
    (tmp_path / "A").mkdir()
    identity(tmp_path / "A" / "m-B.onnx")
    refused("{split}/m-{split}.onnx", tmp_path, ModelError, "No file matches")


def test_special_characters_in_folders(tmp_path):
    folder = tmp_path / "run[1] *"
    folder.mkdir()
    identity(folder / "m-A.onnx")
    assert load(ModelOptions("run[1] */m-{split}.onnx", device="cpu", root=tmp_path), split="A").files


def test_weights_go_with_a_callable(tmp_path):
    identity(tmp_path / "m.onnx")
    refused("m.onnx", tmp_path, OptionError, "module:callable", weights="w.pt")
    (tmp_path / "weighty.py").write_text("")
    refused("weighty:build", tmp_path, OptionError, "w.bin", ".safetensors", weights="w.bin")
    refused("weighty:build", tmp_path, ModelError, "no file w.pt", weights="w.pt")
    refused("weighty:build", tmp_path, OptionError, "{spilt}", weights="w-{spilt}.pt")


def test_missing_module_offers_the_nearest(tmp_path):
    (tmp_path / "genbench_nets.py").write_text("")
    (tmp_path / "genbench_lab").mkdir()
    (tmp_path / "genbench_lab" / "nets.py").write_text("")
    refused("genbench_nest:build", tmp_path, ModelError, "'genbench_nest'", "Did you mean 'genbench_nets'")
    refused("genbench_lab.nests:build", tmp_path, ModelError, "'genbench_lab.nests'", "Did you mean 'nets'")
    check(ModelOptions("genbench_lab.nets:build", root=tmp_path))


def test_unknown_device(tmp_path):
    with pytest.raises(GenbenchError) as error:
        load(options(identity(tmp_path / "m.onnx"), device="gpu"))
    says(error, "gpu", "cuda:N")


def test_a_decoder_beside_a_model_does_not_stand_for_a_template(tmp_path):
    for name in ("a.decoder.onnx", "b.decoder.onnx", "b.onnx"):
        decoder(tmp_path / name) if "decoder" in name else identity(tmp_path / name)
    model = load(ModelOptions("{split}.onnx", root=tmp_path, device="cpu"))
    assert list(model.files) == ["b.onnx"]


def test_name_of_the_benchmark_in_a_path() -> None:
    filled = ModelOptions("nets/{benchmark}/{split}.onnx", weights="{benchmark}.pt").of("mpi3d")
    assert (filled.spec, filled.weights) == ("nets/mpi3d/{split}.onnx", "mpi3d.pt")
    assert has_split("nets/{benchmark}.onnx")
    assert not has_split("nets/{seed}.onnx")
