"""`%pqexplore` in a real shell: what it opens, what it refuses, what Tab offers."""

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from IPython.core.completer import provisionalcompleter
from IPython.core.error import UsageError
from IPython.testing.globalipapp import start_ipython

from pqexplore.engine.writer.samples import write_sample
from pqexplore.insight.answer import Answer


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


@pytest.mark.parametrize(
    "line, selection, view",
    [
        ("one.parquet", "", ""),
        ("'two words.parquet'", "", ""),
        (r"two\ words.parquet", "", ""),
        ("one.parquet --at row_groups/0", "row_groups/0", ""),
        ("--view facts one.parquet --at schema/1", "schema/1", "facts"),
    ],
)
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


@pytest.mark.parametrize(
    "line, told",
    [
        ("", "needs a file"),
        ("more --what-if", "--what-if takes a file"),
        ("one.parquet --what-if --view rows", "neither --view nor --where"),
        ("one.parquet --what-if --doctor", "do not go together"),
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
        ("one.parquet --diff one.parquet --doctor", "--doctor does not go with it"),
    ],
)
def test_misuse_is_a_usage_error(shell, folder, line, told):
    with pytest.raises(UsageError, match=told.replace("(", r"\(")):
        shell.run_line_magic("pqexplore", line)


def test_a_folder_of_files_opens_in_the_lake_explorer(shell, folder, capsys):
    found = shell.run_line_magic("pqexplore", ".")
    assert type(found).__name__ == "LakeExplorer"
    [total] = found.subject.sql(
        "SELECT count(*) AS files FROM files WHERE status = 'ok'"
    ).to_pylist()
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


@pytest.mark.parametrize(
    "typed, offered",
    [
        ("%pqexplore on", ["one.parquet"]),
        ("pqexplore on", ["one.parquet"]),
        ("%pqexplore tw", [r"two\ words.parquet"]),
        ("%pqexplore mo", ["more/"]),
        (
            "%pqexplore one.parquet -",
            [
                "--at",
                "--view",
                "--where",
                "--engine",
                "--what-if",
                "--diff",
                "--doctor",
                "--level",
                "--readers",
            ],
        ),
        ("%pqexplore one.parquet --v", ["--view"]),
        ("%pqexplore one.parquet --view pa", ["page_index", "page"]),
        ("%pqexplore one.parquet --view ", ["rows", "page", "facts"]),
        ("%pqexplore where_it_l", ["where_it_lies"]),
        ("%%pqexplore --view facts\non", ["one.parquet"]),
    ],
)
def test_tab_completes(shell, folder, typed, offered):
    shell.user_ns["where_it_lies"] = "one.parquet"
    shell.user_ns["where_it_leads"] = 3
    assert set(offered) <= set(complete(shell, typed))
    if not typed.endswith("--view "):
        assert complete(shell, typed) == offered


def test_other_lines_complete_as_before(shell, folder):
    shell.user_ns["ordinary_name"] = 1
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


DOCTOR = [
    # the line, and what is printed
    ("one.parquet --doctor", "By the footer, nothing to mend"),
    ("one.parquet --doctor --level data", "By all its bytes, nothing to mend"),
    ("one.parquet --doctor --readers predict", "pyarrow"),
    ("some_bytes --doctor", "By the footer, nothing to mend"),
]


@pytest.mark.parametrize(("line", "words"), DOCTOR)
def test_the_doctor_prints_its_report(shell, folder, capsys, line, words):
    shell.user_ns["some_bytes"] = (folder / "one.parquet").read_bytes()
    assert shell.run_line_magic("pqexplore", line) is None
    assert words in capsys.readouterr().out


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("one.parquet --level data", "go with --doctor"),
        ("more --doctor", "--doctor takes files"),
        ("no.parquet --doctor", "No such file"),
    ],
)
def test_what_the_doctor_refuses(shell, folder, line, words):
    with pytest.raises(UsageError, match=words):
        shell.run_line_magic("pqexplore", line)


@pytest.fixture
def pages(folder):
    """`pages.parquet`, in the working folder."""
    write_sample("page-index", folder / "pages.parquet")


def test_what_a_view_says_is_an_answer(shell, pages, capsys):
    answer = shell.run_line_magic("pqexplore", "stats pages.parquet --column up --row-group 0")
    assert isinstance(answer, Answer) and "sorted" in answer.sentence.lower()
    assert capsys.readouterr().out == ""


@pytest.mark.parametrize(
    "line, printed",
    [
        ("head pages.parquet -n 1 --columns up", "pages.parquet\n  up\n   0\n"),
        ("cat pages.parquet --rows 1:2 --columns up", '{"up": 1}\n'),
        ("check pages.parquet --json", '{"version": 1, "kind": "findings", "name": "pages.parquet", "findings": ['),
        ("explain page", "page\n"),
        ("stats --help", "usage: pqexplore stats"),
    ],
)
def test_other_verbs_print(shell, pages, capsys, line, printed):
    assert shell.run_line_magic("pqexplore", line) is None
    assert capsys.readouterr().out.startswith(printed)


@pytest.mark.parametrize(
    "line, said",
    [
        ("stats nowhere.parquet", "nowhere.parquet: No such file"),
        ("stats pages.parquet --column nix", "no column 'nix'"),
        ("head pages.parquet --footer-key-file env:NO_SUCH_KEY", "no variable NO_SUCH_KEY"),
    ],
)
def test_what_is_wrong_is_a_usage_error(shell, pages, line, said):
    with pytest.raises(UsageError, match=said):
        shell.run_line_magic("pqexplore", line)


def test_a_variable_goes_before_a_verb(shell, pages):
    shell.user_ns["head"] = "pages.parquet"
    try:
        assert shell.run_line_magic("pqexplore", "head").file.num_rows > 0
    finally:
        del shell.user_ns["head"]
