"""Show Lototrot in the administration: its models, acts, keys and codes in words."""

from datetime import UTC, datetime

import pytest
from django.apps import apps
from django.contrib import admin
from django.utils.functional import Promise
from django.utils.translation import override

from core.admin_support import administration as of_core
from core.premises.requests import new_uuid
from lototrot.administration import ADMINISTRATION, KEY_NAMES
from lototrot.models.contest import DisplayAcknowledgement
from lototrot.models.tickets import CodeGiven, PrintConfirmation, Reprint
from tests.support import factories, rounds
from tests.support.admin_desk import row_url

# Rows with a page that is reached from their contest or their ticket.
PARTS = {CodeGiven, DisplayAcknowledgement, PrintConfirmation, Reprint}
READERS = ADMINISTRATION.content_readers


def test_every_model_with_a_page_stands_in_one_section() -> None:
    models = [model for section in ADMINISTRATION.sections for model, _ in section.models]
    assert len(models) == len(set(models))
    registered = set(admin.site._registry) & set(apps.get_app_config("lototrot").get_models())
    assert registered - set(models) == PARTS
    assert set(models) <= registered


@pytest.mark.parametrize("texts", ["kind_titles", "key_names", "code_texts"])
@pytest.mark.parametrize("language", ["ca", "es"])
def test_words_are_translated(texts: str, language: str) -> None:
    """Words alone may be the same in two languages; most sentences and most words are not."""
    words = getattr(ADMINISTRATION, texts)
    assert all(isinstance(word, Promise) for word in words.values())
    with override("en"):
        english = {key: str(word) for key, word in words.items()}
    with override(language):
        translated = {key: str(word) for key, word in words.items()}
    same = {key for key in words if translated[key] == english[key]}
    assert len(same) <= len(words) // 20 + 1, same


def test_a_key_is_not_named_twice() -> None:
    assert set(KEY_NAMES) & set(of_core.KEY_NAMES) == set()


def test_an_instant_of_a_proposal_is_shown_as_a_date_and_time() -> None:
    instant = datetime(2027, 7, 1, 16, 5, tzinfo=UTC)
    for key in ("effective_at", "actual_start_at", "announced_at"):
        with override("en"):
            assert "18:05" in READERS[key](instant.isoformat())


@pytest.mark.django_db
def test_a_proposal_leads_to_the_rows_that_it_names() -> None:
    factories.time_to(rounds.NOON)
    contest = rounds.settled(factories.point())
    settlement = contest.settlements.get()
    race = factories.races_of(contest)[0]
    assert row_url(race) in READERS["race"](race.pk)
    assert row_url(contest) in READERS["contest"](contest.pk)
    link = READERS["settlement"](str(settlement.uuid))
    assert row_url(settlement) in link
    assert f"· {settlement.number}" in link


@pytest.mark.django_db
def test_a_row_that_is_gone_is_shown_by_its_key() -> None:
    gone = new_uuid()
    assert READERS["settlement"](gone) == str(gone)
    assert READERS["race"](0) == "0"
    assert READERS["withdrawal"](0) == "0"
