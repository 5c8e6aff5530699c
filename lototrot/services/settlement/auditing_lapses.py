"""Audit what lapsed: where it waits, into which meeting it was carried, and what came back.

Everything is summed from claims, prizes and restorations, by the day with which it lapsed.
"""

import datetime
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.db.models import Q, QuerySet

from core.database.reading.asking import fetch_all
from core.ledger import services as ledger
from core.payoffice.models import Restoration
from core.premises.models import Game
from lototrot import accounts
from lototrot.models.authority import GameEnd
from lototrot.models.settlement import CarryOver, Settlement
from lototrot.models.tickets import Ticket
from lototrot.postings import EndMove
from lototrot.selectors.retired import stays
from lototrot.selectors.settlement.unclaimed import REFUSED_AFTER_THE_END

Key = tuple[str, datetime.date]
Restored = Sequence[tuple[Key, str, int]]
"""Cents that came back, by their day and the code of the account that they came from."""
Spans = Sequence[tuple[datetime.date, datetime.date]]
"""Days, each span from its first to its last."""


@dataclass(frozen=True, slots=True)
class Finding:
    """A stored figure that differs from the one computed from tickets and results."""

    contest: int
    check: str
    stored: Any
    recounted: Any


# Unclaimed and refused prizes of a chain, by the day from which they are carried over [D3, C5].
# What the organiser had borne and two persons refused is the organiser's again [C8].
_LAPSED = f"""
SELECT c.bet_type_code, c.day, sum(c.cents)::bigint FROM (
SELECT k.bet_type_code, c.day, coalesce(p.prize_cents, t.amount_cents) AS cents
  FROM payoffice_claim c JOIN lototrot_ticket t ON t.id = c.document_id
  JOIN lototrot_contest k ON k.id = t.contest_id
  LEFT JOIN lototrot_settlement s ON s.contest_id = k.id AND s.in_force
  LEFT JOIN lototrot_prize p ON p.settlement_id = s.id AND p.ticket_id = t.id
 WHERE c.game = %(game)s AND c.state IN ('lapsed', 'refused') AND NOT EXISTS (
       SELECT FROM payoffice_restoration r JOIN ledger_account a ON a.id = r.taken_from_id
        WHERE r.claim_id = c.id AND a.code = %(late_claims)s)
   AND NOT {REFUSED_AFTER_THE_END} AND {stays()}
 UNION ALL
SELECT k.bet_type_code, l.day, l.prize_cents
  FROM lototrot_retiredprizes l JOIN lototrot_contest k ON k.id = l.contest_id
 WHERE l.state = 'lapsed') c
 WHERE {{days}}
 GROUP BY 1, 2
"""
# What came back, by the day with which it had lapsed and the account that it came from.
_RESTORED = """
SELECT k.bet_type_code, r.lapsed_day, a.code, sum(p.prize_cents)::bigint
  FROM payoffice_restoration r JOIN payoffice_claim c ON c.id = r.claim_id
  JOIN lototrot_ticket t ON t.id = c.document_id
  JOIN lototrot_contest k ON k.id = t.contest_id
  JOIN lototrot_settlement s ON s.contest_id = k.id AND s.in_force
  JOIN lototrot_prize p ON p.settlement_id = s.id AND p.ticket_id = t.id
  JOIN ledger_account a ON a.id = r.taken_from_id
 WHERE c.game = %(game)s AND ({days})
 GROUP BY 1, 2, 3
"""


def within(field: str, spans: Spans) -> Q:
    """Return the condition that a field is a day of one of the spans."""
    days = Q(pk__in=[])
    for first, last in spans:
        days |= Q(**{f"{field}__gte": first, f"{field}__lte": last})
    return days


def _within_sql(column: str, spans: Spans | None) -> str:
    if spans is None:
        return "true"
    return " OR ".join(f"{column} BETWEEN date '{a}' AND date '{b}'" for a, b in spans) or "false"


def carried_over_cents(spans: Spans | None = None) -> tuple[dict[int, int], list[Finding]]:
    """Return contest id -> cents carried over into it and left there, and what does not agree.

    The claims of a day are carried over at once or in parts, still wait, or came back. The day's
    last carry-over is taken as the rest after the others, so no stored amount decides what lapsed.
    With `spans` of days, it is done for what lapsed on them, and for all that was carried over into
    a contest of one of them.
    """
    chosen = CarryOver.objects.all()
    if spans is not None:
        into = chosen.filter(within("contest__day", spans)).values_list("day", flat=True)
        spans = [*spans, *((day, day) for day in sorted(set(into)))]
        chosen = chosen.filter(within("day", spans))
    lapsed, restored = _lapsed_and_restored(spans)
    carried_over, stored, findings = _carried(chosen, lapsed)
    back = _taken_back(restored, carried_over)
    sent_on = _sent_on()
    for key, cents in lapsed.items():
        waits = ledger.balance_cents(accounts.carry_over(*key)) + sent_on.get(key, 0)
        accounted = stored.get(key, 0) + waits + back.get(key, 0)
        if accounted != cents:
            findings.append(Finding(0, f"waiting {key[0]} {key[1]}", accounted, cents))
    return carried_over, findings + _restored_from(spans)


def _lapsed_and_restored(spans: Spans | None) -> tuple[dict[Key, int], Restored]:
    """Return what lapsed by day, what came back of it included, and what came back."""
    values = {"game": Game.LOTOTROT.value, "late_claims": accounts.late_claims().code}
    rows = fetch_all(_LAPSED.format(days=_within_sql("c.day", spans)), values)
    lapsed: dict[Key, int] = {(code, day): cents for code, day, cents in rows}
    rows = fetch_all(_RESTORED.format(days=_within_sql("r.lapsed_day", spans)), values)
    restored = [((code, day), where, cents) for code, day, where, cents in rows]
    for key, _account, cents in restored:
        lapsed[key] = lapsed.get(key, 0) + cents
    return lapsed, restored


def _taken_back(restored: Restored, carried_over: dict[int, int]) -> dict[Key, int]:
    """Subtract from what was carried over into contests what came back from them.

    Return, by day, what came back from prizes that were not carried over yet.
    """
    contests = {accounts.lapsed(contest).code: contest for contest in carried_over}
    back: dict[Key, int] = {}
    for key, account, cents in restored:
        if account in contests:
            carried_over[contests[account]] -= cents
        elif account == accounts.carry_over(*key).code:
            back[key] = cents
    return back


def _sent_on() -> dict[Key, int]:
    """Return the unclaimed prizes that the authority sent on when their bet type ended [A21]."""
    sent_on: dict[Key, int] = {}
    for end in GameEnd.objects.all():
        for move in map(EndMove.from_document, end.moves):
            if move.day is not None:
                key = (end.bet_type_code, move.day)
                sent_on[key] = sent_on.get(key, 0) + move.cents
    return sent_on


def _carried(
    chosen: QuerySet[CarryOver], lapsed: dict[Key, int]
) -> tuple[dict[int, int], dict[Key, int], list[Finding]]:
    """Return what was carried over by contest and by day; find more than lapsed, or too early."""
    carried_over: dict[int, int] = {}
    stored: dict[Key, int] = {}
    findings = []
    for carried in chosen.select_related("contest").order_by("pk"):
        contest, key = carried.contest, (carried.bet_type_code, carried.day)
        stored[key] = stored.get(key, 0) + carried.cents
        carried_over[contest.pk] = carried_over.get(contest.pk, 0) + carried.cents
        if carried.day >= contest.day:
            check = "carried_over_before_its_day"
            findings.append(Finding(contest.pk, check, str(carried.day), str(contest.day)))
        if stored[key] > lapsed.get(key, 0):
            findings.append(Finding(contest.pk, "carried_over", stored[key], lapsed.get(key, 0)))
    return carried_over, stored, findings


def _restored_from(spans: Spans | None) -> list[Finding]:
    """Find money that came back from another account than the one that should bear it [C8]."""
    findings = []
    restored = Restoration.objects.filter(claim__game=Game.LOTOTROT)
    if spans is not None:
        restored = restored.filter(within("lapsed_day", spans))
    for restoration in restored.select_related("claim", "taken_from"):
        ticket = Ticket.objects.select_related("contest").get(pk=restoration.claim.document_id)
        allowed = _bearers(restoration, ticket.contest.bet_type_code)
        if restoration.taken_from.code not in allowed:
            account = restoration.taken_from.code
            findings.append(Finding(ticket.contest_id, "restored_from", account, sorted(allowed)))
    return findings


def _bearers(restoration: Restoration, bet_type_code: str) -> set[str]:
    """Return the accounts that could give the money back when it was restored."""
    at, day = restoration.restored_at, restoration.lapsed_day
    carried = CarryOver.objects.filter(bet_type_code=bet_type_code, day=day, carried_at__lte=at)
    receivers = set(carried.values_list("contest_id", flat=True))
    settled = Settlement.objects.filter(contest__in=receivers, settled_at__lte=at).filter(
        Q(reversed_at=None) | Q(reversed_at__gt=at)
    )
    unsettled = receivers - set(settled.values_list("contest_id", flat=True))
    bearers = {accounts.lapsed(contest).code for contest in unsettled}
    ended = GameEnd.objects.filter(bet_type_code=bet_type_code, ended_at__lte=at)
    if not unsettled and (receivers or ended.exists()):
        bearers.add(accounts.late_claims().code)
    return bearers | {accounts.carry_over(bet_type_code, day).code}
