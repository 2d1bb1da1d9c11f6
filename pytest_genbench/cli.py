"""The ``genbench`` command: inspect a model, export or show a split, compare or report runs, merge shards, set up a repository."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TypeAlias

from . import __version__
from .errors import GenbenchError

OK, FAILED, USAGE, INTERRUPTED = 0, 1, 2, 130
"""Exit statuses: all is well; a model, comparison or gate is not; the command could not do what was asked; Ctrl-C."""


_Commands: TypeAlias = "argparse._SubParsersAction[argparse.ArgumentParser]"


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command.

    Args:
        argv: Arguments without the program's name; None for those of the process.

    Returns:
        The exit status: 0 where all is well, 1 where a model is unusable, a score regressed or a gate failed, 2 where the
        command could not do what was asked, 130 where it was interrupted.
    """
    parser = _parser()
    arguments, rest = parser.parse_known_args(argv)
    # After an option argparse takes no more of a list of files that began before it.
    if rest and (not hasattr(arguments, "documents") or any(text.startswith("-") for text in rest)):
        parser.error(f"unrecognized arguments: {' '.join(rest)}")
    if rest:
        arguments.documents += map(Path, rest)
    try:
        status: int = arguments.run(arguments)
    except GenbenchError as error:
        print(f"genbench: {error}", file=sys.stderr)
        return USAGE
    except KeyboardInterrupt:
        print("genbench: interrupted", file=sys.stderr)
        return INTERRUPTED
    except BrokenPipeError:
        # The reader of a pipe, such as head, has seen enough.
        sys.stderr.close()
        return OK
    return status


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="genbench", description="Tools around pytest-genbench.")
    parser.add_argument("--version", action="version", version=f"pytest-genbench {__version__}")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    for add in (
        _inspect_command,
        _export_command,
        _show_command,
        _compare_command,
        _report_command,
        _merge_command,
        _init_command,
    ):
        add(commands)
    return parser


def _inspect_command(commands: _Commands) -> None:
    command = commands.add_parser("inspect", help="say what a model takes and offers, and probe it; exit 1 if unusable")
    command.add_argument("model", help="an .onnx file (may hold {split}) or module:factory")
    command.add_argument("--weights", help="weights of a module:factory model")
    command.add_argument("--device", default="auto", help="auto, cpu, cuda, cuda:1")
    command.add_argument("--contract", action="append", default=[], metavar="KEY=VALUE", help="what is not declared")
    command.add_argument("--trust-model", action="store_true", help="load formats that can run code")
    command.add_argument("--benchmark", help="also say which tasks of this benchmark it can take part in")
    command.set_defaults(run=_inspect)


def _export_command(commands: _Commands) -> None:
    command = commands.add_parser("export", help="write a split's training set to a folder, to train a model elsewhere")
    command.add_argument("benchmark", help="name of a benchmark, or a description of your own data (.toml)")
    command.add_argument("split", help="slug or id of a split, such as compositional-B5")
    command.add_argument("--out", type=Path, required=True, metavar="DIR", help="folder to write; must be new or empty")
    command.add_argument("--preset", metavar="NAME", help="the benchmark's preset, if not its default")
    command.add_argument("--data", type=Path, metavar="DIR", help="folder of the publishers' data files")
    command.add_argument(
        "--problems",
        type=number_of_problems,
        metavar="N",
        help="problems that are also drawn and described one by one, where a benchmark has problems (default: 20)",
    )
    command.add_argument(
        "--no-validation", action="store_true", help="leave out what is set apart to choose by, where there is any"
    )
    command.set_defaults(run=_export)


def _show_command(commands: _Commands) -> None:
    command = commands.add_parser(
        "show", help="list a benchmark's factors and splits; or describe a split, and draw it"
    )
    command.add_argument("benchmark", help="name of a benchmark, or a description of your own data (.toml)")
    command.add_argument("split", nargs="?", help="slug or id of a split")
    command.add_argument("--preset", metavar="NAME", help="the benchmark's preset, if not its default")
    command.add_argument("--data", type=Path, metavar="DIR", help="folder of the publishers' data files")
    command.add_argument(
        "--out",
        type=Path,
        metavar="FILE",
        help="PNG file to write: training images beside those that are held out; must not exist",
    )
    command.set_defaults(run=_show)


def _compare_command(commands: _Commands) -> None:
    command = commands.add_parser(
        "compare",
        help="compare two results documents, exit 1 on a regression; or the models of several; or a folder over time",
    )
    command.add_argument(
        "documents",
        type=Path,
        nargs="+",
        metavar="FILE",
        help="the old and the new one; or more, which are then models to be set side by side; or one folder of documents",
    )
    command.add_argument("--models", action="store_true", help="set two documents side by side as models, too")
    command.add_argument(
        "--against", metavar="NAME", help="model, or its file, to hold the others against (default: the first)"
    )
    command.add_argument(
        "--accept",
        action="store_true",
        help="then write what the new one found into the old one; exit 0 also on a regression",
    )
    command.add_argument(
        "--tolerance", type=tolerance, default=0.005, help="smallest drop that matters (default: 0.005)"
    )
    command.add_argument("--all", action="store_true", help="list every score, also those that stayed the same")
    command.add_argument("--markdown", action="store_true", help="print a Markdown table")
    command.set_defaults(run=_compare)


def _report_command(commands: _Commands) -> None:
    command = commands.add_parser(
        "report", help="write results as an HTML page; of several documents a comparison, of a folder their trends"
    )
    command.add_argument(
        "documents", type=Path, nargs="+", metavar="FILE", help="results documents, or one folder of them"
    )
    command.add_argument("--out", type=Path, default=Path("report.html"), help="page to write (default: report.html)")
    command.add_argument(
        "--baseline", type=Path, metavar="FILE", help="document whose scores stand beside those of one"
    )
    command.add_argument(
        "--against",
        default="",
        metavar="NAME",
        help="model, or its file, to hold the others against (default: the first)",
    )
    command.add_argument("--data", type=Path, metavar="DIR", help="folder of the publishers' data files, for pictures")
    command.add_argument(
        "--own",
        type=Path,
        action="append",
        default=[],
        metavar="FILE",
        help="description of your own data (.toml), for pictures",
    )
    command.set_defaults(run=_report)


def _merge_command(commands: _Commands) -> None:
    command = commands.add_parser("merge", help="join results of shards and judge the whole; exit 1 if a gate fails")
    command.add_argument("documents", type=Path, nargs="+", metavar="FILE")
    command.add_argument("--out", type=Path, required=True, help="file to write; must not exist")
    command.add_argument("--markdown", action="store_true", help="print Markdown")
    command.add_argument("--allow-mixed", action="store_true", help="join results of different models")
    command.add_argument("--gates", type=Path, help="gates file, looked up before the shipped gates")
    command.set_defaults(run=_merge)


def _init_command(commands: _Commands) -> None:
    command = commands.add_parser(
        "init", help="write a CI workflow, a gates file and a first baseline into a repository"
    )
    command.add_argument(
        "folder", type=Path, nargs="?", default=Path(), help="a folder of the repository (default: this one)"
    )
    command.add_argument(
        "--model", metavar="SPEC", help="what --genbench-model takes (default: the model that is found)"
    )
    command.add_argument(
        "--suite", action="append", default=[], metavar="NAME", help="default: those the model takes part in"
    )
    command.add_argument("--ci", choices=("github", "gitlab", "none"), help="default: the service that is found")
    command.add_argument("--no-baseline", action="store_true", help="do not run the suites for a first baseline")
    command.add_argument("--dry-run", action="store_true", help="show what would be written, and write nothing")
    command.set_defaults(run=_init)


def number_of_problems(text: str) -> int:
    """Parse how many problems to draw; argparse puts this function's name into its message."""
    if not text.isdecimal():
        raise argparse.ArgumentTypeError(f"expected a whole number, 0 for none; got {text}")
    return int(text)


def tolerance(text: str) -> float:
    """Parse an allowed drop; argparse puts this function's name into its message."""
    value = float(text)
    if not 0 <= value < 1:
        raise argparse.ArgumentTypeError(f"expected a number from 0 to below 1; got {text}")
    return value


def _inspect(arguments: argparse.Namespace) -> int:
    from .models import ModelOptions
    from .models.declaration import parse_pairs
    from .models.inspect import inspect
    from .threads import per_process

    options = ModelOptions(
        spec=arguments.model,
        weights=arguments.weights,
        device=arguments.device,
        trust=arguments.trust_model,
        overrides=parse_pairs(arguments.contract, "--contract"),
        threads=per_process(),
        root=Path.cwd(),
    )
    text, usable = inspect(options, arguments.benchmark)
    print(text)
    return OK if usable else FAILED


def _export(arguments: argparse.Namespace) -> int:
    from tqdm import tqdm

    from .benchmarks import noun, registry
    from .export import describe, export

    benchmark = registry.get(arguments.benchmark, arguments.preset, arguments.data)
    split = registry.find_split(benchmark, arguments.split)
    # None: shown on a terminal only.
    unit = noun(benchmark.image_shape).removesuffix("s")
    with tqdm(total=0, unit=unit, disable=None, leave=False) as bar:

        def advance(done: int, total: int) -> None:
            bar.total = total
            bar.update(done - bar.n)

        manifest = export(
            benchmark,
            split,
            arguments.out,
            advance,
            problems=arguments.problems,
            validation=not arguments.no_validation,
        )
    print(describe(manifest, arguments.out))
    return OK


def _show(arguments: argparse.Namespace) -> int:
    from . import show
    from .benchmarks import registry

    if arguments.out:
        show.check(arguments.out)
    benchmark = registry.get(arguments.benchmark, arguments.preset, arguments.data)
    if not arguments.split:
        print(show.benchmark(benchmark))
        if arguments.out:
            print(show.overview(benchmark, arguments.out))
        return OK
    split = registry.find_split(benchmark, arguments.split)
    print(show.split(benchmark, split))
    if arguments.out:
        print(show.sheet(benchmark, split, arguments.out))
    return OK


def _compare(arguments: argparse.Namespace) -> int:
    from .errors import OptionError

    paths = arguments.documents
    are_models = len(paths) > 2 or arguments.models
    if arguments.accept and (are_models or arguments.against or len(paths) < 2 or any(path.is_dir() for path in paths)):
        raise OptionError("--accept takes two documents, the baseline and the run that is to take its place.")
    if any(path.is_dir() for path in paths):
        if len(paths) > 1 or are_models or arguments.against:
            raise OptionError("A folder of documents is shown by itself, over time; name no other documents or models.")
        return _compare_folder(arguments)
    if len(paths) < 2:
        raise OptionError(f"{paths[0]}: name a second document to compare it with, or a folder of documents.")
    if are_models or arguments.against:
        from .results.models import compare_models

        text, status = compare_models(paths, markdown=arguments.markdown, against=arguments.against or "")
        print(text)
        return status
    shown = {"tolerance": arguments.tolerance, "markdown": arguments.markdown, "everything": arguments.all}
    if arguments.accept:
        from .results.accept import accept

        print(accept(*paths, **shown))
        return OK
    from .results.compare import compare_files

    text, status = compare_files(*paths, **shown)
    print(text)
    return status


def _compare_folder(arguments: argparse.Namespace) -> int:
    from .results.trends import BLOCKS, compare_folder

    plain = False
    try:
        BLOCKS.encode(sys.stdout.encoding or "ascii")
    except UnicodeEncodeError:
        plain = True
    text, status = compare_folder(
        arguments.documents[0], tolerance=arguments.tolerance, markdown=arguments.markdown, plain=plain
    )
    print(text)
    return status


def _report(arguments: argparse.Namespace) -> int:
    from .report.write import write_report

    text = write_report(
        arguments.documents,
        arguments.out,
        arguments.baseline,
        against=arguments.against,
        own=arguments.own,
        data=arguments.data,
    )
    print(text)
    return OK


def _init(arguments: argparse.Namespace) -> int:
    from .init import init

    return init(
        arguments.folder,
        model=arguments.model,
        suites=arguments.suite,
        service=arguments.ci,
        with_baseline=not arguments.no_baseline,
        dry=arguments.dry_run,
    )


def _merge(arguments: argparse.Namespace) -> int:
    from .errors import DocumentError
    from .gates import judge_document, load
    from .report import markdown, text
    from .report.tables import verdict_line
    from .results.io import check_writable, read, write
    from .results.merge import merge
    from .session.suites import foreign_gates

    if arguments.out.exists():
        raise DocumentError(f"{arguments.out} exists already; choose another file for --out.")
    check_writable(arguments.out)
    documents = [read(path) for path in arguments.documents]
    gates = load(arguments.gates, foreign_gates())
    merged = judge_document(merge(documents, allow_mixed=arguments.allow_mixed), gates)
    write(arguments.out, merged)
    if arguments.markdown:
        print(markdown.summary(merged), end="")
    else:
        print("\n".join(line.text for line in text.summary(merged)))
    _, green = verdict_line(merged)
    complete = all(each.verdict != "not evaluated" for each in merged.aggregates)
    return OK if green and complete else FAILED


if __name__ == "__main__":
    sys.exit(main())
