"""For the project's own tests: pytester, and Hypothesis profiles where Hypothesis is installed."""

import os
from importlib.util import find_spec

pytest_plugins = ["pytester"]

if find_spec("hypothesis"):  # The suites run without it.
    from hypothesis import settings

    # On shared machines a deadline measures the neighbours, and a random seed makes red builds nobody can repeat.
    settings.register_profile("ci", deadline=None, derandomize=True, max_examples=50)
    settings.register_profile("dev", deadline=None, max_examples=50)
    settings.load_profile("ci" if os.environ.get("CI") else "dev")
