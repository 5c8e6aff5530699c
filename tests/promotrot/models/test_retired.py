"""Prints that left are still known: nobody has the print, the paper or a handover again."""

from pathlib import Path

import pytest
from django.db import DatabaseError, IntegrityError, transaction

from core.database import clock
from core.journal import rules
from core.journal.verifying import Fault
from core.payoffice.refusals import ClaimLapsed
from core.payoffice.services.paying import PayRequest
from core.periods.archive.removing import retired_remove
from core.periods.models import ClosedPeriod
from core.premises.requests import new_uuid
from core.staff.powers import Role
from promotrot import journal_rules
from promotrot.models.emission import PrizeTier
from promotrot.models.play import PlayAct, PlayEnd
from promotrot.models.retired import UnprintedVoucher
from promotrot.models.voucher import Voucher, VoucherHandover, VoucherPrint
from promotrot.selectors.plays import acts_left
from promotrot.selectors.vouchers import held_vouchers, is_printed
from promotrot.services import vouchers
from promotrot.services.audit.ends import audit_plays
from promotrot.services.office.handing import handover_propose
from tests.core.periods.archive.conftest import retired
from tests.core.periods.archive.test_retiring import forge, row_findings
from tests.promotrot.conftest import ACTS, PRINTS, acts_here, leaves
from tests.support import emitting, paying
from tests.support.admin_desk import Desk, row_url
from tests.support.databases import refused
from tests.support.journaling import seal_all
from tests.support.promotrot.leaving import Plays


def test_nobody_has_a_print_paper_or_handover_again(plays: Plays, tmp_path: Path) -> None:
    retired(ClosedPeriod.objects.get(), tmp_path)
    by, seller = plays.point.bare, plays.point.actor
    for removed in (False, True):
        for name in ("paid", "lapsed"):
            ident = plays.voucher(name).uuid
            if removed:
                with pytest.raises(vouchers.VoucherPrinted):
                    vouchers.voucher_print_confirm(by=by, ident=ident)
            else:
                assert vouchers.voucher_print_confirm(by=by, ident=ident)
            for again in (vouchers.voucher_original, vouchers.voucher_reprint):
                with pytest.raises(vouchers.VoucherPrinted):
                    again(by=seller if again is vouchers.voucher_reprint else by, ident=ident)
        never = plays.voucher("unprinted")
        with pytest.raises(vouchers.VoucherPrintTooLate):
            vouchers.voucher_print_confirm(by=by, ident=never.uuid)
        with pytest.raises(vouchers.VoucherOperatorDiffers):
            vouchers.voucher_original(by=by, ident=never.uuid)
        retired_remove()
    assert not VoucherPrint.objects.exists()
    _look_at_both(plays)
    for voucher in (plays.voucher("paid"), never):
        error = pytest.raises(DatabaseError, match="no print of it is confirmed any more")
        with error, transaction.atomic():
            VoucherPrint.objects.create(voucher=voucher, confirmed_at=clock.now())
    _not_handed_over(plays.voucher("lapsed"))


def _look_at_both(plays: Plays) -> None:
    """Look at both vouchers as staff do: which one was printed, and which never was."""
    desk = Desk(Role.ORGANISER)
    headings = "Vouchers without a confirmed print", "Retirement of a closed period"
    for name, has in (("lapsed", False), ("unprinted", True)):
        page = desk.get(row_url(plays.voucher(name)))
        assert "Print confirmed" in page and any(words in page for words in headings) is has, page


def _not_handed_over(voucher: Voucher) -> None:
    """Ask for a new code of what was printed; the database refuses it without the claim, too."""
    with pytest.raises(ClaimLapsed):
        handover_propose(by=paying.cashier(), ident=voucher.uuid, claim="I was there")
    paying.handed_over(cashier := paying.cashier(), held_vouchers().get().uuid)
    other = VoucherHandover.objects.get()
    for claimed in (True, False):
        if not claimed:
            forge(
                "payoffice_claim",
                f"UPDATE payoffice_claim SET document_id = -document_id"
                f" WHERE document_id = {voucher.pk} AND game = 'promotrot'",
            )
        with pytest.raises(DatabaseError, match="it is not held"), transaction.atomic():
            VoucherHandover.objects.create(
                voucher=voucher,
                number=1,
                replaced_digest=voucher.code_digest,
                cash_session=other.cash_session,
                handed_by_id=cashier.user_id,
                handed_in_id=cashier.session_id,
                claim="I was there",
                proposal=other.proposal,
                handed_at=clock.now(),
            )


def test_what_is_held_is_handed_over_and_printed_after_its_month_was_retired(
    plays: Plays, tmp_path: Path
) -> None:
    """The price of a ticket is due back for ever: its voucher is printed late, and keeps that."""
    retired(ClosedPeriod.objects.get(), tmp_path)
    retired_remove()
    held = plays.voucher("refund")
    assert not is_printed(held) and list(held_vouchers()) == [held]
    cashier = paying.cashier()
    issued = paying.handed_over(cashier, held.uuid)
    assert issued.code is not None and not is_printed(held)
    done = vouchers.voucher_print_confirm(by=cashier, ident=held.uuid)
    assert is_printed(held) and not held_vouchers().exists()
    cents = held.amount_cents
    request = PayRequest(new_uuid(), cents, intact=True, code=issued.code.grouped)
    paying.paid_alone(paying.cashier(), request)
    # It was claimed after its time: the print stays.
    assert vouchers.voucher_print_confirm(by=cashier, ident=held.uuid) == done
    assert leaves(PRINTS, done.pk) is False and retired_remove() == 0 and row_findings() == []


def test_a_listed_voucher_is_of_the_act_that_retired_its_month(
    plays: Plays, tmp_path: Path
) -> None:
    paid = plays.voucher("paid")
    retired(ClosedPeriod.objects.get(), tmp_path)
    seal_all()
    listed = UnprintedVoucher.objects.order_by("pk")[0]
    with pytest.raises(DatabaseError, match="permission denied"), transaction.atomic():
        UnprintedVoucher.objects.create(voucher=paid, retirement=listed.retirement)
    values = f"({paid.pk}, {listed.retirement_id})"
    insert = f"INSERT INTO promotrot_unprintedvoucher (voucher_id, retirement_id) VALUES {values}"
    refused(insert, "it is not listed so")
    forge("promotrot_unprintedvoucher", insert)
    assert [row for _, row, _ in rules.broken(journal_rules.UNPRINTED)] == [
        UnprintedVoucher.objects.latest("pk").pk
    ]
    forge(
        "promotrot_unprintedvoucher",
        f"DELETE FROM promotrot_unprintedvoucher WHERE id = {listed.pk}",
    )
    assert (Fault.ROW_REMOVED, "promotrot_unprintedvoucher") in row_findings()


def test_a_forged_end_or_claim_lets_nothing_more_leave(plays: Plays, tmp_path: Path) -> None:
    """The owner of the database writes rows that name March, after March was retired."""
    retired(ClosedPeriod.objects.get(), tmp_path)
    retired_remove()
    play, held = plays.play("unfinished"), plays.voucher("refund")
    forge(
        "promotrot_playend",
        "INSERT INTO promotrot_playend (ticket_id, cause, tier, extra_tier, awarded_cents,"
        f" extra_cents, ended_at) VALUES ({play.pk}, 'played', 0, 0, 0, 0, '{play.sold_at}')",
    )
    forge(
        "payoffice_claim",
        "INSERT INTO payoffice_claim (game, document_id, state, amount_cents, opened_at)"
        f" VALUES ('promotrot', {held.pk}, 'paid', 1, '{held.issued_at}')",
    )
    assert not acts_left(play.pk) and acts_here(plays) >= {"unfinished"}
    assert not any(leaves(ACTS, act.pk) for act in PlayAct.objects.filter(ticket=play))
    assert not is_printed(held)
    refused(f"DELETE FROM {ACTS} WHERE ticket_id = {play.pk}", "append-only")
    assert retired_remove() == 0


@pytest.mark.article("15.III.3")
def test_the_night_counts_plays_apart_whose_acts_left(plays: Plays, tmp_path: Path) -> None:
    """The rows that are left agree; their acts are in the archive."""
    before = audit_plays()
    assert (before.archived, before.findings) == (0, [])
    retired(ClosedPeriod.objects.get(), tmp_path)
    retired_remove()
    after = audit_plays()
    assert (after.plays, after.findings) == (before.plays, [])
    by_acts = PlayEnd.objects.filter(
        cause=PlayEnd.Cause.PLAYED, ticket__emission__game__type__mode="probabilistic"
    )
    without = [end.ticket_id for end in by_acts if acts_left(end.ticket_id)]
    assert plays.play("chance").pk in without and after.archived == len(without)


@pytest.mark.article("15.II.2")
def test_no_prize_is_added_to_a_draft_by_a_later_act(plays: Plays) -> None:
    """Plan and prizes are of one act: each act is a transaction of its own here."""
    emission = emitting.planned(emitting.approved(emitting.small("later")))
    with pytest.raises(IntegrityError, match="its prizes are those of its plan"):
        PrizeTier.objects.create(emission=emission, number=3, value_cents=1_000_000, count=1)
