"""Resources of the core, under /api/v1/."""

from django.urls import path

from core.api.endpoints import (
    clock,
    ledger,
    nights,
    premises,
    problems,
    proposals,
    schema,
    staff,
    suspensions,
    terminal,
)

urlpatterns = [
    path("staff", staff.Staff.as_view()),
    path("staff/sessions", staff.Sessions.as_view()),
    path("staff/sessions/current", staff.CurrentSession.as_view()),
    path("proposals", proposals.Proposals.as_view()),
    path("proposals/<uuid:proposal>", proposals.OneProposal.as_view()),
    path("proposals/<uuid:proposal>/confirmation", proposals.Confirmation.as_view()),
    path("proposals/<uuid:proposal>/rejection", proposals.Rejection.as_view()),
    path("premises", premises.PremisesList.as_view()),
    path("premises/<str:code>", premises.OnePremises.as_view()),
    path("premises/<str:code>/authorisations", premises.Authorisations.as_view()),
    path("premises/<str:code>/terminals", premises.Terminals.as_view()),
    path("premises/<str:code>/operators", premises.Operators.as_view()),
    path("authorisations/<int:authorisation>/end", premises.AuthorisationEnd.as_view()),
    path("terminals/<str:code>/enrolment-code", premises.EnrolmentCode.as_view()),
    path("terminals/<str:code>/revocation", premises.Revocation.as_view()),
    path("suspensions", suspensions.Suspensions.as_view()),
    path("suspensions/<int:suspension>/lifting", suspensions.Lifting.as_view()),
    path("terminal", terminal.WhoAmI.as_view()),
    path("terminal/enrolment", terminal.Enrolment.as_view()),
    path("terminal/token", terminal.Token.as_view()),
    path("terminal/session", terminal.Session.as_view()),
    path("clock", clock.Clock.as_view()),
    path("ledger/accounts", ledger.Accounts.as_view()),
    path("ledger/transfers", ledger.Transfers.as_view()),
    path("ledger/trial-balance", ledger.TrialBalance.as_view()),
    path("nights", nights.Nights.as_view()),
    path("nights/undone", nights.Undone.as_view()),
    path("problems", problems.Problems.as_view()),
    path("problems/<str:code>", problems.OneProblem.as_view()),
    path("schema", schema.SchemaDocument.as_view()),
]
