"""Give lapsed prizes back to tickets deposited in time and identified later (14.III.10.5) [C8]."""

from collections.abc import Iterable
from datetime import date

from django.db.models import Sum

from core.database.locks import hold
from core.database.reading.asking import fetch_all
from core.ledger import services as ledger
from core.ledger.models import Account
from core.ledger.services import AccountCode, Line
from core.payoffice.models import Restoration
from core.premises.models import Game
from lototrot import accounts, postings
from lototrot.models.contest import Contest
from lototrot.models.settlement import CarryOver, Settlement
from lototrot.selectors.settlement.chains import chain_lock

# The restorations of a contest's tickets, with the day of the lapse and the account debited.
_RESTORED = """
SELECT r.lapsed_day, a.code, a.side, sum(r.cents)::bigint
  FROM payoffice_restoration r JOIN payoffice_claim c ON c.id = r.claim_id
  JOIN lototrot_ticket t ON t.id = c.document_id JOIN ledger_account a ON a.id = r.taken_from_id
 WHERE c.game = %s AND t.contest_id = %s GROUP BY 1, 2, 3 ORDER BY 1, 2
"""


def lapsed_source(bet_type_code: str, lapsed_day: date, cents: int) -> AccountCode:
    """Return the account that gives back `cents` of what lapsed with a day.

    The money still waits for a meeting, or stands with a meeting that is not settled. Once it is
    settled into a 7/7, the organiser bears it. No settlement runs and nothing is carried over until
    the transaction ends.
    """
    hold(chain_lock(bet_type_code))
    waiting = accounts.carry_over(bet_type_code, lapsed_day)
    if ledger.balance_cents(waiting) >= cents:
        return waiting
    for contest_id in _unsettled_receivers(bet_type_code, lapsed_day):
        if _left_cents(contest_id, lapsed_day) >= cents:
            return accounts.lapsed(contest_id)
    return accounts.late_claims()


def _unsettled_receivers(bet_type_code: str, lapsed_day: date) -> list[int]:
    """Return the contests that received money of that day and are not settled, newest first."""
    carried = CarryOver.objects.filter(bet_type_code=bet_type_code, day=lapsed_day)
    received = list(carried.order_by("-pk").values_list("contest_id", flat=True))
    settled = Settlement.objects.filter(contest__in=received, in_force=True)
    settled_ids = set(settled.values_list("contest_id", flat=True))
    return [contest for contest in dict.fromkeys(received) if contest not in settled_ids]


def _left_cents(contest_id: int, lapsed_day: date) -> int:
    """Return what a contest received of a day and has not given back."""
    carried = CarryOver.objects.filter(contest=contest_id, day=lapsed_day)
    account = accounts.lapsed(contest_id)
    given_back = Restoration.objects.filter(lapsed_day=lapsed_day, taken_from__code=account.code)
    received = carried.aggregate(cents=Sum("cents"))["cents"] or 0
    return int(received - (given_back.aggregate(cents=Sum("cents"))["cents"] or 0))


def borne_by_organiser(ticket_id: int) -> bool:
    """Return whether what a ticket got back came from the organiser's own account."""
    restored = Restoration.objects.filter(claim__game=Game.LOTOTROT, claim__document_id=ticket_id)
    return restored.filter(taken_from__code=accounts.late_claims().code).exists()


def restored_lines(contest: Contest) -> Iterable[Line]:
    """Return, for `ledger_rebuild`, the lapse and the return of what a contest's tickets got back.

    What is done with a claim afterwards is the prize office's.
    """
    rows = fetch_all(_RESTORED, [Game.LOTOTROT.value, contest.pk])
    for lapsed_day, code, side, cents in rows:
        yield postings.lapse(
            contest_id=contest.pk,
            bet_type_code=contest.bet_type_code,
            day=lapsed_day,
            cents=cents,
        )
        taken_from = AccountCode(code, Account.Side(side))
        yield postings.restored(contest_id=contest.pk, taken_from=taken_from, cents=cents)
