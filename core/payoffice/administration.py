"""Add the prize office to the menu and to the words of the administration."""

from django.utils.translation import gettext_lazy as _

from core.admin_support.contents import Administration, Panel, Section
from core.payoffice.admin.desk import PAGE
from core.payoffice.admin.pages import rulings_panel
from core.payoffice.models import (
    CashCeiling,
    CashSession,
    Cheque,
    Claim,
    Deposit,
    Payee,
    Payment,
    StockItem,
)

KEY_NAMES = {
    "claim": _("claim"),
    "document_id": _("document"),
    "changed_at": _("last change"),
    "day": _("day"),
    "paid_at": _("paid at"),
    "means": _("means"),
    "payee": _("payee"),
    "staff": _("member of staff"),
    "second_operator": _("second operator"),
    "cash_session": _("cash session"),
    "cashier": _("cashier"),
    "float_cents": _("float"),
    "closed_at": _("closed at"),
    "expected_cents": _("expected"),
    "counted_cents": _("counted"),
    "cents": _("amount"),
    "moved_at": _("time"),
    "presented_at": _("presented at"),
    "presented_on": _("presented on"),
    "deposited_at": _("deposited at"),
    "notes": _("notes"),
    "deposit": _("deposit"),
    "matched_at": _("matched at"),
    "evidence": _("evidence"),
    "media_type": _("kind"),
    "added_at": _("added at"),
    "kept_until": _("kept until"),
    "purged_at": _("erased at"),
    "item": _("thing"),
    "exchanged_at": _("exchanged at"),
    "units": _("units"),
    "payment": _("payment"),
    "void_reason": _("reason of voiding"),
    "reconciled_at": _("reconciled at"),
    "reconciled_by": _("reconciled by"),
    "in_force_from": _("in force from"),
    "equivalent_cents": _("cash equivalent"),
    "description": _("description"),
    "exchange": _("exchange"),
    "second_session": _("second session"),
    "voiding": _("proposal to void"),
    "reissue": _("proposal to reissue"),
    "opened_in": _("opened in session"),
    "match": _("match"),
}

ADMINISTRATION = Administration(
    sections=(
        Section(
            _("Prize payment"),
            45,
            (
                (Payment, "payments"),
                (Claim, "receipt_long"),
                (Deposit, "inventory_2"),
                (Cheque, "request_quote"),
                (CashSession, "point_of_sale"),
                (StockItem, "redeem"),
                (CashCeiling, "vertical_align_top"),
                (Payee, "badge"),
            ),
        ),
    ),
    panels=(Panel(20, rulings_panel),),
    pages=(PAGE,),
    key_names=KEY_NAMES,
    tones={
        "paid": "success",
        "exchanged": "success",
        "presented": "info",
        "held": "warning",
        "granted": "primary",
        "refused": "danger",
        "lapsed": "default",
        "issued": "info",
        "voided": "danger",
    },
)
