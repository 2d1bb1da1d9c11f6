"""The publishers' files for tiny grids: the same formats, names and keys."""

import dataclasses
import zipfile
from io import BytesIO

import h5py
import numpy as np

from pytest_genbench.benchmarks import grids
from pytest_genbench.benchmarks.published.images import open_record
from pytest_genbench.benchmarks.published.presplit import open_presplit_records
from pytest_genbench.benchmarks.published.records import MODES, PUBLISHED, presplit_records

TINY = {
    "dsprites": grids.selection(
        grids.DSPRITES, {"scale": (0, 3), "orientation": (1, 7), "x-position": (2, 9), "y-position": (0, 31)}
    ),
    "shapes3d": grids.selection(
        grids.SHAPES3D,
        {
            "floor color": (1, 8),
            "wall color": (4,),
            "object color": (0, 5, 9),
            "object size": (2, 3),
            "azimuth": (0, 7),
        },
    ),
    "mpi3d": grids.selection(
        grids.MPI3D, {"color": (0, 5), "shape": (1, 2), "bg color": (1,), "x-axis": (0, 39), "y-axis": (17,)}
    ),
    "celebglow": grids.selection(
        grids.CELEBGLOW, {"person": (3, 500, 999), "smile": (0, 5), "blond": (2, 3), "age": (1,)}
    ),
}
"""Designs of 12 to 96 images."""


def pictures(name, seed=0):
    """What the files hold: uint8 (N, 64, 64, C), of dSprites 0 and 255."""
    design = TINY[name]
    rng = np.random.default_rng(seed)
    noise = rng.integers(0, 256, (design.grid.size, *design.image_shape), dtype=np.uint8)
    return np.where(noise > 127, 255, 0).astype(np.uint8) if name == "dsprites" else noise


def records(name, variant="published", which=slice(None), **changes):
    """The records of a data set, for its tiny grid and without the hash of the published file."""
    changes = {"count": TINY[name].grid.size, "md5": None, **changes}
    return tuple(dataclasses.replace(each, **changes) for each in PUBLISHED[name, variant][which])


def opened(name, folder, variant="published", verify=True, **changes):
    return open_record(records(name, variant, **changes), TINY[name], folder, folder / "cache", verify)


def presplit(name, folder, variant="composition"):
    return open_presplit_records(presplit_records(name, variant), TINY[name], folder, folder / "cache")


def stored_bytes(array):
    buffer = BytesIO()
    np.lib.format.write_array(buffer, array)
    return buffer.getvalue()


def write_npz(path, arrays, compress=True, zip64=False):
    """As numpy.savez does, or numpy.savez_compressed; it forces zip64 always, and other tools only where it is needed."""
    method = zipfile.ZIP_DEFLATED if compress else zipfile.ZIP_STORED
    with zipfile.ZipFile(path, "w", method) as archive:
        for key, array in arrays.items():
            with archive.open(f"{key}.npy", "w", force_zip64=zip64) as member:
                member.write(stored_bytes(array))
    return path


def values(name):
    """The labels of a tiny grid as the publisher gives them: (N, K), the values of factors or their numbers."""
    grid = TINY[name].grid
    levels = grid.levels(np.arange(grid.size))
    if name == "dsprites":
        return np.column_stack([np.zeros(grid.size, dtype=np.int64), levels])
    of_type = {"cube": 0, "cylinder": 1, "sphere": 2, "capsule": 3}
    columns = [[of_type.get(each, each) for each in factor.values] for factor in grid.factors]
    return np.column_stack([np.array(column, float)[levels[:, k]] for k, column in enumerate(columns)])


def dsprites_arrays(scale=255, labels=None):
    """The arrays of dSprites' npz; `metadata` is a pickle that must never be read."""
    return {
        "metadata": np.array({"a": object}, dtype=object),
        "imgs": pictures("dsprites")[..., 0] // 255 * scale,
        "latents_classes": values("dsprites") if labels is None else labels,
        "latents_values": values("dsprites").astype(float),
    }


def write_hdf5(path, arrays, **options):
    with h5py.File(path, "w") as file:
        for key, array in arrays.items():
            file.create_dataset(key, data=array, **options)
    return path


def write_published(name, folder, variant="published"):
    """Write the file of a data set, as published; return its path."""
    path = folder / PUBLISHED[name, variant][0].name
    if name == "dsprites":
        return write_npz(path, dsprites_arrays(scale=1))
    if name == "shapes3d":
        return write_hdf5(path, {"images": pictures(name), "labels": values(name)}, compression="gzip")
    if name == "mpi3d":
        return write_npz(path, {"images": pictures(name)}, compress=False, zip64=True)
    np.save(path, pictures(name).reshape(*TINY[name].grid.shape, 64, 64, 3))
    return path


def write_presplit(name, folder, variant="composition", compress=False, change=lambda labels: labels):
    """Write the four files of a split in a shuffled order; return which rows are in the test set.

    Args:
        name: Of the data set.
        folder: Where to.
        variant: Of the split.
        compress: Whether the archives are deflated.
        change: Applied to the labels of either set.
    """
    grid = TINY[name].grid
    order = np.random.default_rng(1).permutation(grid.size)
    parts = {"train": order[: grid.size // 3], "test": order[grid.size // 3 :]}
    for mode in MODES:
        of_images, of_labels = presplit_records(name, variant)[mode]
        images = pictures(name)[parts[mode]].transpose(0, 3, 1, 2)
        write_npz(folder / of_images.name, {"arr_0": images}, compress)
        write_npz(folder / of_labels.name, {"arr_0": change(grid.levels(parts[mode]))}, compress)
    return np.isin(np.arange(grid.size), parts["test"])
