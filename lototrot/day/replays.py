"""Replay the events of a day: post their transfers, and carry out their acts again."""

from collections.abc import Mapping
from typing import Any

from core.kernel.days import add_days
from core.kernel.request_uuids import derived_uuid
from core.ledger import services as ledger
from core.payoffice.models import Claim
from core.reports.parts import Replay, nothing, post
from lototrot import accounts, postings
from lototrot.engine.distribution import Takings, distribute
from lototrot.models.contest import Contest
from lototrot.models.running import Classification, Withdrawal
from lototrot.models.settlement import PaymentOrder, Settlement
from lototrot.models.tickets import Void
from lototrot.selectors.contests import rules_of
from lototrot.selectors.settlement.counting import Counting, count
from lototrot.selectors.settlement.results import settled_results
from lototrot.services.prizes.carry_over import lapsed_carry_over
from lototrot.services.prizes.lapsing import lapse
from lototrot.services.settlement.early import early_claims_refund, early_claims_value
from lototrot.services.settlement.settling import contest_settle

Data = Mapping[str, Any]
State = Contest.State


def _sold(row: Any, data: Data) -> None:
    takings = accounts.takings(row.contest)
    line = postings.sale(premises_id=row.premises_id, takings=takings, cents=row.amount_cents)
    post("lototrot.sale", row, [line])


def _voided(row: Any, data: Data) -> None:
    ticket = row.ticket
    takings, cents = accounts.takings(ticket.contest), ticket.amount_cents
    if row.reason == Void.Reason.BREACH:
        line = postings.breach_void(contest_id=ticket.contest_id, takings=takings, cents=cents)
    elif row.reason == Void.Reason.UNPRINTED:
        line = postings.unprinted_void(contest_id=ticket.contest_id, takings=takings, cents=cents)
    else:
        line = postings.annulment(premises_id=ticket.premises_id, takings=takings, cents=cents)
    post("lototrot.void", row, [line])
    if row.proposal is not None:
        reference = derived_uuid(row.proposal.uuid, f"lototrot.early {row.ticket_id}")
        early_claims_refund(ticket.contest_id, row.proposal, reference)


def _blocked(row: Any, data: Data) -> None:
    """Hold the prize, unless it is held already [C6]."""
    contest = row.ticket.contest_id
    presented = Claim.objects.filter(pk=data["holds"], state=Claim.State.PRESENTED)
    presented.update(state=Claim.State.HELD, changed_at=row.blocked_at)
    if data["opens"]:
        line = postings.breach_block(contest_id=contest, cents=row.prize_cents)
        post("lototrot.block", row, [line])


def _uncorrected(row: Any, data: Data) -> None:
    Classification.objects.filter(pk=data["classification"]).update(in_force=False)


def _opened(row: Any, data: Data) -> None:
    contest = Contest.objects.filter(pk=data["contest"])
    contest.update(state=State.OPEN, opened_at=data["at"], opening=data["opening"])


def _closed(row: Any, data: Data) -> None:
    Contest.objects.filter(pk=data["contest"]).update(
        state=State.CLOSED, closed_at=data["at"], closing_cause=data["cause"], code_secret=None
    )


def _settle(row: Any, data: Data) -> None:
    contest_settle(contest_id=data["contest"])


def _reverse(row: Any, data: Data) -> None:
    """Compute the settlement from its tickets again, and post its transfers in reverse."""
    contest = Contest.objects.select_related("bet_type", "takings_account").get(pk=data["contest"])
    settlement = contest.settlements.get(in_force=True)
    rules = rules_of(contest.bet_type, contest.day)
    tally = count(Counting(contest.pk, settled_results(contest).right_masks, rules))
    d = distribute(
        Takings(
            takings=tally.takings_cents,
            winners=tally.winners,
            jackpot_in=settlement.jackpot_in_cents,
            reserve_in=settlement.reserve_in_cents,
            lapsed_in=settlement.lapsed_in_cents,
        ),
        rules,
    )
    lines = postings.settlement_lines(
        contest_id=contest.pk,
        bet_type_code=contest.bet_type_code,
        takings=accounts.takings(contest),
        d=d,
        parts=accounts.organiser_share(contest.day).divide(d.organiser_share),
    )
    ledger.post(
        reference=derived_uuid(settlement.uuid, postings.REVERSAL),
        lines=postings.reversal(lines),
    )
    Settlement.objects.filter(pk=settlement.pk).update(
        in_force=False, reversed_at=data["at"], reversed_by=data["by"]
    )
    Contest.objects.filter(pk=contest.pk).update(state=State.CLOSED)


def _order(row: Any, data: Data) -> None:
    terms = ("results_day", "first_pay_day", "last_claim_day", "claim_days")
    settlement = Settlement.objects.get(contest=data["contest"], in_force=True)
    order = PaymentOrder.objects.create(
        contest_id=data["contest"],
        settlement=settlement,
        proposal_id=data["proposal"],
        ordered_at=data["at"],
        **{name: data[name] for name in terms},
    )
    early_claims_value(order, derived_uuid(order.settlement.uuid, "lototrot.early"))
    Contest.objects.filter(pk=data["contest"]).update(state=State.ORDERED)


def _withdrawal_reversed(row: Any, data: Data) -> None:
    Withdrawal.objects.filter(pk=data["withdrawal"]).update(reversed_at=data["at"])


def _lapse(row: Any, data: Data) -> None:
    order = PaymentOrder.objects.get(contest=data["contest"])
    lapse(order.contest_id, add_days(order.last_claim_day, 1))


def _carry_over(row: Any, data: Data) -> None:
    lapsed_carry_over(contest_id=data["contest"])


def _end(row: Any, data: Data) -> None:
    moves = [postings.EndMove.from_document(move) for move in row.moves]
    post("lototrot.ended", row, postings.end_lines(row.bet_type_code, moves))


_ROW_ONLY = (
    "withdrawal",
    "stop",
    "start",
    "declaration",
    "classification",
    "seal",
    "amendment",
    "draw",
)
REPLAYS: dict[str, Replay] = {
    **{f"lototrot.{name}": nothing for name in _ROW_ONLY},
    "lototrot.sale": _sold,
    "lototrot.void": _voided,
    "lototrot.block": _blocked,
    "lototrot.corrected": _uncorrected,
    "lototrot.withdrawal_reversed": _withdrawal_reversed,
    "lototrot.opened": _opened,
    "lototrot.closed": _closed,
    "lototrot.settled": _settle,
    "lototrot.reversed": _reverse,
    "lototrot.ordered": _order,
    "lototrot.lapsed": _lapse,
    "lototrot.carry_over": _carry_over,
    "lototrot.ended": _end,
}
