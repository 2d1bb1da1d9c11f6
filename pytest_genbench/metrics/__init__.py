"""Metrics: pure functions of arrays, without pytest and torch."""
