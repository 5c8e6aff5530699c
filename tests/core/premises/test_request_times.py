"""Refuse a new act under a UUID that is not of version 7, or not of this time (RFC 9562)."""

import uuid
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

import pytest
from django.db import connection

from core.database import clock
from core.kernel.request_uuids import AHEAD, OLDEST, REFUSALS, RETIRED_AFTER
from core.payoffice.models import Claim, Payment
from core.payoffice.services import desk, goods
from core.premises.models import BurntRequest
from core.premises.requests import need_new, new_uuid
from core.staff import two_persons
from core.staff.powers import Role
from tests.support import emitting, factories, paying
from tests.support.api import Api, refused, terminal_api
from tests.support.factories.request_uuids import uuid_at

pytestmark = pytest.mark.django_db
MS = timedelta(milliseconds=1)
Act = Callable[[str], Any]
WRONG: dict[str, tuple[int, Callable[[], uuid.UUID]]] = {
    "request_uuid_version": (422, uuid.uuid4),
    "request_uuid_from_the_future": (409, lambda: uuid_at(clock.now() + timedelta(minutes=6))),
    "request_uuid_too_old": (409, lambda: uuid_at(clock.now() - timedelta(days=3, seconds=1))),
}


@pytest.fixture
def acts(settings: Any) -> dict[str, Act]:
    """Ask for every kind of act that takes the UUID of a request."""
    won, more = paying.worth(500, 700)  # at a later day, when the others begin
    place, contest = factories.point(), factories.contest()
    factories.acknowledge(contest, place)
    emission = emitting.opened(emitting.small())
    api, office = terminal_api(place), paying.desk_api()
    sale = {"contest": contest.pk, "price_cents": 100, "amount_cents": 100, "races": [[1]] * 7}
    sold = api.post("lototrot/tickets", {"uuid": str(new_uuid()), **sale}).json()["uuid"]
    play = {"emission": emission.pk, "price_cents": emission.price_cents}
    payment = {"code": won.code, "amount_cents": 500, "intact": True}

    def cash_up(ident: str) -> Any:
        cents = api.get("terminal/drawer").json()["expected_cents"]
        counted = {"expected_cents": cents, "float_cents": 0, "counted_cents": cents}
        return api.post("terminal/cash-ups", {"uuid": ident, **counted})

    def proposed(ident: str) -> Any:
        settings.SECOND_PERSON_FROM_CENTS = 600
        body = {"uuid": ident, "code": more.code, "amount_cents": 700, "intact": True}
        return office.post("office/payments", body)

    def asked(by: Api, path: str, body: dict[str, Any]) -> Act:
        return lambda ident: by.post(path, {"uuid": ident, **body})

    return {
        "sale": asked(api, "lototrot/tickets", sale),
        "play": asked(api, "promotrot/plays", play),
        "payment": asked(api, "claims/payments", payment),
        "deposit": asked(api, "claims/deposits", {"reason": "unreadable", "notes": "Wet."}),
        "cash-up": cash_up,
        "copy": asked(api, f"lototrot/tickets/{sold}/reprints", {"format": "json"}),
        "payment at a desk": asked(office, "office/payments", payment),
        "proposed payment": proposed,
        "exchange": asked(office, "office/exchanges", {"code": won.code, "intact": True}),
    }


def written() -> list[tuple[str, int]]:
    """Return how many rows of an act there are, by table."""
    tables = [
        *("lototrot_ticket", "lototrot_reprint", "promotrot_playticket", "ledger_transfer"),
        *("payoffice_payment", "payoffice_deposit", "payoffice_exchange", "staff_proposal"),
        *("payoffice_claim", "statements_cashup", "premises_burntrequest"),
    ]
    with connection.cursor() as cursor:
        counts = " UNION ALL ".join(f"SELECT '{name}', count(*) FROM {name}" for name in tables)
        cursor.execute(counts)
        return cursor.fetchall()


def test_no_kind_of_new_act_has_a_wrong_uuid(acts: dict[str, Act]) -> None:
    before = written()
    for kind, act in acts.items():
        for code, (status, make) in WRONG.items():
            answer = act(str(make()))
            assert (kind, refused(answer, status, code)["code"]) == (kind, code)
            assert answer.headers["X-Server-Time"]
    assert written() == before


def test_a_client_with_a_wrong_clock_mends_itself_by_the_answer(acts: dict[str, Act]) -> None:
    for kind in ("sale", "play", "payment", "deposit", "cash-up", "copy"):
        clock_of_the_client = datetime.fromisoformat("2001-01-01T00:00:00Z")
        answer = acts[kind](str(uuid_at(clock_of_the_client)))
        server_time = datetime.fromisoformat(answer.headers["X-Server-Time"])
        assert acts[kind](str(uuid_at(server_time))).status_code in (200, 201), kind


def test_who_was_cut_off_for_days_can_still_send(acts: dict[str, Act]) -> None:
    kept = [str(uuid_at(clock.now() - OLDEST + timedelta(minutes=1))) for _ in range(2)]
    ahead = str(uuid_at(clock.now() + AHEAD - timedelta(minutes=1)))
    assert [acts["sale"](ident).status_code for ident in (*kept, ahead)] == [201] * 3
    # What was done is answered before its UUID is looked at, however old that is by then.
    factories.time_pass(minutes=3)
    assert need_refused(uuid.UUID(kept[0])) == "request_uuid_too_old"
    assert acts["sale"](kept[0]).status_code == 200


def need_refused(ident: uuid.UUID) -> str:
    with pytest.raises(REFUSALS) as raised:
        need_new(ident)
    return raised.value.code


def test_a_payment_may_wait_a_day_for_its_second_person(acts: dict[str, Act]) -> None:
    """Its UUID was new when the payment was proposed; it is not asked again."""
    ident = uuid_at(clock.now() - OLDEST + timedelta(hours=1))
    answer = acts["proposed payment"](str(ident))
    proposal = two_persons.Proposal.objects.get(content__uuid=str(ident))
    assert answer.status_code in (201, 202), answer.content
    factories.time_pass(hours=2)
    assert need_refused(ident) == "request_uuid_too_old"
    two_persons.confirm(proposal=proposal.uuid, by=factories.staff(Role.SUPERVISOR))
    assert Payment.objects.get().uuid == ident
    assert Claim.objects.get().state == Claim.State.PAID


def test_the_limits_to_the_millisecond(db: None) -> None:
    at = clock.now().replace(microsecond=0)

    def refusal_of(ident: uuid.UUID, at: datetime | None = at) -> str | None:
        with connection.cursor() as cursor:
            cursor.execute("SELECT premises_new_request(%s, %s)", [ident, at])
            (refusal,) = cursor.fetchone()
        return refusal

    assert [
        refusal_of(uuid_at(at + AHEAD)),
        refusal_of(uuid_at(at - OLDEST)),
        refusal_of(uuid_at(at)),
    ] == [None] * 3
    assert refusal_of(uuid_at(at + AHEAD + MS)) == "request_uuid_from_the_future"
    assert refusal_of(uuid_at(at - OLDEST - MS)) == "request_uuid_too_old"
    right = uuid_at(at)
    other_variant = uuid.UUID(int=right.int ^ 1 << 62)
    versions = [uuid.UUID(int=right.int ^ bit << 76) for bit in range(1, 16)]
    assert {refusal_of(ident) for ident in (other_variant, *versions)} == {"request_uuid_version"}
    # Nothing new is asked for where there is no time.
    assert [refusal_of(uuid.uuid4(), None), refusal_of(uuid_at(at - 2 * OLDEST), None)] == [
        None,
        None,
    ]


def test_a_month_is_retired_after_the_last_act_of_it_can_be_repeated() -> None:
    waits = max(kind.good_for or RETIRED_AFTER for kind in (desk.PAYMENT, goods.EXCHANGE))
    assert OLDEST + AHEAD + waits < RETIRED_AFTER


def test_an_inquiry_burns_whatever_might_still_be_sold(acts: dict[str, Act]) -> None:
    api = terminal_api(factories.point())
    for before, path in enumerate(("lototrot/tickets/{}/inquiry", "promotrot/plays/{}/inquiry")):
        refused(api.post(path.format(uuid.uuid4())), 422, "request_uuid_version")
        assert BurntRequest.objects.count() == 3 * before
        late, early = uuid_at(clock.now() - 2 * OLDEST), uuid_at(clock.now() + 2 * AHEAD)
        for ident in (late, early, new_uuid()):
            assert api.post(path.format(ident)).json()["outcome"] == "burnt"
        assert BurntRequest.objects.count() == 3 * (before + 1)
        factories.time_pass(minutes=8)
        refused(acts["sale"](str(early)), 409, "uuid_burnt")
