"""The publishers' own files of the in-domain data sets, read by the rows of the full grid.

Nothing is downloaded: files lie in a folder that people name, and a missing one is an error that says where it can be had. No image
array is ever loaded whole: what a file stores plainly is memory-mapped where it lies; what it stores compressed is unpacked once,
into the cache folder.

Example:
    >>> images = open_images("shapes3d", "published", Path("data"))  # doctest: +SKIP
    >>> images.images(np.array([479_999, 0])).shape  # doctest: +SKIP
    (2, 64, 64, 3)
"""

from .images import Images, open_images
from .presplit import Presplit, open_presplit
from .records import MODES, PUBLISHED, VARIANTS, Record, presplit_records

__all__ = [
    "MODES",
    "PUBLISHED",
    "VARIANTS",
    "Images",
    "Presplit",
    "Record",
    "open_images",
    "open_presplit",
    "presplit_records",
]
