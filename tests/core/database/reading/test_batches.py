"""Rows that many texts are about, read by one statement for each table."""

import pytest
from django.core.exceptions import ObjectDoesNotExist, ValidationError
from django.db import connection
from django.test.utils import CaptureQueriesContext

from core.database.reading.batches import in_batch, row_by, rows_by, rows_of_each, the
from core.payoffice.models import Deposit
from core.premises.models import Authorisation, Premises
from lototrot.models.contest import Contest
from tests.support import factories

pytestmark = pytest.mark.django_db


def test_texts_are_as_without_the_batch_and_read_each_table_once() -> None:
    place, contest = factories.point(), factories.contest()
    codes = [place.premises.code, "none", place.premises.code]

    def tell(code: str) -> str:
        row = row_by(Premises, "code", code)
        held = row_by(Contest, "pk", contest.pk if row else None, "meeting")
        return f"{row.name if row else '-'} {held.meeting.name if held else '-'}"

    with CaptureQueriesContext(connection) as queries:
        lines = in_batch(tell, codes)
    assert len(queries) == 2
    assert lines == [tell(code) for code in codes] and lines[1] == "- -"
    with CaptureQueriesContext(connection) as queries:
        assert in_batch(lambda more: rows_of_each(Premises, "code", more), [codes, codes[:1]])
    assert len(queries) == 1


def test_a_fault_of_one_text_passes() -> None:
    with pytest.raises(ObjectDoesNotExist):
        in_batch(lambda code: the(row_by(Premises, "code", code)), ["none"])
    assert row_by(Premises, "code", "none") is None  # no batch is left behind


def test_a_value_names_all_its_rows_or_none_or_is_refused() -> None:
    place = factories.point().premises
    held = rows_by(Authorisation, "premises", place.pk)
    assert {row.premises_id for row in held} == {place.pk} and len(held) == 2
    assert row_by(Authorisation, "pk", None) is None
    with pytest.raises(ValidationError):
        row_by(Deposit, "uuid", "no UUID")
