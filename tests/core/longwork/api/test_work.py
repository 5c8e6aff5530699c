"""Read long work through the API: one's own, and an auditor's is everybody's."""

import hashlib
import io

import pytest

from core.longwork.kinds import File, Outcome
from core.longwork.services import work_ask, work_do
from core.looks.models import Look
from core.staff.models import User
from core.staff.powers import Role
from core.staff.services import actor_of, session_start
from tests.core.longwork.conftest import OWN, Bench
from tests.support import factories
from tests.support.api import Api, refused, staff_api

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


def test_a_file_goes_to_who_asked_alone_and_the_look_is_on_record(bench: Bench) -> None:
    content = b"a;b\r\n" * 400_000  # more than one part
    bench.does = lambda asked: Outcome(file=File(io.BytesIO(content), "list.csv", "text/csv"))
    user = User.objects.get(pk=factories.staff(Role.ORGANISER).user_id)
    session, token = session_start(user=user, verified=True)
    api = Api(Authorization=f"Bearer {token}")
    work = work_ask(kind=OWN, by=actor_of(session), content={"of": "March"})
    address = f"long-work/{work.pk}/file"
    refused(api.get(address), 404, "long_work_unknown")  # it has not been done
    work_do(work.pk)
    answer = api.get(address)
    assert answer.getvalue() == content
    assert answer["Content-Disposition"] == 'attachment; filename="list.csv"'
    assert answer["Content-Type"] == "text/csv"
    document = api.get(f"long-work/{work.pk}").json()
    assert document["file_sha256"] == hashlib.sha256(content).hexdigest()
    assert Look.objects.filter(subject=f"longwork:{work.pk}", user=user).count() == 1
    for role in (Role.ORGANISER, Role.AUDITOR):
        refused(staff_api(role).get(address), 404, "long_work_unknown")
    refused(staff_api(Role.CASHIER).get(address), 403, "power_missing")
