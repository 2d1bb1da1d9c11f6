"""Find the model of a repository: what its configuration names, else its one ONNX file, or one for each split."""

from __future__ import annotations

import glob
import os
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from ..errors import GenbenchError, ModelError, OptionError
from ..models import ModelOptions
from ..models.declaration import parse_pairs
from ..models.load import check, kind_of, load
from ..threads import per_process
from .ini import Ini
from .repository import Repository

_LISTED = 12
"""Most models that a message lists."""

BESIDE = (".onnx", ".decoder.onnx", ".genbench.toml", ".onnx.data")
"""How the names of the files end that a model may consist of."""

_POINTER = b"version https://git-lfs"
"""How a file begins that stands for one which was not fetched."""


@dataclass(frozen=True)
class FoundModel:
    """A model, and why that one.

    Attributes:
        options: How to load it, from the root of the repository.
        why: For people.
        files: The files it is made of, below the root, where they are known.
    """

    options: ModelOptions
    why: str
    files: tuple[str, ...] = ()


def find_model(repository: Repository, ini: Ini, asked: str | None, working: Path) -> FoundModel:
    """Find the model to be tested.

    Args:
        repository: Where.
        ini: What the project says to pytest.
        asked: What was asked for; None to find out.
        working: Where a path starts that was asked for.

    Raises:
        OptionError: There is none, or there are several; or what was asked for lies outside the repository.
        ModelError: It is not there.
    """
    root = repository.root
    if asked:
        options = _options(_below(asked, root, working), root, ini)
        why = "asked for"
    elif spec := ini.text("model"):
        options, why = _options(spec, root, ini), f"genbench_model in {ini.name}"
    else:
        spec, number = _only_one(repository)
        options = _options(spec, root, ini)
        why = "the only .onnx file" if number == 1 else f"{number} files that differ in the name of a split"
    check(options)
    files = {each for text in (options.spec, options.weights or "") for each in _files(text, root)}
    for path in files:
        _refuse_pointer(root / path)
    if kind_of(options) == "onnx":
        # What is wrong with a file is wrong everywhere; and it says which others belong to it, whatever they are called.
        beside = Path(options.spec).parent
        files |= {
            name for name in ((beside / each).as_posix() for each in load(options).files) if (root / name).is_file()
        }
    return FoundModel(options, why, tuple(sorted(files)))


def models_of(paths: Sequence[str], slugs: Iterable[str]) -> dict[str, list[str]]:
    """Sort files into models.

    Args:
        paths: Files, with slashes.
        slugs: Names of splits.

    Returns:
        The files of each model, by its path; files that differ only in the name of a split are one, whose path holds ``{split}``
        in its place. Decoders, whose names end with ``.decoder.onnx``, are none.
    """
    # Not within longer names: length-1 is not in length-10. The longest name first.
    names = "|".join(map(re.escape, sorted(slugs, key=len, reverse=True)))
    pattern = re.compile(rf"(?<![A-Za-z0-9])(?:{names})(?![A-Za-z0-9])")
    models = [path for path in paths if not path.endswith(".decoder.onnx")]
    templates = {
        path: {path.replace(slug, "{split}") for slug in pattern.findall(path)} if names else set() for path in models
    }
    members = Counter(template for found in templates.values() for template in found)
    sorted_: dict[str, list[str]] = {}
    for path in models:
        best = max(templates[path], key=lambda each: (members[each], each), default=path)
        sorted_.setdefault(best if members[best] > 1 else path, []).append(path)
    return sorted_


def _only_one(repository: Repository) -> tuple[str, int]:
    """Return the path of the one model of a repository, and the number of its files."""
    from ..benchmarks import registry

    paths = repository.onnx_files()
    benchmarks = [registry.get(name) for name in registry.names()]
    slugs = {split.slug for each in benchmarks for family in each.families for split in each.splits(family)}
    found = models_of([path for path in paths if _can_be_named(path)], slugs)
    if len(found) == 1:
        ((spec, files),) = found.items()
        return spec, len(files)
    if not found:
        odd = (
            f" {len(paths)} with braces or bytes that are no UTF-8 in the name cannot be given; rename them."
            if paths
            else ""
        )
        hidden = " Files that git ignores do not count, since a checkout lacks them." if repository.has_git else ""
        raise OptionError(
            f"No model: there is no .onnx file in {repository.root}.{odd}{hidden} Export one (docs/models.md), or pass "
            "--model with a path, module:callable or reference:NAME."
        )
    listed = [f"{path!r}" + (f" ({len(files)} files)" if len(files) > 1 else "") for path, files in found.items()]
    more = f" and {len(listed) - _LISTED} more" if len(listed) > _LISTED else ""
    raise OptionError(
        f"{len(found)} models; pass --model with one of them: {', '.join(listed[:_LISTED])}{more}. A path may hold {{split}} where "
        "there is one file for each split, and {seed}, {benchmark}."
    )


def _can_be_named(path: str) -> bool:
    """Whether a path can be written down, and its braces are not taken for a place to be filled."""
    try:
        path.encode()
    except UnicodeEncodeError:
        return False
    return re.search(r"\{[^{}]*\}", path) is None


def _options(spec: str, root: Path, ini: Ini) -> ModelOptions:
    return ModelOptions(
        spec=spec,
        weights=ini.text("weights") or None,
        trust=ini.flag("trust_model"),
        overrides=parse_pairs(ini.lines("contract"), "genbench_contract"),
        device="cpu",
        threads=per_process(),
        root=root,
    )


def _below(spec: str, root: Path, working: Path) -> str:
    """Turn a path that starts in the working folder into one that starts in the root; leave all else as it is."""
    try:
        if kind_of(ModelOptions(spec=spec, root=working, trust=True)) in ("factory", "reference"):
            return spec
        path = Path(os.path.normpath(Path(os.path.realpath(working), spec)))
        check(ModelOptions(spec=str(path), root=root, trust=True))
    except GenbenchError:  # the root is tried next, and what is wrong is said of that
        return spec
    inside = Path(os.path.realpath(root))
    if not path.is_relative_to(inside):
        raise OptionError(f"{spec} lies outside the repository {root}; a checkout would not have it. Put it there.")
    return path.relative_to(inside).as_posix()


def _files(spec: str, root: Path) -> list[str]:
    """List the files of a path, which may hold placeholders, and those that stand beside them; none of what is no path."""
    stem, suffix = os.path.splitext(spec)
    pattern = "*".join(map(glob.escape, re.split(r"\{[^{}]*\}", stem)))
    kinds = BESIDE if suffix == ".onnx" else (suffix,)
    found = (
        {path for kind in kinds for path in glob.glob(pattern + glob.escape(kind), root_dir=root)} if suffix else set()
    )
    return sorted(path for path in found if (root / path).is_file())


def _refuse_pointer(path: Path) -> None:
    with path.open("rb") as file:
        if file.read(len(_POINTER)) == _POINTER:
            raise ModelError(f"{path} stands for a file that was not fetched; run git lfs pull.")
