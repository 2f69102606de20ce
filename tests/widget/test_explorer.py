import json
import random
import threading
import types
from collections import Counter

import pyarrow as pa
import pytest
import traitlets
from made import open_sample, parquet
from widget.pages import parts_of, replies_of, unpacked
from widget.samples import HOSTILE

import pqexplore
from pqexplore.engine.errors import UsageError
from pqexplore.engine.writer.samples import SAMPLES, write_sample
from pqexplore.insight.ask import slider_literals
from pqexplore.insight.what_if import trial
from pqexplore.widget import export
from pqexplore.widget.explorer import Explorer

SECRET = "only-in-the-values"


@pytest.fixture
def explorer(orders_bytes):
    return pqexplore.explore(orders_bytes)


def replies(explorer, op, **args):
    """Ask as a view does, through the widget's own message handler."""
    sent = []
    explorer.send = lambda content, buffers=None: sent.append((content, buffers))
    message = {"kind": "request", "id": 1, "op": op, "args": args}
    explorer._handle_custom_msg(message, [])
    return sent


def test_it_begins_where_it_is_told(orders_bytes):
    explorer = pqexplore.explore(orders_bytes, at="row_groups/1/columns/0", view="facts")
    assert (explorer.selection, explorer.view) == ("row_groups/1/columns/0", "facts")


def test_an_open_file_can_be_explored(file):
    assert pqexplore.explore(file).file is file


@pytest.mark.parametrize(
    "options",
    [{"at": "row_groups/9"}, {"at": "nonsense"}, {"view": "nonsense"}, {"engine": "nonsense"}, {"where": "x" * 4_001}],
)
def test_what_does_not_exist_cannot_be_begun_with(orders_bytes, options):
    with pytest.raises(UsageError):
        pqexplore.explore(orders_bytes, **options)


@pytest.mark.parametrize(("address", "hint"), [
    ("row_groups/0/columns/99", "below row_groups/0 there are"),
    ("row_groups/0/columns/0/pages/999/values/1", "below row_groups/0/columns/0 there are"),
    ("nonsense", "below the file there are"),
])  # fmt: skip
def test_selecting_what_does_not_exist_says_how_far_the_address_leads(explorer, address, hint):
    explorer.selection = "footer"
    with pytest.raises(UsageError, match=hint):
        explorer.selection = address
    assert explorer.selection == "footer"


def test_a_name_is_selected_by_its_address(explorer):
    name = explorer.file.schema.leaves[0].path[0]
    explorer.selection = f"row_groups/0/columns/{name}"
    assert explorer.selection == "row_groups/0/columns/0"
    with pytest.raises(UsageError, match="no single rows; rows/0 is in row_groups/0"):
        explorer.selection = "rows/0"


def test_a_damaged_place_can_be_selected(broken_file):
    explorer = pqexplore.explore(broken_file)
    page = next(p for p in broken_file.row_groups[0].columns["id"].pages if p.is_data)
    explorer.selection = page.address
    assert explorer.selection == page.address


def test_selection_hears_of_changes(explorer):
    seen = []
    explorer.observe(lambda change: seen.append(change["new"]), "selection")
    explorer.selection = "footer"
    assert seen == ["footer"]


def test_a_view_is_answered(explorer):
    [(reply, _)] = replies(explorer, "node", address="footer")
    assert reply["ok"]
    assert reply["result"]["kind"] == "footer"


def test_requests_may_come_from_several_threads(explorer):
    sent = []
    explorer.send = lambda content, buffers=None: sent.append(content)
    message = {"kind": "request", "op": "rows", "args": {"start": 0, "column": 0}}

    def ask(number):
        explorer._handle_custom_msg({**message, "id": number}, [])

    threads = [threading.Thread(target=ask, args=(i,)) for i in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(content["id"] for content in sent) == list(range(8))
    assert all(content["ok"] for content in sent)


def test_no_trait_holds_anything_of_the_files_contents():
    table = pa.table({SECRET: [SECRET]}).replace_schema_metadata({SECRET: SECRET})
    explorer = pqexplore.explore(parquet(table))
    for op, args in [("identity", {}), ("rows", {"start": 0, "column": 0}), ("node", {"address": ""})]:
        replies(explorer, op, **args)
    state = explorer.get_state()
    own = {name for name in state if name in Explorer.class_own_traits() and not name.startswith("_")}
    assert own == {"selection", "view", "lens", "where", "engine", "resumed"}
    assert SECRET not in json.dumps(state, default=str)
    assert SECRET not in repr(explorer)


def test_the_synced_traits_are_plain_text():
    for name in ("selection", "view", "where", "engine", "resumed"):
        assert isinstance(Explorer.class_traits()[name], traitlets.Unicode)


def test_the_bundle_offers_the_widget_and_a_picture(explorer):
    data, _ = explorer._repr_mimebundle_()
    assert "application/vnd.jupyter.widget-view+json" in data
    assert "1,000 rows" in data["text/html"]


def test_the_page_is_one_file_under_a_strict_policy(explorer):
    replies(explorer, "bytes", start=0, space="file")
    page = explorer.to_html(budget=100_000)
    assert "default-src 'none'" in page
    assert "http://" not in page.replace("http://www.w3.org", "")
    assert "src=" not in page.split("<style>")[0]


def saved_by_a_view(explorer):
    """The page that a view downloads, and the line of Python that comes with it."""
    sent = replies(explorer, "save")
    while sent[-1][0]["kind"] == "progress":
        explorer._handle_custom_msg({"kind": "continue", "id": 1}, [])
    assert sent[-1][0]["ok"], sent[-1][0]
    return b"".join(map(bytes, sent[-1][1])).decode(), sent[-1][0]["result"]["code"]


def test_a_view_saves_the_page_at_its_place(orders_bytes, monkeypatch):
    monkeypatch.setattr(export, "BUDGET", 100_000)
    explorer = pqexplore.explore(orders_bytes, at="row_groups/1", view="layout")
    page, code = saved_by_a_view(explorer)
    assert '{"selection": "row_groups/1", "view": "layout"' in page
    assert export.DECRYPTED not in page
    assert code.endswith(".write(pqexplore.explore(f, at='row_groups/1', view='layout').to_html())")
    assert export.key("save", {}) not in explorer._asked


@pytest.mark.parametrize("keys", [True, False])
def test_only_a_file_opened_with_keys_is_said_to_be_decrypted(tmp_path, monkeypatch, keys):
    monkeypatch.setattr(export, "BUDGET", 100_000)
    write_sample("encrypted", tmp_path / "a.parquet")
    decryption = pqexplore.Decryption(**SAMPLES["encrypted"].keys) if keys else None
    explorer = pqexplore.explore(tmp_path / "a.parquet", decryption=decryption)
    page, code = saved_by_a_view(explorer)
    assert (export.DECRYPTED in page, "decrypted=True" in code) == (keys, keys)
    assert replies(explorer, "identity")[-1][0]["result"]["decrypts"] is keys
    assert export.DECRYPTED not in explorer.to_html(budget=100_000)


def test_text_of_the_file_cannot_leave_its_script_element(hostile_file):
    explorer = pqexplore.explore(hostile_file)
    page = explorer.to_html()
    assert HOSTILE not in page
    assert page.count("</script>") == 5  # the snapshot's two parts, style sheet and script, what unpacks them
    kept, _ = data_of(page)
    assert "onerror" in str(kept)


def test_a_snapshot_has_what_lies_above_the_pages_and_what_was_seen(explorer):
    seen = {"address": "row_groups/1/columns/2/pages/1"}
    replies(explorer, "node", **seen)
    asked = list(explorer._asked.values())
    kept = dict(export.replies(explorer.file, asked, {"selection": ""}))
    assert export.key("node", seen) in kept
    assert export.key("identity", {}) in kept
    for group in range(2):
        for column in range(5):
            assert export.key("node", {"address": f"row_groups/{group}/columns/{column}"}) in kept
            page = f"row_groups/{group}/columns/{column}/pages/0"
            assert export.key("node", {"address": page}) in kept
    for op in ("layout", "bytes"):
        assert [name for name in kept if name.startswith(op)]
    names = list(kept)
    at = [names.index(export.key("node", {"address": f"row_groups/0/columns/{i}/pages/0"})) for i in range(5)]  # fmt: skip
    sizes = [chunk.metadata.total_compressed_size for chunk in explorer.file.row_groups[0].columns]
    assert at.index(min(at)) == sizes.index(max(sizes))  # the largest column first


def test_a_snapshot_has_the_answer_to_the_condition_that_is_set(orders_bytes):
    explorer = pqexplore.explore(orders_bytes, where=" id > 900 ", view="rows")
    state = {"selection": "row_groups/0", "where": explorer.where, "engine": explorer.engine}
    kept = dict(export.replies(explorer.file, [], state, seconds=0))
    asks = {"where": "id > 900", "engine": "format"}
    for address in ("", "row_groups/0"):
        reply = json.loads(kept[export.key("lens", {"address": address, "lens": "query", **asks})])
        assert reply["result"]["picture"]["where"] == "id > 900"
    assert json.loads(kept[export.key("ask_skips", asks)])["ok"]


def test_a_snapshot_without_a_condition_answers_those_that_the_lens_offers_and_no_other(explorer):
    kept = dict(export.replies(explorer.file, [], {"selection": "", "where": "", "engine": "format"}, seconds=0))
    offered = json.loads(kept[export.key("lens", {"address": "", "lens": "query"})])["result"]["picture"]["examples"]
    asked = [{"where": one["where"], "engine": "format"} for one in offered]
    assert asked
    assert [name for name in kept if name.startswith("ask_")] == [export.key("ask_skips", asks) for asks in asked]
    for asks in asked:
        assert json.loads(kept[export.key("lens", {"address": "", "lens": "query", **asks})])["result"]["picture"][
            "asked"
        ]


def test_a_wrong_condition_is_no_error_of_the_widget(orders_bytes):
    explorer = pqexplore.explore(orders_bytes, where="nonsense >")
    [(reply, _)] = replies(explorer, "node", address="", view="query", where=explorer.where)
    assert reply["ok"]
    assert "is not a condition" in reply["result"]["payload"]["picture"]["error"]


def data_of(page):
    """The replies of a saved page by name, and the bytes that they take in it."""
    return replies_of(page), sum(map(len, parts_of(page)))


@pytest.mark.parametrize("budget", [70_000, 250_000])
def test_a_page_stays_within_its_budget_and_begins_with_the_screen(explorer, budget):
    asked = "row_groups/1/columns/1/pages/0"
    replies(explorer, "node", address=asked)
    kept, size = data_of(explorer.to_html(budget=budget))
    assert 0 < size <= budget + 200
    assert [name.partition("{")[0] for name in kept][:3] == ["identity", "headline", "layout"]
    assert export.key("node", {"address": asked}) in kept


@pytest.fixture
def no_hurry(monkeypatch):
    monkeypatch.setattr(export, "SECONDS", float("inf"))


@pytest.mark.full
def test_a_larger_budget_has_more_and_the_default_has_every_lens_of_a_small_file(explorer, no_hurry):
    few, size = data_of(explorer.to_html(budget=250_000))
    kept, more = data_of(explorer.to_html())
    assert few.items() <= kept.items() and size < more <= export.BUDGET
    for address in ("row_groups/1", "row_groups/1/columns/4", "row_groups/1/columns/4/pages/0"):
        detail = kept[export.key("node", {"address": address})]["result"]
        for lens in detail["lenses"]:
            named = export.key("lens", {"address": address, "lens": lens["name"]})
            assert named in kept or lens["name"] in (detail["lens"], "facts")


@pytest.mark.parametrize("seconds, late", [(1e-9, True), (1_000, False)])
def test_a_page_that_time_ended_says_so(orders_bytes, monkeypatch, seconds, late):
    monkeypatch.setattr(export, "SECONDS", seconds)
    page = pqexplore.explore(orders_bytes).to_html(budget=200_000)
    assert ("Not everything was saved: the file is slow to read" in page) is late


class TestTakingItAlong:
    """What is on the screen as Python: the line that shows it again, the table as a DataFrame."""

    def test_the_code_shows_the_same_view_again(self, tmp_path, orders_bytes):
        path = tmp_path / "orders.parquet"
        path.write_bytes(orders_bytes)
        explorer = pqexplore.explore(str(path), at="row_groups/1", view="facts")
        assert explorer.code == f"pqexplore.explore({str(path)!r}, at='row_groups/1', view='facts')"
        again = eval(explorer.code, {"pqexplore": pqexplore})
        assert (again.selection, again.view) == ("row_groups/1", "facts")

    def test_the_code_asks_the_same_condition_again(self, file):
        explorer = pqexplore.explore(file, where="id > 5")
        assert explorer.view == "query"
        assert explorer.code == "pqexplore.explore(f, view='query', where='id > 5')"

    def test_a_file_without_a_path_is_called_f(self, file):
        assert pqexplore.explore(file).code == "pqexplore.explore(f)"

    def test_a_frame_of_a_lens(self, explorer):
        frame = explorer.to_frame("facts", at="row_groups/0")
        assert frame.loc[frame["fact"] == "rows", "value"].to_list() == [600]

    def test_a_frame_of_the_present_view(self, explorer):
        explorer.selection, explorer.view = "row_groups/1", "facts"
        frame = explorer.to_frame()
        assert frame.loc[frame["fact"] == "rows", "value"].to_list() == [400]

    @pytest.mark.parametrize(("lens", "at", "message"), [
        ("page", "", "does not apply to a file"),
        ("nonsense", "", "there is no lens"),
        ("facts", "row_groups/7", "there is nothing at"),
    ])  # fmt: skip
    def test_what_has_no_frame_says_why(self, explorer, lens, at, message):
        with pytest.raises(UsageError, match=message):
            explorer.to_frame(lens, at=at)

    def test_display_where_a_notebook_shows_pages_of_html(self, explorer, monkeypatch):
        shown = []
        shell = types.SimpleNamespace(user_ns={"displayHTML": shown.append})
        monkeypatch.setattr("pqexplore.widget.explorer._interactive", lambda: shell)
        explorer.display(budget=50_000)
        assert shown == [explorer.to_html(budget=50_000)]

    def test_display_elsewhere_is_a_frame_that_holds_the_page(self, explorer, monkeypatch):
        shown = []
        monkeypatch.setattr("IPython.display.display", lambda data, raw: shown.append(data))
        explorer.display(budget=50_000)
        assert shown[0]["text/html"].startswith('<iframe srcdoc="&lt;!doctype html')
        assert "<script" not in shown[0]["text/html"]


@pytest.mark.full
def test_the_page_of_a_sample_has_at_most_900_kb():
    with open_sample("events") as file:
        assert len(pqexplore.explore(file).to_html().encode()) <= 900_000


def test_a_page_finds_once_what_all_row_groups_and_columns_have_in_common(orders_bytes, monkeypatch):
    found = Counter()

    def counted(module, name):
        real = getattr(module, name)

        def call(*args):
            found[name, args[1:]] += 1
            return real(*args)

        monkeypatch.setattr(module, name, call)

    counted(slider_literals, "_examples")
    counted(trial, "footer_of")
    pqexplore.explore(orders_bytes).to_html(budget=300_000)
    assert len(found) > 3 and max(found.values()) <= 2  # examples anew if there are findings since


def test_replies_that_do_not_fit_are_dropped_and_leave_no_empty_block():
    data = export.Data(4_000)
    assert data.add("first", reply(["x" * (export.FIRST - 100)]))
    assert data.add("a", reply(["y" * 5_000]), "a")
    assert not data.add("b", reply([random.Random(1).randbytes(50_000).hex()]), "b")
    assert list(unpacked(data.first)) == ["first"]
    [block] = data.blocks
    assert unpacked(block) == {"a": {"ok": True, "result": ["y" * 5_000], "buffers": []}}


def test_a_full_page_has_the_replies_up_to_the_one_that_does_not_fit():
    data, noise, added = export.Data(100_000), random.Random(2), 0
    while data.add(f"{added}", reply(noise.randbytes(1_000).hex()), f"{added % 3}"):
        added += 1
    blocks = [data.first, *data.blocks]
    kept = {int(name) for one in blocks for name in unpacked(one)}
    assert kept == set(range(len(kept))) and len(kept) <= added
    assert 0.9 * 100_000 < sum(map(len, blocks)) <= 100_000


def test_replies_of_a_kind_are_compressed_together():
    data = export.Data(1 << 20)
    assert data.add("first", reply("x" * export.FIRST))
    for number in range(10):
        for kind in ("a", "b"):
            assert data.add(f"{kind}{number}", reply(1), kind)
    kinds = [{name[0] for name in unpacked(one)} for one in data.blocks]
    assert kinds == [{"f"}, {"a"}, {"b"}]


def reply(result):
    return json.dumps({"ok": True, "result": result, "buffers": []})
