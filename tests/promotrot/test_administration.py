"""Contribute Promotrot to the administration."""

from django.contrib import admin

from core.staff.two_persons import kinds
from promotrot.administration import ADMINISTRATION


def test_every_model_of_the_menu_has_its_page() -> None:
    models = [model for section in ADMINISTRATION.sections for model, _ in section.models]
    assert len(models) == len(set(models))
    assert all(admin.site.is_registered(model) for model in models)


def test_every_act_of_two_persons_has_a_title() -> None:
    own = {name for name in kinds() if name.startswith("promotrot.")}
    assert own == set(ADMINISTRATION.kind_titles)
