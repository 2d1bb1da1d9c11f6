"""The checks of tasks, scorers and anchors: each broken rule is named."""

from dataclasses import replace

import numpy as np
import pytest

from pytest_genbench.scores import Anchor, Interval

from .dots import Dots, Scorer, broken, check_words


def task_with(title, /, *words, **changes):
    return broken(title, *words, task=property(lambda self: replace(Dots.task.fget(self), **changes)))


def scorer_with(title, /, *words, **members):
    return broken(title, *words, scorer=type("Broken", (Scorer,), members))


def scores_with(title, /, *words, **changes):
    """A scorer whose first score is changed; a change may be a function of the score."""

    def scores(self, population, condition):
        first, *others = Scorer.scores(self, population, condition)
        made = {field: value(first) if callable(value) else value for field, value in changes.items()}
        return [replace(first, **made), *others]

    return scorer_with(title, *words, scores=scores)


def add_in_place(self, index, images, outputs):
    Scorer.add(self, index, images, outputs)
    outputs["factor.row"][:] = 0


class Sums(Scorer):
    """Keeps its sums in the class."""

    kept = None

    def __init__(self, split):
        Sums.kept = Sums.kept or Scorer(split)
        self.tally, self.squares = Sums.kept.tally, Sums.kept.squares


class LastBatch(Scorer):
    """Forgets all batches but the last one."""

    def add(self, index, images, outputs):
        super().__init__(None)
        super().add(index, images, outputs)


SHARED = Scorer(None)

BROKEN = [
    broken("no tasks", "tasks is {}", __init__=lambda self, preset="only": vars(self).update(preset=preset, tasks={})),
    task_with("no outputs", "outputs is ()", outputs=()),
    task_with("outputs as text", "outputs is 'factor.row'", outputs="factor.row"),
    task_with("an output that is none", "'row' is no output", outputs=("row",)),
    task_with("no metrics", "metrics is {}", metrics={}),
    task_with(
        "a metric without a way", "each is better when higher or lower", metrics={"accuracy": "up", "mse": "lower"}
    ),
    task_with("fits says nothing", "fits('factor.row', ()) is None", fits=lambda name, shape: None),
    task_with("fits fails on a shape", "tasks: raised IndexError", fits=lambda name, shape: shape[0] == 4),
    task_with("one scorer for all", "gives the same object again", scorer=lambda split: SHARED),
    task_with("anchor of no metric", "anchor 'a' is of 'b'", anchors=lambda split: [Anchor("a", "b", 0.5)]),
    task_with("anchor without end", "anchor 'a' is inf", anchors=lambda split: [Anchor("a", "accuracy", float("inf"))]),
    task_with(
        "anchor of NumPy's",
        "anchor 'a' is np.float64(0.5)",
        anchors=lambda split: [Anchor("a", "accuracy", np.float64(0.5))],
    ),
    task_with("anchor from nowhere", "source is 'me'", anchors=lambda split: [Anchor("a", "accuracy", 0.5, "me")]),
    task_with("anchors as a dict", "anchors(split) is {}", anchors=lambda split: {}),
    broken(
        "another name of the task",
        "its own name is 'recognition'",
        __init__=lambda self, preset="only": vars(self).update(preset=preset, tasks={"reading": self.task}),
    ),
    scorer_with("scores are numbers", "scores() is [0.5]", scores=lambda self, population, condition: [0.5]),
    scorer_with("no scores", "scores() is []", scores=lambda self, population, condition: []),
    scorer_with(
        "the headline last",
        "the first score is 'mse'; the headline comes first, 'accuracy'",
        scores=lambda self, population, condition: Scorer.scores(self, population, condition)[::-1],
    ),
    scorer_with(
        "a score twice",
        "each pair of metric and judge may be there once",
        scores=lambda self, population, condition: Scorer.scores(self, population, condition)[:1] * 2,
    ),
    scores_with(
        "another judge", "the first score is 'accuracy' by judge 'me'; the headline comes first, 'accuracy'", judge="me"
    ),
    scores_with(
        "a metric that is not listed", "recall is not among the task's metrics, accuracy, mse", metric="recall"
    ),
    scores_with("another way", "better when 'lower' in the score and 'higher' in the task", better="lower"),
    scores_with("not a number", "accuracy: the value is nan", value=float("nan")),
    scores_with(
        "a number of NumPy's", "the value is np.float64(", "float(…)", value=lambda score: np.float64(score.value)
    ),
    scores_with("n of NumPy's", "n is np.int64(1)", n=lambda score: np.int64(score.n)),
    scores_with("too few items", "n is 0 for 1 items", n=lambda score: score.n - 1),
    scores_with("the population left out", "population is 0", population=0),
    scores_with("one condition", "condition is 'held-out'; keep the one", "'in-split'", condition="held-out"),
    scores_with("no interval", "no interval, though 1 items of 2 were scored", interval=None),
    scores_with(
        "an interval of all", "an interval, though all 1 items were scored", interval=Interval(0.0, 1.0, "mine")
    ),
    scores_with("clusters of others", "clusters hold 1 items with the mean 7", clusters={"a": (1, 7.0)}),
    scores_with(
        "clusters by number", "results are saved as JSON", clusters=lambda score: {0: (score.n, score.value * score.n)}
    ),
    scorer_with("sums shared", "no scorer may keep the sums of another", __init__=Sums.__init__),
    broken("batches forgotten", "n is 12 for 19 items", scorer=LastBatch),
    scorer_with("arrays changed", "add() changes the arrays it is given", add=add_in_place),
    scorer_with("errors of NumPy's", "errors() is {'wrong': np.int64(1)}", errors=lambda self: {"wrong": np.int64(1)}),
    scorer_with("errors as a list", "errors() is []", errors=lambda self: []),
    scorer_with(
        "a way that is upside down",
        "accuracy is 0 for right answers and ",
        "it is said to be better when higher",
        add=lambda self, index, images, outputs: Scorer.add(
            self, index, images, {"factor.row": -outputs["factor.row"]}
        ),
    ),
    scorer_with(
        "a scorer that fails",
        "task 'recognition' on cell-00: raised KeyError: 'factor.column'",
        add=lambda self, index, images, outputs: outputs["factor.column"],
    ),
]


@pytest.mark.parametrize(("kind", "words"), BROKEN)
def test_a_broken_rule_is_named(kind, words):
    Sums.kept = None
    check_words(kind, words)
