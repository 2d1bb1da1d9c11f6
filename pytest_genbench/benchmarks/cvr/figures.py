"""What there is to see in a model's results: by rule, by relation, over the number of training problems, by what is unseen."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from ...figures import Curves, Figure, HeatMap, Line, Row
from ...results.reasoning import (
    ALONE,
    LEAST,
    PUBLISHED,
    RELATIONS,
    Run,
    Share,
    beside_people,
    by_axis,
    by_pair,
    curves,
    fullest,
    in_parts,
    mean_curve,
    measured,
    runs,
    together,
    whole,
)
from . import people, scoring, shortcuts
from .rows import LETTERS, LEVELS, beside, curve_of, described, differences, known, listed, noted, summed_up, values
from .rule import RELATIONS as WORDS

if TYPE_CHECKING:
    from ...results.schema import Case

LEARNT = 0.8
"""Accuracy on a composition above which the paper asks what its model does on the components."""

_LINES = 9
"""Rules that are drawn one by one over the number of training problems; of more only the elementary ones."""

_PAPERS = 6
"""Numbers of training problems over which the paper takes AUC and SES."""

_TESTED = {"odd_one_out": "test problems", "generalisation": "unseen law"}


def figures(cases: Sequence[Case]) -> Iterator[Figure]:
    """Describe what there is to see in the results of one model, for each way of training: one rule alone, or many together.

    Figures that need more rules, numbers of training problems or tasks than there are cases of are left out.
    """
    seeds = len({case.seed for case in cases})
    found = known(runs(cases))
    for training in dict.fromkeys(run.training for run in found):
        own = [run for run in found if run.training == training]
        chosen = _largest(own)
        yield from _of_rules(chosen, sorted({run.n for run in own}), seeds)
        yield from _of_relations(chosen, seeds)
    for (_, training), rules in curves(found).items():
        yield from _over_problems(training, rules, seeds)
    yield from _of_axes(cases, seeds)
    yield from _of_order(cases, seeds)
    yield from _of_components(cases, seeds)


def _largest(found: Sequence[Run]) -> list[Run]:
    """Of one training, the runs with the number of problems for which most rules were tested: first on test problems."""
    first = fullest([run for run in found if run.output == "odd_one_out"] or found)
    order = list(_TESTED)
    return sorted((run for run in found if first and run.n == first.n), key=lambda run: order.index(run.output))


def _of_rules(chosen: Sequence[Run], numbers: Sequence[int], seeds: int) -> Iterator[Figure]:
    """Every rule, sorted, beside people and shortcuts."""
    shares = _by_test(chosen)
    labels = list(dict.fromkeys(rule for own in shares.values() for rule in _sorted(own)))
    if len(labels) < 2:
        return
    asked = {rule: value for rule, (value, _) in people.named().items()}
    best = {rule: shortcuts.best(rule, chosen[0].preset == "published") for rule in labels}
    marks: dict[str, Row] = {"people": tuple(asked.get(rule) for rule in labels)} if asked.keys() & best else {}
    several = f"Of {listed(numbers)} the number of training problems for which most rules were tested, and the largest of these."
    people_say = (
        f"People: over the {people.PROBLEMS} problems that they saw of each of {len(people.PEOPLE)} rules, told after each whether "
        f"they were right; compare with n = {people.PROBLEMS}. Many rules had one or two participants."
    )
    yield beside(
        shares,
        labels,
        title=f"Accuracy by rule; {described(chosen[0].training, chosen[0].n)}",
        note=noted(
            several if len(numbers) > 1 else "",
            people_say if marks else "",
            "The best shortcut chooses the image that differs most in one simple thing, such as the number of drawn pixels "
            f"({next(iter(best.values()))[2]:,} test problems).",
            seeds=seeds,
        ),
        marks={**marks, "best shortcut": tuple(value for _, value, _ in best.values())},
    )


def _of_relations(chosen: Sequence[Run], seeds: int) -> Iterator[Figure]:
    """What is pooled by relation and by pair of relations, where there are composed rules enough."""
    enough = [run for run in chosen if sum(len(LETTERS[rule]) > 1 for rule in run.shares) > 1]
    if not enough:
        return
    how = described(enough[0].training, enough[0].n)
    parts = {title: in_parts(shares, LETTERS, WORDS) for title, shares in _by_test(enough).items()}
    rules: dict[str, int] = {}
    for own in parts.values():
        rules |= {part: max(share.rules, rules.get(part, 0)) for part, share in own.items()}
    yield beside(
        {title: {_counted(part, rules[part]): share for part, share in own.items()} for title, own in parts.items()},
        [_counted(part, number) for part, number in rules.items()],
        title=f"Accuracy by relation; {how}",
        note=noted(
            "Problems of all rules that a relation is part of, pooled; a rule counts for each of its relations.",
            seeds=seeds,
        ),
    )
    words = tuple(WORDS[letter] for letter in RELATIONS)
    for title, shares in _by_test(enough).items():
        pairs = by_pair(shares, LETTERS)
        cells = [[pairs.get((a, b)) for b in RELATIONS] for a in RELATIONS]
        yield HeatMap(
            title=f"Accuracy by pair of relations, {title}; {how}",
            note=noted(
                "Rules that are composed of two relations, or of one repeated; those of three and more are left out, as are the "
                "elementary ones. Both halves show the same.",
                seeds=seeds,
            ),
            rows=words,
            columns=words,
            values=tuple(tuple(None if cell is None else cell.value for cell in row) for row in cells),
        )


def _over_problems(training: str, rules: Mapping[str, Mapping[int, Share]], seeds: int) -> Iterator[Figure]:
    """Accuracy over the number of training problems: the mean, each rule where they are few, and people."""
    numbers, complete = whole(rules)
    if len(numbers) < LEAST or not complete:
        return
    mean = mean_curve(complete.values())
    single = (
        complete if len(complete) <= _LINES else {name: complete[name] for name in complete if len(LETTERS[name]) == 1}
    )
    lines = [curve_of(name, curve) for name, curve in sorted(single.items(), key=_number)]
    if len(complete) > 1:
        lines.insert(0, curve_of(f"mean of {len(complete)} rules", mean))
    asked = beside_people(rules, people.named(), people.PROBLEMS)
    if asked is not None:
        lines.append(Line("people", (float(asked.n),), (asked.people,)))
    about = f"the mean of {len(complete)} rules" if len(complete) > 1 else next(iter(complete))
    papers = "; the paper has six numbers, from 20 to 1,000"
    yield Curves(
        title=f"Accuracy over the number of training problems; {described(training)}",
        note=noted(
            f"Of {about}: {summed_up(mean)}, over {listed(numbers)}{'' if len(numbers) == _PAPERS else papers}.",
            f"{str(asked)[0].upper()}{str(asked)[1:]}." if asked is not None else "",
            f"{PUBLISHED[training][0].upper()}{PUBLISHED[training][1:]}." if training in PUBLISHED else "",
            seeds=seeds,
        ),
        lines=tuple(lines),
        x_title="training problems of a rule",
        y_title="accuracy",
        levels=LEVELS,
        is_log=True,
    )


def _of_axes(cases: Sequence[Case], seeds: int) -> Iterator[Figure]:
    """Accuracy where one thing is unseen, or everything, beside that of the same rules where nothing is."""
    found = by_axis(cases)
    for training in dict.fromkeys(training for training, _ in found):
        fullness = {n: max(seen.rules for seen, _ in own.values()) for (of, n), own in found.items() if of == training}
        n = max(fullness, key=lambda n: (fullness[n], n))
        pairs = {f"{axis} unseen": pair for axis, pair in found[training, n].items()}
        pairs |= _at_once(cases, training, n)
        yield beside(
            {
                title: {_counted(axis, pair[1].rules): pair[k] for axis, pair in pairs.items()}
                for k, title in enumerate(("nothing unseen", "unseen"))
            },
            [_counted(axis, unseen.rules) for axis, (_, unseen) in pairs.items()],
            title=f"Accuracy with one thing unseen at a time; {described(training, n)}",
            note=noted(
                "Mean over the rules whose unseen law moves the axis, and of the same rules with nothing unseen."
                if training == ALONE
                else "With nothing unseen, of all rules; otherwise of those whose unseen law moves the axis.",
                seeds=seeds,
            ),
        )


def _at_once(cases: Sequence[Case], training: str, n: int) -> dict[str, tuple[Share, Share]]:
    """Accuracy with nothing and with everything unseen, of the rules that were tested with one thing unseen."""
    tested = {
        name
        for run in measured(cases, "axes", "accuracy")
        if (run.training, run.n) == (training, n)
        for name in run.shares
    }
    both = []
    for metric in ("accuracy.test", "accuracy.test_gen"):
        (shares,) = [
            run.shares for run in measured(cases, "generalisation", metric) if (run.training, run.n) == (training, n)
        ] or [{}]
        both.append(together(shares[name] for name in sorted(tested & shares.keys())))
    seen, unseen = both
    if seen is None or unseen is None or unseen.rules < len(tested):
        return {}
    return {"all at once": (seen, unseen)}


def _of_order(cases: Sequence[Case], seeds: int) -> Iterator[Figure]:
    """How often the choice stays the same image when the four are shown in another order."""
    agreed = measured(cases, "order", scoring.AGREEMENT)
    right = {(run.training, run.n): run.shares for run in measured(cases, "order", "accuracy")}
    for training in dict.fromkeys(run.training for run in agreed):
        run = fullest(run for run in agreed if run.training == training)
        assert run is not None
        labels = _sorted(run.shares)
        yield beside(
            {"same choice": run.shares},
            labels,
            title=f"The same image chosen when the four are shown in another order; {described(training, run.n)}",
            note=noted(
                "A model that always points to one place never agrees with itself, one that compares images always does; a "
                "random choice agrees as often as chance is right.",
                seeds=seeds,
            ),
            marks={"accuracy": values(right.get((training, run.n), {}), labels)},
        )


def _of_components(cases: Sequence[Case], seeds: int) -> Iterator[Figure]:
    """How far accuracy on the two components of a composition is from that on the composition, which alone was trained."""
    own = {run.n: run.shares for run in measured(cases, "reverse", "accuracy.own")}
    run = fullest(each for each in measured(cases, "reverse", "accuracy.components") if each.n in own)
    if run is None:
        return
    pairs = {rule: (parts, own[run.n][rule]) for rule, parts in run.shares.items()}
    learnt = [parts.value - composed.value for parts, composed in pairs.values() if composed.value > LEARNT]
    mean = f", mean {sum(learnt) / len(learnt):+.3f}" if learnt else ""
    yield differences(
        {f"{rule} ({composed.value:.2f})": (parts, composed) for rule, (parts, composed) in pairs.items()},
        "difference of accuracies",
        title=f"Accuracy on the components of a composition, never trained on, less that on the composition; n = {run.n:,}",
        note=noted(
            "In brackets accuracy on the composition. The paper asks this where it is above "
            f"{LEARNT}: {len(learnt)} of these{mean}.",
            seeds=seeds,
        ),
    )


def _number(named: tuple[str, object]) -> int:
    """The number of a rule that is given with its name."""
    return list(LETTERS).index(named[0])


def _by_test(chosen: Iterable[Run]) -> dict[str, Mapping[str, Share]]:
    return {_TESTED[run.output]: run.shares for run in chosen}


def _sorted(shares: Mapping[str, Share]) -> list[str]:
    """Names from the highest share to the lowest."""
    return sorted(shares, key=lambda name: (-shares[name].value, name))


def _counted(name: str, rules: int) -> str:
    """Write how many rules something is about."""
    return f"{name} ({rules})" if rules > 1 else name
