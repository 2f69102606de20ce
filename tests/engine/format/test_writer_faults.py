"""Which writers are named for a fault, by their created_by."""

import pytest
from engine.check import forged

import pqexplore
from pqexplore.engine.format.thrift.structs import Encoding
from pqexplore.engine.format.writer_faults import FAULTS, known_fault
from pqexplore.engine.writer import assembly

ABSENT = "dictionary-page-offset-absent"
MR = "parquet-mr before 1.12.0 writes this (PARQUET-1850)"
OFFSET = "row-group-file-offset"

# rule | created_by | what is known
WRITERS = [
    (ABSENT, "parquet-mr version 1.10.1 (build a89df8f9932b)", MR),
    (ABSENT, "parquet-mr version 1.5.0-cdh5.12.0-SNAPSHOT (build ${buildNumber})", MR),
    (ABSENT, "parquet-mr version 1.12.0-SNAPSHOT (build 690)", MR),
    (ABSENT, "parquet-mr version 1.12.0 (build 690)", ""),
    (ABSENT, "parquet-mr version 1.12.0-databricks-0003 (build 690)", ""),
    (ABSENT, "parquet-mr-trino version 1.1", ""),
    (ABSENT, "parquet-mr", ""),
    (ABSENT, "a parquet-mr version 1.1", ""),
    (ABSENT, "Polars", "Polars before 1.39.0 writes this (polars#26531)"),
    (ABSENT, "", ""),
    (ABSENT, None, ""),
    (ABSENT, "parquet-mr version " + "9" * 5000, ""),
    (
        OFFSET,
        "parquet-mr version 1.12.0",
        "parquet-mr from 1.12.0 before 1.12.1 writes this (PARQUET-2078)",
    ),
    (OFFSET, "parquet-mr version 1.11.2", ""),
    (
        OFFSET,
        "parquet-cpp-arrow version 5.0.0",
        "parquet-cpp-arrow before 6.0.0 writes this (PARQUET-2089)",
    ),
    (OFFSET, "parquet-cpp-arrow version 6.0.0", ""),
    (OFFSET, "parquet-cpp version 1.5.1-SNAPSHOT", "parquet-cpp writes this (PARQUET-2089)"),
    ("data-page-offset", "DuckDB", "DuckDB before 0.10.1 writes this (duckdb#10829)"),
    ("data-page-offset", "DuckDB version v1.1.1 (build af39bd0dcf)", ""),
    ("shape", "DuckDB", ""),
]


@pytest.mark.parametrize(("rule", "created_by", "expected"), WRITERS)
def test_the_writer_is_named_if_its_version_has_the_fault(rule, created_by, expected):
    assert known_fault(rule, created_by) == expected


def test_no_fault_is_listed_twice():
    assert len({(one.application, one.rule, one.since) for one in FAULTS}) == len(FAULTS)


@pytest.mark.parametrize(
    ("created_by", "ending"),
    [("parquet-mr version 1.11.0", MR), ("parquet-mr version 1.13.0", "the dictionary page")],
)
def test_a_finding_names_the_writer(created_by, ending):
    entries = assembly.dictionary_page(forged.encoded([1, 2]), 2)
    page = assembly.page_v1(b"\x01\x03\x02", 2, Encoding.RLE_DICTIONARY)
    offsets = {"dictionary_page_offset": None, "data_page_offset": 4}
    data = forged.one_column([entries, page], metadata=offsets, file={"created_by": created_by})
    with pqexplore.open(data) as file:
        (found,) = file.check()
    assert (found.rule, found.message.endswith(ending)) == (ABSENT, True)
