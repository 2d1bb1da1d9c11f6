"""How what a learner made is kept as files, and made a model again.

A learner decides itself if it has two more methods: ``save(model, folder, task)`` writes any files into an empty folder, and
``load(folder)`` returns what a factory may return, or the path of an ONNX file. Without them the model is pickled: by the user's
own code into the user's own cache, and read from nowhere else.
"""

from __future__ import annotations

import errno
import pickle
from pathlib import Path
from typing import Any

from ..cache import is_full
from ..errors import GenbenchError, LearnerError
from ..models.factory import importing_from, is_module
from ..models.results import raised
from .find import Found
from .protocol import TrainingTask

_PICKLE, _TORCH = "model.pkl", "model.pt"


def save(found: Found, model: Any, folder: Path, task: TrainingTask) -> None:
    """Write a model into an empty folder.

    Raises:
        LearnerError: It cannot be written.
        OSError: The disk is full, or the folder cannot be written.
    """
    own = getattr(found.learner, "save", None)
    try:
        if own is not None:
            own(model, folder, task)
        elif is_module(model):
            import torch

            with (folder / _TORCH).open("wb") as file:  # a path would turn a full disk into a RuntimeError
                torch.save(model.cpu(), file)
        else:
            (folder / _PICKLE).write_bytes(pickle.dumps(model))
    except (OSError, GenbenchError):
        raise
    except Exception as error:
        if is_full(error):
            raise OSError(errno.ENOSPC, "No space left on device") from error
        raise LearnerError(
            f"{found.spec}: its model, a {type(model).__name__}, cannot be kept: {raised(error)}. Define its class or function "
            "at the top level of a module, or give the learner the methods save(model, folder, task) and load(folder)."
        ) from error
    if not any(folder.iterdir()):
        raise LearnerError(f"{found.spec}: save wrote no file; write the model into the folder it is given.")


def load(found: Found, folder: Path, root: Path) -> Any:
    """Read what :func:`save` wrote: a module, a function, an object that predicts, or the path of an ONNX file.

    Raises:
        LearnerError: It cannot be read.
    """
    own = getattr(found.learner, "load", None)
    try:
        with importing_from(root):
            if own is not None:
                return own(folder)
            if (folder / _TORCH).exists():
                import torch

                return torch.load(folder / _TORCH, map_location="cpu", weights_only=False)
            return pickle.loads((folder / _PICKLE).read_bytes())
    except GenbenchError:
        raise
    except Exception as error:
        raise LearnerError(f"{found.spec}: the model kept in {folder} cannot be loaded: {raised(error)}.") from error
