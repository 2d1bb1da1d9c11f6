"""Compositional generalisation: known parts in combinations never seen."""
