"""Share the bets among the horses: of multiples too, and without voided ones."""

from typing import Any

import pytest

from lototrot.models.contest import Contest
from lototrot.models.tickets import Void
from lototrot.selectors import shares
from lototrot.selectors.board import board_document, board_prepare, board_pulse
from tests.support import factories, rounds


def shown_open(contest: Contest) -> Any:
    board_prepare()
    return board_pulse()["contests"][str(contest.pk)]["shares"]


@pytest.mark.django_db
def test_a_multiple_counts_on_each_number_for_its_part_and_a_voided_ticket_not_at_all() -> None:
    contest = rounds.published()
    at = factories.point()
    assert shown_open(contest) == []
    lines = [rounds.masks([[1, 2], *[[3]] * 6]), *[rounds.masks([[1]] * 7)] * 2]
    double, single, _ = rounds.sell(contest, at, lines)
    assert double.bets == 2
    assert shown_open(contest) == [{1: 750, 2: 250}, *[{1: 500, 3: 500}] * 6]
    rounds.sell(contest, at, [rounds.masks([[2]] * 7)])  # added to what was summed before
    Void.objects.create(
        ticket=single, reason="error", note="", voided_at=single.sold_at, operator=at.operator
    )
    assert shown_open(contest) == [{1: 500, 2: 500}, *[{1: 250, 2: 250, 3: 500}] * 6]


@pytest.mark.django_db
def test_before_closing_they_can_be_kept_back_and_afterwards_they_are_shown(settings: Any) -> None:
    settings.SHARES_BEFORE_CLOSING = False
    contest = rounds.published()
    rounds.sell(contest, factories.point(), [rounds.masks([[1]] * 7)] * 3)
    assert shown_open(contest) == []
    closed = factories.contest_closed(contest)
    assert shares.shares_closed(closed) == []  # not counted yet: nothing is scanned to publish
    assert shown_open(closed) == []
    (document,) = board_document()["contests"]
    assert document["shares"] == [{1: 1000}] * 7
