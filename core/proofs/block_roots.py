"""Compute the roots of many blocks of hashes in a process beside, while the caller makes more.

Python hashes short texts on one processor, whatever its threads do, and half of the time of a large
tree is that of its nodes. The process beside needs the standard library only: it starts at once,
and gets no setting, key or connection. It reads blocks from its input, each as the number of its
hashes in four bytes and the hashes, and writes 32 bytes for each.

    python -m core.proofs.block_roots
"""

import os
import struct
import subprocess
import sys
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from itertools import chain, islice
from pathlib import Path
from typing import IO, Final

from core.proofs import merkle

ALONE: Final = 64
"""Up to so many blocks are computed here: a process does not pay for itself."""
_HASH_BYTES: Final = 32
_COUNT: Final = struct.Struct("!I")
_ROOT: Final = Path(__file__).parents[2]
_LOADER: Final = ("LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH")  # without them some Pythons do not start


class BlocksLost(Exception):
    """The process beside ended before its work. Nothing was computed."""


def block_roots(blocks: Iterable[Sequence[bytes]]) -> list[bytes]:
    """Return the root of each block, in their order; `merkle.root` of these is that of the tree.

    Every block but the last has `merkle.BLOCK` hashes of 32 bytes. Raises BlocksLost.
    """
    source = iter(blocks)
    roots = [merkle.root(block) for block in islice(source, ALONE)]
    first = next(source, None)
    if first is None:
        return roots
    more = chain([first], source)
    process = _start()
    return roots + (_roots_of(process, more) if process else [merkle.root(b) for b in more])


def _start() -> subprocess.Popen[bytes] | None:
    """Start the process beside; return None where the machine gives no process."""
    try:
        return subprocess.Popen(
            [sys.executable, "-m", __name__],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            cwd=_ROOT,
            env={name: os.environ[name] for name in _LOADER if name in os.environ},
        )
    except OSError as error:
        import structlog  # the process beside, which starts with this module, needs none

        structlog.get_logger("proofs").warning("no process beside", error=str(error))
        return None


def _roots_of(process: subprocess.Popen[bytes], blocks: Iterator[Sequence[bytes]]) -> list[bytes]:
    count = 0
    with process, ThreadPoolExecutor(1) as reader:
        blocks_in, roots_out = _pipes(process)
        try:
            answer = reader.submit(roots_out.read)  # now, so that the process never waits to write
            for block in blocks:
                blocks_in.write(_COUNT.pack(len(block)) + b"".join(block))
                count += 1
            blocks_in.close()
            roots = answer.result()
        except BaseException as error:
            process.kill()
            with suppress(BrokenPipeError):
                blocks_in.close()
            if isinstance(error, BrokenPipeError):
                raise BlocksLost(f"after {count} blocks") from error
            raise
    if process.returncode or len(roots) != count * _HASH_BYTES:
        raise BlocksLost(f"{len(roots)} bytes for {count} blocks, ended with {process.returncode}")
    return _split(roots)


def _pipes(process: subprocess.Popen[bytes]) -> tuple[IO[bytes], IO[bytes]]:
    if process.stdin is None or process.stdout is None:
        raise BlocksLost("a process without pipes")
    return process.stdin, process.stdout


def _split(hashes: bytes) -> list[bytes]:
    return [hashes[at : at + _HASH_BYTES] for at in range(0, len(hashes), _HASH_BYTES)]


def _serve(blocks_in: IO[bytes], roots_out: IO[bytes]) -> None:
    """Answer each block with its root, until there are no more."""
    while head := blocks_in.read(_COUNT.size):
        (count,) = _COUNT.unpack(head)
        roots_out.write(merkle.root(_split(blocks_in.read(count * _HASH_BYTES))))
    roots_out.flush()


if __name__ == "__main__":
    _serve(sys.stdin.buffer, sys.stdout.buffer)
