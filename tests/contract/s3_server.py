"""S3 on loopback for tests: moto's server, and a way to it on which things go wrong when a test says so."""

import contextlib
import http.client
import threading
import time
import urllib.request
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import urlsplit

import boto3
from moto.server import ThreadedMotoServer

BUCKET = "waybill"
PASSED_ON = {"content-length", "connection", "transfer-encoding", "date", "server"}


@contextlib.contextmanager
def moto():
    """The address of a running moto."""
    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    host, port = server.get_host_and_port()
    try:
        yield f"http://{host}:{port}"
    finally:
        server.stop()


def emptied(address):
    """Everything that moto holds is gone; one empty bucket is there."""
    reset = urllib.request.Request(f"{address}/moto-api/reset", method="POST")  # noqa: S310 (our own server)
    urllib.request.urlopen(reset).close()  # noqa: S310
    client = boto3.client("s3", endpoint_url=address, region_name="us-east-1")
    client.create_bucket(Bucket=BUCKET)
    client.close()
    return address


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_any(self):
        if "100-continue" in self.headers.get("Expect", ""):
            self.send_response_only(100)
            self.end_headers()
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        self.server.asked.append((self.command, self.path, dict(self.headers), len(body)))
        if fault := self.server.next_fault(self):
            return fault(self)
        status, headers, answer = self._pass_on(body)
        self.answer(status, headers, answer)
        return None

    do_GET = do_PUT = do_POST = do_HEAD = do_DELETE = do_any

    def answer(self, status, headers=(), body=b"", *, length=None, sent=None):
        """`sent` bytes of the body although `length` were promised."""
        self.send_response(status)
        for name, value in headers:
            if name.lower() not in PASSED_ON:
                self.send_header(name, value)
        promised = {name.lower(): value for name, value in headers}.get("content-length")
        self.send_header("Content-Length", str(length or (promised if self.command == "HEAD" else len(body))))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body[:sent])

    def _pass_on(self, body):
        target = urlsplit(self.server.behind)
        connection = http.client.HTTPConnection(target.hostname, target.port)
        headers = {name: value for name, value in self.headers.items() if name != "Expect"}
        connection.request(self.command, self.path, body, headers)
        answer = connection.getresponse()
        read = answer.read()
        connection.close()
        return answer.status, answer.getheaders(), read

    def log_message(self, *args):
        pass


class Way(ThreadingHTTPServer):
    """Passes everything on to moto, but for the faults that stand in `faults`, each (method, fault, times).

    `asked` lists what came: method, path, headers and the number of bytes.
    """

    daemon_threads = True

    def __init__(self, behind):
        super().__init__(("127.0.0.1", 0), Handler)
        self.behind, self.faults, self.asked = behind, [], []
        self.lock = threading.Lock()

    @property
    def address(self):
        return f"http://127.0.0.1:{self.server_port}"

    def next_fault(self, request):
        with self.lock:
            for place, (method, fault, times) in enumerate(self.faults):
                if method == request.command and times:
                    self.faults[place] = (method, fault, times - 1)
                    return fault
        return None


def refuses(status, code):
    def fault(request):
        error = f"<Error><Code>{code}</Code><Message>{code}</Message></Error>".encode()
        request.answer(status, [("Content-Type", "application/xml")], error)

    return fault


def cuts_the_body(request):
    status, headers, body = request._pass_on(b"")
    request.answer(status, headers, body, length=len(body), sent=len(body) // 2)
    request.close_connection = True


def other_bytes(request):
    status, headers, body = request._pass_on(b"")
    kept = [(name, value) for name, value in headers if not name.lower().startswith("x-amz-checksum")]
    request.answer(status, kept, bytes(len(body)))


def silent(seconds):
    def fault(request):
        time.sleep(seconds)  # as long as the client waits, and a little
        request.close_connection = True

    return fault


@contextlib.contextmanager
def way_to(address):
    server = Way(address)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
