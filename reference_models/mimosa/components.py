"""Grow components over neighbours that lie in like surfaces (Ross & Doshi-Velez 2021, appendix A, BuildComponent)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def build_components(
    neighbours: NDArray[np.int64], alike: NDArray[np.bool_], contagion_num: int
) -> list[NDArray[np.int64]]:
    """Put every point into a component.

    A component starts from the first point that is in none, with its neighbours that are alike. A point joins once it is an alike
    neighbour of `contagion_num` members; the first point does not count as one of them. Which points join does not depend on the
    order in which members are asked, so all new members are asked at once.

    Args:
        neighbours: Numbers of the points next to each point (N, k).
        alike: bool (N, k): the point and its neighbour lie in like surfaces.
        contagion_num: Members that a point has to be a neighbour of.

    Returns:
        For each component its points, rising; components in the order of their first points.
    """
    is_covered = np.zeros(len(neighbours), dtype=bool)
    visits = np.zeros(len(neighbours), dtype=np.int64)
    components = []
    for seed in range(len(neighbours)):
        if is_covered[seed]:
            continue
        is_covered[seed] = True
        frontier = np.unique(neighbours[seed, alike[seed]])
        frontier = frontier[~is_covered[frontier]]
        is_covered[frontier] = True
        members, asked = [np.array([seed]), frontier], []
        while len(frontier):
            reached = neighbours[frontier][alike[frontier]]
            reached, times = np.unique(reached[~is_covered[reached]], return_counts=True)
            visits[reached] += times
            asked.append(reached)
            frontier = reached[visits[reached] >= contagion_num]
            is_covered[frontier] = True
            members.append(frontier)
        for reached in asked:
            visits[reached] = 0
        components.append(np.sort(np.concatenate(members)))
    return components
