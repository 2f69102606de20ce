"""`pqexplore dictionary FILE`: the view `dictionary` of a column, a column chunk, a page or the whole file."""

from pqexplore.cli.views import ViewVerb

VERB = ViewVerb(
    "dictionary",
    "dictionary",
    "Say whether the dictionary was worth it: its entries, and where the writer stopped using it.",
)

parser, run = VERB.parser, VERB.run
