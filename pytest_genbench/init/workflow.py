"""The workflow of a service, as text: GitHub Actions and GitLab CI."""

from __future__ import annotations

from collections.abc import Iterable

from .plan import CACHE, JUNIT, REPORT, RESULTS, Plan
from .words import lines, scalar

HEADER = "# Written by genbench init, which will not write over it: change what you like."

GITHUB = ".github/workflows/genbench.yml"
GITLAB, GITLAB_INCLUDED = ".gitlab-ci.yml", ".gitlab/genbench.yml"


def github(plan: Plan) -> str:
    """Write a workflow for GitHub Actions."""
    steps = [
        *_step("uses: actions/checkout@v4", ["with:", "  lfs: true"] if plan.is_lfs else []),
        *_step("uses: actions/setup-python@v5", ["with:", f'  python-version: "{plan.python}"']),
        *_install(plan),
        *(_restore(plan) if plan.is_trained else []),
        *_step("name: Test", ["run: >-", *_indented(lines(plan.test('"$GITHUB_STEP_SUMMARY"')))]),
        *(_keep() if plan.is_trained else []),
        *_step(
            "uses: actions/upload-artifact@v4",
            ["if: always()", "with:", "  name: genbench", "  path: |", *_indented((REPORT, RESULTS, JUNIT), 4)],
        ),
    ]
    return "\n".join([HEADER, *_GITHUB.format(branch=_pattern(plan.branch)).splitlines(), *_indented(steps, 6), ""])


_GITHUB = """\
name: generalisation

on:
  push:
    branches: [{branch}]
  pull_request:

permissions:
  contents: read

# A later push to a pull request ends the run of the one before it.
concurrency:
  group: ${{{{ github.workflow }}}}-${{{{ github.ref }}}}
  cancel-in-progress: ${{{{ github.event_name == 'pull_request' }}}}

jobs:
  genbench:
    runs-on: ubuntu-latest
    steps:"""


def gitlab(plan: Plan) -> str:
    """Write a job for GitLab CI, which can stand alone or be included."""
    cached = [".cache/pip", *([CACHE] if plan.is_trained else [])]
    head = [
        HEADER,
        "genbench:",
        "  stage: test",
        f"  image: python:{plan.python}",
        "  rules:",
        '    - if: $CI_PIPELINE_SOURCE == "merge_request_event"',
        "    - if: $CI_COMMIT_BRANCH == $CI_DEFAULT_BRANCH",
        "  interruptible: true",
        "  variables:",
        "    PIP_CACHE_DIR: $CI_PROJECT_DIR/.cache/pip",
        "  cache:",
        "    key: genbench",
        "    when: always",
        "    paths:",
        *(f"      - {path}" for path in cached),
        "  before_script:",
        *(f"    - {command}" for command in plan.install),
        *([f"    # {_left_out(plan)}"] if _left_out(plan) else []),
        "  script:",
        "    - >-",
        *_indented(lines(plan.test()), 6),
        "  artifacts:",
        "    when: always",
        "    expose_as: genbench",
        "    paths:",
        *(f"      - {path}" for path in (REPORT, RESULTS)),
        "    reports:",
        f"      junit: {JUNIT}",
    ]
    return "\n".join([*head, ""])


def include(path: str) -> str:
    """Return what a GitLab configuration has to say to include another."""
    return f"include:\n  - local: {path}"


def _step(first: str, rest: Iterable[str]) -> list[str]:
    return [f"- {first}", *_indented(rest)]


def _install(plan: Plan) -> list[str]:
    note = [f"# {_left_out(plan)}"] if _left_out(plan) else []
    first, *more = plan.install
    if not more:
        return [*note, *_step("name: Install", [f"run: {first}"])]
    return [*note, *_step("name: Install", ["run: |", *_indented((first, *more))])]


def _left_out(plan: Plan) -> str:
    """Say why the project is not installed, where there is one."""
    if not plan.project or plan.is_code:
        return ""
    return f"The model is a file, which needs nothing of the project; if your tests do: {plan.project}"


def _restore(plan: Plan) -> list[str]:
    # The run's number makes each key a new one: a cache is never written over, and what was trained is found by its content.
    start = "genbench-${{ runner.os }}-"
    code = "${{ hashFiles('**/*.py') }}-" if plan.is_code else ""
    older = [start + code, start] if code else [start]
    return _step(
        "uses: actions/cache/restore@v4",
        [
            "id: cache",
            "with:",
            f"  path: {CACHE}",
            f"  key: {start}{code}${{{{ github.run_id }}}}",
            "  restore-keys: |",
            *_indented(older, 4),
        ],
    )


def _keep() -> list[str]:
    comment = "# Also where a gate is red: what was trained need not be trained again."
    key = "  key: ${{ steps.cache.outputs.cache-primary-key }}"
    step = _step("uses: actions/cache/save@v4", ["if: always()", "with:", f"  path: {CACHE}", key])
    return [comment, *step]


def _indented(rows: Iterable[str], by: int = 2) -> list[str]:
    return [" " * by + row for row in rows]


def _pattern(branch: str) -> str:
    """Write a branch as a pattern that fits it alone: some characters that git allows mean something there."""
    return scalar("".join(f"\\{c}" if c in "+!]" else c for c in branch))
