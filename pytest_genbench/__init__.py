"""pytest-genbench: a pytest plugin that tests whether vision models generalise.

Importing this package imports nothing else, so that the plugin costs nothing in test runs that do not use it.
"""

__version__ = "0.1.0"
