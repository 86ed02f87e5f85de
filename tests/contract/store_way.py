"""A way to an Oxigraph server on which things go wrong when a test says so, and which can keep RDF4J's rules.

RDF4J's own server is not run here. These are its rules as its documentation and sources give them: queries at
the repository, updates and deletions at its statements; a DELETE without `context` empties every graph; 204
for what is done; 503 for an update past its `timeout`.
"""

import contextlib
import http.client
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlsplit

REPOSITORY = "/rdf4j-server/repositories/waybill"


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_any(self):
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        self.server.asked.append((self.command, self.path, dict(self.headers)))
        fault = self.server.faults.pop(0) if self.server.faults else None
        if fault is None:
            self.pass_on(body)
        else:
            fault(self, body)

    do_GET = do_POST = do_DELETE = do_any

    def pass_on(self, body):
        self.answer(*self.server.meaning(self.command, urlsplit(self.path), dict(self.headers), body))

    def answer(self, status, headers=(), body=b""):
        self.send_response(status)
        for name, value in headers:
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *args):
        pass


class Way(ThreadingHTTPServer):
    """`asked` lists what came: method, path, headers. `faults` are done in turn, None passes one call on."""

    daemon_threads = True

    def __init__(self, behind):
        super().__init__(("127.0.0.1", 0), Handler)
        self.behind, self.faults, self.asked = urlsplit(behind), [], []
        self.url = f"http://127.0.0.1:{self.server_port}"

    def meaning(self, method, url, headers, body):
        return self.forward(url.path, headers.get("Content-Type", ""), headers.get("Accept", ""), body)

    def forward(self, path, content_type, accept, body):
        connection = http.client.HTTPConnection(self.behind.hostname, self.behind.port)
        connection.request("POST", path, body, {"Content-Type": content_type, "Accept": accept})
        answer = connection.getresponse()
        read = answer.read()
        connection.close()
        return answer.status, [("Content-Type", answer.headers.get("Content-Type", ""))], read


class Rdf4jRules(Way):
    def meaning(self, method, url, headers, body):
        given = parse_qs(url.query)
        types = headers.get("Content-Type", ""), headers.get("Accept", "")
        if (method, url.path) == ("POST", REPOSITORY):
            return self.forward("/query", *types, body)
        if (method, url.path) == ("POST", f"{REPOSITORY}/statements"):
            if not types[0].startswith("application/sparql-update"):
                return 415, (), b""
            status, _, read = self.forward("/update", *types, body)
            return status, (), b"" if status == 204 else read
        if (method, url.path) == ("DELETE", f"{REPOSITORY}/statements"):
            dropped = "; ".join(f"DROP SILENT GRAPH {graph}" for graph in given.get("context", []))
            return self.forward("/update", "application/sparql-update", "", (dropped or "DROP ALL").encode())
        return 404, (), b"Unknown repository"


def says(status, **headers):
    return lambda request, body: request.answer(status, list(headers.items()), b"no")


def cut(request, body):
    request.close_connection = True


def silent_until(event, *, then=lambda request, body: None):
    """No answer; `then` happens when the event is set, long after the client has gone."""

    def fault(request, body):
        event.wait(10)
        with contextlib.suppress(OSError):
            then(request, body)
        request.close_connection = True

    return fault


def late(request, body):
    """The call arrives behind after all, and says so."""
    request.server.meaning(request.command, urlsplit(request.path), dict(request.headers), body)
    request.server.arrived.set()


@contextlib.contextmanager
def way_to(address, kind=Way):
    server = kind(address)
    server.arrived = threading.Event()
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
