"""The session: everything that happens in a run that uses genbench.

It knows every other part of the package and computes nothing itself. ``items`` makes and skips tests, ``check`` runs one of them,
``transport`` carries its results to the controller, ``outcome`` judges the run as a whole.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress

import pytest

from ..benchmarks import Benchmark, get, names
from ..errors import DocumentError, GenbenchError
from ..gates import load as load_gates
from ..results.io import read
from ..results.merge import check_one_model, model_name
from ..results.schema import Document
from .items import Items
from .outcome import Outcome
from .settings import Settings
from .store import ModelStore
from .suites import foreign_gates
from .transport import Records, Transport, XdistTransport

SESSION_KEY = pytest.StashKey["Session"]()


class Session:
    """What a run knows: its settings, the model, gates, baseline, and the results so far.

    Attributes:
        settings: What the user asked for.
        store: Loads the model under test.
        gates: Shipped gates, with the user's looked up first.
        baseline: The document to compare with; None where none is given or it does not exist.
        previous: What the file to be saved already holds.
        records: Results so far.
        notes: Lines for the summary: what the user should know about this run.
        collection_errors: Markers that cannot be read, reported together when collection is over.
        benchmarks: Benchmarks that collected tests use.
        is_worker: Whether this process is an xdist worker.

    Raises:
        pytest.UsageError: An option, gates file or results document cannot be used.
    """

    def __init__(self, config: pytest.Config) -> None:
        config.stash[SESSION_KEY] = self
        self.is_worker = hasattr(config, "workerinput")
        self.settings = settings = Settings.of(config)
        self.notes: list[str] = []
        self.collection_errors: list[str] = []
        self.benchmarks: dict[str, Benchmark] = {}
        self.records = Records()
        try:
            self.store = ModelStore(config, settings)
            self.gates = load_gates(settings.gates, foreign_gates())
            self.baseline = self._read_baseline()
            self.previous = self._read_previous()
        except GenbenchError as error:
            raise pytest.UsageError(f"genbench: {error}") from None
        for part in (Items(self), Transport(self.records), Outcome(self, config)):
            config.pluginmanager.register(part)
        if config.pluginmanager.hasplugin("xdist"):
            config.pluginmanager.register(XdistTransport(self.records))

    def known(self) -> Mapping[str, Benchmark]:
        """Benchmarks of this run that cannot be had by name alone, by name: people's own tables, and those of published files.

        With workers the controller has collected nothing, so that it opens them itself.
        """
        found = {name: benchmark for name, benchmark in self.benchmarks.items() if name not in names()}
        for name, source in self.records.sources.items():
            if name not in found:
                with suppress(GenbenchError):
                    found[name] = get(source)
        if self.settings.data is not None:
            for name in {case.benchmark for case in self.records.cases.values()} & set(names()):
                with suppress(GenbenchError):
                    found[name] = get(name, self.settings.preset(name), self.settings.data)
        return found

    def _read_previous(self) -> Document | None:
        """Read the file to be saved, unless it is of another model: half of each would pass for one of them."""
        path = self.settings.save
        if path is None or not path.exists():
            return None
        previous = read(path)
        # Whether a callable gives a learner is not known yet; if it gave one then, it does so now.
        budget = {"budget": self.store.budget} if "budget" in previous.model else {}
        ours = Document(model={"spec": self.store.spec, "probe": self.settings.probe, **budget})
        try:
            check_one_model([previous, ours], ())
        except DocumentError:
            raise DocumentError(
                f"--genbench-save={path} holds results of {model_name(previous)}, not of {model_name(ours)}; "
                "save to another file, or delete that one."
            ) from None
        return previous

    def _read_baseline(self) -> Document | None:
        path, required = self.settings.baseline, self.settings.require_baseline
        if path is not None and (path.exists() or required):
            return read(path)
        if path is not None:
            self.notes.append(f"BASELINE MISSING: {path} does not exist, so scores were held to floors only")
        elif required:
            raise GenbenchError("--genbench-require-baseline needs --genbench-baseline=FILE.")
        return None
