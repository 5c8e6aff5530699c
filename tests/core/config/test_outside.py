"""Tell hosts apart by their names and numbers."""

import ipaddress
import socket

import pytest

from core.config import outside
from core.config.outside import on_another_host


@pytest.mark.parametrize(
    "address",
    [
        "/srv/log",
        "http://localhost/log",
        "https://LOCALHOST.:8443/log",
        "http://log.localhost/",
        "http://127.0.0.1/log",
        "http://127.9.9.9:8000/log",
        "http://[::1]/log",
        "http://0.0.0.0/log",
        "http://169.254.1.1/log",
        "https://db.example/log",
        f"https://{socket.gethostname()}/log",
        "https:///log",
    ],
)
def test_this_machine_and_the_databases_are_not_another(address: str) -> None:
    assert not on_another_host(address, ["db.example"])


def test_a_number_of_this_machine_is_told_from_others() -> None:
    assert outside._is_of_this_machine(ipaddress.ip_address("127.0.0.1"))
    assert not outside._is_of_this_machine(ipaddress.ip_address("192.0.2.1"))


@pytest.mark.parametrize(
    "address", ["https://log.example/trot", "http://10.1.2.3/", "http://[fd00::9]/"]
)
def test_another_host_is_known_by_its_name_or_number(address: str) -> None:
    assert on_another_host(address, ["db.example", ""])
