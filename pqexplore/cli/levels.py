"""`pqexplore levels FILE`: the view `nesting` of a column, a column chunk, a page or the whole file."""

from pqexplore.cli.views import ViewVerb

VERB = ViewVerb(
    "levels",
    "nesting",
    "Say how the levels build the rows: how often each level occurs, and what is missing there. With --page, the entries of one page.",
    of_page="page",
)

parser, run = VERB.parser, VERB.run
