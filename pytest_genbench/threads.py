"""How many threads one process may use without fighting its neighbours."""

from __future__ import annotations

import os


def cores() -> int:
    """CPU cores this process may run on, which in a container or under taskset are fewer than the machine has."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def per_process(workers: int | None = None) -> int:
    """Threads for each process: all cores, shared out among the xdist workers of this run; at least 1.

    Several processes that each start a thread per core spin against each other and get slower, not faster.

    Args:
        workers: Number of workers; None for what a worker's environment says, and 1 in any other process.
    """
    if workers is None:
        workers = int(os.environ.get("PYTEST_XDIST_WORKER_COUNT", "1"))
    return max(1, cores() // workers)
