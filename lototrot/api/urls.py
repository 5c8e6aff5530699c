"""List the resources of Lototrot below /api/v1/lototrot/."""

from django.urls import URLPattern, path

from lototrot.api import (
    authority,
    certificates,
    contests,
    course,
    desk,
    programmes,
    proofs,
    rules,
    sale,
    schedules,
    settlements,
    stops,
    tickets,
    unprinted,
)

_TICKET = "tickets/<uuid:ident>"
_CONTEST = "contests/<int:contest>"
_RACE = "races/<int:race>"
_MEETING = "meetings/<int:meeting>"

_terminals: list[URLPattern] = [
    path("tickets", sale.Tickets.as_view()),
    path(f"{_TICKET}/inquiry", tickets.Inquiry.as_view()),
    path(f"{_TICKET}/slip.<str:form>", tickets.Slip.as_view()),
    path(f"{_TICKET}/print-confirmation", tickets.PrintConfirmation.as_view()),
    path(f"{_TICKET}/reprints", tickets.Reprints.as_view()),
    path(f"{_TICKET}/annulment", tickets.Annulment.as_view()),
    path("terminal/tickets", tickets.OwnTickets.as_view()),
    path("terminal/totals", tickets.Totals.as_view()),
    path("terminal/contests", desk.OnSale.as_view()),
    path(f"terminal/{_CONTEST}/poster.<str:form>", desk.ContestPoster.as_view()),
    path(f"{_CONTEST}/display-acknowledgement", desk.Acknowledgement.as_view()),
]

_preparing: list[URLPattern] = [
    path("racecourses", programmes.Racecourses.as_view()),
    path("programmes", programmes.Programmes.as_view()),
    path("meetings", programmes.Meetings.as_view()),
    path(_MEETING, programmes.OneMeeting.as_view()),
    path(f"{_MEETING}/approval", programmes.Approval.as_view()),
    path(f"{_MEETING}/internal-bets", programmes.InternalBets.as_view()),
    path(f"{_MEETING}/poster.<str:form>", programmes.MeetingPoster.as_view()),
    path("bet-types", rules.BetTypes.as_view()),
    path("bet-types/proposals", rules.BetTypeProposals.as_view()),
    path("figures-amendments", authority.Amendments.as_view()),
    path("ends", authority.Ends.as_view()),
    path("ticket-layout", rules.TicketLayout.as_view()),
    path("ticket-layout/specimen.<str:form>", rules.TicketSpecimen.as_view()),
    path("ticket-models", rules.TicketModels.as_view()),
    path("contests", contests.Contests.as_view()),
    path(_CONTEST, contests.OneContest.as_view()),
    path(f"{_CONTEST}/terms", contests.Terms.as_view()),
    path(f"{_CONTEST}/discard", contests.Discard.as_view()),
    path(f"{_CONTEST}/publication", contests.Publication.as_view()),
    path(f"{_CONTEST}/opening", contests.Opening.as_view()),
    path(f"{_CONTEST}/schedule", schedules.Schedule.as_view()),
    path(f"{_CONTEST}/schedule/postponement", schedules.Postponement.as_view()),
    path(f"{_CONTEST}/closing", contests.Closing.as_view()),
]

_race_day: list[URLPattern] = [
    path("stops", stops.Stops.as_view()),
    path("stops/<int:stop>/lifting", stops.Lifting.as_view()),
    path("signal-devices", stops.SignalDevices.as_view()),
    path("signal-devices/<int:device>/end", stops.SignalDeviceEnd.as_view()),
    path(f"{_RACE}/signal", stops.RaceSignal.as_view()),
    path(f"{_MEETING}/stop", stops.MeetingStop.as_view()),
    path(f"{_RACE}/stop", stops.RaceStop.as_view()),
    path(f"{_MEETING}/declaration", course.MeetingDeclaration.as_view()),
    path(_RACE, course.OneRace.as_view()),
    path(f"{_RACE}/withdrawals", course.Withdrawals.as_view()),
    path("withdrawals/<int:withdrawal>/reversal", course.Reversal.as_view()),
    path(f"{_RACE}/announced-start", schedules.AnnouncedStart.as_view()),
    path(f"{_RACE}/start", course.Start.as_view()),
    path(f"{_RACE}/start/correction", course.StartCorrection.as_view()),
    path(f"{_RACE}/declaration", course.Declaration.as_view()),
    path(f"{_RACE}/declaration/retraction", course.Retraction.as_view()),
    path(f"{_RACE}/classification", course.Classification.as_view()),
    path(f"{_RACE}/classification/correction", course.ClassificationCorrection.as_view()),
]

_settling: list[URLPattern] = [
    path(f"{_CONTEST}/unprinted", unprinted.UnprintedList.as_view()),
    path(f"{_CONTEST}/unprinted/decision", unprinted.UnprintedDecision.as_view()),
    path(f"{_CONTEST}/breaches", settlements.BreachList.as_view()),
    path(f"{_CONTEST}/breaches/void", settlements.BreachVoid.as_view()),
    path(f"{_CONTEST}/breaches/block", settlements.BreachBlock.as_view()),
    path("settlements", settlements.Settlements.as_view()),
    path(f"{_CONTEST}/settlement", settlements.OneSettlement.as_view()),
    path(f"{_CONTEST}/payment-order", settlements.PaymentOrder.as_view()),
    path(f"{_CONTEST}/winning-tickets", settlements.WinningTickets.as_view()),
    path("bet-types/<str:code>/jackpot", settlements.Chain.as_view()),
]

_proofs: list[URLPattern] = [
    path("proofs", proofs.TicketProof.as_view()),
    path(f"{_CONTEST}/seal", proofs.ContestSeal.as_view()),
    path(f"{_CONTEST}/certificate.<str:form>", certificates.Certificate.as_view()),
    path(f"{_CONTEST}/sealed-tickets", certificates.SealedTickets.as_view()),
]

urlpatterns = [*_terminals, *_preparing, *_race_day, *_settling, *_proofs]
