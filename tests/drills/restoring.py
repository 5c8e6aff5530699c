"""The drill of the restore: base backups, what changed since, and the log, onto a new machine.

Barman with the shipped configuration and scripts receives the log under load. Then the machine of
the backups loses the databases; what it had, and nothing else, makes a new server.
"""

import getpass
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from core.tools.cluster import software
from core.tools.cluster.cluster import DATABASES
from core.tools.cluster.machines import MARK, end_all
from core.tools.deploying.patroni import ARCHIVE, PORT, kept
from core.tools.embedded import folders
from core.tools.embedded.postgres import APP, DATABASE, OWNER, Postgres, binaries
from core.tools.embedded.processes import Account, EmbeddedError, server_account
from core.tools.embedded.server import ROOT
from tests.drills.ground import Ground
from tests.drills.outcomes import Outcome

LAG_S = 5.0
"""The archive has what was answered so long ago; the log is received as it is written."""
DEPLOY = ROOT / "docs" / "deploy"
KEY = "lototrot-backup"
_PASSPHRASE, _PASSWORD = "of-the-drill", "of-barman"
_SALES = 100
_WITHIN_S = 1800


def restore(ground: Ground, rounds: int) -> Outcome:
    """Back up under load, lose the databases, and restore on a new machine what was kept.

    Twin: the archived log is lost as well, and with it what was sold after the last base backup.
    """
    outcome, took_s, lags_s = Outcome(twin_lost=0), 0.0, [0.0]
    for number in range(rounds):
        with Backups(ground, f"backups-{number}").running() as backups:
            cut = _back_up(ground, backups)
            began = time.monotonic()
            with backups.restored("machine", log=True) as url:
                took_s = max(took_s, time.monotonic() - began)
                missing, invented = ground.missing(url)
            before = [at for at in missing if at < cut]
            lags_s += [cut - at for at in before]
            outcome.lost += sum(at < cut - LAG_S for at in before)
            outcome.invented += invented
            with backups.restored("twin", log=False) as url:
                without, _ = ground.missing(url)
            outcome.twin_lost = (outcome.twin_lost or 0) + sum(at < cut - LAG_S for at in without)
            if readable := backups.readable():
                outcome.lost += len(readable)
                outcome.notes.append(f"not encrypted: {', '.join(readable)}")
        outcome.rounds += 1
    outcome.figures |= {
        "restore_s": round(took_s, 1),
        "restore_minutes": round(took_s / 60, 2),
        "behind_s": round(max(lags_s), 2),
        "promised_behind_s": LAG_S,
    }
    outcome.notes.append(
        f"decrypted, put together, replayed and audited in {took_s / 60:.1f} minutes:"
        " a whole backup, what changed since, and the log"
    )
    outcome.passed = not (outcome.lost or outcome.invented) and bool(outcome.twin_lost)
    return outcome


def _back_up(ground: Ground, backups: "Backups") -> float:
    """Take both kinds of base backup while terminals sell; return when the databases were lost."""
    with ground.selling() as crowd:
        backups.script("backup.sh", WHOLE="yes")
        crowd.wait_sales(_SALES)
        backups.script("backup.sh")
        crowd.wait_sales(_SALES)
        time.sleep(2 * LAG_S)  # sales that the twin lacks, and are no longer young
        cut = time.monotonic()
        backups.lose_databases()
    return cut


@dataclass
class Backups:
    """The machine of the backups, with the public key alone; and new machines, with the private."""

    ground: Ground
    name: str

    def __post_init__(self) -> None:
        self._account = server_account(Path("/nonexistent"))
        self._folder = self.ground.cluster.folder / self.name
        self._folder.mkdir()
        self._mark = f"{self.ground.cluster.mark}{self.name}"
        self._home = self._folder / "home"
        self._places = {
            name: self._place(name, account)
            for name, account in (("public", None), ("private", self._account))
        }

    @contextmanager
    def running(self) -> Iterator["Backups"]:
        """Receive the log inside the block."""
        self._make_keys()
        self._configure(self._home)
        leader = self.ground.configure(kept([ARCHIVE]))
        self._superuser(leader, "--file", str(DEPLOY / "barman.sql"))
        with (self._folder / "archive.log").open("w") as log:
            receiving = subprocess.Popen(
                ["bash", str(DEPLOY / "archive.sh")],
                env=self._environment(self._home, "public") | {"EVERY_S": "2"},
                stdout=log,
                stderr=log,
            )
        try:
            yield self
        finally:
            end_all(self._mark)
            receiving.wait()
            leader = self.ground.configure({"slots": {ARCHIVE: None}})
            gone = f"DROP OWNED BY {ARCHIVE}", f"DROP ROLE {ARCHIVE}"
            self._superuser(leader, *(f"--command={words}" for words in gone))
            for name, place in self._places.items():
                self._gpg(place, "gpgconf", "--kill", "all")
                folders.remove(self._folder / name)

    def script(self, name: str, **words: str) -> str:
        """Run a shipped script on the machine of the backups; return what it printed."""
        return self._run(name, self._environment(self._home, "public") | words)

    def readable(self) -> list[str]:
        """Return the base backups and filed logs that are no messages of OpenPGP."""
        kept_here = self._home / "barman" / "lototrot"
        files = [*kept_here.glob("base/*/data/*.tar*"), *kept_here.glob("wals/*/*")]
        if not files:
            raise EmbeddedError("nothing was kept")
        return [file.name for file in files if not file.read_bytes()[0] & 0x80]

    def lose_databases(self) -> None:
        """Cut the machine off from the databases at once, with what it has."""
        end_all(self._mark)

    @contextmanager
    def restored(self, name: str, *, log: bool) -> Iterator[str]:
        """Restore on a new machine, which has the backups' files; return its database's URL.

        Without `log` it has what Barman filed by the end of the last base backup alone.
        """
        home, work = self._place(name, self._account), self._place(f"{name}-work", self._account)
        shutil.copytree(self._home / "barman", home / "barman")
        self._configure(home, self._account)
        if not log:
            self._lose_log(home / "barman" / "lototrot")
        folders.give(home, self._account)
        environment = self._environment(home, "private") | {
            "WORK": str(work),
            "FOLDER": str(home / "barman" / "lototrot"),
            "STAY": "yes",
            "OWNER": self._account.name if self._account else "",
            "PYTHON": sys.executable,
            "PROGRAM": str(ROOT),
            "SHARED_BUFFERS": "128MB",
        }
        try:
            output = self._run("restore.sh", environment)
            (self._folder / f"{name}.log").write_text(output)
            yield f"postgresql://{OWNER}@/{DATABASE}?host={work}/run"
        finally:
            end_all(self._mark)
            for each in (name, f"{name}-work"):
                folders.remove(self._folder / each)

    def _lose_log(self, kept_here: Path) -> None:
        """Remove what came after the last base backup."""
        shutil.rmtree(kept_here / "streaming")
        (kept_here / "streaming").mkdir()
        newest = max((kept_here / "meta").glob("*-backup.info"), key=lambda path: path.name)
        (end,) = (
            line.partition("=")[2].strip()
            for line in newest.read_text().splitlines()
            if line.startswith("end_wal=")
        )
        for file in (kept_here / "wals").glob("*/*"):
            if len(file.name) == len(end) and file.name > end:
                file.unlink()
        database = kept_here / "wals" / "lototrot-xlog.db"
        lines = database.read_text().splitlines(keepends=True)
        database.write_text("".join(line for line in lines if line.split("\t")[0][:24] <= end))

    def _superuser(self, leader: str, *words: str) -> None:
        command = [str(binaries() / "psql"), "--no-psqlrc", "--quiet", *words]
        done = subprocess.run(
            [*command, self.ground.cluster.superuser_url(leader)],
            env={"BARMAN_PASSWORD": _PASSWORD},
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode:
            raise EmbeddedError(f"psql failed: {done.stderr}")

    def _run(self, name: str, environment: dict[str, str]) -> str:
        done = subprocess.run(
            ["bash", str(DEPLOY / name)],
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=_WITHIN_S,
            check=False,
        )
        if done.returncode:
            raise EmbeddedError(f"{name} failed:\n{done.stdout[-3000:]}")
        return done.stdout

    def _place(self, name: str, account: Account | None) -> Path:
        """Return a private folder of an account, where a socket can be."""
        room = folders.SOCKET_FOLDER_BYTES - len("/S.gpg-agent.browser")
        return folders.place(self._folder / name, account, most_bytes=room)

    def _configure(self, home: Path, account: Account | None = None) -> None:
        """Write the shipped configuration where an account's Barman looks for it."""
        name = account.name if account else getpass.getuser()
        (home / "barman").mkdir(parents=True, exist_ok=True)
        text = (DEPLOY / "barman.conf").read_text()
        for shipped, own in (
            ("barman_user = barman", f"barman_user = {name}"),
            ("barman_home = /var/lib/barman", f"barman_home = {home}/barman"),
        ):
            if shipped not in text:
                raise EmbeddedError(f"barman.conf has no `{shipped}`")
            text = text.replace(shipped, own)
        (home / ".barman.conf").write_text(text)

    def _environment(self, home: Path, keys: str) -> dict[str, str]:
        cluster = self.ground.cluster
        installed = cluster.folder.parent
        servers = Postgres(installed / "cluster-software-postgres").software(self._account)
        hosts = [cluster.machines[name].address for name in DATABASES]
        return {
            **{name: os.environ[name] for name in ("PROFILE", "VAR_DIR")},
            "DJANGO_SETTINGS_MODULE": "core.config.settings",
            "PROCESS": "migrate",
            "PATH": f"{software.barman(installed, self._account)}:{servers}:{os.environ['PATH']}",
            "HOME": str(home),
            "LC_ALL": "C.UTF-8",
            "GNUPGHOME": str(self._places[keys]),
            "PASSPHRASE_FILE": str(self._places["private"] / "passphrase"),
            "FIGURES": str(self._folder),
            "APP_ROLE": APP,
            "PGHOST": ",".join(hosts),
            "PGPORT": str(PORT),
            "PGPASSWORD": _PASSWORD,
            "PGTARGETSESSIONATTRS": "read-write",
            MARK: self._mark,
        }

    def _make_keys(self) -> None:
        private, public = self._places["private"], self._places["public"]
        (private / "passphrase").write_text(_PASSPHRASE)
        gpg = ("gpg", "--batch", "--quiet", "--pinentry-mode", "loopback")
        make = ("--quick-gen-key", KEY, "future-default", "default", "never")
        self._gpg(private, *gpg, "--passphrase", _PASSPHRASE, *make)
        exported = self._folder / "backup.asc"
        exported.write_bytes(self._gpg(private, *gpg, "--armor", "--export", KEY))
        self._gpg(public, *gpg, "--import", str(exported))
        (public / "gpg.conf").write_text("trust-model always\n")
        self._gpg(private, "gpgconf", "--kill", "all")
        folders.give(private, self._account)

    def _gpg(self, place: Path, *command: str) -> bytes:
        environment = os.environ | {"GNUPGHOME": str(place), MARK: self._mark}
        done = subprocess.run(command, env=environment, capture_output=True, check=False)
        if done.returncode:
            raise EmbeddedError(f"{' '.join(command)} failed: {done.stderr.decode()}")
        return done.stdout
