"""What is known of each published file: this table is all there is to know, for code and for the documentation.

Hashes and sizes are those that the publishers and other loaders of these files state; what nobody states is None.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal, get_args

from ...errors import BenchmarkError, nearest
from ..grids import CELEBGLOW, DSPRITES, MPI3D, SHAPES3D

Mode = Literal["train", "test"]

MODES: tuple[Mode, ...] = get_args(Mode)
VARIANTS = ("random", "composition", "interpolation", "extrapolation")
"""Of the authors' pre-split files."""

DESIGNS = {design.name: design for design in (DSPRITES, SHAPES3D, MPI3D, CELEBGLOW)}


@dataclass(frozen=True)
class Record:
    """A published file and the array of it that is read.

    Attributes:
        data_set: Name of its design.
        name: Of the file.
        key: Of the array within the file; None for an .npy file.
        count: N, number of rows; None where only the labels beside it tell.
        shape: Of one row; ``(64, 64, 3)``.
        source: Where it can be had.
        licence: Under which it is published.
        size: Of the file, roughly; None for unknown.
        md5: Of the file, 32 hexadecimal digits; None for unknown.
        labels: Key of the array (N, factors) that tells the order of the rows; None for none.
        dtype: Of the array; None for any that holds numbers.
    """

    data_set: str
    name: str
    key: str | None
    count: int | None
    shape: tuple[int, ...]
    source: str
    licence: str
    size: str | None = None
    md5: str | None = None
    labels: str | None = None
    dtype: str | None = "uint8"

    @property
    def described(self) -> str:
        """Name, size and hash, for messages."""
        known = [f"about {self.size}"] if self.size else []
        known += [f"MD5 {self.md5}"] if self.md5 else []
        return f"{self.name} ({', '.join(known)})" if known else self.name


def _mpi3d(kind: str, md5: str, source: str) -> tuple[Record, ...]:
    return (
        Record(
            "mpi3d",
            f"mpi3d_{kind}.npz",
            key="images",
            count=1_036_800,
            shape=(64, 64, 3),
            size="12 GB",
            md5=md5,
            source=f"{source} or https://huggingface.co/datasets/waleedgondal/mpi3d",
            licence="CC-BY-4.0",
        ),
    )


PUBLISHED: dict[tuple[str, str], tuple[Record, ...]] = {
    ("dsprites", "published"): (
        Record(
            "dsprites",
            "dsprites_ndarray_co1sh3sc6or40x32y32_64x64.npz",
            key="imgs",
            count=737_280,
            shape=(64, 64),
            size="26 MB",
            labels="latents_classes",
            source="https://github.com/deepmind/dsprites-dataset",
            licence="Apache-2.0",
        ),
        Record(
            "dsprites",
            "dsprites_ndarray_co1sh3sc6or40x32y32_64x64.hdf5",
            key="imgs",
            count=737_280,
            shape=(64, 64),
            md5="b331c4447a651c44bf5e8ae09022e230",
            source="https://github.com/deepmind/dsprites-dataset",
            licence="Apache-2.0",
        ),
    ),
    ("shapes3d", "published"): (
        Record(
            "shapes3d",
            "3dshapes.h5",
            key="images",
            count=480_000,
            shape=(64, 64, 3),
            size="255 MB",
            md5="099a2078d58cec4daad0702c55d06868",
            labels="labels",
            source="https://storage.googleapis.com/3d-shapes/3dshapes.h5",
            licence="Apache-2.0",
        ),
    ),
    ("mpi3d", "real"): _mpi3d(
        "real",
        "0f33f609918fb5c97996692f91129802",
        "https://storage.googleapis.com/disentanglement_dataset/Final_Dataset/mpi3d_real.npz",
    ),
    ("mpi3d", "realistic"): _mpi3d(
        "realistic", "59a6225b88b635365f70c91b3e52f70f", "https://github.com/rr-learning/disentanglement_dataset"
    ),
    ("mpi3d", "toy"): _mpi3d(
        "toy", "55889cb7c7dfc655d6e0277beee88868", "https://github.com/rr-learning/disentanglement_dataset"
    ),
    ("celebglow", "published"): (
        Record(
            "celebglow",
            "celeba_glow_all_images_64.npy",
            key=None,
            count=216_000,
            shape=(64, 64, 3),
            size="2.7 GB",
            source="the authors of arXiv 2107.08221; no public download is known",
            licence="not stated; it is made from CelebA-HQ, which is for non-commercial use",
        ),
    ),
}
"""Files that serve (data set, variant), the preferred one first; images are (count, *shape) in grid order."""

_ZENODO = {"dsprites": 4835774, "shapes3d": 4898937, "mpi3d": 4899346}


def published_records(data_set: str, variant: str) -> tuple[Record, ...]:
    """Return the files that serve a data set, the preferred one first.

    Raises:
        BenchmarkError: No such data set or variant is published.
    """
    _check(data_set, variant, PUBLISHED)
    return PUBLISHED[data_set, variant]


def presplit_records(data_set: str, variant: str) -> dict[Mode, tuple[Record, Record]]:
    """Return the authors' files (images, labels) of each mode: images (n, C, 64, 64), labels (n, factors) as level numbers.

    Raises:
        BenchmarkError: The authors published no such split.
    """
    _check(data_set, variant, [(name, known) for name in _ZENODO for known in VARIANTS])
    design = DESIGNS[data_set]

    def record(mode: Mode, what: str, shape: tuple[int, ...], dtype: str | None) -> Record:
        return Record(
            data_set,
            f"{data_set}_{variant}_{mode}_{what}.npz",
            key="arr_0",
            count=None,
            shape=shape,
            source=f"https://zenodo.org/records/{_ZENODO[data_set]}",
            licence="see there",
            dtype=dtype,
        )

    return {
        mode: (
            record(mode, "images", (design.channels, 64, 64), "uint8"),
            record(mode, "labels", (len(design.factors),), None),
        )
        for mode in MODES
    }


def _check(data_set: str, variant: str, known: Iterable[tuple[str, str]]) -> None:
    asked, names = f"{data_set}, {variant}", [", ".join(pair) for pair in known]
    if asked not in names:
        raise BenchmarkError(f"No published files of data set and variant {asked!r}.{nearest(asked, names)}")
