"""Read the project's pages: code blocks, commands with the exit status they promise, links and headings."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
PAGES = [ROOT / "README.md", *sorted(DOCS.glob("*.md"))]

_FENCE = re.compile(r"^( *)(```+)(.*)$")
_TITLE = re.compile(r'title="([^"]+)"')
_STATUS = re.compile(r"#\s*exit status (\d+)")
_ASSIGNMENT = re.compile(r"[A-Za-z_]\w*=.*")


@dataclass(frozen=True)
class Block:
    """A code block.

    Attributes:
        language: What the fence says; ``bash`` for an indented block, which is how a README may write a command.
        text: The lines, without the indentation they share.
        title: The name of the file it is, as in ``python title="nets.py"``; may be empty.
        line: Number of the line on which it starts.
    """

    language: str
    text: str
    title: str
    line: int


@dataclass(frozen=True)
class Command:
    """A line of a ``bash`` block.

    Attributes:
        text: The command; lines that end with a backslash are joined.
        status: The exit status it promises. It is 0, unless the line after the command is the comment ``# exit status N``.
        line: Number of its line on the page.
    """

    text: str
    status: int
    line: int


def blocks(text: str) -> list[Block]:
    """Find the fenced blocks and the indented ones, in order."""
    found: list[Block] = []
    lines = text.splitlines()
    number, after_blank = 0, True
    while number < len(lines):
        line = lines[number]
        if (fence := _FENCE.match(line)) is not None:
            start, (margin, marks, info) = number + 1, fence.groups()
            number = start
            while lines[number].strip() != marks:
                number += 1
            body = [each.removeprefix(margin) for each in lines[start:number]]
            found.append(_block(info, body, start))
        elif after_blank and line.startswith("    ") and not line.lstrip().startswith(("-", "*")):
            start = number
            while number < len(lines) and lines[number].startswith("    "):
                number += 1
            found.append(_block("bash", [each[4:] for each in lines[start:number]], start))
            number -= 1
        after_blank = not line.strip()
        number += 1
    return found


def _block(info: str, body: list[str], line: int) -> Block:
    title = _TITLE.search(info)
    return Block(info.split()[0] if info.split() else "", "\n".join(body) + "\n", title[1] if title else "", line)


def commands(block: Block) -> Iterator[Command]:
    """Yield the commands of a ``bash`` block."""
    lines = block.text.splitlines()
    number = 0
    while number < len(lines):
        start, text = number, lines[number].rstrip()
        while text.endswith("\\"):
            number += 1
            text = text[:-1].rstrip() + " " + lines[number].strip()
        number += 1
        if not text.strip() or text.lstrip().startswith("#"):
            continue
        promise = _STATUS.fullmatch(lines[number].strip()) if number < len(lines) else None
        yield Command(text, int(promise[1]) if promise else 0, block.line + start + 1)


def parts(command: str) -> list[str]:
    """Split a command at ``&&``, respecting quotes."""
    found: list[list[str]] = [[]]
    for word in _words(command):
        if word == "&&":
            found.append([])
        else:
            found[-1].append(word)
    return [" ".join(words) for words in found]


def program(command: str) -> str:
    """Name the program that a command starts, past assignments to variables: ``pytest``, ``pip install``."""
    words = [word for word in shlex.split(command, comments=True) if not _ASSIGNMENT.fullmatch(word)]
    return " ".join(words[:2]) if words[0] in ("pip", "git") else words[0]


def extras(command: str) -> list[str]:
    """List the extras that a ``pip install`` asks for: ``pip install -e '.[torch,xdist]'`` -> torch, xdist."""
    return [name.strip() for group in re.findall(r"\[([^\]]+)\]", command) for name in group.split(",")]


def _words(command: str) -> list[str]:
    """Split at spaces, leaving quotes where they are."""
    lexer = shlex.shlex(command, posix=False)
    lexer.whitespace_split = True
    lexer.commenters = ""
    return list(lexer)


def links(text: str) -> list[str]:
    """List the targets of links that stay within the project, outside of code."""
    prose = re.sub(r"(?ms)^ *```.*?^ *```", "", text)
    targets = re.findall(r"\[[^\]]*\]\(([^)\s]+)\)", re.sub(r"`[^`\n]*`", "", prose))
    return [target for target in targets if not re.match(r"[a-z]+:", target)]


def spans(text: str) -> list[str]:
    """List what stands between backticks in running text; a line break in it is a space."""
    prose = re.sub(r"(?ms)^ *```.*?^ *```$", "", text)
    found = re.findall(r"(?s)(?<!`)(`+)(?!`)(.+?)(?<!`)\1(?!`)", prose)
    return [" ".join(inner.split()) for _, inner in found]


def commands_in_text(text: str) -> list[str]:
    """List the commands among these: a program of ours, or that runs or installs it, with at least one argument."""
    is_command = re.compile(r"(genbench|pytest|python|pip install) \S.*")
    return [span for span in spans(text) if is_command.fullmatch(span) and span != "genbench results"]


def anchors(text: str) -> set[str]:
    """Make the anchors of a page's headings, as GitHub does."""
    prose = re.sub(r"(?ms)^ *```.*?^ *```", "", text)
    headings = re.findall(r"(?m)^#+ +(.+)$", prose)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).strip().replace(" ", "-") for heading in headings}


def steps(workflow: str) -> list[str]:
    """List the commands under ``run:`` of a workflow file: plain, or folded with ``>-``, or line by line with ``|``."""
    found: list[str] = []
    lines = workflow.splitlines()
    for number, line in enumerate(lines):
        run = re.match(r"^( *)(- )?run: *(.*)$", line)
        if run is None:
            continue
        margin = len(run[1]) + len(run[2] or "")
        inner = []
        for later in lines[number + 1 :]:
            if later.strip() and len(later) - len(later.lstrip()) <= margin:
                break
            inner.append(later.strip())
        if run[3] in (">-", ">"):
            found.append(" ".join(filter(None, inner)))
        elif run[3] == "|":
            found += filter(None, inner)
        else:
            found.append(run[3])
    return found
