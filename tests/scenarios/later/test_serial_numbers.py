"""Serial numbers past 2^31: both games and their nights go on (14.III.1.5, 15.III.3).

A ticket or a transfer gets there in some years. Here every number of 64 bits begins there.
"""

from datetime import date, timedelta
from random import Random

import psycopg
import pytest

from core.ledger.books import differences
from core.ledger.models import Transfer
from core.ledger.selectors import trial
from lototrot.models.tickets import Ticket
from promotrot.models.play import PlayTicket
from tests.support.databases import Database
from tests.support.season import world as season

PAST = 2**31 + 5
BEGINS = date(2036, 5, 5)
_SEQUENCES = """
SELECT format('ALTER SEQUENCE %s RESTART WITH %s', pg_get_serial_sequence(
           format('%I.%I', c.table_schema, c.table_name), c.column_name), {past})
  FROM information_schema.columns c
 WHERE c.table_schema = 'public' AND c.data_type = 'bigint' AND c.is_identity = 'YES'
"""


@pytest.fixture
def grown(own_database: Database) -> Database:
    """A database whose next rows have numbers past 2^31."""
    with psycopg.connect(own_database.owner_url, autocommit=True) as owner:
        statements = owner.execute(_SEQUENCES.format(past=PAST).encode()).fetchall()
        assert len(statements) > 50
        for (statement,) in statements:
            owner.execute(statement)
    return own_database


@pytest.mark.article("14.III.1.5", "15.III.3")
@pytest.mark.usefixtures("grown")
def test_both_games_go_on_past_two_to_the_thirty_first() -> None:
    world = season.begin(Random(31), BEGINS, premises=2)
    for number in range(3):
        day = BEGINS + timedelta(days=number)
        world.day(day, meeting=True)
        world.end_day(day, missed=0)
    for numbered in (Ticket, PlayTicket, Transfer):
        assert numbered.objects.earliest("pk").pk >= PAST
    assert world.counts["paid"]
    assert trial().difference_cents == 0
    assert differences()[1] == []
