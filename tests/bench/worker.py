"""One settlement in a process of its own, as a Celery worker runs it: its time and its memory.

`python -m tests.bench.worker CONTEST` prints {"seconds", "peak_mb"}.
"""

import json
import resource
import sys
import time

import django


def main(contest_id: int) -> None:
    from core.config import celery  # noqa: F401  (names the settings; a worker has it loaded)

    django.setup()
    from lototrot import tasks

    began = time.perf_counter()
    if not tasks.settle(contest_id):
        raise RuntimeError("the contest was not settled")
    seconds = time.perf_counter() - began
    peak_mb = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(json.dumps({"seconds": seconds, "peak_mb": peak_mb}))


if __name__ == "__main__":
    main(int(sys.argv[1]))
