"""Show how far a training or an evaluation is: a bar on a terminal, nothing in a log."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable, Iterator
from time import monotonic
from typing import Any

import pytest

from ..learners import Progress

_EVERY = 0.5
"""Seconds between two looks; each has to lift pytest's capture."""


def shower(config: pytest.Config) -> Callable[[str], Progress] | None:
    """Return what makes a bar, given a name; None on a worker, under ``-q`` and where there is no terminal."""
    # Not whether standard error is one: while a test runs, it is a file in which pytest captures what is written.
    reporter = config.pluginmanager.get_plugin("terminalreporter")
    is_terminal = reporter is not None and reporter.isatty
    # Under -p no:terminal there is no -q either, so the terminal is asked for first.
    if hasattr(config, "workerinput") or not is_terminal or config.option.verbose < 0:
        return None
    return lambda name: Bar(name, config)


@contextlib.contextmanager
def progress(config: pytest.Config, name: str, unit: str) -> Iterator[Bar | None]:
    """A bar for the time of a block, where :func:`shower` says that there is one."""
    bar = Bar(name, config, unit) if shower(config) else None
    try:
        yield bar
    finally:
        if bar is not None:
            bar.close()


class Bar:
    """A progress bar on the terminal, although pytest captures what tests write; what is quickly done shows none."""

    def __init__(self, name: str, config: pytest.Config, unit: str = "steps") -> None:
        self._name, self._unit = name, f" {unit}"
        self._capture = config.pluginmanager.get_plugin("capturemanager")
        self._bar: Any = None
        self._last = monotonic()

    def _uncaptured(self) -> contextlib.AbstractContextManager[None]:
        manager = self._capture
        return contextlib.nullcontext() if manager is None else manager.global_and_fixture_disabled()

    def __call__(self, step: int, steps: int, loss: float | None = None) -> None:
        """Move the bar on, at most every half second."""
        if monotonic() - self._last < _EVERY:
            return
        self._last = monotonic()
        with self._uncaptured():
            if self._bar is None:
                from tqdm import tqdm

                # Counts from where an interrupted training goes on, so that the remaining time is right.
                self._bar = tqdm(
                    total=steps, desc=self._name, initial=step, file=sys.__stderr__, leave=False, unit=self._unit
                )
            self._bar.update(step - self._bar.n)
            if loss is not None:
                self._bar.set_postfix_str(f"loss {loss:.4g}", refresh=False)

    def close(self) -> None:
        """Take the bar off the screen."""
        if self._bar is not None:
            with self._uncaptured():
                self._bar.close()
