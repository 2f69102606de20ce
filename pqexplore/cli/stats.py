"""`pqexplore stats FILE`: the view `statistics` of a column, a column chunk, a page, the whole file, or a whole table."""

from pqexplore.cli.views import ViewVerb

VERB = ViewVerb(
    "stats",
    "statistics",
    "Say what a query can skip: minimum, maximum, nulls and distinct values of row groups and pages. Of a Delta or Iceberg "
    "table, and of the files of a folder, these are the bounds and nulls of each column over the live files.",
    of_table=lambda table: table.statistics(),
)

parser, run = VERB.parser, VERB.run
