"""Hypothesis profiles for the project's own tests.

The pytester plugin is switched on in pyproject.toml: naming it here would break ``--genbench-suite`` in other folders, for which
this is not the top-level conftest.
"""

import os
from importlib.util import find_spec


def pytest_configure(config):
    """Choose a profile, but not for a model under test: the suites do not use Hypothesis, and need not wait for its import."""
    if config.getoption("genbench_model", None) or not find_spec("hypothesis"):
        return
    from hypothesis import settings

    # On shared machines a deadline measures the neighbours, and a random seed makes red builds nobody can repeat.
    settings.register_profile("ci", deadline=None, derandomize=True, max_examples=50)
    settings.register_profile("dev", deadline=None, max_examples=50)
    settings.load_profile("ci" if os.environ.get("CI") else "dev")
