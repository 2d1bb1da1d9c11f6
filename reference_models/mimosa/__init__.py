"""MIMOSA: which low-dimensional surfaces a cloud of codes consists of, and which of them lie around which.

The algorithm of Ross & Doshi-Velez (2021, arXiv:2102.05185, appendix A), as an estimator. From the codes of a smooth
auto-encoder it finds components of different dimension and turns them into a hierarchy of factors, without labels.
"""

from .estimator import MIMOSA
from .settings import AUTOENCODER_DIMENSIONS, PAPER, common_edge_fraction

__all__ = ["AUTOENCODER_DIMENSIONS", "MIMOSA", "PAPER", "common_edge_fraction"]
