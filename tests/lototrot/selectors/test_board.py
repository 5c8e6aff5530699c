"""Show on the board what is on record, and take contests off it in time."""

from typing import Any

import pytest
from django.db import connection

from core.database.kept import forget_all
from core.staff.powers import Role
from lototrot.selectors.board import SHOWN_DAYS, board_document, board_pulse, past_document
from lototrot.services.settlement.settling import contest_settle, settlement_reverse
from tests.support import factories, rounds


@pytest.mark.django_db
def test_the_document_says_what_is_on_record() -> None:
    contest = rounds.published()
    factories.withdrawal(factories.races_of(contest)[2], 4)
    rounds.sell(contest, factories.point(), [rounds.masks([[1]] * 7)] * 3)
    (contest_on_board,) = board_document()["contests"]
    assert contest_on_board["contest"] == contest.pk
    assert contest_on_board["prize_percent"] == "60"
    assert [leg["position"] for leg in contest_on_board["legs"]] == list(range(1, 8))
    (fourth,) = [r for r in contest_on_board["legs"][2]["runners"] if r["number"] == 4]
    assert fourth["withdrawn"] and fourth["trace"] == [4, 5]
    assert contest_on_board["standings"] == [] and contest_on_board["settlement"] is None
    pulse = board_pulse()["contests"][str(contest.pk)]
    assert pulse["tickets"] == 3
    assert pulse["takings_cents"] == 300


@pytest.mark.django_db
def test_an_unpublished_contest_is_not_shown_and_one_not_yet_paid_stays() -> None:
    contest = rounds.published()
    factories.contest(kind="five-races")
    assert list(board_pulse()["contests"]) == [str(contest.pk)]
    factories.time_pass(days=SHOWN_DAYS + 1)
    assert list(board_pulse()["contests"]) == [str(contest.pk)]  # it still waits for its end


@pytest.mark.django_db
@pytest.mark.article("14.III.9.5")
def test_the_history_of_a_chain_has_its_settlements() -> None:
    contest = rounds.published()
    rounds.sell(contest, factories.point(), [(1,) * 7, (2,) * 7])
    rounds.run(contest, [rounds.Facts((1, 2, 3, 4, 5), winners=frozenset({2}))] * 7)
    contest_settle(contest_id=contest.pk)
    chain = board_document()["chains"]["lototrot"]
    assert [(row["day"], row["won"]) for row in chain["history"]] == [(contest.day, True)]


@pytest.mark.django_db
@pytest.mark.article("14.III.8.2")
def test_a_meeting_whose_settlement_is_reversed_while_it_is_read_is_shown_as_it_was() -> None:
    """[B14]: anyone may ask for its page at that moment."""
    contest = rounds.published()
    rounds.sell(contest, factories.point(), [(1,) * 7])
    rounds.run(contest, [rounds.Facts((1, 2, 3, 4, 5), winners=frozenset({2}))] * 7)
    settlement = contest_settle(contest_id=contest.pk)
    by, read = factories.staff(Role.ORGANISER), list[str]()

    def reverse_after_the_first(execute: Any, sql: str, *rest: Any) -> Any:
        result = execute(sql, *rest)
        read.append(sql)
        if len(read) == 1:
            settlement_reverse(contest_id=contest.pk, by=by)
        return result

    with connection.execute_wrapper(reverse_after_the_first):
        past = past_document(contest.day, contest.bet_type_code)
    assert past is not None
    (on_page,) = past["document"]["contests"]
    assert on_page["settlement"]["settlement"] == settlement.uuid
    forget_all()
    assert past_document(contest.day, contest.bet_type_code) is None
