"""Answer the questions of `whatif` about Lototrot, in the shapes of the rulebook's section 7."""

from collections.abc import Mapping
from datetime import date

from core.kernel.canonical import Json
from core.kernel.errors import Invalid
from core.kernel.regulation import GameFigures
from core.kernel.regulation import shipped as regulation
from core.tools.whatif.fields import Fields, OutOfRange, distinct_integers, instant, integer, listed
from core.tools.whatif.kinds import Answer
from lototrot.engine import closing as closings
from lototrot.engine import dates as days
from lototrot.engine import hits as counting
from lototrot.engine import races, selection
from lototrot.engine.bet_type import MAX_LEGS, BetType, shipped
from lototrot.engine.distribution import Distribution, Takings, distribute
from lototrot.engine.jornada import Jornada, meeting_end

_RACE = ("programme", "winners", "withdrawn", "left", "disqualified", "outcome")
_BET_TYPE = {
    "legs": "legs",
    "prize_percent": "prize_percent",
    "payout_step": "payout_step_cents",
    "threshold": "jackpot_threshold_cents",
    "shares_below": "shares_below",
    "shares_above": "shares_above",
}
_ANY_BETS = races.HIGHEST_NUMBER**MAX_LEGS  # a case names no limit of bets on a ticket


class MeetingsOutOfOrder(Invalid):
    """The meetings are not in the order of their days, one a day [A4, A15]."""

    code = "meetings_out_of_order"
    message = "The meetings must be in the order of their days, one a day."


class PriceOutOfRange(Invalid):
    """The price of a bet is outside the limits (14.III.2)."""

    code = "price_out_of_range"
    message = "The price of a bet is outside the limits."


def settlement(value: object) -> Json:
    """Settle one meeting (rulebook section 2)."""
    needs = ("takings", "winners", "jackpot_in", "reserve_in", "lapsed_in")
    fields = Fields(value, "input", needs=needs, may=("bet_type",))
    bet_type = _bet_type(fields)
    meeting = Takings(
        takings=fields.integer("takings"),
        winners=_winners(fields, bet_type),
        jackpot_in=fields.integer("jackpot_in"),
        reserve_in=fields.integer("reserve_in"),
        lapsed_in=fields.integer("lapsed_in"),
    )
    return distribute(meeting, bet_type).figures()


def chain(value: object) -> Json:
    """Settle successive meetings, and carry jackpot, reserve and lapsed prizes between them."""
    needs = ("jackpot_in", "reserve_in", "meetings")
    fields = Fields(value, "input", needs=needs, may=("bet_type",))
    bet_type = _bet_type(fields)
    meetings = _meetings(fields)
    jackpot, reserve = fields.integer("jackpot_in"), fields.integer("reserve_in")
    lapsed = dict.fromkeys(meetings, 0)
    not_carried_over = 0
    results: list[Json] = []
    for day, meeting in meetings.items():
        winners = _winners(meeting, bet_type)
        takings = Takings(meeting.integer("takings"), winners, jackpot, reserve, lapsed[day])
        settled = distribute(takings, bet_type)
        jackpot, reserve = settled.jackpot_out, settled.reserve_out
        last_day = _last_claim_day(meeting, day)
        unclaimed = _unclaimed(meeting, settled)
        receiver = days.receiving_meeting(last_day, meetings) if unclaimed else None
        if receiver is None:
            not_carried_over += unclaimed
        else:
            lapsed[receiver] += unclaimed
        results.append(
            settled.figures()
            | {
                "lapsed_in": lapsed[day],
                "unclaimed": unclaimed,
                "unclaimed_to": receiver.isoformat() if receiver else None,
                "last_claim_day": last_day.isoformat(),
            }
        )
    return {
        "meetings": results,
        "jackpot_out": jackpot,
        "reserve_out": reserve,
        "unclaimed_not_placed": not_carried_over,
    }


def _meetings(fields: Fields) -> dict[date, Fields]:
    """Return the meetings of a chain by their days. Raises MeetingsOutOfOrder."""
    meetings = [
        Fields(
            item,
            f"input.meetings[{index}]",
            needs=("day", "takings", "winners"),
            may=("results_day", "order_day", "claimed"),
        )
        for index, item in enumerate(fields.listed("meetings"))
    ]
    held_on = [meeting.day("day") for meeting in meetings]
    if held_on != sorted(set(held_on)):
        raise MeetingsOutOfOrder
    return dict(zip(held_on, meetings, strict=True))


def end_to_end(value: object) -> Json:
    """Compute winning bets, settlement and the prize of each ticket from races and tickets."""
    needs = ("races", "tickets", "price", "jackpot_in", "reserve_in")
    fields = Fields(value, "input", needs=needs, may=("lapsed_in", "bet_type"))
    bet_type = _bet_type(fields)
    run = _races(fields, bet_type)
    price = fields.integer("price")
    if not _figures().price_in_range(price):
        raise PriceOutOfRange
    tickets = fields.get("tickets")
    names = tuple(tickets) if isinstance(tickets, dict) else ()
    table = Fields(tickets, fields.at("tickets"), needs=names)
    units: dict[str, dict[int, int]] = {}
    takings = 0
    right = [races.right_mask(race) for race in run]
    for name in names:
        ticket = _selection(table.get(name), table.at(name), run, price)
        units[name] = counting.units(counting.bets_by_hits(ticket.masks, right), bet_type)
        takings += ticket.amount_cents
    winners = {c: sum(won[c] for won in units.values()) for c in bet_type.categories}
    settled = distribute(
        Takings(
            takings,
            winners,
            fields.integer("jackpot_in"),
            fields.integer("reserve_in"),
            fields.integer("lapsed_in") if fields.has("lapsed_in") else 0,
        ),
        bet_type,
    )
    return {
        "units": {name: _by_category(won) for name, won in units.items()},
        "takings": takings,
        "winners": _by_category(winners),
        **settled.figures(),
        "ticket_prizes": {
            name: sum(settled.prize_each.get(c, 0) * count for c, count in won.items())
            for name, won in units.items()
        },
    }


def substitution(value: object) -> Json:
    """Return the number on which a bet counts (14.III.5.4.1).

    The winners of the race do not matter.
    """
    fields = Fields(value, "input", needs=("number", "race"))
    race = _race(fields.get("race"), fields.at("race"), with_winners=False)
    return races.substitute(fields.integer("number"), race)[-1]


def draw_field(value: object) -> Json:
    """Return the numbers in a race's draw (14.III.5.4.2, 14.III.5.4.3).

    Its winners do not matter.
    """
    fields = Fields(value, "input", needs=("race",))
    race = _race(fields.get("race"), fields.at("race"), with_winners=False)
    return list(races.draw_field(race))


def hits(value: object) -> Json:
    """Return the bets of a ticket by number of hits (14.III.7, 14.III.9.9)."""
    fields = Fields(value, "input", needs=("ticket", "races"), may=("bet_type",))
    bet_type = _bet_type(fields)
    run = _races(fields, bet_type)
    ticket = _selection(fields.get("ticket"), fields.at("ticket"), run, price_cents=0)
    by_hits = counting.bets_by_hits(ticket.masks, [races.right_mask(race) for race in run])
    return {
        "bets": ticket.bets,
        "hits": {str(right): bets for right, bets in enumerate(by_hits) if bets},
        "units": _by_category(counting.units(by_hits, bet_type)),
    }


def closing(value: object) -> Json:
    """Return when a contest closes, as the input wrote it (14.III.4); null if nothing closes it."""
    fields = Fields(value, "input", needs=("starts", "not_run", "organiser"))
    texts = {key: fields.listed(key) for key in ("starts", "not_run")}
    read = {key: [(instant(t, fields.at(key)), t) for t in texts[key]] for key in texts}
    organiser = fields.get("organiser")
    scheduled = None if organiser is None else instant(organiser, fields.at("organiser"))
    reached = closings.closing(
        scheduled,
        [moment for moment, _ in read["starts"]],
        [moment for moment, _ in read["not_run"]],
    )
    if reached is None:
        return {"closes": None}
    written = [*read["starts"], *read["not_run"], (scheduled, organiser)]
    return {"closes": next(str(text) for moment, text in written if moment == reached.instant)}


def dates(value: object) -> Json:
    """Return the first day of payment and the last claim day (14.III.8.1, 14.III.10.2) [D7].

    Without `order_day` the payment order is taken to be given in time. Instead of the day of the
    results, `results_at` may be the instant of the last one: in the night before the meeting ends
    (`meeting_ends_at`, by default as the regulation says) it is of the meeting's day [B15].
    """
    timed = isinstance(value, dict) and "results_at" in value
    needs = ("meeting_day", "results_at" if timed else "results_day")
    may = ("order_day", "meeting_ends_at") if timed else ("order_day",)
    fields = Fields(value, "input", needs=needs, may=may)
    meeting_day = fields.day("meeting_day")
    results_day = _results_day(fields, meeting_day)
    return {
        "first_pay_day": days.first_pay_day(meeting_day, results_day).isoformat(),
        "last_claim_day": _last_claim_day(fields, meeting_day).isoformat(),
    }


def _results_day(fields: Fields, meeting_day: date) -> date:
    if not fields.has("results_at"):
        return fields.day("results_day") if fields.has("results_day") else meeting_day
    results_at = instant(fields.get("results_at"), fields.at("results_at"))
    if fields.has("meeting_ends_at"):
        ends_at = instant(fields.get("meeting_ends_at"), fields.at("meeting_ends_at"))
    else:
        figures = regulation().in_force(meeting_day).lototrot.meeting
        ends_at = meeting_end(meeting_day, None, figures)
    return Jornada(meeting_day, results_at, ends_at).day_of(results_at)


def _figures() -> GameFigures:
    """Return the figures of the text of 2005, because a case without a day names no version."""
    return regulation().in_force(date.min).lototrot


def _bet_type(fields: Fields) -> BetType:
    """Return Lototrot's bet type with the values that the optional `bet_type` overrides."""
    least = _figures().minimum_prize_percent
    usual = shipped("lototrot", minimum_prize_percent=least)
    if not fields.has("bet_type"):
        return usual
    document = fields.get("bet_type")
    override = Fields(document, fields.at("bet_type"), needs=(), may=_BET_TYPE)
    changes = {_BET_TYPE[key]: override.get(key) for key in _BET_TYPE if override.has(key)}
    return BetType.from_document(usual.to_document() | changes, minimum_prize_percent=least)


def _winners(fields: Fields, bet_type: BetType) -> dict[int, int]:
    names = {str(category): category for category in bet_type.categories}
    table = Fields(fields.get("winners"), fields.at("winners"), needs=names)
    return {category: table.integer(name) for name, category in names.items()}


def _unclaimed(meeting: Fields, settled: Distribution) -> int:
    """Return the unclaimed prizes in cents.

    Categories that `claimed` does not name are all claimed.
    """
    if not meeting.has("claimed"):
        return 0
    names = {str(category): category for category in settled.winners}
    table = Fields(meeting.get("claimed"), meeting.at("claimed"), needs=(), may=names)
    total = 0
    for name, category in names.items():
        if table.has(name):
            left = settled.winners[category] - table.integer(name)
            if left < 0:
                place = table.at(name)
                raise OutOfRange(f"{place}: more claimed than won", place=place)
            total += left * settled.prize_each.get(category, 0)
    return total


def _last_claim_day(meeting: Fields, day: date) -> date:
    results_day = _results_day(meeting, day)
    order_day = meeting.day("order_day") if meeting.has("order_day") else None
    claim_days = regulation().in_force(day).lototrot.claim_days
    return days.last_claim_day(day, results_day, claim_days, order_day=order_day)


def _races(fields: Fields, bet_type: BetType) -> list[races.Race]:
    place = fields.at("races")
    run = [_race(item, place, with_winners=True) for item in fields.listed("races")]
    if len(run) != bet_type.legs:
        raise selection.WrongRaceCount(f"{place}: {bet_type.legs} races are needed", place=place)
    return run


def _race(value: object, place: str, *, with_winners: bool) -> races.Race:
    fields = Fields(value, place, needs=_RACE)
    numbers = {key: distinct_integers(fields.get(key), fields.at(key)) for key in _RACE[:-1]}
    return races.Race(
        programme=tuple(sorted(numbers["programme"])),
        withdrawn=frozenset(numbers["withdrawn"]),
        left=frozenset(numbers["left"]),
        disqualified=frozenset(numbers["disqualified"]),
        winners=frozenset(numbers["winners"]) if with_winners else frozenset(),
        outcome=races.Outcome(fields.choice("outcome", races.Outcome)),
    )


def _selection(
    value: object, place: str, run: list[races.Race], price_cents: int
) -> selection.Selection:
    """Return a ticket of the case.

    Withdrawn numbers are bets like others, and are substituted [B6].
    """
    masks = [races.mask_of(race.programme) for race in run]
    terms = selection.Terms(
        tuple(selection.Leg(mask, mask) for mask in masks), price_cents, _ANY_BETS
    )
    numbers = [
        [integer(number, place) for number in listed(chosen, place)]
        for chosen in listed(value, place)
    ]
    return selection.select(numbers, price_cents, terms)


def _by_category(counts: Mapping[int, int]) -> dict[str, Json]:
    return {str(category): count for category, count in counts.items()}


KINDS: Mapping[str, Answer] = {
    "settlement": settlement,
    "chain": chain,
    "end_to_end": end_to_end,
    "substitution": substitution,
    "draw_field": draw_field,
    "hits": hits,
    "closing": closing,
    "dates": dates,
}
