"""List the nightly job of long work: delete the files whose time is over."""

import datetime

from django.utils.translation import gettext_lazy as _

from core.kernel.days import add_days
from core.longwork.services import work_files_purge
from core.nights.jobs import Job, Outcome


def purge(day: datetime.date) -> Outcome:
    """Empty the files of long work that have been kept long enough."""
    return Outcome({"files": work_files_purge(add_days(day, 1))})


JOBS: tuple[Job, ...] = (
    Job(
        name="longwork.purge",
        title=_("Files of long work no longer kept"),
        order=45,
        run=purge,
        whole=False,
    ),
)
