"""Read the journal over HTTP, and verify it."""

from core.journal import powers
from core.staff.models import User
from core.staff.powers import Role, holders
from tests.support import factories
from tests.support.api import refused, staff_api
from tests.support.databases import Database
from tests.support.journaling import seal_all

REQUEST = "act-0123456789"


def test_the_journal_is_read_by_who_watches(own_database: Database) -> None:
    place = factories.point()
    organiser, auditor = staff_api(Role.ORGANISER), staff_api(Role.AUDITOR)
    organiser.post(f"terminals/{place.terminal.code}/revocation", {}, X_Request_Id=REQUEST)
    seal_all()
    (act,) = auditor.get("journal/acts", request_id=REQUEST).json()["items"]
    assert act["name"] == "terminals_code_revocation_post"
    detail = auditor.get(f"journal/acts/{act['act']}").json()
    assert [w["table"] for w in detail["written"]] == ["journal_change"] or detail["changes"]
    (change,) = detail["changes"]
    assert (change["table"], change["row"]) == ("premises_terminal", place.terminal.pk)
    assert change["before"] == {"revoked_at": None}
    named = auditor.get("journal/acts", name="command:tests", limit=1).json()
    assert named["items"][0]["name"] == "command:tests"
    assert named["next"]
    person = User.objects.get(pk=act["staff"]).username
    theirs = auditor.get("journal/acts", person=person).json()["items"]
    assert act["act"] in {each["act"] for each in theirs}
    assert {each["staff"] for each in theirs} == {act["staff"]}
    assert auditor.get("journal/batches").json()["items"][0]["entries"] > 0
    answer = auditor.get("journal/verification").json()
    assert (answer["findings"], answer["is_cut"]) == ([], False)
    refused(auditor.get("journal/acts/999999999999"), 404, "act_unknown")
    refused(auditor.get("journal/acts", person="nobody"), 404, "user_unknown")
    refused(auditor.get("journal/acts", name="command:test"), 422, "fields_invalid")
    assert auditor.get("journal/acts", terminal=place.terminal.code).json()["items"] == []
    for code in (f"{place.terminal.code}0", place.terminal.code.lower(), "\x00"):
        refused(auditor.get("journal/acts", terminal=code), 422, "fields_invalid")
    refused(organiser.get("journal/acts"), 403, "power_missing")
    assert holders(powers.READ) == {Role.AUDITOR, Role.INSPECTOR}
