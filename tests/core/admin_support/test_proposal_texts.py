"""Proposals in words, as the second person reads them."""

import pytest
from django.utils.translation import override

from core.admin_support import proposal_texts
from core.admin_support.columns import NOTHING
from core.admin_support.contents import collected
from core.staff.models import Proposal
from core.staff.two_persons import kinds
from tests.support import factories
from tests.support.admin_desk import RaceDay, row_url

pytestmark = pytest.mark.django_db


def test_the_stored_content_is_shown_field_by_field() -> None:
    race = factories.races_of(factories.contest())[0]
    content = {"race": race.pk, "number": 4, "source": "<Vet>"}
    proposal = factories.proposal("lototrot.start", "race", content)
    with override("en"):
        html = proposal_texts.content_html(proposal)
        facts = dict(proposal_texts.content_facts(proposal))
    assert "&lt;Vet&gt;" in html
    assert row_url(race) in html
    assert facts["number"] == "4"
    assert row_url(race) in str(proposal_texts.subject_text(proposal))


def test_every_kind_says_in_words_what_is_decided_about() -> None:
    """A person reads no `opening:T-VISITOR:3f1c…` and no `lototrot:0198…`."""
    assert set(collected("proposal_words")) == set(kinds())


def test_the_proposals_of_a_day_are_called_by_no_name_for_machines(day: RaceDay) -> None:
    of_contest = Proposal.objects.filter(kind__startswith="lototrot.").exclude(content={})
    assert of_contest.count() >= 4
    for proposal in of_contest:
        text = proposal_texts.title_text(proposal)
        assert ":" in text and proposal.subject not in text, text


def test_a_content_that_the_words_of_its_kind_do_not_read_is_shown_field_by_field() -> None:
    proposal = factories.proposal("lototrot.bet_type", "bet-type:v5", {"source": "x"})
    assert proposal_texts.subject_text(proposal) == NOTHING
    assert [value for _name, value in proposal_texts.content_facts(proposal)] == ["x"]
    assert not proposal_texts.corrected_at(proposal)


def test_a_kind_without_a_title_shows_its_name() -> None:
    proposal = factories.proposal("test.unknown", "what it is about", {"x": 1})
    assert proposal_texts.kind_text(proposal) == "test.unknown"
    assert proposal_texts.subject_text(proposal) == NOTHING


def test_a_row_that_is_gone_shows_its_key() -> None:
    race = factories.races_of(factories.contest())[0]
    read = proposal_texts.row_link(type(race))
    assert row_url(race) in read(race.pk)
    assert read(0) == "0"
