"""Games and emissions over HTTP, from the definition to the published proof of every ticket."""

from pathlib import Path
from typing import Any

import pytest

from core.staff.powers import Role
from promotrot.api import samples
from promotrot.models.emission import Emission
from promotrot.services.closing import seed_reveal
from promotrot.services.figures import figures_take
from tests.support import emitting
from tests.support.api import Api, refused, staff_api
from tests.support.verifying.forging import public_key, published_log, written
from tests.support.verifying.load import verifier

pytestmark = pytest.mark.django_db
HOME = "promotrot"


def _done(response: Any, status: int = 200) -> Any:
    assert response.status_code == status, response.content
    return response.json()


def _both(one: Api, other: Api, path: str, body: Any = None) -> None:
    proposal = _done(one.post(path, body), 201)["proposal"]
    _done(other.post(f"proposals/{proposal}/confirmation"))


def _approved(one: Api, other: Api, definition: dict[str, Any]) -> str:
    made = _done(one.post(f"{HOME}/games", {"definition": definition}), 201)
    version = f"{HOME}/games/{made['game']}/versions/{made['version']}"
    assert _done(one.get(f"{version}/check"))["faults"] == []
    _both(one, other, f"{version}/approval")
    assert _done(one.get(version))["approval"]["percentages"]["worst"] == 70
    return str(made["game"])


@pytest.mark.article("15.II.2")
def test_a_game_from_its_definition_to_the_proof_of_every_ticket(tmp_path: Path) -> None:
    one, other = staff_api(Role.ORGANISER), staff_api(Role.ORGANISER)
    inspector, anybody = staff_api(Role.INSPECTOR), Api()
    game = _approved(one, other, emitting.small())
    home = f"{HOME}/emissions/{game}/1"
    planned = _done(one.post(f"{HOME}/emissions", {"game": game}), 201)
    assert (planned["state"], planned["commitment"]) == ("draft", None)
    refused(anybody.get(f"{HOME}/public/emissions/{game}/1"), 404, "emission_unknown")
    committed = _done(one.post(f"{home}/commitment"))
    assert len(committed["commitment"]) == 64
    witnessed = {"source": "dice", "text": emitting.ENTROPY}
    refused(one.post(f"{home}/entropy", witnessed), 403, "power_missing")
    _done(inspector.post(f"{home}/entropy", witnessed))
    _done(one.post(f"{home}/opening"))
    emission = Emission.objects.get()
    emitting.sold_and_played(emission, 30)
    standing = _done(one.get(f"{home}/standing"))
    assert (standing["sold"], standing["minimum_cents"]) == (30, 2_100)
    refused(staff_api(Role.CASHIER).get(f"{home}/standing"), 403, "power_missing")
    refused(
        anybody.get(f"{HOME}/public/emissions/{game}/1/tickets.csv"), 409, "emission_not_revealed"
    )
    _both(one, other, f"{home}/closing")
    closed = _done(one.get(home))
    assert closed["statement"]["sold"] == 30
    seed_reveal(emission=emission)
    proof = _done(anybody.get(f"{HOME}/public/emissions/{game}/1/proof.json"))
    listed = anybody.get(f"{HOME}/public/emissions/{game}/1/tickets.csv")
    tickets = tmp_path / "tickets.csv"
    tickets.write_bytes(b"".join(listed.streaming_content))
    log = published_log()
    assert all(entry in log for entry in proof.values())
    file, key = written(tmp_path, "log.jsonl", log), public_key()
    assert "30 of 40" in verifier("emission").check(file, key, f"{game}/1", str(tickets))


@pytest.mark.article("15.III.5.2")
def test_what_the_public_is_told_in_its_language_and_late() -> None:
    emission = emitting.opened(emitting.small())
    emitting.sold_and_played(emission, 5)
    figures_take(emission=emission)
    anybody = Api()
    for language, name in (("ca", "La volta d'honor"), ("en", "Lap of Honour")):
        found = _done(anybody.get(f"{HOME}/public/emissions/small/1", lang=language))
        assert found["name"] == name and found["rules"]
    assert (found["prize_percent"], found["price_cents"]) == ("70", 100)
    assert (found["as_of"], found["tickets_remaining"], found["top_prize_left"]) == (None, 40, True)
    assert [(tier["count"], tier["remaining"]) for tier in found["tiers"]] == [(2, 2), (20, 20)]
    listed = _done(anybody.get(f"{HOME}/public/emissions"))
    assert [item["reference"] for item in listed["items"]] == ["small/1"]


@pytest.mark.article("15.III.5.2")
def test_the_poster_shows_rules_percentage_price_and_prizes() -> None:
    emitting.opened(emitting.document("six-at-the-post"))
    home = f"{HOME}/public/emissions/six-at-the-post/1/poster"
    shown = Api().get(f"{home}.html", lang="en").content.decode()
    for text in (
        "Six at the Post",
        "72 %",
        "Electric bicycle",
        "€1,500.00",
        "15000",
        "six winners",
    ):
        assert text in shown, text
    assert Api().get(f"{home}.pdf", lang="ca").content.startswith(b"%PDF")
    refused(
        Api().get(f"{HOME}/public/emissions/six-at-the-post/2/poster.pdf"), 404, "emission_unknown"
    )


def _prize(cents: int, count: int) -> dict[str, int]:
    return {"cash_cents": cents, "count": count}


BAD = {
    "prizes_too_low": {"tiers": [_prize(399, 1), _prize(400, 1), _prize(100, 20)]},
    "more_prizes_than_tickets": {"tiers": [_prize(400, 2), _prize(100, 39)]},
    "equivalent_missing": {
        "tiers": [{"in_kind": {"description": "bicycle"}, "count": 2}, _prize(100, 20)]
    },
    "price_out_of_range": {"price_cents": 1_001},
}


@pytest.mark.article("15.III.4")
@pytest.mark.parametrize("code", BAD)
def test_bad_input_has_its_own_code_and_nothing_is_approved(code: str) -> None:
    one = staff_api(Role.ORGANISER)
    definition = emitting.small(**BAD[code])
    made = _done(one.post(f"{HOME}/games", {"definition": definition}), 201)
    version = f"{HOME}/games/{made['game']}/versions/{made['version']}"
    problem = refused(one.post(f"{version}/approval"), 422, "approval_refused")
    assert code in {fault["code"] for fault in problem["data"]["faults"]}
    assert code in {fault["code"] for fault in _done(one.get(f"{version}/check"))["faults"]}
    refused(one.post(f"{HOME}/emissions", {"game": "small"}), 409, "game_not_approved")


def test_the_example_is_a_game_that_passes() -> None:
    one, other = staff_api(Role.ORGANISER), staff_api(Role.ORGANISER)
    assert _approved(one, other, samples.GAME["definition"]) == "three-trophies"
    refused(one.post(f"{HOME}/games", {"definition": {"format": "x"}}), 422, "game_refused")
    refused(one.post(f"{HOME}/games/none/ending", {"winners": 1}), 404, "game_unknown")
    _both(one, other, f"{HOME}/games/three-trophies/ending", {"winners": 0})
