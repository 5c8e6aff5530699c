"""Show Lototrot on the public board (14.III.5.2, 14.III.6.2): facts and counted figures only."""

from collections.abc import Mapping
from datetime import date, datetime, timedelta
from typing import Any

from core.database import clock
from core.database.kept import kept
from core.kernel.days import natural_day
from core.kernel.money import percent_text
from core.kernel.regulation import Place, shipped
from core.ledger import services as ledger
from lototrot import accounts
from lototrot.models.contest import Contest
from lototrot.models.settlement import Settlement
from lototrot.selectors.alive import standings
from lototrot.selectors.cards import LegCard, RunnerCard, contest_legs
from lototrot.selectors.contests import rules_of
from lototrot.selectors.published import log_indexes
from lototrot.selectors.shares import shares_closed, shares_count, shares_open
from lototrot.selectors.totals import Totals, totals_of

SHOWN_DAYS = 14  # after its meeting, for a contest whose payment is ordered
HISTORY_LENGTH = 60
_NOTHING = Totals(0, 0, 0)
_PAST_KEPT_S = 60


def board_pulse() -> dict[str, Any]:
    """Return what changes with every sale: tickets, bets, takings and shares of each contest."""
    contests = _contests()
    totals = totals_of(contests)
    return {
        "contests": {
            str(contest.pk): {
                "state": contest.state,
                "closes_at": contest.scheduled_close_at,
                "tickets": totals.get(contest.pk, _NOTHING).tickets,
                "bets": totals.get(contest.pk, _NOTHING).bets,
                "takings_cents": totals.get(contest.pk, _NOTHING).takings_cents,
                "shares": shares_open(contest) if contest.state in Contest.UNCLOSED else [],
            }
            for contest in contests
        }
    }


def board_document() -> dict[str, Any]:
    """Return the contests on the board, what closes next first, and the history of the chains."""
    contests = _contests()
    chains = sorted({contest.bet_type_code for contest in contests})
    return {
        "contests": [
            contest_document(each, each.settlements.filter(in_force=True).first())
            for each in contests
        ],
        "chains": {code: _chain(code) for code in chains},
    }


def board_prepare() -> None:
    """Count the bets on each horse, and the bets alive after each new result."""
    contests = _contests()
    shares_count(contests)
    for contest in contests:
        if contest.state not in Contest.UNCLOSED:
            standings(contest, contest_legs(contest))


def _contests() -> list[Contest]:
    """Return the published contests that are not ordered yet, or were ordered lately."""
    since = natural_day(clock.now()) - timedelta(days=SHOWN_DAYS)
    published = Contest.objects.filter(publication__isnull=False)
    opened = published.exclude(state__in=Contest.NEVER_ON_SALE).select_related(
        "meeting", "bet_type", "publication", "ticket_model"
    )
    contests = opened.exclude(state=Contest.State.ORDERED) | opened.filter(day__gte=since)
    return sorted(contests.order_by("-day", "bet_type_code"), key=_when_of_interest)


def _when_of_interest(contest: Contest) -> tuple[int, datetime | None]:
    """Order contests: under way, then on sale by their closing, then past ones, newest first."""
    if contest.state == Contest.State.CLOSED and contest.day >= natural_day(clock.now()):
        return 0, None
    if contest.state in Contest.UNCLOSED:
        return 1, contest.scheduled_close_at
    return 2, None


def contest_document(contest: Contest, settlement: Settlement | None) -> dict[str, Any]:
    """Return the facts of a contest for its section of the board, with the settlement in force."""
    rules = rules_of(contest.bet_type, contest.day)
    legs = contest_legs(contest)
    closed = contest.state not in Contest.UNCLOSED
    computed = standings(contest, legs, counting=False) if closed else []
    return {
        "contest": contest.pk,
        "name": rules.name,
        "bet_type": contest.bet_type_code,
        "day": contest.day,
        "meeting": contest.meeting.name,
        "state": contest.state,
        "closed_at": contest.closed_at,
        "price_cents": contest.price_cents,
        "max_bets": contest.max_bets,
        "allows_multiple": _allows_multiple(contest),
        "prize_percent": percent_text(rules.prize_percent),
        "categories": list(rules.categories),
        "rules": contest.publication.rules,
        "establishments_below_cents": _establishments_below(contest),
        "lapsed_cents": ledger.balance_cents(accounts.lapsed(contest.pk)),
        "legs": [_leg(leg) for leg in legs],
        "shares": shares_closed(contest) if closed else [],
        "standings": [standing.to_document() for standing in computed],
        "settlement": _settlement(settlement) if settlement else None,
        "proofs": log_indexes(contest, settlement),
    }


def _allows_multiple(contest: Contest) -> bool:
    # Not from the facts of a sale: these hold the secret of its codes, which `live` cannot read.
    return bool(contest.ticket_model and contest.ticket_model.multiple)


def _establishments_below(contest: Contest) -> int:
    """Return the least prize of a ticket that establishments do not pay (14.III.10.2)."""
    tiers = shipped().in_force(contest.day).payment.tiers
    return min(
        tier.from_cents
        for tier in tiers
        if Place.ESTABLISHMENT not in (*tier.ticket.must, *tier.ticket.may)
    )


def _leg(leg: LegCard) -> dict[str, Any]:
    card, record = leg.card, leg.card.record
    return {
        "position": leg.position,
        "racecourse": card.race.racecourse.name,
        "race": card.race.number,
        "name": card.race.name,
        "distance_m": card.race.distance_m,
        "start_at": record.start.actual_start_at if record.start else card.race.scheduled_start_at,
        "state": record.state.value,
        "declared": record.declaration.kind if record.declaration else None,
        "draw_due_at": record.draw_due_at,
        "draw_place": record.draw.place if record.draw else "",
        "winners": list(card.winners),
        "announced_at": record.classification.announced_at if record.classification else None,
        "runners": [_runner(runner) for runner in card.runners],
    }


def _runner(card: RunnerCard) -> dict[str, Any]:
    return {
        "number": card.runner.number,
        "name": card.runner.name,
        "driver": card.runner.driver,
        "form": card.form,
        "distance_m": card.runner.distance_m,
        "withdrawn": card.withdrawn,
        "trace": list(card.trace),
    }


def _settlement(settlement: Settlement) -> dict[str, Any]:
    order = getattr(settlement, "payment_order", None)
    return {
        "settlement": settlement.uuid,
        "settled_at": settlement.settled_at,
        "tickets": settlement.tickets,
        "bets": settlement.bets,
        "winning_tickets": settlement.winning_tickets,
        "figures": settlement.figures,
        "rules": settlement.rules,
        "first_pay_day": order.first_pay_day if order else None,
        "last_claim_day": order.last_claim_day if order else None,
    }


def _chain(code: str) -> dict[str, Any]:
    """Return the jackpot and the reserve: now, and after each settlement."""
    settled = Settlement.objects.filter(in_force=True, contest__bet_type_code=code)
    newest = settled.order_by("-contest__day")[:HISTORY_LENGTH]
    # Every second: four columns, and not the whole row with its figures and rules.
    columns = ("contest__day", "jackpot_out_cents", "reserve_out_cents", "figures__winners")
    return {
        "jackpot_cents": ledger.balance_cents(accounts.jackpot(code)),
        "reserve_cents": ledger.balance_cents(accounts.reserve(code)),
        "history": [
            {
                "day": day,
                "jackpot_cents": jackpot_cents,
                "reserve_cents": reserve_cents,
                "won": _top_won(winners),
            }
            for day, jackpot_cents, reserve_cents, winners in reversed(newest.values_list(*columns))
        ],
    }


def _top_won(winners: Mapping[str, int]) -> bool:
    """Return whether somebody won the highest category, by the winners of each."""
    return winners[max(winners, key=int)] > 0


def published_contests() -> list[Contest]:
    """Return the contests that the public knows, the newest day first."""
    published = Contest.objects.filter(publication__isnull=False)
    once_on_sale = published.exclude(state__in=Contest.NEVER_ON_SALE)
    return list(
        once_on_sale.select_related("meeting", "bet_type").order_by("-day", "bet_type_code")
    )


@kept(most=256, seconds=_PAST_KEPT_S)
def past_document(day: date, bet_type: str) -> Mapping[str, Any] | None:
    """Return the section's document and pulse of a settled contest, None if there is none.

    Anyone may ask for it, so it is made once a minute at most.
    """
    of_contest = Settlement.objects.filter(
        in_force=True,
        contest__day=day,
        contest__bet_type_code=bet_type,
        contest__publication__isnull=False,
    )
    settlement = of_contest.select_related(
        "contest__meeting", "contest__bet_type", "contest__publication"
    ).first()
    if settlement is None:
        return None
    contest = settlement.contest
    chain = {"jackpot_cents": 0, "reserve_cents": 0, "history": []}
    pulse = {
        "state": contest.state,
        "closes_at": contest.scheduled_close_at,
        "tickets": settlement.tickets,
        "bets": settlement.bets,
        "takings_cents": settlement.takings_cents,
        "shares": [],
    }
    return {
        "document": {
            "contests": [contest_document(contest, settlement)],
            "chains": {bet_type: chain},
        },
        "pulse": {"contests": {str(contest.pk): pulse}},
    }
