"""`pqexplore stats FILE`: the view `statistics` of a column, a column chunk, a page or the whole file."""

from pqexplore.cli.views import ViewVerb

VERB = ViewVerb(
    "stats",
    "statistics",
    "Say what a query can skip: minimum, maximum, nulls and distinct values of row groups and pages.",
)

parser, run = VERB.parser, VERB.run
