"""What a file written anew keeps, by our reader, pyarrow's and DuckDB's."""

import duckdb
import pyarrow.parquet as pq

import pqexplore

OPTIONS = {
    "as it is": None,
    "all other": pqexplore.WriteOptions(codec="zstd", page_version=2, page_rows=200, row_group_rows=1_000),
}
"""Options to write files anew with: those of the file, and others everywhere."""


def kept(path):
    """What a file written anew keeps beside its values: the schema and the key-value metadata."""
    with pqexplore.open(path) as file:
        fields = [(one.path, one.element) for one in file.schema.fields]
        pairs = [(one.key, one.value) for one in file.footer_metadata.key_value_metadata or ()]
        return fields, pairs, {one.rule for one in file.check() if one.severity.level == "error"}


def by_arrow(path):
    """The file as pyarrow reads it; None if it does not."""
    try:
        return pq.ParquetFile(path).read()
    except Exception:  # pyarrow's readers raise many kinds
        return None


def by_duckdb(connection, path):
    """The types and, as text, the rows as DuckDB reads them; None if it does not."""
    source = "FROM read_parquet(?, hive_partitioning = false)"
    try:
        types = connection.execute(f"DESCRIBE SELECT * {source}", [str(path)]).fetchall()
        rows = connection.execute(f"SELECT COLUMNS(*)::VARCHAR {source}", [str(path)]).fetchall()
    except duckdb.Error:
        return None
    return types, rows


def same(one, two):
    """Whether two tables have equal values; texts are equal for NaN, too."""
    if two is None or two.equals(one):
        return two is not None
    return str(one.schema) == str(two.schema) and str(one.to_pydict()) == str(two.to_pydict())
