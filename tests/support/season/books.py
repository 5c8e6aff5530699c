"""Keep the auditors' books: every account, what premises owe, and their weekly statements.

It imports nothing of the project. Accounts have the names of the operator's accounts. Credit
balances are positive, except for what is owed to the organiser (premises, treasury, cash).
"""

from collections import defaultdict
from dataclasses import dataclass, field
from datetime import date, timedelta
from fractions import Fraction
from math import floor

Days = defaultdict[date, int]


@dataclass(frozen=True)
class Commission:
    """The commission on the sales of a game: so many per cent, from a day on."""

    account: str
    rates: list[tuple[date, Fraction]]

    def percent(self, day: date) -> Fraction:
        in_force = [percent for since, percent in self.rates if since <= day]
        return in_force[-1] if in_force else Fraction(0)


def _days() -> Days:
    return defaultdict(int)


@dataclass
class Books:
    """The accounts of both games. `commission` is by game."""

    commission: dict[str, Commission]
    accounts: defaultdict[str, int] = field(default_factory=lambda: defaultdict(int))
    sales: defaultdict[tuple[str, str], Days] = field(default_factory=lambda: defaultdict(_days))
    place_days: defaultdict[str, Days] = field(default_factory=lambda: defaultdict(_days))
    statements: dict[tuple[str, date], int] = field(default_factory=dict)

    def moved(self, from_account: str, to_account: str, cents: int) -> None:
        """Move money from one debt to another."""
        self.accounts[from_account] -= cents
        self.accounts[to_account] += cents

    def owes(self, premises: str, day: date, cents: int) -> None:
        self.accounts[f"premises:{premises}"] += cents
        self.place_days[premises][day] += cents

    def earns(self, game: str, premises: str, day: date, cents: int) -> None:
        """Count a sale for the commission of its premises; below zero it is taken back."""
        self.sales[game, premises][day] += cents

    def pays(self, payer: str, day: date, cents: int) -> None:
        """Take a payment from its payer: premises, a cash session, or the cheques."""
        if payer.startswith("premises:"):
            self.owes(payer.removeprefix("premises:"), day, -cents)
        else:
            self.accounts[payer] += cents if payer == "cheques" else -cents

    def float_given(self, session: str, cents: int) -> None:
        self.accounts[session] += cents
        self.accounts["treasury"] -= cents

    def remitted(self, premises: str, cents: int, day: date) -> None:
        self.owes(premises, day, -cents)
        self.accounts["treasury"] += cents

    def night(self, day: date) -> None:
        """State the week if it ends with this day."""
        if day.isoweekday() == 7:
            for premises in sorted({place for _, place in self.sales} | {*self.place_days}):
                self._state(premises, day)

    def _state(self, premises: str, sunday: date) -> None:
        for game, commission in self.commission.items():
            by_rate: defaultdict[Fraction, int] = defaultdict(int)
            for day in (sunday - timedelta(days=n) for n in range(7)):
                by_rate[commission.percent(day)] += self.sales[game, premises].get(day, 0)
            for rate, base in by_rate.items():
                earned = floor(abs(base) * rate / 100) * (1 if base >= 0 else -1)
                self.owes(premises, sunday, -earned)
                self.accounts[commission.account] -= earned
        days_so_far = self.place_days[premises].items()
        self.statements[premises, sunday] = sum(c for day, c in days_so_far if day <= sunday)
