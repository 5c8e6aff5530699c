"""Tests of what is written down of the terminals' answers."""

import uuid

from tests.drills.crowd import Told


def test_a_sale_counts_as_the_first_when_it_was_tried_after_the_fault() -> None:
    told = Told(tried_ok=[(1.0, 6.0), (5.5, 5.9), (5.2, 7.0)])
    assert told.first_sale_after(5.0) == 5.9
    assert told.first_sale_after(5.6) is None


def test_rates_gaps_and_percentiles() -> None:
    told = Told(tried_ok=[(0, 1.0), (0, 2.0), (0, 6.0)], took_ms=[(1.0, 10.0), (9.0, 900.0)])
    assert told.sales_between(1.0, 6.0) == 2
    assert told.longest_gap_s(0.0, 7.0) == 4.0
    assert told.p99_ms(5.0) == 900.0
    assert Told().p99_ms() == 0.0


def test_kinds_are_kept_apart() -> None:
    told, ident = Told(), uuid.uuid4()
    told.asked["sale"].add(ident)
    assert told.asked["play"] == set()
    assert Told().asked["sale"] == set()
