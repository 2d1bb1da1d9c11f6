"""ONNX models, run by ONNX Runtime on a device that is checked, never assumed."""

from __future__ import annotations

import importlib.metadata
import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import DeviceError, MissingOutputError, ModelError
from . import extra
from .arrays import to_numpy
from .contract import Contract, GraphFacts, Shape, resolve, show
from .declaration import Declaration, declare, from_metadata, from_sidecar
from .devices import cuda_devices, cuda_index
from .extra import About
from .files import neighbours, sha256
from .options import ModelOptions
from .prepare import Inputs, check_images, chunks, join, locate, prepare
from .wire import OnnxFile, read

_REPRODUCIBLE = {"use_tf32": "0", "cudnn_conv_algo_search": "DEFAULT"}
"""Options of the CUDA provider. The search for the fastest convolution may choose differently in every process, and
TF32 keeps ten bits: the same model would differ from itself."""

Bound = tuple[str, int] | None
"""Device type and number that inputs and outputs are bound to; None for plain calls, which are as fast on the CPU."""

_DTYPES = {"float": "float32", "double": "float64"}
"""ONNX Runtime's names that differ from NumPy's."""


class OnnxModel:
    """An ONNX file in an ONNX Runtime session; see :class:`~pytest_genbench.models.protocol.Model`."""

    def __init__(self, path: Path, options: ModelOptions) -> None:
        self.name = path.name
        file = read(path)
        files = {path.name: sha256(path), **_external(path, file)}
        declared = _declared(path, file, options)
        self._session, self.device, self._bound, warnings = open_session(path, options)
        contract = resolve(declared, _facts(self._session, path.name))
        self.contract: Contract = replace(contract, warnings=(*contract.warnings, *warnings))
        self._decoder: _Decoder | None = None
        if contract.decoder is not None:
            self._decoder = _Decoder(path.parent / contract.decoder, self.contract, options)
            files.update(self._decoder.files)
        self.files: Mapping[str, str] = files

    def predict(
        self, batch: Inputs, outputs: Sequence[str] | None = None, *, about: About | None = None
    ) -> Mapping[str, Any]:
        """Run the graph on uint8 (N, H, W, C) images; see :class:`~pytest_genbench.models.protocol.Model`."""
        contract = self.contract
        asked = locate(contract, outputs)
        check_images(batch, contract, self.name)
        names = list(dict.fromkeys(asked.values()))
        parts, kept = [], []
        said = extra.pieces(about, contract.extra, len(batch), contract.batch, self.name)
        for (piece, keep), more in zip(chunks(batch, contract.batch), said, strict=True):
            feed = {contract.input_name: prepare(piece, contract), **more}
            parts.append(run_session(self._session, feed, names, self._bound, self.name))
            kept.append(keep)
        given = contract.batch or len(batch)
        joined = {
            name: join([part[at] for part in parts], kept, given, f"{self.name}: output {name!r}")
            for at, name in enumerate(names)
        }
        return {role: joined[name] for role, name in asked.items()}

    def decode(self, embedding: Any) -> Any:
        """Run the decoder's file on embeddings (N, D).

        Raises:
            MissingOutputError: No decoder is declared.
        """
        if self._decoder is None:
            raise MissingOutputError(
                f"{self.name} declares no decoder: declare genbench.decoder, an ONNX file beside it."
            )
        return self._decoder(embedding)

    @property
    def can_decode(self) -> bool:
        """Whether :meth:`decode` works."""
        return self._decoder is not None


class _Decoder:
    """The ONNX file that turns an ``embedding`` into a ``reconstruction``."""

    def __init__(self, path: Path, contract: Contract, options: ModelOptions) -> None:
        self.name = path.name
        if not path.is_file():
            raise ModelError(f"The decoder {contract.decoder!r} does not exist.{neighbours(path, ('.onnx',))}")
        file = read(path)
        name = contract.decoder or path.name
        self.files = {name: sha256(path), **_external(path, file)}
        self._session, _, self._bound, _ = open_session(path, options)
        inputs = [one.name for one in self._session.get_inputs()]
        outputs = [one.name for one in self._session.get_outputs()]
        if inputs != ["embedding"] or "reconstruction" not in outputs:
            raise ModelError(
                f"{path.name}: a decoder has the one input 'embedding' and an output 'reconstruction'; this one has "
                f"{', '.join(inputs)} -> {', '.join(outputs)}. Export it with these names."
            )
        shown = self._session.get_inputs()[0]
        self._batch = shown.shape[0] if shown.shape and isinstance(shown.shape[0], int) else None
        self._dtype = np.dtype(_dtype(shown.type))

    def __call__(self, embedding: Any) -> NDArray[Any]:
        values = np.ascontiguousarray(to_numpy(embedding), dtype=self._dtype)
        parts, kept = [], []
        for piece, keep in chunks(values, self._batch):
            feed = {"embedding": np.ascontiguousarray(piece)}
            parts.append(run_session(self._session, feed, ["reconstruction"], self._bound, self.name)[0])
            kept.append(keep)
        joined = join(parts, kept, self._batch or len(values), f"{self.name}: output 'reconstruction'")
        return to_numpy(joined)


def _declared(path: Path, file: OnnxFile, options: ModelOptions) -> list[Declaration]:
    """Collect what is declared, most binding first."""
    sidecar = from_sidecar(path)
    return [
        declare("option", "--genbench-contract", options.overrides),
        *([] if sidecar is None else [sidecar]),
        from_metadata(f"the metadata of {path.name}", file.metadata),
    ]


def _dtype(kind: str) -> str:
    """Turn ``tensor(float)`` into ``float32``."""
    inner = kind.removeprefix("tensor(").removesuffix(")")
    return _DTYPES.get(inner, inner)


def _shape(axes: Sequence[object] | None) -> Shape:
    return tuple(axis if isinstance(axis, int) and axis >= 0 else None for axis in axes or ())


def _facts(session: Any, name: str) -> GraphFacts:
    """Read what the graph shows of its input and outputs."""
    every = session.get_inputs()
    inputs = [one for one in every if one.name not in extra.NAMES]
    more = [one for one in every if one.name in extra.NAMES]
    if len(inputs) != 1:
        listed = ", ".join(f"{one.name} {show(_shape(one.shape))}" for one in every) or "none"
        raise ModelError(
            f"{name} has {len(every)} inputs ({listed}); a model under test has one, the images. Make the others "
            "constants."
        )
    for one in more:
        if _dtype(one.type) != "int64" or len(one.shape) != 1:
            raise ModelError(
                f"{name}: input {one.name!r} is {_dtype(one.type)} {show(_shape(one.shape))}; a number for each problem is int64 "
                "(N,). Export it so."
            )
    return GraphFacts(
        name=name,
        input_name=inputs[0].name,
        input_shape=_shape(inputs[0].shape),
        input_dtype=_dtype(inputs[0].type),
        outputs={one.name: (_shape(one.shape), _dtype(one.type)) for one in session.get_outputs()},
        extra=tuple(one.name for one in more),
    )


def _external(path: Path, file: OnnxFile) -> dict[str, str]:
    """Hash the external data files.

    Raises:
        ModelError: One is missing, or outside the model's folder.
    """
    folder = Path(os.path.realpath(path.parent))
    hashes: dict[str, str] = {}
    for location in file.external:
        data = path.parent / location
        real = Path(os.path.realpath(data))
        if not real.is_relative_to(folder):
            links = data.is_symlink() or path.is_symlink()
            hint = (
                " It is a symbolic link, as in download caches: copy the real files into one folder." if links else ""
            )
            raise ModelError(
                f"{path.name}: its external data {location!r} is outside the model's "
                f"folder.{hint or ' Save both together.'}"
            )
        if not real.is_file():
            hint = (
                " (the model is a symbolic link, as in download caches: copy the real files)"
                if path.is_symlink()
                else ""
            )
            raise ModelError(
                f"{path.name}: its external data file {location!r} is missing. Put it beside the model{hint}, or "
                "export again with the data inside."
            )
        hashes[location] = sha256(real)
    return hashes


def open_session(path: Path, options: ModelOptions) -> tuple[Any, str, Bound, tuple[str, ...]]:
    """Open a session on the device that was asked for.

    Returns:
        The session, the device that really runs it, the device to bind inputs and outputs to, and warnings.

    Raises:
        DeviceError: CUDA was asked for and is not there, or the runtime could not use it.
        ModelError: The runtime refuses the file.
    """
    try:
        import onnxruntime as ort
    except ImportError as error:
        raise DeviceError(f"ONNX Runtime cannot be imported ({error}): pip install onnxruntime") from None
    available = ort.get_available_providers()
    has_cuda = "CUDAExecutionProvider" in available
    found = f"ONNX Runtime was built with {', '.join(available)}{_two_wheels()}"
    index = cuda_index(options.device, options.worker, cuda_devices() if has_cuda else 0, found)
    settings = ort.SessionOptions()
    settings.intra_op_num_threads = options.threads
    settings.inter_op_num_threads = 1
    # Threads that wait in a spin would take the cores from the judge, which runs between two calls.
    settings.add_session_config_entry("session.intra_op.allow_spinning", "0")
    settings.log_severity_level = 3
    settings.use_deterministic_compute = True
    # Fixed, because the level changes low bits of the results, and the default may change with the release.
    settings.graph_optimization_level = ort.GraphOptimizationLevel.ORT_ENABLE_ALL
    providers: list[Any] = ["CPUExecutionProvider"]
    if index is not None:
        if hasattr(ort, "preload_dlls"):  # finds the CUDA libraries that came with pip
            ort.preload_dlls()
        providers.insert(0, ("CUDAExecutionProvider", {"device_id": index, **_REPRODUCIBLE}))
    try:
        session = ort.InferenceSession(str(path), settings, providers=providers)
    except Exception as error:
        raise explain(path.name, error) from None
    used = session.get_providers()
    if index is None:
        return session, used[0], None, ()
    if used[0] == "CUDAExecutionProvider":
        return session, f"CUDAExecutionProvider (cuda:{index})", ("cuda", index), ()
    failed = f"ONNX Runtime could not load CUDAExecutionProvider (cuDNN or CUDA missing?); it runs {', '.join(used)}"
    if options.device != "auto":
        raise DeviceError(f"--genbench-device={options.device} was asked for, but {failed}{_two_wheels()}.")
    return session, used[0], None, (f"A CUDA device is visible, but {failed}{_two_wheels()}.",)


def _two_wheels() -> str:
    """Say so when both wheels of ONNX Runtime are installed: they overwrite each other's files."""
    versions = []
    for wheel in ("onnxruntime", "onnxruntime-gpu"):
        try:
            versions.append(f"{wheel} {importlib.metadata.version(wheel)}")
        except importlib.metadata.PackageNotFoundError:
            return ""
    both = " and ".join(versions)
    return f"; {both} are both installed and shadow each other: uninstall both, then install one"


def run_session(session: Any, feed: Mapping[str, NDArray[Any]], names: list[str], bound: Bound, what: str) -> list[Any]:
    """Run a session for the named outputs: NumPy arrays, or OrtValues on the device they are bound to.

    Raises:
        ModelError: The runtime fails.
    """
    try:
        if bound is None:
            return list(session.run(names, feed))
        import onnxruntime as ort

        binding = session.io_binding()
        for name, array in feed.items():
            binding.bind_ortvalue_input(name, ort.OrtValue.ortvalue_from_numpy(array, *bound))
        for name in names:
            binding.bind_output(name, *bound)
        session.run_with_iobinding(binding)
        return list(binding.get_outputs())
    except Exception as error:
        shapes = ", ".join(f"{name} {array.dtype} {array.shape}" for name, array in feed.items())
        raise ModelError(f"{what}: ONNX Runtime failed on {shapes}: {_first_line(error)}") from None


_CODE = re.compile(r"^\[ONNXRuntimeError\] : \d+ : \w+ : |^Load model from .+? failed:")
_PLACE = re.compile(r"\S*/\S+\.(?:cc|h):\d+ (?:[\w:<>~&*, ]+\((?:[^()]|\([^()]*\))*\)(?: const)? )?")


def _first_line(error: Exception) -> str:
    """Return the runtime's message without its prefix, source locations, C++ signatures and line breaks."""
    text = _CODE.sub("", _CODE.sub("", str(error).strip()))
    text = " ".join(_PLACE.sub("", " ".join(text.split())).split())
    return text if len(text) <= 300 else text[:300] + " …"


def explain(name: str, error: Exception) -> ModelError:
    """Turn an error of ONNX Runtime at loading into one clear line."""
    text = str(error)
    if "IR version" in text:
        return ModelError(
            f"{name} has a newer IR version than this ONNX Runtime reads ({_first_line(error)}). Upgrade onnxruntime, "
            "or set model.ir_version lower when exporting."
        )
    if (opset := re.search(r"Opset (\d+) is under development", text)) is not None:
        return ModelError(
            f"{name} uses opset {opset[1]}, which is newer than this ONNX Runtime knows. Upgrade onnxruntime, or "
            "export with a lower opset_version."
        )
    if "External data path" in text or "External initializer" in text:
        return ModelError(
            f"{name}: its external data cannot be read ({_first_line(error)}). Keep the real files, whole and no "
            "symbolic links, in the model's folder."
        )
    if "is not a registered function/op" in text or "No Op registered" in text or "No opset import" in text:
        return ModelError(
            f"{name} uses an operator ONNX Runtime does not have ({_first_line(error)}). Libraries of custom operators "
            "are never loaded; export with standard operators."
        )
    if "INVALID_PROTOBUF" in text or "No graph was found" in text:
        return ModelError(f"{name} is truncated, or no ONNX file. Export or download it again.")
    return ModelError(f"{name}: ONNX Runtime cannot load it: {_first_line(error)}")
