"""List Promotrot's nightly jobs."""

from django.utils.translation import gettext_lazy as _

from core.nights.code_again import code_again_job
from core.nights.jobs import Job
from promotrot.selectors.plays import UNFINISHED
from promotrot.services.audit.ends import AUDIT, ends_audit, ends_audit_everything
from promotrot.services.debts.nightly import debts_list
from promotrot.services.unfinished import plays_end_unfinished, secrets_forget

JOBS: tuple[Job, ...] = (
    Job(
        name=UNFINISHED,
        title=_("Plays left unfinished"),
        order=10,
        run=plays_end_unfinished,
        whole=False,
    ),
    code_again_job(
        "promotrot",
        repeats="promotrot_vouchercodegiven",
        copies="promotrot_voucherreprint",
        key="voucher_id",
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
    Job(
        name=AUDIT,
        title=_("Ends of plays computed again"),
        order=90,
        run=ends_audit,
        everything=ends_audit_everything,
        whole=False,
        recounts=True,
    ),
)
