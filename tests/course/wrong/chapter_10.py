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
}  # fmt: skip
