"""The blocks of the docs that read from stores run as written, with servers of this machine in the stores' places."""

import functools
import http.server
import threading

import fsspec
import pytest
import test_docs as docs
from lake.test_credentials import catalog  # noqa: F401

from pqexplore.engine.writer.samples import write_sample

BLOCKS = [
    pytest.param(text, id=page.name)
    for page in docs.PAGES
    for _, text, _ in docs.blocks(page, ())
    if text.startswith(docs.WITH_STORES)
]


@pytest.fixture
def stores(s3_endpoint, catalog, tmp_path, monkeypatch):  # noqa: F811
    """A bucket with a file and a folder, a profile that leads to it, a catalog of its table, and a web server. Its address."""
    monkeypatch.chdir(tmp_path)
    config = tmp_path / "config"
    config.write_text(
        f"[profile work]\nregion = us-east-1\nendpoint_url = {s3_endpoint}\n"
        "aws_access_key_id = k\naws_secret_access_key = s\n"
    )
    monkeypatch.setenv("AWS_CONFIG_FILE", str(config))
    monkeypatch.setenv("AWS_ENDPOINT_URL", s3_endpoint)
    fsspec.filesystem("s3").clear_instance_cache()
    files = fsspec.filesystem("s3", profile="work")
    write_sample("page-index", "x.parquet")
    if not files.exists("bucket"):
        files.mkdir("bucket")
    for name in ("x.parquet", "folder/a.parquet"):
        files.put_file("x.parquet", f"bucket/{name}")
    catalog.location = "s3://bucket/folder"
    handler = functools.partial(http.server.SimpleHTTPRequestHandler, directory=tmp_path)
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
    yield f"http://127.0.0.1:{server.server_address[1]}"
    server.shutdown()
    server.server_close()
    files.rm("bucket", recursive=True)
    fsspec.filesystem("s3").clear_instance_cache()


def test_two_blocks_are_there():
    assert len(BLOCKS) == 2


@pytest.mark.parametrize("text", BLOCKS)
def test_a_block_runs(text, stores):
    names = {}
    docs.run_python(text.replace("https://example.org", stores), "block", names)
    if "lake" in names:
        assert names["lake"].manifest.run["num_files"] == 1
