"""Load the model under test, once per file and process."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from ..benchmarks import Benchmark
from ..errors import ModelError, OptionError
from ..models import CodeSize, Model, ModelOptions, check, code_size, exists, has_seed, has_split, load, probe, wrap
from ..splits import Split
from ..threads import per_process

_KEPT = 4
"""Models kept in memory: enough for the seeds of one split, few enough for large networks."""


class ModelStore:
    """The model under test for any split and seed.

    Args:
        config: For the hook by which a project brings its own model.
        options: How to load a model named on the command line; None where only the hook brings one.
        seeds: Number of seeds asked for.

    Raises:
        OptionError: Several seeds of a model path that has no place for one.
    """

    def __init__(self, config: pytest.Config, options: ModelOptions | None, seeds: int) -> None:
        # What is typed for this run wins over what the project brings.
        self._is_typed = bool(config.getoption("genbench_model"))
        if seeds > 1 and (options is None or not has_seed(options)):
            raise OptionError(
                f"--genbench-seeds={seeds} needs a model path that holds {{seed}}, one file for each seed."
            )
        self._config = config
        self._options = options
        self.seeds = range(seeds)
        self._loaded: OrderedDict[tuple[object, ...], Model] = OrderedDict()
        # The model stands beside its result, so that its id is not given to another.
        self._probed: OrderedDict[int, tuple[Model, CodeSize]] = OrderedDict()

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
    def is_template(self) -> bool:
        """Whether the model is one file for each split."""
        return self._options is not None and not self._has_hook and has_split(self._options)

    def first(self, split: Split | None, image_shape: tuple[int, int, int] | None) -> Model | None:
        """Load the model, to find mistakes before any test runs; None for the hook's.

        Args:
            split: The first split to be tested, where known; without one, any file of a template stands for all.
            image_shape: Height, width, channels of the first benchmark's images, where known.

        Raises:
            ModelError: It cannot be loaded.
        """
        if self._options is None or self._has_hook:
            return None
        check(self._options)
        if not has_split(self._options) or (split is not None and exists(self._options, split.slug, 0)):
            return self._file(self._options, None if split is None else split.slug, 0, image_shape)
        # One file that is missing is a failure of its own test.
        return load(self._options, image_shape=image_shape)

    def get(self, split: Split, seed: int, image_shape: tuple[int, int, int]) -> Model:
        """Return the model for a split and seed.

        Raises:
            ModelError: It cannot be loaded.
        """
        if self._has_hook:
            brought = self._config.hook.pytest_genbench_model(config=self._config, split=split)
            if brought is not None:
                return self._brought(brought, split, seed, image_shape)
        if self._options is None:
            raise ModelError("The hook pytest_genbench_model returned None, and no --genbench-model is given.")
        return self._file(self._options, split.slug, seed, image_shape)

    def _file(
        self, options: ModelOptions, slug: str | None, seed: int, image_shape: tuple[int, int, int] | None
    ) -> Model:
        key = (
            options.spec,
            options.weights,
            slug if has_split(options) else None,
            seed if has_seed(options) else 0,
            # A file knows what it takes; a function is tried on images of the shape to come.
            None if options.spec.endswith(".onnx") else image_shape,
        )
        if key not in self._loaded:
            self._keep(key, load(options, split=slug, seed=seed, image_shape=image_shape))
        self._loaded.move_to_end(key)
        return self._loaded[key]

    def _brought(self, brought: object, split: Split, seed: int, image_shape: tuple[int, int, int]) -> Model:
        options = self._options or ModelOptions(spec="", threads=per_process(), root=Path(self._config.rootpath))
        if isinstance(brought, str):
            return self._file(replace(options, spec=brought), split.slug, seed, image_shape)
        # Not kept: the hook may change or drop the object between tests, and decides itself what it makes only once.
        return wrap(brought, options, name="pytest_genbench_model", image_shape=image_shape)

    def _keep(self, key: tuple[object, ...], model: Model) -> None:
        self._loaded[key] = model
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
            probe(model, images, (*model.contract.outputs, *names.values()))
            self._probed[id(model)] = (model, code_size(model, images, names))
            while len(self._probed) > max(_KEPT, len(self.seeds)):
                self._probed.popitem(last=False)
        return self._probed[id(model)][1]
