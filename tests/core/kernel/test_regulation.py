import copy
import json
from dataclasses import replace
from datetime import date
from fractions import Fraction
from importlib import resources
from typing import Any

import pytest

from core.kernel.regulation import (
    AmountNotPayable,
    Bearer,
    Duty,
    Means,
    Place,
    RegulationRefused,
    payment_rule,
    schedule_from,
    shipped,
)

DAY = date(2006, 3, 5)
FIGURES = shipped().in_force(DAY)
ESTABLISHMENT, OFFICE, ENTITY = Place


def _document() -> dict[str, Any]:
    """Return the first version. Later ones may be added."""
    text = resources.files("core.kernel").joinpath("regulation.json").read_text("utf-8")
    document: dict[str, Any] = json.loads(text)["versions"][0]
    return document


@pytest.mark.article("14.III.2", "14.III.6.1", "15.III.4", "15.III.5.1", "15.III.6.6")
def test_the_figures_of_the_text() -> None:
    lototrot, promotrot = FIGURES.lototrot, FIGURES.promotrot
    assert (lototrot.minimum_prize_percent, promotrot.minimum_prize_percent) == (60, 70)
    assert (lototrot.minimum_price_cents, lototrot.maximum_price_cents) == (50, 600)
    assert (promotrot.minimum_price_cents, promotrot.maximum_price_cents) == (20, 1000)
    assert lototrot.claim_days == promotrot.claim_days == 30


@pytest.mark.article("14.III.5.4.2")
def test_a_draw_is_due_within_two_hours() -> None:
    assert FIGURES.draw_within_s == 2 * 60 * 60
    assert FIGURES.draw_notice_s == 10 * 60


def test_a_new_account_is_no_second_person_for_a_day() -> None:
    assert FIGURES.second_person_after_s == 24 * 60 * 60


MUST, MAY, NOT = Duty.MUST, Duty.MAY, Duty.MUST_NOT


@pytest.mark.article("14.III.10.2")
@pytest.mark.parametrize(
    ("cents", "duties"),
    [
        (1, (MUST, MAY, NOT)),
        (11999, (MUST, MAY, NOT)),
        (12000, (MUST, MUST, MUST)),
        (12001, (MAY, MUST, MUST)),
        (29999, (MAY, MUST, MUST)),
        (30000, (NOT, MUST, MUST)),
        (10**9, (NOT, MUST, MUST)),
    ],
)
def test_who_pays_a_ticket(cents: int, duties: tuple[Duty, ...]) -> None:
    rule = payment_rule(cents, FIGURES.payment, Bearer.TICKET)
    for is_issuer in (False, True):
        assert tuple(rule.duty(place, is_issuer=is_issuer) for place in Place) == duties


@pytest.mark.article("15.III.6.4")
@pytest.mark.parametrize(
    ("cents", "issuer", "others"),
    [
        (8000, MUST, (MAY, MUST, NOT)),
        (12000, MUST, (MAY, MUST, MAY)),
        (12001, MUST, (MAY, MUST, MAY)),
        (29999, MUST, (MAY, MUST, MAY)),
        (30000, NOT, (NOT, MUST, MUST)),
    ],
)
def test_who_pays_a_voucher(cents: int, issuer: Duty, others: tuple[Duty, ...]) -> None:
    rule = payment_rule(cents, FIGURES.payment, Bearer.VOUCHER)
    assert rule.duty(ESTABLISHMENT, is_issuer=True) == issuer
    assert tuple(rule.duty(place, is_issuer=False) for place in Place) == others


@pytest.mark.article("14.III.10.6")
def test_cash_up_to_the_ceiling_and_a_cheque_above() -> None:
    at, above = (payment_rule(c, FIGURES.payment, Bearer.TICKET) for c in (100000, 100001))
    assert (at.means, above.means) == (Means.CASH, Means.NOMINATIVE_CHEQUE)


@pytest.mark.parametrize("cents", [0, -1])
def test_nothing_is_not_paid(cents: int) -> None:
    with pytest.raises(AmountNotPayable):
        payment_rule(cents, FIGURES.payment, Bearer.TICKET)


@pytest.mark.article("14.III.10.6")
def test_an_amendment_holds_from_its_day() -> None:
    changes = {
        "in_force_from": "2020-07-01",
        "source": "a later law",
        "payment": {"cash_up_to_cents": 50000},
    }
    first = schedule_from([_document()])
    schedule = first.amended(changes)
    before, after = schedule.in_force(date(2020, 6, 30)), schedule.in_force(date(2020, 7, 1))
    assert (before.payment.cash_up_to_cents, after.payment.cash_up_to_cents) == (100000, 50000)
    assert after.payment.tiers == before.payment.tiers
    assert after.lototrot == before.lototrot
    assert first.in_force(date(2021, 1, 1)).payment.cash_up_to_cents == 100000
    with pytest.raises(RegulationRefused):
        schedule.amended(changes)


@pytest.mark.parametrize(
    ("changes", "place"),
    [
        ({"source": "x"}, "$.in_force_from"),
        ({"in_force_from": "2005-12-30", "source": "x"}, "$.in_force_from"),
        ({"in_force_from": "2020-07-01"}, "$.source"),
        ({"in_force_from": "2020-07-01", "source": "x", "cash": 1}, "$.cash"),
        (
            {"in_force_from": "2020-07-01", "source": "x", "payment": {"cash_up_to_cents": "5"}},
            "$.payment.cash_up_to_cents",
        ),
        ({"in_force_from": "2020-07-01", "source": "x", "payment": 5}, "$.payment"),
    ],
)
def test_a_bad_amendment_is_refused(changes: dict[str, Any], place: str) -> None:
    with pytest.raises(RegulationRefused) as caught:
        schedule_from([_document()]).amended(changes)
    assert caught.value.data["place"] == place


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (("lototrot", "minimum_prize_percent"), 60.0),
        (("lototrot", "minimum_price_cents"), 601),
        (("promotrot", "claim_days"), True),
        (("draw_within_s",), 0),
        (("draw_notice_s",), 0),
        (("second_person_after_s",), 0),
        (("payment", "tiers"), []),
        (("payment", "tiers", 2, "up_to_cents"), 40000),
        (("payment", "tiers", 1, "up_to_cents"), 12000),
        (("payment", "tiers", 0, "up_to_cents"), None),
        (("payment", "tiers", 0, "from_cents"), 2),
        (("payment", "tiers", 1, "from_cents"), 12002),
        (("payment", "tiers", 1, "from_cents"), 1),
        (("payment", "tiers", 2, "from_cents"), 30001),
        (("payment", "tiers", 0, "named"), ["bank"]),
        (("payment", "tiers", 0, "ticket", "may"), ["establishment"]),
        (("payment", "tiers", 0, "voucher", "issuer_must"), "yes"),
    ],
)
def test_bad_figures_are_refused(path: tuple[Any, ...], value: Any) -> None:
    document = copy.deepcopy(_document())
    table = document
    for key in path[:-1]:
        table = table[key]
    table[path[-1]] = value
    with pytest.raises(RegulationRefused):
        schedule_from([document])


def test_versions_come_in_any_order_and_the_first_reaches_back() -> None:
    older, newer = _document(), _document()
    newer |= {"in_force_from": "2030-01-01", "draw_within_s": 60}
    schedule = schedule_from([newer, older])
    assert [v.in_force_from.year for v in schedule.versions] == [2005, 2030]
    assert schedule.in_force(date.min) is schedule.versions[0]
    assert schedule.in_force(date(2030, 1, 1)).draw_within_s == 60
    with pytest.raises(RegulationRefused):
        schedule_from([])


def test_the_percentages_are_exact() -> None:
    assert isinstance(FIGURES.lototrot.minimum_prize_percent, Fraction)


def test_equal_figures_of_payment_have_equal_hashes() -> None:
    """The rule of an amount is looked up by them."""
    figures = FIGURES.payment
    same = replace(figures, tiers=tuple(replace(tier) for tier in figures.tiers))
    assert same == figures and hash(same) == hash(figures)
    other = replace(figures, cash_up_to_cents=figures.cash_up_to_cents + 1)
    assert payment_rule(figures.cash_up_to_cents + 1, other, Bearer.TICKET) != payment_rule(
        figures.cash_up_to_cents + 1, figures, Bearer.TICKET
    )
