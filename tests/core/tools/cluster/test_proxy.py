"""Tests of the proxy's configuration before several hosts; tests/core/config runs the proxy."""

import re
from pathlib import Path

import pytest
from cryptography import x509

from core.tools.cluster import proxy
from core.tools.deploying.processes import CONNECTIONS

HOSTS = ("10.0.0.21", "10.0.0.22")


def test_every_group_has_every_host_and_the_rest_is_as_shipped() -> None:
    text = proxy.before(HOSTS)
    for name, port in {**proxy.UPSTREAMS, "lototrot_live": 8001}.items():
        (servers,) = re.findall(rf"upstream {name} \{{\n((?:    server .*\n)+)", text)
        assert servers.split() == [
            word for host in HOSTS for word in ("server", f"{host}:{port}", "fail_timeout=2s;")
        ]
    assert text.count("proxy_pass http://lototrot_live;") == 2
    for line in ("limit_req_zone", "proxy_set_header X-Forwarded-For $remote_addr;", "location"):
        assert text.count(line) == proxy.SHIPPED.read_text().count(line)


def test_a_shipped_file_that_changed_is_not_taken_half() -> None:
    with pytest.raises(ValueError, match="0 places"):
        proxy.before(HOSTS, "upstream lototrot_sales {\n}\n")
    with pytest.raises(ValueError, match="listen 80;"):
        proxy.here("", Path("/here"), proxy.Listening("127.0.0.1", 1, 2), Path("/files"))
    with pytest.raises(ValueError, match="2 places"):
        proxy.replaced("a", "b", "a a")


def test_one_address_for_each_named_group() -> None:
    text = proxy.upstreams(proxy.SHIPPED.read_text(), {"lototrot_play": "127.0.0.1:99"})
    assert "upstream lototrot_play {\n    server 127.0.0.1:99;\n" in text
    assert "server 127.0.0.1:8000;" in text


def test_the_certificate_is_of_the_proxys_address(tmp_path: Path) -> None:
    command = proxy.write(tmp_path, "", "127.0.9.31")
    assert str(tmp_path / "nginx.conf") in command
    certificate = x509.load_pem_x509_certificate((tmp_path / "certificate.pem").read_bytes())
    names = certificate.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
    assert [str(ip) for ip in names.get_values_for_type(x509.IPAddress)] == ["127.0.9.31"]


def test_the_proxy_has_room_for_as_many_connections_as_a_process(tmp_path: Path) -> None:
    """Each of thousands of terminals keeps one open; 2,048 were too few for the storm."""
    proxy.write(tmp_path, "", "127.0.9.31")
    room = re.search(r"worker_connections (\d+);", (tmp_path / "nginx.conf").read_text())
    assert room is not None and int(room[1]) == CONNECTIONS > 3200
