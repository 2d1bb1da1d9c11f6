"""The pytest plugin: options, markers and the one fixture, and nothing else.

pytest imports this module in every run of every project that has the package installed, so it imports nothing heavy (no NumPy,
ONNX Runtime or torch). The session module, which does the work, is imported when genbench turns out to be in use: an option or ini
value of ours is set, a conftest implements our hook, or a collected test carries our marker.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from . import hookspecs

if TYPE_CHECKING:
    from .session.check import Check

SESSION = "genbench-session"
"""Name under which the session is registered with pytest's plugin manager."""

_MODEL = "Model under test: an .onnx file (its path may hold {split}, {seed}, {benchmark}), module:callable or reference:NAME"

# Name, kind, help. Each has an ini twin: --genbench-model and genbench_model. Kinds: text, list, flag.
OPTIONS: tuple[tuple[str, str, str], ...] = (
    ("model", "text", _MODEL),
    ("weights", "text", "Weights for a module:factory model: .safetensors, or .pt read with weights_only"),
    ("device", "text", "Where the model runs: auto (the default), cpu, cuda, cuda:1"),
    ("contract", "list", "KEY=VALUE: what the model file does not declare itself, such as range=0,255 or layout=NHWC"),
    ("trust-model", "flag", "Load model formats that can run code: .pt2, TorchScript, pickles"),
    ("suite", "list", "Run a packaged suite from any folder, such as compositional; or all of them"),
    ("preset", "list", "Preset of a benchmark, as NAME or BENCHMARK=NAME"),
    (
        "data",
        "text",
        "Folder of the publishers' data files, for benchmarks that can read some (default: $GENBENCH_DATA)",
    ),
    ("samples", "text", "Most held-out items per test, or all (default: 10000)"),
    ("seeds", "text", "How many seeds of a learner, or of a model path that holds {seed} (default: 1)"),
    ("budget", "text", "How much work to put into training a learner: smoke, quick (the default), standard, paper"),
    ("cache", "text", "Folder of trained models and embeddings (default: the user's cache folder)"),
    ("probe", "text", "Test a readout, linear or mlp, trained for each split over the model's frozen embedding"),
    ("shard", "text", "I/N: run the I-th of N parts, whole splits each; join the saved results with genbench merge"),
    ("gates", "text", "TOML file of gates, looked up before the shipped ones"),
    ("baseline", "text", "Results document to compare with"),
    ("require-baseline", "flag", "Make a missing baseline an error"),
    ("save", "text", "Results document to write; cases in it that this run does not touch are kept"),
    ("report", "text", "HTML file to write: one page with tables, figures and the worst failures as pictures"),
    ("summary", "text", "Markdown file to append the summary to, such as $GITHUB_STEP_SUMMARY"),
    ("require-exposure", "flag", "Refuse models that do not declare what they were trained on"),
    ("allow-unbounded", "flag", "Let a reconstruction pass although the size of its code is unknown"),
)


def pytest_addoption(parser: pytest.Parser) -> None:
    """Register the options and their ini twins."""
    group = parser.getgroup("genbench", "generalisation tests of vision models")
    kinds: dict[str, dict[str, Any]] = {
        "text": {"metavar": "VALUE", "default": None},
        "list": {"metavar": "VALUE", "action": "append", "default": []},
        "flag": {"action": "store_true", "default": None},
    }
    for name, kind, text in OPTIONS:
        group.addoption(f"--genbench-{name}", dest=dest(name), help=text, **kinds[kind])
        ini: dict[str, Any] = {"text": ("string", None), "list": ("linelist", []), "flag": ("bool", False)}
        type_, default = ini[kind]
        parser.addini(dest(name), type=type_, default=default, help=text)


def dest(name: str) -> str:
    """Name of an option in the namespace and the ini file."""
    return "genbench_" + name.replace("-", "_")


def pytest_addhooks(pluginmanager: pytest.PytestPluginManager) -> None:
    """Make ``pytest_genbench_model`` known."""
    pluginmanager.add_hookspecs(hookspecs)


@pytest.hookimpl(tryfirst=True)
def pytest_load_initial_conftests(early_config: pytest.Config, args: list[str]) -> None:
    """Add the packaged suites to the arguments when asked for, before pytest decides what to collect."""
    known = early_config.known_args_namespace
    chosen = known.genbench_suite or early_config.getini("genbench_suite")
    if chosen:
        from .session.suites import roots

        args.extend(map(str, roots(chosen)))
    if known.genbench_model:
        from .session.suites import misspelt

        for arg in known.file_or_dir:
            if message := misspelt(arg):
                raise pytest.UsageError(message)


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Leave out the packaged suites that were not chosen."""
    chosen = config.option.genbench_suite or config.getini("genbench_suite")
    if not chosen:
        return None
    from .session.suites import is_left_out

    return True if is_left_out(collection_path, chosen) else None


def pytest_configure(config: pytest.Config) -> None:
    """Register the marker, and the session when an option, an ini value or a hook says that genbench is in use."""
    config.addinivalue_line(
        "markers",
        "genbench(benchmark, family, needs=None): a generalisation test, run once for each split of a benchmark's family (or of "
        "several benchmarks and families); "
        "`needs` names the tasks a model may take part by (all of the benchmark's unless given)",
    )
    asked = any(_is_set(config, name) for name, _, _ in OPTIONS)
    if asked or config.hook.pytest_genbench_model.get_hookimpls():
        activate(config)


def _is_set(config: pytest.Config, name: str) -> bool:
    return bool(config.getoption(dest(name))) or bool(config.getini(dest(name)))


def activate(config: pytest.Config) -> None:
    """Register the session, once."""
    if not config.pluginmanager.hasplugin(SESSION):
        from .session import Session

        config.pluginmanager.register(Session(config), SESSION)


@pytest.hookimpl(tryfirst=True)
def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Parametrise marked tests over their splits."""
    marker = metafunc.definition.get_closest_marker("genbench")
    if marker is not None:
        activate(metafunc.config)
        from .session.items import parametrise

        parametrise(metafunc, marker)


@pytest.fixture
def genbench(request: pytest.FixtureRequest) -> Check:
    """The check for the split under test: ``genbench.passes()`` evaluates the model and holds it to its gates."""
    from .session.check import Check

    return Check.of(request.node)
