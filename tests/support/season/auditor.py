"""Audit Lototrot independently: see only what the public, the counter and the bank see.

The auditor imports nothing of the project. From the events it is told (tickets sold, horses
withdrawn, results, documents handed in) it computes what everybody is owed and what every account
must hold, by its own reading of the law. Money is whole cents; shares are exact fractions.
"""

import itertools
from collections import defaultdict
from dataclasses import dataclass, field, replace
from datetime import date, datetime, timedelta
from fractions import Fraction
from math import ceil, floor
from typing import Any

from tests.support.season.books import Books
from tests.support.season.dividing import Terms, divide
from tests.support.season.rights import Rights

ENDS_NEXT_DAY_AT = 6
"""The hour of the next morning until which a meeting lasts."""
DRAWN_WITHIN = timedelta(hours=2)


@dataclass
class Ticket:
    premises: str
    contest: str
    legs: list[list[int]]
    cents: int
    state: str = "sold"
    prize_cents: int = 0
    claim: str = ""
    organiser_bears: bool = False
    from_records: bool = False

    @property
    def owed_cents(self) -> int:
        return self.cents if self.state == "refund" else self.prize_cents


@dataclass
class RaceFacts:
    programme: list[int]
    withdrawn: set[int] = field(default_factory=set)
    left: set[int] = field(default_factory=set)
    winners: set[int] = field(default_factory=set)

    def stands_for(self, number: int) -> int:
        """Return the horse on which a bet counts (5.4.1): itself unless it was withdrawn before the
        start.
        """
        if number not in self.withdrawn:
            return number
        ring = sorted(self.programme)
        after = [n for n in ring if n > number] + [n for n in ring if n < number]
        return next(n for n in after if n not in self.withdrawn and n not in self.left)


@dataclass
class Meeting:
    day: date
    races: list[RaceFacts]
    terms: Terms
    tickets: list[str] = field(default_factory=list)
    settled: bool = False
    results_day: date | None = None
    first_pay_day: date | None = None
    last_claim_day: date | None = None
    lapsed: bool = False
    prize_each: dict[int, int] = field(default_factory=dict)
    moved: dict[str, int] = field(default_factory=dict)
    lapsed_into_it: dict[date, int] = field(default_factory=dict)


class Auditor:
    """Lototrot's part of the books, and the rights of who holds its tickets."""

    def __init__(self, terms: Terms, books: Books, rights: Rights) -> None:
        self.terms = terms
        self.ledger = books
        self.books = books.accounts
        self.rights = rights
        self.tickets: dict[str, Ticket] = {}
        self.meetings: dict[str, Meeting] = {}
        self.carried_over: defaultdict[date, int] = defaultdict(int)

    # --- What is seen happening -------------------------------------------------------------------

    def opens(self, contest: str, day: date, programmes: list[list[int]]) -> None:
        races = [RaceFacts(list(programme)) for programme in programmes]
        self.meetings[contest] = Meeting(day, races, self.terms)

    def sold(
        self, ident: str, contest: str, premises: str, legs: list[list[int]], day: date
    ) -> None:
        bets = 1
        for leg in legs:
            bets *= len(leg)
        cents = bets * self.terms.price_cents
        self.tickets[ident] = Ticket(premises, contest, legs, cents)
        self.meetings[contest].tickets.append(ident)
        self.books[f"takings:{contest}"] += cents
        self.ledger.owes(premises, day, cents)
        self.ledger.earns("lototrot", premises, day, cents)

    def annulled(self, ident: str, day: date) -> None:
        """Record a sale made in error and paid back at the counter."""
        ticket = self.tickets[ident]
        ticket.state = "void"
        self.books[f"takings:{ticket.contest}"] -= ticket.cents
        self.ledger.owes(ticket.premises, day, -ticket.cents)
        self.ledger.earns("lototrot", ticket.premises, day, -ticket.cents)

    def voided_in_breach(self, ident: str, day: date) -> None:
        """Record a sale made too late, or never printed. Its price is due back for ever, at any
        place that pays [C6, E11].
        """
        ticket = self.tickets[ident]
        ticket.state = "refund"
        owed = f"held:{ticket.contest}" if ticket.claim else f"refunds:{ticket.contest}"
        self.ledger.moved(f"takings:{ticket.contest}", owed, ticket.cents)
        self.ledger.earns("lototrot", ticket.premises, day, -ticket.cents)

    def withdrawn(self, contest: str, race: int, number: int) -> None:
        self.meetings[contest].races[race].withdrawn.add(number)

    def ran_after_all(self, contest: str, race: int, number: int) -> None:
        """Record that a withdrawal was a mistake [B14]."""
        self.meetings[contest].races[race].withdrawn.remove(number)

    def authorised(self, **figures: Any) -> None:
        """Divide by other figures, which the authority approved, from the next meeting on [A19]."""
        self.terms = replace(self.terms, **figures)

    def classified(
        self, contest: str, race: int, winners: set[int], left: set[int], announced: datetime
    ) -> None:
        """Record a result announced then, by the clocks of Madrid [D2, B15]."""
        meeting = self.meetings[contest]
        facts = meeting.races[race]
        facts.winners, facts.left = winners, left
        day = announced.date()
        if day == meeting.day + timedelta(days=1) and announced.hour < ENDS_NEXT_DAY_AT:
            day = meeting.day
        meeting.results_day = max(day, meeting.results_day or day)

    def drawn(
        self,
        contest: str,
        race: int,
        order: list[int],
        left: set[int],
        *,
        declared: datetime,
        certified: datetime,
    ) -> None:
        """Record the draw of a race without a result: all that started, or were to start if it was
        not run, and nobody else, are drawn within two hours (5.4.2, 5.4.3) [B7, B8, B12].
        """
        facts = self.meetings[contest].races[race]
        possible = set(facts.programme) - facts.withdrawn - left
        if sorted(order) != sorted(possible):
            raise AssertionError(f"{order} was drawn, and {possible} was to be")
        if not declared < certified <= declared + DRAWN_WITHIN:
            raise AssertionError(f"declared at {declared}, and certified at {certified}")
        self.classified(contest, race, {order[0]}, left, certified)

    def corrected(self, contest: str, race: int, winners: set[int]) -> None:
        """Record that a result was keyed wrong. It was announced when it was [B14]."""
        self.meetings[contest].races[race].winners = winners

    def settles(self, contest: str) -> dict[str, int]:
        """Compute every prize of a meeting, by ticket, and move the books (9)."""
        meeting = self.meetings[contest]
        terms = meeting.terms
        before = dict(self.books)
        wins = self._wins(meeting)
        takings = sum(t.cents for t in self._standing(meeting))
        jackpot, reserve = self.books["jackpot"], self.books["reserve"]
        meeting.lapsed_into_it = self._take_lapsed(meeting.day)
        lapsed = sum(meeting.lapsed_into_it.values())
        pool = ceil(takings * terms.prize_percent / 100)
        share = takings - pool
        parts = {n: floor(Fraction(share * p, 100)) for n, p in terms.share_percents.items()}
        parts["remainder"] += share - sum(parts.values())
        winners = {
            hits: sum(by_hits.get(hits, 0) for by_hits in wins.values())
            for hits in terms.categories
        }
        prize_each, jackpot_out, reserve_out = divide(
            terms, pool, winners, jackpot, reserve, lapsed
        )
        meeting.settled, meeting.prize_each = True, prize_each
        prizes = {
            ident: sum(prize_each.get(hits, 0) * bets for hits, bets in by_hits.items())
            for ident, by_hits in wins.items()
        }
        for ident, cents in prizes.items():
            self.tickets[ident].prize_cents = cents
        self.books[f"takings:{contest}"] -= takings
        for name, cents in parts.items():
            self.books[f"organiser:{name}"] += cents
        self.books["jackpot"], self.books["reserve"] = jackpot_out, reserve_out
        self.books[f"prizes:{contest}"] += sum(prizes.values())
        if takings + jackpot + reserve + lapsed != (
            share + jackpot_out + reserve_out + sum(prizes.values())
        ):
            raise AssertionError("the auditor's own division does not add up")
        meeting.moved = {
            name: cents - before.get(name, 0)
            for name, cents in self.books.items()
            if cents != before.get(name, 0)
        }
        return {ident: cents for ident, cents in prizes.items() if cents}

    def reverses(self, contest: str) -> None:
        """Take a settlement back: bets in breach were found before the payment order [C9]."""
        meeting = self.meetings[contest]
        for name, cents in meeting.moved.items():
            self.books[name] -= cents
        for day, cents in meeting.lapsed_into_it.items():
            self.carried_over[day] += cents
        for ident in meeting.tickets:
            self.tickets[ident].prize_cents = 0
        meeting.settled = False

    def ordered(self, contest: str, order_day: date) -> None:
        """Count the days to claim from the results, the meeting or the eve of a late order [D7]."""
        meeting = self.meetings[contest]
        results_day = meeting.results_day
        assert results_day is not None
        counted_from = max(results_day, meeting.day, order_day - timedelta(days=1))
        meeting.first_pay_day = max(results_day, meeting.day) + timedelta(days=1)
        meeting.last_claim_day = counted_from + timedelta(days=self.terms.claim_days)
        for ident in meeting.tickets:
            ticket = self.tickets[ident]
            if ticket.state == "sold" and ticket.claim:
                self.ledger.moved(f"prizes:{contest}", f"held:{contest}", ticket.prize_cents)

    def left(self) -> dict[str, int]:
        """Return what the chain holds for nobody, by where it comes from."""
        unclaimed = sum(self.carried_over.values())
        sums = {"jackpot": self.books["jackpot"], "reserve": self.books["reserve"]}
        return {name: cents for name, cents in (sums | {"unclaimed": unclaimed}).items() if cents}

    def is_held(self) -> bool:
        """Return whether money is held for a bearer, so that the game cannot end yet."""
        return any(cents for name, cents in self.books.items() if name.startswith("held:"))

    def ends(self) -> None:
        """Record that all that was left went where the authority decided [A21]."""
        self.books["ended"] += sum(self.left().values())
        self.books["jackpot"] = self.books["reserve"] = 0
        self.carried_over.clear()

    def may_claim(self, ident: str, day: date) -> bool:
        """Return whether the law lets the bearer claim something on that day."""
        ticket = self.tickets[ident]
        meeting = self.meetings[ticket.contest]
        if ticket.claim in ("presented", "held", "granted", "blocked"):
            return True
        if ticket.claim or not ticket.owed_cents:
            return False
        last = meeting.last_claim_day
        return ticket.state == "refund" or last is None or day <= last

    def presented(self, ident: str) -> None:
        self._hold(ident, "presented")

    def deposited(self, ident: str) -> None:
        self._hold(ident, "held")

    def blocked(self, ident: str) -> None:
        """Record a ticket in breach found after the order: its prize is held [C6]."""
        self._hold(ident, "blocked")

    def identified(self, ident: str) -> str:
        """Record which ticket an unreadable deposit is. Return who bears its prize [C8]."""
        ticket = self.tickets[ident]
        ticket.from_records = True
        if ticket.claim != "lapsed":
            self._hold(ident, "held")
            return "prizes"
        ticket.claim, last = "held", self.meetings[ticket.contest].last_claim_day
        assert last is not None
        self.rights.became(ident, "held")
        self.books[f"held:{ticket.contest}"] += ticket.prize_cents
        if self.carried_over.get(last, 0) >= ticket.prize_cents:
            self.carried_over[last] -= ticket.prize_cents
            return "what lapsed"
        ticket.organiser_bears = True
        self.books["organiser:late_claims"] -= ticket.prize_cents
        return "organiser"

    def granted(self, ident: str) -> None:
        self.tickets[ident].claim = "granted"

    def refused(self, ident: str, day: date) -> None:
        """Record a ticket that is not legitimate. Its prize goes to the 7/7 of the first later
        meeting [C5]; a price due back waits for its bearer if the paper was another [C6].
        """
        ticket = self.tickets[ident]
        if ticket.from_records and ticket.state == "refund":
            ticket.claim = "presented"
            return
        ticket.claim = "refused"
        self.rights.became(ident, "refused by two persons")
        self.books[f"held:{ticket.contest}"] -= ticket.owed_cents
        if ticket.organiser_bears:
            self.books["organiser:late_claims"] += ticket.owed_cents
        else:
            self.carried_over[day] += ticket.owed_cents

    def paid(self, ident: str, payer: str, day: date) -> None:
        """Record a payment from `payer`: premises, a cash session, or the cheques."""
        ticket = self.tickets[ident]
        owed = "refunds" if ticket.state == "refund" else "prizes"
        self.books[f"{'held' if ticket.claim else owed}:{ticket.contest}"] -= ticket.owed_cents
        ticket.claim = "paid"
        self.rights.became(ident, "paid")
        self.ledger.pays(payer, day, ticket.owed_cents)

    # --- What time does by itself -----------------------------------------------------------------

    def night(self, day: date) -> None:
        """End a day: lapse what was not claimed in time (10.2, 10.7)."""
        for contest, meeting in self.meetings.items():
            last = meeting.last_claim_day
            if last is None or last > day or meeting.lapsed:
                continue
            meeting.lapsed = True
            for ident in meeting.tickets:
                ticket = self.tickets[ident]
                if ticket.state == "sold" and ticket.prize_cents and not ticket.claim:
                    ticket.claim = "lapsed"
                    self.rights.became(ident, "lapsed")
                    self.books[f"prizes:{contest}"] -= ticket.prize_cents
                    self.carried_over[last] += ticket.prize_cents

    # --- Its own sums -----------------------------------------------------------------------------

    def _hold(self, ident: str, claim: str) -> None:
        """Hold a prize apart. Before the payment order nobody knows its amount [D7]."""
        ticket = self.tickets[ident]
        valued = self.meetings[ticket.contest].last_claim_day is not None
        if not ticket.claim and valued:
            self.ledger.moved(
                f"prizes:{ticket.contest}", f"held:{ticket.contest}", ticket.prize_cents
            )
        ticket.claim = claim
        self.rights.became(ident, "held")

    def _take_lapsed(self, day: date) -> dict[date, int]:
        """Take what lapsed before the day of a meeting, by the day with which it lapsed."""
        taken = [d for d in self.carried_over if d < day]
        return {d: self.carried_over.pop(d) for d in taken}

    def _standing(self, meeting: Meeting) -> list[Ticket]:
        return [self.tickets[i] for i in meeting.tickets if self.tickets[i].state == "sold"]

    def _wins(self, meeting: Meeting) -> dict[str, dict[int, int]]:
        """Return the bets of each ticket by hits, counted bet by bet."""
        bets_by_ticket: dict[str, dict[int, int]] = {}
        for ident in meeting.tickets:
            ticket = self.tickets[ident]
            if ticket.state != "sold":
                continue
            right = [
                [race.stands_for(number) in race.winners for number in leg]
                for race, leg in zip(meeting.races, ticket.legs, strict=True)
            ]
            counts: dict[int, int] = {}
            for bet in itertools.product(*right):
                counts[sum(bet)] = counts.get(sum(bet), 0) + 1
            bets_by_ticket[ident] = {h: n for h, n in counts.items() if h in self.terms.categories}
        return bets_by_ticket
