"""``genbench init``: a workflow, a gates file and a first baseline for a repository, asking nothing that can be found out."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from ..errors import GenbenchError, ModelError, OptionError
from ..models.load import kind_of
from ..results.schema import Document
from ..results.writing import count
from . import gates, workflow
from .find import BESIDE, FoundModel, find_model
from .fit import Fit, fit, packages
from .ini import Ini, read
from .plan import RESULTS, Plan, add
from .repository import Repository, installation, open_repository, own_source, python_version
from .run import baseline
from .words import word

Service = Literal["github", "gitlab", "none"]

OK, FAILED = 0, 1

_LISTED = 4
"""Most files of a model that are named one by one."""

_NAMES = {"github": "GitHub Actions", "gitlab": "GitLab CI", "none": "none"}


@dataclass
class _Writer:
    """Writes files that are not there yet.

    Attributes:
        root: Where.
        dry: Whether to show them only.
        say: Prints a line.
        written: Those written, below the root.
        kept: Those that were there.
    """

    root: Path
    dry: bool
    say: Callable[[str], None]
    written: list[str] = field(default_factory=list)
    kept: list[str] = field(default_factory=list)

    def write(self, path: str, text: str) -> bool:
        """Write a file; return whether it was not there before."""
        target = self.root / path
        if target.exists() or target.is_symlink():
            self.kept.append(path)
            return False
        if self.dry:
            self.say(f"--- {path}\n{text}")
            return True
        try:
            target.parent.mkdir(parents=True, exist_ok=True)
            with target.open("x", encoding="utf-8", newline="\n") as file:
                # From here on there is a file, which must not stay half written.
                self.written.append(path)
                file.write(text)
        except OSError as error:
            if path in self.written:
                target.unlink(missing_ok=True)
                self.written.remove(path)
            raise OptionError(f"{target}: cannot be written ({error.strerror or error}).") from None
        return True


def init(
    folder: Path,
    *,
    model: str | None = None,
    suites: Sequence[str] = (),
    service: Service | None = None,
    with_baseline: bool = True,
    dry: bool = False,
    say: Callable[[str], None] = print,
) -> int:
    """Write a workflow, a gates file and a first baseline; nothing that exists is written over.

    Args:
        folder: A folder of the repository.
        model: What ``--genbench-model`` takes; None to find out.
        suites: Names of packaged suites; none to take those in which the model takes part.
        service: Which workflow to write; None to find out.
        with_baseline: Whether to run the suites for a baseline.
        dry: Whether to show what would be written, and to do nothing.
        say: Prints a line.

    Returns:
        0; 1 where the run for the baseline failed.

    Raises:
        GenbenchError: Something cannot be found out or done; the message names the files written before.
    """
    repository = open_repository(folder)
    writer = _Writer(repository.root, dry, say)
    try:
        return _init(repository, writer, model, suites, service, with_baseline)
    except (GenbenchError, KeyboardInterrupt) as error:
        if writer.written:
            say(f"written before that: {', '.join(map(word, writer.written))}")
        raise error


def _init(
    repository: Repository,
    writer: _Writer,
    asked: str | None,
    suites: Sequence[str],
    service: Service | None,
    with_baseline: bool,
) -> int:
    say, ini = writer.say, read(repository.root)
    found = find_model(repository, ini, asked, Path.cwd())
    fitting, chosen = _choose(found, ini, suites)
    version, why = python_version(repository.root)
    plan = _plan(repository, ini, found, chosen, version)
    service = service or _service(repository)
    for line in _found(repository, found, plan, chosen, why, service):
        say(line)
    for note in _notes(repository, found, fitting, chosen):
        say(f"note: {note}")
    say("")
    writer.write(plan.gates, gates.text(chosen))
    hints = _write_workflow(writer, service, plan)
    document, problem = None, ""
    has_baseline = (repository.root / plan.baseline).exists()
    if has_baseline:
        writer.kept.append(plan.baseline)
    elif with_baseline and not writer.dry:
        say(f"$ {' '.join(plan.save)}")
        document, problem = baseline(plan, repository.root)
        say("")
        if document is not None:
            writer.written.append(plan.baseline)
    elif with_baseline:
        say(f"--- {plan.baseline}\nas written by: {' '.join(plan.save)}\n")
    for path in writer.written:
        say(f"wrote {word(path)}")
    for path in writer.kept:
        say(f"left alone {word(path)}: it was there before")
    for hint in hints:
        say(hint)
    if document is not None:
        for line in _red(document, plan):
            say(line)
    if problem:
        say(f"no baseline: {problem}")
    if not writer.dry:
        for line in _next(repository, writer, found, plan, has_baseline or document is not None):
            say(line)
    return FAILED if problem else OK


def _choose(found: FoundModel, ini: Ini, asked: Sequence[str]) -> tuple[Fit, Fit]:
    """Find the suites a model takes part in, and choose those to run.

    Returns:
        All in which it takes part, of those asked for; and those chosen. Each split of a learner is a training, so that of several
        suites one is chosen: ``compositional``, the hardest, where it is among them.

    Raises:
        ModelError: There is none.
    """
    wanted = list(asked) or ini.lines("suite")
    names = list(packages()) if not wanted or "all" in wanted else list(dict.fromkeys(wanted))
    fitting = fit(found.options, ini, names)
    if not fitting.parts:
        reasons = "".join(f"\n  {name}: {reason}" for name, reason in sorted(fitting.reasons.items()))
        raise ModelError(
            f"{found.options.spec} takes part in no suite{f' of {chr(44).join(names)}' if wanted else ''}:{reasons}\n"
            "genbench inspect says what it takes and offers; docs/models.md what to declare and export. An embedding alone can be "
            "read by a readout: set genbench_probe = linear in the configuration of pytest."
        )
    if wanted or not fitting.is_learner:
        return fitting, fitting
    return fitting, fitting.of(["compositional" if "compositional" in fitting.suites else fitting.suites[0]])


def _plan(repository: Repository, ini: Ini, found: FoundModel, chosen: Fit, version: str) -> Plan:
    return Plan(
        model=found.options.spec,
        suites=tuple(chosen.suites),
        gates=ini.text("gates") or "genbench-gates.toml",
        baseline=ini.text("baseline") or "genbench-baseline.json",
        python=version,
        branch=repository.branch,
        project=installation(repository.root),
        source=own_source()[0],
        needs_torch=chosen.needs_torch,
        is_trained=chosen.is_trained,
        is_lfs=any(map(repository.is_lfs, found.files[:1])),
        is_code=kind_of(found.options) == "factory",
    )


def _service(repository: Repository) -> Service:
    if (repository.root / workflow.GITLAB).exists() or "gitlab" in repository.host:
        return "gitlab"
    return "github"


def _found(repository: Repository, found: FoundModel, plan: Plan, chosen: Fit, why: str, service: Service) -> list[str]:
    git = f"git, default branch {word(plan.branch)}" if repository.has_git else "no git"
    tests = "; ".join(
        f"{part.test.suite}: {part.test.benchmark.name}, {' and '.join(part.tasks)}, {part.splits} of {part.of} splits"
        for part in chosen.parts
    )
    return [
        f"repository  {word(str(repository.root))} ({git})",
        f"model       {word(plan.model)} ({found.why})",
        f"suites      {tests}",
        f"Python      {plan.python} ({why})",
        f"service     {_NAMES[service]}",
    ]


def _notes(repository: Repository, found: FoundModel, fitting: Fit, chosen: Fit) -> list[str]:
    """Say what should be known before the first build."""
    notes = list(repository.notes)
    if own_source()[1]:
        notes.append(
            "pytest-genbench is installed from a folder here; where pip cannot get it for the workflow, change its line there"
        )
    if ignored := repository.ignored(found.files):
        notes.append(
            f"git ignores {word(ignored[0])}, so that a checkout lacks it: git add -f, or fetch it in the workflow"
        )
    if chosen.is_learner:
        number = sum(part.splits for part in chosen.parts)
        notes.append(
            f"the model is a learner: the baseline takes up to {number} trainings, which are kept in the cache"
        )
    if others := [name for name in fitting.suites if name not in chosen.suites]:
        notes.append(f"it also takes part in {', '.join(others)}; add them with --suite, each split is a training")
    for part in chosen.parts:
        if part.missing:
            name = part.test.benchmark.name
            notes.append(
                f"{part.missing} splits of {part.test.suite} ({name}) have no file, and their tests fail; add the files, or "
                "declare genbench.benchmark in those there are if they are for another benchmark"
            )
    return notes


def _write_workflow(writer: _Writer, service: Service, plan: Plan) -> list[str]:
    """Write the workflow.

    Returns:
        What is to be added by hand.
    """
    if service == "none":
        return []
    path, text, summary = workflow.GITHUB, workflow.github(plan), '"$GITHUB_STEP_SUMMARY"'
    if service == "gitlab":
        path, text, summary = workflow.GITLAB, workflow.gitlab(plan), ""
        there = writer.root / workflow.GITLAB
        configured = there.read_text("utf-8", "replace") if there.is_file() else ""
        if configured and not configured.startswith(workflow.HEADER):
            path = workflow.GITLAB_INCLUDED
            is_new = writer.write(path, text)
            missing = [] if path in configured else [f"add to {workflow.GITLAB}:", workflow.include(path)]
            return missing + ([] if is_new else _by_hand(path, plan, summary))
    return [] if writer.write(path, text) else _by_hand(path, plan, summary)


def _by_hand(path: str, plan: Plan, summary: str) -> list[str]:
    commands = [*plan.install, " ".join(plan.test(summary))]
    return [f"what {path} has to run, if it does not yet:", *(f"  {command}" for command in commands)]


def _red(document: Document, plan: Plan) -> list[str]:
    """Say what of a baseline is red, and what to do."""
    cases = [case for case in document.cases if case.verdict != "passed"]
    whole = [each for each in document.aggregates if each.verdict not in ("passed", "not evaluated")]
    if not cases and not whole:
        return [f"the baseline is green: {count(len(document.cases), 'score')}, and every gate is cleared"]
    judged = sum(each.verdict != "not evaluated" for each in document.aggregates)
    together = f" and {len(whole)} of {judged} aggregates" if judged else ""
    text = [
        f"the baseline is red: {len(cases)} of {len(document.cases)} scores{together} do not clear their gates.",
        "It is written all the same. A build asks for the floor and for no drop, and is red until the model clears the floor.",
    ]
    if entries := gates.remedy(document):
        text += [f"To ask for no drop alone, put this into {word(plan.gates)}:", "", entries, ""]
    if not any(case.gates for case in cases) and cases:
        text.append(cases[0].reason)
    return text


def _new_files(repository: Repository, found: FoundModel) -> list[str]:
    """List the files of a model that git does not keep yet; many of them as the one pattern they fit."""
    new = repository.untracked(found.files)
    if len(new) <= _LISTED:
        return new
    pattern = re.sub(r"\{[^{}]*\}", "*", found.options.spec).removesuffix(".onnx")
    return [pattern + kind for kind in BESIDE if any(path.endswith(kind) for path in new)]


def _next(repository: Repository, writer: _Writer, found: FoundModel, plan: Plan, has_baseline: bool) -> list[str]:
    """Say what to do next."""
    steps = [] if has_baseline else [("make the baseline, without which the workflow is red", " ".join(plan.save))]
    ours = [*writer.written, *writer.kept, *([] if has_baseline else [plan.baseline])]
    ignored = repository.ignored([*ours, *found.files])
    new = [path for path in ours if path not in ignored and path in {*repository.untracked(ours), plan.baseline}]
    if not repository.has_git:
        steps.append(("make this a repository", "git init"))
        new = [*ours, *found.files]
    steps += [
        ("give git what a build needs", command) for command in add([*new, *_new_files(repository, found)], ignored)
    ]
    steps += [
        ("what the workflow runs, here", f"{' '.join(plan.check)} --genbench-save={RESULTS}"),
        ("make a page of its results", f"genbench report {RESULTS}"),
        (
            "make them the baseline, when a change is meant",
            f"genbench compare {word(plan.baseline)} {RESULTS} --accept",
        ),
    ]
    return ["next:", *(f"  # {why}\n  {step}" for why, step in steps)]
