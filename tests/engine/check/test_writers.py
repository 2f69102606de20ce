"""Which writers are named for a fault of the footer, by their created_by."""

import pytest
from engine.check import forged

import pqexplore
from pqexplore.engine.check.writers import named
from pqexplore.engine.finding import Finding
from pqexplore.engine.format.thrift.structs import Encoding, Type
from pqexplore.engine.rule import Severity
from pqexplore.engine.writer import assembly

ABSENT = "dictionary-page-offset-absent"
MR = "a known fault of parquet-mr before 1.12.0 (PARQUET-1850)"
OFFSET = "row-group-file-offset"

# rule | created_by | what is known
WRITERS = [
    (ABSENT, "parquet-mr version 1.10.1 (build a89df8f9932b)", MR),
    (ABSENT, "parquet-mr version 1.5.0-cdh5.12.0-SNAPSHOT (build ${buildNumber})", MR),
    (ABSENT, "parquet-mr version 1.12.0 (build 690)", ""),
    (ABSENT, "parquet-mr-trino version 1.1", ""),
    (ABSENT, "parquet-mr", ""),
    (ABSENT, "a parquet-mr version 1.1", ""),
    (ABSENT, "Polars", "a known fault of polars before 1.39.0 (pola-rs/polars#26531)"),
    (ABSENT, "", ""),
    (ABSENT, None, ""),
    (ABSENT, "parquet-mr version " + "9" * 5000 + ".1", ""),
    (OFFSET, "parquet-mr version 1.12.0", "a known fault of parquet-mr before 1.12.1 from 1.12 on (PARQUET-2078)"),
    (OFFSET, "parquet-mr version 1.11.2", ""),
    (OFFSET, "parquet-cpp-arrow version 5.0.0", "a known fault of parquet-cpp-arrow before 6.0.0 (PARQUET-2089)"),
    (OFFSET, "parquet-cpp-arrow version 6.0.0", ""),
    (OFFSET, "parquet-cpp version 1.5.1-SNAPSHOT", "a known fault of parquet-cpp (PARQUET-2089)"),
    ("data-page-offset", "DuckDB", "a known fault of duckdb before 0.10.1 (duckdb/duckdb#10829)"),
    ("data-page-offset", "DuckDB version v1.1.1 (build af39bd0dcf)", ""),
    ("chunk-size-disagrees", "parquet-mr", "a known fault of parquet-mr before 1.2.9 (PARQUET-816)"),
    ("shape", "DuckDB", ""),
]


@pytest.mark.parametrize(("rule", "created_by", "expected"), WRITERS)
def test_the_writer_is_named_if_its_version_has_the_fault(rule, created_by, expected):
    finding = named(Finding(rule, "footer", "wrong", severity=Severity.PORTABILITY), created_by)
    assert finding.message == ("wrong" if not expected else f"wrong; {expected}")


@pytest.mark.parametrize(
    ("created_by", "ending"), [("parquet-mr version 1.11.0", MR), ("parquet-mr version 1.13.0", "the dictionary page")]
)
def test_a_finding_of_a_file_names_the_writer(created_by, ending):
    entries = assembly.dictionary_page(forged.encoded([1, 2]), 2)
    page = assembly.page_v1(b"\x01\x03\x02", 2, Encoding.RLE_DICTIONARY)
    offsets = {"dictionary_page_offset": None, "data_page_offset": 4}
    data = forged.one_column([entries, page], metadata=offsets, file={"created_by": created_by})
    with pqexplore.open(data) as file:
        (found,) = file.check()
    assert (found.rule, found.message.endswith(ending)) == (ABSENT, True)


def test_a_version_of_thousands_of_digits_is_no_version():
    statistics = forged.structs.Statistics(min=b"a", max=b"b")
    data = forged.one_column([forged.page([b"a", b"b"], Type.BYTE_ARRAY)], Type.BYTE_ARRAY,
        metadata={"statistics": statistics}, file={"created_by": "parquet-mr version " + "9" * 5000 + ".1.0"})  # fmt: skip
    (found,) = forged.findings(data)
    assert "the writer's version cannot be read" in found.message
