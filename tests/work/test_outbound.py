import contextlib
import datetime as dt
import ipaddress
import socket
import ssl
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from work import outbound, outbound_addresses
from work.failures import PermanentFailure, TemporaryFailure
from work.outbound import Call, Rules


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        length = int(self.headers.get("Content-Length") or 0)
        self.server.seen.append(
            {"method": self.command, "path": self.path, "host": self.headers["Host"],
             "headers": {name.lower(): value for name, value in self.headers.items()},
             "body": self.rfile.read(length)}
        )  # fmt: skip
        self.server.answer(self)

    do_POST = do_GET

    def log_message(self, *args):
        pass

    def reply(self, status=200, body=b"fine", **headers):
        self.send_response(status)
        for name, value in {"Content-Length": str(len(body)), **headers}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)


class Server(ThreadingHTTPServer):
    """A real server on loopback; `answer(handler)` is what it says."""

    daemon_threads = True

    def __init__(self, tls=None):
        super().__init__(("127.0.0.1", 0), Handler)
        self.seen, self.answer = [], lambda handler: handler.reply()
        self.tls = tls

    def get_request(self):
        sock, address = super().get_request()
        if self.tls is not None:
            sock = self.tls.wrap_socket(sock, server_side=True, do_handshake_on_connect=False)
        return sock, address

    def handle_error(self, request, client_address):
        pass

    @property
    def port(self):
        return self.server_address[1]


@contextlib.contextmanager
def serving(server):
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


@pytest.fixture
def server():
    with serving(Server()) as made:
        yield made


@pytest.fixture
def allowed(settings):
    settings.OUTBOUND_ALLOW = ["hooks.example"]


def loopback(host, port):
    return ["127.0.0.1"]


def rules(**changes):
    return Rules(**{"resolve": loopback, "seconds": 5.0, **changes})


def get(server, path="/", host="hooks.example", **changes):
    return outbound.fetch(Call("GET", f"http://{host}:{server.port}{path}"), rules(**changes))


def test_an_allowed_address_is_called_by_its_name(server, allowed):
    answer = get(server, "/x?y=1")

    assert (answer.status, answer.body) == (200, b"fine")
    assert server.seen[0]["path"] == "/x?y=1"
    assert server.seen[0]["host"] == f"hooks.example:{server.port}"


def test_a_body_and_headers_are_sent(server, allowed):
    call = Call("POST", f"http://hooks.example:{server.port}/", b"{}", {"Waybill-Event": "x"})

    outbound.fetch(call, rules())

    assert server.seen[0]["body"] == b"{}"
    assert server.seen[0]["headers"]["waybill-event"] == "x"


@pytest.mark.parametrize(
    "address",
    [
        "127.0.0.1", "10.0.0.1", "172.16.5.4", "192.168.1.1", "169.254.169.254", "0.0.0.0", "100.64.0.1",  # noqa: S104
        "224.0.0.1", "255.255.255.255", "::1", "fe80::1", "fe80::1%eth0", "fc00::1", "::ffff:127.0.0.1",
        "::ffff:10.0.0.1", "64:ff9b::a00:1", "2002:7f00:1::", "ff02::1", "::",
    ],
)  # fmt: skip
def test_private_addresses_are_refused(address, server):
    with pytest.raises(PermanentFailure, match="outbound_address_refused"):
        get(server, host="inside.example", resolve=lambda host, port: [address])
    assert server.seen == []


@pytest.mark.parametrize("address", ["8.8.8.8", "2001:4860:4860::8888", "64:ff9b::808:808"])
def test_public_addresses_may_be_called(address):
    assert outbound_addresses.may_be_called("x", 443, address)


@pytest.mark.parametrize(
    ("entry", "expected"),
    [("127.0.0.0/8", True), ("127.0.0.1", True), ("hooks.example", True), ("HOOKS.example:80", True),
     ("hooks.example:81", False), ("10.0.0.0/8", False), ("::/0", False)],
)  # fmt: skip
def test_what_the_allow_list_may_hold(settings, entry, expected):
    settings.OUTBOUND_ALLOW = [entry]

    assert outbound_addresses.may_be_called("hooks.example", 80, "127.0.0.1") is expected


def test_loopback_by_number_is_refused(server):
    with pytest.raises(PermanentFailure, match="outbound_address_refused"):
        outbound.fetch(Call("GET", f"http://127.0.0.1:{server.port}/"), Rules(seconds=5))


def test_only_the_permitted_of_several_addresses_is_used(server, settings):
    settings.OUTBOUND_ALLOW = ["127.0.0.1"]

    assert get(server, resolve=lambda host, port: ["10.255.255.1", "127.0.0.1"]).status == 200


def test_the_address_that_was_checked_is_the_one_used(server, settings):
    """A name that changes between check and connect gains nothing: it is looked up once."""
    settings.OUTBOUND_ALLOW = ["127.0.0.1"]
    answers = [["127.0.0.1"], ["127.0.0.2"]]

    assert get(server, resolve=lambda host, port: answers.pop(0)).status == 200
    assert len(answers) == 1


def test_a_redirect_to_a_private_address_is_refused(server, allowed):
    server.answer = lambda handler: handler.reply(302, Location="http://metadata.example/latest/")

    with pytest.raises(PermanentFailure, match="outbound_address_refused"):
        get(server)
    assert len(server.seen) == 1


def test_a_redirect_is_followed(server, allowed):
    server.answer = lambda handler: (
        handler.reply(302, Location="/there") if handler.path == "/" else handler.reply(body=b"there")
    )

    answer = get(server)

    assert answer.body == b"there"
    assert answer.url.endswith("/there")


def test_redirects_are_left_alone_when_asked(server, allowed):
    server.answer = lambda handler: handler.reply(302, Location="/there")

    assert get(server, redirects=0).status == 302


def test_redirects_without_end_are_given_up(server, allowed):
    server.answer = lambda handler: handler.reply(302, Location="/again")

    with pytest.raises(PermanentFailure, match="outbound_too_many_redirects"):
        get(server)
    assert len(server.seen) == outbound.REDIRECTS + 1


def test_secrets_do_not_follow_to_another_server(server, settings):
    settings.OUTBOUND_ALLOW = ["127.0.0.1"]
    server.answer = lambda handler: (
        handler.reply(307, Location=f"http://other.example:{server.port}/b")
        if handler.path == "/a"
        else handler.reply()
    )
    call = Call("POST", f"http://hooks.example:{server.port}/a", b"{}",
                {"Authorization": "Bearer x", "Waybill-Signature": "x", "Content-Type": "a/b"})  # fmt: skip

    outbound.fetch(call, rules())

    first, second = server.seen
    assert first["headers"]["authorization"] == "Bearer x"
    assert "authorization" not in second["headers"]
    assert "waybill-signature" not in second["headers"]
    assert (second["method"], second["body"], second["headers"]["content-type"]) == ("POST", b"{}", "a/b")


def test_a_post_that_is_moved_by_302_becomes_a_get(server, allowed):
    server.answer = lambda handler: (
        handler.reply(302, Location="/b") if handler.path == "/a" else handler.reply()
    )

    outbound.fetch(Call("POST", f"http://hooks.example:{server.port}/a", b"{}"), rules())

    assert (server.seen[1]["method"], server.seen[1]["body"]) == ("GET", b"")


def test_a_silent_server_is_given_up(server, allowed):
    server.answer = lambda handler: time.sleep(3)

    started = time.monotonic()
    with pytest.raises(TemporaryFailure, match="outbound_too_slow"):
        get(server, seconds=0.3)
    assert time.monotonic() - started < 2


@pytest.mark.parametrize("announced", [True, False])
def test_a_server_that_drips_is_cut_off(server, allowed, announced):
    """Each byte comes within the socket's time-out; only the end of the whole call stops it."""

    def drip(handler):
        handler.send_response(200)
        handler.send_header(*(("Content-Length", "1000") if announced else ("Connection", "close")))
        handler.end_headers()
        with contextlib.suppress(OSError):
            for _ in range(100):
                handler.wfile.write(b".")
                time.sleep(0.05)
        handler.close_connection = True

    server.answer = drip

    started = time.monotonic()
    with pytest.raises(TemporaryFailure, match="outbound_too_slow"):
        get(server, seconds=0.5)
    assert time.monotonic() - started < 2


@pytest.mark.parametrize("announced", [True, False])
def test_an_answer_that_is_too_large_is_refused(server, allowed, announced):
    def large(handler):
        if announced:
            handler.reply(body=b"x" * 2000)
            return
        handler.send_response(200)
        handler.send_header("Connection", "close")
        handler.end_headers()
        handler.wfile.write(b"x" * 2000)
        handler.close_connection = True

    server.answer = large

    with pytest.raises(PermanentFailure, match="outbound_answer_too_large"):
        get(server, limit_bytes=1000)
    assert len(get(server, limit_bytes=2000).body) == 2000


def test_an_answer_that_is_cut_is_temporary(server, allowed):
    def cut(handler):
        handler.send_response(200)
        handler.send_header("Content-Length", "100")
        handler.end_headers()
        handler.wfile.write(b"x" * 10)
        handler.close_connection = True

    server.answer = cut

    with pytest.raises(TemporaryFailure, match="outbound_answer_unreadable"):
        get(server)


def test_nobody_listening_is_temporary(allowed):
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        url = f"http://hooks.example:{unused.getsockname()[1]}/"

        with pytest.raises(TemporaryFailure, match="outbound_unreachable"):
            outbound.fetch(Call("GET", url), rules())


def test_what_is_not_http_is_temporary(allowed):
    with socket.create_server(("127.0.0.1", 0)) as listening:

        def speak():
            accepted, _ = listening.accept()
            with accepted:
                accepted.recv(1000)
                accepted.sendall(b"220 mail.example ESMTP\r\n")

        thread = threading.Thread(target=speak)
        thread.start()
        with pytest.raises(TemporaryFailure, match="outbound_answer_unreadable"):
            outbound.fetch(Call("GET", f"http://hooks.example:{listening.getsockname()[1]}/"), rules())
        thread.join()


def test_an_unknown_name_is_temporary(server, allowed):
    def unknown(host, port):
        raise socket.gaierror

    with pytest.raises(TemporaryFailure, match="outbound_name_unknown"):
        get(server, resolve=unknown)


def test_a_resolver_that_hangs_is_left(server, allowed):
    released = threading.Event()

    def slow(host, port):
        released.wait(5)
        return ["127.0.0.1"]

    with pytest.raises(TemporaryFailure, match="outbound_too_slow"):
        get(server, seconds=0.2, resolve=slow)
    released.set()


@pytest.mark.parametrize(
    "url",
    ["ftp://hooks.example/", "//hooks.example", "http://", "http://user:secret@hooks.example/", "file:///etc/passwd",
     "http://hooks.example:99999/", "http://hooks.example/a b", "http://hooks.example/\r\nX: y", "http://[::1"],
)  # fmt: skip
def test_addresses_that_are_no_plain_http_are_refused(url):
    with pytest.raises(PermanentFailure, match="outbound_url_unusable"):
        outbound.fetch(Call("GET", url), rules())


def test_a_name_beyond_ascii_is_looked_up_in_its_ascii_form():
    assert outbound_addresses.ascii_host("bücher.example") == "xn--bcher-kva.example"
    with pytest.raises(PermanentFailure, match="outbound_url_unusable"):
        outbound_addresses.ascii_host("ü" * 80)


def test_no_time_left_is_no_connection(server, allowed):
    def slow(host, port):
        time.sleep(0.2)
        return ["127.0.0.1"]

    with pytest.raises(TemporaryFailure, match="outbound_too_slow"):
        get(server, seconds=0.05, resolve=slow)
    assert server.seen == []


def test_proxies_of_the_environment_are_ignored(server, allowed, monkeypatch):
    for name in ("http_proxy", "HTTP_PROXY", "all_proxy"):
        monkeypatch.setenv(name, "http://127.0.0.1:9/")

    assert get(server).status == 200


@pytest.fixture(scope="module")
def certificate(tmp_path_factory):
    """A certificate for hooks.example, and the context of a client that trusts it."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "hooks.example")])
    now = dt.datetime.now(dt.UTC)
    made = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(1)
        .not_valid_before(now - dt.timedelta(days=1))
        .not_valid_after(now + dt.timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName("hooks.example")]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    folder = tmp_path_factory.mktemp("tls")
    (folder / "cert.pem").write_bytes(made.public_bytes(serialization.Encoding.PEM))
    (folder / "key.pem").write_bytes(
        key.private_bytes(
            serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
        )
    )
    return folder


@pytest.fixture
def tls_server(certificate):
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate / "cert.pem", certificate / "key.pem")
    names = []
    context.sni_callback = lambda sock, name, context: names.append(name)
    server = Server(tls=context)
    server.names = names
    with serving(server):
        yield server


@pytest.fixture
def trusting(certificate):
    return ssl.create_default_context(cafile=str(certificate / "cert.pem"))


def test_tls_checks_the_name_not_the_address(tls_server, trusting, settings):
    settings.OUTBOUND_ALLOW = ["127.0.0.1"]
    port = tls_server.port

    answer = outbound.fetch(Call("GET", f"https://hooks.example:{port}/"), rules(tls=trusting))

    assert answer.status == 200
    assert tls_server.names == ["hooks.example"]
    with pytest.raises(TemporaryFailure, match="outbound_tls_failed"):
        outbound.fetch(Call("GET", f"https://other.example:{port}/"), rules(tls=trusting))


def test_tls_of_a_stranger_is_refused(tls_server, allowed):
    with pytest.raises(TemporaryFailure, match="outbound_tls_failed"):
        outbound.fetch(Call("GET", f"https://hooks.example:{tls_server.port}/"), rules())


def test_a_redirect_out_of_tls_is_refused(tls_server, trusting, allowed):
    tls_server.answer = lambda handler: handler.reply(302, Location="http://hooks.example/")

    with pytest.raises(PermanentFailure, match="outbound_redirect_drops_tls"):
        outbound.fetch(Call("GET", f"https://hooks.example:{tls_server.port}/"), rules(tls=trusting))


def test_a_handshake_that_hangs_is_cut_off(allowed):
    with socket.create_server(("127.0.0.1", 0)) as listening:
        url = f"https://hooks.example:{listening.getsockname()[1]}/"

        with pytest.raises(TemporaryFailure, match="outbound_too_slow"):
            outbound.fetch(Call("GET", url), rules(seconds=0.3))


def test_addresses_inside_others_are_seen():
    assert not outbound_addresses.is_public(ipaddress.ip_address("2001:0:4136:e378:8000:63bf:80ff:fffe"))
