"""A prize won a second before midnight, whose answer is lost, stays its winner's: the terminal gets
the paper again until noon, and then the Central Office hands it over (scenario 3; second list, P16;
15.III.6.3).
"""

from datetime import UTC, datetime
from typing import Any

import pytest
from django.db import DatabaseError, transaction

from core.kernel.days import MADRID
from core.ledger.books import differences
from core.nights.services import night_run
from core.premises.requests import new_uuid
from core.staff.powers import Role
from promotrot.models.emission import Emission
from promotrot.models.voucher import Voucher, VoucherHandover, VoucherSecret
from promotrot.tasks import forget_codes
from tests.support import emitting, factories, paying
from tests.support.api import Api, refused, staff_api, terminal_api
from tests.support.factories import Point

pytestmark = [pytest.mark.django_db, pytest.mark.article("15.III.6.3")]
PRIZES = [{"cash_cents": 25_000, "count": 1}, {"cash_cents": 100, "count": 30}]
"""280.00 of 400.00: 70 % of 40 tickets at 10.00."""


def at(day: int, time: str, month: int = 3) -> datetime:
    """Set the clock to a time of Europe/Madrid in 2027."""
    hour, minute, second = map(int, f"{time}:0".split(":")[:3])
    instant = datetime(2027, month, day, hour, minute, second, tzinfo=MADRID).astimezone(UTC)
    return factories.time_to(instant)


def winning_first() -> Emission:
    """Return an emission on sale whose first ticket wins 250.00."""
    definition = emitting.small(price_cents=1_000, tiers=PRIZES)
    seed = emitting.seed_where("small/1", lambda tiers: tiers[0] == 1, definition)
    with emitting.seeded(seed):
        return emitting.opened(definition)


def bought(place: Point, emission: Emission) -> str:
    ident = str(new_uuid())
    body = {"uuid": ident, "emission": emission.pk, "price_cents": emission.price_cents}
    assert terminal_api(place).post("promotrot/plays", body).status_code == 201
    return ident


def won_at_midnight(place: Point, day: int = 10, month: int = 3) -> str:
    """Buy and play at 23:59:59. The answer is lost: nothing of it is returned but the play."""
    play = bought(place, winning_first())
    at(day, "23:59:59", month)
    terminal_api(place).post(f"promotrot/plays/{play}/acts", {"number": 1, "act": "reveal"})
    return play


def voucher_of(place: Point, play: str) -> dict[str, Any]:
    (voucher,) = terminal_api(place).get(f"promotrot/plays/{play}").json()["vouchers"]
    return dict(voucher)


def paid(desk: Api, code: str, cents: int = 25_000) -> Any:
    body = {"uuid": str(new_uuid()), "code": code, "amount_cents": cents, "intact": True}
    return desk.post("office/payments", body)


def test_the_terminal_has_the_voucher_until_noon_and_then_the_central_office() -> None:
    at(10, "20:00")
    place = factories.point()
    play = won_at_midnight(place)

    at(11, "00:01")
    night_run()
    first = voucher_of(place, play)
    assert (first["amount_cents"], first["issue_day"], first["held"]) == (
        25_000,
        "2027-03-10",
        False,
    )
    at(11, "11:59")
    voucher = voucher_of(place, play)
    assert voucher["code"] == first["code"] is not None
    path = f"promotrot/vouchers/{voucher['uuid']}"
    (listed,) = terminal_api(place).get("promotrot/terminal/vouchers").json()["items"]
    assert (listed["uuid"], listed["until"]) == (voucher["uuid"], "2027-03-11T11:00:00Z")
    paper = terminal_api(place).get(f"{path}/voucher.txt", lang="en").content.decode()
    assert voucher["code"] in paper and "250.00" in paper
    desk = paying.desk_api()
    handover = f"promotrot/office/vouchers/{voucher['uuid']}/handover"
    refused(desk.post(handover, {"claim": "receipt"}), 409, "voucher_not_held")

    at(11, "12:01")
    late = voucher_of(place, play)
    assert (late["code"], late["held"]) == (None, True)
    refused(terminal_api(place).get(f"{path}/voucher.txt"), 409, "voucher_code_gone")
    assert terminal_api(place).get("promotrot/terminal/vouchers").json()["items"] == []
    (held,) = desk.get("promotrot/office/vouchers/held").json()["items"]
    assert (held["uuid"], held["play"], held["amount_cents"]) == (voucher["uuid"], play, 25_000)
    card = paying.handed_over_by_api(desk, voucher["uuid"])
    assert card["code"] not in (None, voucher["code"])
    again = desk.get(f"promotrot/office/vouchers/{voucher['uuid']}/voucher.json").json()
    assert again["code"] == card["code"]
    refused(paying.desk_api().post(handover, {"claim": "me, too"}), 409, "voucher_not_held")

    refused(paid(desk, voucher["code"]), 409, "voucher_handed_over")
    refused(terminal_api(place).post(f"{path}/print-confirmation"), 409, "voucher_handed_over")
    refused(paid(desk, card["code"]), 403, "payer_handed_over")
    assert paid(paying.desk_api(), card["code"]).status_code == 201
    assert desk.get("promotrot/office/vouchers/held").json()["items"] == []
    assert differences()[1] == []


def test_the_secret_of_the_day_lives_until_noon_and_no_longer() -> None:
    at(10, "20:00")
    won_at_midnight(factories.point())
    at(11, "11:59:59")
    (secret,) = VoucherSecret.objects.all()
    forget_codes(secret.pk)
    secret.refresh_from_db()
    assert secret.secret is not None
    at(11, "12:00")
    forget_codes(secret.pk)
    secret.refresh_from_db()
    assert secret.secret is None


def test_a_paper_that_came_out_in_time_is_nobody_elses_at_noon() -> None:
    at(10, "20:00")
    place = factories.point()
    voucher = voucher_of(place, won_at_midnight(place))
    at(11, "12:05")
    path = f"promotrot/vouchers/{voucher['uuid']}"
    for _ in range(2):
        assert terminal_api(place).post(f"{path}/print-confirmation").status_code == 200
    desk = paying.desk_api()
    assert desk.get("promotrot/office/vouchers/held").json()["items"] == []
    handover = f"promotrot/office/vouchers/{voucher['uuid']}/handover"
    refused(desk.post(handover, {"claim": "receipt"}), 409, "voucher_not_held")
    assert paid(desk, voucher["code"]).status_code == 201


@pytest.mark.parametrize(("day", "month"), [(27, 3), (30, 10)], ids=["23 hours", "25 hours"])
def test_noon_is_that_of_madrid_when_the_clocks_change(day: int, month: int) -> None:
    at(day, "20:00", month)
    place = factories.point()
    play = won_at_midnight(place, day, month)
    at(day + 1, "11:59:59", month)
    assert voucher_of(place, play)["code"]
    at(day + 1, "12:00:00", month)
    assert voucher_of(place, play)["code"] is None


def test_a_handover_whose_printer_fails_is_held_again_the_next_noon() -> None:
    at(10, "20:00")
    place = factories.point()
    voucher = voucher_of(place, won_at_midnight(place))
    at(11, "18:00")
    path = f"promotrot/office/vouchers/{voucher['uuid']}"
    first = paying.handed_over_by_api(paying.desk_api(), voucher["uuid"])
    at(12, "12:00")
    desk = paying.desk_api()
    second = paying.handed_over_by_api(desk, voucher["uuid"])
    assert second["code"] not in (None, first["code"])
    assert desk.post(f"{path}/print-confirmation").status_code == 200
    assert VoucherHandover.objects.count() == 2
    refused(paid(desk, first["code"]), 409, "voucher_handed_over")
    assert paid(paying.desk_api(), second["code"]).status_code == 201


def test_the_database_refuses_a_handover_before_noon_and_a_code_without_one() -> None:
    at(10, "20:00")
    voucher_of((place := factories.point()), won_at_midnight(place))
    voucher = Voucher.objects.get()
    clerk = paying.cashier()
    terms: dict[str, Any] = {
        "voucher": voucher,
        "number": 1,
        "replaced_digest": voucher.code_digest,
        "cash_session": paying.session_of(clerk),
        "handed_by_id": clerk.user_id,
        "handed_in_id": clerk.session_id,
        "claim": "receipt",
        "proposal": factories.proposal("promotrot.handover"),
    }
    for wrong in (
        {"handed_at": at(11, "11:59:59")},
        {"handed_at": at(11, "12:00"), "replaced_digest": None},
        {"handed_at": at(11, "12:00"), "number": 2},
        {"handed_at": at(11, "12:00"), "proposal": factories.proposal("promotrot.play_end")},
    ):
        with pytest.raises(DatabaseError), transaction.atomic():
            VoucherHandover.objects.create(**terms | wrong)
    with pytest.raises(DatabaseError), transaction.atomic():
        Voucher.objects.update(code_digest=b"x" * 16)
    refused(
        staff_api(Role.AUDITOR).post(
            f"promotrot/office/vouchers/{voucher.uuid}/handover", {"claim": "mine"}
        ),
        403,
        "power_missing",
    )
