"""Serve Lototrot's public pages: the calendar of meetings, and each past one at an address of its
own.
"""

from datetime import date
from itertools import groupby
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import path, reverse

from core.screens.board import Board
from core.screens.panels import Panel
from core.screens.views import Screen
from lototrot.screens import BOARD
from lototrot.selectors.board import past_document, published_contests


class Meetings(Screen):
    """List the meetings by month, the newest first."""

    template_name = "lototrot/meetings.html"

    def get_context_data(self, **context: Any) -> dict[str, Any]:
        contests = published_contests()
        months = [
            (month, list(of_month))
            for month, of_month in groupby(contests, key=lambda contest: contest.day.replace(day=1))
        ]
        return super().get_context_data(**context, months=months)


class Meeting(Board):
    """Show a settled contest for good; one that is not settled is on the board."""

    def sections(self) -> tuple[Panel, ...]:
        return (BOARD,)

    def get(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        try:
            day = date.fromisoformat(kwargs["day"])
        except ValueError as error:
            raise Http404 from error
        past = past_document(day, kwargs["bet_type"])
        if past is None:
            published = {(each.day, each.bet_type_code) for each in published_contests()}
            if (day, kwargs["bet_type"]) not in published:
                raise Http404
            return redirect(reverse("board"))
        return super().get(request, *args, past=past, **kwargs)

    def get_context_data(self, **context: Any) -> dict[str, Any]:
        context_data = super().get_context_data(**context)
        context_data["config"] |= {"phone": None, "fixed": {BOARD.name: context["past"]}}
        return context_data | {"wall": False}


PAGES = (
    path("meetings", Meetings.as_view(), name="meetings"),
    path("meetings/<slug:day>/<slug:bet_type>", Meeting.as_view(), name="meeting"),
)
