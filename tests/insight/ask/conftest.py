"""What the tests of the engine profiles share."""

from pathlib import Path

import pytest
from insight.ask.profile_cases import write_all


@pytest.fixture(scope="session")
def profile_files(tmp_path_factory) -> dict[str, Path]:
    """The files of `profile_cases`, by name."""
    return write_all(tmp_path_factory.mktemp("profiles"))
