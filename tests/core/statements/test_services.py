"""Issue weekly statements, record rates and settle statements."""

import uuid
from datetime import date, datetime, timedelta
from typing import Any

import pytest
from django.db import IntegrityError, transaction
from django.test import override_settings

from core.database import clock
from core.kernel.days import MADRID
from core.kernel.money import BadPercent
from core.ledger import services as ledger
from core.ledger.services import Line, asset, premises_account
from core.payoffice.models import ChequeRecovery
from core.payoffice.services import recovering
from core.staff import two_persons
from core.staff.models import Proposal
from core.staff.powers import Role
from core.staff.two_persons import ProposalPending, SamePerson
from core.statements import nightly, services, weeks
from core.statements.balances import outstanding_cents
from core.statements.models import CommissionRate, Remittance, Statement
from lototrot import accounts
from tests.support import factories, rounds
from tests.support.payoffice import losing
from tests.support.stating import SUNDAY, at, rate, remitted

pytestmark = pytest.mark.django_db


def test_a_week_is_stated_with_its_commission_and_agrees_with_the_ledger(
    organiser: Any, contest: Any
) -> None:
    rate(organiser)
    rate(organiser, "10", since=date(2030, 3, 6))
    place, other, idle = factories.point(), factories.point(), factories.point()
    rounds.sell(contest, place, [(1, 1)] * 3)  # 3.15 on Monday at 6 %
    rounds.sell(contest, other, [(1, 1)])
    at(date(2030, 3, 7))
    rounds.sell(contest, place, [(3, 1)])  # 2.10 on Thursday at 10 %
    paid = Line(
        "test.prize", accounts.reserve("lototrot"), premises_account(place.premises.pk), 120
    )
    ledger.post(reference=uuid.uuid4(), lines=[paid])
    at(date(2030, 3, 11), 0)
    statements = {each.premises_id: each for each in services.statements_issue(until=SUNDAY)}
    assert idle.premises.pk not in statements
    mine = statements[place.premises.pk]
    # 6 % of 3.15 is 18.9 cents, 10 % of 2.10 is 21: each rounded down once
    assert (mine.sales_cents, mine.commission_cents, mine.other_cents) == (525, -39, -120)
    assert (mine.number, mine.opening_cents, mine.closing_cents) == (1, 0, 366)
    assert [(r["percent"], r["base_cents"], r["commission_cents"]) for r in mine.commission] == [
        ("10", 210, 21),
        ("6", 315, 18),
    ]
    assert ledger.balance_cents(premises_account(place.premises.pk)) == 366
    assert ledger.balance_cents(accounts.organiser(accounts.Part.COMMISSION)) == -39 - 6
    assert services.statements_issue(until=SUNDAY) == []

    at(date(2030, 3, 12))
    rounds.sell(contest, place, [(1, 1)])
    at(date(2030, 3, 25))
    two = services.statements_issue(until=date(2030, 3, 24))
    mine = [each for each in two if each.premises_id == place.premises.pk]
    assert [(e.number, e.opening_cents, e.closing_cents) for e in mine] == [
        (2, 366, 366 + 105 - 10),
        (3, 461, 461),
    ]
    assert nightly.audit(SUNDAY).counts == {"statements": 6}
    rounds.books_agree(
        expected={"lototrot:lototrot:reserve": -120, f"premises:{place.premises.pk}": -120}
    )


def test_rates_are_dated_and_never_behind_a_statement(organiser: Any, contest: Any) -> None:
    place = factories.point()
    rate(organiser, "5")
    rate(organiser, "7.5", premises=place.premises.code)
    with pytest.raises(services.RateRecorded):
        rate(organiser, "6")
    with pytest.raises(BadPercent):
        rate(organiser, "101")
    proposal = services.commission_rate_propose(
        by=organiser,
        game="promotrot",
        premises=None,
        percent="50",
        in_force_from=SUNDAY,
        reference="Mine",
    )
    with pytest.raises(SamePerson):
        two_persons.confirm(proposal=proposal.uuid, by=organiser)
    assert not CommissionRate.objects.filter(game="promotrot").exists()
    rounds.sell(contest, place, [(1, 1)])
    at(date(2030, 3, 11))
    (mine,) = services.statements_issue(until=SUNDAY)
    assert mine.commission_cents == -7
    with pytest.raises(services.RateTooLate):
        rate(organiser, "8", since=SUNDAY)
    rate(organiser, "8", since=date(2030, 3, 11))


def test_it_is_settled_once_and_not_beyond_what_it_says(organiser: Any, contest: Any) -> None:
    place = factories.point()
    rounds.sell(contest, place, [(1, 1)] * 2)
    at(date(2030, 3, 11))
    (mine,) = services.statements_issue(until=SUNDAY)

    def settle(cents: int, reference: str = "TRF 1", on: date = SUNDAY) -> Any:
        return services.statement_settle(
            by=organiser, statement=mine.uuid, amount_cents=cents, paid_on=on, reference=reference
        )

    first = settle(200, "  TRF   1 ")
    assert first.reference == "TRF 1"
    assert settle(200) == settle(200, "trf\u00a01") == first  # typed again by another clerk
    for reference in ("TRF 1", "Trf  1"):
        with pytest.raises(services.RemittanceRecorded):
            settle(10, reference)
    for cents, on in ((11, SUNDAY), (-1, SUNDAY), (0, SUNDAY), (10, date(2030, 3, 12))):
        with pytest.raises(services.RemittanceRefused):
            settle(cents, "TRF 2", on)
    settle(10, "TRF 2")
    assert outstanding_cents(mine) == 0
    assert ledger.balance_cents(premises_account(place.premises.pk)) == 0
    assert ledger.balance_cents(asset("treasury")) == 210
    rounds.books_agree()


def test_two_persons_say_that_premises_share_a_bank_movement(organiser: Any, contest: Any) -> None:
    """A clerk who takes the wrong premises, and then the right ones, counted it twice."""
    places = [factories.point() for _ in range(3)]
    for place in places:
        rounds.sell(contest, place, [(1, 1)])
    at(date(2030, 3, 11))
    issued = {each.premises_id: each for each in services.statements_issue(until=SUNDAY)}
    first, second, third = (issued[place.premises.pk] for place in places)

    def settle(of: Statement, cents: int, reference: str) -> Any:
        return services.statement_settle(
            by=organiser,
            statement=of.uuid,
            amount_cents=cents,
            paid_on=SUNDAY,
            reference=reference,
        )

    assert isinstance(settle(first, 50, "TRF Caf\u00e9 1"), Remittance)
    shared = settle(second, 50, "trf cafe\u0301 1")
    assert isinstance(shared, Proposal)
    assert shared.content["also_of"] == [places[0].premises.code]
    others = settle(third, 50, "TRF CAF\u00c9 1")
    two_persons.confirm(proposal=shared.uuid, by=factories.staff(Role.ORGANISER))
    with pytest.raises(services.RemittanceRecorded):
        two_persons.confirm(proposal=others.uuid, by=factories.staff(Role.ORGANISER))
    assert [outstanding_cents(each) for each in (first, second, third)] == [55, 55, 105]
    assert isinstance(settle(third, 50, "TRF 2"), Remittance)


@pytest.mark.parametrize("owed", [200, -500])
def test_what_is_brought_forward_is_paid_once(organiser: Any, contest: Any, owed: int) -> None:
    """A statement that nobody paid is in the next one, too: both said that it was outstanding."""
    place = factories.point()
    rounds.sell(contest, place, [(1, 1)])
    account = premises_account(place.premises.pk)
    if owed < 0:
        paid_out = Line("test.prize", asset("treasury"), account, 105 - owed)
        ledger.post(reference=uuid.uuid4(), lines=[paid_out])
    else:
        rounds.sell(contest, place, [(1, 1)])
    owed = ledger.balance_cents(account)
    at(date(2030, 3, 11))
    (first,) = services.statements_issue(until=SUNDAY)
    at(date(2030, 3, 18))
    (second,) = services.statements_issue(until=date(2030, 3, 17))
    assert [outstanding_cents(each) for each in (first, second)] == [owed, owed]
    part = owed // 5
    remitted(organiser, second, part, date(2030, 3, 18), "TRF 1")
    remitted(organiser, first, owed - part, date(2030, 3, 18), "TRF 2")
    assert [outstanding_cents(each) for each in (first, second)] == [0, 0]
    for statement in (first, second):
        with pytest.raises(services.RemittanceRefused):
            remitted(organiser, statement, part, date(2030, 3, 18), "TRF 3")
    assert ledger.balance_cents(account) == 0


def test_a_payment_at_the_midnight_of_a_sunday_counts_once(
    organiser: Any, contest: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The clock goes on while a payment is recorded: one instant says which week it is of."""
    place = factories.point()
    rounds.sell(contest, place, [(1, 1)] * 2)
    at(date(2030, 3, 11))
    (first,) = services.statements_issue(until=SUNDAY)
    midnight = datetime(2030, 3, 18, tzinfo=MADRID)
    for begun_ms in range(-6, 1):
        instants = (midnight + timedelta(milliseconds=each) for each in range(begun_ms, 20))
        with monkeypatch.context() as patch:
            patch.setattr(clock, "now", instants.__next__)
            remitted(organiser, first, 10, SUNDAY, f"TRF {begun_ms}")
    at(date(2030, 3, 18))
    (second,) = services.statements_issue(until=date(2030, 3, 17))
    assert outstanding_cents(second) == ledger.balance_cents(premises_account(place.premises.pk))


def test_a_late_payment_of_an_old_statement_is_recorded_and_shown_to_be_too_much(
    organiser: Any, contest: Any
) -> None:
    place = factories.point()
    rounds.sell(contest, place, [(1, 1)])
    at(date(2030, 3, 11))
    (first,) = services.statements_issue(until=SUNDAY)
    account = premises_account(place.premises.pk)
    paid_out = Line("test.prize", asset("treasury"), account, 80)
    ledger.post(reference=uuid.uuid4(), lines=[paid_out])
    at(date(2030, 3, 18))
    (second,) = services.statements_issue(until=date(2030, 3, 17))
    remitted(organiser, first, 105, date(2030, 3, 18))
    assert outstanding_cents(second) == ledger.balance_cents(account) == -80


def test_a_large_remittance_takes_two_persons_however_it_is_divided(
    organiser: Any, contest: Any
) -> None:
    place = factories.point()
    rounds.sell(contest, place, [(1, 1)] * 2)
    at(date(2030, 3, 11))
    (mine,) = services.statements_issue(until=SUNDAY)

    def settle(cents: int, reference: str) -> Any:
        return services.statement_settle(
            by=organiser,
            statement=mine.uuid,
            amount_cents=cents,
            paid_on=SUNDAY,
            reference=reference,
        )

    with override_settings(REMITTANCE_SECOND_PERSON_FROM_CENTS=150):
        assert isinstance(settle(149, "TRF 1"), Remittance)
        proposal = settle(1, "TRF 2")
        assert isinstance(proposal, Proposal)
        with pytest.raises(ProposalPending):
            settle(1, "TRF 2")
        with pytest.raises(SamePerson):
            two_persons.confirm(proposal=proposal.uuid, by=organiser)
        assert outstanding_cents(mine) == 61
        second = factories.staff(Role.SUPERVISOR)
        two_persons.confirm(proposal=proposal.uuid, by=second)
        assert settle(1, "TRF 2").proposal == proposal
    assert outstanding_cents(mine) == 60
    rounds.books_agree()


def test_a_debt_that_is_brought_forward_is_not_recorded_as_paid_by_one_person_week_by_week(
    organiser: Any, contest: Any
) -> None:
    """Each statement says it again, and each was counted for itself."""
    place, other = factories.point(), factories.point()
    for each in (place, other):
        rounds.sell(contest, each, [(1, 1)] * 5)
    at(date(2030, 3, 18))
    issued = services.statements_issue(until=date(2030, 3, 17))
    old, new = (each for each in issued if each.premises_id == place.premises.pk)
    theirs = next(each for each in issued if each.premises_id == other.premises.pk)

    def recorded(statement: Any, cents: int) -> Any:
        return services.statement_settle(
            by=organiser,
            statement=statement.uuid,
            amount_cents=cents,
            paid_on=SUNDAY,
            reference=f"TRF {statement} {cents}",
        )

    with override_settings(REMITTANCE_SECOND_PERSON_FROM_CENTS=150):
        assert isinstance(recorded(old, 149), Remittance)
        assert isinstance(recorded(new, 1), Proposal)
        assert isinstance(recorded(theirs, 149), Remittance)
        at(date(2030, 3, 25))
        (newest,) = (
            each
            for each in services.statements_issue(until=date(2030, 3, 24))
            if each.premises_id == place.premises.pk
        )
        assert isinstance(recorded(old, 2), Proposal)  # what was recorded for itself counts on
        assert isinstance(recorded(newest, 149), Remittance)
        assert isinstance(recorded(new, 2), Proposal)


def test_the_database_refuses_a_remittance_of_one_person_that_is_large_or_paid_out(
    organiser: Any, contest: Any
) -> None:
    place = factories.point()
    rounds.sell(contest, place, [(1, 1)])
    at(date(2030, 3, 11))
    (mine,) = services.statements_issue(until=SUNDAY)
    for cents in (300_000, -1):
        with (
            pytest.raises(IntegrityError, match="remittance_large_by_two"),
            transaction.atomic(),
        ):
            Remittance.objects.create(
                uuid=weeks.ident(place.premises.pk, mine.week_from, 1),
                statement=mine,
                number=1,
                premises=place.premises,
                amount_cents=cents,
                paid_on=SUNDAY,
                reference="x",
                recorded_at=clock.now(),
                recorded_by_id=organiser.user_id,
                recorded_in_id=organiser.session_id,
            )


def test_the_uuids_of_a_week_stand_beside_each_other_and_behind_those_of_the_week_before(
    organiser: Any, contest: Any
) -> None:
    """A random one would touch a page of the index of its own, for each of the premises."""
    for _ in range(3):
        rounds.sell(contest, factories.point(), [(1, 1)])
    at(date(2030, 3, 18))
    issued = services.statements_issue(until=date(2030, 3, 17))
    in_order = sorted(issued, key=lambda each: each.uuid.bytes)
    assert [each.week_to.day for each in in_order] == [10, 10, 10, 17, 17, 17]
    assert {(each.uuid.bytes[0], each.uuid.version) for each in issued} == {(0, 8)}


def test_a_bank_movement_pays_a_statement_or_gives_back_a_loss(
    organiser: Any, contest: Any
) -> None:
    """One credit of the bank counted twice: as the premises' payment, and for a cheque."""
    place = factories.point()
    rounds.sell(contest, place, [(1, 1)])
    supervisor = losing.lost()
    losing.recovered(supervisor, 40, "TR 1")
    losing.recovered(supervisor, 30, "TR 2")
    at(date(2030, 3, 11))
    waiting = losing.recovery(supervisor, 20, "TRF 9")
    issued = next(
        each
        for each in services.statements_issue(until=SUNDAY)
        if each.premises_id == place.premises.pk
    )

    def settle(reference: str) -> Any:
        return services.statement_settle(
            by=organiser,
            statement=issued.uuid,
            amount_cents=1,
            paid_on=SUNDAY,
            reference=reference,
        )

    with pytest.raises(services.RemittanceRecorded):
        settle("tr 1")
    row = ChequeRecovery.objects.get(reference="TR 2")
    losing.taken_back(supervisor, row.uuid)
    assert isinstance(settle("TR 2"), Remittance)
    assert isinstance(settle("trf 9"), Remittance)
    with pytest.raises(recovering.RecoveryRecorded):
        two_persons.confirm(proposal=waiting.uuid, by=factories.staff(Role.ORGANISER))
    assert ChequeRecovery.objects.filter(reversed_at=None).count() == 1
    values = Remittance.objects.values().latest("pk") | {"id": None, "reference": "Tr 1"}
    values |= {"number": 3, "uuid": weeks.ident(place.premises.pk, issued.week_from, 3)}
    with pytest.raises(IntegrityError, match="would count twice"), transaction.atomic():
        Remittance.objects.create(**values)


@override_settings(REMITTANCE_SECOND_PERSON_FROM_CENTS=1)
def test_a_long_reference_is_whole_in_what_two_persons_decide(organiser: Any, contest: Any) -> None:
    """Two that begin alike waited for one another, and the second person saw the beginning."""
    place = factories.point()
    rounds.sell(contest, place, [(1, 1)] * 3)
    at(date(2030, 3, 11))
    (issued,) = services.statements_issue(until=SUNDAY)
    for reference in ("T" * 119 + "1", "T" * 119 + "2"):
        proposal = services.statement_settle(
            by=organiser,
            statement=issued.uuid,
            amount_cents=105,
            paid_on=SUNDAY,
            reference=reference,
        )
        assert isinstance(proposal, Proposal) and proposal.subject.endswith(reference)
