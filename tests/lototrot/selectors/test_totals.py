"""Sum the takings of contests on sale, with late transactions, and without counting twice."""

import pytest
from django.db import connections

from lototrot.models.tickets import Ticket, Void
from lototrot.selectors.totals import RunningTotals, Totals, contest_totals
from tests.support import factories, rounds
from tests.support.databases import Database


def test_takings_are_right_whatever_is_open_or_late(own_database: Database) -> None:
    contest = rounds.published()
    at, line = factories.point(), rounds.masks([[1]] * 7)
    totals = RunningTotals()
    rounds.sell(contest, at, [line] * 4)
    other = connections["default"].copy("default")
    other.set_autocommit(False)
    with other.cursor() as cursor:  # a sale that takes its number now and ends much later
        made_anew = {"uuid": "gen_random_uuid()", "code_digest": "'\\x00112233445566778899'::bytea"}
        names = [f.column for f in Ticket._meta.concrete_fields if f.column != "id"]
        values = ", ".join(made_anew.get(name, name) for name in names)
        cursor.execute(
            f"INSERT INTO lototrot_ticket ({', '.join(names)})"
            f" SELECT {values} FROM lototrot_ticket LIMIT 1"
        )
    for _ in range(4):
        rounds.sell(contest, at, [line] * 2)
        seen = totals.read()[contest.pk]
    assert seen == Totals(12, 12, 1200)
    other.commit()
    assert totals.read()[contest.pk] == Totals(13, 13, 1300)
    for _ in range(3):
        rounds.sell(contest, at, [line])
        totals.read()
    assert totals.read()[contest.pk] == Totals(16, 16, 1600)
    assert totals._mark > 0
    other.close()


@pytest.mark.django_db
def test_voided_tickets_do_not_count_and_a_settlement_has_the_last_word() -> None:
    contest = rounds.published()
    at = factories.point()
    assert contest_totals(contest) == Totals(0, 0, 0)
    voided, _ = rounds.sell(contest, at, [(1,) * 7, (3,) * 7])
    Void.objects.create(
        ticket=voided, reason="error", note="", voided_at=voided.sold_at, operator=at.operator
    )
    assert contest_totals(contest) == Totals(1, 128, 12_800)
    rounds.bare_settlement(factories.contest_closed(contest))
    assert contest_totals(contest) == Totals(0, 0, 0)
