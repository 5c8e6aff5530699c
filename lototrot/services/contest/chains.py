"""The chain of a bet type: the meetings that pass jackpot, reserve and lapsed prizes on [A4]."""

import zlib

from core.database.locks import Lock


def chain_lock(bet_type_code: str) -> tuple[Lock, int]:
    """Return the lock under which one meeting of the chain at a time changes what is passed on."""
    return Lock.CHAIN, zlib.crc32(bet_type_code.encode())
