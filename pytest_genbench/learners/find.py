"""From ``module:callable`` or ``reference:NAME[key=value,…]`` to a learner, and to what tells it apart from others."""

from __future__ import annotations

import ast
import dataclasses
import hashlib
import inspect
import json
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from importlib.util import resolve_name
from pathlib import Path
from types import ModuleType
from typing import Any

from ..errors import LearnerError
from ..models import ModelOptions, check
from ..models.factory import make
from ..models.files import sha256
from ..models.load import kind_of
from .protocol import Learner


@dataclass(frozen=True)
class Found:
    """A learner, and all that decides what it would make of a task.

    Attributes:
        spec: What the user calls it.
        learner: The learner.
        settings: What it was configured with, as builtin types.
        version: Its own ``version``; may be empty.
        sources: SHA-256 of the file it is written in and of those of the same project that this file imports, by module.
    """

    spec: str
    learner: Learner
    settings: Mapping[str, Any]
    version: str
    sources: Mapping[str, str]

    @property
    def name(self) -> str:
        """A short name that is safe in a path."""
        text = self.spec.partition("[")[0].rpartition(":")[2]
        return "".join(c if c.isalnum() or c in "._-" else "-" for c in text)

    @property
    def digest(self) -> str:
        """A hash of everything but the spec: the same learner under another name is the same."""
        plain = [type(self.learner).__qualname__, dict(self.settings), self.version, sorted(self.sources.items())]
        return hashlib.sha256(json.dumps(plain, sort_keys=True).encode()).hexdigest()


def lookup(options: ModelOptions) -> Found | None:
    """Find the learner that a spec names; None where it names a model.

    Raises:
        ModelError: The module or callable does not exist, or calling it fails.
        OptionError: No such reference model or setting.
        LearnerError: It is a learner that cannot be used.
    """
    kind = kind_of(options)
    if kind == "reference":
        from .references import make as make_reference

        return make_reference(options.spec)
    if kind != "factory" or options.weights is not None:
        return None
    check(options)
    made = make(options).value
    return describe(options.spec, made) if is_learner(made) else None


def is_learner(value: object) -> bool:
    """Whether something can be trained: an object with ``fit`` that cannot predict yet."""
    return not isinstance(value, type) and callable(getattr(value, "fit", None)) and not hasattr(value, "predict")


def describe(spec: str, learner: Any) -> Found:
    """Find out what tells a learner apart.

    Args:
        spec: What the user calls it.
        learner: An object with ``fit``.

    Raises:
        LearnerError: It does not say what it offers, or its settings are no builtin types.
    """
    outputs = getattr(learner, "outputs", None)
    if isinstance(outputs, str) or not outputs or not all(isinstance(name, str) for name in outputs):
        raise LearnerError(
            f"{spec} has a method fit, but its attribute outputs is {outputs!r}: name what its models offer, such as "
            'outputs = ("reconstruction", "embedding").'
        )
    settings: Any = getattr(learner, "settings", {})
    if dataclasses.is_dataclass(settings) and not isinstance(settings, type):
        settings = dataclasses.asdict(settings)
    try:
        plain: dict[str, Any] = json.loads(json.dumps(dict(settings), sort_keys=True))
    except (TypeError, ValueError) as error:
        raise LearnerError(
            f"{spec}: settings must be a dataclass or a mapping of texts and numbers, which tell trained models apart; "
            f"got {settings!r} ({error})."
        ) from None
    return Found(spec, learner, plain, str(getattr(learner, "version", "")), _sources(type(learner)))


def _sources(kind: type) -> dict[str, str]:
    """Hash the module of a class, and what it imports from its own project, transitively.

    What is installed beside it counts by its version in the results document, not here: else every update of a library would
    throw trained models away.
    """
    start = sys.modules.get(kind.__module__)
    todo, seen = [start] if start is not None else [], {}
    while todo:
        module = todo.pop()
        path = _file(module)
        if path is None or module.__name__ in seen:
            continue
        seen[module.__name__] = sha256(path)
        near = (sys.modules.get(name) for name in _imports(module, path))
        todo += [other for other in near if other is not None and _is_near(other, module)]
    return seen


def _file(module: ModuleType) -> Path | None:
    try:
        source = inspect.getsourcefile(module)
    except TypeError:  # a builtin
        return None
    path = None if source is None else Path(source)
    return path if path is not None and path.is_file() else None


def _imports(module: ModuleType, path: Path) -> Iterator[str]:
    """Names of the modules that a file imports; some of them may be names within a module instead."""
    package = module.__package__ or ""
    try:
        tree = ast.parse(path.read_bytes())
    except SyntaxError:  # it was imported, so it has changed since
        return
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = "." * node.level + (node.module or "")
            base = resolve_name(base, package) if node.level and package else base
            yield base
            yield from (f"{base}.{alias.name}" for alias in node.names)


def _is_near(other: ModuleType, module: ModuleType) -> bool:
    """Whether two modules belong to one project: the same package, or files of the same folder."""
    if "." in module.__name__:
        # Of ours, only the learners' own folder: the rest of the package has versions of its own.
        package = module.__name__.rpartition(".")[0]
        return other.__name__.startswith(f"{package}.") or (
            not package.startswith("pytest_genbench") and other.__name__.partition(".")[0] == package.partition(".")[0]
        )
    mine, theirs = _file(module), _file(other)
    return mine is not None and theirs is not None and theirs.is_relative_to(mine.parent) and not _is_installed(theirs)


def _is_installed(path: Path) -> bool:
    return bool({"site-packages", "dist-packages"} & set(path.parts))
