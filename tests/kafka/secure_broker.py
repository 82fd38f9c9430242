"""A broker with TLS, SASL and rights, and the certificates that it and its clients need."""

import base64
import json
import subprocess
import time
from pathlib import Path

from tests.kafka.broker import JAVA_OPTIONS, runner

PASSWORD = "a right password"
KEY_PASSWORD = "the key's own"
LISTENERS = ("TLS", "MUTUAL", "LOGIN", "EXPIRED", "ELSEWHERE")
"""Listeners with a certificate; MUTUAL wants one of the client, LOGIN wants a user."""
SETTINGS = """\
listeners=PLAINTEXT://127.0.0.1:$port,CONTROLLER://127.0.0.1:$controller_port,{listeners}
advertised.listeners=PLAINTEXT://127.0.0.1:$port,{listeners}
listener.security.protocol.map=CONTROLLER:PLAINTEXT,PLAINTEXT:PLAINTEXT,TLS:SSL,MUTUAL:SSL,EXPIRED:SSL,ELSEWHERE:SSL,LOGIN:SASL_SSL
authorizer.class.name=org.apache.kafka.metadata.authorizer.StandardAuthorizer
super.users=User:ANONYMOUS;User:alice;User:CN=alice
listener.name.mutual.ssl.client.auth=required
listener.name.login.connections.max.reauth.ms=5000
listener.name.login.sasl.enabled.mechanisms=PLAIN,SCRAM-SHA-256,SCRAM-SHA-512,OAUTHBEARER
listener.name.login.plain.sasl.jaas.config=org.apache.kafka.common.security.plain.PlainLoginModule required user_alice="{password}" user_bob="{password}";
listener.name.login.scram-sha-256.sasl.jaas.config=org.apache.kafka.common.security.scram.ScramLoginModule required;
listener.name.login.scram-sha-512.sasl.jaas.config=org.apache.kafka.common.security.scram.ScramLoginModule required;
listener.name.login.oauthbearer.sasl.jaas.config=org.apache.kafka.common.security.oauthbearer.OAuthBearerLoginModule required unsecuredLoginStringClaim_sub="broker";
"""


def openssl(*arguments, directory):
    subprocess.run(
        ["openssl", *map(str, arguments)], cwd=directory, check=True, capture_output=True
    )


class Certificates:
    """An authority, and what it and another one have signed, as PEM files in a directory."""

    def __init__(self, directory: Path) -> None:
        self._directory = directory
        directory.mkdir()
        self.authority("ca")
        self.authority("other-ca")

    def authority(self, name):
        openssl(
            *("req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"),
            *("-keyout", f"{name}.key", "-out", f"{name}.pem", "-subj", f"/CN={name}", "-days", 2),
            directory=self._directory,
        )

    def sign(self, name, subject, *, by="ca", host="IP:127.0.0.1", days=2):
        """Make a key and a certificate; `name.pem` holds both."""
        (self._directory / f"{name}.ext").write_text(f"subjectAltName={host}\n")
        openssl(
            *("req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"),
            *("-keyout", f"{name}.key", "-out", f"{name}.csr", "-subj", f"/CN={subject}"),
            directory=self._directory,
        )
        openssl(
            *("x509", "-req", "-in", f"{name}.csr", "-CA", f"{by}.pem", "-CAkey", f"{by}.key"),
            *("-CAcreateserial", "-days", days, "-extfile", f"{name}.ext", "-out", f"{name}.crt"),
            directory=self._directory,
        )
        both = (self._directory / f"{name}.crt").read_text() + self[f"{name}.key"].read_text()
        self[f"{name}.pem"].write_text(both)

    def lock(self, name):
        """Encrypt a key as `name-locked.key`."""
        openssl(
            *("pkcs8", "-topk8", "-in", f"{name}.key", "-out", f"{name}-locked.key"),
            *("-passout", f"pass:{KEY_PASSWORD}"),
            directory=self._directory,
        )

    def __getitem__(self, file) -> Path:
        return self._directory / file


def secure_broker(directory: Path):
    """Return a broker that is not started, its certificates, and the address of each listener."""
    certificates = Certificates(directory / "certificates")
    certificates.sign("broker", "broker")
    certificates.sign("expired", "broker", days=-1)
    certificates.sign("elsewhere", "broker", host="DNS:elsewhere.example")
    certificates.sign("alice", "alice")
    certificates.sign("stranger", "alice", by="other-ca")
    certificates.sign("late", "alice", days=-1)
    certificates.lock("alice")
    addresses = {name: f"{runner.HOST}:{runner.free_port()}" for name in LISTENERS}
    lines = [
        SETTINGS.format(
            listeners=",".join(f"{name}://{address}" for name, address in addresses.items()),
            password=PASSWORD,
        )
    ]
    for name in LISTENERS:
        of = {"EXPIRED": "expired", "ELSEWHERE": "elsewhere"}.get(name, "broker")
        begin = f"listener.name.{name.lower()}.ssl"
        # Kafka wants the key in PKCS 8 after the certificate; openssl writes it so.
        lines += [
            f"{begin}.keystore.type=PEM",
            f"{begin}.keystore.location={certificates[f'{of}.pem']}",
            f"{begin}.truststore.type=PEM",
            f"{begin}.truststore.location={certificates['ca.pem']}",
        ]
    users = [
        f"SCRAM-SHA-{bits}=[name={name},password={PASSWORD}]"
        for bits in (256, 512)
        for name in ("alice", "bob")
    ]
    broker = runner.Broker(
        directory / "broker",
        more_settings="\n".join([*lines, ""]),
        scram_users=users,
        java_options=JAVA_OPTIONS,
    )
    return broker, certificates, addresses


def token(user, lifetime_s=3600):
    """Return an unsigned token, which a broker without keys accepts."""
    now = int(time.time())
    parts = ({"alg": "none"}, {"sub": user, "iat": now, "exp": now + lifetime_s})
    texts = [base64.urlsafe_b64encode(json.dumps(one).encode()).rstrip(b"=") for one in parts]
    return b".".join([*texts, b""]).decode()
