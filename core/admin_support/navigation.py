"""Build the side bar: one entry for each job that the person has, and the tables behind *Records*.

`Place` lists the jobs. An entry leads to the desk of its place, or else to a page with what the
place has for this person.
"""

from functools import cache
from typing import Any

from django.contrib import admin
from django.db.models import Model
from django.http import HttpRequest
from django.urls import URLPattern, reverse
from django.utils.text import capfirst
from django.utils.translation import gettext

from core.admin_support import signed_on
from core.admin_support.contents import Keep, Page, Place, Section, administrations

ICONS = {
    Place.RACE_DAY: "flag",
    Place.OFFICE: "point_of_sale",
    Place.GAMES: "stadia_controller",
    Place.PREMISES: "storefront",
    Place.MONEY: "account_balance",
    Place.PROOF: "verified_user",
    Place.SETTINGS: "settings",
}


def sections() -> list[Section]:
    """Return the sections of every app, in order."""
    all_sections = [section for part in administrations() for section in part.sections]
    return sorted(all_sections, key=lambda section: section.order)


def _pages() -> list[Page]:
    return [page for part in administrations() for page in part.pages]


def page_urls(keep: Keep) -> list[URLPattern]:
    """Return the addresses of every page. `keep` wraps each view and lets only staff in."""
    return [url for page in _pages() for url in page.urls(keep)]


def pages_of(place: Place) -> list[Page]:
    """Return the pages of a place, in order."""
    return sorted((page for page in _pages() if page.place is place), key=lambda page: page.order)


def open_pages(request: HttpRequest, place: Place) -> list[Page]:
    """Return the pages of a place that this person may see, in order."""
    return [page for page in pages_of(place) if signed_on.may(request, page.power)]


@cache
def changelist_url(model: type[Model]) -> str:
    """Return the address of a table. It is cached: every page asks for those of all tables."""
    meta = model._meta
    return reverse(f"admin:{meta.app_label}_{meta.model_name}_changelist")


def list_link(request: HttpRequest, model: type[Model]) -> str:
    """Return the address of a table for a person who may see it; empty for others."""
    return changelist_url(model) if _may_view(request, model) else ""


def records(request: HttpRequest, place: Place) -> list[dict[str, Any]]:
    """Return the sections of a place with the tables that the person may see."""
    sections_seen = [
        {
            "title": section.title,
            "tables": [
                {
                    "title": capfirst(str(model._meta.verbose_name_plural)),
                    "icon": icon,
                    "link": changelist_url(model),
                    "model": model,
                }
                for model, icon in section.models
                if _may_view(request, model)
            ],
        }
        for section in sections()
        if section.place is place
    ]
    return [section for section in sections_seen if section["tables"]]


def _may_view(request: HttpRequest, model: type[Model]) -> bool:
    return bool(admin.site.get_model_admin(model).has_view_permission(request))


def _has_records(request: HttpRequest, place: Place) -> bool:
    """Return whether the person may see a table of the place."""
    return any(
        _may_view(request, model)
        for section in sections()
        if section.place is place
        for model, _ in section.models
    )


def place_url(place: Place) -> str:
    return reverse("admin:place", args=[place.value])


def _entry(request: HttpRequest, place: Place) -> dict[str, Any] | None:
    """Return the entry of a place, or None for a person who has nothing to do there.

    A place with a desk is for those who work at the desk; its tables are also behind *Records*.
    """
    desk = next((page for page in pages_of(place) if page.works), None)
    link = place_url(place)
    if desk:
        if not signed_on.may(request, desk.works):
            return None
        link = reverse(f"admin:{desk.name}")
    elif not open_pages(request, place) and not _has_records(request, place):
        return None
    return {"title": str(place.label), "icon": ICONS[place], "link": link, "place": place}


def place_of(path: str) -> Place | None:
    """Return the place to which the page at an address belongs."""
    for section in sections():
        if any(path.startswith(changelist_url(model)) for model, _ in section.models):
            return section.place
    if _is_of_today(path):
        return None
    for place in Place:
        links = [reverse(f"admin:{page.name}") for page in pages_of(place)]
        if path.startswith((place_url(place), *links)):
            return place
    return None


def _is_of_today(path: str) -> bool:
    links = (reverse(f"admin:{page.name}") for page in _pages() if page.of_today)
    return path.startswith(tuple(links))


def sidebar(request: HttpRequest) -> list[dict[str, Any]]:
    """Return the places of this person in Unfold's form."""
    here = place_of(request.path)
    today, all_records = reverse("admin:index"), reverse("admin:records")
    entries = [entry for place in Place if (entry := _entry(request, place))]
    for entry in entries:
        entry["active"] = entry["place"] is here
    first = _end(request, gettext("Today"), "today", today)
    first["active"] = first["active"] or _is_of_today(request.path)
    last = _end(request, gettext("Records"), "table_rows", all_records)
    return [{"items": [first, *entries]}, {"items": [last], "separator": True}]


def _end(request: HttpRequest, title: str, icon: str, link: str) -> dict[str, Any]:
    return {"title": title, "icon": icon, "link": link, "active": request.path == link}
