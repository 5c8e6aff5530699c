"""Three disqualified and five pulled up: declared by two persons and drawn (14.III.5.4.3) [B17].

The race was run, but nobody is placed. A classification is refused. Two persons declare it with the
stewards' text, and its winner is drawn among the horses that started.
"""

from datetime import timedelta

import pytest

from core.draws.models import Draw
from core.staff.powers import Role
from lototrot.models.programme import Race
from tests.support import factories as f
from tests.support.api import Api, refused, staff_api
from tests.support.lototrot.meeting_by_api import ok

pytestmark = [pytest.mark.django_db, pytest.mark.article("14.III.5.4.3")]
TEXT = "Distanciats: 1, 2 i 3. Retirats en cursa: 4, 5, 6, 7 i 8."


@pytest.fixture
def race() -> Race:
    """Return a race of ten horses, two of them withdrawn, that started three minutes ago."""
    f.central_office()
    race = f.races_of(f.contest())[0]
    for number in (9, 10):
        f.withdrawal(race, number)
    f.time_to(race.scheduled_start_at)
    f.started(race)
    f.contest_closed(race.legs.get().contest)
    f.time_pass(minutes=3)
    return race


def test_it_is_not_classified(race: Race, steward: Api) -> None:
    outcomes = dict.fromkeys(range(1, 4), "disqualified") | dict.fromkeys(range(4, 9), "started")
    outcomes |= {9: "withdrawn", 10: "withdrawn"}
    body = {
        "runners": [{"number": n, "outcome": outcome} for n, outcome in outcomes.items()],
        "announced_text": TEXT,
        "announced_at": (race.scheduled_start_at + timedelta(minutes=2)).isoformat(),
        "author": "Comissaris",
    }
    answer = steward.post(f"lototrot/races/{race.pk}/classification", body)
    problem = refused(answer, 422, "classification_refused")
    assert [error["code"] for error in problem["data"]["errors"]] == ["no_winner"]


def test_it_is_declared_by_two_and_drawn_among_those_that_started(race: Race, steward: Api) -> None:
    path = f"lototrot/races/{race.pk}/declaration"
    body = {"kind": "no_winner", "reason": "Nobody is placed"}
    refused(steward.post(path, body), 422, "declaration_text_missing")
    body |= {"text": TEXT}
    proposal = ok(steward.post(path, body))["proposal"]
    assert not Draw.objects.exists()
    refused(steward.post(f"proposals/{proposal}/confirmation"), 403, "same_person")
    ok(staff_api(Role.STEWARDS).post(f"proposals/{proposal}/confirmation"))
    answer = ok(steward.get(f"lototrot/races/{race.pk}"))
    assert answer["state"] == "declared"
    f.drawn(race, 5)
    minutes = ok(steward.get("log", kind="draws.minutes"))["items"][0]["document"]
    assert minutes["facts"]["declaration"] == "no_winner"
    assert sorted(minutes["field"]["entries"], key=int) == [str(n) for n in range(1, 9)]
    refused(steward.post(path, body | {"kind": "suspended"}), 409, "race_declared")
