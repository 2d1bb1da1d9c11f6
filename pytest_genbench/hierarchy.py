"""Hierarchies of factors: which variables there are once others have taken a value (Ross & Doshi-Velez 2021, section 3).

A hierarchy is a tree of groups. A group is a list of nodes; a node is a continuous variable, or a categorical one that has a
(possibly empty) group of its own below each option. Data come as a table with one column for each variable: categorical columns
first, then continuous ones, both depth first. A categorical value is the number of its option, from 1, or 0 where the variable
is inactive; a continuous value is 0 where it is inactive.
"""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .errors import HierarchyError

DEEPEST = 64
"""Groups within groups; what goes deeper is a structure that contains itself."""


@dataclass(frozen=True)
class Continuous:
    """A continuous variable; without a name it is called ``z1``, ``z2`` … in the order of the columns."""

    name: str = ""

    def __post_init__(self) -> None:
        _check_name(self.name)


@dataclass(frozen=True)
class Categorical:
    """A categorical variable with a group of further variables below each option.

    Attributes:
        options: A group for each option, at least two; an empty one adds nothing.
        name: Without one it is called ``k1``, ``k2`` … in the order of the columns.
        labels: What the options are called, for people; none, or one for each option.
    """

    options: tuple[Group, ...]
    name: str = ""
    labels: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        for name in (self.name, *self.labels):
            _check_name(name)
        if len(self.options) < 2:
            raise HierarchyError(
                f"Categorical variable {self.name!r} has {len(self.options)} option(s); it needs at least two, else it "
                "decides nothing: put its option's variables in its place."
            )
        if self.labels and len(self.labels) != len(self.options):
            raise HierarchyError(
                f"Categorical variable {self.name!r} has {len(self.options)} options but {len(self.labels)} labels."
            )


Node = Continuous | Categorical
Group = tuple[Node, ...]
Kind = Literal["categorical", "continuous"]

_KINDS: tuple[tuple[Kind, str], ...] = (("categorical", "k"), ("continuous", "z"))


@dataclass(frozen=True)
class Column:
    """A variable as a column of a table.

    Attributes:
        name: Unique within the hierarchy.
        kind: ``categorical`` or ``continuous``.
        options: Number of options; 0 for a continuous variable.
        conditions: What makes it active: pairs of a categorical column and the option, from 1, that it has to have.
    """

    name: str
    kind: Kind
    options: int
    conditions: tuple[tuple[int, int], ...]


@dataclass(frozen=True)
class Hierarchy:
    """A tree of continuous and categorical variables.

    Args:
        root: The variables that are always active.

    Raises:
        HierarchyError: There is no variable at all, or a name appears twice.

    Example:
        >>> ship = (Continuous("angle"), Categorical(((), (Continuous("jet length"),)), "jet"))
        >>> Hierarchy((Categorical(((Continuous("phase"),), ship), "shape"),)).notation
        '{c | c {0 | c}}'
    """

    root: Group

    def __post_init__(self) -> None:
        names = [column.name for column in self.columns]
        if not names:
            raise HierarchyError("A hierarchy needs at least one variable; got an empty group.")
        repeated = sorted({name for name in names if names.count(name) > 1})
        if repeated:
            raise HierarchyError(f"Variables need names of their own; {', '.join(repeated)} appears more than once.")

    @classmethod
    def flat(cls, names: int | Sequence[str]) -> Hierarchy:
        """Make a hierarchy of continuous variables that are always active: so many, or with these names.

        Raises:
            HierarchyError: There are none, or a name appears twice.
        """
        return cls(tuple(Continuous(name) for name in ([""] * names if isinstance(names, int) else names)))

    @classmethod
    def from_json(cls, source: str | Sequence[Any]) -> Hierarchy:
        """Read a hierarchy.

        Args:
            source: A JSON text, or what it parses to: a list of nodes ``{"type": "continuous"}`` or
                ``{"type": "categorical", "options": [[...], [...]]}``, each with an optional ``name``, the latter with optional
                ``labels``.

        Raises:
            HierarchyError: It is no JSON, no hierarchy, or contains itself.
        """
        if isinstance(source, str):
            try:
                source = json.loads(source)
            except (json.JSONDecodeError, RecursionError) as error:
                raise HierarchyError(f"A hierarchy is written in JSON; this is not: {error}") from None
        return cls(_group(source, "root", 0))

    def plain(self) -> list[dict[str, Any]]:
        """Return what :meth:`from_json` reads, as lists and dicts."""
        return _plain(self.root)

    def to_json(self) -> str:
        """Return a JSON text in one line, as it stands in a model's ``genbench.hierarchy``."""
        return json.dumps(self.plain(), separators=(",", ":"))

    @cached_property
    def columns(self) -> tuple[Column, ...]:
        """All variables in the order of the table: categorical ones, then continuous ones, both depth first."""
        found = list(_walk(self.root, (), itertools.count()))
        columns = []
        for kind, letter in _KINDS:
            same = [pair for pair in found if isinstance(pair[0], Categorical) == (kind == "categorical")]
            for number, (node, conditions) in enumerate(same, 1):
                options = len(node.options) if isinstance(node, Categorical) else 0
                columns.append(Column(node.name or f"{letter}{number}", kind, options, conditions))
        return tuple(columns)

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the columns."""
        return tuple(column.name for column in self.columns)

    @property
    def categorical(self) -> int:
        """Number of categorical variables: the first so many columns."""
        return sum(column.kind == "categorical" for column in self.columns)

    @property
    def continuous(self) -> int:
        """Number of continuous variables: the last so many columns."""
        return len(self.columns) - self.categorical

    def active(self, values: ArrayLike) -> NDArray[np.bool_]:
        """Find out where each variable is active.

        Args:
            values: A table (N, columns), or its categorical columns alone.

        Returns:
            bool (N, columns).

        Raises:
            HierarchyError: The number of columns does not fit, or a categorical value is no option: a whole number from 1 to the
                number of options where the variable is active, and 0 elsewhere.
        """
        table = np.asarray(values)
        if table.ndim != 2 or table.shape[1] not in (len(self.columns), self.categorical):
            raise HierarchyError(
                f"The hierarchy {self.notation} has {len(self.columns)} columns ({self.categorical} categorical, "
                f"{self.continuous} continuous); got an array of shape {table.shape}."
            )
        mask = np.ones((len(table), len(self.columns)), dtype=bool)
        for at, column in enumerate(self.columns):
            for parent, option in column.conditions:
                mask[:, at] &= mask[:, parent] & (table[:, parent] == option)
            if column.kind == "categorical":
                _check_options(table[:, at], mask[:, at], column)
        return mask

    @cached_property
    def paths(self) -> tuple[tuple[int, ...], ...]:
        """Every way to choose: the values of the categorical columns, option numbers from 1, 0 where inactive."""
        return tuple(_paths(self.root))

    def path(self, values: ArrayLike) -> NDArray[np.int64]:
        """Number of the path of each row, as in `paths`: int64 (N,); arguments and errors as in :meth:`active`."""
        self.active(values)
        chosen = np.asarray(values)[:, : self.categorical].astype(np.int64)
        numbers = {path: number for number, path in enumerate(self.paths)}
        rows, inverse = np.unique(chosen, axis=0, return_inverse=True)
        found = np.array([numbers[tuple(row)] for row in rows.tolist()], dtype=np.int64)
        return found[inverse.reshape(-1)] if len(chosen) else np.zeros(0, dtype=np.int64)

    @property
    def notation(self) -> str:
        """The structure in one line: ``c`` for a continuous variable, ``{a | b}`` for a categorical one, ``0`` for nothing."""
        return _notation(self.root)

    def tree(self) -> str:
        """Draw the hierarchy as text, a line for each variable and option."""
        return "\n".join(_lines(self._named(), ""))

    def _named(self) -> Group:
        """Return the root with every variable under the name of its column."""
        names = {kind: iter([c.name for c in self.columns if c.kind == kind]) for kind, _ in _KINDS}

        def named(group: Group) -> Group:
            return tuple(
                Continuous(next(names["continuous"]))
                if isinstance(node, Continuous)
                else Categorical(
                    name=next(names["categorical"]), options=tuple(map(named, node.options)), labels=node.labels
                )
                for node in group
            )

        return named(self.root)


def _check_name(name: str) -> None:
    """Refuse what would break the lines of a table or tree: names may come from a model's file."""
    if not name.isprintable():
        raise HierarchyError(f"Names of variables and options are printed; {name!r} holds a character that cannot be.")


def _walk(
    group: Group, conditions: tuple[tuple[int, int], ...], numbers: Iterator[int]
) -> Iterator[tuple[Node, tuple[tuple[int, int], ...]]]:
    """Yield each variable, depth first, with the conditions on it; `numbers` counts the categorical ones."""
    for node in group:
        yield node, conditions
        if isinstance(node, Categorical):
            number = next(numbers)
            for option, inner in enumerate(node.options, 1):
                yield from _walk(inner, (*conditions, (number, option)), numbers)


def _paths(group: Group) -> list[tuple[int, ...]]:
    """List every way to choose in a group: the values of its categorical variables and of those below, depth first."""
    ways: list[tuple[int, ...]] = [()]
    for node in group:
        if isinstance(node, Categorical):
            below = [_paths(option) for option in node.options]
            silent = [(0,) * len(found[0]) for found in below]
            here = [
                (number, *itertools.chain(*silent[: number - 1]), *way, *itertools.chain(*silent[number:]))
                for number, found in enumerate(below, 1)
                for way in found
            ]
            ways = [(*before, *after) for before in ways for after in here]
    return ways


def _group(source: object, where: str, depth: int) -> Group:
    if depth > DEEPEST:
        raise HierarchyError(f"The hierarchy is more than {DEEPEST} groups deep; does it contain itself?")
    if isinstance(source, str | Mapping) or not isinstance(source, Sequence):
        raise HierarchyError(f"{where} has to be a list of variables; got {type(source).__name__}.")
    return tuple(_node(node, f"{where}[{at}]", depth) for at, node in enumerate(source))


def _node(source: object, where: str, depth: int) -> Node:
    if not isinstance(source, Mapping):
        raise HierarchyError(
            f'{where} has to be an object such as {{"type": "continuous"}}; got {type(source).__name__}.'
        )
    kind = source.get("type")
    allowed = {"continuous": {"type", "name"}, "categorical": {"type", "name", "options", "labels"}}
    if not isinstance(kind, str) or kind not in allowed:
        raise HierarchyError(f"{where}: type has to be continuous or categorical; got {kind!r}.")
    if unknown := sorted(map(str, source.keys() - allowed[kind])):
        raise HierarchyError(f"{where}: a {kind} variable has no {', '.join(unknown)}.")
    name, labels = source.get("name", ""), source.get("labels", ())
    listed = isinstance(labels, Sequence) and not isinstance(labels, str)
    if not isinstance(name, str) or not listed or not all(isinstance(label, str) for label in labels):
        raise HierarchyError(f"{where}: name has to be a text, and labels a list of texts.")
    if kind == "continuous":
        return Continuous(name)
    options = source.get("options")
    if isinstance(options, str | Mapping) or not isinstance(options, Sequence):
        raise HierarchyError(f"{where}: options have to be a list with a group for each option.")
    groups = [_group(option, f"{where}.options[{at}]", depth + 1) for at, option in enumerate(options)]
    return Categorical(tuple(groups), name, tuple(labels))


def _plain(group: Group) -> list[dict[str, Any]]:
    nodes: list[dict[str, Any]] = []
    for node in group:
        plain: dict[str, Any] = {"type": "continuous"}
        if isinstance(node, Categorical):
            plain = {"type": "categorical", "options": [_plain(option) for option in node.options]}
            if node.labels:
                plain["labels"] = list(node.labels)
        nodes.append(plain | ({"name": node.name} if node.name else {}))
    return nodes


def _check_options(values: NDArray[Any], active: NDArray[np.bool_], column: Column) -> None:
    wrong = np.where(active, (values < 1) | (values > column.options) | (values % 1 != 0), values != 0)
    if wrong.any():
        at = int(np.flatnonzero(wrong)[0])
        expected = f"a whole number from 1 to {column.options}" if active[at] else "0, since it is inactive"
        raise HierarchyError(
            f"Categorical column {column.name!r} has to be {expected} in row {at}; got {values[at]} "
            f"({int(wrong.sum())} of {len(values)} rows are wrong)."
        )


def _notation(group: Group) -> str:
    parts = [
        "c" if isinstance(node, Continuous) else "{" + " | ".join(map(_notation, node.options)) + "}" for node in group
    ]
    return " ".join(parts) or "0"


def _lines(group: Group, indent: str) -> Iterator[str]:
    for at, node in enumerate(group):
        last = at == len(group) - 1
        yield f"{indent}{'└─' if last else '├─'} {node.name}"
        if isinstance(node, Categorical):
            inner = indent + ("   " if last else "│  ")
            for number, option in enumerate(node.options, 1):
                final = number == len(node.options)
                label = f" {node.labels[number - 1]}" if node.labels else ""
                yield f"{inner}{'└─' if final else '├─'} = {number}{label}"
                yield from _lines(option, inner + ("   " if final else "│  "))
