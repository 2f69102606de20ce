"""Lakes that the tests of the lake explorer look at, and a way to open it."""

import importlib.util

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from browser.harness import View, settle
from lake import doctored_lake

import pqexplore
from pqexplore.lake import metadatastore, scan

if importlib.util.find_spec("duckdb") is None:
    collect_ignore_glob = ["test_*.py"]


@pytest.fixture(scope="session")
def folder(tmp_path_factory):
    """Twelve files: ten of 100 to 1,000 rows, one of 50,000 with another type of `id`, one that is no Parquet."""
    root = tmp_path_factory.mktemp("lake")
    for i in range(10):
        n = 100 * (i + 1)
        ids = pa.array(np.arange(i * 1_000, i * 1_000 + n))
        table = pa.table({"id": ids, "city": ["Oslo", "Lima"] * (n // 2)})
        pq.write_table(table, root / f"part-{i}.parquet", row_group_size=500)
    large = pa.table({"id": pa.array(np.arange(50_000, dtype="int32")), "city": ["Bern"] * 50_000})
    pq.write_table(large, root / "part-large.parquet", use_dictionary=False, compression="none")
    (root / "broken.parquet").write_bytes(b"PAR1 and then nothing that is a footer PAR1")
    return root


@pytest.fixture(scope="session")
def lake(folder, tmp_path_factory):
    return scan(None, str(folder), out=tmp_path_factory.mktemp("tables"), processes=0)


class LakeView(View):
    """A lake explorer in a page."""

    def tab(self, title):
        """Go to a panel."""
        self.page.get_by_role("tab", name=title).click()
        settle(self.page)

    def opened(self, address):
        """Wait until a file is shown at an address."""
        self.page.locator(f'.pqx-of-lake .pqx[data-shown="{address}"]').wait_for()
        settle(self.page)


@pytest.fixture
def look(lend):
    """Open the lake explorer of a subject in a page."""

    def make(subject, panel="", size=(1200, 1000), css="", at="", **context):
        explorer = pqexplore.explore_lake(subject, at=at)
        explorer.panel = panel or explorer.panel
        view = LakeView(lend(size, **context), explorer, css=css)
        view.page.locator(".pqx-lake[data-shown]").wait_for(state="attached")
        settle(view.page)
        return view

    return make


@pytest.fixture(scope="session")
def store(folder, tmp_path_factory):
    """MinMax on `id` and a value list of `city`, of the eleven files that can be read."""
    clean = tmp_path_factory.mktemp("dataset")
    for path in folder.glob("part-?.parquet"):
        (clean / path.name).write_bytes(path.read_bytes())
    wanted = [metadatastore.MinMax("id"), metadatastore.ValueList("city")]
    out = tmp_path_factory.mktemp("indexes")
    return metadatastore.build(None, str(clean), indexes=wanted, out=str(out))


@pytest.fixture(scope="session")
def troubled(tmp_path_factory):
    """Twenty files in seven folders of days, written by two writers, and eight that cannot be read."""
    root = tmp_path_factory.mktemp("troubled")
    doctored_lake.make(root, 20)
    return scan(None, str(root), out=tmp_path_factory.mktemp("troubled-tables"), processes=0)


@pytest.fixture(scope="session")
def sound(tmp_path_factory):
    """Two files with the same columns and nothing wrong."""
    root = tmp_path_factory.mktemp("sound")
    for day in (1, 2):
        (root / f"day={day}").mkdir()
        pq.write_table(pa.table({"id": range(day, 9 + day)}), root / f"day={day}" / "a.parquet")
    return scan(None, str(root), out=tmp_path_factory.mktemp("sound-tables"), processes=0)
