"""List the addresses of public draws under /api/v1/."""

from django.urls import path

from core.draws.api import draws, steps

_DRAW = "draws/<uuid:draw>"

urlpatterns = [
    path("draws", draws.Draws.as_view()),
    path(_DRAW, draws.OneDraw.as_view()),
    path(f"{_DRAW}/field.json", draws.FieldFile.as_view()),
    path(f"{_DRAW}/minutes.<str:form>", draws.Minutes.as_view()),
    path(f"{_DRAW}/notice.<str:form>", draws.Notice.as_view()),
    path(f"{_DRAW}/announcement", steps.AnnouncementStep.as_view()),
    path(f"{_DRAW}/attendance", steps.AttendanceStep.as_view()),
    path(f"{_DRAW}/commitment", steps.CommitmentStep.as_view()),
    path(f"{_DRAW}/place-reason", steps.PlaceReasonStep.as_view()),
    path(f"{_DRAW}/abandonment", steps.AbandonmentStep.as_view()),
    path(f"{_DRAW}/entropy", steps.EntropyStep.as_view()),
    path(f"{_DRAW}/balls", steps.BallsStep.as_view()),
    path(f"{_DRAW}/certificate", steps.CertificateStep.as_view()),
]
