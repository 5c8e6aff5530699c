"""Run processes as an account, end them with their parent, and recognise them by number."""

import contextlib
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
    """Return the account that PostgreSQL runs as; None for the account of this process.

    PostgreSQL refuses to run as root. As root, it runs as the owner of `data`, or as an account
    that exists on most machines.
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
    """Run a short command as `account`, in the root folder and with a minimal environment."""
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
    """Return the environment of a server: its path only, messages in English, times in UTC."""
    return {"PATH": os.environ.get("PATH", os.defpath), "LC_ALL": "C", "TZ": "UTC"}


def dying_with_parent(number: signal.Signals) -> Callable[[], None] | None:
    """Return a `preexec_fn` by which the child gets a signal when the thread that made it ends.

    None on other systems than Linux: there a parent that is killed leaves its children running.
    """
    if _libc is None:
        return None
    libc, parent = _libc, os.getpid()

    def ask() -> None:
        libc.prctl(_PR_SET_PDEATHSIG, int(number), 0, 0, 0)
        if os.getppid() != parent:  # it ended before the call
            os.kill(os.getpid(), number)

    return ask


def give_way(niceness: int) -> None:
    """Take a smaller share of a busy processor than others: a third for 5, a tenth for 10.

    Linux gives each session its share first (sched_autogroup) and looks at the niceness of
    processes only within one; so a process that leads a session lowers the session's share, too.
    """
    os.nice(niceness)
    with contextlib.suppress(OSError):  # no such groups here, or not a leader's place to say
        Path("/proc/self/autogroup").write_text(str(niceness))


def need_open_files(number: int) -> None:
    """Raise the limit of open files for this process and its children, as far as allowed."""
    soft, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    limit = number if most == resource.RLIM_INFINITY else min(number, most)
    if soft != resource.RLIM_INFINITY and soft < limit:
        resource.setrlimit(resource.RLIMIT_NOFILE, (limit, most))


def alive(pid: int) -> bool:
    """Return whether the process exists and is no zombie."""
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
    """Return whether the process lives and has `folder` as its working folder.

    Both servers change into their data folder, so this tells a server from another process that
    later got the same number.
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
