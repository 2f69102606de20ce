"""Wrong answers to the exercises of chapter 11."""

WRONG = {
    "11.1": ["'city'", "'region'", "'visitor'", "'street'", "['region', 'city']", "0"],
    "11.2": ["40_000", "20_000", "2_000", "1_000", "1", "0", "-10_000", "True", "'10_000'", "10_000.0"],
    "11.3": [
        "lambda one, two: pqexplore.rewrite(one, two)",
        "lambda one, two: pq.write_table(pq.read_table(one).slice(0, 9_000), two)",
        "lambda one, two: pq.write_table(pq.read_table(one).drop_columns(['at']), two)",
        "lambda one, two: pq.write_table(pq.read_table(one, columns=['at', 'level']), two)",
        "lambda one, two: pq.write_table(pq.read_table(one).set_column(3, 'value', pa.nulls(20_000, pa.float64())).sort_by('at'), two)",
        "lambda one, two: pq.write_table(pq.read_table(one).set_column(1, 'device', pa.array(['device-00000'] * 20_000)).sort_by('at'), two)",
        "lambda one, two: None", "'telemetry.parquet'", "lambda one: None",
        "lambda one, two: pq.write_table(pq.read_table(one).sort_by('at').cast(pa.schema([('at', pa.int64()), ('device', pa.string()), ('level', pa.string()), ('value', pa.float32())])), two, compression='zstd')",
    ],
    "11.4": [
        "next(page.address for page in dictionaries if 'columns/5' in page.address and page is not largest)",  # the other row group
        "min(dictionaries, key=lambda page: len(page.span)).address", "largest.address.replace('pages/0', 'pages/1')",
        "largest.address.replace('columns/5', 'columns/7')",  # it has no dictionary
        "largest.address.rpartition('/pages/')[0]",  # the chunk
        "'schema/6'", "'row_groups/2/columns/5/pages/0'", "'email'", "len(largest.span)",
    ],
}  # fmt: skip
