"""What each panel says of the tests' lake and Metadatastore: sentence, table, picture, compared with `golden/`.

`PQEXPLORE_RENEW_VIEWS=1` writes the files anew. Look at what changed before you commit it.
"""

import pathlib
import re

import golden
import pytest

from pqexplore.lake.panels import LAKE, STORE, answer_of, empty
from pqexplore.widget.lake import explorer

GOLDEN = pathlib.Path(__file__).parent / "golden"
FILTERS = ("", '{"rows": [null, 250], "status": "ok"}', '{"partition": "day=1"}', '{"partition": "no\'where"}')
TYPED = {
    "query": ("", "day = 3 OR id < 50", "duckdb: city = 'Lima' AND id < 50"),
    "asked": ("coverage",),
    "doctor": ("footer:", "footer:file-unreadable"),
    "skipping": ("", "sound:id > 2500 AND city = 'Lima'", "xskipper:id <> 5", "xskipper: "),
}
"""What is typed into a panel; the others are shown with each of the filters."""


@pytest.mark.parametrize("panel", [*LAKE, *STORE])
def test_what_a_panel_says(lake, store, folder, panel):
    subject, made = (lake, golden.Answers()) if panel in LAKE else (store, golden.Answers())
    for filters in FILTERS if panel in LAKE else ("",):
        for typed in TYPED.get(panel, ("",)) if not filters else ("",):
            made.add(f"{panel} {filters} {typed}".strip(), answer_of(subject, panel, filters, typed))
    golden.same(GOLDEN / f"{panel}.txt", plain(str(made), folder, store))


def test_headlines_and_why_panels_are_empty(lake, store, folder):
    lines = [f"{one.severity}: {one.sentence}" for one in map(explorer.headline, (lake, store))]
    for filters in FILTERS:
        lines += [f"== {filters}", *(f"{name}: {why}" for name, why in empty.empty(lake, filters).items())]
    assert empty.empty(store) == {}
    golden.same(GOLDEN / "headlines.txt", plain("\n".join(lines) + "\n", folder, store))


def plain(text, folder, store):
    """The text without what differs between two runs: folders and times of the day."""
    dataset = store.objects[0].path.rpartition("/")[0]
    for path, name in ((folder, "FOLDER"), (dataset, "DATASET"), (store.path, "STORE")):
        text = text.replace(str(path), name).replace(pathlib.Path(path).name, name)
    return re.sub(r"\d\d:\d\d:\d\d UTC", "12:00:00 UTC", text)
