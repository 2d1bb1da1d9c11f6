"""The judges: frozen networks that read the word in an image (Bianchi et al. 2024, section 3.3, "Evaluator").

``published-1`` has the published architecture and saw original images only, as in the paper. It fails on blurred letters that
people read with ease, so ``robust-1``, the same network trained with blur, noise, grey backgrounds and low contrast, stands
beside it.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from importlib.resources import files
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...threads import per_process

PUBLISHED = "published-1"
ROBUST = "robust-1"

_CHUNK = 32
"""Images per call: the feature maps of 32 images stay in a core's cache, which doubles the speed against 256."""


class Judge:
    """Reads words with one of the shipped networks, always on the CPU, so that a score does not depend on the device.

    Args:
        name: ``published-1`` or ``robust-1``.
    """

    def __init__(self, name: str) -> None:
        import onnxruntime

        self.name = name
        options = onnxruntime.SessionOptions()
        # Chunks run side by side in a thread each; threads inside a chunk would wait for one another in a spin.
        options.intra_op_num_threads = 1
        options.log_severity_level = 3
        data = files("pytest_genbench.benchmarks.comporth").joinpath("judges", f"{name}.onnx").read_bytes()
        self._session: Any = onnxruntime.InferenceSession(data, options, providers=["CPUExecutionProvider"])

    def read(self, images: NDArray[Any]) -> NDArray[np.float32]:
        """Read a batch.

        Args:
            images: (N, 64, 64, 1), float32 in [0, 1] or uint8 in [0, 255].

        Returns:
            Probability of each of the 62 words, float32 (N, 62).
        """
        return self.start(images)()

    def start(self, images: NDArray[Any]) -> Callable[[], NDArray[np.float32]]:
        """Start to read a batch in other threads, so that the caller can make the next one meanwhile.

        Args:
            images: As in :meth:`read`; not to be changed before the result is there.

        Returns:
            A function that waits for what :meth:`read` returns.
        """
        planes = images.reshape(len(images), 1, *images.shape[1:3])
        if planes.dtype == np.uint8:
            planes = planes.astype(np.float32) / np.float32(255)
        chunks = [planes[start : start + _CHUNK] for start in range(0, len(planes), _CHUNK)]
        if not chunks:
            return lambda: np.zeros((0, 62), dtype=np.float32)
        parts = _threads().map(self._read_chunk, chunks)
        return lambda: np.concatenate(list(parts))

    def _read_chunk(self, planes: NDArray[np.float32]) -> NDArray[np.float32]:
        probability: NDArray[np.float32] = self._session.run(["probability"], {"image": planes})[0]
        return probability


def at_once() -> int:
    """Images that are read side by side."""
    return _CHUNK * per_process()


@cache
def _threads() -> ThreadPoolExecutor:
    return ThreadPoolExecutor(per_process(), thread_name_prefix="genbench-judge")


@cache
def get(name: str) -> Judge:
    """Return the judge of that name, loaded once per process."""
    return Judge(name)
