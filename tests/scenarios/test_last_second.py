"""A ticket is sold 0.4 s before the closing and its answer is lost.

Scenario 6 (E11, E5, 14.II.1): its terminal gets it again within five minutes by repeating its
request, and only it. Afterwards two persons void it, which leaves a refund due of its price, or let
it stand; the amendment of the seal is published; an alarm lists it until then.
"""

from datetime import timedelta
from typing import Any

import pytest
from django.db import IntegrityError, transaction

from core.database import clock
from core.ledger import services as ledger
from core.premises.requests import new_uuid
from core.proofs.models import LogEntry
from lototrot import accounts, tasks
from lototrot.models.contest import Contest
from lototrot.models.tickets import Ticket, Unprinted, Void
from tests.support import factories, rounds
from tests.support.api import Api, refused, terminal_api
from tests.support.lototrot import race_day

pytestmark = [pytest.mark.django_db, pytest.mark.article("14.II.1", "14.III.4", "14.III.1.5")]
BETS = [(1,), (1,)]
TICKETS = "lototrot/tickets"


class LastSecond:
    """A contest with a printed ticket, and one of 0.4 s before its closing without an answer."""

    def __init__(self) -> None:
        factories.time_to(rounds.NOON)
        rules = rounds.rules(**rounds.TWO_LEGS)
        self.contest = rounds.contest(rules, [(1, 2, 3)] * 2)
        self.point, self.staff = factories.point(), race_day.Staff()
        race_day.display(self.contest, self.point)
        self.terminal = terminal_api(self.point)
        self.printed = race_day.sell(self.contest, self.point, BETS)
        self.body = race_day.body_of(self.contest, BETS)
        factories.time_to(self.contest.scheduled_close_at - timedelta(milliseconds=400))
        answer = self.terminal.post(TICKETS, self.body)
        assert answer.status_code == 201, answer.content
        self.lost = answer.json()

    def close(self) -> None:
        factories.time_to(self.contest.scheduled_close_at + timedelta(seconds=1))
        assert tasks.close(self.contest.pk) and tasks.seal(self.contest.pk)

    def after(self, **length: float) -> None:
        factories.time_to(self.contest.scheduled_close_at + timedelta(**length))

    def again(self, body: dict[str, Any] | None = None, api: Api | None = None) -> Any:
        return (api or self.terminal).post(TICKETS, body or self.body)

    def path(self, last: str) -> str:
        return f"lototrot/contests/{self.contest.pk}/{last}"

    def waiting(self) -> list[str]:
        answer = self.staff.organisers[0].get(self.path("unprinted"))
        return [row["ticket"] for row in answer.json()["items"]]

    def alarmed(self) -> bool:
        items = self.staff.organisers[0].get("alarms").json()["items"]
        return "lototrot_unprinted" in {row["code"] for row in items}

    def decided(self, verdict: str, **more: Any) -> Any:
        body = {"verdict": verdict, "reason": "The printer was out of paper."}
        return self.staff.organisers[0].post(self.path("unprinted/decision"), body | more)

    def run(self) -> None:
        for race in factories.races_of(self.contest):
            factories.started(race)
            factories.classified(race, {1}, start=False)


@pytest.fixture
def last() -> LastSecond:
    return LastSecond()


def test_its_terminal_gets_it_again_for_five_minutes_and_never_later(last: LastSecond) -> None:
    last.close()
    last.after(minutes=4, seconds=59)
    again = last.again()
    assert again.status_code == 200 and again.json()["code"] == last.lost["code"]
    slip = last.terminal.get(f"{TICKETS}/{last.lost['uuid']}/slip.txt")
    assert slip.status_code == 200
    last.after(minutes=5)
    assert last.again().json()["code"] is None
    refused(last.terminal.get(f"{TICKETS}/{last.lost['uuid']}/slip.txt"), 409, "contest_closed")
    assert tasks.end_prints(last.contest.pk)
    assert Contest.objects.get(pk=last.contest.pk).code_secret is None
    assert last.again().json()["code"] is None


def test_no_other_ticket_terminal_or_request_gets_a_code(last: LastSecond) -> None:
    last.close()
    printed = last.body | {"uuid": last.printed["uuid"]}
    assert last.again(printed).json()["code"] is None, "it is printed"
    other = factories.point(last.point.premises)
    race_day.display(last.contest, other)
    refused(last.again(api=terminal_api(other)), 409, "uuid_reused")
    refused(last.again(last.body | {"races": [[2], [1]]}), 409, "uuid_reused")
    refused(last.again(last.body | {"uuid": str(new_uuid())}), 409, "contest_closed")
    ident = last.lost["uuid"]
    assert last.terminal.post(f"{TICKETS}/{ident}/inquiry").json()["ticket"]["code"] is None
    copy = {"uuid": str(new_uuid()), "format": "json"}
    refused(last.terminal.post(f"{TICKETS}/{ident}/reprints", copy), 409, "contest_closed")
    assert last.terminal.post(f"{TICKETS}/{ident}/print-confirmation").status_code == 200
    assert last.again().json()["code"] is None, "now it is printed, too"
    last.after(minutes=6)
    assert tasks.end_prints(last.contest.pk)
    assert last.waiting() == []


def test_two_persons_void_it_with_its_refund_before_the_settlement(last: LastSecond) -> None:
    last.close()
    last.run()
    organiser, second = last.staff.organisers
    refused(organiser.post(last.path("settlement")), 409, "prints_open")
    refused(last.decided("void"), 409, "nothing_unprinted")
    assert not tasks.end_prints(last.contest.pk), "it is not time yet"
    last.after(minutes=5)
    assert tasks.end_prints(last.contest.pk) and not tasks.end_prints(last.contest.pk)
    assert last.waiting() == [last.lost["uuid"]] and last.alarmed()
    refused(organiser.post(last.path("settlement")), 409, "unprinted_pending")
    before = LogEntry.objects.filter(kind="lototrot.amendment").count()

    proposal = last.decided("void")
    assert proposal.json()["content"]["amount_cents"] == 100
    refused(race_day.confirmed(proposal, organiser), 403, "same_person")
    assert not Void.objects.exists()
    for _ in range(2):
        race_day.carried_out(proposal, second)
    assert last.waiting() == [] and not last.alarmed()
    amendment = LogEntry.objects.get(kind="lototrot.amendment")
    assert before == 0 and amendment.document["taken"] == {
        "tickets": 1,
        "bets": 1,
        "takings_cents": 100,
    }
    assert amendment.document["voided"] == [{"place": 1, "reasons": "unprinted"}]
    assert ledger.balance_cents(accounts.refunds_due(last.contest.pk)) == 100
    tasks.settle(last.contest.pk)
    settlement = organiser.get(last.path("settlement")).json()
    assert (settlement["tickets"], settlement["takings_cents"]) == (1, 100)
    check = last.terminal.post("claims/check", {"code": last.lost["code"]}).json()
    assert (check["state"], check["amount_cents"]) == ("refund_due", 100)
    rounds.books_agree()
    refused(last.decided("stand"), 409, "unprinted_not_now")


def test_or_let_it_stand_with_the_reason(last: LastSecond) -> None:
    last.close()
    last.run()
    last.after(minutes=5)
    tasks.end_prints(last.contest.pk)
    race_day.carried_out(
        last.decided("stand", tickets=[last.lost["uuid"]]), last.staff.organisers[1]
    )
    row = Unprinted.objects.get()
    assert (row.verdict, row.reason) == ("stand", "The printer was out of paper.")
    assert tasks.settle(last.contest.pk)
    settlement = last.staff.organisers[0].get(last.path("settlement")).json()
    assert (settlement["tickets"], settlement["winning_tickets"]) == (2, 2)
    assert not LogEntry.objects.filter(kind="lototrot.amendment").exists()


def test_a_print_confirmed_late_can_only_stand(last: LastSecond) -> None:
    """Nobody chooses after the race between a refund and a prize."""
    last.close()
    last.after(minutes=5)
    tasks.end_prints(last.contest.pk)
    assert (
        last.terminal.post(f"{TICKETS}/{last.lost['uuid']}/print-confirmation").status_code == 200
    )
    (row,) = last.staff.organisers[0].get(last.path("unprinted")).json()["items"]
    assert row["confirmed_at"] is not None and row["late_at_terminal"] == 1
    refused(last.decided("void"), 409, "unprinted_confirmed")
    race_day.carried_out(last.decided("stand"), last.staff.organisers[1])
    assert last.waiting() == []


def test_the_database_refuses_what_two_persons_did_not_decide(last: LastSecond) -> None:
    last.close()
    last.after(minutes=5)
    tasks.end_prints(last.contest.pk)
    ticket = Ticket.objects.get(uuid=last.lost["uuid"])
    other = factories.proposal("lototrot.breach_void", "other")
    void = {"ticket": ticket, "reason": "unprinted", "note": "x", "voided_at": clock.now()}
    decided = {"verdict": "stand", "reason": "x", "proposal": other, "decided_at": clock.now()}
    for change, says in (
        (lambda: Void.objects.create(**void, proposal=other), "two persons"),
        (lambda: Unprinted.objects.update(**decided), "two persons"),
        (lambda: rounds.bare_settlement(last.contest), "not printed"),
        (lambda: Unprinted.objects.update(verdict="stand"), "two persons|decided_whole"),
    ):
        with pytest.raises(IntegrityError, match=says), transaction.atomic():
            change()
