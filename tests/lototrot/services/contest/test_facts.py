"""Keep the constant facts of a contest for its sales."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from lototrot.engine.races import mask_of
from lototrot.selectors.contests import ContestUnknown
from lototrot.services.contest.code_secrets import secret_of
from lototrot.services.contest.facts import contest_facts
from tests.support import factories

pytestmark = pytest.mark.django_db


@pytest.mark.article("14.II.3")
def test_the_facts_name_all_that_a_ticket_shows() -> None:
    contest = factories.contest(price_cents=150)
    facts = contest_facts(contest.pk)
    assert (facts.pk, facts.day, facts.price_cents) == (contest.pk, contest.day, 150)
    assert (facts.bet_type_code, facts.meeting_name) == ("lototrot", contest.meeting.name)
    assert [leg.position for leg in facts.legs] == [1, 2, 3, 4, 5, 6, 7]
    races = factories.races_of(contest)
    assert [leg.race_name for leg in facts.legs] == [race.name for race in races]
    assert {leg.programme_mask for leg in facts.legs} == {mask_of(range(1, 11))}


def test_the_terms_offer_the_programme_also_after_a_withdrawal() -> None:
    contest = factories.contest()
    factories.withdrawal(factories.races_of(contest)[0], 4)
    terms = contest_facts(contest.pk).terms()
    assert terms.legs[0].programme_mask == mask_of(range(1, 11))
    assert terms.price_cents == contest.price_cents


def test_the_facts_are_read_once() -> None:
    contest = factories.contest()
    first = contest_facts(contest.pk)
    with CaptureQueriesContext(
        connection,
    ) as queries:
        assert contest_facts(contest.pk) is first
    assert len(queries) == 0


def test_the_secret_is_not_printed() -> None:
    contest = factories.contest()
    facts = contest_facts(contest.pk)
    assert facts.secret == secret_of(contest) and len(facts.secret) == 32
    assert "secret" not in repr(facts)


def test_there_are_no_facts_of_an_unknown_contest() -> None:
    with pytest.raises(ContestUnknown):
        contest_facts(2**31)
