"""Print the head of the public log on slips, and compare it with the log."""

import dataclasses

import pytest
from django.db import transaction

from core.kernel.codes import LENGTH, Code
from core.premises.requests import new_uuid
from core.proofs import log
from core.proofs.head import Finding, HeadMalformed, head_compare, head_text, with_head
from core.receipts import text
from core.receipts.document import Document, Line
from core.receipts.output import Output
from lototrot.models.tickets import Ticket
from lototrot.services.tickets.paper import slip_render
from lototrot.services.tickets.selling import sold_again
from tests.support import factories
from tests.support.api import Api, refused, terminal_api
from tests.support.databases import Database
from tests.support.journaling import forge


def published(*subjects: str) -> None:
    for subject in subjects:
        with transaction.atomic():
            log.publish(kind="a.thing", subject=subject, document={"format": "x"})


@pytest.mark.django_db
def test_before_the_first_entry_there_is_no_head() -> None:
    document = Document(language="en", blocks=(Line("text"),), simulated=False)
    assert with_head(document) == document
    published("one")
    paper = text.render(with_head(document))
    newest = log.published(kind="a.thing", subject="one")
    assert newest is not None
    digits = bytes(newest.digest).hex()
    assert f"Public log {newest.sequence} · {digits[:8]} {digits[8:16]}" in paper


@pytest.mark.django_db
def test_a_ticket_has_it() -> None:
    published("one")
    factories.sell(factories.contest(), factories.point())
    ticket = Ticket.objects.get()
    sold = dataclasses.replace(
        sold_again(ticket, by=None, road=None), code=Code(b"T", "0" * LENGTH)
    )
    content = slip_render(sold, output=Output.HTML, language="en")
    assert head_text() in content.decode()


@pytest.mark.django_db
def test_a_sale_answers_it_for_terminals_that_print_their_own_slip() -> None:
    published("one")
    contest, point = factories.contest(), factories.point()
    factories.acknowledge(contest, point)
    body = {
        "uuid": str(new_uuid()),
        "contest": contest.pk,
        "price_cents": 100,
        "amount_cents": 100,
        "races": [[1]] * 7,
    }
    answer = terminal_api(point).post("lototrot/tickets", body)
    assert answer.status_code == 201, answer.content
    assert answer.json()["public_log"] == head_text()


@pytest.mark.django_db
def test_a_printed_head_is_found_again_however_it_is_typed() -> None:
    published("one")
    printed = head_text()
    published("two")
    for typed in (printed, f"Public log {printed}", printed.replace(" · ", " ").upper()):
        compared = head_compare(typed)
        assert (compared.finding, compared.head) == (Finding.CONTAINED, head_text())
    assert head_compare(head_text()).finding is Finding.CONTAINED
    for wrong in ("", "12", "x · 01234567 89abcdef", printed[:-1], "9" * 30):
        with pytest.raises(HeadMalformed):
            head_compare(wrong)


@pytest.mark.django_db
def test_anyone_compares_over_the_api() -> None:
    published("one")
    answer = Api().get("log/comparison", printed=head_text())
    assert answer.json() == {"finding": "contained", "sequence": 2, "head": head_text()}
    other = Api().get("log/comparison", printed=f"999 · {'0' * 8} {'0' * 8}")
    assert other.json()["finding"] == "missing"
    refused(Api().get("log/comparison", printed="1"), 422, "head_malformed")


def test_a_log_that_was_rewritten_is_told_from_the_printed_one(own_database: Database) -> None:
    published("one")
    printed = head_text()
    published("two", "three")
    forge("UPDATE proofs_logentry SET previous = repeat('a', 32)::bytea WHERE subject = 'three'")
    assert head_compare(printed).finding is Finding.BROKEN
    forge("UPDATE proofs_logentry SET document = '{}' WHERE subject = 'one'")
    assert head_compare(printed).finding is Finding.DIFFERENT
