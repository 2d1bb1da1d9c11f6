import subprocess
import sys

import numpy as np

from pytest_genbench.rng import stream


def test_same_key_same_numbers_whatever_came_before():
    expected = stream("sample", "comporth", 3).integers(1000, size=5)
    stream("other").random(10)
    np.random.default_rng(0).random(3)
    np.testing.assert_array_equal(stream("sample", "comporth", 3).integers(1000, size=5), expected)


def test_keys_that_differ_give_other_numbers():
    keys = [("a", 1), ("a", 2), ("b", 1), ("a", "1"), ("a",), ("a1",)]
    drawn = {tuple(stream(*key).integers(2**62, size=2)) for key in keys}
    assert len(drawn) == len(keys)


def test_hash_order_does_not_matter():
    code = "from pytest_genbench.rng import stream; print(stream('a', 1).integers(2**62))"
    drawn = {
        subprocess.run(
            [sys.executable, "-c", code],
            env={"PYTHONHASHSEED": seed, "PYTHONPATH": ":".join(sys.path)},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("0", "1")
    }
    assert len(drawn) == 1
