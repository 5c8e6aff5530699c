"""List the addresses under /api/v1/ of staff and of acts of two persons."""

from django.urls import path

from core.staff.api import proposals, staff

urlpatterns = [
    path("staff", staff.Staff.as_view()),
    path("staff/sessions", staff.Sessions.as_view()),
    path("staff/sessions/current", staff.CurrentSession.as_view()),
    path("staff/password", staff.OwnPassword.as_view()),
    path("staff/second-factor", staff.SecondFactor.as_view()),
    path("staff/second-factor/confirmation", staff.SecondFactorConfirmation.as_view()),
    path("staff/<int:user>/roles", staff.Roles.as_view()),
    path("staff/<int:user>/password", staff.Password.as_view()),
    path("staff/<int:user>/deactivation", staff.Deactivation.as_view()),
    path("staff/<int:user>/reactivation", staff.Reactivation.as_view()),
    path("staff/<int:user>/second-factor/ending", staff.SecondFactorEnding.as_view()),
    path("proposals", proposals.Proposals.as_view()),
    path("proposals/<uuid:proposal>", proposals.OneProposal.as_view()),
    path("proposals/<uuid:proposal>/confirmation", proposals.Confirmation.as_view()),
    path("proposals/<uuid:proposal>/rejection", proposals.Rejection.as_view()),
]
