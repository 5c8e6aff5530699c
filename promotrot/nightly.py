"""List Promotrot's nightly jobs, and compute plays again."""

import datetime
from dataclasses import asdict

from django.utils.translation import gettext_lazy as _

from core.kernel.days import natural_day
from core.nights.code_again import code_again_job
from core.nights.jobs import Job, Outcome
from core.nights.turns import counted, spans_of, turn_of
from promotrot.models.play import PlayEnd
from promotrot.selectors.plays import UNFINISHED
from promotrot.services.auditing import PlaysDiffer, Spans, audit_plays
from promotrot.services.debts.nightly import debts_list
from promotrot.services.unfinished import plays_end_unfinished, secrets_forget

AUDIT = "promotrot.audit"
MOST_NAMED = 20


def audit(day: datetime.date) -> Outcome:
    """Compute the ends of plays again: of the last weeks, and of one older period in turn."""
    oldest = PlayEnd.objects.order_by("pk").first()
    turn = turn_of(AUDIT, day, since=None if oldest is None else natural_day(oldest.ended_at))
    return Outcome(_audited(spans_of(day, turn)) | counted(turn))


def audit_everything() -> Outcome:
    """Compute the end of every play again."""
    return Outcome(_audited(None))


def _audited(spans: Spans | None) -> dict[str, int]:
    """Return the counts of an audit. Raises PlaysDiffer."""
    result = audit_plays(spans)
    if result.findings:
        raise PlaysDiffer(
            differing=len(result.findings), found=[asdict(f) for f in result.findings[:MOST_NAMED]]
        )
    return {"plays": result.plays, "plays_archived": result.archived}


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
        run=audit,
        everything=audit_everything,
        whole=False,
        recounts=True,
    ),
)
