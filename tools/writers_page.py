"""Writes docs/writers.md: the writers, their marks and their known defects, from pqexplore/insight/writers.

`tools/writers_page.py --check` only compares; a test runs it.
"""

from __future__ import annotations

import sys
from pathlib import Path

from pqexplore.insight.writers.defect import Defect
from pqexplore.insight.writers.defects import DEFECTS
from pqexplore.insight.writers.fingerprint import FAMILIES, MEASURED, MISNAMED, PRINTS
from pqexplore.insight.writers.known import BUILDS, BUILDS_BY_FOURTH, BY_NAME, LIBRARIES, PROGRAMS

PAGE = Path(__file__).resolve().parents[1] / "docs" / "writers.md"

HEAD = """\
# Who writes Parquet files, and what they do wrong

`report.writer` of `pqexplore.diagnose` says who wrote a file. The doctor shows the defects below where the bytes of a file
show them. That a version is known for a defect is no proof that a file has it: where the bytes do not tell, it is a note.

This page is written by `tools/writers_page.py`.

## Writers, by created_by

An application is compared whole, in lower case and without a language in brackets. One application has several writers:
`parquet-go` with the version "latest" is xitongsys', without a version Fraugster's, and from version 6 on Arrow Go's;
`parquet-mr` from version 2 on is Velox.

| writer | made by | `created_by` begins with |
|---|---|---|
"""

MARKS = """\

A Parquet Java version tells who built it ({builds}). Keys of the key-value metadata tell the program that
used the library ({programs}).

## Writers, by their marks

If `created_by` is missing or empty, the footer is compared with what writers fill in and leave out. A writer is named only
if all of its marks are there, and not those of another; else it is not known. {families} use the code of another writer,
and bear its marks.

Measured on {files} files of public test data, with their `created_by` hidden: {right} of them are named rightly, {wrong}
wrongly ({precision:.1f} % of those that are named are right), and the others not at all. A writer that is not in this
table can bear the marks of one that is.

| writer | files | named | marks | versions that the marks tell |
|---|---|---|---|---|
"""

DEFECT_HEAD = """
## Known defects

"Seen" says what shows the defect: the footer, page headers and indexes, or a finding of `f.check()`.

| writer | versions | what is wrong | who is hurt | severity | seen | source |
|---|---|---|---|---|---|---|
"""


def page() -> str:
    """The page, as Markdown."""
    parts = [HEAD]
    for one in sorted(LIBRARIES, key=lambda one: one.title.lower()):
        if one.applications:
            names = ", ".join(f"`{name}`" for name in one.applications)
            title = f"[{one.title}]({one.url})" if one.url else one.title
            parts.append(f"| {title} | {one.vendor} | {names} |\n")
    right = sum(named for _, named in MEASURED.values())
    parts.append(
        MARKS.format(
            builds=", ".join([*(name for _, name in BUILDS), *BUILDS_BY_FOURTH.values()]),
            programs=", ".join(dict.fromkeys(name for _, name, _ in PROGRAMS)),
            families=", ".join(BY_NAME[name].title for name in FAMILIES),
            files=f"{sum(files for files, _ in MEASURED.values()):,}",
            right=f"{right:,}",
            wrong=MISNAMED,
            precision=100 * right / (right + MISNAMED),
        )
    )
    for mark in PRINTS:
        files, named = MEASURED[mark.library]
        marks = "; ".join(each.words for each in mark.marks)
        versions = ", ".join(words for words, _ in mark.versions)
        title = BY_NAME[mark.library].title
        parts.append(f"| {title} | {files} | {named} | {marks} | {versions} |\n")
    parts.append(DEFECT_HEAD)
    order = {one.name: index for index, one in enumerate(LIBRARIES)}
    for defect in sorted(DEFECTS, key=lambda one: (order[one.library], one.severity.rank)):
        source = f"[{defect.name}]({defect.url})"
        versions = f"{defect.versions}, {defect.built_by}".removesuffix(", ")
        parts.append(
            f"| {BY_NAME[defect.library].title} | {versions} | {defect.what} | {defect.hurts} | {defect.severity.value} "
            f"| {_seen(defect)} | {source} |\n"
        )
    return "".join(parts)


def _seen(defect: Defect) -> str:
    own = [] if defect.test is None else ["pages" if defect.pages else "footer"]
    return ", ".join(own + ["check"] * defect.checked) or "no test is known"


def main() -> int:
    """Write the page, or compare it. Returns the exit status."""
    if "--check" in sys.argv[1:]:
        return 0 if PAGE.read_text("utf-8") == page() else 1
    PAGE.write_text(page(), "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
