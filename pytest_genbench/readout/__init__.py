"""Probing: a small readout, trained on a split's training set, over a model's frozen embedding.

Importing this package imports NumPy only; scikit-learn comes with the first readout that is trained.
"""

from .fit import KINDS, Kind
from .probed import probed_model

__all__ = ["KINDS", "Kind", "probed_model"]
