"""Load the model under test, once per file and process; train it where it is a learner."""

from __future__ import annotations

import uuid
from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from ..benchmarks import Benchmark, Task, Tells
from ..errors import MissingOutputError, ModelError, OptionError
from ..learners import find, references
from ..learners.find import Found
from ..learners.models import LearnedModels, Training, recorded_model
from ..models import CodeSize, Model, ModelOptions, check, code_size, exists, has_seed, has_split, load, probe, wrap
from ..models.factory import Made, load_factory, make
from ..models.load import kind_of
from ..readout import probed_model
from ..splits import Split
from ..threads import per_process
from .progress import shower

if TYPE_CHECKING:
    from .settings import Settings

_KEPT = 4
"""Models kept in memory: enough for the seeds of one split, few enough for large networks."""

Loaded = tuple[Model, Training | None]
"""A model, and how it was trained where that is known."""


@dataclass(frozen=True)
class _Wish:
    """Which model a test asks for."""

    benchmark: Benchmark
    split: Split
    seed: int
    wanted: Mapping[str, Task]

    def check(self, found: Found) -> None:
        """Skip a test that a learner's models cannot take part in, before they are trained for nothing.

        Raises:
            MissingOutputError: What it says it offers is not what any task needs.
        """
        target = getattr(found.learner, "benchmark", None)
        if target not in (None, self.benchmark.name):
            pytest.skip(f"the learner is for another benchmark: {target}")
        offered = set(found.learner.outputs)
        if not any(offered.issuperset(task.outputs) for task in self.wanted.values()):
            needed = " or ".join(" and ".join(task.outputs) for task in self.wanted.values())
            raise MissingOutputError(
                f"{self.benchmark.name} needs the output {needed}; the learner offers {', '.join(sorted(offered))}"
            )


class ModelStore:
    """The model under test for any split and seed.

    Args:
        config: For the hook by which a project brings its own model.
        settings: The model named on the command line (None where only the hook brings one), seeds, budget, cache.

    Raises:
        OptionError: Several seeds of a model that has no place for one.
    """

    def __init__(self, config: pytest.Config, settings: Settings) -> None:
        # What is typed for this run wins over what the project brings.
        self._is_typed = bool(config.getoption("genbench_model"))
        self._config, self._settings, self._options = config, settings, settings.model
        self.seeds = range(settings.seeds or 1)
        self._loaded: OrderedDict[tuple[object, ...], Loaded] = OrderedDict()
        # The model stands beside its result, so that its id is not given to another.
        self._probed: OrderedDict[int, tuple[Model, CodeSize]] = OrderedDict()
        self._readouts: OrderedDict[tuple[object, ...], tuple[Model, Model]] = OrderedDict()
        self._made: dict[str, Made] = {}
        self._learned: dict[str, LearnedModels] = {}
        # One name for all workers of a run, so that what failed in one is not tried by the next.
        self._run = getattr(config, "workerinput", {}).get("testrunuid") or uuid.uuid4().hex
        may_learn = self._options is not None and kind_of(self._options) in ("reference", "factory")
        if not may_learn and not self._has_hook:
            self._check_seeds(self._options)

    def _check_seeds(self, options: ModelOptions | None) -> None:
        """Refuse several seeds of a model that is loaded, not trained, from one place."""
        if len(self.seeds) > 1 and (options is None or not has_seed(options)):
            raise OptionError(
                f"--genbench-seeds={len(self.seeds)} needs a learner, which is trained with each seed, or a model path that holds "
                "{seed}, one file for each seed."
            )

    @property
    def is_given(self) -> bool:
        """Whether there is any model to test."""
        return self._options is not None or self._has_hook

    @property
    def _has_hook(self) -> bool:
        return not self._is_typed and bool(self._config.hook.pytest_genbench_model.get_hookimpls())

    @property
    def spec(self) -> str:
        """What the user calls the model."""
        if self._options is None or self._has_hook:
            return "brought by the hook pytest_genbench_model"
        return self._options.spec

    @property
    def budget(self) -> Any:
        """How much work to put into a training."""
        return self._settings.budget or "quick"

    @property
    def learner(self) -> str:
        """What is done with the learner, in a few words; empty where the model is known to be no learner."""
        options = self._options
        if options is None or self._has_hook or (kind_of(options) != "reference" and not self._found(options)):
            return ""
        seeds = f"seeds 0 to {len(self.seeds) - 1}" if len(self.seeds) > 1 else "seed 0"
        is_plain = kind_of(options) == "reference" and not references.parse(options.spec)[1]
        recorded = "recorded weights where there are any, else " if is_plain else ""
        return f"{recorded}trained for each split (budget {self.budget}, {seeds}), kept in {self._settings.cache}"

    def plain(self) -> dict[str, Any]:
        """What a results document says of the model as a whole."""
        probe = self._settings.probe
        return {
            "spec": self.spec,
            **({"budget": self.budget} if self.learner else {}),
            **({"probe": probe} if probe else {}),
        }

    @property
    def is_template(self) -> bool:
        """Whether the model is one file for each split."""
        return self._options is not None and not self._has_hook and has_split(self._options)

    def first(self, split: Split | None, image_shape: tuple[int, ...] | None) -> Model | None:
        """Load the model, to find mistakes before any test runs; None for the hook's and for a learner.

        Args:
            split: The first split to be tested, where known; without one, any file of a template stands for all.
            image_shape: Height, width, channels of the first benchmark's images, where known.

        Raises:
            ModelError: It cannot be loaded.
            OptionError: Several seeds of a model that is no learner.
        """
        options = self._options
        if options is None or self._has_hook:
            return None
        check(options)
        if kind_of(options) == "reference":
            if references.parse(options.spec)[1]:
                references.make(options.spec)  # finds wrong settings; weights may be recorded where there are none
            return None
        if kind_of(options) == "factory" and self._found(options):
            return None
        self._check_seeds(options)
        options = options if split is None else options.of(split.benchmark)
        if not has_split(options) or (split is not None and exists(options, split.slug, 0)):
            return self._file(options, None if split is None else split.slug, 0, image_shape)[0]
        # One file that is missing is a failure of its own test.
        return load(options, image_shape=image_shape)

    def sibling(self, benchmark: Benchmark, split: Split, seed: int) -> Model | None:
        """Load another file of a template that has none for this split: what the files have in common shows what they are for.

        Returns:
            None where the file is there, or the model is no template.

        Raises:
            ModelError: It cannot be loaded.
        """
        if self._options is None or not self.is_template:
            return None
        options = self._options.of(benchmark.name)
        if exists(options, split.slug, seed):
            return None
        return self._file(options, None, seed, benchmark.image_shape)[0]

    def get(self, benchmark: Benchmark, split: Split, seed: int, wanted: Mapping[str, Task]) -> Loaded:
        """Return the model for a split and seed, trained if need be.

        Args:
            benchmark: The benchmark of the split.
            split: What the model is to be tested on.
            seed: Of its training.
            wanted: Tasks of the test; nothing is trained that can take part in none of them.

        Raises:
            ModelError: It cannot be loaded or trained.
            MissingOutputError: What a learner says it offers is not what any task needs.
        """
        wish = _Wish(benchmark, split, seed, wanted)
        if self._has_hook:
            brought = self._config.hook.pytest_genbench_model(config=self._config, split=split)
            if brought is not None:
                return self._brought(brought, wish)
        if self._options is None:
            raise ModelError("The hook pytest_genbench_model returned None, and no --genbench-model is given.")
        return self._named(self._options.of(benchmark.name), wish)

    def _named(self, options: ModelOptions, wish: _Wish) -> Loaded:
        """Return the model that a spec names."""
        if kind_of(options) == "reference":
            return self._recorded(options, wish) or self._trained(references.make(options.spec), options, wish)
        found = self._found(options)
        if found is not None:
            return self._trained(found, options, wish)
        self._check_seeds(options)
        return self._file(options, wish.split.slug, wish.seed, wish.benchmark.image_shape)

    def _recorded(self, options: ModelOptions, wish: _Wish) -> Loaded | None:
        """Return recorded weights, which need no torch; None where there are none of what was asked for."""
        asked = wish.seed if self._settings.seeds else None
        recorded = references.recorded(options.spec, wish.split.id, seed=asked, budget=self.budget)
        if recorded is None:
            return None
        if (recorded.file,) not in self._loaded:
            self._keep((recorded.file,), recorded_model(recorded, options))
        return self._loaded[(recorded.file,)]

    def _found(self, options: ModelOptions) -> Found | None:
        """The learner that ``module:callable`` gives; None where it gives something else."""
        if kind_of(options) != "factory":
            return None
        if options.spec not in self._made:
            self._made[options.spec] = make(options)
        learner = self._made[options.spec].value
        if not find.is_learner(learner):
            return None
        if options.weights is not None:
            raise OptionError(
                f"--genbench-weights fit a PyTorch module; {options.spec} gives a learner, which is trained."
            )
        return find.describe(options.spec, learner)

    def _trained(self, found: Found, options: ModelOptions, wish: _Wish) -> Loaded:
        """Return a learner's model."""
        if self._settings.probe is None:
            wish.check(found)
        key = (found.spec, found.digest, wish.benchmark.name, wish.benchmark.version, wish.split.id, wish.seed)
        if key not in self._loaded:
            if found.digest not in self._learned:
                self._learned[found.digest] = LearnedModels(
                    found,
                    options,
                    budget=self.budget,
                    cache=self._settings.cache,
                    run=self._run,
                    show=shower(self._config),
                )
            self._keep(key, self._learned[found.digest].get(wish.benchmark, wish.split, wish.seed))
        self._loaded.move_to_end(key)
        return self._loaded[key]

    def _file(self, options: ModelOptions, slug: str | None, seed: int, image_shape: tuple[int, ...] | None) -> Loaded:
        key = (
            options.spec,
            options.weights,
            slug if has_split(options) else None,
            seed if has_seed(options) else 0,
            # A file knows what it takes; a function is tried on images of the shape to come.
            None if options.spec.endswith(".onnx") else image_shape,
        )
        if key not in self._loaded:
            made = self._made.get(options.spec) if options.weights is None else None
            if made is not None:
                check(options)
                model = load_factory(options, None, image_shape, made)
            else:
                model = load(options, split=slug, seed=seed, image_shape=image_shape)
            self._keep(key, (model, None))
        self._loaded.move_to_end(key)
        return self._loaded[key]

    def _brought(self, brought: object, wish: _Wish) -> Loaded:
        root = Path(self._config.rootpath)
        options = self._options or ModelOptions(spec="", threads=per_process(), root=root)
        if isinstance(brought, str):
            return self._named(replace(options, spec=brought), wish)
        name = "pytest_genbench_model"
        if find.is_learner(brought):
            return self._trained(find.describe(f"{name}:{type(brought).__name__}", brought), options, wish)
        self._check_seeds(None)
        # Not kept: the hook may change or drop the object between tests, and decides itself what it makes only once.
        return wrap(brought, options, name=name, image_shape=wish.benchmark.image_shape), None

    def with_readout(self, model: Model, benchmark: Benchmark, split: Split, seed: int) -> Model:
        """Train the readout that the user asked for over a model's embedding.

        Raises:
            MissingOutputError: The model offers no embedding.
            GenbenchError: The readout cannot be trained.
        """
        kind = self._settings.probe
        assert kind is not None
        key = (id(model), benchmark.name, benchmark.version, split.id, seed)
        if key not in self._readouts:
            cache, show = self._settings.cache, shower(self._config)
            read = probed_model(model, benchmark, split, kind, seed=seed, cache=cache, show=show)
            self._readouts[key] = (model, read)
            while len(self._readouts) > max(_KEPT, len(self.seeds)):
                self._readouts.popitem(last=False)
        self._readouts.move_to_end(key)
        return self._readouts[key][1]

    def _keep(self, key: tuple[object, ...], loaded: Loaded) -> None:
        self._loaded[key] = loaded
        while len(self._loaded) > max(_KEPT, len(self.seeds)):
            self._loaded.popitem(last=False)

    def probed(self, model: Model, names: Mapping[str, str], benchmark: Benchmark, split: Split) -> CodeSize:
        """Probe a model on a few held-out images, once, and say how large its code is.

        Args:
            model: The model under test.
            names: The model's own names for outputs that have no name of ours.
            benchmark: Renders the images.
            split: The first split the model is tested on.

        Raises:
            ModelError: The model misbehaves.
        """
        if id(model) not in self._probed:
            some = split.test[np.linspace(0, len(split.test) - 1, 7).astype(np.int64)]
            images = benchmark.images(some)
            about = benchmark.about(some) if isinstance(benchmark, Tells) else None
            probe(model, images, (*model.contract.outputs, *names.values()), about)
            self._probed[id(model)] = (model, code_size(model, images, names, about))
            while len(self._probed) > max(_KEPT, len(self.seeds)):
                self._probed.popitem(last=False)
        return self._probed[id(model)][1]
