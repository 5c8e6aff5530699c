"""List the addresses under /api/v1/ of premises, terminals and operators."""

from django.urls import path

from core.premises.api import premises, resolutions, suspensions, terminal

urlpatterns = [
    path("premises", premises.PremisesList.as_view()),
    path("premises/<str:code>", premises.OnePremises.as_view()),
    path("premises/<str:code>/operators", premises.Operators.as_view()),
    path(
        "premises/<str:code>/operators/<int:number>/deactivation",
        premises.OperatorDeactivation.as_view(),
    ),
    path("premises/<str:code>/operators/<int:number>/pin", premises.OperatorPin.as_view()),
    path("authorisations/<int:authorisation>/end", premises.AuthorisationEnd.as_view()),
    path("terminals/enrolments", premises.Enrolments.as_view()),
    path("terminals/<str:code>/enrolment-code", premises.EnrolmentCode.as_view()),
    path("terminals/<str:code>/revocation", premises.Revocation.as_view()),
    path("resolutions", resolutions.Resolutions.as_view()),
    path("suspensions", suspensions.Suspensions.as_view()),
    path("suspensions/proposals", suspensions.Suspending.as_view()),
    path("suspensions/liftings", suspensions.Liftings.as_view()),
    path("suspensions/<int:suspension>/lifting", suspensions.Lifting.as_view()),
    path("suspensions/<int:suspension>/lifting/proposals", suspensions.Resuming.as_view()),
    path("terminal", terminal.WhoAmI.as_view()),
    path("terminal/enrolment", terminal.Enrolment.as_view()),
    path("terminal/token", terminal.Token.as_view()),
    path("terminal/pin", terminal.Pin.as_view()),
    path("terminal/session", terminal.Session.as_view()),
]
