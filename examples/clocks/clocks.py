"""Clocks: is an hour read in a colour, or beside a minute, with which it was never seen?

A whole benchmark in one file, to be copied and changed. 576 images of 32 x 32 pixels: 12 hours, 12 places of the minute hand, 4
colours of the face. The hour hand is short and thick, and jumps from hour to hour.
"""

import numpy as np

from pytest_genbench.benchmarks import Task
from pytest_genbench.errors import BenchmarkError, ModelError, nearest
from pytest_genbench.factors import Factor, FactorGrid
from pytest_genbench.figures import HeatMap
from pytest_genbench.scores import Anchor, Tally
from pytest_genbench.splits import Split
from pytest_genbench.worst import Worst

HOURS, MINUTES = (12, *range(1, 12)), tuple(range(0, 60, 5))
COLOURS = {"red": (235, 80, 70), "yellow": (245, 205, 60), "green": (90, 190, 100), "blue": (80, 130, 230)}
GRID = FactorGrid(
    (Factor("hour", HOURS, "cyclic"), Factor("minute", MINUTES, "cyclic"), Factor("colour", tuple(COLOURS)))
)
SIZE = 32
RIGHT, DOWN = np.meshgrid(np.arange(SIZE) - 15.5, np.arange(SIZE) - 15.5)


class Clocks:
    """The benchmark. An item is an index into the grid, and everything follows from its levels: hour, minute, colour."""

    name = "clocks"
    version = "1"
    families = ("compositional", "interpolation")
    grid = GRID
    image_shape = (SIZE, SIZE, 3)

    def __init__(self, preset="standard"):
        if preset != "standard":
            raise BenchmarkError(f"Clocks has no preset {preset!r}.{nearest(preset, ['standard'])}")
        self.preset = preset
        self.tasks = {
            "recognition": Task(
                name="recognition",
                outputs=("factor.hour",),
                metrics={"hour_accuracy": "higher"},
                scorer=lambda split: Scorer(),
                anchors=self.anchors,
                fits=lambda name, shape: tuple(shape) == (len(HOURS),),
                reading=self.reading,
            )
        }

    def images(self, index):
        """Draw items (N,): uint8 (N, 32, 32, 3)."""
        hour, minute, colour = self.levels(index).T[:, :, None, None]
        palette = np.array(list(COLOURS.values()), dtype=np.uint8)
        images = np.where((np.hypot(RIGHT, DOWN) < 15)[..., None], palette[colour], np.uint8(255))
        images[hand(hour, length=8, width=4) | hand(minute, length=13, width=2)] = 0
        return images

    def levels(self, index):
        """Levels of items (N,): int64 (N, 3)."""
        return self.grid.levels(index)

    def targets(self, index):
        """What a model has to say: the number of the hour, 0 for twelve o'clock."""
        return {"factor.hour": self.levels(index)[:, 0]}

    def splits(self, family):
        """Hold out half of the hours in one colour, or one place of the minute hand."""
        hour, minute, colour = GRID.levels(np.arange(GRID.size)).T
        if family == "compositional":
            parts = [(c, f"hours 6 to 11 in {c}", (hour >= 6) & (colour == k)) for k, c in enumerate(COLOURS)]
        elif family == "interpolation":
            parts = [(str(m), f"minute hand at {m}", minute == MINUTES.index(m)) for m in (0, 15, 30, 45)]
        else:
            raise BenchmarkError(f"Clocks has no family {family!r}.{nearest(family, self.families)}")
        return tuple(
            Split(self.name, self.preset, family, f"{family}-{name}", held_out, lambda mask=mask: mask)
            for name, held_out, mask in parts
        )

    def is_exposed(self, trained_on, split):
        """Whether training on the split of this id may have shown what `split` holds out."""
        for one in (each for family in self.families for each in self.splits(family)):
            if one.id == trained_on:
                return bool((~one.is_held_out() & split.is_held_out()).any())
        raise BenchmarkError(f"{trained_on!r} is not a split of {self.name}.")

    def anchors(self, split):
        """What guessing scores, and remembering: the hour of the nearest training image."""
        seen, new = (self.images(each).reshape(len(each), -1) / 255 for each in (split.train, split.test))
        nearest_one = ((seen**2).sum(axis=1) - 2 * new @ seen.T).argmin(axis=1)
        same = self.levels(split.test)[:, 0] == self.levels(split.train[nearest_one])[:, 0]
        return [
            Anchor("chance", "hour_accuracy", 1 / len(HOURS)),
            Anchor("nearest training image", "hour_accuracy", float(same.mean())),
        ]

    def reading(self, index, outputs):
        """Say of items (N,) which hour it is, and which one was read."""
        pairs = zip(self.levels(index)[:, 0], outputs["factor.hour"].argmax(axis=1), strict=True)
        return [(f"hour {HOURS[right]}", f"hour {HOURS[read]}") for right, read in pairs]

    def figures(self, cases):
        """Describe for the report which hours are read where, a heat map for each family."""
        for family in self.families:
            rows = sorted({case.held_out for case in cases if case.family == family})
            if rows:
                yield HeatMap(
                    title=f"Which hours are read, {family}",
                    note="Shares of the held-out images of all seeds.",
                    rows=tuple(rows),
                    columns=tuple(map(str, HOURS)),
                    values=tuple(tuple(share_read(cases, row, str(hour)) for hour in HOURS) for row in rows),
                    row_title="held out",
                    column_title="hour",
                )


def share_read(cases, held_out, hour):
    """Share of the images of an hour that were read; None where none of that hour was held out."""
    clusters = [case.scores[0].clusters for case in cases if case.held_out == held_out]
    counts = [found[hour] for found in clusters if hour in found]
    return sum(right for _, right in counts) / sum(n for n, _ in counts) if counts else None


def hand(place, length, width):
    """Pixels of a hand that points at one of 12 places (N, 1, 1): bool (N, 32, 32)."""
    angle = place * (2 * np.pi / 12)
    along = RIGHT * np.sin(angle) - DOWN * np.cos(angle)
    across = RIGHT * np.cos(angle) + DOWN * np.sin(angle)
    return (along > -1) & (along < length) & (abs(across) < width / 2)


class Scorer:
    """The share of images whose hour is right, and how far off the others are."""

    def __init__(self):
        # Images of one hour are right or wrong together, so the hour is the unit of the intervals.
        self.right = Tally("hour_accuracy", [str(hour) for hour in HOURS], proportion=True)
        self.off = np.zeros(len(HOURS), dtype=np.int64)
        self.furthest = Worst()

    def add(self, index, images, outputs):
        """Take a batch: items (N,), their images, and logits (N, 12) as ``factor.hour``."""
        hour, logits = GRID.levels(index)[:, 0], outputs["factor.hour"]
        if logits.shape != (len(hour), len(HOURS)):
            raise ModelError(f"factor.hour has shape {logits.shape}; expected (N, {len(HOURS)}), twelve o'clock first.")
        off = (logits.argmax(axis=1) - hour) % len(HOURS)
        self.right.add(off == 0, hour)
        self.off += np.bincount(off, minlength=len(HOURS))
        self.furthest.add(index, np.minimum(off, len(HOURS) - off), hour)

    def scores(self, population, condition):
        """All scores, the headline first."""
        return [self.right.score(population, condition)]

    def errors(self):
        """How many items went wrong in which way."""
        return {"an hour off": int(self.off[1] + self.off[-1]), "further off": int(self.off[2:-1].sum())}

    def worst(self):
        """A few items that went wrong worst, each of another hour, for the report."""
        return self.furthest.items()
