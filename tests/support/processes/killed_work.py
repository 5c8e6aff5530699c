"""Do the long work of the id given, as a worker does, with a night that never ends."""

import sys
import time

import django

django.setup()

from core.database import clock  # noqa: E402
from core.database.reading import progress  # noqa: E402
from core.journal.acting import name_process  # noqa: E402
from core.longwork.services import work_do  # noqa: E402
from core.nights import jobs  # noqa: E402
from core.nights.jobs import Job, Outcome  # noqa: E402

NAME = "tests.endless"


def endless(day: object) -> Outcome:
    """Tell that it has begun, to who asked and to the test, and never end."""
    progress.tell(1, 2)
    print(clock.now().isoformat(), flush=True)
    while True:
        time.sleep(1)


def main() -> None:
    """Do the work, of which this process is killed in the middle."""
    name_process("worker:long")
    job = Job(name=NAME, title="Endless", order=1, run=endless)
    jobs.all_jobs = lambda: (job,)
    work_do(int(sys.argv[1]))


if __name__ == "__main__":
    main()
