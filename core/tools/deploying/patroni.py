"""The configuration of Patroni and PostgreSQL, in one place for production and for `make cluster`.

`member` gives the file of one machine. docs/deploy/patroni.yml is this for the first of three
machines; a test compares them.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

REPLICATOR = "replicator"
REWINDER = "rewinder"
SUPERUSER = "postgres"
ARCHIVE = "barman"
"""The slot of the machine of the backups, by which it misses nothing of the log."""
PORT, REST_PORT, ETCD_PORT, ETCD_PEER_PORT = 5432, 8008, 2379, 2380

POSTGRESQL: Mapping[str, str | int | float] = {
    "max_connections": 200,
    "wal_level": "replica",
    "max_wal_senders": 10,
    "max_replication_slots": 10,
    "max_slot_wal_keep_size": "16GB",
    "hot_standby": "on",
    "summarize_wal": "on",  # for base backups of what changed
    "fsync": "on",
    "full_page_writes": "on",
    "synchronous_commit": "on",
    "max_wal_size": "8GB",
    "checkpoint_timeout": "15min",
    "wal_buffers": "32MB",
    "wal_compression": "on",  # whole pages, which each checkpoint brings; every build has pglz
    # After a crash one call for the whole disk, instead of one for each of thousands of files.
    "recovery_init_sync_method": "syncfs",
    "random_page_cost": 1.1,
    "jit": "off",
    "timezone": "UTC",
    "log_timezone": "UTC",
    "log_line_prefix": "%m [%p] %u@%d ",
    # A peer whose cable was pulled is found dead: an idle one in 25 s, one that owes an
    # acknowledgement in 10.
    "tcp_keepalives_idle": 10,
    "tcp_keepalives_interval": 5,
    "tcp_keepalives_count": 3,
    "tcp_user_timeout": 10000,
    "wal_sender_timeout": "10s",
    "wal_receiver_timeout": "10s",
}
"""The sale needs these settings of every server, on any machine. Memory is the machine's."""

LEASE: Mapping[str, int] = {"ttl": 20, "loop_wait": 2, "retry_timeout": 8}
"""Seconds. A primary whose machine is dead is replaced when its lease of `ttl` has ended; Patroni
knows no shorter one. A primary gives up when etcd has not answered for `retry_timeout`: that is
longer than two elections of a leader of etcd, whose machine may have been a standby's. Patroni
wants `loop_wait` and twice `retry_timeout` within `ttl`."""

SERVICE = "lototrot"
PATIENCE: Mapping[str, int] = {
    "connect_timeout": 10,
    "keepalives_idle": 10,
    "keepalives_interval": 5,
    "keepalives_count": 3,
    "tcp_user_timeout": 10000,
}
"""Whatever Patroni runs on a connection gives up a server that is silent. A copy of all data only
listens, and would wait for ever; Patroni begins it again."""


@dataclass(frozen=True, slots=True)
class Member:
    """One machine with PostgreSQL: its name and address, its folders, and the passwords.

    `certificates` is the folder of those for TLS with etcd and PostgreSQL; empty: without TLS.
    `synchronous` is Patroni's word: "quorum" answers a commit when a standby has it as well; "off"
    loses answered sales with the primary. `slots` keep the log for receivers that are no standbys.
    """

    name: str
    address: str
    others: Sequence[str]
    data: str
    programs: str
    run: str
    network: str
    passwords: Mapping[str, str]
    host_line: str = "hostssl"
    certificates: str = ""
    synchronous: str = "quorum"
    memory: Mapping[str, str | int] = field(default_factory=dict)
    slots: Sequence[str] = ()


def member(machine: Member) -> dict[str, Any]:
    """Return Patroni's configuration of a machine."""
    accounts = {"superuser": SUPERUSER, "replication": REPLICATOR, "rewind": REWINDER}
    lines = [
        f"{machine.host_line} {database} all {machine.network} scram-sha-256"
        for database in ("all", "replication")
    ]
    return {
        "scope": "lototrot",
        "name": machine.name,
        "restapi": {
            "listen": f"{machine.address}:{REST_PORT}",
            "connect_address": f"{machine.address}:{REST_PORT}",
        },
        "etcd3": {
            "hosts": [f"{each}:{ETCD_PORT}" for each in (machine.address, *machine.others)],
            **_etcd_tls(machine.certificates),
        },
        "bootstrap": {
            "dcs": {**dynamic(machine.synchronous), **kept(machine.slots)},
            "initdb": [
                "data-checksums",
                {"encoding": "UTF8"},
                {"locale": "C"},
                {"locale-provider": "builtin"},
                {"builtin-locale": "C.UTF-8"},
            ],
        },
        "postgresql": {
            "listen": f"{machine.address}:{PORT}",
            "connect_address": f"{machine.address}:{PORT}",
            "data_dir": machine.data,
            "bin_dir": machine.programs,
            "pgpass": f"{machine.run}/pgpass",
            "authentication": {
                what: {"username": name, "password": machine.passwords[name]}
                for what, name in accounts.items()
            },
            "parameters": {
                "unix_socket_directories": machine.run,
                **_postgresql_tls(machine.certificates),
                **machine.memory,
            },
            "pg_hba": ["local all all scram-sha-256", *lines],
            "basebackup": [{"checkpoint": "fast"}],
            "remove_data_directory_on_rewind_failure": True,
            "remove_data_directory_on_diverged_timelines": True,
        },
    }


def _etcd_tls(folder: str) -> dict[str, str]:
    names = {"cacert": "ca.pem", "cert": "patroni.pem", "key": "patroni.key"}
    files = {word: f"{folder}/{name}" for word, name in names.items()}
    return {"protocol": "https", **files} if folder else {}


def _postgresql_tls(folder: str) -> dict[str, str]:
    names = {"ssl_ca_file": "ca.pem", "ssl_cert_file": "server.pem", "ssl_key_file": "server.key"}
    files = {word: f"{folder}/{name}" for word, name in names.items()}
    return {"ssl": "on", **files} if folder else {}


def dynamic(synchronous: str) -> dict[str, Any]:
    """Return what all machines share, and Patroni keeps in etcd.

    With "quorum" a commit is answered when one standby of those there are has it on disk. Strict:
    without any standby nothing is answered, rather than answered and lost.
    """
    lasting = synchronous != "off"
    return {
        **LEASE,
        "maximum_lag_on_failover": 1 << 30,
        "synchronous_mode": synchronous,
        "synchronous_mode_strict": lasting,
        "synchronous_node_count": 1,
        "primary_start_timeout": 0,  # a primary that crashed is replaced, not waited for
        "primary_stop_timeout": 10,
        "postgresql": {
            "use_pg_rewind": True,
            "use_slots": True,
            "parameters": dict(POSTGRESQL),
        },
    }


def kept(slots: Sequence[str]) -> dict[str, Any]:
    """Return the slots that every primary has: Patroni drops those it does not know."""
    return {"slots": {name: {"type": "physical"} for name in slots}} if slots else {}


SHIPPED = Member(
    "db1",
    "10.0.0.11",
    ("10.0.0.12", "10.0.0.13"),
    data="/var/lib/postgresql/18/lototrot",
    programs="/usr/lib/postgresql/18/bin",
    run="/var/run/postgresql",
    network="10.0.0.0/24",
    passwords=dict.fromkeys((SUPERUSER, REPLICATOR, REWINDER), "FILL-IN"),
    certificates="/etc/lototrot/database",
    memory={"shared_buffers": "4GB", "effective_cache_size": "12GB", "work_mem": "64MB"},
    slots=(ARCHIVE,),
)
"""The machine of docs/deploy/patroni.yml: the first of three."""
_HEAD = """# Patroni on the first of three machines; name and address differ on the others.
# Written by `make deploy`, from what `make cluster` runs too.
"""


def shipped() -> str:
    """Return the text of docs/deploy/patroni.yml."""
    import yaml  # only the tools have it: no image does

    return _HEAD + str(yaml.safe_dump(member(SHIPPED), sort_keys=False))


def service(patience: Mapping[str, int] = PATIENCE) -> str:
    """Return the text of docs/deploy/pg_service.conf: libpq takes it from $PGSERVICEFILE."""
    head = "# For Patroni, by PGSERVICE=lototrot and PGSERVICEFILE in its environment.\n"
    lines = "".join(f"{name}={value}\n" for name, value in patience.items())
    return f"{head}[{SERVICE}]\n{lines}"


def service_environment(file: str) -> dict[str, str]:
    """Return the variables by which Patroni and all that it starts find the service's file."""
    return {"PGSERVICE": SERVICE, "PGSERVICEFILE": file}


def etcd(programs: str, name: str, addresses: Mapping[str, str], data: str) -> list[str]:
    """Return the command of etcd on the machine `name`, one of `addresses` by name."""
    at = addresses[name]
    everybody = ",".join(f"{n}=http://{a}:{ETCD_PEER_PORT}" for n, a in addresses.items())
    return [
        f"{programs}/etcd",
        *("--name", name, "--data-dir", data, "--log-level", "warn"),
        *("--listen-client-urls", f"http://{at}:{ETCD_PORT}"),
        *("--advertise-client-urls", f"http://{at}:{ETCD_PORT}"),
        *("--listen-peer-urls", f"http://{at}:{ETCD_PEER_PORT}"),
        *("--initial-advertise-peer-urls", f"http://{at}:{ETCD_PEER_PORT}"),
        *("--initial-cluster", everybody, "--initial-cluster-state", "new"),
        *("--heartbeat-interval", "200", "--election-timeout", "2000"),
        *("--auto-compaction-retention", "1h"),
    ]


def alone() -> str:
    """Return the text of docs/deploy/postgresql.conf: one server, without Patroni."""
    settings = {"listen_addresses": "*", **POSTGRESQL}
    lines = "".join(f"{name} = '{value}'\n" for name, value in settings.items())
    memory = "".join(f"# {name} = '{value}'\n" for name, value in SHIPPED.memory.items())
    return (
        "# One PostgreSQL server without Patroni; what is sold last may be lost with it. Written by"
        f" `make deploy`.\n{lines}# The machine's own; for 16 GB of memory:\n{memory}"
    )
