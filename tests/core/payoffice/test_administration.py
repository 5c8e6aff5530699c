"""The prize office's part of the administration: its menu, words and colours."""

import pytest
from django.contrib import admin
from django.utils.translation import override

from core.payoffice import administration, powers
from core.payoffice.models import Cheque, Claim
from core.staff.powers import Role
from tests.support import factories, rounds
from tests.support import paying as given
from tests.support.admin_desk import Desk, list_url, row_url

MODELS = [
    model for section in administration.ADMINISTRATION.sections for model, _ in section.models
]


def test_every_model_of_the_menu_has_a_register() -> None:
    for model in MODELS:
        assert admin.site.is_registered(model)
    assert len(MODELS) == len(set(MODELS))


def test_colours_are_those_of_states() -> None:
    states = {*Claim.State.values, *Cheque.State.values}
    assert set(administration.ADMINISTRATION.tones) <= states


def test_the_desk_is_a_page_for_those_who_may_check() -> None:
    (page,) = administration.ADMINISTRATION.pages
    assert (page.name, page.power) == ("office", powers.CHECK)


def test_the_words_are_translated() -> None:
    with override("ca"):
        catalan = {key: str(text) for key, text in administration.KEY_NAMES.items()}
    with override("en"):
        english = {key: str(text) for key, text in administration.KEY_NAMES.items()}
    assert catalan["difference_cents"] != english["difference_cents"]
    assert all(english.values()) and all(catalan.values())


@pytest.mark.django_db
@pytest.mark.article("14.III.10.5")
def test_the_first_page_lists_what_waits_for_a_ruling() -> None:
    factories.time_to(rounds.NOON)
    (won,) = given.worth(1_234)
    deposit = given.deposited(won.code, factories.point().actor)
    page = row_url(deposit)
    assert page not in Desk(Role.SUPERVISOR).get("/admin/")
    factories.time_pass(days=40)
    assert page in Desk(Role.SUPERVISOR).get("/admin/")
    assert page not in Desk(Role.AUDITOR).get("/admin/")
    assert Desk(Role.AUDITOR).get(list_url(Claim))
