"""Which packaged suites a model takes part in, by what it declares and offers; nothing is evaluated or trained."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from importlib import import_module
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any

from ..benchmarks import Benchmark, NeedsData, registry
from ..errors import GenbenchError, MissingOutputError, ModelError, OptionError, nearest
from ..learners.find import Found, lookup
from ..models import Model, ModelOptions, exists, has_split, load
from ..models.contract import show
from ..models.inspect import fitted
from ..models.load import kind_of
from ..session.check import takes_part
from ..session.exposure import EXPOSED, exposure
from ..session.suites import GROUP, OURS, folder, names
from ..splits import Split
from .ini import Ini

_get = cache(registry.get)


@dataclass(frozen=True)
class Test:
    """What a test of a suite asks for."""

    __test__ = False

    suite: str
    benchmark: Benchmark
    family: str
    tasks: tuple[str, ...]


@dataclass(frozen=True)
class Part:
    """A test that a model takes part in.

    Attributes:
        test: The test.
        tasks: The ways in which it does.
        splits: How many of its splits are tested.
        of: How many there are.
        missing: How many fail because the model has no file for them.
    """

    test: Test
    tasks: tuple[str, ...]
    splits: int
    of: int
    missing: int = 0


@dataclass(frozen=True)
class Fit:
    """Where a model takes part.

    Attributes:
        parts: The tests it takes part in.
        reasons: Why not in the others, by benchmark.
        is_trained: Whether it is a learner, or a readout is trained over it, so that there is something to be kept in the cache.
        is_learner: Whether it is a learner.
        needs_torch: Whether it needs torch.
    """

    parts: tuple[Part, ...]
    reasons: Mapping[str, str]
    is_trained: bool = False
    is_learner: bool = False
    needs_torch: bool = False

    @property
    def suites(self) -> list[str]:
        """Names of the suites that hold these tests."""
        return sorted({part.test.suite for part in self.parts})

    def of(self, suites: Iterable[str]) -> Fit:
        """Return the part of it that is about some suites."""
        chosen = set(suites)
        return replace(self, parts=tuple(part for part in self.parts if part.test.suite in chosen))


def packages() -> dict[str, str]:
    """Return the package of each suite, ours and those of other packages, by its name."""
    return {name: f"{OURS}.{name}" for name in names()} | {each.name: each.value for each in entry_points(group=GROUP)}


def tests(suites: Iterable[str], ini: Ini) -> Iterator[Test]:
    """Read what the tests of some suites ask for from their markers.

    Raises:
        OptionError: There is no such suite.
    """
    known = packages()
    for suite in suites:
        if suite not in known:
            raise OptionError(f"No suite {suite!r}.{nearest(suite, [*known, 'all'])}")
        root = folder(known[suite])
        for path in sorted(root.rglob("test_*.py")):
            module = import_module(".".join((known[suite], *path.relative_to(root).with_suffix("").parts)))
            for value in vars(module).values():
                for mark in getattr(value, "pytestmark", ()):
                    if mark.name == "genbench":
                        yield from _tests(suite, mark.kwargs, ini, path.parent)


def _tests(suite: str, marker: Mapping[str, Any], ini: Ini, place: Path) -> Iterator[Test]:
    for name in _several(marker["benchmark"]):
        benchmark = name if not isinstance(name, str) else _benchmark(name, ini, place)
        usual = [each for each, task in benchmark.tasks.items() if not task.on_request]
        tasks = tuple(_several(marker.get("needs") or usual or list(benchmark.tasks)))
        for family in _several(marker["family"]):
            yield Test(suite, benchmark, family, tasks)


def _several(value: Any) -> list[Any]:
    return list(value) if isinstance(value, list | tuple) else [value]


def _benchmark(name: str, ini: Ini, place: Path) -> Benchmark:
    if name.endswith(registry.DESCRIPTION):
        return registry.get(str(place / name))
    presets = {key or "*": preset for key, _, preset in (line.rpartition("=") for line in ini.lines("preset"))}
    data = ini.text("data")
    return _get(name, presets.get(name, presets.get("*")), Path(data) if data else None)


def fit(options: ModelOptions, ini: Ini, suites: Iterable[str]) -> Fit:
    """Find the tests of some suites that a model takes part in.

    Raises:
        OptionError: There is no such suite.
        ModelError: The model cannot be loaded.
    """
    kind, probe = kind_of(options), bool(ini.text("probe"))
    found = lookup(options)
    parts: list[Part] = []
    reasons: dict[str, str] = {}
    loader = _Loader(options)
    for test in tests(suites, ini):
        try:
            parts.append(_of_learner(found, test, probe) if found else _of_model(loader, test, probe))
        except GenbenchError as error:
            reasons.setdefault(test.benchmark.name, str(error))
    reasons = {
        name: reason for name, reason in reasons.items() if all(part.test.benchmark.name != name for part in parts)
    }
    needs_torch = kind not in ("onnx", "factory") or (kind == "factory" and "torch" in sys.modules)
    return Fit(tuple(parts), reasons, found is not None or probe, found is not None, needs_torch)


def _of_learner(found: Found, test: Test, probe: bool) -> Part:
    """Say which tasks of a test the models of a learner take part in.

    Raises:
        MissingOutputError: In none.
        BenchmarkError: The data are missing.
    """
    target = getattr(found.learner, "benchmark", None)
    if target not in (None, test.benchmark.name):
        raise MissingOutputError(f"the learner is for {target}")
    splits = test.benchmark.splits(test.family)
    _check_data(test, splits)
    offered = set(found.learner.outputs)
    tasks = [name for name in test.tasks if offered.issuperset(test.benchmark.tasks[name].outputs)]
    tasks = tasks or _by_probe(test, offered, probe)
    if not tasks:
        raise MissingOutputError(f"needs {_needed(test)}; the learner offers {', '.join(sorted(offered))}")
    return Part(test, tuple(tasks), len(splits), len(splits))


@dataclass
class _Loader:
    """Loads a model as it is for one test after another, which most often is the same file."""

    options: ModelOptions
    _last: dict[object, Model] = field(default_factory=dict)

    def load(self, benchmark: Benchmark, split: Split | None) -> Model:
        """Load the model for a split; without one, any file of a template stands for all.

        Raises:
            ModelError: It cannot be loaded.
        """
        options, slug = self.options.of(benchmark.name), None if split is None else split.slug
        # A file knows what it takes; a function is tried on images of the shape to come.
        shape = None if options.spec.endswith(".onnx") else benchmark.image_shape
        key = (options.spec, slug if has_split(options) else None, shape)
        if key not in self._last:
            self._last = {key: load(options, split=slug, image_shape=benchmark.image_shape)}
        return self._last[key]


def _of_model(loader: _Loader, test: Test, probe: bool) -> Part:
    """Say which tasks and how many splits of a test a model takes part in.

    Raises:
        MissingOutputError: In none.
        ModelError: It takes other inputs, or cannot be loaded.
        BenchmarkError: The data are missing.
    """
    benchmark, options = test.benchmark, loader.options.of(test.benchmark.name)
    splits = test.benchmark.splits(test.family)
    _check_data(test, splits)
    there = [split for split in splits if not has_split(options) or exists(options, split.slug, 0)]
    model = loader.load(benchmark, there[0] if there else None)
    if model.contract.benchmark not in (None, benchmark.name):
        raise MissingOutputError(f"the model declares genbench.benchmark = {model.contract.benchmark}")
    tasks = _by_probe(test, set(model.contract.outputs), probe)
    if not tasks:
        tasks = _tasks(model, test)
    if not there:
        raise ModelError(f"no file for any split of the family {test.family}, such as {splits[0].slug}")
    open_ = [split for split in there if has_split(options) or _is_unseen(model, benchmark, split)]
    if not open_:
        raise ModelError(
            f"the model was trained on what is held out: it declares {', '.join(model.contract.trained_on)}"
        )
    return Part(test, tuple(tasks), len(open_), len(splits), len(splits) - len(there))


def _tasks(model: Model, test: Test) -> list[str]:
    """Find the tasks that a model takes part in as it is."""
    model, benchmark = fitted(model, test.benchmark)
    shape, sides = model.contract.shape, benchmark.image_shape
    expected = (*sides[:-3], sides[-1], *sides[-3:-1]) if len(sides) > 1 else sides
    if any(a not in (None, b) for a, b in zip(shape, expected, strict=True)):
        raise ModelError(
            f"the model takes {show(shape)}; {benchmark.name} has {show(expected)} (channels, height, width)"
        )
    wanted = {name: benchmark.tasks[name] for name in test.tasks}
    return list(takes_part(model, wanted, benchmark.name)[0])


def _by_probe(test: Test, offered: set[str], probe: bool) -> list[str]:
    """List the tasks that a readout over an embedding takes part in, where one was asked for."""
    if not probe or "embedding" not in offered or len(test.benchmark.image_shape) != 3:
        return []
    tasks = test.benchmark.tasks
    return [name for name in test.tasks if all(output.startswith("factor") for output in tasks[name].outputs)]


def _is_unseen(model: Model, benchmark: Benchmark, split: Split) -> bool:
    return exposure(model.contract.trained_on, benchmark, split) != EXPOSED


def _check_data(test: Test, splits: Iterable[Split]) -> None:
    if isinstance(test.benchmark, NeedsData):
        for split in splits:
            test.benchmark.check_data(split)


def _needed(test: Test) -> str:
    return " or ".join(" and ".join(test.benchmark.tasks[name].outputs) for name in test.tasks)
