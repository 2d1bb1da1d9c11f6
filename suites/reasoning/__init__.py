"""Reasoning: what four images have in common, and which one has not."""
