"""Publish the certificate of a settlement to everybody, and export sealed tickets to staff."""

from io import BytesIO

import pytest
from pypdf import PdfReader

from core.staff.powers import Role
from lototrot.services.settlement.certificate import certificate_in_force
from tests.support import factories
from tests.support.admin_desk import race_day
from tests.support.api import Api, refused, staff_api

pytestmark = pytest.mark.django_db


@pytest.mark.article("14.III.9.7")
def test_everybody_reads_the_certificate_in_force() -> None:
    contest, everybody = race_day().contest, Api()
    path = f"lototrot/contests/{contest.pk}"
    answer = everybody.get(f"{path}/certificate.json")
    entry = certificate_in_force(contest.pk).published()
    assert answer.json()["signature"] == entry["signature"]
    assert "max-age=5" in answer["Cache-Control"]
    for language in ("ca", "es", "en"):
        paper = everybody.get(f"{path}/certificate.pdf", lang=language)
        pages = PdfReader(BytesIO(paper.content)).pages
        words = "".join("".join(page.extract_text() for page in pages).split())
        document = entry["document"]
        wanted = (entry["signature"], document["seal"]["root"], document["settlement"])
        assert [word for word in wanted if word not in words] == []
    assert everybody.get(f"{path}/certificate.html").status_code == 200
    auditor = staff_api(Role.AUDITOR)
    content = auditor.get(f"{path}/sealed-tickets").getvalue()
    commitments = [bytes(ticket.code_commitment) for ticket in contest.tickets.all()]
    assert commitments and all(content.count(commitment) == 1 for commitment in commitments)
    refused(everybody.get(f"{path}/sealed-tickets"), 401, "credentials_missing")
    steward = staff_api(Role.STEWARDS)
    refused(steward.get(f"{path}/sealed-tickets"), 403, "power_missing")


def test_without_a_settlement_there_is_no_certificate() -> None:
    contest, everybody = factories.contest(), Api()
    path = f"lototrot/contests/{contest.pk}"
    refused(everybody.get(f"{path}/certificate.json"), 404, "certificate_unknown")
    refused(everybody.get(f"{path}/certificate.html"), 404, "certificate_unknown")
    auditor = staff_api(Role.AUDITOR)
    refused(auditor.get(f"{path}/sealed-tickets"), 409, "contest_not_sealed")
    refused(auditor.get("lototrot/contests/999999/sealed-tickets"), 404, "contest_unknown")
