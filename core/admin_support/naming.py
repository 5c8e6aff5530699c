"""What models and their fields are called for people, where the models do not say it.

Migrations compare what a model declares, not this: naming a model here changes no table.
"""

from collections.abc import Mapping

from django.apps import apps
from django.db.models import Model
from django.utils.functional import Promise

from core.admin_support.labels import LABELS

Text = str | Promise


def name_model(model: type[Model], one: Text, many: Text) -> None:
    model._meta.verbose_name = one  # type: ignore[assignment]
    model._meta.verbose_name_plural = many  # type: ignore[assignment]


def name_app(label: str, text: Text) -> None:
    apps.get_app_config(label).verbose_name = text  # type: ignore[assignment]


def name_fields(model: type[Model], labels: Mapping[str, Text]) -> None:
    """Give every field of the model its label: the page's own, or the common one."""
    for field in model._meta.concrete_fields:
        label = labels.get(field.name) or LABELS.get(field.name)
        if label:
            field.verbose_name = label  # type: ignore[assignment]
