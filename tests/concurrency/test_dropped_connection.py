"""A sale on a connection that the server has dropped meanwhile."""

import os

import psycopg
from django.db import connection

from core.premises.requests import new_uuid
from lototrot.models.tickets import Ticket
from lototrot.services.contest.facts import contest_facts
from lototrot.services.tickets.selling import SaleRequest, ticket_sell
from tests.support import factories
from tests.support.databases import Database


def test_a_sale_finds_a_new_connection_when_its_own_was_dropped(own_database: Database) -> None:
    place = factories.point()
    contest = factories.contest()
    factories.acknowledge(contest, place)
    contest_facts(contest.pk)  # as any process that has sold before
    request = SaleRequest(
        new_uuid(), contest.pk, ((1,),) * 7, contest.price_cents, contest.price_cents
    )
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_backend_pid()")
        (backend,) = cursor.fetchone()
    with psycopg.connect(os.environ["DATABASE_OWNER_URL"], autocommit=True) as owner:
        owner.execute("SELECT pg_terminate_backend(%s, 5000)", [backend])
    sold = ticket_sell(credentials=place.credentials, request=request)
    assert not sold.replayed
    assert Ticket.objects.get().uuid == request.uuid
