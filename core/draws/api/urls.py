"""List the addresses of public draws under /api/v1/."""

from django.urls import path

from core.draws.api import draws

_DRAW = "draws/<uuid:draw>"

urlpatterns = [
    path("draws", draws.Draws.as_view()),
    path(_DRAW, draws.OneDraw.as_view()),
    path(f"{_DRAW}/field.json", draws.FieldFile.as_view()),
    path(f"{_DRAW}/minutes.<str:form>", draws.Minutes.as_view()),
    path(f"{_DRAW}/notice.<str:form>", draws.Notice.as_view()),
    path(f"{_DRAW}/announcement", draws.AnnouncementStep.as_view()),
    path(f"{_DRAW}/attendance", draws.AttendanceStep.as_view()),
    path(f"{_DRAW}/commitment", draws.CommitmentStep.as_view()),
    path(f"{_DRAW}/entropy", draws.EntropyStep.as_view()),
    path(f"{_DRAW}/balls", draws.BallsStep.as_view()),
    path(f"{_DRAW}/certificate", draws.CertificateStep.as_view()),
]
