import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import psycopg
import pytest
from psycopg import errors

from core.tools.embedded.postgres import OWNER, SUPERUSER, Postgres, known_urls
from core.tools.embedded.processes import EmbeddedError, alive
from core.tools.embedded.server import ROOT

Eventually = Callable[..., None]
SMALL = {"shared_buffers": "32MB", "max_connections": "20"}
START_AND_HOLD = """
import sys
from pathlib import Path
from core.tools.embedded.postgres import Postgres
server = Postgres(Path(sys.argv[1]), {"shared_buffers": "32MB"})
server.start()
print(server.pid, flush=True)
sys.stdin.read()
server.stop()
"""


def holder(folder: Path) -> subprocess.Popen[str]:
    """Another process that starts or joins the server, and leaves it at the end of its input."""
    return subprocess.Popen(
        [sys.executable, "-c", START_AND_HOLD, str(folder)],
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )


def value(url: str, query: str) -> Any:
    with psycopg.connect(url) as connection:
        row = connection.execute(query).fetchone()
    assert row is not None
    return row[0]


def test_nothing_that_keeps_an_answered_commit_is_off(postgres: Postgres) -> None:
    with postgres:
        for setting in ("fsync", "full_page_writes", "synchronous_commit", "data_checksums"):
            assert value(postgres.app_url, f"SHOW {setting}") == "on"
        assert value(postgres.app_url, "SHOW server_encoding") == "UTF8"
        assert value(postgres.app_url, "SELECT upper('cavall castrat è ŀ')") == "CAVALL CASTRAT È Ŀ"
        assert value(postgres.app_url, "SHOW server_version_num") >= "160000"


def test_only_its_own_account_reaches_it_and_only_with_a_password(postgres: Postgres) -> None:
    with postgres:
        assert value(postgres.app_url, "SHOW listen_addresses") == ""
        for name in ("data", "run", "secrets"):
            assert (postgres.folder / name).resolve().stat().st_mode & 0o077 == 0
        for secret in (postgres.folder / "secrets").iterdir():
            assert secret.stat().st_mode & 0o077 == 0
        for role in (SUPERUSER, OWNER):
            password = (postgres.folder / "secrets" / role).read_text()
            for wrong in ("", "wrong"):
                with pytest.raises(psycopg.OperationalError):
                    psycopg.connect(postgres.url(role).replace(password, wrong))


def test_the_application_may_connect_and_nothing_else(postgres: Postgres) -> None:
    refused = [
        "CREATE DATABASE other",
        "CREATE ROLE other",
        "CREATE TABLE other (n int)",
        "CREATE TEMPORARY TABLE other (n int)",
        "CREATE SCHEMA other",
        "SET ROLE lototrot_owner",
        "SELECT rolpassword FROM pg_authid",
        "SELECT pg_read_file('PG_VERSION')",
        "COPY (SELECT 1) TO PROGRAM 'true'",
        "SELECT n FROM kept",
        "TRUNCATE kept",
        "ALTER SYSTEM SET fsync = off",
        "DROP DATABASE lototrot",
    ]
    with postgres:
        with psycopg.connect(postgres.owner_url, autocommit=True) as owner:
            owner.execute("CREATE TABLE kept (n int)")
        with psycopg.connect(postgres.app_url, autocommit=True) as app:
            for statement in refused:
                with pytest.raises((errors.InsufficientPrivilege, errors.WrongObjectType)):
                    app.execute(statement)
        for database in ("postgres", "template1"):
            with pytest.raises(psycopg.OperationalError, match="permission denied"):
                psycopg.connect(postgres.url("lototrot_app", database))


def test_the_owner_makes_databases_and_is_no_superuser(postgres: Postgres) -> None:
    with postgres, psycopg.connect(postgres.owner_url, autocommit=True) as owner:
        owner.execute("CREATE DATABASE another")
        owner.execute("DROP DATABASE another")
        flags = owner.execute(
            "SELECT rolsuper, rolcreaterole, rolreplication, rolbypassrls FROM pg_roles"
            " WHERE rolname = current_user"
        ).fetchone()
        assert flags == (False, False, False, False)


def test_it_is_joined_while_it_runs_and_stopped_by_the_last_to_leave(postgres: Postgres) -> None:
    with postgres:
        pid = postgres.pid
        postgres.start()  # again, by the same user
        with Postgres(postgres.folder) as other:
            assert other.pid == pid
        assert postgres.pid == pid
    assert postgres.pid is None


def test_many_starters_at_once_share_one_server(postgres: Postgres) -> None:
    holders = [holder(postgres.folder) for _ in range(3)]
    pids = {each.stdout.readline() for each in holders if each.stdout}
    assert len(pids) == 1
    for each in holders:
        each.communicate(timeout=60)
        assert each.returncode == 0
    assert not alive(int(pids.pop()))


def test_a_restart_keeps_data_passwords_and_place(postgres: Postgres) -> None:
    assert known_urls(postgres.folder / "elsewhere") is None
    with postgres:
        urls = known_urls(postgres.folder)
        with psycopg.connect(postgres.owner_url) as owner:
            owner.execute("CREATE TABLE seven AS SELECT 7 AS n")
    assert known_urls(postgres.folder) == urls
    with Postgres(postgres.folder) as again:
        assert (again.app_url, again.owner_url) == urls
        assert value(again.owner_url, "SELECT n FROM seven") == 7


def test_a_killed_server_comes_back_with_all_it_had_answered(postgres: Postgres) -> None:
    with postgres:
        with psycopg.connect(postgres.owner_url, autocommit=True) as owner:
            owner.execute("CREATE TABLE fifty (n int)")
            for number in range(50):
                owner.execute("INSERT INTO fifty VALUES (%s)", [number])
            postgres.crash()
        assert value(postgres.owner_url, "SELECT count(*) FROM fifty") == 50


def test_it_ends_when_its_user_is_killed(postgres: Postgres, eventually: Eventually) -> None:
    user = holder(postgres.folder)
    assert user.stdout is not None
    pid = int(user.stdout.readline())
    user.kill()
    user.communicate()
    eventually(lambda: not alive(pid))
    with postgres:
        assert postgres.pid not in (None, pid)


def test_a_swept_socket_folder_is_made_again(postgres: Postgres) -> None:
    with postgres:
        pass
    shutil.rmtree((postgres.folder / "run").resolve())
    with postgres:
        assert value(postgres.app_url, "SELECT 1") == 1


def test_vanished_data_are_not_silently_replaced(postgres: Postgres) -> None:
    with postgres:
        pass
    data, aside = postgres.folder / "data", postgres.folder / "aside"
    data.rename(aside)
    data.symlink_to(postgres.folder / "gone")
    with pytest.raises(EmbeddedError, match="gone"):
        postgres.start()
    data.unlink()
    aside.rename(data)


def test_a_deep_folder_has_its_socket_elsewhere(tmp_path: Path) -> None:
    deep = tmp_path.joinpath(*["a-rather-deep-folder"] * 6)
    server = Postgres(deep, SMALL)
    try:
        for _ in range(2):
            with server:
                run = (deep / "run").resolve()
                assert not run.is_relative_to(tmp_path)
                assert run.stat().st_mode & 0o077 == 0
                assert value(server.app_url, "SELECT 1") == 1
    finally:
        server.destroy()
    assert not deep.exists()
    assert not run.exists()


def test_what_cannot_start_says_why(tmp_path: Path) -> None:
    server = Postgres(tmp_path / "postgres", {"shared_buffers": "nonsense"})
    try:
        with pytest.raises(EmbeddedError, match="shared_buffers"):
            server.start()
        assert server.pid is None
    finally:
        server.destroy()


@pytest.mark.skipif(os.geteuid() != 0, reason="only root has to become somebody else")
def test_as_root_the_server_runs_as_another_account_and_opens_no_folder() -> None:
    closed = Path(tempfile.mkdtemp()).resolve()  # 0700 and root's
    server = Postgres(closed / "postgres", SMALL)
    reachable = Postgres(closed / "open", SMALL)
    try:
        with server:
            assert server.pid is not None
            assert Path(f"/proc/{server.pid}").stat().st_uid != 0
            assert not (server.folder / "data").resolve().is_relative_to(closed)
            assert closed.stat().st_mode & 0o777 == 0o700
            assert value(server.app_url, "SELECT 1") == 1
        for folder in (closed, closed / "open"):
            folder.mkdir(exist_ok=True)
            folder.chmod(0o711)
        with reachable:
            assert (reachable.folder / "data").resolve().is_relative_to(closed)
    finally:
        server.destroy()
        reachable.destroy()
        shutil.rmtree(closed)
