"""The description of a table: a TOML file, or the same by keyword, checked key by key."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

from ...errors import BenchmarkError, nearest
from ...factors import Kind
from .factors import KINDS, FactorSettings
from .splits import FAMILIES, FamilySettings, SplitSettings

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9+._-]*")

_Parsers = Mapping[str, Callable[[Any], Any]]


@dataclass(frozen=True, kw_only=True)
class Description:
    """What is known of a table before it is read.

    Attributes:
        name: Name of the benchmark: in gates, results, and in what models declare.
        table: The CSV file.
        images: A folder of images, or an .npy file.
        use: Columns that are factors, in order; None for all that are not ignored.
        ignore: Columns that are not factors.
        factors: What is said of some of the factors.
        channels: 1 or 3 to convert the images of a folder to grey or RGB; None to take them as they are.
        allow_duplicates: Whether several rows may have the same levels of all factors.
        splits: How the table is split.
        where: The file, or the class, for messages.
    """

    name: str
    table: Path
    images: Path
    use: tuple[str, ...] | None = None
    ignore: tuple[str, ...] = ()
    factors: Mapping[str, FactorSettings] = field(default_factory=dict)
    channels: int | None = None
    allow_duplicates: bool = False
    splits: SplitSettings = field(default_factory=SplitSettings)
    where: str = ""

    def error(self, problem: str) -> BenchmarkError:
        """Return the error to raise for something that the description says."""
        return BenchmarkError(f"{self.where}: {problem}")


def read_description(path: str | Path) -> Description:
    """Read a description; its paths are relative to its folder.

    Raises:
        BenchmarkError: The file is missing, is not TOML, or says something that cannot be.
    """
    path = Path(path)
    try:
        raw = tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise BenchmarkError(f"{path}: there is no such description of a table.") from None
    except OSError as error:
        raise BenchmarkError(f"{path}: the description cannot be read ({error.strerror or error}).") from None
    except UnicodeDecodeError:
        raise BenchmarkError(f"{path}: not TOML (not even text in UTF-8).") from None
    except tomllib.TOMLDecodeError as error:
        raise BenchmarkError(f"{path}: not TOML: {error}.") from None
    return describe(raw, str(path), path.parent)


def describe(raw: Mapping[str, Any], where: str, folder: Path) -> Description:
    """Check a description.

    Args:
        raw: Its keys, as TOML gives them.
        where: The file, or the class, for messages.
        folder: What its paths are relative to.

    Raises:
        BenchmarkError: An unknown key, a missing one, or a value of the wrong kind.
    """
    values = _parse(raw, PARSERS, where)
    if missing := [key for key in ("name", "table", "images") if key not in values]:
        raise BenchmarkError(f"{where}: lacks {' and '.join(missing)}; a description has name, table and images.")
    if "use" in values and "ignore" in values:
        raise BenchmarkError(f"{where}: has both use and ignore; list the columns to use, or those to ignore.")
    values["factors"] = {
        name: _factor(each, f"{where}, factors.{name}") for name, each in values.get("factors", {}).items()
    }
    values["splits"] = _splits(values.get("splits", {}), f"{where}, splits")
    # Joined by pathlib: an absolute path stays what it is.
    values |= {key: folder / values[key] for key in ("table", "images")}
    return Description(**values, where=where)


def _parse(raw: Any, parsers: _Parsers, where: str) -> dict[str, Any]:
    """Check the keys and values of one table of the description."""
    values = {}
    for key, value in _table(raw, where).items():
        if key not in parsers:
            raise BenchmarkError(f"{where}: unknown key {key!r}.{nearest(key, parsers)}")
        try:
            values[key] = parsers[key](value)
        except ValueError as error:
            raise BenchmarkError(f"{where}: {key} = {value!r}; {error}.") from None
    return values


def _table(raw: Any, where: str) -> Mapping[str, Any]:
    if not isinstance(raw, Mapping):
        raise BenchmarkError(f"{where} = {raw!r}; it has to be a table of keys and values.")
    return raw


def _factor(raw: Any, where: str) -> FactorSettings:
    return raw if isinstance(raw, FactorSettings) else FactorSettings(**_parse(raw, FACTOR_PARSERS, where))


def _splits(raw: Any, where: str) -> SplitSettings:
    if isinstance(raw, SplitSettings):
        return raw
    values = _parse(raw, SPLIT_PARSERS, where)
    common = {"share": values["share"]} if "share" in values else {}
    families = {}
    for family in FAMILIES:
        parsers = {"share": _share, **({"repeats": _count} if family == "in_distribution" else {"factors": _names})}
        families[family] = FamilySettings(**common | _parse(values.get(family, {}), parsers, f"{where}.{family}"))
    return SplitSettings(minimum=values.get("minimum", SplitSettings.minimum), families=families)


def _name(value: Any) -> str:
    if not isinstance(value, str) or not _NAME.fullmatch(value) or value.endswith(".toml"):
        raise ValueError("it has to be letters, digits and + . _ -, since it stands in paths")
    from ..registry import names

    if value in names():
        raise ValueError("that is the name of another benchmark; choose one of your own")
    return value


def _path(value: Any) -> Path:
    if not isinstance(value, str | Path) or not str(value):
        raise ValueError("it has to be a path in quotes")
    return Path(value)


def _names(value: Any) -> tuple[str, ...]:
    if not isinstance(value, list | tuple) or not all(isinstance(each, str) for each in value):
        raise ValueError("it has to be a list of names in quotes")
    return tuple(value)


def _mapping(value: Any) -> Any:
    if not isinstance(value, Mapping | SplitSettings):
        raise ValueError("it has to be a table of keys and values")
    return value


def _flag(value: Any) -> bool:
    if not isinstance(value, bool):
        raise ValueError("it is true or false")
    return value


def _channels(value: Any) -> int:
    if value not in (1, 3) or isinstance(value, bool):
        raise ValueError("it is 1 for grey or 3 for RGB")
    return cast(int, value)


def _kind(value: Any) -> Kind:
    if value not in KINDS:
        raise ValueError("it is " + ", ".join(KINDS[:-1]) + " or " + KINDS[-1])
    return cast(Kind, value)


def _levels(value: Any) -> tuple[Any, ...]:
    plain = isinstance(value, list | tuple) and all(isinstance(each, str | int | float) for each in value)
    if not plain or len(value) < 2:
        raise ValueError("it has to be a list of at least two levels in order")
    return tuple(value)


def _share(value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value < 1:
        raise ValueError("it has to be a number between 0 and 1, such as 0.2")
    return float(value)


def _count(value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or value < 1:
        raise ValueError("it has to be a whole number of at least 1")
    return value


def _bands(value: Any) -> int:
    if _count(value) < 2:
        raise ValueError("it has to be a whole number of at least 2")
    return cast(int, value)


PARSERS: _Parsers = {
    "name": _name,
    "table": _path,
    "images": _path,
    "use": _names,
    "ignore": _names,
    "factors": _mapping,
    "channels": _channels,
    "allow_duplicates": _flag,
    "splits": _mapping,
}
"""Keys of a description, with their readers."""

FACTOR_PARSERS: _Parsers = {"kind": _kind, "values": _levels, "bands": _bands}
"""Keys of ``factors.<name>``."""

SPLIT_PARSERS: _Parsers = {"minimum": _count, "share": _share, **{family: lambda value: value for family in FAMILIES}}
"""Keys of ``splits``; each family has ``share`` and ``factors``, or ``repeats``."""
