"""Writes docs/status.md: what we and other readers and writers do with each feature of the format, by running them.

`make status` runs it. The rows are in `status_rows`, what is asked of each in `status_measure`; the published table is in
`status_published.json`.
"""

from __future__ import annotations

import datetime
import platform
import re
from collections.abc import Iterator
from pathlib import Path

from status_measure import ENGINES, NO, NOT_RUN, NOTHING, SECONDS, WRONG, YES, Cell, Measured, measure
from status_rows import PUBLISHED, ROWS_BY_ID, THEMES

from pqexplore.insight.doctor.readers.run import MEMORY

PAGE = Path(__file__).resolve().parents[1] / "docs" / "status.md"

COLUMNS = {
    "pyarrow": "arrow",
    "DuckDB": "duckdb",
    "polars": "polars",
    "DataFusion": "arrow-rs",
    "Spark": "parquet-java",
}
"""The published table's column about the library inside an engine."""

PUBLISHED_WORDS = {"full": (YES, YES), "read": (YES, NO), "write": (NO, YES), "none": (NO, NO)}
"""Reading and writing, by the published table's word. The word for "no data" is not here."""

NOTES = {
    "VARIANT": "read as a value, or as a struct of `metadata` and `value`.",
    "RLE": "the levels of a column with nulls; BOOLEAN values as RLE have a row of their own below.",
    "Page index": "fastparquet gives other values when it filters the rows of a row group with several pages, with or without an index.",
    "Modular encryption": "one key for the footer and all columns. DuckDB writes it with `force_mbedtls_unsafe`, because "
    "its extension httpfs was not there. Spark takes keys from a key service only, so it was not run here.",
    "Parquet summary file": "Spark reads a data set with or without it, so it was not run.",
    'Row group "Sorting column" metadata': "DuckDB, polars and Spark do not say what they read of it; ❌ is about writing.",
    "IEEE 754 total order and NaN counts": "reading means that the reader gets past it.",
    "INT96 timestamp order": "reading means that the reader gets past it.",
    "Binary protocol extensions (field 32767)": "reading means that the reader gets past it.",
}
"""What is to be said of a row, by its name."""

HEAD = """\
# Implementation status, as measured

The specification's [implementation status]({page})
says what each implementation supports. This page has its rows, our column, and the columns of readers and writers that
were run for it. `make status` writes it.

- **Reading**: we write a small file with the feature. The reader must give the values that were written; their type may
  differ.
- **Writing**: the writer gets options and types that should make it use the feature. Our engine must find the feature in
  the bytes. A "no" means that none of the ways we tried has it.
- Page index, Bloom filter and statistics: a query asks for one value, and the pages that the feature excludes are broken.
  Only a reader that leaves them out can answer. Page checksum: the reader must refuse a page whose checksum is wrong.

| | |
|---|---|
| ✅ | reads it and writes it |
| (R) | only reads it |
| (W) | only writes it |
| ❌ | neither |
| ⚠️ | **reads wrong values, without an error**; ⚠️ (W) also writes it |
| · | nothing shows it from outside, or it was not run |

A row marked "reading" or "writing" has only this side; ✅ and ❌ are about it.

{versions}

Each run is a process of its own with {memory} GiB and {seconds} seconds; Spark's runs share one process, without these
limits. Measured on {date} with Python {python} on {system}.
"""


def symbol(cell: Cell) -> str:
    """A cell as the specification's legend has it, and a sign for wrong values."""
    if cell.reads == WRONG:
        return "⚠️ (W)" if cell.writes == YES else "⚠️"
    sides = [one for one in (cell.reads, cell.writes) if one not in (NOTHING, NOT_RUN)]
    if not sides:
        return "·"
    if len(sides) == 1 or cell.reads == cell.writes:
        return "✅" if sides[0] == YES else "❌"
    return "(R)" if cell.reads == YES else "(W)"


def title(id: str, name: str) -> str:
    """A row's name, with the only side that it has."""
    row = ROWS_BY_ID[id]
    one = "" if row.action and row.proof else " *(reading)*" if row.action else " *(writing)*"
    return f"{name}{one}"


def table(found: Measured, rows: dict[str, str]) -> Iterator[str]:
    """The table of a theme."""
    engines = ("pqexplore", *ENGINES)
    yield f"| | {' | '.join(f'**{one}**' if one == 'pqexplore' else one for one in engines)} |"
    yield f"|---|{':-:|' * len(engines)}"
    for id, name in rows.items():
        cells = (symbol(found.cells[id][one]) for one in engines)
        yield f"| {title(id, name)} | {' | '.join(cells)} |"


def silent(found: Measured) -> Iterator[str]:
    """Who gives wrong values without an error, and for which rows: nobody notices these."""
    for engine in ENGINES:
        names = [
            name for rows in THEMES.values() for id, name in rows.items() if found.cells[id][engine].reads == WRONG
        ]
        if names:
            yield f"- {engine}: {'; '.join(names)}"


def reasons(found: Measured, rows: dict[str, str]) -> Iterator[str]:
    """What was seen where a reader fails or a writer cannot, in a part that opens."""
    lines = []
    for id, name in rows.items():
        for engine in ENGINES:
            cell = found.cells[id][engine]
            for side, word, why in (("reading", cell.reads, cell.read_why), ("writing", cell.writes, cell.write_why)):
                # "It writes the values without it" is what ❌ and (R) already say.
                if why and not why.startswith("it writes the values"):
                    lines.append(f"- **{name}**, {engine}, {side}: {word}. {quoted(why)}")
    if lines:
        yield "<details><summary>What was seen</summary>\n"
        yield from lines
        yield "\n</details>"


def quoted(text: str) -> str:
    """Text of an engine as Markdown that shows it as it is, on one line, cut."""
    text = re.sub(r"\bId\(\d+\)", "Id(…)", text)  # the number of a task differs from run to run
    short = text if len(text) <= 200 else f"{text[:199]}…"
    return "`` " + short.replace("`", "'") + " ``"


def date(text: str) -> str:
    """An ISO date in words."""
    day = datetime.date.fromisoformat(text)
    return f"{day.day} {day:%B %Y}"


def differences(found: Measured) -> Iterator[tuple[str, str, str, str, str, str]]:
    """(row, engine, side, published, measured, what was seen) where the published table says otherwise."""
    for rows in PUBLISHED["themes"].values():
        for one in rows:
            for engine, column in COLUMNS.items():
                published = PUBLISHED_WORDS.get(one[column])
                cell = found.cells[one["id"]][engine]
                sides = (("reading", cell.reads, cell.read_why), ("writing", cell.writes, cell.write_why))
                for (side, word, why), said in zip(sides, published or (), strict=False):
                    if word not in (NOTHING, NOT_RUN, said):
                        yield one["name"], engine, side, said, word, why


def listed(found: Measured) -> Iterator[str]:
    """The part of the page about differences."""
    yield "## Differences to the published table\n"
    dates = {f"`{column}` {date(PUBLISHED['updated'][column])}" for column in COLUMNS.values()}
    yield (
        f"Compared with the data of [the published table]({PUBLISHED['source']}), as stored copies had it on "
        f"{date(PUBLISHED['retrieved'])}; its columns are dated {', '.join(sorted(dates))}. The published table is about a "
        "library with all of its features. We run what a Python user installs, so a difference can also mean that the "
        "package was built without the feature, or does not pass it on. Of statistics, page index and Bloom filter we "
        "see only whether a query uses them; the published table may mean that an API shows them."
    )
    every = list(differences(found))
    for engine, column in COLUMNS.items():
        own = [one for one in every if one[1] == engine]
        if not found.versions[engine]:
            yield f"\n### {engine} and `{column}`\n\n{engine} was not run."
            continue
        yield f"\n### {engine} {found.versions[engine]} and `{column}`: {len(own) or 'none'}\n"
        if own:
            yield "| | side | published | measured | what was seen |\n|---|---|---|---|---|"
        for name, _, side, said, word, why in own:
            text = quoted(why).replace("|", "\\|") if why else ""
            yield f"| {name} | {side} | {said} | **{word}** | {text} |"


def page(found: Measured) -> str:
    """The page, as Markdown."""
    versions = ["| | version | `created_by` of its files | published column |", "|---|---|---|---|"]
    for engine, version in found.versions.items():
        column = f"`{COLUMNS[engine]}`" if engine in COLUMNS else ""
        creator = quoted(found.created_by[engine]) if found.created_by[engine] else ""
        versions.append(f"| {engine} | {version or 'not installed: not run'} | {creator} | {column} |")
    today = datetime.datetime.now(datetime.UTC).date().isoformat()
    parts = [
        HEAD.format(
            page=PUBLISHED["page"], versions="\n".join(versions), memory=MEMORY >> 30,
            seconds=SECONDS, date=date(today),
            python=platform.python_version(), system=f"{platform.system()} ({platform.machine()})",
        )
    ]  # fmt: skip
    wrong = list(silent(found))
    if wrong:
        parts.append("## Wrong values, without an error\n")
        parts.append("\n".join(wrong) + "\n")
    for theme, rows in THEMES.items():
        parts.append(f"## {theme}\n")
        parts.append("\n".join(table(found, rows)) + "\n")
        notes = [f"- **{name}**: {NOTES[name]}" for name in rows.values() if name in NOTES]
        parts += ["\n".join(notes) + "\n"] if notes else []
        why = "\n".join(reasons(found, rows))
        parts += [why + "\n"] if why else []
    parts.append("\n".join(listed(found)))
    return "\n".join(parts) + "\n"


def main() -> None:
    """Measure all, and write the page."""
    PAGE.write_text(page(measure()), "utf-8")


if __name__ == "__main__":
    main()
