"""`pqexplore pages FILE`: the view `page` of a column, a column chunk, a page or the whole file."""

from pqexplore.cli.views import ViewVerb

VERB = ViewVerb(
    "pages", "page", "List the pages: rows, bytes, bounds and nulls. With --page, what is in one page.", of_page="page"
)

parser, run = VERB.parser, VERB.run
