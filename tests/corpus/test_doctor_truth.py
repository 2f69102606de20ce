"""Findings of damage and of possible wrong answers on files that we did not write: an independent reading says the same.

`CONFIRM` has a function for each rule, which reads with `plain_reader`, in few lines, or with pyarrow. Every such finding
on a file of `FAULTY` is confirmed; `make test-full` looks whether any other file of the corpus has one.
"""

import base64
import csv
import dataclasses
import json

import pytest
from corpus.confirmations import CONFIRM
from corpus.plain_reader import Plain

import pqexplore
from pqexplore.engine.errors import ParquetError
from pqexplore.engine.format.encryption.keys import LocalKms
from pqexplore.engine.rule import Severity

FAULTY = {
    "LibertyDSNP__parquetjs/examples/server/public/files/fruits.parquet": "page-index page-rows-disagree page-statistics-bound statistics-bound",
    "apache__drill/exec/java-exec/src/test/resources/parquet/dict_dec.parquet": "row-group-file-offset",
    "apache__impala/testdata/bad_parquet_data/dict-encoded-negative-len.parq": "unreadable",
    "apache__impala/testdata/bad_parquet_data/illegal_decimals.parq": "annotation statistics-damaged unreadable",
    "apache__impala/testdata/data/alltypes_agg_bitpacked_def_levels.parquet": "known-writer-defect-in-pages",
    "apache__impala/testdata/data/alltypes_empty_pages.parquet": "offset-index-disagrees page-index-length",
    "apache__impala/testdata/data/bad_codec.parquet": "unsupported",
    "apache__impala/testdata/data/bad_compressed_dict_page_size.parquet": "unreadable",
    "apache__impala/testdata/data/bad_rle_literal_count.parquet": "unreadable",
    "apache__impala/testdata/data/huge_num_rows.parquet": "rows-disagree",
    "apache__parquet-testing/bad_data/ARROW-GH-41317.parquet": "path-disagrees unreadable",
    "apache__parquet-testing/bad_data/ARROW-GH-41321.parquet": "unreadable",
    "apache__parquet-testing/bad_data/ARROW-GH-47662.parquet": "unreadable",
    "apache__parquet-testing/bad_data/ARROW-RS-GH-6229-DICTHEADER.parquet": "overlap unreadable",
    "apache__parquet-testing/bad_data/PARQUET-1481.parquet": "unsupported",
    "apache__parquet-testing/data/datapage_v1-corrupt-checksum.parquet": "crc-mismatch null-page-disagrees page-index",
    "apache__parquet-testing/data/datapage_v1-uncompressed-checksum.parquet": "null-page-disagrees page-index",
    "apache__parquet-testing/data/geospatial/geography-lines.parquet": "geospatial-box-disagrees",
    "apache__parquet-testing/data/geospatial/geography-polygons.parquet": "geospatial-box-disagrees",
    "apache__parquet-testing/data/incorrect_map_schema.parquet": "map-key-optional",
    "apache__parquet-testing/data/lz4_raw_compressed.parquet": "row-group-file-offset",
    "apache__parquet-testing/data/nation.dict-malformed.parquet": "chunk-size-disagrees",
    "apache__parquet-testing/data/non_hadoop_lz4_compressed.parquet": "row-group-file-offset",
    "apache__parquet-testing/data/repeated_no_annotation.parquet": "row-count-disagrees",
    "apache__parquet-testing/shredded_variant/case-040.parquet": "variant-value-and-typed-value",
    "apache__parquet-testing/shredded_variant/case-042.parquet": "variant-value-and-typed-value",
    "apache__parquet-testing/shredded_variant/case-084-INVALID.parquet": "variant-required-field",
    "apache__parquet-testing/shredded_variant/case-128.parquet": "variant-value-not-object",
    "dask__fastparquet/test-data/map-test.snappy.parquet": "known-writer-defect-shown",
    "dask__fastparquet/test-data/multi_rgs_pyarrow/b=hi/a97cc141d16f4014a59e5b234dddf07c.parquet": "row-group-file-offset",
    "dask__fastparquet/test-data/multi_rgs_pyarrow/b=lo/01bc139247874a0aa9e0e541f2eec497.parquet": "row-group-file-offset",
    "dask__fastparquet/test-data/test-map-last-row-split.parquet": "known-writer-defect-shown",
    "duckdb__duckdb/data/parquet-testing/afl/1.parquet": "unreadable",
    "duckdb__duckdb/data/parquet-testing/afl/3.parquet": "unreadable",
    "duckdb__duckdb/data/parquet-testing/bloom_filter_bad_numbytes.parquet": "unreadable",
    "duckdb__duckdb/data/parquet-testing/broken/broken_date.parquet": "annotation unreadable",
    "duckdb__duckdb/data/parquet-testing/broken/broken_ubigint.parquet": "annotation",
    "duckdb__duckdb/data/parquet-testing/broken/duckdb_fuzzer_4384.parquet": "unreadable",
    "duckdb__duckdb/data/parquet-testing/broken/fuzzer4360.parquet": "unreadable",
    "duckdb__duckdb/data/parquet-testing/broken/issue22325_datapage_v2_negative_def_levels.parquet": "unreadable",
    "duckdb__duckdb/data/parquet-testing/invalid_utf8_dlba.parquet": "not-utf8",
    "duckdb__duckdb/data/parquet-testing/rle_malicious_bitwidth.parquet": "unreadable",
    "dvirtz__vscode-parquet-viewer/test/workspace/parquet/version_2.parquet": "distinct-count-disagrees",
    "facebookincubator__velox/velox/dwio/parquet/tests/examples/array_of_array1.parquet": "row-group-file-offset",
    "facebookincubator__velox/velox/dwio/parquet/tests/examples/date.parquet": "row-group-file-offset",
    "facebookincubator__velox/velox/dwio/parquet/tests/examples/int.parquet": "row-group-file-offset",
    "facebookincubator__velox/velox/dwio/parquet/tests/examples/parquet-251.parquet": "known-writer-defect-shown",
    "facebookincubator__velox/velox/dwio/parquet/tests/examples/row_map_array.parquet": "map-key-optional",
    "facebookincubator__velox/velox/dwio/parquet/tests/examples/sample.parquet": "row-group-file-offset",
    "facebookincubator__velox/velox/dwio/parquet/tests/examples/zero_offset_row_group.parquet": "distinct-count-disagrees",
    "hangxie__parquet-tools/testdata/all-types.parquet": "first-row-disagrees page-index-length",
    "hangxie__parquet-tools/testdata/crc32.parquet": "page-rows-disagree",
    "hangxie__parquet-tools/testdata/csv-nested.parquet": "null-page-unmarked",
    "hangxie__parquet-tools/testdata/csv-optional.parquet": "null-page-unmarked",
    "hangxie__parquet-tools/testdata/csv-repeated.parquet": "null-page-unmarked",
    "hangxie__parquet-tools/testdata/data-page-v2.parquet": "page-rows-disagree",
    "hangxie__parquet-tools/testdata/dict-page.parquet": "page-index-length",
    "hangxie__parquet-tools/testdata/gostruct-list.parquet": "null-page-unmarked",
    "hangxie__parquet-tools/testdata/int96-nil-min-max.parquet": "null-page-unmarked page-index-length",
    "hangxie__parquet-tools/testdata/map-composite-value.parquet": "first-row-disagrees offset-index-disagrees",
    "hangxie__parquet-tools/testdata/map-value-map.parquet": "first-row-disagrees",
    "hangxie__parquet-tools/testdata/nan.parquet": "column-index-of-nans",
    "hangxie__parquet-tools/testdata/nil-statistics.parquet": "offset-index-disagrees page-index-length",
    "hangxie__parquet-tools/testdata/optional-fields.parquet": "null-page-unmarked",
    "hangxie__parquet-tools/testdata/pargo-prefix-nested.parquet": "first-row-disagrees",
    "hangxie__parquet-tools/testdata/retype.parquet": "first-row-disagrees null-page-unmarked",
    "hangxie__parquet-tools/testdata/sorting-col.parquet": "not-sorted offset-index-disagrees page-index-length",
    "hangxie__parquet-tools/testdata/unknown-type.parquet": "null-page-unmarked",
    "hardwood-hq__hardwood/core/src/test/resources/compat_chunk_path_swapped.parquet": "path-disagrees",
    "hardwood-hq__hardwood/core/src/test/resources/delta_byte_array_test.parquet": "unencoded-bytes-disagree",
    "hardwood-hq__hardwood/core/src/test/resources/filter_pushdown_int_lying_stats.parquet": "statistics-bound statistics-exactness",
    "hardwood-hq__hardwood/core/src/test/resources/geography_algorithm.parquet": "geometry-damaged",
    "hardwood-hq__hardwood/core/src/test/resources/geospatial_e2e_test.parquet": "geospatial-box-of-nothing",
    "hardwood-hq__hardwood/core/src/test/resources/geospatial_stats_bbox_only.parquet": "geospatial-statistics",
    "hardwood-hq__hardwood/core/src/test/resources/geospatial_stats_types_only.parquet": "geospatial-statistics",
    "hardwood-hq__hardwood/core/src/test/resources/legacy_converted_types_test.parquet": "page-statistics-inverted statistics-inverted",
    "hardwood-hq__hardwood/core/src/test/resources/list_float16_test.parquet": "page-statistics-bound statistics-bound",
    "hardwood-hq__hardwood/core/src/test/resources/map_key_only_test.parquet": "column-orders-length",
    "hardwood-hq__hardwood/core/src/test/resources/negative_data_page_offset.parquet": "unreadable",
    "hardwood-hq__hardwood/core/src/test/resources/typed_accessors_issue_445.parquet": "page-statistics-inverted statistics-inverted",
    "hardwood-hq__hardwood/core/src/test/resources/variant_negative_dict_size.parquet": "variant-metadata",
    "jorgecarleitao__parquet2/parquet-tools/data/sample.parquet": "row-group-file-offset",
    "ktrueda__parquet-tools/tests/000000_0": "row-group-file-offset",
    "parquet-go__parquet-go/testdata/malformed/negative_page_size.parquet": "unreadable",
    "r-lib__nanoparquet/tests/testthat/data/repeated_primitive_no_list_no_nest.parquet": "unreadable",
    "rapidsai__cudf/python/cudf/cudf/tests/data/parquet/delta_encoding.parquet": "unsupported",
    "rapidsai__cudf/python/cudf/cudf/tests/data/parquet/invalid-snappy.parquet": "unreadable",
}
"""The files with such findings, and the rules of these."""

OF_READERS = ("readers-change-values", "names-differ-in-case")
"""Rules about what readers make of a file that is right (tests/insight/doctor/test_readers_run.py)."""

UNOPENED = 7
"""Files of the corpus that have no footer, so they do not open."""

NOT_BY_EVIDENCE = {
    "geospatial-statistics", "map-key-optional", "page-index", "statistics-damaged", "unreadable", "unsupported", "variant-required-field",
}  # fmt: skip
"""Rules that are confirmed by their sentence or by their place, not by their evidence."""


def findings_of(path, **options):
    """What is wrong, each place of a fault by itself."""
    return [each for one in pqexplore.diagnose(path, "data", **options).findings for each in one.each]


def severe(findings):
    """The findings that say damage, or that a wrong answer is possible; what readers do is confirmed by running them."""
    return [one for one in findings if one.severity in (Severity.DAMAGE, Severity.WRONG) and one.rule not in OF_READERS]


@pytest.fixture(scope="module")
def found(corpus):
    """All findings on the files of the table, by path."""
    return {path: findings_of(corpus / path) for path in FAULTY}


@pytest.mark.parametrize("path", FAULTY)
def test_an_independent_reading_says_the_same(corpus, found, path):
    file, rules = Plain((corpus / path).read_bytes()), set(FAULTY[path].split())
    assert {one.rule for one in severe(found[path])} <= rules <= {one.rule for one in found[path]}
    for one in found[path]:
        if one.rule in rules:
            said, read = CONFIRM[one.rule](file, one)
            assert said == read, f"{one}: {read}"


def test_many_findings_of_many_rules_are_confirmed(found, record_property):
    every = [one for findings in found.values() for one in severe(findings)]
    assert len(every) >= 100 and len({(one.rule, one.address) for one in every}) >= 100
    assert {rule for rules in FAULTY.values() for rule in rules.split()} == set(CONFIRM)
    record_property(
        "stated", f"doctor: {len(every)} findings of {len(CONFIRM)} rules on {len(found)} files of others are confirmed"
    )


def other(value):
    """Another value of the same type."""
    if isinstance(value, list):
        return [other(one) for one in value]
    return {bool: lambda: not value, int: lambda: value + 1, str: lambda: f"{value}x"}.get(
        type(value), lambda: b"other"
    )()


@pytest.mark.parametrize("rule", sorted(CONFIRM.keys() - NOT_BY_EVIDENCE))
def test_other_evidence_is_not_confirmed(corpus, found, rule):
    path, one = next((path, one) for path in found for one in found[path] if one.rule == rule)
    changed = {name: other(value) for name, value in one.evidence.items()}
    try:
        said, read = CONFIRM[rule](Plain((corpus / path).read_bytes()), dataclasses.replace(one, evidence=changed))
    except (AssertionError, LookupError):
        return
    assert said != read


def test_a_fault_is_listed_once(found):
    for path, findings in found.items():
        places = [(one.rule, one.address) for one in findings]
        assert len(places) == len(set(places)), path


def decryptions(corpus):
    """The keys of the encrypted files, by path or by folder; see the corpus' README."""
    published = json.loads((corpus / "keys.json").read_text())
    services = json.loads((corpus / "keys-samples.json").read_text())
    made = {
        path: pqexplore.Decryption(
            footer_key=bytes.fromhex(keys["footer_key_hex"]),
            column_keys={name: bytes.fromhex(key) for name, key in (keys["column_keys_hex"] or {}).items()},
            aad_prefix=keys["aad_prefix"].encode() if keys["aad_prefix"] else None,
        )
        for path, keys in published.items()
    }
    for folder, service in services.items():
        secrets = service["master_keys_base64"].items()
        kms = LocalKms({name: base64.b64decode(secret) for name, secret in secrets})
        made[folder] = pqexplore.Decryption(kms=kms)
    return made


@pytest.mark.full
def test_no_other_file_has_such_findings(corpus):
    with (corpus / "catalog.csv").open(newline="") as catalog:
        paths = {row["path"] for row in csv.DictReader(catalog)}
    others = [path for path in corpus.rglob("*.parquet") if path.is_file()]
    paths.update(path.relative_to(corpus).as_posix() for path in others)
    keys, unopened, locked, wrong = decryptions(corpus), [], [], {}
    for path in sorted(paths.difference(FAULTY)):
        decryption = keys.get(path) or keys.get(path.split("/")[0])
        try:
            findings = findings_of(corpus / path, decryption=decryption)
        except ParquetError:
            unopened.append(path)
            continue
        locked += [path for one in findings if one.rule == "locked"]
        if severe(findings):
            wrong[path] = [str(one) for one in severe(findings)]
    assert wrong == {}
    assert len(unopened) == UNOPENED
    assert locked == []
