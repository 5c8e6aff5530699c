"""The side bar. Each app's admin says what it has; the core knows no game."""

import dataclasses
from typing import Any

from django.contrib import admin
from django.db.models import Model
from django.http import HttpRequest
from django.urls import reverse
from django.utils.functional import Promise
from django.utils.text import capfirst
from django.utils.translation import gettext

from core.admin_support import pages


@dataclasses.dataclass(frozen=True, slots=True)
class Section:
    """A heading with the models under it and the icon of each (Material Symbols)."""

    title: str | Promise
    order: int
    models: tuple[tuple[type[Model], str], ...]


_sections: list[Section] = []


def section(title: str | Promise, order: int, *models: tuple[type[Model], str]) -> None:
    _sections.append(Section(title, order, models))


def sections() -> list[Section]:
    return sorted(_sections, key=lambda each: each.order)


def changelist_url(model: type[Model]) -> str:
    meta = model._meta
    return reverse(f"admin:{meta.app_label}_{meta.model_name}_changelist")


def sidebar(request: HttpRequest) -> list[dict[str, Any]]:
    """The sections in Unfold's form, with the models that the person may look at."""
    today = {"title": gettext("Today"), "icon": "today", "link": reverse("admin:index")}
    first = [today, *pages.entries(request)]
    groups: list[dict[str, Any]] = [{"items": first}]
    for each in sections():
        items = [
            {
                "title": capfirst(str(model._meta.verbose_name_plural)),
                "icon": icon,
                "link": changelist_url(model),
            }
            for model, icon in each.models
            if admin.site.get_model_admin(model).has_view_permission(request)
        ]
        groups.append({"title": str(each.title), "items": items, "separator": True})
    return groups
