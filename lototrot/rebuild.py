"""Compute Lototrot's transfers again from tickets, voids and results, for `ledger_rebuild`."""

from django.db import connection

from core.ledger.books import Books, Rebuilder
from core.ledger.services import AccountCode, Line, liability
from lototrot import accounts, postings
from lototrot.engine.distribution import Takings, distribute
from lototrot.models.authority import GameEnd
from lototrot.models.contest import Contest
from lototrot.services.contest.contests import rules_of
from lototrot.services.prizes.carry_over import carry_over_lines
from lototrot.services.prizes.restoring import restored_lines
from lototrot.services.races.results import contest_results
from lototrot.services.settlement.counting import Counting, count

# By premises: the sales, the part annulled as errors, and the part voided with a refund due.
_SALES = """
SELECT t.premises_id, sum(t.amount_cents)::bigint,
       coalesce(sum(t.amount_cents) FILTER (WHERE v.reason = 'error'), 0)::bigint,
       coalesce(sum(t.amount_cents) FILTER (WHERE v.reason <> 'error'), 0)::bigint
  FROM lototrot_ticket t LEFT JOIN lototrot_void v ON v.ticket_id = t.id
 WHERE t.contest_id = %s GROUP BY 1 ORDER BY 1
"""


def rebuild_lototrot(books: Books) -> None:
    """Add every sale, void and settlement to the books, by meeting in the order of their days."""
    contests = Contest.objects.select_related("bet_type", "takings_account")
    for contest in contests.exclude(state__in=Contest.NEVER_ON_SALE).order_by("day", "pk"):
        takings = liability(contest.takings_account.code)
        books.move(_sales(contest, takings))
        books.move(carry_over_lines(contest.pk))
        books.move(restored_lines(contest))
        if contest.state in (Contest.State.SETTLED, Contest.State.ORDERED):
            books.move(_settlement(contest, takings, books))
    for end in GameEnd.objects.order_by("pk"):
        books.move(_ends(end))


def _ends(end: GameEnd) -> list[Line]:
    """Return the moves that the authority decided: they follow from nothing else on record."""
    moves = [postings.EndMove.from_document(move) for move in end.moves]
    return postings.end_lines(end.bet_type_code, moves)


def _sales(contest: Contest, takings: AccountCode) -> list[Line]:
    lines = []
    with connection.cursor() as cursor:
        cursor.execute(_SALES, [contest.pk])
        for premises, sold, errors, breaches in cursor.fetchall():
            lines += [
                postings.sale(premises_id=premises, takings=takings, cents=sold),
                postings.annulment(premises_id=premises, takings=takings, cents=errors),
                postings.breach_void(contest_id=contest.pk, takings=takings, cents=breaches),
            ]
    return lines


def _settlement(contest: Contest, takings: AccountCode, books: Books) -> list[Line]:
    rules = rules_of(contest.bet_type, contest.day)
    code = contest.bet_type_code
    counting = Counting(contest.pk, contest_results(contest).right_masks, rules)
    tally = count(counting)
    d = distribute(
        Takings(
            takings=tally.takings_cents,
            winners=tally.winners,
            jackpot_in=books.cents(accounts.jackpot(code)),
            reserve_in=books.cents(accounts.reserve(code)),
            lapsed_in=books.cents(accounts.lapsed(contest.pk)),
        ),
        rules,
    )
    return postings.settlement_lines(
        contest_id=contest.pk,
        bet_type_code=code,
        takings=takings,
        d=d,
        parts=accounts.organiser_share(contest.day).divide(d.organiser_share),
    )


REBUILDERS: tuple[Rebuilder, ...] = (rebuild_lototrot,)
