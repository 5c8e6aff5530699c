"""Parts of the administration, collected from every app."""

from django.contrib import admin

from core.admin_support.contents import administrations, collected
from core.admin_support.navigation import sections
from core.staff.two_persons import kinds


def test_every_registered_model_stands_in_one_section() -> None:
    models = [model for section in sections() for model, _icon in section.models]
    assert len(models) == len(set(models))
    assert set(models) <= set(admin.site._registry)


def test_sections_have_an_order_of_their_own() -> None:
    orders = [section.order for section in sections()]
    assert orders == sorted(orders)
    assert len(orders) == len(set(orders))


def test_every_act_of_two_persons_has_a_title() -> None:
    assert set(collected("kind_titles")) == set(kinds())


def test_mappings_of_the_apps_are_merged() -> None:
    titles = collected("kind_titles")
    for part in administrations():
        assert set(part.kind_titles) <= set(titles)
    assert collected("tones")["settled"] == "info"
