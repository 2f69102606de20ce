"""Writes docs/rules.md: every rule of the doctor, from the records in pqexplore/insight/doctor/rules.

`tools/doctor_rules.py --check` only compares; a test runs it.
"""

from __future__ import annotations

import re
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from pqexplore.engine.rule import Severity
from pqexplore.insight.doctor.diagnose import diagnose
from pqexplore.insight.doctor.rule_text import READS
from pqexplore.insight.doctor.rules import ALL, LEVELS, RULES
from pqexplore.lake import scan
from pqexplore.lake.doctor.rules import RULES as LAKE_RULES
from pqexplore.lake.metadatastore.findings import RULES as STORE_RULES

if TYPE_CHECKING:
    from insight.doctor.doctor_cases import Case

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "rules.md"
sys.path.insert(0, str(ROOT / "tests"))  # the examples are those of the tests

HEAD = """\
# What the doctor looks for

`pqexplore doctor FILE` and `pqexplore.diagnose` apply these rules. A rule is only applied where the file's own evidence
supports it. At level `data`, what `f.check()` finds is added: what the specification forbids is damage, or, where a reader
that trusts the file returns wrong rows, "wrong answer possible".

This page is written by `tools/doctor_rules.py`.
"""

MANY = """\
`lake.diagnose()` and `pqexplore doctor FOLDER` apply the rules above to each file, add them up by rule, writer and date,
and compare the files of one table: those whose folders differ only in `key=value`, or that one Delta or Iceberg table
names. A file that cannot be read is the finding `file-unreadable` or, without a byte, `file-empty` (damage),
`file-needs-key` (note), or `file-not-read` (portability) if that says nothing about the file: it vanished, may not be
read, took too long; or `file-outside` (portability): a link or a log leads outside of the folder or table, and
`follow_outside` was not given. Schemas that differ are as bad as what engines make of them: `lake.drift()` says it for each.
"""

CHECK = """\
The records are in `pqexplore/engine/rules.py`. Some findings are less severe than their rule. In the JSON of `pqexplore
check`, damage and "wrong answer possible" are `error`, a note is `note`, and all else `warning`. The files that break a rule are
those of `tests/engine/check/violations`, where a near miss stands beside nearly each; what check() says of them is on a page of
its own of the site. The last column is empty for rules that have no file there.
"""


def page() -> str:
    """The page, as Markdown."""
    parts, examples = [HEAD], _examples()
    for severity in Severity:
        rules = [
            one for one in {**ALL, **RULES}.values() if one.severity is severity and (one.name in RULES or one.why)
        ]
        rules = [one for one in rules if one not in LAKE_RULES]
        if rules:
            parts.append(f"## {severity.value[:1].upper()}{severity.value[1:]}\n")
        for rule in sorted(rules, key=lambda one: LEVELS.index(one.level)):
            parts.append(f"### `{rule.name}`: {rule.title}\n")
            said = [rule.why]
            if rule.threshold:
                said.append(f"Threshold: {rule.threshold}")
            said.append(f"Level `{rule.level}` ({READS[rule.level]}).")
            if rule.source is not None:
                said.append(f"Source: [{rule.source.title}]({rule.source.url}).")
            parts.append("\n".join(said) + "\n")
            parts += [examples[rule.name]] if rule.name in examples else []
    parts.append("## Of many files together\n")
    parts.append(MANY)
    examples = _lake_examples()
    for one in LAKE_RULES:
        parts.append(f"### `{one.name}`: {one.title}\n")
        said = [one.why, f"Severity: {one.severity.value}."]
        if one.threshold:
            said.append(f"Threshold: {one.threshold}")
        if one.source is not None:
            said.append(f"Source: [{one.source.title}]({one.source.url}).")
        parts.append("\n".join(said) + "\n")
        parts.append(examples[one.name])
    parts.append("## Of `check()`\n")
    parts.append(CHECK)
    broken = _broken()
    parts.append("| rule | what it finds | severity | what it costs | a file that breaks it |\n|---|---|---|---|---|")
    every = {one.name: one for one in (*ALL.values(), *STORE_RULES) if one.violation}  # those of a Metadatastore, too
    checks = sorted(every.values(), key=lambda one: (one.severity.rank, one.name))
    for one in checks:
        example = broken.get(one.name, "").replace("|", "\\|")
        parts.append(f"| `{one.name}` | {one.title} | {one.severity.value} | {one.cost} | {example} |")
    return "\n".join(parts) + "\n"


def _examples() -> dict[str, str]:
    """By rule, how the files of its case are made, and what the doctor says of the first: the files of its test."""
    from insight.doctor.cases import CASES

    return {case.rule: _example(case) for case in reversed([one for one in CASES if one.made])}  # the first of a rule


def _example(case: Case) -> str:
    """A file that triggers a rule, what is said of it, and a file that does not."""
    findings = diagnose(case.make(), case.level).findings
    said = next(one.sentence for one in findings if one.rule == case.rule)
    return f"- Triggers it: {case.made} The doctor says: {_quoted(said)}\n- Does not: {case.spared}\n"


def _lake_examples() -> dict[str, str]:
    """By rule about many files, how its folder and its near miss are made, and what the doctor says of the folder."""
    from lake.rule_examples import EXAMPLES

    texts = {}
    for example in EXAMPLES:
        with tempfile.TemporaryDirectory() as scratch:
            example.plant(Path(scratch))
            findings = scan(None, scratch, processes=0).diagnose(processes=0).findings
        said = next(one.sentence for one in findings if one.rule == example.rule).replace(scratch, "lake")
        said = re.sub(r", since [0-9-]{10}(?=, written)", "", said)  # the day on which the page is written
        texts[example.rule] = (
            f"- Triggers it: {example.made} The doctor says: {_quoted(said)}\n- Does not: {example.spared}\n"
        )
    return texts


def _quoted(text: str) -> str:
    """A sentence in italics, of which nothing but names in backquotes is markup."""
    parts = text.split("`")
    parts[::2] = [re.sub(r"([\\*\[\]<>|$]|\b_|_\b)", r"\\\1", one) for one in parts[::2]]
    return f"*{'`'.join(parts)}*"


def _broken() -> dict[str, str]:
    """By rule of `check()`, the file that its test plants; a rule has several, of which this is the first."""
    from engine.check.test_violations import ROWS

    return {row.rule: row.name for row in reversed(ROWS.values())}


def main() -> int:
    """Write the page, or compare it. Returns the exit status."""
    if "--check" in sys.argv[1:]:
        return 0 if PAGE.read_text("utf-8") == page() else 1
    PAGE.write_text(page(), "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
