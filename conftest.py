"""Hypothesis profiles for the project's own tests, where Hypothesis is installed: the suites run without it.

The pytester plugin is switched on in pyproject.toml: naming it here would break ``--genbench-suite`` in other folders, for which
this is not the top-level conftest.
"""

import os
from importlib.util import find_spec

if find_spec("hypothesis"):
    from hypothesis import settings

    # On shared machines a deadline measures the neighbours, and a random seed makes red builds nobody can repeat.
    settings.register_profile("ci", deadline=None, derandomize=True, max_examples=50)
    settings.register_profile("dev", deadline=None, max_examples=50)
    settings.load_profile("ci" if os.environ.get("CI") else "dev")
