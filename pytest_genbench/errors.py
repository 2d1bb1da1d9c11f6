"""One error class for each thing a person can do about it."""

from __future__ import annotations

import difflib
from collections.abc import Iterable


class GenbenchError(Exception):
    """Base of all errors a user can cause. The message says what was wrong, what was found and what to do."""


class OptionError(GenbenchError):
    """If you see this, an option, an ini value or a marker has a value that cannot be used: correct that value."""


class ModelError(GenbenchError):
    """If you see this, the model under test cannot be loaded or misbehaves: mend the model or its declaration."""


class TrustError(ModelError):
    """If you see this, the model file could run code when loaded: convert it, or pass ``--genbench-trust-model``."""


class DeviceError(GenbenchError):
    """If you see this, the device you asked for is not there: choose another, or repair the runtime."""


class MissingOutputError(GenbenchError):
    """If you see this, the model does not offer what a test asks for: export that output, or leave the test out."""


class DocumentError(GenbenchError):
    """If you see this, a results document cannot be read, written or merged: check the file that is named."""


class GateError(GenbenchError):
    """If you see this, a gates file says something that cannot be: correct the line that is named."""


class BenchmarkError(GenbenchError):
    """If you see this, a benchmark, preset, family or split does not exist or cannot be made as asked."""


class MissingDataError(BenchmarkError):
    """If you see this, a published data file is not where it was looked for: get it and put it there, as the message says."""


class LearnerError(ModelError):
    """If you see this, a learner cannot be trained or does not do what it says: mend the learner or its settings."""


class MissingLibraryError(LearnerError):
    """If you see this, a model has to be trained with a library that is not there: install it, or test recorded weights only."""


class CacheError(GenbenchError):
    """If you see this, the cache folder cannot be used: free space, mend its permissions, or choose another."""


class HierarchyError(GenbenchError):
    """If you see this, a hierarchy is none, or does not fit the data it is used with: correct the one or the other."""


class MetricError(GenbenchError):
    """If you see this, a metric cannot be computed from these arrays: give it others, or leave it out."""


_LISTED = 60
"""Most names that a message lists."""


def nearest(name: str, known: Iterable[str]) -> str:
    """Say which of the known names a mistyped one may have meant.

    Returns:
        ``" Did you mean 'spatial'?"`` where a close name exists, else a list of the known names, with a leading space; of very
        many the first and the last.
    """
    names = sorted(set(known))
    close = difflib.get_close_matches(name, names, n=3, cutoff=0.6)
    if close:
        return " Did you mean " + " or ".join(repr(candidate) for candidate in close) + "?"
    if len(names) > _LISTED:
        return f" Known: {', '.join(names[:6])}, …, {', '.join(names[-2:])}; {len(names):,} in all."
    return " Known: " + ", ".join(names) + "." if names else ""
