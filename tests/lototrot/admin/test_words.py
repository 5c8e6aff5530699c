"""Put codes of Lototrot into words."""

import datetime

import pytest
from django.utils.translation import override

from core.admin_support import proposal_texts
from lototrot.admin.words import GATE_NAMES, GATES, MISSING, missing_text, race_text
from lototrot.models.programme import Meeting, Race, Racecourse
from lototrot.selectors.settlement.results import Missing, results_missing
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


_SET = {"tickets": 2, "bets": 3, "amount_cents": 900, "digest": "ab"}


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("kind", "content", "words"),
    [
        ("closing_postponement", {"to_at": "2027-04-10T16:05:00+00:00"}, "10 Apr 2027 18:05:00"),
        ("breach_void", _SET, "2 tickets, €9.00"),
        ("breach_block", _SET, "2 tickets, €9.00"),
        ("unprinted", {"verdict": "stand", **_SET}, "Left to stand · 2 tickets, €9.00"),
        ("payment_order", {"prizes_cents": 5_000}, "€50.00"),
        ("contest_discard", {"reason": "Rain"}, ""),
    ],
)
def test_a_proposal_about_a_contest_says_what_of_it(
    kind: str, content: dict[str, object], words: str
) -> None:
    contest = factories.contest()
    proposal = factories.proposal(f"lototrot.{kind}", "x", {"contest": contest.pk, **content})
    with override("en"):
        text = proposal_texts.title_text(proposal)
        day = contest.day.strftime("%-d %b %Y")
    assert text.endswith(words) and day in text, text


@pytest.mark.django_db
def test_a_bet_type_that_ends_and_a_device_are_called_by_their_names() -> None:
    contest, point = factories.contest(), factories.point()
    course = factories.races_of(contest)[0].racecourse
    ended = factories.proposal("lototrot.game_end", "x", {"bet_type": contest.bet_type_code})
    device = {"terminal": point.terminal.code, "racecourse": course.code}
    appointed = factories.proposal("lototrot.signal_device", "x", device)
    with override("en"):
        assert proposal_texts.title_text(ended).endswith(": Lototrot")
        assert proposal_texts.title_text(appointed).endswith(
            f"{point.terminal.code} · {course.name}"
        )
