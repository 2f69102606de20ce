"""JSON: every document fits docs/json.schema.json; enums have names, bounds are decoded beside their bytes."""

import json
import re
from pathlib import Path

import made
import pyarrow as pa
import pytest
from json_schema import SCHEMA, fits, misfits
from made import open_sample
from quick import quick

import pqexplore
from pqexplore.engine.errors import ParquetError, UsageError
from pqexplore.engine.writer.samples import SAMPLES, SICK
from pqexplore.insight import document
from pqexplore.insight.across import has_table
from pqexplore.insight.lenses import LENSES
from pqexplore.insight.trouble import describe

FEW = ("events", "variant-shredded", "bloom-filter", "encrypted", "sick-page", "float-order", "codecs", "geospatial")  # fmt: skip


@pytest.mark.parametrize("name", quick([one for one in FEW if one in {**SAMPLES, **SICK}], "bloom-filter", "encrypted"))
def test_documents_of_a_file_fit_the_schema(name):
    file = open_sample(name, keys=False)
    fits("file", document.file_document(file))
    found = [document.finding_document(one) for one in file.check()]
    fits("findings", document.about(file, findings=found))
    queue = [file.root]
    for node in queue[:40]:
        fits("node", document.about(file, node=document.node_document(node, 5)))
        try:
            queue += node.children[:4]
        except ParquetError:
            continue
    for lens in (*filter(has_table, ("levels", *LENSES)), "overview", "facts"):
        try:
            answer = document.answer_document(file.view(lens))
            fits("answer", document.about(file, address="", answer=answer))
        except (ParquetError, UsageError) as error:
            fits("error", document.about(file, error=describe(error)))


def test_an_unknown_codec_keeps_its_number():
    data = made.rebuilt(made.parquet(pa.table({"n": [1]})), row_groups__0__columns__0__meta_data__codec=99)
    found = fits("file", document.file_document(pqexplore.open(data)))
    assert found["row_groups"][0]["columns"][0]["struct"]["meta_data"]["codec"] == "UNKNOWN(99)"


def test_key_value_metadata_is_whole_and_decoded():
    table = pa.table({"n": [1]}).replace_schema_metadata({"note": "x" * 9_000, "geo": '{"version"', "own": '[1, {"a": 2}]'})  # fmt: skip
    found = fits("file", document.file_document(pqexplore.open(made.parquet(table))))
    pairs = {one["key"]: one for one in found["key_value_metadata"]}
    assert pairs["note"]["value"] == "x" * 9_000 and pairs["note"]["content"] is None
    assert pairs["own"]["content"] == [1, {"a": 2}]
    assert "not valid JSON" in pairs["geo"]["problem"]
    assert pairs["ARROW:schema"]["content"] == [{"name": "n", "type": "int64", "nullable": True}]
    assert pairs["ARROW:schema"]["disagreements"] == []


def test_a_column_that_has_the_name_of_a_member_keeps_its_values():
    file = pqexplore.open(made.parquet(pa.table({"span": [7], "address": ["x"]})))
    answer = document.answer_document(file.view("rows"))
    found = fits("answer", document.about(file, address="", answer=answer))["answer"]
    assert found["rows"][0]["span [0]"] == 7 and found["rows"][0]["address [1]"] == "x"


@pytest.mark.parametrize("kind, wrong, said", [
    ("bytes", {"hex": "0g"}, "does not match"),
    ("span", {"start": 1, "end": "2", "space": "file"}, "$.end is '2', not integer"),
    ("span", {"start": True, "end": 2, "space": "file"}, "$.start is True"),
    ("span", {"start": 1, "end": 2}, "$ lacks space"),
    ("error", {"type": "", "message": "", "address": None, "offset": None, "x": 1}, "has x"),
    ("file_document", {"version": 2}, "$.version is 2, not 1"),
])  # fmt: skip
def test_the_comparison_sees_what_does_not_fit(kind, wrong, said):
    assert any(said in one for one in misfits({"$ref": f"#/$defs/{kind}"}, wrong))


def test_the_page_about_json_shows_what_is_written():
    text = (Path(__file__).resolve().parents[2] / "docs" / "json.md").read_text("utf-8")
    shown = json.loads(re.search(r"```json\n(.*?)```", text, re.S)[1])
    assert list(misfits({"$ref": "#/$defs/chunk"}, shown)) == []
    assert all(f"`{name}`" in text for name in SCHEMA["$defs"]["file_document"]["required"][3:])
