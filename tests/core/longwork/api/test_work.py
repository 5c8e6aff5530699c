"""Read long work through the API: one's own, and an auditor's is everybody's."""

import pytest

from core.longwork.services import work_ask, work_do
from core.staff.powers import Role
from tests.core.longwork.conftest import OWN, Bench
from tests.support import factories
from tests.support.api import refused, staff_api

pytestmark = pytest.mark.django_db


def test_work_is_read_by_its_person_and_by_auditors(bench: Bench) -> None:
    work = work_ask(kind=OWN, by=factories.staff(Role.ORGANISER), content={"of": "March"})
    work_do(work.pk)
    auditor, other = staff_api(Role.AUDITOR), staff_api(Role.ORGANISER)
    (listed,) = auditor.get("long-work").json()["items"]
    one = auditor.get(f"long-work/{work.pk}").json()
    assert one == listed
    assert (one["state"], one["result"], one["content"]) == ("done", {"rows": 3}, {"of": "March"})
    assert other.get("long-work").json()["items"] == []
    refused(other.get(f"long-work/{work.pk}"), 404, "long_work_unknown")
    refused(staff_api(Role.CASHIER).get("long-work"), 403, "power_missing")
