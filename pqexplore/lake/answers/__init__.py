"""What a look at a lake says: each module answers one question over the files that the filters leave.

The tables and views are asked in SQL, by Spark or by DuckDB, and only aggregates and a few thousand rows come back. A
row of an answer's table leads to a file, or into one: its address is `PATH#ADDRESS`.
"""
