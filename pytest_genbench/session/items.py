"""Marked tests: one item for each split, sharded by split, skipped where the model cannot take part."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from ..benchmarks import Benchmark, get, names
from ..benchmarks.registry import DESCRIPTION
from ..errors import BenchmarkError, GenbenchError, MissingDataError, MissingLibraryError, MissingOutputError, nearest
from ..gates import Known, validate
from .check import CASES, CHECK, Check

if TYPE_CHECKING:
    from . import Session

_ARGUMENTS = {"benchmark", "family", "needs"}

NO_MODEL = (
    "no model to test; give --genbench-model=FILE.onnx or module:factory, "
    "set genbench_model in the ini file, or implement pytest_genbench_model in conftest.py."
)

_get = cache(get)


@dataclass(frozen=True)
class Marker:
    """The arguments of a ``genbench`` marker, checked."""

    benchmark: Benchmark
    family: str
    needs: tuple[str, ...]

    @classmethod
    def all_of(cls, mark: pytest.Mark, session: Session) -> list[Marker]:
        """Read a marker, which may name several benchmarks and several families.

        Raises:
            GenbenchError: As for :meth:`of`.
        """
        benchmarks, families = (_several(mark.kwargs.get(name)) for name in ("benchmark", "family"))
        if len(benchmarks) * len(families) == 1:
            return [cls.of(mark, session)]
        return [
            cls.of(mark.combined_with(pytest.mark.genbench(benchmark=benchmark, family=family).mark), session)
            for benchmark in benchmarks
            for family in families
        ]

    @classmethod
    def of(cls, mark: pytest.Mark, session: Session) -> Marker:
        """Read a marker of one benchmark and one family.

        Raises:
            GenbenchError: Unknown or missing arguments, benchmark, family or task.
        """
        unknown = mark.kwargs.keys() - _ARGUMENTS
        if mark.args or unknown:
            wrong = ", ".join(sorted(unknown)) or "a positional argument"
            raise BenchmarkError(f"The genbench marker takes {', '.join(sorted(_ARGUMENTS))} by name; got {wrong}.")
        missing = {"benchmark", "family"} - mark.kwargs.keys()
        if missing:
            raise BenchmarkError(f"The genbench marker lacks {' and '.join(sorted(missing))}.")
        benchmark = mark.kwargs["benchmark"]
        if isinstance(benchmark, str) and benchmark.endswith(DESCRIPTION):
            benchmark = _described(benchmark, session)
        elif isinstance(benchmark, str):
            benchmark = _get(benchmark, session.settings.preset(benchmark), session.settings.data)
        usual = tuple(name for name, task in benchmark.tasks.items() if not task.on_request)
        needs = mark.kwargs.get("needs") or usual or tuple(benchmark.tasks)
        needs = (needs,) if isinstance(needs, str) else tuple(needs)
        for task in needs:
            if task not in benchmark.tasks:
                raise BenchmarkError(f"{benchmark.name} has no task {task!r}.{nearest(task, benchmark.tasks)}")
        return cls(benchmark, mark.kwargs["family"], needs)


def _several(value: Any) -> list[Any]:
    return list(value) if isinstance(value, list | tuple) else [value]


def _described(path: str, session: Session) -> Benchmark:
    """Open a table by its description, once for all tests of a run."""
    for known in session.benchmarks.values():
        if getattr(known, "source", None) == Path(path).resolve():
            return known
    found = get(path, session.settings.preset(path))
    if found.name in session.benchmarks:
        raise BenchmarkError(f"{path}: another benchmark of this run is called {found.name} too; rename one of them.")
    # Also where the test turns out to be wrong: the next one need not read the table again.
    session.benchmarks[found.name] = found
    return found


def _located(mark: pytest.Mark, node: pytest.Item) -> pytest.Mark:
    """Turn the path of a description into an absolute one: beside the test file, else in the working directory."""
    path = mark.kwargs.get("benchmark")
    if not isinstance(path, str) or not path.endswith(DESCRIPTION):
        return mark
    places = [node.path.parent / path, node.config.invocation_params.dir / path]
    chosen = next((place for place in places if place.is_file()), places[0])
    return mark.combined_with(pytest.mark.genbench(benchmark=str(chosen)).mark)


def parametrise(metafunc: pytest.Metafunc, mark: pytest.Mark) -> None:
    """Run a marked test once for each split of its family, named by the split.

    A marker that cannot be read is kept for :class:`Items` to report, since an error raised here would come with a traceback.
    """
    from . import SESSION_KEY

    session = metafunc.config.stash[SESSION_KEY]
    try:
        markers = Marker.all_of(_located(mark, metafunc.definition), session)
        splits = [split for marker in markers for split in marker.benchmark.splits(marker.family)]
        session.benchmarks |= {marker.benchmark.name: marker.benchmark for marker in markers}
    except GenbenchError as error:
        session.collection_errors.append(f"{metafunc.definition.nodeid}: {error}")
        splits = []
    if "split" in metafunc.fixturenames:
        is_one = len({split.benchmark for split in splits}) < 2
        names = [split.slug if is_one else f"{split.benchmark}-{split.slug}" for split in splits]
        metafunc.parametrize("split", splits, ids=names)
    else:
        session.collection_errors.append(f"{metafunc.definition.nodeid}: a genbench test takes the argument split")


def _listed(errors: Sequence[str]) -> str:
    """Name each error, and of those that several tests have the first of these."""
    tests: dict[str, list[str]] = {}
    for error in errors:
        test, separator, reason = error.partition(": ")
        tests.setdefault(reason if "::" in test else error, []).append(test + separator if "::" in test else "")
    more = {reason: f" (and {len(found) - 1} more like it)" for reason, found in tests.items() if len(found) > 1}
    return "; ".join(found[0] + reason + more.get(reason, "") for reason, found in tests.items())


class Items:
    """Hooks on items."""

    def __init__(self, session: Session) -> None:
        self._session = session

    @pytest.hookimpl(tryfirst=True)
    def pytest_collection_modifyitems(self, config: pytest.Config, items: list[pytest.Item]) -> None:
        """Refuse wrong markers and suites without a model; keep this shard's splits."""
        session = self._session
        self._validate_gates()
        ours = [item for item in items if is_ours(item)]
        if ours and not session.store.is_given and not config.option.collectonly:
            session.collection_errors.append(NO_MODEL)
        if session.collection_errors and not session.is_worker:
            # A worker has no way to report a usage error; there the tests fail with it one by one.
            raise pytest.UsageError("genbench: " + _listed(session.collection_errors))
        if session.settings.shard and ours:
            self._keep_shard(config, items, session.settings.shard)

    def _validate_gates(self) -> None:
        """Refuse gates of the user's that fit nothing; only now are all benchmarks known."""
        session = self._session
        if session.settings.gates is None:
            return
        benchmarks = {name: _get(name) for name in names()} | session.benchmarks
        try:
            validate(session.gates, {name: _names_in(benchmark) for name, benchmark in benchmarks.items()})
        except GenbenchError as error:
            session.collection_errors.append(str(error))

    def _keep_shard(self, config: pytest.Config, items: list[pytest.Item], shard: tuple[int, int]) -> None:
        part, parts = shard
        order: dict[str, int] = {}
        kept: list[pytest.Item] = []
        left: list[pytest.Item] = []
        for item in items:
            split = split_of(item)
            # Tests that are not ours run in the first shard only.
            number = 0 if split is None else order.setdefault(split.id, len(order))
            (kept if number % parts == part - 1 else left).append(item)
        config.hook.pytest_deselected(items=left)
        items[:] = kept

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_setup(self, item: pytest.Item) -> None:
        """Prepare the check before any fixture of the test is made."""
        if not is_ours(item):
            return
        # What an earlier attempt left, where the test is run again.
        item.stash[CASES] = []
        item.user_properties[:] = [each for each in item.user_properties if not each[0].startswith("genbench.")]
        if self._session.collection_errors:
            pytest.fail("genbench: " + _listed(self._session.collection_errors), pytrace=False)
        broken = ""
        try:
            marker = marker_for(item, self._session)
            check = Check(self._session, item, marker.benchmark, split_of(item))
            check.prepare(marker.needs)
            item.stash[CHECK] = check
        except (MissingDataError, MissingLibraryError, MissingOutputError) as error:
            pytest.skip(str(error))
        except GenbenchError as error:
            broken = str(error)
        if broken:  # outside the block: pytest would show what led to an error that is raised within
            pytest.fail(f"genbench: {broken}", pytrace=False)


def _names_in(benchmark: Benchmark) -> Known:
    metrics = {metric: way for task in benchmark.tasks.values() for metric, way in task.metrics.items()}
    return Known(families=benchmark.families, outputs=tuple(benchmark.tasks), metrics=metrics)


def is_ours(item: pytest.Item) -> bool:
    """Whether a test carries our marker."""
    return item.get_closest_marker("genbench") is not None


def marker_of(item: pytest.Item) -> pytest.Mark:
    """The marker of a test that carries it."""
    mark = item.get_closest_marker("genbench")
    assert mark is not None
    return _located(mark, item)


def marker_for(item: pytest.Item, session: Session) -> Marker:
    """The marker of a test that carries it, as far as it is about the benchmark of the test's split.

    Raises:
        GenbenchError: As for :meth:`Marker.of`.
    """
    markers = Marker.all_of(marker_of(item), session)
    split = split_of(item)
    about = split is not None and split.benchmark
    return next((each for each in markers if each.benchmark.name == about), markers[0])


def name_of(item: pytest.Item) -> str:
    """Name a marked test for results documents: benchmark, family and split, and what it asks for where its marker says so."""
    split = split_of(item)
    if split is None:
        return item.name
    needs = _several(marker_of(item).kwargs.get("needs") or [])
    return " ".join([f"{split.benchmark}/{split.family}/{split.slug}", *([", ".join(needs)] if needs else [])])


def split_of(item: pytest.Item) -> Any:
    """The split an item was parametrised with; None for other tests."""
    callspec = getattr(item, "callspec", None)
    return callspec.params.get("split") if callspec is not None and is_ours(item) else None
