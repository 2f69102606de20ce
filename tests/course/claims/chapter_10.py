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
    ("`order_id` and `day` are sorted, too", "h.read(['day'])['day'].equals(h.read(['day']).sort_by('day')['day']) and np.mean(np.diff(h.read(['order_id']).column(0).cast('string').to_pandas().str[9:].astype(int)) > 0) > 0.99"),
    ("are better off without a dictionary", "all(one.best.dictionary_bytes is None for one in again.columns if one.path in ('customer', 'price'))"),
    ("GZIP is often the smallest here", "sum(row['codec'] == 'GZIP' for row in again.table.to_pylist() if row['best']) > len(again.columns) / 2"),
    ("most of that is `email`", "2 * (sizes[5_000, 10_000][1] - sizes[30_000, 10_000][1]) > sizes[5_000, 10_000][0] - sizes[30_000, 10_000][0]"),
    ("This step makes the file larger", "steps[-1][2] > steps[-2][2]"),
    ("Only the lists of `tags` have levels that take room", "with_v2.size > predicted.size and v2_growth['tags.list.element'] > 0.05 and max(growth for name, growth in v2_growth.items() if name[:4] != 'tags') < 0.02"),
    ("a few percent fewer bytes", "0.9 < costs['brotli'][0] / costs['zstd'][0] < 1"),
    ("for many times the time", "costs['brotli'][1] > 10 * costs['zstd'][1]"),
    ("where the rows are sorted, the bounds answer it already", "with_filters > 1.1 * predicted.size"),
    ("there DuckDB and polars do not read it in BYTE_STREAM_SPLIT", "any(row['encoding'] == 'BYTE_STREAM_SPLIT' and {'DuckDB', 'polars'} <= set(row['unread_by']) for row in decimals.to_dict('records'))"),
    ("After step 4 it is INT32", "h.schema.leaf('price').physical_type == 1 and not any(row['unread_by'] for row in again.table.to_pylist() if row['column'] == 'price' and row['encoding'] == 'BYTE_STREAM_SPLIT' and row['codec'] == 'ZSTD')"),
    ("Predict, write, compare", "all(abs(size / written - 1) < 0.02 for _, size, written in steps)"),
    ("The way from the first file", "steps[-1][2] <= FIRST / 2"),
    ("as near as each can express them", "abs(by_pyarrow / again.code['pyarrow'].bytes - 1) < 0.1"),
    ("finds the same rows in another order", "'in another order' in difference.sentence and not any(one.what == 'values' for one in difference.differences)"),
]  # fmt: skip


def taken(path, name):
    """The bytes of a column in a file of one row group."""
    with pqexplore.open(path) as file:
        return len(file.row_groups[0].columns[name].span)
