"""Pages of the admin that are not about the rows of one table. Each app registers its own."""

import dataclasses
from collections.abc import Callable
from typing import Any

from django.http import HttpRequest
from django.urls import URLPattern, reverse
from django.utils.functional import Promise

from core.admin_support import signed_on

Keep = Callable[[Callable[..., Any]], Callable[..., Any]]


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """`name` is the address's name within `admin:`; `order` its place in the side bar.

    `urls(keep)` are its addresses; each view goes through `keep`, which lets only staff in.
    """

    title: str | Promise
    icon: str
    name: str
    order: int
    power: str
    urls: Callable[[Keep], list[URLPattern]]


_pages: list[Page] = []


def register(page: Page) -> Page:
    _pages.append(page)
    return page


def urls(keep: Keep) -> list[URLPattern]:
    return [url for page in _pages for url in page.urls(keep)]


def entries(request: HttpRequest) -> list[dict[str, Any]]:
    """What the side bar shows of them, in order, to this person."""
    return [
        {"title": str(page.title), "icon": page.icon, "link": reverse(f"admin:{page.name}")}
        for page in sorted(_pages, key=lambda page: page.order)
        if signed_on.may(request, page.power)
    ]
