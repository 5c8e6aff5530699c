"""Fill in the form of a game as an organiser does."""

from datetime import date
from typing import Any

from core.admin_support.forms import ActForm
from promotrot.admin.building.game_form import GameForm
from promotrot.admin.building.predrawn_form import PredrawnForm
from promotrot.admin.building.probabilistic_form import ProbabilisticForm
from promotrot.models.game import GameVersion
from tests.support import emitting


def initial(form: ActForm) -> dict[str, Any]:
    """Return what a form shows before anything is typed: what a browser would send."""
    sent: dict[str, Any] = {}
    for name, field in form.fields.items():
        value = form.get_initial_for_field(field, name)
        if isinstance(value, bool):
            value = "on" if value else None
        elif isinstance(value, date):
            value = value.isoformat()
        if value is not None:
            sent[name] = value if isinstance(value, list | tuple) else str(value)
    return sent


def form_of(version: GameVersion) -> type[PredrawnForm | ProbabilisticForm]:
    return PredrawnForm if version.document["mode"] == "predrawn" else ProbabilisticForm


def typed(name: str, **changes: Any) -> dict[str, Any]:
    """Return what the form of a shipped game sends. None takes a field away."""
    return typed_as(emitting.recorded(emitting.document(name)), **changes)


def typed_as(version: GameVersion, **changes: Any) -> dict[str, Any]:
    sent = initial(form_of(version)(target=version)) | changes
    return {name: value for name, value in sent.items() if value is not None}


def filled(name: str, **changes: Any) -> GameForm:
    """Return the bound form of a shipped game with some fields otherwise filled in."""
    version = emitting.recorded(emitting.document(name))
    form = form_of(version)(typed_as(version, **changes), target=version)
    form.is_valid()
    return form
