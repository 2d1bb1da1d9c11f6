"""What a repository says about itself: its root, default branch, service, Python, and which files git knows."""

from __future__ import annotations

import importlib.metadata
import json
import os
import re
import subprocess
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from packaging.specifiers import InvalidSpecifier, SpecifierSet

from ..errors import OptionError
from .ini import table, toml

_NOT_OURS = {"node_modules", "site-packages", "build", "dist", "venv", "env", "__pycache__"}
"""Folders that hold what was installed or built; so do those whose name begins with a dot."""

PYTHONS = ("3.11", "3.12", "3.13", "3.14")
"""Versions of Python that a workflow may be written for."""


@dataclass(frozen=True)
class Repository:
    """A folder in which a workflow can run.

    Attributes:
        root: Its outermost folder.
        has_git: Whether git keeps it.
        branch: Its default branch.
        host: Where its remote is, such as ``github.com``; empty where there is none.
        notes: What is worth saying about it, a sentence each.
    """

    root: Path
    has_git: bool
    branch: str
    host: str = ""
    notes: tuple[str, ...] = ()

    def onnx_files(self) -> list[str]:
        """List the ONNX files that a checkout has or would have after ``git add``: paths below the root, with slashes."""
        if self.has_git:
            arguments = ("ls-files", "-z", "--cached", "--others", "--exclude-standard", "--", "*.onnx")
            names = [os.fsdecode(name) for name in _git(self.root, *arguments).split(b"\0") if name]
        else:
            names = list(_walk(self.root))
        there = {name for name in names if (self.root / name).is_file()}
        return sorted(name for name in there if not any(map(_is_left_out, Path(name).parent.parts)))

    def ignored(self, paths: Iterable[str]) -> list[str]:
        """List those paths that git ignores, so that a checkout lacks them."""
        names = list(paths)
        if not self.has_git or not names:
            return []
        found = _git(self.root, "check-ignore", "-z", "--stdin", stdin=b"\0".join(map(os.fsencode, names)))
        return [os.fsdecode(name) for name in found.split(b"\0") if name]

    def untracked(self, paths: Iterable[str]) -> list[str]:
        """List those paths that git does not keep yet and does not ignore."""
        names = list(paths)
        if not self.has_git or not names:
            return []
        found = _git(self.root, "--literal-pathspecs", "ls-files", "-z", "--others", "--exclude-standard", "--", *names)
        return [os.fsdecode(name) for name in found.split(b"\0") if name]

    def is_lfs(self, path: str) -> bool:
        """Whether git keeps a file elsewhere (LFS), so that a checkout has it only when asked to."""
        return self.has_git and _git(self.root, "check-attr", "-z", "filter", "--", path).split(b"\0")[2:3] == [b"lfs"]


def open_repository(folder: Path) -> Repository:
    """Find the repository that a folder belongs to; without git it is the folder itself.

    Raises:
        OptionError: It is no folder, or cannot be written to.
    """
    if not folder.is_dir():
        raise OptionError(
            f"{folder} is {'no folder' if folder.exists() else 'not there'}; name the folder of a repository."
        )
    top = _git(folder, "rev-parse", "--show-toplevel").removesuffix(b"\n")
    root = Path(os.fsdecode(top)) if top else folder.resolve()
    if not os.access(root, os.W_OK | os.X_OK):
        raise OptionError(f"{root}: no permission to write there.")
    if not top:
        note = "there is no git repository here: run git init, or the service will find nothing to test"
        return Repository(root, False, "main", notes=(note,))
    branch, notes = _branch(root)
    return Repository(root, True, branch, _host(root), notes)


def python_version(root: Path) -> tuple[str, str]:
    """Choose the version of Python for a workflow.

    Returns:
        The version, such as ``3.12``, and why that one, for people.
    """
    version_file = root / ".python-version"
    pinned = version_file.read_text("utf-8", "replace") if version_file.is_file() else ""
    asked = re.match(r"\s*(?:cpython-)?(\d+\.\d+)", pinned)
    if asked and asked[1] in PYTHONS:
        return asked[1], "said by .python-version"
    running = f"{sys.version_info[0]}.{sys.version_info[1]}"
    wanted = table(toml(root / "pyproject.toml"), "project").get("requires-python", "")
    try:
        allowed = [
            each for each in PYTHONS if f"{each}.99" in SpecifierSet(str(wanted)) or each in SpecifierSet(str(wanted))
        ]
    except InvalidSpecifier:
        allowed = []
    if running in allowed or not wanted:
        return running, f"the one that runs this{f', allowed by requires-python {wanted}' if wanted else ''}"
    if allowed:
        return allowed[-1], f"the newest allowed by requires-python {wanted}"
    return running, f"the one that runs this; requires-python {wanted} allows none of {', '.join(PYTHONS)}"


def installation(root: Path) -> str:
    """Return the command that installs a project, with what it needs; empty where there is nothing to install."""
    project = toml(root / "pyproject.toml")
    if {"project", "build-system"} & project.keys() or (root / "setup.py").is_file():
        return "pip install -e ."
    return "pip install -r requirements.txt" if (root / "requirements.txt").is_file() else ""


def _branch(root: Path) -> tuple[str, tuple[str, ...]]:
    """Return the default branch: that of the remote; else main or master, where there is one; else the current one."""
    remote = _text(root, "symbolic-ref", "--short", "refs/remotes/origin/HEAD")
    if remote:
        return remote.removeprefix("origin/"), ()
    refs = _text(root, "for-each-ref", "--format=%(refname)", "refs/heads", "refs/remotes/origin").splitlines()
    known = {ref.removeprefix("refs/heads/").removeprefix("refs/remotes/origin/") for ref in refs}
    current = _text(root, "symbolic-ref", "--short", "HEAD")
    found = next((name for name in ("main", "master") if name in known), current or "main")
    if current:
        return found, ()
    return found, (f"HEAD is detached; {found} is taken for the default branch",)


def _host(root: Path) -> str:
    """Return the host of the remote, without anything else of its address: that may hold a password."""
    names = _text(root, "remote").splitlines()
    if not names:
        return ""
    address = _text(root, "remote", "get-url", "origin" if "origin" in names else names[0])
    found = re.match(r"(?:[a-z+]+://)?(?:[^@/]*@)?([^/:@]+)", address)
    return found[1].lower() if found else ""


def _git(folder: Path, *arguments: str, stdin: bytes = b"") -> bytes:
    """Ask git; what it does not know, or where there is no git, is empty."""
    try:
        done = subprocess.run(["git", "-C", str(folder), *arguments], capture_output=True, input=stdin, check=False)
    except OSError:
        return b""
    return done.stdout if done.returncode == 0 else b""


def _text(folder: Path, *arguments: str) -> str:
    return _git(folder, *arguments).decode("utf-8", "replace").strip()


def _is_left_out(folder: str) -> bool:
    return folder in _NOT_OURS or folder.startswith(".")


def _walk(root: Path) -> Iterable[str]:
    for folder, folders, files in os.walk(root):
        folders[:] = [name for name in folders if not _is_left_out(name)]
        for name in files:
            if name.endswith(".onnx"):
                yield Path(folder, name).relative_to(root).as_posix()


def own_source() -> tuple[str, bool]:
    """Say where this package was installed from.

    Returns:
        A repository with its commit, as pip takes it, else nothing; and whether it was a folder or file, of this machine alone.
    """
    try:
        # Written by pip where a package came from elsewhere than an index (PEP 610).
        text = importlib.metadata.distribution("pytest-genbench").read_text("direct_url.json")
    except importlib.metadata.PackageNotFoundError:
        return "", True
    origin = json.loads(text) if text else {}
    if commit := origin.get("vcs_info", {}).get("commit_id"):
        return f"{origin['vcs_info'].get('vcs', 'git')}+{origin['url']}@{commit}", False
    return "", origin.get("url", "").startswith("file:")
