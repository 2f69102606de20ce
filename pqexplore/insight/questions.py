"""The registry of the lenses: their names, which are those of their modules, and the question that each answers.

Nothing is imported here: help and completion list the views at once.
"""

from __future__ import annotations

QUESTIONS = {
    "rows": "what is in it?",
    "overview": "where are the bytes?",
    "column": "what is this column like?",
    "row_group": "how does it compare?",
    "contents": "what does this node hold?",
    "query": "what does a query read?",
    "what_if": "how small could it be?",
    "layout": "what lies where?",
    "schema": "what are the columns?",
    "thrift": "what do these bytes mean?",
    "statistics": "what can a query skip?",
    "page_index": "which pages would be read?",
    "value": "how did this value come to be?",
    "page": "what is in this page?",
    "encoding": "how did bits become values?",
    "dictionary": "was it worth it?",
    "nesting": "how do levels build a record?",
    "bloom": "may this value be there?",
    "variant": "how is this value built?",
    "geospatial": "where is it?",
    "encryption": "what is encrypted?",
    "compare": "which one differs?",
    "diff": "what grew, and what is gone?",
    "facts": "what is known of this node?",
}
"""By the name of the lens, in the order of their tabs."""
