"""The nightly audit of settlements in a process of its own: its time and its memory.

`python -m tests.bench.auditor` prints {"seconds", "tickets", "peak_mb", "findings"}.
"""

import json
import resource
import time

import django


def main() -> None:
    from core.config import celery  # noqa: F401  (names the settings; a worker has it loaded)

    django.setup()
    from core.database.snapshot import snapshot
    from lototrot.services.settlement.auditing import audit_contests

    began = time.perf_counter()
    with snapshot():
        audit = audit_contests()
    found = {
        "seconds": time.perf_counter() - began,
        "tickets": audit.tickets,
        "findings": [f"{each.contest} {each.check}" for each in audit.findings],
        "peak_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
    }
    print(json.dumps(found))


if __name__ == "__main__":
    main()
