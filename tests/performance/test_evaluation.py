"""The path from a split to its scores, against the bare work in it: ONNX Runtime and the judges; and the memory it takes."""

import json
import subprocess
import sys

import numpy as np
import pytest

from pytest_genbench.benchmarks import get
from pytest_genbench.benchmarks.comporth import judge
from pytest_genbench.evaluation import BATCH, evaluate, sample
from pytest_genbench.models import ModelOptions, load
from pytest_genbench.threads import per_process

pytestmark = pytest.mark.slow

ITEMS = 2000
"""Held-out items; as many are evaluated in split."""


def test_against_the_bare_work(stopwatch, model):
    """The plain way has its images ready, as floats in the model's layout, and computes no scores.

    It makes the same calls of the same sizes with the same threads: model, then both judges, batch after batch. The second plain
    way leaves ONNX Runtime's threads at their default, by which they spin while they wait.
    """
    benchmark = get("comporth")
    split = next(each for each in benchmark.splits("compositional") if each.slug == "compositional-B5")
    task = benchmark.tasks["reconstruction"]
    loaded = load(ModelOptions(model.name, root=model.parent, device="cpu", threads=per_process()))
    batches = [batch for condition in ("held-out", "in-split") for batch in ready(benchmark, split, condition)]
    judges = [judge.get(name) for name in (judge.PUBLISHED, judge.ROBUST)]
    session, spinning = open_session(model, spin=False), open_session(model, spin=True)

    def bare(session, judges):
        for batch in batches:
            reconstruction = session.run(["reconstruction"], {"image": batch})[0].reshape(-1, 64, 64, 1)
            for reader in judges:
                reader.read(reconstruction)

    ours, plain, default, alone = stopwatch.least(
        lambda: evaluate(benchmark, split, task, loaded, samples=ITEMS),
        lambda: bare(session, judges),
        lambda: bare(spinning, judges),
        lambda: bare(session, []),
        rounds=8,
    )
    stopwatch.show(
        f"evaluation, {2 * ITEMS} images: {ours / plain:.3f} times the bare loop of model and judges over images made before "
        f"(aim 1.05); {ours / default:.3f} times the same with ONNX Runtime's own thread settings; the model alone takes "
        f"{alone / plain:.2f} of the bare loop",
        ratio=ours / plain,
        ratio_default_threads=ours / default,
        model_share=alone / plain,
    )


def ready(benchmark, split, condition):
    """Make the batches that an evaluation shows, as the model takes them."""
    index = sample(split, condition, ITEMS)
    for start in range(0, len(index), BATCH):
        images = benchmark.images(index[start : start + BATCH])
        yield np.ascontiguousarray(images.transpose(0, 3, 1, 2), dtype=np.float32) / np.float32(255)


def open_session(path, spin):
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = per_process()
    options.inter_op_num_threads = 1
    options.add_session_config_entry("session.intra_op.allow_spinning", str(int(spin)))
    return onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])


# Evaluates some items of a split that holds out 20,000 images of the larger preset, and prints its greatest memory. All images
# are drawn and read once before, so that only what grows with the items can make a difference.
MEMORY = """
import json, resource, sys
from pathlib import Path
import numpy as np
from pytest_genbench.benchmarks import get
from pytest_genbench.evaluation import evaluate
from pytest_genbench.models import ModelOptions, load
from pytest_genbench.splits import Split

benchmark = get("comporth", "described")
split = Split("comporth", "described", "spatial", "most", "most", lambda: np.arange(benchmark.grid.size) < 20_000)
path = Path(sys.argv[1])
model = load(ModelOptions(path.name, root=path.parent, device="cpu", threads=2))
task = benchmark.tasks["reconstruction"]
peak = lambda: resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
evaluate(benchmark, split, task, model, samples=200)
before = peak()
found = evaluate(benchmark, split, task, model, samples=int(sys.argv[2]))
print(json.dumps({"n": found.scores[0].n, "before": before, "after": peak()}))
"""


@pytest.mark.skipif(sys.platform == "win32", reason="the resource module is for POSIX")
def test_memory(benchmark, stopwatch, model):
    """Peak resident memory of two processes that evaluate 2,000 and 20,000 items."""
    unit = 1 if sys.platform == "darwin" else 1024

    def measure(items):
        command = [sys.executable, "-c", MEMORY, str(model), str(items)]
        found = subprocess.run(command, capture_output=True, text=True, timeout=600, check=True)
        return json.loads(found.stdout)

    few = measure(2_000)
    many = benchmark.pedantic(measure, args=(20_000,), rounds=1)
    assert (few["n"], many["n"]) == (2_000, 20_000)
    peaks = [each["after"] * unit / 1e6 for each in (few, many)]
    growths = [(each["after"] - each["before"]) * unit / 1e6 for each in (few, many)]
    stopwatch.show(
        f"memory: peak {peaks[0]:.0f} MB for 2,000 items and {peaks[1]:.0f} MB for 20,000, {peaks[1] / peaks[0]:.3f} times; "
        f"grown by {growths[0]:.1f} and {growths[1]:.1f} MB since the first 200 (aim: no difference)",
        ratio=peaks[1] / peaks[0],
        growth_mb=growths,
    )
