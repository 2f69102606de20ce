"""What the text of chapter 10 claims of its files."""

import pqexplore

CLAIMS = [
    ("The first look of the explorer finds no problems", "'No problems found' in str(pqexplore.diagnose('orders.parquet'))"),
    ("four columns that take most", "set(explorer.to_frame('overview')['column'][:4]) == set(large)"),
    ("is nearly the same, for the same choices", "abs(steps[0][2] / FIRST - 1) < 0.03"),
    ("ours adds a page index and checksums", "pqexplore.open('same.parquet').row_groups[0].columns[0].column_index is not None and f.row_groups[0].columns[0].column_index is None"),
    ("ours adds a page index and checksums", "pqexplore.open('same.parquet').row_groups[0].columns[0].pages[0].header.crc is not None and f.row_groups[0].columns[0].pages[0].header.crc is None"),
    ("`order_id`, where every value is different", "len(orders['order_id'].unique()) == rows"),
    ("here 512 KiB", "512 << 10 <= sum(4 + len(text) for text in f.row_groups[0].columns['order_id'].dictionary.to_pylist()) < 1.1 * (512 << 10)"),
    ("many customers order more than once", "len(np.unique(who)) < 0.6 * rows"),
    ("no dictionary where hardly a value repeats", "all(len(orders[name].unique()) > 0.99 * rows for name in ('order_id', 'placed', 'weight'))"),
    ("only the last two can be compressed", "min(shares[:6]) > 0.99 and max(shares[6:]) < 0.85"),
    ("saves nothing by itself", "len({pqexplore.plan(orders.select(['weight']), pqexplore.WriteOptions(encoding=one)).columns[0].values for one in ('PLAIN', 'BYTE_STREAM_SPLIT')}) == 1"),
    ("a good deal smaller than Snappy", "by_codec['ZSTD', 1] < 0.85 * by_codec['SNAPPY', None]"),
    ("Level 9 adds little", "0.93 * by_codec['ZSTD', 1] < by_codec['ZSTD', 9] <= by_codec['ZSTD', 1]"),
    ("numbers below eight million", "max(who) + 7_000_000 < 8_000_000"),
    ("stores the decimals of `price` as bytes", "f.schema.leaf('price').physical_type == 7"),
    ("Only `placed` becomes smaller", "[name for name in orders.column_names if name != 'tags' and taken('types.parquet', name) < 0.99 * taken('codec.parquet', name)] == ['placed']"),
    ("The others hardly change", "all(abs(taken('types.parquet', name) / taken('codec.parquet', name) - 1) < 0.05 for name in ('day', 'customer', 'price'))"),
    ("almost every value would be another one", "np.mean(orders['weight'].to_numpy().astype('f4') != orders['weight'].to_numpy()) > 0.99"),
    ("a few percent fewer bytes", "0.9 < costs['brotli'][0] / costs['zstd'][0] < 1"),
    ("for many times the time", "costs['brotli'][1] > 10 * costs['zstd'][1]"),
    ("there DuckDB and polars do not read it in BYTE_STREAM_SPLIT", "any(row['encoding'] == 'BYTE_STREAM_SPLIT' and {'DuckDB', 'polars'} <= set(row['unread_by']) for row in decimals.to_dict('records'))"),
    ("After step 4 it is INT32", "not any(row['unread_by'] for row in pqexplore.what_if('types.parquet', columns=['price']).table.to_pylist() if row['encoding'] == 'BYTE_STREAM_SPLIT' and row['codec'] == 'ZSTD')"),
    ("Predict, write, compare", "all(abs(size / written - 1) < 0.02 for _, size, written in steps)"),
]  # fmt: skip


def taken(path, name):
    """The bytes of a column in a file of one row group."""
    with pqexplore.open(path) as file:
        return len(file.row_groups[0].columns[name].span)
