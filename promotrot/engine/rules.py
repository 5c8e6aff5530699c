"""Promotrot's arithmetic: vouchers' last day, an emission's approval, a closed game's shortfall."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from fractions import Fraction

from core.kernel.days import add_days
from core.kernel.errors import Invalid
from core.kernel.money import percent_up
from core.kernel.regulation import GameFigures


class EmissionMalformed(Invalid):
    """Numbers no emission can have: negative, or a prize of nothing."""

    code = "emission_malformed"
    message = "The figures of the emission are not valid."


@dataclass(frozen=True, slots=True)
class Prizes:
    """So many equal prizes of an emission.

    `each_cents` is the cash, or the cash equivalent of a prize in kind, tax included [P4]; None
    when a prize in kind has none yet.
    """

    each_cents: int | None
    count: int


@dataclass(frozen=True, slots=True)
class Plan:
    """An emission as put up for approval (`15.II.2`); the last two: `15.III.5.2`."""

    price_cents: int
    tickets: int
    prizes: Sequence[Prizes]
    rules_published: bool
    percent_published: bool


@dataclass(frozen=True, slots=True)
class Fault:
    """A reason to refuse an emission: a stable code, its article, and what is wrong."""

    code: str
    article: str
    detail: str


@dataclass(frozen=True, slots=True)
class Approval:
    """The arithmetic of an emission sold whole; it may be approved when there is no fault."""

    prizes_total_cents: int
    takings_if_sold_cents: int
    faults: tuple[Fault, ...]


def voucher_last_day(issue_day: date, claim_days: int) -> date:
    """The last day a voucher may be presented (`15.III.6.6`) [P5]; its day of issue is not counted.

    `claim_days` is the regulation's. Raises DayOutOfRange.
    """
    return add_days(issue_day, claim_days)


def approve(plan: Plan, figures: GameFigures) -> Approval:
    """Check an emission before its first sale (`15.III.4`, `5.1`, `6.5`) [P1, P13].

    `figures` are Promotrot's in force. Every fault is named. Raises EmissionMalformed.
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
            Fault("price_out_of_range", "15.III.4", "The price is outside the limits."),
        ),
        (plan.tickets > 0, Fault("no_tickets", "15.II.2", "There is no ticket.")),
        (
            sum(counts) <= plan.tickets,
            Fault("more_prizes_than_tickets", "15.II.2", "There are more prizes than tickets."),
        ),
        (
            len(amounts) == len(plan.prizes),
            Fault("equivalent_missing", "15.III.6.5", "A prize in kind has no cash equivalent."),
        ),
        (
            shortfall_cents(takings, total, figures.minimum_prize_percent) == 0,
            Fault("prizes_too_low", "15.III.5.1", "Too little of the takings goes to prizes."),
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
    """What takings still owe to prizes (`15.III.6.2`) [P1, P2, P13]: up to the cent, or nothing.

    Prizes count when awarded, unclaimed ones too [P9].
    """
    return max(0, percent_up(takings_cents, minimum_percent) - awarded_cents)
