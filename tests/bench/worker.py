"""One settlement in a process of its own, as a Celery worker runs it: its time and its memory.

`python -m tests.bench.worker CONTEST` prints {"seconds", "verify_s", "peak_mb"}: finding the
tickets as they were sealed is timed apart, and not in `seconds`.
"""

import json
import resource
import sys
import time
from typing import Any

import django


def main(contest_id: int) -> None:
    from core.config import celery  # noqa: F401  (names the settings; a worker has it loaded)

    django.setup()
    from lototrot import tasks
    from lototrot.services.settlement import settling

    verify, verify_s = settling.seal_verify, 0.0

    def timed(contest: Any) -> Any:
        nonlocal verify_s
        began = time.perf_counter()
        found = verify(contest)
        verify_s += time.perf_counter() - began
        return found

    settling.seal_verify = timed
    began = time.perf_counter()
    if not tasks.settle(contest_id):
        raise RuntimeError("the contest was not settled")
    seconds = time.perf_counter() - began - verify_s
    peak_mb = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(json.dumps({"seconds": seconds, "verify_s": verify_s, "peak_mb": peak_mb}))


if __name__ == "__main__":
    main(int(sys.argv[1]))
