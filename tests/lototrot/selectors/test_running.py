"""Sum running figures with late transactions, and without counting a ticket twice."""

from django.db import connections
from django.db.backends.base.base import BaseDatabaseWrapper

from lototrot.models.tickets import Ticket
from lototrot.selectors.running import RunningSums
from lototrot.selectors.totals import SUMMED
from tests.support import factories, rounds
from tests.support.concurrency.sales import eventually
from tests.support.databases import Database


def open_sale() -> BaseDatabaseWrapper:
    """Return a session with a sale that has taken its number and has not ended."""
    other = connections["default"].copy("default")
    other.set_autocommit(False)
    with other.cursor() as cursor:
        made_anew = {"uuid": "gen_random_uuid()", "code_digest": "'\\x00112233445566778899'::bytea"}
        names = [f.column for f in Ticket._meta.concrete_fields if f.column != "id"]
        values = ", ".join(made_anew.get(name, name) for name in names)
        cursor.execute(
            f"INSERT INTO lototrot_ticket ({', '.join(names)})"
            f" SELECT {values} FROM lototrot_ticket LIMIT 1"
        )
    return other


def test_takings_are_right_whatever_is_open_or_late(own_database: Database) -> None:
    contest = rounds.published()
    at, line = factories.point(), rounds.masks([[1]] * 7)
    totals = RunningSums(SUMMED)
    rounds.sell(contest, at, [line] * 4)
    other = open_sale()
    for _ in range(4):
        rounds.sell(contest, at, [line] * 2)
        seen = totals.read()[(contest.pk,)]
    assert seen == (12, 12, 1200)
    other.commit()
    assert totals.read()[(contest.pk,)] == (13, 13, 1300)
    for _ in range(3):
        rounds.sell(contest, at, [line])
        totals.read()
    assert totals.read()[(contest.pk,)] == (16, 16, 1600)
    # The mark waits for every open transaction of the server, those of other tests as well.
    eventually(lambda: totals.read()[(contest.pk,)] == (16, 16, 1600) and totals._mark > 0)
    other.close()


def test_a_sale_that_is_long_open_while_nothing_else_ends_is_counted(
    own_database: Database,
) -> None:
    """As a sale is that waits for a standby: every transaction that has ended is older."""
    contest = rounds.published()
    totals = RunningSums(SUMMED)
    rounds.sell(contest, factories.point(), [rounds.masks([[1]] * 7)])
    other = open_sale()
    for _ in range(4):
        assert totals.read()[(contest.pk,)] == (1, 1, 100)
    other.commit()
    assert totals.read()[(contest.pk,)] == (2, 2, 200)
    other.close()
