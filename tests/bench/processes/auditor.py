"""Audit all settlements, and print seconds, tickets, memory and what differs, as JSON.

`findings` are pairs of a contest's id and the name of a check.
"""

import json
import resource
import time

import django


def main() -> None:
    from core.config import celery  # noqa: F401  (names the settings; a worker has it loaded)

    django.setup()
    from core.database.reading.snapshot import snapshot
    from lototrot.services.settlement.auditing import audit_contests

    began = time.perf_counter()
    with snapshot():
        audit = audit_contests()
    answer = {
        "seconds": time.perf_counter() - began,
        "tickets": audit.tickets,
        "findings": [(finding.contest, finding.check) for finding in audit.findings],
        "peak_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
    }
    print(json.dumps(answer))


if __name__ == "__main__":
    main()
