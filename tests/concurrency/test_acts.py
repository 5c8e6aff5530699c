"""Acts that two people or machines do at the same moment: one of them is done, once."""

import uuid
from datetime import date, timedelta
from typing import Any

import psycopg
import pytest
from django.conf import settings
from django.db import transaction

from core.database import clock
from core.database.tokens import token_digest
from core.kernel.days import natural_day
from core.ledger import services as ledger
from core.ledger.models import Account, Transfer
from core.premises import powers
from core.premises import services as register
from core.premises.models import Enrolment, Terminal
from core.premises.requests import new_uuid
from core.staff import two_persons
from core.staff.devices import Origin, device_token
from core.staff.models import Decision, Proposal
from core.staff.powers import Role
from core.staff.services import password_check, user_create
from lototrot.models.contest import BetType, Contest
from lototrot.models.preparing import Discard
from lototrot.models.tickets import PrintConfirmation, Reprint, Void
from lototrot.services.authority.amendments import (
    amendment_propose,
    figures_in,
    rules_in_force,
)
from lototrot.services.authority.bet_types import bet_type_propose, bet_type_record
from lototrot.services.contest.closing import contest_close_early
from lototrot.services.contest.preparing import (
    ContestOfDayExists,
    contest_create,
    contest_discard,
)
from lototrot.services.tickets.annulment import ticket_annul
from lototrot.services.tickets.printing import print_confirm, ticket_reprint
from lototrot.services.tickets.putting_on_sale import contest_open_propose, contest_publish
from tests.support import factories
from tests.support.concurrency.sales import (
    PATIENCE_S,
    apart,
    elsewhere,
    eventually,
    sell,
    selling_point,
    together,
)
from tests.support.databases import Database
from tests.support.lototrot.putting_on_sale import DOCUMENT

AT_ONCE = 8


def names(answers: list[Any]) -> list[str]:
    return sorted(type(each).__name__ for each in answers)


@pytest.mark.article("14.III.1.4")
def test_a_ticket_annulled_by_many_at_once_is_refunded_once(own_database: Database) -> None:
    contest, place = selling_point()
    sold = sell(place, contest, new_uuid())
    assert sold.code is not None
    code = sold.code.grouped
    answers = together(
        *[
            lambda: ticket_annul(
                by=place.actor, ident=sold.uuid, presented_code=code, reason="Wrong race"
            )
        ]
        * AT_ONCE
    )
    assert len({each.pk for each in answers}) == 1
    assert Void.objects.count() == 1
    assert Transfer.objects.count() == 2
    takings = ledger.liability(contest.takings_account.code)
    assert ledger.balance_cents(takings) == 0


def test_copies_made_at_once_have_numbers_of_their_own(own_database: Database) -> None:
    contest, place = selling_point()
    ident = sell(place, contest, new_uuid()).uuid
    together(*[lambda: ticket_reprint(by=place.actor, ident=ident)] * AT_ONCE)
    numbers = Reprint.objects.order_by("number").values_list("number", flat=True)
    assert list(numbers) == list(range(1, AT_ONCE + 1))


def test_a_print_confirmed_at_once_is_confirmed_once(own_database: Database) -> None:
    contest, place = selling_point()
    ident = sell(place, contest, new_uuid()).uuid
    terminal = register.BareTerminal(place.terminal.pk, place.premises.pk, place.premises.kind)
    answers = together(*[lambda: print_confirm(by=terminal, ident=ident)] * AT_ONCE)
    assert len({each.pk for each in answers}) == PrintConfirmation.objects.count() == 1


def test_a_contest_closed_at_once_is_closed_by_one(own_database: Database) -> None:
    by, contest = factories.staff(Role.ORGANISER), factories.contest()
    answers = together(*[lambda: contest_close_early(by=by, contest_id=contest.pk)] * AT_ONCE)
    assert sorted(answers) == [False] * (AT_ONCE - 1) + [True]


def test_two_meetings_of_a_day_do_not_get_two_contests(own_database: Database) -> None:
    """[A15]"""
    by = factories.staff(Role.ORGANISER)
    bet_type, model = factories.bet_type(), factories.ticket_model()
    meetings = [factories.meeting(day=date(2030, 5, 4)) for _ in range(4)]

    def create(number: int) -> Contest:
        races = list(meetings[number].races.order_by("number"))
        return contest_create(
            by=by,
            meeting=meetings[number],
            bet_type=bet_type,
            ticket_model=model,
            races=races,
            price_cents=100,
            max_bets=100,
            scheduled_close_at=races[0].scheduled_start_at,
        )

    answers = together(*[lambda number=number: create(number) for number in range(4)])
    assert names(answers) == ["Contest", *[ContestOfDayExists.__name__] * 3]
    assert Account.objects.filter(code__startswith="lototrot:takings:").count() == 1


def test_a_draft_is_opened_or_discarded_and_never_both(own_database: Database) -> None:
    """[E9]"""
    by, second = factories.two_organisers()
    contest = factories.contest(factories.meeting(), state=Contest.State.DRAFT)
    contest_publish(
        by=by, contest=contest, rules={code: "Rules." for code, _ in settings.LANGUAGES}
    )
    discard = contest_discard(by=by, contest_id=contest.pk, reason="Cancelled")
    opening = contest_open_propose(by=by, contest=contest)
    answers = together(
        lambda: two_persons.confirm(proposal=opening.uuid, by=second),
        lambda: two_persons.confirm(proposal=discard.uuid, by=second),
    )
    contest.refresh_from_db()
    opened = contest.state == Contest.State.OPEN
    wanted = ["ContestNotDraft", "Proposal"] if opened else ["GatesShut", "Proposal"]
    assert names(answers) == wanted
    assert Discard.objects.filter(contest=contest).exists() is not opened


@pytest.mark.article("14.III.9.2", "14.III.9.3")
@pytest.mark.parametrize("first", ["amendment", "opening"])
def test_a_contest_is_opened_or_its_figures_are_amended_and_never_both(
    own_database: Database, first: str
) -> None:
    """[A19] The contest is of the day from which the amendment is in force."""
    by, second = factories.two_organisers()
    day = natural_day(clock.now()) + timedelta(days=2)
    contest = factories.contest(factories.meeting(day=day), state=Contest.State.DRAFT)
    contest_publish(
        by=by, contest=contest, rules={code: "Rules." for code, _ in settings.LANGUAGES}
    )
    proposals = {
        "opening": contest_open_propose(by=by, contest=contest),
        "amendment": amendment_propose(
            by=by,
            in_force_from=day,
            source="BOIB 1",
            figures=figures_in(rules_in_force()) | {"jackpot_threshold_cents": 1},
        ),
    }
    earlier, later = proposals.pop(first), *proposals.values()
    with transaction.atomic():
        two_persons.confirm(proposal=earlier.uuid, by=second)
        answer = elsewhere(
            lambda: together(lambda: two_persons.confirm(proposal=later.uuid, by=second))
        )
    refusal = "GatesShut" if first == "amendment" else "AmendmentOverContests"
    assert names(answer.result(PATIENCE_S)) == [refusal]


@pytest.mark.article("14.III.7")
def test_a_bet_type_recorded_at_once_is_recorded_once(own_database: Database) -> None:
    """Whoever sends the same content gets the row; other content needs another version [A19]."""
    by, document = factories.staff(Role.ORGANISER), rules_in_force().to_document()
    kinds = [
        lambda price=price: bet_type_record(
            by=by, document=document, authorisation="CAIB 1", price_cents=price
        )
        for price in (100, 100, 100, 200)
    ]
    answers = names(together(*kinds * 2))
    assert BetType.objects.count() == 1
    assert answers in (
        ["BetType"] * 6 + ["BetTypeRecorded"] * 2,
        ["BetType"] * 2 + ["BetTypeRecorded"] * 6,
    )


def test_a_one_time_code_gives_one_token(own_database: Database) -> None:
    code = factories.enrolment_code(factories.premises(), "T-1")
    key = factories.KEY.public
    answers = together(*[lambda: register.terminal_enrol(code=code, public_key=key)] * AT_ONCE)
    assert names(answers) == [*["EnrolmentRefused"] * (AT_ONCE - 1), "tuple"]
    ((terminal, token),) = [each for each in answers if isinstance(each, tuple)]
    kept = Terminal.objects.get(pk=terminal.pk).token_digest
    assert bytes(kept) == token_digest(token.text)
    assert Enrolment.objects.get().used_at is not None


def test_a_proposal_decided_at_once_is_decided_once(
    own_database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    done: list[int] = []
    kind = two_persons.Kind("test.at_once", powers.REGISTER, apply=lambda p, _: done.append(p.pk))
    monkeypatch.setitem(two_persons.kinds(), kind.name, kind)
    first = factories.staff(Role.ORGANISER)
    others = [factories.staff(Role.ORGANISER) for _ in range(AT_ONCE)]
    proposal = two_persons.propose(kind=kind, subject="at once", content={"a": 1}, by=first)
    answers = together(
        *[lambda by=by: two_persons.confirm(proposal=proposal.uuid, by=by) for by in others]
    )
    assert names(answers) == ["Proposal", *["ProposalDecided"] * (AT_ONCE - 1)]
    assert done == [proposal.pk]
    assert Decision.objects.count() == 1


def test_the_same_act_proposed_at_once_is_proposed_once(
    own_database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    kind = two_persons.Kind("test.twice", powers.REGISTER, apply=lambda *_: None)
    monkeypatch.setitem(two_persons.kinds(), kind.name, kind)
    people = [factories.staff(Role.ORGANISER) for _ in range(AT_ONCE)]
    answers = together(
        *[
            lambda by=by: two_persons.propose(kind=kind, subject="same", content={}, by=by)
            for by in people
        ]
    )
    assert names(answers) == ["Proposal", *["ProposalPending"] * (AT_ONCE - 1)]


def test_wrong_passwords_at_once_are_all_counted(own_database: Database) -> None:
    """Guessing in parallel gains nothing over guessing in turn."""
    user = user_create(
        username="ana",
        full_name="Anna Bauzà",
        password="correct horse battery",
        roles=["auditor"],
    )
    origin = Origin("192.0.2.1", device_token(user))
    answers = together(
        *[
            lambda number=number: password_check(
                username="ana", password=f"wrong guess {number}", origin=origin
            )
            for number in range(14)
        ]
    )
    assert names(answers) == [*["SignOnRefused"] * 10, *["Throttled"] * 4]


def test_an_account_first_used_by_many_at_once_is_one(own_database: Database) -> None:
    line = ledger.Line("test", ledger.asset("new:a"), ledger.liability("new:b"), 7)
    answers = together(*[lambda: ledger.post(reference=uuid.uuid4(), lines=[line])] * AT_ONCE)
    assert answers == [1] * AT_ONCE
    assert ledger.balance_cents(ledger.asset("new:a")) == 7 * AT_ONCE


def test_one_act_posted_by_many_at_once_is_posted_once(own_database: Database) -> None:
    reference = uuid.uuid4()
    lines = [ledger.Line("test", ledger.asset("a"), ledger.liability("b"), n) for n in (3, 4)]
    answers = together(*[lambda: ledger.post(reference=reference, lines=lines)] * AT_ONCE)
    assert names(answers) == [*["IntegrityError"] * (AT_ONCE - 1), "int"]
    assert ledger.balance_cents(ledger.asset("a")) == 7


def test_a_correction_and_a_renewal_of_a_lapsed_proposal_are_no_deadlock(
    own_database: Database,
) -> None:
    """The first is stopped where it rejects the lapsed one, which the second rejects too."""
    by = factories.staff(Role.ORGANISER)
    lapsed = bet_type_propose(by=by, document=DOCUMENT, authorisation="CAIB 1")
    factories.time_pass(days=8)

    def propose(**more: Any) -> Any:
        return apart(
            lambda: together(
                lambda: bet_type_propose(by=by, document=DOCUMENT, authorisation="CAIB 1", **more)
            )[0]
        )

    with psycopg.connect(own_database.owner_url) as gate:
        gate.execute("LOCK TABLE staff_decision IN EXCLUSIVE MODE")
        correcting = propose(replaces=lapsed.uuid)
        eventually(lambda: sessions_waiting(gate) == 1)
        renewing = propose()
        eventually(lambda: sessions_waiting(gate) == 2)
    assert isinstance(correcting.result(PATIENCE_S), Proposal)
    assert isinstance(renewing.result(PATIENCE_S), two_persons.ProposalPending)
    assert Proposal.objects.filter(decision=None).count() == 1


def sessions_waiting(by: psycopg.Connection) -> int:
    row = by.execute(
        "SELECT count(DISTINCT pid) FROM pg_locks JOIN pg_database d ON d.oid = database"
        " WHERE NOT granted AND datname = current_database()"
    ).fetchone()
    assert row is not None
    return int(row[0])
