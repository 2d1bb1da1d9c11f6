"""The hook a project implements to bring its own model."""

from __future__ import annotations

from typing import Any

import pytest


@pytest.hookspec(firstresult=True)
def pytest_genbench_model(config: pytest.Config, split: Any) -> Any:
    """Return the model to test on a split, or None to leave it to ``--genbench-model``.

    Args:
        config: The pytest config.
        split: The :class:`pytest_genbench.splits.Split` under test: its ``slug``, ``family``, ``train`` indices …

    Returns:
        What a factory may return: a torch module, a callable on NumPy batches, an object with ``contract`` and ``predict``, a
        learner; or a text that ``--genbench-model`` would take.
    """
