"""Variants that other writers wrote: parquet-testing's cases, and one data set in Spark's shreddings."""

import json
import re

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from needs import needs_pyarrow

from pqexplore.engine.errors import CorruptFileError
from pqexplore.engine.format.variant import metadata, value_spans
from pqexplore.engine.format.variant.check import check
from pqexplore.engine.format.variant.decode import decode, decode_array, from_parts
from pqexplore.engine.format.variant.json_text import json_text, to_json
from pqexplore.engine.format.variant.proposal import propose_schema
from pqexplore.engine.format.variant.reconstruct import reconstruct
from pqexplore.engine.format.variant.shred import shred

pytestmark = needs_pyarrow(22, "it refuses files with VARIANT, and reads them for these tests")


def storage(path, name):
    column = pq.ParquetFile(path).read().column(name).combine_chunks()
    return getattr(column, "storage", column)


def test_shredded_variants_equal_their_expected_bytes(corpus):
    compared = 0
    for blob in sorted((corpus / "apache__parquet-testing/shredded_variant").glob("*.variant.bin")):
        stem, row = re.fullmatch(r"(.*)_row-(\d+)\.variant\.bin", blob.name).groups()
        column = storage(blob.with_name(f"{stem}.parquet"), "var")
        found = reconstruct(column)[int(row)].as_py()
        expected = decode(*metadata.split(blob.read_bytes()))
        assert repr(decode(found["metadata"], found["value"])) == repr(expected), blob.name
        compared += 1
    assert compared >= 67


BROKEN_RULES = {
    "case-040": {"value-and-typed-value"},
    "case-042": {"value-and-typed-value"},
    "case-084-INVALID": {"required-field"},
    "case-128": {"value-not-object"},
}


def test_only_the_invalid_cases_break_rules(corpus):
    files = sorted((corpus / "apache__parquet-testing/shredded_variant").glob("*.parquet"))
    broken = {f.stem: {p.rule for p in check(storage(f, "var"))} for f in files}
    assert {name: rules for name, rules in broken.items() if rules} == BROKEN_RULES


@pytest.mark.parametrize("case", ["case-040", "case-042"])
def test_cases_that_must_fail(corpus, case):
    column = storage(corpus / f"apache__parquet-testing/shredded_variant/{case}.parquet", "var")
    with pytest.raises(CorruptFileError, match="both a value and a typed_value"):
        reconstruct(column)


OWN_SPELLING = ("primitive_time", "primitive_timestamp_nanos", "primitive_float")
"""Values that data_dictionary.json does not write as Spark's to_json does."""


def test_binary_examples(corpus):
    folder = corpus / "apache__parquet-testing/variant"
    expected = json.loads((folder / "data_dictionary.json").read_text())
    for path in sorted(folder.glob("*.value")):
        known, value = path.with_suffix(".metadata").read_bytes(), path.read_bytes()
        assert repr(from_parts(value_spans.read_value(known, value))) == repr(decode(known, value))
        if path.stem not in expected or path.stem in OWN_SPELLING:
            continue
        assert json.loads(to_json(known, value)) == expected[path.stem], path.stem


def test_a_negative_dictionary_size(corpus):
    found = sorted(corpus.glob("**/variant_negative_dict_size.parquet"))
    assert found
    table = pq.ParquetFile(found[0]).read()
    name = next(f.name for f in table.schema if "struct" in str(f.type) or "variant" in str(f.type))
    with pytest.raises(CorruptFileError, match="announces 4,294,967,295 strings"):
        reconstruct(storage(found[0], name))


SPARK = [
    "variant_unshredded", "variant_noinfer", "variant_default_homogeneous", "variant_forced_shredding",
    "variant_noannotation",
]  # fmt: skip


def test_spark_wrote_one_data_set_in_several_shreddings(corpus):
    """Unshredded, shredded by inference and by decree: the same 2,000 values."""
    texts = []
    for name in SPARK:
        [path] = (corpus / "spark-samples" / name).glob("*.parquet")
        table = pq.ParquetFile(path).read()
        column = storage(path, "v")
        assert check(column) == []
        rows = zip(table.column("id").to_pylist(), decode_array(reconstruct(column)))
        texts.append({key: json_text(value) for key, value in rows})
    assert len(texts[0]) == 2_000
    assert texts[0][0] == '{"amt":0.25,"event":"e0","tags":["x","y"],"ts":1700000000,"user":{"id":0,"name":"u0"}}'
    assert all(text == texts[0] for text in texts)


def test_values_that_do_not_fit_sparks_shredding(corpus):
    [path] = (corpus / "spark-samples/variant_forced_mismatch").glob("*.parquet")
    column = storage(path, "v")
    assert check(column) == []
    values = decode_array(reconstruct(column))
    assert {type(v) for v in values} >= {dict, list}
    again = shred(reconstruct(column), pa.struct([("b", pa.string())]))
    assert decode_array(reconstruct(again)) == values


def test_shredding_anew(corpus):
    [path] = (corpus / "spark-samples/variant_unshredded").glob("*.parquet")
    column = reconstruct(storage(path, "v"))
    schema = propose_schema(column)
    assert schema.field("user").type == pa.struct([("id", pa.int64()), ("name", pa.string())])
    shredded = shred(column, schema)
    assert check(shredded) == []
    assert shredded.field("value").null_count == len(column)
    assert decode_array(reconstruct(shredded)) == decode_array(column)
