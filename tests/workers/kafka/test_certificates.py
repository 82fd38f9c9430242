"""Certificates that are exchanged while a worker runs."""

import asyncio
import shutil
import ssl

import pytest

from tests.kafka.secure_broker import Certificates
from workers.kafka.broker.access import BrokerAccess
from workers.settings import load_settings

pytestmark = pytest.mark.skipif(shutil.which("openssl") is None, reason="needs openssl")


async def test_a_new_connection_has_the_certificate_that_is_in_the_file_by_then(tmp_path):
    made = Certificates(tmp_path / "made")
    for name in ("server", "first", "second"):
        made.sign(name, name)
    file, key = tmp_path / "worker.crt", tmp_path / "worker.key"

    def exchange(name):
        file.write_bytes(made[f"{name}.crt"].read_bytes())
        key.write_bytes(made[f"{name}.key"].read_bytes())

    exchange("first")
    of_server = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH, cafile=made["ca.pem"])
    of_server.load_cert_chain(made["server.pem"])
    of_server.verify_mode = ssl.CERT_REQUIRED

    async def tell_name(_reader, writer):
        ((((_, name),),)) = writer.get_extra_info("peercert")["subject"]
        writer.write(name.encode())
        writer.close()

    settings = load_settings(
        security_protocol="SSL",
        ssl_ca_file=str(made["ca.pem"]),
        ssl_certificate_file=str(file),
        ssl_key_file=str(key),
    )
    tls = BrokerAccess.of("127.0.0.1:9093", settings).tls
    async with await asyncio.start_server(tell_name, "127.0.0.1", 0, ssl=of_server) as server:
        port = server.sockets[0].getsockname()[1]

        async def name_of_client():
            reader, writer = await asyncio.open_connection("127.0.0.1", port, ssl=tls)
            name = await reader.read()
            writer.close()
            return name.decode()

        assert await name_of_client() == "first"
        exchange("second")
        assert await name_of_client() == "second"
        file.write_text("half a cert")
        assert await name_of_client() == "second"
        exchange("first")
        assert await name_of_client() == "first"
