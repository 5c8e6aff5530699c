"""Check that every act names its author: in the API, the admin, a task or a command."""

import psycopg
import pytest
from django.core.management import call_command
from django.db import connection, transaction

from core.journal import acting, powers
from core.journal.models import Act, Change
from core.premises.models import Premises
from core.staff.powers import Role, holders
from tests.support import factories
from tests.support.admin_desk import Desk
from tests.support.api import Api, refused, staff_api, terminal_api
from tests.support.databases import Database
from tests.support.journaling import seal_all

REQUEST = "act-0123456789"


def last_act() -> Act:
    found = Act.objects.order_by("-xid").first()
    assert found is not None
    return found


def change(relation: str) -> Change:
    return Change.objects.filter(relation=relation).latest("pk")


def test_acts_of_staff_by_the_api(own_database: Database) -> None:
    place = factories.point()
    organiser = staff_api(Role.ORGANISER, **{"X-Request-Id": REQUEST})
    body = {
        "code": "P-77",
        "name": "Bar",
        "kind": "establishment",
        "address": "Major 1",
        "municipality": "Manacor",
    }
    assert organiser.post("premises", body).status_code == 201
    act = last_act()
    assert (act.name, act.request_id) == ("premises_post", REQUEST)
    assert act.user_id == Premises.objects.get(code="P-77").created_by_id
    assert act.session_id is not None
    assert act.database_role == "lototrot_app"
    factories.premises()  # the next writer finds no act
    assert (last_act().name, last_act().user_id) == ("tests", None)

    period = place.premises.authorisations.first()
    assert period is not None
    organiser.post(f"authorisations/{period.pk}/end")
    assert change("premises_authorisation").xid == last_act().pk
    assert last_act().name == "authorisations_authorisation_end_post"
    assert change("premises_authorisation").before == {"valid_until": None}
    organiser.post(f"terminals/{place.terminal.code}/revocation")
    assert set(change("premises_terminal").after) == {"revoked_at"}
    assert last_act().name == "terminals_code_revocation_post"


def test_acts_at_a_terminal_and_by_nobody_yet(own_database: Database) -> None:
    contest, place = factories.contest(), factories.point()
    sale = factories.sell(contest, place)
    act = last_act()
    assert (act.name, act.terminal_id, act.operator_id, act.request_id) == (
        "lototrot.sale",
        place.terminal.pk,
        place.operator.pk,
        str(sale.uuid),
    )
    api = terminal_api(place)
    api.post(f"lototrot/tickets/{sale.uuid}/print-confirmation")
    act = last_act()
    assert act.name == "lototrot_tickets_ident_print_confirmation_post"
    assert (act.terminal_id, act.operator_id, act.user_id) == (place.terminal.pk, None, None)
    # A wrong PIN is refused, and what is kept of it is of an act with a name.
    refused(
        api.post("terminal/session", {"number": place.operator.number, "pin": "918273"}),
        401,
        "pin_refused",
    )
    assert change("premises_operator").after == {"failed_attempts": 1}
    assert (last_act().name, last_act().terminal_id) == ("terminal_session_post", place.terminal.pk)
    refused(
        Api().post("staff/sessions", {"username": "nobody", "password": "x"}),
        401,
        "sign_on_refused",
    )


def test_what_is_undone_leaves_no_act_and_no_name(own_database: Database) -> None:
    before = last_act_number()
    with pytest.raises(RuntimeError), acting.acting("first", staff=1), transaction.atomic():
        factories.premises()
        raise RuntimeError
    assert last_act_number() == before
    with acting.acting("second", terminal=5), transaction.atomic():
        try:
            with transaction.atomic():
                factories.premises()
                raise RuntimeError
        except RuntimeError:
            factories.premises()
    assert (last_act().name, last_act().terminal_id) == ("second", 5)
    factories.premises()
    assert last_act().name == "tests"
    connection.close()
    with acting.acting("on a new connection"):
        connection.close()
        factories.premises()
    assert last_act().name == "on a new connection"


def last_act_number() -> int:
    found = Act.objects.order_by("-xid").first()
    return found.pk if found else 0


def test_acts_in_the_admin_by_tasks_and_by_strangers(own_database: Database) -> None:
    desk = Desk(Role.ADMINISTRATOR)
    other = Desk(Role.STEWARDS).person
    desk.do(other, "roles", roles=[Role.ORGANISER.value])
    act = last_act()
    assert (act.name, act.user_id) == ("admin:staff.accounts:roles", desk.person.pk)
    assert change("staff_user").before == {"roles": ["stewards"]}

    from core.nights.tasks import night

    night.apply()
    names = set(Act.objects.values_list("name", flat=True))
    assert names <= {"tests", act.name, "admin_login_post", "task:core.nights.tasks.night"}

    with psycopg.connect(own_database.app_url) as stranger:
        stranger.execute("INSERT INTO database_clockoffset (\"offset\", reason) VALUES ('1h', 'x')")
    assert (last_act().name, last_act().user_id) == ("", None)
    with (
        pytest.raises(psycopg.errors.InsufficientPrivilege),
        psycopg.connect(own_database.app_url) as stranger,
    ):
        stranger.execute("INSERT INTO journal_act (journal_xid, at) VALUES (1, now())")
    with (
        pytest.raises(psycopg.errors.InsufficientPrivilege),
        psycopg.connect(own_database.app_url) as stranger,
    ):
        stranger.execute("INSERT INTO database_clockoffset (journal_xid) VALUES (1)")


def test_what_is_secret_stays_so(own_database: Database) -> None:
    place = factories.point()
    with acting.acting("pin"):
        place.operator.pin = "argon2$secret"
        place.operator.save(update_fields=["pin"])
    found = change("premises_operator")
    assert set(found.after) == {"pin"}
    assert found.after["pin"].startswith("sha256:")
    assert "argon2" not in str(found.before) + str(found.after)


def test_the_journal_is_read_by_who_watches(own_database: Database) -> None:
    place = factories.point()
    organiser, auditor = staff_api(Role.ORGANISER), staff_api(Role.AUDITOR)
    organiser.post(f"terminals/{place.terminal.code}/revocation", {}, X_Request_Id=REQUEST)
    seal_all()
    (act,) = auditor.get("journal/acts", request_id=REQUEST).json()["items"]
    assert act["name"] == "terminals_code_revocation_post"
    detail = auditor.get(f"journal/acts/{act['act']}").json()
    assert [w["table"] for w in detail["written"]] == ["journal_change"] or detail["changes"]
    (made,) = detail["changes"]
    assert (made["table"], made["row"]) == ("premises_terminal", place.terminal.pk)
    assert made["before"] == {"revoked_at": None}
    named = auditor.get("journal/acts", name="tests", limit=1).json()
    assert named["items"][0]["name"] == "tests"
    assert named["next"]
    assert auditor.get("journal/batches").json()["items"][0]["entries"] > 0
    found = auditor.get("journal/verification").json()
    assert (found["findings"], found["is_cut"]) == ([], False)
    refused(auditor.get("journal/acts/999999999999"), 404, "act_unknown")
    refused(organiser.get("journal/acts"), 403, "power_missing")
    assert holders(powers.READ) == {Role.AUDITOR, Role.INSPECTOR}

    desk = Desk(Role.AUDITOR)
    assert "terminals_code_revocation_post" in desk.get("/admin/journal/act/")
    assert "revoked_at" in desk.get(f"/admin/journal/act/{act['act']}/change/")
    desk.do(Act, "verify")
    execute_as_stranger(own_database)
    assert "act_unnamed" in desk.refused(Act, "verify", "journal_touched")
    with pytest.raises(Exception, match="changed in 1 places"):
        call_command("journal_verify")


def execute_as_stranger(database: Database) -> None:
    with psycopg.connect(database.app_url) as stranger:
        stranger.execute(
            "INSERT INTO api_firstanswer (user_id, key_digest, request_digest, status, body,"
            " answered_at) SELECT id, '', '', 200, '', now() FROM staff_user LIMIT 1"
        )
