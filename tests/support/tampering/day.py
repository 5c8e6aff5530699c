"""Make one day, with the services, that holds everything the journal protects, and seal it.

It also keeps what a stranger held before anything was changed: the public log, a ticket's proof and
its code.
"""

import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

import pytest
from django.db import transaction
from django.test import override_settings

from core.database import clock
from core.draws import documents
from core.draws.models import Draw
from core.journal import acting
from core.journal.services import checkpoint_publish, checkpoints_due
from core.kernel.days import natural_day
from core.longwork.services import work_ask, work_do
from core.nights.services import night_run
from core.payoffice.services import checking, deposits, paying, presenting
from core.payoffice.services.deposits import DepositRequest
from core.premises.access import TerminalCredentials, bare_terminal
from core.premises.models import Premises
from core.premises.proving import Proof, ProofRefused, SignedRequest, terminal_prove
from core.premises.requests import new_uuid
from core.premises.services import terminal_roll
from core.reports.mailing import mails_send, order_make
from core.reports.views import view_save
from core.staff import two_persons
from core.staff.actor import StaffActor
from core.staff.powers import Role
from core.statements import cash_ups
from core.statements.models import Statement
from lototrot.models.contest import Contest
from lototrot.models.programme import Race
from lototrot.models.settlement import Prize
from lototrot.models.tickets import Ticket
from lototrot.selectors.draws import subject_of
from lototrot.services.authority.amendments import amendment_propose
from lototrot.services.contest.preparing import contest_change, contest_create, contest_discard
from lototrot.services.races import classification, signals, stopping, withdrawals
from lototrot.services.races.classification import Entry
from lototrot.services.seal.proving import ticket_proof
from lototrot.services.seal.sealing import contest_seal
from lototrot.services.settlement import breach, payment_order
from lototrot.services.settlement.settling import contest_settle
from lototrot.services.tickets.annulment import ticket_annul
from lototrot.services.tickets.selling import SaleRequest, request_state, ticket_sell
from promotrot.models.emission import Emission
from promotrot.models.voucher import Voucher
from promotrot.services import playing, publications
from promotrot.services.closing import seed_reveal
from tests.support import emitting, factories, rounds
from tests.support import paying as given
from tests.support.journaling import seal_all
from tests.support.lototrot import starting
from tests.support.lototrot.scheduling import postpone
from tests.support.stating import rate, remitted
from tests.support.tampering.endings import endings_make
from tests.support.verifying.forging import public_key, published_log

PRICE_CENTS = 600
FIRST = range(1, 21)
"""Numbers of the first race; 20 is withdrawn and 1 wins. The second has 1 to 4, and is drawn."""
FIGURES = {
    "legs": 7,
    "jackpot_threshold_cents": 30_000_000,
    "shares_below": {"7": "30", "6": "20", "5": "20", "4": "30", "reserve": "0"},
    "shares_above": {"7": "20", "6": "20", "5": "20", "4": "30", "reserve": "10"},
}


@dataclass(frozen=True, slots=True)
class Day:
    """The events of the day, and what was published about them."""

    contest: Contest
    emission: Emission
    auditor: StaffActor
    code: str
    proof: dict[str, Any]
    log: list[dict[str, Any]]
    key: str

    def entry(self, kind: str) -> dict[str, Any]:
        """Return the published entry of a kind."""
        (entry_of_kind,) = [entry for entry in self.log if entry["kind"] == kind]
        return entry_of_kind


def build() -> Day:
    """Make Saturday's races and plays, Sunday's payments and Monday's statements, and seal
    everything.
    """
    with acting.acting("command:tests"):
        factories.time_to(rounds.NOON - timedelta(hours=4))
        office = given.office()
        point = factories.point()
        rate(factories.staff(Role.ORGANISER), since=clock.now().date())
        _prepared()
        _copied()
        contest, codes = _sold(point)
        _counted(point)
        _raced(contest, point, codes)
        emission = _played()
        _paid(contest, point, office, codes)
        factories.time_pass(days=1)
        assert {run.state for run in night_run()} == {"done"}
        _remitted(point)
        _exported()
        seal_all()
        factories.time_pass(hours=25)
        factories.time_pass(hours=26)
        for number in checkpoints_due():
            checkpoint_publish(number=number)
        seal_all()
        return _kept(contest, emission, codes)


def _exported() -> None:
    """Send a report by mail, save a view of a list, and have a worker write a list to a file."""
    content = {"table": "premises.premises", "query": "", "form": "csv"}
    by = factories.staff(Role.AUDITOR)
    with override_settings(EMAIL_HOST="mail.example.org", MAIL_DOMAINS=["example.org"]):
        order_make(by=by, report="outs", every="day", kind="csv", address="audit@example.org")
        assert mails_send(natural_day(clock.now()))["sent"] == 1
    view_save(by=by, table="premises.premises", name="Shops", query="kind=shop")
    work = work_ask(kind="lists.export", by=by, content=content)
    assert work_do(work.pk)
    assert work.parts.exists()


def _copied() -> None:
    """Roll the token of a terminal, and use it with another key."""
    point = factories.point()
    rolled = terminal_roll(terminal=point.bare)
    bare_terminal(TerminalCredentials.of(rolled.text, ""))
    request = SignedRequest("POST", "/", rolled.text, b"")
    with pytest.raises(ProofRefused):
        terminal_prove(terminal=point.terminal.pk, request=request, proof=Proof(1, bytes([1]) * 64))


def _prepared() -> None:
    """Prepare two contests of another bet type: one is discarded [E9]. Amend figures [A19]."""
    by, other = factories.two_organisers()
    for days in (3, 4):
        meeting = factories.meeting(races=5, first_start_at=clock.now() + timedelta(days=days))
        races = list(meeting.races.order_by("number"))
        contest = contest_create(
            by=by,
            meeting=meeting,
            bet_type=factories.bet_type("five-races"),
            ticket_model=factories.ticket_model(),
            races=races,
            price_cents=PRICE_CENTS,
            max_bets=10,
            scheduled_close_at=races[0].scheduled_start_at,
        )
        contest_change(by=by, contest_id=contest.pk, price_cents=200, races=races[::-1])
    amendment = amendment_propose(
        by=by,
        in_force_from=contest.day + timedelta(days=90),
        source="BOIB 1",
        figures=FIGURES,
    )
    two_persons.confirm(proposal=amendment.uuid, by=other)
    discard = contest_discard(by=by, contest_id=contest.pk, reason="Cancelled")
    two_persons.confirm(proposal=discard.uuid, by=other)


def _sold(point: factories.Point) -> tuple[Contest, list[str]]:
    """Return the codes of four tickets (1; n), n from 1, then those of ten larger ones."""
    rules = rounds.rules(**rounds.TWO_LEGS)
    course = factories.racecourse()
    starts_at = clock.now() + timedelta(hours=2)
    with transaction.atomic():
        meeting = factories.meeting(races=0)
        races = [
            factories.race(meeting, 1, starts_at, numbers=FIRST, course=course),
            factories.race(
                meeting, 2, starts_at + timedelta(minutes=30), numbers=range(1, 5), course=course
            ),
        ]
    contest = factories.contest(
        meeting,
        races=races,
        rules=rounds.record(rules),
        price_cents=PRICE_CENTS,
        correction_window_s=300,
    )
    by, other = factories.two_stewards()
    entered = withdrawals.withdrawal_enter(by=by, race_id=races[0].pk, number=20, source="Vet")
    two_persons.confirm(proposal=entered.proposal.uuid, by=other)
    postpone(contest, starts_at + timedelta(minutes=10))
    codes = [_sell(contest, point, [(1,), (number,)])[1] for number in range(1, 5)]
    stop = stopping.race_stop(by=by, race_id=races[0].pk, source="Starter")
    lifting = stopping.stop_lift(by=by, stop_id=stop.pk, reason="A false start")
    two_persons.confirm(proposal=lifting.uuid, by=other)
    _signalled(races[0])
    codes += [_sell(contest, point, [tuple(range(2, 20)), (1, 2, 3, 4)])[1] for _ in range(10)]
    ident, code = _sell(contest, point, [(5,), (1,)])
    assert request_state(terminal=bare_terminal(point.credentials), ident=ident)
    ticket_annul(by=point.actor, ident=ident, presented_code=code, reason="wrong race")
    return contest, codes


def _counted(point: factories.Point) -> None:
    """Close the shift of the operator who sold the tickets."""
    by = point.actor
    with acting.acting("cash_up", terminal=by.terminal_id, operator=by.operator_id):
        cash_ups.cash_up_close(
            by=by,
            ident=new_uuid(),
            expected_cents=cash_ups.drawer(by=by).expected_cents,
            float_cents=0,
            counted_cents=0,
        )


def _signalled(race: Race) -> None:
    """Stop sales on a signal by a device that is appointed for it, and let them go on [E12]."""
    point = factories.point(factories.premises(Premises.Kind.RACECOURSE_POINT))
    by, other = factories.two_stewards()
    appointment = signals.device_appoint(
        by=by, terminal=point.terminal.code, racecourse=race.racecourse.code
    )
    two_persons.confirm(proposal=appointment.uuid, by=other)
    with acting.acting("race_signal", terminal=point.terminal.pk):
        stop = signals.race_signal(terminal=point.bare, race_id=race.pk)
    lifting = stopping.stop_lift(by=by, stop_id=stop.pk, reason="Nobody started")
    two_persons.confirm(proposal=lifting.uuid, by=other)


def _sell(
    contest: Contest, point: factories.Point, legs: Sequence[tuple[int, ...]]
) -> tuple[uuid.UUID, str]:
    factories.acknowledge(contest, point)
    bets = len(legs[0]) * len(legs[1])
    request = SaleRequest(new_uuid(), contest.pk, tuple(legs), PRICE_CENTS, bets * PRICE_CENTS)
    sold = ticket_sell(credentials=point.credentials, request=request)
    assert sold.code is not None
    return request.uuid, sold.code.grouped


def _raced(contest: Contest, point: factories.Point, codes: list[str]) -> None:
    """Run the first race, with a ticket sold after its start, and draw the second."""
    factories.central_office()
    first, second = factories.races_of(contest)
    by, other = factories.two_stewards()
    start = factories.time_to(first.scheduled_start_at)
    factories.time_pass(seconds=30)
    _sell(contest, point, [(7,), (1,)])
    starting.start(first, start, by=by, second=other)
    out = {1: "winner", 20: "withdrawn"}
    runners = [Entry(n, out.get(n, "started"), 1 if n == 1 else None) for n in FIRST]
    proposal = classification.classification_propose(
        by=by,
        race_id=first.pk,
        runners=runners,
        announced_text="Oficial",
        author="Comissaris",
        announced_at=clock.now(),
    )
    two_persons.confirm(proposal=proposal.uuid, by=other)
    starting.declare(second)
    contest_seal(contest_id=contest.pk)
    factories.prints_ended(contest)
    organiser, another = factories.two_organisers()
    void = breach.breach_void(by=organiser, contest_id=contest.pk)
    two_persons.confirm(proposal=void.uuid, by=another)
    factories.witnessed(Draw.objects.get(subject=subject_of(second.pk)), organiser=organiser)
    contest_settle(contest_id=contest.pk)
    order = payment_order.payment_order_propose(by=organiser, contest_id=contest.pk)
    two_persons.confirm(proposal=order.uuid, by=another)


def _played() -> Emission:
    """Sell and play 25 of 40 tickets, give a voucher's code again, close the emission, reveal its
    seed, and open another emission.
    """
    emitting.opened(emitting.small("waiting"))
    emission, point = emitting.opened(emitting.small()), factories.point()
    plays = emitting.sold(emission, 25, point)
    emitting.played(point, plays)
    won = Voucher.objects.values_list("ticket__uuid", flat=True).order_by("pk")[0]
    playing.play_state(credentials=point.credentials, ident=won)
    emission = emitting.closed(emission)
    assert seed_reveal(emission=emission)
    return emission


def _paid(contest: Contest, point: factories.Point, office: Premises, codes: list[str]) -> None:
    """On the next day pay the winner by cheque and one in cash, deposit one, and present one.

    Then make the ends of a play and of games.
    """
    factories.time_pass(days=1)
    cashier = given.cashier(office)
    prizes = dict(
        Prize.objects.filter(settlement__contest=contest).values_list("ticket_id", "prize_cents")
    )
    four = Ticket.objects.filter(contest=contest).order_by("pk")[:4]
    by_prize = sorted(zip([prizes[t.pk] for t in four], codes, strict=False))
    (cents, small), (_, torn), (_, to_show), (most, best) = by_prize
    assert cents < 30_000 < 100_000 < most
    checking.document_check(at=point.actor, code=to_show)
    paying.payment_make(
        at=factories.point().actor,
        request=paying.PayRequest(new_uuid(), cents, intact=True, code=small),
    )
    given.paid_by_two(
        cashier,
        paying.PayRequest(new_uuid(), most, intact=True, code=best, payee=given.MARIA),
    )
    deposits.deposit_take(
        at=point.actor, request=DepositRequest(new_uuid(), "damaged", "torn", code=torn)
    )
    presenting.presentation_make(at=point.actor, code=to_show)
    endings_make(office, cashier)


def _remitted(point: factories.Point) -> None:
    statement = Statement.objects.get(premises=point.premises)
    remitted(factories.staff(Role.ORGANISER), statement, 1_00, statement.week_to)


def _kept(contest: Contest, emission: Emission, codes: list[str]) -> Day:
    log = published_log()
    assert {documents.MINUTES, publications.SEED} <= {each["kind"] for each in log}
    assert "journal.checkpoint" in {each["kind"] for each in log}
    contest.refresh_from_db()
    return Day(
        contest,
        emission,
        factories.staff(Role.AUDITOR),
        codes[0],
        ticket_proof(presented_code=codes[0]),
        log,
        public_key(),
    )
