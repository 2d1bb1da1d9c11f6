"""Generalisation to values beyond those seen."""
