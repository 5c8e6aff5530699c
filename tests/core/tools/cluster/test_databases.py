"""Tests of the database machines' files, and of asking machines that do not answer."""

import json
from pathlib import Path

from core.tools.cluster import databases
from core.tools.cluster.network import Loopback
from core.tools.embedded.processes import server_account

PASSWORDS = {name: f"of-{name}" for name in databases.ROLES}


def test_each_machine_has_a_private_file_that_names_the_others(tmp_path: Path) -> None:
    addresses = {"db1": "127.0.9.1", "db2": "127.0.9.2"}
    homes = {name: tmp_path / name for name in addresses}
    for home in homes.values():
        home.mkdir()
    written = databases.prepare(
        homes,
        addresses,
        PASSWORDS,
        Path("/programs"),
        network="127.0.0.0/8",
        synchronous="quorum",
        account=server_account(tmp_path / "nothing"),
    )
    for name, file in written.items():
        assert file.stat().st_mode & 0o777 == 0o600
        configuration = json.loads(file.read_text())
        assert configuration["name"] == name
        assert configuration["postgresql"]["data_dir"] == str(homes[name] / "data")
        hosts = {host.partition(":")[0] for host in configuration["etcd3"]["hosts"]}
        assert hosts == set(addresses.values())
        assert configuration["postgresql"]["authentication"]["rewind"]["password"] == "of-rewinder"


def test_machines_that_do_not_answer_lead_nothing() -> None:
    members = {"db1": Loopback().join("db1", 1)}
    assert databases.primary(members) is None
    assert databases.streaming(members, PASSWORDS) == 0
    assert databases.state(members["db1"]) is None
    assert not databases.health(members["db1"], "/health")
    assert not databases.open_at(members["db1"], 5432)
    assert "tcp_user_timeout" in databases.url(members["db1"], PASSWORDS)
