"""Words of a page: those that are verdicts, and what others mean."""

from __future__ import annotations

VERDICTS = frozenset(
    (
        *("passed", "failed", "inconclusive", "not comparable"),
        *("not gated", "not evaluated", "not passed", "nothing tested"),
        *("regressed", "improved", "better", "worse", "* better", "* worse", "within chance"),
    )
)
"""Words that are shown as verdicts in tables."""

WORDS = (
    (
        "split",
        "What training never showed: a letter at a position, a value of a factor. Each split is a test of its own.",
    ),
    (
        "score",
        "The mean over held-out items, from 0 to 1 unless the metric is another; in-split is the same on training items.",
    ),
    (
        "interval",
        "95 % interval, of the sample that was evaluated or over training seeds. A census evaluated everything there is.",
    ),
    (
        "gate",
        "What a score must clear. Passed: the score (or the lower end of its interval) does; failed: the upper end does not.",
    ),
    ("inconclusive", "The interval spans the gate; more items or seeds would tell."),
    (
        "anchors",
        "What trivial models, published models and people score on the same split: what a score is to be read by.",
    ),
    (
        "worst failures",
        "What was to be read, and what was read; in brackets how certain the judge was that reads what a model reconstructs.",
    ),
    ("exposure", "Whether the model may have seen what is held out, as far as it declares what it was trained on."),
    ("code size", "Numbers through which a reconstruction passed. Copying the input reconstructs everything."),
)
"""What a reader of a page should know, at its end."""
