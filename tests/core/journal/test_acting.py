"""Check that every act names its author: in the API, the admin, a task or a command."""

import psycopg
import pytest
from django.db import connection, transaction

from core.journal import acting
from core.journal.journal_rules import NOBODY
from core.journal.models import Act, Change
from core.journal.rules import broken
from core.payoffice.models import Payment, Presentation
from core.payoffice.services.cash import cash_open
from core.premises.requests import new_uuid
from core.staff.models import Proposal
from core.staff.powers import Role
from core.staff.services import actor_of, session_start
from tests.support import factories, paying
from tests.support.admin_desk import Desk
from tests.support.api import Api, refused, staff_api, terminal_api
from tests.support.databases import Database

REQUEST = "act-0123456789"


def last_act() -> Act:
    act = Act.objects.order_by("-xid").first()
    assert act is not None
    return act


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
    assert organiser.post("premises", {"premises": [body]}).status_code == 201
    act = last_act()
    assert (act.name, act.request_id) == ("premises_post", REQUEST)
    assert act.user_id == Proposal.objects.latest("pk").proposed_by_id
    assert act.session_id is not None
    assert act.database_role == "lototrot_app"
    factories.premises()  # the next writer finds no act
    assert (last_act().name, last_act().user_id) == ("command:tests", None)

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
    # A wrong PIN is refused, and nothing is kept of it: who tries many fills no disk.
    before = last_act_number()
    refused(
        api.prove("terminal/session", {"number": place.operator.number, "pin": "918273"}),
        401,
        "pin_refused",
    )
    assert last_act_number() == before
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
    assert last_act().name == "command:tests"
    connection.close()
    with acting.acting("on a new connection"):
        connection.close()
        factories.premises()
    assert last_act().name == "on a new connection"


def last_act_number() -> int:
    act = Act.objects.order_by("-xid").first()
    return act.pk if act else 0


def test_acts_in_the_admin_by_tasks_and_by_strangers(own_database: Database) -> None:
    desk = Desk(Role.ADMINISTRATOR)
    other = Desk(Role.STEWARDS).person
    desk.do(other, "deactivate")
    act = last_act()
    assert (act.name, act.user_id) == ("admin:staff.accounts:deactivate", desk.person.pk)
    assert change("staff_user").before == {"is_active": True}

    from core.nights.tasks import night

    night.apply()
    names = set(Act.objects.values_list("source__name", flat=True))
    assert names <= {"command:tests", act.name, "admin_login_post", "task:core.nights.tasks.night"}

    with psycopg.connect(own_database.app_url) as stranger:
        stranger.execute(
            'INSERT INTO database_clockoffset ("offset", set_at, reason)'
            " VALUES ('1h', core_now(), 'x')"
        )
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


def test_what_is_done_at_the_offices_desk_is_of_its_person(own_database: Database) -> None:
    """On 3727206 payments and presentations at the desk were acts of nobody."""
    paid, presented = paying.worth(123_45, 200_00)
    desk = Desk(Role.CASHIER)
    by = actor_of(session_start(user=desk.person, verified=True)[0])
    cash_open(by=by, premises=paying.office().code, float_cents=500_000)
    asked = {"intact": "on", "amount_cents": "12345", "uuid": str(new_uuid())}
    desk.client.post("/admin/office/", {"code": paid.code, "act": "pay", **asked})
    desk.client.post("/admin/office/", {"code": presented.code, "act": "present", **asked})
    assert Payment.objects.count() == 1
    assert Presentation.objects.count() == 1
    acts = Act.objects.filter(source__name="admin_office_post")
    assert {act.user_id for act in acts} == {desk.person.pk}
    assert all(act.session_id for act in acts)
    assert not list(broken(NOBODY))
