"""What the checks need: no torch, no pytest."""

import subprocess
import sys

SCRIPT = """
import sys
from pytest_genbench.benchmarks.comporth import CompOrth
from pytest_genbench.testing import check_benchmark, check_learner

check_benchmark(CompOrth("mini"))
print(sorted({"torch", "pytest", "_pytest"} & sys.modules.keys()))
"""


def test_neither_torch_nor_pytest_is_imported():
    done = subprocess.run([sys.executable, "-c", SCRIPT], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"
