"""``reference:NAME[key=value,…]``: the learners that come with the package, and the weights that are recorded of them."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from ..errors import GenbenchError, LearnerError, MissingLibraryError, OptionError, nearest
from ..models.results import raised
from .find import Found, describe

PREFIX = "reference:"

_PACKAGE = "pytest_genbench.reference_models"


@dataclass(frozen=True)
class Recorded:
    """Weights that come with the package.

    Attributes:
        file: The ONNX file.
        seed: Of its training.
        budget: Of its training.
    """

    file: Path
    seed: int
    budget: str


def names() -> tuple[str, ...]:
    """Names of the reference models; imports nothing heavy."""
    learners: Mapping[str, str] = import_module(_PACKAGE).LEARNERS
    return tuple(learners)


def parse(spec: str) -> tuple[str, dict[str, str]]:
    """Split ``reference:NAME[key=value,…]`` into name and settings.

    Raises:
        OptionError: No such model, or the brackets cannot be read.
    """
    text = spec.removeprefix(PREFIX)
    name, bracket, inside = text.partition("[")
    if name not in names():
        raise OptionError(f"There is no reference model {name!r}.{nearest(name, names())}")
    if not bracket:
        return name, {}
    if not inside.endswith("]"):
        raise OptionError(f"{spec}: the settings lack their closing bracket; write reference:{name}[key=value,…].")
    settings: dict[str, str] = {}
    for pair in filter(None, inside[:-1].split(",")):
        key, equals, value = pair.partition("=")
        if not equals or not key.strip():
            raise OptionError(f"{spec}: {pair!r} is no setting; write key=value, such as reference:{name}[steps=100].")
        settings[key.strip()] = value.strip()
    return name, settings


def make(spec: str) -> Found:
    """Make the learner that ``reference:NAME[key=value,…]`` names.

    Raises:
        OptionError: No such model or setting, or a value of the wrong kind.
        MissingLibraryError: torch is not installed.
        LearnerError: The settings cannot be used together.
    """
    name, raw = parse(spec)
    module, _, kind = import_module(_PACKAGE).LEARNERS[name].partition(":")
    try:
        learner = getattr(import_module(f"{_PACKAGE}.{module}"), kind)
    except ModuleNotFoundError as error:
        raise MissingLibraryError(
            f"{spec} has to be trained, which needs {error.name}: pip install 'pytest-genbench[torch]'. "
            "Without it only recorded weights can be tested."
        ) from None
    try:
        return describe(spec, learner(learner.Settings(**_typed(spec, raw, learner.Settings))))
    except GenbenchError:
        raise
    except Exception as error:
        raise LearnerError(f"{spec} cannot be made: {raised(error)}.") from error


def _typed(spec: str, raw: Mapping[str, str], settings: type[Any]) -> dict[str, Any]:
    """Read the values of settings as the types of their defaults."""
    fields: dict[str, Any] = {field.name: field.default for field in dataclasses.fields(settings)}
    typed: dict[str, Any] = {}
    for key, text in raw.items():
        if key not in fields:
            raise OptionError(f"{spec} has no setting {key!r}.{nearest(key, fields)}")
        kind = type(fields[key])
        try:
            typed[key] = {"true": True, "false": False}[text.lower()] if kind is bool else kind(text)
        except (KeyError, ValueError):
            expected = {bool: "true or false", int: "a whole number", float: "a number"}.get(kind, "a text")
            raise OptionError(f"{spec}: {key} takes {expected}, such as {fields[key]}; got {text!r}.") from None
    return typed


def recorded(spec: str, split_id: str, *, seed: int | None, budget: str | None) -> Recorded | None:
    """Find recorded weights that are what was asked for.

    Args:
        spec: As for :func:`parse`; with settings nothing is recorded.
        split_id: Id of the split.
        seed: The seed asked for; None for any.
        budget: The budget asked for; None for any.

    Returns:
        The file with its seed and budget; None where there is none.
    """
    name, settings = parse(spec)
    folder = recorded_folder()
    if settings or folder is None:
        return None
    entry = _index(folder).get(name, {}).get(split_id)
    if entry is None or seed not in (None, entry["seed"]) or budget not in (None, entry["budget"]):
        return None
    return Recorded(folder / entry["file"], entry["seed"], entry["budget"])


def recorded_folder() -> Path | None:
    """The folder of recorded weights; None where it was not installed."""
    spec = find_spec(f"{_PACKAGE}.recorded")
    if spec is None or not spec.submodule_search_locations:
        return None
    return Path(next(iter(spec.submodule_search_locations)))


@cache
def _index(folder: Path) -> Mapping[str, Any]:
    index: Mapping[str, Any] = json.loads((folder / "recorded.json").read_text("utf-8"))
    return index
