"""The draw is tried 56 minutes before its announced time, at "a warehouse", with the organiser
typing the dice: each refused. A power cut after the commitment: abandoned by inspector and
organiser, its secret published, a new draw; the verifiers say that it holds (scenario 22; second
list, B16; 14.III.5.4.2, 14.III.5.4.4).
"""

from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from core.database import clock
from core.draws.models import Commitment, Draw, Outcome
from core.staff.powers import Role
from lototrot.models.contest import Contest
from lototrot.models.programme import Race
from lototrot.services.seal.sealing import contest_seal
from lototrot.services.settlement.settling import contest_settle
from tests.support import factories, rounds
from tests.support.api import Api, refused, staff_api
from tests.support.verifying.forging import public_key, published_log, written
from tests.support.verifying.load import verifier

pytestmark = [pytest.mark.django_db, pytest.mark.article("14.III.5.4.2", "14.III.5.4.4")]
DICE = {"source": "dice", "pieces": 10}
GIVEN = {"source": "dice", "text": "3 1 6 1 4 2 5 3 6 4", "witness": "Una jugadora"}
RULES = rounds.rules(**rounds.TWO_LEGS)


@pytest.fixture
def contest() -> Contest:
    """A contest on two races with four bets: the first was run, the second declared not run."""
    factories.time_to(rounds.NOON)
    factories.central_office()
    new_contest = rounds.contest(RULES, [(1, 2, 3)] * 2)
    rounds.sell(new_contest, factories.point(), [(1, 1), (1, 2), (2, 2), (4, 4)])
    first, second = factories.races_of(new_contest)
    factories.time_to(first.scheduled_start_at + timedelta(minutes=2))
    factories.classified(first, [1])
    at = first.scheduled_start_at
    factories.contest_closed(new_contest, at=at, cause="start", sealed=False)
    contest_seal(contest_id=new_contest.pk)
    _declared(second)
    return new_contest


def _declared(race: Race) -> None:
    """Declare the race not run through the API; a second person confirms where that is asked."""
    body = {"kind": "not_run", "reason": "Tempesta"}
    path = f"lototrot/races/{race.pk}/declaration"
    declared = staff_api(Role.STEWARDS).post(path, body).json()
    if "proposal" in declared:
        confirmation = f"proposals/{declared['proposal']}/confirmation"
        assert staff_api(Role.STEWARDS).post(confirmation).status_code == 200


@pytest.fixture
def inspector() -> Api:
    return staff_api(Role.INSPECTOR)


def _standing() -> dict[str, Any]:
    (draw,) = Api().get("draws", state="announced").json()["items"]
    return dict(draw)


def _announce(organiser: Api, path: str, place: str, minutes: int) -> Any:
    planned_at = clock.now() + timedelta(minutes=minutes)
    body = {"place": place, "planned_at": planned_at.isoformat()}
    return organiser.post(f"{path}/announcement", body)


def test_a_draw_tried_early_elsewhere_or_by_the_organiser_is_refused(
    contest: Contest, organiser: Api, inspector: Api
) -> None:
    draw = _standing()
    path, planned_at = f"draws/{draw['draw']}", datetime.fromisoformat(draw["planned_at"])
    assert draw["at_office"] and draw["planned_at"] < draw["due_at"]
    assert inspector.post(f"{path}/attendance").status_code == 201

    factories.time_to(planned_at - timedelta(minutes=56))
    problem = refused(organiser.post(f"{path}/commitment", DICE), 409, "draw_before_announced")
    assert problem["data"] == {"planned_at": planned_at.isoformat()}
    for minutes in (0, 9):
        refused(_announce(organiser, path, "A warehouse", minutes), 422, "draw_notice_too_short")
    moved = _announce(organiser, path, "A warehouse", 56).json()
    assert (moved["place"], moved["at_office"]) == ("A warehouse", False)
    refused(organiser.post(f"{path}/commitment", DICE), 409, "draw_before_announced")
    factories.time_pass(minutes=56, seconds=1)
    refused(organiser.post(f"{path}/commitment", DICE), 409, "draw_place_unregistered")
    refused(organiser.post(f"{path}/place-reason", {"reason": "Mine"}), 403, "power_missing")
    absent = staff_api(Role.INSPECTOR)
    refused(absent.post(f"{path}/place-reason", {"reason": "x"}), 403, "draw_inspector_absent")
    assert not Commitment.objects.exists()

    flooded = {"reason": "L'Oficina Central és inundada"}
    reply = inspector.post(f"{path}/place-reason", flooded).json()
    assert reply["place_reason"] == flooded["reason"]
    refused(organiser.post(f"{path}/commitment", {"source": "dice"}), 422, "draw_means_refused")
    few = {"source": "dice", "pieces": 9}
    refused(organiser.post(f"{path}/commitment", few), 422, "entropy_too_little")
    for _ in range(2):
        assert organiser.post(f"{path}/commitment", DICE).json()["means"] == DICE
    other = {"source": "balls", "pieces": 10}
    refused(organiser.post(f"{path}/commitment", other), 409, "draw_committed_otherwise")

    refused(organiser.post(f"{path}/entropy", GIVEN), 403, "power_missing")
    refused(absent.post(f"{path}/entropy", GIVEN), 403, "draw_inspector_absent")
    for changes in ({"text": GIVEN["text"] + " 5"}, {"source": "balls"}):
        answer = inspector.post(f"{path}/entropy", GIVEN | changes)
        refused(answer, 409, "entropy_not_as_committed")
    assert not Outcome.objects.exists()
    assert inspector.post(f"{path}/entropy", GIVEN).status_code == 201
    assert inspector.post(f"{path}/certificate").status_code == 201
    minutes = Api().get(f"{path}/minutes.json").json()["document"]
    assert minutes["announcements"][-1]["elsewhere"]["reason"] == flooded["reason"]


def test_a_power_cut_after_the_commitment_ends_in_another_draw_that_the_verifiers_accept(
    contest: Contest, organiser: Api, inspector: Api, tmp_path: Path
) -> None:
    draw = _standing()
    path = f"draws/{draw['draw']}"
    factories.time_to(datetime.fromisoformat(draw["planned_at"]))
    inspector.post(f"{path}/attendance")
    committed = organiser.post(f"{path}/commitment", DICE).json()
    assert committed["secret"] is None

    balls = {
        "order": ["3", "1", "2"],
        "drawn_at": clock.now().isoformat(),
        "witness": "Notari",
        "cause": "Tall de llum",
    }
    refused(organiser.post(f"{path}/balls", balls), 409, "draw_only_computed")
    start = {"actual_start_at": clock.now().isoformat(), "source": "Jutge"}
    race = factories.races_of(contest)[1]
    begun = staff_api(Role.STEWARDS).post(f"lototrot/races/{race.pk}/start", start)
    refused(begun, 409, "draw_begun")

    reason = {"reason": "Tall de llum; el testimoni se n'ha anat"}
    refused(organiser.post(f"{path}/abandonment", reason), 403, "power_missing")
    proposed = inspector.post(f"{path}/abandonment", reason).json()
    confirmation = f"proposals/{proposed['proposal']}/confirmation"
    refused(inspector.post(confirmation), 403, "same_person")
    refused(staff_api(Role.INSPECTOR).post(confirmation), 403, "power_missing")
    assert Api().get(path).json()["state"] == "committed"
    for _ in range(2):
        assert organiser.post(confirmation).status_code == 200
    abandoned = Api().get(path).json()
    assert abandoned["state"] == "abandoned" and len(abandoned["secret"]) == 64
    refused(inspector.post(f"{path}/entropy", GIVEN), 409, "draw_over")

    again = _standing()
    assert again["draw"] != draw["draw"] and again["due_at"] == draw["due_at"]
    path = f"draws/{again['draw']}"
    factories.time_to(datetime.fromisoformat(again["planned_at"]))
    inspector.post(f"{path}/attendance")
    assert organiser.post(f"{path}/commitment", DICE).status_code == 201
    drawn = inspector.post(f"{path}/entropy", GIVEN).json()
    late = {"late_cause": "Tall de llum"} if drawn["late"] else {}
    assert inspector.post(f"{path}/certificate", late).status_code == 201
    contest_settle(contest_id=contest.pk)

    log, key = written(tmp_path, "log.jsonl", published_log()), public_key()
    verdict = verifier("draw").check(log, key, again["draw"])
    assert verdict.startswith("The draw holds")
    assert f"ABANDONED before: {draw['draw']}" in verdict
    certificate = Api().get(f"lototrot/contests/{contest.pk}/certificate.json").json()["document"]
    held = verifier("settlement").check(log, key, certificate["settlement"])
    assert held.startswith("The settlement holds: 4.00 EUR taken")
    assert Draw.objects.filter(state="certified").count() == 1
