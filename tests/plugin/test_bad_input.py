"""What users get wrong: each gives a line that says what was wrong, what was found and what to do; no traceback, no wrong green."""

import os
import pickle

import numpy as np
import pytest

from tests.models import builders
from tests.models.builders import identity, node, save, value
from tests.plugin.conftest import run_pytest

IMAGE = ("N", 1, 64, 64)
SPLIT = "compositional-B5"
DECLARED = {"genbench.code_size": "4096", "genbench.benchmark": "comporth", "genbench.range": "0,1"}
UNTARGETED = {"genbench.code_size": "4096"}


@pytest.fixture
def check(pytester, monkeypatch):
    """Run one split of CompOrth in a folder that holds a user's mistake; return pytest's result and all of its output."""
    monkeypatch.setenv("COLUMNS", "240")

    def check(model, *args, suite="compositional"):
        options = [f"--genbench-model={model}"] if model else []
        options += [f"--genbench-suite={suite}", "--genbench-preset=mini", "-k", SPLIT, *args]
        result = run_pytest(pytester, monkeypatch, options, own_process="full_disk" in args or "-n1" in args)
        text = result.stdout.str() + "\n" + result.stderr.str()
        assert "Traceback" not in text
        assert "INTERNALERROR" not in text
        return result, text

    return check


def graph(
    path, nodes, shape=IMAGE, dtype="float32", out=IMAGE, out_dtype="float32", weights=None, metadata=DECLARED, **more
):
    return save(
        path, nodes, [value("x", shape, dtype)], [value("reconstruction", out, out_dtype)], weights, metadata, **more
    )


def text_file(path):
    (path / "m.onnx").write_text("version https://example.org\n")


def empty(path):
    (path / "m.onnx").write_bytes(b"")


def truncated(path):
    weights = {"w": np.ones((1, 1, 64, 64), dtype=np.float32)}
    graph(path / "m.onnx", [node("Mul", ["x", "w"], ["reconstruction"])], weights=weights)
    (path / "m.onnx").write_bytes((path / "m.onnx").read_bytes()[:-9000])


def lost_data(path):
    builders.external(path / "m.onnx", "m.data")


def stolen_data(path):
    builders.external(path / "m.onnx", "../../etc/passwd")


def new_opset(path):
    identity(path / "m.onnx", IMAGE, opset=99)


def new_ir(path):
    identity(path / "m.onnx", IMAGE, ir=99)


def rank(path):
    identity(path / "m.onnx", ("N", 64, 64), metadata=DECLARED)


def channels(path):
    identity(path / "m.onnx", ("N", 3, 64, 64), metadata=DECLARED)


def size(path):
    identity(path / "m.onnx", ("N", 1, 32, 32), metadata=DECLARED)


def unknown_outputs(path):
    nodes = [node("Identity", ["x"], ["a"]), node("Identity", ["x"], ["b"])]
    save(path / "m.onnx", nodes, [value("x", IMAGE)], [value("a", IMAGE), value("b", IMAGE)], metadata=UNTARGETED)


def nan(path):
    weights = {"zero": np.zeros(1, dtype=np.float32)}
    graph(
        path / "m.onnx",
        [node("Div", ["zero", "zero"], ["nan"]), node("Add", ["x", "nan"], ["reconstruction"])],
        weights=weights,
    )


def batch_dependent(path):
    nodes = [
        node("ReduceMean", ["x"], ["mean"], axes=[0], keepdims=1),
        node("Sub", ["x", "mean"], ["d"]),
        node("Abs", ["d"], ["reconstruction"]),
    ]
    graph(path / "m.onnx", nodes)


def chance(path):
    nodes = [node("RandomUniformLike", ["x"], ["u"]), node("Mul", ["x", "u"], ["reconstruction"])]
    graph(path / "m.onnx", nodes)


def module(source):
    return lambda path: (path / "nets.py").write_text(source)


def pt2(path):
    (path / "m.pt2").write_bytes(b"PK\x03\x04")


class Planted:
    def __reduce__(self):
        return (os.mkdir, ("planted",))


def planted(path):
    (path / "m.pkl").write_bytes(pickle.dumps(Planted()))


def planted_weights(path):
    (path / "nets.py").write_text("import torch\n\ndef net():\n    return torch.nn.Identity()\n")
    (path / "w.pt").write_bytes(pickle.dumps(Planted()))


def nothing(path):
    pass


USAGE = [
    ("a missing file", nothing, "m.onnx", "m.onnx"),
    ("a slip in the ending", lambda path: identity(path / "m.onnx", IMAGE), "m.onx", "Did you mean 'm.onnx'"),
    ("a text file", text_file, "m.onnx", "m.onnx*text"),
    ("an empty file", empty, "m.onnx", "m.onnx*empty"),
    ("a truncated file", truncated, "m.onnx", "m.onnx*truncated"),
    ("external data that is missing", lost_data, "m.onnx", "m.data"),
    ("external data outside the folder", stolen_data, "m.onnx", "outside"),
    ("a newer opset", new_opset, "m.onnx", "opset"),
    ("a newer IR", new_ir, "m.onnx", "IR version"),
    ("a wrong rank", rank, "m.onnx", "four axes"),
    (
        "a factory that raises",
        module("def net():\n    raise ValueError('no weights')\n"),
        "nets:net",
        "ValueError*no weights",
    ),
    ("a factory that returns None", module("def net():\n    pass\n"), "nets:net", "None"),
    ("a factory that needs arguments", module("def net(depth):\n    pass\n"), "nets:net", "argument"),
    ("a factory that does not exist", module("def network():\n    pass\n"), "nets:netwok", "Did you mean 'network'"),
    ("a module that does not exist", nothing, "nest:net", "nest"),
    (".pt2 without trust", pt2, "m.pt2", "m.pt2 can run code"),
    ("a pickle without trust", planted, "m.pkl", "m.pkl can run code"),
    ("a reference model that is not there", nothing, "reference:conv", "reference"),
    ("a template that fits no file", nothing, "{split}.onnx", "{split}.onnx"),
    ("an unknown placeholder", nothing, "{spilt}.onnx", "spilt"),
]


@pytest.mark.parametrize(("make", "model", "said"), [row[1:] for row in USAGE], ids=[row[0] for row in USAGE])
def test_models_that_cannot_be_loaded_are_usage_errors(check, pytester, make, model, said):
    make(pytester.path)
    result, text = check(model)
    assert result.ret == 4, text
    assert ("--genbench-trust-model" in text) == ("can run code" in said)
    errors = [line for line in text.splitlines() if line.startswith("ERROR: ")]
    assert len(errors) == 1
    result.stderr.fnmatch_lines([f"ERROR: genbench: *{said}*".replace("[", "[[]")])
    assert not (pytester.path / "planted").exists()


MISFITS = [
    ("other channels", channels, 1, "NOTHING EVALUATED: *(3, 64, 64)*(1, 64, 64)*"),
    ("another size", size, 1, "NOTHING EVALUATED: *(1, 32, 32)*(1, 64, 64)*"),
    (
        "two outputs with unknown names",
        unknown_outputs,
        1,
        "NOTHING EVALUATED: *'a' float32 *'b' float32 *genbench.outputs*",
    ),
    ("NaN", nan, 1, "*genbench: *'reconstruction'*"),
    ("output that depends on the batch", batch_dependent, 1, "*genbench: *batch*"),
    ("output that depends on chance", chance, 1, "*genbench: *same*"),
]


@pytest.mark.parametrize(("make", "status", "said"), [row[1:] for row in MISFITS], ids=[row[0] for row in MISFITS])
@pytest.mark.parametrize("workers", [(), ("-n1",)], ids=["plain", "xdist"])
def test_models_that_misbehave_fail_or_are_skipped_and_never_green(check, pytester, make, status, said, workers):
    make(pytester.path)
    result, _ = check("m.onnx", *workers)
    assert result.ret == status
    result.stdout.fnmatch_lines([said])


def cast(path, dtype, shape=IMAGE, extra=None):
    nodes = [node("Cast", ["x"], ["f"], to=builders.TYPES["float32"]), node("Identity", ["f"], ["reconstruction"])]
    graph(path / "m.onnx", nodes, shape, dtype, shape, metadata={**DECLARED, **(extra or {})})


def nhwc(path):
    shape = ("N", 64, 64, 1)
    nodes = [node("Identity", ["x"], ["reconstruction"])]
    graph(path / "m.onnx", nodes, shape, out=shape)


def bytes_range(path):
    identity(path / "m.onnx", IMAGE, metadata={**DECLARED, "genbench.range": "0,255"})


FITTING = [
    ("NHWC", nhwc),
    ("[0, 255] declared", bytes_range),
    ("float64", lambda path: cast(path, "float64")),
    ("float16", lambda path: cast(path, "float16")),
    ("uint8", lambda path: identity(path / "m.onnx", IMAGE, "uint8", metadata={**DECLARED, "genbench.range": "0,255"})),
    ("a fixed batch of 1", lambda path: identity(path / "m.onnx", (1, 1, 64, 64), metadata=DECLARED)),
    ("a fixed batch of 4", lambda path: identity(path / "m.onnx", (4, 1, 64, 64), metadata=DECLARED)),
    ("one unnamed output", lambda path: identity(path / "m.onnx", IMAGE, output="y", metadata=DECLARED)),
]


@pytest.mark.parametrize("make", [row[1] for row in FITTING], ids=[row[0] for row in FITTING])
def test_unusual_models_that_fit_pass(check, pytester, make):
    make(pytester.path)
    result, text = check("m.onnx")
    assert result.ret == 0, text
    result.stdout.fnmatch_lines(["B at position 5 *1.000*passed"])


def test_a_template_with_one_file_missing_fails_that_test_alone(check, pytester):
    for split in ("compositional-A5", "compositional-B5"):
        identity(pytester.path / f"{split}.onnx", IMAGE, metadata=DECLARED)
    result, _ = check("{split}.onnx", "-k", "A4 or A5")
    assert result.ret == 1
    result.assert_outcomes(passed=1, errors=1)
    result.stdout.fnmatch_lines(
        ["*compositional-A4.onnx*", "genbench: 1 score: 1 passed*1 test ended without a result"]
    )


def test_a_planted_pickle_as_weights_does_not_run(check, pytester):
    pytest.importorskip("torch")
    planted_weights(pytester.path)
    result, _ = check("nets:net", "--genbench-weights=w.pt")
    assert result.ret == 4
    result.stderr.fnmatch_lines(["ERROR: genbench: *w.pt*"])
    assert not (pytester.path / "planted").exists()


def test_cuda_asked_for_and_absent(check, pytester):
    identity(pytester.path / "m.onnx", IMAGE, metadata=DECLARED)
    result, text = check("m.onnx", "--genbench-device=cuda")
    if "CUDAExecutionProvider" in text and result.ret == 0:
        pytest.skip("this machine has a CUDA device")
    assert result.ret == 4
    result.stderr.fnmatch_lines(["ERROR: genbench: *cuda*CPUExecutionProvider*"])


OPTIONS = [
    ("--genbench-samples=0", "--genbench-samples takes a number of at least 1 or 'all'; got '0'"),
    ("--genbench-seeds=x", "--genbench-seeds takes a number of at least 1; got 'x'"),
    ("--genbench-seeds=3", "or a model path that holds {seed}"),
    ("--genbench-shard=3/2", "takes I/N with 1 <= I <= N, such as 1/4; got '3/2'"),
    ("--genbench-preset=comport=mini", "no benchmark 'comport'. Did you mean 'comporth'"),
    ("--genbench-preset=comporth=minni", "no preset 'minni'. Did you mean 'mini'"),
    ("--genbench-contract=range", "KEY=VALUE"),
    ("--genbench-contract=rnge=0,1", "Did you mean 'range'"),
    ("--genbench-device=gpu", "gpu"),
    ("--genbench-save=no/such/folder/r.json", "no/such/folder"),
    ("--genbench-save=.", "is a folder"),
    ("--genbench-summary=no/such/folder/s.md", "no/such/folder"),
    ("--genbench-summary=other.json", "it is Markdown that is appended; name it so, as in summary.md"),
    ("--genbench-save=one.html --genbench-report=./one.html", "--genbench-save and --genbench-report both name"),
    ("--genbench-require-baseline", "--genbench-baseline=FILE"),
    ("--genbench-suite=compositonal", "no suite 'compositonal'. Did you mean 'compositional'"),
    ("--genbench-baseline=broken.json", "broken.json"),
    ("--genbench-baseline=other.json", "not a genbench results document"),
    ("--genbench-save=other.json", "not a genbench results document"),
    ("--genbench-gates=none.toml", "none.toml: there is no such gates file"),
    ("--genbench-gates=broken.toml", "not TOML"),
    ("--genbench-gates=key.toml", "Did you mean 'min'"),
    ("--genbench-gates=metric.toml", "Did you mean 'target_probability'"),
]


@pytest.mark.parametrize(("option", "said"), OPTIONS, ids=[option for option, _ in OPTIONS])
def test_wrong_options_are_usage_errors(check, pytester, option, said):
    path = pytester.path
    identity(path / "m.onnx", IMAGE, metadata=DECLARED)
    files = {
        "broken.json": '{"format": "genbench results", "cases": [',
        "other.json": '{"name": "someone else\'s"}',
        "broken.toml": "[[gate",
        "key.toml": '[[gate]]\nmetric = "top1"\nmni = 0.9\n',
        "metric.toml": '[[gate]]\nmetric = "target_probabilty"\nmin = 0.9\n',
    }
    for name, text in files.items():
        (path / name).write_text(text)
    result, text = check("m.onnx", *option.split())
    assert result.ret == 4, text
    assert said in text
    assert sum(line.startswith("ERROR: ") for line in text.splitlines()) == 1
    for name, content in files.items():
        assert (path / name).read_text() == content


def test_a_slip_in_the_path_of_a_suite(pytester):
    pytester.mkdir("suites").joinpath("compositional").mkdir()
    pytester.path.joinpath("suites", "compositional", "__init__.py").touch()
    result = pytester.runpytest_subprocess("--genbench-model=m.onnx", "suites/compositonal")
    assert result.ret == 4
    result.stderr.fnmatch_lines(["ERROR: *no suite*compositonal*Did you mean 'compositional'*"])


def test_wrong_markers_are_usage_errors(pytester):
    pytester.makepyfile(
        """
        import pytest

        @pytest.mark.genbench(benchmark="comporth", family="compositonal")
        def test_one(split, genbench):
            genbench.passes()

        @pytest.mark.genbench(benchmark="comporth", familly="length")
        def test_two(split, genbench):
            genbench.passes()

        @pytest.mark.genbench(benchmark="comporth", family="length")
        def test_three(genbench):
            genbench.passes()
        """
    )
    result = pytester.runpytest_subprocess("--genbench-model=x:y")
    assert result.ret == 4
    result.stderr.fnmatch_lines(
        [
            "*Did you mean 'compositional'*test_two*takes benchmark, family, needs by name; got familly*test_three*argument split*"
        ]
    )


def test_the_fixture_without_the_marker(pytester):
    pytester.makepyfile("def test_it(genbench):\n    pass\n")
    result = pytester.runpytest_subprocess()
    assert result.ret == 1
    result.stdout.fnmatch_lines(["*needs the genbench marker on test_it*"])


def test_a_full_disk_is_said_and_keeps_the_old_file(check, pytester, monkeypatch):
    identity(pytester.path / "m.onnx", IMAGE, metadata=DECLARED)
    assert check("m.onnx", "--genbench-save=r.json")[0].ret == 0
    before = (pytester.path / "r.json").read_text()
    pytester.makepyfile(
        full_disk="""
        import os

        def replace(source, target):
            raise OSError(28, "No space left on device")

        os.replace = replace
        """
    )
    result, _ = check("m.onnx", "--genbench-save=r.json", "-p", "full_disk")
    assert result.ret == 1
    result.stdout.fnmatch_lines(["NOT SAVED: *No space left on device*"])
    assert (pytester.path / "r.json").read_text() == before
    assert sorted(p.name for p in pytester.path.glob("*r.json*")) == ["r.json"]
