"""Compute Lototrot's transfers again from tickets, voids and results, for `ledger_rebuild`."""

from collections import deque
from collections.abc import Mapping

from django.db.models import F, OuterRef, Subquery
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from core.database.reading.asking import fetch_all
from core.ledger.books import Books, Rebuilder
from core.ledger.services import AccountCode, Line
from lototrot import accounts, postings
from lototrot.engine.distribution import Takings, distribute
from lototrot.models.authority import GameEnd
from lototrot.models.contest import Contest
from lototrot.models.settlement import Settlement
from lototrot.selectors.contests import rules_of
from lototrot.selectors.retired import left, stays
from lototrot.selectors.settlement.counting import Counting, count
from lototrot.selectors.settlement.results import settled_results
from lototrot.services.prizes.carry_over import carry_over_lines
from lototrot.services.prizes.restoring import restored_lines

# By premises: the sales, the part annulled as errors, and the part voided with a refund due.
# Of void tickets only errors left with a retired month.
_SALES = f"""
SELECT s.premises_id, sum(s.amount_cents)::bigint,
       coalesce(sum(s.amount_cents) FILTER (WHERE s.reason = 'error'), 0)::bigint,
       coalesce(sum(s.amount_cents) FILTER (WHERE s.reason <> 'error'), 0)::bigint
  FROM (SELECT t.premises_id, t.amount_cents, v.reason
          FROM lototrot_ticket t LEFT JOIN lototrot_void v ON v.ticket_id = t.id
         WHERE t.contest_id = %(contest)s AND {stays()}
         UNION ALL
        SELECT l.premises_id, l.amount_cents, NULL
          FROM lototrot_left_by_terminal l WHERE l.contest_id = %(contest)s
         UNION ALL
        SELECT l.premises_id, l.annulled_cents, 'error'
          FROM lototrot_left_by_terminal l WHERE l.contest_id = %(contest)s) s
 GROUP BY 1 ORDER BY 1
"""


def rebuild_lototrot(books: Books) -> None:
    """Add every sale, void and settlement to the books, by meeting in the order they were settled.

    A jackpot also takes what a bet type that ended sent to it before [A21].
    """
    in_force = Settlement.objects.filter(contest=OuterRef("pk"), in_force=True)
    contests = Contest.objects.select_related("bet_type", "takings_account").annotate(
        settled_at=Subquery(in_force.values("settled_at"))
    )
    sold = contests.exclude(state__in=Contest.NEVER_ON_SALE)
    ends = deque(GameEnd.objects.order_by("ended_at"))
    for contest in sold.order_by(F("settled_at").asc(nulls_last=True), "day", "pk"):
        while ends and contest.settled_at and ends[0].ended_at < contest.settled_at:
            books.move(_ends(ends.popleft()))
        takings = accounts.takings(contest)
        books.move(_sales(contest, takings))
        books.move(carry_over_lines(contest.pk))
        books.move(restored_lines(contest))
        if contest.state in Contest.WITH_SETTLEMENT:
            books.move(_settlement(contest, takings, books))
    for end in ends:
        books.move(_ends(end))


def _ends(end: GameEnd) -> list[Line]:
    """Return the moves that the authority decided: they follow from nothing else on record."""
    moves = [postings.EndMove.from_document(move) for move in end.moves]
    return postings.end_lines(end.bet_type_code, moves)


def _sales(contest: Contest, takings: AccountCode) -> list[Line]:
    lines = []
    for premises, sold, errors, breaches in fetch_all(_SALES, {"contest": contest.pk}):
        lines += [
            postings.sale(premises_id=premises, takings=takings, cents=sold),
            postings.annulment(premises_id=premises, takings=takings, cents=errors),
            postings.breach_void(contest_id=contest.pk, takings=takings, cents=breaches),
        ]
    return lines


def _settlement(contest: Contest, takings: AccountCode, books: Books) -> list[Line]:
    rules = rules_of(contest.bet_type, contest.day)
    code = contest.bet_type_code
    right_masks = settled_results(contest).right_masks
    counting = Counting(contest.pk, right_masks, rules, left(contest.pk))
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

TRANSFERS: Mapping[str, Promise] = {
    "lototrot.sale": _("ticket sold"),
    "lototrot.annulment": _("ticket annulled"),
    "lototrot.breach_void": _("ticket in breach voided"),
    "lototrot.unprinted_void": _("ticket never printed voided"),
    "lototrot.breach_block": _("prize of a ticket in breach held"),
    "lototrot.pool": _("takings to the prize pool"),
    "lototrot.organiser": _("takings to the organiser"),
    "lototrot.share": _("prize pool to a category"),
    "lototrot.reserve_share": _("prize pool to the reserve fund"),
    "lototrot.cascade": _("unwon category to the next lower one"),
    "lototrot.unwon": _("unwon lowest category to the reserve fund"),
    "lototrot.lapsed": _("carried-over prizes to the first category"),
    "lototrot.jackpot_in": _("jackpot to the first category"),
    "lototrot.reserve_in": _("reserve fund to the first category"),
    "lototrot.correction": _("correction between categories"),
    "lototrot.rounding": _("rounding to the reserve fund"),
    "lototrot.prizes": _("category to its winners"),
    "lototrot.jackpot_out": _("unwon first category to the jackpot"),
    "lototrot.reversal": _("settlement reversed"),
    "lototrot.lapse": _("unclaimed prizes lapsed"),
    "lototrot.carry_over": _("lapsed prizes carried over"),
    "lototrot.restored": _("lapsed prize restored"),
    "lototrot.end": _("sum of an ended bet type sent on"),
}
"""The words for each kind of transfer."""
