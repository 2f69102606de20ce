"""Stores that the tests of the lake write tables to: this machine's file system, and S3."""

import dataclasses
import logging
import secrets

import pytest

from pqexplore.lake.scanning import processes


@pytest.fixture(scope="module", autouse=True)
def in_this_process(request):
    """This process reads the files where a test does not say which; not in modules about processes (`PROCESSES`)."""
    with pytest.MonkeyPatch.context() as patch:
        if not getattr(request.module, "PROCESSES", False):
            patch.setattr(processes, "_elsewhere", lambda *_: False)
        yield


@dataclasses.dataclass(frozen=True)
class Store:
    """A folder or bucket of its own, and what each library has to be told to reach it."""

    url: str
    options: dict  # of fsspec, and so of pqexplore
    deltalake: dict
    pyiceberg: dict

    def filesystem(self):
        import fsspec

        return fsspec.filesystem("s3" if self.options else "file", **self.options)

    def touch(self, path: str) -> None:
        """Make a file the newest, and leave its content."""
        files = self.filesystem()
        files.pipe_file(path, files.cat_file(path))


@pytest.fixture(scope="session")
def s3_endpoint():
    """The address of a server on this machine that speaks S3's protocol."""
    from moto.server import ThreadedMotoServer

    logging.getLogger("werkzeug").setLevel(logging.ERROR)
    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    host, port = server.get_host_and_port()
    yield f"http://{host}:{port}"
    server.stop()


@pytest.fixture
def s3(s3_endpoint):
    """An empty bucket."""
    return bucket(s3_endpoint)


def bucket(s3_endpoint: str) -> Store:
    """A new bucket of a server."""
    name = f"lake-{secrets.token_hex(8)}"
    options = {"endpoint_url": s3_endpoint, "key": "k", "secret": "s"}
    store = Store(
        f"s3://{name}",
        options,
        {
            "AWS_ENDPOINT_URL": s3_endpoint,
            "AWS_ACCESS_KEY_ID": "k",
            "AWS_SECRET_ACCESS_KEY": "s",
            "AWS_REGION": "us-east-1",
            "AWS_ALLOW_HTTP": "true",
            "AWS_S3_ALLOW_UNSAFE_RENAME": "true",
        },
        {"s3.endpoint": s3_endpoint, "s3.access-key-id": "k", "s3.secret-access-key": "s", "s3.region": "us-east-1"},
    )
    store.filesystem().mkdir(name)
    return store


@pytest.fixture(params=["local", "s3"])
def store(request, tmp_path):
    """A folder of this machine, and a bucket of an S3 server."""
    if request.param == "s3":
        return request.getfixturevalue("s3")
    folder = tmp_path / "lake"
    folder.mkdir()
    return Store(str(folder), {}, {}, {})
