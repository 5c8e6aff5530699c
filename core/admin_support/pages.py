"""Collect the pages of the administration that do not show the rows of one table."""

from typing import Any

from django.http import HttpRequest
from django.urls import URLPattern, reverse

from core.admin_support import signed_on
from core.admin_support.contents import Keep, Page, administrations


def _pages() -> list[Page]:
    return [page for part in administrations() for page in part.pages]


def urls(keep: Keep) -> list[URLPattern]:
    """Return the addresses of every page. `keep` wraps each view and lets only staff in."""
    return [url for page in _pages() for url in page.urls(keep)]


def entries(request: HttpRequest) -> list[dict[str, Any]]:
    """Return the side bar's entries of the pages that this person may see, in order."""
    return [
        {"title": str(page.title), "icon": page.icon, "link": reverse(f"admin:{page.name}")}
        for page in sorted(_pages(), key=lambda page: page.order)
        if signed_on.may(request, page.power)
    ]
