"""Audit Promotrot independently: see only the terminals' screens, the counter and what is public.

The auditor imports nothing of the project. It reads a game's published document for itself: what a
screen showed decides what the player is owed, and the closing of an emission what the game owes.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import date, timedelta
from fractions import Fraction
from math import ceil, floor
from typing import Any

from tests.support.season.books import Books
from tests.support.season.rights import Rights

CLAIM_DAYS = 30
MINIMUM_PERCENT = Fraction(70)
MOST_DRAWS = 3
PARTS = {"commission": 25, "management": 35, "tax": 25, "remainder": 15}
LATE = "promotrot:organiser:late"


@dataclass
class Game:
    """A concrete game as its document says. `rungs` is None where its prizes are pre-drawn."""

    code: str
    percent: Fraction
    prizes: list[int]
    counts: list[int]
    rungs: list[dict[str, Any]] | None
    owed_cents: int = 0
    draws: int = 0
    lapsed_prizes: int = 0

    @classmethod
    def of(cls, document: dict[str, Any]) -> "Game":
        tiers = document.get("tiers") or document["prizes"]
        predrawn = document["mode"] == "predrawn"
        declared = Fraction(document["prize_percent"])
        return cls(
            document["code"],
            max(declared, MINIMUM_PERCENT) if predrawn else MINIMUM_PERCENT,
            [tier["cash_cents"] for tier in tiers],
            [tier.get("count", 0) for tier in tiers],
            None if predrawn else document["mechanic"]["rungs"],
        )


@dataclass
class Issue:
    """An emission. `extra` has the cents of its extra tier, which follows the others."""

    reference: str
    game: Game
    price_cents: int
    tickets: int
    extra_tiers: dict[int, int]
    plays: list[str] = field(default_factory=list)
    takings_cents: int = 0
    awarded_cents: int = 0
    extra_cents: int = 0
    by_tier: dict[int, int] = field(default_factory=dict)
    closed: bool = False


@dataclass
class Play:
    issue: Issue
    premises: str
    acts: list[tuple[str, int]] = field(default_factory=list)
    ended: bool = False


@dataclass
class Voucher:
    """A voucher: `drawn` where an ended game drew it among its tickets."""

    issue: Issue
    cents: int
    last_day: date
    refund: bool = False
    drawn: bool = False
    claim: str = ""


class InstantAuditor:
    """Promotrot's part of the books, and the rights of who played."""

    def __init__(self, books: Books, rights: Rights) -> None:
        self.ledger = books
        self.books = books.accounts
        self.rights = rights
        self.games: dict[str, Game] = {}
        self.issues: dict[str, Issue] = {}
        self.plays: dict[str, Play] = {}
        self.vouchers: dict[str, Voucher] = {}

    # --- What is seen happening -------------------------------------------------------------------

    def approved(self, document: dict[str, Any]) -> None:
        game = Game.of(document)
        self.games[game.code] = game

    def opens(
        self, reference: str, code: str, tickets: int, price_cents: int, extra: dict[int, int]
    ) -> None:
        """Record an emission on sale. `extra` is the published number of each extra tier."""
        game = self.games[code]
        owed = game.owed_cents
        for tier, count in extra.items():
            room = tickets - sum(game.counts)
            assert count == min(owed // game.prizes[tier - 1], room), (reference, owed, extra)
        if not extra:
            assert owed < min(game.prizes), f"{reference} has no extra prizes for {owed} cents"
        extra_tiers = {len(game.prizes) + 1: game.prizes[tier - 1] for tier in extra}
        self.issues[reference] = Issue(reference, game, price_cents, tickets, extra_tiers)

    def sold(self, ident: str, reference: str, premises: str, day: date) -> None:
        issue = self.issues[reference]
        self.plays[ident] = Play(issue, premises)
        issue.plays.append(ident)
        issue.takings_cents += issue.price_cents
        self.books[f"promotrot:{reference}:takings"] += issue.price_cents
        self.ledger.owes(premises, day, issue.price_cents)
        self.ledger.earns("promotrot", premises, day, issue.price_cents)

    def acted(self, ident: str, act: str, revealed: int) -> None:
        self.plays[ident].acts.append((act, revealed))

    def stands(self, ident: str) -> int | None:
        """Return the tier that a ladder's player has or may stop with; None if there is none."""
        play = self.plays[ident]
        rungs, here = play.issue.game.rungs, 0
        assert rungs is not None
        for act, revealed in play.acts:
            if act == "stop":
                break
            if revealed < 0:
                way = next(way for way in rungs[here]["ways"] if way["name"] == act)
                return int(way.get("fall", 0))
            here = revealed
        stop = rungs[here].get("stop")
        return int(stop) if play.acts and stop is not None else None

    def ends(self, ident: str, tier: int, extra_tier: int, day: date) -> int:
        """End a play with a tier, and any extra prize on its ticket. Return what is owed."""
        play = self.plays[ident]
        issue, game = play.issue, play.issue.game
        if game.rungs is not None:
            assert tier == self.stands(ident), (ident, play.acts, tier)
        is_extra = tier > len(game.prizes)
        cents = game.prizes[tier - 1] if tier and not is_extra else 0
        extra = issue.extra_tiers[tier] if is_extra else 0
        extra += issue.extra_tiers[extra_tier] if extra_tier else 0
        play.ended = True
        issue.by_tier[tier] = issue.by_tier.get(tier, 0) + 1
        if not issue.closed:
            issue.awarded_cents += cents
            issue.extra_cents += extra
        source = LATE if issue.closed else f"promotrot:{game.code}:prizes"
        self.ledger.moved(source, f"promotrot:{issue.reference}:vouchers", cents + extra)
        return cents + extra

    def gives_back(self, ident: str, day: date) -> int:
        """End a play in which no prize stands: its price is due back [P11, P19]."""
        play = self.plays[ident]
        issue, cents = play.issue, play.issue.price_cents
        assert issue.game.rungs is not None and self.stands(ident) is None, (ident, play.acts)
        play.ended = True
        source = LATE if issue.closed else f"promotrot:{issue.reference}:takings"
        if not issue.closed:
            issue.takings_cents -= cents
        self.ledger.moved(source, f"promotrot:{issue.reference}:refunds", cents)
        self.ledger.earns("promotrot", play.premises, day, -cents)
        return cents

    def voucher(
        self, ident: str, play: str, cents: int, day: date, *, refund: bool = False
    ) -> Voucher:
        """Record a voucher issued on that day."""
        issue = self.plays[play].issue
        last_day = day + timedelta(days=CLAIM_DAYS)
        self.vouchers[ident] = Voucher(issue, cents, last_day, refund)
        return self.vouchers[ident]

    def closes(self, reference: str) -> int:
        """Close an emission (15.III.6.2). Return what its game owes to prizes from now on."""
        issue = self.issues[reference]
        game, takings = issue.game, issue.takings_cents
        minimum = ceil(takings * game.percent / 100)
        rest = takings - minimum
        parts = {name: floor(Fraction(rest * percent, 100)) for name, percent in PARTS.items()}
        parts["remainder"] += rest - sum(parts.values())
        beyond = max(0, issue.awarded_cents - minimum)
        parts["remainder"] -= beyond
        self.books[f"promotrot:{reference}:takings"] -= takings
        self.books[f"promotrot:{game.code}:prizes"] += minimum + beyond
        for name, cents in parts.items():
            self.books[f"promotrot:organiser:{name}"] += cents
        short = max(0, minimum - issue.awarded_cents)
        game.owed_cents = max(0, game.owed_cents - issue.extra_cents) + short
        issue.closed = True
        if game.rungs is None and len(issue.plays) == issue.tickets:
            for tier, count in enumerate(game.counts, start=1):
                unfinished = sum(not self.plays[ident].ended for ident in issue.plays)
                won = issue.by_tier.get(tier, 0)
                assert won <= count <= won + unfinished, (reference, tier, won, count)
        return game.owed_cents

    def drawn(self, code: str, winners: Sequence[tuple[str, str, int]], day: date) -> None:
        """Record a draw of what an ended game owes: the play, voucher and cents of each [P2]."""
        game = self.games[code]
        assert not game.draws or len(winners) == game.lapsed_prizes, (code, winners)
        share, rest = divmod(game.owed_cents, len(winners))
        for place, (play, ident, cents) in enumerate(winners):
            assert cents == share + (rest if place == 0 else 0), (code, winners)
            self.voucher(ident, play, cents, day).drawn = True
            reference = self.plays[play].issue.reference
            self.ledger.moved(f"promotrot:{code}:prizes", f"promotrot:{reference}:vouchers", cents)
        game.owed_cents, game.lapsed_prizes = 0, 0
        game.draws += 1

    def decided(self, code: str, cents: int) -> None:
        """Record what the authority had paid of a debt that no draw could give away [P17]."""
        self.books[f"promotrot:{code}:authority"] -= cents
        self.books["treasury"] -= cents

    def may_claim(self, ident: str, day: date) -> bool:
        voucher = self.vouchers[ident]
        return not voucher.claim and (voucher.refund or day <= voucher.last_day)

    def paid(self, ident: str, payer: str, day: date) -> None:
        voucher = self.vouchers[ident]
        where = "refunds" if voucher.refund else "vouchers"
        self.books[f"promotrot:{voucher.issue.reference}:{where}"] -= voucher.cents
        voucher.claim = "paid"
        self.rights.became(ident, "paid")
        self.ledger.pays(payer, day, voucher.cents)

    # --- What time does by itself -----------------------------------------------------------------

    def night(self, day: date) -> None:
        """End a day: what was not claimed in time is the organiser's (15.III.6.7), but for the
        drawn debts of ended games, which are drawn again or stand for the authority [P17].
        """
        for ident, voucher in self.vouchers.items():
            if voucher.claim or voucher.refund or voucher.last_day > day:
                continue
            voucher.claim = "lapsed"
            self.rights.became(ident, "lapsed")
            source, game = f"promotrot:{voucher.issue.reference}:vouchers", voucher.issue.game
            if not voucher.drawn:
                self.ledger.moved(source, "promotrot:organiser:unclaimed", voucher.cents)
                continue
            game.lapsed_prizes += 1
            if game.draws < MOST_DRAWS:
                game.owed_cents += voucher.cents
                self.ledger.moved(source, f"promotrot:{game.code}:prizes", voucher.cents)
            else:
                self.ledger.moved(source, f"promotrot:{game.code}:authority", voucher.cents)

    def waiting(self) -> Iterable[str]:
        """Return the plays that nobody has ended."""
        return [ident for ident, play in self.plays.items() if not play.ended]
