"""Compute Promotrot's rules: a voucher's last day, an emission's approval, a game's shortfall."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime
from fractions import Fraction
from typing import Final

from core.kernel.days import add_days, natural_day, noon
from core.kernel.errors import Invalid
from core.kernel.money import percent_up
from core.kernel.regulation import GameFigures


class EmissionMalformed(Invalid):
    """The numbers cannot belong to an emission: one is negative, or a prize is zero."""

    code = "emission_malformed"
    message = "The figures of the emission are not valid."


@dataclass(frozen=True, slots=True)
class Prizes:
    """A number of equal prizes of an emission.

    `each_cents` is the cash, or the cash equivalent of a prize in kind with tax [P4]. It is None if
    a prize in kind has no equivalent yet.
    """

    each_cents: int | None
    count: int


@dataclass(frozen=True, slots=True)
class Plan:
    """An emission that is put up for approval (15.II.2). The last two fields are for 15.III.5.2."""

    price_cents: int
    tickets: int
    prizes: Sequence[Prizes]
    rules_published: bool
    percent_published: bool


@dataclass(frozen=True, slots=True)
class Fault:
    """A reason to refuse an emission: its stable code, its article, a sentence, and the place in
    the definition ("" for the whole).
    """

    code: str
    article: str
    detail: str
    place: str = ""


@dataclass(frozen=True, slots=True)
class Approval:
    """The figures of an emission that is sold completely. Without faults it may be approved."""

    prizes_total_cents: int
    takings_if_sold_cents: int
    faults: tuple[Fault, ...]


def voucher_last_day(issue_day: date, claim_days: int) -> date:
    """Return the last day on which a voucher may be presented; its day of issue is not counted.

    `claim_days` comes from the regulation (15.III.6.6) [P5]. Raises DayOutOfRange.
    """
    return add_days(issue_day, claim_days)


def paper_until(day: date) -> datetime:
    """Return the instant until which a voucher may be printed again: noon of the next day.

    `day` is the day on which its code was given: its issue, or its handover [P16].
    """
    return noon(add_days(day, 1))


def paper_over(now: datetime) -> date:
    """Return the newest day whose papers may not be printed again at an instant [P16]."""
    today = natural_day(now)
    return add_days(today, -1 if now >= noon(today) else -2)


VALUATION_YEARS: Final = 1
"""A valuation is at most so old when its emission opens: twelve months [P21]."""


@dataclass(frozen=True, slots=True)
class Valued:
    """A thing of a tier, and the day of its newest valuation (None: never valued)."""

    tier: int
    thing: str
    valued_on: date | None


def too_old(valuations: Sequence[Valued], day: date) -> list[Valued]:
    """Return the things that an emission may not promise if it opens on that day [P21].

    A valuation holds to the same day of the next year; one of 29 February to 28 February.
    """
    return [v for v in valuations if v.valued_on is None or valuation_last_day(v.valued_on) < day]


def valuation_last_day(valued_on: date) -> date:
    """Return the last day on which an emission may open with a valuation [P21]."""
    year = valued_on.year + VALUATION_YEARS
    if (valued_on.month, valued_on.day) == (2, 29):
        return date(year, 2, 28)
    return valued_on.replace(year=year)


def approve(plan: Plan, figures: GameFigures) -> Approval:
    """Check an emission before its first sale (15.III.4, 15.III.5.1, 15.III.6.5) [P1, P13].

    `figures` are Promotrot's figures in force. Every fault is named. Raises EmissionMalformed.
    """
    amounts = [prizes.each_cents for prizes in plan.prizes if prizes.each_cents is not None]
    counts = [prizes.count for prizes in plan.prizes]
    if min((plan.price_cents, plan.tickets, *counts)) < 0 or min(amounts, default=1) < 1:
        raise EmissionMalformed
    total = sum((prizes.each_cents or 0) * prizes.count for prizes in plan.prizes)
    takings = plan.price_cents * plan.tickets
    gates = [
        (
            figures.price_in_range(plan.price_cents),
            Fault(
                "price_out_of_range",
                "15.III.4",
                "The price is outside the limits.",
                "$.price_cents",
            ),
        ),
        (
            plan.tickets > 0,
            Fault("no_tickets", "15.II.2", "There is no ticket.", "$.tickets"),
        ),
        (
            sum(counts) <= plan.tickets,
            Fault(
                "more_prizes_than_tickets",
                "15.II.2",
                "There are more prizes than tickets.",
                "$.tickets",
            ),
        ),
        (
            len(amounts) == len(plan.prizes),
            Fault("equivalent_missing", "15.III.6.5", "A prize in kind has no cash equivalent."),
        ),
        (
            shortfall_cents(takings, total, figures.minimum_prize_percent) == 0,
            Fault(
                "prizes_too_low",
                "15.III.5.1",
                "Too little of the takings goes to prizes.",
                "$.tiers",
            ),
        ),
        (
            plan.rules_published,
            Fault("rules_unpublished", "15.III.5.2", "The rules are not published."),
        ),
        (
            plan.percent_published,
            Fault("percent_unpublished", "15.III.5.2", "The percentage is not published."),
        ),
    ]
    return Approval(total, takings, tuple(fault for holds, fault in gates if not holds))


def shortfall_cents(takings_cents: int, awarded_cents: int, minimum_percent: Fraction) -> int:
    """Return what the takings still owe to prizes, rounded up to the cent, or 0 (15.III.6.2).

    Prizes count when they are awarded, unclaimed prizes too [P1, P2, P9, P13].
    """
    return max(0, percent_up(takings_cents, minimum_percent) - awarded_cents)
