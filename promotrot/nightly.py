"""List Promotrot's nightly jobs."""

from django.utils.translation import gettext_lazy as _

from core.nights.jobs import Job
from promotrot.services.debts.nightly import debts_list
from promotrot.services.unfinished import plays_end_unfinished, secrets_forget

JOBS: tuple[Job, ...] = (
    Job(
        name="promotrot.unfinished",
        title=_("Plays left unfinished"),
        order=10,
        run=plays_end_unfinished,
        whole=False,
    ),
    Job(
        name="promotrot.debts",
        title=_("Debts of games to prizes"),
        order=35,
        run=debts_list,
    ),
    Job(
        name="promotrot.secrets",
        title=_("Voucher codes of ended days"),
        order=40,
        run=secrets_forget,
    ),
)
