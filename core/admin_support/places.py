"""Show a place of the side bar, and *Records*: every table that the person may see."""

from typing import Any

from django.contrib import admin
from django.http import Http404, HttpRequest, HttpResponse
from django.template.response import TemplateResponse
from django.urls import reverse
from django.utils.http import urlencode
from django.utils.translation import gettext_lazy as _

from core.admin_support import dashboard, navigation, signed_on
from core.admin_support.contents import Place


def _begun(request: HttpRequest, sections: list[dict[str, Any]], back: str) -> list[dict[str, Any]]:
    """Return the acts that create rows of these tables and that the person is offered now."""
    by = signed_on.actor(request)
    return [
        {
            "title": act.title,
            "icon": act.icon,
            "danger": act.danger,
            "link": f"{table['link']}{act.name}/?{urlencode({'back': back})}",
        }
        for section in sections
        for table in section["tables"]
        for act in getattr(admin.site.get_model_admin(table["model"]), "list_acts", ())
        if act.open_to(by, None)
    ]


def place(request: HttpRequest, name: str) -> HttpResponse:
    """Show the pages, acts, panels and tables of a place."""
    if name not in Place.values:
        raise Http404
    here = Place(name)
    sections = navigation.records(request, here)
    context = admin.site.each_context(request) | {
        "title": here.label,
        "pages": [
            {"title": page.title, "icon": page.icon, "link": reverse(f"admin:{page.name}")}
            for page in navigation.open_pages(request, here)
        ],
        "acts": _begun(request, sections, navigation.place_url(here)),
        "panels": dashboard.panels(request, here),
        "places": [{"title": "", "sections": sections}],
    }
    return TemplateResponse(request, "admin_support/place.html", context)


def records(request: HttpRequest) -> HttpResponse:
    """Show every table that the person may see, by place."""
    places = [
        {
            "title": here.label,
            "link": navigation.place_url(here),
            "sections": navigation.records(request, here),
        }
        for here in Place
    ]
    context = admin.site.each_context(request) | {
        "title": _("Records"),
        "places": [place for place in places if place["sections"]],
    }
    return TemplateResponse(request, "admin_support/place.html", context)
