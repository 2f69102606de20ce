"""What all tests share: where the corpus is, if it is there, and the browser."""

import os
import shutil
from pathlib import Path

import pytest

CORPUS = Path(__file__).resolve().parents[2] / "shared" / "corpus"
BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")


@pytest.fixture(scope="session")
def corpus() -> Path:
    """The folder of files by other writers; tests that need it say so when it is not there."""
    if not (CORPUS / "catalog.csv").exists():
        pytest.skip("the corpus of foreign files is not beside the project")
    return CORPUS


@pytest.fixture(scope="session")
def chromium() -> str:
    """The path of the machine's Chromium, for Playwright's `executable_path`; the same search as tools/chromium."""
    for name in (os.environ.get("PQEXPLORE_CHROMIUM"), *BROWSERS):
        found = shutil.which(name) if name else None
        if found:
            return found
    pytest.skip("no Chromium on this machine; `make test` installs one where it may")


def pytest_terminal_summary(terminalreporter) -> None:
    """What tests say about themselves (`record_property("stated", …)`) is printed at the end of a run."""
    for reports in terminalreporter.stats.values():
        for report in reports:
            if getattr(report, "when", "") == "call":
                for name, text in report.user_properties:
                    if name == "stated":
                        terminalreporter.write_line(text)
