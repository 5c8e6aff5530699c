"""Processes: who they are, what becomes of them when their parent dies."""

import ctypes
import os
import pwd
import resource
import signal
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

_PR_SET_PDEATHSIG = 1
_libc = ctypes.CDLL(None, use_errno=True) if sys.platform == "linux" else None


class EmbeddedError(Exception):
    """An embedded server or a process of the stack cannot do its work; the message says why."""


@dataclass(frozen=True, slots=True)
class Account:
    """An unprivileged account of this machine that a server runs as when we are root."""

    name: str
    uid: int
    gid: int

    def popen_arguments(self) -> dict[str, Any]:
        return {"user": self.uid, "group": self.gid, "extra_groups": []}


def server_account(data: Path) -> Account | None:
    """Who PostgreSQL runs as: None is ourselves; as root, the owner of `data` or a spare account.

    PostgreSQL refuses to run as root, so there must be somebody else.
    """
    if os.geteuid() != 0:
        return None
    if data.exists():
        uid = data.stat().st_uid
        try:
            owner = pwd.getpwuid(uid)
            return Account(owner.pw_name, uid, owner.pw_gid)
        except KeyError:  # a bind mount from a machine with other accounts
            return Account(str(uid), uid, data.stat().st_gid)
    for name in ("postgres", "nobody"):
        try:
            spare = pwd.getpwnam(name)
        except KeyError:
            continue
        return Account(name, spare.pw_uid, spare.pw_gid)
    raise EmbeddedError("As root, PostgreSQL needs an account `postgres` or `nobody` to run as.")


def run_as(account: Account | None, *command: str | Path) -> subprocess.CompletedProcess[str]:
    """Run a short command to its end as `account`, in a neutral folder and environment."""
    arguments = account.popen_arguments() if account else {}
    return subprocess.run(
        [str(word) for word in command],
        cwd="/",
        env=server_environment(),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
        **arguments,
    )


def server_environment() -> dict[str, str]:
    """What a server sees of our environment: nothing that could redirect or translate it."""
    return {"PATH": os.environ.get("PATH", os.defpath), "LC_ALL": "C", "TZ": "UTC"}


def dying_with_parent(number: signal.Signals) -> Callable[[], None] | None:
    """A `preexec_fn` after which the child gets `number` when the thread that made it ends.

    Linux only; elsewhere None, and a parent killed outright leaves its children behind.
    """
    if _libc is None:
        return None
    libc, parent = _libc, os.getpid()

    def ask() -> None:
        libc.prctl(_PR_SET_PDEATHSIG, int(number), 0, 0, 0)
        if os.getppid() != parent:  # it died before we could ask
            os.kill(os.getpid(), number)

    return ask


def need_open_files(number: int) -> None:
    """Let this process and those it starts have so many files open, as far as they may ask for."""
    soft, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = number if most == resource.RLIM_INFINITY else min(number, most)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, most))


def alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return not _is_zombie(pid)


def _is_zombie(pid: int) -> bool:
    try:
        status = Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return False
    return status.rpartition(")")[2].split()[0] == "Z"


def works_in(pid: int, folder: Path) -> bool:
    """Whether the process lives and has `folder` as its working folder.

    Both servers change into their data folder, so this tells a server from a stranger that
    inherited its number.
    """
    if not alive(pid):
        return False
    if sys.platform == "linux":
        try:
            return Path(f"/proc/{pid}/cwd").resolve(strict=True) == folder.resolve()
        except OSError:
            return False
    seen = subprocess.run(
        ["/bin/ps", "-p", str(pid), "-o", "command="], capture_output=True, text=True, check=False
    )
    return str(folder.resolve()) in seen.stdout
