from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.kernel.errors import DomainError
from lototrot.engine.races import mask_of, numbers_of
from lototrot.engine.selection import (
    EmptyRace,
    Leg,
    MalformedNumber,
    RepeatedNumber,
    Terms,
    TooManyBets,
    UnknownNumber,
    WithdrawnNumber,
    WrongPrice,
    WrongRaceCount,
    select,
)

PROGRAMME = mask_of(range(1, 9))
TERMS = Terms((Leg(PROGRAMME, PROGRAMME & ~mask_of([5])),) * 3, price_cents=150, max_bets=6)


def test_a_multiple_ticket() -> None:
    ticket = select([[3, 1], [2], [8, 7, 6]], 150, TERMS)
    assert ticket.masks == (0b101, 0b10, 0b11100000)
    assert (ticket.bets, ticket.amount_cents) == (6, 900)


@pytest.mark.article("14.III.1.3", "14.III.2", "14.III.5.4.1")
@pytest.mark.parametrize(
    ("numbers", "error", "data"),
    [
        ([[1], [1]], WrongRaceCount, {"expected": 3, "given": 2}),
        ([[1]] * 4, WrongRaceCount, {"expected": 3, "given": 4}),
        ([[1], [], [1]], EmptyRace, {"race": 2}),
        ([[1], [1], [9]], UnknownNumber, {"race": 3, "number": 9}),
        ([[0], [1], [1]], UnknownNumber, {"race": 1, "number": 0}),
        ([[-1], [1], [1]], UnknownNumber, {"race": 1, "number": -1}),
        ([[10**9], [1], [1]], UnknownNumber, {"race": 1, "number": 10**9}),
        ([[1, 2, 1], [1], [1]], RepeatedNumber, {"race": 1, "number": 1}),
        ([[1], [4, 5], [1]], WithdrawnNumber, {"race": 2, "number": 5}),
        ([[1], [True], [1]], MalformedNumber, {"race": 2}),
        ([[1], ["1"], [1]], MalformedNumber, {"race": 2}),
        ([[1, 2], [1, 2], [1, 2]], TooManyBets, {"bets": 8, "maximum": 6}),
    ],
)
def test_each_fault_has_its_own_error(
    numbers: Any, error: type[DomainError], data: dict[str, int]
) -> None:
    with pytest.raises(DomainError) as caught:
        select(numbers, 150, TERMS)
    assert type(caught.value) is error
    assert caught.value.data == data


@pytest.mark.article("14.III.2")
@pytest.mark.parametrize("price", [149, 151, 0, -150])
def test_the_price_is_the_contests(price: int) -> None:
    with pytest.raises(WrongPrice):
        select([[1], [1], [1]], price, TERMS)


def test_the_codes_are_distinct() -> None:
    errors = [
        *(WrongRaceCount, WrongPrice, EmptyRace, MalformedNumber),
        *(UnknownNumber, RepeatedNumber, WithdrawnNumber, TooManyBets),
    ]
    assert len({error.code for error in errors}) == len(errors)


LISTS = st.lists(
    st.sets(st.integers(1, 31), min_size=1, max_size=5).flatmap(lambda s: st.permutations(list(s))),
    min_size=2,
    max_size=10,
)


@given(LISTS)
def test_masks_hold_what_was_chosen(numbers: Sequence[Sequence[int]]) -> None:
    everything = Leg(2**31 - 1, 2**31 - 1)
    terms = Terms((everything,) * len(numbers), price_cents=50, max_bets=31**10)
    ticket = select(numbers, 50, terms)
    assert [numbers_of(mask) for mask in ticket.masks] == [tuple(sorted(n)) for n in numbers]
    assert ticket.amount_cents == ticket.bets * 50
