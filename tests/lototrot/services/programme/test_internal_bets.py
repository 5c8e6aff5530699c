"""Record the internal bet types of a meeting, and check the refusals [E16]."""

from datetime import date
from typing import Any

import pytest
from django.db import IntegrityError, transaction

from core.staff.actor import PowerMissing
from core.staff.powers import Role
from lototrot.models.contest import Contest
from lototrot.models.programme import InternalBetList, Meeting
from lototrot.selectors.internal_bets import internal_list
from lototrot.services.programme import internal_bets
from tests.support import factories

pytestmark = [pytest.mark.django_db, pytest.mark.article("14.I.1")]
TRIO = {"code": "trio", "name": "Trio"}


@pytest.fixture
def meeting() -> Meeting:
    return factories.meeting(internal=None)


def record(meeting: Meeting, **changes: Any) -> InternalBetList:
    arguments = {
        "by": factories.staff(Role.ORGANISER),
        "types": [TRIO],
        "none": False,
        "source": "Hipòdrom",
        "dated_on": date(2026, 1, 2),
    } | changes
    return internal_bets.internal_bets_record(meeting=meeting, **arguments)


def test_the_newest_list_is_in_force_and_the_same_again_is_the_same_row(meeting: Meeting) -> None:
    assert internal_list(meeting.pk) is None
    first = record(meeting)
    assert record(meeting) == first
    second = record(meeting, types=[TRIO, {"code": "gemela", "name": "Gemela"}])
    assert [kind["code"] for kind in second.types] == ["gemela", "trio"]
    assert internal_list(meeting.pk) == second


def test_an_empty_list_is_said_to_be_empty(meeting: Meeting) -> None:
    for types, none in (([], False), ([TRIO], True)):
        with pytest.raises(internal_bets.EmptinessUnsaid):
            record(meeting, types=types, none=none)
    assert record(meeting, types=[], none=True).none


@pytest.mark.parametrize(
    ("changes", "error"),
    [
        ({"source": " "}, internal_bets.SourceMissing),
        ({"types": [TRIO, TRIO]}, internal_bets.TypeRepeated),
        ({"dated_on": date(2999, 1, 1)}, internal_bets.DatedAhead),
    ],
)
def test_a_list_without_source_with_a_type_twice_or_of_the_future_is_refused(
    meeting: Meeting, changes: dict[str, Any], error: type[Exception]
) -> None:
    with pytest.raises(error):
        record(meeting, **changes)
    with pytest.raises(PowerMissing):
        record(meeting, by=factories.staff(Role.STEWARDS))
    assert not InternalBetList.objects.exists()


def test_the_database_refuses_an_empty_list_unsaid_and_an_opening_without_a_list() -> None:
    meeting = factories.meeting(internal=None)
    contest = factories.contest(meeting, state=Contest.State.DRAFT)
    with pytest.raises(IntegrityError, match="not on record"), transaction.atomic():
        factories.contest_opened(contest)
    listed = factories.internal_bets(meeting, ())
    values = {
        field.attname: getattr(listed, field.attname)
        for field in InternalBetList._meta.concrete_fields
        if not field.primary_key
    }
    with pytest.raises(IntegrityError), transaction.atomic():
        InternalBetList.objects.create(**values | {"none": False})
    factories.contest_opened(contest)
