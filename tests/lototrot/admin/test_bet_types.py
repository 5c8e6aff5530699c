"""Prepare bet types on the form of the admin, with sums and past rounds by the engine [A19]."""

import json
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from core.staff.models import Proposal
from core.staff.powers import Role
from lototrot.models.contest import BetType
from tests.support import factories, rounds
from tests.support.admin_desk import Desk, act_url, row_url, text_of
from tests.support.lototrot.bet_type_form import SIX, V75, typed

pytestmark = [pytest.mark.django_db, pytest.mark.article("14.III.7")]
URL = act_url(BetType, "prepare")


def live(desk: Desk, **changes: Any) -> str:
    response = desk.client.post(URL, {**typed(SIX, **changes), "live": "1"})
    assert response.status_code == 200
    return str(response.content.decode())


def recorded(desk: Desk, **changes: Any) -> BetType:
    desk.do(BetType, "prepare", **typed(SIX, **changes))
    proposal = Proposal.objects.get(decision=None)
    Desk(Role.ORGANISER).do(proposal, "confirm")
    return BetType.objects.get(proposal=proposal)


def test_sums_are_computed_with_what_remains_as_reserve(organiser: Desk) -> None:
    page = live(organiser)
    assert "Of a bet of €1.00: 65 % to prizes, 35 % to the organiser." in page
    # 6: 40 % of the prize money, of 65 % of the takings; above the threshold 10 % remain.
    for cell in ('<td class="house-number">26 %</td>', '<td class="house-number">6.5 %</td>'):
        assert cell in page
    assert "No round has been settled yet." in page
    assert "data-fault" not in page


def test_past_rounds_are_paid_again_by_the_engine(organiser: Desk) -> None:
    rounds.settled(factories.point(), [(1, 1), (1, 2), (2, 4)])
    page = live(organiser, legs=2, below_2="", above_2="", below_0="60", below_1="40")
    assert "1 × €1.17" in page, "60 % of 65 % of three bets of a euro"
    assert "<svg" in page
    assert "estimate" in live(organiser), "six races of a round of two"


@pytest.mark.parametrize(
    ("changes", "field", "sentence"),
    [
        ({"below_2": "75.01"}, "below_2", "The shares sum to 140.01 %: 100 % at most."),
        ({"below_1": ""}, "below_1", "Categories have no gap: fill this one in too."),
        ({"above_2": ""}, "above_0", "Both columns need the same categories."),
        ({"above_0": ""}, "above_0", "Categories have no gap: fill this one in too."),
        ({"prize_percent": "59,9"}, "prize_percent", "At least 60 % goes to prizes (14.III.6.1)."),
        ({"legs": "2"}, "below_2", "A bet on 2 races has no such category."),
        ({"price_cents": "0,01"}, "price_cents", "From "),
        ({"rules_es": ""}, "rules_es", "Write it in every language."),
        ({"code": "V 75"}, "code", "Small letters, digits and hyphens."),
        ({"below_0": "x"}, "below_0", "Enter a number."),
        ({"payout_step_cents": "0"}, "payout_step_cents", "This amount is too small or too large."),
    ],
)
def test_a_fault_is_told_at_its_field_in_words(
    organiser: Desk, changes: dict[str, str], field: str, sentence: str
) -> None:
    assert f'<span data-fault="{field}">{sentence}' in live(organiser, **changes)
    response = organiser.ask(BetType, "prepare", **typed(SIX, **changes))
    assert sentence in text_of(response)
    assert not Proposal.objects.exists()


def test_two_persons_authorise_what_the_second_one_reads_in_words(organiser: Desk) -> None:
    first = recorded(organiser)
    assert (first.code, first.version, first.price_cents) == ("v6", 1, 100)
    assert first.document["shares_above"] == {"6": "30", "5": "25", "4": "35", "reserve": "10"}
    assert first.rules["ca"] == "Sis curses."
    assert "Sis curses." in organiser.get(row_url(first))
    copy = typed(SIX, legs=6, prize_percent="62,5", below_0="35", below_1="30")
    copy.pop("code")
    organiser.do(first, "copy", **copy)
    proposal = Proposal.objects.get(decision=None)
    page = text_of(Desk(Role.ORGANISER).client.get(act_url(proposal, "confirm")))
    assert "2; compared with version 1" in page
    assert "62.5 % (version 1: 65 %)" in page
    assert "35 % (version 1: 40 %)" in page
    assert "Another text than before." not in page
    Desk(Role.ORGANISER).do(proposal, "confirm")
    assert BetType.objects.get(version=2).code == "v6"


def test_a_draft_is_corrected_or_withdrawn(organiser: Desk) -> None:
    organiser.do(BetType, "prepare", **typed(SIX))
    draft = Proposal.objects.get()
    assert "Six, version 1, 6 races" in text_of(organiser.client.get("/admin/staff/proposal/"))
    address = f"{URL}?draft={draft.uuid}"
    assert address in organiser.get(row_url(draft))
    assert 'value="65"' in organiser.get(address)
    answer = organiser.client.post(address, {**typed(SIX, prize_percent="70"), "do": "1"})
    assert answer.status_code == 302, text_of(answer)
    draft.refresh_from_db()
    assert draft.decision.verdict == "rejected"
    corrected = Proposal.objects.get(decision=None)
    assert corrected.content["document"] | {"prize_percent": "65"} == draft.content["document"]
    assert "Correct it" not in organiser.get(row_url(draft))
    organiser.do(corrected, "reject", reason="")
    assert not BetType.objects.exists()
    assert 'value="65"' not in organiser.get(address), "nothing waits any more"


def test_a_file_is_accepted(organiser: Desk) -> None:
    document = factories.bet_type("five-races").document | {"code": "v5", "price_cents": 200}

    def upload(content: str) -> Any:
        file = SimpleUploadedFile("v5.json", content.encode())
        return organiser.ask(BetType, "file", file=file, authorisation="CAIB 9")

    assert "not JSON" in text_of(upload("{"))
    assert "not a JSON object" in text_of(upload("[]"))
    assert "shares_not_100" in text_of(
        upload(json.dumps(document | {"shares_below": {"5": "40", "4": "25", "3": "34"}}))
    )
    assert upload(json.dumps(document)).status_code == 302
    assert Proposal.objects.get(decision=None).content["price_cents"] == 200


def test_the_regulations_own_has_the_figures_of_the_regulation(organiser: Desk) -> None:
    own = factories.bet_type()
    page = organiser.get(act_url(own, "copy"))
    assert 'value="150000.00"' in page
    wanted = V75 | {"name": "Lototrot", "prize_percent": "62"}
    shares = ("30", "20", "20", "30")
    copy = typed(wanted | {"shares": (shares, shares)})
    organiser.refused(own, "copy", "figures_not_of_regulation", **copy)
    copy = typed(wanted | {"shares": (shares, ("20", "20", "20", "30"))})
    organiser.do(own, "copy", **copy)
    assert Proposal.objects.get().content["document"]["version"] == 2
