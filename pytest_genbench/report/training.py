"""How the models of a run came about, in a few lines."""

from __future__ import annotations

from collections import Counter

from ..results.schema import Document


def training_lines(document: Document) -> list[str]:
    """Say how many models were trained, taken from the cache or recorded; and what is wrong with their learner.

    Args:
        document: What a run found.

    Returns:
        Lines; those that begin with a capital are to be stressed. None where no model was a learner's.
    """
    # A test with two tasks has two cases of one model.
    models = {
        (case.benchmark, case.preset, case.split, case.seed): case.model["training"]
        for case in document.cases
        if case.model.get("training")
    }
    if not models:
        return []
    found = list(models.values())
    origins = Counter(each["origin"] for each in found)
    spent = sum(each["seconds"] for each in found if each["origin"] == "trained")
    said = {
        "trained": f"{origins['trained']} trained in {_duration(spent)}",
        "cache": f"{origins['cache']} from the cache",
        "recorded": f"{origins['recorded']} recorded",
    }
    budgets = ", ".join(sorted({each["budget"] for each in found}))
    lines = [f"models: {', '.join(text for key, text in said.items() if origins[key])} (budget {budgets})"]
    waited = sum(each["waited"] for each in found)
    if waited >= 1:
        lines.append(f"waited {_duration(waited)} for other processes that trained the same models")
    loose = sorted(key[2] for key, each in models.items() if each["deterministic"] is False)
    if loose:
        lines.append(
            f"NOT DETERMINISTIC: two trainings with the same seed began differently ({loose[0]}); seed everything random in fit, "
            "or a result cannot be had again"
        )
    return lines + sorted({note for each in found for note in each["notes"]})


def _duration(seconds: float) -> str:
    """Write a time for people: ``42 s``, ``3 min 20 s``, ``2 h 5 min``."""
    if seconds < 60:
        return f"{seconds:.0f} s"
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes} min {rest} s" if minutes < 60 else f"{minutes // 60} h {minutes % 60} min"
