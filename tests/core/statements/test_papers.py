"""Print a statement on paper and export its figures."""

import csv
import io
from datetime import date
from typing import Any

import pypdf
import pytest

from core.receipts.document import Spacer, Table
from core.statements import papers, services
from tests.support import factories, rounds
from tests.support.stating import SUNDAY, at, rate

pytestmark = pytest.mark.django_db

FIGURES = (
    ("ca", "1.050,00 €", "6,5 %"),
    ("es", "1.050,00 €", "6,5 %"),
    ("en", "€1,050.00", "6.5 %"),
)


def test_a_statement_as_paper_and_as_figures(organiser: Any, contest: Any) -> None:
    rate(organiser, "6.5")
    place = factories.point()
    rounds.sell(contest, place, [(1, 1)] * 1000)
    at(date(2030, 3, 11))
    (mine,) = services.statements_issue(until=SUNDAY)
    for language, amount, percent in FIGURES:
        content = papers.statement_pdf(mine, language=language)
        assert content == papers.statement_pdf(mine, language=language)
        text = "".join(page.extract_text() for page in pypdf.PdfReader(io.BytesIO(content)).pages)
        assert f"{place.premises.code}-0001" in text
        assert amount in text
        assert percent in text
        # Games have their names, and each of the two tables has its space above.
        assert "Lototrot" in text
        assert "lototrot" not in text
    paper = papers.statement_document(mine, language="ca", simulated=False).blocks
    tables = [at for at, block in enumerate(paper) if isinstance(block, Table)]
    assert [paper[at - 1] for at in tables] == [Spacer(), Spacer()]
    rows = list(csv.DictReader(io.StringIO(papers.statement_csv(mine))))
    *parts, closing = [int(row["cents"]) for row in rows]
    assert [row["line"] for row in rows] == ["opening", "sales", "commission", "closing"]
    assert closing == sum(parts) == mine.closing_cents == 105_000 - 6_825
