"""MIMOSA step by step as one would write it at first: a PCA object for each point, a triangulation for each edge test.

To compare with: the estimator has to give the same components, and is measured against this.
"""

import numpy as np
from scipy.spatial import Delaunay, QhullError
from sklearn.decomposition import PCA
from sklearn.neighbors import BallTree


def local_svd(points, ransac_frac=0.6667, covered=0.95, decay=4.0):
    """Return the principal axes (d, D) that count."""
    full = points.shape[1]
    pca = PCA().fit(points)
    if ransac_frac < 1:
        scores = pca.transform(points)
        errors = []
        for k in range(full):
            described = scores[:, :k] @ pca.components_[:k] + pca.mean_
            errors.append(np.linalg.norm(points - described, axis=1))
        norms = np.linalg.norm(errors, axis=0)
        pca = PCA().fit(points[norms <= np.percentile(norms, 100 * ransac_frac)])
    ratios = pca.explained_variance_ratio_
    for d in range(1, full):
        if ratios[:d].sum() >= covered and ratios[d] / ratios[d - 1] <= 1 / decay:
            return pca.components_[:d]
    return pca.components_


def similarity(left, right):
    if len(left) != len(right):
        return 0.0
    return 1.0 if len(left) == left.shape[1] else abs(np.linalg.det(left @ right.T))


def build(neighbours, svds, threshold, contagion):
    def alike(i, taken):
        return [int(j) for j in neighbours[i] if j not in taken and similarity(svds[i], svds[j]) >= threshold]

    covered, components = set(), []
    for seed in range(len(neighbours)):
        if seed in covered:
            continue
        members = {seed}
        covered.add(seed)
        stack = alike(seed, covered)
        members.update(stack)
        covered.update(stack)
        visits = {}
        while stack:
            for j in alike(stack.pop(), covered):
                visits[j] = visits.get(j, 0) + 1
                if visits[j] >= contagion:
                    members.add(j)
                    covered.add(j)
                    stack.append(j)
        components.append(sorted(members))
    return components


def is_edge(point, others, axes):
    """Whether a point is on the edge, seen along its axes (d, D), of the others (m, D)."""
    own, projected = axes @ point, others @ axes.T
    if len(axes) == 1:
        return own[0] <= projected.min() or own[0] >= projected.max()
    return len(others) <= len(axes) or outside(own, projected)


def outside(point, others):
    try:
        return bool(Delaunay(others).find_simplex(point[None])[0] < 0)
    except QhullError:
        return False


def edges(codes, members, svds):
    if len(members) <= 2:
        return list(members)
    inside = codes[members]
    nearest = BallTree(inside).query(inside, k=min(40, len(members)), return_distance=False)
    return [
        member
        for at, member in enumerate(members)
        if is_edge(codes[member], inside[nearest[at][nearest[at] != at]], svds[member])
    ]


def overlap(codes, left, right, svds, threshold):
    if not left or not right:
        return 0.0
    nearest = BallTree(codes[right]).query(codes[left], k=1, return_distance=False)[:, 0]
    return np.mean([similarity(svds[i], svds[right[j]]) >= threshold for i, j in zip(left, nearest, strict=True)])


def merge(codes, components, svds, threshold):
    dims = [len(svds[members[0]]) for members in components]
    borders = [edges(codes, members, svds) for members in components]
    group = list(range(len(components)))
    for a in range(len(components)):
        for b in range(a):
            if dims[a] != dims[b]:
                continue
            both = overlap(codes, borders[a], borders[b], svds, threshold)
            both += overlap(codes, borders[b], borders[a], svds, threshold)
            if both / 2 >= 2.0 ** -(dims[a] + 1) + 2.0 ** -(dims[a] + 2):
                old, new = max(group[a], group[b]), min(group[a], group[b])
                group = [new if each == old else each for each in group]
    return [
        sorted(i for part, each in zip(components, group, strict=True) if each == number for i in part)
        for number in sorted(set(group))
    ]


def enclosure(codes, inner, outer):
    """Mean distance from the inner component's points to the outer one, in the outer one's spacings."""
    tree = BallTree(codes[outer])
    return tree.query(codes[inner])[0].mean() / tree.query(codes[outer], k=2)[0][:, 1].mean()


def mimosa(codes, k, threshold, contagion, min_size_init, min_size_merged):
    """Return component, or -1, of each point, the dimension of each component, and which lies within which."""
    neighbours = BallTree(codes).query(codes, k=k, return_distance=False)
    svds = [local_svd(codes[rows]) for rows in neighbours]
    found = [part for part in build(neighbours, svds, threshold, contagion) if len(part) >= min_size_init]
    found = [part for part in merge(codes, found, svds, threshold) if len(part) >= min_size_merged]
    labels = np.full(len(codes), -1)
    for number, part in enumerate(found):
        labels[part] = number
    dims = [len(svds[part[0]]) for part in found]
    pairs = [(a, b) for a in range(len(found)) for b in range(len(found)) if dims[a] < dims[b]]
    return labels, dims, [pair for pair in pairs if enclosure(codes, *(found[at] for at in pair)) <= 10]
