"""Contact sheets: parts of a data set beside each other; and problems, their images in a row with the right one marked."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from PIL.Image import Image
    from PIL.ImageDraw import ImageDraw

FRAME = 4
"""Pixels of black round each image of a strip, on each side, as in the published files of CVR."""

_BESIDE = 2
"""Problems beside each other on a sheet."""

_LEAST, _MOST = 96, 128
"""Pixels a side of an image on a sheet: smaller images are enlarged by whole numbers, larger ones made smaller."""

_ACROSS = 6
"""Pictures beside each other in each of the parts that stand beside each other."""

_LITTLE = 48
"""Least pixels a side of such a picture."""

_GAP, _LINE, _MARK = 10, 16, 4
"""Pixels between problems; of a line of text; of the frame round an image that is right, which others have in white."""

_RED, _GREY = (214, 40, 30), (180, 180, 180)


def strip(images: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Put the images of a problem side by side, each framed in black: uint8 (K, H, W, C) to (H + 8, K * (W + 8), C)."""
    framed = np.pad(images, ((0, 0), (FRAME, FRAME), (FRAME, FRAME), (0, 0)))
    return np.concatenate(list(framed), axis=1)


def beside(rows: Sequence[tuple[str, Sequence[tuple[str, NDArray[np.uint8]]]]]) -> Image:
    """Draw parts beside each other, each a grid of pictures below a heading; and such rows below each other, each with a title.

    Args:
        rows: For each its title and its parts: a heading, and images uint8 (N, H, W, C), all of one shape.
    """
    from PIL import Image, ImageDraw

    first = rows[0][1][0][1]
    tall, wide = (_side(length, _LITTLE) + 4 for length in first.shape[1:3])
    text = ImageDraw.Draw(Image.new("RGB", (1, 1)))
    headings = [heading for _, parts in rows for heading, _ in parts]
    column = max(_ACROSS * wide, *(int(text.textlength(heading)) for heading in headings)) + 2 * _GAP
    heights = [
        2 * _LINE + max(-(-len(images) // _ACROSS) for _, images in parts) * tall + 2 * _GAP for _, parts in rows
    ]
    picture = Image.new("RGB", (column * max(len(parts) for _, parts in rows) + _GAP, sum(heights) + _GAP), "white")
    draw = ImageDraw.Draw(picture)
    top = _GAP
    for (title, parts), height in zip(rows, heights, strict=True):
        draw.text((_GAP, top), title, fill="dimgrey")
        for at, (heading, images) in enumerate(parts):
            left = _GAP + at * column
            draw.text((left, top + _LINE), heading, fill="black")
            for place, image in enumerate(images):
                down, right = divmod(place, _ACROSS)
                _paste(picture, image, (left + right * wide, top + 2 * _LINE + 4 + down * tall), _LITTLE)
        top += height
    return picture


def _paste(picture: Image, image: NDArray[np.uint8], at: tuple[int, int], least: int) -> tuple[int, int]:
    """Put an image into a picture, made larger or smaller; return its size there."""
    from PIL import Image

    tile = Image.fromarray(image[..., 0] if image.shape[2] == 1 else image[..., :3])
    size = (_side(tile.width, least), _side(tile.height, least))
    picture.paste(tile.resize(size, Image.Resampling.NEAREST if size >= tile.size else Image.Resampling.BOX), at)
    return size


def sheet(parts: Sequence[tuple[Sequence[str], NDArray[np.uint8], Sequence[int], Sequence[str]]]) -> Image:
    """Draw parts below each other: problems, two beside each other, each with a caption; the right image has a red frame.

    Args:
        parts: For each its heading, lines of text; the problems, uint8 (N, K, H, W, C), all of one shape; the place of the right
            image of each; its caption.
    """
    from PIL import Image, ImageDraw

    number, height, width = parts[0][1].shape[1:4]
    tall, wide = _side(height, _LEAST) + 2 * _MARK, _side(width, _LEAST) + 2 * _MARK
    row, column = tall + _LINE + _GAP, number * wide + _GAP
    text = ImageDraw.Draw(Image.new("RGB", (1, 1)))
    lines = [line for heading, *_ in parts for line in heading]
    across = max([_BESIDE * column, *(int(text.textlength(line)) + _GAP for line in lines)]) + _GAP
    down = sum(len(heading) * _LINE + -(-len(images) // _BESIDE) * row + _GAP for heading, images, *_ in parts)
    picture = Image.new("RGB", (across, down + _GAP), "white")
    draw = ImageDraw.Draw(picture)
    top = _GAP
    for heading, images, answers, captions in parts:
        for line in heading:
            draw.text((_GAP, top), line, fill="black")
            top += _LINE
        for n, (problem, answer, caption) in enumerate(zip(images, answers, captions, strict=True)):
            at = (_GAP + n % _BESIDE * column, top + n // _BESIDE * row)
            draw.text(at, _cut(draw, caption, column - _GAP), fill="dimgrey")
            _problem(picture, draw, (at[0], at[1] + _LINE), problem, answer)
        top += -(-len(images) // _BESIDE) * row + _GAP
    return picture


def _problem(picture: Image, draw: ImageDraw, at: tuple[int, int], images: NDArray[np.uint8], answer: int) -> None:
    """Draw the images of a problem in a row."""
    left, top = at
    size = (_side(images.shape[2], _LEAST), _side(images.shape[1], _LEAST))
    for k, image in enumerate(images):
        right, bottom = left + size[0] + 2 * _MARK - 1, top + size[1] + 2 * _MARK - 1
        if k == answer:
            draw.rectangle((left, top, right, bottom), fill=_RED)
        else:  # a thin line shows where a white image ends
            inner = _MARK - 1
            draw.rectangle((left + inner, top + inner, right - inner, bottom - inner), outline=_GREY)
        _paste(picture, image, (left + _MARK, top + _MARK), _LEAST)
        left = right + 1


def _cut(draw: ImageDraw, text: str, width: int) -> str:
    """Shorten a text to so many pixels."""
    while draw.textlength(text) > width:
        text = text.removesuffix("…")[:-1] + "…"
    return text


def _side(length: int, least: int) -> int:
    """Pixels that a side of this length is drawn with."""
    return min(_MOST, length * max(1, -(-least // length)))
