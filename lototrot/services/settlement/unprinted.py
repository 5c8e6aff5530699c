"""Deal with tickets that were sold before the closing and not printed (14.II.1) [E5, E11].

For some minutes after the closing, the terminal that sold such a ticket gets it again if it repeats
its request. Then the secret of the codes is erased, and what remains unconfirmed is listed. Two
persons void a listed ticket, which leaves a refund due, or let it stand. The contest is settled
when all are decided.

A terminal that has its papers could confirm those that won, once the results are known, and leave
the others to be refunded. So the two persons see what each terminal confirmed after the list was
made, and may let its other tickets stand.
"""

import datetime
import uuid
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from django.db import connection, transaction
from django.db.models import Count, OuterRef, QuerySet, Subquery
from django.db.models.functions import Coalesce

from core.database import clock
from core.database.locks import Lock, hold
from core.kernel.errors import Conflict, NotFound
from core.kernel.request_uuids import derived_uuid
from core.ledger import services as ledger
from core.ledger.models import Account
from core.staff import two_persons
from core.staff.actor import StaffActor
from core.staff.models import Proposal
from lototrot import postings, powers
from lototrot.engine.closing import prints_end_at
from lototrot.models.contest import Contest
from lototrot.models.tickets import PrintConfirmation, Unprinted, Void
from lototrot.selectors.breaches import BreachSet, summed
from lototrot.selectors.contests import contest_get, figures_of
from lototrot.services.reasons import need_reason
from lototrot.services.seal.sealing import need_sealed, seal_amend
from lototrot.services.settlement.early import early_claims_refund

Verdict = Unprinted.Verdict


class NothingUnprinted(Conflict):
    code = "nothing_unprinted"
    message = "No ticket of the contest waits for a decision about its print."


class UnprintedUnknown(NotFound):
    code = "unprinted_unknown"
    message = "One of the tickets is not listed as unprinted, or is decided already."


class UnprintedConfirmed(Conflict):
    code = "unprinted_confirmed"
    message = "The print of a ticket was confirmed late: it has a paper, and can only stand."


class UnprintedNotNow(Conflict):
    code = "unprinted_not_now"
    message = "Tickets without a confirmed print are decided between closing and settlement [E11]."


class UnprintedChanged(Conflict):
    code = "unprinted_changed"
    message = "Tickets or late prints of the contest have changed since. Propose the new set."


# The tickets are listed once, so that settling need not look at each.
_LIST = """
INSERT INTO lototrot_unprinted (ticket_id, contest_id, listed_at, verdict, reason)
SELECT t.id, t.contest_id, %(now)s, '', '' FROM lototrot_ticket t
 WHERE t.contest_id = %(contest)s
   AND NOT EXISTS (SELECT FROM lototrot_printconfirmation p WHERE p.ticket_id = t.id)
   AND NOT EXISTS (SELECT FROM lototrot_void v WHERE v.ticket_id = t.id)
"""
_CHOSEN = """
SELECT t.id, t.bets, t.amount_cents FROM lototrot_unprinted u
  JOIN lototrot_ticket t ON t.id = u.ticket_id
 WHERE u.contest_id = %(contest)s AND u.verdict = ''
   AND NOT EXISTS (SELECT FROM lototrot_void v WHERE v.ticket_id = t.id)
   AND (%(only)s::uuid[] IS NULL OR t.uuid = ANY (%(only)s::uuid[])) ORDER BY t.id
"""


def prints_due() -> list[int]:
    """Return the closed contests that still hold a secret after the time to print again."""
    closed = Contest.objects.filter(state=Contest.State.CLOSED, code_secret__isnull=False)
    now = clock.now()
    return [each.pk for each in closed.order_by("closed_at", "pk") if _ended(each, now)]


def _ended(contest: Contest, now: datetime.datetime) -> bool:
    if contest.closed_at is None:
        return False
    return now >= prints_end_at(contest.closed_at, figures_of(contest.day).print_again_s)


@transaction.atomic
def prints_end(*, contest_id: int) -> bool:
    """Erase the secret of a closed contest and list the tickets not printed [E11].

    Return False if it is not time yet, or was done before. Raise ContestUnknown.
    """
    hold((Lock.CONTEST, contest_id))
    contest = contest_get(contest_id)
    now = clock.now()
    if contest.code_secret is None or contest.state != Contest.State.CLOSED:
        return False
    if not _ended(contest, now):
        return False
    with connection.cursor() as cursor:
        cursor.execute(_LIST, {"contest": contest_id, "now": now})
    Contest.objects.filter(pk=contest_id).update(code_secret=None)
    return True


def unprinted_waiting(contest_id: int | None = None) -> QuerySet[Unprinted]:
    """Return the listed tickets that nobody has decided about, of one contest or of all.

    A listed ticket that was voided as a bet in breach needs no other decision.
    """
    waiting = Unprinted.objects.filter(verdict="", ticket__void=None)
    waiting = waiting.select_related("ticket", "ticket__terminal")
    if contest_id is not None:
        waiting = waiting.filter(contest=contest_id)
    return waiting.order_by("pk")


def unprinted_list(*, by: StaffActor, contest_id: int) -> QuerySet[Unprinted]:
    """Return the listed tickets of a contest that wait.

    `confirmed_at` is when a print was confirmed late, and `late_at_terminal` how many of the listed
    tickets their terminal confirmed late. Raises PowerMissing.
    """
    by.need(powers.WATCH)
    confirmed = PrintConfirmation.objects.filter(ticket=OuterRef("ticket"))
    of_terminal = _confirmed_late(contest_id).filter(ticket__terminal=OuterRef("ticket__terminal"))
    counted = of_terminal.values("ticket__terminal").annotate(late=Count("pk")).values("late")
    return unprinted_waiting(contest_id).annotate(
        confirmed_at=Subquery(confirmed.values("confirmed_at")),
        late_at_terminal=Coalesce(Subquery(counted), 0),
    )


def _confirmed_late(contest_id: int) -> QuerySet[Unprinted]:
    """Return the listed tickets, decided ones too, whose print was confirmed after the list."""
    listed = Unprinted.objects.filter(contest=contest_id)
    return listed.filter(ticket__print_confirmation__isnull=False).order_by()


def late_prints(contest_id: int) -> dict[str, int]:
    """Return how many listed tickets each terminal confirmed late, by the terminal's code."""
    codes = _confirmed_late(contest_id).values_list("ticket__terminal__code")
    return dict(codes.annotate(late=Count("pk")).order_by("ticket__terminal__code"))


@transaction.atomic
def unprinted_decide(
    *,
    by: StaffActor,
    contest_id: int,
    verdict: str,
    reason: str,
    tickets: Sequence[uuid.UUID] | None = None,
) -> Proposal:
    """Propose to void the listed tickets with their refund, or to let them stand.

    They are those given, or all that wait. A second person confirms the set, and reads what each
    terminal confirmed late. Raise PowerMissing, ReasonMissing, ContestUnknown, UnprintedNotNow,
    ContestNotSealed, NothingUnprinted, UnprintedUnknown or UnprintedConfirmed.
    """
    by.need(powers.DECIDE_UNPRINTED)
    need_reason(reason)
    only = sorted(map(str, tickets)) if tickets is not None else None
    chosen = _chosen(_need_undecided(contest_id), verdict, only)
    return two_persons.propose(
        kind=DECISION,
        subject=f"contest:{contest_id}",
        by=by,
        content={
            "contest": contest_id,
            "verdict": Verdict(verdict).value,
            "reason": reason,
            "only": only,
            "late_prints": late_prints(contest_id),
            **asdict(chosen),
        },
    )


def _need_undecided(contest_id: int) -> Contest:
    contest = contest_get(contest_id)
    if contest.state != Contest.State.CLOSED:
        raise UnprintedNotNow(contest=contest_id, state=contest.state)
    need_sealed(contest)
    return contest


def _chosen(contest: Contest, verdict: str, only: list[str] | None) -> BreachSet:
    """Return the totals of the tickets to be decided. Raise unless all can be."""
    chosen = summed(_CHOSEN, {"contest": contest.pk, "only": only})
    if only is not None and chosen.tickets != len(only):
        raise UnprintedUnknown(contest=contest.pk)
    if not chosen.tickets:
        raise NothingUnprinted(contest=contest.pk)
    late = _waiting(contest, only).filter(ticket__print_confirmation__isnull=False)
    if verdict == Verdict.VOID and late.exists():
        raise UnprintedConfirmed(tickets=[str(row.ticket.uuid) for row in late[:20]])
    return chosen


def _waiting(contest: Contest, only: list[str] | None) -> QuerySet[Unprinted]:
    waiting = unprinted_waiting(contest.pk)
    return waiting if only is None else waiting.filter(ticket__uuid__in=only)


def _decided(proposal: Proposal, by: StaffActor) -> None:
    content = proposal.content
    hold((Lock.CONTEST, content["contest"]))
    contest = _need_undecided(content["contest"])
    chosen = _chosen(contest, content["verdict"], content["only"])
    now_there = {**asdict(chosen), "late_prints": late_prints(contest.pk)}
    if any(content[name] != value for name, value in now_there.items()):
        raise UnprintedChanged(contest=contest.pk)
    now = clock.now()
    rows = list(_waiting(contest, content["only"]).values_list("pk", "ticket_id"))
    Unprinted.objects.filter(pk__in=[pk for pk, _ in rows]).update(
        verdict=content["verdict"], reason=content["reason"], proposal=proposal, decided_at=now
    )
    if content["verdict"] == Verdict.VOID:
        Void.objects.bulk_create(
            Void(
                ticket_id=ticket,
                reason=Void.Reason.UNPRINTED,
                note=Void.Reason.UNPRINTED.value,
                voided_at=now,
                proposal=proposal,
            )
            for _, ticket in rows
        )
        _refund(contest, proposal, chosen.amount_cents)


def _refund(contest: Contest, proposal: Proposal, cents: int) -> None:
    """Take the price out of the takings, and publish the amendment of the seal."""
    account: Any = contest.takings_account
    takings = ledger.AccountCode(account.code, Account.Side(account.side))
    line = postings.unprinted_void(contest_id=contest.pk, takings=takings, cents=cents)
    ledger.post(reference=proposal.uuid, lines=[line])
    early_claims_refund(contest.pk, proposal, derived_uuid(proposal.uuid, "lototrot.early"))
    seal_amend(contest=contest, proposal=proposal)


DECISION = two_persons.Kind("lototrot.unprinted", powers.DECIDE_UNPRINTED, apply=_decided)
