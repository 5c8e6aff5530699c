"""Run a program on a slow disk: `python -m core.tools.cluster.slow_disk MILLISECONDS COMMAND...`.

Each fsync, fdatasync and syncfs of the program and its descendants takes so much longer, and all
else is as quick as ever. The kernel stops such a call by a filter (seccomp) and asks this process,
which lets it go on after the pause. It needs Linux 5.19 or later, and no privileges.
"""

import ctypes
import fcntl
import os
import platform
import signal
import socket
import struct
import sys
import threading
import time
from collections.abc import Sequence
from queue import SimpleQueue

_CALLS = {"x86_64": (0xC000003E, 317, (74, 75, 306)), "aarch64": (0xC00000B7, 277, (82, 83, 267))}
"""Of each kind of machine: its name in filters, and the numbers of seccomp and of what is slow."""
_NO_NEW_PRIVILEGES, _SET_FILTER = 38, 1
_NEW_LISTENER, _NOT_INTERRUPTED = 1 << 3, 1 << 5
_LOAD, _IF_EQUAL, _RETURN = 0x20, 0x15, 0x06
_ALLOW, _ASK = 0x7FFF0000, 0x7FC00000
_AT_NUMBER, _AT_MACHINE = 0, 4
_RECEIVE, _ANSWER = 0xC0502100, 0xC0182101
_QUESTION_BYTES = 80
_GO_ON = 1


def available() -> bool:
    """Return whether this machine's processor is a known one."""
    return sys.platform == "linux" and platform.machine() in _CALLS


def command(pause_ms: int, usual: Sequence[str]) -> list[str]:
    """Return the command that runs another one on a slow disk."""
    return [sys.executable, "-m", "core.tools.cluster.slow_disk", str(pause_ms), *usual]


def _filter() -> bytes:
    """Return the filter: ask about the slow calls, allow all others."""
    machine, _, calls = _CALLS[platform.machine()]
    last = len(calls)
    steps = [
        (_LOAD, 0, 0, _AT_MACHINE),
        (_IF_EQUAL, 0, last + 1, machine),
        (_LOAD, 0, 0, _AT_NUMBER),
        *((_IF_EQUAL, last - place, 0, call) for place, call in enumerate(calls)),
        (_RETURN, 0, 0, _ALLOW),
        (_RETURN, 0, 0, _ASK),
    ]
    return b"".join(struct.pack("HBBI", *step) for step in steps)


class _Program(ctypes.Structure):
    _fields_ = [("length", ctypes.c_ushort), ("steps", ctypes.c_void_p)]


def _put_under_filter() -> int:
    """Put this process under the filter for ever; return the descriptor of its questions."""
    libc, steps = ctypes.CDLL(None, use_errno=True), _filter()
    buffer = ctypes.create_string_buffer(steps, len(steps))
    program = _Program(len(steps) // 8, ctypes.addressof(buffer))
    libc.prctl(_NO_NEW_PRIVILEGES, 1, 0, 0, 0)
    flags = _NEW_LISTENER | _NOT_INTERRUPTED
    number = _CALLS[platform.machine()][1]
    listener = int(libc.syscall(number, _SET_FILTER, flags, ctypes.byref(program)))
    if listener < 0:
        raise OSError(ctypes.get_errno(), "this kernel takes no filter of calls")
    return listener


def _answer(listener: int, pause_s: float) -> None:
    """Let each call go on after the pause, until the last process has ended."""
    waiting: SimpleQueue[tuple[float, int]] = SimpleQueue()

    def let_go() -> None:
        while True:
            at, question = waiting.get()
            time.sleep(max(0.0, at - time.monotonic()))
            answer = struct.pack("QqiI", question, 0, 0, _GO_ON)
            try:
                fcntl.ioctl(listener, _ANSWER, answer)
            except OSError:  # who asked was killed meanwhile
                continue

    threading.Thread(target=let_go, daemon=True).start()
    while True:
        question = bytearray(_QUESTION_BYTES)
        try:
            fcntl.ioctl(listener, _RECEIVE, question)
        except OSError:  # who asked was killed meanwhile
            continue
        waiting.put((time.monotonic() + pause_s, struct.unpack_from("Q", question)[0]))


def run(pause_s: float, words: list[str]) -> int:
    """Run a command on a slow disk to its end; return its exit code. Pass SIGTERM on to it."""
    ours, its = socket.socketpair()
    child = os.fork()
    if child == 0:
        listener = _put_under_filter()
        socket.send_fds(its, [b"."], [listener])
        os.close(listener)
        os.execvp(words[0], words)  # noqa: S606
    its.close()
    signal.signal(signal.SIGTERM, lambda *_: os.kill(child, signal.SIGTERM))
    _, (listener, *_), _, _ = socket.recv_fds(ours, 1, 1)
    threading.Thread(target=_answer, args=(listener, pause_s), daemon=True).start()
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


if __name__ == "__main__":
    sys.exit(run(int(sys.argv[1]) / 1000, sys.argv[2:]))
