"""Two that read clocks: a function that looks at the hour hand, and a learner that remembers images."""

import numpy as np

TAKES = {"layout": "NHWC", "range": "0, 1"}


def reads_the_hand():
    """Make a model: a function of float32 images (N, 32, 32, 3) in [0, 1] that gives logits (N, 12)."""
    # Both edges of a thick hand, at four distances from the middle; the thin minute hand covers neither.
    angle = np.arange(12)[:, None, None] * (2 * np.pi / 12)
    along, across = np.arange(4, 8)[:, None], np.array([-1.5, 1.5])
    right = np.rint(15.5 + along * np.sin(angle) + across * np.cos(angle)).astype(int)
    down = np.rint(15.5 - along * np.cos(angle) + across * np.sin(angle)).astype(int)

    def read(images):
        is_black = images.max(axis=3) < 0.1
        return {"factor.hour": is_black[:, down, right].mean(axis=(2, 3)).astype(np.float32)}

    read.genbench = {**TAKES, "benchmark": "clocks", "trained_on": "none"}
    return read


class Memoriser:
    """A learner: it is trained for each split, on all that the split does not hold out."""

    outputs = ("factor.hour",)
    benchmark = "clocks"

    def fit(self, task, *, seed, budget, device, checkpoint_dir, progress):
        """Remember all training images. Nothing is random here, and there is one step."""
        model = Memory(task.images().reshape(len(task), -1) / 255, task.targets()["factor.hour"])
        progress(1, 1)
        return model


class Memory:
    """Its model: it answers with the hour of the nearest image it has seen."""

    genbench = TAKES

    def __init__(self, images, hours):
        self.images, self.hours = images, np.eye(12, dtype=np.float32)[hours]

    def __call__(self, images):
        """Images (N, 32, 32, 3) to logits (N, 12)."""
        distance = (self.images**2).sum(axis=1) - 2 * images.reshape(len(images), -1) @ self.images.T
        return {"factor.hour": self.hours[distance.argmin(axis=1)]}
