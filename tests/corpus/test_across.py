"""Every view of whole files that we did not write: a table, or a ParquetError; its lines and its JSON can be made."""

import json

import pytest
from corpus.test_lenses import files

import pqexplore
from pqexplore.engine.errors import ParquetError
from pqexplore.insight.across import has_table
from pqexplore.insight.document import answer_document
from pqexplore.insight.lenses import LENSES
from pqexplore.insight.report import answer_report
from pqexplore.insight.terminal import WHOLE


@pytest.mark.full
def test_views_of_whole_files(corpus):
    answered = 0
    for path in sum(files(corpus), []):
        try:
            file = pqexplore.open(corpus / path)
        except ParquetError:
            continue
        for name in filter(has_table, ("levels", *LENSES)):
            try:
                answer = file.view(name)
            except ParquetError:
                continue
            json.dumps(answer_document(answer), allow_nan=False)
            assert list(answer_report(answer, 100)) and list(answer_report(answer, WHOLE))
            answered += 1
    assert answered > 200
