"""Tests of Patroni's configuration: what is shipped is what the cluster runs, and cannot lose."""

import pytest
import yaml

from core.tools.cluster import patroni
from core.tools.embedded.server import ROOT


def test_the_shipped_file_is_what_this_module_writes() -> None:
    text = (ROOT / "docs" / "deploy" / "patroni.yml").read_text()
    assert text == patroni.shipped()
    assert yaml.safe_load(text) == patroni.member(patroni.SHIPPED)


def test_an_answered_commit_is_on_two_machines_and_nothing_is_answered_without() -> None:
    said = patroni.dynamic("quorum")
    assert said["synchronous_mode"] == "quorum"
    assert said["synchronous_mode_strict"] is True
    settings = said["postgresql"]["parameters"]
    for name in ("fsync", "full_page_writes", "synchronous_commit"):
        assert settings[name] == "on"
    assert patroni.dynamic("off")["synchronous_mode_strict"] is False


def test_patroni_takes_the_times_as_they_are() -> None:
    lease = patroni.LEASE
    assert lease["ttl"] >= 20
    assert lease["loop_wait"] + 2 * lease["retry_timeout"] <= lease["ttl"]


def test_the_network_is_asked_for_passwords_and_encryption() -> None:
    lines = patroni.member(patroni.SHIPPED)["postgresql"]["pg_hba"]
    for line in lines:
        assert line.split()[0] in ("local", "hostssl")
        assert line.endswith("scram-sha-256")
    assert patroni.member(patroni.SHIPPED)["etcd3"]["protocol"] == "https"


@pytest.mark.parametrize("name", ["db1", "db2"])
def test_etcd_knows_all_members(name: str) -> None:
    addresses = {"db1": "127.0.9.1", "db2": "127.0.9.2"}
    command = patroni.etcd("/bin", name, addresses, "/data")
    assert f"http://{addresses[name]}:2379" in command
    assert "db1=http://127.0.9.1:2380,db2=http://127.0.9.2:2380" in command
