"""Settle contests, and reverse a settlement to correct a result (14.III.9) [B14].

Meetings of one chain (one bet type) settle in the order of their days, because jackpot, reserve and
lapsed prizes pass from one to the next [A4, A15]. The database counts the tickets. Settling is one
transaction; what it stored is read back and checked before the commit.
"""

from collections.abc import Mapping

from django.db import transaction

from core.database import clock
from core.database.clock import row_uuid
from core.database.locks import Lock, hold
from core.kernel.errors import Conflict, InvariantBroken, Unavailable
from core.kernel.request_uuids import derived_uuid
from core.ledger import services as ledger
from core.staff.actor import StaffActor
from lototrot import accounts, postings
from lototrot.engine.distribution import Distribution, Takings, distribute
from lototrot.models.contest import Contest
from lototrot.models.settlement import PaymentOrder, Settlement, SettlementCategory
from lototrot.selectors.breaches import breach_pending
from lototrot.selectors.contests import contest_get, rules_of
from lototrot.selectors.settlement.chains import chain_lock, holds_chain
from lototrot.selectors.settlement.counting import Counting, Tally, prizes_check
from lototrot.selectors.settlement.results import ContestResults, contest_results
from lototrot.selectors.settlement.unclaimed import carry_overs_waiting, taken_before
from lototrot.services.long_acts import hold_for_long, under_way
from lototrot.services.seal.sealing import need_sealed, seal_verify
from lototrot.services.settlement.certificate import certificate_publish, reversal_publish
from lototrot.services.settlement.winners import Winners, prizes_insert, winners_count


class ContestNotClosed(Conflict):
    code = "contest_not_closed"
    message = "Only a closed contest is settled."


class PreviousContestOpen(Conflict):
    code = "previous_contest_open"
    message = (
        "An earlier meeting of the chain waits: to be ordered, or discarded if it was never on sale"
        " [A4, B14, A20]."
    )


class LapsedNotCarriedOver(Conflict):
    code = "lapsed_not_placed"
    message = "Prizes that lapsed before this meeting are not carried over yet (14.III.10.7)."


class BreachPending(Conflict):
    code = "breach_pending"
    message = (
        "Bets registered in breach are voided before the contest is settled and ordered [C6, C9]."
    )


class PrintsOpen(Conflict):
    code = "prints_open"
    message = "Terminals may still ask for tickets that were not printed: wait some minutes [E11]."


class UnprintedPending(Conflict):
    code = "unprinted_pending"
    message = "Tickets without a confirmed print wait for two persons to decide [E11]."


class SettlementBusy(Unavailable):
    code = "settlement_busy"
    message = "The contest is being settled, or changed, by someone else right now."


class NotSettled(Conflict):
    code = "contest_not_settled"
    message = "The contest has no settlement that could still be reversed."


class SettlementUnsound(InvariantBroken):
    """Stored figures are wrong.

    `data`: check (the figure), stored (read back), computed (expected).
    """

    code = "settlement_unsound"
    message = "The stored settlement differs from the computed one. Nothing was kept."


@transaction.atomic
def contest_settle(*, contest_id: int) -> Settlement:
    """Settle a closed contest. Return the settlement in force, also if it already existed.

    Raise ContestUnknown, ContestNotClosed, ContestNotSealed, PreviousContestOpen,
    LapsedNotCarriedOver, PrintsOpen, UnprintedPending, ResultsMissing, DrawRequired, BreachPending
    or SettlementBusy (transient). Raise InvariantBroken if the tickets differ from the sealed ones.
    After an error nothing is stored.
    """
    contest = contest_get(contest_id)
    busy = SettlementBusy(contest=contest_id)
    hold_for_long(busy, chain_lock(contest.bet_type_code), contest_id=contest_id)
    contest.refresh_from_db()
    in_force: Settlement | None = contest.settlements.filter(in_force=True).first()
    if in_force is not None:
        return in_force
    results = settleable(contest)
    if breach_pending(contest.pk):
        raise BreachPending(contest=contest.pk)
    rules = rules_of(contest.bet_type, contest.day)
    sealed = seal_verify(contest)
    counting = Counting(contest.pk, results.right_masks, rules)
    tally, winners = winners_count(counting)
    code = contest.bet_type_code
    distribution = distribute(
        Takings(
            takings=tally.takings_cents,
            winners=tally.winners,
            jackpot_in=ledger.balance_cents(accounts.jackpot(code)),
            reserve_in=ledger.balance_cents(accounts.reserve(code)),
            lapsed_in=ledger.balance_cents(accounts.lapsed(contest.pk)),
        ),
        rules,
    )
    parts = accounts.organiser_share(contest.day).divide(distribution.organiser_share)
    if (tally.tickets, tally.takings_cents) != (sealed.tickets, sealed.takings_cents):
        raise SettlementUnsound(
            check="sealed", stored=sealed.takings_cents, computed=tally.takings_cents
        )
    settlement = _store(contest, results, counting, tally, winners, distribution, parts)
    lines = postings.settlement_lines(
        contest_id=contest.pk,
        bet_type_code=code,
        takings=accounts.takings(contest),
        d=distribution,
        parts=parts,
    )
    ledger.post(reference=settlement.uuid, lines=lines)
    _verify(contest, settlement, counting, tally, distribution)
    Contest.objects.filter(pk=contest.pk, state=Contest.State.CLOSED).update(
        state=Contest.State.SETTLED
    )
    certificate_publish(settlement)
    return settlement


def settleable(contest: Contest) -> ContestResults:
    """Return the results on which a contest would be settled now. Raise if it cannot be settled.

    Raise as `contest_settle` does, except BreachPending, which would need a look at every ticket.
    """
    if contest.state != Contest.State.CLOSED:
        raise ContestNotClosed(contest=contest.pk, state=contest.state)
    need_sealed(contest)
    if contest.code_secret is not None:
        raise PrintsOpen(contest=contest.pk)
    if contest.unprinted.filter(verdict="", ticket__void=None).exists():
        raise UnprintedPending(contest=contest.pk)
    _need_turn(contest)
    _need_lapsed_carried_over(contest)
    return contest_results(contest)


def settling(contest: Contest) -> bool:
    """Return whether the contest's chain is being settled now. Settling may take minutes."""
    return under_way(*chain_lock(contest.bet_type_code))


def settlements_due() -> list[int]:
    """Return the closed contests that can be settled now, in the order of their days."""
    due = []
    for contest in Contest.objects.filter(state=Contest.State.CLOSED).order_by("day", "pk"):
        try:
            settleable(contest)
        except Conflict:
            continue
        due.append(contest.pk)
    return due


@transaction.atomic
def settlement_reverse(*, contest_id: int, by: StaffActor) -> Settlement:
    """Reverse the settlement in force with opposite postings. The contest is due again [B14].

    It is used before the payment order to correct a result, or to void bets in breach [C9], and the
    row is kept. Raise NotSettled if there is no settlement or payment is ordered.
    """
    hold((Lock.CONTEST, contest_id))
    contest = contest_get(contest_id)
    settlement: Settlement | None = contest.settlements.filter(in_force=True).first()
    if settlement is None or contest.state != Contest.State.SETTLED:
        raise NotSettled(contest=contest_id, state=contest.state)
    ledger.post_reversal(
        reference=derived_uuid(settlement.uuid, postings.REVERSAL),
        of=settlement.uuid,
        kind=postings.REVERSAL,
    )
    settlement.in_force = False
    settlement.reversed_at = clock.now()
    settlement.reversed_by_id = by.user_id
    settlement.save(update_fields=["in_force", "reversed_at", "reversed_by"])
    Contest.objects.filter(pk=contest_id, state=Contest.State.SETTLED).update(
        state=Contest.State.CLOSED
    )
    code = contest.bet_type_code
    ledger.need_balance(accounts.takings(contest), settlement.takings_cents)
    ledger.need_balance(accounts.prizes_payable(contest_id), 0)
    ledger.need_balance(accounts.lapsed(contest_id), settlement.lapsed_in_cents)
    ledger.need_balance(accounts.jackpot(code), settlement.jackpot_in_cents)
    ledger.need_balance(accounts.reserve(code), settlement.reserve_in_cents)
    reversal_publish(settlement)
    return settlement


def _need_turn(contest: Contest) -> None:
    """Raise if an earlier meeting of the chain holds it, also one not on sale yet [A4, A20, B14].

    A meeting that was called off ahead of its day is settled in its place.
    """
    earlier = Contest.objects.filter(bet_type_code=contest.bet_type_code, day__lt=contest.day)
    waiting = earlier.filter(holds_chain(clock.now())).order_by("day").first()
    if waiting is not None:
        raise PreviousContestOpen(
            contest=waiting.pk, day=waiting.day.isoformat(), state=waiting.state
        )


def _need_lapsed_carried_over(contest: Contest) -> None:
    """Raise unless prizes of the chain that lapsed before this meeting are carried over into it."""
    over = PaymentOrder.objects.filter(
        contest__bet_type_code=contest.bet_type_code,
        last_claim_day__lt=contest.day,
        contest__lapse=None,
    )
    for lapsed in over.order_by("last_claim_day").values_list("contest_id", flat=True):
        cents = ledger.balance_cents(accounts.prizes_payable(lapsed))
        if cents:
            raise LapsedNotCarriedOver(contest=lapsed, cents=cents)
    code = contest.bet_type_code
    for day, cents in carry_overs_waiting(code, since=taken_before(code)):
        if day < contest.day:
            raise LapsedNotCarriedOver(day=day.isoformat(), cents=cents)


def _store(
    contest: Contest,
    results: ContestResults,
    counting: Counting,
    tally: Tally,
    winners: Winners,
    d: Distribution,
    parts: Mapping[accounts.Part, int],
) -> Settlement:
    settlement: Settlement = Settlement.objects.create(
        uuid=row_uuid(clock.now()),
        contest=contest,
        number=contest.settlements.count() + 1,
        rules=contest.bet_type.document,
        races=results.to_document(),
        tickets=tally.tickets,
        bets=tally.bets,
        winning_tickets=tally.winning_tickets,
        takings_cents=d.takings,
        jackpot_in_cents=d.jackpot_in,
        reserve_in_cents=d.reserve_in,
        lapsed_in_cents=d.lapsed_in,
        prizes_cents=d.prizes_total,
        jackpot_out_cents=d.jackpot_out,
        reserve_out_cents=d.reserve_out,
        figures={**d.to_document(), "organiser_parts": {str(p): c for p, c in parts.items()}},
        settled_at=clock.now(),
    )
    SettlementCategory.objects.bulk_create(
        SettlementCategory(
            settlement=settlement,
            hits=hits,
            winning_bets=bets,
            prize_cents=d.prize_each.get(hits, 0),
            total_cents=d.prize_each.get(hits, 0) * bets,
        )
        for hits, bets in d.winners.items()
    )
    prizes_insert(counting, winners, settlement_id=settlement.pk, prize_each=d.prize_each)
    return settlement


def _verify(
    contest: Contest, settlement: Settlement, counting: Counting, tally: Tally, d: Distribution
) -> None:
    """Read back what was written, and raise unless it agrees with the computed settlement."""
    stored = prizes_check(counting, settlement_id=settlement.pk, prize_each=d.prize_each)
    for check, read_back, computed in (
        ("prize_rows", stored.rows, tally.winning_tickets),
        ("right_prize_rows", stored.right_rows, tally.winning_tickets),
        ("winning_bets", dict(stored.winners), dict(tally.winners)),
        ("prizes_cents", stored.prizes_cents, d.prizes_total),
    ):
        if read_back != computed:
            raise SettlementUnsound(
                f"The settlement does not hold: {check}.",
                check=check,
                stored=read_back,
                computed=computed,
            )
    code = contest.bet_type_code
    ledger.need_balance(accounts.takings(contest), 0)
    ledger.need_balance(accounts.pool(contest.pk), 0)
    ledger.need_balance(accounts.lapsed(contest.pk), 0)
    for hits in d.winners:
        ledger.need_balance(accounts.category(contest.pk, hits), 0)
    ledger.need_balance(accounts.prizes_payable(contest.pk), d.prizes_total)
    ledger.need_balance(accounts.jackpot(code), d.jackpot_out)
    ledger.need_balance(accounts.reserve(code), d.reserve_out)
