"""Print a statement on paper and export its figures."""

import csv
import io
from datetime import date
from typing import Any

import pypdf
import pytest

from core.statements import papers, services
from tests.support import factories, rounds
from tests.support.stating import SUNDAY, at, rate

pytestmark = pytest.mark.django_db


def test_a_statement_as_paper_and_as_figures(organiser: Any, contest: Any) -> None:
    rate(organiser)
    place = factories.point()
    rounds.sell(contest, place, [(1, 1)] * 1000)
    at(date(2030, 3, 11))
    (mine,) = services.statements_issue(until=SUNDAY)
    for language, amount in (("ca", "1.050,00 €"), ("es", "1.050,00 €"), ("en", "€1,050.00")):
        content = papers.statement_pdf(mine, language=language)
        assert content == papers.statement_pdf(mine, language=language)
        text = "".join(page.extract_text() for page in pypdf.PdfReader(io.BytesIO(content)).pages)
        assert f"{place.premises.code}-0001" in text
        assert amount in text
    rows = list(csv.DictReader(io.StringIO(papers.statement_csv(mine))))
    *parts, closing = [int(row["cents"]) for row in rows]
    assert [row["line"] for row in rows] == ["opening", "sales", "commission", "closing"]
    assert closing == sum(parts) == mine.closing_cents == 105_000 - 6_300
