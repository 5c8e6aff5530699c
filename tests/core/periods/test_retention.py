"""The night and an alarm tell, by kind, which rows are over their time."""

from datetime import timedelta

from django.test import override_settings

from core.database import clock
from core.kernel.days import add_days, natural_day
from core.payoffice.models import Payee
from core.periods import alarms, nightly
from core.periods.retention import ledger_over, personal_data_over, tickets_over
from lototrot.models.contest import Contest
from tests.core.periods.conftest import closed


def test_nothing_is_over_its_time_before_anything_was_sold(db: None) -> None:
    today = natural_day(clock.now())
    assert (tickets_over(today), ledger_over(today), personal_data_over(today)) == ([], [], 0)


def test_months_are_told_when_their_time_is_over(contest: Contest) -> None:
    today = natural_day(clock.now())
    assert alarms.retirements_due() == []
    with override_settings(TICKETS_LIVE_DAYS=20):
        assert [over.month for over in tickets_over(today)] == ["2030-03"]  # nobody has closed it
        closed()
        (march,) = tickets_over(today)
        assert (march.month, march.since.isoformat()) == ("2030-03", "2030-04-21")
        assert [row.subject for row in alarms.retirements_due()] == ["2030-03"]
    with override_settings(LEDGER_KEPT_DAYS=20):
        outcome = nightly.retention(today)
    assert dict(outcome.counts) == {"tickets": 0, "ledger": 1, "personal_data": 0, "names": 0}
    (listed,) = outcome.listed["over_time"]
    assert (listed["kind"], listed["month"]) == ("ledger", "2030-03")


def test_only_the_newest_month_of_which_books_need_not_be_kept_is_told(contest: Contest) -> None:
    """Months closed since stay on record for good: the list would grow by one each month."""
    closed(), closed()
    today = natural_day(clock.now())
    with override_settings(LEDGER_KEPT_DAYS=1):
        assert [over.month for over in ledger_over(add_days(today, 60))] == ["2030-04"]


def test_personal_data_after_their_time_are_counted(contest: Contest) -> None:
    today = natural_day(clock.now())
    Payee.objects.create(
        uuid="00000000-0000-4000-8000-000000000001",
        encrypted=b"encrypted",
        kept_until=add_days(today, -1),
        recorded_at=clock.now() - timedelta(days=9),
    )
    assert personal_data_over(today) == 1
