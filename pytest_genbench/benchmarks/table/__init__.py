"""Your own data as a benchmark: a table of factors, and an image for each row."""

from .benchmark import TableBenchmark

__all__ = ["TableBenchmark"]
