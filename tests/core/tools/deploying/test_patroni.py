"""Tests of Patroni's configuration: what is shipped is what the cluster runs, and cannot lose."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from core.tools.deploying import patroni
from core.tools.embedded.postgres import binaries
from core.tools.embedded.server import ROOT

# A server that lets a copy begin, and whose cable is pulled then.
SILENT = """
import os, socket, subprocess, sys
from core.tools.cluster.network import enter_own_network, network
from core.tools.embedded.postgres import binaries
enter_own_network()
made = network()
if made.words != "network namespaces":
    raise SystemExit("not allowed")
server = socket.create_server((made.outside(0), 5432))
address = made.join("standby", 1)
words = ["--pgdata", sys.argv[1], "--dbname", "user=a sslmode=disable gssencmode=disable host="]
words[-1] += made.outside(0)
words = [*made.enter("standby"), binaries() / "pg_basebackup", *words]
copy = subprocess.Popen(words, stderr=subprocess.PIPE, text=True)
connection, _ = server.accept()
connection.recv(1000)
connection.sendall(b"R\\0\\0\\0\\x08\\0\\0\\0\\0")
for said in (b"server_version\\x0018.0\\0", b"integer_datetimes\\0on\\0"):
    connection.sendall(b"S" + (4 + len(said)).to_bytes(4, "big") + said)
connection.sendall(b"Z\\0\\0\\0\\x05I")
connection.recv(1000)
made.cut("standby")
print(copy.communicate(timeout=30)[1])
"""


def test_the_shipped_file_is_what_this_module_writes() -> None:
    text = (ROOT / "docs" / "deploy" / "patroni.yml").read_text()
    assert text == patroni.shipped()
    assert yaml.safe_load(text) == patroni.member(patroni.SHIPPED)


def test_an_answered_commit_is_on_two_machines_and_nothing_is_answered_without() -> None:
    configuration = patroni.dynamic("quorum")
    assert configuration["synchronous_mode"] == "quorum"
    assert configuration["synchronous_mode_strict"] is True
    settings = configuration["postgresql"]["parameters"]
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


def test_the_shipped_service_is_what_this_module_writes() -> None:
    text = (ROOT / "docs" / "deploy" / "pg_service.conf").read_text()
    assert text == patroni.service()


def test_a_copy_ends_whose_source_goes_silent(tmp_path: Path) -> None:
    quick = dict.fromkeys(patroni.PATIENCE, 1) | {"tcp_user_timeout": 1000}
    (tmp_path / "service").write_text(patroni.service(quick))
    done = subprocess.run(
        [sys.executable, "-c", SILENT, str(tmp_path / "data")],
        cwd=ROOT,
        env=os.environ
        | {"PYTHONPATH": str(ROOT)}
        | patroni.service_environment(str(tmp_path / "service")),
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    if "not allowed" in done.stderr:
        pytest.skip("network namespaces are not allowed here")
    assert "could not receive data from server: Connection timed out" in done.stdout, done.stderr


def test_postgresql_reads_the_settings_of_one_server(tmp_path: Path) -> None:
    (tmp_path / "postgresql.conf").write_text(patroni.alone())
    done = subprocess.run(
        [str(binaries() / "postgres"), "-C", "synchronous_commit", "-D", str(tmp_path)],
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout == "on\n"
