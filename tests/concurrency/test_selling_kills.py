"""Processes, sessions and the server killed in mid-sale: no sale is lost and none invented."""

import random
import threading
import time
import uuid
from pathlib import Path

import psycopg
from django.db import InterfaceError, OperationalError, connection

from lototrot.services.tickets.selling import Sold
from tests.support.concurrency.killing import SELLERS, audit, sellers
from tests.support.concurrency.sales import sell, selling_point, together
from tests.support.databases import Database
from tests.support.factories.request_uuids import SystemClock

_PAUSES = random.Random(14)


def audited(database: Database, answered: set[uuid.UUID], asked: set[uuid.UUID]) -> set[uuid.UUID]:
    with psycopg.connect(database.owner_url) as session:
        return audit(session, answered, asked)


def test_a_killed_seller_loses_nothing_and_invents_nothing(
    own_database: Database, tmp_path: Path
) -> None:
    contest, place = selling_point()
    plan = {
        "contest": contest.pk,
        "price_cents": contest.price_cents,
        "token": place.token,
        "session": place.session_token,
    }
    with sellers(own_database.environment, plan, tmp_path, sales=5) as running:
        for each in running:
            time.sleep(_PAUSES.random() * 0.2)
            each.kill()
    answered = {ident for each in running for ident in each.lines("sold")}
    in_doubt = {ident for each in running for ident in each.in_doubt}
    audited(own_database, answered, answered | in_doubt)
    for ident in in_doubt:
        assert isinstance(sell(place, contest, ident), Sold)
        assert sell(place, contest, ident).replayed
    assert audited(own_database, answered, answered | in_doubt) == answered | in_doubt


def test_sessions_ended_by_the_server_in_mid_sale(own_database: Database) -> None:
    contest, place = selling_point()
    stop, system_clock = threading.Event(), SystemClock()
    answered: list[uuid.UUID] = []
    lost: list[uuid.UUID] = []

    def seller() -> None:
        while not stop.is_set():
            ident = system_clock.request_uuid()
            while True:
                try:
                    sell(place, contest, ident)
                except (OperationalError, InterfaceError):
                    lost.append(ident)
                    connection.close()
                    continue
                break
            answered.append(ident)

    def killer() -> None:
        try:
            with psycopg.connect(own_database.owner_url, autocommit=True) as owner:
                while len(lost) < 40:
                    owner.execute(
                        "SELECT pg_terminate_backend(pid) FROM (SELECT pid FROM pg_stat_activity"
                        " WHERE datname = current_database() AND pid <> pg_backend_pid()"
                        " AND query LIKE '%lototrot_sell%' ORDER BY random() LIMIT 1) victim"
                    )
                    time.sleep(0.01)
        finally:
            stop.set()

    together(killer, *[seller] * SELLERS)
    assert len(lost) >= 40
    assert audited(own_database, set(answered), set(answered)) == set(answered)
