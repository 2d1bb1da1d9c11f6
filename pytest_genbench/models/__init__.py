"""Models under test: from ``--genbench-model`` to something that predicts.

Importing this package imports NumPy only; a runtime comes with the first model that needs it.
"""

from .arrays import to_numpy, unit_images
from .contract import Contract
from .devices import visible_cuda_devices
from .factory import wrap
from .inspect import inspect
from .load import check, exists, has_seed, has_split, load
from .options import ModelOptions
from .probes import CodeSize, code_size, probe
from .protocol import Model
from .roles import assign_unnamed, offered

__all__ = [
    "CodeSize",
    "Contract",
    "Model",
    "ModelOptions",
    "assign_unnamed",
    "check",
    "code_size",
    "exists",
    "has_seed",
    "has_split",
    "inspect",
    "load",
    "offered",
    "probe",
    "to_numpy",
    "unit_images",
    "visible_cuda_devices",
    "wrap",
]
