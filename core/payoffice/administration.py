"""Add the prize office to the menu and to the words of the administration."""

from django.utils.translation import gettext_lazy as _

from core.admin_support.contents import Administration, Panel, Place, Section
from core.payoffice.admin import closing, goods, words
from core.payoffice.admin.desk import PAGE, named
from core.payoffice.admin.figures import figures
from core.payoffice.admin.pages import rulings_panel, story
from core.payoffice.models import (
    CashCeiling,
    CashSession,
    Cheque,
    ChequeRecovery,
    ChequeWriteOff,
    Claim,
    Deposit,
    Payee,
    Payment,
    RetiredPayments,
    StockItem,
    VoidedChequePayment,
)

KEY_NAMES = {
    "claim": _("claim"),
    "entry": _("entry"),
    "changed_at": _("last change"),
    "moved_at": _("time"),
    "difference_cents": _("difference"),
    "count": _("notes and coins"),
    "blocked": _("blocked"),
    "presented": _("presented"),
    "deposits": _("deposits"),
}
KIND_TITLES = {
    "payoffice.payment": _("Payment of a large amount"),
    "payoffice.exchange": _("Exchange for a prize of great value"),
    "payoffice.stock_movement": _("Prizes in kind that come into the stock or leave it"),
    "payoffice.cash_taking": _("Cash that is taken from a drawer"),
    "payoffice.cash_closing": _("Cash session that is closed by count"),
    "payoffice.cheque_void": _("Voiding of a cheque"),
    "payoffice.cheque_reissue": _("Cheque for a voided one"),
    "payoffice.cheque_paid_voided": _("Voided cheque that the bank paid"),
    "payoffice.cheque_recovery": _("Loss by a voided cheque that was given back"),
    "payoffice.cheque_write_off": _("Write-off of a loss by a voided cheque"),
    "payoffice.loss_reversal": _("Reversal of an entry about a loss by a voided cheque"),
    "payoffice.cash_ceiling": _("Cash ceiling"),
    "payoffice.ruling": _("Decision about what is held"),
}

ADMINISTRATION = Administration(
    sections=(
        Section(
            _("Prize payment"),
            45,
            Place.OFFICE,
            (
                (Payment, "payments"),
                (RetiredPayments, "inventory"),
                (Claim, "receipt_long"),
                (Deposit, "inventory_2"),
                (Cheque, "request_quote"),
                (VoidedChequePayment, "report"),
                (ChequeRecovery, "undo"),
                (ChequeWriteOff, "money_off"),
                (CashSession, "point_of_sale"),
                (StockItem, "redeem"),
                (CashCeiling, "vertical_align_top"),
                (Payee, "badge"),
            ),
        ),
    ),
    panels=(Panel(20, Place.OFFICE, rulings_panel),),
    pages=(PAGE,),
    figures=figures,
    finder=named,
    story=story,
    kind_titles=KIND_TITLES,
    proposal_words=closing.WORDS | goods.WORDS | words.WORDS,
    key_names=KEY_NAMES,
    tones={
        "paid": "success",
        "exchanged": "success",
        "early": "info",
        "no_prize": "default",
        "presented": "info",
        "held": "warning",
        "granted": "primary",
        "refused": "danger",
        "lapsed": "default",
        "issued": "info",
        "voided": "danger",
    },
)
