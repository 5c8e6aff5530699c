"""List the addresses of games and emissions."""

from django.urls import URLPattern, path

from promotrot.api import debts, emissions, games, public

_VERSION = "games/<slug:code>/versions/<int:version>"
_EMISSION = "emissions/<slug:code>/<int:number>"

urlpatterns: list[URLPattern] = [
    path("games", games.Games.as_view()),
    path(_VERSION, games.OneVersion.as_view()),
    path(f"{_VERSION}/check", games.Check.as_view()),
    path(f"{_VERSION}/approval", games.Approval.as_view()),
    path("games/<slug:code>/ending", games.Ending.as_view()),
    path("games/<slug:code>/debt/draws", debts.DrawAgain.as_view()),
    path("games/<slug:code>/debt/decision", debts.Decision.as_view()),
    path("debts", debts.Debts.as_view()),
    path("emissions", emissions.Emissions.as_view()),
    path(_EMISSION, emissions.OneEmission.as_view()),
    path(f"{_EMISSION}/standing", emissions.Standing.as_view()),
    path(f"{_EMISSION}/commitment", emissions.Commitment.as_view()),
    path(f"{_EMISSION}/entropy", emissions.Entropy.as_view()),
    path(f"{_EMISSION}/valuations", emissions.Valuations.as_view()),
    path(f"{_EMISSION}/opening", emissions.Opening.as_view()),
    path(f"{_EMISSION}/closing", emissions.Closing.as_view()),
    path("public/emissions", public.PublicEmissions.as_view()),
    path(f"public/{_EMISSION}", public.PublicEmission.as_view()),
    path(f"public/{_EMISSION}/poster.<str:form>", public.EmissionPoster.as_view()),
    path(f"public/{_EMISSION}/proof.json", public.Proof.as_view()),
    path(f"public/{_EMISSION}/tickets.csv", public.Tickets.as_view()),
]
