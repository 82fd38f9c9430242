"""How a broker is reached: its address, TLS, and the login by SASL or by a certificate."""

import asyncio
import base64
import logging
import socket
import ssl
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import msgspec
from aiokafka.abc import AbstractTokenProvider
from aiokafka.conn import create_conn
from aiokafka.errors import (
    AuthenticationFailedError,
    IllegalSaslStateError,
    KafkaError,
    SaslAuthenticationFailed,
    UnsupportedSaslMechanismError,
)

from workers.errors import BrokerProblem, SettingsProblem, UsageProblem
from workers.settings import Settings

log = logging.getLogger("templ")
_ATTEMPT_MS = 4000
"""Longest time of one attempt to find out why a broker cannot be reached."""
_TOKEN_TIMEOUT_S = 10.0
_EXPIRED = 10
"""OpenSSL's code of a certificate that has expired."""
_OTHER_HOST = (62, 64)
"""OpenSSL's codes of a certificate for another host name or address."""


class BrokerAccess(msgspec.Struct, frozen=True):
    """What every client of a broker needs to know; as text it is the address."""

    address: str
    """HOST:PORT; several are separated by commas."""
    settings: Settings = Settings()
    """The settings that begin with `security_`, `ssl_` and `sasl_` are used."""
    tls: ssl.SSLContext | None = None
    tokens: AbstractTokenProvider | None = None
    prefix: str = ""
    """Text before the name of each topic and consumer group."""

    @classmethod
    def of(cls, address: str, settings: Settings, prefix: str = "") -> "BrokerAccess":
        """Return the access to an address with the certificates and secrets of the settings.

        Raises:
            UsageProblem: The address is not HOST:PORT.
            SettingsProblem: A file of certificates or keys cannot be used.
        """
        _check_address(address)
        tls = _tls_context(settings) if settings.uses_tls else None
        oauth = settings.uses_sasl and settings.sasl_mechanism == "OAUTHBEARER"
        return cls(address, settings, tls, _Tokens(settings) if oauth else None, prefix)

    def topic(self, name: str) -> str:
        """Return the full name of a topic on the broker."""
        return self.prefix + name

    def group(self, role: str) -> str:
        """Return the name of the consumer group of a role."""
        return f"{self.prefix}templ-{role}"

    def __str__(self) -> str:
        return self.address

    def client_options(self) -> dict[str, Any]:
        """Return the arguments of a client of aiokafka."""
        return {"bootstrap_servers": self.address, **self._security()}

    async def problem(self) -> str | None:
        """Return why the broker cannot be reached, in words for a person; None where it can."""
        problem = None
        for host, port in _hosts(self.address):
            try:
                connection = await create_conn(
                    host, port, request_timeout_ms=_ATTEMPT_MS, **self._security()
                )
            except (OSError, KafkaError, TimeoutError) as error:
                problem = f"{host}:{port} {self._words(error, host)}"
            else:
                connection.close()
                return None
        return problem

    def _security(self) -> dict[str, Any]:
        settings = self.settings
        options: dict[str, Any] = {
            "security_protocol": settings.security_protocol,
            "ssl_context": self.tls,
        }
        if settings.uses_sasl:
            options |= {
                "sasl_mechanism": settings.sasl_mechanism,
                "sasl_plain_username": settings.sasl_username,
                "sasl_plain_password": settings.sasl_password,
                "sasl_oauth_token_provider": self.tokens,
            }
        return options

    def _words(self, error: BaseException, host: str) -> str:
        """Say what an error of a connection means and what to do."""
        if isinstance(error, ssl.SSLCertVerificationError):
            return _certificate_words(error, host)
        protocol = f"TEMPL_SECURITY_PROTOCOL={self.settings.security_protocol}"
        for kinds, words in _WORDS.items():
            if isinstance(error, kinds):
                return words.format(
                    reason=_reason(error), protocol=protocol, mechanism=self.settings.sasl_mechanism
                )
        alert = error.__cause__
        if isinstance(alert, ssl.SSLError) and alert.reason and "ALERT" in alert.reason:
            said = alert.reason.lower().partition("alert_")[2].replace("_", " ")
            return f"refuses the client certificate ({said}); check TEMPL_SSL_CERTIFICATE_FILE"
        hint = ", or whether it wants a client certificate" if self.tls is not None else ""
        return f"closes the connection; check whether {protocol} is right{hint}"


_WORDS: dict[tuple[type[BaseException], ...], str] = {
    (UnsupportedSaslMechanismError, IllegalSaslStateError): (
        "does not offer {mechanism}; check TEMPL_SASL_MECHANISM"
    ),
    (AuthenticationFailedError, SaslAuthenticationFailed): (
        "refuses the login: {reason}; check user, password or token"
    ),
    (ssl.SSLError,): "does not speak TLS; check whether {protocol} is right",
    (socket.gaierror,): "is an unknown host; check the name",
    (ConnectionRefusedError,): "does not listen; start the broker, or correct --broker",
    (
        TimeoutError,
    ): "does not answer; check whether the broker runs, and whether {protocol} is right",
    (OSError,): "cannot be connected to: {reason}",
}
"""What errors of connections mean and what to do; the first that fits counts."""


def _certificate_words(error: ssl.SSLCertVerificationError, host: str) -> str:
    if error.verify_code == _EXPIRED:
        return "has a certificate that has expired; it needs a new one"
    if error.verify_code in _OTHER_HOST:
        return f"has a certificate that is not for {host}; use the name that it is for"
    return (
        f"has a certificate that is not trusted ({error.verify_message}); set TEMPL_SSL_CA_FILE to the "
        "authority that signed it"
    )


class _Tokens(AbstractTokenProvider):  # type: ignore[misc] # aiokafka has no types
    """Gives the tokens of OAUTHBEARER, a new one for each connection."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings

    async def token(self) -> str:
        """Return a token.

        Raises:
            AuthenticationFailedError: No token could be had; the message says why.
        """
        settings = self._settings
        try:
            if settings.sasl_token_file is not None:
                text = await asyncio.to_thread(settings.sasl_token_file.read_text)
                return text.strip()
            return await _fetched_token(settings)
        except Exception as error:  # noqa: BLE001 - whatever a server of tokens may answer
            place = settings.sasl_token_file or settings.sasl_token_url
            raise AuthenticationFailedError(f"no token from {place}: {_reason(error)}") from None


async def _fetched_token(settings: Settings) -> str:
    """Return a token by the client-credentials flow (RFC 6749, section 4.4)."""
    import aiohttp  # noqa: PLC0415 - takes half a second, and few need it

    form = {"grant_type": "client_credentials"}
    if settings.sasl_scope is not None:
        form["scope"] = settings.sasl_scope
    login = f"{settings.sasl_client_id}:{settings.sasl_client_secret}".encode()
    headers = {"Authorization": f"Basic {base64.b64encode(login).decode()}"}
    timeout = aiohttp.ClientTimeout(total=_TOKEN_TIMEOUT_S)
    async with (
        aiohttp.ClientSession(timeout=timeout, raise_for_status=True) as session,
        session.post(settings.sasl_token_url or "", data=form, headers=headers) as response,
    ):
        answer = await response.json(content_type=None)
    return str(answer["access_token"])


def _reason(error: BaseException) -> str:
    if isinstance(error, OSError) and error.strerror:
        return error.strerror
    if isinstance(error, KafkaError):
        return str(error.args[0]) if error.args else type(error).__name__
    return str(error) or type(error).__name__


def _check_address(broker: str) -> None:
    for address in broker.split(","):
        host, _, port = address.strip().rpartition(":")
        if (
            not host
            or "/" in host
            or not port.isascii()
            or not port.isdigit()
            or not 0 < int(port) < 65536
        ):
            raise UsageProblem(f"the address of a broker is HOST:PORT, not {address!r}")


def _hosts(address: str) -> list[tuple[str, int]]:
    parts = [part.strip().rpartition(":") for part in address.split(",")]
    return [(host.strip("[]"), int(port)) for host, _, port in parts]


class _FileContext(ssl.SSLContext):
    """A context of TLS that reads the files of certificates again when they have changed.

    Certificates are replaced while workers run, and the broker refuses the old ones once they have expired.
    """

    def read(self, settings: Settings) -> None:
        """Read the files that the settings name.

        Raises:
            SettingsProblem: A file cannot be used.
        """
        self._settings = settings
        self._times = self._changed()
        try:
            if settings.ssl_ca_file is None:
                self.load_default_certs()
            else:
                self.load_verify_locations(settings.ssl_ca_file)
        except (OSError, ssl.SSLError) as error:
            raise _file_problem("SSL_CA_FILE", settings.ssl_ca_file, error) from None
        certificate, key = settings.ssl_certificate_file, settings.ssl_key_file
        if certificate is not None:
            for name, file in (("SSL_CERTIFICATE_FILE", certificate), ("SSL_KEY_FILE", key)):
                if file is not None and not file.is_file():
                    raise _file_problem(name, file, FileNotFoundError(2, "No such file"))
            try:
                # Without a password OpenSSL would ask for one at the terminal.
                self.load_cert_chain(certificate, key, lambda: settings.ssl_key_password or "")
            except (OSError, ssl.SSLError) as error:
                raise _file_problem("SSL_CERTIFICATE_FILE", certificate, error) from None

    def _changed(self) -> list[float]:
        """Return when each file was changed last."""
        settings = self._settings
        files = settings.ssl_ca_file, settings.ssl_certificate_file, settings.ssl_key_file
        return [file.stat().st_mtime for file in files if file is not None and file.exists()]

    def wrap_bio(self, *arguments: Any, **options: Any) -> ssl.SSLObject:
        """Return what encrypts a connection that begins."""
        if self._changed() != self._times:
            # A file that is being written is read with the next connection.
            with suppress(SettingsProblem, OSError):
                self.read(self._settings)
                log.info("the files of certificates have changed and were read again")
        return super().wrap_bio(*arguments, **options)


def _tls_context(settings: Settings) -> ssl.SSLContext:
    context = _FileContext(ssl.PROTOCOL_TLS_CLIENT)
    context.read(settings)
    return context


def _file_problem(name: str, path: Path | None, error: OSError) -> SettingsProblem:
    if isinstance(error, ssl.SSLError):
        reason = (error.reason or "not PEM").lower().replace("_", " ")
        reason += "; is it PEM, does the key belong to it, is TEMPL_SSL_KEY_PASSWORD right?"
    else:
        reason = error.strerror or str(error)
    return SettingsProblem(f"TEMPL_{name}={path}: {reason}")


@contextmanager
def as_broker_problem(describe: Callable[[KafkaError], str]) -> Iterator[None]:
    """Raise an error of Kafka inside the context as a `BrokerProblem` with the line that `describe` returns."""
    try:
        yield
    except KafkaError as error:
        raise BrokerProblem(describe(error)) from None
