"""List what was not printed after the closing, and decide it by two persons [E11]."""

import pytest
from django.db import IntegrityError, connection, transaction

from core.database import clock
from core.ledger import services as ledger
from core.premises.requests import new_uuid
from core.staff import two_persons
from core.staff.actor import PowerMissing
from core.staff.models import Proposal
from core.staff.powers import Role
from lototrot.accounts import refunds_due
from lototrot.alarms import unprinted_tickets
from lototrot.models.contest import Contest
from lototrot.models.tickets import PrintConfirmation, Ticket, Unprinted, Void
from lototrot.services.contest.closing import contest_close
from lototrot.services.reasons import ReasonMissing
from lototrot.services.seal.sealing import ContestNotSealed, contest_seal
from lototrot.services.settlement.settling import PrintsOpen, UnprintedPending, contest_settle
from lototrot.services.settlement.unprinted import (
    NothingUnprinted,
    UnprintedChanged,
    UnprintedConfirmed,
    UnprintedNotNow,
    UnprintedUnknown,
    prints_due,
    prints_end,
    unprinted_decide,
    unprinted_list,
    unprinted_waiting,
)
from tests.support import factories as f
from tests.support import rounds
from tests.support.lototrot.breaching import set_of

pytestmark = [pytest.mark.django_db, pytest.mark.article("14.II.1")]


def sold(contest: Contest, *, printed: bool = False) -> f.Sale:
    sale = f.sell(contest, f.point())
    if printed:
        PrintConfirmation.objects.create(ticket_id=sale.ticket_id, confirmed_at=clock.now())
    return sale


def ended(contest: Contest, *, sealed: bool = True) -> None:
    """Close the contest, and let the time to print again pass."""
    contest_close(contest_id=contest.pk, cause=Contest.Cause.ORGANISER)
    if sealed:
        contest_seal(contest_id=contest.pk)
    f.time_pass(minutes=5)
    assert prints_end(contest_id=contest.pk)


def decide(contest: Contest, verdict: str = "void", **more: object) -> Proposal:
    return unprinted_decide(
        by=f.staff(Role.ORGANISER),
        contest_id=contest.pk,
        verdict=verdict,
        reason="Out of paper",
        **more,
    )


def confirmed(proposal: Proposal) -> None:
    two_persons.confirm(proposal=proposal.uuid, by=f.staff(Role.ORGANISER))


def test_only_what_is_neither_printed_nor_void_is_listed_and_once(contest: Contest) -> None:
    sold(contest, printed=True)
    lost, voided = sold(contest), sold(contest)
    Void.objects.create(
        ticket_id=voided.ticket_id,
        reason="error",
        note="x",
        voided_at=clock.now(),
        operator=f.point().operator,
    )
    assert not prints_end(contest_id=contest.pk), "on sale"
    contest_close(contest_id=contest.pk, cause=Contest.Cause.ORGANISER)
    assert not prints_end(contest_id=contest.pk) and prints_due() == []
    f.time_pass(minutes=5)
    assert prints_due() == [contest.pk]
    assert prints_end(contest_id=contest.pk)
    assert not prints_end(contest_id=contest.pk) and prints_due() == []
    (row,) = unprinted_waiting(contest.pk)
    assert row.ticket_id == lost.ticket_id
    (alarm,) = unprinted_tickets()
    assert (alarm.subject, alarm.since) == (row, row.listed_at)


def test_a_settlement_waits_for_the_decision(contest: Contest) -> None:
    sold(contest)
    contest_close(contest_id=contest.pk, cause=Contest.Cause.ORGANISER)
    contest_seal(contest_id=contest.pk)
    for race in f.races_of(contest):
        f.started(race)
        f.classified(race, {1}, start=False)
    with pytest.raises(PrintsOpen):
        contest_settle(contest_id=contest.pk)
    f.time_pass(minutes=5)
    prints_end(contest_id=contest.pk)
    with pytest.raises(UnprintedPending):
        contest_settle(contest_id=contest.pk)
    confirmed(decide(contest, "stand"))
    assert contest_settle(contest_id=contest.pk).tickets == 1


def test_those_chosen_are_voided_and_the_others_wait(contest: Contest) -> None:
    first, second = sold(contest), sold(contest)
    ended(contest)
    confirmed(decide(contest, tickets=[second.uuid]))
    assert [row.ticket.uuid for row in unprinted_waiting()] == [first.uuid]
    void = Void.objects.get()
    assert (void.ticket_id, void.reason, void.operator) == (second.ticket_id, "unprinted", None)
    assert ledger.balance_cents(refunds_due(contest.pk)) == 100
    rounds.books_agree()


def test_the_set_that_two_persons_decide_is_the_one_proposed(contest: Contest) -> None:
    lost, other = sold(contest), sold(contest)
    ended(contest)
    proposal, all_of_them = decide(contest, tickets=[lost.uuid]), None
    PrintConfirmation.objects.create(ticket_id=lost.ticket_id, confirmed_at=clock.now())
    with pytest.raises(UnprintedConfirmed):
        confirmed(proposal)
    two_persons.reject(proposal=proposal.uuid, by=f.staff(Role.ORGANISER))
    all_of_them = decide(contest, "stand")
    Unprinted.objects.filter(ticket=other.ticket_id).update(
        verdict="stand",
        reason="x",
        proposal=f.proposal(
            "lototrot.unprinted",
            "other",
            {
                "contest": contest.pk,
                "verdict": "stand",
                "reason": "x",
                **set_of([Ticket.objects.get(pk=other.ticket_id)]),
            },
        ),
        decided_at=clock.now(),
    )
    with pytest.raises(UnprintedChanged):
        confirmed(all_of_them)


def test_tickets_that_two_persons_did_not_name_are_not_left_to_stand(contest: Contest) -> None:
    """Past the service: a ticket with no paper would win, or one with a paper be given back."""
    named, also, left = (sold(contest) for _ in range(3))
    ended(contest)
    chosen = Ticket.objects.filter(pk__in=[named.ticket_id, also.ticket_id])
    content = {"contest": contest.pk, "verdict": "stand", "reason": "x", **set_of(chosen)}
    proposal = f.proposal("lototrot.unprinted", "x", content)
    decision = {"verdict": "stand", "reason": "x", "decided_at": clock.now(), "proposal": proposal}

    def stand(*tickets: int, **changes: str) -> None:
        with transaction.atomic():
            Unprinted.objects.filter(ticket__in=tickets).update(**decision | changes)
            connection.check_constraints()

    both = (named.ticket_id, also.ticket_id)
    for tickets in ((named.ticket_id,), (left.ticket_id,), (*both, left.ticket_id)):
        with pytest.raises(IntegrityError, match="confirmed other tickets"):
            stand(*tickets)
    for changes in ({"verdict": "void"}, {"reason": "y"}):
        with pytest.raises(IntegrityError, match="confirmed another"):
            stand(*both, **changes)
    with pytest.raises(IntegrityError, match="confirmed another"), transaction.atomic():
        Void.objects.create(
            ticket_id=named.ticket_id,
            reason="unprinted",
            note="unprinted",
            voided_at=clock.now(),
            proposal=proposal,
        )
    stand(*both)
    assert [row.ticket_id for row in unprinted_waiting(contest.pk)] == [left.ticket_id]


def test_no_contest_is_settled_before_the_tickets_that_two_persons_voided_are_void(
    contest: Contest,
) -> None:
    """Past the service: a verdict is written, and its void left out. The ticket would take part."""
    ticket = sold(contest)
    contest_close(contest_id=contest.pk, cause=Contest.Cause.ORGANISER)
    contest_seal(contest_id=contest.pk)
    for race in f.races_of(contest):
        f.started(race)
        f.classified(race, {1}, start=False)
    f.time_pass(minutes=5)
    prints_end(contest_id=contest.pk)
    chosen = Ticket.objects.filter(pk=ticket.ticket_id)
    content = {"contest": contest.pk, "verdict": "void", "reason": "x", **set_of(chosen)}
    proposal = f.proposal("lototrot.unprinted", "x", content)
    Unprinted.objects.filter(ticket=ticket.ticket_id).update(
        verdict="void", reason="x", decided_at=clock.now(), proposal=proposal
    )
    with pytest.raises(IntegrityError, match="tickets were not printed"), transaction.atomic():
        contest_settle(contest_id=contest.pk)
    Void.objects.create(
        ticket_id=ticket.ticket_id,
        reason="unprinted",
        note="unprinted",
        voided_at=clock.now(),
        proposal=proposal,
    )


def test_who_decides_sees_what_a_terminal_confirmed_when_the_results_were_known(
    contest: Contest,
) -> None:
    """It has all its papers, and confirms those that won; the losers would be given back."""
    cheat, honest = f.point(), f.point()
    won, lost, other = (f.sell(contest, cheat) for _ in range(3))
    elsewhere = f.sell(contest, honest)
    ended(contest)
    for race in f.races_of(contest):
        f.started(race)
        f.classified(race, {1}, start=False)
    PrintConfirmation.objects.create(ticket_id=won.ticket_id, confirmed_at=clock.now())
    with pytest.raises(UnprintedConfirmed):
        decide(contest)  # not all at once: each is named
    code = cheat.terminal.code
    proposal = decide(contest, tickets=[lost.uuid, elsewhere.uuid])
    assert proposal.content["late_prints"] == {code: 1}
    PrintConfirmation.objects.create(ticket_id=other.ticket_id, confirmed_at=clock.now())
    with pytest.raises(UnprintedChanged):
        confirmed(proposal)
    two_persons.reject(proposal=proposal.uuid, by=f.staff(Role.ORGANISER))
    rows = {
        row.ticket_id: row
        for row in unprinted_list(by=f.staff(Role.STEWARDS), contest_id=contest.pk)
    }
    assert {
        pk: (row.late_at_terminal, row.confirmed_at is not None) for pk, row in rows.items()
    } == {
        won.ticket_id: (2, True),
        other.ticket_id: (2, True),
        lost.ticket_id: (2, False),
        elsewhere.ticket_id: (0, False),
    }
    confirmed(decide(contest, "stand", tickets=[won.uuid, lost.uuid, other.uuid]))
    confirmed(decide(contest, tickets=[elsewhere.uuid]))
    assert [void.ticket_id for void in Void.objects.all()] == [elsewhere.ticket_id]


def test_what_cannot_be_decided_is_refused(contest: Contest) -> None:
    lost = sold(contest)
    with pytest.raises(UnprintedNotNow):
        decide(contest)
    ended(contest, sealed=False)
    with pytest.raises(ContestNotSealed):
        decide(contest)
    contest_seal(contest_id=contest.pk)
    with pytest.raises(UnprintedUnknown):
        decide(contest, tickets=[lost.uuid, new_uuid()])
    by = f.staff(Role.ORGANISER)
    with pytest.raises(ReasonMissing):
        unprinted_decide(by=by, contest_id=contest.pk, verdict="void", reason=" ")
    with pytest.raises(PowerMissing):
        unprinted_decide(
            by=f.staff(Role.STEWARDS), contest_id=contest.pk, verdict="void", reason="x"
        )
    with pytest.raises(PowerMissing):
        unprinted_list(by=f.staff(Role.CASHIER), contest_id=contest.pk)
    confirmed(decide(contest))
    with pytest.raises(NothingUnprinted):
        decide(contest)
