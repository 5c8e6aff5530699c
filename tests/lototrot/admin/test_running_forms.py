"""Enter and correct classifications by their forms."""

import pytest

from core.staff.models import Proposal
from core.staff.powers import Role
from lototrot.models.running import Classification
from tests.support import factories
from tests.support.admin_desk import (
    Desk,
    act_url,
)
from tests.support.lototrot.classification_form import classification, race_started

pytestmark = pytest.mark.django_db


@pytest.mark.article("14.III.5.3")
def test_a_classification_is_entered_and_corrected(stewards: Desk) -> None:
    race = race_started()
    typed = classification(race)
    stewards.do(race, "classify", **typed)
    assert not Classification.objects.filter(race=race)
    confirming = Desk(Role.STEWARDS)
    proposal = Proposal.objects.get(kind="lototrot.classification", decision=None)
    assert "1r: el 3" in confirming.get(act_url(proposal, "confirm"))
    confirming.do(proposal, "confirm")
    assert Classification.objects.get(race=race).announced_text == "1r: el 3"
    assert not stewards.offers(race, "classify")
    fixed = {k: v for k, v in typed.items() if k.startswith(("outcome", "place"))}
    fixed |= {"outcome_4": "winner", "reason": "A dead heat was announced"}
    stewards.do(race, "correct", **fixed)
    correction = Proposal.objects.get(kind="lototrot.classification_correction", decision=None)
    assert "1r: el 3" in stewards.get(act_url(race, "correct")), "the announced text [B18]"
    inspector = Desk(Role.INSPECTOR)
    assert "1r: el 3" in inspector.get(act_url(correction, "confirm"))
    inspector.do(correction, "confirm")
    winners = [
        r["number"]
        for r in Classification.objects.get(in_force=True, race=race).runners
        if r["outcome"] == "winner"
    ]
    assert winners == [3, 4]


@pytest.mark.article("14.III.5.3", "14.III.9.9")
def test_a_result_is_one_line_that_never_contradicts_the_table(stewards: Desk) -> None:
    race = race_started()
    plain = classification(race, outcome_3="started", place_3="")
    for wrong in ("11", "1, 1", "el 3", "3 -4", "²"):
        page = stewards.ask(race, "classify", **plain, winners=wrong).content.decode()
        assert "each once" in page, wrong
    other = stewards.ask(race, "classify", **classification(race), winners="4").content.decode()
    assert "The table names another winner" in other
    entered = Proposal.objects.filter(kind="lototrot.classification")
    assert not entered.exists()
    stewards.do(race, "classify", **plain, winners="3, 4")
    Desk(Role.STEWARDS).do(entered.get(), "confirm")
    runners = Classification.objects.get(race=race).runners
    won = [(r["number"], r["place"]) for r in runners if r["outcome"] == "winner"]
    assert won == [(3, 1), (4, 1)]


def test_what_contradicts_the_record_is_shown_number_by_number(stewards: Desk) -> None:
    race = factories.meeting().races.first()
    factories.withdrawal(race, 9)
    factories.started(race, at=factories.time_pass(minutes=5))
    factories.time_pass(minutes=5)
    assert 'value="withdrawn" selected' in stewards.get(act_url(race, "classify"))
    refusal = stewards.refused(race, "classify", "classification_refused", **classification(race))
    assert "9 is on record as withdrawn." in refusal
    assert not Proposal.objects.filter(kind="lototrot.classification", decision=None)
