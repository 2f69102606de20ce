"""Wrong answers to the exercises of chapter 09."""

WRONG = {
    "09.1": [
        "2",  # how many
        "[2]", "(3,)",
        "(3, 4)",  # counted from 1
        "(2, 3, 4)", "(1, 2, 3)", "(2.5, 3)", "(2, 3, 3)", "('2', '3')", "'2, 3'", "[False, True]", "[]",
    ],
    "09.2": [
        "'price * 2 > 995'", "'price > 497'", "'price > 498'", "'price >= 497.5'", "'price > 497.5 OR price * 2 > 995'",
        "'price < 497.5'", "'price > '", "'true'", "497.5", "[group.index for group in plan.kept]",
    ],
    "09.3": [
        "{'c00009': 8, 'c00010': 6, 'c00011': 3}", "{'c00009': 8, 'c00010': 6}",
        "dict(zip(list(found)[:2], found.values()))", "{**found, list(found)[0]: -1}", "{**found, list(found)[0]: 12}",
        "{**found, list(found)[0]: True}",
        "{**found, orders['customer'][0].as_py(): 0}",  # it is there
        "{**found, list(found)[0]: str(found[list(found)[0]])}", "list(found)", "list(found.items())", "{}",
        "{n: number for n, number in enumerate(found.values())}",
    ],
    "09.4": [
        "lambda table, path: pqexplore.write(table, path)",
        "lambda table, path: pqexplore.write(table, path, pqexplore.WriteOptions(row_group_rows=5_000))",
        "lambda table, path: pqexplore.write(table, path, pqexplore.WriteOptions(page_rows=100))",
        "lambda table, path: pqexplore.write(table.slice(0, 30_000), path, pqexplore.WriteOptions(row_group_rows=2_000))",
        "lambda table, path: pqexplore.write(table.drop_columns(['customer']), path, pqexplore.WriteOptions(row_group_rows=2_000))",
        "lambda table, path: pqexplore.write(table.sort_by('price'), path, pqexplore.WriteOptions(row_group_rows=2_000))",
        "lambda table, path: pqexplore.write(table, 'elsewhere.parquet')", "lambda table: None",
        "lambda table, path: None", "'shop-answer.parquet'", "2_000",
    ],
    "09.5": [
        "{'duckdb'}", "{'spark'}", "{'duckdb', 'polars'}", "{'polars', 'pyarrow'}", "{'duckdb', 'spark', 'pyarrow'}",
        "{'duckdb', 'spark', 'polars', 'pyarrow'}", "['duckdb', 'spark', 'spark']", "set()", "'duckdb'",
        "'duckdb, spark'", "{'duckdb': 1, 'spark': 2}", "True",
    ],
    "09.6": [
        "'row_groups/7/columns/2/pages/0'",  # the dictionary
        "'row_groups/7/columns/2/pages/4'", "'row_groups/7/columns/2/pages/6'", "'row_groups/7/columns/1/pages/5'",
        "'row_groups/6/columns/2/pages/5'", "'row_groups/7/columns/2/pages/50'", "'row_groups/7'", "5",
    ],
}  # fmt: skip
