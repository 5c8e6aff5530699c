"""Take an emission from its game to the proof of every ticket through the API."""

from pathlib import Path

import pytest

from core.staff.powers import Role
from promotrot.models.emission import Emission
from promotrot.services.closing import seed_reveal
from tests.support import emitting
from tests.support.api import Api, refused, staff_api
from tests.support.promotrot.approving import HOME, approved, both, done
from tests.support.verifying.forging import public_key, published_log, written
from tests.support.verifying.load import verifier

pytestmark = pytest.mark.django_db


@pytest.mark.article("15.II.2")
def test_a_game_from_its_definition_to_the_proof_of_every_ticket(tmp_path: Path) -> None:
    one, other = staff_api(Role.ORGANISER), staff_api(Role.ORGANISER)
    inspector, anybody = staff_api(Role.INSPECTOR), Api()
    game = approved(one, other, emitting.small())
    home = f"{HOME}/emissions/{game}/1"
    planned = done(one.post(f"{HOME}/emissions", {"game": game}), 201)
    assert (planned["state"], planned["commitment"]) == ("draft", None)
    refused(anybody.get(f"{HOME}/public/emissions/{game}/1"), 404, "emission_unknown")
    means = {"source": "dice", "pieces": 50}
    refused(one.post(f"{home}/commitment", {"source": "dice"}), 422, "draw_means_refused")
    committed = done(one.post(f"{home}/commitment", means))
    assert len(committed["commitment"]) == 64
    witnessed = {"source": "dice", "text": emitting.ENTROPY}
    refused(one.post(f"{home}/entropy", witnessed), 403, "power_missing")
    few = witnessed | {"text": "6152244136"}
    refused(inspector.post(f"{home}/entropy", few), 409, "entropy_not_as_committed")
    done(inspector.post(f"{home}/entropy", witnessed))
    both(one, other, f"{home}/opening")
    emission = Emission.objects.get()
    emitting.sold_and_played(emission, 30)
    standing = done(one.get(f"{home}/standing"))
    assert (standing["sold"], standing["minimum_cents"]) == (30, 2_100)
    refused(staff_api(Role.CASHIER).get(f"{home}/standing"), 403, "power_missing")
    refused(
        anybody.get(f"{HOME}/public/emissions/{game}/1/tickets.csv"), 409, "emission_not_revealed"
    )
    both(one, other, f"{home}/closing")
    closed = done(one.get(home))
    assert closed["statement"]["sold"] == 30
    seed_reveal(emission=emission)
    proof = done(anybody.get(f"{HOME}/public/emissions/{game}/1/proof.json"))
    listed = anybody.get(f"{HOME}/public/emissions/{game}/1/tickets.csv")
    tickets = tmp_path / "tickets.csv"
    tickets.write_bytes(listed.getvalue())
    log = published_log()
    entries = [entry for entry in proof.values() if entry is not None]
    assert len(entries) == 5 and all(entry in log for entry in entries)
    file, key = written(tmp_path, "log.jsonl", log), public_key()
    assert "30 of 40" in verifier("emission").check(file, key, f"{game}/1", str(tickets))
