"""Proposals about races as the second person reads them: horses by name, the winner large."""

import re

import pytest
from django.utils.translation import override

from core.admin_support import proposal_texts
from core.staff.models import Proposal
from core.staff.powers import Role
from lototrot.models.programme import Race, Runner
from lototrot.models.running import Classification
from lototrot.services.races import classification, declarations, withdrawals
from lototrot.services.races.classification import Entry
from lototrot.services.settlement import classification_correction
from tests.support import factories

pytestmark = pytest.mark.django_db


def _text(html: object) -> str:
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", str(html))).strip()


@pytest.fixture
def race() -> Race:
    race: Race = factories.meeting().races.order_by("number").first()
    factories.started(race)
    factories.time_pass(minutes=5)
    return race


def _entries(race: Race, *winners: int) -> list[Entry]:
    return [
        Entry(number, "winner", 1, "") if number in winners else Entry(number, "started", None, "")
        for number in race.runners.values_list("number", flat=True)
    ]


def _name(race: Race, number: int) -> str:
    return str(Runner.objects.get(race=race, number=number).name)


def _facts(proposal: Proposal) -> dict[str, str]:
    with override("en"):
        facts = proposal_texts.content_facts(proposal)
        return {str(name): str(value) for name, value in facts}


def _proposed(race: Race, *winners: int) -> Proposal:
    return classification.classification_propose(
        by=factories.staff(Role.STEWARDS),
        race_id=race.pk,
        runners=_entries(race, *winners),
        announced_text="The winner is announced.",
        author="A steward",
        announced_at=factories.time_pass(minutes=1),
    )


@pytest.mark.article("14.III.5.3")
def test_a_classification_shows_the_winner_large_and_by_name(race: Race) -> None:
    proposal = _proposed(race, 3)
    facts = _facts(proposal)
    assert "house-winner" in facts["winner"]
    assert 'data-cloth="3"' in facts["winner"]
    assert _text(facts["winner"]).startswith(f"3 {_name(race, 3)}")
    assert _name(race, 3) in proposal_texts.title_text(proposal)
    for number in race.runners.values_list("number", flat=True):
        assert _name(race, number) in _text(facts["runners"])
    assert facts["Announced text"] == "The winner is announced."


@pytest.mark.article("14.III.5.4.3")
def test_a_dead_heat_shows_both_winners(race: Race) -> None:
    proposal = _proposed(race, 5, 2)
    won = _text(_facts(proposal)["winner"])
    assert won.index(_name(race, 2)) < won.index(_name(race, 5))
    assert f"2 {_name(race, 2)} = 5 {_name(race, 5)}" in proposal_texts.title_text(proposal)


@pytest.mark.article("14.III.5.3")
def test_a_correction_shows_the_winner_on_record_and_what_is_otherwise(race: Race) -> None:
    factories.classified(race, [1])
    proposal = classification_correction.classification_correct(
        by=factories.staff(Role.STEWARDS),
        race_id=race.pk,
        runners=_entries(race, 2),
        reason="Typed wrong",
    )
    facts = _facts(proposal)
    assert _name(race, 2) in facts["winner"]
    assert _name(race, 1) in facts["winner on record"]
    assert _name(race, 1) in facts["what is otherwise"]
    assert _name(race, 3) not in facts["what is otherwise"]
    assert facts["reason"] == "Typed wrong"
    assert Classification.objects.filter(race=race).count() == 1


def test_a_withdrawal_names_the_horse() -> None:
    race = factories.meeting().races.order_by("number").first()
    row = withdrawals.withdrawal_enter(
        by=factories.staff(Role.STEWARDS), race_id=race.pk, number=4, source="<Vet>"
    )
    facts = _facts(row.proposal)
    assert _name(race, 4) in facts["horse"]
    assert facts["source"] == "<Vet>"  # escaped by the page
    assert _name(race, 4) in proposal_texts.title_text(row.proposal)


@pytest.mark.article("14.III.5.4.2")
def test_a_declaration_says_of_which_race_what_and_by_whom() -> None:
    """It was `kind: not_run` and `author: stewards`, and of a meeting only its number."""
    first = factories.meeting().races.order_by("number").first()
    by = factories.staff(Role.STEWARDS)
    factories.time_pass(minutes=1)
    one = declarations.race_declare(by=by, race_id=first.pk, kind="not_run", reason="Fog")
    all_of_it = declarations.meeting_declare(by=by, meeting=first.meeting, reason="Storm")
    with override("en"):
        assert "Not run" in proposal_texts.title_text(one)
        assert first.racecourse.name in proposal_texts.title_text(one)
        assert first.meeting.name in proposal_texts.title_text(all_of_it)
    facts = _facts(one)
    assert facts["kind"] == "Not run" and facts["Decided by"] == "Stewards"
    assert first.meeting.name in _facts(all_of_it)["meeting"]
