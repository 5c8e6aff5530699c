"""Open an account that another transaction opens at the same moment."""

from concurrent.futures import ThreadPoolExecutor

import psycopg
from django.db import connections

from core.ledger import services as ledger
from core.ledger.models import Account
from tests.support.concurrency.sales import eventually
from tests.support.databases import Database

OURS, THEIRS = ledger.asset("ours"), ledger.liability("theirs")
_OPEN = "INSERT INTO ledger_account (code, side, opened_at) VALUES (%s, %s, core_now())"
_WAITS = (
    "SELECT FROM pg_locks JOIN pg_stat_activity a USING (pid)"
    " WHERE NOT granted AND a.datname = current_database()"
)


def _opened() -> dict[str, Account]:
    try:
        return ledger.account_open([OURS, THEIRS])
    finally:
        connections.close_all()


def test_an_account_that_another_opens_meanwhile_is_that_one(own_database: Database) -> None:
    with psycopg.connect(own_database.app_url) as other, ThreadPoolExecutor(1) as pool:
        other.execute(_OPEN, [THEIRS.code, THEIRS.side.value])
        opening = pool.submit(_opened)
        with psycopg.connect(own_database.owner_url, autocommit=True) as owner:
            eventually(lambda: owner.execute(_WAITS).fetchone() is not None)
        other.commit()
        opened = opening.result(60)
    assert {code: account.pk for code, account in opened.items()} == dict(
        Account.objects.values_list("code", "pk")
    )
    assert sorted(opened) == [OURS.code, THEIRS.code]
