"""Faces: drawn portraits on the grid of CelebGlow (Schott et al. 2022, appendix), which itself was never published."""

from .portrait import images

__all__ = ["images"]
