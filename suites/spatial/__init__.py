"""Spatial generalisation: what is known in some places, elsewhere."""
