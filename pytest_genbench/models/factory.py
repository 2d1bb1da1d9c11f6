"""``module:callable``: find it, call it, and make a model of what it returns."""

from __future__ import annotations

import contextlib
import importlib
import importlib.machinery
import importlib.util
import inspect
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from ..errors import GenbenchError, ModelError, OptionError, nearest
from ..hierarchy import Hierarchy
from .contract import Contract
from .declaration import Declaration, declare, from_sidecar
from .files import sha256
from .options import ModelOptions
from .protocol import Model
from .results import output_names, raised


@contextlib.contextmanager
def importing_from(root: Path) -> Iterator[None]:
    """Look modules up in a folder first."""
    sys.path.insert(0, str(root))
    try:
        yield
    finally:
        with contextlib.suppress(ValueError):  # the code imported may have changed the path
            sys.path.remove(str(root))


def find_module(options: ModelOptions) -> None:
    """Check that the module of ``module:callable`` exists, importing nothing.

    Raises:
        ModelError: It does not.
    """
    parts = options.spec.partition(":")[0].split(".")
    if ".".join(parts) in sys.modules:
        return
    with importing_from(options.root):
        importlib.invalidate_caches()
        try:
            spec = importlib.util.find_spec(parts[0])
        except (ImportError, ValueError):  # ValueError: a module in sys.modules that says nothing of itself
            spec = None
    for at, part in enumerate(parts):
        if at:
            places = spec.submodule_search_locations if spec is not None else None
            spec = importlib.machinery.PathFinder.find_spec(".".join(parts[: at + 1]), list(places or ()))
        if spec is None:
            folder = options.root.joinpath(*parts[:at])
            known = _modules(folder) if folder.is_dir() else set()
            raise ModelError(
                f"There is no module {'.'.join(parts[: at + 1])!r} (looked in {options.root} and "
                f"sys.path).{nearest(part, known)}"
            )


def _modules(folder: Path) -> set[str]:
    """List the names that can be imported from a folder."""
    files = {path.stem for path in folder.glob("*.py") if path.stem.isidentifier()}
    return files | {path.parent.name for path in folder.glob("*/*.py") if path.parent.name.isidentifier()}


@dataclass(frozen=True)
class Made:
    """What ``module:callable`` gave: the object, the callable it came from, and the hash of the file that is written in."""

    value: Any
    target: Any
    files: Mapping[str, str]


def make(options: ModelOptions) -> Made:
    """Import the module and call the callable without arguments.

    Raises:
        ModelError: Any of this fails.
    """
    with importing_from(options.root):
        target = _import(options.spec)
        value = target if _is_model(target) else _call(target, options.spec)
        return Made(value, target, _source(target, options.root))


def load_factory(
    options: ModelOptions,
    weights: Path | None,
    image_shape: tuple[int, ...] | None,
    made: Made | None = None,
) -> Model:
    """Make a model of what a callable gives, and load the weights.

    Args:
        options: Names the callable.
        weights: A file of weights.
        image_shape: Height, width, channels of the images to come, or the length of signals.
        made: What :func:`make` gave, where it was called before.

    Raises:
        ModelError: Any of this fails, or what is returned is no model.
        OptionError: Weights are given for something that takes none.
    """
    made = made or make(options)
    with importing_from(options.root):
        return wrap(
            made.value,
            options,
            name=options.spec,
            files=made.files,
            weights=weights,
            declared_by=made.target,
            image_shape=image_shape,
        )


def _import(spec: str) -> Any:
    """Import the object that a spec names."""
    module_name, _, path = spec.partition(":")
    try:
        found: Any = importlib.import_module(module_name)
    except (Exception, SystemExit) as error:
        raise ModelError(f"{spec}: importing {module_name} failed: {raised(error)}.") from error
    for name in path.split("."):
        if not hasattr(found, name):
            known = [other for other in dir(found) if not other.startswith("_")]
            raise ModelError(f"{spec}: {module_name} has no {name!r}.{nearest(name, known)}")
        found = getattr(found, name)
    return found


def _call(target: Any, spec: str) -> Any:
    """Call a factory without arguments."""
    if not callable(target):
        raise ModelError(f"{spec} is a {type(target).__name__}, not a callable that makes a model.")
    with contextlib.suppress(TypeError, ValueError):  # ValueError: a builtin that does not show its signature
        needed = [
            parameter.name
            for parameter in inspect.signature(target).parameters.values()
            if parameter.default is parameter.empty
            and parameter.kind not in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD)
        ]
        if needed:
            name = spec.partition(":")[2]
            raise ModelError(
                f"{spec} needs arguments ({', '.join(needed)}), but is called without any. Give them defaults, or "
                f"write a function that returns the model: def build(): return {name}(...) (or {name} itself, if it is "
                "the model)."
            )
    try:
        made = target()
    except GenbenchError:
        raise
    except (Exception, SystemExit) as error:
        raise ModelError(f"{spec} raised {raised(error)}.") from error
    if made is None:
        raise ModelError(f"{spec} returned None; return the model.")
    return made


def is_module(value: object) -> bool:
    """Whether something is a ``torch.nn.Module``, without importing torch."""
    torch = sys.modules.get("torch")
    return torch is not None and isinstance(value, torch.nn.Module)


def _is_model(value: object) -> bool:
    """Whether something is a model already, and no factory of one."""
    return not isinstance(value, type) and (is_module(value) or _predicts(value))


def _predicts(value: object) -> bool:
    return hasattr(value, "contract") and callable(getattr(value, "predict", None))


def wrap(
    made: Any,
    options: ModelOptions,
    *,
    name: str,
    files: Mapping[str, str] | None = None,
    weights: Path | None = None,
    declared_by: object = None,
    image_shape: tuple[int, ...] | None = None,
    names: Sequence[str] | None = None,
    known: Declaration | None = None,
) -> Model:
    """Make a model of a PyTorch module, a function of NumPy images, or an object that has ``contract`` and ``predict``.

    Args:
        made: The object.
        options: Device, threads and declared contract.
        name: The object in words, for messages.
        files: Hashes of the files it was made from.
        weights: Weights to load into a module.
        declared_by: Where ``genbench`` and ``genbench_outputs`` may stand too, besides `made`.
        image_shape: Height, width, channels of the images to come, or the length of signals.
        names: Names of a tuple's outputs, where the object does not say them.
        known: What is known of the model unless it is declared otherwise: who trained it knows on what.

    Raises:
        ModelError: It is nothing that can predict.
        OptionError: Weights are given for something that takes none.
    """
    hashes = dict(files or {})
    if weights is not None:
        if not is_module(made):
            raise OptionError(f"--genbench-weights fit a PyTorch module; {name} gives a {type(made).__name__}.")
        hashes[weights.name] = sha256(weights)
    if _predicts(made):
        return _as_it_is(made, name, hashes, known)
    if isinstance(made, type):
        raise ModelError(f"{name} gives the class {made.__name__}; return a model made from it: {made.__name__}().")
    if not callable(made):
        learns = " It can be trained; what is needed here is a trained model." if hasattr(made, "fit") else ""
        raise ModelError(
            f"{name} gives a {type(made).__name__}; expected an nn.Module, a function of NumPy images, or an object "
            f"with contract and predict.{learns}"
        )
    declared: list[Declaration] = [declare("option", "--genbench-contract", options.overrides)]
    names = output_names(made, declared_by) or names
    said = [*_said(name, made, declared_by), *([known] if known else [])]
    if not is_module(made):
        from .callable import FunctionModel

        return FunctionModel(made, [*declared, *said], name=name, files=hashes, names=names, image_shape=image_shape)
    from .torch import TorchModel, load_weights

    if weights is not None:
        sidecar = from_sidecar(weights)
        declared += [] if sidecar is None else [sidecar]
        declared += load_weights(made, weights, name)
    return TorchModel(made, [*declared, *said], options, name=name, files=hashes, names=names, image_shape=image_shape)


def _said(name: str, *objects: object) -> list[Declaration]:
    """Read the ``genbench`` dicts of objects, and the hierarchy that a module of ours carries."""
    found = []
    for one in objects:
        if isinstance(learned := getattr(one, "hierarchy", None), Hierarchy):
            found.append(Declaration("metadata", f"the hierarchy of {name}", {"hierarchy": learned}))
        raw = getattr(one, "genbench", None)
        if raw is None:
            continue
        if not isinstance(raw, Mapping):
            raise ModelError(f"{name}: genbench = {raw!r} cannot be used: write a dict such as {{'range': (0, 255)}}.")
        found.append(declare("metadata", f"the genbench dict of {name}", raw))
    return found


def _as_it_is(made: Any, name: str, files: Mapping[str, str], known: Declaration | None) -> Model:
    """Take an object that predicts, and add what only reports need."""
    if not isinstance(made.contract, Contract):
        raise ModelError(
            f"{name}: contract is a {type(made.contract).__name__}; make it a pytest_genbench.models.Contract."
        )
    try:
        if not hasattr(made, "device"):
            made.device = "chosen by the model"
        if not hasattr(made, "files"):
            made.files = dict(files)
        if known is not None and not made.contract.trained_on:
            made.contract = replace(made.contract, trained_on=known.values.get("trained_on", ()))
    except AttributeError:
        raise ModelError(
            f"{name}: a model needs attributes that can be set (contract, device, files); {type(made).__name__} has none."
        ) from None
    model: Model = made
    return model


def _source(target: Any, root: Path) -> dict[str, str]:
    """Hash the file that the callable is written in."""
    try:
        source = inspect.getsourcefile(inspect.unwrap(target) if callable(target) else type(target))
    except TypeError:  # an object made by a call: its class tells
        source = None
        with contextlib.suppress(TypeError, OSError):
            source = inspect.getsourcefile(type(target))
    path = None if source is None else Path(source).resolve()
    if path is None or not path.is_file():
        return {}
    inside = path.is_relative_to(root.resolve())
    return {path.relative_to(root.resolve()).as_posix() if inside else path.name: sha256(path)}
