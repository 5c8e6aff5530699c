"""Contribute Promotrot to the administration."""

from django.contrib import admin

from promotrot.administration import ADMINISTRATION


def test_every_model_of_the_menu_has_its_page() -> None:
    models = [model for section in ADMINISTRATION.sections for model, _ in section.models]
    assert len(models) == len(set(models))
    assert all(admin.site.is_registered(model) for model in models)
