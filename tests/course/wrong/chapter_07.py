"""Wrong answers to the exercises of chapter 07."""

WRONG = {
    "07.1": ["'trip'", "'fare'", "'tip'", "'city'", "'amount'", "'Driver '", "['driver']", "0", "True"],
    "07.2": [
        "4",  # days are joined
        "28",  # without the table of orders
        "30", "1", "115", "'29'", "29.5", "[29]", "True",
    ],
    "07.3": [
        "{'spark', 'duckdb', 'pyarrow'}",  # those that leave a new column out
        "{'spark'}", "{'duckdb'}", "{'polars'}", "{'spark', 'duckdb', 'pyarrow', 'polars'}",
        "{'spark', 'pyarrow', 'iceberg'}", "['spark', 'pyarrow', 'pyarrow']", "'spark, pyarrow'",
        "{'spark': 1, 'pyarrow': 1}", "set()", "3",
    ],
    "07.4": [
        "(lambda now: (now.num_rows, sum(now['size'].to_pylist())))(lake.removable().files)",
        "(sum(found.files['size'].to_pylist()), found.files.num_rows)",  # swapped
        "(2, sum(lake.removable().later['size'].to_pylist()))",
        "(found.files.num_rows, sum(found.files['size'].to_pylist()) + 1)",
        "(7, sum(file.stat().st_size for file in (warehouse / 'orders').glob('*.parquet')))",
        "(4, sum(found.files['size'].to_pylist()))",  # without the orphan
        "found.files.num_rows", "sum(found.files['size'].to_pylist())", "(5, '30 kB')", "(True, 5)",
    ],
    "07.5": [
        "str(folder / 'day=2026-02-03' / 'empty.parquet')",  # it cannot be read
        "str(folder / 'day=2026-02-04' / 'cut.parquet')",  # it is gone
        "str(warehouse / 'orders' / 'part-6.parquet')",  # it is not live
        "str(warehouse / 'orders' / 'part-4.parquet')",
        "str(folder / 'day=2026-02-23' / 'part-1.parquet')",  # the most
        "'late.parquet'", "1", "True",
    ],
}  # fmt: skip
