"""Tests of what is written down of the terminals' answers."""

import random
import uuid
from collections import deque
from typing import Any

import pytest

from tests.drills.crowd import Answers, Crowd, Goods, Step, _Line, paid_at_a_shop


def test_a_sale_counts_as_the_first_when_it_was_tried_after_the_fault() -> None:
    answers = Answers(tried_ok=[(1.0, 6.0), (5.5, 5.9), (5.2, 7.0)])
    assert answers.first_sale_after(5.0) == 5.9
    assert answers.first_sale_after(5.6) is None


def test_rates_gaps_and_percentiles() -> None:
    answers = Answers(tried_ok=[(0, 1.0), (0, 2.0), (0, 6.0)], took_ms=[(1.0, 10.0), (9.0, 900.0)])
    assert answers.sales_between(1.0, 6.0) == 2
    assert answers.longest_gap_s(0.0, 7.0) == 4.0
    assert answers.p99_ms(5.0) == 900.0
    assert Answers().p99_ms() == 0.0


def test_kinds_are_kept_apart() -> None:
    answers, ident = Answers(), uuid.uuid4()
    answers.asked["sale"].add(ident)
    assert answers.asked["play"] == set()
    assert Answers().asked["sale"] == set()


@pytest.mark.article("14.III.10.2")
def test_no_terminal_presents_what_shops_do_not_pay(monkeypatch: pytest.MonkeyPatch) -> None:
    """In a long drill one did, and was refused for good: `place_not_allowed`."""
    amounts = {500_00: False, 300_00: False, 299_99: True, 50: True}
    assert {cents: paid_at_a_shop(cents) for cents in amounts} == amounts

    def won(_line: _Line, step: Step) -> dict[str, Any]:
        _, _, path, _ = step
        vouchers = [{"nature": "cash", "code": "x", "amount_cents": cents} for cents in amounts]
        return {"vouchers": vouchers} if path.endswith("/acts") else {}

    monkeypatch.setattr(_Line, "act", won)
    crowd = object.__new__(Crowd)
    crowd._goods, crowd._vouchers = Goods((), ((1, 50),)), deque()
    object.__new__(_Line).do(crowd._play(random.Random(1)))
    assert [cents for _, cents in crowd._vouchers] == [299_99, 50]


def test_a_try_is_done_with_a_good_answer_or_a_refusal_for_good() -> None:
    answers, step = Answers(), ("sale", uuid.uuid4(), "lototrot/tickets", dict[str, Any]())
    assert not answers.note(step, 0.0, 0.0, 0, {})
    assert not answers.note(step, 0.0, 0.0, 503, {"transient": True})
    assert not answers.note(step, 0.0, 0.0, 429, {"transient": True})
    assert answers.note(step, 0.0, 1.0, 409, {"code": "contest_closed"})
    assert (answers.answered["sale"], answers.refused) == ({}, {"contest_closed": 1})
    assert answers.note(step, 0.0, 1.0, 201, {})
    assert [*answers.answered["sale"]] == [step[1]] and len(answers.tried_ok) == 1
    assert answers.faults == {"no answer": 1, "503": 1, "429": 1}
