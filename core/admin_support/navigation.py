"""Build the side bar of the sections that the apps contribute."""

from typing import Any

from django.contrib import admin
from django.db.models import Model
from django.http import HttpRequest
from django.urls import reverse
from django.utils.text import capfirst
from django.utils.translation import gettext

from core.admin_support import pages
from core.admin_support.contents import Section, administrations


def sections() -> list[Section]:
    """Return the sections of every app, in order."""
    all_sections = [section for part in administrations() for section in part.sections]
    return sorted(all_sections, key=lambda section: section.order)


def changelist_url(model: type[Model]) -> str:
    meta = model._meta
    return reverse(f"admin:{meta.app_label}_{meta.model_name}_changelist")


def sidebar(request: HttpRequest) -> list[dict[str, Any]]:
    """Return the sections in Unfold's form, with the models that the person may see."""
    today = {"title": gettext("Today"), "icon": "today", "link": reverse("admin:index")}
    first = [today, *pages.entries(request)]
    groups: list[dict[str, Any]] = [{"items": first}]
    for section in sections():
        items = [
            {
                "title": capfirst(str(model._meta.verbose_name_plural)),
                "icon": icon,
                "link": changelist_url(model),
            }
            for model, icon in section.models
            if admin.site.get_model_admin(model).has_view_permission(request)
        ]
        groups.append({"title": str(section.title), "items": items, "separator": True})
    return groups
