"""A web server on this machine that behaves as the path asks: `/ranges/x`, `/slow/x`, …; it counts what it sends."""

import contextlib
import gzip
import http.server
import re
import threading
import time


class Server:
    """`data` is what it gives; `sent` the bytes of all bodies, `seen` the (path, headers) of all requests.

    `delay` are the seconds that `/ranges/` takes to answer; with `refuses`, every answer is 403.
    """

    def __init__(self, data: bytes) -> None:
        self.data = data
        self.tag = '"1"'
        self.sent = 0
        self.delay = 0.0
        self.refuses = False
        self.seen = []
        self.elsewhere = ""
        self.busy = 3
        self.stop = threading.Event()
        server = self

        class Handler(_Handler):
            state = server

        self._server = _Listening(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self.port = self._server.server_address[1]
        threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True).start()

    def url(self, path: str, host: str = "127.0.0.1") -> str:
        return f"http://{host}:{self.port}/{path}"

    def close(self) -> None:
        self.stop.set()
        self._server.shutdown()
        self._server.server_close()


@contextlib.contextmanager
def serving(data: bytes):
    server = Server(data)
    try:
        yield server
    finally:
        server.close()


class _Listening(http.server.ThreadingHTTPServer):
    request_queue_size = 128  # connections that come at the same time

    def handle_error(self, *_):
        pass  # the client may close a connection at any time


class _Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True  # or a body waits 40 ms for the acknowledgement of its header
    state: Server

    def log_message(self, *_):
        pass

    def do_GET(self):
        self.state.seen.append((self.path, dict(self.headers)))
        how = self.path.strip("/").partition("/")[0].partition("?")[0]
        with contextlib.suppress(ConnectionError):
            if self.state.refuses:
                self.answer(403)
            elif how in MANY and not self.many():
                self.one_range()
            elif how in MANY:
                MANY[how](self, self.many())
            elif how in ALWAYS:
                ALWAYS[how](self)
            else:
                getattr(self, how)()

    def answer(self, status, body=b"", length=None, **headers):
        self.send_response(status)
        headers.setdefault("ETag", self.state.tag)
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        if length != "absent":
            self.send_header("Content-Length", str(len(body) if length is None else length))
        else:
            self.close_connection = True
        self.end_headers()
        for at in range(0, len(body), 1 << 20):
            self.state.sent += len(body[at : at + (1 << 20)])  # before the client can have it
            self.wfile.write(body[at : at + (1 << 20)])

    def range(self):
        found = re.fullmatch(r"bytes=(\d*)-(\d+)", self.headers.get("Range", ""))
        size = len(self.state.data)
        start, end = int(found[1] or max(0, size - int(found[2]))), size
        if found[1]:
            end = min(int(found[2]) + 1, size)
        return start, end, f"bytes {start}-{end - 1}/{size}"

    def many(self):
        """The ranges of a request for several, as [start, end) pairs; None if it asks for one."""
        wanted = self.headers.get("Range", "")
        if "," not in wanted:
            return None
        size = len(self.state.data)
        pairs = [part.split("-") for part in wanted.removeprefix("bytes=").split(",")]
        return [(int(start), min(int(end) + 1, size)) for start, end in pairs]

    def multipart(self, pairs, boundary="next", kind='multipart/byteranges; boundary="next"'):
        data, body = self.state.data, b""
        for start, end in pairs:
            says = f"Content-Range: bytes {start}-{end - 1}/{len(data)}\r\n\r\n"
            body += f"\r\n--{boundary}\r\nContent-Type: x/y\r\n{says}".encode() + data[start:end]
        self.answer(206, body + f"\r\n--{boundary}--\r\n".encode(), Content_Type=kind)

    # What servers do.

    def ranges(self):
        self.state.stop.wait(self.state.delay)
        if self.many():
            self.multipart(self.many())
        else:
            self.one_range()

    def one_range(self):
        start, end, says = self.range()
        if start >= len(self.state.data):
            self.answer(416, Content_Range=f"bytes */{len(self.state.data)}")
        else:
            self.answer(206, self.state.data[start:end], Content_Range=says)

    def many_first(self, pairs):
        """The first of several ranges."""
        start, end = pairs[0]
        self.answer(206, self.state.data[start:end], Content_Range=f"bytes {start}-{end - 1}/{len(self.state.data)}")

    def no_ends(self):
        """Gives ranges, and all of it where the last bytes are asked for."""
        if "=-" in self.headers.get("Range", ""):
            ALWAYS["no_ranges"](self)
        else:
            self.ranges()

    def refused_ends(self):
        if "=-" in self.headers.get("Range", ""):
            self.answer(400)
        else:
            self.ranges()

    def gzipped(self):
        self.answer(200, gzip.compress(self.state.data), Content_Encoding="gzip")

    def gzipped_ranges(self):
        start, end, says = self.range()
        self.answer(206, self.state.data[start:end], Content_Range=says, Content_Encoding="gzip")

    def busy(self):
        """503 for the first requests."""
        self.state.busy -= 1
        if self.state.busy >= 0:
            self.answer(503, Retry_After="0")
        else:
            self.ranges()

    def other_range(self):
        start, end, _ = self.range()
        says = f"bytes {start + 1}-{end}/{len(self.state.data)}"
        self.answer(206, self.state.data[start:end], Content_Range=says)

    def no_content_range(self):
        start, end, _ = self.range()
        self.answer(206, self.state.data[start:end])

    def unknown_size(self):
        start, end, says = self.range()
        self.answer(206, self.state.data[start:end], Content_Range=says.partition("/")[0] + "/*")

    def too_much(self):
        """The range, and then everything else and a byte."""
        start, _, says = self.range()
        self.answer(206, self.state.data[start:] + b"!", Content_Range=says)

    def endless(self):
        """A range of bytes that does not end."""
        _, _, says = self.range()
        self.answer(206, b"", length="absent", Content_Range=says)
        while not self.state.stop.is_set():
            self.wfile.write(bytes(1 << 16))
            self.state.sent += 1 << 16

    def short_length(self):
        """Announces and sends half of each range but those of a byte."""
        start, end, says = self.range()
        self.answer(206, self.state.data[start : start + max(1, (end - start) // 2)], Content_Range=says)

    def cut(self):
        """Closes the connection in the middle of all answers but the first."""
        start, end, says = self.range()
        body = self.state.data[start:end]
        self.answer(206, body if len(body) == 1 else body[:10], len(body), Content_Range=says)
        self.close_connection = True

    def cut_whole(self):
        self.answer(200, self.state.data[:10], len(self.state.data))
        self.close_connection = True

    def whole_later(self):
        """Gives ranges of one byte, and everything for others."""
        start, end, _ = self.range()
        if end - start == 1:
            self.ranges()
        else:
            ALWAYS["no_ranges"](self)

    def slow(self):
        self.state.stop.wait(60)

    def drip(self):
        """A byte of the header now and then, so that something always comes."""
        self.wfile.write(b"HTTP/1.1 206 Partial Content\r\nX: ")
        while not self.state.stop.wait(0.1):
            self.wfile.write(b"x")
            self.wfile.flush()

    def garbage(self):
        self.wfile.write(b"\x00\x01\x02 not HTTP at all\r\n\r\n")
        self.close_connection = True

    def redirect(self):
        self.answer(302, Location=self.path.replace("/redirect/", "/ranges/"))

    def password(self):
        wanted = "Basic dXNlcjpwYXNz"  # user:pass
        if self.headers.get("Authorization") != wanted:
            self.answer(401)
        else:
            self.ranges()


# What a server always answers.
ALWAYS = {
    "missing": lambda to: to.answer(404),
    "forbidden": lambda to: to.answer(403),
    "unauthorized": lambda to: to.answer(401),
    "broken": lambda to: to.answer(503),
    "refused_range": lambda to: to.answer(416),
    "no_ranges": lambda to: to.answer(200, to.state.data),
    "no_length": lambda to: to.answer(200, to.state.data, length="absent"),
    "redirect_outside": lambda to: to.answer(302, Location=to.state.elsewhere),
    "redirect_loop": lambda to: to.answer(302, Location=to.path),
    "redirect_file": lambda to: to.answer(302, Location="file:///etc/passwd"),
    "redirect_nonsense": lambda to: to.answer(302, Location="http://[nonsense"),
}

# What a server answers where several ranges are asked for.
MANY = {
    "reordered": lambda to, pairs: to.multipart(pairs[::-1]),
    "coalesced": lambda to, pairs: to.multipart([(pairs[0][0], pairs[-1][1])]),  # one part, with what is between them
    "many_whole": lambda to, pairs: to.answer(200, to.state.data),  # as S3 does
    "many_refused": lambda to, pairs: to.answer(400),
    "many_forbidden": lambda to, pairs: to.answer(403),  # as a firewall may answer
    "many_unsatisfied": lambda to, pairs: to.answer(416),
    "many_first": _Handler.many_first,
    "many_missing": lambda to, pairs: to.multipart(pairs[:-1]),
    "many_too_much": lambda to, pairs: to.multipart([(0, len(to.state.data))]),
    "many_dropped": lambda to, pairs: setattr(to, "close_connection", True),
}


def clock(function):
    """What a function gives or raises, and the seconds that it took."""
    begun = time.monotonic()
    try:
        result = function()
    except Exception as error:
        result = error
    return result, time.monotonic() - begun
