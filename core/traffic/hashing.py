"""Compare passwords and PINs with their slow hashes: few at once, none for unknown accounts.

A hash takes a processor for a tenth of a second. Strangers have one place in each process, known
devices another, so that strangers who keep theirs busy do not keep anybody waiting who is known.
"""

import threading
import time
from collections import deque

from django.contrib.auth.hashers import check_password, get_hasher, make_password

from core.traffic.limits import Throttled

_WAIT_STRANGER_S, _WAIT_KNOWN_S = 0.5, 5.0
_strangers, _known = threading.BoundedSemaphore(1), threading.BoundedSemaphore(1)
_durations_s: deque[float] = deque(maxlen=32)


def is_right(secret: str, encoded: str | None, *, is_known: bool) -> bool:
    """Return whether a secret has this hash. None stands for an account that does not exist.

    Without an account nothing is hashed; the answer takes as long as one of the last hashes took,
    and keeps the place for so long, so that nobody can tell. Raises Throttled if no place is free
    in time.
    """
    places, wait_s = (_known, _WAIT_KNOWN_S) if is_known else (_strangers, _WAIT_STRANGER_S)
    if not places.acquire(timeout=wait_s):
        raise Throttled
    try:
        if encoded is None and _durations_s:
            _durations_s.rotate()
            time.sleep(_durations_s[0])
            return False
        began_s = time.perf_counter()
        if encoded is None:
            make_password(secret)
            right = False
        else:
            right = check_password(secret, encoded)
        _durations_s.append(time.perf_counter() - began_s)
        return right
    finally:
        places.release()


def is_outdated(encoded: str) -> bool:
    """Return whether a hash is under an older key, or of other costs than hashes have now.

    Who has just been found to know the secret keeps it anew (`make_password`).
    """
    return bool(get_hasher().must_update(encoded))
