"""`pqexplore FILE…`: what a file is, one node of its tree, what a lens says, what is wrong, the explorer as a page."""

from __future__ import annotations

import argparse
import difflib
import os
from typing import TYPE_CHECKING

from pqexplore.cli import ask_options, check, files, html_page, keys, notebook_variables, views
from pqexplore.cli.out import DONE, Out, add_force, add_output
from pqexplore.cli.verbs import VERBS
from pqexplore.engine.errors import UsageError

if TYPE_CHECKING:
    from pqexplore.engine.file.file import ParquetFile

BYTES, ALL_BYTES = 64, 1 << 62
"""Bytes of a node that are printed, and a number that no node has."""

EPILOG = """\
An ADDRESS is a path of names and indexes, such as row_groups/0/columns/country/pages/2/values/17; what lies below a
node is printed with it. Also: country or columns/country (of all row groups), rows/172 (a row of the file),
rows/172/country (its value), @1234 (what owns this byte).

Exit status: 0 done, 1 --check found errors (with --strict: or warnings), 2 usage, 3 a file could not be read or
written. Notes never change it."""


def parser() -> argparse.ArgumentParser:
    """The arguments of `pqexplore` without a verb."""
    import pqexplore

    made = argparse.ArgumentParser(
        prog="pqexplore",
        usage="pqexplore [OPTIONS] FILE…\n       pqexplore VERB …",
        description=f"See a Parquet file down to the last bit.\n\n{_verbs()}",
        epilog=f"{_views()}\n\n{EPILOG}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    files.add_files(made)
    add_output(made)
    files.add_follow_outside(made)
    keys.add_options(made)
    made.add_argument("--at", metavar="ADDRESS", help="print one node: facts, first bytes, what lies below")
    made.add_argument("--view", metavar="VIEW", help="what a view says of the file, or of the node --at")
    made.add_argument("--children", type=int, default=40, metavar="N", help="how many nodes below --at prints (40)")
    made.add_argument(
        "--bytes", type=_count, default=None, metavar="N", help=f"how many bytes --at prints ({BYTES}), or: all"
    )
    made.add_argument("--check", action="store_true", help="look at every byte, and print what is wrong")
    made.add_argument(
        "--strict", action="store_true", help="with --check: exit status 1 for warnings, too, not for errors only"
    )
    ask_options.add_options(made)
    if notebook_variables.VARIABLES.get() is not None:
        shown = made.add_argument_group("the explorer in a notebook")
        shown.add_argument("--diff", metavar="SECOND", help="begin with what differs from SECOND")
        shown.add_argument("--what-if", action="store_true", help="begin with the sizes with other choices")
    made.add_argument("--html", metavar="PAGE", help="write the explorer as one self-contained page; - to print it")
    add_force(made)
    made.add_argument("--version", action="version", version=f"pqexplore {pqexplore.__version__}")
    return made


def _count(text: str) -> int:
    """A number of bytes, or `all`."""
    if text == "all":
        return ALL_BYTES
    if not text.isdecimal():
        raise argparse.ArgumentTypeError(f"{text!r} is neither a number of bytes nor all")
    return int(text)


def _verbs() -> str:
    from pqexplore.cli.verbs import VERBS

    rows = [f"  {verb.name:<10} {verb.summary}" for verb in VERBS.values()]
    return "\n".join(["verbs (pqexplore VERB --help has the arguments of each):", *rows])


def _views() -> str:
    from pqexplore.insight.questions import QUESTIONS

    rows = [f"  {name:<13} {question}" for name, question in QUESTIONS.items()]
    return "\n".join(["views, and the question that each answers:", *rows])


def run(words: list[str], out: Out) -> int:
    """Answer for each file. Returns the exit status."""
    options = parser()
    asked = options.parse_args(words)
    _check_verb(asked.file[0])
    if asked.html is not None and (len(asked.file) > 1 or asked.json or asked.check):
        options.error("--html takes one FILE, and neither --json nor --check")
    if asked.check and asked.at is not None:
        options.error("--check looks everywhere; --at does not go with it")
    if asked.strict and not asked.check:
        options.error("--strict goes with --check")
    if asked.bytes is not None and (asked.at is None or asked.view is not None):
        options.error("--bytes goes with --at")
    if asked.view is not None and asked.check:
        options.error("--view goes with --at, --json and --html")
    ask_options.check(options, asked)
    if asked.children < 0:
        options.error("--children is a number of nodes, 0 or more")
    if asked.html is not None:
        given = files.paths(asked.file, follow_outside=asked.follow_outside)
        if len(given) > 1:
            options.error(f"--html takes one FILE; {asked.file[0]} stands for {len(given):,}")
        html_page.require(asked, files.local_names(asked, *given))
        return files.each(asked, out, lambda file: _write_page(file, asked, out))
    if asked.where is not None:
        return ask_options.answer(asked, out)
    if asked.check:
        return check.run(asked, out)
    return files.each(asked, out, lambda file: _answer(file, asked, out))


def _check_verb(word: str) -> None:
    """UsageError for a word that is no file, and nearly a verb."""
    if (
        notebook_variables.variable(word) is not notebook_variables.MISSING
        or os.path.lexists(word)
        or not word.replace("-", "").isalpha()
    ):
        return
    close = difflib.get_close_matches(word, VERBS, 1, 0.7)
    if close:
        raise UsageError(f"there is no file {word}; did you mean `pqexplore {close[0]}`?")


def _answer(file: ParquetFile, asked: argparse.Namespace, out: Out) -> int:
    from pqexplore.insight import report

    if asked.view is not None:
        views.print_view(file, asked.view, asked.at or "", asked, out)
    elif asked.at is not None:
        from pqexplore.insight import places

        node = places.resolve(file, asked.at)
        if asked.json:
            from pqexplore.insight import document

            made = document.node_document(node, asked.children)
            if asked.bytes is not None:
                made["bytes"] = document.node_bytes(file, node, asked.bytes)
            out.document("node", document.about(file, node=made))
        else:
            out.lines(
                report.node_report(file, node, out.room, asked.children, BYTES if asked.bytes is None else asked.bytes)
            )
    elif asked.json:
        from pqexplore.insight import document

        out.document("file", document.file_document(file))
    else:
        out.lines(report.file_report(file, out.room))
    return DONE


def _write_page(file: ParquetFile, asked: argparse.Namespace, out: Out) -> int:
    from pqexplore.widget.explorer import explore

    where, engine = asked.where or "", asked.engine or "format"
    with html_page.writing(asked, [*file.local_names, *files.local_names(asked, *asked.file)], out) as write:
        explorer = explore(file, at=asked.at or "", view=asked.view, where=where, engine=engine)
        write(explorer.to_html())
    return DONE
