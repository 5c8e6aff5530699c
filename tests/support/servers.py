"""Use servers that a test starts for itself, and sell tickets on them."""

import uuid
from collections.abc import Iterator
from contextlib import contextmanager

from django.db import connections

from core.config import env
from core.tools.embedded.postgres import Postgres
from lototrot.models.contest import Contest
from lototrot.models.tickets import Ticket
from tests.support import factories

SMALL = {"shared_buffers": "32MB", "max_connections": "20"}


@contextmanager
def used(server: Postgres) -> Iterator[None]:
    """Let Django use `server`."""
    urls = {"default": server.app_url, "owner": server.owner_url}
    before = {alias: dict(connections.settings[alias]) for alias in urls}
    connections.close_all()
    for alias, url in urls.items():
        found = env.database_settings(url)
        connections.settings[alias].update(
            found, OPTIONS=before[alias]["OPTIONS"] | found["OPTIONS"]
        )
    try:
        yield
    finally:
        connections.close_all()
        for alias, settings in before.items():
            connections.settings[alias].update(settings)


def sell(contest: Contest, point: factories.Point, number: int) -> set[uuid.UUID]:
    sales = [factories.sell(contest, point) for _ in range(number)]
    assert {sale.outcome for sale in sales} == {"sold"}
    return {sale.uuid for sale in sales}


def tickets() -> set[uuid.UUID]:
    return set(Ticket.objects.values_list("uuid", flat=True))
