"""Run a game and its emission in the admin, with two persons where the rules ask for two."""

import pytest
from django.utils.html import escape

from core.premises.models import Premises
from core.staff.models import Proposal
from core.staff.powers import Role
from promotrot.models.emission import Emission, Lane, PublicFigures
from promotrot.models.game import Game, GameEnding, GameType, GameVersion
from promotrot.services.closing import seed_reveal
from promotrot.services.figures import figures_take
from tests.support import emitting, factories
from tests.support.admin_desk import Desk, list_url, row_url

pytestmark = pytest.mark.django_db


def _confirm() -> None:
    Desk(Role.ORGANISER).do(Proposal.objects.get(decision=None), "confirm")


@pytest.mark.article("15.II.2")
def test_a_game_from_its_definition_to_the_end_of_it() -> None:
    organiser, inspector = Desk(Role.ORGANISER), Desk(Role.INSPECTOR)
    version = emitting.recorded(emitting.small())
    assert organiser.offers(version, "approve")
    organiser.do(version, "approve")
    _confirm()
    assert not organiser.offers(version, "approve")
    game = Game.objects.get()
    organiser.do(game, "plan", extra_tier="", stop_without_top="on")
    emission = Emission.objects.get()
    assert not organiser.offers(emission, "open")
    organiser.do(emission, "commit", source="dice", pieces="50")
    inspector.refused(emission, "witness", "entropy_too_little", source="dice", text="1 2 3")
    inspector.do(emission, "witness", source="dice", text=emitting.ENTROPY)
    organiser.do(emission, "open")
    _confirm()
    emitting.sold_and_played(emission, 10)
    figures_take(emission=emission)
    for page in (
        *map(list_url, (Game, GameVersion, GameType, Emission, PublicFigures)),
        row_url(game),
        row_url(version),
    ):
        organiser.get(page)
    assert organiser.client.get(list_url(Lane)).status_code == 403
    Desk(Role.AUDITOR).get(list_url(Lane))
    organiser.do(emission, "close")
    _confirm()
    seed_reveal(emission=emission)
    page = organiser.get(row_url(emission))
    emission.refresh_from_db()
    assert emission.reveal.seed in page and emission.commitment.digest in page
    factories.premises(Premises.Kind.CENTRAL_OFFICE, authorised=())
    winners = "1" if emission.closing.owed_cents else "0"
    organiser.do(game, "end", winners=winners)
    _confirm()
    assert GameEnding.objects.get().owed_cents == emission.closing.owed_cents
    assert not organiser.offers(game, "plan")


def test_the_list_of_emissions_names_the_games_and_sets_thousands_apart() -> None:
    definition = emitting.document("lap-of-honour")
    emission = emitting.planned(emitting.approved(definition))
    page = Desk(Role.ORGANISER, language="ca").get(list_url(Emission))
    assert f">{escape(definition['texts']['ca']['name'])}</a>" in page
    assert f"{emission.tickets:,}".replace(",", ".") in page and str(emission.tickets) not in page
