"""What all tests share: where the corpus is, if it is there."""

from pathlib import Path

import pytest

CORPUS = Path(__file__).resolve().parents[2] / "shared" / "corpus"


@pytest.fixture(scope="session")
def corpus() -> Path:
    """The folder of files by other writers; tests that need it say so when it is not there."""
    if not (CORPUS / "catalog.csv").exists():
        pytest.skip("the corpus of foreign files is not beside the project")
    return CORPUS
