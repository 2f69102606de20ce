"""Wrong answers to the exercises of chapter 04."""

WRONG = {
    "04.1": [
        "2", "[1]", "[2]", "[0, 1, 2]", "[1, 2, 3]", "[2, 3]", "list(range(8))", "['1', '2']", "[True, 2]", "[1, 1, 2]",
        "[]", "must_read(f, 125)", "must_read(g, 125)",
    ],
    "04.2": [
        "([2, 3, 4, 5, 6, 7], [0, 1, 2, 3, 4])", "([0, 1], [5, 6, 7])", "([0, 1, 2, 3, 4], [5, 6, 7])",
        "([0, 1], [2, 3, 4, 5, 6, 7])", "([0, 1, 2, 3, 4], [])", "[0, 1, 2, 3, 4]", "'null_count'", "(5, 6)",
        "([0, 1, 2, 3, 4], [2, 3, 4, 5, 6, 7], [])", "([0, 1, 2, 3, 4], None)",
    ],
    "04.3": [
        "'row_groups/4/columns/1'", "'row_groups/4/columns/1/pages/6'", "'row_groups/4/columns/1/pages/8'",
        "'row_groups/4/columns/0/pages/7'", "'row_groups/3/columns/1/pages/7'", "'row_groups/4/columns/1/pages/70'",
        "'schema/2'", "''", "8", "b'row_groups/4/columns/1/pages/7'", "'row_groups/4/columns/1/column_index'",
    ],
    "04.4": [
        "lambda chunk, price: 0", "lambda chunk, price: sum(one.compressed_page_size for one in chunk.offset_index.page_locations)",
        "lambda chunk, price: True", "cost(g.row_groups[1].columns['price'], 99.99)", "lambda chunk: 0",
        "lambda chunk, price: sum(place.compressed_page_size for low, high, place in zip(chunk.column_index.min_values, "
        "chunk.column_index.max_values, chunk.offset_index.page_locations) if np.frombuffer(low)[0] < price < np.frombuffer(high)[0])",
        "lambda chunk, price: sum(place.compressed_page_size for low, high, place in zip(chunk.column_index.min_values, "
        "chunk.column_index.max_values, chunk.offset_index.page_locations) if np.frombuffer(low)[0] <= price < np.frombuffer(high)[0])",
        "lambda chunk, price: sum(low <= price <= high for low, high in [bounds(chunk)])",
        "lambda chunk, price: str(cost(chunk, price))",
    ],
    "04.5": [
        "lambda hash, blocks: hash >> 32", "lambda hash, blocks: hash % blocks", "lambda hash, blocks: (hash >> 32) % blocks",
        "lambda hash, blocks: hash * blocks >> 32", "lambda hash, blocks: (hash & 0xffffffff) * blocks >> 32",
        "lambda hash, blocks: (hash >> 32) * (blocks - 1) >> 32", "lambda blocks: 0", "12",
    ],
    "04.6": [
        "orders['customer'][0].as_py()", "wanted", "'c00042'", "'customer'", "42", "b'c00042'", "''", "orders['customer'][0]",
        "next(one for one in map(str, range(10**6)) if chunk.bloom_filter.probe(one).hit)",
        "next(one for one in (f'c{n:05}' for n in range(90_000)) if not chunk.bloom_filter.probe(one).hit)",
        "next(one for one in (f'c{n:06}' for n in range(10**6)) if chunk.bloom_filter.probe(one).hit)",
    ],
}  # fmt: skip

REASONS = {
    "04.3": {
        "'row_groups/4/columns/1/column_index'": "not in one of its pages",
        "'row_groups/3/columns/1/pages/7'": "No page of this row group",
    },
    "04.4": {"lambda chunk, price: 0": "it gives 0.", "lambda chunk: 0": "ends in TypeError("},
}
