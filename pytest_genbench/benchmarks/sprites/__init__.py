"""Sprites: squares, ellipses and hearts on the grid of dSprites (Matthey et al. 2017), drawn here rather than downloaded."""

from .render import images

__all__ = ["images"]
