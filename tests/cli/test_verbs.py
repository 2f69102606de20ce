"""The verbs of the command line: what each prints, with which exit status, and as JSON."""

import json
import re
import shlex
import sys

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from json_schema import SCHEMA, branches, misfits, named

from pqexplore import lake as lakes
from pqexplore.cli import DONE, FOUND, UNREADABLE, USAGE, main
from pqexplore.cli.verbs import VERBS
from pqexplore.engine.errors import (
    CorruptFileError,
    CredentialsError,
    EncryptedFileError,
    LimitExceededError,
    NetworkError,
    NoAnswerError,
    NotParquetError,
    StoreError,
    ThrottledError,
    UnsupportedFeatureError,
    UsageError,
)
from pqexplore.engine.writer.file import write
from pqexplore.engine.writer.samples import SAMPLES, write_sample
from pqexplore.insight.across import joined
from pqexplore.insight.lenses import LENSES
from pqexplore.insight.questions import QUESTIONS
from pqexplore.lake import metadatastore


@pytest.fixture(scope="module")
def samples(tmp_path_factory):
    """Sample files by their names; `cut` is `events` without its last bytes, `more` a folder with two files."""
    folder = tmp_path_factory.mktemp("samples")
    for name in ("events", "variant", "bloom-filter", "sick-checksum", "page-index"):
        write_sample(name, folder / f"{name}.parquet")
    data = (folder / "page-index.parquet").read_bytes()
    (folder / "cut.parquet").write_bytes(data[:-300])
    (folder / "no.parquet").write_bytes(b"PAR1 and nothing more")
    (folder / "more").mkdir()
    for name in ("a", "b"):
        (folder / "more" / f"{name}.parquet").write_bytes(data)
    write_sample("encrypted", folder / "encrypted.parquet")
    (folder / "key").write_bytes(SAMPLES["encrypted"].keys["footer_key"])
    (folder / "ds").mkdir()
    for part in range(4):
        rows = range(10 * part, 10 * part + 10)
        pq.write_table(pa.table({"x": list(rows)}), folder / "ds" / f"{part}.parquet")
    metadatastore.build(None, folder / "ds", [metadatastore.MinMax("x")], folder / "md")
    lakes.scan(None, folder / "ds", out=folder / "store", processes=0)
    for name in ("drift", "mixed"):
        (folder / name).mkdir()
        for part, kind in enumerate((pa.int64(), pa.int32())):
            pq.write_table(pa.table({"x": pa.array([1], kind)}), folder / name / f"{part}.parquet")
    (folder / "mixed" / "bad.parquet").write_bytes(data[:-300])
    return folder


def run(capsys, *words):
    try:
        status = main(list(words))
    except SystemExit as stopped:
        status = stopped.code
    out, err = capsys.readouterr()
    return status, out, err


SAID = [
    # words, exit status, what is printed (white space does not count)
    ("head events.parquet -n 2", DONE, ["events.parquet id time user country", "1000000 2026-03-01 00:01:15", '["beta","beta"]']),
    ("head events.parquet -n 0", DONE, ["no rows"]),
    ("head events.parquet -n -1", USAGE, ["-n is a number of rows"]),
    ("head events.parquet -n 1 --where id>1000000 --columns id", DONE, ["events.parquet id 1000003"]),
    ("head events.parquet -n 1 --columns nix", USAGE, ["no column 'nix'"]),
    ("cat events.parquet --rows 7999:8001 --columns id,country", DONE, ['{"id": 1023997, "country": "', '{"id": 1024000, "country": "']),
    ("cat events.parquet --rows=-1: --columns id,tags --csv", DONE, ['id,tags 1059997,"[""error""]"']),
    ("cat events.parquet --rows x", USAGE, ["'x' is neither A:B nor a row"]),
    ("cat events.parquet --rows 8000 --columns id", DONE, ['{"id": 1024000}']),
    ("cat events.parquet --rows=-1 --columns id", DONE, ['{"id": 1059997}']),
    ("cat events.parquet --rows 5:3", DONE, ["5:3 names no row: A:B begins with row A and ends before row B"]),
    ("cat events.parquet --rows 20000:", DONE, ["there is no row 20,000: the file has 20,000 rows, 0 to 19,999"]),
    ("cat events.parquet --rows 19999:20001 --table --columns id", DONE, ["1059997 rows 19,999 to 20,000 are asked for: the file has"]),
    ("cat events.parquet --rows=-20001: --columns id", DONE, ["20,001 rows from the end are asked for"]),
    ("cat events.parquet --where id=3", DONE, ["no row meets the condition id=3"]),
    ("cat events.parquet --where id=3 --json", DONE, ['"rows": [], "remark": "no row meets the condition id=3"']),
    ("cat events.parquet --rows 8001 --columns id,country --row-numbers", DONE, ['{"row": 8001, "row_group": 1, "page": 0, "id": ']),
    ("head events.parquet -n 1 --where id=1024003 --row-numbers --columns id", DONE, ["row row_group page id 8001 1 0 1024003"]),
    ("cat events.parquet --select count(*),min(row) --where id>=1024000", DONE, ['{"count(*)": 12000, "min(row)": 8000}']),
    ("cat events.parquet --by nix", USAGE, ["no column 'nix'"]),
    ("cat events.parquet --by country --columns id", USAGE, ["--select and --by go without --columns"]),
    ("cat events.parquet --out-of-order id --where id=3", USAGE, ["--out-of-order goes with --rows"]),
    ("cat more --out-of-order up", USAGE, ["--out-of-order is about one file"]),
    ("cat more --by file --select count(*),max(row)", DONE, ['a.parquet", "count(*)": 1000, "max(row)": 999}']),
    ("cat more --by nix", USAGE, ["no column 'nix'; the columns of the table are up"]),
    ("cat more --where up=-1 --select count(*)", DONE, ['{"count(*)": 0}']),
    ("head more -n 1 --row-numbers --columns up", DONE, ["file row up", "a.parquet 0 0"]),
    ("cat more --rows 0:1 --csv", DONE, ["up,down,mixed,gap 0,1000,0,0"]),
    ("cat more/*.parquet --rows 0:1 --csv", DONE, ["up,down,mixed,gap 0,1000,0,0 0,1000,0,0"]),
    ("head more -n 1", DONE, ["more: 2 files of a folder, read as one table the columns are those of the first file up"]),
    ("stats more", DONE, ["more 2 files of a folder, read as one table", "gap INT32 0 999 yes 2,000 200"]),
    ("cat events.parquet --version 1", USAGE, ["--version, --snapshot and --timestamp are for tables; this is a file"]),
    ("cat mixed --csv", UNREADABLE, ["mixed/bad.parquet", "x 1 1"]),
    ("cat variant.parquet --rows 1:2", DONE, ['{"v": ']),
    ("schema events.parquet", DONE, ["optional int64 amount (DECIMAL(10,2)); // D 1, R 0"]),
    ("schema events.parquet --sql", DONE, ['CREATE TABLE "events" (', '"tags" VARCHAR[],']),
    ("schema events.parquet --arrow", DONE, ["events.parquet, by the stored types", "country: string"]),
    ("schema events.parquet --spark", DONE, ["by the rules of Spark 4.3, which did not write it id: long time: timestamp"]),
    ("levels events.parquet --column tags.list.element --row-group 0", DONE, ["further element of tags", "Entries row group column"]),
    ("index md", DONE, ["1 index of 4 objects in 1 file"]),
    ("schema events.parquet --sql --arrow", USAGE, ["not allowed with"]),
    ("stats events.parquet --column id", DONE, ["Row groups are sorted", "1,023,997"]),
    ("events.parquet --at rows/172/country", DONE, ["address row_groups/0/columns/3/pages/1/values/172"]),
    ("events.parquet --at country", DONE, ["country (schema field)"]),
    ("events.parquet --at rows/172/nix", USAGE, ["no column 'nix'; columns are id, time"]),
    ("events.parquet --at rows/20000/country", USAGE, ["there is no row 20,000"]),
    ("events.parquet --at @0 --bytes 2", DONE, ["0 50 41 PA … and 2 more bytes: --bytes all"]),
    ("events.parquet --at @0 --bytes all", DONE, ["0 50 41 52 31 PAR1"]),
    ("events.parquet --at @0 --bytes 2 --json", DONE, ['"bytes": {"hex": "5041", "length": 4}']),
    ("events.parquet --at @0 --bytes x", USAGE, ["'x' is neither a number of bytes nor all"]),
    ("events.parquet --bytes 3", USAGE, ["--bytes goes with --at"]),
    ("stats events.parquet --true --column amount", DONE, ["The statistics of all 3 column chunks agree with the values.", "8,056 8,056", "19486.63 7,344"]),
    ("stats sick-checksum.parquet --true --page 1 --column n", USAGE, ["--true is about column chunks"]),
    ("stats events.parquet --true --at footer", USAGE, ["footer is no file, row group, column or column chunk"]),
    ("stats events.parquet --column nix", USAGE, ["no column 'nix'"]),
    ("stats events.parquet --columns id", DONE, ["Row groups are sorted"]),
    ("cat events.parquet --rows 0:1 --column nix", USAGE, ["nix"]),
    ("diff events.parquet events.parquet --column nix", USAGE, ["nix"]),
    ("what-if events.parquet --column nix", USAGE, ["nix"]),
    ("doctor events.parquet --column-key nix", USAGE, ["--column-key is COLUMN=KEY"]),
    ("stats events.parquet --column id --at footer", USAGE, ["--at stands for itself"]),
    ("stats events.parquet --page 1", USAGE, ["--page goes with --column"]),
    ("pages events.parquet --column country --row-group 1", DONE, ["row_groups/1/columns/3/pages/4", "RLE_DICTIONARY"]),
    ("pages events.parquet", DONE, ["row_groups/2/columns/9/pages/0"]),
    ("stats events.parquet", DONE, ["Of 30 column chunks"]),
    ("dictionary events.parquet", DONE, ["30 column chunks"]),
    ("bloom events.parquet", DONE, ["row_groups/2/columns/2"]),
    ("levels events.parquet --at columns/tags", DONE, ["further element of tags"]),
    ("stats events.parquet --at columns/contry", USAGE, ["do you mean country?"]),
    ("pages events.parquet --column country --page 1", DONE, ["row_groups/0/columns/3/pages/1", "checksum is right"]),
    ("dictionary events.parquet --column user --row-group 0", DONE, ["807 entries for 8,000 values"]),
    ("dictionary events.parquet --at row_groups/0/columns/2", DONE, ["807 entries for 8,000 values"]),
    ("levels events.parquet --column tags.list.element", DONE, ["further element of tags 3,864"]),
    ("levels events.parquet --column id --page 0", DONE, ["2,000 entries"]),
    ("bloom events.parquet --column user --row-group 2", DONE, ["distinct values in"]),
    ("bloom events.parquet --probe 7 user-0000@example.org", DONE, ["2 values asked of 3 Bloom filters: 3 certainly not there, 3 perhaps", "7 user 0 certainly not there"]),
    ("bloom events.parquet --column id --probe 7", DONE, ["There is no Bloom filter here"]),
    ("bloom events.parquet --row-group 9 --probe 7", USAGE, ["there is nothing at 'row_groups/9'"]),
    ("variant variant.parquet --row 3", DONE, ["Row 3:"]),
    ("variant variant.parquet", DONE, ["Variants in row group 0"]),
    ("variant variant.parquet --row 9999", USAGE, ["there is no row 9,999"]),
    ("variant events.parquet --row 3", USAGE, ["the file has no column of Variants"]),
    ("variant events.parquet --column id", USAGE, ["'id' is no column of Variants"]),
    ("check events.parquet", DONE, ["no problems found"]),
    ("check sick-checksum.parquet", FOUND, ["1 finding", "error", ", bytes [4, "]),
    ("ask events.parquet id>1059000", DONE, ["reads 1 of 3 row groups"]),
    ("ask events.parquet nix>1", USAGE, ["nix"]),
    ("diff more/*.parquet", DONE, ["have the same schema and layout"]),
    ("diff a b c --footer-key-file nowhere", USAGE, ["the key file nowhere: No such file"]),
    ("doctor more/*.parquet", DONE, ["more/a.parquet No problems found", "more/b.parquet No problems found"]),
    ("doctor encrypted.parquet", DONE, ["encrypted"]),
    ("doctor encrypted.parquet --footer-key-file key", DONE, ["No problems found"]),
    ("what-if encrypted.parquet --footer-key-file key --columns open --seconds 1", DONE, ["1 column takes"]),
    ("head encrypted.parquet --footer-key-file key -n 1", DONE, ["row 0"]),
    ("head encrypted.parquet", UNREADABLE, ["the footer key was not given"]),
    ("explain row groups", DONE, ["row group A horizontal part of the table"]),
    ("explain rowgrup", USAGE, ["the glossary has no 'rowgrup'; there are row group\n"]),
    ("explain", DONE, ["row group", "definition level"]),
    ("salvage cut.parquet", DONE, ["can be written"]),
    ("salvage cut.parquet events.parquet", UNREADABLE, ["events.parquet: it exists, and is not replaced"]),
    ("salvage cut.parquet --schema encrypted.parquet", UNREADABLE, ["encrypted.parquet", "footer key was not given"]),
    ("salvage cut.parquet --schema events.parquet --footer-key-file key", FOUND, ["pages"]),
    ("salvage cut.parquet a b", USAGE, ["FILE [NEW]", "unrecognized arguments: b"]),
    ("rewrite --help", DONE, ["one file: a path, a URL", "NEW is not encrypted, even if FILE is."]),
    ("salvage --help", DONE, ["one file: a path, a URL", "the keys are for OTHER"]),
    ("rewrite encrypted.parquet open.parquet", UNREADABLE, ["footer key was not given"]),
    ("rewrite encrypted.parquet open.parquet --footer-key-file nowhere", USAGE, ["the key file nowhere: No such file"]),
    ("rewrite encrypted.parquet open.parquet --footer-key-file key", DONE, ["wrote open.parquet", "verified"]),
    ("rewrite more open.parquet.2", USAGE, ["more"]),
    ("salvage no.parquet", FOUND, ["Nothing is complete", "no page was found"]),
    ("salvage nowhere.parquet", UNREADABLE, ["nowhere.parquet: No such file"]),
    ("lake --processes 0 ds", DONE, ["ds No problems found (footers of 4 files): 4 files with 40 rows"]),
    ("lake --processes 0 ds --view small_files", DONE, ["ds: small_files Per partition", "num_files"]),
    ("lake --processes 0 ds --view errors", DONE, ["no rows"]),
    ("lake --processes 0 ds --view nix", USAGE, ["there is no view 'nix'; there are small_files"]),
    ("lake --processes 0 ds --sql nix", USAGE, ["the query failed"]),
    ("lake --processes 0 ds --view errors --sql nix", USAGE, ["do not go together"]),
    ("lake --processes 0 ds --version 0", USAGE, ["are for Delta and Iceberg tables; the source has none"]),
    ("lake --processes 0 ds --report", DONE, ["ds Nothing to do: 4 files with 40 rows"]),
    ("lake --processes 0 mixed --report", FOUND, ["2 things to do, the first: Replace or remove files", "pqexplore salvage mixed/bad.parquet"]),
    ("lake --processes 0 mixed", FOUND, ["files that cannot be read: 1 of 3 files"]),
    ("lake --processes 0 drift --report", DONE, ["One thing to do: Give the files of a table one schema", "polars: fails"]),
    ("lake --processes 0 drift --report --fail-on warning", FOUND, ["one schema"]),
    ("lake --processes 0 drift --report --fail-on error", DONE, ["one schema"]),
    ("lake --processes 0 drift --report --fail-on damage,types-differ", FOUND, ["one schema"]),
    ("lake --processes 0 drift --fail-on damage --fail-on small-files", DONE, ["`x` is INT"]),
    ("lake --processes 0 drift --fail-on portability", FOUND, ["`x` is INT"]),
    ("lake drift --fail-on types-difer", USAGE, ["'types-difer' is no severity and no rule; did you mean types-differ?"]),
    ("lake drift --html page.html", USAGE, ["--html goes with --report"]),
    ("lake drift --report --view errors", USAGE, ["--report and --fail-on do not go with --view, --sql and --history"]),
    ("lake --processes 0 drift --report --html nowhere/page.html", UNREADABLE, ["nowhere/page.html: No such file"]),
    ("lake --list", DONE, ["small_files Per partition: how many files"]),
    ("lake", USAGE, ["DIR is missing"]),
    ("lake nowhere", USAGE, ["nowhere is not a file, folder"]),
    ("index md", DONE, ["Version 4: the current version.", "4 objects in 1 file", "minmax x long x_minmax_1", "xskipper loses rows"]),
    ("index md --objects", DONE, ['{"min":10,"max":19}']),
    ("index md --probe x<5", DONE, ["x<5: 3 of 4 objects are skipped, 1 read. The store is up to date", "ruled out, the object's values go"]),
    ("index md --where x<5", DONE, ["x<5: reads 1 of 4 files. The store is up to date", "0.parquet", "kept by the indexes"]),
    ("index md --where x<5 --dataset more", USAGE, ["its objects have other names"]),
    ("index md --where x<5 --objects", USAGE, ["do not go together"]),
    ("index md --probe y<", USAGE, ["not a condition"]),
    ("index ds", UNREADABLE, ["is not a file of a metadatastore"]),
    ("index nowhere", UNREADABLE, ["nowhere: No such file"]),
    ("sample --list", DONE, ["events A month of an application's events"]),
    ("sample nix", USAGE, ["there is no sample 'nix'"]),
    ("sample events nowhere/events.parquet", UNREADABLE, ["No such file"]),
    ("check more", DONE, ["more/a.parquet: 1 finding", "more/b.parquet: 1 finding"]),
    ("check more/*.parquet", DONE, ["more/a.parquet: 1 finding", "more/b.parquet: 1 finding"]),
    ("check more/*.pq", UNREADABLE, ["more/*.pq: No such file"]),
    ("check no.parquet events.parquet", UNREADABLE, ["no.parquet", "events.parquet: no problems found"]),
]  # fmt: skip


@pytest.mark.parametrize("words, status, said", SAID, ids=[row[0] for row in SAID])
def test_a_verb(samples, capsys, monkeypatch, words, status, said):
    monkeypatch.chdir(samples)
    monkeypatch.delenv("COLUMNS", raising=False)
    found, out, err = run(capsys, *words.split())
    printed = " ".join((out + err).split())
    for text in said:
        assert " ".join(text.split()) in printed
    assert found == status
    if status in (USAGE, UNREADABLE):
        assert err


AS_JSON = [
    # words, kind of the document, members that are in it besides those that all of the kind have
    ("head events.parquet -n 1", "rows", []),
    ("cat events.parquet --rows 1:2", "rows", []),
    ("schema events.parquet", "schema", ["message", "counts", "schema"]),
    ("schema events.parquet --arrow", "schema", ["source", "arrow"]),
    ("schema events.parquet --spark", "schema", ["source", "spark"]),
    ("schema events.parquet --sql", "schema", ["sql"]),
    ("head more -n 1", "rows", []),
    ("stats events.parquet --column id", "answer", []),
    ("stats more", "answer", []),
    ("stats events.parquet --true --column id", "answer", []),
    ("pages events.parquet --column id", "answer", []),
    ("dictionary events.parquet", "answer", []),
    ("levels events.parquet --column id", "answer", []),
    ("levels events.parquet --column id --row-group 0", "answer", ["entries"]),
    ("bloom events.parquet --probe 7", "answer", []),
    ("variant variant.parquet --row 3", "answer", ["value"]),
    ("check events.parquet", "findings", []),
    ("check nowhere.parquet", "error", []),
    ("doctor sick-checksum.parquet", "diagnosis", []),
    ("doctor events.parquet --readers", "diagnosis", ["readers"]),
    ("doctor ds", "lake-diagnosis", []),
    ("ask events.parquet id>1059000", "plan", []),
    ("ask events.parquet id>1059000 --verify", "plan", ["verified"]),
    ("ask events.parquet id>1059000 --engines", "engines", []),
    ("ask ds x>5", "lake-plan", []),
    ("diff events.parquet page-index.parquet", "diff", []),
    ("diff ds more", "lake-diff", []),
    ("diff more/a.parquet more/b.parquet events.parquet", "many-diffs", []),
    ("what-if page-index.parquet --seconds 0.1", "what-if", []),
    ("what-if ds --seconds 0.1", "lake-what-if", []),
    ("rewrite page-index.parquet NEW", "rewrite", []),
    ("salvage cut.parquet", "salvage", []),
    ("lake --processes 0 ds", "lake-diagnosis", ["answers", "states", "tables"]),
    ("lake --processes 0 drift --report", "lake-report", []),
    ("lake --processes 0 ds --view small_files", "lake-rows", []),
    ("lake store --history", "lake-history", []),
    ("lake --list", "views", []),
    ("index md", "indexes", []),
    ("index md --objects", "objects", []),
    ("index md --probe x<5", "objects", []),
    ("index md --where x<5", "files-to-read", []),
    ("sample --list", "samples", []),
    ("sample nested NEW", "sample", []),
    ("explain page", "term", []),
    ("explain", "terms", []),
    ("explain nix", "error", []),
    ("events.parquet", "file", []),
    ("events.parquet --at row_groups/0", "node", []),
    ("events.parquet --view statistics", "answer", []),
]


@pytest.mark.parametrize("words, kind, more", AS_JSON, ids=[row[0] for row in AS_JSON])
def test_a_verb_as_json(samples, capsys, monkeypatch, tmp_path, words, kind, more):
    monkeypatch.chdir(samples)
    words = [str(tmp_path / "new") if word == "NEW" else word for word in words.split()]
    _, out, _ = run(capsys, *words, "--json")
    document = json.loads(out)
    assert list(misfits({"$ref": f"#/$defs/{named(kind)}"}, document)) == []
    assert branches(document) == [named(kind)]
    required = SCHEMA["$defs"][named(kind)]["required"]
    assert sorted(document) == sorted(required + more)


def test_each_verb_and_each_document_is_in_the_schema_and_the_page(pytestconfig):
    kinds = {one["$ref"].rpartition("/")[2] for one in SCHEMA["oneOf"]}
    assert {named(kind) for _, kind, _ in AS_JSON} == kinds - {"stores_document"}
    assert {row[0].split()[0] for row in AS_JSON} >= VERBS.keys() - {"completion"}
    page = (pytestconfig.rootpath / "docs" / "json.md").read_text("utf-8")
    assert all(f"`{one['properties']['kind']['const']}`" in page for name, one in SCHEMA["$defs"].items() if name in kinds)  # fmt: skip


# what cannot be read | its code
CODES = [
    (NotParquetError("no magic", offset=0), "not-parquet"),
    (CorruptFileError("cut", offset=0), "corrupt"),
    (EncryptedFileError("no key", offset=0), "encrypted"),
    (UnsupportedFeatureError("LZO", offset=0), "unsupported"),
    (LimitExceededError("too large", offset=0), "limit"),
    (FileNotFoundError(2, "No such file"), "missing"),
    (PermissionError(13, "Permission denied"), "forbidden"),
    (CredentialsError("refused"), "credentials"),
    (NetworkError("no connection"), "network"),
    (NoAnswerError("no answer"), "timeout"),
    (ThrottledError("busy"), "throttled"),
    (StoreError("broken"), "unreadable"),
    (UsageError("a folder"), "unreadable"),
]


@pytest.mark.parametrize(("error", "code"), CODES)
def test_an_error_in_json_has_a_code(capsys, monkeypatch, error, code):
    def refuse(*_, **__):
        raise error

    monkeypatch.setattr("pqexplore.cli.files.opened", refuse)
    _, out, _ = run(capsys, "check", "x.parquet", "--json")
    document = json.loads(out)
    assert branches(document) == ["error_document"]
    assert document["error"]["code"] == code


def test_json_is_a_line_for_each_file(samples, capsys, monkeypatch):
    monkeypatch.chdir(samples)
    _, out, _ = run(capsys, "check", "events.parquet", "nowhere.parquet", "more", "--json")
    names = [json.loads(line)["name"] for line in out.splitlines()]
    assert names == ["events.parquet", "nowhere.parquet", "more/a.parquet", "more/b.parquet"]


def test_csv_of_files_with_the_same_columns_has_one_head(samples, capsys):
    _, out, _ = run(capsys, "cat", str(samples / "more" / "*.parquet"), "--rows", "0:1", "--csv")
    assert len(out.splitlines()) == 3


def test_csv_to_a_terminal_cannot_control_it(tmp_path, capsys, monkeypatch):
    path = str(tmp_path / "hostile.parquet")
    pq.write_table(pa.table({"a": ["\x1b[31m"]}), path)
    assert "\x1b[31m" in run(capsys, "cat", path, "--csv")[1]
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True, raising=False)
    assert run(capsys, "cat", path, "--csv")[1] == "a\n\\x1b[31m\n"


@pytest.mark.parametrize(
    ("value", "cell"),
    [
        *((f"{one}1", f"'{one}1") for one in "=+-@"),
        (" =1", "' =1"),
        ("\t=1", "'\\t=1"),
        ("\r=1", "'\\r=1"),
        ("\x1b[31m", "\\x1b[31m"),
        ("\0", "\\x00"),
        ("a=1", "a=1"),
        ("", ""),
    ],
)
def test_csv_safe_has_no_cell_that_a_spreadsheet_computes(tmp_path, capsys, value, cell):
    path = str(tmp_path / "hostile.parquet")
    pq.write_table(pa.table({"text": [value, "end"], "=1+1": [-1, -2]}), path)
    status, out, _ = run(capsys, "cat", path, "--csv-safe")
    assert status == DONE
    assert out.splitlines()[:2] == ["text,'=1+1", f"{cell},-1"]  # a number stays one


@pytest.mark.parametrize("form", ["--json", "--table", "--jsonl"])
def test_csv_safe_is_csv(samples, capsys, form):
    status, _, err = run(capsys, "cat", str(samples / "events.parquet"), "--csv-safe", form)
    assert status == USAGE and "--csv-safe is CSV" in err


def test_a_salvaged_file_can_be_read(samples, capsys, tmp_path):
    new = tmp_path / "new.parquet"
    status, out, _ = run(capsys, "salvage", str(samples / "cut.parquet"), str(new))
    assert status == DONE and f"wrote {new}, {new.stat().st_size:,} bytes" in " ".join(out.split())
    assert run(capsys, "check", str(new))[0] == DONE


ENCRYPTED = [name for name, sample in SAMPLES.items() if sample.keys]


@pytest.mark.parametrize("name", ENCRYPTED)
def test_an_encrypted_sample_says_the_command_that_opens_it(name, capsys, monkeypatch, tmp_path):
    path = tmp_path / "a b.parquet"
    status, out, _ = run(capsys, "sample", name, str(path))
    words = shlex.split(out.splitlines()[-1])
    command = words.index("pqexplore")
    for variable in words[:command]:
        monkeypatch.setenv(*variable.split("="))
    assert status == DONE and command > 0
    status, out, err = run(capsys, "head", *words[command + 1 :], "-n", "1", "--jsonl")
    assert (status, err) == (DONE, "") and json.loads(out)["secret"] == 0


def help_of(capsys, *words):
    status, out, _ = run(capsys, *words, "--help")
    assert status == DONE
    return out


@pytest.mark.parametrize("name", VERBS)
def test_each_verb_has_help(capsys, name):
    assert help_of(capsys, name).startswith(f"usage: pqexplore {name}")


def test_help_lists_verbs_and_views(capsys):
    lines = help_of(capsys).splitlines()
    for verb in VERBS.values():
        assert f"  {verb.name:<10} {verb.summary}" in lines
    for name, question in QUESTIONS.items():
        assert f"  {name:<13} {question}" in lines


def test_each_view_has_the_question_of_its_page(pytestconfig):
    assert list(QUESTIONS) == list(LENSES)
    page = (pytestconfig.rootpath / "docs" / "lenses.md").read_text()
    headings = dict(re.findall(r"^## .*\(`(\w+)`\): (.*)$", page, re.M))
    assert headings == {name: text for name, text in QUESTIONS.items() if name != "facts"}


@pytest.mark.parametrize("rows, said", [(1, ["1 row, 1 row group, 1 column"]), (2, ["2 rows, "])])
def test_a_file_of_one_row_is_said_in_the_singular(tmp_path, capsys, rows, said):
    path = str(tmp_path / "few.parquet")
    pq.write_table(pa.table({"a": list(range(rows))}), path)
    _, out, _ = run(capsys, path)
    assert all(one in out for one in said) and "1 rows" not in out
    assert "note:" not in out


def test_the_notes_of_a_file_follow_its_diagnosis(tmp_path, capsys):
    path = str(tmp_path / "int96.parquet")
    table = pa.table({name: pa.array([0], pa.timestamp("ns")) for name in "abcde"})
    pq.write_table(table, path, use_deprecated_int96_timestamps=True)
    _, out, _ = run(capsys, path)
    whole = " ".join(out.split())  # where lines end depends on the terminal
    assert re.search(r"is key-value metadata\. \d notes?: .*int96.*\. pqexplore doctor says more\.", whole)


@pytest.mark.parametrize(
    "words, expected",
    [
        (["cat"], "{}\n{}\n{}\n"),
        (["head", "-n", "2"], "no-columns.parquet\n  2 rows without columns\n"),
        (["cat", "--rows", "3:"], ""),
    ],
)
def test_rows_without_columns_are_rows(words, expected, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    write(pa.table({"a": [1, 2, 3]}).select([]), "no-columns.parquet")
    assert main([*words, "no-columns.parquet"]) == 0
    assert capsys.readouterr().out == expected


def test_the_history_of_a_store(samples, capsys, monkeypatch):
    monkeypatch.chdir(samples)
    status, out, _ = run(capsys, "lake", "store", "--history")
    assert status == DONE and "One run can be read: 4 files" in out and "growth" in out
    status, _, err = run(capsys, "lake", "ds", "--history")
    assert status == USAGE and "has no complete scan of a lake" in err
    status, _, err = run(capsys, "lake", "store", "--history", "--view", "errors")
    assert status == USAGE and "do not go together" in err


def test_levels_of_more_places_than_are_added_up_say_so(samples, capsys, monkeypatch):
    monkeypatch.chdir(samples)
    monkeypatch.setattr(joined, "PLACES", 1)
    said = "The bytes of levels are added up for at most 1 column chunks"
    for words, expected in (
        (["levels", "events.parquet"], True),
        (["levels", "events.parquet", "--column", "id", "--row-group", "0"], False),
    ):
        assert (said in " ".join(run(capsys, *words)[1].split())) is expected
