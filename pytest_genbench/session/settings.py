"""The options of a run, read once from the command line and the ini file, and checked before anything starts."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import Any, cast

import pytest

from ..benchmarks import get, names
from ..cache import default_folder
from ..errors import GenbenchError, OptionError, nearest
from ..learners import BUDGETS, Budget
from ..models import ModelOptions
from ..models.declaration import parse_pairs
from ..plugin import dest
from ..readout import KINDS, Kind
from ..report.html import check_target
from ..results.io import check_writable
from ..threads import per_process

SAMPLES = 10_000
"""Default number of held-out items per test: the half width of a proportion's interval is then 0.01 at most."""


@dataclass(frozen=True)
class Settings:
    """What the user asked for.

    Attributes:
        model: How to load the model; None where a conftest's hook brings it.
        presets: Preset by benchmark name; the key ``*`` stands for every other benchmark.
        data: Folder of data files; None where none is given.
        samples: Most held-out items per test; None for all.
        seeds: Number of seeds; None where none is asked for, which means one.
        budget: How much work to put into a training; None where none is asked for, which means ``quick``.
        cache: Folder of trained models and embeddings.
        probe: Readout to train over the model's frozen embedding, ``linear`` or ``mlp``; None to test the model itself.
        shard: (i, n) with 1 <= i <= n, or None.
        gates: Gates file.
        baseline: Results document to compare with.
        require_baseline: Whether a missing baseline is an error.
        save: Results document to write.
        report: HTML page to write.
        summary: Markdown file to append to.
        require_exposure: Whether undeclared training data is refused.
        allow_unbounded: Whether an unknown code size may pass.
    """

    model: ModelOptions | None
    presets: Mapping[str, str]
    data: Path | None
    samples: int | None
    seeds: int | None
    budget: Budget | None
    cache: Path
    probe: Kind | None
    shard: tuple[int, int] | None
    gates: Path | None
    baseline: Path | None
    require_baseline: bool
    save: Path | None
    report: Path | None
    summary: Path | None
    require_exposure: bool
    allow_unbounded: bool

    @classmethod
    def of(cls, config: pytest.Config) -> Settings:
        """Read the settings of a run.

        Raises:
            pytest.UsageError: A value cannot be used; the message names the option, the value and what it takes.
        """
        try:
            return cls._read(config)
        except GenbenchError as error:
            raise pytest.UsageError(f"genbench: {error}") from None

    @classmethod
    def _read(cls, config: pytest.Config) -> Settings:
        summary, save = _path(config, "summary"), _path(config, "save")
        for path in filter(None, (summary, save)):
            check_writable(path)
        if summary and summary.suffix.lower() in (".json", ".html", ".htm", ".onnx"):
            # What is appended to such a file spoils it: a baseline, for one.
            raise OptionError(
                f"--genbench-summary: {summary}: it is Markdown that is appended; name it so, as in summary.md."
            )
        if report := _path(config, "report"):
            check_target(report)
        _apart(save=save, summary=summary, report=report)
        return cls(
            model=_model_options(config),
            presets=_presets(_value(config, "preset")),
            data=_folder(config, "data"),
            samples=_samples(_value(config, "samples")),
            seeds=_count("seeds", _value(config, "seeds"), 0) or None,
            budget=_budget(_value(config, "budget")),
            cache=_path(config, "cache") or default_folder(),
            probe=_probe(_value(config, "probe")),
            shard=_shard(_value(config, "shard")),
            gates=_path(config, "gates"),
            baseline=_path(config, "baseline"),
            require_baseline=bool(_value(config, "require-baseline")),
            save=save,
            report=report,
            summary=summary,
            require_exposure=bool(_value(config, "require-exposure")),
            allow_unbounded=bool(_value(config, "allow-unbounded")),
        )

    def preset(self, benchmark: str) -> str | None:
        """The preset chosen for a benchmark; None for its default."""
        return self.presets.get(benchmark, self.presets.get("*"))


def _value(config: pytest.Config, name: str) -> Any:
    """Look an option up: the command line wins over the ini file."""
    given = config.getoption(dest(name))
    return given if given not in (None, []) else config.getini(dest(name))


def _path(config: pytest.Config, name: str) -> Path | None:
    """Turn an option into a path: relative to the working directory, or to the ini file's folder where it stands there."""
    given = config.getoption(dest(name))
    if given:
        return Path(config.invocation_params.dir, given)
    ini = config.getini(dest(name))
    return Path(config.rootpath, ini) if ini else None


def _apart(**targets: Path | None) -> None:
    """Refuse two things in one file: each would spoil the other."""
    given = {name: path.resolve() for name, path in targets.items() if path is not None}
    for (one, path), (two, other) in combinations(given.items(), 2):
        if path == other:
            raise OptionError(f"--genbench-{one} and --genbench-{two} both name {path}; give each a file of its own.")


def _folder(config: pytest.Config, name: str) -> Path | None:
    path = _path(config, name)
    if path is not None and not path.is_dir():
        raise OptionError(f"--genbench-{name}: {path} is {'no folder' if path.exists() else 'not there'}.")
    return path


def _model_options(config: pytest.Config) -> ModelOptions | None:
    spec = _value(config, "model")
    if not spec:
        return None
    given = config.getoption(dest("model"))
    return ModelOptions(
        spec=spec,
        weights=_value(config, "weights") or None,
        device=_value(config, "device") or "auto",
        trust=bool(_value(config, "trust-model")),
        overrides=parse_pairs(_value(config, "contract"), "--genbench-contract"),
        threads=per_process(),
        worker=int(os.environ.get("PYTEST_XDIST_WORKER", "gw0").removeprefix("gw")),
        root=Path(config.invocation_params.dir) if given else config.rootpath,
    )


def _presets(values: list[str]) -> dict[str, str]:
    presets = {}
    for value in values:
        benchmark, separator, preset = value.rpartition("=")
        if separator:
            if benchmark not in names():
                raise OptionError(f"--genbench-preset: no benchmark {benchmark!r}.{nearest(benchmark, names())}")
            get(benchmark, preset)
        presets[benchmark or "*"] = preset
    return presets


def _budget(value: str | None) -> Budget | None:
    if value and value not in BUDGETS:
        raise OptionError(f"--genbench-budget: no budget {value!r}.{nearest(value, BUDGETS)}")
    return cast(Budget, value) if value else None


def _probe(value: str | None) -> Kind | None:
    if value and value not in KINDS:
        raise OptionError(f"--genbench-probe takes {' or '.join(KINDS)}; got {value!r}.{nearest(value, KINDS)}")
    return cast(Kind, value) if value else None


def _samples(value: str | None) -> int | None:
    if value == "all":
        return None
    return _count("samples", value, SAMPLES, also=" or 'all'")


def _count(name: str, value: str | None, default: int, also: str = "") -> int:
    if not value:
        return default
    if not value.isdecimal() or int(value) < 1:
        raise OptionError(f"--genbench-{name} takes a number of at least 1{also}; got {value!r}.")
    return int(value)


def _shard(value: str | None) -> tuple[int, int] | None:
    if not value:
        return None
    part, separator, parts = value.partition("/")
    if not (separator and part.isdecimal() and parts.isdecimal() and 1 <= int(part) <= int(parts)):
        raise OptionError(f"--genbench-shard takes I/N with 1 <= I <= N, such as 1/4; got {value!r}.")
    return int(part), int(parts)
