"""`%pqexplore` in a real shell: what it opens, what it refuses, what Tab offers."""

import html
import re
import sys
from pathlib import Path
from types import ModuleType

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from IPython.core.completer import provisionalcompleter
from IPython.core.error import UsageError
from IPython.testing.globalipapp import start_ipython

from pqexplore.engine.format.encryption.keys import Decryption
from pqexplore.engine.writer.samples import write_sample
from pqexplore.insight.answer import Answer

DOCS = Path(__file__).resolve().parents[1] / "docs"


@pytest.fixture(scope="module")
def shell():
    shell = start_ipython()
    shell.run_line_magic("load_ext", "pqexplore")
    return shell


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """The working folder of the test, with files to explore."""
    for name in ("one.parquet", "two words.parquet"):
        pq.write_table(pa.table({"a": [1, 2, 3]}), tmp_path / name)
    (tmp_path / "notes.txt").write_text("no Parquet")
    (tmp_path / "more").mkdir()
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("line, selection, view", [
    ("one.parquet", "", ""),
    ("'two words.parquet'", "", ""),
    (r"two\ words.parquet", "", ""),
    ("one.parquet --at row_groups/0", "row_groups/0", ""),
    ("--view facts one.parquet --at schema/1", "schema/1", "facts"),
])  # fmt: skip
def test_a_line_gives_an_explorer(shell, folder, line, selection, view):
    explorer = shell.run_line_magic("pqexplore", line)
    assert explorer.file.num_rows == 3
    assert (explorer.selection, explorer.view) == (selection, view)


def test_a_variable_is_a_source(shell, folder):
    import pqexplore

    held = {
        "a_path": folder / "one.parquet",
        "a_text": "one.parquet",
        "some_bytes": (folder / "one.parquet").read_bytes(),
        "a_file": pqexplore.open("one.parquet"),
    }
    shell.user_ns.update(held)
    for name in held:
        assert shell.run_line_magic("pqexplore", name).file.num_rows == 3
    assert shell.run_line_magic("pqexplore", "a_file").file is held["a_file"]


def test_a_second_file_is_compared(shell, folder):
    shell.user_ns["other"] = folder / "two words.parquet"
    for line in ("one.parquet --diff other", "one.parquet --diff 'two words.parquet'"):
        explorer = shell.run_line_magic("pqexplore", line)
        assert explorer.view == "diff" and explorer.against.name.endswith("two words.parquet")


def test_a_cell_has_one_file_a_line(shell, folder, capsys):
    cell = "one.parquet\n\n# a comment\n'two words.parquet' --at footer\n"
    shell.run_cell_magic("pqexplore", "--view facts", cell)
    shown = capsys.readouterr().out
    assert "one.parquet" in shown and "two words.parquet at footer" in shown
    one = shell.run_cell_magic("pqexplore", "--at row_groups/0", "one.parquet\n")
    assert one.selection == "row_groups/0"


def test_what_if_begins_with_its_lens(shell, folder):
    assert shell.run_line_magic("pqexplore", "one.parquet --what-if").view == "what_if"
    assert shell.run_cell_magic("pqexplore", "--what-if", "one.parquet\n").view == "what_if"
    assert shell.run_line_magic("pqexplore", "one.parquet").view == ""


@pytest.mark.parametrize("line, told", [
    ("", "needs a file"),
    ("more --what-if", "--what-if takes a file"),
    ("one.parquet --what-if --view rows", "neither --view nor --where"),
    ("one.parquet --doctor", "--doctor"),
    ("nowhere.parquet", "nowhere.parquet: No such file"),
    ("more", "more has no file named"),
    ("one.parquet --at row_groups/7", "row_groups/7"),
    ("one.parquet --view sideways", "sideways"),
    ("one.parquet --sideways", "--sideways"),
    ("one.parquet two.parquet", "two.parquet"),
    ("'one.parquet", "quotation"),
    ("--at", "--at"),
    ("one.parquet --view diff", "needs a second file"),
    ("one.parquet --diff more", "--diff compares two files, not folders"),
    ("one.parquet --diff nowhere.parquet", "nowhere.parquet: No such file"),
])  # fmt: skip
def test_misuse_is_a_usage_error(shell, folder, line, told):
    with pytest.raises(UsageError, match=told.replace("(", r"\(")):
        shell.run_line_magic("pqexplore", line)


def test_a_folder_of_files_opens_in_the_lake_explorer(shell, folder, capsys):
    found = shell.run_line_magic("pqexplore", ".")
    assert type(found).__name__ == "LakeExplorer"
    [total] = found.subject.sql("SELECT count(*) AS files FROM files WHERE status = 'ok'").to_pylist()
    assert total["files"] == 2
    assert "files" in capsys.readouterr().out  # how far the scan is


def test_an_empty_line_in_a_cell_is_no_file(shell, folder):
    with pytest.raises(UsageError, match="no file in the line '--view facts'"):
        shell.run_cell_magic("pqexplore", "", "--view facts\n")


def test_a_damaged_file_is_told_in_a_sentence(shell, folder, capsys):
    result = shell.run_cell("%pqexplore notes.txt")
    assert type(result.error_in_exec).__name__ == "NotParquetError"
    shown = capsys.readouterr().out
    assert "NotParquetError" in shown and "Traceback" not in shown


def complete(shell, text):
    with provisionalcompleter():
        return [one.text for one in shell.Completer.completions(text, len(text))]


@pytest.mark.parametrize("typed, offered", [
    ("%pqexplore on", ["one.parquet"]),
    ("pqexplore on", ["one.parquet"]),
    ("%pqexplore tw", [r"two\ words.parquet"]),
    ("%pqexplore mo", ["more/"]),
    ("%pqexplore one.parquet -", ["--at", "--view", "--where", "--engine", "--what-if", "--diff", "--json", "--kms"]),
    ("%pqexplore one.parquet --vi", ["--view"]),
    ("%pqexplore doc", ["doctor"]),
    ("%pqexplore doctor on", ["one.parquet"]),
    ("%pqexplore doctor one.parquet --level ", ["footer", "pages", "sample", "data", "all"]),
    ("%pqexplore stats one.parquet --column ", ["a"]),
    ("%pqexplore stats where_it_lies --column ", ["a"]),
    ("%pqexplore one.parquet --footer-key-file a_k", ["a_key"]),
    ("%pqexplore one.parquet --decryption the", ["the_keys"]),
    ("%pqexplore a_k", ["a_key"]),
    ("%pqexplore the", []),
    ("%pqexplore a_li", ["a_list"]),
    ("%pqexplore one.parquet --view pa", ["page_index", "page"]),
    ("%pqexplore one.parquet --view ", ["rows", "page", "facts"]),
    ("%pqexplore where_it_l", ["where_it_lies"]),
    ("%%pqexplore --view facts\non", ["one.parquet"]),
])  # fmt: skip
def test_tab_completes(shell, folder, typed, offered):
    shell.user_ns["where_it_lies"] = "one.parquet"
    shell.user_ns["where_it_leads"] = 3
    shell.user_ns["a_key"] = b"0123456789abcdef"
    shell.user_ns["the_keys"] = Decryption(footer_key=b"0123456789abcdef")
    shell.user_ns["a_list"] = ["one.parquet"]
    assert set(offered) <= set(complete(shell, typed))
    if not typed.endswith(("--view ", " -")):
        assert complete(shell, typed) == offered


def test_other_lines_complete_as_before(shell, folder):
    shell.user_ns["ordinary_name"] = 1
    shell.Completer.use_jedi = False  # it gives up after 0.4 s, which a busy machine can take
    assert "ordinary_name" in complete(shell, "ordinary_n")


def test_loading_twice_completes_once(shell, folder):
    shell.run_line_magic("reload_ext", "pqexplore")
    known = [m for m in shell.Completer.custom_matchers if m.matcher_identifier == "pqexplore"]
    assert len(known) == 1
    assert complete(shell, "%pqexplore on") == ["one.parquet"]


def test_a_line_asks_what_a_query_reads(shell, folder):
    explorer = shell.run_line_magic("pqexplore", 'one.parquet --where "a > 2" --engine duckdb')
    assert (explorer.where, explorer.engine, explorer.view) == ("a > 2", "duckdb", "query")


def test_a_folder_is_asked_in_the_lake_explorer(shell, folder):
    explorer = shell.run_line_magic("pqexplore", '. --where "a > 2"')
    assert (explorer.where, explorer.panel) == ("a > 2", "query")


@pytest.mark.parametrize("line, words", [
    ("doctor one.parquet", "No problems found (footer, all"),
    ("doctor one.parquet --level data", "No problems found (footer, all"),
    ("doctor one.parquet --readers", "pyarrow"),
    ("doctor some_bytes", "No problems found (footer, all"),
])  # fmt: skip
def test_the_doctor_gives_its_report(shell, folder, line, words):
    shell.user_ns["some_bytes"] = (folder / "one.parquet").read_bytes()
    report = shell.run_line_magic("pqexplore", line)
    assert type(report).__name__ == "Report"
    assert words in displayed(shell, report)["text/plain"]


def displayed(shell, result):
    """What the shell shows of a result, by MIME type."""
    formatter = shell.display_formatter
    before = formatter.active_types
    formatter.active_types = [*before, "text/html"]  # as a notebook has them
    try:
        bundle, _ = formatter.format(result)
        return bundle
    finally:
        formatter.active_types = before


@pytest.fixture
def pages(folder):
    """`pages.parquet`, in the working folder."""
    write_sample("page-index", folder / "pages.parquet")


def test_what_a_view_says_is_an_answer(shell, pages, capsys):
    answer = shell.run_line_magic("pqexplore", "stats pages.parquet --column up --row-group 0")
    assert isinstance(answer, Answer) and "sorted" in answer.sentence.lower()
    assert capsys.readouterr().out == ""


@pytest.mark.parametrize("line, kind, shown", [
    ("stats pages.parquet --column up", "Answer", "pages.parquet: schema/1, statistics\n"),
    ("pages.parquet --where 'up > 3' --verify", "Plan", "pages.parquet: up > 3\n"),
    ("ask pages.parquet 'up > 3'", "Plan", "pages.parquet: up > 3\n"),
    ("diff pages.parquet one.parquet", "Diff", "one.parquet is 97 % smaller"),
    ("what-if pages.parquet --seconds 1", "Trial", "4 columns take"),
    ("lake .", "Lake", ".\n"),
    ("lake . --sql 'SELECT 1 AS a'", "Table", ".: SELECT 1 AS a\n"),
    ("head pages.parquet -n 1 --columns up", "Table", "pages.parquet\n  up\n   0"),
    ("cat pages.parquet --rows 1:2 --columns up", "Table", '{"up": 1}'),
    ("check pages.parquet", "Results", "pages.parquet: "),
    ("schema pages.parquet", "Schema", "message "),
    ("explain page", "Term", "page\n"),
    ("stats *.parquet", "Results", "one.parquet: the file, statistics\n"),
])  # fmt: skip
def test_a_verb_returns_an_object(shell, pages, capsys, line, kind, shown):
    result = shell.run_line_magic("pqexplore", line)
    assert type(result).__name__ == kind
    assert capsys.readouterr().out == ""  # it is displayed once, by the shell
    bundle = displayed(shell, result)
    assert bundle["text/plain"].startswith(shown)
    assert bundle["text/html"].startswith("<")


def test_text_as_html_keeps_its_lines(shell, pages):
    report = shell.run_line_magic("pqexplore", "doctor pages.parquet")
    bundle = displayed(shell, report)
    lines = html.unescape(bundle["text/html"]).removeprefix("<pre><code>")
    assert lines.removesuffix("</code></pre>") == bundle["text/plain"]
    assert "\n  No problems found" in lines


def test_only_results_of_lines_are_displayed_otherwise(shell, pages):
    table = shell.run_line_magic("pqexplore", "head pages.parquet -n 1")
    assert "text/html" in displayed(shell, table)
    other = pa.table({"a": [1]})
    assert displayed(shell, other) == {"text/plain": repr(other)}
    shell.run_line_magic("unload_ext", "pqexplore")
    assert displayed(shell, table) == {"text/plain": repr(table)}
    shell.run_line_magic("load_ext", "pqexplore")


def test_an_object_can_be_asked_more(shell, pages):
    plan = shell.run_line_magic("pqexplore", "ask pages.parquet 'up > 3'")
    assert plan.verify() is not None
    lake = shell.run_line_magic("pqexplore", "lake .")
    assert lake.sql("SELECT count(*) AS n FROM files WHERE status = 'ok'").to_pylist() == [{"n": 3}]


@pytest.mark.parametrize("line, printed", [
    ("check pages.parquet --json", '{"version": 1, "kind": "findings", "name": "pages.parquet", "findings": ['),
    ("pages.parquet --json", '{"version": 1, "kind": "file", "name": "pages.parquet"'),
    ("stats --help", "usage: pqexplore stats"),
    ("--help", "usage: pqexplore [OPTIONS] FILE"),
    ("sample deltas made.parquet", "wrote made.parquet"),
])  # fmt: skip
def test_the_rest_is_printed(shell, pages, capsys, line, printed):
    assert shell.run_line_magic("pqexplore", line) is None
    assert capsys.readouterr().out.startswith(printed)


@pytest.mark.parametrize("line, said", [
    ("stats nowhere.parquet", "nowhere.parquet: No such file"),
    ("stats pages.parquet --column nix", "no column 'nix'"),
    ("head pages.parquet --footer-key-file env:NO_SUCH_KEY", "no variable of that name"),
])  # fmt: skip
def test_what_is_wrong_is_a_usage_error(shell, pages, line, said):
    with pytest.raises(UsageError, match=said):
        shell.run_line_magic("pqexplore", line)


def test_a_variable_goes_before_a_verb(shell, pages):
    shell.user_ns["head"] = "pages.parquet"
    try:
        assert shell.run_line_magic("pqexplore", "head").file.num_rows > 0
    finally:
        del shell.user_ns["head"]


QUERIES = [
    ("pages.parquet", "up > 3", "pages.parquet: up > 3\n"),
    ("pages.parquet", "SELECT up\nFROM t\nWHERE up > 3;\n", "pages.parquet: SELECT up FROM t WHERE"),
    ("pages.parquet --engine duckdb", "up > 3", "pages.parquet: up > 3\n  DuckDB"),
    ("ask pages.parquet", "up > 3", "pages.parquet: up > 3\n"),
    ("ask pages.parquet --engine duckdb", "up > 3", "pages.parquet: up > 3\n  DuckDB"),
    ("a_frame", "a > 1", "table in memory: a > 1\n"),
]


@pytest.mark.parametrize("line, cell, shown", QUERIES)
def test_a_query_in_a_cell_is_explained(shell, pages, line, cell, shown):
    shell.user_ns["a_frame"] = pa.table({"a": [1, 2]})
    plan = shell.run_cell_magic("pqexplore", line, cell)
    assert type(plan).__name__ == "Plan"
    assert displayed(shell, plan)["text/plain"].startswith(shown)


@pytest.mark.parametrize("line, cell, said", [
    ("", "SELECT up FROM t", "names the file"),
    ("stats pages.parquet", "up > 3", "goes with ask, not with stats"),
    ("pages.parquet", "up >", "up >"),
])  # fmt: skip
def test_what_a_cell_refuses(shell, pages, line, cell, said):
    with pytest.raises(UsageError, match=said):
        shell.run_cell_magic("pqexplore", line, cell)


class Frame:
    """A DataFrame of Spark, as far as its files matter."""

    def __init__(self, *files):
        self.files = files

    def inputFiles(self):  # as Spark names it
        return list(self.files)


@pytest.fixture
def held(shell, pages, folder):
    """Variables that stand for sources of 3 rows each."""
    path = folder / "one.parquet"
    table = pq.read_table(path)
    with path.open("rb") as opened:
        shell.user_ns |= {
            "of_path": path,
            "of_text": "one.parquet",
            "of_pattern": "on*.parquet",
            "of_bytes": path.read_bytes(),
            "of_stream": opened,
            "of_arrow": table,
            "of_pandas": table.to_pandas(),
            "of_frame": Frame(path.as_uri()),
            "of_frames": Frame(path.as_uri(), (folder / "two words.parquet").as_uri()),
            "of_paths": ["one.parquet", folder / "two words.parquet"],
            "of_tables": (table, table),
            "of_nothing": [],
            "of_number": 3,
        }
        yield


@pytest.mark.parametrize("name, files", [
    *[(name, 1) for name in ("of_path", "of_text", "of_pattern", "of_bytes", "of_stream")],
    *[("of_arrow", 1), ("of_pandas", 1), ("of_frame", 1)],
    *[("of_frames", 2), ("of_paths", 2), ("of_tables", 2), ("one.parquet of_frames", 3)],
])  # fmt: skip
def test_variables_are_sources_of_verbs(shell, held, name, files):
    result = shell.run_line_magic("pqexplore", f"head {name}")
    found = result if isinstance(result, list) else [result]
    assert [one.num_rows for one in found] == [3] * files


@pytest.mark.parametrize("line, kind", [
    ("of_pandas", "Explorer"),
    ("of_frame", "Explorer"),
    ("of_frames", "LakeExplorer"),
    ("doctor of_pandas", "Report"),
    ("diff of_arrow one.parquet", "Diff"),
    ("lake of_frames", "Lake"),
    ("what-if of_bytes --seconds 1", "Trial"),
    ("rewrite of_bytes of_new.parquet", "Plan"),
    ("salvage of_bytes", "Salvaged"),
])  # fmt: skip
def test_other_verbs_take_variables(shell, held, line, kind):
    assert type(shell.run_line_magic("pqexplore", line)).__name__ == kind


@pytest.mark.parametrize("line, said", [
    ("head of_nothing", "the list of_nothing is empty"),
    ("head of_number", "is expected, not int"),
    ("salvage of_paths", "one is expected here; of_paths has 2"),
    ("diff of_arrow of_arrow of_arrow", "three files or more are paths"),
    ("head a.b.c", "the name of a table needs an active session"),
    ("head a.parquet", "No such file"),
])  # fmt: skip
def test_what_is_no_source(shell, held, line, said):
    with pytest.raises(UsageError, match=said):
        shell.run_line_magic("pqexplore", line)


def test_an_open_file_stays_open(shell, pages):
    import pqexplore

    with pqexplore.open("pages.parquet") as shell.user_ns["of_user"]:
        for verb in ("head", "rewrite", "stats"):
            new = " new.parquet" if verb == "rewrite" else ""
            shell.run_line_magic("pqexplore", f"{verb} of_user{new}")
        assert shell.user_ns["of_user"].head(1).num_rows == 1


def test_a_table_is_named_by_the_session(shell, folder, monkeypatch):
    class Refused(Exception):
        pass

    class Session:
        def getActiveSession():
            return Session()

        @property
        def catalog(self):
            return self

        def tableExists(self, name):
            if name.startswith("no."):
                raise Refused("no catalog")
            return name == "main.sales.orders"

        def table(self, name):
            return Frame((folder / "one.parquet").as_uri())

    monkeypatch.setitem(sys.modules, "pyspark", ModuleType("pyspark"))
    for module, name, made in (("sql", "SparkSession", Session), ("errors", "PySparkException", Refused)):
        fake = ModuleType(f"pyspark.{module}")
        setattr(fake, name, made)
        monkeypatch.setitem(sys.modules, f"pyspark.{module}", fake)
    assert shell.run_line_magic("pqexplore", "head main.sales.orders").num_rows == 3
    for line, said in (("head main.sales.others", "No such"), ("head no.such.table", "no catalog")):
        with pytest.raises(UsageError, match=said):
            shell.run_line_magic("pqexplore", line)


def test_a_kms_is_a_variable(shell, folder):
    import pqexplore
    from pqexplore.engine.format.encryption.key_material import create
    from pqexplore.engine.format.encryption.keys import LocalKms

    kms = LocalKms({"master": b"m" * 16})
    key = b"0123456789abcdef"
    keys = pqexplore.Encryption(footer_key=key, key_metadata={"": create(key, "master", kms, is_footer_key=True)})
    pqexplore.write(pa.table({"a": [1, 2]}), "secret.parquet", pqexplore.WriteOptions(encryption=keys))
    shell.user_ns["of_kms"] = kms
    assert shell.run_line_magic("pqexplore", "head secret.parquet --kms of_kms").num_rows == 2
    with pytest.raises(UsageError, match="key"):
        shell.run_line_magic("pqexplore", "head secret.parquet")


@pytest.mark.parametrize("form", ["{}", "env:{}", "var:{}"])
@pytest.mark.parametrize("key", ["0123456789abcdef", "00112233445566778899aabbccddeeff"])
def test_a_key_itself_is_refused_and_in_no_error(shell, pages, form, key):
    line = f"head pages.parquet --footer-key-file {form.format(key)}"
    with pytest.raises(UsageError) as refused:
        shell.run_line_magic("pqexplore", line)
    assert key not in str(refused.value)


@pytest.mark.parametrize("options, said", [
    ("--footer-key-file $a_key", "there is no file with the name"),
    ("--footer-key-file {a_key}", "there is no file with the name"),
    ("--column-key up=$a_key", "there is no file with the name"),
    ("--footer-key-file var:$a_key", "there is no variable"),
    ("--footer-keys $a_key", "unrecognized arguments: --footer-keys …"),
    ("--footer-keys=$a_key", "unrecognized arguments: --footer-keys=…"),
    ("--co=up=$a_key", "ambiguous option: --co=…"),
])  # fmt: skip
def test_the_value_of_a_variable_is_in_no_error(shell, pages, capsys, options, said):
    shell.user_ns["a_key"] = b"0123456789abcdef"
    shell.run_cell(f"%pqexplore head pages.parquet {options}")
    shown = "".join(capsys.readouterr())
    assert said in shown and "0123456789abcdef" not in shown


@pytest.mark.parametrize("name", ["{pages}.parquet", "{1+1}.parquet", "$pages.parquet"])
def test_braces_and_dollars_of_a_path_are_not_evaluated(shell, pages, name):
    """IPython put values in the place of them before the magic had the line."""
    shell.user_ns["pages"] = "other"
    Path(name).write_bytes(Path("pages.parquet").read_bytes())
    shell.run_cell(f"%pqexplore '{name}'").raise_error()
    assert shell.user_ns["_"].file.name == name


def test_the_blocks_of_the_docs_run(shell, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for path, name in {
        "events.parquet": "events",
        "rewritten.parquet": "events",
        "secret.parquet": "encrypted-columns",
    }.items():
        write_sample(name, path)
    footer, column = b"0123456789012345", b"1234567890123450"
    shell.user_ns |= {"footer_key": footer, "column_key": column}
    shell.user_ns["keys"] = Decryption(footer_key=footer, column_keys={"secret": column})
    blocks = re.findall(r"```\n(.*?)```", (DOCS / "magic.md").read_text("utf-8"), re.S)
    assert len(blocks) == 12
    for block in blocks:
        assert shell.run_cell(block).success, block
