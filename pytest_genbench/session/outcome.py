"""Judge the run as a whole: announce it, evaluate aggregates, refuse a wrong green, save and show what was found."""

from __future__ import annotations

import importlib.metadata
import platform
import subprocess
import sys
from collections.abc import Generator
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from .. import __version__
from ..errors import DocumentError, GenbenchError, OptionError
from ..gates import judge_aggregates, judge_document
from ..report import html, markdown, text
from ..results.io import write
from ..results.merge import check_one_model, update
from ..results.schema import AggregateResult, Document
from ..results.writing import count
from ..threads import per_process
from .items import NO_MODEL, is_ours, marker_for, split_of

if TYPE_CHECKING:
    from . import Session

INTERRUPTED = "INTERRUPTED"
"""How the note begins that says what became of trainings."""

_PACKAGES = ("numpy", "scipy", "pytest", "onnxruntime-gpu", "onnxruntime", "torch")


class Outcome:
    """Hooks on the run, active on the controller or in the only process there is."""

    def __init__(self, session: Session, config: pytest.Config) -> None:
        self._session = session
        self._config = config
        self._aggregates: list[AggregateResult] = []
        self._header: list[str] = []
        self._warnings: list[str] = []

    @property
    def _reporter(self) -> pytest.TerminalReporter | None:
        reporter: pytest.TerminalReporter | None = self._config.pluginmanager.get_plugin("terminalreporter")
        return reporter

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> Generator[None, Any, Any]:
        """Check the model before the first test, and the whole after the last."""
        if self._session.is_worker or session.config.option.collectonly:
            return (yield)
        marked = [item for item in getattr(session, "items", ()) if is_ours(item)]
        # An xdist controller collects nothing; there the command line has to tell whether marked tests will run.
        if marked or self._config.option.genbench_model or self._config.option.genbench_suite:
            self._announce(marked)
        try:
            result = yield
        finally:
            # Also after -x or Ctrl-C: the summary then says what was not evaluated.
            self._aggregates = judge_aggregates(
                list(self._session.records.cases.values()), self._session.records.expected, self._session.gates
            )
        self._report_aggregates(session)
        self._refuse_wrong_green(session)
        return result

    def _announce(self, marked: list[pytest.Item]) -> None:
        """Load the model before any test runs, so that a wrong path is one usage error and not one failure per test."""
        try:
            if not self._session.store.is_given:
                raise OptionError(NO_MODEL)
            shape = marker_for(marked[0], self._session).benchmark.image_shape if marked else None
            store = self._session.store
            model = store.first(split_of(marked[0]) if marked else None, shape)
        except GenbenchError as error:
            raise pytest.UsageError(f"genbench: {error}") from None
        workers = getattr(self._config.option, "numprocesses", None) or 1
        self._header = text.header(store.spec, model, per_process(workers), store.is_template, store.learner)
        self._warnings = text.warnings(model)
        if probe := self._session.settings.probe:
            kind = {"linear": "a linear readout", "mlp": "an MLP readout"}[probe]
            self._header.append(
                f"probe: {kind} is trained for each split over the frozen embedding, and that is what is tested"
            )
        if self._reporter is not None:
            self._reporter.ensure_newline()
            for line in self._header:
                self._reporter.write_line(f"genbench: {line}")

    def _report_aggregates(self, session: pytest.Session) -> None:
        """Report each aggregate as a test of its own, so that it counts, shows in JUnit and can fail the run."""
        judged = [each for each in self._aggregates if each.verdict != "not evaluated"]
        if judged and self._reporter is not None:
            # Ends the line of the last test, which would otherwise be given its percentage a second time. Under xdist and -q the
            # reporter does not know that it stands in the middle of one.
            self._reporter.ensure_newline()
            if self._config.pluginmanager.hasplugin("dsession") or self._config.option.verbose < 0:
                self._reporter.line("")
        session.testscollected += len(judged)
        for each in judged:
            parts = (each.benchmark, each.preset, each.family, each.output, each.group, each.statistic)
            name = "::".join(filter(None, parts))
            report = pytest.TestReport(
                nodeid=f"genbench::{name}",
                location=("genbench", None, name),
                keywords={},
                outcome="passed" if each.verdict == "passed" else "failed",
                longrepr=None if each.verdict == "passed" else f"{each.verdict}: {each.reason}",
                when="call",
                user_properties=[("genbench.verdict", each.verdict), ("genbench.value", each.value)],
            )
            hook = self._config.hook
            hook.pytest_runtest_logstart(nodeid=report.nodeid, location=report.location)
            hook.pytest_runtest_logreport(report=report)
            hook.pytest_runtest_logfinish(nodeid=report.nodeid, location=report.location)

    def _refuse_wrong_green(self, session: pytest.Session) -> None:
        records, notes = self._session.records, self._session.notes
        stopped = session.shouldstop or session.shouldfail
        if records.missing and not stopped:
            lost = sorted(records.missing)
            notes.append(f"INCOMPLETE: {len(lost)} tests were scheduled but never reported, such as {lost[0]}")
            session.testsfailed += 1
        judged = [case for case in records.cases.values() if case.verdict != "not comparable"]
        if records.ours and not judged and not stopped:
            reasons = sorted(set(records.skipped.values())) or ["every test ended before it was evaluated"]
            more = f" (and {len(reasons) - 1} other reasons)" if len(reasons) > 1 else ""
            notes.append(f"NOTHING EVALUATED: {reasons[0]}{more}")
            session.testsfailed += 1

    @property
    def document(self) -> Document:
        """The results document of this run."""
        records = self._session.records
        return Document(
            cases=tuple(records.cases[key] for key in sorted(records.cases)),
            expected=dict(records.expected),
            aggregates=tuple(self._aggregates),
            skipped=records.named(records.skipped),
            broken=records.named(records.broken),
            notes=(*self._warnings, *self._session.notes),
            environment=environment(),
            model=self._session.store.plain(),
            created=datetime.now(UTC).isoformat(timespec="seconds"),
            commit=commit(self._config.rootpath),
        )

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        """Save what was found, also after an interruption; a run whose results are lost is not green."""
        records = self._session.records
        if self._session.is_worker or not records.ours:
            return
        # Before any of them notes what it wrote: what is written is about the run.
        document = self.document
        for write_part in (self._write_results, self._write_summary, self._write_report):
            try:
                write_part(document)
            except (GenbenchError, OSError) as error:
                self._session.notes.append(f"NOT SAVED: {error}")
                session.exitstatus = session.exitstatus or pytest.ExitCode.TESTS_FAILED

    def _write_results(self, document: Document) -> None:
        path = self._session.settings.save
        if path is not None and document.cases:
            write(path, self._joined(document))
            self._session.notes.append(f"saved {count(len(document.cases), 'case')} to {path}")

    def _write_summary(self, document: Document) -> None:
        path = self._session.settings.summary
        if path is not None and document.cases:
            with path.open("a", encoding="utf-8") as file:
                file.write(markdown.summary(document))

    def _write_report(self, document: Document) -> None:
        """Also of a run in which nothing was evaluated: the page says why."""
        path = self._session.settings.report
        if path is not None:
            page = html.page(document, baseline=self._session.baseline, known=self._session.known())
            html.write_page(path, page)
            self._session.notes.append(f"report: {path}")

    def pytest_keyboard_interrupt(self) -> None:
        """Say that what was found is not all, and that nothing of a training is lost."""
        session = self._session
        if session.is_worker:
            return
        if session.store.learner:
            session.notes.append(f"{INTERRUPTED}: the same command goes on from where trainings are")
        elif session.records.ours:
            session.notes.append(f"{INTERRUPTED}: the run was stopped before all of its tests had ended")

    def _joined(self, document: Document) -> Document:
        """Add what the file to be saved already holds and this run did not touch."""
        previous = self._session.previous
        if previous is None:
            return document
        joined = judge_document(update(previous, document), self._session.gates)
        try:
            check_one_model([joined], joined.cases)
        except DocumentError as error:
            self._session.notes.append(f"MIXED: cases that this run did not touch are of an earlier model. {error}")
        return joined

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """Show the tables, what was skipped, and one line that says how it went."""
        # A training may have been interrupted before any test reported.
        is_told = bool(self._session.records.ours) or any(note.startswith(INTERRUPTED) for note in self._session.notes)
        if self._session.is_worker or not is_told:
            return
        terminalreporter.write_sep("=", "genbench")
        if not self._header:
            terminalreporter.write_line(f"model {self._session.store.spec}")
        for line in text.summary(replace(self.document, notes=tuple(self._session.notes))):
            markup = {line.colour: True} if line.colour else {}
            terminalreporter.write_line(line.text, bold=line.bold, **markup)


def environment() -> dict[str, str]:
    """Versions that scores may depend on."""
    versions = {"pytest-genbench": __version__, "python": platform.python_version(), "platform": sys.platform}
    for package in _PACKAGES:
        try:
            versions[package] = importlib.metadata.version(package)
        except importlib.metadata.PackageNotFoundError:
            continue
    return versions


def commit(folder: Path) -> str:
    """Return the commit checked out in a folder; empty where there is no repository or no git."""
    try:
        found = subprocess.run(
            ["git", "rev-parse", "HEAD"], cwd=folder, capture_output=True, text=True, timeout=5, check=False
        )
    except (OSError, subprocess.SubprocessError):
        return ""
    return found.stdout.strip() if found.returncode == 0 else ""
