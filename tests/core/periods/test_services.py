"""Two persons close a month; what is not finished, late, changed or of one person is refused."""

from datetime import date

import pytest
from django.db import DatabaseError, transaction

from core.database.reading.progress import GivenUp, Progress, listening
from core.periods import services
from core.periods.models import ClosedPeriod, PeriodBalance
from core.periods.services import NothingToClose, PeriodChanged, PeriodUnfinished, recount
from core.proofs.log import published
from core.staff import two_persons
from core.staff.models import Proposal
from core.staff.powers import Role
from core.staff.two_persons import SamePerson
from lototrot.models.contest import Contest
from tests.core.periods.conftest import closed, late_transfer
from tests.support import factories, rounds


def only() -> ClosedPeriod:
    return ClosedPeriod.objects.select_related("entry").get()


def test_a_month_is_closed_by_two_and_published(contest: Contest) -> None:
    by = factories.staff(Role.ORGANISER)
    proposal = services.period_propose(by=by)
    with pytest.raises(SamePerson):
        two_persons.confirm(proposal=proposal.uuid, by=by)
    two_persons.confirm(proposal=proposal.uuid, by=factories.staff(Role.AUDITOR))
    period = only()
    assert (period.first_day, period.last_day) == (date(2030, 3, 1), date(2030, 3, 31))
    entry = published(kind=services.ENTRY, subject="period:2030-03")
    assert entry is not None
    assert entry.document == period.document
    (of_contest,) = period.document["parts"]["lototrot"]
    assert (of_contest["contest"], of_contest["tickets"]) == (contest.pk, 3)
    held = period.cents_by_account()
    assert sum(held.values()) == 0
    assert len(held) == period.document["balances"]["accounts"] > 1
    assert recount(period) == []


def test_a_month_that_has_not_ended_or_is_closed_cannot_be_closed(contest: Contest) -> None:
    closed()
    closed()  # April, in which nothing happened
    assert list(ClosedPeriod.objects.values_list("number", flat=True)) == [1, 2]
    assert all(recount(period) == [] for period in ClosedPeriod.objects.all())
    with pytest.raises(NothingToClose):  # it is May
        services.period_propose(by=factories.staff(Role.ORGANISER))


def test_nothing_on_record_has_nothing_to_close(db: None) -> None:
    with pytest.raises(NothingToClose):
        services.period_propose(by=factories.staff(Role.ORGANISER))


def test_what_is_not_ordered_or_has_not_lapsed_keeps_its_month_open(db: None) -> None:
    factories.time_to(rounds.NOON)
    settled = rounds.settled(factories.point())
    factories.time_pass(days=40)
    for code in ("not_ordered", "not_lapsed"):
        with pytest.raises(PeriodUnfinished) as refused:
            services.period_propose(by=factories.staff(Role.ORGANISER))
        waits = refused.value.data["waits"]
        assert waits == {"lototrot": [{"code": code, "contest": settled.pk}]}
        if code == "not_ordered":
            rounds.order(settled)
    assert not ClosedPeriod.objects.exists()


def test_figures_that_moved_since_the_proposal_are_not_confirmed(contest: Contest) -> None:
    proposal = services.period_propose(by=factories.staff(Role.ORGANISER))
    late_transfer(contest)
    with pytest.raises(PeriodChanged), transaction.atomic():
        two_persons.confirm(proposal=proposal.uuid, by=factories.staff(Role.AUDITOR))
    assert not ClosedPeriod.objects.exists()


def test_a_crash_half_way_leaves_nothing(contest: Contest, monkeypatch: pytest.MonkeyPatch) -> None:
    proposal = services.period_propose(by=factories.staff(Role.ORGANISER))
    auditor = factories.staff(Role.AUDITOR)
    with monkeypatch.context() as patch:
        patch.setattr(PeriodBalance.objects, "bulk_create", _crash)
        with pytest.raises(KeyboardInterrupt), transaction.atomic():
            two_persons.confirm(proposal=proposal.uuid, by=auditor)
    assert published(kind=services.ENTRY, subject="period:2030-03") is None
    two_persons.confirm(proposal=proposal.uuid, by=auditor)
    assert recount(only()) == []


def _crash(rows: object) -> None:
    raise KeyboardInterrupt


def test_the_database_refuses_a_period_of_one_person_or_out_of_order(contest: Contest) -> None:
    closed()
    period = only()
    waiting = services.period_propose(by=factories.staff(Role.ORGANISER))
    confirmed = factories.proposal("periods.closing")
    for proposal, number, first_day, refusal in (
        (waiting, 2, date(2030, 4, 1), "two persons"),
        (confirmed, 2, date(2030, 5, 1), "does not follow"),
        (confirmed, 3, date(2030, 4, 1), "does not follow"),
        (confirmed, 1, date(2030, 3, 1), "does not follow"),
    ):
        with pytest.raises(DatabaseError, match=refusal), transaction.atomic():
            ClosedPeriod.objects.create(
                number=number,
                first_day=first_day,
                last_day=first_day.replace(day=30),
                ends_at=period.ends_at,
                last_batch=0,
                document={},
                proposal=proposal,
                entry=period.entry,
                closed_at=period.closed_at,
            )


def test_rows_that_came_later_or_were_changed_differ_when_counted_again(contest: Contest) -> None:
    closed()
    late_transfer(contest)
    assert recount(only()) == ["balances", "transfers", "stored_balances"]


def test_a_month_is_not_proposed_where_the_work_was_given_up(contest: Contest) -> None:
    """All is counted, and just before the proposal is kept the work is called cut off."""

    def hear(progress: Progress) -> None:
        if progress.end:
            raise GivenUp

    with pytest.raises(GivenUp), listening(hear):
        services.period_propose(by=factories.staff(Role.ORGANISER))
    assert not Proposal.objects.filter(kind=services.CLOSING.name).exists()
