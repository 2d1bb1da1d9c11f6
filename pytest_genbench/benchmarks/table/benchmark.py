"""A table of factors with images, as a benchmark."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...errors import BenchmarkError, nearest
from ...factors import FactorGrid
from ...figures import Figure
from ...splits import Split
from ..protocol import Targets, Task
from . import reading, recognition, regression
from .build import open_images, open_rows
from .description import Description, describe, read_description
from .factors import FactorSettings
from .neighbours import Neighbours
from .read import read
from .splits import FAMILIES, Rule, Splits, SplitSettings

if TYPE_CHECKING:
    from ...results.schema import Case


class TableBenchmark:
    """Your own images and their factors, with splits of four families; items are the rows of the table.

    The table is CSV with a row for each image and a column for each factor; it may cover any part of the grid that the factors
    span. A column ``image`` names the file of each row where the images lie in a folder; an .npy file has them in the order of
    the rows. Columns called ``index`` or ``factor.…``, which ``genbench export`` writes, are left out.

    Args:
        table: The CSV file.
        images: A folder, or an .npy file of uint8 (N, H, W), (N, H, W, 1) or (N, H, W, 3).
        name: Name in gates, results, and in what models declare.
        use: Columns that are factors, in order.
        ignore: Columns that are not; instead of `use`.
        factors: For some factors their kind, the order of their levels, or the number of bands.
        channels: 1 or 3, to convert the images of a folder to grey or RGB.
        allow_duplicates: Whether rows may have the same levels of all factors.
        splits: Shares, factors and least sizes of the splits.

    Raises:
        BenchmarkError: The table or the images cannot be used as they are; the message says what to change.

    Example:
        ``TableBenchmark("cars.csv", "photos", "cars", factors={"size": {"kind": "ordinal", "values": ["S", "M", "L"]}})``
    """

    preset = "default"

    def __init__(
        self,
        table: str | Path,
        images: str | Path,
        name: str,
        *,
        use: Sequence[str] | None = None,
        ignore: Sequence[str] = (),
        factors: Mapping[str, FactorSettings | Mapping[str, Any]] | None = None,
        channels: int | None = None,
        allow_duplicates: bool = False,
        splits: SplitSettings | Mapping[str, Any] | None = None,
    ) -> None:
        given = {"use": use, "ignore": ignore or None, "factors": factors, "channels": channels, "splits": splits}
        raw: dict[str, Any] = {"name": name, "table": table, "images": images, "allow_duplicates": allow_duplicates}
        raw |= {key: value for key, value in given.items() if value is not None}
        self._open(describe(raw, type(self).__name__, Path()))

    @classmethod
    def from_toml(cls, path: str | Path) -> TableBenchmark:
        """Read a description; its paths are relative to its folder.

        Raises:
            BenchmarkError: The description, the table or the images cannot be used as they are.
        """
        made = cls.__new__(cls)
        made._open(read_description(path))
        made.source = Path(path).resolve()
        return made

    def _open(self, description: Description) -> None:
        self.source: Path | None = None
        self.name = description.name
        self._description = description
        table = read(description.table)
        self.rows = open_rows(table, description)
        self._images = open_images(table, description)
        self.image_shape: tuple[int, int, int] = self._images.shape
        self.neighbours = Neighbours(self._images, len(self.rows), self.name)

    def __len__(self) -> int:
        return len(self.rows)

    @cached_property
    def version(self) -> str:
        """Number of the rules, and a digest of everything that scores depend on: table, images, factors, splits."""
        found = hashlib.sha256(self._images.digest().encode())
        settings = self._description.splits
        for family in FAMILIES:
            chosen = settings.of(family)
            found.update(repr((family, chosen.share, chosen.factors)).encode())
        for variable in self.rows.variables:
            found.update(repr(variable.factor).encode())
            found.update(variable.levels.astype("<i8").tobytes() + variable.targets.astype("<f8").tobytes())
        return f"1-{found.hexdigest()[:12]}"

    @property
    def grid(self) -> FactorGrid:
        """The factors and their levels. Items are rows of the table, not points of the grid."""
        return self.rows.grid

    @cached_property
    def _splits(self) -> Splits:
        return Splits(self.rows, self._description.splits, self.name)

    @cached_property
    def _by_slug(self) -> dict[str, Split]:
        return {
            slug: Split(self.name, self.preset, rule.family, slug, rule.held_out, rule.is_held_out, rule.group)
            for slug, rule in self._splits.rules.items()
        }

    @property
    def left_out(self) -> Mapping[str, str]:
        """For each split that this table cannot have, by slug, the reason."""
        return self._splits.left_out

    @property
    def families(self) -> tuple[str, ...]:
        """Of ``in_distribution``, ``compositional``, ``interpolation`` and ``extrapolation``, those that have a split."""
        there = {split.family for split in self._by_slug.values()}
        return tuple(family for family in FAMILIES if family in there)

    def splits(self, family: str) -> tuple[Split, ...]:
        """Return the splits of a family.

        Raises:
            BenchmarkError: Unknown family, or one of which this table has no split; then the message says why.
        """
        found = tuple(split for split in self._by_slug.values() if split.family == family)
        if found:
            return found
        if family not in FAMILIES:
            raise BenchmarkError(f"{self.name} has no split family {family!r}.{nearest(family, self.families)}")
        reasons = [f"{slug}: {reason}" for slug, reason in self.left_out.items() if slug.startswith(f"{family}-")]
        raise BenchmarkError(f"{self.name} has no {family} split. {'; '.join(reasons)}.")

    def images(self, index: ArrayLike) -> NDArray[np.uint8]:
        """Read the images of rows (N,): uint8 (N, H, W, C).

        Raises:
            BenchmarkError: A row is out of range, or an image cannot be read or has another size than the first.
        """
        return self._images.read(self._checked(index))

    def levels(self, index: ArrayLike) -> NDArray[np.int64]:
        """Levels (N, K) of rows (N,), in the order of the factors."""
        return np.asarray(self.rows.levels[self._checked(index)])

    def targets(self, index: ArrayLike) -> Targets:
        """Right answers of rows (N,): levels int64 (N,) by ``factor.<name>``, and ``factors`` float32 (N, K) in [0, 1]."""
        row = self._checked(index)
        named = {name: self.rows.levels[row, k] for name, k in recognition.outputs(self.rows).items()}
        return {**named, regression.OUTPUT: self.rows.targets[row].astype(np.float32)}

    def _checked(self, index: ArrayLike) -> NDArray[np.int64]:
        row = np.asarray(index, dtype=np.int64)
        if row.size and not 0 <= row.min() <= row.max() < len(self):
            raise BenchmarkError(f"Row out of range: {self.name} has {len(self)} rows, numbered from 0.")
        return row

    @cached_property
    def tasks(self) -> Mapping[str, Task]:
        """``recognition``, unless all factors are continuous, and ``regression``."""
        rows = self.rows
        tasks = {
            "regression": Task(
                name="regression",
                outputs=(regression.OUTPUT,),
                metrics=regression.metrics(rows),
                scorer=self._of_rule(partial(regression.RegressionScorer, rows)),
                anchors=lambda split: regression.anchors(rows, self._rule(split), self.neighbours, split),
                fits=partial(regression.fits, rows=rows),
                reading=lambda row, outputs: reading.of_numbers(rows, row, outputs[regression.OUTPUT]),
            )
        }
        if rows.named:
            tasks["recognition"] = Task(
                name="recognition",
                outputs=tuple(recognition.outputs(rows)),
                metrics=recognition.metrics(rows),
                scorer=self._of_rule(partial(recognition.RecognitionScorer, rows)),
                anchors=lambda split: recognition.anchors(rows, self._rule(split), self.neighbours, split),
                fits=partial(recognition.fits, rows=rows),
                reading=lambda row, outputs: reading.of_levels(rows, row, recognition.named(rows, outputs, len(row))),
            )
        return dict(sorted(tasks.items()))

    def _of_rule(self, make_scorer: Callable[[Rule], Any]) -> Callable[[Split], Any]:
        return lambda split: make_scorer(self._rule(split))

    def _rule(self, split: Split) -> Rule:
        return self._splits.rules[split.slug]

    def is_exposed(self, trained_on: str, split: Split) -> bool:
        """Whether training on a split may have shown what another holds out: the rows of both decide.

        Args:
            trained_on: Id of a split, such as ``cars/default/extrapolation-size``.
            split: The split to be tested.

        Raises:
            BenchmarkError: The id names no split of this table.
        """
        known = {each.id: each for each in self._by_slug.values()}
        if trained_on not in known:
            raise BenchmarkError(f"{trained_on!r} is not a split of {self.name}.{nearest(trained_on, known)}")
        return bool(np.any(~known[trained_on].is_held_out() & split.is_held_out()))

    def figures(self, cases: Sequence[Case]) -> Iterable[Figure]:
        """Describe what there is to see in the results of one model; see :class:`~pytest_genbench.benchmarks.Illustrates`."""
        from .figures import figures

        return figures(self.grid.names, cases)
