"""Schemas as text, and an answer in each of its forms, compared with `golden/`."""

import io
import json
from pathlib import Path

import pytest
from golden import plain, same
from insight.lenses.test_golden import opened

import pqexplore
from pqexplore.engine.finding import Finding
from pqexplore.engine.rule import Severity
from pqexplore.engine.span import Span
from pqexplore.engine.writer.samples import write_sample
from pqexplore.insight import schema_text, wire
from pqexplore.insight.answer import Answer, Column, Table
from pqexplore.insight.document import answer_document, file_document
from pqexplore.insight.features import features
from pqexplore.insight.report import answer_report, file_report

GOLDEN = Path(__file__).parent / "golden"
SAMPLES = ("events", "everything", "nested", "geography", "variant", "legacy-lists", "page-index")


@pytest.mark.parametrize("name", SAMPLES)
def test_the_schema_of_a_sample(name):
    """As the specification writes it, as Arrow and Spark have it, and as a table of SQL."""
    out = io.BytesIO()
    write_sample(name, out)
    with pqexplore.open(out.getvalue()) as file:
        source, schema = schema_text.arrow(file)
        by, spark = schema_text.spark(file)
        lines = [*schema_text.message(file.schema), f"Arrow: {source}", *(f"{one.name}: {one.type}" for one in schema)]
        lines += [f"Spark: {by}", *(f"{column}: {kind}" for column, kind in spark), *schema_text.sql(file, "odd name")]
    same(GOLDEN / f"schema-{name}.txt", "\n".join(lines) + "\n")


def answer():
    table = Table(
        [Column("name", "name"), Column("size", "bytes", "bytes"), Column("part", "share", "share")], "two chunks", 7
    )
    table.add("a", 1_000, 0.25, address="row_groups/0/columns/0", span=Span(4, 1_004))
    table.add("b\x1b", None, None)
    found = (Finding("checksum", message="A page is bad.", severity=Severity.DAMAGE),)
    return Answer("One of two is large.", table=table, findings=found, code="f.check()", lens="page")


def test_an_answer_in_each_of_its_forms():
    """For a terminal, as HTML, Markdown, JSON and `repr`: what a terminal obeys is escaped in all but JSON."""
    made = answer()
    forms = {
        "terminal": "\n".join(answer_report(made, 100)),
        "HTML": made._repr_html_(),
        "Markdown": made._repr_markdown_(),
        "JSON": json.dumps(answer_document(made), indent=1),
        "repr": f"{made!r}\n{made.table!r}",
    }
    same(GOLDEN / "answer.txt", "".join(f"== {name}\n{text}\n\n" for name, text in forms.items()))


@pytest.mark.parametrize(
    "name", ["tags", "ranges", "notes", "decimals", "no statistics", "locked", "locked without keys"]
)
def test_the_text_about_a_file_and_what_it_has(name):
    """At 100 columns: counts, columns, row groups, key-values, bytes; and each feature with the columns that lack it."""
    file = opened(name)
    lines = [*file_report(file, 100), "== features", *(plain(wire.encode(one)) for one in features(file))]
    same(GOLDEN / f"file-{name.replace(' ', '-')}.txt", "\n".join(lines) + "\n")


@pytest.mark.parametrize("name", ["notes", "decimals", "locked without keys"])
def test_the_document_about_a_file(name):
    same(GOLDEN / f"document-{name.replace(' ', '-')}.txt", plain(file_document(opened(name))) + "\n")
