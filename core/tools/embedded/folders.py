"""Make private folders for servers: inside the project where possible, else linked from it.

A folder stands elsewhere for one of three reasons. The path of a Unix socket has about a hundred
bytes at most. If this process is root, a server runs as another account, which perhaps cannot enter
the project. Data that may be lost are read and written faster in memory. No permissions are
widened: the folder is made where the account can reach it, and a symbolic link in the project leads
to it.
"""

import os
import re
import shutil
import tempfile
from pathlib import Path

from core.tools.embedded.processes import Account, EmbeddedError, run_as

# sun_path holds 108 bytes on Linux, 104 elsewhere; the socket's own name needs some of them.
SOCKET_FOLDER_BYTES = 80
_STATE = Path("/var/lib/lototrot")
_MEMORY = Path("/dev/shm")
_MEMINFO = Path("/proc/meminfo")
# In a folder in memory: the mount namespace in which its link is, and the link's path.
_LINKED_FROM = "linked-from"
_NAMESPACE = Path("/proc/self/ns/mnt")


def reachable(path: Path, account: Account | None) -> bool:
    """Return whether `account` can enter the folder, by trying it."""
    return run_as(account, "/bin/sh", "-c", 'cd -- "$1"', "sh", path).returncode == 0


def existing(link: Path) -> Path | None:
    """Return the folder that `link` is or leads to, None if there is none yet."""
    return link.resolve() if link.is_dir() else None


def place(link: Path, account: Account | None, *, most_bytes: int | None = None) -> Path:
    """Return the private folder `link`; make it on first use, there or elsewhere with a link.

    `account` can enter it, and its path has at most `most_bytes`. Repeating the call changes
    nothing.
    """
    folder = existing(link)
    if folder is not None and _fits(folder, most_bytes):
        if not reachable(folder, account):
            raise EmbeddedError(f"The server's account can no longer enter {folder}.")
        return folder
    if link.is_symlink():  # its target was removed
        link.unlink()
    here = link.parent.resolve() / link.name
    if _fits(here, most_bytes) and reachable(here.parent, account):
        here.mkdir(mode=0o700, exist_ok=True)
        give(here, account)
        return here
    there = _elsewhere(link.name, account, most_bytes)
    if here.is_dir():  # a socket's folder that became too deep: the project was moved
        shutil.rmtree(here)
    here.symlink_to(there)
    return there


def place_in_memory(link: Path, account: Account | None, *, room_bytes: int) -> Path | None:
    """Make the private folder in memory and `link` to it; return None without room for it there.

    Its contents are lost when the machine stops. Room is needed in the file system and in memory:
    first what was left there is removed, of checkouts that are gone.
    """
    if link.is_symlink() and not link.exists():  # its target was lost
        link.unlink()
    _remove_forsaken(account)
    if link.exists() or _memory_bytes() < room_bytes:
        return None
    folder = _made_in(_MEMORY, link.name, account)
    if folder is not None:
        link.symlink_to(folder)
        origin = f"{_namespace()}\n{link.parent.resolve() / link.name}"
        (folder / _LINKED_FROM).write_text(origin, "utf-8")  # now, so that nobody misses the link
    return folder


def _remove_forsaken(account: Account | None) -> None:
    """Remove the folders in memory to which their link no longer leads, unless a server runs there.

    A folder of another namespace, as a container has it, may have a link that is not seen here.
    """
    owners = {os.geteuid(), account.uid if account else os.geteuid()}
    for origin in _MEMORY.glob(f"lototrot-*/{_LINKED_FROM}"):
        folder = origin.parent
        try:
            if folder.is_symlink() or folder.stat().st_uid not in owners:
                continue
            namespace, _, link = origin.read_text("utf-8").partition("\n")
        except OSError:  # it is being removed, or is not for us
            continue
        if namespace != _namespace() or Path(link).resolve() == folder.resolve():
            continue
        if not _serves(folder):
            shutil.rmtree(folder, ignore_errors=True)


def _namespace() -> str:
    return str(_NAMESPACE.readlink())


def _serves(folder: Path) -> bool:
    """Return whether a process has the number that a server wrote in one of its folders."""
    for file in folder.glob("*/postmaster.pid"):
        try:
            os.kill(int(file.read_text().partition("\n")[0]), 0)
        except ProcessLookupError:
            continue
        except (OSError, ValueError):  # it is somebody else's, or is being written
            return True
        return True
    return False


def remove(link: Path) -> None:
    """Remove a private folder with its contents, and the link to it."""
    if link.is_symlink():
        shutil.rmtree(link.resolve(), ignore_errors=True)
        link.unlink()
    elif link.is_dir():
        shutil.rmtree(link)


def _fits(path: Path, most_bytes: int | None) -> bool:
    return most_bytes is None or len(os.fsencode(path)) <= most_bytes


def _elsewhere(name: str, account: Account | None, most_bytes: int | None) -> Path:
    for parent in _parents(lasting=most_bytes is None):
        folder = _made_in(parent, name, account, most_bytes)
        if folder is not None:
            return folder
    whom = account.name if account else "us"
    raise EmbeddedError(f"No place was found for a private folder `{name}` that {whom} can enter.")


def _made_in(
    parent: Path, name: str, account: Account | None, most_bytes: int | None = None
) -> Path | None:
    """Make a private folder in `parent`; return None if that cannot serve `account`."""
    try:
        folder = Path(tempfile.mkdtemp(prefix=f"lototrot-{name}-", dir=parent)).resolve()
    except OSError:
        return None
    give(folder, account)
    if _fits(folder, most_bytes) and reachable(folder, account):
        return folder
    folder.rmdir()
    return None


def _memory_bytes() -> int:
    """Return how much the file system in memory can take. 0 where there is none."""
    try:
        available_kb = re.search(r"^MemAvailable: +(\d+) kB$", _MEMINFO.read_text(), re.MULTILINE)
        free = shutil.disk_usage(_MEMORY).free
    except OSError:
        return 0
    return min(free, int(available_kb[1]) << 10) if available_kb else 0


def _parents(*, lasting: bool) -> list[Path]:
    """Return the folders to try, best first. Sockets may stand where a restart removes them."""
    passing = [Path(tempfile.gettempdir()), Path("/tmp"), Path("/var/tmp")]
    if not lasting:
        return passing
    if os.geteuid() == 0 and not _STATE.exists() and os.access(_STATE.parent, os.W_OK):
        _STATE.mkdir()
        _STATE.chmod(0o711)  # whatever the umask: enter, not list
    return [_STATE, *passing]


def runnable(program: Path, account: Account | None) -> bool:
    """Return whether `account` can run the program."""
    try:
        return run_as(account, program, "--version").returncode == 0
    except PermissionError:
        return False


def give(path: Path, account: Account | None) -> None:
    """Make `account` the owner of a folder and its contents; nothing for None."""
    if account is None:
        return
    for folder, _, files in os.walk(path):
        for entry in (folder, *(os.path.join(folder, name) for name in files)):  # noqa: PTH118
            os.chown(entry, account.uid, account.gid, follow_symlinks=False)
