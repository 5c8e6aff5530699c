"""Games, emissions, prizes in kind and proposals of Promotrot, in the language of the reader."""

from typing import Any

import pytest
from django.utils.translation import override

from core.admin_support import proposal_texts
from core.admin_support.columns import title_of
from core.staff.powers import Role
from promotrot.admin.words import tier_text
from promotrot.models.emission import Emission
from promotrot.models.play import PlayTicket
from promotrot.models.valuation import Valuation
from promotrot.models.voucher import Voucher
from promotrot.services import closing
from promotrot.services.debts import deciding, ending
from tests.support import emitting, factories, paying
from tests.support.admin_desk import Desk, act_url, list_url, row_url
from tests.support.promotrot.owing import owing

pytestmark = pytest.mark.django_db
NAMES = {"ca": "Bicicleta elèctrica", "es": "Bicicleta eléctrica", "en": "Electric bicycle"}


def _in_kind() -> Emission:
    """Return a planned emission whose first prize is a thing, with a name in each language."""
    texts = emitting.small()["texts"]
    for language, name in NAMES.items():
        texts[language]["prizes"] = {"bicycle": name}
    thing = {
        "description": "bicycle",
        "equivalent_cents": 400,
        "source": "Three shops",
        "valued_on": "2026-01-01",
    }
    tiers = [{"in_kind": thing, "count": 2}, {"cash_cents": 100, "count": 20}]
    game = emitting.approved(emitting.small(tiers=tiers, texts=texts))
    return emitting.planned(game)


@pytest.mark.article("15.III.6.5")
@pytest.mark.parametrize(("language", "name"), NAMES.items())
def test_a_prize_in_kind_is_called_by_its_name_wherever_staff_read_of_it(
    language: str, name: str
) -> None:
    """The plan said `bicycle` to a reader of Catalan."""
    emission = _in_kind()
    desk = Desk(Role.ORGANISER, language=language)
    pages = [desk.get(row_url(emission)), desk.get(act_url(emission, "value"))]
    for page in pages:
        assert name in page and ">bicycle<" not in page
    desk.do(emission, "value", tier="1", source="Shop", valued_on="2026-06-01")
    valued = Valuation.objects.get(source="Shop")
    for page in (desk.get(list_url(Valuation)), desk.get(row_url(valued))):
        assert name in page
    with override(language):
        assert tier_text(emission.tiers.get(number=1)).startswith(f"1 · {name} (")
    other = desk.ask(emission, "value", tier="2", source="Shop", valued_on="2026-06-02")
    assert other.status_code == 200 and Valuation.objects.count() == 2


def test_extra_prizes_are_chosen_by_name() -> None:
    game = _in_kind().game
    page = Desk(Role.ORGANISER, language="es").get(act_url(game, "plan"))
    assert "1 · Bicicleta eléctrica" in page


def test_plays_and_vouchers_are_called_by_game_amount_and_time() -> None:
    paying.bicycles()
    for model in (PlayTicket, Voucher):
        row: Any = model._default_manager.latest("pk")
        with override("en"):
            assert str(row.uuid) not in title_of(row) and " 20" in title_of(row)
    won = Voucher.objects.filter(nature="in_kind").latest("pk")
    assert "Bicycle" in Desk(Role.ORGANISER).get(row_url(won))


def test_proposals_call_emissions_and_games_by_their_names() -> None:
    emission = emitting.opened(emitting.small())
    names = {text["name"] for text in emitting.small()["texts"].values()}
    by = factories.staff(Role.ORGANISER)
    proposed = closing.emission_close_propose(by=by, emission=emission)
    with override("ca"):
        text = proposal_texts.title_text(proposed)
    assert text.startswith("Tancament d'una emissió: ") and text.endswith(
        f" · {emission.reference}"
    )
    assert any(name in text for name in names)


def test_the_end_of_a_game_says_what_it_owes() -> None:
    game = owing(700)
    by = factories.staff(Role.ORGANISER)
    factories.central_office()
    proposed = ending.game_end_propose(by=by, game=game, winners=1)
    with override("en"):
        assert proposal_texts.title_text(proposed).endswith("€7.00")


def test_a_decision_on_a_debt_says_how_much_it_is() -> None:
    game = emitting.approved(emitting.small())
    content = {"game": game.code, "cents": 1_234, "reference": "BOIB", "payee": "A school"}
    proposed = factories.proposal(deciding.DECISION.name, "x", content)
    with override("en"):
        assert proposal_texts.title_text(proposed).endswith("€12.34")
        assert "€12.34" in proposal_texts.content_html(proposed)
