"""Schemas as text, and an answer in each of its forms, compared with `golden/`."""

import io
import json
from pathlib import Path

import pytest
from golden import same

import pqexplore
from pqexplore.engine.finding import Finding
from pqexplore.engine.rule import Severity
from pqexplore.engine.span import Span
from pqexplore.engine.writer.samples import write_sample
from pqexplore.insight import schema_text
from pqexplore.insight.answer import Answer, Column, Table
from pqexplore.insight.document import answer_document
from pqexplore.insight.report import answer_report

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
