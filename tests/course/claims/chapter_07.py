"""What the text of chapter 07 claims of its lake."""

CLAIMS = [
    ("`error` are two that cannot be read", "len(rows) == 2 and {row.error_code for row in rows} == {'not-parquet'}"),
    ("`not-read` are files of the Delta table that are not live", "files.where(\"status = 'not-read'\").count() == files.where(\"table_path IS NOT NULL AND state <> 'live'\").count() == 5"),
    ("Two: the new one, and the empty one", "run['files_read'] == 2 and run['vanished'] == 1"),
    ("judges what each engine makes of the difference", "[one.columns for one in drift.differences] == [('tip',)]"),
    ("No error, no warning, and no tips", "'tip' not in spark.read.parquet(str(folder.resolve())).columns"),
    ("For `trip` it is one", "points(overlap)['trip'] == 1"),
    ("For `city` it is nearly all of them", "points(overlap)['city'] > 112"),
    ("Two files are live. Four were *removed*", "states(lake) == {'live': 2, 'removed': 4, 'orphan': 1}"),
    ("The two files that were removed yesterday are not among them yet", "sorted(path[-14:] for path in found.later['path'].to_pylist()) == ['part-2.parquet', 'part-3.parquet']"),
    ("what to do, first things first", "[one.name for one in report.actions][:3] == ['replace', 'vacuum', 'schema']"),
]  # fmt: skip


def points(overlap):
    """By column, how many files a query for one value reads."""
    return {row.column_name: row.point_files for row in overlap.collect()}


def states(lake):
    """How many files of the table each state has."""
    rows = lake.sql(
        "SELECT state, count(*) AS n FROM files WHERE table_path IS NOT NULL GROUP BY 1"
    )
    return {row.state: row.n for row in rows.collect()}
