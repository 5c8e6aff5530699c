"""Contribute the statements to the administration."""

from django.utils.translation import gettext_lazy as _

from core.admin_support.columns import link
from core.admin_support.contents import Administration, Panel, Place, Section
from core.database.reading.batches import row_by
from core.statements import models
from core.statements.admin import figures, guarantees_panel

KEY_NAMES = {
    "also_of": _("other premises with a part of it"),
    "base_cents": _("net sales"),
    "count": _("number"),
    "column": _("movement"),
    "limit_before": _("newest limit on record"),
}


def _statement(ident: str) -> str:
    """Return a link to a statement; its UUID once it has left."""
    statement = row_by(models.Statement, "uuid", ident)
    return link(statement) if statement else ident


ADMINISTRATION = Administration(
    sections=(
        Section(
            _("Running accounts"),
            72,
            Place.MONEY,
            (
                (models.Statement, "receipt_long"),
                (models.Remittance, "payments"),
                (models.RetiredStatements, "inventory"),
                (models.RetiredRemittances, "inventory"),
                (models.RetiredCommission, "inventory"),
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
    content_readers={"statement": _statement},
    key_names=KEY_NAMES,
)
