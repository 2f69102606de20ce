"""The process of one document: the engine and the explorer, without a kernel.

It reads frames from its standard input (`frames`): first what to open, by the server; then what the browser sends. It
ends when that stream ends, also while it computes. What it opened stays here: keys, too.
"""

from __future__ import annotations

import contextlib
import importlib
import io
import json
import os
import queue
import struct
import threading
from collections.abc import Mapping, Sequence
from typing import IO, TYPE_CHECKING, Any

from pqexplore.app import frames

if TYPE_CHECKING:
    from pqexplore.app.process import Opening
    from pqexplore.engine.file.file import ParquetFile
    from pqexplore.engine.format.encryption.keys import Decryption
    from pqexplore.lake.scanning.progress import Progress
    from pqexplore.widget.explorer import Explorer
    from pqexplore.widget.lake.explorer import LakeExplorer

PIECE = 4 << 20
"""Bytes of a dropped file that one message asks for."""

PATIENCE = 60.0
"""Seconds until a dropped file counts as gone."""

WAITING = 20_000
"""Messages that may wait; a browser that sends more is not ours."""


class Channel:
    """The frames of this process. A thread reads them, so that the end of the stream ends a busy process."""

    def __init__(self, stdin: IO[bytes], stdout: IO[bytes]) -> None:
        self._stdin, self._stdout = stdin, stdout
        self._lock = threading.Lock()
        self.messages: queue.Queue[Any] = queue.Queue(WAITING)
        self.pieces: queue.Queue[bytes] = queue.Queue(2)
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self) -> None:
        with contextlib.suppress(frames.FrameError, ValueError, OSError, queue.Full):
            while (frame := frames.read(self._stdin)) is not None:
                if frame[0] == frames.TEXT:
                    self.messages.put_nowait(json.loads(frame[1]))
                else:
                    self.pieces.put(frame[1], timeout=PATIENCE)
        os._exit(0)  # nobody listens any more

    def send(self, message: Mapping[str, object], buffers: Sequence[bytes | memoryview] = ()) -> None:
        """Send a message to the browser."""
        with self._lock:
            frames.write(self._stdout, frames.BINARY, frames.packed(message, buffers))


class DroppedFile(io.RawIOBase):
    """A file that was dropped into the page: the browser reads the pieces that the engine asks for."""

    def __init__(self, channel: Channel, name: str, size: int) -> None:
        self.name = name
        self._channel, self._size = channel, size
        self._at = self._asked = 0

    def seekable(self) -> bool:
        """It can be read anywhere."""
        return True

    def seek(self, offset: int, whence: int = io.SEEK_SET, /) -> int:
        """Move to a position."""
        self._at = offset + {io.SEEK_SET: 0, io.SEEK_CUR: self._at, io.SEEK_END: self._size}[whence]
        return self._at

    def read(self, size: int = -1, /) -> bytes:
        """The bytes from the position on. OSError if the browser does not give them."""
        left = max(0, self._size - self._at)
        length = min(PIECE, left if size < 0 else min(size, left))
        if not length:
            return b""
        self._asked += 1
        self._channel.send({"kind": "read", "id": self._asked, "start": self._at, "length": length})
        try:
            while True:
                piece = self._channel.pieces.get(timeout=PATIENCE)
                if piece[:4] == struct.pack("<I", self._asked):
                    break
        except queue.Empty:
            raise OSError(
                f"the browser does not give bytes {self._at:,} to {self._at + length:,} of {self.name}"
            ) from None
        if len(piece) != length + 4:
            raise OSError(f"{self.name} has changed or is gone: drop it into the page again")
        self._at += length
        return piece[4:]


class Document:
    """What was opened, and the explorer that shows it."""

    def __init__(self, channel: Channel, opened: Opening) -> None:
        self._channel = channel
        self._opened = opened
        self._explorer: Explorer | LakeExplorer | None = None

    def begin(self, state: Mapping[str, str], keys: Decryption | None = None) -> None:
        """Open it, at the place that the browser had if there is one, and say what the view begins with."""
        from pqexplore.engine.errors import ParquetError, UsageError

        try:
            explorer = self._made(state, keys)
        except (ParquetError, UsageError, OSError) as error:
            self._channel.send({"kind": "failed", "message": str(error)})
            return
        self._explorer = explorer
        names = [name for name in explorer.trait_names(sync=True) if not name.startswith("_")]
        traits = {name: value for name in names if isinstance(value := getattr(explorer, name), str)}
        explorer.observe(self._changed, list(traits))
        self._channel.send({"kind": "state", "state": traits, "encrypted": self._encrypted()})

    def _made(self, state: Mapping[str, str], keys: Decryption | None) -> Explorer | LakeExplorer:
        made: Explorer | LakeExplorer
        if self._opened["kind"] == "folder":
            from pqexplore.lake.scanning.scan import scan
            from pqexplore.widget.lake.explorer import explore_lake

            lake = scan(None, self._opened["path"], progress=self._progress)
            made = explore_lake(lake, decryption=keys)
        else:
            from pqexplore.widget.explorer import Explorer

            made = Explorer(self._file(keys))
        made._send = self._sent  # what a comm would carry
        for name in made.trait_names(sync=True):
            if not name.startswith("_") and isinstance(state.get(name), str):
                self._set(made, name, state[name])
        return made

    def _file(self, keys: Decryption | None) -> ParquetFile:
        from pqexplore.engine.file.file import file_of
        from pqexplore.engine.file.file import open as open_file
        from pqexplore.engine.file.opening import from_descriptor_of

        opened = self._opened
        if opened["kind"] == "url":
            return open_file(opened["path"], decryption=keys)
        if opened["kind"] == "dropped":
            return open_file(DroppedFile(self._channel, opened["path"], opened["size"]), decryption=keys)
        if opened["descriptor"] is None:
            return open_file(opened["path"], decryption=keys)
        source = from_descriptor_of(os.dup(opened["descriptor"]), opened["path"])
        return file_of(source, decryption=keys, follow_file_path=os.path.basename(opened["path"]).startswith("_"))

    def _progress(self, progress: Progress) -> None:
        self._channel.send({"kind": "note", "message": str(progress)})

    def _encrypted(self) -> bool:
        from pqexplore.insight.places import is_encrypted
        from pqexplore.widget.explorer import Explorer

        return isinstance(self._explorer, Explorer) and is_encrypted(self._explorer.file)

    def _sent(self, message: Mapping[str, Any], buffers: Sequence[bytes | memoryview] | None = None) -> None:
        if message.get("method") == "custom":
            self._channel.send({"kind": "custom", "content": message["content"]}, buffers or ())

    def _changed(self, change: Mapping[str, Any]) -> None:
        self._channel.send({"kind": "update", "state": {change["name"]: change["new"]}})

    def _set(self, explorer: Explorer | LakeExplorer, name: str, value: str) -> None:
        """Set a trait by what the browser says; what it may not be stays as it was, and the browser hears that."""
        import traitlets

        from pqexplore.engine.errors import ParquetError, UsageError

        try:
            setattr(explorer, name, value)
        except (ParquetError, UsageError, traitlets.TraitError):
            self._channel.send({"kind": "update", "state": {name: getattr(explorer, name)}})

    def hear(self, message: Any) -> None:
        """What the browser sends once the document is open."""
        explorer = self._explorer
        if not isinstance(message, dict):
            return
        if message.get("kind") == "keys":
            self._unlock(message)
        elif explorer is None:
            return
        elif message.get("kind") == "custom":
            explorer.receive(explorer, message.get("content"), [])
        elif message.get("kind") == "update" and isinstance(message.get("state"), dict):
            for name, value in message["state"].items():
                if name in explorer.trait_names(sync=True) and not name.startswith("_") and isinstance(value, str):
                    self._set(explorer, name, value)

    def _unlock(self, message: Mapping[str, Any]) -> None:
        """Open the file again with the keys that were typed. No error repeats a part of them."""
        from pqexplore.engine.errors import UsageError
        from pqexplore.engine.format.encryption.keys import Decryption

        state = message.get("state")
        try:
            columns: dict[str | tuple[str, ...], bytes | bytearray | memoryview] = {
                str(name): bytes.fromhex(key) for name, key in dict(message.get("columns") or {}).items()
            }
            footer = message.get("footer")
            keys = Decryption(
                footer_key=bytes.fromhex(footer) if footer else None,
                column_keys=columns,
                aad_prefix=message.get("aad_prefix") or None,
            )
        except (UsageError, ValueError, TypeError, AttributeError):
            said = "A key is 16, 24 or 32 bytes, typed as 32, 48 or 64 hexadecimal digits."
            self._channel.send({"kind": "refused", "message": said})
            return
        self.begin(state if isinstance(state, dict) else {}, keys)


def limit(memory: int, seconds: int) -> None:
    """Bound this process: bytes of data, seconds of CPU. Systems without such limits have none."""
    try:
        import resource
    except ImportError:  # Windows
        return
    for what, most in ((resource.RLIMIT_DATA, memory), (resource.RLIMIT_CPU, seconds), (resource.RLIMIT_CORE, 0)):
        hard = resource.getrlimit(what)[1]
        most = most if hard == resource.RLIM_INFINITY else min(most, hard)
        with contextlib.suppress(ValueError, OSError):
            resource.setrlimit(what, (most, most))


def main() -> None:
    """Serve one document until the stream ends."""
    stdout = os.fdopen(os.dup(1), "wb")
    stdin = os.fdopen(os.dup(0), "rb")
    with open(os.devnull, "rb") as nothing:
        os.dup2(nothing.fileno(), 0)
    os.dup2(2, 1)  # nothing that prints may come between the frames
    channel = Channel(stdin, stdout)
    importlib.import_module("pqexplore.widget.explorer")  # while the browser gets ready

    from pqexplore.insight.lenses.what_if.trials import ONLY_READS

    ONLY_READS.set("The app only reads. Copy the code, and run it where the new file shall be.")
    opened = channel.messages.get()
    limit(opened["memory"], opened["seconds"])
    document = Document(channel, opened)
    while True:
        message = channel.messages.get()
        if isinstance(message, dict) and message.get("kind") == "begin":
            state = message.get("state")
            document.begin(state if isinstance(state, dict) else {})
        else:
            document.hear(message)


if __name__ == "__main__":
    main()
