"""Contribute the statements to the administration."""

from django.utils.translation import gettext_lazy as _

from core.admin_support.contents import Administration, Panel, Place, Section
from core.statements import models
from core.statements.admin import figures, guarantees_panel

KEY_NAMES = {
    "paid_on": _("paid on"),
    "premises": _("premises"),
    "statement": _("statement"),
    "balance_cents": _("balance"),
    "made_at": _("made at"),
    "lines": _("movements"),
    "commission": _("commission"),
    "base_cents": _("net sales"),
    "percent": _("per cent"),
    "commission_cents": _("commission"),
    "count": _("number"),
    "column": _("movement"),
    "opening_cents": _("brought forward"),
    "closing_cents": _("balance"),
    "sales_cents": _("sales"),
    "annulments_cents": _("annulments"),
    "prizes_cents": _("paid to players"),
    "settled_cents": _("settled"),
    "other_cents": _("other"),
    "limit_cents": _("limit"),
    "expected_cents": _("expected"),
    "float_cents": _("float"),
    "counted_cents": _("counted"),
}

ADMINISTRATION = Administration(
    sections=(
        Section(
            _("Running accounts"),
            72,
            Place.MONEY,
            (
                (models.Statement, "receipt_long"),
                (models.Remittance, "payments"),
                (models.CommissionRate, "percent"),
                (models.GuaranteeLimit, "shield"),
                (models.CashUp, "calculate"),
                (models.Till, "point_of_sale"),
                (models.Mark, "bookmark"),
            ),
        ),
    ),
    figures=figures,
    panels=(Panel(35, Place.PREMISES, guarantees_panel),),
    kind_titles={
        "statements.rate": _("Commission rate"),
        "statements.guarantee": _("Guarantee limit"),
        "statements.guarantees": _("Guarantee limit of many premises"),
        "statements.remittance": _("Payment of a statement"),
    },
    key_names=KEY_NAMES,
)
