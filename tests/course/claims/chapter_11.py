"""What the text of chapter 11 claims of its files."""

CLAIMS = [
    ("`order_id` and `day` are sorted, too", "after.read(['day'])['day'].equals(after.read(['day']).sort_by('day')['day']) and np.mean(np.diff(after.read(['order_id']).column(0).cast('string').to_pandas().str[9:].astype(int)) > 0) > 0.99"),
    ("are better off without a dictionary", "all(one.best.dictionary_bytes is None for one in again.columns if one.path in ('customer', 'price'))"),
    ("GZIP is often the smallest here", "sum(row['codec'] == 'GZIP' for row in again.table.to_pylist() if row['best']) > len(again.columns) / 2"),
    ("most of that is `email`", "2 * (sizes[5_000, 10_000][1] - sizes[30_000, 10_000][1]) > sizes[5_000, 10_000][0] - sizes[30_000, 10_000][0]"),
    ("This step makes the file larger", "steps[-1][2] > steps[-2][2]"),
    ("Only the lists of `tags` have levels that take room", "with_v2.size > predicted.size and v2_growth['tags.list.element'] > 0.05 and max(growth for name, growth in v2_growth.items() if name[:4] != 'tags') < 0.02"),
    ("where the rows are sorted, the bounds answer it already", "with_filters > 1.1 * predicted.size"),
    ("as near as each can express them", "abs(by_pyarrow / again.code['pyarrow'].bytes - 1) < 0.1"),
    ("finds the same rows in another order", "'in another order' in difference.sentence and not any(one.what == 'values' for one in difference.differences)"),
    ("the rows came in no order", "all(abs(size / written - 1) < 0.02 for _, size, written in steps)"),
    ("how many percent smaller is the file then", "0.18 < 1 - steps[0][2] / FIRST < 0.25"),
]  # fmt: skip
