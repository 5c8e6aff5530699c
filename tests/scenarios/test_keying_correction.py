"""A winner keyed wrong is corrected: the inspector or the auditor compares it with the announced
text and confirms (second list, B18; 14.III.5.3).
"""

from datetime import timedelta
from typing import Any

import pytest

from core.database import clock
from core.staff.powers import Role
from lototrot.models.running import Classification
from tests.support import factories
from tests.support.api import Api, refused, staff_api

pytestmark = [pytest.mark.django_db, pytest.mark.article("14.III.5.3")]
TEXT = "Primer: número 3. Segon: número 5."


def keyed(winner: int) -> list[dict[str, Any]]:
    return [{"number": n, "outcome": "winner" if n == winner else "started"} for n in range(1, 11)]


def confirmed(by: Api, proposal: dict[str, Any]) -> Any:
    return by.post(f"proposals/{proposal['proposal']}/confirmation")


def test_the_inspector_or_the_auditor_corrects_a_keying_error_with_the_text_before_them() -> None:
    race = factories.races_of(factories.contest())[0]
    factories.started(race, at=clock.now() - timedelta(minutes=5))
    one, two = staff_api(Role.STEWARDS), staff_api(Role.STEWARDS)
    path = f"lototrot/races/{race.pk}"
    announced_at = (clock.now() - timedelta(seconds=1)).isoformat()
    announced = {"announced_text": TEXT, "announced_at": announced_at, "author": "Comissaris"}
    entered = one.post(f"{path}/classification", announced | {"runners": keyed(5)}).json()
    assert confirmed(two, entered).status_code == 200
    assert one.get(path).json()["winners"] == [5], "keyed for 3"

    wanted = {"runners": keyed(3), "reason": "5 keyed for 3"}
    correction = one.post(f"{path}/classification/correction", wanted).json()
    refused(confirmed(one, correction), 403, "same_person")
    for role in (Role.STEWARDS, Role.ORGANISER, Role.ADMINISTRATOR):
        refused(confirmed(staff_api(role), correction), 403, "power_missing")
    assert one.get(path).json()["winners"] == [5] and Classification.objects.count() == 1

    for role in (Role.INSPECTOR, Role.AUDITOR):
        seen = staff_api(role).get(f"proposals/{correction['proposal']}").json()["content"]
        assert (seen["announced_text"], seen["author"]) == (TEXT, "Comissaris")
    auditor = staff_api(Role.AUDITOR)
    for _ in range(2):
        assert confirmed(auditor, correction).status_code == 200
    assert one.get(path).json()["winners"] == [3]
    corrected = Classification.objects.get(in_force=True)
    assert corrected.announced_text == TEXT and corrected.corrects is not None
