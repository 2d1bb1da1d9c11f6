"""Make the first baseline: a run of pytest in the repository, as anybody could start it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from ..errors import DocumentError
from ..results.io import read
from ..results.schema import Document
from .plan import Plan

_WHY = {
    -2: "interrupted",
    2: "interrupted",
    3: "an internal error",
    4: "pytest could not start; the message above says why",
    5: "there was no test to run",
}
"""What an exit status of pytest means, where no results can be relied on."""


def baseline(plan: Plan, root: Path) -> tuple[Document | None, str]:
    """Run pytest and let it save the baseline; what it prints is shown.

    Red gates are no obstacle: what a model scores today is what later ones are compared with. Where the run does not end by itself,
    nothing of it is left behind.

    Returns:
        The baseline; None and the reason where there is none.

    Raises:
        KeyboardInterrupt: The run was interrupted.
    """
    path = root / plan.baseline
    arguments = [f"{name}={value}" for name, value in plan.saving]
    sys.stdout.flush()  # what was printed so far comes first
    process = subprocess.Popen([sys.executable, "-m", "pytest", *arguments], cwd=root)
    is_complete = False
    try:
        status = _wait(process)
        if status not in (0, 1):
            return None, _WHY.get(status, f"pytest ended with status {status}")
        if not path.exists():
            return None, "no test had a result; the lines above say why"
        document = read(path)
        is_complete = True
        return document, ""
    except DocumentError as error:
        return None, str(error)
    finally:
        if not is_complete:
            path.unlink(missing_ok=True)


def _wait(process: subprocess.Popen[bytes]) -> int:
    """Wait for a process; Ctrl-C reaches it too, and it is given time to end."""
    try:
        return process.wait()
    except KeyboardInterrupt:
        try:
            process.wait(30)
        except (subprocess.TimeoutExpired, KeyboardInterrupt):
            process.kill()
            process.wait()
        raise
