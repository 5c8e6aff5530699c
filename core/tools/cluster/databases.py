"""The three machines with PostgreSQL: write their configuration, set them up, ask who leads."""

import http.client
import json
import os
import socket
import subprocess
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import psycopg

from core.tools.deploying.patroni import (
    PORT,
    REPLICATOR,
    REST_PORT,
    REWINDER,
    SUPERUSER,
    Member,
    etcd,
    member,
    service,
)
from core.tools.embedded.postgres import APP, OWNER, binaries
from core.tools.embedded.processes import Account, EmbeddedError
from core.tools.embedded.server import ROOT
from core.tools.embedded.web import gives

__all__ = ["etcd"]

SERVICE_FILE = "pg_service.conf"

ROLES = (SUPERUSER, REPLICATOR, REWINDER, OWNER, APP)
MEMORY: Mapping[str, str | int] = {"shared_buffers": "128MB", "effective_cache_size": "1GB"}
_ASK_S = 1.0


def prepare(
    homes: Mapping[str, Path],
    addresses: Mapping[str, str],
    passwords: Mapping[str, str],
    servers: Path,
    *,
    network: str,
    synchronous: str,
    account: Account | None,
) -> dict[str, Path]:
    """Write Patroni's configuration of each machine into its folder; return the files by name."""
    written = {}
    for name, home in homes.items():
        described = Member(
            name,
            addresses[name],
            [at for other, at in addresses.items() if other != name],
            data=str(home / "data"),
            programs=str(servers),
            run=str(home),
            network=network,
            passwords=passwords,
            host_line="host",
            synchronous=synchronous,
            memory=MEMORY,
        )
        (home / SERVICE_FILE).write_text(service())
        target = home / "patroni.yml"
        target.touch(mode=0o600)
        target.write_text(json.dumps(member(described), indent=1))  # JSON is YAML too
        if account:
            os.chown(target, account.uid, account.gid)
        written[name] = target
    return written


def settle(members: Mapping[str, str], passwords: Mapping[str, str], within_s: float) -> None:
    """Wait for the first primary with a standby, then make roles and database (roles.sql)."""
    deadline = time.monotonic() + within_s
    while (name := primary(members)) is None or not streaming(members, passwords):
        if time.monotonic() > deadline:
            raise EmbeddedError(f"no database was ready within {within_s:.0f} s")
        time.sleep(0.2)
    script = ROOT / "docs" / "deploy" / "roles.sql"
    command = [str(binaries() / "psql"), "--no-psqlrc", "--quiet", "--file", str(script)]
    # The demonstration copies its database, to show that a changed copy is found out.
    copies = [f"ALTER ROLE {OWNER} CREATEDB", f"GRANT {APP} TO {OWNER}"]
    done = subprocess.run(
        [*command, *(f"--command={words}" for words in copies), url(members[name], passwords)],
        env={"OWNER_PASSWORD": passwords[OWNER], "APP_PASSWORD": passwords[APP]},
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        raise EmbeddedError(f"roles.sql failed:\n{done.stderr}")


def url(address: str, passwords: Mapping[str, str], database: str = "postgres") -> str:
    """Return the URL of the server at an address for its superuser."""
    return (
        f"postgresql://{SUPERUSER}:{passwords[SUPERUSER]}@{address}:{PORT}/{database}"
        "?connect_timeout=2&tcp_user_timeout=3000"
    )


def health(address: str, path: str) -> bool:
    """Return whether Patroni at an address answers a path of its REST interface with 200."""
    return gives(REST_PORT, path, address, timeout_s=_ASK_S)


def state(address: str) -> Any:
    """Return what Patroni says of its server, None if it does not answer."""
    connection = http.client.HTTPConnection(address, REST_PORT, timeout=_ASK_S)
    try:
        connection.request("GET", "/patroni")
        return json.loads(connection.getresponse().read())
    except (OSError, http.client.HTTPException, ValueError):
        return None
    finally:
        connection.close()


def primary(members: Mapping[str, str]) -> str | None:
    """Return the name of the machine that leads, None while none does."""
    return next((name for name, at in members.items() if health(at, "/primary")), None)


def streaming(members: Mapping[str, str], passwords: Mapping[str, str]) -> int:
    """Return how many standbys stream from the primary."""
    name = primary(members)
    if name is None:
        return 0
    try:
        with psycopg.connect(url(members[name], passwords)) as session:
            # By name: a copy of the data that is under way streams, too.
            row = session.execute(
                "SELECT count(*) FROM pg_stat_replication"
                " WHERE state = 'streaming' AND application_name = ANY(%s)",
                [list(members)],
            ).fetchone()
    except psycopg.OperationalError:
        return 0
    return int(row[0]) if row else 0


def open_at(address: str, port: int) -> bool:
    """Return whether a program listens at the address and port."""
    with socket.socket() as probe:
        probe.settimeout(_ASK_S)
        return not probe.connect_ex((address, port))
