"""The options of ours that a project keeps in its configuration of pytest."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from iniconfig import IniConfig, ParseError

from ..errors import OptionError

_TRUE = ("1", "true", "yes", "on")


@dataclass(frozen=True)
class Ini:
    """What the file says that pytest would read.

    Attributes:
        name: Its name; empty where there is none.
        values: Its keys, as text, lists of texts or booleans.
    """

    name: str = ""
    values: Mapping[str, Any] = field(default_factory=dict)

    def text(self, option: str) -> str:
        """Return the value of an option such as ``model``; empty where it is not set."""
        value = self.values.get(f"genbench_{option}", "")
        return value if isinstance(value, str) else ""

    def lines(self, option: str) -> list[str]:
        """Return the values of an option that may have several."""
        value = self.values.get(f"genbench_{option}", [])
        found = value.splitlines() if isinstance(value, str) else map(str, value) if isinstance(value, list) else ()
        return [line.strip() for line in found if line.strip()]

    def flag(self, option: str) -> bool:
        """Whether an option is switched on."""
        return str(self.values.get(f"genbench_{option}", "")).lower() in _TRUE


def read(root: Path) -> Ini:
    """Read the first file in a folder that configures pytest, in pytest's own order.

    Raises:
        OptionError: A file cannot be read.
    """
    for name in ("pytest.toml", ".pytest.toml", "pytest.ini", ".pytest.ini", "pyproject.toml", "tox.ini", "setup.cfg"):
        path = root / name
        if not path.is_file():
            continue
        values = _toml_values(path) if name.endswith(".toml") else _ini_values(path)
        # An empty pytest.ini is one as well; of the others only those with a section for pytest.
        if values is not None or name.endswith("pytest.ini"):
            return Ini(name, values or {})
    return Ini()


def toml(path: Path) -> Mapping[str, Any]:
    """Read a TOML file; an empty mapping where there is none.

    Raises:
        OptionError: It cannot be read, or is not TOML.
    """
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return {}
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise OptionError(f"{path}: cannot be read as TOML ({error}).") from None


def table(value: Any, *keys: str) -> Mapping[str, Any]:
    """Return the table under some keys; an empty one where there is none."""
    for key in keys:
        value = value.get(key) if isinstance(value, Mapping) else None
    return value if isinstance(value, Mapping) else {}


def _toml_values(path: Path) -> Mapping[str, Any] | None:
    """Return what a TOML file says to pytest; None where it says nothing."""
    content = toml(path)
    if path.name != "pyproject.toml":
        return table(content, "pytest")
    native = table(content, "tool", "pytest")
    return (table(native, "ini_options") or native) if native else None


def _ini_values(path: Path) -> Mapping[str, Any] | None:
    try:
        config = IniConfig(str(path), data=path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, ParseError) as error:
        raise OptionError(f"{path}: cannot be read ({error}).") from None
    section = "tool:pytest" if path.name == "setup.cfg" else "pytest"
    return dict(config[section].items()) if section in config else None
