"""Metrics: pure functions of arrays, without pytest and torch.

True values come first, codes second, one row for each sample; a :class:`Result` comes back, and ``float(result)`` is the number.

    >>> import numpy as np
    >>> from pytest_genbench.metrics import mig
    >>> letters = np.array([[0, 0], [0, 1], [1, 0], [1, 1]])
    >>> float(mig(letters, letters * 2.5 - 1))
    1.0
"""

from .chance import chance
from .correspondence import correspondence_r2
from .dci import Dci, dci
from .efficiency import auc, ses
from .factorvae import FactorVae, factorvae_score
from .h_error import h_error
from .hierarchical import CorrespondenceResult, r, r_and_r_c, r_c
from .mig import mig
from .mir import Mir, mir
from .purity import coverage, purity
from .result import Result
from .sap import sap
from .selection import Correlation, correlation, pareto_front
from .similarity import prediction_similarity

__all__ = [
    "Correlation",
    "CorrespondenceResult",
    "Dci",
    "FactorVae",
    "Mir",
    "Result",
    "auc",
    "chance",
    "correlation",
    "correspondence_r2",
    "coverage",
    "dci",
    "factorvae_score",
    "h_error",
    "mig",
    "mir",
    "pareto_front",
    "prediction_similarity",
    "purity",
    "r",
    "r_and_r_c",
    "r_c",
    "sap",
    "ses",
]
