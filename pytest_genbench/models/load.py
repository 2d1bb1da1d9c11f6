"""From ``--genbench-model`` to a model: a cheap check first, the loading when a test needs it."""

from __future__ import annotations

import glob
import re
from pathlib import Path

from ..errors import ModelError, OptionError, TrustError, nearest
from .files import neighbours
from .options import ModelOptions
from .protocol import Model

_PLACEHOLDER = re.compile(r"\{([^{}]*)\}")
_FACTORY = re.compile(r"[A-Za-z_]\w*(\.[A-Za-z_]\w*)*:[A-Za-z_]\w*(\.[A-Za-z_]\w*)*")
_REFERENCE = "reference:"

UNSAFE = {
    ".pt2": "program",
    ".pt": "pickle",
    ".pth": "pickle",
    ".pkl": "pickle",
    ".pickle": "pickle",
    ".bin": "pickle",
    ".ts": "script",
    ".torchscript": "script",
    ".jit": "script",
}
"""Files that can run code when loaded, by suffix, and how they are read when trusted."""

WEIGHTS = (".safetensors", ".pt", ".pth")
"""Files of weights, which are only read as tensors."""


PLACEHOLDERS = ("benchmark", "split", "seed")
"""What a path may hold in braces, to be filled for each test."""


def has_split(spec: str | ModelOptions) -> bool:
    """Whether there is one file for each split: the spec, or the weights beside it, hold ``{split}`` or ``{benchmark}``."""
    return not {"split", "benchmark"}.isdisjoint(_placeholders_of(spec))


def has_seed(spec: str | ModelOptions) -> bool:
    """Whether there is one file for each seed: the spec, or the weights beside it, hold ``{seed}``."""
    return "seed" in _placeholders_of(spec)


def _placeholders_of(spec: str | ModelOptions) -> list[str]:
    text = spec if isinstance(spec, str) else f"{spec.spec} {spec.weights or ''}"
    return _PLACEHOLDER.findall(text)


def check(options: ModelOptions) -> None:
    """Find mistakes that need no runtime: run before anything is collected.

    Raises:
        OptionError: The spec or the weights are nothing that can be loaded.
        ModelError: A file or module does not exist.
        TrustError: The file can run code when loaded, and ``--genbench-trust-model`` was not given.
    """
    kind = kind_of(options)
    if kind == "reference":
        from ..learners.references import parse

        parse(options.spec)
    if kind == "factory":
        from .factory import find_module

        find_module(options)
    elif kind != "reference":
        _existing(options.spec, options.root)
    if options.weights is None:
        return
    if kind != "factory":
        why = "is trained" if kind == "reference" else "already holds its weights"
        raise OptionError(f"--genbench-weights goes with module:callable; {options.spec} {why}.")
    suffix = Path(options.weights).suffix
    if suffix not in WEIGHTS:
        raise OptionError(
            f"--genbench-weights={options.weights}: weights are {', '.join(WEIGHTS)} files, not {suffix or 'this'}."
        )
    _placeholders("--genbench-weights", options.weights)
    _existing(options.weights, options.root)


def load(
    options: ModelOptions, *, split: str | None = None, seed: int = 0, image_shape: tuple[int, ...] | None = None
) -> Model:
    """Load the model under test.

    Args:
        options: What was asked for.
        split: Slug of the split, for ``{split}``; without one the first file there is stands for all.
        seed: Training seed, for ``{seed}``.
        image_shape: Height, width, channels of the images to come, or the length of signals. A PyTorch module or function
            shows its outputs only when it is called, and is called with grey images of this shape.

    Raises:
        ModelError: It cannot be loaded.
        DeviceError: The device that was asked for is not there.
    """
    check(options)
    kind = kind_of(options)
    if kind == "reference":
        raise ModelError(f"{options.spec} is trained for each split; there is no one model to load.")
    if kind == "factory":
        from .factory import load_factory

        weights = None if options.weights is None else _filled(options.weights, options, split, seed)
        return load_factory(options, weights, image_shape)
    path = _filled(options.spec, options, split, seed)
    if kind == "onnx":
        from .onnx import OnnxModel

        return OnnxModel(path, options)
    from .trusted import load_trusted

    return load_trusted(path, kind, options, image_shape)


def exists(options: ModelOptions, split: str, seed: int) -> bool:
    """Whether the files that a template stands for are there, for one split and seed."""
    texts = (options.spec, options.weights) if kind_of(options) != "factory" else (options.weights,)
    filled = [text.replace("{split}", split).replace("{seed}", str(seed)) for text in texts if text is not None]
    return all((options.root / text).is_file() for text in filled)


def kind_of(options: ModelOptions) -> str:
    """Say what a spec is: ``onnx``, ``factory``, ``reference``, or a trusted ``program``, ``script`` or ``pickle``."""
    spec = options.spec
    if spec.startswith(_REFERENCE):
        return "reference"
    _placeholders("--genbench-model", spec)
    suffix = Path(spec).suffix.lower()
    if suffix == ".onnx":
        return "onnx"
    if suffix in UNSAFE and ":" not in Path(spec).name:
        _existing(spec, options.root)
        if not options.trust:
            raise TrustError(_conversion(spec, UNSAFE[suffix]))
        return UNSAFE[suffix]
    if suffix == ".safetensors":
        raise OptionError(
            f"{spec} holds weights without an architecture: give --genbench-model=module:callable "
            f"--genbench-weights={spec}"
        )
    # nets.py:build would read as the module nets.py
    if _FACTORY.fullmatch(spec) and ".py:" not in spec:
        return "factory"
    path = options.root / spec
    if path.is_dir():
        inside = sorted(file.name for file in path.glob("*.onnx"))
        held = f" It holds {', '.join(inside[:5])}." if inside else " It holds no .onnx file."
        raise ModelError(f"{spec} is a directory; name the file.{held}")
    what = (
        f"{spec} is a file of an unknown kind"
        if path.is_file()
        else f"--genbench-model={spec} is neither a file nor a callable"
    )
    near = neighbours(path, (".onnx",)) if path.parent.is_dir() and ":" not in spec else ""
    raise OptionError(f"{what}. Give a file such as m.onnx, or package.module:callable.{_spelling(spec) or near}")


def _spelling(spec: str) -> str:
    """Help with the usual slips of ``module:callable``."""
    module, colon, name = spec.partition(":")
    if colon and (module.endswith(".py") or "/" in module):
        dotted = module.removesuffix(".py").strip("./").replace("/", ".")
        return f" Modules are written with dots and without .py: {dotted}:{name}"
    return ""


_CONVERSIONS = {
    "program": "    torch.onnx.export(torch.export.load({spec!r}), f='m.onnx', output_names=['reconstruction'])\n",
    "script": (
        "    m = torch.jit.load({spec!r})\n"
        "    torch.onnx.export(m, (torch.rand(2, C, H, W),), 'm.onnx', input_names=['x'], "
        "output_names=['reconstruction'], dynamic_axes={{'x': {{0: 'N'}}}}, dynamo=False)\n"
    ),
    "pickle": (
        "    m = torch.load({spec!r}, weights_only=False)\n"
        "    torch.onnx.export(m, (torch.rand(2, C, H, W),), 'm.onnx', output_names=['reconstruction'], "
        "dynamic_shapes=({{0: 'N'}},), dynamo=True)\n"
    ),
}
"""How to make an ONNX file of an unsafe one, by kind."""


def _conversion(spec: str, kind: str) -> str:
    """Say how to make a safe file of an unsafe one."""
    return (
        f"{spec} can run code when it is loaded. Where you trust it, convert it once:\n"
        + _CONVERSIONS[kind].format(spec=spec)
        + "Or give its weights to --genbench-weights with module:callable; or pass --genbench-trust-model."
    )


def _placeholders(option: str, text: str) -> None:
    for name in _PLACEHOLDER.findall(text):
        if name not in PLACEHOLDERS:
            raise OptionError(f"{option}={text}: {{{name}}} is no placeholder.{nearest(name, PLACEHOLDERS)}")


def _matches(text: str, root: Path) -> list[Path]:
    """List the files that a template stands for, short names first: ``A1.decoder.onnx`` fits ``{split}.onnx`` too."""
    parts = _PLACEHOLDER.split(text)
    pattern = "*".join(glob.escape(part) for part in parts[::2])
    # The same placeholder twice must be filled alike; a name that only the glob accepts is not a match.
    seen: set[str] = set()
    regex = ""
    for at, part in enumerate(parts):
        if at % 2 == 0:
            regex += re.escape(part)
        else:
            regex += f"(?P={part})" if part in seen else f"(?P<{part}>[^/\\\\]+)"
            seen.add(part)
    found = [root / name for name in glob.glob(pattern, root_dir=root) if re.fullmatch(regex, name)]
    return sorted((path for path in found if path.is_file()), key=lambda path: (len(path.name), path))


def _existing(text: str, root: Path) -> None:
    """Check that a file, or at least one file of a template, exists."""
    path = root / text
    if _PLACEHOLDER.search(text):
        if not _matches(text, root):
            pattern = _PLACEHOLDER.sub("*", text)
            raise ModelError(
                f"No file matches {text} (looked for {pattern} in {root}).{neighbours(path, (path.suffix,))}"
            )
    elif path.is_dir():
        raise ModelError(f"{text} is a directory; name the file.")
    elif not path.is_file():
        raise ModelError(f"There is no file {text} (in {root}).{neighbours(path, (path.suffix,))}")


def _filled(text: str, options: ModelOptions, split: str | None, seed: int) -> Path:
    """Fill a template; without a split the first file that matches stands for all."""
    filled = text.replace("{seed}", str(seed))
    if split is None and has_split(filled):
        matches = _matches(filled, options.root) or _matches(text, options.root)
        return matches[0]
    if split is not None:
        filled = filled.replace("{split}", split)
    path = options.root / filled
    if not path.is_file():
        there = [str(match.relative_to(options.root)) for match in _matches(text, options.root)]
        listed = ", ".join(there[:5]) + (f" and {len(there) - 5} more" if len(there) > 5 else "")
        raise ModelError(f"There is no file {filled} for {text}; there are {listed or 'none'}.")
    return path
