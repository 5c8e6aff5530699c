"""Settle a contest as a Celery worker does, and print seconds and memory as JSON.

The argument is the contest's id. `verify_s`, the seconds that the check of the seal takes, are not
in `seconds`.
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
        result = verify(contest)
        verify_s += time.perf_counter() - began
        return result

    settling.seal_verify = timed
    began = time.perf_counter()
    if not tasks.settle(contest_id):
        raise RuntimeError("the contest was not settled")
    seconds = time.perf_counter() - began - verify_s
    peak_mb = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(json.dumps({"seconds": seconds, "verify_s": verify_s, "peak_mb": peak_mb}))


if __name__ == "__main__":
    main(int(sys.argv[1]))
