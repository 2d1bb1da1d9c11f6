"""Whole images drawn the plain way: every solid is cast on all rays, in the coordinates of the room."""

import numpy as np

from pytest_genbench.benchmarks.scenes import mpi3d, rig, shapes3d
from pytest_genbench.benchmarks.scenes.light import SUN, diffuse, gleam, halfway


def mix(shares, colours, rays):
    """Colours of the rays, averaged by pixel: uint8 (64, 64, 3)."""
    light = sum(
        share[..., None] * colour for share, colour in zip(shares, np.asarray(colours, dtype=float), strict=True)
    )
    assert len(light) == rays
    return (light.mean(axis=0) * 255 / 256).astype(np.uint8)


def room(levels):
    """An image of shapes3d."""
    *colours, size, kind, azimuth = levels
    eye, placed = shapes3d.camera(azimuth), shapes3d.thing(size, kind)
    rays = eye.directions()
    floor, wall = shapes3d._room.__wrapped__(azimuth)
    depth, normal = placed.hits(eye.at, rays)
    hit = depth < np.inf
    shine = 0.5 * gleam(normal, halfway(rays))
    scale = placed.at[2] / shapes3d.TYPES[kind][2]
    dark = shapes3d._shadow(kind).at(*(each / scale for each in eye.ground))
    shares = [np.where(hit, 0, floor * dark), np.where(hit, 0, wall)]
    shares += [np.where(hit, diffuse(normal) * (1 - shine), 0), np.where(hit, shine, 0)]
    return mix(shares, [*(shapes3d.HUES[colour] for colour in colours), (255,) * 3], len(rays[0]))


def arm(levels):
    """An image of mpi3d, lit."""
    color, shape, size, height, background, x, y = levels
    camera, pose = rig.CAMERAS[height], rig.pose(x, y)
    rays = camera.directions()
    half = halfway(rays)
    depth, steel, table = (each.copy() for each in mpi3d._room("lit", height))
    table *= mpi3d._shadow(pose, height)
    seen, held = np.zeros(depth.shape), pose.held(shape, size)
    for placed, tone, gloss in (*((p.placed, p.tone, 0.3) for p in pose.parts), (held, 1, 0.15)):
        at, normal = placed.hits(camera.at, rays)
        front = at < depth
        shine = gloss * gleam(normal, half)
        scattered = tone * diffuse(normal, SUN) * (1 - shine)
        depth, table = np.where(front, at, depth), np.where(front, 0, table)
        if placed is held:
            steel, seen = np.where(front, shine, steel), np.where(front, scattered, 0)
        else:
            steel = np.where(front, scattered + shine, steel)
    return mix([steel, table, seen], [mpi3d.STEEL, mpi3d.TABLES[background], mpi3d.COLOURS[color]], len(rays[0]))
