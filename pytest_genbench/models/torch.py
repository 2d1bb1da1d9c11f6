"""PyTorch modules as models."""

from __future__ import annotations

import contextlib
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from ..errors import GenbenchError, MissingOutputError, ModelError, nearest
from . import extra
from .arrays import to_numpy
from .contract import Contract, Shape
from .declaration import Declaration, from_metadata
from .devices import cuda_index
from .extra import About
from .options import ModelOptions
from .prepare import Inputs, check_images, chunks, join, locate, prepare
from .results import SINGLE, named, raised
from .trial import explore

_WRAPPERS = ("state_dict", "model_state_dict", "model")
"""Keys under which checkpoints keep the weights beside other things."""


class TorchModel:
    """A module in evaluation and inference mode; see :class:`~pytest_genbench.models.protocol.Model`.

    Its ``forward`` takes images and returns a tensor, or several in a tuple or dict. A method ``encode`` offers the
    ``embedding`` where ``forward`` does not; a method ``decode`` makes reconstructions of embeddings.

    Args:
        module: The module, with its weights.
        declared: What is declared, most binding first.
        options: Device and threads.
        name: The module in words, for messages.
        files: Hashes of the files it was made from.
        names: Names of a tuple's outputs.
        image_shape: Height, width, channels of the images to come.
        input_shape: What is known of the input, with the batch axis.
        dtype: Element type of the input, where known; else that of the parameters.

    Raises:
        DeviceError: The device that was asked for is not there.
        ModelError: The module cannot be run.
    """

    def __init__(
        self,
        module: Any,
        declared: Sequence[Declaration],
        options: ModelOptions,
        *,
        name: str,
        files: Mapping[str, str],
        names: Sequence[str] | None = None,
        image_shape: tuple[int, ...] | None = None,
        input_shape: Shape | None = None,
        dtype: str | None = None,
    ) -> None:
        import torch

        torch.set_num_threads(options.threads)
        self._device = torch_device(options)
        self.device = f"{self._device} (torch)"
        self.name, self._names = name, names
        self.files: Mapping[str, str] = dict(files)
        self._module = _evaluating(module, self._device)
        self._extra = extra.of_callable(getattr(module, "forward", module))
        declares_embedding = any(role == "embedding" for one in declared for _, role in one.values.get("outputs", ()))
        self._encodes = callable(getattr(module, "encode", None)) and not declares_embedding
        self._warnings: list[str] = []
        contract = explore(
            self._everything, declared, name, dtype or _dtype(module), image_shape, input_shape, self._extra
        )
        if self._encodes and "embedding" not in contract.outputs:  # no trial ran; what encode returns shows later
            contract = replace(contract, outputs={**contract.outputs, "embedding": "embedding"})
        self.contract: Contract = replace(contract, warnings=(*contract.warnings, *self._warnings))

    @property
    def can_decode(self) -> bool:
        """Whether :meth:`decode` works."""
        return callable(getattr(self._module, "decode", None))

    def predict(
        self, batch: Inputs, outputs: Sequence[str] | None = None, *, about: About | None = None
    ) -> Mapping[str, Any]:
        """Run the module on uint8 (N, H, W, C) images; see :class:`~pytest_genbench.models.protocol.Model`."""
        asked = locate(self.contract, outputs)
        check_images(batch, self.contract, self.name)
        parts, kept = [], []
        said = extra.pieces(about, self.contract.extra, len(batch), self.contract.batch, self.name)
        for (piece, keep), more in zip(chunks(batch, self.contract.batch), said, strict=True):
            parts.append(self._run(piece, set(asked.values()), more))
            kept.append(keep)
        given = self.contract.batch or len(batch)
        return {
            role: join([part[name] for part in parts], kept, given, f"{self.name}: output {name!r}")
            for role, name in asked.items()
        }

    def decode(self, embedding: Any) -> Any:
        """Call the module's ``decode`` on embeddings (N, D); returns its tensor.

        Raises:
            MissingOutputError: The module has no ``decode``.
        """
        import torch

        if not self.can_decode:
            raise MissingOutputError(f"{self.name} has no method decode.")
        codes = torch.tensor(to_numpy(embedding)).to(self._device)
        result = named(self._call("decode", codes), None, f"{self.name}.decode")
        for name in ("reconstruction", SINGLE):
            if name in result:
                return result[name]
        raise ModelError(f"{self.name}.decode returned {', '.join(result)}; return the reconstruction as one tensor.")

    def _run(self, batch: Inputs, names: set[str], about: About) -> dict[str, Any]:
        """Run forward, encode or both: what the outputs asked for need."""
        from_encode = {"embedding"} & names if self._encodes else set()
        found = self._forward(batch, self.contract, about) if names - from_encode else {}
        if from_encode:
            found["embedding"] = self._encode(batch, self.contract)
        for name in names - found.keys():
            raise ModelError(f"{self.name} did not return the output {name!r}; it returned {', '.join(found)}.")
        return found

    def _everything(self, batch: Inputs, contract: Contract) -> dict[str, Any]:
        """Run forward and encode on a trial, to see what there is."""
        found = self._forward(batch, contract)
        if "embedding" in found:
            self._encodes = False
        if self._encodes:
            result = _tensor_or_reason(lambda: self._encode(batch, contract))
            if isinstance(result, str):
                self._encodes = False
                self._warnings.append(
                    f"{self.name}.encode {result}, so it is not used: return one tensor (of a VAE, the mean) to offer "
                    "embedding."
                )
            else:
                found["embedding"] = result
        return found

    def _forward(self, batch: Inputs, contract: Contract, about: About | None = None) -> dict[str, Any]:
        import torch

        if about is None:  # a trial
            about = {name: np.zeros(len(batch), np.int64) for name in self._extra}
        more = {name: torch.from_numpy(numbers).to(self._device) for name, numbers in about.items()}
        return named(self._call("", self._tensor(batch, contract), **more), self._names, self.name)

    def _encode(self, batch: Inputs, contract: Contract) -> Any:
        return self._call("encode", self._tensor(batch, contract))

    def _tensor(self, batch: Inputs, contract: Contract) -> Any:
        import torch

        return torch.from_numpy(prepare(batch, contract)).to(self._device)

    def _call(self, method: str, tensor: Any, **more: Any) -> Any:
        """Call the module, or one of its methods, without gradients."""
        import torch

        target = getattr(self._module, method) if method else self._module
        what = f"{self.name}.{method}" if method else self.name
        try:
            # As for ONNX Runtime: no search for the fastest convolution, no TF32; a model must not differ from itself.
            exact = torch.backends.cudnn.flags(enabled=True, benchmark=False, deterministic=True, allow_tf32=False)
            with torch.inference_mode(), exact if tensor.is_cuda else contextlib.nullcontext():
                return target(tensor, **more)
        except GenbenchError:
            raise
        except Exception as error:
            raise ModelError(
                f"{what} failed on a {tensor.dtype!s} tensor {tuple(tensor.shape)}: {raised(error)}."
            ) from error


def _tensor_or_reason(call: Callable[[], Any]) -> Any:
    """Return the tensor a call gives, or a text that says why there is none."""
    try:
        result = call()
    except ModelError as error:
        return f"failed ({error})"
    return result if hasattr(result, "shape") else f"returns a {type(result).__name__}"


def torch_device(options: ModelOptions) -> Any:
    """Return the ``torch.device`` to use.

    Raises:
        DeviceError: CUDA was asked for and is not there.
    """
    import torch

    visible = torch.cuda.device_count() if torch.cuda.is_available() else 0
    built = f"CUDA {torch.version.cuda}" if torch.version.cuda else "no CUDA"
    index = cuda_index(options.device, options.worker, visible, f"torch {torch.__version__} is built with {built}")
    return torch.device("cpu") if index is None else torch.device("cuda", index)


def _evaluating(module: Any, device: Any) -> Any:
    """Switch to evaluation mode and move to the device."""
    with contextlib.suppress(NotImplementedError):  # an exported program, whose mode was fixed by the export
        module.eval()
    try:
        return module.to(device)
    except RuntimeError as error:
        raise ModelError(f"The module cannot be moved to {device}: {raised(error)}.") from error


def _dtype(module: Any) -> str:
    """Return the element type of the parameters, which the input must have too."""
    for parameter in module.parameters():
        if parameter.is_floating_point():
            return str(parameter.dtype).removeprefix("torch.")
    return "float32"


def load_weights(module: Any, path: Path, name: str) -> list[Declaration]:
    """Load weights into a module; only tensors are read, whatever the file.

    Returns:
        What the file's metadata declare (safetensors only).

    Raises:
        ModelError: The file holds anything else, or other tensors than the module has.
    """
    declared: list[Declaration] = []
    if path.suffix == ".safetensors":
        state, metadata = _safetensors(path)
        declared.append(from_metadata(f"the metadata of {path.name}", metadata))
    else:
        state = _checkpoint(path)
    expected = module.state_dict()
    problems = [f"{key} is missing.{nearest(key, set(state) - set(expected))}" for key in expected if key not in state]
    problems += [f"{key} has no place." for key in state if key not in expected]
    problems += [
        f"{key} has shape {tuple(value.shape)}, expected {tuple(expected[key].shape)}."
        for key, value in state.items()
        if key in expected and value.shape != expected[key].shape
    ]
    if problems:
        more = f" (and {len(problems) - 4} more)" if len(problems) > 4 else ""
        raise ModelError(f"{path.name} does not fit {name}: {' '.join(problems[:4])}{more}")
    module.load_state_dict(state)
    return declared


def _safetensors(path: Path) -> tuple[dict[str, Any], dict[str, str]]:
    try:
        from safetensors import SafetensorError, safe_open
    except ImportError:
        raise ModelError(f"{path.name} needs the package safetensors: pip install safetensors") from None
    try:
        with safe_open(path, framework="pt") as file:
            return {key: file.get_tensor(key) for key in file.keys()}, dict(file.metadata() or {})  # noqa: SIM118
    except SafetensorError as error:
        raise ModelError(f"{path.name} is no safetensors file, or is truncated: {error}") from None


def _checkpoint(path: Path) -> dict[str, Any]:
    """Read a ``.pt`` file as tensors only; a refusal is final, as a second, freer try would run its code."""
    import pickle

    import torch

    try:
        with warnings.catch_warnings():  # with -W error, a remark on the file's pickle protocol would be fatal
            warnings.simplefilter("ignore")
            state = torch.load(path, map_location="cpu", weights_only=True)
    except pickle.UnpicklingError:
        raise ModelError(
            f"{path.name} holds more than tensors, which could run code. Save it again with "
            "safetensors.torch.save_file(model.state_dict(), 'w.safetensors')."
        ) from None
    except Exception as error:
        raise ModelError(f"{path.name} cannot be read as weights: {raised(error)}.") from None
    for key in _WRAPPERS:
        if isinstance(state, Mapping) and isinstance(state.get(key), Mapping):
            state = state[key]
    if not isinstance(state, Mapping) or not all(isinstance(value, torch.Tensor) for value in state.values()):
        raise ModelError(f"{path.name} holds a {type(state).__name__}, no state_dict. Save model.state_dict().")
    return dict(state)
