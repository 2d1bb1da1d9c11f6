"""Learners for the toy benchmark, as text of a user's module: they train in milliseconds and write down that they did."""

LEARNERS = '''
import errno, json, os, time
from pathlib import Path

import numpy as np

LOG = Path(__file__).with_name("trained.txt")


class Copies:
    """Returns the images: what a perfect auto-encoder does."""

    genbench = {"range": "0,1", "code_size": "64"}

    def __call__(self, images):
        return images


def unbounded(images):
    return images


class Blank(Copies):
    def __call__(self, images):
        return np.zeros_like(images)


class Good:
    outputs = ("reconstruction",)
    model = Copies

    def fit(self, task, *, seed, budget, device, checkpoint_dir, progress):
        if checkpoint_dir.parent.parent.name in ("Good", "Slow", "Bad", "Named", "Saved"):  # not a trial of the engine's
            with LOG.open("a") as log:
                log.write(f"{task.split.slug} {seed} {budget} {os.getpid()}\\n")
        draw = np.random.default_rng(seed)
        for step in range(5):
            progress(step + 1, 5, float(draw.random()))
        self.work(task)
        return self.model()

    def work(self, task):
        pass


class Slow(Good):
    def work(self, task):
        time.sleep(0.2)


class Bad(Good):
    model = Blank


class Named(Good):
    benchmark = "other"


class Raises(Good):
    def work(self, task):
        with LOG.open("a") as log:
            log.write(f"{task.split.slug}\\n")
        raise ValueError("bad depth")


class Nothing(Good):
    model = staticmethod(lambda: None)


class Closure(Good):
    model = staticmethod(lambda: lambda images: images)


class Other(Good):
    outputs = ("reconstruction", "embedding")


class ByName(Copies):
    def __call__(self, images):
        return {"reconstruction": images}


class Fewer(Good):
    outputs = ("reconstruction", "embedding")
    model = ByName


class Letters(Good):
    outputs = ("factor.letter_1",)

    def work(self, task):
        raise AssertionError("trained for nothing")


class Mute:
    def fit(self, task, **rest):
        return Copies()


class Loose(Good):
    def fit(self, task, *, seed, budget, device, checkpoint_dir, progress):
        for step in range(5):
            progress(step + 1, 5, float(np.random.default_rng().random()))
        return Copies()


class Full(Good):
    def work(self, task):
        raise OSError(errno.ENOSPC, "No space left on device")


class Saved(Good):
    def save(self, model, folder, task):
        (folder / "model.txt").write_text(task.split.id)

    def load(self, folder):
        assert (folder / "model.txt").read_text().startswith("toy/")
        return Copies()


class Steps(Good):
    """Ten steps, each kept; stops in the fourth where told so, once."""

    def fit(self, task, *, seed, budget, device, checkpoint_dir, progress):
        file = checkpoint_dir / "done.txt"
        start = int(file.read_text()) if file.exists() else 0
        for step in range(start, 10):
            if step == 4 and os.environ.get("STOP") and task.split.slug == "brightness-2":
                if os.environ["STOP"] == "kill":
                    os._exit(9)
                raise KeyboardInterrupt
            file.write_text(str(step + 1))
            with LOG.open("a") as log:
                log.write(f"{task.split.slug} {step}\\n")
            progress(step + 1, 10)
        return Copies()


'''
