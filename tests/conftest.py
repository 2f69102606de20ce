"""What all tests share: where the corpus is, if it is there, and how Hypothesis runs."""

import gc
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings
from hypothesis.configuration import set_hypothesis_home_dir

ROOT = Path(__file__).resolve().parents[1]
CORPUS = ROOT.parent / "shared" / "corpus"

# No test is timed: a loaded machine is no reason to fail.
settings.register_profile(
    "project", deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large]
)
settings.load_profile("project")
set_hypothesis_home_dir(ROOT / ".cache" / "hypothesis")


@pytest.fixture(scope="session")
def corpus() -> Path:
    """The folder of files by other writers; tests that need it say so when it is not there."""
    if not (CORPUS / "catalog.csv").exists():
        pytest.skip("the corpus of foreign files is not beside the project")
    return CORPUS


@pytest.fixture
def folder_of_others(tmp_path, monkeypatch) -> Iterator[Path]:
    """The current folder, with modules named like some of Python's and of those we use; none of them may be run."""
    folder = tmp_path / "of others"
    folder.mkdir()
    for name in ("dataclasses", "json", "pyarrow"):
        (folder / f"{name}.py").write_text("open('was run', 'w').close()")
    monkeypatch.chdir(folder)
    yield folder
    assert not (folder / "was run").exists()


def pytest_terminal_summary(terminalreporter) -> None:
    """What tests say about themselves (`record_property("stated", …)`) is printed at the end of a run."""
    for reports in terminalreporter.stats.values():
        for report in reports:
            if getattr(report, "when", "") == "call":
                for name, text in report.user_properties:
                    if name == "stated":
                        terminalreporter.write_line(text)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """The longest modules come first: one that begins last is waited for by all workers."""
    longest = ("tests/writing/test_targets.py", "tests/writing/test_interrupted.py", "tests/test_docs.py")
    items.sort(key=lambda item: not item.nodeid.startswith(longest))


def pytest_collection_finish() -> None:
    """What was collected lives to the end: the garbage collector need not look at it again after each few objects."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(10_000, 50, 50)


def pytest_unconfigure() -> None:
    """Nanobind's modules report what is never freed."""
    gc.unfreeze()
