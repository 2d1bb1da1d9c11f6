"""Carry results from the process that ran a test to the one that judges the run, and notice when some are missing.

Results travel on the test report: with xdist, reports reach the controller one by one and survive a crash of the worker that made
them, which ``workeroutput`` does not.
"""

from __future__ import annotations

from collections.abc import Generator, Mapping
from typing import Any

import pytest

from ..results.io import case_from_plain
from ..results.schema import Case
from .check import CASES, CHECK
from .items import is_ours, name_of

_CRASHED: Any = "???"
"""The phase that xdist gives in the report of a test in which a worker crashed."""


class Records:
    """What the reports of a run brought: kept on the controller, or in the only process there is.

    Attributes:
        cases: Cases by key; a rerun of a test replaces its earlier attempt.
        skipped: Reason by node id, for marked tests that were skipped.
        broken: Reason by node id, for tests that failed without a result: a model that cannot be loaded, a crash.
        names: Names of marked tests in results documents, by node id.
        sources: Descriptions of people's own tables, by the name of the benchmark.
        expected: Slugs of all splits by ``benchmark/preset/family/output``.
        ours: Node ids of marked tests that reported.
        finished: Node ids of all tests that reported to the end.
        scheduled: Node ids that xdist's workers collected.
    """

    def __init__(self) -> None:
        self.cases: dict[tuple[str, ...], Case] = {}
        self.skipped: dict[str, str] = {}
        self.broken: dict[str, str] = {}
        self.names: dict[str, str] = {}
        self.sources: dict[str, str] = {}
        self.expected: dict[str, tuple[str, ...]] = {}
        self.ours: set[str] = set()
        self.finished: set[str] = set()
        self.scheduled: set[str] = set()

    @property
    def missing(self) -> set[str]:
        """Node ids that were scheduled and never finished."""
        return self.scheduled - self.finished

    def add(self, report: pytest.TestReport) -> None:
        """Take what a report brings."""
        is_crash = report.when == _CRASHED
        if is_crash or report.when == "teardown":
            self.finished.add(report.nodeid)
        brought = getattr(report, "genbench", None)
        if is_crash:
            self.broken[report.nodeid] = "the worker that ran it crashed"
        if brought is None:
            return
        self.ours.add(report.nodeid)
        self.names[report.nodeid] = brought["name"]
        self.sources |= brought["sources"]
        if report.failed and not brought["cases"]:
            self.broken[report.nodeid] = _why(report)
        else:
            # An earlier attempt may have broken before this one.
            self.broken.pop(report.nodeid, None)
        for plain in brought["cases"]:
            case = case_from_plain(plain)
            self.cases[case.key] = case
        self.expected.update({name: tuple(slugs) for name, slugs in brought["expected"].items()})
        if report.skipped and isinstance(report.longrepr, tuple):
            self.skipped[report.nodeid] = report.longrepr[2].removeprefix("Skipped: ")

    def named(self, reasons: Mapping[str, str]) -> dict[str, str]:
        """Return reasons by the names of tests, sorted; a crash may have come before the test had one."""
        found = {self.names.get(nodeid, nodeid.rpartition("::")[2]): reason for nodeid, reason in reasons.items()}
        return dict(sorted(found.items()))


class Transport:
    """Hooks on reports."""

    def __init__(self, records: Records) -> None:
        self._records = records

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(
        self, item: pytest.Item, call: pytest.CallInfo[None]
    ) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        """Attach a marked test's results, as builtin types, to its report."""
        report = yield
        if is_ours(item) and call.when in ("setup", "call"):
            cases = item.stash.get(CASES, []) if call.when == "call" else []
            report.genbench = {  # type: ignore[attr-defined]
                "name": name_of(item),
                "cases": cases,
                "expected": _expected(item, cases),
                "sources": _sources(item),
            }
        return report

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Collect results; on an xdist worker nobody reads them, on the controller they are all there."""
        self._records.add(report)


class XdistTransport:
    """The same for what only xdist knows; registered only when xdist is there, so that it is never imported."""

    def __init__(self, records: Records) -> None:
        self._records = records

    def pytest_xdist_node_collection_finished(self, node: Any, ids: list[str]) -> None:
        """Remember what is to be run."""
        self._records.scheduled.update(ids)

    def pytest_xdist_make_scheduler(self, config: pytest.Config, log: Any) -> Any:
        """Keep the tests of a split on one worker, where the user left the choice to xdist."""
        if config.getvalue("dist") != "load":
            return None
        from .scheduler import SplitScheduling

        return SplitScheduling(config, log)

    def pytest_xdist_auto_num_workers(self, config: pytest.Config) -> int | None:
        """Start one worker for each GPU under ``-n auto`` when the model may run on CUDA."""
        from . import SESSION_KEY

        model = config.stash[SESSION_KEY].settings.model
        if model is None or model.device not in ("auto", "cuda"):
            return None
        from ..models import visible_cuda_devices

        return len(visible_cuda_devices()) or None


def _why(report: pytest.TestReport) -> str:
    """Say in a line why a test failed."""
    crash = getattr(report.longrepr, "reprcrash", None)
    text = report.longreprtext if crash is None else str(crash.message)
    first = next((line for line in text.splitlines() if line.strip()), "no reason was given")
    return first.strip().removeprefix("Failed: ").removeprefix("genbench: ")


def _sources(item: pytest.Item) -> dict[str, str]:
    """Where an item's benchmark is described, if it is somebody's own table."""
    check = item.stash.get(CHECK, None)
    source = getattr(check.benchmark, "source", None) if check is not None else None
    return {} if check is None or source is None else {check.benchmark.name: str(source)}


def _expected(item: pytest.Item, cases: list[dict[str, Any]]) -> dict[str, list[str]]:
    """List all splits of the family that an item's cases belong to."""
    check = item.stash.get(CHECK, None)
    if check is None or not cases:
        return {}
    slugs = [split.slug for split in check.benchmark.splits(check.split.family)]
    return {f"{c['benchmark']}/{c['preset']}/{c['family']}/{c['output']}": slugs for c in cases}
