"""Generalisation to what is like training: the upper reference for all others."""
