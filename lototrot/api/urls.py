"""Resources of Lototrot, under /api/v1/lototrot/."""

from django.urls import URLPattern, path

from lototrot.api import programmes, sale, tickets
from lototrot.services.paper import Output

_TICKET = "tickets/<uuid:ident>"
_POSTERS = (Output.PDF, Output.HTML)

urlpatterns: list[URLPattern] = [
    path("tickets", sale.Tickets.as_view()),
    path(f"{_TICKET}/inquiry", tickets.Inquiry.as_view()),
    path(f"{_TICKET}/slip.json", tickets.SlipJson.as_view()),
    *[path(f"{_TICKET}/slip.{output}", tickets.slip_view(output).as_view()) for output in Output],
    path(f"{_TICKET}/print-confirmation", tickets.PrintConfirmation.as_view()),
    path(f"{_TICKET}/reprints", tickets.Reprints.as_view()),
    path(f"{_TICKET}/annulment", tickets.Annulment.as_view()),
    path("terminal/tickets", tickets.OwnTickets.as_view()),
    path("terminal/totals", tickets.Totals.as_view()),
    path("racecourses", programmes.Racecourses.as_view()),
    path("programmes", programmes.Programmes.as_view()),
    path("meetings", programmes.Meetings.as_view()),
    path("meetings/<int:meeting>", programmes.OneMeeting.as_view()),
    path("meetings/<int:meeting>/approval", programmes.Approval.as_view()),
    *[
        path(
            f"meetings/<int:meeting>/poster.{output}",
            programmes.poster_view(output).as_view(),
        )
        for output in _POSTERS
    ],
]
