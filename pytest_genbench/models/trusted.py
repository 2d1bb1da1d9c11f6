"""Files that can run code when they are loaded: read only after ``--genbench-trust-model``."""

from __future__ import annotations

import warnings
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ..errors import ModelError
from .contract import Shape
from .declaration import declare, from_sidecar
from .factory import importing_from, wrap
from .files import sha256
from .options import ModelOptions
from .protocol import Model
from .results import raised
from .torch import TorchModel


def load_trusted(path: Path, kind: str, options: ModelOptions, image_shape: tuple[int, ...] | None) -> Model:
    """Load an exported program (``.pt2``), a TorchScript archive or a pickled module.

    Args:
        path: The file.
        kind: ``program``, ``script`` or ``pickle``.
        options: Device, threads and declared contract; :func:`~pytest_genbench.models.load.check` has seen that it is
            trusted.
        image_shape: Height, width, channels of the images to come.

    Raises:
        ModelError: The file cannot be loaded, or holds no model.
    """
    shape: Shape = (None, None, None, None)
    dtype: str | None = None
    try:
        # TorchScript is deprecated, which is no news to somebody who was told to convert; with -W error it would be
        # fatal.
        with warnings.catch_warnings(), importing_from(options.root):
            warnings.simplefilter("ignore")
            if kind == "program":
                made, shape, dtype = _program(path, options)
            elif kind == "script" or _is_script(path):
                import torch

                made = torch.jit.load(str(path), map_location="cpu")  # type: ignore[no-untyped-call]
            else:
                import torch

                made = torch.load(path, map_location="cpu", weights_only=False)
    except ModelError:
        raise
    except Exception as error:
        raise ModelError(f"{path.name} cannot be loaded: {raised(error)}.") from error
    files = {path.name: sha256(path)}
    if isinstance(made, Mapping):
        raise ModelError(
            f"{path.name} holds weights, not a model. Give --genbench-model=module:callable "
            f"--genbench-weights={path.name}"
        )
    import torch

    if not isinstance(made, torch.nn.Module):
        return wrap(made, options, name=path.name, files=files, image_shape=image_shape)
    sidecar = from_sidecar(path)
    declared = [declare("option", "--genbench-contract", options.overrides), *([] if sidecar is None else [sidecar])]
    raw = getattr(made, "genbench", None)
    if isinstance(raw, Mapping):
        declared.append(declare("metadata", f"the genbench dict of {path.name}", raw))
    return TorchModel(
        made, declared, options, name=path.name, files=files, image_shape=image_shape, input_shape=shape, dtype=dtype
    )


def _program(path: Path, options: ModelOptions) -> tuple[Any, Shape, str]:
    """Load an exported program; returns its module, and shape and dtype of its one input."""
    import torch

    from .torch import torch_device

    program = torch.export.load(str(path))
    names = program.graph_signature.user_inputs
    inputs = [node.meta["val"] for node in program.graph.nodes if node.op == "placeholder" and node.name in names]
    if len(inputs) != 1:
        raise ModelError(f"{path.name} has {len(inputs)} inputs; a model under test has one, the images.")
    device = torch_device(options)
    if device.type == "cuda":
        from torch.export.passes import move_to_device_pass

        program = move_to_device_pass(program, str(device))
    shape = tuple(int(axis) if isinstance(axis, int) else None for axis in inputs[0].shape)
    return program.module(), shape, str(inputs[0].dtype).removeprefix("torch.")


def _is_script(path: Path) -> bool:
    """Whether a file is a TorchScript archive, whatever its name."""
    if not zipfile.is_zipfile(path):
        return False
    with zipfile.ZipFile(path) as archive:
        return any(name.endswith("/constants.pkl") for name in archive.namelist())
