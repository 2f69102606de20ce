"""Wrong answers to the exercises of chapter 10."""

WRONG = {
    "10.1": [
        "{'order_id'}", "{'order_id', 'placed'}", "{'order_id', 'placed', 'email', 'weight'}",
        "{'order_id', 'placed', 'email', 'day'}", "{'order_id', 'placed', 'tags.list.element'}", "'email'", "set()",
        "3",
    ],
    "10.2": [
        "1 << 20", "16 << 20", "sum(len(text) for text in set(orders['email'].to_pylist()))",
        "sum(4 + len(text) for text in set(orders['email'].to_pylist())) - 1",
        "sum(4 + len(text) for text in set(orders['email'].to_pylist())) + 1",
        "float(sum(4 + len(text) for text in set(orders['email'].to_pylist())))", "True", "'1 << 20'",
    ],
    "10.3": [
        "{'encoding': 'PLAIN', 'codec': 'ZSTD'}",  # the best for all engines
        "{'encoding': 'BYTE_STREAM_SPLIT', 'codec': 'ZSTD'}",  # not for DuckDB
        "{'encoding': 'DELTA_BYTE_ARRAY', 'codec': 'BROTLI'}",  # not for Spark
        "{'encoding': 'DELTA_BYTE_ARRAY', 'codec': 'SNAPPY'}",
        "{'encoding': 'DELTA_BINARY_PACKED', 'codec': 'ZSTD'}",  # not for this type
        "{'codec': 'ZSTD'}", "('DELTA_BYTE_ARRAY', 'ZSTD')", "'DELTA_BYTE_ARRAY'",
    ],
    "10.4": [
        "{'count': pa.int32(), 'arrived': pa.date32()}",
        "{'count': pa.int32(), 'arrived': pa.date32(), 'half': pa.float32(), 'tenth': pa.float32()}",
        "{'count': pa.int32(), 'arrived': pa.date32(), 'half': pa.float32(), 'zip': pa.int32()}",
        "{'count': pa.int32(), 'arrived': pa.date32(), 'half': pa.float32(), 'serial': pa.int32()}",
        "{'count': pa.int32(), 'arrived': pa.date32(), 'half': pa.float32(), 'due': pa.date32()}",
        "{'count': pa.int32(), 'arrived': pa.date32(), 'half': pa.int32()}",
        "{'count': pa.float32(), 'arrived': pa.date32(), 'half': pa.float32()}",
        "{'count': pa.int64(), 'arrived': pa.string(), 'half': pa.float64()}", "['count', 'arrived', 'half']", "{}",
    ],
    "10.5": ["'city'", "'region'", "'visitor'", "'street'", "['region', 'city']", "0"],
    "10.6": ["40_000", "20_000", "2_000", "1_000", "1", "0", "-10_000", "True", "'10_000'", "10_000.0"],
    "10.7": [
        "lambda one, two: pqexplore.rewrite(one, two)",
        "lambda one, two: pq.write_table(pq.read_table(one).slice(0, 9_000), two)",
        "lambda one, two: pq.write_table(pq.read_table(one).drop_columns(['at']), two)",
        "lambda one, two: pq.write_table(pq.read_table(one, columns=['at', 'level']), two)",
        "lambda one, two: pq.write_table(pq.read_table(one).set_column(3, 'value', pa.nulls(20_000, pa.float64())).sort_by('at'), two)",
        "lambda one, two: pq.write_table(pq.read_table(one).set_column(1, 'device', pa.array(['device-00000'] * 20_000)).sort_by('at'), two)",
        "lambda one, two: None", "'telemetry.parquet'", "lambda one: None",
        "lambda one, two: pq.write_table(pq.read_table(one).sort_by('at').cast(pa.schema([('at', pa.int64()), ('device', pa.string()), ('level', pa.string()), ('value', pa.float32())])), two, compression='zstd')",
    ],
    "10.8": [
        "next(page.address for page in dictionaries if 'columns/5' in page.address and page is not largest)",  # the other row group
        "min(dictionaries, key=lambda page: len(page.span)).address", "largest.address.replace('pages/0', 'pages/1')",
        "largest.address.replace('columns/5', 'columns/7')",  # it has no dictionary
        "largest.address.rpartition('/pages/')[0]",  # the chunk
        "'schema/6'", "'row_groups/2/columns/5/pages/0'", "'email'", "len(largest.span)",
    ],
}  # fmt: skip
