"""Lock a chain: the meetings of one bet type, which pass money on to the next [A4]."""

import zlib

from core.database.locks import Lock


def chain_lock(bet_type_code: str) -> tuple[Lock, int]:
    """Return the lock of a chain. It lets one meeting at a time change what passes to the next."""
    return Lock.CHAIN, zlib.crc32(bet_type_code.encode())
