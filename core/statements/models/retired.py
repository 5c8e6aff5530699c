"""Store what statements and their payments were that left with a retired month (ADR 81).

The database writes these rows when statements and payments are retired. From then on balances of
commission and payments, and the audit of statements, begin with them. Each array of a row has one
entry for each of its premises or payments, 64 at most; only `acts` of statements has others. The
database refuses another row. `retired` is the row of the retirement (`periods.RetiredRows`), `part`
is 64 premises by their ids (`premises / 64`).
"""

from django.contrib.postgres.fields import ArrayField
from django.contrib.postgres.indexes import GinIndex
from django.db import models
from django.utils.translation import gettext_lazy as _

from core.database.models import Guarded
from core.premises.models import Game


class RetiredStatements(Guarded):
    """The statements of a part that left with a month: how many, and the last, of each premises.

    `closings_cents` are the balances of the last ones. `acts` are the transactions that wrote the
    statements, from `first_act` to `last_act`: these acts stay.
    """

    inserted_by_application = False

    retired = models.BigIntegerField(_("retired rows"))
    part = models.BigIntegerField(_("part"))
    premises = ArrayField(models.BigIntegerField(), verbose_name=_("premises"))
    statements = ArrayField(models.BigIntegerField(), verbose_name=_("statements"))
    last_numbers = ArrayField(models.BigIntegerField(), verbose_name=_("last number"))
    last_sundays = ArrayField(models.DateField(), verbose_name=_("last day"))
    closings_cents = ArrayField(models.BigIntegerField(), verbose_name=_("balances in cents"))
    acts = ArrayField(models.BigIntegerField(), verbose_name=_("acts"))
    first_act = models.BigIntegerField(_("first act"))
    last_act = models.BigIntegerField(_("last act"))

    class Meta:
        verbose_name = _("statements that left")
        verbose_name_plural = _("statements that left")
        constraints = [
            models.UniqueConstraint(fields=["part", "retired"], name="retired_statements_once")
        ]
        indexes = [models.Index(fields=["last_act"], name="retired_statements_acts")]

    def __str__(self) -> str:
        return f"{self.retired} · {self.part}"


class RetiredCommission(Guarded):
    """The commission on a game's sales that the statements of a part earned which left."""

    inserted_by_application = False

    retired = models.BigIntegerField(_("retired rows"))
    part = models.BigIntegerField(_("part"))
    game = models.CharField(_("game"), max_length=20, choices=Game.choices)
    premises = ArrayField(models.BigIntegerField(), verbose_name=_("premises"))
    commissions_cents = ArrayField(models.BigIntegerField(), verbose_name=_("amounts in cents"))

    class Meta:
        verbose_name = _("commission of statements that left")
        verbose_name_plural = _("commission of statements that left")
        constraints = [
            models.UniqueConstraint(
                fields=["retired", "part", "game"], name="retired_commission_once"
            )
        ]

    def __str__(self) -> str:
        return f"{self.retired} · {self.part} · {self.game}"


class RetiredRemittances(Guarded):
    """Up to 64 payments of statements that left with a month, in the order of their ids.

    `movements` are digests of the bank's references: the same movement is not recorded again
    (`statements_movement` in `core/periods/sql/retired_statements.sql`). `acts` are the
    transactions that wrote the payments: these acts stay, and say who recorded each.
    """

    inserted_by_application = False

    retired = models.BigIntegerField(_("retired rows"))
    premises = ArrayField(models.BigIntegerField(), verbose_name=_("premises"))
    movements = ArrayField(models.BigIntegerField(), verbose_name=_("digests of references"))
    amounts_cents = ArrayField(models.BigIntegerField(), verbose_name=_("amounts in cents"))
    acts = ArrayField(models.BigIntegerField(), verbose_name=_("acts"))
    first_act = models.BigIntegerField(_("first act"))
    last_act = models.BigIntegerField(_("last act"))

    class Meta:
        verbose_name = _("payments of statements that left")
        verbose_name_plural = _("payments of statements that left")
        indexes = [
            GinIndex(fields=["movements"], name="retired_movements"),
            models.Index(fields=["last_act"], name="retired_remittances_acts"),
        ]

    def __str__(self) -> str:
        return str(self.retired)
