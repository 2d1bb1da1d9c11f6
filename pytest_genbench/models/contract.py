"""The contract: what a model consumes and offers, and who says so."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ..errors import ModelError, nearest
from ..hierarchy import Hierarchy
from .declaration import Declaration, Source, is_role

Shape = tuple[int | None, ...]
"""Axes of an array; None for a free axis."""

KINDS = {2: "signal", 4: "image", 5: "set"}
"""What an input is, by its number of axes."""

DTYPES = ("float32", "float16", "float64", "uint8")
"""Element types an image input may have."""


@dataclass(frozen=True)
class Contract:
    """What a model consumes and offers.

    Attributes:
        input_name: Name of the input in the graph.
        shape: Channels, height, width, whatever the layout; of sets of images how many they are, then the same; of a signal its
            length; None for a free axis.
        dtype: ``float32``, ``float16``, ``float64`` or ``uint8``.
        layout: ``NCHW`` or ``NHWC``, of the input (of each image of a set) and of a reconstruction; ``NL`` for signals.
        range: Lowest and highest pixel value, of the input before mean and std, and of a reconstruction. Signals come as they
            are, and it means nothing.
        mean: Per channel, in units of `range`; None for no normalisation.
        std: Per channel, in units of `range`; None for no normalisation.
        batch: The fixed batch size; None where any number of images goes.
        outputs: Name in the graph of each role: ``reconstruction``, ``embedding``, ``scores``, ``factors``,
            ``factor.<name>``, ``assignment.<k>``.
        shapes: Shape of each role's output with its batch axis, where known.
        unnamed: Shape (with its batch axis) and dtype of each graph output whose meaning is not known.
        benchmark: The benchmark it is made for.
        trained_on: Ids of the splits it was trained on; empty when undeclared; ``("none",)`` for no split of any
            benchmark.
        code_size: Declared numbers in the code that a reconstruction passes through.
        decoder: Path of the decoder's file, relative to the model's folder.
        hierarchy: How the variables of a hierarchical code depend on each other: continuous ones are the columns of
            ``embedding``, categorical ones the outputs ``assignment.<k>``.
        input_kind: ``image``, ``set`` (several images at once) or ``signal``.
        extra: Names of further inputs, which say something about each item; see :mod:`pytest_genbench.models.extra`.
        readout: What was trained over the model's frozen embedding, in words; None where nothing was.
        sources: For each field, who says so: ``option``, ``sidecar``, ``metadata``, ``graph`` or ``default``.
        warnings: What is odd but usable, a sentence each.
    """

    input_name: str
    shape: Shape = (None, None, None)
    dtype: str = "float32"
    layout: str = "NCHW"
    range: tuple[float, float] = (0.0, 1.0)
    mean: tuple[float, ...] | None = None
    std: tuple[float, ...] | None = None
    batch: int | None = None
    outputs: Mapping[str, str] = field(default_factory=dict)
    shapes: Mapping[str, Shape] = field(default_factory=dict)
    unnamed: Mapping[str, tuple[Shape, str]] = field(default_factory=dict)
    benchmark: str | None = None
    trained_on: tuple[str, ...] = ()
    code_size: int | None = None
    decoder: str | None = None
    hierarchy: Hierarchy | None = None
    input_kind: str = "image"
    extra: tuple[str, ...] = ()
    readout: str | None = None
    sources: Mapping[str, Source] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()

    def describe(self) -> str:
        """Return one line: ``image float32 NCHW (1, 64, 64) in [0, 1], any batch -> reconstruction, embedding``."""
        low, high = self.range
        shape = self.shape
        if self.layout == "NHWC":
            *number, channels, height, width = shape
            shape = (*number, height, width, channels)
        parts = [f"{self.input_kind} {self.dtype} {self.layout} {show(shape)}"]
        if self.input_kind != "signal":
            parts[0] += f" in [{low:g}, {high:g}]"
        if self.mean is not None or self.std is not None:
            mean, std = self.mean or (0.0,), self.std or (1.0,)
            parts.append(f"mean {_short(mean)}, std {_short(std)}")
        parts.append("any batch" if self.batch is None else f"batch {self.batch}")
        offers = ", ".join([*self.outputs, *(f"{name!r} (undeclared)" for name in self.unnamed)])
        by = "" if self.readout is None else f" ({self.readout})"
        return ", ".join(parts) + " -> " + (offers or "nothing known") + by

    def flat(self) -> dict[str, Any]:
        """Return what two runs must agree on to be compared, as builtin types with sorted keys.

        Left out are who says so, warnings, graph names, and ``trained_on``, which differs between the files of one
        model. A readout and a hierarchy are there only if there is one.
        """
        readout = {} if self.readout is None else {"readout": self.readout}
        extra = {"extra": list(self.extra)} if self.extra else {}
        hierarchy = {} if self.hierarchy is None else {"hierarchy": self.hierarchy.notation}
        return {
            "batch": self.batch,
            "code_size": self.code_size,
            "dtype": self.dtype,
            **extra,
            **hierarchy,
            "input": self.input_kind,
            "layout": self.layout,
            "mean": None if self.mean is None else list(self.mean),
            "outputs": sorted(self.outputs),
            "range": list(self.range),
            **readout,
            "shape": list(self.shape),
            "std": None if self.std is None else list(self.std),
        }


def show(shape: Sequence[int | None]) -> str:
    """Write a shape with ``any`` for free axes: ``(1, any, any)``."""
    return "(" + ", ".join("any" if axis is None else str(axis) for axis in shape) + ")"


def _short(numbers: Sequence[float]) -> str:
    return "(" + ", ".join(f"{number:g}" for number in numbers) + ")"


@dataclass(frozen=True)
class GraphFacts:
    """What the model itself shows.

    Attributes:
        name: The model in words, for messages.
        input_name: Name of the one input.
        input_shape: Shape of the input with its batch axis.
        input_dtype: Element type of the input.
        outputs: Shape (with its batch axis) and dtype of each output; None where only running the model would tell.
        extra: Names of further inputs.
    """

    name: str
    input_name: str = "input"
    input_shape: Shape = (None, None, None, None)
    input_dtype: str = "float32"
    outputs: Mapping[str, tuple[Shape, str]] | None = None
    extra: tuple[str, ...] = ()


def resolve(declared: Sequence[Declaration], facts: GraphFacts) -> Contract:
    """Join what is declared, most binding first (options, sidecar, metadata), with what the graph shows.

    The graph wins over a sidecar or metadata that contradict it, with a warning; an option that contradicts it is an
    error.

    Raises:
        OptionError: An option contradicts the graph.
        ModelError: The input is no image, its layout is ambiguous, or a declaration does not fit.
    """
    return _Resolution(declared, facts).contract()


class _Resolution:
    """One call of :func:`resolve`: collects sources and warnings on the way."""

    def __init__(self, declared: Sequence[Declaration], facts: GraphFacts) -> None:
        self.declared, self.facts = declared, facts
        self.sources: dict[str, Source] = {"input_name": "graph", "shape": "graph", "dtype": "graph", "batch": "graph"}
        self.warnings: list[str] = []

    def contract(self) -> Contract:
        facts = self.facts
        if len(facts.input_shape) not in KINDS:
            raise ModelError(
                f"{facts.name}: input {facts.input_name!r} has shape {show(facts.input_shape)}; an image input has the "
                "four axes N, C, H, W or N, H, W, C, one of sets of images a fifth after N, a signal the two axes N, length. "
                "Export the model with a reshape inside it."
            )
        if len(facts.input_shape) == 2 and facts.input_name == "embedding":
            raise ModelError(
                f"{facts.name} takes an embedding: it is the decoder of a model. Give the model's own file, which declares "
                "this one as genbench.decoder."
            )
        if facts.input_dtype not in DTYPES:
            raise ModelError(
                f"{facts.name}: input {facts.input_name!r} takes {facts.input_dtype}; images can be given as "
                f"{', '.join(DTYPES)}. Cast inside the model."
            )
        self._input()
        kind = KINDS[len(facts.input_shape)]
        batch, *axes = facts.input_shape
        layout, shape = ("NL", tuple(axes)) if kind == "signal" else self._image()
        channels = None if kind == "signal" else shape[-3]
        low_high = self._range()
        mean, std = self._normalisation("mean", channels), self._normalisation("std", channels)
        outputs, shapes, unnamed = self._outputs()
        return Contract(
            input_name=facts.input_name,
            shape=shape,
            dtype=facts.input_dtype,
            layout=layout,
            range=low_high,
            mean=mean,
            std=std,
            batch=batch,
            outputs=outputs,
            shapes=shapes,
            unnamed=unnamed,
            benchmark=self._take("benchmark"),
            trained_on=self._take("trained_on") or (),
            code_size=self._take("code_size"),
            decoder=self._take("decoder"),
            hierarchy=self._take("hierarchy"),
            input_kind=kind,
            extra=facts.extra,
            sources=self.sources,
            warnings=tuple(self.warnings),
        )

    def _find(self, key: str) -> Declaration | None:
        """Return the most binding declaration that has the key."""
        return next((one for one in self.declared if key in one.values), None)

    def _take(self, key: str) -> Any:
        """Return the declared value of a key, or None, and note its source."""
        found = self._find(key)
        self.sources[key] = "default" if found is None else found.source
        return None if found is None else found.values[key]

    def _contradiction(self, found: Declaration, key: str, declared: object, shown: str) -> None:
        """Warn that the graph wins; for an option, which someone just typed, stop instead."""
        message = f"{found.where} says {key} = {declared}, but {self.facts.name} has {shown}"
        if found.source == "option":
            raise found.error(f"{message}. Correct the option or leave it out.")
        self.warnings.append(f"{message}; the graph is right.")

    def _input(self) -> None:
        found = self._find("input")
        if found is not None and found.values["input"] != self.facts.input_name:
            self._contradiction(found, "input", found.values["input"], f"the input {self.facts.input_name!r}")

    def _image(self) -> tuple[str, Shape]:
        """Find the layout of images, and their channels, height and width; of sets, how many they are before that."""
        layout = self._layout()
        *number, a, b, c = self.facts.input_shape[1:]
        channels, height, width = (a, b, c) if layout == "NCHW" else (c, a, b)
        return layout, (*number, channels, *self._size(height, width))

    def _layout(self) -> str:
        """Find the layout: certain where the channel axis, of size 1 or 3, can be on one side only."""
        shape = self.facts.input_shape
        first, last = shape[-3] in (1, 3), shape[-1] in (1, 3)
        certain = None if first == last else "NCHW" if first else "NHWC"
        found = self._find("layout")
        if found is not None:
            declared: str = found.values["layout"]
            if certain is None or certain == declared:
                self.sources["layout"] = found.source
                return declared
            self._contradiction(found, "layout", declared, f"an input of shape {show(shape)}, which is {certain}")
        if first and last:
            raise ModelError(
                f"{self.facts.name}: an input of shape {show(shape)} may be NCHW or NHWC. Declare genbench.layout in "
                "the metadata, or layout in the sidecar or as an option."
            )
        self.sources["layout"] = "default" if certain is None else "graph"
        return certain or "NCHW"

    def _size(self, height: int | None, width: int | None) -> tuple[int | None, int | None]:
        """Find height and width: those the graph has, and where it leaves one free what is declared."""
        found = self._find("size")
        if found is None:
            return height, width
        declared: tuple[int, int] = found.values["size"]
        tall, wide = height or declared[0], width or declared[1]
        if (tall, wide) != declared:
            self._contradiction(found, "size", _short(declared), f"images of height and width {show((height, width))}")
            return height, width
        self.sources["shape"] = found.source
        return declared

    def _range(self) -> tuple[float, float]:
        """Find the range of pixel values: declared, or by convention [0, 1] for floats and [0, 255] for bytes."""
        found = self._find("range")
        is_byte = self.facts.input_dtype == "uint8"
        if found is not None:
            declared: tuple[float, float] = found.values["range"]
            if not is_byte or declared == (0.0, 255.0):
                self.sources["range"] = found.source
                return declared
            self._contradiction(found, "range", _short(declared), "a uint8 input, which takes [0, 255]")
        self.sources["range"] = "graph" if found is not None else "default"
        return (0.0, 255.0) if is_byte else (0.0, 1.0)

    def _normalisation(self, key: str, channels: int | None) -> tuple[float, ...] | None:
        """Find mean or std: one number for all channels, or one each."""
        numbers: tuple[float, ...] | None = self._take(key)
        found = self._find(key)
        if numbers is None or found is None:
            return None
        if self.facts.input_dtype == "uint8":
            self._contradiction(
                found, key, _short(numbers), "a uint8 input, which cannot be normalised outside the model"
            )
            self.sources[key] = "graph"
            return None
        if channels is not None and len(numbers) not in (1, channels):
            raise found.error(
                f"{found.where}: {key} = {_short(numbers)} has {len(numbers)} numbers, but the input has {channels} "
                "channels. Give one number, or one for each channel."
            )
        return numbers

    def _outputs(self) -> tuple[dict[str, str], dict[str, Shape], dict[str, tuple[Shape, str]]]:
        """Give each output its role: the declared one, or its own name where that is a role."""
        found, shown = self._find("outputs"), self.facts.outputs
        pairs: tuple[tuple[str, str], ...] = () if found is None else found.values["outputs"]
        if found is not None and shown is not None:
            for name, _ in pairs:
                if name not in shown:
                    raise found.error(
                        f"{found.where}: outputs names {name!r}, which {self.facts.name} does not have."
                        + nearest(name, shown)
                    )
        outputs = {role: name for name, role in pairs}
        self.sources["outputs"] = "graph" if found is None else found.source
        declared = {name for name, _ in pairs}
        unnamed: dict[str, tuple[Shape, str]] = {}
        for name, fact in (shown or {}).items():
            if name in declared:
                continue
            if is_role(name) and name not in outputs:
                outputs[name] = name
            else:
                unnamed[name] = fact
        shapes = {role: shown[name][0] for role, name in outputs.items() if shown is not None and name in shown}
        return outputs, shapes, unnamed
