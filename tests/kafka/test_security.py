"""TLS, SASL and rights on a real broker, and what is said when they are wrong."""

import asyncio
import base64
import shutil

import pytest
from aiokafka.admin import AIOKafkaAdminClient
from aiokafka.protocol.admin import CreateAclsRequest, DeleteAclsRequest
from click.testing import CliRunner

from schemas.topics import PAGES, TOPICS
from tests.kafka.secure_broker import KEY_PASSWORD, PASSWORD, secure_broker, token
from tests.kafka.stream import Stream, halves, templ, wait_until, write_feed
from workers.cli.topics import topics_command
from workers.kafka.broker.access import BrokerAccess
from workers.kafka.broker.admin import connected_admin
from workers.settings import load_settings


class Secure:
    """A secure broker and the settings with which its listeners are reached."""

    def __init__(self, directory):
        self.broker, self.certificates, self.addresses = secure_broker(directory)
        self.directory = directory

    def settings(self, listener, **more):
        """Environment for a listener; `more` replaces it, and None takes a variable away."""
        ca, key = self.certificates["ca.pem"], self.certificates["alice-locked.key"]
        variables = {"TEMPL_SECURITY_PROTOCOL": "SSL", "TEMPL_SSL_CA_FILE": ca}
        if listener == "MUTUAL":
            variables |= {
                "TEMPL_SSL_CERTIFICATE_FILE": self.certificates["alice.crt"],
                "TEMPL_SSL_KEY_FILE": key,
                "TEMPL_SSL_KEY_PASSWORD_FILE": self.file("key-password", KEY_PASSWORD),
            }
        if listener == "LOGIN":
            variables |= {
                "TEMPL_SECURITY_PROTOCOL": "SASL_SSL",
                "TEMPL_SASL_MECHANISM": "SCRAM-SHA-512",
                "TEMPL_SASL_USERNAME": "alice",
                "TEMPL_SASL_PASSWORD_FILE": self.file("password", PASSWORD),
            }
        variables |= more
        variables["TEMPL_BROKER"] = self.addresses[listener]
        return {name: str(value) for name, value in variables.items() if value is not None}

    def file(self, name, content):
        path = self.directory / name
        path.write_text(content + "\n")
        return path


@pytest.fixture(scope="module")
def secure(kafka_broker, tmp_path_factory):
    """A running secure broker; `kafka_broker` skips where there is no Java."""
    if shutil.which("openssl") is None:
        pytest.skip("needs openssl")
    running = Secure(tmp_path_factory.mktemp("secure"))
    running.broker.start()
    yield running
    running.broker.stop()


def refused(arguments, environment, expect=69):
    """Run a command that fails with one line; answers the line."""
    done = templ(*arguments, expect=expect, **environment)
    assert done.stderr.count("\n") == 1, done.stderr
    return done.stderr


NO_PASSWORD = {"TEMPL_SASL_USERNAME": None, "TEMPL_SASL_PASSWORD_FILE": None}


@pytest.mark.parametrize("listener", ["TLS", "MUTUAL", "LOGIN"])
async def test_clients_reach_each_listener(secure, listener, monkeypatch):
    for name, value in secure.settings(listener).items():
        monkeypatch.setenv(name, value)
    settings = load_settings()
    access = BrokerAccess.of(settings.broker, settings)
    assert await access.problem() is None


@pytest.mark.parametrize(
    "mechanism", ["PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512", "OAUTHBEARER", "OAUTHBEARER url"]
)
async def test_every_login_works(secure, mechanism, monkeypatch, aiohttp_token_server):
    more = {"TEMPL_SASL_MECHANISM": mechanism.removesuffix(" url")}
    if mechanism == "OAUTHBEARER":
        more |= NO_PASSWORD | {"TEMPL_SASL_TOKEN_FILE": secure.file("token", token("alice"))}
    elif mechanism == "OAUTHBEARER url":
        more |= NO_PASSWORD | {
            "TEMPL_SASL_TOKEN_URL": aiohttp_token_server,
            "TEMPL_SASL_CLIENT_ID": "templ",
            "TEMPL_SASL_CLIENT_SECRET_FILE": secure.file("secret", "the secret"),
        }
    for name, value in secure.settings("LOGIN", **more).items():
        monkeypatch.setenv(name, value)
    settings = load_settings()
    access = BrokerAccess.of(settings.broker, settings)
    assert await access.problem() is None
    admin = AIOKafkaAdminClient(**access.client_options())
    await admin.start()
    await admin.close()


@pytest.fixture
async def aiohttp_token_server():
    """Address that gives a token of alice to the client `templ`."""
    from aiohttp import web

    async def give(request):
        login = base64.b64encode(b"templ:the secret").decode()
        form = await request.post()
        if request.headers["Authorization"] != f"Basic {login}":
            return web.Response(status=401)
        assert form["grant_type"] == "client_credentials"
        return web.json_response({"access_token": token("alice"), "expires_in": 60})

    app = web.Application()
    app.router.add_post("/token", give)
    runner = web.AppRunner(app)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    yield f"http://127.0.0.1:{site._server.sockets[0].getsockname()[1]}/token"
    await runner.cleanup()


WRONG = {
    "password": ("LOGIN", {"TEMPL_SASL_PASSWORD_FILE": "wrong-password"}, 69, "refuses the login"),
    "mechanism": ("LOGIN", {"TEMPL_SASL_MECHANISM": "PLAIN", "TEMPL_SASL_USERNAME": "nobody"}, 69,
                  "refuses the login"),
    "expired certificate": ("EXPIRED", {}, 69, "has a certificate that has expired"),
    "wrong host": ("ELSEWHERE", {}, 69, "a certificate that is not for 127.0.0.1"),
    "unknown authority": ("TLS", {"TEMPL_SSL_CA_FILE": "other-ca.pem"}, 69, "is not trusted"),
    "no client certificate": (
        "MUTUAL",
        dict.fromkeys(
            ("TEMPL_SSL_CERTIFICATE_FILE", "TEMPL_SSL_KEY_FILE", "TEMPL_SSL_KEY_PASSWORD_FILE")
        ),
        69,
        "client certificate",
    ),
    "client certificate of a stranger": (
        "MUTUAL",
        {"TEMPL_SSL_CERTIFICATE_FILE": "stranger.pem", "TEMPL_SSL_KEY_FILE": None,
         "TEMPL_SSL_KEY_PASSWORD_FILE": None},
        69,
        "client certificate",
    ),
    "expired client certificate": (
        "MUTUAL",
        {"TEMPL_SSL_CERTIFICATE_FILE": "late.pem", "TEMPL_SSL_KEY_FILE": None,
         "TEMPL_SSL_KEY_PASSWORD_FILE": None},
        69,
        "client certificate",
    ),
    "no TLS where it is wanted": (
        "TLS", {"TEMPL_SECURITY_PROTOCOL": None, "TEMPL_SSL_CA_FILE": None}, 69,
        "TEMPL_SECURITY_PROTOCOL=PLAINTEXT",
    ),
    "no file of authorities": (
        "TLS", {"TEMPL_SSL_CA_FILE": "/nowhere/ca.pem"}, 78, "/nowhere/ca.pem: No such file",
    ),
    "password of the key": (
        "MUTUAL", {"TEMPL_SSL_KEY_PASSWORD_FILE": "wrong-password"}, 78, "TEMPL_SSL_KEY_PASSWORD",
    ),
    "no password": (
        "LOGIN", {"TEMPL_SASL_PASSWORD_FILE": None}, 78, "SCRAM-SHA-512 needs TEMPL_SASL_PASSWORD",
    ),
}  # fmt: skip


@pytest.mark.parametrize("what", WRONG)
def test_what_is_wrong_is_said_in_one_line(secure, what):
    listener, changes, code, words = WRONG[what]
    secure.file("wrong-password", "not this one")
    changes = {
        name: secure.directory / value
        if value == "wrong-password"
        else secure.certificates[value]
        if value and value.endswith(".pem")
        else value
        for name, value in changes.items()
    }
    environment = secure.settings(listener, **changes)
    done = CliRunner().invoke(topics_command, ["check"], env=environment)
    assert done.exception.exit_code == code, done.exception
    line = str(done.exception)
    assert words in line
    assert "\n" not in line
    assert PASSWORD not in line


READ, WRITE, DESCRIBE, DESCRIBE_CONFIGS = 3, 4, 8, 10
TOPIC, GROUP = 2, 3
LITERAL = ALLOWED = 3
REFUSED = 2


async def allow(access, user, resource, name, operations):
    """Allow a user operations on a topic or group."""
    admin = AIOKafkaAdminClient(**access.client_options())
    await admin.start()
    for operation in operations:
        request = CreateAclsRequest(
            resource, name, LITERAL, f"User:{user}", "*", operation, ALLOWED
        )
        response = await admin._send_request(request)
        assert [code for code, _ in response.creation_responses] == [0]
    await admin.close()


async def test_missing_rights_are_said_before_a_page_is_read(secure, prefix, tmp_path):
    plain = BrokerAccess(secure.broker.address)
    templ("topics", "create", "--broker", plain.address, "--prefix", prefix)
    bob = secure.settings("LOGIN", TEMPL_SASL_USERNAME="bob", TEMPL_PREFIX=prefix)
    worker = ("worker", "--state", tmp_path / "state", "--role", "cleaner")
    done = templ(*worker, expect=78, **bob)
    assert f"{prefix}pages: this user lacks the right to Describe and" in done.stderr
    doctor = templ("doctor", expect=78, **bob)
    assert f"error: {prefix}pages: this user lacks the right to Describe and" in doctor.stdout
    for name in ("cleaned", "documents", "site-models", "site-settings", "pages.dlq"):
        rights = [READ, WRITE, DESCRIBE_CONFIGS]
        await allow(plain, "bob", TOPIC, prefix + name, rights)
    await allow(plain, "bob", TOPIC, prefix + PAGES, [DESCRIBE_CONFIGS, WRITE])
    await allow(plain, "bob", GROUP, f"{prefix}templ-cleaner", [READ])
    line = refused(worker, bob, expect=78)
    assert f"{prefix}pages: this user lacks the right to Read; grant it: kafka-acls.sh" in line
    await allow(plain, "bob", TOPIC, prefix + PAGES, [READ])
    line = refused(("worker", "--state", tmp_path / "s", "--role", "refresher"), bob, expect=78)
    assert line.endswith(f"--operation Read --group {prefix}templ-refresher\n")


@pytest.mark.parametrize("listener", ["TLS", "MUTUAL", "LOGIN"])
def test_the_whole_stream_works_behind_each_listener(secure, prefix, tmp_path, listener):
    stream = Stream(secure.broker, prefix, tmp_path)
    environment = secure.settings(listener, TEMPL_PREFIX=prefix)
    try:
        stream.options = ("--broker", secure.addresses[listener])
        stream.start(**environment)
        feed = write_feed(tmp_path / "feed.jsonl", pages=6, sites=2)
        letters = ("--dead-letters", tmp_path / "letters")
        templ("feed", feed, *stream.options, *letters, **environment)
        stream.finish()
    finally:
        stream.stop_all()
    assert stream.sent() == stream.answered()
    assert PASSWORD not in stream.log()
    assert KEY_PASSWORD not in stream.log()
    assert "Traceback" not in stream.log()


def test_a_worker_outlives_logins_that_end_and_a_right_that_is_taken_and_given_again(
    secure, prefix, tmp_path
):
    """The broker closes a connection five seconds after its login, because aiokafka does not log in again."""
    stream = Stream(secure.broker, prefix, tmp_path)
    bob = secure.settings("LOGIN", TEMPL_SASL_USERNAME="bob", TEMPL_PREFIX=prefix)
    plain = BrokerAccess(secure.broker.address)
    for name in TOPICS:
        asyncio.run(allow(plain, "bob", TOPIC, prefix + name, [READ, WRITE, DESCRIBE_CONFIGS]))
    for role in ("cleaner", "refresher"):
        asyncio.run(allow(plain, "bob", GROUP, f"{prefix}templ-{role}", [READ]))
    refused = (CreateAclsRequest, DeleteAclsRequest)
    first, second = halves(write_feed(tmp_path / "feed.jsonl", pages=60, sites=3))
    try:
        stream.options = ("--broker", secure.addresses["LOGIN"])
        stream.start(**bob)
        stream.feed(first, rate=4)
        for request in refused:
            asyncio.run(ask_of_acls(plain, request, prefix + PAGES))
            if request is CreateAclsRequest:
                wait_until(lambda: "TopicAuthorizationFailedError" in stream.log(), stream.log)
                stream.feed(second)
        stream.finish()
    finally:
        stream.stop_all()
    assert stream.sent() == stream.answered()
    assert "Traceback" not in stream.log()


async def ask_of_acls(access, request, topic):
    """Have bob refused to read a topic, or no longer refused."""
    async with connected_admin(access) as admin:
        await admin.ask(request(TOPIC, topic, LITERAL, "User:bob", "*", READ, REFUSED))
