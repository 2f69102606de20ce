"""What the text of chapter 09 claims of its files."""

import pqexplore

CLAIMS = [
    ("one page of it, 500 rows", "asked('shop', 'id = 17000').stages[-1].rows_out == 500"),
    ("if no entry of it meets the condition, no row of the row group does", "not asked('shop', 'price = 17.005').kept and {row['by'] for row in asked('shop', 'price = 17.005').row_groups.to_pylist()} == {'dictionary'}"),
    ("All twelve row groups are read", "len(dear.kept) == 12"),
    ("see the other eleven fall away", "len(asked('shop', 'id = 17000').kept) == 1"),
    ("one row in a hundred", "0.005 < sum(price > 495 for price in orders['price'].to_pylist()) / rows < 0.015"),
    ("it is one row in a hundred", "0.005 < sum(day.year == 9999 for day in ends) / rows < 0.015"),
    ("The dates ascend, and still no row group before July can be skipped", "len(slow.kept) == 12"),
    ("Spark reads the page index", "asked('batches', cheap, 'spark').stages[-1].rows_out < rows / 4"),
    ("DuckDB knows no pages, and decodes every row", "asked('batches', cheap, 'duckdb').stages[-1].rows_out == rows"),
    ("polars keeps row groups where a NaN may be", "not asked('measured', 't > 100', 'polars').wrong_rows"),
    ("by its own order, a thousand match", "sum(map(math.isnan, measured['t'].to_pylist())) == 1_000"),
    ("Of `shop.parquet` it reads 77,000 bytes", "round(asked('shop', DAY, 'duckdb', ['id']).reading.bytes, -3) == 77_000"),
]  # fmt: skip

DAY = "day = DATE '2024-05-05' AND price > 400"


def asked(name, where, engine="format", columns=None):
    """What an engine reads of a file of the chapter."""
    return pqexplore.ask(f"{name}.parquet", where, columns=columns, engine=engine)
