"""Put codes of Lototrot into words."""

import datetime

import pytest
from django.utils.translation import override

from lototrot.admin.words import GATE_NAMES, GATES, MISSING, missing_text, race_text
from lototrot.models.programme import Meeting, Race, Racecourse
from lototrot.services.races.results import Missing, results_missing
from tests.support import factories


def test_each_gate_has_a_name_and_words() -> None:
    assert GATES.keys() == GATE_NAMES.keys()


@pytest.mark.django_db
def test_what_a_leg_lacks_is_told_with_its_race_and_numbers() -> None:
    contest = factories.contest()
    gaps = results_missing(contest)
    assert {gap.code for gap in gaps} == {"classification_missing", "start_missing"}
    first = factories.races_of(contest)[0]
    assert missing_text(gaps[0]) == f"1: {first} – {MISSING['classification_missing']}"
    differing = Missing("withdrawals_differ", 1, first.pk, (3, 5))
    assert missing_text(differing) == f"1: {first} – {MISSING['withdrawals_differ']} (3, 5)"


def test_the_day_of_a_race_is_written_as_the_reader_writes_days() -> None:
    meeting = Meeting(day=datetime.date(2027, 4, 11))
    race = Race(number=6, name="Cursa", meeting=meeting, racecourse=Racecourse(name="Manacor"))
    with override("en"):
        assert race_text(race) == "6. Cursa · Manacor · 11 Apr 2027"
    with override("ca"):
        assert race_text(race) == "6. Cursa · Manacor · 11/04/2027"
