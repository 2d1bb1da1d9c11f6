"""CVR: compositional visual reasoning, find the odd one of four (Zerroug et al. 2022, arXiv 2206.05379)."""

from .benchmark import Cvr

__all__ = ["Cvr"]
