"""Tests of a cluster that is not started. `make drill` starts one, and .ci/run a short drill."""

from pathlib import Path

import pytest

from core.config.database_urls import connection_settings
from core.tools.cluster.cluster import DATABASES, Cluster
from core.tools.cluster.network import Loopback
from core.tools.embedded.processes import EmbeddedError


@pytest.fixture
def cluster(tmp_path: Path) -> Cluster:
    return Cluster(tmp_path, Loopback())


def test_the_program_is_told_of_all_databases_and_follows_the_primary(cluster: Cluster) -> None:
    settings = connection_settings(cluster.environment["DATABASE_URL"], "web")
    addresses = [cluster.machines[name].address for name in DATABASES]
    assert settings["HOST"] == ",".join(addresses)
    assert settings["OPTIONS"]["target_session_attrs"] == "read-write"
    assert "tcp_user_timeout" in settings["OPTIONS"]
    assert cluster.base_url.startswith("https://")


def test_machines_have_addresses_of_their_own_and_are_dead_before_the_start(
    cluster: Cluster,
) -> None:
    rows = list(cluster.rows())
    assert [row[2:] for row in rows] == [("dead", "nothing")] * 8
    assert len({row[1] for row in rows}) == 8
    assert cluster.primary() is None
    assert cluster.received() == 0
    with pytest.raises(EmbeddedError, match="no database became the primary"):
        cluster.wait_primary(within_s=0)


def test_data_are_deleted_of_one_machine_only(cluster: Cluster) -> None:
    for name in DATABASES:
        (cluster.folder / name / "data").mkdir(parents=True)
    cluster.delete_data("db2")
    left = [name for name in DATABASES if (cluster.folder / name / "data").exists()]
    assert left == ["db1", "db3"]
