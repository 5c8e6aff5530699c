"""Compute every settlement again from tickets and results, and compare it with what is stored.

The audit uses nothing that the audited settlement stored: it carries jackpots and reserves from
meeting to meeting, and sums lapsed prizes from the claims. An audit of some days begins with what
the meeting before them left, which is audited in its turn. The database counts in sets, so memory
does not grow with the number of tickets.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from django.db.models import Q

from core.database.reading import progress
from core.database.reading.asking import fetch_value
from core.kernel.errors import InvariantBroken
from core.ledger import services as ledger
from lototrot import accounts
from lototrot.engine.distribution import Distribution, Takings, distribute
from lototrot.models.authority import GameEnd
from lototrot.models.contest import Contest
from lototrot.models.settlement import Settlement
from lototrot.postings import EndMove, Source
from lototrot.selectors.contests import rules_of
from lototrot.selectors.retired import left
from lototrot.selectors.settlement.counting import Counting, Tally, count, prizes_check
from lototrot.selectors.settlement.results import settled_results
from lototrot.services.settlement.auditing_lapses import (
    Finding,
    Spans,
    carried_over_cents,
    within,
)


class SettlementsDiffer(InvariantBroken):
    """Stored figures differ from the audit.

    `data["found"]` lists contest, check, stored, recounted.
    """

    code = "settlements_differ"
    message = "Settlements do not agree with the tickets and results they were made from."


@dataclass(slots=True)
class Audit:
    """The counts of an audit, its findings, and what each chain carries on, in cents.

    `last` has the contest of each chain that was audited last.
    """

    contests: int = 0
    tickets: int = 0
    prizes: int = 0
    findings: list[Finding] = field(default_factory=list)
    jackpot_cents: dict[str, int] = field(default_factory=dict)
    reserve_cents: dict[str, int] = field(default_factory=dict)
    last: dict[str, int] = field(default_factory=dict)

    def check(self, contest: Contest, name: str, stored: Any, recounted: Any) -> None:
        if stored != recounted:
            self.findings.append(Finding(contest.pk, name, stored, recounted))


_TAKINGS = """
SELECT coalesce(sum(t.amount_cents), 0)::bigint FROM lototrot_ticket t
 WHERE t.contest_id = %s AND NOT EXISTS (SELECT FROM lototrot_void v WHERE v.ticket_id = t.id)
"""


def audit_contests(spans: Spans | None = None) -> Audit:
    """Audit every contest, or those of some days, meeting by meeting, with what lapsed on them.

    The caller runs it in one snapshot.
    """
    audit = Audit()
    contests = Contest.objects.select_related("bet_type", "takings_account")
    if spans is not None:
        contests = contests.filter(within("day", spans))
    carried_over, findings = carried_over_cents(spans)
    audit.findings += findings
    sold = contests.exclude(state__in=Contest.NEVER_ON_SALE)
    number = sold.count()
    for contest in sold.order_by("day", "pk"):
        progress.tell(audit.contests, number)
        audit.contests += 1
        settlement = contest.settlements.filter(in_force=True).first()
        if settlement is None:
            takings = accounts.takings(contest)
            audit.check(contest, "takings_account", ledger.balance_cents(takings), _taken(contest))
        else:
            _go_on_from(audit, contest, settlement)
            _audit_settlement(audit, contest, settlement, carried_over.get(contest.pk, 0))
    return audit


def _go_on_from(audit: Audit, contest: Contest, settlement: Settlement) -> None:
    """Begin with what the settlement before left, unless that one was audited last; then add what
    other bet types sent here since.
    """
    code = contest.bet_type_code
    chain = Settlement.objects.filter(in_force=True, contest__bet_type_code=code)
    before = Q(contest__day__lt=contest.day) | Q(contest__day=contest.day, contest__lt=contest.pk)
    last = chain.filter(before).order_by("-contest__day", "-contest").first()
    if last is not None and last.contest_id != audit.last.get(code):
        audit.jackpot_cents[code] = last.jackpot_out_cents
        audit.reserve_cents[code] = last.reserve_out_cents
    audit.last[code] = contest.pk
    ends = GameEnd.objects.filter(ended_at__lt=settlement.settled_at)
    if last is not None:
        ends = ends.filter(ended_at__gt=last.settled_at)
    for move in (EndMove.from_document(each) for end in ends for each in end.moves):
        if move.bet_type == code:
            joined = audit.reserve_cents if move.source is Source.RESERVE else audit.jackpot_cents
            joined[code] = joined.get(code, 0) + move.cents


def _audit_settlement(
    audit: Audit, contest: Contest, settlement: Settlement, lapsed_cents: int
) -> None:
    rules = rules_of(contest.bet_type, contest.day)
    results = settled_results(contest)
    counting = Counting(contest.pk, results.right_masks, rules, left(contest.pk))
    tally, code = count(counting), contest.bet_type_code
    d = distribute(
        Takings(
            takings=tally.takings_cents,
            winners=tally.winners,
            jackpot_in=audit.jackpot_cents.get(code, 0),
            reserve_in=audit.reserve_cents.get(code, 0),
            lapsed_in=lapsed_cents,
        ),
        rules,
    )
    audit.jackpot_cents[code], audit.reserve_cents[code] = d.jackpot_out, d.reserve_out
    audit.tickets += tally.tickets
    for name, stored, recounted in _figures(settlement, tally, d):
        audit.check(contest, name, stored, recounted)
    audit.check(contest, "races", _raced(settlement.races), _raced(results.to_document()))
    parts = accounts.organiser_share(contest.day).divide(d.organiser_share)
    document = {**d.to_document(), "organiser_parts": {str(p): c for p, c in parts.items()}}
    audit.check(contest, "figures", settlement.figures, document)
    categories = settlement.categories.values_list("hits", "winning_bets", "prize_cents")
    audit.check(
        contest,
        "categories",
        sorted(categories),
        sorted((hits, bets, d.prize_each.get(hits, 0)) for hits, bets in d.winners.items()),
    )
    stored_prizes = prizes_check(counting, settlement_id=settlement.pk, prize_each=d.prize_each)
    audit.prizes += stored_prizes.rows
    audit.check(contest, "prize_rows", stored_prizes.rows, tally.winning_tickets)
    audit.check(contest, "right_prize_rows", stored_prizes.right_rows, tally.winning_tickets)
    audit.check(contest, "prizes_of_rows", stored_prizes.prizes_cents, d.prizes_total)
    audit.check(contest, "winners_of_rows", dict(stored_prizes.winners), dict(tally.winners))


def _raced(races: Iterable[Any]) -> list[dict[str, Any]]:
    """Return the results without the starts, which may be corrected since [C9]."""
    return [{k: v for k, v in race.items() if k != "started_at"} for race in races]


def _figures(
    settlement: Settlement, tally: Tally, d: Distribution
) -> Iterator[tuple[str, Any, Any]]:
    yield "tickets", settlement.tickets, tally.tickets
    yield "bets", settlement.bets, tally.bets
    yield "winning_tickets", settlement.winning_tickets, tally.winning_tickets
    yield "takings_cents", settlement.takings_cents, tally.takings_cents
    yield "prizes_cents", settlement.prizes_cents, d.prizes_total
    yield "jackpot_in_cents", settlement.jackpot_in_cents, d.jackpot_in
    yield "jackpot_out_cents", settlement.jackpot_out_cents, d.jackpot_out
    yield "reserve_in_cents", settlement.reserve_in_cents, d.reserve_in
    yield "reserve_out_cents", settlement.reserve_out_cents, d.reserve_out
    yield "lapsed_in_cents", settlement.lapsed_in_cents, d.lapsed_in


def _taken(contest: Contest) -> int:
    return int(fetch_value(_TAKINGS, [contest.pk]))
