"""The shipped configuration of backups, and a restore that fails; `make drill` does the rest."""

import configparser
import fcntl
import os
import re
import signal
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml

from core.tools.deploying.patroni import ARCHIVE, POSTGRESQL, SHIPPED, member
from core.tools.embedded.server import ROOT

DEPLOY = ROOT / "docs" / "deploy"
SERVICES: dict[str, Any] = yaml.safe_load((DEPLOY / "compose.yaml").read_text())["services"]
SCRIPTS = ("archive.sh", "backup.sh", "restore.sh")


@pytest.fixture
def barman() -> dict[str, str]:
    parser = configparser.ConfigParser(interpolation=None)
    parser.read(DEPLOY / "barman.conf")
    return {**parser["barman"], **parser["lototrot"]}


def test_backups_are_encrypted_kept_for_a_time_and_the_log_comes_as_it_is_written(
    barman: dict[str, str],
) -> None:
    assert barman["encryption"] == "gpg"
    # Barman encrypts tar files that are compressed, and no others.
    assert barman["backup_compression_format"] == "tar"
    assert barman["backup_compression"]
    assert barman["backup_method"] == "postgres"
    assert barman["streaming_archiver"] == "on"
    assert barman["retention_policy"] == "RECOVERY WINDOW OF 14 DAYS"
    assert "host=" not in barman["conninfo"] + barman["streaming_conninfo"]
    assert "password" not in barman["conninfo"] + barman["streaming_conninfo"]


def test_the_databases_keep_for_the_archive_what_it_has_not_had(barman: dict[str, str]) -> None:
    assert barman["slot_name"] == ARCHIVE
    assert member(SHIPPED)["bootstrap"]["dcs"]["slots"] == {ARCHIVE: {"type": "physical"}}
    assert POSTGRESQL["summarize_wal"] == "on"  # or there are no backups of what changed
    assert "config_file=/etc/postgresql.conf" in SERVICES["postgres"]["command"]
    assert "./postgresql.conf:/etc/postgresql.conf:ro" in SERVICES["postgres"]["volumes"]
    settings = (DEPLOY / "postgresql.conf").read_text()
    for name in ("summarize_wal", "max_slot_wal_keep_size"):
        assert f"{name} = '{POSTGRESQL[name]}'\n" in settings


def test_units_and_containers_run_the_same_scripts_with_the_same_configuration() -> None:
    for what in ("archive", "backup", "restore"):
        unit = (DEPLOY / f"lototrot-{what}.service").read_text()
        assert f"ExecStart=/bin/bash /usr/local/lib/lototrot-{what}.sh\n" in unit
    for what in ("archive", "backup"):
        service = SERVICES[what]
        assert f"bash /{what}.sh" in service["command"][-1]
        assert service["secrets"] == ["backup"]  # the public half
        for file in ("archive.sh", "backup.sh"):
            assert f"./{file}:/{file}:ro" in service["volumes"]
        assert "./barman.conf:/etc/barman.conf:ro" in service["volumes"]
        assert service["network_mode"] == "none"
    assert SERVICES["backup-folder"]["command"][1].split(":")[0] == SERVICES["backup"]["user"]
    image = (DEPLOY / "Dockerfile.backup").read_text()
    assert set(re.findall(r"^FROM (\S+)", image, re.MULTILINE)) == {"${POSTGRES_IMAGE}"}
    assert f"USER {SERVICES['backup']['user']}\n" in image


def test_the_machine_that_restores_has_the_private_key_and_no_key_of_the_program() -> None:
    unit = (DEPLOY / "lototrot-restore.service").read_text()
    assert re.findall(r"^LoadCredential=(\w+):", unit, re.MULTILINE) == ["backup_passphrase"]
    assert "Environment=PROCESS=migrate\n" in unit
    for other in ("archive", "backup"):
        assert "PASSPHRASE_FILE" not in (DEPLOY / f"lototrot-{other}.service").read_text()


def test_a_restore_is_practised_each_week_and_a_base_backup_made_each_night() -> None:
    for timer, day in (("restore", "Wed "), ("backup", "")):
        text = (DEPLOY / f"lototrot-{timer}.timer").read_text()
        assert f"OnCalendar={day}*-*-* " in text
        assert "Persistent=true" in text


@pytest.mark.parametrize("script", SCRIPTS)
def test_a_script_can_be_read(script: str) -> None:
    subprocess.run(["bash", "-n", str(DEPLOY / script)], check=True)


def test_a_restore_that_fails_says_so_in_words_and_figures_and_leaves_nothing(
    tmp_path: Path,
) -> None:
    work, figures = tmp_path / "work", tmp_path / "figures"
    figures.mkdir()
    done = subprocess.run(
        ["bash", str(DEPLOY / "restore.sh")],
        env={"PATH": os.defpath, "WORK": str(work), "FIGURES": str(figures), "HOME": str(tmp_path)},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode
    assert "FAILED after" in (work / "last").read_text()
    assert [path.name for path in work.iterdir()] == ["last"]
    metrics = (figures / "lototrot_restore.prom").read_text()
    assert "lototrot_restore_passed 0\n" in metrics
    assert re.search(r"^lototrot_restore_timestamp_seconds \d{10}$", metrics, re.MULTILINE)


def run_restore(work: Path, *programs: Path) -> subprocess.CompletedProcess[str]:
    path = ":".join([*map(str, programs), os.defpath])
    return subprocess.run(
        ["bash", str(DEPLOY / "restore.sh")],
        env={"PATH": path, "WORK": str(work), "HOME": str(work)},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


def test_a_restore_removes_no_data_that_it_did_not_begin_to_make(tmp_path: Path) -> None:
    """They may be a restore in earnest, or all that is left of the server that was lost."""
    lost = tmp_path / "data" / "PG_VERSION"
    lost.parent.mkdir()
    lost.write_text("18")
    done = run_restore(tmp_path)
    assert done.returncode == 1
    assert f"{lost.parent} is there" in done.stderr
    assert lost.read_text() == "18"
    assert not (tmp_path / "last").exists()


def test_a_restore_does_not_remove_what_another_one_is_making(tmp_path: Path) -> None:
    """Its server does not run yet: the base backup is being copied, for hours."""
    half = tmp_path / "data" / "PG_VERSION"
    half.parent.mkdir()
    half.write_text("18")
    (tmp_path / "unfinished").touch()
    under_way = os.open(tmp_path, os.O_RDONLY)
    fcntl.flock(under_way, fcntl.LOCK_EX)
    done = run_restore(tmp_path)
    os.close(under_way)
    assert (done.returncode, half.exists()) == (1, True)
    assert "a restore is under way" in done.stderr


def test_a_restore_that_was_killed_is_begun_anew(tmp_path: Path) -> None:
    """The first run is killed by its Barman, when half of the data are there."""
    work, programs = tmp_path / "work", tmp_path / "programs"
    programs.mkdir()
    barman = programs / "barman"
    barman.write_text(
        '#!/bin/sh\n[ "$1" = list-backups ] && { echo one; exit; }\n'
        'mkdir "$WORK/data" && echo 18 > "$WORK/data/PG_VERSION" && kill -9 $PPID\n'
    )
    barman.chmod(0o755)
    assert run_restore(work, programs).returncode == -signal.SIGKILL
    assert (work / "data" / "PG_VERSION").exists()
    barman.unlink()
    done = run_restore(work, programs)
    assert done.returncode
    assert "is there" not in done.stderr
    assert [path.name for path in work.iterdir()] == ["last"]


def test_a_file_of_the_log_that_cannot_be_read_is_not_taken_for_its_end(tmp_path: Path) -> None:
    """PostgreSQL ends the log at the code 1, and sells on without the rest; above 125 it stops."""
    script = (DEPLOY / "restore.sh").read_text()
    fetch = tmp_path / "fetch"
    fetch.write_text(script.partition("<<'FETCH'\n")[2].partition("\nFETCH\n")[0])
    name, wals = "000000010000000000000002", tmp_path / "wals"
    wals.mkdir()

    def fetched(to: Path) -> int:
        environment = {"PATH": os.defpath, "PASSPHRASE_FILE": str(tmp_path / "none")}
        command = ["bash", str(fetch), str(tmp_path), name, str(to)]
        done = subprocess.run(command, env=environment, capture_output=True, check=False)
        return done.returncode

    assert fetched(tmp_path / "taken") == 1
    (wals / name).write_bytes(b"\x7f log")
    assert fetched(tmp_path / "taken") == 0
    assert (tmp_path / "taken").read_bytes() == b"\x7f log"
    assert fetched(tmp_path / "no folder" / "taken") > 125  # as on a full disk
    (wals / name).write_bytes(b"\x85 not a message after all")
    assert fetched(tmp_path / "taken") > 125


def test_containers_take_the_name_that_the_database_has_after_a_restore() -> None:
    """`.env` reaches no container by itself: theirs went on to archive under the old name."""
    for name in ("archive", "backup"):
        assert SERVICES[name]["environment"]["SERVER"] == "${BARMAN_SERVER:-lototrot}"


@pytest.mark.parametrize("script", ["backup.sh", "restore.sh"])
def test_a_script_asks_barman_for_the_name_that_the_database_has_after_a_restore(
    tmp_path: Path, script: str
) -> None:
    """The name stood in the scripts: after a restore they made no backup of the new server."""
    work, programs, asked = tmp_path / "work", tmp_path / "programs", tmp_path / "asked"
    programs.mkdir()
    barman = programs / "barman"
    barman.write_text(f'#!/bin/sh\necho "$@" >> {asked}\n')
    barman.chmod(0o755)
    path = f"{programs}:{os.defpath}"
    environment = {"PATH": path, "WORK": str(work), "HOME": str(work), "SERVER": "lototrot-2"}
    command = ["bash", str(DEPLOY / script)]
    subprocess.run(command, env=environment, capture_output=True, timeout=60, check=False)
    questions = asked.read_text().splitlines()
    assert questions and all("lototrot-2" in words.split() for words in questions)
