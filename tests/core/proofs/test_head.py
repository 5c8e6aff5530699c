"""Print the head of the public log on slips, and compare it with the log."""

import dataclasses

import pytest
from django.db import transaction

from core.kernel.codes import LENGTH, Code
from core.proofs import log
from core.proofs.head import head_text, with_head
from core.receipts import text
from core.receipts.document import Document, Line
from core.receipts.output import Output
from lototrot.models.tickets import Ticket
from lototrot.services.tickets.paper import slip_render, sold_again
from tests.support import factories

pytestmark = pytest.mark.django_db


def published(*subjects: str) -> None:
    for subject in subjects:
        with transaction.atomic():
            log.publish(kind="a.thing", subject=subject, document={"format": "x"})


def test_before_the_first_entry_there_is_no_head() -> None:
    document = Document(language="en", blocks=(Line("text"),), simulated=False)
    assert with_head(document) == document
    published("one")
    said = text.render(with_head(document))
    newest = log.published(kind="a.thing", subject="one")
    assert newest is not None
    digits = bytes(newest.digest).hex()
    assert f"Public log {newest.sequence} · {digits[:8]} {digits[8:16]}" in said


def test_a_ticket_has_it() -> None:
    published("one")
    factories.sell(factories.contest(), factories.point())
    ticket = Ticket.objects.get()
    sold = dataclasses.replace(
        sold_again(ticket, by=None, road=None), code=Code(b"T", "0" * LENGTH)
    )
    content = slip_render(sold, output=Output.HTML, language="en")
    assert head_text() in content.decode()
