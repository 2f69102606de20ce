"""`pqexplore check FILE…`: looks at every byte, and says what is wrong."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import TYPE_CHECKING

from pqexplore.cli import files
from pqexplore.cli.out import DONE, FOUND, Out
from pqexplore.engine.rule import RULES

if TYPE_CHECKING:
    from pqexplore.engine.file.file import ParquetFile
    from pqexplore.engine.finding import Finding

DESCRIPTION = """\
Look at every byte of each FILE, and print what is wrong: the most severe first, each with its address."""


def add_options(made: argparse.ArgumentParser) -> None:
    """Add the arguments of the verb that are its own."""
    made.add_argument("--strict", action="store_true", help="exit status 1 for warnings, too")


def run(asked: argparse.Namespace, out: Out) -> int:
    """Run the verb. Returns the exit status."""
    return files.each(asked, out, lambda file: print_check(file, asked, out))


def print_check(file: ParquetFile, asked: argparse.Namespace, out: Out) -> int:
    """Look at every byte, and print what is wrong. Returns the exit status."""
    from pqexplore.insight.doctor.checked import worst_first

    findings = worst_first(file.check())
    out.kept.append(findings)
    _print_findings(file, findings, asked, out)
    failing = ("error", "warning") if asked.strict else ("error",)
    stopped = asked.strict and any(RULES[one.rule].incomplete for one in findings)
    return FOUND if stopped or any(one.severity.level in failing for one in findings) else DONE


def _print_findings(file: ParquetFile, findings: Sequence[Finding], asked: argparse.Namespace, out: Out) -> None:
    from pqexplore.insight import document, report
    from pqexplore.insight.wording import plural

    if asked.json:
        made = [document.finding_document(one) for one in findings]
        out.document("findings", document.about(file, findings=made))
        return
    out.say(f"{file.name}: {plural(len(findings), 'finding') if findings else 'no problems found'}")
    out.lines(report.findings_report(findings, out.room, file))
