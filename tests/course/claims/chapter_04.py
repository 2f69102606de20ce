"""What chapter 04 says of its files: words of the text, and an expression that is true after its last cell if they are."""

CLAIMS = [
    ("in all eight row groups", "len(f.row_groups) == len(g.row_groups) == 8"),
    ("a query for `id = 17,000` needs one row group",
        "[group.index for group in f.row_groups if 17_000 in group.columns['id'].read().to_pylist()] == [3]"),
    ("from about 1 to about 500 in every single row group",
        "all(low < 1.5 and high > 499 for low, high in (bounds(group.columns['price']) for group in f.row_groups))"),
    ("`price = 99.99` proves nothing, and reads all eight", "must_read(f, 99.99) == list(range(8))"),
    ("we need one page in ten", "must_read(g, 99.99) == [1] and len(lows) == 10 and len(needed) == 1"),
    (
        "Its range is nearly the same in every row group",
        "all(one.min_value < b'c00100' and one.max_value > b'c89900' for one in "
        "(group.columns['customer'].statistics for group in h.row_groups))",
    ),
    ("which is null in the first orders", "f.row_groups[0].columns['coupon'].read().null_count == 5_000"),
    ("always there in the last ones", "f.row_groups[7].columns['coupon'].read().null_count == 0"),
    ("Then it says \"perhaps\" to everything",
        "pqexplore.open(small(10)).row_groups[0].columns['customer'].bloom_filter.occupancy().fpp > 0.99"),
]  # fmt: skip


def small(ndv):
    """A file with a Bloom filter for far fewer values than it gets."""
    import io

    import pyarrow as pa

    import pqexplore

    sink = io.BytesIO()
    table = pa.table({"customer": [f"c{n:05}" for n in range(5_000)]})
    options = {"customer": {"bloom_filter": True, "bloom_filter_ndv": ndv}}
    pqexplore.write(table, sink, pqexplore.WriteOptions(columns=options))
    return sink.getvalue()
