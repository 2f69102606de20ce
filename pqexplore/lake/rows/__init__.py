"""The rows of a table: those of its live files without deleted ones, under its present columns.

`lake_table` reads them, `projection` brings the columns of a file into those of the table, `plain_schema` makes one schema
of the files of a folder without a log, `live_rows` knows which rows are deleted, `condition` which meet a condition.
"""
