"""What is to be written, as data: everything that was found out, and the commands that follow from it."""

from __future__ import annotations

import shlex
from dataclasses import dataclass

from .words import option, word

RESULTS, REPORT, JUNIT = "genbench-results.json", "genbench.html", "genbench-junit.xml"
"""What a run in continuous integration leaves behind."""

CACHE = ".genbench-cache"
"""Where it keeps what it has trained: within the checkout, since services cache nothing else."""


@dataclass(frozen=True)
class Plan:
    """What was found out about a repository and its model.

    Attributes:
        model: The model, as pytest is to be given it.
        suites: Names of the suites.
        gates: Path of the gates file below the root.
        baseline: Path of the baseline below the root.
        python: Version of Python.
        branch: Default branch.
        project: Command that installs the project; empty where there is nothing to install.
        source: Where pip gets pytest-genbench from; empty for an index.
        needs_torch: Whether it needs torch.
        is_trained: Whether something is trained, which is worth being cached.
        is_lfs: Whether its files are kept in Git LFS.
        is_code: Whether the model is code, which needs what the project needs, and may change with the repository.
    """

    model: str
    suites: tuple[str, ...]
    gates: str = "genbench-gates.toml"
    baseline: str = "genbench-baseline.json"
    python: str = "3.12"
    branch: str = "main"
    project: str = ""
    source: str = ""
    needs_torch: bool = False
    is_trained: bool = False
    is_lfs: bool = False
    is_code: bool = False

    @property
    def install(self) -> list[str]:
        """The commands that install what the test needs."""
        extras = "torch,xdist" if self.needs_torch else "xdist"
        own = [self.project] if self.project and self.is_code else []
        source = f" @ {self.source}" if self.source else ""
        return [*own, f"pip install {shlex.quote(f'pytest-genbench[{extras}]{source}')}"]

    @property
    def chosen(self) -> list[tuple[str, str]]:
        """The options, with their values, that choose model, suites and gates."""
        suites = [("--genbench-suite", name) for name in self.suites]
        return [("--genbench-model", self.model), *suites, ("--genbench-gates", self.gates)]

    @property
    def saving(self) -> list[tuple[str, str]]:
        """The options with which pytest makes the baseline."""
        return [*self.chosen, ("--genbench-save", self.baseline)]

    @property
    def save(self) -> list[str]:
        """The words of the command that makes the baseline."""
        return ["pytest", *(option(*each) for each in self.saving)]

    @property
    def check(self) -> list[str]:
        """The words of the command that holds a model to its gates and to the baseline."""
        options = [*self.chosen, ("--genbench-baseline", self.baseline)]
        return ["pytest", *(option(*each) for each in options), "--genbench-require-baseline"]

    def test(self, summary: str = "") -> list[str]:
        """Return the words of the command that a service runs.

        Args:
            summary: Where the service takes a summary in Markdown, as a word of the shell; empty where it takes none.
        """
        command = [self.check[0], "-n auto", *self.check[1:]]
        if self.is_trained:
            command.append(f"--genbench-cache={CACHE}")
        command += [f"--genbench-save={RESULTS}", f"--genbench-report={REPORT}", f"--junitxml={JUNIT}"]
        return [*command, f"--genbench-summary={summary}"] if summary else command


def add(paths: list[str], forced: list[str]) -> list[str]:
    """Return the commands that give files to git; what it ignores has to be forced upon it."""
    free = [path for path in paths if path not in forced]
    commands = [" ".join(["git add", *map(word, free)])] if free else []
    return commands + ([" ".join(["git add -f", *map(word, forced)])] if forced else [])
