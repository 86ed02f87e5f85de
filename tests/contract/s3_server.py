"""A small S3 of our own for tests: real HTTP on loopback, objects in a dictionary, conditional writes."""

import contextlib
import hashlib
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, unquote, urlsplit
from xml.sax.saxutils import escape


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_PUT(self):
        body = self._body()
        objects, key = self.server.objects, self._key()
        with self.server.lock:
            if self.headers.get("If-None-Match") == "*" and key in objects:
                return self._answer(412, error="PreconditionFailed")
            objects[key] = body
        return self._answer(
            200, headers={"ETag": f'"{hashlib.md5(body, usedforsecurity=False).hexdigest()}"'}
        )

    def do_GET(self):
        query = parse_qs(urlsplit(self.path).query)
        if "list-type" in query:
            return self._list(query.get("prefix", [""])[0])
        body = self.server.objects.get(self._key())
        if body is None:
            return self._answer(404, error="NoSuchKey")
        asked = {
            "Content-Disposition": query.get("response-content-disposition", [""])[0],
            "Content-Type": query.get("response-content-type", ["binary/octet-stream"])[0],
        }
        return self._answer(200, body=body, headers=asked)

    def do_HEAD(self):
        body = self.server.objects.get(self._key())
        return self._answer(404) if body is None else self._answer(200, body=body)

    def do_DELETE(self):
        self.server.objects.pop(self._key(), None)
        self._answer(204)

    def log_message(self, *args):
        pass

    def _list(self, prefix):
        bucket = self._key().split("/")[0]
        keys = sorted(key.removeprefix(f"{bucket}/") for key in self.server.objects)
        items = "".join(
            f"<Contents><Key>{escape(key)}</Key></Contents>" for key in keys if key.startswith(prefix)
        )
        body = f"<ListBucketResult><IsTruncated>false</IsTruncated>{items}</ListBucketResult>".encode()
        self._answer(200, body=body, headers={"Content-Type": "application/xml"})

    def _key(self):
        return unquote(urlsplit(self.path).path).strip("/")

    def _body(self):
        if "100-continue" in self.headers.get("Expect", ""):
            self.send_response_only(100)
            self.end_headers()
        return self.rfile.read(int(self.headers.get("Content-Length", 0)))

    def _answer(self, status, *, body=b"", error="", headers=None):
        signed = "AWS4-HMAC-SHA256" in self.headers.get("Authorization", "") + self.path
        if not signed:
            status, body, error = 403, b"", "AccessDenied"
        if error:
            body = f"<Error><Code>{error}</Code><Message>{error}</Message></Error>".encode()
        self.send_response(status)
        for name, value in (headers or {}).items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)


@contextlib.contextmanager
def s3_server():
    """The address of a running server; its objects live as long as the block."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    server.objects, server.lock = {}, threading.Lock()
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
