"""`pqexplore check FILE…`: looks at every byte, and says what is wrong."""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from pqexplore.cli import files, linting
from pqexplore.cli.out import FOUND, Out
from pqexplore.engine.rule import DATA, RULES

if TYPE_CHECKING:
    from pqexplore.engine.check.file_check import Counted
    from pqexplore.engine.file.file import ParquetFile
    from pqexplore.engine.finding import Finding

DESCRIPTION = """\
Look at every byte of each FILE, and print what is wrong: the most severe first, each with its address."""


def add_options(made: argparse.ArgumentParser) -> None:
    """Add the arguments of the verb that are its own."""
    linting.add_options(made, "exit status 1 for warnings, too, and if a part could not be checked")


class Checked(NamedTuple):
    """What `check()` says of a file, as the formats of other tools take it."""

    name: str
    findings: Sequence[Finding]


def run(asked: argparse.Namespace, out: Out) -> int:
    """Run the verb. Returns the exit status."""
    lint = linting.linting(asked)
    status = files.each(asked, out, lambda file: print_check(file, asked, out, lint), apart=lint.form == linting.TEXT)
    lint.finish(out)
    return status


def print_check(file: ParquetFile, asked: argparse.Namespace, out: Out, lint: linting.Linting) -> int:
    """Look at every byte, and print what is wrong. Returns the exit status."""
    from pqexplore.engine.check.file_check import noted
    from pqexplore.insight.doctor.check_findings import worst_first

    counted = noted(file)
    every = worst_first(file.findings)
    findings, others = lint.selection.split(every)
    out.kept.append(findings)
    if lint.form in (linting.TEXT, linting.JSON):
        _print_findings(file, counted, findings, others, linting.others_line(others, every), asked, out)
    else:
        lint.report(out, Checked(file.name, findings))
    stopped = asked.strict and any(RULES[one.rule].incomplete for one in findings)
    return FOUND if stopped else lint.status(findings)


def _print_findings(
    file: ParquetFile,
    counted: Counted,
    findings: Sequence[Finding],
    others: Mapping[str, int],
    others_line: str,
    asked: argparse.Namespace,
    out: Out,
) -> None:
    from pqexplore.insight import document, report
    from pqexplore.insight.doctor.verdict import Looked, sound
    from pqexplore.insight.terminal import indented
    from pqexplore.insight.wording import plural

    if asked.json:
        made = [document.finding_document(one, file) for one in findings]
        left_out = {"others": dict(others)} if others else {}
        out.document("findings", document.about(file, findings=made, **left_out))
        return
    looked = Looked(DATA, counted.pages, counted.pages, checksums=counted.checksums)
    nothing = sound(looked, others=bool(others))
    out.say(f"{file.name}: {plural(len(findings), 'finding') if findings else nothing[0].lower() + nothing[1:]}")
    out.lines(report.findings_report(findings, out.room, file))
    if others:
        out.lines(indented(others_line, out.room, 2))
