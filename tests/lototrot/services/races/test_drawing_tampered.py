"""Check that a draw changed by the database's owner, behind its triggers, stops the settlement."""

from collections.abc import Iterator

import psycopg
import pytest
from pytest_django import DjangoDbBlocker

from core.proofs.log import EntryUnsound
from lototrot.engine.races import Outcome, Race
from lototrot.models.contest import Contest
from lototrot.models.settlement import Settlement
from lototrot.services.settlement.certificate import DrawUnsound
from lototrot.services.settlement.settling import contest_settle
from tests.support import databases, factories, rounds
from tests.support.databases import Database

OTHER_ORDER = 'UPDATE draws_outcome SET "order" = \'["2", "1", "3"]\''
OTHER_MINUTES = (
    'UPDATE proofs_logentry SET document = jsonb_set(document, \'{order}\', \'["2", "1", "3"]\')'
    " WHERE kind = 'draws.minutes'"
)


@pytest.fixture(scope="module")
def drawn(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> str:
    """Sell a contest, run one of its races and draw the other. Return the database's name."""

    def draw() -> None:
        factories.time_to(rounds.NOON)
        contest = rounds.contest(rounds.rules(**rounds.TWO_LEGS), [(1, 2, 3)] * 2)
        rounds.sell(contest, factories.point(), [(1, 1), (2, 2)])
        not_run = Race((1, 2, 3), winners=frozenset({1}), outcome=Outcome.NOT_RUN)
        rounds.run(contest, [not_run, Race((1, 2, 3), winners=frozenset({1}))])

    with django_db_blocker.unblock():
        return databases.prepared(draw)


@pytest.fixture
def database(drawn: str, django_db_blocker: DjangoDbBlocker) -> Iterator[Database]:
    with django_db_blocker.unblock(), databases.restored(drawn) as copy:
        yield copy


@pytest.mark.article("14.III.5.4.4")
@pytest.mark.parametrize(
    ("changes", "error"),
    [
        ({"draws_outcome": OTHER_ORDER}, DrawUnsound),
        ({"proofs_logentry": OTHER_MINUTES}, DrawUnsound),
        ({"draws_outcome": OTHER_ORDER, "proofs_logentry": OTHER_MINUTES}, EntryUnsound),
    ],
)
def test_another_order_than_the_minutes_is_never_settled(
    database: Database, changes: dict[str, str], error: type[Exception]
) -> None:
    with psycopg.connect(database.owner_url) as owner:
        for table, statement in changes.items():
            owner.execute(f"ALTER TABLE {table} DISABLE TRIGGER USER")
            owner.execute(statement)
            owner.execute(f"ALTER TABLE {table} ENABLE TRIGGER USER")
    with pytest.raises(error):
        contest_settle(contest_id=Contest.objects.get().pk)
    assert not Settlement.objects.exists()
